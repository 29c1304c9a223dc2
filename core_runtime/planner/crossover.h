// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/advisor.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <vector>

namespace stagecraft {

/// What one rank sends in a step under stage 3 over all ranks, and under stage 1 with tensor parallelism: the first gathers the weights
/// however many tokens there are, the second sums activations of every token in every layer.
struct Crossover {
    std::int64_t tp = 1;            ///< of the second
    std::int64_t microBatches = 1;  ///< of a step under stage 3
    double shardBytes = 0;          ///< stage 3, whatever the tokens: weights and gradients
    double tensorBytes = 0;         ///< stage 1 with tp, whatever the tokens: gradients and updated weights of the rank's slices
    double bytesPerToken = 0;       ///< what tensor parallelism adds for each token of the job's step
    double tokens = 0;              ///< of the job's step at which both send as much, the micro-batches kept; 0 = tensor parallelism sends more at any number
    double tokensNow = 0;           ///< of the job's step
};

/// One for each degree of tensor parallelism that stays in a node and that the model's heads allow, beside the same stage 3.
/// @return empty where the advice compares no two such layouts, or where stage 3 exchanges nothing
/// Source: planTraffic() of both layouts, as rings send: 3 Φ b (N - 1) / N against 8 L s h b (t - 1) / t and what stage 1 exchanges.
[[nodiscard]] std::vector<Crossover> crossoversOf(const Advice& advice, const Workspace& workspace);

/// "comparison"."crossovers" of `stagecraft advise --json`; bytes and tokens.
[[nodiscard]] nlohmann::json crossoversToJson(const std::vector<Crossover>& crossovers);

}  // namespace stagecraft
