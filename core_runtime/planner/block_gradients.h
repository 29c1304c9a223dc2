// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/kept_tensors.h"
#include "planner/training_case.h"

namespace stagecraft {

/// Bytes a token that the backward pass of one block of Transformers' modelling code (release 5.23) holds beyond what the block keeps,
/// where it holds most: the gradients alive there, less what the pass has given back by then. Gradients of weights are not among them.
/// @param block what the block keeps
[[nodiscard]] double blockGradients(const TrainingCase& c, const KeptTensors& block, double dense = 0);

}  // namespace stagecraft
