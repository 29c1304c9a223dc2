// SPDX-License-Identifier: GPL-3.0-or-later
// FSDP2's shards: weights, gradients and moments, on the device or on its host.
#include "planner/framework_ledger.h"
#include "planner/transfers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr const char* kFsdp = "torch/distributed/fsdp/_fully_shard: fp32 shards, 16-bit gathered parameters, fp32 reduction";
constexpr const char* kPackedSource = "bitsandbytes/nn/modules.py: Params4bit in a float quant_storage is a parameter that is divided as others are, its quant_state is not";
constexpr const char* kOnHost = "torch/distributed/fsdp/_fully_shard: CPUOffloadPolicy, pin_memory; _fsdp_param.py, reset_sharded_param; _fsdp_collectives.py, foreach_reduce";

struct Pinned {
    double asked = 0, given = 0;   ///< bytes
};

/// What pinned memory takes of the shards that are asked for one by one: PyTorch hands out powers of two (ATen/core/CachingHostAllocator.h, allocate).
/// A gradient that comes down without being waited for is pinned as well; moments are made like any other tensor.
Pinned pinnedShards(const TrainingCase& c, const StageParameters& p, double shards, double expertRanks)
{
    const ModelShape& m = c.model;
    const double each = m.part.partly ? 1 : 2;   // weight and gradient; of a frozen base there is no gradient, and what is added to it is small
    Pinned sum;
    const auto add = [&sum](double tensors, double size) {
        const double bytes = std::ceil(size);
        if (!(bytes >= 1) || bytes > 1e15) return;
        sum.asked += tensors * bytes;
        sum.given += tensors * static_cast<double>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
    };
    // The forerunner's shards are one for each block, and one for the root (_flat_param.py, init_flat_param_attributes).
    if (c.flatShards && !m.part.partly) {
        add(each * static_cast<double>(m.layers) / static_cast<double>(c.pp), shardWidth(c) * p.block / shards);
        add(each, shardWidth(c) * (p.embedding + p.head) / shards);
        return sum;
    }
    for (const ModelTensor& t : m.tensors) {
        const bool layer = t.where == ModelTensor::Where::Layer;
        if ((t.where == ModelTensor::Where::Embedding && !(p.embedding > 0)) || (t.where == ModelTensor::Where::Output && c.pp > 1 && !(p.head > 0))) continue;
        const double tensors = each * static_cast<double>(t.layers) * (t.expert ? 1.0 : static_cast<double>(t.each)) / (layer ? static_cast<double>(c.pp) : 1.0);
        // A rank's experts are one tensor.
        const double elements = t.expert ? t.elements() * static_cast<double>(t.each) / static_cast<double>(c.expertTensor() * c.ep) / expertRanks
                                         : std::ceil(static_cast<double>(t.rows) / (t.columns > 1 ? static_cast<double>(c.tp) : 1.0) / shards) * static_cast<double>(t.columns);
        const bool packs = m.part.packed() && layer && !t.expert && t.linear != ModelTensor::Linear::None;
        add(tensors, (packs ? kPackedWeight : shardWidth(c)) * elements);
    }
    return sum;
}

}  // namespace

