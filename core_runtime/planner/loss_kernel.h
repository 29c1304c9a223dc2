// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

namespace stagecraft {

class CaseArguments;

/// Puts into `c` what the arguments say makes the loss: "loss" is eager, compiled (FSDP2), fused or fused_linear; "use_liger_kernel" is the Trainer's
/// word for the last.
/// Also which kernels stand for Transformers' own norms, rotation and gates ("fused_kernels": any of norm, rotation, gate, or none).
/// @error a finding, and the arguments refused, where "loss" is none of them, or another kernel is named
void readLoss(CaseArguments& arguments, TrainingCase& c);

/// Tokens that go through output and loss at once: all of a micro-batch, those of one of layout.lossChunks, or of a piece of Liger's fused
/// linear cross entropy, which has as many pieces as the vocabulary is wider than the hidden state and each of a power of two.
/// Source: liger_kernel/ops/fused_linear_cross_entropy.py, fused_linear_cross_entropy_forward.
[[nodiscard]] double tokensOfLoss(const TrainingCase& c);

/// Whether output and loss of a micro-batch are made in pieces, each forward and back at once.
[[nodiscard]] bool lossInPieces(const TrainingCase& c);

/// fp32 tensors as large as the logits that the loss has at once when it is not compiled: what was made of them, and gradients.
/// @param own  of the framework's own loss
[[nodiscard]] double lossTensors(const TrainingCase& c, double own);

}  // namespace stagecraft
