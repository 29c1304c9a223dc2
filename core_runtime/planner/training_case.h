// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ds_settings.h"
#include "planner/model_shape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct DeviceSheet;

enum class Framework { DeepSpeed, Fsdp2, Megatron };

enum class ActivationPolicy {
    None,           ///< everything the backward pass needs is kept
    SelectiveCore,  ///< the core of attention is made again (Megatron "selective")
    SelectiveOp,    ///< torchtitan: every second matrix product is made again, attention outputs are kept
    SelectiveLayer, ///< every n-th block is made again as a whole
    Full,           ///< only block inputs are kept
};

/// As a ds_config spells it: "none", "cpu" or "nvme".
[[nodiscard]] constexpr const char* deviceWord(OffloadDevice device) { return device == OffloadDevice::Nvme ? "nvme" : device == OffloadDevice::Cpu ? "cpu" : "none"; }

/// As a workspace spells it: "none", "selective" or "full".
[[nodiscard]] constexpr const char* recomputeWord(ActivationPolicy policy) { return policy == ActivationPolicy::None ? "none" : policy == ActivationPolicy::Full ? "full" : "selective"; }

/// Megatron's selective recomputation, by module. Source: its `recompute_modules`.
struct RecomputeModules {
    bool core = false;        ///< core_attn
    bool activation = false;  ///< moe_act: the experts' non-linearity
    bool norms = false;       ///< layernorm
    bool up = false;          ///< mla_up_proj
    bool mlp = false;         ///< mlp: of dense layers
    bool moe = false;         ///< moe: all of a sparse layer's experts
    bool shared = false;      ///< shared_experts
};

/// What makes the loss of the logits where it is neither PyTorch's own nor compiled. DeepSpeed, FSDP2.
enum class LossKernel {
    Own,     ///< what the framework calls
    Fused,   ///< one kernel makes it, and its gradient in the place of the logits it took
    Linear,  ///< output and loss are made together, piece by piece, and their gradients with them
};

/// DeepSpeed's pipeline in bf16 has the BF16 optimizer at stage 0 too, which divides master weights and moments as stage 1 does.
/// Source: deepspeed/runtime/engine.py, _do_optimizer_sanity_check.
[[nodiscard]] inline int statesDividedFrom(const DsSettings& settings, std::int64_t pp) { return settings.precision == Precision::Bf16 && settings.stage == 0 && pp > 1 ? 1 : settings.stage; }