void addFsdp2States(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p, const std::vector<ParameterGroup>& groups, double beforeFreed)
{
    const double shards = static_cast<double>(c.dp * c.cp / c.copies());
    const double phi = p.all();
    const double expertRanks = std::max(1.0, expertShards(c) / static_cast<double>(c.copies()));
    const double share = p.dense / shards + p.experts / expertRanks;
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const auto perParameter = [&](double bytes) {
        if (!groups.empty()) return fmt::format("{} · {:.0f} / {:.0f}", bytes, trainedElements(groups).held, shards);
        return c.ep > 1 && p.experts > 0 ? fmt::format("{} · ({:.0f} / {:.0f} + {:.0f} / {:.0f})", bytes, p.dense, shards, p.experts, expertRanks) : fmt::format("{} · {:.0f} / {:.0f}", bytes, phi, shards);
    };

    // Shards, moments and sharded gradients have one dtype. A group may have parameters that need no gradient beside those that do:
    // all are sharded and gathered, and gradients are reduced of those that have one (_fsdp_param_group.py, post_backward).
    const double each = shardWidth(c);
    const bool onHost = shardsOnHost(c);
    const Place place = onHost ? Place::Pinned : Place::Device;
    double trained = share, frozenShare = 0, frozen = 0, packed = 0, packedShare = 0;
    if (!groups.empty()) {
        trained = 0;
        for (const ParameterGroup& group : groups) {
            (group.trained ? trained : frozenShare) += group.share();
            frozen += group.trained ? 0 : group.elements();
            packed += group.packed;
            packedShare += group.packed / static_cast<double>(group.shards);
        }
    }
    const double moments = c.settings.stateBytes;
    if (packed > 0) {
        const double whole = (c.model.part.packedBytes - kPackedWeight) * packed;
        ledger.add("frozen_weights", place, toBytes(each * (frozenShare - packedShare) + kPackedWeight * packedShare), "all", [&] { return why("shards of the frozen parameters, those of the layers packed in 4 bits", fmt::format("({} F_rest + {} F_packed) / N", each, kPackedWeight), fmt::format("{} · {:.0f} + {} · {:.0f}", each, frozenShare - packedShare, kPackedWeight, packedShare), kPackedSource); });
        ledger.add("quantisation_constants", toBytes(whole), "all", [&] { return why("constants of the packed blocks, whole on every rank", fmt::format("{:.6g} F_packed", whole / packed), fmt::format("{:.10g} · {:.0f}", whole / packed, packed), kPackedSource); });
    } else if (frozen > 0) ledger.add("frozen_weights", place, toBytes(each * frozenShare), "all", [&] { return why(c.bf16States ? "16-bit shards of the frozen parameters" : "fp32 shards of the frozen parameters", fmt::format("{} F / N", each), fmt::format("{} · {:.0f} / N", each, frozen), kFsdp); });
    ledger.add("weights", place, toBytes(each * trained), "all", [&] { return why(c.bf16States ? "16-bit shards of the parameters" : "fp32 shards of the parameters", fmt::format("{} Φ / N", each), perParameter(each), kFsdp); });
    ledger.add("optimizer_states", onHost ? Place::Host : Place::Device, toBytes(moments * trained), "all", [&] { return why("the optimizer's moments", fmt::format("{} Φ / N", moments), perParameter(moments), kFsdp); });
    if (onHost) {
        ledger.add("gradients_host", Place::Pinned, toBytes(each * trained), "all", [&] { return why("shards of the gradients, for the optimizer on the host", fmt::format("{} Φ / N", each), perParameter(each), kOnHost); });
        const Pinned pinned = pinnedShards(c, p, shards, expertRanks);
        ledger.add("pinned_rounding", Place::Pinned, toBytes(pinned.given - pinned.asked), "all", [&] { return why("what pinned memory takes beyond the shards: each tensor's is rounded up to a power of two", "Σ (2^⌈log2 bytes⌉ - bytes)", fmt::format("{:.0f} - {:.0f} B", pinned.given, pinned.asked), "ATen/core/CachingHostAllocator.h, allocate"); });
        return;
    }
    if (beforeFreed > 0 && !c.accumulateUnsharded) {
        ledger.add("gradients", toBytes(each * trained - beforeFreed), "backward", [&] { return why("shards of the gradients, beyond those that take the place of activations: block by block these are freed while those are made", fmt::format("{} Φ / N - min(activations, gradients) (L - 1) / L", each), fmt::format("{} - {:.0f} B", perParameter(each), beforeFreed), kFsdp); });
    }
    ledger.add("gradients", toBytes(each * trained), c.accumulateUnsharded || beforeFreed > 0 ? "step" : shardsAddUp(c) ? "forward|backward|step" : "backward|step", [&] { return why(c.bf16States ? "16-bit shards of the gradients, freed after the step" : "fp32 shards of the gradients, freed after the step", fmt::format("{} Φ / N", each), perParameter(each), kFsdp); });
}

}  // namespace stagecraft
