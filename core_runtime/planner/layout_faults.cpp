// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/layout_faults.h"

#include "planner/findings.h"
#include "planner/parameter_groups.h"
#include "planner/pipeline_places.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace stagecraft {

namespace {

const char* frameworkTitle(Framework framework)
{
    return framework == Framework::Fsdp2 ? "FSDP2" : framework == Framework::Megatron ? "Megatron-LM" : "DeepSpeed";
}

using Words = std::vector<std::string>;

template <class... Numbers>
Words words(Numbers... numbers)
{
    return {std::to_string(numbers)...};
}

constexpr unsigned kDeepSpeedOnly = 1u << static_cast<unsigned>(Framework::DeepSpeed);
constexpr unsigned kFsdp2Only = 1u << static_cast<unsigned>(Framework::Fsdp2);
constexpr unsigned kMegatronOnly = 1u << static_cast<unsigned>(Framework::Megatron);
constexpr unsigned kAll = kDeepSpeedOnly | kFsdp2Only | kMegatronOnly;

bool neitherDivides(std::int64_t a, std::int64_t b) { return a > 0 && b > 0 && a % b != 0 && b % a != 0; }

std::int64_t ranksOfStage(const TrainingCase& c) { return c.dp * c.cp * c.tp; }
std::int64_t sharingRanks(const TrainingCase& c) { return c.dp * c.cp; }

// The first width that tensor parallelism cannot divide; 0 = none. Experts may have a tensor parallelism of their own.
std::int64_t oddWidth(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    if ((m.experts == 0 || m.denseLayers > 0) && m.ffn % c.tp != 0) return m.ffn;
    if (m.experts > 0 && m.expertFfn % c.expertTensor() != 0) return m.expertFfn;
    return m.experts > 0 && m.sharedFfn % c.tp != 0 ? m.sharedFfn : 0;
}
std::int64_t ranksOfWidth(const TrainingCase& c) { return oddWidth(c) == c.model.expertFfn && c.model.experts > 0 ? c.expertTensor() : c.tp; }

// Layers of the stages whose number the arguments leave open, and how many such stages there are.
bool splitIsAsked(const TrainingCase& c) { return c.firstAsked > 0 || c.lastAsked > 0; }
std::int64_t otherLayers(const TrainingCase& c) { return c.model.layers - c.firstAsked - c.lastAsked; }
std::int64_t otherStages(const TrainingCase& c) { return c.pp - (c.firstAsked > 0) - (c.lastAsked > 0); }
bool leavesRest(const TrainingCase& c) { return !c.customSplit && !splitIsAsked(c) && c.places() % c.pp != 0; }
// What to count as layers besides, so that there is none.
std::optional<PipelinePlaces> otherPlaces(const TrainingCase& c)
{
    const PipelinePlaces counted = placesFor(c, c.pp);
    return counted == PipelinePlaces{c.embeddingPlace, c.lossPlace} ? std::nullopt : std::optional(counted);
}
bool othersCannotShare(const TrainingCase& c)
{
    if (otherStages(c) <= 0) return otherStages(c) < 0 || otherLayers(c) != 0;
    return otherLayers(c) < otherStages(c) || otherLayers(c) % otherStages(c) != 0;
}

// Of a pipeline stage that chunks cannot divide; 0 = none.
std::int64_t oddStage(const TrainingCase& c)
{
    if (!splitIsAsked(c)) return c.places() / c.pp % c.chunks != 0 ? c.places() / c.pp : 0;
    for (const std::int64_t layers : {c.firstAsked, c.lastAsked, otherStages(c) > 0 ? otherLayers(c) / otherStages(c) : 0})
        if (layers % c.chunks != 0) return layers;
    return 0;
}

bool isInterleaved(const TrainingCase& c) { return c.pp > 1 && c.chunks > 1; }
std::int64_t groupOf(const TrainingCase& c) { return c.microBatchGroup > 0 ? c.microBatchGroup : c.pp; }
std::int64_t roundsOf(const TrainingCase& c) { return std::max<std::int64_t>(1, c.microBatchesOfFlush() / c.pp); }
std::int64_t stagesToFill(const TrainingCase& c) { return c.schedule == "dualpipev" ? 2 * c.pp : c.pp; }
// Experts that DeepSpeed itself divides: AutoEP puts its own layers in place of Transformers', Megatron's come with DeepSpeed's MoE.
bool dividesExperts(const TrainingCase& c) { return c.ep > 1 && c.model.experts > 0; }
bool isAutoEp(const TrainingCase& c) { return dividesExperts(c) && !c.megatronCode; }
bool offloads(const TrainingCase& c) { return c.settings.offloadOptimizer != OffloadDevice::None || c.settings.offloadParam != OffloadDevice::None; }
// A pipeline stage in which everything is frozen; -1 = none.
std::int64_t idleStage(const TrainingCase& c)
{
    if (!c.model.part.partly || c.pp < 2 || c.pp > c.model.layers) return -1;
    const auto layers = layersOfStages(c);
    for (std::int64_t stage = 0; stage < c.pp; ++stage)
        if (trainedElements(parameterGroups(c, stage, layers[static_cast<std::size_t>(stage)])).held < 1) return stage;
    return -1;
}
std::int64_t copyGroup(const TrainingCase& c) { return std::min(c.settings.hpzPartition, c.ranks()); }

}  // namespace

