// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/other_behaviour.h"

#include "base/units.h"
#include "planner/findings.h"
#include "planner/framework_ledger.h"
#include "planner/ledger.h"
#include "planner/transfers.h"
#include "planner/workspace_model.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace stagecraft {

namespace {

using nlohmann::json;

struct Held {
    std::int64_t bytes = 0, largest = 0;
    std::string formula;
};

// What lies beyond the tensors' sum ("reserved", "process") is alive in no phase of the step.
std::map<std::string, Held> heldAtPeak(const LedgerRole& role)
{
    std::map<std::string, Held> held;
    for (const LedgerItem& item : role.items) {
        if (item.where != Place::Device || !isAlive(item.phase, role.peak.phase)) continue;
        Held& owner = held[item.what];
        owner.bytes += item.bytes;
        if (item.bytes > owner.largest) {
            owner.largest = item.bytes;
            owner.formula = item.formula;
        }
    }
    return held;
}

const LedgerRole& fullest(const std::vector<LedgerRole>& ledger)
{
    return *std::max_element(ledger.begin(), ledger.end(), [](const LedgerRole& a, const LedgerRole& b) { return a.peak.allocated < b.peak.allocated; });
}

bool sameWork(const TrainingCase& a, const TrainingCase& b)
{
    return a.model.seq == b.model.seq && a.model.params == b.model.params && a.dp == b.dp && a.tp == b.tp && a.pp == b.pp && a.cp == b.cp && a.ep == b.ep
           && a.microBatch == b.microBatch && a.microBatches == b.microBatches && a.precision == b.precision && a.policy == b.policy;
}

int stageOf(const TrainingCase& job)
{
    return job.framework == Framework::Fsdp2 ? 3 : job.shardStage > 0 ? job.shardStage : job.distributedOptimizer ? 1 : 0;
}

void tellStage(const TrainingCase& job, Plan& plan)
{
    const int written = job.settings.stage, planned = stageOf(job);
    if (job.dp * job.cp == 1 || written == planned) return;
    const auto tell = [&](const char* id, const char* pattern, std::vector<std::string> args) { plan.findings.push_back(makeFinding(id, "info", "/framework/name", pattern, std::move(args))); };
    const std::string stage = std::to_string(written);
    if (job.framework == Framework::Fsdp2) tell("plan.other_stage.fsdp2", "The ds_config's stage {} is not what is planned: FSDP2 takes no zero_optimization, and divides weights, gradients and optimizer states over the data-parallel ranks, as stage 3 does", {stage});
    else if (job.shardStage > 0) tell("plan.other_stage.arguments", "The ds_config's stage {} is not what is planned: Megatron-Core takes no zero_optimization, and its arguments divide the states as stage {} does", {stage, std::to_string(planned)});
    else if (planned == 1) tell("plan.other_stage.megatron", "The ds_config's stage {} is not what is planned: Megatron-Core takes no zero_optimization, and its distributed optimizer divides the optimizer states alone over the data-parallel ranks, as stage 1 does", {stage});
    else tell("plan.other_stage.whole", "The ds_config's stage {} is not what is planned: Megatron-Core takes no zero_optimization, and without use-distributed-optimizer every data-parallel rank has all states, as in stage 0", {stage});
}

void tellOffload(const TrainingCase& job, const DsSettings& s, Plan& plan)
{
    if (shardsOnHost(job)) return;
    if (s.offloadOptimizer == OffloadDevice::None && s.offloadParam == OffloadDevice::None) return;
    if (job.framework == Framework::Fsdp2) plan.findings.push_back(makeFinding("plan.other_offload.fsdp2", "info", "/framework/arguments", "What the ds_config offloads stays on the devices in this plan: FSDP2 takes no zero_optimization. Where its shards lie on the host (CPUOffloadPolicy), say \"cpu_offload\": true in framework.arguments"));
    else plan.findings.push_back(makeFinding("plan.other_offload", "info", "/framework/name", "What the ds_config offloads stays on the devices in this plan: {} takes no zero_optimization", {"Megatron-Core"}));
}

// "+29.9 GiB gradients (4 Φ)": names and formulas are the ledger's own in every language.
std::string listOf(const std::vector<OwnerDifference>& differences, std::int64_t least)
{
    constexpr std::size_t kTold = 4;
    std::string list;
    std::size_t told = 0;
    for (const OwnerDifference& d : differences) {
        if (told == kTold || std::llabs(d.bytes) < least) break;
        list += (told++ == 0 ? "" : "; ") + std::string(d.bytes > 0 ? "+" : "-") + formatBytes(std::llabs(d.bytes)) + " " + d.what;
        if (!d.formula.empty()) list += " (" + d.formula + ")";
    }
    return list;
}

void tellDifference(const Workspace& workspace, const std::optional<ModelShape>& shape, const DsSettings& settings, const TrainingCase& job, const std::string& name, Plan& plan)
{
    Workspace own = workspace;
    own.framework.name = "deepspeed";
    own.framework.arguments = json::object();
    std::vector<PlanFinding> unsaid;
    const auto ownJob = readTrainingCase(own, shape, settings, unsaid);
    // Two ledgers of different work differ for reasons of the work.
    if (!ownJob || ownJob->statesOnly || !sameWork(*ownJob, job)) return;
    const std::vector<LedgerRole> ownLedger = frameworkLedger(*ownJob);
    if (ownLedger.empty()) return;
    const LedgerRole &before = fullest(ownLedger), &after = fullest(*plan.ledger);
    constexpr double kTellable = 0.01;   // of the larger peak
    const auto least = static_cast<std::int64_t>(kTellable * static_cast<double>(std::max(before.peak.allocated, after.peak.allocated)));
    const std::string list = listOf(differenceByOwner(before, after), std::max<std::int64_t>(1, least));
    if (list.empty()) return;
    plan.findings.push_back(makeFinding("plan.other_ledger", "info", "/framework/name", "DeepSpeed with this ds_config allocates {} on the fullest rank, {} allocates {}; what differs most: {}",
                                        {formatBytes(before.peak.allocated), name, formatBytes(after.peak.allocated), list}));
}

}  // namespace

