// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ledger.h"
#include "planner/training_case.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Parameters one rank of a pipeline stage computes with, after tensor, pipeline and expert parallelism.
struct StageParameters {
    double dense = 0;      ///< divided among dp x cp by ZeRO
    double experts = 0;    ///< divided among dp x cp / ep
    double embedding = 0;  ///< part of `dense`: token and position tables on this rank
    double head = 0;       ///< part of `dense`: the output matrix (or the copy of a tied one)
    double block = 0;      ///< one layer, experts included
    double blockExperts = 0;  ///< part of `block`: its routed experts
    [[nodiscard]] double all() const { return dense + experts; }
};

/// Layers of a stage that have no experts: the model's first ones; all where there are no experts.
[[nodiscard]] std::int64_t denseLayersOfStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// @param stage  0 .. pp-1; stage 0 has the embedding, the last one the final norm and the output matrix
[[nodiscard]] StageParameters stageParameters(const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// Elements or bytes of one rank, and what of them is in routed experts, which fewer ranks share than the rest.
struct Parted {
    double all = 0, experts = 0;
};

/// The ranks that have the same weights, or divide them among each other: of all weights but the routed experts, and of these. Ranks of a
/// group stand `stride` apart. Where experts are not divided otherwise than the rest, both groups are one and nothing is in the second.
/// Source: as expertShards().
struct ReplicaGroups {
    std::int64_t ranks = 1, stride = 1;
    std::int64_t expertRanks = 1, expertStride = 1;
    bool apart = false;

    /// Of what all ranks of the groups have together, one rank's share.
    [[nodiscard]] double share(const Parted& whole) const { return (whole.all - whole.experts) / static_cast<double>(ranks) + whole.experts / static_cast<double>(expertRanks); }
};
/// The groups of one copy: of MiCS and HSDP each.
[[nodiscard]] ReplicaGroups replicaGroups(const TrainingCase& c);

/// Weights of one rank as its optimizer sees them: all of them, or adapters beside a frozen base.
struct TrainedWeights {
    Parted trained;          ///< elements that have gradients and states
    double frozen = 0;       ///< elements that have none
    Parted frozenBytes;      ///< of all of those; packed ones take fewer each
    Parted bytes;            ///< of both together, as they lie in memory and are sent
};
/// @param elements  of the model's own weights, of a stage of `layers` layers or of one block
/// @param each      bytes of an element that is not packed
[[nodiscard]] TrainedWeights trainedWeights(const TrainingCase& c, const Parted& elements, double layers, double each);

/// The ledgers of all pipeline stages, one role each, as the case's framework allocates.
[[nodiscard]] std::vector<LedgerRole> frameworkLedger(const TrainingCase& c);

/// What a layout needs: the same sums as frameworkLedger's, without items or words.
struct LayoutNeed {
    std::int64_t process = 0;      ///< bytes of the fullest rank; on CPUs what is offloaded is among them
    std::int64_t hostPerNode = 0;  ///< bytes of host memory on the fullest node, where ranks are devices of it
};
[[nodiscard]] LayoutNeed needOf(const TrainingCase& c);

// One per framework: adds the items of one stage and finishes it.
[[nodiscard]] LedgerRole megatronStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief = false);
[[nodiscard]] LedgerRole fsdp2Stage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief = false);
[[nodiscard]] LedgerRole deepspeedStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief = false);

/// Adds weights, gradients and optimizer states alone, as the framework keeps them for the parameters `p` of one rank.
void addFsdp2States(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p);
void addMegatronStates(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p);

/// The model states of a case of which only the number of parameters is known (TrainingCase::statesOnly): one role, divided evenly
/// over tensor- and pipeline-parallel ranks.
[[nodiscard]] LedgerRole statesLedger(const TrainingCase& c);

/// Adds what Megatron's modules keep for the backward pass of one stage, its logits and loss included.
void addMegatronActivations(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// forward, backward and step, and save and eval where the run has them.
[[nodiscard]] std::span<const std::string_view> phasesOf(const TrainingCase& c);
/// What a forward pass without gradients needs beside weights: one block's tensors, and logits with their log-softmax on the last stage.
/// @param block  bytes per token of one block
void addEvaluation(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, double block);

/// "pp2.tp0"
[[nodiscard]] std::string roleName(std::int64_t stage);
/// Ranks among which the states of one rank's experts are divided: those that hold the same experts.
/// Source: Megatron-LM expert_data_parallel group; DeepSpeed utils/groups.py; torchtitan's dp_shard_mod_ep mesh: dp cp tp / (etp ep).
[[nodiscard]] double expertShards(const TrainingCase& c);
/// Number of process groups with more than one rank: each has its own collective library buffers.
[[nodiscard]] std::int64_t groupCount(const TrainingCase& c);

}  // namespace stagecraft