/// One training job in neutral words: what the ledgers and the time model of the foreign frameworks work from.
/// Sizes are validated: all >= 1, and no product of them overflows a double.
struct TrainingCase {
    Framework framework = Framework::DeepSpeed;
    ModelShape model;
    bool statesOnly = false;              ///< of the model only `params` is known: nothing but its states can be counted
    std::int64_t tp = 1, pp = 1, cp = 1, ep = 1, dp = 1;  ///< dp without cp
    std::int64_t expertTp = 0;            ///< tensor parallelism inside experts; 0 = tp
    std::int64_t chunks = 1;              ///< model chunks per pipeline rank
    std::string schedule = "1f1b";
    std::int64_t lossChunks = 1;          ///< pieces that go through output and loss one after the other (DeepSpeed: TiledFusedLogitsLoss; torchtitan: ChunkedCELoss)
    LossKernel lossKernel = LossKernel::Own;
    bool normKernel = false;              ///< FSDP2, Transformers: an RMS norm is one kernel, which keeps what it takes as it is
    bool rotationKernel = false;          ///< Transformers, Megatron: queries and keys are rotated in place by one kernel
    bool gateKernel = false;              ///< Transformers: a gate's non-linearity and its product are one kernel, which makes the former again
    bool sequenceParallel = false;
    std::int64_t microBatch = 1, microBatches = 1;
    std::int64_t flushes = 1;             ///< times a step fills and drains the pipeline: torchtitan once for each local batch
    Precision precision = Precision::Bf16;
    ActivationPolicy policy = ActivationPolicy::None;
    RecomputeModules modules;             ///< with SelectiveCore
    std::int64_t policyLayers = 1;        ///< SelectiveLayer: every n-th; Full: blocks per checkpoint, or blocks made again
    bool recomputeFirstLayersOnly = false;  ///< Megatron "block": only `policyLayers` blocks per stage
    bool flashAttention = true;
    bool eagerScores = false;             ///< unfused attention of separate kernels, as Transformers' "eager"
    bool flashLibrary = false;            ///< Transformers' "flash_attention_2": the library's own kernels, which take grouped keys and windows
    bool mathScores = false;              ///< sdpa finds no fused kernel for these heads and this type, and makes all scores in fp32
    bool transformersBlock = false;       ///< FSDP2: a family torchtitan has no model of, planned with Transformers' own blocks
    bool transformersScript = false;      ///< of those, where the arguments say that Transformers' own code is trained
    bool megatronCode = false;            ///< DeepSpeed: the model is Megatron's own layers (Megatron-DeepSpeed), not Transformers'
    bool looseLayers = false;             ///< of those, GPT-NeoX's: dropout, residual and rotation are kernels of their own
    bool autoTpRefused = false;           ///< DeepSpeed refuses to divide the layers of this Transformers model over tensor-parallel ranks
    bool embeddingNorm = false;           ///< the embedding's output goes through a norm of its own (BLOOM)
    bool lazyKernels = true;              ///< CUDA loads a kernel when it is first launched, not all of them at the start
    bool launchBlocking = false;          ///< CUDA_LAUNCH_BLOCKING=1: no kernel is launched before the one before it has ended
    double networkBytes = 0;              ///< bytes/s that one device's share of the network was seen to reach; 0 = by its data sheet
    bool olderAttention = false;          ///< the first generation of fused attention kernels
    bool transformerEngine = true;        ///< Megatron: fused layers; else its own "local" ones
    bool compiled = false, compiledLoss = false, float8 = false, asyncTensor = false;
    bool lossStated = false;              ///< FSDP2: whether the loss is compiled was said or told by other options
    bool blockScaled = false;             ///< Megatron: 8-bit products of operands with a scale for each 32 numbers (MXFP8)
    bool cudaGraphs = false;              ///< Megatron: layers are launched as graphs, in no time of the host's
    bool deterministic = false;           ///< Megatron: only kernels that give the same bits twice
    bool overlapGradients = true, overlapWeights = true;  ///< Megatron: exchanges run under the backward pass, and under the next forward pass
    bool fusedAccumulation = true;        ///< Megatron: weight gradients are added to the fp32 buffer by the product itself
    bool balancedExperts = false;         ///< routing is made even by force, as for measuring
    double expertCapacity = 0;            ///< Megatron: no expert takes more than so many times its even share of tokens; 0 = all that come
    bool overlapExperts = false;          ///< expert all-to-alls run under the computing of another micro-batch
    bool reshardAfterForward = true;      ///< FSDP2: blocks are freed after the forward pass (not so with a pipeline, unless asked for)
    std::optional<bool> reshardAsked = std::nullopt;  ///< what the arguments say of it
    std::int64_t replicate = 1;           ///< FSDP2: groups among which each shard is held once more (HSDP); divides dp
    bool bf16States = false;              ///< FSDP2: weights and moments are kept in 16 bits, no fp32 ones beside them
    bool accumulateUnsharded = false;     ///< FSDP2: gradients are reduced after the last micro-batch only, and whole until then
    bool embeddingParallel = true;        ///< FSDP2, DeepSpeed: each tensor-parallel rank has its part of the embedding
    bool laterProducts = false;           ///< FSDP2: the matrix library of 2025 and later
    bool looseRouting = false;            ///< FSDP2, Megatron: tokens are sent to their experts and weighted by kernels one by one, though blocks may be compiled
    bool expertsOneByOne = false;         ///< Megatron: each expert of a rank is an MLP of its own, without moe-grouped-gemm
    bool wholeRecompute = false;          ///< FSDP2: a release before PyTorch 2.1, which makes a checkpointed block again to its end
    bool float8Gather = false;            ///< FSDP2: the blocks' weights are gathered in 8 bits
    bool float8Kept = false;              ///< 8-bit weights stay whole for the backward pass: FSDP2 in compiled blocks, Megatron-FSDP transposed ones
    bool flatShards = false;              ///< FSDP2: its forerunner, which gathers a block's parameters as one, in place
    bool adapterUnits = false;            ///< FSDP2: its forerunner, where each matrix of an adapter is a unit of its own
    bool oneUnit = false;                 ///< FSDP2: no wrap policy: the whole model is one group, gathered and reduced at once
    bool rootStays = false;               ///< FSDP2: parameters outside the blocks stay gathered from the forward pass to the backward pass
    bool embeddingApart = false;          ///< FSDP2: the embedding is a group of its own, gathered while it is used alone
    bool float8Activations = false;       ///< FSDP2: tensor parallelism gathers activations in 8 bits
    bool gatherEachProjection = false;    ///< FSDP2: under tensor parallelism every projection gathers its divided input for itself
    bool cudnnAttention = false;          ///< FSDP2: attention by cuDNN's kernels
    bool fp32Loss = true, lossParallel = true;  ///< the loss turns logits to fp32 (DeepSpeed, too); FSDP2 and DeepSpeed: each tensor-parallel rank has its part of them
    bool logitsKept = false;              ///< FSDP2: the training loop holds the logits until the backward pass is over
    bool floatLogits = false;             ///< FSDP2: the model hands out its logits in fp32
    bool outputsKept = true;              ///< FSDP2: the last pipeline stage holds the logits of all micro-batches and joins them at the end of the step
    bool expandableSegments = false;      ///< PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; torchtitan's script sets it
    bool weightsKept = false;             ///< DeepSpeed, stage 3: the model was made outside zero.Init, and autograd holds the weights it has gathered
    bool packedOutput = false;            ///< DeepSpeed: a quantised base has its output matrix packed, too
    bool inputsStay = false;              ///< DeepSpeed: packed products hold what they took until the next loss is made
    bool fusedGate = true;                ///< Megatron: the gate's non-linearity and its product are one kernel
    bool distributedOptimizer = false;
    std::int64_t optimizerInstances = 1;  ///< Megatron: groups of ranks that each hold the divided optimizer once more; divides dp x cp
    double optimizerOffload = 0;          ///< Megatron: part of the parameters whose optimizer lies and steps on the host
    std::int64_t hostLayers = 0;          ///< Megatron, FSDP2: the activations of so many layers, the first ones, wait for their backward pass in pinned host memory
    bool offloadOverlaps = false;         ///< Megatron: its gradients go down and weights up under the update of others
    int shardStage = 0;                   ///< Megatron-FSDP: 1 optimizer, 2 and gradients, 3 and weights; 0 = its other optimizers
    bool float8Weights = false;           ///< Megatron: weights are kept in 8 bits, not beside them in 16
    bool fusedLoss = false;               ///< Megatron: Transformer Engine's cross entropy, in place on the 16-bit logits
    bool jitLoss = false;                 ///< Megatron: its own fused cross entropy, of compiled functions
    double gradientBytes = 0, masterBytes = 0, momentBytes = 0;  ///< Megatron's precision-aware optimizer; 0 = by the rules of its other optimizers
    std::int64_t firstStageLayers = 0, lastStageLayers = 0;      ///< 0 = the same share as the others
    // What Megatron's arguments say of the pipeline, whatever its length; settleSplit() makes chunks and stages of it. 0 = they say nothing.
    std::int64_t chunksAsked = 0, layersPerChunk = 0, firstAsked = 0, lastAsked = 0;
    std::int64_t microBatchGroup = 0;     ///< micro-batches that a chunk of an interleaved schedule takes in a row; 0 = as many as stages
    bool embeddingPlace = false, lossPlace = false;              ///< count as a layer each
    bool customSplit = false;             ///< a layout of its own names the layers of each stage
    bool fp32Gradients = true;
    bool fp32Residual = false;
    double hiddenDropout = 0.0, attentionDropout = 0.0;
    bool rotary = true;
    bool biases = false;
    std::string optimizer = "adamw";
    bool ownFusedAdam = false;            ///< DeepSpeed makes its FusedAdam, by the ds_config
    bool foreachOptimizer = false;        ///< an optimizer that makes temporaries as large as its parameters
    bool clips = true;                    ///< FSDP2: gradients are read for their norm and scaled before each update
    DsSettings settings;
    std::string device;
    const DeviceSheet* sheet = nullptr;   ///< of `device`; null when there is none
    std::int64_t nodes = 1, devicesPerNode = 1;

