// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/search.h"

#include "planner/batch_sweep.h"
#include "planner/fit.h"
#include "planner/framework_ledger.h"
#include "planner/layout_faults.h"
#include "planner/pipeline_places.h"
#include "planner/step_time.h"
#include "planner/tensor_shares.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace stagecraft {

namespace {

std::vector<std::int64_t> divisorsOf(std::int64_t n)
{
    std::vector<std::int64_t> low, high;
    for (std::int64_t d = 1; d <= n / d; ++d) {
        if (n % d != 0) continue;
        low.push_back(d);
        if (d != n / d) high.push_back(n / d);
    }
    low.insert(low.end(), high.rbegin(), high.rend());
    return low;
}

/// What is ranked by: the time of a step, or, where steps have unlike batches, of a sample.
struct Ranking {
    bool ofSample = false;

    [[nodiscard]] double timeOf(const ScoredLayout& p) const { return ofSample ? p.stepTime / static_cast<double>(p.dp * p.microBatch * p.accumulation) : p.stepTime; }
    bool operator()(const ScoredLayout& a, const ScoredLayout& b) const
    {
        if (a.fits != b.fits) return a.fits;
        if (a.mayFit != b.mayFit) return a.mayFit;
        if (!a.mayFit) return a.memory < b.memory;
        // The same job over fewer moving parts wins a tie.
        const double timeA = timeOf(a), timeB = timeOf(b);
        if (timeA != timeB) return timeA < timeB;
        if (a.tp * a.pp != b.tp * b.pp) return a.tp * a.pp < b.tp * b.pp;
        return a.stage != b.stage ? a.stage < b.stage : a.memory < b.memory;
    }
};

/// Fits more likely than not, and not surely.
bool isLikely(const ScoredLayout& p) { return p.mayFit && !p.fits && p.probability >= kEvenOdds; }

struct OffloadChoice {
    OffloadDevice optimizer, param;
};

}  // namespace

namespace {

// The job as it would be with that layout, as far as it can be told without reading its arguments anew.
void place(TrainingCase& c, const ScoredLayout& point)
{
    c.dp = point.dp;
    c.tp = point.tp;
    c.pp = point.pp;
    c.cp = point.cp;
    c.ep = point.ep;
    c.sequenceParallel = point.tp > 1 && c.framework != Framework::DeepSpeed;
    c.policy = point.policy;
    c.flushes = 1;  // as the row is applied: all micro-batches in one local batch
    c.microBatch = point.microBatch;
    c.microBatches = c.settings.accumulation = point.accumulation;
    c.settings.stage = point.stage;
    c.embeddingPlace = point.embeddingPlace;
    c.lossPlace = point.lossPlace;
    c.settings.offloadOptimizer = point.offloadOptimizer;
    c.settings.offloadParam = point.offloadParam;
    c.reshardAfterForward = c.reshardAsked.value_or(point.pp == 1);
    if (c.framework == Framework::Megatron) c.distributedOptimizer = point.stage >= 1 || c.shardStage > 0;
    settleSplit(c);
}

}  // namespace

namespace {

LayoutNeed score(TrainingCase& c, ScoredLayout& point)
{
    place(c, point);
    const LayoutNeed need = needOf(c);
    point.memory = need.process;
    point.hostBytesPerNode = need.hostPerNode;
    if (c.sheet) {
        const StepForecast forecast = forecastStep(c, *c.sheet);
        point.stepTime = forecast.stepTime;
        point.tokensPerSecond = forecast.tokensPerSecond;
        point.mfu = forecast.mfu;
    }
    return need;
}

}  // namespace

void scoreLayout(TrainingCase& c, ScoredLayout& point) { score(c, point); }

void judgeLayout(ScoredLayout& point, std::int64_t share)
{
    const bool within = point.memory <= share;
    point.fits = within && verdictOf(point.probability) == Fit::Verdict::Yes;
    point.mayFit = within && verdictOf(point.probability) != Fit::Verdict::No;
}

