// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/branch_relief.h"
#include "planner/layout_edits.h"
#include "planner/levers.h"
#include "planner/plan.h"
#include "planner/search.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// One way to place the model states: a ZeRO stage with or without offload, or a branch of the framework's own.
struct StageOption {
    std::string id;                 ///< z0 z1 z2 z3 z1_cpu_opt z2_cpu_opt z3_cpu_opt z3_cpu_opt_param z3_nvme_opt z3_nvme; or a FrameworkBranch's
    std::string name;
    int stage = 0;
    OffloadDevice offloadOptimizer = OffloadDevice::None, offloadParam = OffloadDevice::None;
    std::int64_t stateBytes = 0;    ///< model states on one device
    std::int64_t hostBytesPerNode = 0;
    std::int64_t fileBytesPerNode = 0;
    std::optional<std::int64_t> peakBytes;  ///< with activations, buckets and context, when the model's sizes are known
    std::optional<double> stepTime;         ///< seconds
    double probability = 0;         ///< that it fits, as a plan of it says; without the model's sizes that its states do
    double maxParams = 0;           ///< largest model whose states alone fit
    std::string formula, numbers;
    bool statesFit = false;
    bool fits = false;              ///< surely: the peak where it is known, else the states
    bool mayFit = false;            ///< surely or perhaps: a plan would say "unsure"
    std::string message;            ///< "needs 83.1 GiB of 79.6 GiB", why it is chosen, or why the framework does not run it
    bool refused = false;           ///< the framework does not run it
    std::string recompute;          ///< of a FrameworkBranch; empty for ZeRO stages
    std::vector<WorkspaceEdit> edits;   ///< what makes a FrameworkBranch of the workspace; empty for ZeRO stages
    std::optional<BranchRelief> relief; ///< what is changed of the job beside the branch: preferRelief()
};

/// One question of the tree, asked in order until one is answered with yes.
struct TreeNode {
    std::string id, question, formula, numbers;
    double value = 0, limit = 0;    ///< bytes
    bool yes = false;
    bool unsure = false;            ///< it may fit; where no later option fits surely, the first of these is taken
    bool walked = true;             ///< false: not reached, because an earlier answer was yes
    std::string option;             ///< id of the StageOption that a yes leads to
    std::string rejected;           ///< why not, with its number; empty for yes
};

struct RuleOfThumb {
    std::string id;                 ///< below_3b | 3_to_13b | 13_to_70b | above_70b | tensor_in_node | bubble
    std::string rule, ours;         ///< what tutorials say; what this model and hardware say
};

/// One of the conditions under which DeepSpeed is worth its while, or, as the last, what plain data parallelism does instead.
struct Condition {
    std::string id;                 ///< states_beyond_device | several_nodes | needs_offload | divided_layers | plain_enough
    bool met = false;
    Phrase rule, ours;              ///< the condition; what this model and hardware say. Names among the arguments are StageOption::name
};

struct Advice {
    std::string framework;                   ///< whose memory and time the tree has: stagecraft | deepspeed | fsdp2 | megatron
    std::string layoutsFramework;            ///< whose the ranked layouts are: stagecraft | deepspeed | fsdp2 | megatron
    std::string layoutsPrecision;            ///< the same of the ranked layouts: empty where they are in the workspace's own precision
    std::string precision;                   ///< bf16 | fp16 where the tree was walked in it though the workspace names none; else empty
    std::int64_t seq = 0;                    ///< tokens of a sample where the framework's own arguments say another number than the model; else 0
    std::optional<ScoredLayout> now;         ///< the workspace's own layout; empty when the model's sizes are not known
    std::vector<TreeNode> tree;
    std::vector<StageOption> options;
    std::optional<std::size_t> chosen;       ///< index into options
    std::vector<RuleOfThumb> rulesOfThumb;
    std::vector<Condition> conditions;       ///< when to use DeepSpeed; of a tree of ZeRO stages alone
    std::vector<Lever> levers;               ///< changes beside the tree, the most useful first
    SearchResult layouts;                    ///< empty when the model's sizes are not known
    std::optional<ScoredLayout> zero3, tensorZero1;  ///< stage 3 over all ranks beside stage 1 with tensor parallelism in a node
    std::int64_t usable = 0;                 ///< bytes of one device
    std::optional<std::int64_t> params;
    std::vector<PlanFinding> findings;
};

/// How much advice: the tree with its comparison alone, or the ranked layouts and the levers as well.
enum class AdviceDepth { Tree, Layouts };

/// What the ranked layouts are searched for. Without a word they are DeepSpeed's over all kinds of parallelism, or the workspace's
/// framework's where it names another.
struct LayoutSearch {
    LayoutSearch() { limits.keep = 50; }
    SearchLimits limits;
    bool shareGiven = false;   ///< limits.memoryShare was asked for; else CPU ranks may take all there is
    bool runnable = false;     ///< only layouts that the workspace's own framework runs, as searchOfWorkspace() finds them
};

/// Walks the decision tree for this model and hardware and ranks the legal layouts. The tree is our engine's, planned as `plan` does,
/// where the workspace is our engine's and it runs the layout; Megatron-LM's and FSDP2's workspaces have the tree of their framework's
/// branches, as the window shows it; else it is DeepSpeed's tree of ZeRO stages, and a finding says so.
/// @error InvalidInput when the workspace names no device with a data sheet, or no model that can be counted
[[nodiscard]] Result<Advice> advise(const Workspace& workspace, const PlanContext& context = {}, const std::stop_token& stop = {},
                                    AdviceDepth depth = AdviceDepth::Layouts, const LayoutSearch& search = {});

/// The answer of `stagecraft advise --json`:
/// `{"framework", "layoutsFramework", "params", "usable", "chosen": option id|null, "apply": JSON Patch for the workspace,
///   "tree": [{"id", "question", "formula", "numbers", "value", "limit", "verdict": "yes|unsure|no|not_reached", "option", "rejected"}],
///   "options": [{"id", "name", "stage", "offloadOptimizer", "offloadParam", "stateBytes", "hostBytesPerNode", "fileBytesPerNode", "peakBytes", "stepTime",
///                "maxParams", "formula", "numbers", "statesFit", "fits", "mayFit", "probability", "refused", "recompute": "none|selective|full"|null, "microBatch": of a relief|null, "message", "apply"}],
///   "rulesOfThumb": [{"id", "rule", "ours"}], "conditions": [{"id", "rule", "met", "ours"}],
///   "layouts": [{"dp", "tp", "pp", "cp", "ep", "stage", "offloadOptimizer", "offloadParam", "recompute", "microBatch", "accumulation", "embeddingPlace", "lossPlace", "memory", "stepTime",
///                "tokensPerSecond", "mfu", "fits", "mayFit", "probability", "hostBytesPerNode", "why", "apply"}], those that surely fit first, then those that may, each fastest first,
///   "pareto": [indices into layouts], "scored",
///   "comparison": {"zero3": layout|null, "tensorZero1": layout|null, "winner", "why"}, "levers": leversToJson, "findings": [...]}`. Bytes per device, seconds.
[[nodiscard]] nlohmann::json adviceToJson(const Advice& advice, const Workspace& workspace);

}  // namespace stagecraft
