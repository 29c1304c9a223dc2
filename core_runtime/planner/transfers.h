// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/parameter_groups.h"
#include "planner/training_case.h"

namespace stagecraft {

/// What the replicas exchange once or more often in a step where weights are whole on every rank (all but stage 3 and FSDP2).
/// Buffers of ring collectives: of each a rank sends (N - 1) / N.
struct ReplicaExchange {
    double gradients = 0;    ///< bytes of one reduction's buffer
    double reductions = 1;   ///< a step: DeepSpeed's stage 2 reduces after every micro-batch
    bool whole = true;       ///< all-reduce, twice a ring; else each rank keeps its shard
    double weights = 0;      ///< bytes of the updated weights that are gathered after the step; 0 where every rank updates all
    /// Bytes of all rings together.
    [[nodiscard]] double buffers() const { return (whole ? 2 : 1) * reductions * gradients + weights; }
};

/// @param phi  trained parameters of the rank, after tensor, pipeline and expert parallelism, that are exchanged among the same ranks
[[nodiscard]] ReplicaExchange replicaExchange(const TrainingCase& c, double phi);

/// Whether DeepSpeed sums whole gradients over the replicas while a backward pass runs. At stage 0 it does so after the last one
/// (engine.py, buffered_allreduce_fallback), at stages 1 and 2 unless overlap_comm is written as true, and with a pipeline whatever is
/// written ("Pipeline parallelism does not support overlapped communication, will be disabled").
[[nodiscard]] bool reducesBesides(const TrainingCase& c);

/// Bytes of a weight that bitsandbytes packs in 4 bits, without its constants.
inline constexpr double kPackedWeight = 0.5;

/// Whether FSDP2 keeps its shards on the host, CPUOffloadPolicy: weights, trained or frozen, gradients and the optimizer's states. Before each
/// gather a rank's shard is copied to the device, in the type that it is kept in; a reduced gradient is copied back, and the optimizer steps on the host.
/// Source: torch/distributed/fsdp/_fully_shard: _fsdp_param.py, all_gather_inputs; _fsdp_collectives.py, foreach_reduce.
[[nodiscard]] bool shardsOnHost(const TrainingCase& c);
/// Bytes of an element of FSDP2's shards, of weights and gradients.
[[nodiscard]] double shardWidth(const TrainingCase& c);
/// Bytes of this rank's shards of a group, by where they stand.
[[nodiscard]] PlacedElements shardBytes(const TrainingCase& c, const ParameterGroup& group);
/// Whether FSDP2's sharded gradients stay from one micro-batch of a step to the next, which add to them.
[[nodiscard]] bool shardsAddUp(const TrainingCase& c);

/// Bytes of one step between a device, its host and the files. All zero where nothing is offloaded.
struct OffloadTraffic {
    double gradientsDown = 0, gradientsUp = 0;       ///< gradients for the host's optimizer; up: what lies there of a micro-batch or of earlier ones
    double gradientsForUpdate = 0;                   ///< stage 3: the step's sums once more down, in the update's own type
    double updatedUp = 0;                            ///< 16-bit weights after the host's update, where they live on the device
    double updatedDown = 0;                          ///< and after the device's, where they live on the host
    double weightsUp = 0;                            ///< offloaded weights, for each pass of each micro-batch
    double sumsOnHost = 0;                           ///< no transfer: FSDP2's gradients that the host adds to those of earlier micro-batches
    double checkpointsDown = 0, checkpointsUp = 0;   ///< activation checkpoints kept on the host
    double activations = 0;                          ///< that go down in the forward pass and come up in the backward pass, under computing
    double statesRead = 0, statesWritten = 0;        ///< optimizer states in files
    double gradientsRead = 0, gradientsWritten = 0;  ///< fp32 gradients in files beside those states
    double weightsRead = 0, weightsWritten = 0;      ///< weights in files; written: after the update
    /// What goes while nothing is computed.
    [[nodiscard]] double device() const { return gradientsDown + gradientsUp + gradientsForUpdate + updatedUp + updatedDown + weightsUp + checkpointsDown + checkpointsUp; }
    [[nodiscard]] double filesRead() const { return statesRead + gradientsRead + weightsRead; }
    [[nodiscard]] double filesWritten() const { return statesWritten + gradientsWritten + weightsWritten; }
};

/// @param groups  of the rank's stage: what is frozen is computed with, too
/// @param layers  of it
[[nodiscard]] OffloadTraffic offloadTraffic(const TrainingCase& c, const std::vector<ParameterGroup>& groups, double layers);

/// Bytes of the tensor that one all-reduce of tensor parallelism sums, or a gather and a scatter exchange in its place.
[[nodiscard]] double tensorPayload(const TrainingCase& c);

/// Rings over tensorPayload() that a layer passes through: an all-reduce is two, a gather or a scatter one.
struct TensorRings {
    double forward = 4, backward = 4, again = 4;
};
[[nodiscard]] TensorRings tensorRings(const TrainingCase& c);

/// How divided weights are gathered and their gradients scattered, in rounds of a step (shardsWeights()).
///
/// ZeRO++ (Wang et al. 2023) as deepspeed/runtime/zero does it: qwZ gathers int8; with hpZ every gather but the first of a step is inside
/// the group that holds a second copy, which is made when the first is released and dropped by the update, and of frozen weights, whose
/// second copy is never dropped (stage3.py, invalidate_secondary_tensor), every gather at all; qgZ sends the gradients of matrices as int4 in two all-to-alls, inside the node and then between nodes, and only where there are several. Scales, 4 bytes for
/// some thousand elements, are not counted. MiCS and HSDP sum the shards' gradients over the groups besides.
struct ShardExchange {
    std::int64_t ranks = 1;              ///< that hold one copy
    std::int64_t near = 0;               ///< ranks of the group that holds a second copy; 0 = none
    double wire = 2, gradient = 2;       ///< bytes of an element that is gathered, of one that is scattered
    double forward = 1, again = 0;       ///< gathers over `ranks`
    double nearForward = 0, nearAgain = 0;
    double reductions = 1;               ///< scatters
    double replicaReductions = 0;        ///< sums of a shard over its copies
    double replicaBytes = 4;             ///< an element of them
    std::int64_t nodes = 0, inNode = 1;  ///< of qgZ's two all-to-alls; 0 = gradients are scattered as they are
};
[[nodiscard]] ShardExchange shardExchange(const TrainingCase& c, const ParameterGroup& group);

/// Bytes of a gradient's element while the replicas sum it.
[[nodiscard]] double gradientWire(const TrainingCase& c);

/// Of a block's parameters, the part in matrices: what qgZ quantises.
[[nodiscard]] double matrixShare(const TrainingCase& c);

/// Bytes of tokens that one all-to-all carries from a rank to the experts, its own share included.
[[nodiscard]] double routedPayload(const TrainingCase& c);

/// What context parallelism exchanges for a layer: in Megatron and FSDP2 keys and values meet every query (ring attention); DeepSpeed's
/// Ulysses turns queries, keys, values and outputs from a part of the tokens to a part of the heads, and back, by an all-to-all each.
struct ContextExchange {
    bool ulysses = false;
    double payload = 0;      ///< bytes of one rank's part in one pass
    double forward = 1, backward = 2;  ///< passes; Ulysses has one each
};
/// torchtitan repeats keys and values to all query heads before it sends them, Ulysses to as many as there are ranks; else the heads
/// there are go. Source: deepspeed/runtime/sequence_parallel/ulysses_sp.py, UlyssesSPAttentionHF.
[[nodiscard]] ContextExchange contextExchange(const TrainingCase& c);

/// Share of the layers whose attention is computed again for the backward pass.
[[nodiscard]] double remadeAttention(const TrainingCase& c);

/// Gathers over tensorPayload() of a layer whose input partition_activations has divided over the tensor-parallel ranks.
[[nodiscard]] double checkpointGathers(const TrainingCase& c);

/// Share of the layers' work whose forward pass is made again for the backward pass, communication included.
[[nodiscard]] double remadeLayers(const TrainingCase& c);
/// The same of layers whose tokens are sent to their experts again.
[[nodiscard]] double remadeExperts(const TrainingCase& c);

/// Bytes/s of a node's disks that one device has: those measured, else about 6 GB/s for all of them together.
struct FileRates {
    double read = 0, write = 0;
};
[[nodiscard]] FileRates fileRates(const TrainingCase& c);

/// Whether each rank keeps only a shard of the weights and gathers what it computes with.
[[nodiscard]] bool shardsWeights(const TrainingCase& c);

/// Whether DeepSpeed wraps bf16 in the optimizer whose fp32 gradients are there from the start, in stages 0 and 1, without buckets (deepspeed/
/// runtime/bf16_optimizer.py).
[[nodiscard]] bool usesBf16Optimizer(const TrainingCase& c);

/// Reductions of one pass over a group's gradients under DeepSpeed's stages 1 to 3: parameters fill a bucket until the next does not fit; one
/// larger than a bucket goes by itself. Source: deepspeed/runtime/zero/stage_1_and_2.py, reduce_independent_p_g_buckets_and_remove_grads.
/// @param bucket  reduce_bucket_size, in elements
/// @return at least 1, and no more than there are tensors, where these are known
[[nodiscard]] double bucketReductions(const TrainingCase& c, const ParameterGroup& group, double bucket);
/// The same of one layer's gradients, under stage 3.
/// @param elements  of the layer on this rank
[[nodiscard]] double layerReductions(const TrainingCase& c, bool experts, double elements, double bucket);
/// Whether gradients and updated weights go in buckets: under DeepSpeed's stages 1 and 2, but for the optimizer above.
[[nodiscard]] bool hasBuckets(const TrainingCase& c);
/// Calls in which a group's gradients are reduced and its updated weights gathered; 1 where there are no buckets.
struct BucketCalls {
    double reductions = 1, gathers = 1;
};
[[nodiscard]] BucketCalls bucketCalls(const TrainingCase& c, const ParameterGroup& group);

}  // namespace stagecraft
