// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/step_clock.h"

#include "planner/expert_balance.h"
#include "planner/framework_ledger.h"

#include "planner/tensor_shares.h"
#include "planner/transfers.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

double StepClock::attentionRate() const
{
    // Its first generation: by MosaicML's 84 steps (calibration half), whose mean error of 4.7 % a tenth more or less raises to 5.4. Their kernels
    // are Triton's, which Dao 2023 (FlashAttention-2, section 4) has 1.3 to 2.5 times slower: 0.4 to 0.77.
    const double older = m_peak * m_eff.attention * (m_case.olderAttention ? 0.63 : 1.0);
    if (newerAttention()) {
        // Narrow heads: 413 of 600 TFLOP/s (Shah et al. 2024, Figure 5).
        return m_peak * m_eff.attentionNewer * (m_case.model.headSize < 96 ? 0.69 : 1.0);
    }
    // FlashAttention-2's instructions are Ampere's: a newer device runs them no faster than Hopper (a B200: 352 to 362 TFLOP/s forward at heads of 128,
    // meta-pytorch/tritonbench, pull request 171). Deterministic backward passes are its.
    constexpr double kOlderInstructions = 350e12;
    return m_case.flashLibrary || m_case.deterministic ? std::min(older, kOlderInstructions) : older;
}

bool StepClock::newerAttention() const
{
    return !m_case.flashLibrary && !m_case.deterministic && (fusedLayers() || m_case.cudnnAttention) && m_eff.attentionNewer > m_eff.attention;
}

double StepClock::eagerTraffic(double width, double rotated, double values) const
{
    const ModelShape& m = m_case.model;
    const double h = static_cast<double>(m.hidden);
    // RMS norm: to fp32, square, mean, product, back, weight. Layer norm: one kernel.
    const double norms = 2 * (m.rmsNorm && !m_case.normKernel ? 32.0 : 4.0) * h;
    const double residuals = 2 * (m_case.hiddenDropout > 0 ? 11.0 : 6.0) * h;
    // Rotation: halves negated and joined, two products and their sum.
    const double rotation = m_case.rotary ? (m_case.rotationKernel ? 4.0 : 18.0) * rotated : 0.0;
    // Gated: SiLU and its product. Otherwise one kernel, or eight for the tanh formula written in Python.
    const double mlp = (m.gated ? (m_case.gateKernel ? 6.0 : 10.0) : m.composedGelu ? 36.0 : 4.0) * width;
    // Heads are put beside each other for the output product.
    // Under autocast the residual stream, norms and rotation are fp32, the MLP is not; five products read what they take and write it in 16 bits.
    const double ofHeads = m.code.headNorms ? (m.rmsNorm && !m_case.normKernel ? 32.0 : 4.0) * rotated : 0.0;
    if (m_case.autocasts()) return 2 * (norms + ofHeads + residuals + rotation) + mlp + 4 * values + 6 * (m.gated ? 5 : 2) * h;
    return (m_case.precision == Precision::Fp32 ? 2 : 1) * (norms + ofHeads + residuals + rotation + mlp + 4 * values);
}

