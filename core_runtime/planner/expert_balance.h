// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

namespace stagecraft {

/// Relative deviation of one expert's tokens from an even share. Of many small experts: five released models of 64 and more were seen with Gini
/// coefficients of 0.105 and 0.150 (multi-head attention, Mamba), in between (Qwen3-30B) and from 0.24 on (DeepSeek's) on real text; 0.2 is
/// taken, which is a deviation of 0.2 sqrt(pi) for a bell curve. Source: Ma et al. 2026, "Diagnosing Overhead in Dispatch Operations"
/// (arXiv 2605.20982), abstract. Of eight that take two each: Mixtral's balancing loss is 1.01 (Megatron-LM, issue 756; calibration half), which is
/// one and the square of it.
inline constexpr double kManyExperts = 0.354, kFewExperts = 0.1;
inline constexpr std::int64_t kFewest = 32;  ///< from so many on they are many

/// Tokens that the fullest of the ranks that divide a layer's experts has, as a multiple of an even share: what the others wait for, in
/// each layer anew. 1 where experts are not divided, routing is made even by force, or tokens beyond the capacity are dropped.
[[nodiscard]] double fullestExperts(const TrainingCase& c);

/// Relative deviation of the tokens of one rank's experts from an even share. Layers are not taken to even it out: a router that
/// nothing has balanced yet crowds them all. 0 where fullestExperts() is 1.
[[nodiscard]] double expertDeviation(const TrainingCase& c);

}  // namespace stagecraft
