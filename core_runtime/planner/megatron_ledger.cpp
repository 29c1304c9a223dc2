// SPDX-License-Identifier: GPL-3.0-or-later
// Megatron-LM: what its modules save for the backward pass, tensor by tensor, and its flat parameter and gradient buffers.
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/beyond_tensors.h"
#include "planner/framework_ledger.h"
#include "planner/host_activations.h"
#include "planner/model_states.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

// Reserved over allocated: the median of the calibration half's eight figures of nvidia-smi (FlagPerf, 1.07 to 1.32).
constexpr double kReserved = 1.25;
constexpr const char* kReservedSource = "reserved / allocated is 1.07 to 1.32 of FlagPerf's eight runs under Megatron; their median of 1.25 taken, less where the device is full";
constexpr const char* kCode = "Megatron-LM core/transformer and core/tensor_parallel: tensors saved for backward";
constexpr const char* kWeights8 = "Transformer Engine, module/base.py: get_weight_workspace; is_non_tn_fp8_gemm_supported";
constexpr const char* kGathered8 = "megatron_fsdp.py: fp8_create_transpose_cache, release_params_fp8_transpose_cache";
constexpr const char* kStates = "Megatron-LM docs, distributed optimizer: 18, or 6 + 12/N bytes (fp16 20, or 4 + 16/N; fp32 16, or 8 + 8/N)";

/// Bytes per token that one layer keeps, by kind of tensor.
struct LayerBytes {
    double normInputs = 0, normOutputs = 0, qkv = 0, core = 0, scores = 0, mlp = 0, masks = 0;
    double again = 0;  ///< made again in the backward pass, by module
    double gradients = 0;  ///< alive at the MLP's non-linearity in the backward pass, less what the pass has given back
    [[nodiscard]] double all() const { return normInputs + normOutputs + qkv + core + scores + mlp + masks; }
};

