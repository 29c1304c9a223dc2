// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/advisor.h"

#include "base/units.h"
#include "planner/advised_workspace.h"
#include "planner/family_verdict.h"
#include "planner/findings.h"
#include "planner/fit.h"
#include "planner/pipeline_places.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stagecraft {

namespace {

using nlohmann::json;

// What makes a plan of the workspace be the one that was judged: where that is another framework's, or in a precision that the
// workspace does not name, these too.
template <class Edits>
json patchFor(const Workspace& w, const Recast& to, Edits edits)
{
    std::vector<WorkspaceEdit> all = recastEdits(w, to);
    for (WorkspaceEdit& edit : edits(recast(w, to))) all.push_back(std::move(edit));
    return patchOf(w, all);
}

json layoutPatch(const ScoredLayout& l, const Workspace& w, const Recast& to)
{
    return patchFor(w, to, [&](const Workspace& target) { return layoutEdits(target, l); });
}

json optionPatch(const StageOption& o, const Advice& a, const Workspace& w)
{
    const auto relieved = [&o](std::vector<WorkspaceEdit> edits) {
        if (o.relief) edits.insert(edits.end(), o.relief->edits.begin(), o.relief->edits.end());
        return edits;
    };
    if (!o.recompute.empty()) return patchOf(w, relieved(o.edits));
    const bool carried = a.framework != w.framework.name;   // the batch stood in the other framework's own words
    return patchFor(w, {a.framework, a.precision, a.seq}, [&](const Workspace& target) { return relieved(branchEdits(target, carried ? a.now : std::nullopt, o.stage, o.offloadOptimizer, o.offloadParam)); });
}

json layoutToJson(const ScoredLayout& l, const Advice& a, const Workspace& w, const Recast& to)
{
    const std::string counted = placesPhrase({l.embeddingPlace, l.lossPlace});
    return {{"dp", l.dp}, {"tp", l.tp}, {"pp", l.pp}, {"cp", l.cp}, {"ep", l.ep}, {"stage", l.stage}, {"offloadOptimizer", deviceWord(l.offloadOptimizer)},
            {"offloadParam", deviceWord(l.offloadParam)}, {"recompute", recomputeWord(l.policy)}, {"microBatch", l.microBatch}, {"accumulation", l.accumulation},
            {"embeddingPlace", l.embeddingPlace}, {"lossPlace", l.lossPlace}, {"memory", l.memory}, {"stepTime", l.stepTime}, {"tokensPerSecond", l.tokensPerSecond}, {"mfu", l.mfu}, {"fits", l.fits}, {"mayFit", l.mayFit}, {"probability", l.probability}, {"hostBytesPerNode", l.hostBytesPerNode},
            {"why", fmt::format("{}{} of {}, {:.4g} s a step, MFU {:.1f} %{}", l.fits ? std::string() : fitPhrase(l.fits, l.mayFit, l.probability) + ": ", formatBytes(l.memory), formatBytes(a.usable), l.stepTime, 100 * l.mfu, counted.empty() ? counted : ", " + counted)}, {"apply", layoutPatch(l, w, to)}};
}

template <class T>
json orNull(const std::optional<T>& value)
{
    return value ? json(*value) : json(nullptr);
}

json comparison(const Advice& a, const Workspace& w)
{
    json out = {{"zero3", nullptr}, {"tensorZero1", nullptr}, {"winner", nullptr}, {"why", ""}};
    if (a.zero3) out["zero3"] = layoutToJson(*a.zero3, a, w, {"deepspeed", a.precision, a.seq});
    if (a.tensorZero1) out["tensorZero1"] = layoutToJson(*a.tensorZero1, a, w, {"deepspeed", a.precision, a.seq});
    if (!a.zero3 || !a.tensorZero1) return out;
    const FamilyVerdict verdict = judgeFamilies(*a.zero3, *a.tensorZero1);
    const bool neither = verdict.by == FamilyVerdict::By::Neither;
    if (!neither) out["winner"] = verdict.tensorWins ? "tensorZero1" : "zero3";
    const bool experts = a.now && a.now->ep > 1;
    const auto ep = [&](const char* joined, const ScoredLayout& side) { return experts ? fmt::format("{} ep {}", joined, side.ep) : std::string(); };
    // Both are DeepSpeed's, whatever the workspace is planned for: our engine has no tensor parallelism.
    out["why"] = fmt::format("{}DeepSpeed with stage 3{}: {:.4g} s a step in {}; DeepSpeed with stage 1 and tp {}{}: {:.4g} s in {}; {} usable", neither ? "neither fits: " : "", ep(" and", *a.zero3), a.zero3->stepTime, formatBytes(a.zero3->memory), a.tensorZero1->tp,
                             ep(" and", *a.tensorZero1), a.tensorZero1->stepTime, formatBytes(a.tensorZero1->memory), formatBytes(a.usable));
    return out;
}

}  // namespace

