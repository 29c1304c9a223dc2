// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

/// Adds to a framework's role what is there before the first step: the phase "init" with its total, and the items that exist in it alone.
/// The role's peak, its other phases and its hostBytes stay.
///
/// - DeepSpeed, stages 0 to 2: each rank builds the whole model in host memory, which the engine then moves to its device (own layers of a
///   pipeline; tensor parallelism divides it later). Counted in fp32, torch's default; a model loaded in 16 bits takes half.
/// - DeepSpeed, stage 3: zero.Init divides each module as it is built on the device (Transformers' from_pretrained does so by itself).
/// - Stages 1 to 3 make the moments by a step of zero gradients, in fp32.
/// - FSDP2 as torchtitan: built on the meta device, shards are made on the devices. Moments come with the first step.
/// - Megatron: each rank builds its own part on its device. Moments come with the first step.
/// Reading a checkpoint's files is not modelled: loaders differ in how much of them they hold at once.
void addInitPhase(LedgerRole& role, const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// Bytes of host memory that the ranks of the fullest node hold for a time before the first step.
[[nodiscard]] std::int64_t initHostPerNode(const std::vector<LedgerRole>& roles, std::int64_t devicesPerNode);
/// The same from the case, without a ledger.
/// @param enough  bytes that a node has for it: where even whole models on all of its ranks stay far below, 0
[[nodiscard]] std::int64_t initHostPerNode(const TrainingCase& c, std::int64_t enough = 0);

}  // namespace stagecraft