namespace {

// The fastest layout first; one that is neither faster nor smaller than another is not on it.
void addToFront(std::vector<ScoredLayout>& front, const ScoredLayout& point, const Ranking& ranking)
{
    const auto at = std::lower_bound(front.begin(), front.end(), point, [&](const ScoredLayout& a, const ScoredLayout& b) { return ranking.timeOf(a) < ranking.timeOf(b); });
    if (at != front.begin() && std::prev(at)->memory <= point.memory) return;
    if (at != front.end() && ranking.timeOf(*at) == ranking.timeOf(point) && at->memory <= point.memory) return;
    const auto last = std::find_if(at, front.end(), [&](const ScoredLayout& other) { return other.memory < point.memory; });
    front.insert(front.erase(at, last), point);
}

// Where nothing is divided, stages that come to the very same are one: the lowest of them.
class LowestStages {
public:
    /// Points of one job come one after the other, by rising stage.
    [[nodiscard]] bool hasLower(const ScoredLayout& point)
    {
        if (point.dp * point.cp > 1) return false;
        if (!m_seen.empty() && (m_seen.front().microBatch != point.microBatch || m_seen.front().tp != point.tp || m_seen.front().pp != point.pp || m_seen.front().accumulation != point.accumulation)) m_seen.clear();
        const bool found = std::any_of(m_seen.begin(), m_seen.end(), [&point](ScoredLayout other) {
            other.stage = point.stage;
            return other == point;
        });
        m_seen.push_back(point);
        return found;
    }

private:
    std::vector<ScoredLayout> m_seen;
};

// Every n-th point; n doubles when the room is used up, so that the picture stays an even sample of all.
class DotSample {
public:
    void add(std::vector<LayoutDot>& dots, const ScoredLayout& point)
    {
        if (m_seen++ % m_stride != 0) return;
        if (dots.size() == kMostDots) {
            for (std::size_t i = 0; i < kMostDots / 2; ++i) dots[i] = dots[2 * i];
            dots.resize(kMostDots / 2);
            m_stride *= 2;
            if ((m_seen - 1) % m_stride != 0) return;
        }
        dots.push_back({point.stepTime, point.memory, point.fits});
    }

private:
    std::int64_t m_seen = 0, m_stride = 1;
};

/// divisorsOf() of numbers that come again and again: other divisions of the ranks share the samples among as many.
class KnownDivisors {
public:
    const std::vector<std::int64_t>& of(std::int64_t n)
    {
        constexpr std::size_t kMost = 1 << 16;
        if (const auto at = m_known.find(n); at != m_known.end()) return at->second;
        if (m_known.size() >= kMost) m_known.clear();
        return m_known.emplace(n, divisorsOf(n)).first->second;
    }

private:
    std::unordered_map<std::int64_t, std::vector<std::int64_t>> m_known;
};

/// Samples of a step that are searched, both included.
struct Batches {
    std::int64_t least = 1, most = 1;
};

/// Calls `visit(layout)` for each legal layout until it says false, or a stop is requested: there may be long ways without a legal one.
/// @return whether it went through all
template <class Visit>
bool forEachLayout(const TrainingCase& base, const SearchLimits& limits, const Batches& batches, const std::stop_token& stop, Visit visit)
{
    constexpr OffloadChoice kOffload[] = {{OffloadDevice::None, OffloadDevice::None}, {OffloadDevice::Cpu, OffloadDevice::None}, {OffloadDevice::Cpu, OffloadDevice::Cpu},
                                          {OffloadDevice::Nvme, OffloadDevice::None}, {OffloadDevice::Nvme, OffloadDevice::Nvme}};
    const bool deepspeed = base.framework == Framework::DeepSpeed;
    // FSDP2 has one switch for all that it shards.
    const bool allOnHost = base.framework == Framework::Fsdp2 && base.device != "cpu";
    std::vector<ActivationPolicy> policies{ActivationPolicy::None, ActivationPolicy::Full};
    if (base.framework == Framework::Fsdp2 && !base.transformersBlock) policies.insert(policies.begin() + 1, ActivationPolicy::SelectiveOp);
    if (base.framework == Framework::Megatron && !base.flashAttention) policies.insert(policies.begin() + 1, ActivationPolicy::SelectiveCore);

    // What the framework refuses is no layout. Arguments of a pipeline go where there is none: layoutEdits() takes them out.
    TrainingCase trial = base;
    const auto isRefused = [&](const ScoredLayout& point) {
        const bool pipeline = point.pp > 1;
        trial.chunks = base.chunks;
        trial.chunksAsked = pipeline ? base.chunksAsked : 0;
        trial.layersPerChunk = pipeline ? base.layersPerChunk : 0;
        trial.firstAsked = pipeline ? base.firstAsked : 0;
        trial.lastAsked = pipeline ? base.lastAsked : 0;
        place(trial, point);
        return isRefusedByAutoTp(trial) || layoutIsRefused(trial);
    };
    // Every stage, offload and recomputation that goes with one division of the ranks.
    KnownDivisors divisors;
    std::int64_t tried = 0;
    const auto visitAll = [&](ScoredLayout point) {
        if ((++tried & 0x3ff) == 0 && stop.stop_requested()) return false;
        for (int stage = 0; stage <= 3; ++stage) {
            // Megatron divides the optimizer or nothing; FSDP2 everything.
            if (base.framework == Framework::Megatron && stage > 1) continue;
            if (base.framework == Framework::Fsdp2 && stage != 3) continue;
            point.stage = stage;
            // Our engine's own plan judges what it runs.
            if (!limits.dataParallelOnly && isRefused(point)) continue;
            for (const OffloadChoice& away : kOffload) {
                if (away.optimizer != OffloadDevice::None && (!limits.offload || stage == 0 || !(deepspeed || (allOnHost && away.param == OffloadDevice::Cpu)))) continue;
                if ((away.param != OffloadDevice::None || away.optimizer == OffloadDevice::Nvme) && stage != 3) continue;  // below, DeepSpeed takes the host for files
                for (const ActivationPolicy policy : policies) {
                    point.offloadOptimizer = away.optimizer;
                    point.offloadParam = away.param;
                    point.policy = policy;
                    if (!visit(point)) return false;
                }
            }
        }
        return true;
    };

    const std::int64_t ranks = std::max<std::int64_t>(1, base.nodes * base.devicesPerNode);
    for (const std::int64_t tp : divisorsOf(ranks)) {
        if (limits.dataParallelOnly && tp > 1) break;
        if (base.model.heads % tp != 0 || (limits.tensorInsideNode && tp > base.devicesPerNode)) continue;
        for (const std::int64_t pp : divisorsOf(ranks / tp)) {
            if (pp > base.model.layers || (limits.dataParallelOnly && pp > 1)) break;
            const PipelinePlaces counted = placesFor(base, pp);
            for (const std::int64_t cp : divisorsOf(ranks / tp / pp)) {
                if (limits.dataParallelOnly && cp > 1) break;
                const std::int64_t dp = ranks / tp / pp / cp;
                if (dp % base.replicate != 0) continue;
                ScoredLayout point;
                point.dp = dp;
                point.tp = tp;
                point.pp = pp;
                point.cp = cp;
                point.embeddingPlace = counted.embedding;
                point.lossPlace = counted.loss;
                for (const std::int64_t ep : divisorsOf(base.model.experts > 0 ? dp : 1)) {
                    if (ep > 1 && limits.dataParallelOnly) continue;
                    point.ep = ep;
                    for (std::int64_t each = (batches.least - 1) / dp + 1; each <= batches.most / dp; ++each) {
                        for (const std::int64_t micro : divisors.of(each)) {
                            point.microBatch = micro;
                            point.accumulation = each / micro;
                            if (!visitAll(point)) return false;
                        }
                    }
                }
            }
        }
    }
    return true;
}

// Kept layouts and the front, each as a plan has it once it is applied.
void settleLayouts(SearchResult& result, const std::function<bool(ScoredLayout&)>& settle, std::int64_t share, const Ranking& ranking)
{
    std::vector<ScoredLayout> all = std::move(result.best);
    for (const ScoredLayout& point : result.front)
        if (std::find(all.begin(), all.end(), point) == all.end()) all.push_back(point);
    result.best.clear();
    result.front.clear();
    for (ScoredLayout& point : all) {
        if (!settle(point)) continue;
        judgeLayout(point, share);
        if (point.fits) addToFront(result.front, point, ranking);
        result.best.push_back(point);
    }
}

SearchResult searchAll(const TrainingCase& base, const SearchLimits& limits, const Batches& batches, const std::stop_token& stop)
{
    const Ranking ranking{batches.most > batches.least};
    SearchResult result;
    if (!base.sheet) return result;
    TrainingCase scratch = base;
    // A row says "full", and takes away what else the arguments say of it.
    if (base.framework == Framework::Megatron) {
        scratch.recomputeFirstLayersOnly = false;
        scratch.policyLayers = 1;
    }
    const std::int64_t usable = limits.usableBytes > 0 ? limits.usableBytes : base.sheet->usableBytes;
    // The whole of it is no limit of its own: whether a layout fits then is its probability, as in a plan.
    const auto share = limits.memoryShare < 1 ? static_cast<std::int64_t>(static_cast<double>(usable) * limits.memoryShare) : std::numeric_limits<std::int64_t>::max();
    const auto host = limits.hostBytesPerNode > 0 ? std::optional(limits.hostBytesPerNode) : std::nullopt;
    std::vector<ScoredLayout>& best = result.best;
    DotSample sample;
    LowestStages stages;
    const auto keep = [&](const ScoredLayout& point) {
        best.push_back(point);
        // Twice the wanted number before each cut keeps the cost of sorting off the inner loop.
        if (best.size() < 2 * limits.keep + 64) return;
        std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(limits.keep), best.end(), ranking);
        best.resize(limits.keep);
    };

