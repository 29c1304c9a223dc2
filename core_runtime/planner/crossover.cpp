// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/crossover.h"

#include "planner/advised_workspace.h"
#include "planner/applied_layout.h"
#include "planner/traffic.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {

namespace {

struct Sent {
    double fixed = 0;     ///< weights and gradients: the same for any number of tokens
    double byTokens = 0;  ///< what layers exchange of the tokens
};

Sent sentOf(const Traffic& traffic)
{
    Sent sent{traffic.bytesOf("weights") + traffic.bytesOf("gradients"), 0};
    for (const char* what : {"tensor.", "experts.", "context", "pipeline"}) sent.byTokens += traffic.bytesOf(what);
    return sent;
}

}  // namespace

std::vector<Crossover> crossoversOf(const Advice& advice, const Workspace& workspace)
{
    std::vector<Crossover> all;
    if (!advice.zero3 || !advice.tensorZero1) return all;
    const Workspace target = recast(workspace, {"deepspeed", advice.precision, advice.seq});
    const auto shards = planTraffic(withAppliedLayout(target, *advice.zero3));
    const double tokensNow = advice.zero3->tokensPerSecond * advice.zero3->stepTime;
    if (!shards || !(tokensNow > 0)) return all;
    const Sent zero3 = sentOf(*shards);
    const ScoredLayout& best = *advice.tensorZero1;
    const std::int64_t ranks = best.dp * best.tp, samples = best.dp * best.microBatch * best.accumulation;
    for (std::int64_t tp = 2; tp <= std::min<std::int64_t>(workspace.hardware.devicesPerNode, ranks); ++tp) {
        if (workspace.hardware.devicesPerNode % tp != 0 || ranks % tp != 0) continue;
        ScoredLayout layout = best;
        layout.tp = tp;
        layout.dp = ranks / tp;
        if (samples % (layout.dp * layout.microBatch) != 0) continue;
        layout.accumulation = samples / layout.dp / layout.microBatch;
        const auto slices = planTraffic(withAppliedLayout(target, layout));
        if (!slices) continue;
        const Sent tensor = sentOf(*slices);
        if (!(zero3.fixed > 0) || !(tensor.byTokens > zero3.byTokens)) continue;
        Crossover x{tp, shards->microBatches, zero3.fixed, tensor.fixed, (tensor.byTokens - zero3.byTokens) / tokensNow, 0, tokensNow};
        x.tokens = std::max(0.0, (x.shardBytes - x.tensorBytes) / x.bytesPerToken);
        all.push_back(x);
    }
    return all;
}

nlohmann::json crossoversToJson(const std::vector<Crossover>& crossovers)
{
    nlohmann::json all = nlohmann::json::array();
    for (const Crossover& x : crossovers)
        all.push_back({{"tp", x.tp}, {"microBatches", x.microBatches}, {"zero3Bytes", x.shardBytes}, {"tensorBytes", x.tensorBytes}, {"tensorBytesPerToken", x.bytesPerToken}, {"tokens", x.tokens}, {"tokensNow", x.tokensNow}});
    return all;
}

}  // namespace stagecraft
