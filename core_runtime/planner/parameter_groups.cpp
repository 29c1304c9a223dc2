// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/parameter_groups.h"

#include "planner/framework_ledger.h"
#include "planner/model_states.h"
#include "planner/tensor_shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

namespace stagecraft {

namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

/// Parts of the elements of each place and kind.
struct PlaceParts {
    double layers = 0, experts = 0, embedding = 0, output = 0, adapters = 0;
};

/// What stage 3 keeps gathered, what is too small for a file of its own, and what is both.
struct KeptParts : PlaceParts {
    double matrices = 0;  ///< of what is kept, the part of the matrices in layers alone, experts' left out
    PlaceParts small, smallKept;
};

/// Elements of one tensor on one rank: what DeepSpeed compares with its thresholds.
double onRank(const TrainingCase& c, const ModelTensor& tensor)
{
    if (tensor.expert) return tensor.elements() / real(c.expertTensor());
    if (tensor.columns <= 1 || (tensor.where == ModelTensor::Where::Embedding && !c.embeddingParallel)) return tensor.elements();
    const TensorShares shares = tensorShares(c);
    return tensor.elements() / (tensor.linear == ModelTensor::Linear::Attention ? shares.attention : tensor.linear == ModelTensor::Linear::Mlp ? shares.mlp : real(c.tp));
}

/// @param width  bytes of an element
/// @param dense, experts  ranks that share those
KeptParts keptParts(const TrainingCase& c, double width, std::int64_t dense, std::int64_t experts)
{
    const DsSettings& s = c.settings;
    KeptParts kept;
    if (c.framework != Framework::DeepSpeed || s.stage != 3 || c.model.tensors.empty()) return kept;
    enum Place { Layers, Experts, Embedding, Output, kPlaces };
    using Sums = std::array<double, kPlaces>;
    Sums all{}, stay{}, small{}, smallStay{};
    // How long a packed tensor is depends on the type it is stored in: all of such a base counts as in files.
    const bool files = s.offloadParam == OffloadDevice::Nvme && !c.model.part.packed();
    const auto isBelow = [&](double elements, std::int64_t shards) { return files && width * std::ceil(elements / real(shards)) < real(s.leastFile); };
    const auto placeOf = [](const ModelTensor& t) { return t.expert ? Experts : t.where == ModelTensor::Where::Layer ? Layers : t.where == ModelTensor::Where::Embedding ? Embedding : Output; };
    const auto hereOf = [&](const ModelTensor& t) { return t.expert ? std::max(1.0, real(t.each) / real(c.ep)) : real(t.each); };
    const double threshold = real(s.persistence), limit = real(s.modelPersistence);
    double sum = 0, matrices = 0, stayingMatrices = 0;
    const auto isMatrix = [&](const ModelTensor& t) { return placeOf(t) == Layers && t.columns > 1; };
    // All experts of a rank are one tensor.
    const auto isSmall = [&](const ModelTensor& t, double size) { return t.expert ? isBelow(size * hereOf(t), experts) : isBelow(size, dense); };
    for (const ModelTensor& t : c.model.tensors) {
        const double size = onRank(c, t);
        const double count = hereOf(t) * real(t.layers);
        all[placeOf(t)] += size * count;
        if (isSmall(t, size)) small[placeOf(t)] += size * count;
        if (isSmall(t, size) && size <= threshold) smallStay[placeOf(t)] += size * count;
        if (isMatrix(t)) matrices += size * count;
        if (isMatrix(t) && size <= threshold) stayingMatrices += size * count;
        if (size <= threshold) stay[placeOf(t)] += size * count;
        if (size <= threshold) sum += size * count;
    }
    if (sum > limit) {
        // In the order of the modules, each tensor that still fits below stage3_model_persistence_threshold.
        stay = smallStay = {};
        stayingMatrices = 0;
        double total = 0;
        const auto take = [&](const ModelTensor& t) {
            const double size = onRank(c, t);
            if (size > threshold || !(size > 0)) return;
            const double count = std::clamp(std::floor((limit - total) / size), 0.0, hereOf(t));
            total += count * size;
            stay[placeOf(t)] += count * size;
            if (isMatrix(t)) stayingMatrices += count * size;
            if (isSmall(t, size)) smallStay[placeOf(t)] += count * size;
        };
        for (const ModelTensor& t : c.model.tensors)
            if (t.where == ModelTensor::Where::Embedding) take(t);
        for (std::int64_t layer = 0; layer < c.model.layers; ++layer) {
            for (const ModelTensor& t : c.model.tensors)
                if (t.where == ModelTensor::Where::Layer && layer >= t.firstLayer && layer < t.firstLayer + t.layers) take(t);
        }
        for (const ModelTensor& t : c.model.tensors)
            if (t.where == ModelTensor::Where::Output) take(t);
    }
    double adapters = 0, keptAdapters = 0, smallAdapters = 0, smallKeptAdapters = 0;
    for (const TrainedPart::Matrices& own : c.model.part.adapters) {
        const double these = own.elements * own.count;
        const bool stays = own.elements <= threshold && own.elements <= limit, below = isBelow(own.elements, dense);
        adapters += these;
        keptAdapters += stays ? these : 0;
        smallAdapters += below ? these : 0;
        smallKeptAdapters += stays && below ? these : 0;
    }
    const auto partsOf = [&](const Sums& sums, double ofAdapters) {
        const auto part = [&](Place place) { return all[place] > 0 ? sums[place] / all[place] : 0.0; };
        return PlaceParts{part(Layers), part(Experts), part(Embedding), part(Output), adapters > 0 ? ofAdapters / adapters : 0.0};
    };
    static_cast<PlaceParts&>(kept) = partsOf(stay, keptAdapters);
    kept.matrices = matrices > 0 ? stayingMatrices / matrices : 0.0;
    if (files) kept.small = partsOf(small, smallAdapters);
    if (files) kept.smallKept = partsOf(smallStay, smallKeptAdapters);
    return kept;
}

}  // namespace