    bool saves = false, evaluates = false;  ///< the run saves checkpoints, and evaluates between its steps
    bool tensorFloat = false;             ///< products of fp32 numbers run as TF32
    /// The type that matrices are multiplied in: narrower than the weights' under torch_autocast.
    [[nodiscard]] Precision products() const { return precision == Precision::Fp32 ? settings.autocast : precision; }
    [[nodiscard]] bool autocasts() const { return products() != precision; }
    /// The stage whose division the states have; DeepSpeed's alone differs from the one written.
    [[nodiscard]] int stateStage() const { return framework == Framework::DeepSpeed ? statesDividedFrom(settings, pp) : settings.stage; }
    /// Ranks that share each matrix of an expert. DeepSpeed and torchtitan have whole experts on a rank once they divide them (module_inject/
    /// auto_ep_folding.py: expert_tensor_parallel_size 1; moe/layer.py: enable_expert_tensor_parallelism false; torchtitan's
    /// expert_tensor_parallel_degree is 1 unless said).
    [[nodiscard]] std::int64_t expertTensor() const { return expertTp > 0 ? expertTp : framework != Framework::Megatron && ep > 1 ? 1 : tp; }
    /// Groups among which each shard is held once more: FSDP2's HSDP, and MiCS of DeepSpeed before 0.19.8 (mics_shard_size, stage 3).
    [[nodiscard]] std::int64_t copies() const
    {
        if (framework == Framework::Fsdp2) return replicate > 0 && dp % replicate == 0 ? replicate : 1;
        const std::int64_t n = dp * cp;
        return framework == Framework::DeepSpeed && settings.stage == 3 && settings.micsShard > 0 && n % settings.micsShard == 0 ? n / settings.micsShard : 1;
    }
    [[nodiscard]] std::int64_t ranks() const { return tp * pp * cp * dp; }
    /// Layers that a pipeline divides: Megatron may count the embedding and the loss among them.
    [[nodiscard]] std::int64_t places() const { return model.layers + embeddingPlace + lossPlace; }
    [[nodiscard]] std::int64_t microBatchesOfFlush() const { return microBatches / flushes; }
    /// Tokens of one micro-batch on one rank, before tensor or sequence parallelism.
    [[nodiscard]] double tokens() const { return static_cast<double>(microBatch) * static_cast<double>(model.seq) / static_cast<double>(cp); }
};