std::span<const LayoutRule> layoutRules()
{
    static constexpr const char* kSplitSource = "megatron/training/arguments.py, validate_args: Number of layers should be divisible by the pipeline-model-parallel size";
    using C = const TrainingCase&;
    static const LayoutRule rules[]{
        {"plan.layout.stages", kAll, "/layout/pp", "{} pipeline stages for {} layers; use at most as many stages as layers", "a stage without a layer has nothing to do", true,
         [](C c) { return c.pp > c.model.layers; }, [](C c) { return words(c.pp, c.model.layers); }},
        {"plan.layout.positions", kAll, "/model/seq", "A sequence of {} tokens for a position table of {} rows; use at most as many tokens",
         "megatron/training/arguments.py, validate_args: max_position_embeddings >= seq_length; an embedding has no more rows", true,
         [](C c) { return c.model.positions > 0 && c.model.seq > c.model.positions; }, [](C c) { return words(c.model.seq, c.model.positions); }},
        {"plan.layout.heads", kAll, "/layout/tp", "{} heads cannot be divided over {} tensor-parallel ranks; use a divisor",
         "megatron/core/transformer/transformer_config.py, num_attention_heads; torchtitan issue 2574; deepspeed/module_inject/tp_shard.py", true,
         [](C c) { return c.model.heads % c.tp != 0; }, [](C c) { return words(c.model.heads, c.tp); }},
        {"plan.layout.experts", kAll, "/layout/ep", "{} experts cannot be divided over {} ranks; use a divisor",
         "megatron/training/arguments.py, validate_args; deepspeed/moe/layer.py, MoE; torchtitan/distributed/expert_parallel.py", true,
         [](C c) { return c.model.experts > 0 && c.model.experts % c.ep != 0; }, [](C c) { return words(c.model.experts, c.ep); }},

        {"plan.layout.encoder", kAll, "/layout", "Encoders and encoder-decoders are planned as DeepSpeed trains Transformers' models, with data parallelism alone; use framework deepspeed, and layout.tp, pp and cp 1",
         "no plan for dividing their layers is known to hold", false,
         [](C c) { return c.model.code.bidirectional && (c.framework != Framework::DeepSpeed || c.megatronCode || c.tp > 1 || c.pp > 1 || c.cp > 1); }, [](C) { return Words{}; }},

        {"plan.layout.frozen_stage", kDeepSpeedOnly | kFsdp2Only, "/layout/pp", "Pipeline stage {} of {} has nothing to train: its optimizer gets an empty list of parameters and refuses it; freeze fewer layers, or use a smaller pipeline",
         "torch/optim/optimizer.py, Optimizer.__init__: optimizer got an empty parameter list", false,
         [](C c) { return idleStage(c) >= 0; }, [](C c) { return words(idleStage(c), c.pp); }},

        {"plan.layout.zero_pipeline", kDeepSpeedOnly, "/dsConfig/zero_optimization/stage", "DeepSpeed refuses ZeRO stage {} with {} pipeline stages; use stage 1 at most, or layout.pp 1",
         "deepspeed/runtime/pipe/engine.py: ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism", false,
         [](C c) { return c.pp > 1 && c.settings.stage > 1; }, [](C c) { return words(c.settings.stage, c.pp); }},
        {"plan.layout.mics", kDeepSpeedOnly, "/dsConfig/zero_optimization/mics_shard_size", "Groups of {} ranks (mics_shard_size) do not divide the {} data-parallel ranks; use a divisor",
         "deepspeed/runtime/zero/mics_utils.py, create_mics_comm_groups", false,
         [](C c) { return c.settings.stage == 3 && c.settings.micsShard > 0 && sharingRanks(c) % c.settings.micsShard != 0; }, [](C c) { return words(c.settings.micsShard, sharingRanks(c)); }},
        {"plan.layout.hpz", kDeepSpeedOnly, "/dsConfig/zero_optimization/zero_hpz_partition_size", "Groups of {} ranks (zero_hpz_partition_size) do not divide the {} ranks; use a divisor",
         "deepspeed/utils/groups.py, _create_zero_param_parallel_group", false,
         [](C c) { return c.settings.stage == 3 && c.settings.hpzPartition > 1 && c.ranks() % copyGroup(c) != 0; }, [](C c) { return words(copyGroup(c), c.ranks()); }},

        {"plan.layout.hpz_files", kDeepSpeedOnly, "/dsConfig/zero_optimization/zero_hpz_partition_size", "DeepSpeed cannot keep a second copy of the weights (zero_hpz_partition_size) beside weights in files; offload them to \"cpu\", or remove one of the two",
         "deepspeed/runtime/zero/partition_parameters.py, _partition_param_sec: the copy is made on the device that is offloaded to, and PyTorch has none called nvme", false,
         [](C c) { return c.settings.stage == 3 && c.settings.hpzPartition > 1 && c.settings.offloadParam == OffloadDevice::Nvme; }, [](C) { return Words{}; }},

        // Ulysses: each rank has a part of the sequence outside attention and a part of the heads inside.
        {"plan.layout.sequence", kDeepSpeedOnly, "/layout/cp", "A sequence of {} tokens cannot be divided over {} context-parallel ranks; use a divisor, or another model.seq",
         "deepspeed/runtime/sequence_parallel/ulysses_sp.py, UlyssesSPDataLoaderAdapter", false,
         [](C c) { return c.model.seq % c.cp != 0; }, [](C c) { return words(c.model.seq, c.cp); }},
        {"plan.layout.ulysses", kDeepSpeedOnly, "/layout/cp", "{} heads cannot be divided over cp {} x tp {} ranks, as Ulysses does; use a divisor",
         "deepspeed/runtime/sequence_parallel/ulysses_sp.py, UlyssesSPAttentionHF", false,
         [](C c) { return c.cp > 1 && c.model.heads % (c.tp * c.cp) != 0; }, [](C c) { return words(c.model.heads, c.cp, c.tp); }},
        {"plan.layout.ulysses_keys", kDeepSpeedOnly, "/layout/cp", "{} key-value heads and cp {} x tp {} ranks: one must divide the other, as Ulysses copies or divides them; use another layout.cp",
         "deepspeed/runtime/sequence_parallel/ulysses_sp.py, UlyssesSPAttentionHF", false,
         [](C c) { return c.cp > 1 && neitherDivides(c.model.kvHeads, c.tp * c.cp); }, [](C c) { return words(c.model.kvHeads, c.cp, c.tp); }},
        {"plan.layout.sequence_pipeline", kDeepSpeedOnly, "/layout/cp", "DeepSpeed's pipeline engine has no sequence parallelism; use layout.cp 1 or layout.pp 1",
         "deepspeed/runtime/pipe/topology.py: its grid has pipe, data and model ranks", false,
         [](C c) { return c.cp > 1 && c.pp > 1; }, [](C) { return Words{}; }},

        // Ring attention gives each rank a piece from the front and one from the back, so that all have as much to do.
        {"plan.layout.ring", kMegatronOnly | kFsdp2Only, "/layout/cp", "A sequence of {} tokens cannot be cut into 2 x {} equal pieces for context parallelism; use another layout.cp or model.seq",
         "megatron/training/arguments.py, validate_args: seq-length should be a multiple of 2 * context-parallel-size; torchtitan/distributed/parallel_dims.py, seq_len_divisor", false,
         [](C c) { return c.cp > 1 && c.model.seq % (2 * c.cp) != 0; }, [](C c) { return words(c.model.seq, c.cp); }},
        {"plan.layout.local_context", kMegatronOnly, "/layout/cp", "Megatron-LM's own layers (transformer-impl local) have no context parallelism; use Transformer Engine, or layout.cp 1",
         "megatron/core/transformer/dot_product_attention.py: Context parallelism is only supported by TEDotProductAttention", false,
         [](C c) { return c.cp > 1 && !c.transformerEngine; }, [](C) { return Words{}; }},
        {"plan.layout.sequence_parallel", kMegatronOnly | kFsdp2Only, "/layout/tp", "Sequence parallelism cannot divide {} tokens over cp {} x tp {} ranks; use a divisor, or another model.seq",
         "megatron/core/tensor_parallel/mappings.py, _split_along_first_dim; torchtitan/distributed/parallel_dims.py, seq_len_divisor", false,
         [](C c) { return c.sequenceParallel && c.model.seq % c.cp == 0 && c.model.seq % (c.tp * c.cp) != 0; }, [](C c) { return words(c.model.seq, c.cp, c.tp); }},

        {"plan.layout.query_groups", kMegatronOnly, "/layout/tp", "{} key-value heads and {} tensor-parallel ranks: one must divide the other, as Megatron-LM divides or copies them; use another layout.tp",
         "megatron/core/transformer/transformer_config.py: num_query_groups must be a multiple or divisor of tensor_model_parallel_size", false,
         [](C c) { return neitherDivides(c.model.kvHeads, c.tp); }, [](C c) { return words(c.model.kvHeads, c.tp); }},
        {"plan.layout.key_heads", kFsdp2Only, "/layout/tp", "{} key-value heads cannot be divided over {} tensor-parallel ranks, and PyTorch copies none; use a divisor",
         "torchtitan issue 932, pull request 2577: n_kv_heads must be divisible by the tensor-parallel degree", false,
         [](C c) { return c.model.keyRank == 0 && c.model.kvHeads % c.tp != 0; }, [](C c) { return words(c.model.kvHeads, c.tp); }},
        {"plan.layout.width", kMegatronOnly, "/layout/tp", "An MLP of width {} cannot be divided over {} tensor-parallel ranks; use a divisor",
         "megatron/core/tensor_parallel/layers.py, ColumnParallelLinear: divide()", false,
         [](C c) { return oddWidth(c) > 0; }, [](C c) { return words(oddWidth(c), ranksOfWidth(c)); }},

        {"plan.layout.split", kMegatronOnly, "/layout/pp", "{} layers cannot be divided over {} pipeline stages, and Megatron-LM refuses a rest; use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have",
         kSplitSource, false, [](C c) { return leavesRest(c) && !otherPlaces(c); }, [](C c) { return words(c.places(), c.pp); }},
        {"plan.layout.split_loss", kMegatronOnly, "/layout/pp", "{} layers cannot be divided over {} pipeline stages, and Megatron-LM refuses a rest; set account-for-loss-in-pipeline-split, with which the loss counts as a layer of the last stage, use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have",
         kSplitSource, false, [](C c) { return leavesRest(c) && otherPlaces(c) == PipelinePlaces{false, true}; }, [](C c) { return words(c.places(), c.pp); }},
        {"plan.layout.split_places", kMegatronOnly, "/layout/pp", "{} layers cannot be divided over {} pipeline stages, and Megatron-LM refuses a rest; set account-for-embedding-in-pipeline-split and account-for-loss-in-pipeline-split, with which the embedding and the loss count as a layer each, use a divisor, or say with decoder-first-pipeline-num-layers and decoder-last-pipeline-num-layers what the first and the last stage have",
         kSplitSource, false, [](C c) { return leavesRest(c) && otherPlaces(c) == PipelinePlaces{true, true}; }, [](C c) { return words(c.places(), c.pp); }},
        {"plan.layout.split_rest", kMegatronOnly, "/framework/arguments", "{} layers are left for {} pipeline stages, which cannot share them evenly; use another size of the first or the last stage",
         "megatron/core/transformer/transformer_block.py, get_num_layers_to_build", false,
         [](C c) { return !c.customSplit && c.pp > 1 && splitIsAsked(c) && othersCannotShare(c); }, [](C c) { return words(otherLayers(c), otherStages(c)); }},
        // Megatron can count the embedding and the loss as a layer each.
        {"plan.layout.chunks", kMegatronOnly | kFsdp2Only, "/layout/chunks", "{} chunks on each of {} pipeline stages for {} layers; use fewer chunks, so that each has a layer",
         "megatron/core/transformer/transformer_block.py, get_num_layers_to_build; torchtitan/distributed/pipeline_parallel.py", false,
         [](C c) { return isInterleaved(c) && c.chunks * c.pp > c.model.layers + (c.framework == Framework::Megatron ? 2 : 0); }, [](C c) { return words(c.chunks, c.pp, c.model.layers); }},
        {"plan.layout.chunk_layers", kMegatronOnly, "/layout/chunks", "{} layers of a pipeline stage cannot be divided over {} chunks; use a divisor",
         "megatron/core/transformer/transformer_block.py, get_num_layers_to_build: must be divisible by the virtual pipeline parallel degree", false,
         [](C c) { return !c.customSplit && isInterleaved(c) && c.layersPerChunk == 0 && oddStage(c) > 0; }, [](C c) { return words(oddStage(c), c.chunks); }},
        {"plan.layout.layers_per_chunk", kMegatronOnly, "/framework/arguments/num-layers-per-virtual-pipeline-stage", "The {} layers of a pipeline stage are no multiple of num-layers-per-virtual-pipeline-stage {}; use a divisor",
         "megatron/training/arguments.py, validate_args: number of layers per pipeline stage must be divisible by number of layers per virtual pipeline stage", false,
         [](C c) { return c.layersPerChunk > 0 && c.places() / c.pp % c.layersPerChunk != 0; }, [](C c) { return words(c.places() / c.pp, c.layersPerChunk); }},
        {"plan.layout.uneven_chunks", kMegatronOnly, "/framework/arguments/num-layers-per-virtual-pipeline-stage", "Megatron-LM refuses num-layers-per-virtual-pipeline-stage beside a first or last stage of a size of its own; say with num-virtual-stages-per-pipeline-rank how many chunks a rank has",
         "megatron/training/arguments.py, validate_args: use num-virtual-stages-per-pipeline-rank to specify the virtual pipeline degree when uneven pipelines are enabled", false,
         [](C c) { return c.layersPerChunk > 0 && c.pp > 1 && (c.firstAsked > 0 || c.lastAsked > 0); }, [](C) { return Words{}; }},
        {"plan.layout.chunks_alone", kMegatronOnly, "/framework/arguments", "Several chunks on a rank need a pipeline: Megatron-LM refuses to interleave a single stage; remove the argument, or use more stages",
         "megatron/training/arguments.py, validate_args: When interleaved schedule is used, pipeline-model-parallel size should be greater than 1", false,
         [](C c) { return c.pp == 1 && (c.chunksAsked > 1 || (c.layersPerChunk > 0 && c.places() / c.layersPerChunk > 1)); }, [](C) { return Words{}; }},
        {"plan.layout.micro_batch_group", kMegatronOnly, "/framework/arguments/microbatch-group-size-per-virtual-pipeline-stage", "microbatch-group-size-per-virtual-pipeline-stage is {}, which must be from the {} pipeline stages to the {} micro-batches",
         "megatron/core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving", false,
         [](C c) { return isInterleaved(c) && c.microBatchGroup > 0 && (c.microBatchGroup < c.pp || c.microBatchGroup > c.microBatches); }, [](C c) { return words(c.microBatchGroup, c.pp, c.microBatches); }},
        {"plan.layout.interleaved", kMegatronOnly, "/dsConfig/gradient_accumulation_steps", "{} micro-batches cannot be interleaved over {} pipeline stages in groups of {}; use a multiple of the group, or one chunk",
         "megatron/core/pipeline_parallel/schedules.py, forward_backward_pipelining_with_interleaving: the remainder should be 0, or at least the pipeline-parallel size", false,
         [](C c) {
             const std::int64_t rest = c.microBatches % groupOf(c);
             return isInterleaved(c) && (c.microBatches < groupOf(c) ? c.microBatchGroup == 0 : rest > 0 && rest < c.pp);
         },
         [](C c) { return words(c.microBatches, c.pp, groupOf(c)); }},
        {"plan.layout.few_micro_batches", kFsdp2Only, "/dsConfig/gradient_accumulation_steps", "{} micro-batches for {} stages: PyTorch's schedule refuses fewer of them than stages; use more, or layout.schedule gpipe",
         "torch/distributed/pipelining/schedules.py, Schedule1F1B and ScheduleDualPipeV", false,
         [](C c) { return c.pp > 1 && (c.schedule == "1f1b" || c.schedule == "dualpipev") && c.microBatchesOfFlush() < stagesToFill(c); }, [](C c) { return words(c.microBatchesOfFlush(), stagesToFill(c)); }},
        {"plan.layout.rounds", kFsdp2Only, "/dsConfig/gradient_accumulation_steps", "{} micro-batches cannot be divided over the {} rounds in which PyTorch interleaves them; use a multiple of {}",
         "torch/distributed/pipelining/schedules.py, ScheduleInterleaved1F1B and ScheduleInterleavedZeroBubble", false,
         [](C c) { return c.pp > 1 && c.schedule.starts_with("interleaved") && c.microBatchesOfFlush() % roundsOf(c) != 0; }, [](C c) { return words(c.microBatchesOfFlush(), roundsOf(c), c.pp); }},

        {"plan.layout.dense", kAll, "/layout/ep", "Expert parallelism of {} for a model without experts; use layout.ep 1",
         "megatron/training/arguments.py, validate_args: num_experts must be non None to use expert model parallelism", false,
         [](C c) { return c.ep > 1 && c.model.experts == 0; }, [](C c) { return words(c.ep); }},
        {"plan.layout.expert_ranks", kAll, "/layout/ep", "Expert parallelism of {} does not divide the {} ranks that hold a pipeline stage; use a divisor",
         "megatron/core/parallel_state.py, initialize_model_parallel; deepspeed/utils/groups.py, _create_expert_and_data_parallel; torchtitan/distributed/parallel_dims.py", false,
         [](C c) { return c.ep > 1 && c.model.experts > 0 && ranksOfStage(c) % (c.ep * c.expertTensor()) != 0; }, [](C c) { return words(c.ep, ranksOfStage(c) / c.expertTensor()); }},
        {"plan.layout.expert_zero3", kDeepSpeedOnly, "/dsConfig/zero_optimization/stage", "DeepSpeed's own experts have no ZeRO stage 3; use stage 2",
         "deepspeed/runtime/engine.py, _validate_zero3_moe_compatibility: Native DeepSpeed MoE is not supported with ZeRO Stage 3", false,
         [](C c) { return c.megatronCode && c.model.experts > 0 && c.settings.stage == 3; }, [](C) { return Words{}; }},
        {"plan.layout.expert_ulysses", kDeepSpeedOnly, "/layout/cp", "DeepSpeed has no sequence parallelism beside experts divided in ZeRO stage 3; use stage 2, or layout.cp 1",
         "deepspeed/runtime/engine.py, _validate_zero3_moe_compatibility: AutoEP with ZeRO Stage 3 does not support sequence parallelism yet", false,
         [](C c) { return isAutoEp(c) && c.settings.stage == 3 && c.cp > 1; }, [](C) { return Words{}; }},
        {"plan.layout.expert_hpz", kDeepSpeedOnly, "/dsConfig/zero_optimization/zero_hpz_partition_size", "DeepSpeed has no second copy of weights (zero_hpz_partition_size) beside divided experts; remove it, or use layout.ep 1",
         "deepspeed/runtime/engine.py, _validate_zero3_moe_compatibility: AutoEP with ZeRO Stage 3 does not support hpZeRO secondary tensor groups yet", false,
         [](C c) { return isAutoEp(c) && c.settings.stage == 3 && c.settings.hpzPartition > 1; }, [](C) { return Words{}; }},
        {"plan.layout.expert_quantized", kDeepSpeedOnly, "/dsConfig/zero_optimization/zero_quantized_gradients", "DeepSpeed does not quantise gradients beside divided experts in stage 3; remove zero_quantized_gradients, or use layout.ep 1",
         "deepspeed/runtime/engine.py, _validate_zero3_moe_compatibility: AutoEP with ZeRO Stage 3 does not support zero_quantized_gradients yet", false,
         [](C c) { return isAutoEp(c) && c.settings.stage == 3 && c.settings.quantizedGradients; }, [](C) { return Words{}; }},
        {"plan.layout.expert_contiguous", kDeepSpeedOnly, "/dsConfig/zero_optimization/contiguous_gradients", "In stage 2 DeepSpeed divides experts only with contiguous_gradients; remove \"contiguous_gradients\": false",
         "deepspeed/runtime/zero/stage_1_and_2.py, _configure_moe_settings", false,
         [](C c) { return dividesExperts(c) && c.settings.stage == 2 && !c.settings.contiguousGradients; }, [](C) { return Words{}; }},
        {"plan.layout.expert_scatter", kDeepSpeedOnly, "/dsConfig/zero_optimization/reduce_scatter", "In stages 1 and 2 DeepSpeed divides experts only with reduce_scatter; remove \"reduce_scatter\": false",
         "deepspeed/runtime/zero/stage_1_and_2.py, _configure_moe_settings", false,
         [](C c) { return dividesExperts(c) && (c.settings.stage == 1 || c.settings.stage == 2) && !c.settings.reduceScatter; }, [](C) { return Words{}; }},
        {"plan.layout.expert_tensor", kDeepSpeedOnly, "/layout/tp", "Beside tensor parallelism DeepSpeed divides experts neither over pipeline stages nor with sequence parallelism; use layout.tp 1, or pp 1 and cp 1",
         "deepspeed/module_inject/auto_ep_folding.py, validate_folding_global", false,
         [](C c) { return isAutoEp(c) && c.tp > 1 && (c.pp > 1 || c.cp > 1); }, [](C) { return Words{}; }},
        {"plan.layout.expert_offload", kDeepSpeedOnly, "/dsConfig/zero_optimization", "Beside tensor parallelism DeepSpeed divides experts only without offload; remove the offload sections, or use layout.tp 1",
         "deepspeed/module_inject/auto_ep_folding.py, validate_folding_global: ZeRO optimizer/parameter offload with AutoEP+AutoTP folding is not validated yet", false,
         [](C c) { return isAutoEp(c) && c.tp > 1 && offloads(c); }, [](C) { return Words{}; }},
        {"plan.layout.host_layers", kMegatronOnly, "/framework/arguments/cpu-offloading-num-layers", "{} layers are to keep their activations on the host, of {}: Megatron-LM takes fewer than all layers; use {} at most",
         "megatron/core/transformer/transformer_config.py: CPU offloading can be done only for layers less than num_layers", false,
         [](C c) { return c.hostLayers >= c.model.layers; }, [](C c) { return words(c.hostLayers, c.model.layers, c.model.layers - 1); }},
        {"plan.layout.host_pipeline", kMegatronOnly | kFsdp2Only, "/layout/pp", "Activations wait on the host only where there is no pipeline; use layout.pp 1, or remove cpu-offloading-num-layers (FSDP2: activation_offloading)",
         "megatron/core/transformer/transformer_config.py: Currently there is no support for Pipeline parallelism with CPU offloading; of FSDP2's trainers none has both", false,
         [](C c) { return c.hostLayers > 0 && c.pp > 1; }, [](C) { return Words{}; }},
        {"plan.layout.packed_tensor", kFsdp2Only, "/layout/tp", "Weights packed in 4 bits are not divided by tensor parallelism, whose parts would lack the constants of their blocks; use layout.tp 1, or a 16-bit base",
         "bitsandbytes/nn/modules.py: a Params4bit's quant_state is of the whole weight; torch/distributed/tensor/parallel/style.py, ColwiseParallel", false,
         [](C c) { return c.model.part.packed() && c.tp > 1; }, [](C) { return Words{}; }},
        {"plan.layout.host_recompute", kMegatronOnly, "/layout/recompute", "Megatron-LM refuses recomputation beside activations on the host; remove recompute-granularity and set layout.recompute to none, or remove cpu-offloading-num-layers",
         "megatron/core/transformer/transformer_config.py: CPU offloading does not work when activation recomputation is enabled", false,
         [](C c) { return c.hostLayers > 0 && c.policy != ActivationPolicy::None; }, [](C) { return Words{}; }},
        {"plan.layout.host_local", kMegatronOnly, "/framework/arguments/transformer-impl", "Megatron-LM's own layers (transformer-impl local) keep no activations on the host; use Transformer Engine, or remove cpu-offloading-num-layers",
         "megatron/core/transformer/transformer_block.py: CPU Offloading is enabled when TE is not present", false,
         [](C c) { return c.hostLayers > 0 && !c.transformerEngine; }, [](C) { return Words{}; }},
        {"plan.layout.host_graphs", kMegatronOnly, "/framework/arguments", "Megatron-LM captures no CUDA graphs of layers whose activations wait on the host; remove the arguments of CUDA graphs, or cpu-offloading-num-layers",
         "megatron/core/transformer/transformer_config.py: CUDA graphs not supported with CPU offloading", false,
         [](C c) { return c.hostLayers > 0 && c.cudaGraphs; }, [](C) { return Words{}; }},
        {"plan.layout.expert_sequence", kMegatronOnly, "/layout/sequenceParallel", "Megatron-LM trains experts under tensor parallelism only with sequence parallelism; set layout.sequenceParallel, or sequence-parallel in framework.arguments",
         "megatron/core/transformer/moe/moe_layer.py, MoELayer.forward; core/model_parallel_config.py", false,
         [](C c) { return c.model.experts > 0 && c.tp > 1 && !c.sequenceParallel; }, [](C) { return Words{}; }},
        {"plan.layout.expert_fp16", kMegatronOnly, "/layout/ep", "Megatron-LM has no expert parallelism in fp16; use bf16, or layout.ep 1",
         "megatron/training/arguments.py, validate_args: Expert parallelism is not supported with fp16 training", false,
         [](C c) { return c.ep > 1 && c.precision == Precision::Fp16; }, [](C) { return Words{}; }},
    };
    return rules;
}