/// @param sparse  whether the layer has experts
LayerBytes layerBytes(const TrainingCase& c, bool sparse)
{
    const ModelShape& m = c.model;
    const double t = static_cast<double>(c.tp);
    const double b = c.precision == Precision::Fp32 ? 4.0 : 2.0;
    const double h = static_cast<double>(m.hidden);
    const double sp = c.sequenceParallel ? 1.0 / t : 1.0;
    const double keys = static_cast<double>(std::max(m.kvHeads, std::min(c.tp, m.heads))) * static_cast<double>(m.headSize) / t;
    const double queries = static_cast<double>(m.heads) * static_cast<double>(m.headSize) / t;
    const double values = static_cast<double>(m.heads) * static_cast<double>(m.valueSize) / t;
    const double keptScores = static_cast<double>(m.heads) * static_cast<double>(m.seq) / static_cast<double>(c.cp) / t;

    LayerBytes out;
    const double residual = c.fp32Residual ? 4.0 : b;
    const double statistics = m.rmsNorm ? 4.0 : 8.0;
    out.normInputs = 2 * residual * h * sp + 2 * statistics * sp;
    // With 8-bit products their inputs are kept in 8 bits.
    const double in = c.float8 ? 1.0 : b;
    const RecomputeModules modules = c.policy == ActivationPolicy::SelectiveCore ? c.modules : RecomputeModules{};
    out.normOutputs = (modules.norms ? 0 : 2) * in * h * sp;
    if (modules.norms) out.again += 2 * in * h * sp;
    // Rotating makes new queries and keys beside the projection's output, of which the values are a view.
    out.qkv = b * (queries + 2 * keys) + (c.rotary ? b * (queries + keys) : 0.0);
    if (m.keyRank > 0) {
        // Latent attention: compressed queries and keys before and after their norms on every rank, then rotated queries, joined
        // keys, and the projection whose other half the values are a view of.
        const double compressed = 2 * b * static_cast<double>(m.queryRank + m.keyRank) * sp;
        const double projected = b * (2 * queries + values + queries - static_cast<double>(m.heads * m.rotarySize) / t);
        out.qkv = compressed + (modules.up ? 0 : projected);
        if (modules.up) out.again += projected;
    }
    out.core = b * values + (c.flashAttention ? 4.0 * static_cast<double>(m.heads) / t : 0.0) + (c.float8 ? in * values : 0.0);
    if (!c.flashAttention && !modules.core) out.scores = keptScores * (b + (c.attentionDropout > 0 ? 1.0 + b : 0.0));
    if (modules.core && !c.flashAttention) out.again += keptScores * (b + (c.attentionDropout > 0 ? 1.0 + b : 0.0));
    if (c.hiddenDropout > 0) out.masks = 2 * h * sp;
    // Before the non-linearity in the working precision, after it as a product's input.
    const double before = (m.gated ? 2 : 1) * b;
    // Two kernels keep what lies between them, too: SiLU's output, for the product's gradient (core/transformer/mlp.py, glu).
    const double between = m.gated && !c.fusedGate ? b : 0.0;
    if (sparse) {
        // Routed tokens are copied into their experts' order; the router keeps fp32 probabilities.
        const double routed = static_cast<double>(m.expertsPerToken);
        const double width = static_cast<double>(m.expertFfn) / t;
        const double activated = routed * in * width;
        const double experts = routed * (in * h * sp + before * width + b * h * sp) + 8.0 * static_cast<double>(m.experts) * sp;
        const double shared = (before + between + in) * static_cast<double>(m.sharedFfn) / t;
        // Each routed token has a gradient of its own, too.
        out.gradients = b * h * sp + routed * (b * h * sp + (before + b - in) * width);
        out.mlp = (modules.moe ? 0 : experts + (modules.activation ? 0 : activated)) + (modules.moe || modules.shared ? 0 : shared);
        out.again += (modules.moe ? experts + activated + shared : modules.activation ? activated : 0) + (modules.shared && !modules.moe ? shared : 0);
    } else {
        const double mlp = (before + between + in) * static_cast<double>(m.ffn) / t;
        // Of what the last projection took, which is then free, and of what went into the non-linearity; and the block's output's.
        out.gradients = b * h * sp + (before + b - in) * static_cast<double>(m.ffn) / t;
        out.mlp = modules.mlp ? 0 : mlp;
        if (modules.mlp) out.again += mlp;
    }
    return out;
}

// An average layer of a stage of which the share `dense` has no experts.
LayerBytes mixedBytes(const TrainingCase& c, double dense)
{
    if (c.model.experts == 0) return layerBytes(c, false);
    LayerBytes out = layerBytes(c, true);
    if (dense > 0) {
        const LayerBytes plain = layerBytes(c, false);
        out.mlp += dense * (plain.mlp - out.mlp);
        out.again += dense * (plain.again - out.again);
        out.gradients = std::max(out.gradients, plain.gradients);
    }
    return out;
}

}  // namespace

double megatronKeptBytes(const TrainingCase& c)
{
    return mixedBytes(c, static_cast<double>(c.model.denseLayers) / static_cast<double>(std::max<std::int64_t>(1, c.model.layers))).all() * c.tokens();
}

