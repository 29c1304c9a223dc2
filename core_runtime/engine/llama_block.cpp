// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/blocks.h"

namespace stagecraft {

namespace {

/// x2 = x + o(attention(rotate(q), rotate(k), v)); y = x2 + down(silu(gate) * up), each behind a root-mean-square norm. The only
/// dropout is that of the attention's weights.
template <class T>
class LlamaBlock final : public Block<T> {
public:
    LlamaBlock(const ModelSpec& m, const UnitInfo& unit, const FlatLayout& layout, const BufferSet& buffers, const std::string& saved)
        : m_model(m), m_site(firstSiteOf(unit)), m_queryWidth(m.heads * m.headSize), m_kvWidth(m.kvHeads * m.headSize),
          m_norm1(placeOf(unit, layout, ".input_layernorm.weight")), m_norm2(placeOf(unit, layout, ".post_attention_layernorm.weight")),
          m_query(unit, layout, ".self_attn.q_proj", m.hidden, m_queryWidth, WeightOrder::OutIn),
          m_key(unit, layout, ".self_attn.k_proj", m.hidden, m_kvWidth, WeightOrder::OutIn),
          m_value(unit, layout, ".self_attn.v_proj", m.hidden, m_kvWidth, WeightOrder::OutIn),
          m_project(unit, layout, ".self_attn.o_proj", m_queryWidth, m.hidden, WeightOrder::OutIn),
          m_gateProject(unit, layout, ".mlp.gate_proj", m.hidden, m.ffn, WeightOrder::OutIn),
          m_upProject(unit, layout, ".mlp.up_proj", m.hidden, m.ffn, WeightOrder::OutIn),
          m_down(unit, layout, ".mlp.down_proj", m.ffn, m.hidden, WeightOrder::OutIn)
    {
        const auto at = [&](const char* name) { return static_cast<T*>(buffers.data(saved + ".saved." + name)); };
        n1 = at("n1"), q = at("q"), k = at("k"), v = at("v"), attended = at("attention"), x2 = at("x2"), n2 = at("n2"), gate = at("gate"), up = at("up");
        rstd1 = buffers.floats(saved + ".saved.rstd1");
        rstd2 = buffers.floats(saved + ".saved.rstd2");
        lse = buffers.floats(saved + ".saved.lse");
    }

    void forward(Work<T>& w, const T* weights, const T* x, T* y) override
    {
        const std::int64_t h = m_model.hidden;
        norm(w, weights + m_norm1.offset, x, n1, rstd1);
        m_query.forward(w, weights, n1, q);
        m_key.forward(w, weights, n1, k);
        m_value.forward(w, weights, n1, v);
        rotate(w, q, m_model.heads, 1.0f);
        rotate(w, k, m_model.kvHeads, 1.0f);
        attentionForward(shape(w), q, k, v, attended, lse, w.attention);
        std::copy(x, x + w.tokens * h, x2);
        m_project.forward(w, weights, attended, x2, true);

        norm(w, weights + m_norm2.offset, x2, n2, rstd2);
        m_gateProject.forward(w, weights, n2, gate);
        m_upProject.forward(w, weights, n2, up);
        if (!y) return;
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t at = begin * m_model.ffn;
            w.kernel().swiglu((end - begin) * m_model.ffn, gate + at, up + at, w.act + at);
        });
        std::copy(x2, x2 + w.tokens * h, y);
        m_down.forward(w, weights, w.act, y, true);
    }

