// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/framework_ledger.h"

#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "planner/init_phase.h"
#include "planner/model_states.h"
#include "planner/tensor_shares.h"
#include "planner/transfers.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace stagecraft {

namespace {

// Of the model's first `first` layers, how many are before the stage's own ones and among them.
std::int64_t firstLayersOfStage(const TrainingCase& c, std::int64_t first, std::int64_t stage, std::int64_t layers)
{
    const auto all = layersOfStages(c);
    std::int64_t before = 0;
    for (std::int64_t i = 0; i < stage && i < static_cast<std::int64_t>(all.size()); ++i) before += all[static_cast<std::size_t>(i)];
    return std::clamp<std::int64_t>(first - before, 0, layers);
}

}  // namespace

std::int64_t denseLayersOfStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    if (c.model.experts == 0) return layers;
    if (c.model.denseLayers == 0) return 0;
    return firstLayersOfStage(c, c.model.denseLayers, stage, layers);
}

std::int64_t trainedLayersOfStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    return c.model.part.frozenLayers > 0 ? layers - firstLayersOfStage(c, c.model.part.frozenLayers, stage, layers) : layers;
}

double backwardShare(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    if (c.model.part.silentLayers() == 0 || layers <= 0) return 1;
    return static_cast<double>(trainedLayersOfStage(c, stage, layers)) / static_cast<double>(layers);
}

double largestTrained(const TrainingCase& c, const StageParameters& p)
{
    const TrainedPart& part = c.model.part;
    const double t = static_cast<double>(c.tp);
    const double experts = c.model.experts > 0 ? static_cast<double>(c.model.layerExperts) / static_cast<double>(c.expertTensor() * c.ep) : 0.0;
    const double block = part.layers * (p.block - experts) + part.experts * experts + static_cast<double>(part.addedLayer) / t;
    return std::max({block, p.head > 0 || !part.partly ? part.output * p.head + part.addedOutput / t : 0.0, part.embedding * p.embedding + (p.embedding > 0 ? part.addedEmbedding / t : 0.0)});
}

namespace {

/// Elements of a layer's matrices that rank 0 holds beyond an even part of them.
double extraOfRank(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double t = static_cast<double>(c.tp);
    const double key = static_cast<double>(m.hidden * m.headSize);
    // Key and value heads below the tensor-parallel size are kept at least once per rank.
    if (!isAutoTp(c)) return m.kvHeads < c.tp ? 2.0 * key * (1.0 - static_cast<double>(m.kvHeads) / t) : 0.0;
    const TensorShares shares = tensorShares(c);
    const double attention = key * static_cast<double>(m.heads + 2 * m.kvHeads) + static_cast<double>(m.hidden * m.heads) * static_cast<double>(m.valueSize);
    const double mlp = m.experts > 0 ? 0.0 : (m.gated ? 3.0 : 2.0) * static_cast<double>(m.hidden * m.ffn);
    return attention * (1 / shares.attention - 1 / t) + mlp * (1 / shares.mlp - 1 / t);
}

}  // namespace

StageParameters stageParameters(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    const ModelShape& m = c.model;
    const double t = static_cast<double>(c.tp);
    const double ep = static_cast<double>(c.ep);
    const double experts = static_cast<double>(m.layerExperts) / static_cast<double>(c.expertTensor()) / ep;
    const double extra = extraOfRank(c);
    const double replicated = static_cast<double>(m.layerReplicated);
    const double dense = (static_cast<double>(m.layerMatrices - m.layerExperts) - replicated) / t + replicated + static_cast<double>(m.perLayer - m.layerMatrices) + extra;
    const double vocabulary = m.tokenTable() / t;
    // Before the output matrix stands a projection to its width, beside the one behind the token table.
    const double projection = m.tableWidth > 0 ? static_cast<double>(m.hidden) * static_cast<double>(m.tableWidth) : 0.0;
    const double positions = std::max(0.0, static_cast<double>(m.embedding) - m.tokenTable() - projection);
    const double plain = static_cast<double>(denseLayersOfStage(c, stage, layers));
    const double sparse = static_cast<double>(layers) - plain;
    // What a dense layer has in place of experts: an MLP of the plain width, no router and no shared experts.
    const double h = static_cast<double>(m.hidden);
    const double wide = m.gated ? 3.0 : 2.0;
    const double instead = wide * h * static_cast<double>(m.ffn - m.sharedFfn) / t - h * static_cast<double>(m.experts);

    StageParameters p;
    p.block = dense + experts * (m.experts > 0 ? 1.0 : 0.0);
    p.dense = static_cast<double>(layers) * dense + (m.experts > 0 ? plain * instead : 0.0);
    // An encoder's layers have one attention less; their stage is one.
    p.dense -= static_cast<double>(m.encoderLayers) * static_cast<double>(m.crossLayer);
    p.experts = m.experts > 0 ? sparse * experts : 0.0;
    if (stage == 0) p.embedding = vocabulary * (c.embeddingParallel ? 1.0 : t) + positions;
    if (stage == c.pp - 1) {
        // A tied output matrix is the embedding itself on one stage and a copy of it on another; its bias is no table's.
        p.head = static_cast<double>(m.head > 0 ? m.head : 0) / t;
        if (m.tied && c.pp > 1) p.head += vocabulary * (outputIsCopied(c) ? t : 1.0);
        p.head += projection;
        p.dense += static_cast<double>(m.finalNorm);
        if (m.nextTokenLayers > 0) {
            const double next = static_cast<double>(m.nextTokenLayers);
            p.dense += next * (dense + 2 * h * h / t + 3 * static_cast<double>(m.finalNorm)) + (c.pp > 1 ? vocabulary : 0.0);
            p.experts += next * experts;
        }
    }
    p.dense += p.embedding + p.head;
    return p;
}

