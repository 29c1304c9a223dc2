// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/transfers.h"

#include "planner/host_activations.h"
#include "planner/model_states.h"
#include "planner/tensor_shares.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

double elementBytes(const TrainingCase& c) { return c.precision == Precision::Fp32 ? 4 : 2; }

// Of what outputs of products travel as.
double outputBytes(const TrainingCase& c) { return c.products() == Precision::Fp32 ? 4 : 2; }

// ZeRO sends weights and gradients of linear modules in autocast's type, all others as they are; at stage 0 the engine sums whole gradients
// in their own. Source: deepspeed/runtime/torch_autocast.py, init_autocast_params; zero/partition_parameters.py, get_allgather_dtype;
// base_optimizer.py, get_param_comm_dtype.
double sentUnderAutocast(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    if (!c.settings.autocastSends || c.settings.stage == 0 || !m.isKnown()) return 4;
    const double all = static_cast<double>(m.params);
    const double linear = (m.code.family == "gpt2" ? 0.0 : static_cast<double>(m.layers * (m.layerMatrices - m.layerExperts))) + m.tokenTable();
    return 4 - 2 * std::clamp(linear / std::max(1.0, all), 0.0, 1.0);
}

}  // namespace

double gradientWire(const TrainingCase& c)
{
    if (c.autocasts() && c.settings.stage >= 1) return sentUnderAutocast(c);
    if (c.framework != Framework::DeepSpeed) return c.fp32Gradients ? 4 : 2;
    return c.settings.sentBytes > 0 ? c.settings.sentBytes : elementBytes(c);
}

bool shardsOnHost(const TrainingCase& c) { return c.framework == Framework::Fsdp2 && c.settings.offloadParam == OffloadDevice::Cpu; }

double shardWidth(const TrainingCase& c) { return c.bf16States ? 2 : 4; }

PlacedElements shardBytes(const TrainingCase& c, const ParameterGroup& group)
{
    const double each = shardWidth(c), shards = static_cast<double>(group.shards);
    return {(each * std::max(0.0, group.held.layers - group.packed) + kPackedWeight * group.packed) / shards, each * group.held.embedding / shards, each * group.held.output / shards};
}

bool shardsAddUp(const TrainingCase& c) { return c.pp == 1 && c.microBatches > 1 && !c.accumulateUnsharded; }

bool shardsWeights(const TrainingCase& c)
{
    switch (c.framework) {
    case Framework::Fsdp2: return true;
    case Framework::Megatron: return c.shardStage == 3;
    case Framework::DeepSpeed: break;
    }
    return c.settings.stage == 3;
}

ReplicaExchange replicaExchange(const TrainingCase& c, double phi)
{
    ReplicaExchange e;
    if (shardsWeights(c)) return {0, 0, false, 0};
    const double b = elementBytes(c);
    if (c.framework == Framework::Megatron) {
        e.gradients = gradientWire(c) * phi;
        e.whole = !c.distributedOptimizer;
        // Megatron-FSDP reduces after every backward pass where gradients are divided, too (megatron_fsdp.py, grad_reduce_every_bprop).
        e.reductions = c.shardStage >= 2 ? static_cast<double>(c.microBatches) : 1;
        e.weights = c.distributedOptimizer ? b * phi : 0;
        return e;
    }
    e.gradients = gradientWire(c) * phi;
    e.whole = c.settings.stage == 0;
    e.reductions = c.settings.stage == 2 ? static_cast<double>(c.microBatches) : 1;
    e.weights = c.stateStage() >= 1 ? b * phi : 0;
    return e;
}

bool reducesBesides(const TrainingCase& c)
{
    return c.framework == Framework::DeepSpeed && c.settings.stage >= 1 && c.settings.stage <= 2 && c.settings.overlapComm && c.pp == 1;
}

