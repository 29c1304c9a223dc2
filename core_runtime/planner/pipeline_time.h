// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

namespace stagecraft {

/// Bytes that one device sends to the next stage for one micro-batch: its part of the boundary tensor where tensor-parallel ranks
/// divide it, else all of it.
/// Sequence parallelism divides it anyway. Without it DeepSpeed (PartitionedTensor in runtime/pipe/engine.py, its default) and
/// Megatron before Transformer Engine (scatter/gather, Narayanan et al. 2021, section 4.1) send a slice each and gather it on the
/// other side inside the node; Megatron-core sends the whole tensor.
[[nodiscard]] double boundaryBytes(const TrainingCase& c);

/// Whether the receiving ranks put their slices of the boundary tensor together before they compute.
[[nodiscard]] bool gathersBoundary(const TrainingCase& c);

/// Transfers of boundaryBytes() that stage `stage` waits for in each micro-batch, forward and backward together.
/// DeepSpeed's engine makes one after another between two computations: a middle stage receives and sends activations and gradients,
/// four; an end two. Megatron's one forward, one backward sends and receives at once, two and one. Where chunks are interleaved, or
/// PyTorch pipelines, half of each chunk's two lies under computing.
[[nodiscard]] double shownTransfers(const TrainingCase& c, std::int64_t stage);

/// Seconds that the slowest stage idles while the others fill and drain: each of them passes one micro-batch forward and back before
/// or after its work. Equal stages: (p - 1) (F + B), divided by the chunks.
/// @param others       seconds of one micro-batch on all other stages together
/// @param weightShare  share of F + B that weight gradients take, which zero-bubble orders move into the gaps
[[nodiscard]] double pipelineBubble(const TrainingCase& c, double others, double weightShare);

}  // namespace stagecraft
