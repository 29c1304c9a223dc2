// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch FSDP2 as torchtitan applies it: every block its own group, the root (embedding, final norm, output) one more.
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/beyond_tensors.h"
#include "planner/block_gradients.h"
#include "planner/framework_ledger.h"
#include "planner/host_activations.h"
#include "planner/kept_tensors.h"
#include "planner/loss_kernel.h"
#include "planner/transfers.h"
#include "planner/transformers_block.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr const char* kFsdp = "torch/distributed/fsdp/_fully_shard: fp32 shards, 16-bit gathered parameters, fp32 reduction";
constexpr const char* kHostShards = "torch/distributed/fsdp/_fully_shard: _fsdp_param.py, all_gather_inputs; _fsdp_collectives.py, foreach_reduce";
constexpr const char* kModel = "torchtitan models/llama3: tensors autograd keeps";
constexpr const char* kTransformers = "Transformers 5.23's modelling code, use_cache off: tensors autograd keeps; torchtitan has no model of this family";
constexpr const char* kGraph = "PyTorch 2.11's partitioner on torchtitan's compiled block: tensors that its graph hands from forward to backward";
constexpr const char* kHoles = "c10/cuda/CUDACachingAllocator.cpp: a pool a stream, no block given back; torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py: foreach_all_gather, foreach_reduce";
constexpr const char* kSegments = "segments of fixed size: 1.05, as of the other frameworks; growing ones (expandable_segments) leave nothing, by the calibration half's six figures";
constexpr const char* kPolicy = "torchtitan activation checkpointing: block inputs, or attention outputs and every second matrix product";
constexpr const char* kPipe = "torch/distributed/pipelining/stage.py: forward cache, receive buffers";
constexpr const char* kOutputs = "torch/distributed/pipelining/stage.py: output_chunks; schedules.py: _merge_outputs; pytorch/pytorch, issue 159251 and pull request 165822";
constexpr const char* kContext = "torch/distributed/tensor/experimental/_attention.py: all-gather rotation";
constexpr const char* kFrozenHooks = "torch/distributed/fsdp/_runtime_utils.py: _register_post_backward_reshard_only_hook; torch/autograd/graph.py: register_multi_grad_hook, which names the nodes of its tensors";
constexpr const char* kFusedLoss = "fused cross entropy in Triton (foak, Unsloth, Liger): its backward kernel writes into the logits";
constexpr const char* kFusedLinear = "liger_kernel/ops/fused_linear_cross_entropy.py, fused_linear_cross_entropy_forward";
constexpr const char* kChunkedLoss = "torchtitan/components/loss.py: ChunkedCELoss (later ChunkedLossWrapper), GradAccumulator";
constexpr const char* kLoss = "torch cross_entropy in fp32: log-softmax kept, its gradient and the loss gradient made beside it";

// Bytes of an element that products take, and that is gathered for them; and of one that is reduced.
double bytesOf(const TrainingCase& c) { return c.products() == Precision::Fp32 ? 4.0 : 2.0; }
double reducedBytes(const TrainingCase& c) { return c.fp32Gradients ? 4.0 : 2.0; }

struct Sizes {
    double h, queries, keys, ffn, t, full;  // per rank: widths after tensor parallelism; `full` = bytes of a gathered hidden state per token
};

Sizes sizesOf(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double t = static_cast<double>(c.tp);
    const double width = m.experts > 0 ? static_cast<double>(m.expertsPerToken * m.expertFfn + m.sharedFfn) : static_cast<double>(m.ffn);
    return {static_cast<double>(m.hidden), static_cast<double>(m.heads * m.headSize) / t, static_cast<double>(std::max(m.kvHeads, c.tp) * m.headSize) / t,
            width / t, t, bytesOf(c) * static_cast<double>(m.hidden)};
}

// Bytes per token of the two gathered inputs (attention, MLP) under tensor parallelism. Asynchronous tensor parallelism
// gathers them piece by piece through symmetric memory, which lies outside the caching allocator.
double gatheredInputs(const TrainingCase& c) { return c.tp > 1 && !c.asyncTensor ? 2 * bytesOf(c) * static_cast<double>(c.model.hidden) : 0.0; }

// What torchtitan's DeepSeek and Qwen3 blocks keep beside LLaMA's: compressed queries and keys, norms of the heads, routed tokens.
// Eager products of fp32 scores keep the other factor in fp32 too; a compiled block makes it again (torchtitan/models/moe/moe.py).
void addFamily(KeptTensors& kept, const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const Sizes s = sizesOf(c);
    const double b = bytesOf(c);
    if (m.code.keyRank > 0) kept.add({"activations.latent", c.compiled ? 2 * b : 4 + 2 * b, "r_q + r_kv", static_cast<double>(m.code.queryRank + m.code.keyRank), "compressed queries and keys: what their norms take in fp32, what these made of it, and what is projected up"});
    if (m.code.headNorms && !c.compiled && c.normKernel) kept.add({"activations.head_norms", b, "(a + k) d / t", s.queries + s.keys, "what the norms of queries and keys take"});
    else if (m.code.headNorms && !c.compiled) kept.add({"activations.head_norms", 4 + b * m.part.kept.headNorms, "(a + k) d / t", s.queries + s.keys, "what the norms of queries and keys take, turned to fp32, and what they made of it before their weights"});
    if (m.experts == 0) return;
    const double k = static_cast<double>(m.expertsPerToken), routed = k * s.h;
    kept.add({"activations.router", 4, "E + 10 k", static_cast<double>(m.experts) + 10 * k, "scores of all experts in fp32, and for each chosen one its number, place and weight"});
    kept.add({"activations.experts_in", b * m.part.kept.experts, "k h", routed, "tokens copied into the order of their experts"});
    // Weighted as they come out, in fp32 (score_before_experts is off in DeepSeek's and Qwen3's). A compiled product turns them again.
    if (c.looseRouting) kept.add({"activations.experts_out", 4, "k h", routed, "outputs of the experts, turned to fp32 to be weighted"});
    else kept.add({"activations.experts_out", b, "k h", routed, "outputs of the experts, before they are weighted"});
}

