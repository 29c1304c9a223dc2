// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/op_time.h"

#include "schedule/buffer_plan.h"
#include "schedule/compile.h"

#include <algorithm>

namespace stagecraft {

namespace {

double real(std::int64_t value) { return static_cast<double>(value); }

/// Elements of a unit that the linear layers do not overwrite and that are cleared for each fresh gradient.
double clearedOf(const UnitInfo& unit, const FlatLayout& layout)
{
    double kept = 0;
    for (const ParameterInfo& parameter : unit.parameters)
        if (unit.kind != UnitKind::Embedding && parameter.shape.size() >= 2) kept += real(parameter.count);
    return real(layout.padded) - kept;
}

void addTo(CollectiveTime& time, double computing)
{
    time.wall += computing;
    time.cpu += computing;
}

}  // namespace

OpTimes::OpTimes(const EngineJob& job, const MachineRates& rates)
    : m_job(job), m_rates(rates), m_units(unitsOf(job.model)), m_type(computeType(job.config) == BufferType::Bf16 ? "bf16" : "fp32"),
      m_bytes(m_type == "bf16" ? 2 : 4), m_tokens(real(job.config.microBatch) * real(job.model.seq)), m_copies(std::min<double>(real(job.world) * job.threads, rates.cores())),
      m_threads(std::min<double>(job.threads, rates.cores())), m_gpt2(job.model.family == Family::Gpt2), m_leased(job.world > 1 && job.config.zeroStage >= 2)
{
    double parameters = 0;
    for (const UnitInfo& unit : m_units) {
        m_layouts.push_back(flatLayoutOf(unit, job.world));
        parameters += real(m_layouts.back().padded);
    }
    const ModelSpec& m = job.model;
    const double perToken = 6 * real(m.hidden) + 2 * real(m.heads * m.headSize) + 2 * real(m.kvHeads * m.headSize) + 3 * real(m.ffn);
    m_activations = m_bytes * m_tokens * (perToken * (job.recompute == Recompute::Full ? 1.0 : real(m.layers)) + real(m.hidden) * real(m.layers) + real(m.vocab));
    m_state = parameters * (m_bytes + 12) / (job.config.zeroStage > 0 ? job.world : 1);
}

double OpTimes::linearForward(double in, double out, bool inOut) const
{
    return m_rates.product(m_type, inOut ? ProductKind::Nn : ProductKind::Nt, m_tokens, out, in, m_job.threads, m_copies);
}

double OpTimes::linearInput(double in, double out, bool inOut) const
{
    return m_rates.product(m_type, inOut ? ProductKind::Nt : ProductKind::Nn, m_tokens, in, out, m_job.threads, m_copies);
}

double OpTimes::linearWeight(double in, double out, bool inOut) const
{
    return m_rates.product(m_type, ProductKind::Tn, inOut ? in : out, inOut ? out : in, m_tokens, m_job.threads, m_copies);
}

double OpTimes::single(const char* name, double rows, double width, double footprint) const
{
    // Without a word from the caller: what was made just before, operands and result.
    return m_rates.kernel(name, m_type, rows, width, footprint > 0 ? footprint : 3 * m_bytes * rows * width, m_copies);
}

double OpTimes::shared(const char* name, double rows, double width, double footprint) const { return single(name, rows, width, footprint) / m_threads; }

double OpTimes::cleared(double floats) const { return m_rates.kernel("fill", "fp32", 1, floats, m_state, m_copies); }

double OpTimes::attention(bool backward) const
{
    const ModelSpec& m = m_job.model;
    const double heads = real(m_job.config.microBatch) * real(m.heads);
    double time = heads * m_rates.attention(backward, m_type, real(m.seq), real(m.headSize), m_copies);
    if (m.attentionDropout > 0) {
        // Blocks of queries against the keys up to their last one.
        const double scores = heads * real(m.seq) * (real(m.seq) + real(std::min(kAttentionRows, m.seq))) / 2;
        time += (backward ? 2 : 1) * m_rates.kernel("dropout", "fp32", 1, scores, 1 << 20, m_copies);
    }
    return time / m_threads;
}

double OpTimes::blockForward(bool again) const
{
    const ModelSpec& m = m_job.model;
    const double h = real(m.hidden), f = real(m.ffn), queries = real(m.heads * m.headSize), keys = real(m.kvHeads * m.headSize), d = real(m.headSize);
    double time = attention(false);
    if (m_gpt2) {
        const double residual = m.residualDropout > 0 ? single("dropout", 1, m_tokens * h) + single("add", 1, m_tokens * h) : single("copy", 1, m_tokens * h);
        time += 2 * shared("layer_norm", m_tokens, h) + linearForward(h, 3 * h, true) + shared("add_bias", m_tokens, 3 * h) + linearForward(h, h, true) + shared("add_bias", m_tokens, h) + residual;
        time += linearForward(h, f, true) + shared("add_bias", m_tokens, f);
        if (!again) time += shared("gelu", 1, m_tokens * f) + linearForward(f, h, true) + shared("add_bias", m_tokens, h) + residual;
        return time;
    }
    const double bias = m.attentionBias ? shared("add_bias", m_tokens, queries + 2 * keys + h) : 0.0, mlpBias = m.mlpBias ? shared("add_bias", m_tokens, 2 * f + (again ? 0 : h)) : 0.0;
    time += 2 * shared("rms_norm", m_tokens, h) + linearForward(h, queries, false) + 2 * linearForward(h, keys, false) + bias + mlpBias;
    time += shared("rotary", m_tokens * real(m.heads + m.kvHeads), d) + single("copy", 1, m_tokens * h) + linearForward(queries, h, false) + 2 * linearForward(h, f, false);
    if (!again) time += shared("swiglu", 1, m_tokens * f) + single("copy", 1, m_tokens * h) + linearForward(f, h, false);
    return time;
}

double OpTimes::blockInput() const
{
    const ModelSpec& m = m_job.model;
    const double h = real(m.hidden), f = real(m.ffn), queries = real(m.heads * m.headSize), keys = real(m.kvHeads * m.headSize), d = real(m.headSize), old = m_activations;
    double time = attention(true);
    if (m_gpt2) {
        if (m.residualDropout > 0) time += 2 * (single("copy", 1, m_tokens * h) + single("dropout", 1, m_tokens * h));
        time += single("column_sum", m_tokens, h) + linearInput(f, h, true) + shared("gelu_backward", 1, m_tokens * f, old) + single("column_sum", m_tokens, f) + linearInput(h, f, true);
        time += 2 * (single("layer_norm_weight", m_tokens, h, old) + shared("layer_norm_backward", m_tokens, h, old));
        time += single("column_sum", m_tokens, h) + linearInput(h, h, true) + single("column_sum", m_tokens, 3 * h) + linearInput(h, 3 * h, true);
        return time;
    }
    if (m.attentionBias) time += single("column_sum", m_tokens, queries + 2 * keys + h);
    if (m.mlpBias) time += single("column_sum", m_tokens, 2 * f + h);
    time += linearInput(f, h, false) + shared("swiglu_backward", 1, m_tokens * f, old) + 2 * linearInput(h, f, false);
    time += 2 * (single("rms_norm_weight", m_tokens, h, old) + shared("rms_norm_backward", m_tokens, h, old));
    time += linearInput(queries, h, false) + shared("rotary", m_tokens * real(m.heads + m.kvHeads), d) + linearInput(h, queries, false) + 2 * linearInput(h, keys, false);
    return time;
}

double OpTimes::blockWeight() const
{
    const ModelSpec& m = m_job.model;
    const double h = real(m.hidden), f = real(m.ffn), queries = real(m.heads * m.headSize), keys = real(m.kvHeads * m.headSize);
    if (m_gpt2) return linearWeight(f, h, true) + linearWeight(h, f, true) + linearWeight(h, h, true) + linearWeight(h, 3 * h, true);
    return linearWeight(f, h, false) + 2 * linearWeight(h, f, false) + linearWeight(queries, h, false) + linearWeight(h, queries, false) + 2 * linearWeight(h, keys, false);
}

double OpTimes::headForward() const
{
    const double h = real(m_job.model.hidden), vocab = real(m_job.model.vocab);
    return shared(m_gpt2 ? "layer_norm" : "rms_norm", m_tokens, h) + linearForward(h, vocab, false) + shared("cross_entropy", m_tokens, vocab);
}

double OpTimes::headInput() const
{
    const double h = real(m_job.model.hidden), vocab = real(m_job.model.vocab);
    return linearInput(h, vocab, false) + single(m_gpt2 ? "layer_norm_weight" : "rms_norm_weight", m_tokens, h, m_activations) + shared(m_gpt2 ? "layer_norm_backward" : "rms_norm_backward", m_tokens, h);
}

double OpTimes::compute(const Op& op) const
{
    const ModelSpec& m = m_job.model;
    const double h = real(m.hidden), vocab = real(m.vocab);
    const bool isHead = op.unit == static_cast<int>(m_units.size()) - 1, isEmbedding = op.unit == 0;
    const auto u = static_cast<std::size_t>(std::max(op.unit, 0));
    // Full gradients begin anew with each step, leased ones with each micro-batch.
    const bool begins = op.microStep == 0 || m_leased;
    switch (op.kind) {
    case OpKind::Forward:
        if (isEmbedding) return shared("embed", m_tokens, h, vocab * h * m_bytes) + (m.embeddingDropout > 0 ? single("dropout", 1, m_tokens * h) : 0.0);
        return isHead ? headForward() : blockForward(op.recompute);
    case OpKind::BackwardInput: return (isHead ? headInput() : blockInput()) + (begins ? cleared(clearedOf(m_units[u], m_layouts[u])) : 0.0);
    case OpKind::BackwardWeight: {
        const double embedding = begins ? cleared(clearedOf(m_units[0], m_layouts[0])) : 0.0;
        if (isEmbedding) return single("embed_backward", m_tokens, h, vocab * h * 4) + (m.embeddingDropout > 0 ? single("dropout", 1, m_tokens * h) : 0.0) + (m.tieEmbeddings ? 0.0 : embedding);
        if (isHead) return linearWeight(h, vocab, false) + (m.tieEmbeddings ? embedding : 0.0);
        return blockWeight();
    }
    case OpKind::AllReduce: {
        double shards = 0;
        for (const FlatLayout& layout : m_layouts) shards += real(layout.shard);
        return m_rates.kernel("squared_sum", "fp32", 1, shards, m_state, m_copies);
    }
    case OpKind::OptimizerStep: return m_rates.kernel("adam", m_type, 1, real(op.elements), m_state, m_copies) / m_threads;
    default: return 0;
    }
}

CollectiveTime OpTimes::communication(const Op& op) const
{
    if (m_job.world <= 1) return {};
    if (op.unit < 0) return m_rates.collective("all_reduce_scalars", m_job.world, 0);
    const double shard = real(op.elements) / m_job.world;
    if (op.kind == OpKind::Gather) {
        CollectiveTime time = m_rates.collective("all_gather", m_job.world, shard * m_bytes);
// Its own slice is read from where it is kept; the buffers it is written to are few and take turns, and so lie in the caches.
        if (!isResident(m_job.config, m_job.world, op.elements)) addTo(time, m_rates.kernel("squared_sum", "fp32", 1, shard * m_bytes / 4, m_state, m_copies));
        return time;
    }
    CollectiveTime time = m_rates.collective("reduce_scatter", m_job.world, shard * 4);
    if (op.kind == OpKind::ReduceScatter && m_leased && op.microStep > 0) {
        // Added to what earlier micro-batches left: one more reading of the shard, which has gone from the caches since.
        addTo(time, m_rates.kernel("squared_sum", "fp32", 1, shard, m_state, m_copies));
    }
    if (op.kind == OpKind::AllReduce) {
        const CollectiveTime gather = m_rates.collective("all_gather", m_job.world, shard * 4);
        time.wall += gather.wall;
        time.cpu += gather.cpu;
    }
    return time;
}

}  // namespace stagecraft
