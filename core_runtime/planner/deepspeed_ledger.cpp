// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSpeed's engine on a Hugging Face model: its flat buffers, buckets and gathered parameters, and eager activations.
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/beyond_tensors.h"
#include "planner/block_gradients.h"
#include "planner/framework_ledger.h"
#include "planner/kept_tensors.h"
#include "planner/loss_kernel.h"
#include "planner/model_states.h"
#include "planner/parameter_groups.h"
#include "planner/tensor_shares.h"
#include "planner/transfers.h"
#include "planner/transformers_block.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace stagecraft {

namespace {

constexpr const char* kZero12 = "deepspeed/runtime/zero/stage_1_and_2.py";
constexpr const char* kPipe = "deepspeed/runtime/pipe/engine.py, PartitionedTensor";
constexpr const char* kBf16 = "deepspeed/runtime/bf16_optimizer.py";
constexpr const char* kZero3 = "deepspeed/runtime/zero/stage3.py, partitioned_param_coordinator.py";
constexpr const char* kTiledLoss = "deepspeed/runtime/sequence_parallel/ulysses_sp.py, TiledFusedLogitsLoss";
constexpr const char* kFusedLinear = "liger_kernel/ops/fused_linear_cross_entropy.py, fused_linear_cross_entropy_forward";
constexpr const char* kFusedLoss = "fused cross entropy in Triton (foak, Unsloth, Liger): its backward kernel writes into the logits";
constexpr const char* kAdapters = "peft 0.21, tuners/lora/layer.py, ParamWrapper; tuners/lora/dora.py, DoraLinearLayer.forward";
constexpr const char* kLightning = "lightning/fabric/plugins/precision/bitsandbytes.py, _quantize_weight; bitsandbytes 0.42, autograd/_functions.py, MatMul4Bit";
constexpr const char* kFragmentation3 = "reserved / allocated is 1.03 to 1.10, more under ZeRO-3, which gathers and frees (c10/cuda/CUDACachingAllocator.cpp); 1.08 taken";
constexpr const char* kLazy = "CUDA context 0.3 to 0.6 GiB; kernels are loaded when first launched (CUDA 11.7, CUDA_MODULE_LOADING=LAZY)";
constexpr const char* kAllKernels = "BigScience 2022, chronicles-prequel: with every kernel loaded 1573 MiB on an A100, 1271 on a V100";
constexpr const char* kEager = "Transformers 5.23's modelling code, eager attention, use_cache off: tensors autograd keeps";
constexpr const char* kMath = "Transformers 5.23's modelling code, sdpa without a fused kernel (aten/src/ATen/native/transformers/attention.cpp, _scaled_dot_product_attention_math), use_cache off: tensors autograd keeps";
constexpr const char* kSdpa = "Transformers 5.23's modelling code, fused attention (sdpa or flash_attention_2), use_cache off: tensors autograd keeps";

const char* modelSource(const TrainingCase& c) { return c.mathScores ? kMath : c.eagerScores ? kEager : kSdpa; }

void addBuffers(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p, const std::vector<ParameterGroup>& groups, const StateInput& states)
{
    const double phi = states.params;
    const double divided = states.divided();
    const DsSettings& s = c.settings;
    const double n = states.ranks;
    const double b = c.precision == Precision::Fp32 ? 4.0 : 2.0;
    const double bucketElements = static_cast<double>(s.reduceBucket);
    const auto shareOf = [&](double bytes) { return dividedNumbers(bytes, phi, n, states.experts, states.expertRanks); };
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const bool bf16Optimizer = usesBf16Optimizer(c);
    // Allocated at the start whatever the number of ranks: stage_1_and_2.py setup_buckets, stage3.py _setup_for_real_optimizer.
    if (s.stage >= 1 && s.contiguousGradients && !bf16Optimizer) {
        // Under autocast there is one for each type that gradients are sent in; stages 1 and 2 copy into both in the gradients' own.
        const bool two = c.autocasts() && s.autocastSends;
        const double buffers = reducesBesides(c) ? 2 : 1, each = two ? (s.stage == 3 ? 2 + 4 : 2 * b) : b;
        // The buffer is allocated whole, whatever the size of the model.
        ledger.add("buckets", toBytes(buffers * each * bucketElements), s.stage == 3 ? "all" : "backward",
                   [&] { return why("buffers that gradients are copied into before they are reduced", "buffers · b · reduce_bucket_size", fmt::format("{} · {} · {:.0f}", buffers, each, bucketElements), s.stage == 3 ? kZero3 : kZero12); });
    }
    const bool mixed = c.precision != Precision::Fp32;
    if (bf16Optimizer) {
        ledger.add("gradients_16", toBytes(b * phi), "backward", [&] { return why("16-bit gradients of a backward pass, before they are added to the fp32 ones", "2 Φ", fmt::format("{} · {:.0f}", b, phi), "deepspeed/runtime/bf16_optimizer.py"); });
    }
    const bool onDevice = s.stage == 0 || s.offloadOptimizer == OffloadDevice::None;
    if (mixed && onDevice && !s.fp32Gradients && s.masterBytes > b) {
        const double elements = c.stateStage() == 0 ? phi : s.stage == 3 ? std::min(divided, static_cast<double>(s.subGroup)) : divided;
        ledger.add("gradients_fp32", toBytes(4 * elements), "step", [&] { return why("gradients turned to fp32 for the optimizer", s.stage == 3 ? "4 · min(Φ / N, sub_group_size)" : "4 Φ / N", fmt::format("4 · {:.0f}", elements), s.stage == 3 ? kZero3 : kZero12); });
    }
    // Without a stage FusedAdam's fp32 gradients are first a list, then one flat tensor, and the list is still there (fp16/fused_optimizer.py, step).
    if (mixed && s.stage == 0 && !bf16Optimizer && !s.fp32Gradients && s.masterBytes > b && c.ownFusedAdam) {
        ledger.add("gradients_flat", toBytes(4 * phi), "step", [&] { return why("fp32 gradients put beside each other for the optimizer", "4 Φ", fmt::format("4 · {:.0f}", phi), "deepspeed/runtime/fp16/fused_optimizer.py"); });
    }
    // The stages keep a copy of their weights to update where these are fp32 already: both are clones (stage_1_and_2.py; stage3.py, _create_fp32_partitions).
    if (!mixed && s.stage >= 1 && onDevice) {
        ledger.add("master", toBytes(4 * divided), "all", [&] { return why("this rank's part of the weights once more, which the optimizer updates", "4 Φ / N", shareOf(4), s.stage == 3 ? kZero3 : kZero12); });
    }
    // Stage 3 reduces into a flat buffer of its whole partition, which is on the host whatever part of the optimizer is.
    if (s.stage == 3 && !onDevice) {
        const double each = mixed && !s.fp32Gradients ? 2.0 : 4.0;
        ledger.add("gradient_partitions_host", s.pinMemory ? Place::Pinned : Place::Host, toBytes(each * divided), "all",
                   [&] { return why("reduced gradients of the whole partition, from which each group's fp32 ones are filled", fmt::format("{} Φ / N", each), shareOf(each), "deepspeed/runtime/zero/stage3.py, grad_partitions_flat_buffer"); });
    }
    // A single rank's, too (stage_1_and_2.py, step: flatten_dense_tensors_aligned), while the gradients themselves are still there.
    if (onDevice && !(mixed && s.fp32Gradients) && (s.stage == 1 || s.stage == 2)) {
        ledger.add("gradients_flat", toBytes(b * divided), "step", [&] { return why(mixed ? "this rank's gradients put beside each other before they are turned to fp32" : "this rank's gradients put beside each other for the optimizer", fmt::format("{} Φ / N", b), shareOf(b), kZero12); });
    }
    if (s.stage == 3 && onDevice) {
        // Each sub-group's gradients are put beside each other before they are turned to fp32 (_prepare_fp32_grad_for_sub_group).
        const double each = mixed && !s.fp32Gradients ? b : 4.0;
        const double group = std::min(divided, static_cast<double>(s.subGroup));
        ledger.add("gradients_flat", toBytes(each * group), "step", [&] { return why("a sub-group's gradients put beside each other, before they are turned to fp32", fmt::format("{} · min(Φ / N, sub_group_size)", each), fmt::format("{} · {:.0f}", each, group), kZero3); });
    }
    if (s.stage == 3 && s.reduceScatter) {
        // The gradients of a bucket are sorted by ranks into a tensor of their own (reduce_scatter_coalesced); a larger one goes alone, as it is.
        const double bucket = std::min(phi, bucketElements);
        ledger.add("buckets_sorted", toBytes(gradientWire(c) * bucket), "backward", [&] { return why("a bucket of gradients sorted by ranks", "b · min(Φ, reduce_bucket_size)", fmt::format("{} · {:.0f}", gradientWire(c), bucket), "deepspeed/runtime/comm/coalesced_collectives.py"); });
    }
    // A single rank gathers nothing, but what is offloaded has to come (partition_parameters.py, NoGatherHandle).
    if (s.stage == 3 && (n > 1 || s.offloadParam != OffloadDevice::None)) {
        // Tensors up to stage3_param_persistence_threshold are never given back (parameter_offload.py, mark_persistent_parameters): by
        // default norms and biases, which weigh nothing.
        double kept = 0, keptElements = 0, rest = 0, restElements = 0;
        for (const ParameterGroup& group : groups) {
            if (group.shards == 1 && s.offloadParam == OffloadDevice::None) continue;
            kept += group.keptBytes();
            keptElements += group.kept.all();
            rest += group.storedBytes() - group.keptBytes();
            restElements += group.elements() - group.kept.all();
        }
        // What a product keeps for its backward pass is a view of its weight, and holds what was gathered though the parameter is given
        // back; zero.Init puts a linear function in its place that asks for the parameter again (zero/linear.py).
        const bool kept16 = c.weightsKept && c.policy == ActivationPolicy::None;
        // Elements are those of the tensors as they are stored: packed weights lie in 16-bit ones (bnb_4bit_quant_storage; others ZeRO does not divide).
        const bool packed = c.model.part.packed() && restElements > 0;
        const double dense = packed ? rest / restElements / b : 1.0;
        const double each = packed || restElements <= 0 ? b : rest / restElements;
        const double live = std::min(dense * restElements, std::max({static_cast<double>(s.maxLive), dense * (p.block + std::max(p.head, p.embedding)), kept16 ? dense * (restElements - p.embedding) : 0.0}));
        ledger.add("gathered_weights", toBytes(kept), "all",
                   [&] { return why("parameters below the persistence threshold, which are never given back", "b · sum of Φ_parameter <= stage3_param_persistence_threshold", fmt::format("{:.4g} · {:.0f}", kept / std::max(1.0, keptElements), keptElements), "deepspeed/runtime/zero/parameter_offload.py, mark_persistent_parameters"); });
        ledger.add("gathered_weights", toBytes(each * live), "forward|backward|eval",
                   [&] { return why(kept16 ? "parameters gathered at once: autograd holds every product's weight until its backward pass, the model was made outside zero.Init" : "parameters gathered at once: what is used soon again stays until max_live_parameters is reached", kept16 ? "b · (Φ - Φ_embedding)" : "b · min(Φ, max_live)", fmt::format("{:.4g} · {:.0f}", each, live), kZero3); });
        ledger.add("gathered_gradients", toBytes(b * largestTrained(c, p)), "backward",
                   [&] { return why("whole gradients of the module in the backward pass", "b · Λ", fmt::format("{} · {:.0f}", b, largestTrained(c, p)), kZero3); });
    } else if (n > 1 && c.stateStage() >= 1) {
        ledger.add("allgather", toBytes(std::min(b * static_cast<double>(s.allgatherBucket), b * phi)), "step",
                   [&] { return why("updated weights gathered bucket by bucket", "b · min(Φ, allgather_bucket_size)", fmt::format("{} · {:.0f}", b, std::min(static_cast<double>(s.allgatherBucket), phi)), kZero12); });
    }
    if ((s.stage == 1 || s.stage == 2) && !onDevice) {
        // A reduced gradient lies in the bucket until it is copied to the host, and is dropped at once: no gradient outlives its bucket
        // (reduce_independent_p_g_buckets_and_remove_grads, async_inplace_copy_grad_to_fp32_buffer_from_gpu). Only fp32 accumulation
        // sums this rank's part on the device (_get_compact_grad_partition_slice). Both have one buffer for sums of micro-batches.
        if (s.fp32Gradients && mixed) {
            ledger.add("gradients", toBytes(4 * divided), c.microBatches > 1 ? "all" : "backward|step", [&] { return why("this rank's reduced gradients, summed in fp32 on the device until the step", "4 Φ / N", fmt::format("4 · {:.0f} / {:.0f}", phi, n), kZero12); });
        }
        // Updated weights go back through a buffer in their own precision, and micro-batches are summed in another.
        const Place host = s.pinMemory ? Place::Pinned : Place::Host;
        ledger.add("buckets_weights_host", host, toBytes(b * divided), "all", [&] { return why("this rank's updated weights on their way back", fmt::format("{} Φ / N", b), shareOf(b), "deepspeed/runtime/zero/stage_1_and_2.py, param_buffer_of_bit16_for_cpu_offload_groups"); });
        if (c.microBatches > 1 && s.masterBytes > 2) {
            ledger.add("buckets_sums_host", host, toBytes(b * divided), "all", [&] { return why("this rank's gradients summed over micro-batches", fmt::format("{} Φ / N", b), shareOf(b), "deepspeed/runtime/zero/stage_1_and_2.py, accumulated_grads_in_cpu"); });
        }
        const TrainedPart& part = c.model.part;
        const double matrix = static_cast<double>(c.model.hidden * c.model.ffn) / static_cast<double>(c.tp);
        double added = 0;
        for (const TrainedPart::Matrices& own : part.adapters) added = std::max(added, own.elements / static_cast<double>(c.tp));
        const double largest = std::max({added, part.embedding * p.embedding, part.output * p.head, !part.adapted() && part.products > 0 ? matrix : 0.0});
        ledger.add("gradient_of_parameter", toBytes(b * largest), "all", [&] { return why("buffer through which the largest parameter's gradient comes back from the host", "b · max Φ_parameter", fmt::format("{} · {:.0f}", b, largest), kZero12); });
    }
    addSecondCopy(ledger, c, groups);
    // Sent wider or narrower than they were computed, gradients are copied bucket by bucket: stage_1_and_2.py, average_tensor;
    // stage3.py, __avg_scatter_contiguous_grads; engine.py, allreduce_bucket, whose buckets have 500 million elements.
    if (n > 1 && gradientWire(c) != b) {
        const double bucket = std::min(phi, s.stage == 0 ? 5e8 : bucketElements);
        ledger.add("buckets_sent", toBytes(gradientWire(c) * bucket), "backward",
                   [&] { return why("a bucket of gradients in the type that they are sent in", "bytes · min(Φ, reduce_bucket_size)", fmt::format("{} · {:.0f}", gradientWire(c), bucket), s.stage == 3 ? kZero3 : "deepspeed/runtime/zero/stage_1_and_2.py, allreduce_bucket; communication_data_type"); });
    }
}

// Weights in 16 bits that autocast multiplies by. Those that are trained it casts once in a forward pass and holds until its end; autograd
// holds them, and what was cast of frozen ones, until the product's backward pass. What is made again is cast again, block by block.
// Source: aten/src/ATen/autocast_mode.cpp, cached_cast; torch/utils/checkpoint.py.
void addAutocastWeights(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p, std::int64_t stage, std::int64_t layers)
{
    if (!c.autocasts()) return;
    constexpr const char* kAutocast = "aten/src/ATen/autocast_mode.cpp, cached_cast";
    const ModelShape& m = c.model;
    const TrainedPart& part = m.part;
    const double t = static_cast<double>(c.tp);
    const auto add = [&](const char* phase, double elements, const char* words, const char* formula) {
        ledger.add("autocast_weights", toBytes(2 * elements), phase, [&] { return LedgerBuilder::Why{words, formula, fmt::format("2 · {:.0f}", elements), kAutocast}; });
    };
    const double matrices = std::max(0.0, static_cast<double>(m.layerMatrices - m.layerExperts - (part.packed() ? part.packedMatrices : 0))) / t;
    const double output = stage == c.pp - 1 ? m.tokenTable() / (c.lossParallel ? t : 1.0) : 0.0;
    const double widest = std::max(output, static_cast<double>(m.hidden * std::max(m.ffn, m.heads * m.headSize)) / t);
    if (keepsAsCalled(c)) {
        add("forward|backward", widest + std::min(static_cast<double>(c.settings.prefetchBucket), p.block), "the weight of one product in 16 bits, and what is fetched ahead in them before it is turned to fp32", "2 (max Φ_matrix + min(Φ_block, prefetch_bucket_size))");
        return;
    }
    const double all = static_cast<double>(layers) * matrices;
    if (c.policy != ActivationPolicy::Full) {
        add("forward|backward", all * backwardShare(c, stage, layers) + output, "the matrices in 16 bits, as autocast multiplies by them: held for the backward pass", "2 Φ_matrices");
        return;
    }
    add("forward", (part.adapted() ? 0.0 : part.layers * all) + widest, "the trained matrices in 16 bits, which autocast holds to the end of a forward pass", "2 Φ_matrices");
    add("backward", std::max(matrices, output), "matrices in 16 bits of the block that is made again, or the output's", "2 max(Φ_block, Φ_output)");
}

void addActivations(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, std::int64_t layers, const KeptTensors& block, bool brief)
{
    const ModelShape& m = c.model;
    const double tokens = c.tokens();
    const double b = c.products() == Precision::Fp32 ? 4.0 : 2.0, stream = c.precision == Precision::Fp32 ? 4.0 : 2.0;
    const double h = static_cast<double>(m.hidden);
    const double inFlight = layersInFlight(c, stage, layers) * backwardShare(c, stage, layers);
    const bool full = c.policy == ActivationPolicy::Full;
    const char* source = modelSource(c);
    if (full) {
        const Place place = c.settings.cpuCheckpointing ? Place::Pinned : Place::Device;
        // partition_activations: each tensor-parallel rank keeps its part of what all of them have (activation_checkpointing/checkpointing.py).
        const double checkpoint = stream * h / (c.settings.partitionActivations ? static_cast<double>(c.tp) : 1.0);
        ledger.add("activations.checkpoints", place, toBytes(checkpoint * tokens * inFlight), "forward|backward",
                   [&] { return LedgerBuilder::Why{"block inputs; the rest is made again", "layers · tokens · bytes", fmt::format("{:.4g} · {:.0f} · {:.6g} B", inFlight, tokens, checkpoint), source}; });
    } else {
        addKeptTensors(ledger, block, tokens, inFlight, source, brief);
    }
    const double gradients = blockGradients(c, block, denseShare(c, stage, layers));
    ledger.add("activations.recomputed", toBytes(((full ? block.perToken() : 0.0) + gradients) * tokens), "backward",
               [&] { return LedgerBuilder::Why{full ? "one block made again, and the gradients inside it" : "gradients inside one block, where there are most of them", "tokens · bytes",
                                               full ? fmt::format("{:.0f} · ({} + {:.6g}) B", tokens, block.numbers(), gradients) : fmt::format("{:.0f} · {:.6g} B", tokens, gradients), source}; });
    const TrainedPart& part = m.part;
    ledger.add("gradient_of_rebuilt", toBytes(b * part.largestRebuilt / static_cast<double>(c.tp * std::max<std::int64_t>(1, c.ep))), "backward",
               [&] { return LedgerBuilder::Why{"whole gradient of an expert tensor that was made anew, of which its adapters' gradients are made", "b · Φ_experts", fmt::format("{} · {:.0f}", b, part.largestRebuilt), kAdapters}; });
    // Let go before the loss is made: of the forward pass, what is more than the loss takes.
    const double norms = b * part.doraScratch / static_cast<double>(c.tp);
    const double loss = stage == c.pp - 1 && !lossInPieces(c) ? (1 + lossTensors(c, 2)) * (c.fp32Loss ? 4.0 : b) * tokens * static_cast<double>(m.outputs()) / (c.lossParallel ? static_cast<double>(c.tp) : 1.0) : 0.0;
    const auto addNorms = [&](double bytes, const char* phase) {
        ledger.add("dora_norms", toBytes(bytes), phase, [&] { return LedgerBuilder::Why{"the widest adapter's product, made from a square of ones, and its sum with the weight for DoRA's norm", "b · (in² + 3 in · out)", fmt::format("{:.0f} B of {} · {:.0f}", bytes, b, part.doraScratch), kAdapters}; });
    };
    if (norms > loss) addNorms(norms - loss, "forward");
    if (norms > 0 && full) addNorms(norms, "backward");
    if (stage == c.pp - 1) {
        // What the norm takes and has normalised, and the output's input, which frozen ones need not.
        const BlockCode& code = m.code;
        const double norm = code.norm == BlockCode::Norm::Layer ? stream : 4 + (part.norm > 0 ? (code.norm == BlockCode::Norm::RmsFloat ? 4 : stream) : 0.0);
        const double input = part.output > 0 || part.addedOutput > 0 ? (keepsAsCalled(c) ? 4.0 : b) : 0.0;
        if (code.family != "bert") ledger.add("activations.head", toBytes((norm + input) * h * tokens), "forward", [&] { return LedgerBuilder::Why{"final norm and the output's input", "tokens · bytes", fmt::format("{:.0f} · {:.6g} · {:.0f} B", tokens, norm + input, h), source}; });
        ledger.add("dora_logits", toBytes(2 * b * tokens * part.headOutputs / static_cast<double>(c.tp)), "forward|backward",
                   [&] { return LedgerBuilder::Why{"what the frozen output matrix and its adapter made, each scaled by DoRA's magnitudes", "2 b s V", fmt::format("2 · {} · {:.0f} · {:.0f}", b, tokens, part.headOutputs), kAdapters}; });
        // BERT's head has a product, a GELU and a norm of its own before the vocabulary.
        const double transform = m.code.family == "bert" && m.classes < 0 ? 3 * b * h + 8 : 0.0;
        ledger.add("activations.head", toBytes(transform * tokens), "forward|backward", [&] { return LedgerBuilder::Why{"what the non-linearity and the norm of the output's own layer take, and what they make for the vocabulary", "3 b h", fmt::format("{:.0f} · {:.6g} B", tokens, transform), source}; });
        const double logits = tokens * static_cast<double>(m.outputs()) / (c.lossParallel ? static_cast<double>(c.tp) : 1.0);
        const double each = !c.fp32Loss ? b : 4.0;
        if (lossInPieces(c)) {
            // Each chunk goes forward and back at once: nothing of its logits outlives it, only the gradient of what went in.
            const double chunks = tokens / tokensOfLoss(c), tensors = lossTensors(c, 3);
            const bool fused = c.lossKernel == LossKernel::Linear;
            const char* from = fused ? kFusedLinear : kTiledLoss;
            ledger.add("logits", toBytes(b * logits / chunks), "forward", [&] { return LedgerBuilder::Why{"logits of one chunk of the loss", "b s V / chunks", fmt::format("{} · {:.0f} / {:.6g}", b, logits, chunks), from}; });
            ledger.add("logits_capped", toBytes((m.code.cappedLogits && !fused ? b : 0.0) * logits / chunks), "forward", [&] { return LedgerBuilder::Why{"tanh of the logits, kept for the gradient of their cap", "b s V / chunks", fmt::format("{} · {:.0f} / {:.6g}", b, logits, chunks), from}; });
            ledger.add("loss", toBytes(tensors * each * logits / chunks), "forward", [&] { return LedgerBuilder::Why{"log-softmax and two gradients of one chunk", "3 · 4 s b V / chunks", fmt::format("{} · {:.0f} / {:.6g}", tensors * each, logits, chunks), from}; });
            ledger.add("loss_gradient", toBytes(b * h * tokens), "forward|backward", [&] { return LedgerBuilder::Why{"gradient of the output's input, made with the loss in the forward pass", "b s h", fmt::format("{} · {:.0f} · {:.0f}", b, tokens, h), from}; });
            const double matrix = fused ? b * part.output * static_cast<double>(m.outputs() * m.outputWidth()) / static_cast<double>(c.tp) : 0.0;
            ledger.add("loss_head", toBytes(matrix), "forward", [&] { return LedgerBuilder::Why{"gradient of the output matrix, made with the loss in the forward pass", fmt::format("{} Φ_head", b), fmt::format("{:.0f} B", matrix), from}; });
            return;
        }
        // Forward: logits in the loss's precision, those of all but the last token copied, log-softmax. Backward: log-softmax and two
        // gradients, the logits themselves gone with the model's output.
        // Caps are the tanh of the logits, which is kept in their type beside what the loss makes of it.
        const double capped = m.code.cappedLogits ? b : 0.0;
        ledger.add("logits_capped", toBytes(capped * logits), "forward", [&] { return LedgerBuilder::Why{"tanh of the logits, kept for the gradient of their cap", "b s V", fmt::format("{} · {:.0f}", capped, logits), source}; });
        ledger.add("logits", toBytes(each * logits), "forward", [&] { return LedgerBuilder::Why{each < b * 2 ? "logits of one micro-batch" : "logits turned to fp32", "b s V", fmt::format("{} · {:.0f}", each, logits), source}; });
        const double tensors = lossTensors(c, 2);
        ledger.add("loss", toBytes(tensors * each * logits), "forward", [&] {
            const char* text = tensors < 2 ? "shifted logits, whose place one kernel writes the gradient into" : each < 4 ? "shifted logits and their log-softmax in 16 bits, then two gradients" : "shifted logits and their log-softmax in fp32, then two gradients";
            return LedgerBuilder::Why{text, fmt::format("{} · {} s b V", tensors, each), fmt::format("{} · {:.0f}", tensors * each, logits), tensors < 2 ? kFusedLoss : source};
        });
        if (c.inputsStay) {
            // They are there when the output is multiplied, beside the last logits in fp32 and these in 16 bits, and gone when the loss is known.
            const double width = (m.code.normOutputs == 1 ? 1.0 : 2.0) * h + static_cast<double>(m.heads * m.valueSize + m.ffn);
            const double held = b * width * tokens * inFlight, after = ((1 + tensors) * each - each - b) * logits;
            ledger.add("inputs_held", toBytes(std::max(0.0, held - after)), "forward", [&] { return LedgerBuilder::Why{"what packed products of the micro-batch before took, which they hold until the next loss is known, less what the loss makes after that", "L · s b · 2 (2 h + a d_v + f) - loss", fmt::format("{:.4g} · {:.0f} · {} · {:.0f} - {:.0f} B", inFlight, tokens, b, width, after), kLightning}; });
        }
    }
}

// What the pipeline engine and autograd hold beside a stage's own activations.
// @return bytes of the largest flat buffer among them
double addPipelineBuffers(LedgerBuilder& ledger, const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    const double b = c.precision == Precision::Fp32 ? 4.0 : 2.0;
    const double output = b * static_cast<double>(c.model.hidden) * c.tokens();
    const double held = layersInFlight(c, stage, layers) / static_cast<double>(std::max<std::int64_t>(1, layers));
    const double t = static_cast<double>(c.tp);
    if (stage < c.pp - 1) {
        ledger.add("pipeline_outputs", toBytes(output / t * held), "forward|backward", [&] { return LedgerBuilder::Why{"outputs of the micro-batches in flight, divided over the tensor-parallel ranks", "micro-batches · b s h / t", fmt::format("{:.4g} · {:.6g} B / {:.0f}", held, output, t), kPipe}; });
        ledger.add("pipeline_gradients", toBytes(2 * output), "backward", [&] { return LedgerBuilder::Why{"output of one micro-batch made whole again, and its gradient", "2 · b s h", fmt::format("2 · {:.6g} B", output), kPipe}; });
    }
    if (stage == 0 && c.embeddingNorm) {
        ledger.add("activations.embedding", toBytes(output * held), "forward|backward", [&] { return LedgerBuilder::Why{"what goes into the embedding's norm, of the micro-batches in flight", "micro-batches · b s h", fmt::format("{:.4g} · {:.6g} B", held, output), "megatron/mpu/layers.py, VocabParallelEmbedding"}; });
    }
    if (c.megatronCode) {
        const double f = static_cast<double>(c.model.ffn);
        const double scores = c.flashAttention ? 0.0 : static_cast<double>(c.model.heads * c.model.seq);
        const double perToken = b * (2 * static_cast<double>(c.model.hidden) + (2 * f + scores) / t);
        ledger.add("block_gradients", toBytes(perToken * c.tokens()), "backward", [&] { return LedgerBuilder::Why{"gradients inside the block at work: residual, norm, both sides of the non-linearity, scores", "tokens · b · (2 h + (2 f + a s) / t)", fmt::format("{:.0f} · {:.6g} B", c.tokens(), perToken), "megatron/model/transformer.py"}; });
    }
    const StageParameters p = stageParameters(c, stage, layers);
    const double table = std::max(p.embedding, p.head);
    double flat = 0;
    if (c.microBatches > 1 && table > 0) {
        flat = (b + (c.settings.fp32Gradients && b < 4 ? 4.0 : 0.0)) * table;
        const double each = b + (c.settings.fp32Gradients && b < 4 ? 4.0 : 0.0);
        ledger.add("gradient_of_table", toBytes(each * table), "backward", [&] { return LedgerBuilder::Why{"the embedding's gradient of one micro-batch, before it is added to that of the others", each > b ? "(2 + 4) V h / t" : "b V h / t", fmt::format("{} · {:.0f}", each, table), each > b ? kBf16 : kPipe}; });
    }
    return flat;
}

}  // namespace