void addMegatronActivations(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    const ModelShape& m = c.model;
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const double tokens = c.tokens();
    const double b = c.precision == Precision::Fp32 ? 4.0 : 2.0;
    const double h = static_cast<double>(m.hidden);
    const double t = static_cast<double>(c.tp);
    const double sp = c.sequenceParallel ? 1.0 / t : 1.0;
    const LayerBytes kept = mixedBytes(c, static_cast<double>(denseLayersOfStage(c, stage, layers)) / static_cast<double>(std::max<std::int64_t>(1, layers)));
    const double inFlight = layersInFlight(c, stage, layers), onDevice = hostActivations(c, inFlight).onDevice;
    const double perStage = inFlight / static_cast<double>(layers);
    const std::string flight = fmt::format("{:.4g} layers in flight · {:.0f} tokens", inFlight, tokens);
    const auto activation = [&](const char* kind, double perToken, double held, const char* text) {
        ledger.add(kind, toBytes(perToken * tokens * held), "forward|backward",
                   [&] { return why(text, "layers in flight · tokens · bytes", fmt::format("{:.4g} layers · {:.0f} tokens · {:.6g} B", held, tokens, perToken), kCode); });
    };
    if (c.policy == ActivationPolicy::Full) {
        double full = inFlight;
        double stored = 0;
        double chunks = inFlight;
        if (c.recomputeFirstLayersOnly) {
            full = std::min(static_cast<double>(c.policyLayers), static_cast<double>(layers)) * perStage;
            stored = inFlight - full;
            chunks = full;
        } else {
            chunks = inFlight / static_cast<double>(std::max<std::int64_t>(1, std::min(c.policyLayers, layers)));
        }
        // They may be divided over the tensor-parallel ranks (--distribute-saved-activations; DeepSpeed's partition_activations), and under
        // DeepSpeed be kept in host memory.
        const double divided = c.settings.partitionActivations ? 1.0 / t : sp;
        const Place place = c.settings.cpuCheckpointing && c.framework == Framework::DeepSpeed ? Place::Pinned : Place::Device;
        ledger.add("activations.checkpoints", place, toBytes(b * h * divided * tokens * chunks), "forward|backward",
                   [&] { return why("inputs of the blocks that are made again", "layers in flight · tokens · bytes", fmt::format("{:.4g} layers · {:.0f} tokens · {:.6g} B", chunks, tokens, b * h * divided), kCode); });
        activation("activations.blocks", kept.all(), stored, "blocks that keep everything");
        const double group = c.recomputeFirstLayersOnly ? 1.0 : static_cast<double>(std::min(c.policyLayers, layers));
        // Under DeepSpeed's pipeline they are an item of their own (deepspeed_ledger.cpp, block_gradients).
        const double inside = c.framework == Framework::Megatron ? kept.gradients : 0.0;
        ledger.add("activations.recomputed", toBytes((kept.all() * group + inside) * tokens), "backward",
                   [&] { return why("the group of blocks being made again, and the gradients inside one of them", "tokens · bytes", fmt::format("{:.0f} · ({:.0f} · {:.6g} + {:.6g}) B", tokens, group, kept.all(), inside), kCode); });
    } else {
        activation("activations.norm_inputs", kept.normInputs, onDevice, "inputs and statistics of both norms");
        activation("activations.norm_outputs", kept.normOutputs, onDevice, "inputs of the attention and MLP projections");
        activation("activations.qkv", kept.qkv, onDevice, "queries, keys and values");
        activation("activations.attention", kept.core, onDevice, "attention output and its log-sum-exp");
        activation("activations.scores", kept.scores, onDevice, "softmax of the scores, its dropout mask and the dropped scores");
        activation("activations.mlp", kept.mlp, onDevice, "MLP before and after its non-linearity");
        activation("activations.masks", kept.masks, onDevice, "dropout masks of both residual branches");
        addHostActivations(ledger, c, inFlight);
        ledger.add("activations.recomputed", toBytes(kept.again * tokens), "backward",
                   [&] { return why("what one layer's modules make again", "tokens · bytes", fmt::format("{:.0f} · {:.6g} B", tokens, kept.again), kCode); });
    }
    if (stage == 0 && c.hiddenDropout > 0) {
        ledger.add("activations.embedding", toBytes(h * sp * tokens * perStage), "forward|backward", [&] { return why("dropout mask of the embedding, of each micro-batch in flight", "micro-batches · s b h", fmt::format("{:.4g} · {:.0f} · {:.0f}", perStage, tokens, h * sp), kCode); });
    }
    if (stage == c.pp - 1) {
        const double logits = tokens * static_cast<double>(m.vocab) / t;
        const double statistics = m.rmsNorm ? 4.0 : 8.0;
        ledger.add("activations.head", toBytes((2 * b * h * sp + statistics * sp) * tokens), "forward|backward",
                   [&] { return why("final norm: its input and output", "s b (2 b h + statistics)", fmt::format("{:.0f} tokens · {:.10g} B", tokens, (2 * b * h + statistics) * sp), kCode); });
        const double outputs = 1 + static_cast<double>(m.nextTokenLayers);
        if (m.nextTokenLayers > 0) {
            const double next = static_cast<double>(m.nextTokenLayers) * (layerBytes(c, m.experts > 0).all() + (6 * b * h + 2 * b * h) * sp);
            ledger.add("activations.next_token", toBytes(next * tokens), "forward|backward", [&] { return why("layers of multi-token prediction: a layer, the joined states and their norms", "tokens · bytes", fmt::format("{:.0f} · {:.6g} B", tokens, next), kCode); });
        }
        // The cross entropy works in place on an fp32 copy, Transformer Engine's on the logits themselves; its backward adds the logits' gradient in the working precision.
        // Compiled functions write what is in place elsewhere beside it (core/fusions/fused_cross_entropy.py, jit_fuser: torch.compile makes it functional).
        ledger.add("logits", toBytes((c.fusedLoss ? outputs : 1.0) * b * logits), "forward", [&] { return why("logits of one micro-batch", "b s V / t", fmt::format("{} · {:.0f}", b, logits), kCode); });
        if (c.precision != Precision::Fp32 && !c.fusedLoss) {
            const double each = c.jitLoss ? 8 : 4;
            ledger.add("loss", toBytes(each * outputs * logits), "forward", [&] { return why(c.jitLoss ? "fp32 copy of the logits, and the softmax that compiled functions write beside it, of each output" : "fp32 copy of the logits that becomes the softmax in place, of each output", fmt::format("{} s b V / t", each), fmt::format("{} · {} · {:.0f}", each, outputs, logits), kCode); });
        }
    }
}