// What a block keeps that keeps everything.
KeptTensors everything(const TrainingCase& c)
{
    const Sizes s = sizesOf(c);
    const double b = bytesOf(c);
    const double heads = static_cast<double>(c.model.heads) / s.t;
    const char* wide = c.model.experts > 0 ? "(k f_e + f_s) / t" : "f / t";
    const bool gathers = gatheredInputs(c) > 0;
    // A frozen product needs its weight for the gradient of its input, and its input for nothing.
    const TrainedPart& part = c.model.part;
    if (c.transformersBlock) return transformersBlock(c);
    const double inputs = part.kept.attention + part.kept.mlp, product = c.model.experts > 0 ? std::max(part.kept.expertProduct, part.kept.sharedProduct) : part.kept.product;
    KeptTensors kept;
    addAdapterTensors(kept, c);
    if (c.compiled) {
        // As the partitioner cuts torchtitan's block (PyTorch 2.11, read off the graph): the block's input and what attention's product gave;
        // queries, keys and values as attention took them, repeated to all heads, and its output; gate and up; and what 16-bit products
        // took, the two normalised inputs and the gated one. 8-bit products took copies, which are made again; what was gathered is not.
        kept.add({"activations.norm_inputs", b, "h / t", s.h / s.t, "the block's input, from which its first norm is made again"});
        kept.add({"activations.residual", b, "h / t", s.h / s.t, "what attention's output product gave"});
        kept.add({"activations.qkv", b * 3, "a d / t", s.queries, "queries, and keys and values repeated to as many heads"});
        kept.add({"activations.attention", b, "a d / t", s.queries, "attention output"});
        kept.add({"activations.lse", 4, "a / t", heads, "log-sum-exp of each query's scores"});
        if (c.float8) kept.add({"activations.norm_outputs", gathers ? b * inputs * (c.float8Activations ? 0.5 : 1.0) : 0.0, "h", s.h, "inputs of the attention and MLP projections, gathered over the tensor-parallel ranks"});
        else if (gathers) kept.add({"activations.norm_outputs", b * inputs, "h", s.h, "inputs of the attention and MLP projections, gathered over the tensor-parallel ranks"});
        else kept.add({"activations.norm_outputs", b * inputs, "h / t", s.h / s.t, "inputs of the attention and MLP projections"});
        if (c.model.gated) kept.add({"activations.mlp_gate", b, wide, s.ffn, "gate projection, before its non-linearity"});
        kept.add({"activations.mlp_up", b, wide, s.ffn, c.model.gated ? "up projection" : "first projection of the MLP, before its non-linearity"});
        if (!c.float8) kept.add({"activations.mlp_product", b * product, wide, s.ffn, c.model.gated ? "product of gate and up, which the last projection takes" : "output of the non-linearity, which the last projection takes"});
        addFamily(kept, c);
        return kept;
    }
    // Norms keep their input in fp32 and the normalised value; keys and values are repeated to all heads before attention.
    if (c.normKernel) kept.add({"activations.norm_inputs", b, "h / t", s.h / s.t, "the block's input, which its first norm takes"});
    else kept.add({"activations.norm_inputs", 2 * (4 + b * part.kept.norms), "h / t", s.h / s.t, part.kept.norms == 0 ? "what the norms take, turned to fp32" : "what both norms take, turned to fp32, and what they made of it before their weights"});
    kept.add({"activations.norm_outputs", b * inputs, "h", s.h, c.tp > 1 ? "inputs of the attention and MLP projections, gathered over the tensor-parallel ranks" : "inputs of the attention and MLP projections"});
    kept.add({"activations.qkv", b * 3, "a d / t", s.queries, "queries, and keys and values repeated to as many heads"});
    // In fp32 the norms turn nothing: what they take is the residual stream itself, and attention's output stands once.
    if (b > 2) kept.add({"activations.attention", b, "a d / t", s.queries, "attention output"});
    else kept.add({"activations.attention", b * (1 + part.kept.output), "a d / t", s.queries, "attention output, and the same with its heads beside each other"});
    kept.add({"activations.lse", 4, "a / t", heads, "log-sum-exp of each query's scores"});
    if (b < 4) kept.add({"activations.residual", b, "h / t", s.h / s.t, "residual stream between attention and MLP"});
    if (c.model.gated) {
        kept.add({"activations.mlp_gate", b, wide, s.ffn, "gate projection, before its non-linearity"});
        kept.add({"activations.mlp_activated", b, wide, s.ffn, "gate projection, after its non-linearity"});
    }
    kept.add({"activations.mlp_up", b, wide, s.ffn, c.model.gated ? "up projection" : "first projection of the MLP, before its non-linearity"});
    kept.add({"activations.mlp_product", b * product, wide, s.ffn, c.model.gated ? "product of gate and up, which the last projection takes" : "output of the non-linearity, which the last projection takes"});
    addFamily(kept, c);
    return kept;
}