/// What a case is read for: a job as it stands, or a search, which varies its layout: that may be one that the model cannot have.
enum class CaseUse { Job, Search };

/// Reads a workspace and its framework.arguments (spelled as that framework's command line does) into a case.
/// @return nothing, with findings, when the sizes make no job; for a search a layout that the model cannot have is only told
[[nodiscard]] std::optional<TrainingCase> readTrainingCase(const Workspace& workspace, const std::optional<ModelShape>& shape,
                                                           const DsSettings& settings, std::vector<PlanFinding>& findings, CaseUse use = CaseUse::Job);
/// Puts into `c` the chunks and the layers of the first and the last stage that Megatron's arguments make for its number of stages.
/// Source: megatron/training/arguments.py, validate_args; core/transformer/transformer_block.py, get_num_layers_to_build.
void settleSplit(TrainingCase& c);

/// Layers of each pipeline stage; the remainder goes to the first stages.
[[nodiscard]] std::vector<std::int64_t> layersOfStages(std::int64_t layers, std::int64_t stages);
/// The same with the case's own sizes of the first and the last stage.
[[nodiscard]] std::vector<std::int64_t> layersOfStages(const TrainingCase& c);

/// Layers' worth of activations that stage `stage` holds at its fullest, in micro-batches times layers.
/// Source: 1F1B min(m, p - i); interleaved warm-up of Narayanan et al. 2021 section 2.2; GPipe m.
[[nodiscard]] double layersInFlight(const TrainingCase& c, std::int64_t stage, std::int64_t stageLayers);

}  // namespace stagecraft
