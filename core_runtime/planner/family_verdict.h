// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/search.h"

#include <cmath>

namespace stagecraft {

/// Which of two layouts is the better answer, and by what.
struct FamilyVerdict {
    enum class By { SureFit, PossibleFit, Likelier, Time, Neither };
    bool tensorWins = false;   ///< never where neither fits: layouts that do not run have no winner
    By by = By::Time;
};

/// Stage 1 with tensor parallelism beside stage 3 over all ranks: one that surely fits comes before one that may, one that may before one
/// that does not, of two that may the likelier, then the faster one; none where neither may. The only judge of this question, for whoever shows it.
[[nodiscard]] inline FamilyVerdict judgeFamilies(const ScoredLayout& zero3, const ScoredLayout& tensor)
{
    if (tensor.fits != zero3.fits) return {tensor.fits, FamilyVerdict::By::SureFit};
    if (tensor.mayFit != zero3.mayFit) return {tensor.mayFit, FamilyVerdict::By::PossibleFit};
    if (!tensor.mayFit) return {false, FamilyVerdict::By::Neither};
    // Half of a percent is no difference.
    if (!tensor.fits && std::abs(tensor.probability - zero3.probability) > 0.005) return {tensor.probability > zero3.probability, FamilyVerdict::By::Likelier};
    return {tensor.stepTime < zero3.stepTime, FamilyVerdict::By::Time};
}

}  // namespace stagecraft