    if (limits.progress) {
        forEachLayout(base, limits, batches, stop, [&](const ScoredLayout&) {
            ++result.total;
            return true;
        });
    }
    std::int64_t visited = 0;
    result.cancelled = !forEachLayout(base, limits, batches, stop, [&](ScoredLayout& point) {
        // A scorer of its own makes whole plans, a thousand times the work of a closed form.
        if ((visited++ & (limits.score ? 0 : 255)) == 0) {
            if (stop.stop_requested()) return false;
            if (limits.progress && visited > 1) limits.progress(result);
        }
        if (!limits.score) {
            const LayoutNeed need = score(scratch, point);
            point.probability = fitProbability(scratch, need, usable, host);
        } else if (!limits.score(scratch, point)) {
            return true;
        }
        judgeLayout(point, share);
        if (stages.hasLower(point)) {
            --result.total;   // and is none of those looked at
            return true;
        }
        ++result.scored;
        result.fitting += point.fits;
        result.mayFit += point.mayFit && !point.fits;
        if (isLikely(point) && (!result.likely || ranking(point, *result.likely))) result.likely = point;
        sample.add(result.dots, point);
        if (point.fits) addToFront(result.front, point, ranking);
        keep(point);
        return true;
    });
    if (!limits.progress) result.total += visited;