void addMegatronStates(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p)
{
    const double n = static_cast<double>(c.dp * c.cp);
    const double expertRanks = expertShards(c);
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const double weight = c.precision == Precision::Fp32 ? 4 : 2;
    const double gradient = c.gradientBytes > 0 ? c.gradientBytes : c.fp32Gradients ? 4 : 2;
    // Without a distributed optimizer fp16 keeps an fp32 gradient copy beside the 16-bit one; Megatron-FSDP makes it for the update alone
    // (param_and_grad_buffer.py, update_main_grads).
    const bool turnsLate = c.shardStage > 0 && c.masterBytes == 0 && c.precision != Precision::Fp32 && !c.fp32Gradients;
    const double master = c.masterBytes > 0 ? c.masterBytes : c.precision == Precision::Fp32 ? 0 : c.fp32Gradients || turnsLate ? 4 : 8;
    const double moments = c.momentBytes > 0 ? c.momentBytes : c.settings.stateBytes;
    // Megatron-FSDP divides gradients and weights too; a layer and the one fetched ahead are whole.
    const auto fromStage = [&](int from, double bytes) { return c.shardStage >= from ? bytes * (p.dense / n + p.experts / expertRanks) : bytes * p.all(); };
    const double copies = static_cast<double>(std::max<std::int64_t>(1, c.optimizerInstances));
    const auto divided = [&](double bytes) { return c.distributedOptimizer ? bytes * std::min(p.all(), copies * (p.dense / n + p.experts / expertRanks)) : bytes * p.all(); };
    const std::string count = fmt::format("{:.0f}", p.all());
    const char* over = c.distributedOptimizer ? " / N" : "";
    const auto numbers = [&](double bytes) {
        return c.distributedOptimizer ? dividedNumbers(bytes, p.all(), n / copies, p.experts, expertRanks / copies) : fmt::format("{} · {}", bytes, count);
    };
    // Matrices of the layers in 8 bits, for the forward and, transposed, for the backward pass. Blackwell multiplies either way round where a tensor has
    // one scale; blocks of 32 lie along the sum, so that they are two tensors. Megatron-FSDP transposes what it has gathered.
    const double matrices = p.all() - p.embedding - p.head;
    const bool transposes = c.float8 && !c.blockScaled && !(c.sheet && c.sheet->peak.contains("fp4"));
    const double copies8 = c.blockScaled || transposes ? 2 : 1;
    const double held8 = transposes && c.shardStage == 3 ? 1 : copies8;
    const double held = c.float8Weights ? (held8 * matrices + weight * (p.all() - matrices)) / p.all() : weight;
    const double gathered = c.float8Weights ? 1 : weight;
    ledger.add("weights", toBytes(fromStage(3, held)), "all", [&] { return why("parameters of this rank", fmt::format("{:.3g} Φ", held), fmt::format("{:.3g} · {}", held, count), kStates); });
    ledger.add("gradients", toBytes(fromStage(2, gradient)), "all", [&] { return why("the contiguous gradient buffer", fmt::format("{} Φ", gradient), fmt::format("{} · {}", gradient, count), kStates); });
    if (c.shardStage == 3) ledger.add("gathered_weights", toBytes(2 * gathered * p.block), "forward|backward", [&] { return why("the layer at work and the one fetched ahead", "2 · w Φ_block", fmt::format("2 · {} · {:.0f}", gathered, p.block), kStates); });
    // Only transformer layers are units (mcore_fsdp_adapter.py, fsdp_unit_modules): the tables are gathered for the whole of both passes, and share one
    // bucket, which is there from the output matrix's gradient, the first, to the embedding's, the last.
    const double tables = p.embedding + (c.model.tied && c.pp == 1 ? 0.0 : p.head);
    if (c.shardStage == 3 && tables > 0) {
        ledger.add("gathered_weights", toBytes(weight * tables), "forward|backward", [&] { return why("embedding and output matrix, which are no unit of their own", "w Φ_tables", fmt::format("{} · {:.0f}", weight, tables), kStates); });
        ledger.add("gathered_gradients", toBytes(gradient * tables), "backward", [&] { return why("the bucket of the embedding's and the output matrix's gradients", "g Φ_tables", fmt::format("{} · {:.0f}", gradient, tables), kStates); });
    }
    if (c.shardStage >= 2) ledger.add("gathered_gradients", toBytes(2 * gradient * p.block), "backward", [&] { return why("gradients of two layers on their way", "2 · g Φ_block", fmt::format("2 · {} · {:.0f}", gradient, p.block), kStates); });
    if (c.float8Weights && c.shardStage == 3 && transposes) {
        const double turned = c.float8Kept ? matrices : p.block;
        ledger.add("weights_fp8", toBytes(turned), c.float8Kept ? "all" : "backward", [&] { return why("transposed 8-bit weights of what is gathered", c.float8Kept ? "Φ_matrices" : "Φ_block", fmt::format("{:.0f}", turned), kGathered8); });
    }
    // Each module keeps its own copy from the first micro-batch on, whole on each device, however the weights are divided.
    if (c.float8 && !c.float8Weights) ledger.add("weights_fp8", toBytes(copies8 * matrices), "all", [&] { return why("8-bit copies of the weights, and transposed where the device needs it", fmt::format("{} Φ_matrices", copies8), fmt::format("{} · {:.0f}", copies8, matrices), kWeights8); });
    const double away = c.optimizerOffload, stay = 1 - away;
    if (away > 0) {
        const auto onHost = [&](const char* what, double bytes, const char* told) {
            ledger.add(what, Place::Pinned, toBytes(away * divided(bytes)), "all", [&] { return why(told, fmt::format("{} Φ{} · part", bytes, over), fmt::format("{} · {:g}", numbers(bytes), away), "megatron/core/optimizer/cpu_offloading"); });
        };
        onHost("gradients_host", 4, "fp32 gradients waiting for the optimizer on the host");
        onHost("master", 4, "fp32 weights that the optimizer updates");
        onHost("optimizer_states", optimizerStateBytes(c.optimizer == "adam" ? "adamw" : c.optimizer), "the optimizer's moments in fp32");
    }
    if (stay <= 0) return;
    if (turnsLate) ledger.add("gradients_fp32", toBytes(stay * divided(4)), "step", [&] { return why("gradients turned to fp32 for the optimizer", fmt::format("4 Φ{}", over), numbers(4), kStates); });
    ledger.add("master", toBytes(stay * divided(master)), "all", [&] { return why("main parameters in fp32", fmt::format("{} Φ{}", master, over), numbers(master), kStates); });
    ledger.add("optimizer_states", toBytes(stay * divided(moments)), "all", [&] { return why("the optimizer's moments", fmt::format("{} Φ{}", moments, over), numbers(moments), kStates); });
}

