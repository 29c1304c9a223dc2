// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/buffer_plan.h"

#include "base/units.h"
#include "parallel/flat_layout.h"
#include "schedule/leases.h"

#include <algorithm>

namespace stagecraft {

namespace {

/// Sizes every activation is a product of.
struct Sizes {
    std::int64_t tokens, samples, hidden, queryWidth, kvWidth, ffn;
    BufferType compute;
    bool gpt2;

    Sizes(const ModelSpec& m, const EngineConfig& c)
        : tokens(c.microBatch * m.seq), samples(c.microBatch), hidden(m.hidden), queryWidth(m.heads * m.headSize),
          kvWidth(m.kvHeads * m.headSize), ffn(m.ffn), compute(computeType(c)), gpt2(m.family == Family::Gpt2)
    {
    }
};

class Planner {
public:
    explicit Planner(const BufferPlanInput& input)
        : m_in(input), m_size(input.model, input.config), m_units(unitsOf(input.model)),
          m_stage(input.world == 1 ? 0 : input.config.zeroStage), m_bf16(m_size.compute == BufferType::Bf16)
    {
    }

    std::vector<PlannedBuffer> plan()
    {
        for (const UnitInfo& unit : m_units) modelStates(unit);
        if (m_in.world > 1) communication();
        for (const UnitInfo& unit : m_units) activations(unit);
        scratch();
        return std::move(m_buffers);
    }

    /// A block's saved activations under `prefix`.
    void saved(const std::string& prefix, int unit)
    {
        const Sizes& s = m_size;
        const auto keep = [&](const char* name, const char* kind, BufferType type, std::int64_t elements, const char* why) {
            add(prefix + ".saved." + name, std::string("activations.") + kind, type, elements, unit, why);
        };
        const BufferType f32 = BufferType::F32;
        if (s.gpt2) keep("mean1", "norm_statistics", f32, s.tokens, "mean of each token in the first norm");
        keep("rstd1", "norm_statistics", f32, s.tokens, "1/deviation of each token in the first norm");
        keep("n1", "norm_outputs", s.compute, s.tokens * s.hidden, "output of the first norm: needed for the weight gradients of the attention inputs");
        if (s.gpt2) {
            keep("qkv", "qkv", s.compute, s.tokens * 3 * s.hidden, "queries, keys and values");
        } else {
            keep("q", "qkv", s.compute, s.tokens * s.queryWidth, "rotated queries");
            keep("k", "qkv", s.compute, s.tokens * s.kvWidth, "rotated keys");
            keep("v", "qkv", s.compute, s.tokens * s.kvWidth, "values");
        }
        keep("attention", "attention", s.compute, s.tokens * s.queryWidth, "attention output before its projection");
        keep("lse", "lse", f32, s.tokens * m_in.model.heads, "log-sum-exp of each query's scores: probabilities are made again from it");
        keep("x2", "residual", s.compute, s.tokens * s.hidden, "residual stream between attention and MLP");
        if (s.gpt2) keep("mean2", "norm_statistics", f32, s.tokens, "mean of each token in the second norm");
        keep("rstd2", "norm_statistics", f32, s.tokens, "1/deviation of each token in the second norm");
        keep("n2", "norm_outputs", s.compute, s.tokens * s.hidden, "output of the second norm: needed for the weight gradients of the MLP inputs");
        if (s.gpt2) {
            keep("pre", "mlp_up", s.compute, s.tokens * s.ffn, "MLP before its non-linearity");
        } else {
            keep("gate", "mlp_gate", s.compute, s.tokens * s.ffn, "gate projection");
            keep("up", "mlp_up", s.compute, s.tokens * s.ffn, "up projection");
        }
    }

    std::vector<PlannedBuffer> take() { return std::move(m_buffers); }

private:
    void add(std::string name, std::string what, BufferType type, std::int64_t elements, int unit, std::string why)
    {
        m_buffers.push_back({std::move(name), std::move(what), type, elements, unit, std::move(why)});
    }

    void modelStates(const UnitInfo& unit)
    {
        const FlatLayout layout = flatLayoutOf(unit, m_in.world);
        const bool whole = isResident(m_in.config, m_in.world, layout.padded);
        const std::int64_t owned = m_stage == 0 ? layout.padded : layout.shard;
        const int u = unit.index;
        add(unit.name + ".weights", "weights", m_size.compute, whole ? layout.padded : layout.shard, u,
            whole ? "compute weights, whole on every rank" : "this rank's slice of the compute weights");
        if (m_bf16) add(unit.name + ".master", "master", BufferType::F32, owned, u, "fp32 weights that the optimizer updates");
        const bool leased = leasesGradients(m_in.config, m_in.world);
        add(unit.name + ".gradients", "gradients", BufferType::F32, leased ? layout.shard : layout.padded, u,
            leased ? "this rank's slice of the accumulated gradients" : "accumulated gradients of the whole unit");
        add(unit.name + ".m", "optimizer_states", BufferType::F32, owned, u, "Adam's first moment");
        add(unit.name + ".v", "optimizer_states", BufferType::F32, owned, u, "Adam's second moment");
    }