double ParameterGroup::sentOfLayers(double elements, double packedPart, double width) const
{
    return std::max(0.0, elements - packedPart) * width + packedPart * std::min(packedBytes, width);
}

std::vector<ParameterGroup> parameterGroups(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    const ModelShape& m = c.model;
    const bool known = m.isKnown();
    const StageParameters p = known ? stageParameters(c, stage, layers) : StageParameters{};

    ParameterGroup dense;
    dense.layers = known ? real(layers) : 0;
    dense.bytes = dense.packedBytes = c.precision == Precision::Fp32 ? 4 : 2;
    dense.copies = c.copies();
    dense.shards = std::max<std::int64_t>(1, c.dp * c.cp / dense.copies);
    dense.stride = c.tp;
    if (known) {
        dense.held = {0, p.embedding, p.head + (stage == c.pp - 1 ? real(m.finalNorm) : 0.0)};
        dense.held.layers = std::max(0.0, p.dense - dense.held.embedding - dense.held.output);
    } else {
        dense.held.layers = real(m.params) / real(c.tp * c.pp);
    }

    // Ranks that hold the same experts are as many as expertShards() says, and stand further apart.
    ParameterGroup experts = dense;
    experts.experts = true;
    experts.held = {p.experts, 0, 0};
    const auto holders = std::max<std::int64_t>(1, std::llround(std::floor(expertShards(c))));
    experts.shards = std::max<std::int64_t>(1, holders / dense.copies);
    experts.copies = std::max<std::int64_t>(1, holders / experts.shards);
    experts.stride = c.expertTensor() * c.ep;

    const KeptParts kept = keptParts(c, dense.bytes, dense.shards, experts.shards);
    const auto ofDense = [&](const PlaceParts& parts) { return PlacedElements{parts.layers * dense.held.layers, parts.embedding * dense.held.embedding, parts.output * dense.held.output}; };
    std::tie(dense.kept, dense.small, dense.smallKept) = std::tuple(ofDense(kept), ofDense(kept.small), ofDense(kept.smallKept));
    std::tie(experts.kept.layers, experts.small.layers, experts.smallKept.layers) = std::tuple(kept.experts * p.experts, kept.small.experts * p.experts, kept.smallKept.experts * p.experts);

    const std::int64_t partition = c.settings.hpzPartition;
    if (c.framework == Framework::DeepSpeed && c.settings.stage == 3 && partition > 1 && dense.shards > 1) {
        // Its groups are of ranks beside each other: of those that hold the same experts fewer are among them.
        for (ParameterGroup* group : {&dense, &experts}) group->second = std::clamp<std::int64_t>(partition * c.tp / std::max<std::int64_t>(1, group->stride), 1, group->shards);
    }
    if (experts.shards == dense.shards && experts.copies == dense.copies && experts.stride == dense.stride) {
        dense.held.layers += experts.held.layers;
        dense.kept.layers += experts.kept.layers;
        dense.small.layers += experts.small.layers;
        dense.smallKept.layers += experts.smallKept.layers;
        experts.held = experts.kept = experts.small = experts.smallKept = {};
    }

    std::vector<ParameterGroup> groups;
    groups.reserve(4);
    if (m.part.partly) {
        const TrainedPart& part = m.part;
        // The model's own parameters that are trained, and what is trained beside them.
        const double here = known ? real(trainedLayersOfStage(c, stage, layers)) / std::max(1.0, real(layers)) : 1.0;
        const double norm = known && stage == c.pp - 1 ? real(m.finalNorm) : 0.0;
        const auto taken = [](ParameterGroup& from, const PlacedElements& shares, const PlacedElements& own) {
            ParameterGroup trained = from;
            trained.held = own;
            for (PlacedElements ParameterGroup::*which : {&ParameterGroup::kept, &ParameterGroup::small, &ParameterGroup::smallKept}) {
                PlacedElements& all = from.*which;
                trained.*which = {all.layers * shares.layers, all.embedding * shares.embedding, all.output * shares.output};
                all = {all.layers * (1 - shares.layers), all.embedding * (1 - shares.embedding), all.output * (1 - shares.output)};
            }
            from.held = {from.held.layers - own.layers, from.held.embedding - own.embedding, from.held.output - own.output};
            from.trained = false;
            return trained;
        };
        const double output = dense.held.output > 0 ? (p.head * part.output + norm * part.norm) / dense.held.output : 0.0;
        // Where all ranks have all experts, these are among the dense ones.
        const double ofExperts = std::min(dense.held.layers, experts.elements() > 0 ? 0.0 : p.experts), ofLayers = dense.held.layers - ofExperts;
        const double layer = dense.held.layers > 0 ? here * (part.layers * ofLayers + part.experts * ofExperts) / dense.held.layers : 0.0;
        const PlacedElements shares{layer, part.embedding, output};
        ParameterGroup trained = taken(dense, shares, {layer * dense.held.layers, part.embedding * dense.held.embedding, output * dense.held.output});
        if (part.adapted()) {
            // Adapters of the upper layers alone are on the stages that have those.
            const double behind = real(std::max<std::int64_t>(1, m.layers - part.frozenLayers));
            const PlacedElements added{known ? here * real(layers) * real(part.addedLayer) * (real(m.layers) / behind) / real(c.tp) : real(part.added) / real(c.tp * c.pp), stage == 0 ? part.addedEmbedding / real(c.tp) : 0.0, stage == c.pp - 1 ? part.addedOutput / real(c.tp) : 0.0};
            trained.held = {trained.held.layers + added.layers, trained.held.embedding + added.embedding, trained.held.output + added.output};
            const auto withAdded = [&](const PlacedElements& own, double share) { return PlacedElements{own.layers + share * added.layers, own.embedding + share * added.embedding, own.output + share * added.output}; };
            trained.kept = withAdded(trained.kept, kept.adapters);
            trained.small = withAdded(trained.small, kept.small.adapters);
            trained.smallKept = withAdded(trained.smallKept, kept.smallKept.adapters);
        }
        groups.push_back(trained);
        if (experts.elements() > 0) {
            const double share = here * part.experts;
            ParameterGroup own = taken(experts, {share, 0, 0}, {share * experts.held.layers, 0, 0});
            if (own.elements() > 0) groups.push_back(own);
        }
        // Only the linear layers' matrices are packed, and no experts.
        if (part.packed()) {
            dense.packed = std::min(dense.held.layers, real(layers * part.packedMatrices) / real(c.tp));
            dense.packedKept = std::min(dense.kept.layers, kept.matrices * dense.packed);
            dense.packedOutput = c.packedOutput ? dense.held.output : 0.0;
            // FSDP2 divides and gathers parameters; the constants of their blocks are none (bitsandbytes, nn/modules.py: Params4bit.quant_state).
            dense.packedBytes = c.framework == Framework::Fsdp2 ? std::min(part.packedBytes, 0.5) : part.packedBytes;
        }
    }
    groups.push_back(dense);
    if (experts.elements() > 0) groups.push_back(experts);
    return groups;
}

