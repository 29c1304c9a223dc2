// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/machine_measure.h"

#include "base/atomic_file.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "hardware/machine_probe.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr int kFormat = 3;
constexpr std::size_t kMostBytes = std::size_t{8} << 20;
constexpr std::size_t kMostEntries = 20'000;
constexpr std::size_t kMostSteps = 64;

constexpr double kLongest = 1e5;   // seconds
constexpr std::int64_t kMostSize = std::int64_t{1} << 50;

double secondsOf(JsonFields& f) { return f.number("seconds", 1e-12, kLongest); }
double spreadOf(JsonFields& f) { return f.number("spread", 0, 100); }
int copiesOf(JsonFields& f) { return static_cast<int>(f.count("copies", 1, 65'536)); }

}  // namespace

const MachineRate* MachineMeasure::rate(std::string_view id) const
{
    const auto found = std::find_if(rates.begin(), rates.end(), [&](const MachineRate& r) { return r.id == id; });
    return found == rates.end() ? nullptr : &*found;
}

MachineHost thisHost(const std::string& version)
{
    const CpuFacts cpu = probeCpu();
    return {cpu.model, cpu.logicalCores, cpu.usableCores, probeMemory().total, version};
}

std::string hostMismatch(const MachineHost& measured, const MachineHost& now)
{
    if (measured.cpu != now.cpu) return fmt::format("it was measured on \"{}\" and this is \"{}\"", measured.cpu, now.cpu);
    if (measured.logicalCores != now.logicalCores || std::abs(measured.usableCores - now.usableCores) > 0.01) {
        return fmt::format("it was measured with {:g} of {} cores usable, now it is {:g} of {}", measured.usableCores, measured.logicalCores, now.usableCores, now.logicalCores);
    }
    if (std::abs(static_cast<double>(measured.memoryBytes - now.memoryBytes)) > 0.02 * static_cast<double>(now.memoryBytes)) return "the memory of this machine has changed since";
    if (measured.version != now.version) return fmt::format("it was measured with release {} and this is {}", measured.version, now.version);
    return {};
}

ordered_json machineMeasureToJson(const MachineMeasure& m)
{
    ordered_json gemms = ordered_json::array(), kernels = ordered_json::array(), collectives = ordered_json::array(), rates = ordered_json::array();
    for (const GemmRate& g : m.gemms)
        gemms.push_back({{"type", g.type}, {"kind", g.kind}, {"m", g.m}, {"n", g.n}, {"k", g.k}, {"threads", g.threads}, {"copies", g.copies}, {"seconds", g.seconds}, {"spread", g.spread}, {"gflops", g.flopsPerSecond() / 1e9}});
    for (const KernelRate& k : m.kernelRates)
        kernels.push_back({{"name", k.name}, {"type", k.type}, {"rows", k.rows}, {"width", k.width}, {"footprint", k.footprint}, {"copies", k.copies}, {"seconds", k.seconds}, {"spread", k.spread}});
    for (const CollectiveRate& c : m.collectives)
        collectives.push_back({{"kind", c.kind}, {"world", c.world}, {"shardBytes", c.shardBytes}, {"seconds", c.seconds}, {"cpuSeconds", c.cpuSeconds}, {"spread", c.spread}});
    ordered_json steps = ordered_json::array();
    for (const StepRate& s : m.steps)
        steps.push_back({{"type", s.type}, {"world", s.world}, {"stage", s.stage}, {"hidden", s.hidden}, {"layers", s.layers}, {"heads", s.heads}, {"ffn", s.ffn}, {"vocab", s.vocab}, {"seq", s.seq}, {"microBatch", s.microBatch}, {"seconds", s.seconds}, {"waited", s.waited}, {"spread", s.spread}});
    for (const MachineRate& r : m.rates) rates.push_back({{"id", r.id}, {"value", r.value}, {"unit", r.unit}, {"spread", r.spread}, {"how", r.how}});
    return {{"format", kFormat},
            {"host", {{"cpu", m.host.cpu}, {"logicalCores", m.host.logicalCores}, {"usableCores", m.host.usableCores}, {"memoryBytes", m.host.memoryBytes}, {"version", m.host.version}}},
            {"kernels", m.kernels}, {"torch", m.torch}, {"measuredAt", m.measuredAt}, {"seconds", m.seconds}, {"noise", m.noise},
            {"rates", rates}, {"steps", steps}, {"gemms", gemms}, {"kernelRates", kernels}, {"collectives", collectives}};
}

Result<MachineMeasure> machineMeasureFromJson(std::string_view text)
{
    const auto parsed = parseJson(text, {kMostBytes, 16});
    if (!parsed.hasValue()) return parsed.error();
    MachineMeasure m;
    std::string problem;
    JsonFields top(parsed.value(), "", problem);
    (void)top.count("format", kFormat, kFormat);
    JsonFields host = top.inside("host");
    m.host = {host.text("cpu"), static_cast<int>(host.count("logicalCores", 1, 1 << 20)), host.number("usableCores", 0.01, 1 << 20), host.count("memoryBytes", 0, kMostSize), host.text("version")};
    m.kernels = top.text("kernels");
    m.torch = top.text("torch");
    m.measuredAt = top.text("measuredAt");
    m.seconds = top.number("seconds", 0, kLongest);
    m.noise = top.number("noise", 0, 100);
    top.each("gemms", kMostEntries, [&](JsonFields& f) {
        m.gemms.push_back({f.text("type"), f.text("kind"), f.count("m", 1, kMostSize), f.count("n", 1, kMostSize), f.count("k", 1, kMostSize), static_cast<int>(f.count("threads", 1, 65'536)), copiesOf(f), secondsOf(f), spreadOf(f)});
    });
    top.each("kernelRates", kMostEntries, [&](JsonFields& f) {
        m.kernelRates.push_back({f.text("name"), f.text("type"), f.count("rows", 1, kMostSize), f.count("width", 1, kMostSize), f.count("footprint", 0, kMostSize), copiesOf(f), secondsOf(f), spreadOf(f)});
    });
    top.each("collectives", kMostEntries, [&](JsonFields& f) {
        m.collectives.push_back({f.text("kind"), static_cast<int>(f.count("world", 2, 65'536)), f.count("shardBytes", 1, kMostSize), secondsOf(f), f.number("cpuSeconds", 0, kLongest), spreadOf(f)});
    });
    top.each("steps", kMostEntries, [&](JsonFields& f) {
        const auto size = [&](const char* key) { return f.count(key, 1, 1 << 20); };
        m.steps.push_back({f.text("type"), static_cast<int>(f.count("world", 1, 1024)), static_cast<int>(f.count("stage", 0, 3)), size("hidden"), f.count("layers", 1, 64), size("heads"), size("ffn"), size("vocab"), size("seq"), f.count("microBatch", 1, 4096), secondsOf(f), f.number("waited", 0, kLongest), spreadOf(f)});
        m.steps.back().waited = std::min(m.steps.back().waited, m.steps.back().seconds);
    });
    top.each("rates", kMostEntries, [&](JsonFields& f) { m.rates.push_back({f.text("id"), f.number("value", 0, 1e18), f.text("unit"), spreadOf(f), f.text("how")}); });
    // Each is played by every plan.
    if (problem.empty() && m.steps.size() > kMostSteps) problem = fmt::format("\"/steps\" has more than {} entries", kMostSteps);
    if (!problem.empty()) return Error{ErrorCode::InvalidInput, problem, {}};
    return m;
}

fs::path machineMeasureFile(const fs::path& runsRoot) { return runsRoot.parent_path() / "machine.json"; }

Result<MachineMeasure> loadMachineMeasure(const fs::path& file)
{
    const auto text = readFile(file, kMostBytes);
    if (!text.hasValue()) return text.error();
    auto measure = machineMeasureFromJson(text.value());
    if (measure.hasValue()) return measure;
    Error error = measure.error();
    error.message = fmt::format("Cannot use the measurement of this machine in \"{}\": {}; measure again with stagecraft doctor --measure.", file.string(), error.message);
    error.context["path"] = file.string();
    return error;
}

Result<void> saveMachineMeasure(const fs::path& file, const MachineMeasure& measure)
{
    if (auto made = makeFolder(file.parent_path()); !made.hasValue()) return made;
    return writeFileAtomically(file, machineMeasureToJson(measure).dump(1) + "\n");
}

std::optional<MachineMeasure> usableMachineMeasure(const fs::path& file, const MachineHost& now, std::string* problem)
{
    const auto tell = [&](std::string words) {
        if (problem != nullptr) *problem = std::move(words);
        return std::nullopt;
    };
    auto loaded = loadMachineMeasure(file);
    if (!loaded.hasValue()) return loaded.error().code == ErrorCode::NotFound ? std::nullopt : tell(loaded.error().message);
    if (const std::string why = hostMismatch(loaded->host, now); !why.empty())
        return tell(fmt::format("The measurement of {} does not hold on this machine: {}; measure again with stagecraft doctor --measure.", loaded->measuredAt, why));
    return std::move(loaded).value();
}

}  // namespace stagecraft
