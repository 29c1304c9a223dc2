// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/autotp_findings.h"

#include "planner/autotp_plans.h"
#include "planner/findings.h"
#include "planner/tensor_shares.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <string>

namespace stagecraft {

namespace {

// AutoTP goes by key-value heads: ranks beyond them have no attention, as DeepSpeed warns itself (engine.py, _apply_autotp_partitioning).
void tellUnevenHeads(const TrainingCase& job, std::vector<PlanFinding>& findings)
{
    const std::int64_t heads = job.model.kvHeads;
    if (!isAutoTp(job) || heads <= 0 || heads % job.tp == 0) return;
    const auto tell = [&](const char* id, const char* pattern, std::vector<std::string> args) { findings.push_back(makeFinding(id, "warning", "/layout/tp", pattern, std::move(args))); };
    const std::string all = std::to_string(heads), ranks = std::to_string(job.tp);
    if (job.tp > heads) tell("plan.autotp_heads.idle", "{} key-value heads for {} tensor-parallel ranks: DeepSpeed divides attention by them, so that it is on {} ranks alone and the others have none of it; use layout.tp {} or less", {all, ranks, all, all});
    else tell("plan.autotp_heads", "{} key-value heads cannot be divided over {} tensor-parallel ranks: DeepSpeed gives {} of them to the first, which the plan is of; use a divisor", {all, ranks, std::to_string((heads + job.tp - 1) / job.tp)});
}

// What DeepSpeed's AutoTP does with Transformers' models by itself; with words of the ds_config's own it does as they say.
void tellAutoTpRefusal(const Workspace& w, const TrainingCase& job, std::vector<PlanFinding>& findings)
{
    if (!isAutoTp(job) || job.pp > 1) return;
    const AutoTpAnswer answer = autoTpAnswer(w);
    const std::string type = transformersType(w);
    if (answer == AutoTpAnswer::RefusesPlan) findings.push_back(makeFinding("plan.autotp_refused", "warning", "/layout/tp", "DeepSpeed 0.19.8 refuses the plan that Transformers 5.23 has for dividing \"{}\" over tensor-parallel ranks; give the ds_config a tensor_parallel.partition_config, as this plan takes it, or use layout.tp 1", {type}));
    if (answer == AutoTpAnswer::RefusesModel) findings.push_back(makeFinding("plan.autotp_refused.model", "warning", "/layout/tp", "DeepSpeed 0.19.8 refuses to divide Transformers' \"{}\" over tensor-parallel ranks: the plan is of one that could be; use layout.tp 1, or framework.arguments model_code \"megatron\"", {type}));
}

// The plan goes by the workspace's layout, and DeepSpeed by its own key.
void tellAutoTpSize(const Workspace& w, const TrainingCase& job, std::vector<PlanFinding>& findings)
{
    if (job.framework != Framework::DeepSpeed || job.megatronCode || job.pp > 1) return;
    const std::int64_t size = std::max<std::int64_t>(autoTpSize(w).value_or(1), 1), ranks = job.dp * job.tp;
    if (size == job.tp) return;
    const auto tell = [&](const char* id, const char* pattern, std::vector<std::string> args) { findings.push_back(makeFinding(id, "warning", "/dsConfig/tensor_parallel/autotp_size", pattern, std::move(args))); };
    if (size == 1) {
        tell("plan.autotp_unsaid", "The ds_config does not divide layers over {} ranks as the plan does: set tensor_parallel.autotp_size to {}, unless the script calls deepspeed.tp_model_init", {std::to_string(job.tp), std::to_string(job.tp)});
    } else if (ranks % size == 0) {
        tell("plan.autotp_size", "DeepSpeed divides each layer over {} ranks, and the plan over layout.tp {}: set layout.tp to {} and layout.dp to {}",
             {std::to_string(size), std::to_string(job.tp), std::to_string(size), std::to_string(ranks / size)});
    } else {
        tell("plan.autotp_size.ranks", "DeepSpeed is to divide each layer over {} ranks, and {} ranks have no such groups; the plan is of layout.tp {}: use a divisor", {std::to_string(size), std::to_string(ranks), std::to_string(job.tp)});
    }
}

// The same of sequences.
void tellSequenceSize(const Workspace& w, const TrainingCase& job, std::vector<PlanFinding>& findings)
{
    const std::optional<std::int64_t> size = sequenceSize(w);
    if (!size || *size == job.cp || job.framework != Framework::DeepSpeed) return;
    findings.push_back(makeFinding("plan.sequence_size", "warning", "/dsConfig/sequence_parallel_size", "DeepSpeed is to divide each sequence over {} ranks, and the plan over layout.cp {}: make them the same, by a divisor of the ranks", {std::to_string(*size), std::to_string(job.cp)}));
}

}  // namespace

void tellAutoTp(const Workspace& w, const TrainingCase& job, std::vector<PlanFinding>& findings)
{
    tellUnevenHeads(job, findings);
    tellAutoTpRefusal(w, job, findings);
    tellAutoTpSize(w, job, findings);
    tellSequenceSize(w, job, findings);
}

}  // namespace stagecraft