PassCost StepClock::layer() const
{
    const ModelShape& m = m_case.model;
    const double t = static_cast<double>(m_case.tp);
    const double tokens = m_case.tokens();
    const double h = static_cast<double>(m.hidden);
    const TensorShares shares = tensorShares(m_case);
    const double queries = static_cast<double>(m.heads * m.headSize) / shares.attention;
    const double keys = keyHeadsOnRank(m_case) * static_cast<double>(m.headSize);
    const double values = static_cast<double>(m.heads * m.valueSize) / shares.attention;
    const double seq = static_cast<double>(m.seq);
    const double b = m_case.products() == Precision::Fp32 ? 4 : 2;
    const bool fp8 = m_case.float8;
    const double up = m.gated ? 2 : 1;

    // Of an encoder-decoder's layers some have two attentions: a layer stands for the mean.
    const double attentions = 1 + m.crossShare();
    // Megatron's layers have queries, keys and values in one matrix, and the two halves of a gated MLP; LLaMA's of Transformers and torchtitan have
    // one each, which tensor parallelism makes narrow.
    const bool apart = m.gated && m_case.framework != Framework::Megatron && !m_case.megatronCode;
    const auto joined = [&](double one, double second, double third) {
        return apart ? product(tokens, one, h, fp8) + product(tokens, second, h, fp8) + product(tokens, third, h, fp8) : product(tokens, one + second + third, h, fp8);
    };
    double products = attentions * (joined(queries, keys, keys) + product(tokens, h, values, fp8));
    double width = static_cast<double>(m.ffn) / shares.mlp;
    const double fullest = fullestExperts(m_case);  // the others wait for it
    double lastProduct = 0;  // after it nothing is kept for the backward pass
    double ofExperts = 0, ofShared = 0, ofMlp = 0;
    double selected = 0;     // torchtitan keeps every other product; the keys', attention's output, the third of a gated MLP and routed experts' are made again
    if (m.experts > 0) {
        // Each expert here multiplies its own share of the tokens.
        const double here = std::max(1.0, static_cast<double>(m.experts) / static_cast<double>(m_case.ep));
        const double routed = std::max(1.0, fullest * tokens * static_cast<double>(m.expertsPerToken) / here);
        const double perExpert = static_cast<double>(m.expertFfn) / t;
        // Groups of products go through kernels of their own, not the tuned ones of the dense layers, in 8 bits as in 16: jobs whose routing is even
        // (calibration half: Mixtral with a capacity of one on A3 and A4, Qwen3-235B) are 2 to 7 % shorter than measured without. A3's
        // has them one by one: as dense products it would be 7 % too short.
        // Autocast knows no grouped products: those of experts run in fp32 (transformers/integrations/moe.py, _grouped_mm).
        const double slower = m_case.autocasts() && m_case.sheet ? m_peak / std::max(1.0, m_case.sheet->peakFor("fp32") * m_threads) : 1.0;
        const double grouped = slower * matrixShare() / m_eff.matrixGrouped;
        const double expertProducts = here * grouped * (product(routed, up * perExpert, h, fp8) + product(routed, h, perExpert, fp8));
        const double shared = static_cast<double>(m.sharedFfn) / t;
        ofExperts = expertProducts;
        ofShared = joined(shared, m.gated ? shared : 0.0, 0) + product(tokens, h, shared, fp8);
        products += ofExperts + ofShared;
        selected = product(tokens, keys, h, fp8) + product(tokens, h, values, fp8) + expertProducts + (m.gated ? product(tokens, shared, h, fp8) : 0.0);
        width = fullest * perExpert * static_cast<double>(m.expertsPerToken) + static_cast<double>(m.sharedFfn) / t;
    } else {
        lastProduct = product(tokens, h, width, fp8);
        ofMlp = joined(width, m.gated ? width : 0.0, 0) + lastProduct;
        products += ofMlp;
        selected = product(tokens, keys, h, fp8) + product(tokens, h, values, fp8) + (m.gated ? product(tokens, width, h, fp8) : 0.0);
    }

    // Scores and values: fused kernels skip the masked half where there is one, the others do not.
    const double square = attentions * 2 * tokens * seq * (queries + values);
    const double skipped = m.code.bidirectional ? 1 : 2;
    double attention, attentionBack;
    if (m_case.flashAttention) {
        const double rate = attentionRate();
        attention = square / skipped / rate;
        // 63 % of the peak where the forward pass reaches 73 % (Dao 2023, FlashAttention-2). It is taken from there, not set: a tenth less would make
        // the mean error of the 221 steps of the calibration half that it moves 8.4 %, a tenth more 9.0 %, for 8.6.
        attentionBack = 2.5 * square / skipped / (rate * (newerAttention() ? 0.85 : m_eff.attentionBack));
        // Deterministic backward passes have a gradient of the queries for each group of processors, in fp32: cleared, and added up at the end
        // (flash-attention, csrc/flash_attn/flash_api.cpp, mha_bwd: nsplits).
        if (m_case.deterministic && m_case.sheet) {
            const auto& peaks = m_case.sheet->peak;
            const double processors = peaks.contains("fp4") ? 148 : peaks.contains("fp8") ? 132 : 108;
            const double blocks = std::max(1.0, static_cast<double>(m_case.microBatch * m.heads) / shares.attention);
            attentionBack += streamed(2 * (std::ceil(processors / blocks) - 1) * 4 * tokens * queries);
        }
    } else {
        const double scores = attentions * tokens * seq * static_cast<double>(m.heads) / shares.attention;
        // Small products, head by head. 0.7 is assumed: no figure has them apart, and a tenth of it moves 90 steps of the calibration half by 1 % at most.
        // Tensor cores take rows whose length is a multiple of 16 bytes; heads of another width are multiplied without them
        // (NVIDIA, Matrix Multiplication Background User's Guide, Tensor Core Requirements; cublasGemmStridedBatchedEx).
        const bool aligned = m.headSize % 8 == 0 || !m_case.sheet;
        const double peak = aligned ? m_peak : std::min(m_peak, m_case.sheet->peakFor("fp32") * m_threads);
        const double productsOfScores = square / (peak * m_eff.matrix * 0.7);
        attention = productsOfScores + streamed(scores * scoreBytes());
        // Backward with a fused softmax, in elements: the values' gradient reads the scores and a product writes theirs, dropout reads and
        // writes them, the softmax reads two and writes one, two products read it. That is 9 for 6 forward, with one mask each; 7 for 4 without dropout.
        attentionBack = scoresOneByOne() ? 2 * attention : 2 * productsOfScores + streamed(scores * (scoreBytes() + 3 * b));
    }

    PassCost cost;
    if (m_case.cp > 1) {
        const PassCost context = contextParallel(attention, attentionBack);
        attention += context.forward;
        attentionBack += context.backward;
        cost.contextForward = context.contextForward;
        cost.contextBackward = context.contextBackward;
    }

    // Element-wise traffic per token, forward; the backward pass moves about twice that.
    const double sp = m_case.sequenceParallel ? 1 / t : 1;
    double traffic = b * (2 * 2 * h * sp + 2 * 4 * h * sp + (m.gated ? (m_case.fusedGate ? 3 : 5) : 2) * width + (m_case.rotary ? 2 * (queries + keys) : 0));
    // Eager RMS norms cast to fp32 and back in six kernels, rotation in three; a layer norm is one kernel.
    if (m_case.transformersScript && !m_case.compiled) traffic = eagerTraffic(width, queries + keys, values);
    else if (m_case.framework == Framework::Fsdp2) traffic = m_case.compiled ? 0.8 * traffic : m.rmsNorm ? 2.2 * traffic - (m_case.normKernel ? 2 * 28 * h * sp : 0.0) : traffic;
    // Norms of queries and keys: in one kernel with the rotation where compiled, in the six of eager RMS norms, or in one.
    const bool script = m_case.transformersScript && !m_case.compiled;
    if (m.code.headNorms && !m_case.compiled && !script && (m_case.framework == Framework::Megatron || m_case.framework == Framework::Fsdp2))
        traffic += b * (m_case.framework == Framework::Fsdp2 && m.rmsNorm && !m_case.normKernel ? 16 : 2) * (queries + keys);
    // torchtitan writes keys and values once for each head of queries (models/attention.py, repeat_kv).
    if (m_case.framework == Framework::Fsdp2 && !m_case.transformersScript && m.kvHeads < m.heads) traffic += b * 2 * (queries + keys);
    if (m_case.framework == Framework::DeepSpeed && !m_case.megatronCode) traffic = m_case.compiled ? 0.8 * traffic : pythonEngine() ? eagerTraffic(width, queries + keys, values) : 2 * traffic;
    // GPT-NeoX: two norms (4 h read and written), rotation of parts that are cut out and joined again (8 of the queries), bias and GeLU
    // in one kernel, and bias, dropout and residual of both branches one by one (14 h). Source: its megatron/model/transformer.py,
    // whose bias_dropout_fusion is off unless asked for.
    if (m_case.looseLayers) traffic = b * (18 * h + 8 * queries + 2 * width);
    // Routed tokens are put into their experts' order and back, by kernels that are not fused.
    // Separate kernels pad and sort them (a copy with one row more, a copy in order, one back; torchtitan/models/moe/utils.py), and weight them
    // by a cast to fp32, a product and a cast back: all in whole rows.
    const double routedElements = m.experts > 0 ? fullest * static_cast<double>(m.expertsPerToken) * h * sp * tokens : 0;
    // Transformer Engine's kernels move each row as long as it is (transformer_engine/common/triton/permutation.py).
    const bool inRows = m_case.framework == Framework::Megatron && !m_case.looseRouting;
    const bool oneByOne = m_case.framework == Framework::Fsdp2 && m_case.looseRouting;
    const double permuted = (inRows ? streamed(b * 4 * routedElements) : bytes(b * 4 * routedElements)) + (oneByOne ? streamed((3 * 4 + 6 + 8 + 6) * routedElements) : 0.0);
    // Megatron's rotation in kernels one by one: halves negated and joined, two products and their sum, and joined with what is not rotated; latent attention
    // sorts its pairs before, puts both parts of each query and key together, and makes values contiguous (core/models/common/embeddings/rope_utils.py,
    // core/transformer/multi_latent_attention.py).
    double rotation = 0;
    if (m_case.framework == Framework::Megatron && m_case.rotary && !m_case.rotationKernel) {
        const bool latent = std::max(m.keyRank, m.code.keyRank) > 0;
        const double rotated = static_cast<double>(m.rotarySize > 0 ? m.rotarySize : m.code.ropeSize), heads = static_cast<double>(m.heads) / shares.attention;
        rotation = bytes(b * tokens * (latent ? heads * (14 * rotated + 4 * static_cast<double>(m.headSize) + 2 * static_cast<double>(m.valueSize)) - 2 * (queries + keys) : 10 * (queries + keys)));
    }
    const double element = elementwise(traffic * tokens) + permuted + rotation;
    // Scaling and casting to 8 bits reads and writes each operand once more.
    const double casts = fp8 ? elementwise(tokens * 3 * (2 * h * (m_case.float8Activations ? sp : 1.0) + queries + width)) : 0;

    // Eager layers are launched from Python: about 60 kernels at the slow end of 5-10 us, twice as many where nothing is fused;
    // compiled ones need fewer and less.
    const bool unfused = (m_case.framework == Framework::Megatron || m_case.megatronCode) && !m_case.transformerEngine;
    const double launches = m_case.cudaGraphs ? 0.0 : (m_case.compiled ? 30 : unfused ? 240 : 120) * (1 + kEngineShared * furtherModules()) * m_host * m_eff.kernel + adapterLaunches();
    const Hooks python = hooks();
    // Launching and computing overlap, or take turns.
    const auto together = [&](double work, double launching) { return m_case.launchBlocking ? work + launching : std::max(work, launching); };
    const auto idle = [&](double work, double launching) { return fusedLayers() ? std::max(0.0, launching - work) : 0.0; };
    // PyTorch's deterministic mode writes every new tensor once before its kernel does (fill_uninitialized_memory, on by default);
    // Transformer Engine makes all of its outputs so.
    const double outputs = (2 * sp + 1) * h + queries + 2 * keys + values + h + (up + 1) * width;
    const double filled = m_case.deterministic && fusedLayers() ? streamed(b * tokens * outputs) : 0;
    // One by one, experts' outputs are put beside each other after, and the gradients of what each took (SequentialMLP.forward: split and cat).
    const double joins = m_case.expertsOneByOne && m.experts > m_case.ep ? streamed(2 * b * routedElements) : 0;
    const double forward = products + attention + element + casts + filled + joins;
    // Before tokens are sent the host must know how many: it waits for the device, which then waits for the first ten kernels of what follows
    // (torchtitan/distributed/expert_parallel.py, megatron/core/transformer/moe/token_dispatcher.py: copies of the splits to the host).
    const double asked = m.experts > 0 && m_case.ep > 1 && !m_case.cudaGraphs && m_case.framework != Framework::DeepSpeed ? 10 * m_host * m_eff.kernel + m_eff.hop : 0.0;
    cost.forward = together(forward, launches + python.forward) + asked;
    cost.idleForward = cost.idleAgain = idle(forward, launches + python.forward);
    // Since 2.1 PyTorch's checkpoints stop where everything the backward pass needs is there again: before the block's last product.
    const bool stops = m_case.framework == Framework::Fsdp2 && !m_case.wholeRecompute;
    cost.again = stops ? together(products - lastProduct + attention + element + casts, launches + python.again) + asked : cost.forward;
    // What the policy keeps is not made again: attention, and every other product.
    if (m_case.policy == ActivationPolicy::SelectiveOp) cost.again = together(selected + element + casts, launches + python.again);
    // Frozen matrices have no gradient of their own: half of the backward products, and packed ones are unpacked for each.
    const TrainedPart& part = m.part;
    const double backwardProducts = 1 + part.products + (static_cast<double>(part.addedLayer) - static_cast<double>(part.addedToWeights) / static_cast<double>(std::max<std::int64_t>(1, m.layers))) / static_cast<double>(std::max<std::int64_t>(1, m.layerMatrices));
    // Weight gradients of a micro-batch are added to the fp32 ones by the product itself, or by a kernel that reads both and writes one.
    const bool added = m_case.framework == Framework::Megatron && m_case.fp32Gradients && !m_case.fusedAccumulation;
    const double accumulate = added ? streamed(10.0 * (static_cast<double>(m.perLayer - m.layerExperts) / t + static_cast<double>(m.layerExperts) / static_cast<double>(m_case.ep * m_case.expertTensor()))) : 0;
    const double unpack = part.packed() ? bytes((part.packedBytes + 2) * static_cast<double>(part.packedMatrices) / t) : 0;
    // Autocast casts each matrix for its product: read in fp32, written in 16 bits, and its gradient back.
    const double recast = m_case.autocasts() ? streamed(6 * std::max(0.0, static_cast<double>(m.layerMatrices - m.layerExperts - (part.packed() ? part.packedMatrices : 0)) / t)) : 0;
    // Adapters of packed experts: each weight is read and written anew, and its whole gradient is read for each of the two matrices.
    const double rebuild = streamed(4 * part.rebuiltWeights / t);
    cost.forward += unpack + rebuild + recast;
    cost.again += unpack + rebuild + recast;
    // Megatron's selective recomputation: what the modules that are named did in the forward pass (core/transformer: _checkpointed_attention_forward,
    // moe_layer.py, custom_forward; CheckpointWithoutOutput of norms, activations and up-projections). Scores that are kept are counted apart.
    double modules = 0;
    if (m_case.policy == ActivationPolicy::SelectiveCore) {
        const RecomputeModules& named = m_case.modules;
        const double activated = elementwise(b * (m.gated ? 3 : 2) * width * tokens);
        const auto keyRank = static_cast<double>(std::max(m.keyRank, m.code.keyRank)), queryRank = static_cast<double>(std::max(m.queryRank, m.code.queryRank));
        const double compressed = keyRank > 0 ? product(tokens, queries, queryRank, fp8) + product(tokens, keys + values, keyRank, fp8) : 0.0;
        modules += named.core ? (m_case.flashAttention ? attention : cost.contextForward) : 0.0;
        modules += named.norms ? elementwise(b * 2 * 2 * h * sp * tokens) : 0.0;
        modules += named.up ? compressed : 0.0;
        modules += m.experts > 0 && named.moe ? ofExperts + ofShared + permuted + activated : (named.activation && m.experts > 0 ? activated : 0.0) + (named.shared ? ofShared : 0.0);
        modules += named.mlp ? ofMlp + (m.experts > 0 ? 0.0 : activated) : 0.0;
    }
    const double backward = backwardProducts * products + attentionBack + 2 * (element + casts + filled) + joins + modules;
    cost.backward = unpack + rebuild + part.products * recast + accumulate + together(backward, 2 * launches + python.backward);
    cost.idleBackward = idle(backward, 2 * launches + python.backward);
    if (m_case.adapterUnits && m_case.dp * m_case.cp / m_case.copies() > 1) {
        // Units so small hide nothing: the next one's gather waits until the host has seen an earlier one freed (limit_all_gathers).
        const double units = 2 * part.adapterModules;
        cost.forward += units * m_host * kShardedForward;
        cost.backward += units * m_host * kShardedBackward;
    }
    return cost;
}

