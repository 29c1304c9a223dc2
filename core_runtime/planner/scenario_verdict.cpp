// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/scenario.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "planner/model_states.h"
#include "planner/redundancy.h"
#include "planner/scenario_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace stagecraft {

namespace {

using nlohmann::json;

constexpr double kGB = 1e9;

json orNull(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

std::optional<Plan> planOf(const json& workspace)
{
    const auto read = parseWorkspace(workspace.dump(), {});
    if (!read.hasValue()) return std::nullopt;
    auto plan = makePlan(*read);
    return plan.hasValue() ? std::optional<Plan>(std::move(*plan)) : std::nullopt;
}

// Of the fullest rank, on its device, 1e9 bytes.
template <class Which>
double onDevice(const Plan& plan, Which which)
{
    double most = 0;
    if (!plan.ledger) return most;
    for (const LedgerRole& role : *plan.ledger) {
        double bytes = 0;
        for (const LedgerItem& item : role.items)
            if (item.where == Place::Device && which(item)) bytes += static_cast<double>(item.bytes);
        most = std::max(most, bytes / kGB);
    }
    return most;
}

double statesOnDevice(const Plan& plan) { return onDevice(plan, [](const LedgerItem& item) { return isModelState(item.what); }); }

double activationsOnDevice(const Plan& plan) { return onDevice(plan, [](const LedgerItem& item) { return item.what.starts_with("activations"); }); }

double stepTimeOf(const json& workspace)
{
    const auto plan = planOf(workspace);
    return plan && plan->forecast ? plan->forecast->stepTime : 0;
}

// Speed to that of plain data parallelism on the same devices, as if both fitted; 0 where either cannot be timed.
double relativeSpeedOf(const Scenario& s, int microBatches)
{
    json workspace = s.workspace;
    if (!s.timedAs.empty()) workspace["model"] = {{"preset", s.timedAs}};
    workspace["dsConfig"]["gradient_accumulation_steps"] = microBatches;
    json plain = workspace;
    plain["dsConfig"]["zero_optimization"] = {{"stage", 0}};
    const double own = stepTimeOf(workspace);
    return own > 0 ? stepTimeOf(plain) / own : 0;
}

// Part of the model states of plain data parallelism that a rank of the workspace keeps; negative where it is not known.
double keptShare(const Workspace& w)
{
    const auto copies = redundancyOf(w);
    return copies && copies->plain.perRank > 0 ? copies->plan.perRank / copies->plain.perRank : -1;
}

// Ranks among which at least that part is saved: what a rank keeps is a + b / N. 0 = however many there are, less is saved.
std::int64_t ranksToSave(Workspace w, double percent)
{
    const double here = keptShare(w), n = w.layout.dp;
    w.hardware.nodes = 1 << 13;
    w.layout.dp = w.hardware.nodes * w.hardware.devicesPerNode;
    const double many = w.layout.dp, far = keptShare(w);
    if (here < 0 || far < 0 || n >= many) return 0;
    const double b = (here - far) / (1 / n - 1 / many), a = far - b / many, left = 1 - percent / 100 - a;
    return left > 1e-9 ? static_cast<std::int64_t>(std::ceil(b / left - 1e-6)) : 0;
}

}  // namespace

namespace {

// What generates text has its weights on the device, two bytes each, and reads all of them for each token of a stream.
ScenarioVerdict judgeInference(const Scenario& s, const Workspace& workspace, const Plan& plan)
{
    const Scenario::Inference& said = *s.inference;
    ScenarioVerdict v;
    const DeviceSheet* device = findDevice(workspace.hardware.device);
    v.nominalGB = device ? device->nominalBytes / kGB : 0;
    v.usableGB = device ? static_cast<double>(device->usableBytes) / kGB : 0;
    v.statesGB = plan.params ? 2 * static_cast<double>(*plan.params) / kGB : 0;
    v.statesFit = v.statesGB <= v.nominalGB;
    v.fits = v.statesFit ? Fit::Verdict::Yes : Fit::Verdict::No;
    if (v.statesGB > 0) v.largestParams = static_cast<double>(*plan.params) * v.nominalGB / v.statesGB;
    const auto check = [&](const char* what, bool holds, double claimed, double ours, std::string message, double further = 0) {
        v.checks.push_back({what, holds, claimed, ours, std::move(message), true, further});
        v.holds = v.holds && holds;
    };
    const auto near = [](double a, double b) { return std::abs(a - b) <= 0.02 * b; };
    check("inference_weights", s.fits == v.statesFit, v.nominalGB, v.statesGB, fmt::format("The weights take {:.4g} of {:.4g} GB in 16 bits", v.statesGB, v.nominalGB));
    const double ms = 1000 / said.tokensPerSecond, faster = 1000 / said.fasterTokensPerSecond;
    const bool inverse = near(said.msPerToken, ms) && near(said.fasterMsPerToken, faster);
    check("ms_per_token", inverse, said.fasterMsPerToken, faster, fmt::format("{:.5g} and {:.5g} tokens/s are {:.4g} and {:.4g} ms a token{}", said.tokensPerSecond, said.fasterTokensPerSecond, ms, faster, inverse ? ", as said" : fmt::format(", not {:.4g} and {:.4g}", said.msPerToken, said.fasterMsPerToken)));
    const double speedup = said.fasterTokensPerSecond / said.tokensPerSecond;
    check("inference_speedup", near(said.speedup, speedup), said.speedup, speedup, fmt::format("That is {:.4g} times as fast; {:.4g} were said", speedup, said.speedup));
    if (device && device->memoryBytesPerSecond > 0 && v.statesGB > 0) {
        const double step = 1000 * v.statesGB * kGB / device->memoryBytesPerSecond, batch = std::ceil(step / faster - 1e-9);
        check("decode_step", said.fasterMsPerToken >= step, said.fasterMsPerToken, step,
              said.fasterMsPerToken >= step ? fmt::format("One stream may have a token in {:.4g} ms: reading the weights takes {:.4g} ms", said.fasterMsPerToken, step)
                                            : fmt::format("No single stream has a token in {:.4g} ms: reading the weights, {:.4g} GB at {:.5g} GB/s, takes {:.4g} ms; it is the inverse of the throughput of a batch of at least {:.0f}, not a latency", said.fasterMsPerToken, v.statesGB, device->memoryBytesPerSecond / kGB, step, batch),
              batch);
    }
    return v;
}

Result<ScenarioVerdict> judgeClaim(const Scenario& s)
{
    const auto workspace = parseWorkspace(s.workspace.dump(), {});
    if (!workspace.hasValue()) return workspace.error();
    const auto plan = makePlan(*workspace);
    if (!plan.hasValue()) return plan.error();
    if (s.inference) return judgeInference(s, *workspace, *plan);

    // States by their closed forms, whatever else the ledger knows of the model: the tutorials speak of nothing but them.
    Workspace states = *workspace;
    if (plan->params && !workspace->model.trainsPart()) {
        states.model = {};
        states.model.form = ModelSection::Form::ParameterCount;
        states.model.parameterCount = static_cast<double>(*plan->params);
    }
    const auto counted = makePlan(states);
    if (!counted.hasValue()) return counted.error();
    ScenarioVerdict v;
    v.statesGB = statesOnDevice(*counted);
    const DeviceSheet* device = findDevice(workspace->hardware.device);
    v.nominalGB = device ? device->nominalBytes / kGB : 0;
    v.statesFit = v.statesGB <= v.nominalGB;
    if (plan->params && v.statesGB > 0) v.largestParams = static_cast<double>(*plan->params) * v.nominalGB / v.statesGB;
    if (plan->fit) v.fits = plan->fit->verdict;
    if (plan->fit) v.probability = plan->fit->probability;
    if (plan->fit) v.usableGB = static_cast<double>(plan->fit->usable) / kGB;
    if (plan->ledger && plan->fit && !plan->fit->statesOnly)
        for (const LedgerRole& role : *plan->ledger) v.peakGB = std::max(v.peakGB, static_cast<double>(role.peak.process) / kGB);
    v.recomputes = workspace->layout.recompute != "none";
    if (counted->fit) v.hostGBPerNode = static_cast<double>(counted->fit->hostNeed) / kGB;
    v.hostKnown = workspace->hardware.hostMemoryBytes > 0;

    const auto check = [&](const char* what, bool holds, double said, double ours, std::string message, double further = 0) {
        v.checks.push_back({what, holds, said, ours, std::move(message), true, further});
        v.holds = v.holds && holds;
    };
    const bool possible = v.statesFit && v.fits != Fit::Verdict::No;
    std::string more = v.peakGB > 0 ? fmt::format(", the whole peak {:.4g} of the {:.4g} GB that a process can have{}", v.peakGB, v.usableGB, v.recomputes ? " with activation checkpointing" : "") : std::string();
    if (v.fits == Fit::Verdict::No) more += ": it does not fit";
    if (v.fits == Fit::Verdict::Unsure && v.peakGB > 0) more += ": it " + fitPhrase(false, true, v.probability);
    if (v.hostGBPerNode > 0) more += fmt::format("; offloaded states take {:.5g} GB of each node's host{}", v.hostGBPerNode, v.hostKnown ? "" : ", of which nobody says what it has");
    if (s.saysFits) check("fits", s.fits == possible, v.nominalGB, v.statesGB,
          v.statesFit ? fmt::format("The model states take {:.4g} of {:.4g} GB{}", v.statesGB, v.nominalGB, more)
                      : fmt::format("The model states take {:.4g} of {:.4g} GB on each device: {:.4g} GB are missing; those of {} parameters would just fit", v.statesGB, v.nominalGB, v.missingGB(), formatCount(std::llround(v.largestParams))));
    if (const auto copies = s.bytesPerParameter && !v.statesFit ? redundancyOf(*workspace) : std::nullopt) {
        const double told = copies->planAsTold.perRank / kGB;
        v.checks.push_back({"as_told", told <= v.nominalGB, v.nominalGB, told,
                            fmt::format("At the source's own {:.4g} B a parameter they would take {:.4g} GB: {}; mixed-precision Adam keeps {:.4g} B", *s.bytesPerParameter, told, told <= v.nominalGB ? "that fits, which is why it is said" : "that does not fit either", copies->bytesPerParameter),
                            false, copies->bytesPerParameter});
    }
    if (s.deviceGB) {
        const bool holds = v.statesGB <= *s.deviceGB;
        check("device_memory", holds, *s.deviceGB, v.statesGB,
              holds ? fmt::format("{:.4g} GB a device are possible: the model states take {:.4g}", *s.deviceGB, v.statesGB)
                    : fmt::format("{:.4g} GB a device are impossible: the model states alone take {:.4g} GB at 16 B a parameter", *s.deviceGB, v.statesGB));
    }
    if (s.clusterGB && plan->params) {
        const double all = 16 * static_cast<double>(*plan->params) / kGB;
        const double needed = v.statesGB * static_cast<double>(workspace->layout.ranks());
        check("cluster_memory", needed <= *s.clusterGB, *s.clusterGB, needed, fmt::format("Of {:.5g} GB of model states {:.5g} GB lie on the devices, which have {:.5g} GB", all, needed, *s.clusterGB));
    }
    if (s.tokensPerSecond && s.hoursPerEpoch && s.epochTokens && *s.tokensPerSecond > 0) {
        const double hours = *s.epochTokens / *s.tokensPerSecond / 3600;
        const bool holds = std::abs(hours - *s.hoursPerEpoch) <= 0.02 * hours;
        check("epoch_hours", holds, *s.hoursPerEpoch, hours, fmt::format("{:.5g} tokens/s take {:.4g} h for the {} tokens of the epoch, {} {:.4g} h", *s.tokensPerSecond, hours, formatCount(std::llround(*s.epochTokens)), holds ? "as said:" : "not", *s.hoursPerEpoch));
    }
    if (s.savedPercent && keptShare(*workspace) >= 0) {
        const double saved = 100 * (1 - keptShare(*workspace));
        const std::int64_t ranks = ranksToSave(*workspace, *s.savedPercent);
        check("saved_percent", saved >= *s.savedPercent, *s.savedPercent, saved,
              fmt::format("It saves {:.4g} % of the model states over {} ranks; {}", saved, workspace->layout.dp,
                          ranks > 0 ? fmt::format("{:.4g} % takes at least {}", *s.savedPercent, ranks) : fmt::format("however many there are, it saves less than {:.4g} %", *s.savedPercent)),
              static_cast<double>(ranks));
    }
    if (s.savedGB) {
        const auto copies = redundancyOf(*workspace);
        const double saved = copies ? (copies->plain.perRank - copies->plan.perRank) / kGB : 0;
        // Allocators round every tensor up: what was measured is a little more than what the tensors hold.
        check("saved_memory", std::abs(saved - *s.savedGB) <= 0.05 * *s.savedGB, *s.savedGB, saved, fmt::format("A rank keeps {:.4g} GB less than with plain data parallelism; {:.4g} GB were said", saved, *s.savedGB));
    }
    if (s.shareOfFp16) {
        json half = s.workspace;
        half["dsConfig"].erase("bf16");
        half["dsConfig"]["fp16"] = {{"enabled", true}};
        const auto fp16 = planOf(half);
        const double inFp16 = fp16 ? statesOnDevice(*fp16) : 0;
        if (inFp16 > 0) check("share_of_fp16", std::abs(statesOnDevice(*plan) / inFp16 - *s.shareOfFp16) <= 0.02, *s.shareOfFp16, statesOnDevice(*plan) / inFp16, fmt::format("In bf16 the model states take {:.4g} GB, in fp16 {:.4g} GB: both have 2 B a number", statesOnDevice(*plan), inFp16));
    }
    if (s.fewerActivations) {
        json kept = s.workspace;
        kept["layout"]["recompute"] = "none";
        const auto all = planOf(kept);
        const double own = activationsOnDevice(*plan), whole = all ? activationsOnDevice(*all) : 0;
        if (own > 0) check("fewer_activations", whole / own >= *s.fewerActivations, *s.fewerActivations, whole / own, fmt::format("Activations take {:.4g} GB, and {:.4g} GB with recomputation: {:.4g} times fewer", whole, own, whole / own));
    }
    if (s.relativeSpeed) {
        const double one = relativeSpeedOf(s, 1), many = relativeSpeedOf(s, kManyMicroBatches);
        if (one > 0)
            v.checks.push_back({"relative_speed", true, *s.relativeSpeed, one,
                                fmt::format("Predicted: {:.2g} times the speed of plain data parallelism with one micro-batch a step, {:.2g} with {}, as if both fitted{}; {:.4g} were said, of no stated batch", one, many, kManyMicroBatches, s.timedAs.empty() ? std::string() : fmt::format(", timed as {}", s.timedAs), *s.relativeSpeed), false, many});
    }
    return v;
}

}  // namespace

Result<ScenarioVerdict> judgeScenario(const Scenario& s)
{
    auto judged = judgeClaim(s);
    if (!judged.hasValue()) return judged;
    auto figures = figureChecks(s);
    if (!figures.hasValue()) return figures.error();
    ScenarioVerdict v = std::move(*judged);
    for (ScenarioCheck& check : *figures) {
        v.holds = v.holds && check.holds;
        v.checks.push_back(std::move(check));
    }
    v.answer = s.answer.value_or(v.holds ? ScenarioAnswer::Right : ScenarioAnswer::Wrong);
    if (v.answer == ScenarioAnswer::Right && !v.holds) v.answer = ScenarioAnswer::Wrong;
    if (v.answer == ScenarioAnswer::Wrong || v.answer == ScenarioAnswer::Unsupported) v.holds = false;
    return v;
}

json scenarioToJson(const Scenario& s, const ScenarioVerdict& v)
{
    json checks = json::array();
    for (const ScenarioCheck& c : v.checks) checks.push_back({{"what", c.what}, {"holds", c.holds}, {"claimed", c.claimed}, {"ours", c.ours}, {"judged", c.judged}, {"further", c.further}, {"message", c.message}, {"figure", c.figure >= 0 ? json(s.figures[static_cast<std::size_t>(c.figure)].id) : json(nullptr)}});
    const char* fits = v.fits == Fit::Verdict::Yes ? "yes" : v.fits == Fit::Verdict::No ? "no" : "unsure";
    return {{"id", s.id}, {"title", {{"en", s.title.en}, {"zh", s.title.zh}}}, {"source", s.source.en}, {"sourceText", {{"en", s.source.en}, {"zh", s.source.zh}}}, {"said", {{"en", scenarioSaid(s)}, {"zh", s.said.zh.empty() ? json(nullptr) : json(s.said.zh)}}},
            {"claim", {{"fits", s.saysFits ? json(s.fits) : json(nullptr)}, {"deviceGB", orNull(s.deviceGB)}, {"clusterGB", orNull(s.clusterGB)}, {"tokensPerSecond", orNull(s.tokensPerSecond)}, {"hoursPerEpoch", orNull(s.hoursPerEpoch)}, {"relativeSpeed", orNull(s.relativeSpeed)},
                       {"savedPercent", orNull(s.savedPercent)}, {"savedGB", orNull(s.savedGB)}, {"shareOfFp16", orNull(s.shareOfFp16)}, {"fewerActivations", orNull(s.fewerActivations)},
                       {"inference", s.inference ? json{{"tokensPerSecond", s.inference->tokensPerSecond}, {"fasterTokensPerSecond", s.inference->fasterTokensPerSecond}, {"msPerToken", s.inference->msPerToken}, {"fasterMsPerToken", s.inference->fasterMsPerToken}, {"speedup", s.inference->speedup}} : json(nullptr)}}},
            {"verdict", {{"holds", v.holds}, {"answer", scenarioAnswerName(v.answer)}, {"reason", s.reason.en.empty() ? json(nullptr) : json{{"en", s.reason.en}, {"zh", s.reason.zh}}}, {"fits", fits}, {"statesFit", v.statesFit}, {"statesGB", v.statesGB}, {"deviceGB", v.nominalGB}, {"usableGB", v.usableGB}, {"peakGB", v.peakGB > 0 ? json(v.peakGB) : json(nullptr)}, {"missingGB", v.missingGB()}, {"largestParams", v.largestParams}, {"hostGBPerNode", v.hostGBPerNode}, {"checks", checks}}}};
}

}  // namespace stagecraft
