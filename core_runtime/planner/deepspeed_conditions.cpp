// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/deepspeed_conditions.h"

#include "base/units.h"
#include "planner/fit.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

bool offloads(const StageOption& o) { return o.offloadOptimizer != OffloadDevice::None || o.offloadParam != OffloadDevice::None; }

std::string secondsOf(const StageOption& o) { return o.stepTime ? fmt::format("{:.4g}", *o.stepTime) : "-"; }

// Without the sizes of a model its states are all that is known.
std::string needOf(const StageOption& o) { return formatBytes(o.peakBytes.value_or(o.stateBytes)); }

Phrase withoutOffload(const StageOption& o)
{
    if (!o.relief) return {"{} fits without", {o.name}};
    const std::string micro = std::to_string(o.relief->microBatch);
    if (o.relief->microBatch == 0) return {"{} fits without, with activation checkpointing", {o.name}};
    return o.relief->recompute ? Phrase{"{} fits without, with activation checkpointing and a micro-batch of {}", {o.name, micro}} : Phrase{"{} fits without, with a micro-batch of {}", {o.name, micro}};
}

}  // namespace

std::vector<Condition> deepSpeedConditions(const Advice& advice, const Workspace& w)
{
    std::vector<Condition> out;
    if (advice.options.empty()) return out;
    const StageOption& plain = advice.options.front();
    const std::string usable = formatBytes(advice.usable);
    // States that fit leave too little room where the peak does not: then dividing them is what helps.
    const bool roomIsShort = plain.stateBytes <= advice.usable && plain.peakBytes && !plain.fits;
    out.push_back({"states_beyond_device", roomIsShort || plain.stateBytes > advice.usable, {roomIsShort ? "one device does not surely hold the model states and all else" : "one device cannot hold the model states"},
                   roomIsShort ? Phrase{"{} of {}, {} of it model states", {needOf(plain), usable, formatBytes(plain.stateBytes)}} : Phrase{"{} of {}", {formatBytes(plain.stateBytes), usable}}});
    out.push_back({"several_nodes", w.hardware.nodes > 1, {"several nodes train together"}, {"nodes: {}, devices in each: {}", {std::to_string(w.hardware.nodes), std::to_string(w.hardware.devicesPerNode)}}});
    const auto within = std::find_if(advice.options.begin(), advice.options.end(), [](const StageOption& o) { return o.fits && !offloads(o); });
    const auto beyond = std::find_if(advice.options.begin(), advice.options.end(), [](const StageOption& o) { return o.fits && offloads(o); });
    const Phrase rule{"states have to go to the host or to NVMe"};
    if (within != advice.options.end()) out.push_back({"needs_offload", false, rule, withoutOffload(*within)});
    else if (const auto row = std::find_if(advice.layouts.best.begin(), advice.layouts.best.end(), [](const ScoredLayout& l) { return l.fits && l.offloadOptimizer == OffloadDevice::None && l.offloadParam == OffloadDevice::None; }); row != advice.layouts.best.end())
        out.push_back({"needs_offload", false, rule, {"stage {} with dp {}, tp {}, pp {}, cp {} fits without, micro-batch {}, recomputation {}", {std::to_string(row->stage), std::to_string(row->dp), std::to_string(row->tp), std::to_string(row->pp), std::to_string(row->cp), std::to_string(row->microBatch), row->policy == ActivationPolicy::None ? "-" : "+"}}});
    else if (beyond != advice.options.end()) out.push_back({"needs_offload", true, rule, {"{} is the first that fits", {beyond->name}}});
    else out.push_back({"needs_offload", true, rule, {"nothing surely fits, with it or without"}});
    out.push_back({"divided_layers", w.layout.tp > 1 || w.layout.pp > 1, {"tensor or pipeline parallelism is used"}, {"tp {}, pp {}", {std::to_string(w.layout.tp), std::to_string(w.layout.pp)}}});
    const bool first = advice.chosen && *advice.chosen == 0 && plain.fits;
    if (plain.relief) out.push_back({"plain_enough", first, {"plain data parallelism is enough"}, {"it fits with {} of {}, with what the tree changes of the job", {needOf(plain), usable}}});
    else if (first) out.push_back({"plain_enough", true, {"plain data parallelism is enough"}, {"it fits with {} of {}, and no stage is both smaller and clearly faster", {needOf(plain), usable}}});
    else if (plain.fits && advice.chosen) {
        const StageOption& better = advice.options[*advice.chosen];
        out.push_back({"plain_enough", false, {"plain data parallelism is enough"}, {"it fits with {} and {} s a step, but {} takes {} and {} s", {needOf(plain), secondsOf(plain), better.name, needOf(better), secondsOf(better)}}});
    } else if (plain.mayFit && plain.peakBytes) out.push_back({"plain_enough", false, {"plain data parallelism is enough"}, {"it takes {} of {}, which fits with p = {}", {needOf(plain), usable, fmt::format("{:.2f}", shownProbability(plain.probability))}}});
    else out.push_back({"plain_enough", false, {"plain data parallelism is enough"}, {"it takes {} of {}", {needOf(plain), usable}}});
    return out;
}

}  // namespace stagecraft