StepClock::Hooks StepClock::hooks() const
{
    // Stage 3's run before and after every module, in both passes.
    if (pythonEngine() && m_case.settings.stage == 3) return {m_host * kHooksForward, m_host * kHooksForward, m_host * kHooksBackward};
    if (fusedLayers() && !m_case.cudaGraphs) {
        const ModelShape& m = m_case.model;
        const double modules = 1 + (std::max(m.keyRank, m.code.keyRank) > 0 ? kEngineLatent : 0.0) + (m.experts > 0 && m.sharedFfn > 0 ? kEngineShared : 0.0) + kEngineShared * furtherModules();
        const double times = m_host * (modules + (m_case.float8 ? kEngineFp8 : 0.0) + (m.experts > 0 ? kEngineExperts : 0.0));
        const double further = m.experts > 0 && !m_case.expertsOneByOne ? m_host * std::max(0.0, static_cast<double>(m.experts) / static_cast<double>(m_case.ep) - 1) : 0.0;
        const double forward = times * kEngineForward + further * kExpertForward;
        return {forward, forward, times * kEngineBackward + further * kExpertBackward};
    }
    if (m_case.framework != Framework::Fsdp2) return {};
    Hooks all;
    if (m_case.tp > 1 && !m_case.compiled) {
        const bool norms = m_case.model.code.headNorms;
        all.forward = all.again = m_host * (kDividedForward + (norms ? kDividedNormsForward : 0.0));
        all.backward = m_host * (kDividedBackward + (norms ? kDividedNormsBackward : 0.0));
    }
    if (m_case.dp * m_case.cp / m_case.copies() > 1 && !m_case.flatShards && !m_case.oneUnit) {
        all.forward += m_host * kShardedForward;
        all.backward += m_host * kShardedBackward;
    }
    return all;
}

