// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/engine_traffic.h"

#include "base/units.h"
#include "planner/machine_rates.h"
#include "planner/op_time.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace stagecraft {

namespace {

struct Sum {
    double rounds = 0, elements = 0, seconds = 0;
};
using Sums = std::map<OpKind, Sum>;

std::optional<Sums> sumsOf(const EngineJob& job, std::int64_t accumulation, const OpTimes* times)
{
    EngineConfig part = job.config;
    part.accumulation = accumulation;
    const Result<Schedule> schedule = compileSchedule(job.model, part, job.world, job.recompute);
    if (!schedule.hasValue()) return std::nullopt;
    Sums sums;
    for (const Op& op : schedule->programs.front().ops) {
        const bool weights = op.kind == OpKind::Gather, gradients = op.kind == OpKind::ReduceScatter || (op.kind == OpKind::AllReduce && op.unit >= 0);
        if (!weights && !gradients) continue;
        Sum& sum = sums[op.kind];
        sum.rounds += 1;
        sum.elements += (op.kind == OpKind::AllReduce ? 2 : 1) * static_cast<double>(op.elements);
        if (times) sum.seconds += times->communication(op).wall;
    }
    return sums;
}

}  // namespace

std::optional<Traffic> engineTraffic(const EngineJob& job, const PlanContext& context)
{
    std::optional<MachineRates> rates;
    if (context.machine) rates.emplace(*context.machine);
    std::optional<OpTimes> times;
    if (rates && rates->complete(job.config.precision == Precision::Bf16 ? "bf16" : "fp32")) times.emplace(job, *rates);
    // From the third micro-step on (first, middle, last) each adds the same: no need to compile thousands.
    const std::int64_t all = std::max<std::int64_t>(job.config.accumulation, 1);
    auto sums = sumsOf(job, std::min<std::int64_t>(all, 3), times ? &*times : nullptr);
    if (!sums) return std::nullopt;
    if (all > 3) {
        const auto less = sumsOf(job, 2, times ? &*times : nullptr);
        if (!less) return std::nullopt;
        for (auto& [kind, sum] : *sums) {
            const Sum before = less->contains(kind) ? less->at(kind) : Sum{};
            const double more = static_cast<double>(all - 3);
            sum = {sum.rounds + more * (sum.rounds - before.rounds), sum.elements + more * (sum.elements - before.elements), sum.seconds + more * (sum.seconds - before.seconds)};
        }
    }
    Traffic traffic;
    traffic.role = "pp0.tp0";
    traffic.ranks = job.world;
    traffic.microBatches = all;
    const double share = static_cast<double>(job.world - 1) / static_cast<double>(std::max(job.world, 1));
    const double weight = job.config.precision == Precision::Fp32 ? 4 : 2;
    for (const auto& [kind, sum] : *sums) {
        if (job.world <= 1) break;
        const bool weights = kind == OpKind::Gather;
        TrafficItem item;
        item.what = weights ? "weights.gather" : "gradients";
        item.operation = weights ? "all_gather" : kind == OpKind::AllReduce ? "all_reduce" : "reduce_scatter";
        item.group = "dp";
        item.ranks = job.world;
        item.link = "memory";
        item.elements = sum.elements;
        item.bytes = share * (weights ? weight : 4) * sum.elements;
        item.perMicroBatch = 0;
        item.seconds = sum.seconds;
        item.formula = weights ? "Σ gathers · (N - 1)/N · b · padded(unit)" : "Σ reductions · (N - 1)/N · 4 · padded(unit)";
        item.numbers = fmt::format("{}/{} · {} B", job.world - 1, job.world, formatCount(static_cast<std::int64_t>((weights ? weight : 4) * sum.elements)));
        item.why = weights ? "units whose weights are sliced are gathered when used, or after the update" : "gradients are summed over the replicas in fp32";
        traffic.items.push_back(std::move(item));
    }
    sumTraffic(traffic, static_cast<double>(parameterCount(job.model)));
    traffic.clusterBytes = static_cast<double>(job.world) * traffic.bytesOf("");
    return traffic;
}

}  // namespace stagecraft
