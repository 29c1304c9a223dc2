// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/tensor_shares.h"

#include <algorithm>

namespace stagecraft {

bool isAutoTp(const TrainingCase& c) { return c.framework == Framework::DeepSpeed && !c.megatronCode && c.tp > 1; }

TensorShares tensorShares(const TrainingCase& c)
{
    const double t = static_cast<double>(c.tp);
    if (!isAutoTp(c)) return {t, t};
    const auto divisor = [&](std::int64_t whole) { return whole > 0 ? static_cast<double>(whole) / static_cast<double>((whole + c.tp - 1) / c.tp) : t; };
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
