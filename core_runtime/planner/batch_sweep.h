// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/search.h"

#include <cstdint>
#include <stop_token>

namespace stagecraft {

/// searchLayouts() over many sizes of the global batch, which makes millions of layouts of a large cluster: those of every number of
/// samples from `limits.globalBatch` up to `most` that the data-parallel ranks divide. Steps of unlike batches are unlike work: what is
/// called faster, in the ranking and on the front, is what takes less time for a sample.
/// @param most  samples a step; below `limits.globalBatch` (0 = the case's own) that one alone is searched
[[nodiscard]] SearchResult searchBatches(const TrainingCase& base, const SearchLimits& limits, std::int64_t most, const std::stop_token& stop = {});

}  // namespace stagecraft
