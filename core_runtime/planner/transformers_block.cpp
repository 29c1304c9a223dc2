// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor by tensor what a block of Transformers' modelling code leaves to its backward pass. tests/oracle/kept_tensors.py reads the same
// off autograd. What CUDA's kernels keep, by PyTorch 2.11's source: FlashAttention and the memory-efficient kernel queries, keys, values,
// output and an fp32 log-sum-exp (tools/autograd/derivatives.yaml), no dropout mask; dropout elsewhere a mask of one byte (native_dropout).
#include "planner/transformers_block.h"

#include "hardware/device_sheet.h"
#include "planner/tensor_shares.h"

#include <algorithm>

namespace stagecraft {

namespace {

enum class Kernel { Eager, Math, Flash, Efficient };

// Of what products take and make, and of what goes from block to block: under autocast the embedding, the norms and sums with the residual
// stay in fp32.
double bytesOf(const TrainingCase& c) { return c.products() == Precision::Fp32 ? 4.0 : 2.0; }
double streamBytesOf(const TrainingCase& c) { return c.precision == Precision::Fp32 ? 4.0 : 2.0; }

// FlashAttention's kernels, of PyTorch or of the library: 16-bit types, from Ampere on, which has bf16.
bool flashTakes(const TrainingCase& c) { return c.products() != Precision::Fp32 && (!c.sheet || c.sheet->id == "cpu" || c.sheet->peak.contains("bf16")); }

// sdpa_attention.py, use_gqa_in_sdpa: keys stay grouped where there is no mask, and heads are alike and not wider than 256.
bool sdpaKeepsGroups(const ModelShape& m, bool masked) { return m.kvHeads < m.heads && !masked && m.headSize == m.valueSize && m.headSize <= 256; }

Kernel kernelOf(const TrainingCase& c, bool masked)
{
    const ModelShape& m = c.model;
    if (c.mathScores && !(masked && !m.code.singleHead)) return Kernel::Math;
    if (c.eagerScores && !c.mathScores) return Kernel::Eager;
    if (c.flashLibrary) return Kernel::Flash;
    return masked || m.headSize != m.valueSize || !flashTakes(c) ? Kernel::Efficient : Kernel::Flash;
}

// A windowed layer needs a mask once the sequence is as long as its window (masking_utils.py, _ignore_causal_mask_sdpa).
bool windowShows(const TrainingCase& c) { return c.model.code.window > 0 && c.model.seq >= c.model.code.window; }

// @param cross  attention to what another stack has made
void addAttention(KeptTensors& kept, const TrainingCase& c, const TensorShares& shares, bool masked, double share, bool cross = false)
{
    if (share <= 0) return;
    const ModelShape& m = c.model;
    const BlockCode& code = m.code;
    const double b = bytesOf(c);
    const double heads = static_cast<double>(m.heads) / shares.attention;
    const double size = static_cast<double>(m.headSize), valueSize = static_cast<double>(m.valueSize), seq = static_cast<double>(m.seq);
    const double queries = heads * size, outputs = heads * valueSize;
    const Kernel kernel = kernelOf(c, masked);
    const bool fused = kernel == Kernel::Flash || kernel == Kernel::Efficient;
    const bool grouped = m.kvHeads < m.heads;
    // Batched products take batch and heads as one: of several sequences, values that are a view are copied out of it, and keys of one
    // head repeated to all.
    const bool copiesValues = (kernel == Kernel::Eager || kernel == Kernel::Math) && c.microBatch > 1;
    // Ulysses sends whole heads: there are at least as many as ranks.
    const double keyHeads = std::min(heads, std::max(keyHeadsOnRank(c), static_cast<double>(c.framework == Framework::DeepSpeed ? c.cp : 1)));
    const bool keepsGroups = grouped && ((code.singleHead && !copiesValues) || (kernel == Kernel::Flash && (c.flashLibrary || sdpaKeepsGroups(m, masked))));
    const double keys = (keepsGroups ? keyHeads : heads) * size;
    const auto add = [&](KeptTensor tensor) {
        tensor.share = share;
        kept.add(tensor);
    };

    if (kernel == Kernel::Math) {
        // _scaled_dot_product_attention_math turns all three to fp32, and keeps the softmax of all scores.
        add({"activations.qkv", 4, keepsGroups ? "(a + 2 k) d / t" : "3 a d / t", queries + 2 * keys, "queries, keys and values turned to fp32, as no fused kernel takes these heads"});
        add({"activations.scores", 4, "a s / t", seq * heads, "softmax of all scores in fp32: no fused kernel takes these heads in this type on this device"});
    } else if (code.keyRank > 0) {
        const double joined = size - static_cast<double>(code.ropeSize) + valueSize;
        const bool padded = c.flashLibrary && kernel == Kernel::Flash && size != valueSize;
        add({"activations.qkv", b, "a (2 d + d_nope + d_v) / t", heads * (2 * size + (padded ? size : copiesValues ? valueSize : joined)), "queries and keys, each joined with its rotated part, and values, a view of what was made of the compressed ones"});
    } else if (code.floatQueries && kernel == Kernel::Eager && !c.autocasts()) {
        add({"activations.qkv", 2 * 4 + b, "a d / t", queries, "queries and keys turned to fp32, and values"});
    } else if (code.qkv == BlockCode::Qkv::Fused || !grouped) {
        add({"activations.qkv", 3 * b, "a d / t", queries, "queries, keys and values"});
    } else {
        add({"activations.qkv", b, keepsGroups ? "(a + 2 k) d / t" : "3 a d / t", queries + 2 * keys, keepsGroups ? "queries, and keys and values of their own heads" : "queries, and keys and values repeated to as many heads"});
    }
    // Values that are a view hold all that the one projection made: queries and keys before their rotation.
    if (code.qkv == BlockCode::Qkv::FusedRotated && kernel != Kernel::Math && !copiesValues && (!grouped || keepsGroups))
        add({"activations.qkv", b, "(a + k) d / t", queries + keys, "queries and keys before their rotation, beside which the values stand"});
    if (code.headNorms) {
        const bool layer = code.norm == BlockCode::Norm::Layer;
        const double each = layer ? (c.autocasts() ? 4.0 : b) : 4 + (code.norm == BlockCode::Norm::RmsFloat ? 4 : b) * m.part.kept.headNorms;
        add({"activations.head_norms", each, "(a + k) d / t", queries + keyHeads * size, layer ? "what the norms of queries and keys take" : m.part.kept.headNorms == 0 ? "what the norms of queries and keys take, turned to fp32" : "what the norms of queries and keys take, turned to fp32, and what they made of it before their weights"});
        if (layer) add({"activations.norm_statistics", 8, "(a + k) / t", heads + keyHeads, "mean and deviation of each head's queries and keys"});
    }
    if (kernel == Kernel::Eager) {
        // CUDA's autocast takes every softmax in fp32.
        const bool floatSoftmax = (code.floatSoftmax || c.autocasts()) && b < 4;
        const double softmax = floatSoftmax ? 4 + b : b;
        // Under Ulysses a rank has all of the sequence for its part of the heads: as many scores a token as alone.
        add({"activations.scores", softmax + (code.cappedScores ? b : 0.0) + (c.attentionDropout > 0 ? 1 + (floatSoftmax ? 0.0 : b) : 0.0), "a s / t", seq * heads,
             code.cappedScores ? "capped scores, their softmax in fp32 and its copy in 16 bits" : "softmax of the scores, in fp32 too where it was taken so, its dropout mask and the dropped scores"});
    }
    if (fused && code.positionBias) {
        // sdpa_attention.py, create_position_bias_mask: every layer makes a mask of its own of the shared bias, and of several sequences, of
        // which the shorter are padded, one for each; where nothing is padded, attention to the encoder has one of zeros for all layers.
        const bool padded = c.microBatch > 1;
        add({"activations.mask", b, cross && !padded ? "a s / (t L)" : "a s / t", seq * heads / (cross && !padded ? static_cast<double>(m.layers) * share : 1.0), "positions' bias of all heads, which each layer makes the mask of its attention"});
    } else if (fused && masked && !c.flashLibrary) {
        if (code.headMask) add({"activations.mask", b, "a s / (t L)", seq * heads / static_cast<double>(m.layers), "mask of all heads, made once for all layers"});
        else add({"activations.mask", b, "s", seq, "the mask in the model's type, which each layer makes of the one of true and false"});
    }
    // A fused kernel's output has the order of its queries; put into the order of the tokens it is another tensor.
    const bool copied = (kernel == Kernel::Flash && code.queriesByHead) || (fused && c.cp > 1) || (c.autocasts() && m.part.adapted());
    const bool padded = c.flashLibrary && kernel == Kernel::Flash && size != valueSize;
    const double taken = m.part.kept.output;
    if (padded) add({"activations.attention", b, "a (d + d_v) / t", queries + taken * outputs, "attention output, and what of it is no padding"});
    else add({"activations.attention", fused ? (copied ? (1 + taken) * b : b) : taken * b, "a d_v / t", outputs, copied ? "attention output, and the same with its heads beside each other" : "attention output"});
    if (fused) add({"activations.lse", 4, "a / t", heads, "log-sum-exp of each query's scores"});
}

void addMlp(KeptTensors& kept, const TrainingCase& c, double b, double product, const char* symbol, double width, double share)
{
    if (share <= 0 || width <= 0) return;
    const ModelShape& m = c.model;
    const auto add = [&](const char* what, double bytes, const char* why) { kept.add({what, bytes, symbol, width, why, share}); };
    const bool dropped = m.code.mlpDropout && c.hiddenDropout > 0;
    if (dropped) add("activations.masks", 1, "dropout mask before the MLP's last projection");
    if (m.gated) {
        add("activations.mlp_gate", m.code.activation * b, "gate projection, before its non-linearity");
        add("activations.mlp_activated", c.gateKernel ? 0.0 : b, "gate projection, after its non-linearity");
        add("activations.mlp_up", b, "up projection");
        add("activations.mlp_product", product * b, "product of gate and up, which the last projection takes");
        return;
    }
    if (m.code.activation > 1 && m.composedGelu && b < 4 && c.autocasts()) {
        // Of the tanh formula written out autocast takes the power in fp32, and so all that comes of it.
        add("activations.mlp_up", 4, "first projection of the MLP, turned to fp32 for its power");
        add("activations.mlp_activated", 4 + b + 4, "what the non-linearity makes on its way, kernel by kernel");
        add("activations.mlp_product", product * b, "output of the non-linearity, which the last projection takes");
        return;
    }
    if (m.code.activation > 0) add("activations.mlp_up", b, "first projection of the MLP, before its non-linearity");
    add("activations.mlp_activated", (m.code.activation - 1) * b, "what the non-linearity makes on its way, kernel by kernel");
    if (dropped && m.code.activation == 0) add("activations.mlp_activated", b, "output of the non-linearity, before its dropout");
    // ReLU's gradient needs its output, which is kept in any case; what dropout leaves of it the last projection takes alone.
    add("activations.mlp_product", m.code.activation == 0 && !dropped ? b : product * b, "output of the non-linearity, which the last projection takes");
}

// Projections that take what a norm has made.
struct Projections {
    double attention = 0, mlp = 0;
};

Projections projectionsOf(const ModelShape& m)
{
    Projections count;
    for (const ModelTensor& tensor : m.tensors) {
        if (tensor.where != ModelTensor::Where::Layer || tensor.expert || tensor.linear == ModelTensor::Linear::None) continue;
        const double share = std::min(1.0, static_cast<double>(tensor.layers) / static_cast<double>(std::max<std::int64_t>(1, m.layers)));
        (tensor.linear == ModelTensor::Linear::Attention ? count.attention : count.mlp) += share;
    }
    // Of attention the output, of an MLP the last product takes something else; and what goes up from compressed queries and keys.
    count.attention = count.attention > 1 ? count.attention - (m.code.keyRank > 0 ? (m.code.queryRank > 0 ? 3 : 2) : 1) : 3;
    count.mlp = count.mlp > 1 ? count.mlp - 1 : m.gated ? 2 : 1;
    // Experts take their own copy; a router that turns it to fp32 has its own.
    if (m.experts > 0) count.mlp = (m.sharedFfn > 0 ? 2.0 : 0.0) + (m.code.floatRouter ? 0.0 : 1.0);
    return count;
}

// integrations/moe.py, grouped_mm_experts_forward; models/*/modeling_*.py, routers.
void addExperts(KeptTensors& kept, const TrainingCase& c, double share)
{
    const ModelShape& m = c.model;
    const BlockCode& code = m.code;
    // Autocast knows no grouped products: experts take and make fp32 (transformers/integrations/moe.py, _grouped_mm).
    const double b = streamBytesOf(c);
    const double h = static_cast<double>(m.hidden), k = static_cast<double>(m.expertsPerToken), experts = static_cast<double>(m.experts);
    const auto add = [&](const char* what, double bytes, const char* symbol, double width, const char* why) { kept.add({what, bytes, symbol, width, why, share}); };
    // Chosen experts, their order, its reverse and the tokens' places as 64-bit numbers, weights before and after they were put into order.
    add("activations.router", 4, code.floatRouter ? "1.25 E + 10 k" : "E + 10 k", (code.floatRouter ? 1.25 : 1.0) * experts + 10 * k, "scores of all experts in fp32, and for each chosen one its number, place and weight");
    if (code.floatRouter && c.autocasts()) {
        add("activations.router_inputs", 2 * m.part.kept.router, "h", h, "the router's input in 16 bits");
    } else if (code.floatRouter) {
        add("activations.router_inputs", 4 * m.part.kept.router, "h", h, "the router's input, turned to fp32");
        add("activations.router_inputs", 4, "h E / (s b)", h * experts / std::max(1.0, c.tokens()), "the router's weight, turned to fp32");
    }
    const KeptForWeights& of = m.part.kept;
    add("activations.experts_in", of.experts * b, "k h", k * h, "tokens copied into the order of their experts");
    const double routed = k * static_cast<double>(m.expertFfn) / static_cast<double>(c.tp), shared = static_cast<double>(m.sharedFfn) / static_cast<double>(c.tp);
    // Both as one, each with its part.
    const double product = routed + shared > 0 ? (of.expertProduct * routed + of.sharedProduct * shared) / (routed + shared) : 0.0;
    addMlp(kept, c, routed + shared > 0 ? (b * routed + bytesOf(c) * shared) / (routed + shared) : b, product, "(k f_e + f_s) / t", routed + shared, share);
    add("activations.experts_out", b, "k h", k * h, "outputs of the experts, before they are weighted");
    if (code.weightedShared && m.sharedFfn > 0) add("activations.shared_out", b, "h", h, "output of the shared expert, before it is weighted");
}

}  // namespace

bool keepsAsCalled(const TrainingCase& c) { return c.autocasts() && c.settings.stage == 3 && !c.weightsKept && c.model.code.family != "gpt2"; }

bool sdpaNeedsMath(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    if (c.eagerScores || c.flashLibrary || !m.code.hasSdpa || (c.sheet && c.sheet->id == "cpu")) return false;
    if (m.code.singleHead && m.heads > 1) return true;
    // Where every layer has a mask, keys are repeated first.
    const bool masked = m.code.masked || (windowShows(c) && m.code.windowed >= 1);
    return sdpaKeepsGroups(m, masked) && !flashTakes(c);
}

bool isTorchtitanFamily(const BlockCode& code)
{
    // Mistral's block is LLaMA's but for its window; torchtitan trains DeepSeek-V2-Lite's sizes as DeepSeek-V3's.
    for (const char* family : {"llama", "mistral", "qwen3", "qwen3_moe", "deepseek_v2", "deepseek_v3", ""})
        if (code.family == family) return true;
    return false;
}

double denseShare(const TrainingCase& c, std::int64_t stage, std::int64_t layers)
{
    if (c.model.experts == 0 || stage > 0 || layers <= 0) return 0;
    return static_cast<double>(std::min(c.model.denseLayers, layers)) / static_cast<double>(layers);
}

void addAdapterTensors(KeptTensors& kept, const TrainingCase& c)
{
    const TrainedPart& part = c.model.part;
    if (!part.adapted()) return;
    const double b = bytesOf(c), t = static_cast<double>(c.tp);
    kept.add({"activations.adapters", b, "Σ r", part.adapterRanks, "what lies between the two matrices of each adapter"});
    kept.add({"activations.adapter_dropout", b + 1, "Σ in", part.adapterInputs, "what each adapter's dropout left of the module's input, and its mask"});
    kept.add({"activations.dora", 2 * b, "Σ out", part.adapterOutputs, "what the frozen weight and the adapter made of the input, each scaled by DoRA's magnitudes"});
    // PEFT has no experts on ranks of their own: a rank makes all that it computes with.
    kept.add({kRebuiltWeights, b, "Φ_experts / (s b)", part.rebuiltWeights / (t * static_cast<double>(std::max<std::int64_t>(1, c.ep))) / std::max(1.0, c.tokens()), "weights of experts and routers made anew with their adapters, which the backward pass needs"});
}

KeptTensors transformersBlock(const TrainingCase& c, double dense)
{
    const ModelShape& m = c.model;
    const BlockCode& code = m.code;
    const TensorShares shares = tensorShares(c);
    const double b = bytesOf(c);
    const double stream = streamBytesOf(c);
    const double h = static_cast<double>(m.hidden);
    const KeptForWeights& of = m.part.kept;
    const double cross = m.crossShare();  // attention to the encoder, with a norm and a dropout of its own
    KeptTensors kept;
    if (code.norm == BlockCode::Norm::Layer) {
        kept.add({"activations.norm_inputs", code.normInputs * stream, "h", h, "what the norms take"});
        kept.add({"activations.norm_statistics", 8.0 * code.norms, "1", 1, "mean and deviation of each token in each norm"});
    } else if (c.normKernel && !c.autocasts()) {
        kept.add({"activations.norm_inputs", (code.norms + cross) * stream, "h", h, "what the norms take"});
        kept.add({"activations.norm_statistics", 4.0 * (code.norms + cross), "1", 1, "deviation of each token in each norm"});
    } else {
        const bool stays = code.norm == BlockCode::Norm::RmsFloat;
        kept.add({"activations.norm_inputs", (code.norms + cross) * (4 + (code.keepsNormInput && stream < 4 ? b : 0.0) + (stays ? 4 : stream) * of.norms), "h", h, code.keepsNormInput ? "what the norms take, as it is and turned to fp32, and what they made of it before their weights" : of.norms == 0 ? "what the norms take, turned to fp32" : stays ? "what the norms take, turned to fp32, and what they made of it in fp32 before their weights" : "what both norms take, turned to fp32, and what they made of it before their weights"});
        kept.add({"activations.norm_statistics", 4.0 * (code.norms + cross), "1", 1, "deviation of each token in each norm"});
    }
    // One norm for both: one tensor that attention and the MLP take.
    const double outputs = code.normOutputs == 1 ? std::max(of.attention, of.mlp) : of.attention * (1 + cross) + of.mlp;
    if (!c.autocasts()) {
        kept.add({"activations.norm_outputs", b * outputs, "h", h, "inputs of the attention and MLP projections"});
    } else if (keepsAsCalled(c)) {
        kept.add({"activations.norm_outputs", 4 * outputs, "h", h, "inputs of the attention and MLP projections in fp32, as ZeRO-3's linear function was called with them"});
    } else {
        const Projections takes = projectionsOf(m);
        kept.add({"activations.norm_outputs", b * (takes.attention * of.attentionReads + takes.mlp * of.mlpReads + cross * of.attention), "h", h, "inputs of the attention and MLP projections, in 16 bits once for each of them"});
    }
    if (code.keyRank > 0) {
        const auto queryRank = static_cast<double>(code.queryRank), keyRank = static_cast<double>(code.keyRank);
        const double ranks = queryRank + keyRank, up = (of.queryLatent * queryRank + of.keyLatent * keyRank) / ranks;
        kept.add({"activations.latent", 4 + b * (of.latentNorms + up), "r_q + r_kv", ranks, "compressed queries and keys: what their norms take in fp32, what these made of it, and what is projected up"});
    }
    const double windowed = windowShows(c) && !c.flashLibrary && !code.masked && (c.mathScores || !c.eagerScores) ? code.windowed : 0.0;
    addAttention(kept, c, shares, true, code.masked ? 1.0 : windowed);
    addAttention(kept, c, shares, false, code.masked ? 0.0 : 1 - windowed);
    addAttention(kept, c, shares, true, cross, true);
    if (m.experts > 0) {
        addExperts(kept, c, 1 - dense);
        addMlp(kept, c, b, of.product, "f / t", static_cast<double>(m.ffn) / shares.mlp, dense);
    } else {
        addMlp(kept, c, b, of.product, "f / t", static_cast<double>(m.ffn) / shares.mlp, 1);
    }
    if (c.hiddenDropout > 0) kept.add({"activations.masks", 2 + cross, "h", h, cross > 0 ? "dropout masks of the residual branches" : "dropout masks of both residual branches"});
    addAdapterTensors(kept, c);
    return kept;
}

}  // namespace stagecraft
