// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_fields.h"
#include "base/json_text.h"
#include "planner/calibration.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr int kFormat = 1;
constexpr double kLongest = 1e5;       // seconds
constexpr double kMost = 1e18;
constexpr std::int64_t kMostCount = std::int64_t{1} << 60;
constexpr std::array<const char*, kUnitKinds> kKinds{"embedding", "block", "head"};

ordered_json spreadToJson(const Spread& spread) { return {{"p10", spread.low}, {"median", spread.median}, {"p90", spread.high}}; }

ordered_json byKind(const std::array<double, kUnitKinds>& values)
{
    ordered_json out;
    for (std::size_t kind = 0; kind < kUnitKinds; ++kind) out[kKinds[kind]] = values[kind];
    return out;
}

Spread readSpread(JsonFields f) { return {f.number("p10", 0, kLongest), f.number("median", 0, kLongest), f.number("p90", 0, kLongest)}; }

std::array<double, kUnitKinds> readByKind(JsonFields f, double most)
{
    std::array<double, kUnitKinds> values{};
    for (std::size_t kind = 0; kind < kUnitKinds; ++kind) values[kind] = f.number(kKinds[kind], 0, most);
    return values;
}

bool isId(const std::string& id)
{
    return !id.empty() && id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

}  // namespace

ordered_json calibrationToJson(const Calibration& c)
{
    ordered_json phases, parts = ordered_json::array();
    for (int p = 0; p < kPhaseCount; ++p) phases[phaseName(static_cast<Phase>(p))] = spreadToJson(c.phases[static_cast<std::size_t>(p)]);
    for (const CalibratedPart& part : c.parts)
        parts.push_back({{"part", part.name}, {"measured", part.measured}, {"forecast", part.forecast}, {"factor", part.forecast > 0 ? ordered_json(part.factor()) : ordered_json()}});
    return {{"stagecraftCalibration", kFormat},
            {"id", c.id},
            {"run", {{"name", c.name}, {"folder", c.folder}, {"started_ns", c.startedNs}}},
            {"machine", {{"cpu", c.machine.cpu}, {"logicalCores", c.machine.logicalCores}, {"usableCores", c.machine.usableCores}, {"memoryBytes", c.machine.memoryBytes}, {"version", c.machine.version}}},
            {"model", json::parse(c.model, nullptr, false)},
            {"layout", {{"ranks", c.layout.world}, {"stage", c.layout.stage}, {"threadsPerRank", c.layout.threads}, {"microBatch", c.layout.microBatch}, {"accumulation", c.layout.accumulation},
                        {"precision", c.layout.precision}, {"recompute", c.layout.recompute}, {"overlaps", c.layout.overlaps}}},
            {"work", {{"samples", c.work.samples}, {"forwardVisits", byKind(c.work.forward)}, {"backwardVisits", byKind(c.work.backward)}, {"recomputedVisits", c.work.recomputed}, {"loads", c.work.loads},
                      {"updatedElements", c.work.updated}, {"weightBytesSent", c.work.weightBytes}, {"gradientBytesSent", c.work.gradientBytes}}},
            {"steps", c.steps},
            {"stepTime", spreadToJson(c.step)},
            {"phases", phases},
            {"visitTime", {{"forward", byKind(c.forward)}, {"backward", byKind(c.backward)}, {"load", c.load}}},
            {"fastestCommunication", c.fastestLane},
            {"peakAllocatedBytes", c.allocatedBytes},
            {"peakProcessBytes", c.processBytes},
            {"parts", parts}};
}

Result<Calibration> calibrationFromJson(std::string_view text)
{
    auto parsed = parseJson(text, {std::size_t{1} << 20, 16});
    if (!parsed.hasValue()) return parsed.error();
    std::string problem;
    Calibration c;
    JsonFields f(*parsed, "", problem);
    (void)f.count("stagecraftCalibration", kFormat, kFormat);
    c.id = f.text("id", 64);
    JsonFields run = f.inside("run");
    c.name = run.text("name");
    c.folder = run.text("folder", 4096);
    c.startedNs = run.count("started_ns", 0, INT64_MAX);
    JsonFields machine = f.inside("machine");
    c.machine = {machine.text("cpu"), static_cast<int>(machine.count("logicalCores", 0, 65'536)), machine.number("usableCores", 0.01, 65'536), machine.count("memoryBytes", 0, kMostCount), machine.text("version")};
    JsonFields layout = f.inside("layout");
    c.layout = {static_cast<int>(layout.count("ranks", 1, 1'000'000)), static_cast<int>(layout.count("stage", 0, 3)), static_cast<int>(layout.count("threadsPerRank", 1, 65'536)),
                layout.count("microBatch", 1, kMostCount), layout.count("accumulation", 1, kMostCount), layout.text("precision"), layout.text("recompute"), layout.flag("overlaps")};
    JsonFields work = f.inside("work");
    c.work.samples = work.number("samples", 1, kMost);
    c.work.forward = readByKind(work.inside("forwardVisits"), kMost);
    c.work.backward = readByKind(work.inside("backwardVisits"), kMost);
    c.work.recomputed = work.number("recomputedVisits", 0, kMost);
    c.work.loads = work.number("loads", 0, kMost);
    c.work.updated = work.number("updatedElements", 0, kMost);
    c.work.weightBytes = work.number("weightBytesSent", 0, kMost);
    c.work.gradientBytes = work.number("gradientBytesSent", 0, kMost);
    c.steps = f.count("steps", 1, kMostCount);
    c.step = readSpread(f.inside("stepTime"));
    JsonFields phases = f.inside("phases");
    for (int p = 0; p < kPhaseCount; ++p) c.phases[static_cast<std::size_t>(p)] = readSpread(phases.inside(phaseName(static_cast<Phase>(p))));
    JsonFields visits = f.inside("visitTime");
    c.forward = readByKind(visits.inside("forward"), kLongest);
    c.backward = readByKind(visits.inside("backward"), kLongest);
    c.load = visits.number("load", 0, kLongest);
    c.fastestLane = f.number("fastestCommunication", 0, kLongest);
    c.allocatedBytes = f.count("peakAllocatedBytes", 0, kMostCount);
    c.processBytes = f.count("peakProcessBytes", 0, kMostCount);
    f.each("parts", 16, [&](JsonFields& part) {
        c.parts.push_back({part.text("part", 40), part.number("measured", 0, kLongest), part.number("forecast", 0, kLongest)});
    });
    if (problem.empty()) {
        const json model = parsed->value("model", json());
        c.model = model.dump();
        if (!model.is_object()) problem = "\"/model\" is no object";
        else if (!isId(c.id)) problem = "\"/id\" is no id of a run";
        else if (!(c.step.median > 0) || c.step.low > c.step.median || c.step.median > c.step.high) problem = "\"/stepTime\" is no spread of times above 0";
        else if (c.layout.microBatch != static_cast<std::int64_t>(c.work.samples)) problem = "\"/work/samples\" is not the layout's micro-batch";
    }
    if (!problem.empty()) return Error{ErrorCode::InvalidInput, problem, {}};
    return c;
}

}  // namespace stagecraft