double StepClock::furtherModules() const
{
    return m_case.expertsOneByOne ? std::max(0.0, static_cast<double>(m_case.model.experts) / static_cast<double>(m_case.ep) - 1) : 0.0;
}

double StepClock::adapterLaunches() const
{
    const ModelShape& m = m_case.model;
    if (!m.part.adapted()) return 0;
    // A cast, a dropout, two products, a scale and a sum beside each adapted matrix (peft/tuners/lora/layer.py, Linear.forward).
    return 6 * m.part.adapterModules * m_host * m_eff.kernel;
}

PassCost StepClock::blockWeights() const
{
    if (m_case.framework != Framework::Fsdp2) return {};
    const ModelShape& m = m_case.model;
    const double t = static_cast<double>(m_case.tp);
    const double here = static_cast<double>(m.perLayer - m.layerExperts) / t + static_cast<double>(m.layerExperts) / static_cast<double>(m_case.ep * m_case.expertTensor());
    PassCost cost = shardCopies(here, m_case.float8Gather ? 1 : m_case.products() == Precision::Fp32 ? 4 : 2, m.part.partly ? std::min(1.0, m.part.layers + static_cast<double>(m.part.addedLayer) / static_cast<double>(std::max<std::int64_t>(1, m.perLayer))) : 1.0);
    // Scaled and cast to 8 bits: read for the largest value, read and written, and once more the other way round for the backward
    // pass. Shards that are gathered in 8 bits were cast before, a part on each device. Source: torchao, roofline_utils.py, "tensorwise".
    if (m_case.float8 && !m_case.float8Gather && m.experts == 0) {
        cost.forward += streamed(5 * here);
        cost.backward += streamed(3 * here);
    }
    return cost;
}