    std::sort(best.begin(), best.end(), ranking);
    if (best.size() > limits.keep) best.resize(limits.keep);
    if (limits.settle) settleLayouts(result, limits.settle, share, ranking);
    if (result.likely && limits.settle) {
        if (limits.settle(*result.likely)) judgeLayout(*result.likely, share);
        else result.likely.reset();
    }
    // Those that fit surely rank first; one of the others is worth a word only for its speed.
    if (result.likely && (!isLikely(*result.likely) || std::any_of(best.begin(), best.end(), [&](const ScoredLayout& l) { return l.fits && ranking.timeOf(l) <= ranking.timeOf(*result.likely); }))) result.likely.reset();
    for (const ScoredLayout& point : result.front) {
        const bool known = std::find(best.begin(), best.end(), point) != best.end();
        if (!known) best.push_back(point);
    }
    std::sort(best.begin(), best.end(), ranking);
    for (std::size_t i = best.size(); i-- > 0;)
        if (std::find(result.front.begin(), result.front.end(), best[i]) != result.front.end()) result.pareto.push_back(i);
    return result;
}

// Samples of a step where nobody asks for others.
std::int64_t batchOf(const TrainingCase& base, const SearchLimits& limits) { return limits.globalBatch > 0 ? limits.globalBatch : base.microBatch * base.microBatches * base.dp; }

}  // namespace

SearchResult searchLayouts(const TrainingCase& base, const SearchLimits& limits, const std::stop_token& stop)
{
    const std::int64_t batch = batchOf(base, limits);
    return searchAll(base, limits, {batch, batch}, stop);
}

SearchResult searchBatches(const TrainingCase& base, const SearchLimits& limits, std::int64_t most, const std::stop_token& stop)
{
    const std::int64_t least = batchOf(base, limits);
    return searchAll(base, limits, {least, std::max(least, most)}, stop);
}

}  // namespace stagecraft
