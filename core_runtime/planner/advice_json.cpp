// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/advisor.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

using nlohmann::json;

const char* deviceWord(OffloadDevice device)
{
    switch (device) {
    case OffloadDevice::None: return "none";
    case OffloadDevice::Cpu: return "cpu";
    case OffloadDevice::Nvme: return "nvme";
    }
    return "none";
}

const char* policyWord(ActivationPolicy policy)
{
    switch (policy) {
    case ActivationPolicy::None: return "none";
    case ActivationPolicy::Full: return "full";
    default: return "selective";
    }
}

// A JSON Patch whose "add" also replaces: what clicking a branch does to the workspace.
json zeroPatch(int stage, OffloadDevice optimizer, OffloadDevice param)
{
    json zero = {{"stage", stage}};
    if (optimizer != OffloadDevice::None) zero["offload_optimizer"] = {{"device", deviceWord(optimizer)}};
    if (param != OffloadDevice::None) zero["offload_param"] = {{"device", deviceWord(param)}};
    return json::array({{{"op", "add"}, {"path", "/dsConfig/zero_optimization"}, {"value", zero}}});
}

json layoutPatch(const ScoredLayout& l)
{
    json patch = zeroPatch(l.stage, l.offloadOptimizer, l.offloadParam);
    const auto set = [&](const char* path, const json& value) { patch.push_back({{"op", "add"}, {"path", path}, {"value", value}}); };
    set("/layout/dp", l.dp);
    set("/layout/tp", l.tp);
    set("/layout/pp", l.pp);
    set("/layout/cp", l.cp);
    set("/layout/ep", l.ep);
    set("/layout/recompute", policyWord(l.policy));
    set("/dsConfig/train_batch_size", l.microBatch * l.accumulation * l.dp);
    set("/dsConfig/train_micro_batch_size_per_gpu", l.microBatch);
    set("/dsConfig/gradient_accumulation_steps", l.accumulation);
    return patch;
}

json layoutToJson(const ScoredLayout& l, std::int64_t usable)
{
    return {{"dp", l.dp}, {"tp", l.tp}, {"pp", l.pp}, {"cp", l.cp}, {"ep", l.ep}, {"stage", l.stage}, {"offloadOptimizer", deviceWord(l.offloadOptimizer)},
            {"offloadParam", deviceWord(l.offloadParam)}, {"recompute", policyWord(l.policy)}, {"microBatch", l.microBatch}, {"accumulation", l.accumulation},
            {"memory", l.memory}, {"stepTime", l.stepTime}, {"tokensPerSecond", l.tokensPerSecond}, {"mfu", l.mfu}, {"fits", l.fits},
            {"why", fmt::format("{} of {}, {:.4g} s a step, MFU {:.1f} %", formatBytes(l.memory), formatBytes(usable), l.stepTime, 100 * l.mfu)}, {"apply", layoutPatch(l)}};
}

template <class T>
json orNull(const std::optional<T>& value)
{
    return value ? json(*value) : json(nullptr);
}

json comparison(const Advice& a)
{
    json out = {{"zero3", nullptr}, {"tensorZero1", nullptr}, {"winner", nullptr}, {"why", ""}};
    if (a.zero3) out["zero3"] = layoutToJson(*a.zero3, a.usable);
    if (a.tensorZero1) out["tensorZero1"] = layoutToJson(*a.tensorZero1, a.usable);
    if (!a.zero3 || !a.tensorZero1) return out;
    const bool tensor = a.tensorZero1->fits != a.zero3->fits ? a.tensorZero1->fits : a.tensorZero1->stepTime < a.zero3->stepTime;
    out["winner"] = tensor ? "tensorZero1" : "zero3";
    out["why"] = fmt::format("stage 3: {:.4g} s a step in {}; stage 1 with tp {}: {:.4g} s in {}; {} usable", a.zero3->stepTime, formatBytes(a.zero3->memory), a.tensorZero1->tp,
                             a.tensorZero1->stepTime, formatBytes(a.tensorZero1->memory), formatBytes(a.usable));
    return out;
}

}  // namespace

json adviceToJson(const Advice& a)
{
    json tree = json::array();
    for (const TreeNode& n : a.tree) {
        tree.push_back({{"id", n.id}, {"question", n.question}, {"formula", n.formula}, {"numbers", n.numbers}, {"value", n.value}, {"limit", n.limit},
                        {"verdict", n.yes ? "yes" : n.walked ? "no" : "not_reached"}, {"option", n.option}, {"rejected", n.rejected}});
    }
    json options = json::array();
    for (const StageOption& o : a.options) {
        options.push_back({{"id", o.id}, {"name", o.name}, {"stage", o.stage}, {"offloadOptimizer", deviceWord(o.offloadOptimizer)}, {"offloadParam", deviceWord(o.offloadParam)},
                           {"stateBytes", o.stateBytes}, {"hostBytesPerNode", o.hostBytesPerNode}, {"fileBytesPerNode", o.fileBytesPerNode}, {"peakBytes", orNull(o.peakBytes)},
                           {"stepTime", orNull(o.stepTime)}, {"maxParams", o.maxParams}, {"formula", o.formula}, {"numbers", o.numbers}, {"statesFit", o.statesFit}, {"fits", o.fits},
                           {"refused", o.refused}, {"message", o.message}, {"apply", zeroPatch(o.stage, o.offloadOptimizer, o.offloadParam)}});
    }
    json rules = json::array();
    for (const RuleOfThumb& r : a.rulesOfThumb) rules.push_back({{"id", r.id}, {"rule", r.rule}, {"ours", r.ours}});
    json layouts = json::array();
    for (const ScoredLayout& l : a.layouts.best) layouts.push_back(layoutToJson(l, a.usable));
    json findings = json::array();
    for (const PlanFinding& f : a.findings) findings.push_back({{"rule", f.rule}, {"severity", f.severity}, {"path", f.pointer}, {"message", f.message}});
    return {{"framework", a.framework}, {"layoutsFramework", a.layoutsFramework}, {"params", orNull(a.params)}, {"usable", a.usable}, {"chosen", a.chosen ? json(a.options[*a.chosen].id) : json(nullptr)},
            {"apply", a.chosen ? options[*a.chosen]["apply"] : json::array()}, {"tree", tree}, {"options", options}, {"rulesOfThumb", rules}, {"layouts", layouts},
            {"pareto", a.layouts.pareto}, {"scored", a.layouts.scored}, {"comparison", comparison(a)}, {"levers", leversToJson(a.levers)}, {"findings", findings}};
}

}  // namespace stagecraft