// Outputs of every second matrix product of the block, the first one's too. Routed experts multiply by another operation, which the policy
// does not know, and the router's product is always made again (torchtitan, activation checkpointing by operation). A compiled block drops
// the MLP's output, which the backward pass never reads.
void addSecondProducts(KeptTensors& kept, const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const Sizes s = sizesOf(c);
    const double b = bytesOf(c);
    const double wide = m.experts > 0 ? static_cast<double>(m.sharedFfn) / s.t : s.ffn;
    const char* letters = m.experts > 0 ? "f_s / t" : "f / t";
    const double rope = static_cast<double>(m.code.ropeSize);
    if (m.code.keyRank > 0 && m.code.queryRank > 0) {
        kept.add({"activations.latent", b, "r_q + r_kv + d_r", static_cast<double>(m.code.queryRank + m.code.keyRank) + rope, "compressed queries and keys: products 1 and 3 of the block, every second of which is kept"});
        if (c.tp <= 1) kept.add({"activations.residual", b, "h", s.h, "attention's output product: product 5 of the block"});
        if (wide > 0) kept.add({"activations.mlp_up", b, letters, wide, "up projection: product 7 of the block"});
        return;
    }
    if (m.code.keyRank > 0) {
        const double expanded = static_cast<double>(m.heads * (m.headSize + m.valueSize)) / s.t - static_cast<double>(m.heads) / s.t * rope;
        kept.add({"activations.qkv", b, "a (2 d + d_v - d_r) / t", s.queries + expanded, "queries, and keys and values expanded: products 1 and 3 of the block, every second of which is kept"});
    } else {
        kept.add({"activations.qkv", b, "(a + k) d / t", s.queries + s.keys, "queries and values: products 1 and 3 of the block, every second of which is kept"});
    }
    if (wide > 0) kept.add({"activations.mlp_gate", b, letters, wide, "gate projection: product 5 of the block"});
    if (wide > 0 && !c.compiled) kept.add({"activations.mlp_output", b, "h", s.h, "output of the MLP: product 7 of the block"});
}

// What a block keeps under the policy.
KeptTensors keptUnder(const TrainingCase& c, const KeptTensors& all)
{
    const Sizes s = sizesOf(c);
    const double b = bytesOf(c);
    const KeptTensor input{"activations.checkpoints", b, "h / t", s.h / s.t, "inputs of the blocks that are made again"};
    KeptTensors kept;
    switch (c.policy) {
    case ActivationPolicy::Full: kept.add(input); return kept;
    case ActivationPolicy::SelectiveOp:
        if (c.transformersBlock) return all;
        kept.add(input);
        addSecondProducts(kept, c);
        // Attention's output product is kept as it is reduced over the tensor-parallel ranks: no exchange is made again (PyTorch 2.11, read
        // off the graph).
        if (c.tp > 1) kept.add({"activations.residual", b, "h / t", s.h / s.t, "what was reduced over the tensor-parallel ranks: no exchange is made again"});
        kept.add({"activations.attention", b, "a d / t", s.queries, "attention output"});
        kept.add({"activations.lse", 4, "a / t", static_cast<double>(c.model.heads) / s.t, "log-sum-exp of each query's scores"});
        return kept;
    case ActivationPolicy::SelectiveLayer: {
        const double nth = static_cast<double>(std::max<std::int64_t>(1, c.policyLayers));
        KeptTensor inputs = input;
        inputs.share = 1 / nth;
        kept.add(inputs);
        kept.add(all, (nth - 1) / nth);
        return kept;
    }
    default: return all;
    }
}

// Bytes per token where experts' outputs are weighted, or their gradients: in 16 bits, turned to fp32, and weighted. Compiled it is one
// kernel, which reads and writes 16 bits.
double routedScratch(const TrainingCase& c) { return c.model.experts > 0 ? (c.looseRouting ? (bytesOf(c) < 4 ? 2 : 0) + 4 + 4 : 2 * bytesOf(c)) * static_cast<double>(c.model.expertsPerToken) * static_cast<double>(c.model.hidden) : 0.0; }

// Bytes per token of the temporaries at the widest point of a block's forward pass.
double forwardScratch(const TrainingCase& c)
{
    const Sizes s = sizesOf(c);
    const double b = bytesOf(c), gathered = c.tp > 1 ? gatheredInputs(c) : b * s.h;
    const bool keepsGate = c.policy == ActivationPolicy::SelectiveOp || c.policy == ActivationPolicy::None;
    return gathered + std::max((c.compiled ? 2 : 3) * b * s.ffn + (keepsGate ? 0.0 : b * s.ffn), routedScratch(c));
}

}  // namespace

double fsdp2KeptBytes(const TrainingCase& c) { return keptUnder(c, everything(c)).perToken() * c.tokens(); }