namespace {

// Of a model known by its size alone nothing but its states is planned: what depends on its sizes cannot be judged.
bool isBroken(const LayoutRule& rule, const TrainingCase& c)
{
    if ((rule.frameworks & (1u << static_cast<unsigned>(c.framework))) == 0) return false;
    return c.model.isKnown() && rule.broken(c);
}

}  // namespace

bool layoutIsRefused(const TrainingCase& c)
{
    const auto rules = layoutRules();
    return std::any_of(rules.begin(), rules.end(), [&](const LayoutRule& rule) { return isBroken(rule, c); });
}

bool tellLayoutFaults(const TrainingCase& c, std::vector<PlanFinding>& findings)
{
    bool any = false;
    for (const LayoutRule& rule : layoutRules()) {
        if (!isBroken(rule, c)) continue;
        findings.push_back(makeFinding(rule.id, "error", rule.pointer, rule.pattern, rule.say(c)));
        any = true;
    }
    return any;
}

bool tellImpossibleSizes(const TrainingCase& c, std::vector<PlanFinding>& findings)
{
    for (const LayoutRule& rule : layoutRules()) {
        if (!rule.impossible || !isBroken(rule, c)) continue;
        findings.push_back(makeFinding(rule.id, "error", rule.pointer, rule.pattern, rule.say(c)));
        return true;
    }
    return false;
}

