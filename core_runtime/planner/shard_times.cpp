// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/shard_times.h"

#include "planner/step_clock.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

void add(PlacedElements& sum, const PlacedElements& more, double times)
{
    sum.layers += times * more.layers;
    sum.embedding += times * more.embedding;
    sum.output += times * more.output;
}

/// One collective after the other: each block's, the embedding's, and that of what stands behind the layers.
template <class Collective>
PassSeconds passOf(const PlacedElements& bytes, double layers, Collective one)
{
    const auto some = [&](double count) { return count > 0 ? one(count) : 0.0; };
    // Of a model whose layers are not known all goes at once.
    if (!(layers > 0)) return {0, 0, some(bytes.all())};
    return {some(bytes.layers / layers), some(bytes.embedding), some(bytes.output)};
}

PlacedElements scaled(const PlacedElements& part, double times) { return {times * part.layers, times * part.embedding, times * part.output}; }

}  // namespace

std::vector<ShardSet> shardSets(const TrainingCase& c, const std::vector<ParameterGroup>& groups)
{
    std::vector<ShardSet> sets;
    sets.reserve(2);
    for (const ParameterGroup& group : groups) {
        ShardSet* set = nullptr;
        for (ShardSet& other : sets)
            if (other.experts == group.experts && (other.trained == group.trained || other.x.near == 0)) set = &other;
        if (!set) {
            set = &sets.emplace_back();
            set->experts = group.experts;
            set->trained = group.trained;
            set->x = shardExchange(c, group);
            set->stride = group.stride;
            set->copies = group.copies;
            set->layers = group.layers;
            set->quantised = set->x.nodes == 0 ? 0.0 : group.layers > 0 ? matrixShare(c) : 1.0;
        }
        const PlacedElements gathered = group.gathered();
        const double width = set->x.wire;
        set->weights.layers += group.gatheredOfLayers(width);
        const double edge = c.float8Gather ? group.bytes : width;  // of the blocks alone
        set->weights.embedding += edge * gathered.embedding;
        set->weights.output += edge * gathered.output;
        set->elements += gathered.all();
        set->kept += group.keptBytes();  // never quantised (partition_parameters.py, _allgather_params_coalesced)
        set->keptElements += group.kept.all();
        if (group.trained) add(set->gradients, group.held, 1);
        if (!shardsOnHost(c)) continue;
        add(set->onHost, shardBytes(c, group), 1);
        if (group.trained) add(set->gradientsDown, group.held, shardWidth(c) / real(group.shards));
    }
    return sets;
}

ShardTimes shardTimes(const StepClock& clock, const ShardSet& s)
{
    const ShardExchange& x = s.x;
    const auto gather = [&](std::int64_t size) {
        PassSeconds pass = passOf(s.weights, s.layers, [&](double bytes) { return clock.ring(bytes, size, s.stride); });
        if (s.layers > 0 && s.weights.layers > 0) pass.block = clock.shards(s.weights.layers / s.layers, size, s.stride);
        return pass;
    };
    const auto scatter = [&](double width) {
        PassSeconds pass = passOf(scaled(s.gradients, width), s.layers, [&](double bytes) { return clock.ring(bytes, x.ranks, s.stride); });
        if (s.layers > 0 && s.gradients.layers > 0) pass.block = clock.shards(width * s.gradients.layers / s.layers, x.ranks, s.stride);
        return pass;
    };
    ShardTimes t;
    t.far = gather(x.ranks);
    t.near = x.near > 0 ? gather(x.near) : t.far;
    t.scatter = scatter(x.gradient);
    if (clock.pythonEngine() && s.trained && s.layers > 0 && x.ranks > 1) t.scatter.block += (layerReductions(clock.m_case, s.experts, s.gradients.layers / s.layers, real(clock.m_case.settings.reduceBucket)) - 1) * clock.latency(x.ranks, s.stride);
    t.scatter = {(1 - s.quantised) * t.scatter.block, (1 - s.quantised) * t.scatter.embedding, (1 - s.quantised) * t.scatter.output};
    if (s.quantised > 0) {
        const PlacedElements inside = scaled(s.gradients, 0.5 * s.quantised);
        t.inNode = passOf(inside, s.layers, [&](double bytes) { return clock.ring(bytes, x.inNode, s.stride); });
        t.between = passOf(inside, s.layers, [&](double bytes) { return clock.ring(bytes / real(x.inNode), x.nodes, s.stride * x.inNode); });
    }
    if (x.replicaReductions > 0) {
        t.replicas = passOf(scaled(s.gradients, x.replicaBytes / real(x.ranks)), s.layers, [&](double bytes) { return clock.ring(bytes, s.copies, s.stride * x.ranks); });
    }
    if (s.kept > 0) t.kept = clock.ring(s.kept, x.ranks, s.stride);
    return t;
}

ShardTimes shardTimes(const TrainingCase& c, const DeviceSheet& device, const ShardSet& set) { return shardTimes(StepClock(c, device, 1), set); }