OffloadTraffic offloadTraffic(const TrainingCase& c, const std::vector<ParameterGroup>& groups, double layers)
{
    OffloadTraffic t;
    if (c.hostLayers > 0) t.activations = static_cast<double>(c.microBatches) * hostActivations(c, layers).bytes;
    if (c.framework == Framework::Megatron) {
        // Once a step fp32 gradients go down and the updated fp32 weights come up (megatron/core/optimizer/cpu_offloading/hybrid_optimizer.py).
        t.gradientsDown = t.updatedUp = 4 * c.optimizerOffload * trainedElements(groups).share;
        return t;
    }
    if (shardsOnHost(c)) {
        for (const ParameterGroup& group : groups) {
            const ShardExchange x = shardExchange(c, group);
            t.weightsUp += (x.forward + x.again) * shardBytes(c, group).all();
            if (!group.trained) continue;
            t.gradientsDown += x.reductions * shardWidth(c) * group.share();
            // With a gradient that is there already a copy is waited for, and added on the host.
            if (shardsAddUp(c)) t.sumsOnHost += (x.reductions - 1) * shardWidth(c) * group.share();
        }
    }
    if (c.framework != Framework::DeepSpeed) return t;
    const double b = elementBytes(c);
    const double micro = static_cast<double>(c.microBatches);
    const DsSettings& s = c.settings;
    // Where weights are offloaded too they are updated where they lie: nothing goes back up at the step.
    const bool weightsAway = s.stage == 3 && s.offloadParam != OffloadDevice::None;
    const bool statesAway = s.stage >= 1 && s.offloadOptimizer != OffloadDevice::None;
    const double share = trainedElements(groups).share;
    if (statesAway) {
        const double away = share * offloadedPart(s, share);
        // Gradients go down as they are reduced; with accumulation those of the micro-batches before come up and go down again. Stages
        // 1 and 2 turn the last to fp32 on the device (stage_1_and_2.py, async_inplace_copy_grad_to_fp32_buffer_from_gpu).
        t.gradientsDown = (b * (micro - 1) + 4) * share;
        t.gradientsUp = b * (micro - 1) * share;
        if (s.stage == 3) {
            // Its buffer on the host is of the whole partition, in the type that sums are made in. Of every micro-batch what lies there
            // comes up, also of the first, right after it went down; what the host updates is turned to fp32 on the device and sent to
            // the optimizer's own buffers, what the device updates stays there (stage3.py, partition_grads and
            // _offload_grad_partition_at_boundary).
            const double summed = s.fp32Gradients ? 4 : b;
            t.gradientsDown = t.gradientsUp = summed * micro * share;
            t.gradientsForUpdate = s.masterBytes * away;
        }
        t.updatedUp = weightsAway ? 0 : b * away;
        t.updatedDown = weightsAway ? b * (share - away) : 0;
    }
    if (weightsAway) {
        // A shard is loaded whenever its weights are gathered from it, and so is hpZ's, which lies on the host (partition_parameters.py,
        // _partition_param_sec: device=self.remote_device). What is never given back is gathered once a step: from the host's flat buffer
        // where it is trained (stage3.py, _move_to_flat_buffer), from a file, or where it is frozen from a shard on the device.
        const bool files = s.offloadParam == OffloadDevice::Nvme;
        const double filed = files && share > 0 ? 1 - weightsKeptOnHost(s, share) / share : 1;
        for (const ParameterGroup& group : groups) {
            const ShardExchange x = shardExchange(c, group);
            const double shards = static_cast<double>(group.shards);
            const double bytes = group.gatheredBytes();
            const double own = ((x.forward + x.again) * bytes + (group.trained ? 1.0 : files ? group.filedOfKept() : 0.0) * group.keptBytes()) / shards;
            t.weightsUp += own + (x.near > 0 ? (x.nearForward + x.nearAgain) * bytes / static_cast<double>(x.near) : 0.0);
            if (!files) continue;
            t.weightsRead += (group.trained ? filed : 1.0) * (group.filedOfGathered() * (x.forward + x.again) * bytes + group.filedOfKept() * group.keptBytes()) / shards;
            if (group.trained) t.weightsWritten += b * filed * group.filed() * group.share();
        }
    }
    if (s.cpuCheckpointing && c.policy == ActivationPolicy::Full) {
        const double checkpoint = b * c.tokens() * static_cast<double>(c.model.hidden) / (s.partitionActivations ? static_cast<double>(c.tp) : 1.0);
        t.checkpointsDown = t.checkpointsUp = micro * checkpoint * layers;
    }
    if (statesAway && s.offloadOptimizer == OffloadDevice::Nvme) {
        // Master copy and moments are read and written by the update; gradients are written before it, and read with them
        // (swap_tensor/partitioned_optimizer_swapper.py, swap_out_gradients and swap_in_optimizer_state).
        const double filed = share * statesInFiles(s, share);
        t.statesRead = t.statesWritten = (s.masterBytes + s.stateBytes) * filed;
        t.gradientsRead = t.gradientsWritten = s.masterBytes * filed;
    }
    return t;
}

double tensorPayload(const TrainingCase& c) { return outputBytes(c) * c.tokens() * static_cast<double>(c.model.hidden); }

double routedPayload(const TrainingCase& c)
{
    // Tensor-parallel ranks have the same tokens: with sequence parallelism, and by AutoEP (auto_ep_layer.py, partition_assignments), each
    // sends its part of them.
    const bool parts = c.sequenceParallel || (c.framework == Framework::DeepSpeed && !c.megatronCode);
    return elementBytes(c) * c.tokens() / (parts ? static_cast<double>(c.tp) : 1.0) * static_cast<double>(c.model.expertsPerToken * c.model.hidden);
}

ContextExchange contextExchange(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double queries = static_cast<double>(m.heads) / tensorShares(c).attention, keys = keyHeadsOnRank(c), width = static_cast<double>(m.headSize + m.valueSize);
    const double element = elementBytes(c) * c.tokens();
    // Queries and outputs are as wide as keys and values.
    if (c.framework == Framework::DeepSpeed) return {true, element * (queries + std::max(keys, static_cast<double>(c.cp))) * width, 1, 1};
    return {false, element * (c.framework == Framework::Fsdp2 ? queries : keys) * width, 1, 2};
}