std::span<const std::string_view> phasesOf(const TrainingCase& c)
{
    static constexpr std::array<std::string_view, 5> kAll{"forward", "backward", "step", "save", "eval"};
    static constexpr std::array<std::string_view, 4> kEval{"forward", "backward", "step", "eval"};
    return c.saves ? std::span(kAll).first(c.evaluates ? 5 : 4) : c.evaluates ? std::span<const std::string_view>(kEval) : std::span(kAll).first(3);
}

void addEvaluation(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, double block)
{
    if (!c.evaluates) return;
    const double tokens = c.tokens();
    ledger.add("activations.scratch", toBytes(block * tokens), "eval", [&] { return LedgerBuilder::Why{"one block at work: without gradients nothing is kept", "tokens · bytes", fmt::format("{:.0f} · {:.6g} B", tokens, block), "torch.no_grad"}; });
    if (stage != c.pp - 1) return;
    const double logits = tokens * static_cast<double>(c.model.outputs()) / (c.lossParallel ? static_cast<double>(c.tp) : 1.0);
    ledger.add("logits", toBytes(8 * logits), "eval", [&] { return LedgerBuilder::Why{"logits and their log-softmax in fp32", "2 · 4 s b V / t", fmt::format("8 · {:.0f}", logits), "torch.no_grad"}; });
}

std::string roleName(std::int64_t stage) { return "pp" + std::to_string(stage) + ".tp0"; }

double expertShards(const TrainingCase& c)
{
    return std::max(1.0, static_cast<double>(c.dp * c.cp * c.tp) / static_cast<double>(c.expertTensor() * c.ep));
}

std::int64_t groupCount(const TrainingCase& c)
{
    std::int64_t groups = 0;
    for (const std::int64_t size : {c.tp, c.pp, c.dp, c.cp, c.ep}) groups += size > 1 ? 1 : 0;
    const DsSettings& s = c.settings;
    if (c.framework != Framework::DeepSpeed || s.stage != 3) return groups;
    const std::int64_t ranks = c.ranks(), here = std::max<std::int64_t>(1, c.devicesPerNode), shard = std::min(s.micsShard, c.dp);
    // hpZ gathers its second copy of the weights in a group of its own (_create_zero_param_parallel_group).
    groups += std::min(s.hpzPartition, ranks) > 1 ? 1 : 0;
    // qgZ's all-to-alls go inside a node, then between the devices of one place in every node; inside one node nothing is sent by them
    // (_get_local_all_to_all_group; stage3.py, __avg_scatter_grads). A communicator takes its memory when it is first used.
    if (s.quantizedGradients && ranks > here) groups += (here > 1 ? 1 : 0) + 1;
    // MiCS has a group of those that share one copy, and one of those that hold the same part of it (mics_utils.py, create_mics_comm_groups).
    if (shard > 0) groups += (shard > 1 ? 1 : 0) + (c.dp / shard > 1 ? 1 : 0);
    return groups;
}