void addSecondCopy(LedgerBuilder& ledger, const TrainingCase& c, const std::vector<ParameterGroup>& groups)
{
    double bytes = 0, copied = 0;
    for (const ParameterGroup& group : groups) {
        if (group.second <= 0) continue;
        copied += group.storedBytes();
        bytes += group.storedBytes() / static_cast<double>(group.second);
    }
    const DsSettings& s = c.settings;
    const Place place = s.offloadParam == OffloadDevice::None ? Place::Device : s.pinMemory ? Place::Pinned : Place::Host;
    ledger.add("secondary_weights", place, toBytes(bytes), "all", [&] { return LedgerBuilder::Why{"second copy of the weights inside the node (hpZ)", "2 Φ / partition", fmt::format("{} B / {}", formatCount(toBytes(copied)), c.settings.hpzPartition), kZero3}; });
}

namespace {

// What ZeRO++ sends is made beside what it is made of.
// Source: deepspeed/runtime/comm/coalesced_collectives.py, all_to_all_quant_reduce; zero/partition_parameters.py, _all_gather_coalesced.
void addQuantised(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p)
{
    const DsSettings& s = c.settings;
    if (s.stage != 3 || c.ranks() <= 1 || c.model.part.adapted()) return;
    const double largest = std::max({p.embedding, p.head, static_cast<double>(c.model.hidden * c.model.ffn) / static_cast<double>(c.tp)});
    const double b = c.precision == Precision::Fp32 ? 4.0 : 2.0, here = static_cast<double>(std::max<std::int64_t>(1, c.devicesPerNode));
    if (s.quantizedGradients && c.ranks() > c.devicesPerNode) {
        ledger.add("quantised_gradients", toBytes((1 + (1 + b) / here) * largest), "backward", [&] {
            return LedgerBuilder::Why{"a whole gradient in 4 bits, sent and received, and what is made 16 bits again of the node's part (qgZ)", "(1 + (1 + b) / n_local) · max Φ_parameter", fmt::format("(1 + {} / {}) · {:.0f}", 1 + b, here, largest), "deepspeed/runtime/comm/coalesced_collectives.py"};
        });
    }
    if (s.quantizedWeights) {
        const double fetched = largest + std::min(static_cast<double>(s.prefetchBucket), p.block);
        ledger.add("quantised_weights", toBytes(fetched), "forward|backward", [&] {
            return LedgerBuilder::Why{"weights in 8 bits on their way: the parameter that is gathered and what is fetched ahead (qwZ)", "1 · (max Φ_parameter + min(Φ_block, prefetch_bucket_size))", fmt::format("1 · {:.0f}", fetched), "deepspeed/runtime/zero/partition_parameters.py"};
        });
    }
}

}  // namespace