LedgerRole megatronStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief)
{
    const StageParameters p = stageParameters(c, stage, layers);
    LedgerBuilder ledger(roleName(stage), c.tp * c.dp * c.cp, brief);
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };

    addMegatronStates(ledger, c, p);
    addMegatronActivations(ledger, c, stage, layers);

    // Workspaces: PyTorch's cuBLAS keeps 32 MiB for each of two threads on Hopper and later, 8 MiB before; Transformer Engine 32 or 4 MiB for itself, and
    // for each of the four streams on which experts are multiplied. Source: transformer_engine/pytorch/module/base.py, get_workspace.
    const DeviceSheet* device = c.sheet;
    const bool hopper = device && device->year >= 2022;
    const std::int64_t handle = hopper ? 32 : 8, stream = hopper ? 32 : 4, streams = c.transformerEngine ? (c.model.experts > 0 && !c.expertsOneByOne ? 5 : 1) : 0;
    ledger.add("workspace", (2 * handle + streams * stream) * kMiB, "all",
               [&] { return why("matrix library workspaces", "streams · bytes", fmt::format("(2 · {} + {} · {}) MiB", handle, streams, stream), "cuBLAS and Transformer Engine defaults"); });
    const std::int64_t context = (hopper ? 560 : 460) * kMiB + groupCount(c) * kGroupBytes;
    addEvaluation(ledger, c, stage, layerBytes(c, c.model.experts > 0).all());
    // What the allocator has freed it keeps until the device is full; then it gives back all but what its segments cannot.
    const double usable = device && device->usableBytes > 0 ? static_cast<double>(device->usableBytes - context) : 0.0;
    const auto reserved = [&](std::int64_t bytes) {
        const double all = static_cast<double>(bytes), kept = (c.expandableSegments ? leastReserve(c) : kReserved) * all;
        return toBytes(usable > 0 ? std::max(leastReserve(c) * all, std::min(kept, usable)) : kept);
    };
    LedgerRole role = std::move(ledger).finish(phasesOf(c), reserved, context);
    if (!brief) {
        const double factor = static_cast<double>(role.peak.reserved) / static_cast<double>(std::max<std::int64_t>(1, role.peak.allocated));
        addBeyondTensors(role, {fragmentationOf(factor, role.peak.allocated, c.expandableSegments ? kGrowingSource : kReservedSource)},
                         {deviceContext((hopper ? 560 : 460) * kMiB, device ? device->name : std::string(), "CUDA context and loaded kernels: 0.3 to 0.6 GiB; 0.45 on an A100, 0.55 on an H100"), groupBuffers(groupCount(c))});
    }
    return role;
}

}  // namespace stagecraft