LedgerRole fsdp2Stage(const TrainingCase& c, std::int64_t stage, std::int64_t layers, bool brief)
{
    const ModelShape& m = c.model;
    const StageParameters p = stageParameters(c, stage, layers);
    const double shards = static_cast<double>(c.dp * c.cp / c.copies());
    const double phi = p.all();
    const double expertRanks = std::max(1.0, expertShards(c) / static_cast<double>(c.copies()));
    const double share = p.dense / shards + p.experts / expertRanks;
    const double tokens = c.tokens();
    const Sizes s = sizesOf(c);
    LedgerBuilder ledger(roleName(stage), c.tp * c.dp * c.cp, brief);
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const auto perParameter = [&](double bytes) {
        return c.ep > 1 && p.experts > 0 ? fmt::format("{} · ({:.0f} / {:.0f} + {:.0f} / {:.0f})", bytes, p.dense, shards, p.experts, expertRanks) : fmt::format("{} · {:.0f} / {:.0f}", bytes, phi, shards);
    };

    const std::vector<ParameterGroup> groups = m.part.partly ? parameterGroups(c, stage, layers) : std::vector<ParameterGroup>{};
    const double trainedShare = groups.empty() ? share : trainedElements(groups).share, trained = groups.empty() ? phi : trainedElements(groups).held;
    // Of one block and of the output matrix, what has gradients.
    const double expertsOfBlock = m.experts > 0 ? static_cast<double>(m.layerExperts) / static_cast<double>(c.expertTensor() * c.ep) : 0.0;
    const double blockTrained = m.part.layers * (p.block - expertsOfBlock) + m.part.experts * expertsOfBlock + static_cast<double>(m.part.addedLayer) / s.t;
    const double headTrained = m.part.output * p.head + (stage == c.pp - 1 ? m.part.addedOutput / s.t : 0.0);
    // A block's activations are freed when its gradients are made: all of both are never there together. It matters where a stage runs
    // one micro-batch after the other; gradients that add up are there before.
    const double inFlight = layersInFlight(c, stage, layers) * backwardShare(c, stage, layers);
    const KeptTensors block = everything(c);
    const KeptTensors kept = keptUnder(c, block);
    const double onDevice = hostActivations(c, inFlight).onDevice;
    const bool onHost = shardsOnHost(c);
    const bool inTurn = !onHost && c.pp == 1 && c.microBatches == 1 && !c.oneUnit && onDevice > 1;
    const double each = shardWidth(c);
    const double ofBlocks = trained > 0 ? each * trainedShare * std::min(1.0, static_cast<double>(layers) * blockTrained / trained) : 0.0;
    const double beforeFreed = inTurn ? (1 - 1 / onDevice) * std::min(kept.perToken() * tokens * onDevice, ofBlocks) : 0.0;
    addFsdp2States(ledger, c, p, groups, beforeFreed);
    if (c.foreachOptimizer && !onHost) ledger.add("optimizer_scratch", toBytes(each * trainedShare), "step", [&] { return why("temporaries of the foreach optimizer", fmt::format("{} Φ / N", each), groups.empty() ? perParameter(each) : fmt::format("{} · {:.0f}", each, trainedShare), "torch.optim foreach AdamW"); });

    // Gathered parameters and gradients on their way.
    const double b = bytesOf(c), reduced = reducedBytes(c);
    const double root = c.embeddingApart ? std::max(p.embedding, p.head) : p.embedding + p.head;
    const double packed = m.part.packed() ? std::min(p.block, static_cast<double>(m.part.packedMatrices) / s.t) : 0.0;  // of a block's parameters
    const double gathered = c.float8Gather ? 1 : p.block > 0 ? b - (b - kPackedWeight) * packed / p.block : b;  // bytes of one of them
    // Shards on their way between host and device: of a unit's weights, as they come and turned to what is gathered, and of a block's gradients.
    const double width = shardWidth(c), come = width + (width > b ? b : 0.0);
    const double ofBlock = (come * (p.block - packed) + kPackedWeight * packed) / shards, ofRoot = come * root / shards;
    const double moving = c.oneUnit ? static_cast<double>(layers) * ofBlock + ofRoot : ofBlock;
    const double gradientsMoving = (reduced + (reduced > width ? width : 0.0)) * (c.oneUnit ? trained : blockTrained) / shards;
    if (onHost) {
        ledger.add("shards_moving", toBytes(moving), "forward|backward|eval", [&] { return why("shards of a unit that have come from the host, and what is gathered of them", c.oneUnit ? fmt::format("{} Φ / N", come) : fmt::format("{} Φ_block / N", come), fmt::format("{:.0f} B", moving), kHostShards); });
        ledger.add("gradients_moving", toBytes(gradientsMoving), "backward", [&] { return why("shards of a unit's gradients, until they are on the host", c.oneUnit ? fmt::format("{} Φ / N", reduced) : fmt::format("{} Φ_block / N", reduced), fmt::format("{:.0f} B", gradientsMoving), kHostShards); });
    }
    if (packed > 0) {
        const double widest = static_cast<double>(m.hidden * std::max(m.ffn, m.heads * m.headSize)) / s.t;
        ledger.add("dequantised", toBytes(b * widest), "forward|backward", [&] { return why("one packed matrix turned to 16 bits for its product", "2 h f", fmt::format("{} · {:.0f}", b, widest), "Dettmers et al. 2023, QLoRA, equation 5"); });
    }
    const bool wholeGradients = c.accumulateUnsharded || (c.pp > 1 && c.microBatches > 1 && c.reshardAfterForward);
    // Of a loss in chunks those of one of them are there at once.
    const bool pieces = lossInPieces(c);
    const double logits = stage == c.pp - 1 ? (pieces ? tokensOfLoss(c) : tokens) * static_cast<double>(m.outputs()) / (c.lossParallel ? s.t : 1.0) : 0.0;
    const bool fused = c.lossKernel != LossKernel::Own;
    const double copies = fused ? 1 + lossTensors(c, 2) : c.tp > 1 && c.lossParallel ? 4 : 3;  // of the loss, where it is not compiled
    // The vocabulary-parallel loss keeps one tensor in fp32 though it is compiled: it was made before its sum over the ranks.
    const double compiledEach = c.tp > 1 && c.lossParallel ? 4 + b : 2 * b;
    // What a chunk makes is added up until the last: the gradient of the output's input, torchtitan's in fp32, and that of its matrix, whole.
    const double inputGradient = pieces && stage == c.pp - 1 ? (c.lossKernel == LossKernel::Linear ? b : 4) * s.h * tokens : 0.0;
    const double matrix = !pieces || stage != c.pp - 1 ? 0.0 : c.lossKernel == LossKernel::Linear ? b * headTrained : b * p.head + (b + reduced) * headTrained;
    const double lossBytes = (c.compiledLoss ? compiledEach : c.lossKernel == LossKernel::Linear ? b : !c.fp32Loss ? (fused ? copies : 3) * b : 4 * copies) * logits + inputGradient + matrix;
    const double whole = b * root + 2 * gathered * p.block;
    // At the loss the blocks are sharded again: the forward pass is fullest there or in its last block. What lies outside them stays where the
    // root does not reshard, and where the loss is made in the model's own forward pass, as in Transformers; torchtitan's group of the norm
    // and the output is not resharded by default, for the backward pass begins with it.
    const bool rootHeld = c.transformersBlock || (c.embeddingApart ? !c.reshardAsked.value_or(false) : c.rootStays);
    const double rootAtLoss = !rootHeld ? 0.0 : c.embeddingApart ? p.head : p.embedding + p.head;
    const double besideLoss = c.reshardAfterForward ? std::min(whole - b * rootAtLoss, lossBytes) : 0.0;
    if (c.reshardAfterForward) {
        if (besideLoss > 0) ledger.add("gathered_weights", toBytes(whole - besideLoss), "forward", [&] { return why("what is gathered while the last block computes, beyond what the loss makes after it is freed", "b Φ_root + 2 b Φ_block - loss", fmt::format("{:.0f} B - {:.0f} B", whole, besideLoss), kFsdp); });
        ledger.add("gathered_weights", toBytes(whole), besideLoss > 0 ? "backward|eval" : "forward|backward|eval",
                   [&] { return why(c.float8Gather ? "the root group in 16 bits, and two blocks, the current and the prefetched one, in 8" : "the root group and two blocks, the current and the prefetched one, as they are gathered", fmt::format("{} Φ_root + {} Φ_block", b, 2 * gathered), fmt::format("{} · {:.0f} + {} · {:.0f}", b, root, 2 * gathered, p.block), kFsdp); });
    } else {
        // Blocks that are gathered in 8 bits stay so: the backward pass multiplies by what was gathered (torchao, fsdp_pre_all_gather).
        const double rest = p.embedding + p.head, stays = b * rest + gathered * std::max(0.0, phi - rest);
        ledger.add("gathered_weights", toBytes(stays), "forward|backward|eval", [&] { return why("all parameters of the stage, gathered: they are not freed after the forward pass", gathered < b ? fmt::format("{} Φ_root + {} Φ_blocks", b, gathered) : fmt::format("{} Φ", b), gathered < b ? fmt::format("{} · {:.0f} + {} · {:.0f}", b, rest, gathered, phi - rest) : fmt::format("{} · {:.0f}", b, phi), kFsdp); });
    }
    if (c.oneUnit && !wholeGradients) {
        // The flat forerunner reduces out of the gradient itself; FSDP2 out of a copy in the type of the reduction, made when activations are gone.
        const double copy = c.flatShards ? 0.0 : std::max(0.0, (c.bf16States ? 2 : reduced) * trained - tokens * kept.perToken() * hostActivations(c, layersInFlight(c, stage, layers)).onDevice);
        ledger.add("gathered_gradients", toBytes(b * trained + copy), "backward", [&] { return why("whole gradients of the one unit that the model is, and what of their copy for the reduction exceeds the activations", fmt::format("{} Φ + copy", b), fmt::format("{} · {:.0f} + {:.0f} B", b, trained, copy), kFsdp); });
    } else if (c.reshardAfterForward || c.pp == 1) {
        if (wholeGradients) {
            ledger.add("whole_gradients", toBytes(reduced * trained), "forward|backward", [&] { return why("whole gradients, summed until the last micro-batch reduces them", fmt::format("{} Φ", reduced), fmt::format("{} · {:.0f}", reduced, trained), kFsdp); });
        }
        ledger.add("gathered_gradients", toBytes(wholeGradients ? b * (blockTrained + headTrained) : (b + reduced) * blockTrained + b * headTrained), "backward",
                   [&] { return why("one block's gradients before and in the reduction, and the output matrix's", fmt::format("({} + {}) Φ_block + {} Φ_head", b, reduced, b), fmt::format("{} · {:.0f} + {} · {:.0f}", b + reduced, blockTrained, b, headTrained), kFsdp); });
    } else {
        const double accumulated = c.microBatches > 1 ? reduced * trained : (b + reduced) * blockTrained;
        // Summed over the micro-batches, they are there in the forward passes of all but the first, too.
        ledger.add("gathered_gradients", toBytes(accumulated), c.microBatches > 1 ? "forward|backward" : "backward", [&] {
            return c.microBatches > 1 ? why("whole gradients, summed over the micro-batches", fmt::format("{} Φ", reduced), fmt::format("{} · {:.0f}", reduced, trained), kFsdp)
                                      : why("one block's gradients before and in the reduction", fmt::format("({} + {}) Φ_block", b, reduced), fmt::format("{} · {:.0f}", b + reduced, blockTrained), kFsdp);
        });
    }

    // Activations.
    const char* graph = c.transformersBlock ? kTransformers : c.compiled ? kGraph : kModel;
    addHostActivations(ledger, c, inFlight);
    addKeptTensors(ledger, kept, tokens, onDevice, c.policy == ActivationPolicy::None ? graph : kPolicy, brief);
    if (c.flatShards && m.part.partly && c.transformersBlock && c.policy == ActivationPolicy::Full && c.dp * c.cp / c.copies() > 1) {
        const double held = b * s.h * tokens * std::max(0.0, inFlight - 1);
        ledger.add("activations.gradients_held", toBytes(held), "backward", [&] { return why("gradients of the inputs of blocks that are done: hooks of frozen parameters hold both until the backward pass is over", "(L - 1) · s b · b h", fmt::format("{:.4g} · {:.0f} · {} · {:.0f}", inFlight - 1, tokens, b, s.h), kFrozenHooks); });
    }
    if (c.float8Kept && (c.policy == ActivationPolicy::None || c.policy == ActivationPolicy::SelectiveLayer)) {
        const double blocks = inFlight * (c.policy == ActivationPolicy::None ? 1.0 : 1.0 - 1.0 / static_cast<double>(std::max<std::int64_t>(1, c.policyLayers)));
        ledger.add("float8_weights", toBytes(blocks * p.block), "forward|backward",
                   [&] { return why("weights of blocks that are not made again, kept whole in 8 bits for the backward pass", "blocks in flight · Φ_block", fmt::format("{:.4g} · {:.0f}", blocks, p.block), "pytorch/pytorch issue 141881, mended in March 2025"); });
    }
    if (c.pp > 1) {
        // The stage keeps what it has sent until that micro-batch's backward pass, and owns a receive buffer per micro-batch for the gradients that come back.
        const double boundary = b * s.h / s.t * tokens;
        const double outputs = inFlight / static_cast<double>(layers) + (stage + 1 < c.pp ? static_cast<double>(c.microBatchesOfFlush() * c.chunks) : 0.0);
        ledger.add("pipeline_buffers", toBytes(boundary * outputs), "forward|backward",
                   [&] { return why("outputs kept per micro-batch in flight and receive buffers of every micro-batch", "boundaries · b · tokens · h / t", fmt::format("{:.4g} · {:.0f} B", outputs, boundary), kPipe); });
    }
    if (c.pp > 1 && c.outputsKept && logits > 0) {
        // Whoever steps the schedule is handed the whole batch's outputs, read or not: every micro-batch's stay until the next step
        // (output_chunks), and behind the last backward pass a copy of them all is made (_merge_outputs). The optimizer comes after.
        const double all = b * logits * static_cast<double>(c.microBatchesOfFlush()), scratch = c.foreachOptimizer && !onHost ? each * share : 0.0;
        // A compiled loss without a vocabulary that is divided counts those in hand itself.
        const double inHand = c.compiledLoss && !(c.tp > 1 && c.lossParallel) ? b * logits : 0.0;
        const auto held = [&] { return why("logits of every micro-batch, which the schedule keeps to return them", fmt::format("m · {} s b V / t", b), fmt::format("{} · {} · {:.0f}", c.microBatchesOfFlush(), b, logits), kOutputs); };
        if (inHand > 0) ledger.add("logits_kept", toBytes(all - inHand), "forward", held);
        ledger.add("logits_kept", toBytes(all), inHand > 0 ? "backward|step" : "forward|backward|step", held);
        ledger.add("logits_joined", toBytes(std::max(0.0, all - scratch)), "step", [&] { return why("the logits of every micro-batch joined into one tensor when the last of them is done, beyond what the optimizer makes after it", fmt::format("m · {} s b V / t", b), fmt::format("{} · {} · {:.0f}", c.microBatchesOfFlush(), b, logits), kOutputs); });
    }
    if (c.cp > 1) {
        // Keys and values of the whole sequence, repeated to all query heads before they are gathered, and two rotating chunks of their gradients.
        const double chunk = 2 * b * s.queries * tokens;
        ledger.add("gathered_keys", toBytes(chunk * static_cast<double>(c.cp + 2)), "backward",
                   [&] { return why("keys and values of all context-parallel ranks, and their gradients on the way", fmt::format("(c + 2) · 2 · {} s b a d / (c t)", b), fmt::format("{} · {:.0f} B", c.cp + 2, chunk), kContext); });
    }
    const double scratch = forwardScratch(c) * tokens;
    const double again = c.policy == ActivationPolicy::None ? 0.0 : std::max(0.0, block.perToken() - kept.perToken());
    // Of Transformers' code the gradients are known tensor by tensor.
    // Kernel by kernel the last projection's gradient takes the place of what it took: what the block's output got, gathered where it was divided,
    // and those of gate and up.
    const double apart = (s.t > 1 ? s.full : 0.0) + s.full / s.t + (m.gated ? 2 : 1) * b * s.ffn;
    const double inside = c.transformersBlock ? blockGradients(c, block) : !c.compiled && m.experts == 0 ? apart : std::max(3 * b * s.ffn, routedScratch(c)) + 2 * s.full;
    ledger.add("activations.recomputed", toBytes((again + inside) * tokens), "backward",
               [&] { return why("one block made again, and the gradients inside it", "tokens · bytes",
                                again > 0 ? fmt::format("{:.0f} · ({} - ({}) + {:.6g}) B", tokens, block.numbers(), kept.numbers(), inside) : fmt::format("{:.0f} · {:.6g} B", tokens, inside), graph); });
    double hole = scratch;
    if (stage == c.pp - 1) {
        // Freed by the time that the blocks go back.
        const double norm = c.normKernel ? b : 4 + b;
        ledger.add("activations.head", toBytes((norm * s.h / s.t + s.full) * tokens), "forward",
                   [&] { return why("final norm and the output's input", "tokens · bytes", fmt::format("{:.0f} · {:.6g} B", tokens, norm * s.h / s.t + s.full), kModel); });
        if (c.transformersBlock && c.model.code.cappedLogits && !c.compiledLoss) {
            ledger.add("logits_capped", toBytes(b * logits), "forward", [&] { return why("tanh of the logits, kept for the gradient of their cap", fmt::format("{} s b V", b), fmt::format("{} · {:.0f}", b, logits), graph); });
        }
        if (pieces) {
            const char* from = c.lossKernel == LossKernel::Linear ? kFusedLinear : kChunkedLoss;
            ledger.add("loss_gradient", toBytes(inputGradient), "forward", [&] { return why("gradient of the output's input, made with the loss in the forward pass", fmt::format("{} s b h", inputGradient / (s.h * tokens)), fmt::format("{:.0f} B", inputGradient), from); });
            ledger.add("loss_head", toBytes(matrix), "forward", [&] { return why(c.lossKernel == LossKernel::Linear ? "gradient of the output matrix, made with the loss in the forward pass" : "the output matrix, gathered for all chunks of the loss, its gradient summed over them, and one chunk's", c.lossKernel == LossKernel::Linear ? fmt::format("{} Φ_head", b) : fmt::format("({} + {} + {}) Φ_head", b, b, reduced), fmt::format("{:.0f} B", matrix), from); });
        }
        const double ofLogits = lossBytes - inputGradient - matrix;
        if (c.lossKernel == LossKernel::Linear) {
            ledger.add("logits", toBytes(ofLogits), "forward", [&] { return why("logits of one chunk of the loss", "b s V / chunks", fmt::format("{} · {:.0f}", b, logits), kFusedLinear); });
        } else if (c.lossKernel == LossKernel::Fused) {
            ledger.add("loss", toBytes(ofLogits), "forward", [&] { return why("logits, and those that one kernel takes and writes their gradient over", fmt::format("2 · {} s b V", c.fp32Loss ? 4.0 : b), fmt::format("{:.0f} B", ofLogits), kFusedLoss); });
        } else if (c.compiledLoss) {
            ledger.add("logits", toBytes(ofLogits), "forward", [&] { return why(c.tp > 1 && c.lossParallel ? "softmax in fp32 and the gradient: the compiled vocabulary-parallel loss" : "logits and their gradient: the compiled loss keeps nothing else", fmt::format("{} s b V / t", compiledEach), fmt::format("{} · {:.0f}", compiledEach, logits), kLoss); });
        } else if (!c.fp32Loss) {
            ledger.add("loss", toBytes(ofLogits), "forward", [&] { return why(b > 2 ? "log-softmax and two gradients in fp32" : "log-softmax and two gradients in 16 bits", fmt::format("3 · {} s b V", b), fmt::format("{} · {:.0f}", 3 * b, logits), kLoss); });
        } else {
            ledger.add("loss", toBytes(ofLogits), "forward",
                       [&] { return why(c.tp > 1 && c.lossParallel ? "log-softmax, one-hot, exponential and their sum in fp32: the vocabulary-parallel loss" : "log-softmax and two gradients in fp32",
                           fmt::format("{} · 4 s b V / t", copies), fmt::format("{} · 4 · {:.0f}", copies, logits), kLoss); });
        }
        if (!c.compiledLoss && c.fp32Loss && c.lossKernel != LossKernel::Linear) {
            hole += b > 2 || (c.logitsKept && !c.floatLogits) || (c.pp > 1 && c.outputsKept) ? 0.0 : 2 * logits;  // the 16-bit logits, freed but too small for an fp32 copy
        }
        if (c.logitsKept && !pieces && !(c.pp > 1 && c.outputsKept)) {
            const double bytesEach = c.floatLogits ? 4 : b;
            ledger.add("logits_kept", toBytes(bytesEach * logits), c.compiledLoss ? "backward" : "forward|backward", [&] { return why(bytesEach > 2 ? "fp32 logits that the training loop still names, by themselves or as part of what the model gave" : "16-bit logits that the training loop still names: torchtitan deletes them before the backward pass", bytesEach > 2 ? "4 s b V / t" : "2 s b V / t", fmt::format("{} · {:.0f}", bytesEach, logits), kLoss); });
        }
    }
    // What the allocator holds but cannot use at the peak: the forward temporaries and the logits; and what belongs to other streams, whose
    // blocks the computing stream is never given: the output of the root's gather (foreach_all_gather), and in the forward pass the
    // sharded gradients (foreach_reduce).
    // A gather's output is given back only when the next one has been made (_fsdp_param_group.py, all_gather_state): their pool has room for
    // two. Where blocks are freed after the forward pass, theirs stand among what is gathered.
    const double besideRoot = c.reshardAfterForward ? 0.0 : std::max(gathered * p.block, 2 * gathered * p.block - b * root);
    const double gathers = (shards > 1 && !c.flatShards ? b * root + besideRoot : 0.0) + (onHost && !c.oneUnit ? std::max(0.0, ofRoot - ofBlock) : 0.0);
    hole += gathers;
    const double shardsInForward = onHost ? gradientsMoving : shardsAddUp(c) ? 0.0 : each * trainedShare;
    // Nor do gradients in their stream's pool take the place of activations.
    const double inForward = hole + shardsInForward + besideLoss, inBackward = hole - scratch + (shards > 1 ? beforeFreed : 0.0);
    const std::int64_t context = 560 * kMiB + groupCount(c) * kGroupBytes;
    addEvaluation(ledger, c, stage, block.perToken());
    const double forward = static_cast<double>(ledger.aliveIn("forward")) + inForward, backward = static_cast<double>(ledger.aliveIn("backward")) + inBackward;
    const double held = std::max(forward, backward);
    LedgerRole role = std::move(ledger).finish(phasesOf(c), [](std::int64_t bytes) { return bytes; }, context);
    // Reserved memory never shrinks: it is that of the fullest phase in every phase. The holes are counted one by one, and leave nothing to
    // fragmentation: the calibration half's six figures lie between 0.97 and 1.01 of these sums.
    // Where the device is full, the allocator frees what it keeps and asks again.
    // Those figures are of segments that grow; blocks of fixed segments leave what the other frameworks' do.
    const double factor = c.expandableSegments ? 1.0 : 1.05;
    const double segments = factor * std::max(static_cast<double>(role.peak.allocated), held);
    const double room = c.sheet && c.sheet->usableBytes > 0 ? static_cast<double>(c.sheet->usableBytes - context) : segments;
    const std::int64_t reserved = toBytes(std::max(static_cast<double>(role.peak.allocated), std::min(segments, room)));
    for (LedgerPeak& peak : role.phases) {
        peak.reserved = reserved;
        peak.process = reserved + context;
    }
    role.peak.reserved = reserved;
    role.peak.process = reserved + context;
    if (!brief) {
        // At the fullest phase: what is alive there, and each hole.
        const bool isForward = forward > backward;
        const double logits2 = hole - gathers - scratch;
        const bool blocksToo = gathers > 0 && besideRoot > 0;
        const std::string holes = isForward ? fmt::format("{:.0f} + {:.0f} + {:.0f} + {:.0f} + {:.0f} + {:.0f}", forward - inForward, scratch, logits2, gathers, shardsInForward, besideLoss)
                                            : fmt::format("{:.0f} + {:.0f} + {:.0f} + {:.0f}", backward - inBackward, logits2, gathers, inBackward - (hole - scratch));
        std::vector<BeyondTensors> beyond;
        // On a device that is full even what is rounded finds no room.
        const std::int64_t most = toBytes(std::max(static_cast<double>(role.peak.allocated), room));
        const std::int64_t rounded = std::min(toBytes(factor * static_cast<double>(role.peak.allocated)), most);
        if (!c.expandableSegments) {
            beyond.push_back(fragmentationOf(factor, role.peak.allocated, kSegments));
            beyond.back().bytes = rounded - role.peak.allocated;
        }
        beyond.push_back({kAllocatorHole, std::min(toBytes(factor * (isForward ? forward : backward)), most) - rounded,
                          {isForward ? (blocksToo ? "blocks that nothing fits into when the forward pass is fullest: its temporaries, freed logits, and what belongs to other streams (the outputs of two gathers, and sharded gradients)"
                                                  : "blocks that nothing fits into when the forward pass is fullest: its temporaries, freed logits, and what belongs to other streams (the root's gather, sharded gradients, and what is gathered while the last block computes)")
                                     : (blocksToo ? "blocks that nothing fits into when the backward pass is fullest: freed logits, and what belongs to other streams (the outputs of two gathers, and gradients that could take the place of activations)"
                                                  : "blocks that nothing fits into when the backward pass is fullest: freed logits, and what belongs to other streams (the root's gather, and gradients that could take the place of activations)"),
                           isForward ? (blocksToo || onHost ? "φ · (forward + temporaries + 2 s b V / t + gathers + Φ / N) - φ · allocated" : "φ · (forward + temporaries + 2 s b V / t + b Φ_root + Φ / N + gathered) - φ · allocated")
                                     : (blocksToo || onHost ? "φ · (backward + 2 s b V / t + gathers + min(activations, gradients)) - φ · allocated" : "φ · (backward + 2 s b V / t + b Φ_root + min(activations, gradients)) - φ · allocated"),
                           segments > room ? fmt::format("min({:.6g} · ({}), {:.0f}) - {:.6g} · {}", factor, holes, room, factor, role.peak.allocated) : fmt::format("{:.6g} · ({}) - {:.6g} · {}", factor, holes, factor, role.peak.allocated), kHoles}});
        addBeyondTensors(role, std::move(beyond), {deviceContext(560 * kMiB, c.sheet ? c.sheet->name : std::string(), "CUDA context and loaded kernels: 0.3 to 0.6 GiB; 0.55 on an H100"), groupBuffers(groupCount(c))});
    }
    return role;
}

}  // namespace stagecraft
