// SPDX-License-Identifier: GPL-3.0-or-later
// PyTorch FSDP2 as torchtitan applies it: every block its own group, the root (embedding, final norm, output) one more.
#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/framework_ledger.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr const char* kFsdp = "torch/distributed/fsdp/_fully_shard: fp32 shards, 16-bit gathered parameters, fp32 reduction";
constexpr const char* kModel = "torchtitan models/llama3: tensors autograd keeps";
constexpr const char* kPolicy = "torchtitan activation checkpointing: block inputs, or attention outputs and every second matrix product";
constexpr const char* kPipe = "torch/distributed/pipelining/stage.py: forward cache, receive buffers";
constexpr const char* kContext = "torch/distributed/tensor/experimental/_attention.py: all-gather rotation";
constexpr const char* kLoss = "torch cross_entropy in fp32: log-softmax kept, its gradient and the loss gradient made beside it";

struct Sizes {
    double h, queries, keys, ffn, t, full;  // per rank: widths after tensor parallelism; `full` = bytes of a gathered hidden state per token
};

Sizes sizesOf(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    const double t = static_cast<double>(c.tp);
    const double width = m.experts > 0 ? static_cast<double>(m.expertsPerToken * m.expertFfn + m.sharedFfn) : static_cast<double>(m.ffn);
    return {static_cast<double>(m.hidden), static_cast<double>(m.heads * m.headSize) / t, static_cast<double>(std::max(m.kvHeads, c.tp) * m.headSize) / t,
            width / t, t, 2.0 * static_cast<double>(m.hidden)};
}

// Bytes per token of the two gathered inputs (attention, MLP) under tensor parallelism. Asynchronous tensor parallelism
// gathers them piece by piece through symmetric memory, which lies outside the caching allocator.
double gatheredInputs(const TrainingCase& c) { return c.tp > 1 && !c.asyncTensor ? 2 * 2.0 * static_cast<double>(c.model.hidden) : 0.0; }

// Bytes per token of a block that keeps everything.
double everything(const TrainingCase& c)
{
    const Sizes s = sizesOf(c);
    const double lse = 4.0 * static_cast<double>(c.model.heads) / s.t;
    if (c.compiled) {
        // The partitioner makes norms, rotations and the gated product again from what matrix products and attention gave.
        return 2 * 2 * s.h / s.t + 2 * (2 * s.queries + 2 * s.keys) + lse + 4 * s.ffn + gatheredInputs(c);
    }
    // Norms keep their input in fp32 and the normalised value; keys and values are repeated to all heads before attention.
    const double norms = 2 * (4 + 2) * s.h / s.t + 2 * s.full;
    return norms + 2 * (3 * s.queries) + 2 * 2 * s.queries + lse + 2 * s.h / s.t + 2 * 4 * s.ffn;
}

// Bytes per token that a block keeps under the policy.
double keptPerToken(const TrainingCase& c)
{
    const Sizes s = sizesOf(c);
    const double input = 2 * s.h / s.t;
    switch (c.policy) {
    case ActivationPolicy::Full: return input;
    case ActivationPolicy::SelectiveOp: {
        // Matrix products 1, 3, 5 and 7 of the block are kept: queries, values, gate and the MLP's output (whole under tensor
        // parallelism, and once more after its reduction). A compiled block drops the last: the backward pass never reads it.
        const double last = c.compiled ? 0.0 : s.full + (c.tp > 1 ? input : 0.0);
        return input + 2 * (s.queries + s.keys + s.ffn) + last + 2 * s.queries + 4.0 * static_cast<double>(c.model.heads) / s.t;
    }
    case ActivationPolicy::SelectiveLayer: {
        const double nth = static_cast<double>(std::max<std::int64_t>(1, c.policyLayers));
        return input / nth + everything(c) * (nth - 1) / nth;
    }
    default: return everything(c);
    }
}

// Bytes per token of the temporaries at the widest point of a block's forward pass.
double forwardScratch(const TrainingCase& c)
{
    const Sizes s = sizesOf(c);
    const double gathered = c.tp > 1 ? gatheredInputs(c) : 2 * s.h;
    const bool keepsGate = c.policy == ActivationPolicy::SelectiveOp || c.policy == ActivationPolicy::None;
    return gathered + (c.compiled ? 4 : 6) * s.ffn + (keepsGate ? 0.0 : 2 * s.ffn);
}

}  // namespace

