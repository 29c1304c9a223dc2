// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/expert_balance.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

/// Deviations by which the largest of `n` numbers of one bell curve lies above their mean, to 0.01 from two to 256: what the leading term
/// is too large by, fitted to the integral.
double largestOf(double n) { return n <= 1 ? 0.0 : std::sqrt(2 * std::log(n)) * (1 - 1 / (1.23 + std::log(n))); }

/// Deviation of the tokens of one rank's experts from an even share, which even out; 0 where all ranks hold all experts, or routing is even.
double unevenness(const TrainingCase& c)
{
    if (c.model.experts <= 0 || c.ep <= 1 || c.balancedExperts || c.framework == Framework::DeepSpeed) return 0;
    const double here = std::max(1.0, static_cast<double>(c.model.experts) / static_cast<double>(c.ep));
    return (c.model.experts < kFewest ? kFewExperts : kManyExperts) / std::sqrt(here);
}

}  // namespace

double fullestExperts(const TrainingCase& c)
{
    const double fullest = 1 + largestOf(static_cast<double>(c.ep)) * unevenness(c);
    return c.expertCapacity > 0 ? std::min(fullest, std::max(1.0, c.expertCapacity)) : fullest;
}

double expertDeviation(const TrainingCase& c) { return c.expertCapacity > 0 ? 0.0 : unevenness(c); }

}  // namespace stagecraft