    void communication()
    {
        const Result<Schedule> schedule = compileSchedule(m_in.model, m_in.config, m_in.world, m_in.recompute);
        if (!schedule.hasValue()) return;
        const LeasePlan leases = leasePlanOf(schedule->programs.front(), m_in.model, m_in.config, m_in.world);
        for (std::size_t s = 0; s < leases.weightSlots.size(); ++s)
            add("lease.weights." + std::to_string(s), "gathered_weights", m_size.compute, leases.weightSlots[s], -1, "pool slot for a unit's gathered weights");
        for (std::size_t s = 0; s < leases.gradientSlots.size(); ++s)
            add("lease.gradients." + std::to_string(s), "gathered_gradients", BufferType::F32, leases.gradientSlots[s], -1,
                "pool slot for a unit's gradients until they are reduced");
        add("ring.staging", "communication", BufferType::F32, 2 * ringPieceElements(m_in.model, m_in.config, m_in.world), -1,
            "partial sums travelling round the ring");
    }

    void activations(const UnitInfo& unit)
    {
        const Sizes& s = m_size;
        const int u = unit.index;
        if (unit.kind != UnitKind::Head)
            add(unit.name + ".output", "activations.outputs", s.compute, s.tokens * s.hidden, u, "the next unit's input");
        if (unit.kind == UnitKind::Block && m_in.recompute == Recompute::None) saved(unit.name, u);
        if (unit.kind != UnitKind::Head) return;
        if (s.gpt2) add(unit.name + ".saved.mean", "activations.norm_statistics", BufferType::F32, s.tokens, u, "mean of each token in the last norm");
        add(unit.name + ".saved.rstd", "activations.norm_statistics", BufferType::F32, s.tokens, u, "1/deviation of each token in the last norm");
        add(unit.name + ".saved.n", "activations.norm_outputs", s.compute, s.tokens * s.hidden, u, "output of the last norm");
        add(unit.name + ".logits", "logits", s.compute, s.tokens * m_in.model.vocab, u, "logits, overwritten by their gradient");
    }

    void scratch()
    {
        const Sizes& s = m_size;
        if (m_in.recompute == Recompute::Full) saved("recompute", -1);
        const auto share = [&](const char* name, BufferType type, std::int64_t elements, const char* why) {
            add(std::string("scratch.") + name, "activations.scratch", type, elements, -1, why);
        };
        share("act", s.compute, s.tokens * s.ffn, "output of the MLP's non-linearity and its gradient");
        for (const char* name : {"d0", "d1", "d2"})
            share(name, s.compute, s.tokens * s.hidden, "gradient of the residual stream: in, between and out of a block");
        share("dn", s.compute, s.tokens * s.hidden, "gradient of a norm's output");
        share("dattention", s.compute, s.tokens * s.queryWidth, "gradient of the attention output");
        if (s.gpt2) {
            share("dqkv", s.compute, s.tokens * 3 * s.hidden, "gradients of queries, keys and values");
            if (m_in.model.residualDropout > 0.0)
                for (const char* name : {"dropped1", "dropped2"})
                    share(name, s.compute, s.tokens * s.hidden, "gradient behind a dropout, needed for its projection's weight gradient");
        } else {
            share("dq", s.compute, s.tokens * s.queryWidth, "gradient of the queries");
            share("dk", s.compute, s.tokens * s.kvWidth, "gradient of the keys");
            share("dv", s.compute, s.tokens * s.kvWidth, "gradient of the values");
            const std::int64_t half = m_in.model.headSize / 2;
            add("tables.cos", "tables", BufferType::F32, m_in.model.seq * half, -1, "cosines of the rotary embedding");
            add("tables.sin", "tables", BufferType::F32, m_in.model.seq * half, -1, "sines of the rotary embedding");
        }
        share("attention", BufferType::F32, attentionScratchElements(m_in.model) * m_in.threads, "one head's work of each thread");
        add("batch.inputs", "batch", BufferType::I32, s.tokens, -1, "token ids of the micro-batch");
        add("batch.labels", "batch", BufferType::I32, s.tokens, -1, "token ids to predict");
    }

    const BufferPlanInput& m_in;
    Sizes m_size;
    std::vector<UnitInfo> m_units;
    int m_stage;
    bool m_bf16;
    std::vector<PlannedBuffer> m_buffers;
};

}  // namespace

std::int64_t attentionScratchElements(const ModelSpec& model)
{
    const std::int64_t rows = std::min(kAttentionRows, model.seq);
    return roundUp(7 * model.seq * model.headSize + model.seq + 2 * rows * model.seq, kFlatAlign);
}

std::int64_t ringPieceElements(const ModelSpec& model, const EngineConfig& config, int world)
{
    if (world == 1) return 0;
    std::int64_t largest = kFlatAlign;
    for (const UnitInfo& unit : unitsOf(model)) largest = std::max(largest, flatLayoutOf(unit, world).shard);
    const std::int64_t bucket = std::max(kFlatAlign, config.reduceBucketElements / world / kFlatAlign * kFlatAlign);
    return std::min({largest, bucket, std::int64_t{1} << 20});
}

BufferType computeType(const EngineConfig& config)
{
    return config.precision == Precision::Bf16 ? BufferType::Bf16 : BufferType::F32;
}

std::vector<PlannedBuffer> bufferPlan(const BufferPlanInput& input) { return Planner(input).plan(); }

std::int64_t plannedBytes(const std::vector<PlannedBuffer>& buffers)
{
    std::int64_t sum = 0;
    for (const PlannedBuffer& buffer : buffers) sum += buffer.bytes();
    return sum;
}

std::int64_t blockSavedBytes(const ModelSpec& model, const EngineConfig& config)
{
    const BufferPlanInput input{model, config};
    Planner planner(input);
    planner.saved("block", -1);
    return plannedBytes(planner.take());
}

std::int64_t logitsBytes(const ModelSpec& model, const EngineConfig& config)
{
    return config.microBatch * model.seq * model.vocab * bytesOf(computeType(config));
}

}  // namespace stagecraft