std::vector<OwnerDifference> differenceByOwner(const LedgerRole& before, const LedgerRole& after)
{
    const auto was = heldAtPeak(before), is = heldAtPeak(after);
    std::vector<OwnerDifference> differences;
    const auto add = [&](const std::string& what) {
        const auto a = was.find(what), b = is.find(what);
        const Held none, &old = a == was.end() ? none : a->second, &now = b == is.end() ? none : b->second;
        if (old.bytes != now.bytes) differences.push_back({what, now.bytes - old.bytes, now.bytes > old.bytes ? now.formula : old.formula});
    };
    for (const auto& [what, held] : is) add(what);
    for (const auto& [what, held] : was)
        if (!is.contains(what)) add(what);
    std::stable_sort(differences.begin(), differences.end(), [](const OwnerDifference& a, const OwnerDifference& b) { return std::llabs(a.bytes) > std::llabs(b.bytes); });
    return differences;
}

void tellOtherBehaviour(const Workspace& workspace, const PlanContext& context, Plan& plan)
{
    const std::string& name = workspace.framework.name;
    const json& ds = workspace.dsConfig;
    if (name == "deepspeed" || !plan.ledger || plan.ledger->empty() || !ds.is_object() || !ds.contains("zero_optimization")) return;
    const Workspace here = onThisMachine(workspace, context);
    std::vector<PlanFinding> told;
    const std::optional<ModelShape> shape = countWorkspaceModel(here, told).shape;
    const DsSettings settings = readDsSettings(here, shape ? shape->hidden : 0, told);
    const auto job = readTrainingCase(here, shape, settings, told);
    if (!job) return;
    if (name != "stagecraft") {
        tellStage(*job, plan);
        tellOffload(*job, settings, plan);
    }
    if (job->statesOnly) return;
    tellDifference(here, shape, settings, *job, name == "fsdp2" ? "FSDP2" : name == "megatron" ? "Megatron-Core" : "Stagecraft", plan);
}

}  // namespace stagecraft
