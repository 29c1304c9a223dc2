// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout_edits.h"
#include "planner/branch_relief.h"
#include "planner/plan.h"

#include <QString>

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {
class SharedPlans;
struct Advice;
}

namespace stagecraft::app {

/// One answer of the decision tree: where the model states lie, planned for this workspace.
struct PlanVariant {
    enum class Id { Stage0, Stage1, Stage2, Stage3, Stage2CpuOptimizer, Stage3CpuOptimizer, Stage3Cpu, Stage3NvmeOptimizer, Stage3Nvme, Replicated, Distributed, DistributedSequence, DistributedSelective, DistributedRecompute,
                    DistributedSequenceSelective, DistributedSequenceRecompute, Sharded, ShardedSelective, ShardedRecompute, ShardedOffload, ShardedOffloadRecompute };
    Id id = Id::Stage0;
    std::vector<WorkspaceEdit> edits;   ///< what choosing it changes; empty texts take a value out
    bool chosen = false;                ///< the workspace says so now
    std::optional<Plan> plan;           ///< empty when the workspace cannot be read with it
    std::optional<PlanFinding> refused; ///< why the framework does not run it; empty when it does
    std::optional<BranchRelief> relief; ///< among the edits, where that is the tree's answer; of one that is chosen now `plan` is without it
};

/// The variants of a workspace's framework in the order in which the tree asks: from the fastest to the smallest.
/// DeepSpeed and our engine: ZeRO stages, then offload; Megatron and FSDP2: frameworkBranches().
[[nodiscard]] std::vector<PlanVariant> variantsOf(const Workspace& workspace);
/// Plans each; `now` is the plan of the workspace itself and is taken for the chosen one.
void planVariants(std::vector<PlanVariant>& variants, const std::string& text, const std::filesystem::path& folder, const Plan& now, const PlanContext& context);
/// The same of plans that are shared with the advice and the levers of the workspace.
void planVariants(std::vector<PlanVariant>& variants, const std::string& text, const std::filesystem::path& folder, const Plan& now, SharedPlans& plans);

/// Gives the variant that advice of the same workspace ends with what it changes of the job beside it, where it does, and plans it so.
void relieveVariants(std::vector<PlanVariant>& variants, const Advice& advice, const Workspace& workspace, const std::string& text, const std::filesystem::path& folder, SharedPlans& plans);

/// "with activation checkpointing", "with a micro-batch of 2", or both.
[[nodiscard]] QString reliefWords(const BranchRelief& relief);
/// Its name, with what its plan has besides: "Stage 3 + recompute, micro 1".
[[nodiscard]] QString plannedName(const PlanVariant& variant);
/// "Stage 2", "2 + offload", ...
[[nodiscard]] QString variantName(PlanVariant::Id id);
/// What the tree asks before it: "Shard the gradients too?"
[[nodiscard]] QString variantQuestion(PlanVariant::Id id, bool onGpus);

}  // namespace stagecraft::app