void settleSchedule(TrainingCase& c, std::vector<PlanFinding>& findings)
{
    using Names = std::vector<std::string_view>;
    static const Names kDeepSpeed{"1f1b", "deepspeed_train"};
    static const Names kMegatron{"1f1b", "interleaved_1f1b"};
    static const Names kTorch{"1f1b", "gpipe", "interleaved_1f1b", "interleaved_zb1p", "looped_bfs", "zb_v", "dualpipev"};
    const Names& has = c.framework == Framework::DeepSpeed ? kDeepSpeed : c.framework == Framework::Megatron ? kMegatron : kTorch;
    const std::string asked = c.schedule;
    const std::int64_t chunks = c.chunks;
    // Interleaved means several chunks on a rank, and several chunks mean interleaved where it is the only schedule of that kind.
    const bool vShaped = asked == "zb_v" || asked == "dualpipev";
    const bool known = std::find(has.begin(), has.end(), asked) != has.end();
    if (!known) c.schedule = c.framework != Framework::DeepSpeed && c.chunks > 1 ? "interleaved_1f1b" : "1f1b";
    if (c.framework == Framework::DeepSpeed) c.chunks = 1;
    else if (c.schedule.starts_with("interleaved") && c.chunks < 2 && c.pp > 1) c.chunks = 2;
    else if (c.schedule == "1f1b" && c.chunks > 1) c.schedule = "interleaved_1f1b";
    else if (c.schedule == "gpipe") c.chunks = 1;
    else if (known && vShaped) c.chunks = 2;
    if (c.pp == 1) return;
    if (!known) findings.push_back(makeFinding("plan.schedule", "warning", "/layout/schedule", "{} has no schedule {}: the plan is made for {}", {frameworkTitle(c.framework), asked, c.schedule}));
    else if (c.chunks < chunks) findings.push_back(makeFinding("plan.schedule.chunks", "warning", "/layout/chunks", "{} runs {} with {} chunks on a rank, not {}: so is the plan", {frameworkTitle(c.framework), c.schedule, std::to_string(c.chunks), std::to_string(chunks)}));
}

}  // namespace stagecraft