LedgerRole deepspeedStage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief)
{
    const ModelShape& m = c.model;
    const StageParameters p = stageParameters(c, stage, layers);
    LedgerBuilder ledger(roleName(stage), c.tp * c.dp * c.cp, brief);
    const std::vector<ParameterGroup> groups = parameterGroups(c, stage, layers);
    StateInput states = stateInput(c, groups);
    states.released = c.settings.stage <= 2 && !usesBf16Optimizer(c);
    if (m.part.packed()) {
        const double plain = c.products() == Precision::Fp32 ? 4.0 : 2.0;
        const double widest = static_cast<double>(m.hidden * std::max(m.ffn, m.heads * m.headSize)) / static_cast<double>(c.tp);
        const double output = c.packedOutput && stage == c.pp - 1 ? 2 * plain * static_cast<double>(m.outputs() * m.outputWidth()) : 0.0;
        ledger.add("dequantised", toBytes(plain * widest), output > plain * widest ? "backward" : "forward|backward", [&] { return LedgerBuilder::Why{"one packed matrix turned to 16 bits for its product", "2 h f", fmt::format("{} · {:.0f}", plain, widest), "Dettmers et al. 2023, QLoRA, equation 5"}; });
        if (output > plain * widest) ledger.add("dequantised", toBytes(output), "forward", [&] { return LedgerBuilder::Why{"the packed output matrix turned to fp16, which it was packed from, and that to its input's type", "2 · 2 V h", fmt::format("2 · {} · {:.0f}", plain, output / (2 * plain)), kLightning}; });
    }
    DsSettings settings = c.settings;
    settings.stage = c.stateStage();
    if (c.settings.stage == 0) settings.offloadOptimizer = OffloadDevice::None;
    addModelStates(ledger, settings, states);
    addSwapBuffers(ledger, settings, states);
    const std::int64_t before = ledger.aliveIn("step");
    addBuffers(ledger, c, p, groups, states);
    const double stepFlat = static_cast<double>(ledger.aliveIn("step") - before);
    addQuantised(ledger, c, p);
    addAutocastWeights(ledger, c, p, stage, layers);

    const KeptTensors block = transformersBlock(c, denseShare(c, stage, layers));
    const std::int64_t beforeForward = ledger.aliveIn("forward");
    if (c.megatronCode) addMegatronActivations(ledger, c, stage, layers);
    else addActivations(ledger, c, stage, layers, block, brief);
    const double backwardFlat = c.pp > 1 || c.megatronCode ? addPipelineBuffers(ledger, c, stage, layers) : 0.0;
    const double forward = static_cast<double>(ledger.aliveIn("forward") - beforeForward);
    ledger.add("workspace", 64 * kMiB, "all", [&] { return LedgerBuilder::Why{"matrix library workspaces", "streams · bytes", "2 · 32 MiB", "cuBLAS default"}; });
    // With every kernel loaded at the start a process holds 1573 MiB on an A100, 1271 on a V100 (BigScience 2022, chronicles-prequel).
    const std::int64_t kernels = c.lazyKernels ? 520 : c.sheet && c.sheet->year <= 2018 ? 1271 : 1573;
    // Megatron-DeepSpeed has groups of their own for all ranks and, with a pipeline, for a model's ranks and its embeddings.
    const std::int64_t channels = groupCount(c) + (c.megatronCode ? (c.pp > 1 ? 3 : 1) : 0);
    const std::int64_t context = (kernels + channels * 300) * kMiB;
    const double fragmentation = leastReserve(c);
    // The allocator gives nothing back: flat buffers of the step do not fit into the blocks that activations left, each of which has
    // its own segment, so that both stay reserved. Only another flat buffer leaves room for them: the table's gradient, or the one
    // for fp32 gradients that the optimizer has for a moment when it is made. Activations go into that one first, and gradients
    // beside them, which are still there when fp32 ones are made of them: what the forward pass holds beyond it is what leaves room.
    // Where the device is full, the allocator frees what it keeps and asks again.
    const double initFlat = c.settings.stage >= 1 && c.settings.stage <= 2 && c.precision != Precision::Fp32 && !c.settings.fp32Gradients && c.settings.offloadOptimizer == OffloadDevice::None ? 4 * states.divided() : 0.0;
    // 16-bit logits, freed once the loss has turned them to fp32, are too small for anything of the loss.
    const bool turned = !c.expandableSegments && stage == c.pp - 1 && !c.megatronCode && !lossInPieces(c) && c.products() != Precision::Fp32 && c.fp32Loss;
    // Gathered ones come in one buffer and are put in order in another (module_inject/layers.py, GatherFromTensorParallelRegion).
    const double hole = turned ? (gathersLogits(c) ? 4 : 2) * c.tokens() * static_cast<double>(m.outputs()) / (c.lossParallel ? static_cast<double>(c.tp) : 1.0) : 0.0;
    const std::int64_t ever = ledger.everAlive();
    const double overlap = std::max(std::clamp(forward - initFlat, 0.0, initFlat), std::min(backwardFlat, stepFlat));
    // Segments that grow take any size where something was freed.
    const double blocks = c.expandableSegments ? 0.0 : fragmentation * (static_cast<double>(ever) - overlap);
    const double kept = blocks + hole;
    const double room = c.sheet && c.sheet->usableBytes > 0 ? static_cast<double>(c.sheet->usableBytes - context) : kept;
    addEvaluation(ledger, c, stage, block.perToken());
    // A whole 16-bit copy is made module by module (_zero3_consolidated_16bit_state_dict); plain checkpoints are of shards.
    if (c.saves && c.settings.gatherOnSave && c.settings.stage == 3 && states.ranks > 1) {
        const double module = std::max({p.block, p.head, p.embedding});
        const double b = c.precision == Precision::Fp32 ? 4.0 : 2.0;
        ledger.add("gathered_weights", toBytes(b * module), "save", [&] { return LedgerBuilder::Why{"the module that is gathered to be saved whole", "b · Λ", fmt::format("{} · {:.0f}", b, module), kZero3}; });
    }
    LedgerRole role = std::move(ledger).finish(phasesOf(c), [=](std::int64_t bytes) { return toBytes(std::max(fragmentation * static_cast<double>(bytes), std::min(kept, room))); }, context);
    if (!brief) {
        const std::int64_t allocated = role.peak.allocated;
        // To the byte as the totals are rounded: rounded tensors, then the hole, then all that stays.
        const std::int64_t rounded = toBytes(fragmentation * static_cast<double>(allocated)), all = std::max(rounded, toBytes(std::min(kept, room)));
        const std::int64_t empty = std::min(toBytes(hole), all - rounded);
        const std::string limit = kept > room ? fmt::format("min({:.0f}, {:.0f})", kept, room) : fmt::format("{:.0f}", kept);
        addBeyondTensors(role,
                         {fragmentationOf(fragmentation, allocated, c.expandableSegments ? kGrowingSource : c.settings.stage == 3 ? kFragmentation3 : kFragmentationSource),
                          {kAllocatorHole, empty, {"16-bit logits, freed when the loss turned them to fp32, and too small for anything that comes after", "bytes", fmt::format("{:.0f} B", hole), modelSource(c)}},
                          {kAllocatorKept, all - rounded - empty, {"blocks that other phases of the step left and the peak's tensors do not fit into; where the device is full, they are freed", "min(φ · (ever - overlap) + hole, usable - context) - φ · allocated - hole",
                                                 fmt::format("{} - {:.6g} · {} - {:.0f}; {:.6g} · ({} - {:.0f}) + {:.0f} = {:.0f}", limit, fragmentation, allocated, static_cast<double>(empty), fragmentation, ever, overlap, hole, kept),
                                                 "c10/cuda/CUDACachingAllocator.cpp gives nothing back by itself; which buffers share blocks: published DeepSpeed runs of the calibration half"}}},
                         {deviceContext(kernels * kMiB, c.sheet ? c.sheet->name : std::string(), c.lazyKernels ? kLazy : kAllKernels), groupBuffers(channels)});
    }
    return role;
}

}  // namespace stagecraft