json adviceToJson(const Advice& a, const Workspace& w)
{
    json tree = json::array();
    for (const TreeNode& n : a.tree) {
        tree.push_back({{"id", n.id}, {"question", n.question}, {"formula", n.formula}, {"numbers", n.numbers}, {"value", n.value}, {"limit", n.limit},
                        {"verdict", n.yes && !n.unsure ? "yes" : !n.walked ? "not_reached" : n.unsure ? "unsure" : "no"}, {"option", n.option}, {"rejected", n.rejected}});
    }
    json options = json::array();
    for (const StageOption& o : a.options) {
        options.push_back({{"id", o.id}, {"name", o.name}, {"stage", o.stage}, {"offloadOptimizer", deviceWord(o.offloadOptimizer)}, {"offloadParam", deviceWord(o.offloadParam)},
                           {"stateBytes", o.stateBytes}, {"hostBytesPerNode", o.hostBytesPerNode}, {"fileBytesPerNode", o.fileBytesPerNode}, {"peakBytes", orNull(o.peakBytes)},
                           {"stepTime", orNull(o.stepTime)}, {"maxParams", o.maxParams}, {"formula", o.formula}, {"numbers", o.numbers}, {"statesFit", o.statesFit}, {"fits", o.fits}, {"mayFit", o.mayFit}, {"probability", o.probability},
                           {"refused", o.refused}, {"recompute", o.relief && o.relief->recompute ? json("full") : o.recompute.empty() ? json(nullptr) : json(o.recompute)}, {"microBatch", o.relief && o.relief->microBatch > 0 ? json(o.relief->microBatch) : json(nullptr)}, {"message", o.message}, {"apply", optionPatch(o, a, w)}});
    }
    json rules = json::array();
    for (const RuleOfThumb& r : a.rulesOfThumb) rules.push_back({{"id", r.id}, {"rule", r.rule}, {"ours", r.ours}});
    json conditions = json::array();
    for (const Condition& c : a.conditions) conditions.push_back({{"id", c.id}, {"rule", fillPattern(c.rule.pattern, c.rule.args)}, {"met", c.met}, {"ours", fillPattern(c.ours.pattern, c.ours.args)}});
    json layouts = json::array();
    for (const ScoredLayout& l : a.layouts.best) layouts.push_back(layoutToJson(l, a, w, {a.layoutsFramework, a.layoutsPrecision, a.seq}));
    json findings = json::array();
    for (const PlanFinding& f : a.findings) findings.push_back({{"rule", f.rule}, {"severity", f.severity}, {"path", f.pointer}, {"message", f.message}});
    return {{"framework", a.framework}, {"layoutsFramework", a.layoutsFramework}, {"params", orNull(a.params)}, {"usable", a.usable}, {"chosen", a.chosen ? json(a.options[*a.chosen].id) : json(nullptr)},
            {"apply", a.chosen ? options[*a.chosen]["apply"] : json::array()}, {"tree", tree}, {"options", options}, {"rulesOfThumb", rules}, {"conditions", conditions}, {"layouts", layouts},
            {"pareto", a.layouts.pareto}, {"scored", a.layouts.scored}, {"fitting", a.layouts.fitting}, {"mayFit", a.layouts.mayFit}, {"likely", a.layouts.likely ? layoutToJson(*a.layouts.likely, a, w, {a.layoutsFramework, a.layoutsPrecision, a.seq}) : json(nullptr)}, {"cancelled", a.layouts.cancelled}, {"comparison", comparison(a, w)}, {"levers", leversToJson(a.levers, w)}, {"findings", findings}};
}

}  // namespace stagecraft
