// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/batch_parts.h"

#include <algorithm>

namespace stagecraft {

std::int64_t wholeOf(const BatchNumber& number)
{
    constexpr double kMost = 9e18;  // of 64 bits
    return static_cast<std::int64_t>(std::clamp(batchNumberValue(number), -kMost, kMost));
}

BatchParts batchParts(const ConfigValue& dsConfig, const ResolvedBatch& resolved, int ranks)
{
    const auto says = [&](const char* key, bool word) {
        const ConfigValue* value = dsConfig.find(key);
        return value != nullptr && !value->isNull() && value->isString("auto") == word;
    };
    const bool train = says("train_batch_size", false);
    const bool micro = says("train_micro_batch_size_per_gpu", false);
    const bool accumulation = says("gradient_accumulation_steps", false);
    const bool accumulationAsked = says("gradient_accumulation_steps", true);

    using From = BatchPart::From;
    BatchParts parts;
    if (accumulation || !accumulationAsked || (train && micro)) parts.accumulation = {accumulation ? From::File : From::Follows, wholeOf(resolved.gas)};
    if (micro || (train && parts.accumulation.known())) parts.micro = {micro ? From::File : From::Follows, wholeOf(resolved.micro)};
    if (train) {
        parts.train = wholeOf(resolved.trainBatchSize);
        parts.perRank = *parts.train / ranks;
    }
    return parts;
}

}  // namespace stagecraft