namespace {

LedgerRole stageLedger(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief)
{
    switch (c.framework) {
    case Framework::Megatron: return megatronStage(c, stage, layers, brief);
    case Framework::Fsdp2: return fsdp2Stage(c, stage, layers, brief);
    case Framework::DeepSpeed: break;
    }
    return deepspeedStage(c, stage, layers, brief);
}

}  // namespace

double leastReserve(const TrainingCase& c)
{
    if (c.framework == Framework::Fsdp2) return c.expandableSegments ? 1.0 : 1.05;
    return c.framework == Framework::DeepSpeed && c.settings.stage == 3 ? 1.08 : 1.05;
}

std::int64_t leastProcess(const LedgerPeak& peak, double reserve)
{
    return std::min(peak.process, peak.process - peak.reserved + toBytes(reserve * static_cast<double>(peak.allocated)));
}

LayoutNeed needOf(const TrainingCase& c)
{
    const DsSettings& s = c.settings;
    const double reserve = leastReserve(c);
    const bool onHost = c.sheet && c.sheet->id == "cpu";
    const bool deepspeed = c.framework == Framework::DeepSpeed && (s.offloadOptimizer != OffloadDevice::None || s.offloadParam != OffloadDevice::None || s.cpuCheckpointing);
    const bool offloads = deepspeed || shardsOnHost(c) || c.optimizerOffload > 0 || c.hostLayers > 0;
    const bool uneven = c.model.part.frozenLayers > 0 || c.model.denseLayers > 0 || c.firstStageLayers > 0 || c.lastStageLayers > 0;
    if (c.pp > 1 && !uneven && !offloads) {
        // The fullest rank is the first stage (deepest queue, most layers, embedding) or the last (logits).
        const LedgerPeak first = stageLedger(c, 0, (c.model.layers + c.pp - 1) / c.pp, true).peak;
        const LedgerPeak last = stageLedger(c, c.pp - 1, c.model.layers / c.pp, true).peak;
        const std::int64_t process = std::max(first.process, last.process);
        return {process, 0, onHost ? process : std::max(leastProcess(first, reserve), leastProcess(last, reserve))};
    }
    std::vector<LedgerRole> roles;
    if (c.pp == 1) {
        roles.push_back(stageLedger(c, 0, c.model.layers, true));
    } else {
        const auto layers = layersOfStages(c);
        for (std::int64_t stage = 0; stage < c.pp; ++stage) roles.push_back(stageLedger(c, stage, layers[static_cast<std::size_t>(stage)], true));
    }
    LayoutNeed need;
    for (const LedgerRole& role : roles) {
        need.process = std::max(need.process, role.peak.process + (onHost ? role.hostBytes : 0));
        need.least = std::max(need.least, leastProcess(role.peak, reserve));
    }
    // Hosts have no allocator that asks again.
    if (onHost) need.least = need.process;
    else need.hostPerNode = fullestNodeHost(roles, c.devicesPerNode);
    return need;
}

LedgerRole statesLedger(const TrainingCase& c)
{
    StageParameters p;
    p.dense = static_cast<double>(c.model.params) / static_cast<double>(c.tp) / static_cast<double>(c.pp);
    LedgerBuilder ledger(roleName(0), c.ranks());
    if (c.framework == Framework::Fsdp2) {
        addFsdp2States(ledger, c, p, c.model.part.partly ? parameterGroups(c, 0, 0) : std::vector<ParameterGroup>{});
    } else if (c.framework == Framework::Megatron) {
        addMegatronStates(ledger, c, p);
    } else {
        DsSettings settings = c.settings;
        settings.stage = c.stateStage();
        const std::vector<ParameterGroup> groups = parameterGroups(c, 0, 0);
        addModelStates(ledger, settings, stateInput(c, groups));
        addSwapBuffers(ledger, settings, stateInput(c, groups));
        addSecondCopy(ledger, c, groups);
    }
    LedgerRole role = std::move(ledger).finish({"init", "forward", "backward", "step"}, [](std::int64_t bytes) { return bytes; }, 0);
    role.peak.phase = "step";
    return role;
}

std::vector<LedgerRole> frameworkLedger(const TrainingCase& c)
{
    std::vector<LedgerRole> roles;
    const auto layers = layersOfStages(c);
    for (std::int64_t stage = 0; stage < c.pp; ++stage) {
        roles.push_back(stageLedger(c, stage, layers[static_cast<std::size_t>(stage)], false));
        addInitPhase(roles.back(), c, stage, layers[static_cast<std::size_t>(stage)]);
    }
    return roles;
}

}  // namespace stagecraft