double checkpointGathers(const TrainingCase& c)
{
    return c.framework == Framework::DeepSpeed && c.settings.partitionActivations && c.policy == ActivationPolicy::Full && c.tp > 1 ? remadeLayers(c) : 0.0;
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
    const bool fsdp = c.framework == Framework::Fsdp2, deepspeed = c.framework == Framework::DeepSpeed;
    const DsSettings& s = c.settings;
    const double micro = static_cast<double>(c.microBatches);
    x.ranks = group.shards;
    x.wire = c.float8Gather || (deepspeed && s.quantizedWeights) ? 1 : c.autocasts() ? sentUnderAutocast(c) : elementBytes(c);
    x.gradient = gradientWire(c);
    // A pipeline keeps weights and gradients whole from its first micro-batch to its last; without one they go after each backward pass.
    const bool eachBatch = c.reshardAfterForward || c.pp == 1;
    x.forward = eachBatch ? micro : 1;
    x.again = c.reshardAfterForward ? micro : 0;
    x.reductions = eachBatch && !c.accumulateUnsharded ? micro : 1;
    // DeepSpeed's MiCS sums the replicas' shards at the end of the accumulation, in the gradients' own type (runtime/zero/mics.py).
    x.replicaReductions = group.copies <= 1 ? 0 : fsdp ? x.reductions : 1;
    x.replicaBytes = fsdp ? gradientWire(c) : s.fp32Gradients ? 4 : elementBytes(c);
    if (!deepspeed) return x;
    // DeepSpeed counts its groups in ranks of the job: with tensor parallelism it refuses them.
    const std::int64_t all = c.dp * c.cp, near = std::min(s.hpzPartition, all);
    if (near > 1 && all % near == 0 && group.second > 0 && c.tp == 1 && c.copies() == 1 && x.ranks % group.second == 0 && c.reshardAfterForward) {
        const double far = group.trained ? 1 : 0;
        x.near = group.second;
        x.nearForward = x.forward - far;
        x.nearAgain = x.again;
        x.forward = far;
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

double remadeAttention(const TrainingCase& c)
{
    if (c.policy == ActivationPolicy::SelectiveCore) return c.modules.core ? 1 : 0;
    return c.policy == ActivationPolicy::SelectiveOp ? 0.0 : remadeLayers(c);
}

double remadeExperts(const TrainingCase& c) { return c.policy == ActivationPolicy::SelectiveCore && c.modules.moe ? 1 : remadeLayers(c); }

FileRates fileRates(const TrainingCase& c)
{
    constexpr double kAssumed = 6e9;
    const double devices = static_cast<double>(std::max<std::int64_t>(1, c.devicesPerNode));
    return {(c.settings.diskRead > 0 ? c.settings.diskRead : kAssumed) / devices, (c.settings.diskWrite > 0 ? c.settings.diskWrite : kAssumed) / devices};
}

bool usesBf16Optimizer(const TrainingCase& c)
{
    const DsSettings& s = c.settings;
    return c.precision == Precision::Bf16 && ((s.fp32Gradients && s.stage <= 1 && s.offloadOptimizer == OffloadDevice::None) || c.stateStage() > s.stage);
}

namespace {

/// @param counted  how many of a tensor's matrices are meant: of all layers, or of one
template <typename Counted>
double filledBuckets(const TrainingCase& c, bool experts, double elements, double bucket, Counted counted)
{
    if (elements <= bucket) return 1;
    double all = 0, alone = 0, shared = 0;
    for (const ModelTensor& tensor : c.model.tensors) {
        if (experts ? !tensor.expert : tensor.expert && c.ep > 1) continue;
        const double count = counted(tensor);
        const double each = tensor.elements() / static_cast<double>(c.tp);
        all += each * count;
        if (each > bucket) alone += count;
        else shared += each * count;
    }
    if (all <= 0) return std::ceil(elements / bucket);
    const double part = std::min(1.0, elements / all);  // of the model's tensors, those that lie here and are trained
    return std::max(1.0, alone * part + std::ceil(shared * part / bucket));
}

}  // namespace

double bucketReductions(const TrainingCase& c, const ParameterGroup& group, double bucket)
{
    return filledBuckets(c, group.experts, group.elements(), bucket, [](const ModelTensor& tensor) { return static_cast<double>(tensor.each * tensor.layers); });
}

double layerReductions(const TrainingCase& c, bool experts, double elements, double bucket)
{
    return filledBuckets(c, experts, elements, bucket, [&c](const ModelTensor& tensor) {
        return tensor.where == ModelTensor::Where::Layer ? static_cast<double>(tensor.each * tensor.layers) / static_cast<double>(c.model.layers) : 0.0;
    });
}

bool hasBuckets(const TrainingCase& c) { return c.framework == Framework::DeepSpeed && (c.settings.stage == 1 || c.settings.stage == 2) && !usesBf16Optimizer(c); }

BucketCalls bucketCalls(const TrainingCase& c, const ParameterGroup& group)
{
    if (!hasBuckets(c) || group.replicas() < 2) return {};
    return {bucketReductions(c, group, static_cast<double>(c.settings.reduceBucket)), std::max(1.0, std::floor(group.elements() / static_cast<double>(c.settings.allgatherBucket)))};
}

}  // namespace stagecraft