    void backwardInput(Work<T>& w, const T* weights, const T* x, const StreamGradients<T>& d, float* gradients) override
    {
        m_down.biasGradient(w, d.out, gradients);
        m_down.inputGradient(w, weights, d.out, w.act);
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t at = begin * m_model.ffn;
            w.kernel().swigluBackward((end - begin) * m_model.ffn, gate + at, up + at, w.act + at);
        });
        m_gateProject.biasGradient(w, gate, gradients);
        m_upProject.biasGradient(w, up, gradients);
        m_gateProject.inputGradient(w, weights, gate, w.dn);
        m_upProject.inputGradient(w, weights, up, w.dn, true);
        normBackward(w, weights + m_norm2.offset, x2, rstd2, d.out, d.middle, gradients + m_norm2.offset);

        m_project.biasGradient(w, d.middle, gradients);
        m_project.inputGradient(w, weights, d.middle, w.dAttention);
        attentionBackward(shape(w), q, k, v, attended, lse, w.dAttention, w.dq, w.dk, w.dv, w.attention);
        rotate(w, w.dq, m_model.heads, -1.0f);
        rotate(w, w.dk, m_model.kvHeads, -1.0f);
        m_query.biasGradient(w, w.dq, gradients);
        m_key.biasGradient(w, w.dk, gradients);
        m_value.biasGradient(w, w.dv, gradients);
        m_query.inputGradient(w, weights, w.dq, w.dn);
        m_key.inputGradient(w, weights, w.dk, w.dn, true);
        m_value.inputGradient(w, weights, w.dv, w.dn, true);
        normBackward(w, weights + m_norm1.offset, x, rstd1, d.middle, d.in, gradients + m_norm1.offset);
    }

    void backwardWeight(Work<T>& w, const StreamGradients<T>& d, float* gradients, bool fresh) override
    {
        m_down.weightGradient(w, w.act, d.out, gradients, fresh);
        m_gateProject.weightGradient(w, n2, gate, gradients, fresh);
        m_upProject.weightGradient(w, n2, up, gradients, fresh);
        m_project.weightGradient(w, attended, d.middle, gradients, fresh);
        m_query.weightGradient(w, n1, w.dq, gradients, fresh);
        m_key.weightGradient(w, n1, w.dk, gradients, fresh);
        m_value.weightGradient(w, n1, w.dv, gradients, fresh);
    }

private:
    AttentionShape shape(Work<T>& w) const
    {
        AttentionShape s;
        s.samples = w.samples;
        s.seq = m_model.seq;
        s.heads = m_model.heads;
        s.kvHeads = m_model.kvHeads;
        s.headSize = m_model.headSize;
        s.queryStride = s.outStride = m_queryWidth;
        s.kvStride = m_kvWidth;
        s.threads = w.threads;
        w.dropWeights(s, m_site + kAttentionWeights);
        return s;
    }

    void norm(const Work<T>& w, const T* weight, const T* x, T* out, float* rstd) const
    {
        const std::int64_t h = m_model.hidden;
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            w.kernel().rmsNorm(end - begin, h, x + begin * h, weight, static_cast<float>(m_model.normEps), out + begin * h, rstd + begin);
        });
    }

    /// dx = residual + gradient through the norm of w.dn; adds the norm's own weight gradient.
    void normBackward(const Work<T>& w, const T* weight, const T* x, const float* rstd, const T* residual, T* dx, float* gradient) const
    {
        const std::int64_t h = m_model.hidden;
        w.kernel().normWeightGradient(w.tokens, h, x, nullptr, rstd, w.dn, gradient, nullptr);
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t at = begin * h;
            w.kernel().rmsNormBackward(end - begin, h, x + at, weight, rstd + begin, w.dn + at, residual + at, dx + at);
        });
    }

    void rotate(const Work<T>& w, T* x, std::int64_t heads, float sign) const
    {
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            w.kernel().rotary(end - begin, begin, m_model.seq, heads, m_model.headSize, x + begin * heads * m_model.headSize, w.cosine, w.sine, sign);
        });
    }

    const ModelSpec m_model;
    std::uint64_t m_site;
    std::int64_t m_queryWidth, m_kvWidth;
    ParameterPlace m_norm1, m_norm2;
    Linear<T> m_query, m_key, m_value, m_project, m_gateProject, m_upProject, m_down;
    T *n1, *q, *k, *v, *attended, *x2, *n2, *gate, *up;
    float *rstd1, *rstd2, *lse;
};

}  // namespace

template <class T>
std::unique_ptr<Block<T>> makeLlamaBlock(const ModelSpec& model, const UnitInfo& unit, const FlatLayout& layout, const BufferSet& buffers,
                                         const std::string& savedPrefix)
{
    return std::make_unique<LlamaBlock<T>>(model, unit, layout, buffers, savedPrefix);
}

template std::unique_ptr<Block<float>> makeLlamaBlock<float>(const ModelSpec&, const UnitInfo&, const FlatLayout&, const BufferSet&, const std::string&);
template std::unique_ptr<Block<BFloat16>> makeLlamaBlock<BFloat16>(const ModelSpec&, const UnitInfo&, const FlatLayout&, const BufferSet&, const std::string&);

}  // namespace stagecraft
