// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/workspace_search.h"

#include "hardware/device_sheet.h"
#include "planner/applied_layout.h"
#include "planner/findings.h"
#include "planner/layout_edits.h"
#include "planner/sheet_findings.h"
#include "planner/swap_folders.h"
#include "planner/workspace_model.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

// Our engine's ledger is made from the very buffers it allocates: each layout is planned as a workspace of its own.
bool scoreByPlan(const Workspace& base, const PlanContext& context, ScoredLayout& point)
{
    const Workspace laid = withLayout(base, point);
    auto plan = makePlan(laid, context);
    if (!plan.hasValue() || !plan->ledger || plan->ledger->empty() || !plan->forecast) return false;
    addSwapFolders(laid, context, *plan);
    point.memory = 0;
    for (const LedgerRole& role : *plan->ledger) point.memory = std::max(point.memory, role.peak.process);
    point.probability = plan->fit ? plan->fit->probability : 0.0;
    point.hostBytesPerNode = plan->fit ? plan->fit->hostNeed : 0;
    point.stepTime = plan->forecast->stepTime;
    point.tokensPerSecond = plan->forecast->tokensPerSecond;
    point.mfu = plan->forecast->mfu;
    return true;
}

}  // namespace

Workspace withLayout(const Workspace& base, const ScoredLayout& point)
{
    Workspace w = base;
    w.layout.dp = static_cast<int>(point.dp);
    w.layout.tp = static_cast<int>(point.tp);
    w.layout.pp = static_cast<int>(point.pp);
    w.layout.cp = static_cast<int>(point.cp);
    w.layout.ep = static_cast<int>(point.ep);
    w.layout.recompute = point.policy == ActivationPolicy::Full ? "full" : "none";
    json& ds = w.dsConfig;
    if (!ds.is_object()) ds = json::object();
    ds.erase("train_batch_size");
    ds["train_micro_batch_size_per_gpu"] = point.microBatch;
    ds["gradient_accumulation_steps"] = point.accumulation;
    json& zero = ds["zero_optimization"];
    if (!zero.is_object()) zero = sectionInsteadOf("/dsConfig/zero_optimization", zero);
    zero["stage"] = point.stage;
    const auto place = [&zero](const char* key, OffloadDevice device) {
        if (device == OffloadDevice::None) {
            zero.erase(key);
            return;
        }
        // What stands there and is no object gives way, as in patchOf().
        if (!zero[key].is_object()) zero[key] = json::object();
        zero[key]["device"] = deviceWord(device);
    };
    // Their old words would say something else beside them.
    for (const char* old : {"cpu_offload", "cpu_offload_param"}) zero.erase(old);
    place("offload_optimizer", point.offloadOptimizer);
    place("offload_param", point.offloadParam);
    return w;
}

std::optional<WorkspaceSearch> searchOfWorkspace(const Workspace& w, const SearchLimits& limits, const PlanContext& context, std::vector<PlanFinding>& findings)
{
    if (machineIsMeant(w, context)) return searchOfWorkspace(onThisMachine(w, context), limits, context, findings);
    if (const auto divided = configLayout(w)) {
        Workspace as = w;
        as.layout = divided->layout;
        return searchOfWorkspace(as, limits, context, findings);
    }
    tellRefusedSheets(w, findings);
    const CountedModel model = countWorkspaceModel(w, findings);
    if (!layoutIsPossible(w, findings) || !adapterIsPlanned(w, findings)) return std::nullopt;
    const DsSettings settings = readDsSettings(w, model.shape ? model.shape->hidden : 0, findings);
    const bool ours = w.framework.name == "stagecraft";
    // Only the sizes of the job matter here; a layout that is refused now must not keep others from being found.
    Workspace neutral = w;
    if (ours) neutral.framework.name = "deepspeed";
    auto base = readTrainingCase(neutral, model.shape, settings, findings, CaseUse::Search);
    if (!base) {
        if (findings.empty() || findings.back().severity != "error") findings.push_back(makeFinding("plan.layout.unknown", "error", "/model", "The sizes of this model are not known: no ledger or step time can be made"));
        return std::nullopt;
    }
    if (!base->sheet) {
        findings.push_back(makeFinding("plan.device_unknown", "error", "/hardware/device", "The device \"{}\" has no data sheet; use one of those that `stagecraft doctor --devices` lists, or add a sheet", {w.hardware.device}));
        return std::nullopt;
    }
    WorkspaceSearch search{std::move(*base), limits};
    if (search.limits.hostBytesPerNode == 0) search.limits.hostBytesPerNode = hostMemoryOf(w, context).value_or(0);
    if (search.base.sheet->id == "cpu" && limits.usableBytes == 0) search.limits.usableBytes = hostMemoryOf(w, context).value_or(0) / std::max(1, w.hardware.devicesPerNode);
    if (!ours) {
        const SearchLimits& l = search.limits;
        search.limits.settle = settlerOf(w, model.shape, l.usableBytes > 0 ? l.usableBytes : search.base.sheet->usableBytes, l.hostBytesPerNode > 0 ? std::optional(l.hostBytesPerNode) : std::nullopt, context);
    }
    if (ours) {
        search.limits.dataParallelOnly = true;
        search.limits.score = [workspace = w, context](TrainingCase&, ScoredLayout& point) { return scoreByPlan(workspace, context, point); };
    }
    return search;
}

}  // namespace stagecraft
