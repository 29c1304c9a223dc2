// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/blocks.h"

namespace stagecraft {

namespace {

/// x2 = x + drop(c_proj(attention(c_attn(ln_1(x))))); y = x2 + drop(c_proj(gelu(c_fc(ln_2(x2))))).
template <class T>
class Gpt2Block final : public Block<T> {
public:
    Gpt2Block(const ModelSpec& m, const UnitInfo& unit, const FlatLayout& layout, const BufferSet& buffers, const std::string& saved)
        : m_model(m), m_site(firstSiteOf(unit)), m_norm1(placeOf(unit, layout, ".ln_1.weight")),
          m_norm1Bias(placeOf(unit, layout, ".ln_1.bias")), m_norm2(placeOf(unit, layout, ".ln_2.weight")), m_norm2Bias(placeOf(unit, layout, ".ln_2.bias")),
          m_attend(unit, layout, ".attn.c_attn", m.hidden, 3 * m.hidden, WeightOrder::InOut),
          m_project(unit, layout, ".attn.c_proj", m.hidden, m.hidden, WeightOrder::InOut),
          m_widen(unit, layout, ".mlp.c_fc", m.hidden, m.ffn, WeightOrder::InOut), m_narrow(unit, layout, ".mlp.c_proj", m.ffn, m.hidden, WeightOrder::InOut)
    {
        const auto at = [&](const char* name) { return static_cast<T*>(buffers.data(saved + ".saved." + name)); };
        n1 = at("n1"), qkv = at("qkv"), attended = at("attention"), x2 = at("x2"), n2 = at("n2"), pre = at("pre");
        const auto floats = [&](const char* name) { return buffers.floats(saved + ".saved." + name); };
        mean1 = floats("mean1"), rstd1 = floats("rstd1"), mean2 = floats("mean2"), rstd2 = floats("rstd2"), lse = floats("lse");
    }

    void forward(Work<T>& w, const T* weights, const T* x, T* y) override
    {
        norm(w, weights + m_norm1.offset, weights + m_norm1Bias.offset, x, n1, mean1, rstd1);
        m_attend.forward(w, weights, n1, qkv);
        attentionForward(shape(w), qkv, qkv + m_model.hidden, qkv + 2 * m_model.hidden, attended, lse, w.attention);
        addDropped(w, m_project, weights, attended, x, x2, kAttentionOut);

        norm(w, weights + m_norm2.offset, weights + m_norm2Bias.offset, x2, n2, mean2, rstd2);
        m_widen.forward(w, weights, n2, pre);
        if (!y) return;
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t at = begin * m_model.ffn;
            w.kernel().gelu((end - begin) * m_model.ffn, pre + at, w.act + at);
        });
        addDropped(w, m_narrow, weights, w.act, x2, y, kMlpOut);
    }

    void backwardInput(Work<T>& w, const T* weights, const T* x, const StreamGradients<T>& d, float* gradients) override
    {
        const std::int64_t h = m_model.hidden;
        const T* dMlp = dropped(w, d.out, w.dropped2, kMlpOut);
        m_narrow.biasGradient(w, dMlp, gradients);
        m_narrow.inputGradient(w, weights, dMlp, w.act);
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t at = begin * m_model.ffn;
            w.kernel().geluBackward((end - begin) * m_model.ffn, pre + at, w.act + at);
        });
        m_widen.biasGradient(w, w.act, gradients);
        m_widen.inputGradient(w, weights, w.act, w.dn);
        normBackward(w, weights + m_norm2.offset, x2, mean2, rstd2, d.out, d.middle, gradients + m_norm2.offset, gradients + m_norm2Bias.offset);

        const T* dProject = dropped(w, d.middle, w.dropped1, kAttentionOut);
        m_project.biasGradient(w, dProject, gradients);
        m_project.inputGradient(w, weights, dProject, w.dAttention);
        attentionBackward(shape(w), qkv, qkv + h, qkv + 2 * h, attended, lse, w.dAttention, w.dqkv, w.dqkv + h, w.dqkv + 2 * h, w.attention);
        m_attend.biasGradient(w, w.dqkv, gradients);
        m_attend.inputGradient(w, weights, w.dqkv, w.dn);
        normBackward(w, weights + m_norm1.offset, x, mean1, rstd1, d.middle, d.in, gradients + m_norm1.offset, gradients + m_norm1Bias.offset);
    }

    void backwardWeight(Work<T>& w, const StreamGradients<T>& d, float* gradients, bool fresh) override
    {
        const bool drops = m_model.residualDropout > 0.0 && w.dropout.enabled;
        m_narrow.weightGradient(w, pre, drops ? w.dropped2 : d.out, gradients, fresh);  // pre holds gelu(pre) by now
        m_widen.weightGradient(w, n2, w.act, gradients, fresh);
        m_project.weightGradient(w, attended, drops ? w.dropped1 : d.middle, gradients, fresh);
        m_attend.weightGradient(w, n1, w.dqkv, gradients, fresh);
    }

