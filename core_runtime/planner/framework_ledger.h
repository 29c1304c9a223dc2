// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ledger.h"
#include "planner/parameter_groups.h"
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
    [[nodiscard]] double all() const { return dense + experts; }
};

/// Layers of a stage that have no experts: the model's first ones; all where there are no experts.
[[nodiscard]] std::int64_t denseLayersOfStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// Layers of a stage behind those first ones in which nothing is trained; all where everything is.
[[nodiscard]] std::int64_t trainedLayersOfStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers);
/// Part of a stage's layers that gradients flow through: the others keep nothing for a backward pass. 0 to 1.
[[nodiscard]] double backwardShare(const TrainingCase& c, std::int64_t stage, std::int64_t layers);
/// The largest module whose gradients are whole at once, where parts are frozen too.
[[nodiscard]] double largestTrained(const TrainingCase& c, const StageParameters& p);

/// @param stage  0 .. pp-1; stage 0 has the embedding, the last one the final norm and the output matrix
[[nodiscard]] StageParameters stageParameters(const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// The ledgers of all pipeline stages, one role each, as the case's framework allocates.
[[nodiscard]] std::vector<LedgerRole> frameworkLedger(const TrainingCase& c);

/// What a layout needs: the same sums as frameworkLedger's, without items or words.
struct LayoutNeed {
    std::int64_t process = 0;      ///< bytes of the fullest rank; on CPUs what is offloaded is among them
    std::int64_t hostPerNode = 0;  ///< bytes of host memory on the fullest node, where ranks are devices of it
    std::int64_t least = 0;        ///< of `process`, what the allocator cannot give back where the device is full
};
/// What the case's allocator has reserved at the least, relative to what is allocated.
[[nodiscard]] double leastReserve(const TrainingCase& c);
/// Bytes of a rank's process that are there whatever the allocator gives back.
/// @param reserve  as leastReserve() has it
[[nodiscard]] std::int64_t leastProcess(const LedgerPeak& peak, double reserve);
[[nodiscard]] LayoutNeed needOf(const TrainingCase& c);

// One per framework: adds the items of one stage and finishes it.
[[nodiscard]] LedgerRole megatronStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief = false);
[[nodiscard]] LedgerRole fsdp2Stage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief = false);
[[nodiscard]] LedgerRole deepspeedStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief = false);

/// Adds weights, gradients and optimizer states alone, as the framework keeps them for the parameters `p` of one rank.
/// @param groups      of the stage, where parts of it are frozen; else none
/// @param beforeFreed bytes of the gradients that are made only when at least as many of the activations are freed
void addFsdp2States(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p, const std::vector<ParameterGroup>& groups = {}, double beforeFreed = 0);
void addMegatronStates(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p);

/// Adds hpZ's second copy of the weights, frozen ones too.
void addSecondCopy(LedgerBuilder& ledger, const TrainingCase& c, const std::vector<ParameterGroup>& groups);

/// The model states of a case of which only the number of parameters is known (TrainingCase::statesOnly): one role, divided evenly
/// over tensor- and pipeline-parallel ranks.
[[nodiscard]] LedgerRole statesLedger(const TrainingCase& c);

/// Adds what Megatron's modules keep for the backward pass of one stage, its logits and loss included.
void addMegatronActivations(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// Bytes that one layer keeps of one micro-batch for its backward pass, under the case's recomputation.
[[nodiscard]] double megatronKeptBytes(const TrainingCase& c);
[[nodiscard]] double fsdp2KeptBytes(const TrainingCase& c);

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