PassCost StepClock::shardCopies(double parameters, double width, double trained) const
{
    // foreach_all_gather_copy_out and foreach_reduce_scatter_copy_in run on the stream that computes: read and written as gathered, and
    // gradients read in the type of the products and written in that of the reduction. Source: torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py.
    const double shards = static_cast<double>(m_case.dp * m_case.cp / m_case.copies());
    if (m_case.framework != Framework::Fsdp2 || m_case.flatShards || shards < 2) return {};
    const double micro = static_cast<double>(m_case.microBatches);
    const bool held = !m_case.reshardAfterForward;
    const bool summed = m_case.accumulateUnsharded || (m_case.pp > 1 && micro > 1);
    const double b = m_case.products() == Precision::Fp32 ? 4 : 2, reduced = m_case.fp32Gradients ? 4 : 2;
    const double out = streamed(2 * width * parameters), in = trained * streamed((b + reduced) * parameters);
    PassCost cost;
    cost.forward = held && m_case.pp > 1 ? out / micro : out;
    // Gradients that stay whole are added to the sum of each micro-batch, and copied after the last.
    cost.backward = (held ? 0.0 : out) + (summed ? trained * streamed((b + 2 * reduced) * parameters) + in / micro : in);
    return cost;
}

PassCost StepClock::contextParallel(double attention, double attentionBack) const
{
    const ModelShape& m = m_case.model;
    const double t = static_cast<double>(m_case.tp);
    const double n = static_cast<double>(m_case.cp);
    const double tokens = m_case.tokens();
    const bool repeated = m_case.framework == Framework::Fsdp2;
    const ContextExchange context = contextExchange(m_case);
    const auto of = [](double shown, double shownBack, double work, double workBack) {
        PassCost cost{shown + work, shownBack + workBack};
        cost.contextForward = shown;
        cost.contextBackward = shownBack;
        return cost;
    };
    if (context.ulysses) {
        // Nothing runs meanwhile. Each is sorted by ranks before it and by tokens or heads after it: read and written twice.
        const double exchange = contextAllToAll();
        return of(exchange, exchange, bytes(4 * context.payload), bytes(4 * context.payload));
    }
    const double exchange = ring(context.payload * n, m_case.cp, m_case.tp);
    const double outputs = tokens * static_cast<double>(m.heads * m.valueSize) / t;
    if (!repeated) {
        // Ring of point-to-point messages, each under the piece of attention before it; corrections of the output are fused.
        return of(std::max(0.0, exchange - attention * (n - 1) / n), std::max(0.0, 2 * exchange - attentionBack * (n - 1) / n), bytes(outputs * 12 * n), bytes(outputs * 12 * n));
    }
    // One all-gather, under which only the local piece runs. Partial outputs are merged in fp32 by separate kernels: cast, two
    // differences, a product and their results, 44 bytes an element; the backward pass adds three fp32 gradients, 12 bytes each.
    const double merging = bytes(outputs * 44 * n);
    const double adding = bytes(outputs * 36 * n);
    return of(std::max(0.0, exchange - attention / n), std::max(0.0, exchange - attentionBack / n) + std::max(0.0, exchange - attentionBack * (n - 1) / n), merging, adding);
}