private:
    AttentionShape shape(Work<T>& w) const
    {
        AttentionShape s;
        s.samples = w.samples;
        s.seq = m_model.seq;
        s.heads = s.kvHeads = m_model.heads;
        s.headSize = m_model.headSize;
        s.queryStride = s.kvStride = 3 * m_model.hidden;
        s.outStride = m_model.hidden;
        s.threads = w.threads;
        w.dropWeights(s, m_site + kAttentionWeights);
        return s;
    }

    /// out = residual + drop(linear(in)).
    void addDropped(const Work<T>& w, const Linear<T>& linear, const T* weights, const T* in, const T* residual, T* out, DropoutSite site) const
    {
        const std::int64_t count = w.tokens * m_model.hidden;
        if (m_model.residualDropout <= 0.0 || !w.dropout.enabled) {
            std::copy(residual, residual + count, out);
            linear.forward(w, weights, in, out, true);
            return;
        }
        linear.forward(w, weights, in, out);
        w.drop(out, m_model.hidden, m_site + site, m_model.residualDropout);
        w.kernel().add(count, residual, out);
    }

    /// The gradient behind a dropout: a masked copy in `target`, or `d` itself when nothing is dropped.
    const T* dropped(const Work<T>& w, const T* d, T* target, DropoutSite site) const
    {
        if (m_model.residualDropout <= 0.0 || !w.dropout.enabled) return d;
        std::copy(d, d + w.tokens * m_model.hidden, target);
        w.drop(target, m_model.hidden, m_site + site, m_model.residualDropout);
        return target;
    }

    void norm(const Work<T>& w, const T* weight, const T* bias, const T* x, T* out, float* mean, float* rstd) const
    {
        const std::int64_t h = m_model.hidden;
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            w.kernel().layerNorm(end - begin, h, x + begin * h, weight, bias, static_cast<float>(m_model.normEps), out + begin * h, mean + begin, rstd + begin);
        });
    }

    void normBackward(const Work<T>& w, const T* weight, const T* x, const float* mean, const float* rstd, const T* residual, T* dx, float* dWeight,
                      float* dBias) const
    {
        const std::int64_t h = m_model.hidden;
        w.kernel().normWeightGradient(w.tokens, h, x, mean, rstd, w.dn, dWeight, dBias);
        parallelRows(w.threads, w.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            const std::int64_t at = begin * h;
            w.kernel().layerNormBackward(end - begin, h, x + at, weight, mean + begin, rstd + begin, w.dn + at, residual + at, dx + at);
        });
    }

    const ModelSpec m_model;
    std::uint64_t m_site;
    ParameterPlace m_norm1, m_norm1Bias, m_norm2, m_norm2Bias;
    Linear<T> m_attend, m_project, m_widen, m_narrow;
    T *n1, *qkv, *attended, *x2, *n2, *pre;
    float *mean1, *rstd1, *mean2, *rstd2, *lse;
};

}  // namespace

template <class T>
std::unique_ptr<Block<T>> makeGpt2Block(const ModelSpec& model, const UnitInfo& unit, const FlatLayout& layout, const BufferSet& buffers,
                                        const std::string& savedPrefix)
{
    return std::make_unique<Gpt2Block<T>>(model, unit, layout, buffers, savedPrefix);
}

template std::unique_ptr<Block<float>> makeGpt2Block<float>(const ModelSpec&, const UnitInfo&, const FlatLayout&, const BufferSet&, const std::string&);
template std::unique_ptr<Block<BFloat16>> makeGpt2Block<BFloat16>(const ModelSpec&, const UnitInfo&, const FlatLayout&, const BufferSet&, const std::string&);

}  // namespace stagecraft