ShownShards exposedShards(const StepClock& clock, const std::vector<ShardSet>& sets, double forward, double backward)
{
    const TrainingCase& c = clock.m_case;
    const double micro = real(c.microBatches);
    const double passes = c.reshardAfterForward ? 1.0 : 0.0;
    const double reductions = c.accumulateUnsharded ? micro : 1.0;  // micro-batches that share one reduction
    const double sums = c.framework == Framework::Fsdp2 ? reductions : micro;
    PassSeconds first, again, scatter, up, down;
    double moved = 0, kept = 0, layers = 0, block = 0;
    bool oneByOne = false;
    for (const ShardSet& s : sets) {
        const ShardTimes t = shardTimes(clock, s);
        const auto each = [&](double PassSeconds::*at) {
            // With a second copy at most the first gather of a step goes over all ranks.
            first.*at += s.x.near > 0 ? (s.x.forward * t.far.*at + s.x.nearForward * t.near.*at) / micro : t.far.*at;
            again.*at += passes * t.near.*at;
            scatter.*at += (t.scatter.*at + t.inNode.*at + t.between.*at) / reductions + 2 / sums * t.replicas.*at;
        };
        each(&PassSeconds::block);
        each(&PassSeconds::embedding);
        each(&PassSeconds::output);
        const auto copied = [&](PassSeconds& sum, const PlacedElements& bytes, double times) {
            const PassSeconds one = passOf(bytes, s.layers, [&](double some) { return some / clock.m_pcie; });
            for (const auto at : {&PassSeconds::block, &PassSeconds::embedding, &PassSeconds::output}) sum.*at += times * one.*at;
        };
        copied(up, s.onHost, 1);
        copied(down, s.gradientsDown, 1 / reductions);
        kept += t.kept / micro;
        layers = std::max(layers, s.layers);
        block += s.layers > 0 ? s.elements / s.layers : 0.0;
        oneByOne = oneByOne || clock.shardsOneByOne(s.x.ranks, s.stride);
        if (s.layers > 0 && s.x.ranks > 1) {
            moved += (s.weights.layers * (1 + passes) + (s.x.nodes > 0 ? 0.5 : s.x.gradient) * s.gradients.layers / reductions) / s.layers * real(s.x.ranks - 1) / real(s.x.ranks);
        }
    }
    // A gather hides under the block before it; what is longer shows. DeepSpeed asks ahead for no more than its prefetch bucket, and not
    // at all without overlap_comm.
    const double ahead = !c.settings.overlapForbidden ? std::min(1.0, real(c.settings.prefetchBucket) / std::max(block, 1.0)) : 0.0;
    // One unit has nothing to compute before it is whole, and nothing left when its gradients are.
    const double under = oneByOne || c.oneUnit ? 0.0 : clock.pythonEngine() ? ahead : 1.0;
    const double shownForward = std::max(0.0, first.block - under * forward);
    const double shownBackward = std::max(0.0, again.block + scatter.block - under * backward);
    // What hides takes processors and memory from what it hides under, by the bytes it moves: a slow network's rings take them seldom.
    const double whole = first.block + again.block + scatter.block;
    const double contended = clock.m_eff.contention * moved / clock.joined(c.ranks()) * (whole > 0 ? std::max(0.0, 1 - (shownForward + shownBackward) / whole) : 0.0);
    // The embedding's gather has nothing before it, and nothing comes after its gradients; its other gathers and the output's hide as the blocks' do.
    const double edges = first.embedding + scatter.embedding + scatter.output + (1 - under) * (first.output + again.embedding + again.output);
    const double parts = !c.reshardAfterForward && c.pp > 1 ? micro : 1.0;
    ShownShards shown{(layers * (shownForward + shownBackward + contended) + edges + kept) / parts, 0};
    if (!shardsOnHost(c)) return shown;

    // What is left of a pass when the collectives have hidden under it.
    const double hides = c.oneUnit ? 0.0 : 1.0;
    const auto beyond = [](double copy, double left) { return std::max(0.0, copy - std::max(0.0, left)); };
    const double upForward = beyond(up.block, hides * forward - (first.block - shownForward));
    const double backwardCopies = beyond(passes * up.block + down.block, hides * backward - (again.block + scatter.block - shownBackward));
    // Of the host's sums, by all ranks of a node: read twice and written once.
    const double sum = 3 * clock.m_pcie * real(std::min(c.devicesPerNode, c.ranks())) / clock.m_eff.hostMemory;
    const double shownAgain = std::max(0.0, again.block - under * backward);
    const double waiting = shownAgain + beyond(passes * up.block, hides * backward - (again.block - shownAgain)) + scatter.block + (1 + sum) * down.block - shownBackward;
    const double waits = shardsAddUp(c) ? (micro - 1) / micro : 0.0;
    const double copiedEdges = up.embedding + (1 + waits * sum) * (down.embedding + down.output) + (1 - hides) * (up.output + passes * (up.embedding + up.output));
    shown.copies = (layers * (upForward + (1 - waits) * backwardCopies + waits * waiting) + copiedEdges) / parts;
    return shown;
}

}  // namespace stagecraft