double StepClock::contextAllToAll() const
{
    const double one = contextExchange(m_case).payload / 4;
    return 4 * allToAll(one, m_case.cp, m_case.tp);
}

PassCost StepClock::head() const
{
    const double whole = m_case.tokens() * static_cast<double>(m_case.model.outputs());
    const double product = this->product(m_case.tokens(), static_cast<double>(m_case.model.outputs()) / (outputIsCopied(m_case) ? 1.0 : static_cast<double>(m_case.tp)), static_cast<double>(m_case.model.outputWidth()));
    const double passes = m_case.framework == Framework::Megatron || m_case.compiledLoss || m_case.lossKernel != LossKernel::Own ? 20 : 34;
    // Without a loss that works on parts of the vocabulary every tensor-parallel rank gathers all logits and goes through them.
    const bool gathered = gathersLogits(m_case);
    const double logits = m_case.lossParallel ? whole / static_cast<double>(m_case.tp) : whole;
    double loss = bytes(logits * passes / 2), lossBack = loss;
    if (m_case.fusedLoss) {
        // Transformer Engine's: 16-bit logits are read twice and their gradient is put in their place, which the backward pass scales
        // (transformer_engine/common/triton/cross_entropy.py).
        loss = streamed(3 * 2 * logits);
        lossBack = streamed(2 * 2 * logits);
    }
    return {product + loss + (gathered ? ring((m_case.products() == Precision::Fp32 ? 4 : 2) * whole, m_case.tp, 1) : 0.0), (1 + m_case.model.part.output + (m_case.model.part.addedOutput > 0 ? 1 : 0)) * product + lossBack};
}

