// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/transfers.h"

#include "planner/model_states.h"

#include <algorithm>

namespace stagecraft {

namespace {

double elementBytes(const TrainingCase& c) { return c.precision == Precision::Fp32 ? 4 : 2; }

}  // namespace

double gradientWire(const TrainingCase& c)
{
    return c.framework == Framework::DeepSpeed && c.settings.sentBytes > 0 ? c.settings.sentBytes : elementBytes(c);
}

bool shardsWeights(const TrainingCase& c) { return c.framework == Framework::Fsdp2 || (c.framework == Framework::DeepSpeed && c.settings.stage == 3); }

ReplicaExchange replicaExchange(const TrainingCase& c, double phi)
{
    ReplicaExchange e;
    if (shardsWeights(c)) return {0, 0, false, 0};
    const double b = elementBytes(c);
    if (c.framework == Framework::Megatron) {
        e.gradients = (c.fp32Gradients ? 4 : 2) * phi;
        e.whole = !c.distributedOptimizer;
        e.weights = c.distributedOptimizer ? b * phi : 0;
        return e;
    }
    e.gradients = gradientWire(c) * phi;
    e.whole = c.settings.stage == 0;
    e.reductions = c.settings.stage == 2 ? static_cast<double>(c.microBatches) : 1;
    e.weights = c.stateStage() >= 1 ? b * phi : 0;
    return e;
}

OffloadTraffic offloadTraffic(const TrainingCase& c, const std::vector<ParameterGroup>& groups, double layers)
{
    OffloadTraffic t;
    if (c.framework != Framework::DeepSpeed) return t;
    const double b = elementBytes(c);
    const double micro = static_cast<double>(c.microBatches);
    const DsSettings& s = c.settings;
    // Where weights are offloaded too they are updated where they lie: nothing goes back up at the step.
    const bool weightsAway = s.stage == 3 && s.offloadParam != OffloadDevice::None;
    const bool statesAway = s.stage >= 1 && s.offloadOptimizer != OffloadDevice::None;
    const double share = trainedElements(groups).share;
    if (statesAway) {
        const double part = share * offloadedPart(s, share);
        // Gradients go down as they are reduced; with accumulation those of the micro-batches before come up and go down again. Stages
        // 1 and 2 turn the last to fp32 on the device, stage 3 on the host. Source: deepspeed/runtime/zero/stage_1_and_2.py,
        // async_inplace_copy_grad_to_fp32_buffer_from_gpu; stage3.py, partition_grads.
        t.gradientsDown = (b * (micro - 1) + (s.stage == 3 ? b : 4)) * part;
        t.gradientsUp = b * (micro - 1) * part;
        t.updatedUp = weightsAway ? 0 : b * part;
    }
    if (weightsAway) {
        // A shard is loaded whenever its weights are gathered from it, and so is hpZ's, which lies on the host (partition_parameters.py,
        // _partition_param_sec: device=self.remote_device). What is never given back has its shard on the device, or is read once a step
        // where shards are in files.
        const bool files = s.offloadParam == OffloadDevice::Nvme;
        for (const ParameterGroup& group : groups) {
            const ShardExchange x = shardExchange(c, group);
            const double shards = static_cast<double>(group.shards);
            const double bytes = group.sent(group.gathered(), group.bytes);
            const double own = ((x.forward + x.again) * bytes + (files ? group.keptBytes() : 0.0)) / shards;
            t.weightsUp += own + (x.near > 0 ? (x.nearForward + x.nearAgain) * bytes / static_cast<double>(x.near) : 0.0);
            if (files) t.weightsRead += own;
        }
    }
    if (s.cpuCheckpointing && c.policy == ActivationPolicy::Full) {
        const double checkpoint = b * c.tokens() * static_cast<double>(c.model.hidden) / (s.partitionActivations ? static_cast<double>(c.tp) : 1.0);
        t.checkpointsDown = t.checkpointsUp = micro * checkpoint * layers;
    }
    // Master copy and moments in fp32.
    if (statesAway && s.offloadOptimizer == OffloadDevice::Nvme) t.statesRead = t.statesWritten = (4 + s.stateBytes) * share;
    return t;
}

double tensorPayload(const TrainingCase& c) { return elementBytes(c) * c.tokens() * static_cast<double>(c.model.hidden); }

double routedPayload(const TrainingCase& c)
{
    return elementBytes(c) * c.tokens() / (c.sequenceParallel ? static_cast<double>(c.tp) : 1.0) * static_cast<double>(c.model.expertsPerToken * c.model.hidden);
}

double contextPayload(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double heads = static_cast<double>(c.framework == Framework::Fsdp2 ? m.heads : std::max(m.kvHeads, c.tp)) / static_cast<double>(c.tp);
    return elementBytes(c) * c.tokens() * heads * static_cast<double>(m.headSize + m.valueSize);
}

TensorRings tensorRings(const TrainingCase& c)
{
    // Two all-reduces each way, or as many gather and scatter pairs of the same bytes.
    if (c.framework != Framework::Fsdp2) return {};
    // A gather before attention and before the MLP, or before each of their projections; a scatter after both. Backward the other way
    // round. What is made again stops before the last scatter.
    // With one scale a tensor, what is gathered is cast to 8 bits before, and so are the gradients of what was scattered (torchao's
    // float8_tensor_parallel.py).
    const double inputs = c.gatherEachProjection ? (c.model.gated ? 5 : 4) : 2;
    const double narrow = c.float8Activations ? 0.5 : 1.0;
    return {narrow * inputs + 2, inputs + narrow * 2, narrow * inputs + (c.wholeRecompute ? 2 : 1)};
}

ShardExchange shardExchange(const TrainingCase& c, const ParameterGroup& group)
{
    ShardExchange x;
    const bool fsdp = c.framework == Framework::Fsdp2;
    const DsSettings& s = c.settings;
    const double micro = static_cast<double>(c.microBatches);
    x.ranks = group.shards;
    x.wire = c.float8Gather || (!fsdp && s.quantizedWeights) ? 1 : elementBytes(c);
    x.gradient = fsdp ? 4 : gradientWire(c);
    // A pipeline keeps weights and gradients whole from its first micro-batch to its last; without one they go after each backward pass.
    const bool eachBatch = c.reshardAfterForward || c.pp == 1;
    x.forward = eachBatch ? micro : 1;
    x.again = c.reshardAfterForward ? micro : 0;
    x.reductions = eachBatch && !c.accumulateUnsharded ? micro : 1;
    // DeepSpeed's MiCS sums the replicas' shards at the end of the accumulation, in the gradients' own type (runtime/zero/mics.py).
    x.replicaReductions = group.copies <= 1 ? 0 : fsdp ? x.reductions : 1;
    x.replicaBytes = fsdp || s.fp32Gradients ? 4 : elementBytes(c);
    if (fsdp) return x;
    // DeepSpeed counts its groups in ranks of the job: with tensor parallelism it refuses them.
    const std::int64_t all = c.dp * c.cp, near = std::min(s.hpzPartition, all);
    if (near > 1 && all % near == 0 && group.second > 0 && c.tp == 1 && c.copies() == 1 && x.ranks % group.second == 0 && c.reshardAfterForward) {
        x.near = group.second;
        x.nearForward = x.forward - 1;
        x.nearAgain = x.again;
        x.forward = 1;
        x.again = 0;
    }
    const std::int64_t inNode = std::max<std::int64_t>(1, c.devicesPerNode * c.tp / std::max<std::int64_t>(1, group.stride));
    if (s.quantizedGradients && c.tp == 1 && c.copies() == 1 && x.ranks > inNode && x.ranks % inNode == 0) {
        x.inNode = inNode;
        x.nodes = x.ranks / inNode;
    }
    return x;
}

double matrixShare(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    return m.perLayer > 0 ? std::clamp(static_cast<double>(m.layerMatrices) / static_cast<double>(m.perLayer), 0.0, 1.0) : 1.0;
}

double remadeLayers(const TrainingCase& c)
{
    switch (c.policy) {
    case ActivationPolicy::Full:
        if (!c.recomputeFirstLayersOnly) return 1;
        return std::min(1.0, static_cast<double>(c.policyLayers) * static_cast<double>(c.pp) / static_cast<double>(c.model.layers));
    case ActivationPolicy::SelectiveOp: return 0.45;  // half of the matrix products and all that is element-wise
    case ActivationPolicy::SelectiveLayer: return 1.0 / static_cast<double>(std::max<std::int64_t>(1, c.policyLayers));
    default: return 0;
    }
}

double fileRate(const TrainingCase& c) { return 6e9 / static_cast<double>(std::max<std::int64_t>(1, c.devicesPerNode)); }

}  // namespace stagecraft