void addFsdp2States(LedgerBuilder& ledger, const TrainingCase& c, const StageParameters& p)
{
    const double shards = static_cast<double>(c.dp * c.cp / c.copies());
    const double phi = p.all();
    const double expertRanks = std::max(1.0, expertShards(c) / static_cast<double>(c.copies()));
    const double share = p.dense / shards + p.experts / expertRanks;
    const auto why = [](std::string text, std::string formula, std::string numbers, const char* source) {
        return LedgerBuilder::Why{std::move(text), std::move(formula), std::move(numbers), source};
    };
    const auto perParameter = [&](double bytes) {
        return c.ep > 1 && p.experts > 0 ? fmt::format("{} · ({:.0f} / {:.0f} + {:.0f} / {:.0f})", bytes, p.dense, shards, p.experts, expertRanks) : fmt::format("{} · {:.0f} / {:.0f}", bytes, phi, shards);
    };

    // Shards, moments and sharded gradients have one dtype.
    const double each = c.bf16States ? 2 : 4;
    const double moments = optimizerStateBytes(c.optimizer) * each / 4;
    ledger.add("weights", toBytes(each * share), "all", [&] { return why(c.bf16States ? "16-bit shards of the parameters" : "fp32 shards of the parameters", fmt::format("{} Φ / N", each), perParameter(each), kFsdp); });
    ledger.add("optimizer_states", toBytes(moments * share), "all", [&] { return why("the optimizer's moments", fmt::format("{} Φ / N", moments), perParameter(moments), kFsdp); });
    ledger.add("gradients", toBytes(each * share), c.accumulateUnsharded ? "step" : "backward|step", [&] { return why(c.bf16States ? "16-bit shards of the gradients, freed before the next forward pass" : "fp32 shards of the gradients, freed before the next forward pass", fmt::format("{} Φ / N", each), perParameter(each), kFsdp); });
}

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

    addFsdp2States(ledger, c, p);
    const double each = c.bf16States ? 2 : 4;
    if (c.foreachOptimizer) ledger.add("optimizer_scratch", toBytes(each * share), "step", [&] { return why("temporaries of the foreach optimizer", fmt::format("{} Φ / N", each), perParameter(each), "torch.optim foreach AdamW"); });

    // Gathered parameters and gradients on their way.
    const double root = p.embedding + p.head;
    const bool wholeGradients = c.accumulateUnsharded || (c.pp > 1 && c.microBatches > 1 && c.reshardAfterForward);
    if (c.reshardAfterForward) {
        ledger.add("gathered_weights", toBytes(2 * (root + 2 * p.block)), "forward|backward|eval",
                   [&] { return why("the root group and two blocks, the current and the prefetched one, in 16 bits", "2 (Φ_root + 2 Φ_block)", fmt::format("2 · ({:.0f} + 2 · {:.0f})", root, p.block), kFsdp); });
    } else {
        ledger.add("gathered_weights", toBytes(2 * phi), "forward|backward|eval", [&] { return why("all parameters of the stage in 16 bits: they are not freed after the forward pass", "2 Φ", fmt::format("2 · {:.0f}", phi), kFsdp); });
    }
    if (c.reshardAfterForward || c.pp == 1) {
        if (wholeGradients) {
            ledger.add("whole_gradients", toBytes(4 * phi), "forward|backward", [&] { return why("whole gradients, summed in fp32 until the last micro-batch reduces them", "4 Φ", fmt::format("4 · {:.0f}", phi), kFsdp); });
        }
        ledger.add("gathered_gradients", toBytes(wholeGradients ? 2 * (p.block + p.head) : (2 + 4) * p.block + 2 * p.head), "backward",
                   [&] { return why("one block's gradients before and in the reduction, and the output matrix's", "(2 + 4) Φ_block + 2 Φ_head", fmt::format("6 · {:.0f} + 2 · {:.0f}", p.block, p.head), kFsdp); });
    } else {
        const double accumulated = c.microBatches > 1 ? 4 * phi : 6 * p.block;
        ledger.add("gathered_gradients", toBytes(accumulated), "backward", [&] { return why("whole gradients, summed in fp32 over the micro-batches", "4 Φ", fmt::format("4 · {:.0f}", phi), kFsdp); });
    }

    // Activations.
    const double inFlight = layersInFlight(c, stage, layers);
    const double kept = keptPerToken(c);
    ledger.add("activations.kept", toBytes(kept * tokens * inFlight), "forward|backward",
               [&] { return why("what the policy keeps of every block", "layers in flight · tokens · bytes", fmt::format("{:.4g} · {:.0f} · {:.6g} B", inFlight, tokens, kept), kPolicy); });
    if (c.pp > 1) {
        // The stage keeps what it has sent until that micro-batch's backward pass, and owns a receive buffer per micro-batch for the gradients that come back.
        const double boundary = 2 * s.h / s.t * tokens;
        const double outputs = inFlight / static_cast<double>(layers) + (stage + 1 < c.pp ? static_cast<double>(c.microBatches * c.chunks) : 0.0);
        ledger.add("pipeline_buffers", toBytes(boundary * outputs), "forward|backward",
                   [&] { return why("outputs kept per micro-batch in flight and receive buffers of every micro-batch", "boundaries · 2 s b h / t", fmt::format("{:.4g} · {:.0f} B", outputs, boundary), kPipe); });
    }
    if (c.cp > 1) {
        // Keys and values of the whole sequence, repeated to all query heads before they are gathered, and two rotating chunks of their gradients.
        const double chunk = 2 * 2 * s.queries * tokens;
        ledger.add("gathered_keys", toBytes(chunk * static_cast<double>(c.cp + 2)), "backward",
                   [&] { return why("keys and values of all context-parallel ranks, and their gradients on the way", "(c + 2) · 2 · 2 s b a d / (c t)", fmt::format("{} · {:.0f} B", c.cp + 2, chunk), kContext); });
    }
    const double scratch = forwardScratch(c) * tokens;
    const double again = c.policy == ActivationPolicy::None ? 0.0 : everything(c) - kept;
    ledger.add("activations.recomputed", toBytes((std::max(0.0, again) + 6 * s.ffn + 2 * s.full) * tokens), "backward",
               [&] { return why("one block made again, and the gradients inside it", "tokens · bytes", fmt::format("{:.0f} · {:.6g} B", tokens, std::max(0.0, again) + 6 * s.ffn + 2 * s.full), kModel); });
    double hole = scratch;
    if (stage == c.pp - 1) {
        const double logits = tokens * static_cast<double>(m.vocab) / (c.lossParallel ? s.t : 1.0);
        ledger.add("activations.head", toBytes((6 * s.h / s.t + s.full) * tokens), "forward|backward",
                   [&] { return why("final norm and the output's input", "tokens · bytes", fmt::format("{:.0f} · {:.6g} B", tokens, 6 * s.h / s.t + s.full), kModel); });
        if (c.compiledLoss) {
            ledger.add("logits", toBytes(4 * logits), "forward", [&] { return why("16-bit logits and their gradient: the compiled loss keeps nothing in fp32", "4 s b V / t", fmt::format("4 · {:.0f}", logits), kLoss); });
        } else if (!c.fp32Loss) {
            ledger.add("loss", toBytes(3 * 2 * logits), "forward", [&] { return why("log-softmax and two gradients in 16 bits", "3 · 2 s b V", fmt::format("6 · {:.0f}", logits), kLoss); });
        } else {
            const double copies = c.tp > 1 && c.lossParallel ? 4 : 3;
            ledger.add("loss", toBytes(4 * copies * logits), "forward",
                       [&] { return why(c.tp > 1 && c.lossParallel ? "log-softmax, one-hot, exponential and their sum in fp32: the vocabulary-parallel loss" : "log-softmax and two gradients in fp32",
                           fmt::format("{} · 4 s b V / t", copies), fmt::format("{} · 4 · {:.0f}", copies, logits), kLoss); });
            hole += 2 * logits;  // the 16-bit logits, freed but too small for an fp32 copy
        }
    }
    // What the allocator holds but cannot use at the peak: the gradients' blocks, the forward temporaries, the logits.
    const double holes = hole + each * share;
    const std::int64_t context = 560 * kMiB + groupCount(c) * 300 * kMiB;
    addEvaluation(ledger, c, stage, everything(c));
    LedgerRole role = std::move(ledger).finish(phasesOf(c), [](std::int64_t bytes) { return bytes; }, context);
    // Reserved memory never shrinks: it is that of the peak in every phase. 3 % is the lower end of what fragmentation is seen
    // to cost, the larger holes being counted one by one.
    const double heldInForward = role.peak.phase == "forward" ? holes : std::max(0.0, hole - scratch);
    // Where the device is full, the allocator frees what it keeps and asks again.
    const double segments = 1.03 * (static_cast<double>(role.peak.allocated) + heldInForward);
    const double room = c.sheet && c.sheet->usableBytes > 0 ? static_cast<double>(c.sheet->usableBytes - context) : segments;
    const std::int64_t reserved = toBytes(std::max(static_cast<double>(role.peak.allocated), std::min(segments, room)));
    for (LedgerPeak& peak : role.phases) {
        peak.reserved = reserved;
        peak.process = reserved + context;
    }
    role.peak.reserved = reserved;
    role.peak.process = reserved + context;
    return role;
}

}  // namespace stagecraft