double StepClock::expertParallel() const
{
    const ModelShape& m = m_case.model;
    if (m.experts == 0 || m_case.ep <= 1) return 0;
    return 2 * allToAll(fullestExperts(m_case) * routedPayload(m_case), m_case.ep, m_case.expertTensor());
}

double StepClock::tensorCopies() const
{
    // PyTorch gathers and scatters along the first dimension. The sequence is the second: the whole tensor is put together anew after a
    // gather and before a scatter, read and written (torch/distributed/_functional_collectives.py, all_gather_tensor and
    // reduce_scatter_tensor; the same from 2.1 to 2.11). Products that gather by themselves have the parts where they need them.
    return m_case.framework == Framework::Fsdp2 && m_case.sequenceParallel && !m_case.asyncTensor ? streamed(2 * tensorPayload(m_case)) : 0.0;
}

PassCost StepClock::tensorParallel() const
{
    if (m_case.tp <= 1) return {};
    const TensorRings rings = tensorRings(m_case);
    const double payload = tensorPayload(m_case);
    // Asynchronous products hide what their pieces let them. That 0.4 stays in sight is assumed: a tenth of it moves 41 steps of the calibration
    // half by 0.9 % at most.
    double one = (m_case.asyncTensor ? 0.4 : 1.0) * ring(payload, m_case.tp, 1);
    one += tensorCopies();
    return {rings.forward * one, rings.backward * one, rings.again * one};
}

}  // namespace stagecraft
