// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/tensor_shares.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

TensorShares tensorShares(const TrainingCase& c)
{
    const double t = static_cast<double>(c.tp);
    if (!isAutoTp(c)) return {t, t};
    // Exact: both are far below 2^53. A search asks often enough for integer divisions to be seen.
    const auto divisor = [t](std::int64_t count) {
        const double whole = static_cast<double>(count);
        return count > 0 ? whole / std::ceil(whole / t) : t;
    };
    return {divisor(c.model.kvHeads), divisor(c.model.ffn)};
}

double keyHeadsOnRank(const TrainingCase& c)
{
    if (isAutoTp(c)) return static_cast<double>(c.model.kvHeads) / tensorShares(c).attention;
    return static_cast<double>(std::max(c.model.kvHeads, c.tp)) / static_cast<double>(c.tp);
}

bool outputIsCopied(const TrainingCase& c) { return isAutoTp(c) && c.model.tied && !c.embeddingParallel; }

bool gathersLogits(const TrainingCase& c) { return c.tp > 1 && !c.lossParallel && !outputIsCopied(c); }

}  // namespace stagecraft