TrainedElements trainedElements(const std::vector<ParameterGroup>& groups)
{
    TrainedElements sum;
    for (const ParameterGroup& group : groups) {
        if (!group.trained) continue;
        sum.held += group.elements();
        sum.share += group.share();
    }
    return sum;
}

StateInput stateInput(const TrainingCase& c, const std::vector<ParameterGroup>& groups)
{
    StateInput in;
    in.ranks = real(groups.front().shards);
    in.expertRanks = in.ranks;
    in.ranksPerNode = real(c.devicesPerNode);
    double filed = 0, all = 0, frozenFiled = 0, frozen = 0;
    for (const ParameterGroup& group : groups) {
        if (group.experts) in.expertRanks = real(group.shards);
        if (group.trained) {
            in.params += group.elements();
            all += group.share();
            filed += group.filed() * group.share();
            if (group.experts) in.experts += group.elements();
        } else {
            in.frozen += group.elements();
            in.frozenBytes += group.storedBytes();
            frozen += group.storedBytes() / real(group.shards);
            frozenFiled += group.filed() * group.storedBytes() / real(group.shards);
            if (group.experts) in.frozenExpertBytes += group.storedBytes();
        }
    }
    if (all > 0) in.filed = filed / all;
    if (frozen > 0) in.frozenFiled = frozenFiled / frozen;
    return in;
}

}  // namespace stagecraft
