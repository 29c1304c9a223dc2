// SPDX-License-Identifier: GPL-3.0-or-later
// The hand-written forward and backward of every unit against autograd in float64, and dropout against finite differences.
#include "engine/compute.h"

#include "engine/blocks.h"
#include "engine/gemm.h"
#include "engine/init.h"
#include "engine/kernels/kernels.h"
#include "schedule/buffer_plan.h"

// Before Qt, whose word "slots" is a name in torch.
#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <QtTest>

#include <map>
#include <random>

using namespace stagecraft;

namespace {

struct Case {
    const char* name;
    Family family = Family::Llama;
    std::int64_t hidden = 32, heads = 4, kvHeads = 2, headSize = 8, ffn = 48, layers = 2, seq = 20;
    bool tied = false, attentionBias = false, mlpBias = false, recompute = false;
    Precision precision = Precision::Fp32;
    int threads = 1;
    double dropout = 0.0;
};

const std::vector<Case>& cases()
{
    static const std::vector<Case> rows = [] {
        std::vector<Case> list;
        const auto add = [&](const char* name, auto change) {
            Case c{};
            c.name = name;
            change(c);
            list.push_back(c);
        };
        const auto gpt2 = [](Case& c) {
            c.family = Family::Gpt2;
            c.kvHeads = c.heads;
        };
        add("llama with grouped queries", [](Case&) {});
        add("llama, one key-value head per query head", [](Case& c) { c.kvHeads = 4; });
        add("llama with every bias", [](Case& c) { c.attentionBias = c.mlpBias = true; });
        add("llama, tied head", [](Case& c) { c.tied = true; });
        add("llama, heads wider than hidden / heads", [](Case& c) { c.headSize = 12; });
        add("llama, a sequence of several query blocks", [](Case& c) { c.seq = 150; });
        add("llama, two threads", [](Case& c) { c.threads = 2; });
        add("llama, activations made again", [](Case& c) { c.recompute = true; });
        add("llama, one token a sample", [](Case& c) { c.seq = 1; });
        add("gpt2, tied", [&](Case& c) { gpt2(c); c.tied = true; });
        add("gpt2, a head of its own", gpt2);
        add("gpt2, several query blocks, two threads", [&](Case& c) { gpt2(c); c.seq = 150; c.threads = 2; });
        add("llama, dropped attention weights", [](Case& c) { c.dropout = 0.2; });
        add("llama, dropped attention weights, several query blocks, two threads", [](Case& c) { c.dropout = 0.2; c.seq = 150; c.threads = 2; });
        add("llama, dropped attention weights, made again", [](Case& c) { c.dropout = 0.5; c.recompute = true; });
        add("llama in bf16", [](Case& c) { c.precision = Precision::Bf16; });
        add("gpt2 in bf16, tied", [&](Case& c) { gpt2(c); c.tied = true; c.precision = Precision::Bf16; });
        return list;
    }();
    return rows;
}

ModelSpec specOf(const Case& c)
{
    ModelSpec spec;
    spec.family = c.family;
    spec.hidden = c.hidden;
    spec.heads = c.heads;
    spec.kvHeads = c.kvHeads;
    spec.headSize = c.headSize;
    spec.ffn = c.ffn;
    spec.layers = c.layers;
    spec.seq = c.seq;
    spec.vocab = 50;
    spec.positions = c.family == Family::Gpt2 ? 160 : 0;
    spec.tieEmbeddings = c.tied;
    spec.attentionBias = c.attentionBias;
    spec.mlpBias = c.mlpBias;
    spec.attentionDropout = c.dropout;
    if (c.family == Family::Gpt2) spec.embeddingDropout = spec.residualDropout = c.dropout;
    return spec;
}

/// A Compute with weights and gradients in plain vectors: no ranks, no engine.
class Bench {
public:
    explicit Bench(const Case& c) : m_case(c), m_spec(specOf(c)), m_units(unitsOf(m_spec))
    {
        m_config.microBatch = 3;
        m_config.precision = c.precision;
        const Recompute recompute = c.recompute ? Recompute::Full : Recompute::None;
        auto buffers = BufferSet::allocate(bufferPlan({m_spec, m_config, 1, recompute, c.threads}));
        m_buffers = std::move(*buffers);
        m_compute = makeCompute({m_spec, m_config, 1, c.recompute, c.threads}, *m_buffers);
        std::mt19937 random(7);
        std::normal_distribution<float> normal(0.0f, 1.0f);
        for (const UnitInfo& unit : m_units) {
            const FlatLayout layout = flatLayoutOf(unit, 1);
            std::vector<float> weights(static_cast<std::size_t>(layout.padded), 0.0f);
            for (std::size_t p = 0; p < unit.parameters.size(); ++p) {
                const bool norm = unit.parameters[p].shape.size() == 1 && unit.parameters[p].name.ends_with("weight");
                for (std::int64_t i = 0; i < unit.parameters[p].count; ++i)
                    weights[static_cast<std::size_t>(layout.offsets[p] + i)] = (norm ? 1.0f : 0.0f) + 0.15f * normal(random);
            }
            m_layouts.push_back(layout);
            m_weights.push_back(std::move(weights));
            m_gradients.emplace_back(static_cast<std::size_t>(layout.padded), 0.0f);
            m_narrow.emplace_back(static_cast<std::size_t>(layout.padded));
        }
        const auto tokens = static_cast<std::size_t>(3 * m_spec.seq);
        std::uniform_int_distribution<std::int64_t> token(0, m_spec.vocab - 1);
        for (std::size_t i = 0; i < tokens; ++i) {
            m_inputs.push_back(token(random));
            m_labels.push_back(token(random));
        }
    }

    /// Mean loss; fills the gradients when asked.
    double run(bool backward)
    {
        m_compute->loadBatch(m_inputs, m_labels, 3, dropout());
        const int head = static_cast<int>(m_units.size()) - 1;
        for (int u = 0; u <= head; ++u) m_compute->forward(u, memory(u), memory(0), true);
        if (backward) {
            for (auto& gradients : m_gradients) std::fill(gradients.begin(), gradients.end(), 0.0f);
            for (int u = head; u >= 0; --u) {
                if (m_case.recompute && u > 0 && u < head) m_compute->recompute(u, memory(u));
                if (u > 0) m_compute->backwardInput(u, memory(u), memory(0));
                m_compute->backwardWeight(u, memory(u), memory(0));
            }
        }
        return m_compute->lossSum() / static_cast<double>(m_inputs.size());
    }

    DropoutSource dropout() const
    {
        DropoutSource source;
        source.enabled = m_case.dropout > 0.0;
        source.seed = 5;
        source.step = 4;
        source.globalSamples = {6, 0, 2};
        return source;
    }

    /// What block `layer` multiplies its attention's weights with, [3, heads, seq, seq].
    at::Tensor attentionMask(std::int64_t layer) const
    {
        Work<float> work;
        work.dropout = dropout();
        const std::int64_t each = m_spec.heads * m_spec.seq * m_spec.seq;
        at::Tensor mask = at::ones({3, m_spec.heads, m_spec.seq, m_spec.seq}, at::kFloat);
        for (std::int64_t sample = 0; sample < 3; ++sample)
            kernels().f32.dropout(each, mask.data_ptr<float>() + sample * each, work.dropoutKey(sample, firstSiteOf(m_units[static_cast<std::size_t>(layer + 1)]) + kAttentionWeights), 0,
                                  static_cast<float>(m_spec.attentionDropout));
        return mask.to(at::kDouble);
    }

    UnitMemory memory(int unit)
    {
        const auto u = static_cast<std::size_t>(unit);
        if (m_case.precision != Precision::Bf16) return {m_weights[u].data(), m_gradients[u].data(), false};
        kernels().castToBf16(static_cast<std::int64_t>(m_weights[u].size()), m_weights[u].data(), m_narrow[u].data());
        return {m_narrow[u].data(), m_gradients[u].data(), false};
    }

    const Case m_case;
    ModelSpec m_spec;
    std::vector<UnitInfo> m_units;
    EngineConfig m_config;
    std::unique_ptr<BufferSet> m_buffers;
    std::unique_ptr<Compute> m_compute;
    std::vector<FlatLayout> m_layouts;
    std::vector<std::vector<float>> m_weights, m_gradients;
    std::vector<std::vector<BFloat16>> m_narrow;
    std::vector<std::int64_t> m_inputs, m_labels;
};

/// The same model in float64 tensors, written from the published formulas, differentiated by autograd.
class Reference {
public:
    explicit Reference(Bench& bench) : m_spec(bench.m_spec)
    {
        for (std::size_t u = 0; u < bench.m_units.size(); ++u) {
            const UnitInfo& unit = bench.m_units[u];
            for (std::size_t p = 0; p < unit.parameters.size(); ++p) {
                std::vector<std::int64_t> shape = unit.parameters[p].shape;
                at::Tensor t = at::from_blob(bench.m_weights[u].data() + bench.m_layouts[u].offsets[p], shape).clone();
                if (bench.m_case.precision == Precision::Bf16) t = t.to(at::kBFloat16);
                m_parameters[unit.parameters[p].name] = t.to(at::kDouble).requires_grad_();
            }
        }
    }

    at::Tensor loss(Bench& bench)
    {
        if (m_spec.attentionDropout > 0.0)
            for (std::int64_t layer = 0; layer < m_spec.layers; ++layer) m_masks.push_back(bench.attentionMask(layer));
        const std::int64_t batch = 3, seq = m_spec.seq;
        const at::Tensor ids = at::from_blob(bench.m_inputs.data(), {batch, seq}, at::kLong);
        const at::Tensor labels = at::from_blob(bench.m_labels.data(), {batch * seq}, at::kLong);
        const bool gpt2 = m_spec.family == Family::Gpt2;
        at::Tensor x = at::embedding(parameter(gpt2 ? "transformer.wte.weight" : "model.embed_tokens.weight"), ids);
        if (gpt2) x = x + parameter("transformer.wpe.weight").narrow(0, 0, seq);
        for (std::int64_t layer = 0; layer < m_spec.layers; ++layer) x = gpt2 ? gpt2Block(x, layer) : llamaBlock(x, layer);
        x = gpt2 ? layerNorm(x, "transformer.ln_f") : rmsNorm(x, "model.norm");
        const at::Tensor table = m_spec.tieEmbeddings ? parameter(gpt2 ? "transformer.wte.weight" : "model.embed_tokens.weight") : parameter("lm_head.weight");
        return at::cross_entropy_loss(at::matmul(x, table.t()).reshape({batch * seq, m_spec.vocab}), labels);
    }

    std::map<std::string, at::Tensor> m_parameters;

private:
    at::Tensor parameter(const std::string& name) const { return m_parameters.at(name); }
    at::Tensor linear(const at::Tensor& x, const std::string& name) const
    {
        const at::Tensor y = at::matmul(x, parameter(name + ".weight").t());
        return m_parameters.contains(name + ".bias") ? y + parameter(name + ".bias") : y;
    }
    at::Tensor conv1d(const at::Tensor& x, const std::string& name) const { return at::matmul(x, parameter(name + ".weight")) + parameter(name + ".bias"); }
    at::Tensor rmsNorm(const at::Tensor& x, const std::string& name) const
    {
        return x * at::rsqrt(x.square().mean(-1, true) + m_spec.normEps) * parameter(name + ".weight");
    }
    at::Tensor layerNorm(const at::Tensor& x, const std::string& name) const
    {
        const at::Tensor centred = x - x.mean(-1, true);
        return centred * at::rsqrt(centred.square().mean(-1, true) + m_spec.normEps) * parameter(name + ".weight") + parameter(name + ".bias");
    }
    /// [batch, seq, heads, d] -> the same, scores whole, masked by -inf; dropout after the softmax, as Transformers' eager attention.
    at::Tensor attention(std::int64_t layer, const at::Tensor& q, at::Tensor k, at::Tensor v) const
    {
        const std::int64_t group = m_spec.heads / m_spec.kvHeads, seq = m_spec.seq;
        k = k.repeat_interleave(group, 2).transpose(1, 2);
        v = v.repeat_interleave(group, 2).transpose(1, 2);
        const at::Tensor mask = at::ones({seq, seq}).triu(1).to(at::kBool);
        at::Tensor scores = at::matmul(q.transpose(1, 2), k.transpose(2, 3)) / std::sqrt(static_cast<double>(m_spec.headSize));
        scores = scores.masked_fill(mask, -INFINITY);
        at::Tensor weights = at::softmax(scores, -1);
        if (!m_masks.empty()) weights = weights * m_masks[static_cast<std::size_t>(layer)];
        return at::matmul(weights, v).transpose(1, 2).reshape({3, seq, m_spec.heads * m_spec.headSize});
    }
    at::Tensor rotate(const at::Tensor& x) const
    {
        const std::int64_t half = m_spec.headSize / 2;
        const at::Tensor frequency = at::pow(m_spec.ropeTheta, at::arange(half, at::kDouble) * (-2.0 / static_cast<double>(m_spec.headSize)));
        const at::Tensor angle = at::outer(at::arange(m_spec.seq, at::kDouble), frequency).unsqueeze(1);
        const at::Tensor a = x.narrow(-1, 0, half), b = x.narrow(-1, half, half);
        return at::cat({a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()}, -1);
    }
    at::Tensor llamaBlock(const at::Tensor& x, std::int64_t layer) const
    {
        const std::string name = "model.layers." + std::to_string(layer) + ".";
        const at::Tensor n = rmsNorm(x, name + "input_layernorm");
        const auto heads = [&](const char* which, std::int64_t count) { return linear(n, name + "self_attn." + which).reshape({3, m_spec.seq, count, m_spec.headSize}); };
        const at::Tensor attended = attention(layer, rotate(heads("q_proj", m_spec.heads)), rotate(heads("k_proj", m_spec.kvHeads)), heads("v_proj", m_spec.kvHeads));
        const at::Tensor x2 = x + linear(attended, name + "self_attn.o_proj");
        const at::Tensor n2 = rmsNorm(x2, name + "post_attention_layernorm");
        return x2 + linear(at::silu(linear(n2, name + "mlp.gate_proj")) * linear(n2, name + "mlp.up_proj"), name + "mlp.down_proj");
    }
    at::Tensor gpt2Block(const at::Tensor& x, std::int64_t layer) const
    {
        const std::string name = "transformer.h." + std::to_string(layer) + ".";
        const auto qkv = conv1d(layerNorm(x, name + "ln_1"), name + "attn.c_attn").reshape({3, m_spec.seq, 3, m_spec.heads, m_spec.headSize}).unbind(2);
        const at::Tensor x2 = x + conv1d(attention(layer, qkv[0], qkv[1], qkv[2]), name + "attn.c_proj");
        return x2 + conv1d(at::gelu(conv1d(layerNorm(x2, name + "ln_2"), name + "mlp.c_fc"), "tanh"), name + "mlp.c_proj");
    }
    ModelSpec m_spec;
    std::vector<at::Tensor> m_masks;  // by layer
};

}  // namespace

class TstCompute : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { setComputeThreads(1); }

    void equalsAutograd_data()
    {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < cases().size(); ++i) QTest::newRow(cases()[i].name) << static_cast<int>(i);
    }

    /// fp32: sums of some hundred products, each rounded to 6e-8: 2e-5 of the largest gradient. bf16 rounds every activation to
    /// 4e-3, several in a row: 6e-2.
    void equalsAutograd()
    {
        QFETCH(int, index);
        const Case& c = cases()[static_cast<std::size_t>(index)];
        Bench bench(c);
        const double loss = bench.run(true);
        Reference reference(bench);
        const at::Tensor want = reference.loss(bench);
        torch::autograd::backward({want}, {});
        const bool bf16 = c.precision == Precision::Bf16;
        QVERIFY2(std::abs(loss - want.item<double>()) < (bf16 ? 2e-2 : 1e-6) * want.item<double>(), qPrintable(QString("loss %1, want %2").arg(loss).arg(want.item<double>())));
        for (std::size_t u = 0; u < bench.m_units.size(); ++u)
            for (std::size_t p = 0; p < bench.m_units[u].parameters.size(); ++p) {
                const ParameterInfo& parameter = bench.m_units[u].parameters[p];
                std::vector<std::int64_t> shape = parameter.shape;
                const at::Tensor got = at::from_blob(bench.m_gradients[u].data() + bench.m_layouts[u].offsets[p], shape).to(at::kDouble);
                const at::Tensor expected = reference.m_parameters[parameter.name].grad();
                const double scale = std::max(expected.abs().max().item<double>(), 1e-2);
                const double error = (got - expected).abs().max().item<double>() / scale;
                QVERIFY2(error < (bf16 ? 6e-2 : 2e-5), qPrintable(QString("%1: off by %2 of %3").arg(QString::fromStdString(parameter.name)).arg(error).arg(scale)));
            }
    }

    /// The gradient along a random direction against the loss on both sides of it, with the same masks: a mask that differs
    /// between forward and backward is off by tens of per cent.
    void dropoutIsTheSameInBothDirections_data()
    {
        QTest::addColumn<bool>("gpt2");
        QTest::addColumn<bool>("recompute");
        QTest::newRow("gpt2") << true << false;
        QTest::newRow("gpt2, activations made again") << true << true;
        QTest::newRow("llama") << false << false;
        QTest::newRow("llama, activations made again") << false << true;
    }
    void dropoutIsTheSameInBothDirections()
    {
        QFETCH(bool, gpt2);
        QFETCH(bool, recompute);
        Case c{};
        c.name = "with dropout";
        c.family = gpt2 ? Family::Gpt2 : Family::Llama;
        if (gpt2) c.kvHeads = c.heads;
        c.seq = 70;
        c.dropout = 0.2;
        c.recompute = recompute;
        Bench bench(c);
        const double loss = bench.run(true);
        Case plain = c;
        plain.dropout = 0.0;
        Bench without(plain);
        QVERIFY(std::abs(without.run(false) - loss) > 1e-4);
        std::mt19937 random(3);
        std::normal_distribution<float> normal(0.0f, 1.0f);
        for (std::size_t u = 0; u < bench.m_units.size(); ++u) {
            const std::vector<float> start = bench.m_weights[u];
            std::vector<float> direction(start.size(), 0.0f);
            for (std::size_t p = 0; p < bench.m_units[u].parameters.size(); ++p)
                for (std::int64_t i = 0; i < bench.m_units[u].parameters[p].count; ++i) direction[static_cast<std::size_t>(bench.m_layouts[u].offsets[p] + i)] = normal(random);
            double slope = 0.0;
            for (std::size_t i = 0; i < start.size(); ++i) slope += static_cast<double>(direction[i]) * static_cast<double>(bench.m_gradients[u][i]);
            const float step = 1e-3f;
            double sides[2];
            for (int side = 0; side < 2; ++side) {
                for (std::size_t i = 0; i < start.size(); ++i) bench.m_weights[u][i] = start[i] + (side ? step : -step) * direction[i];
                sides[side] = bench.run(false);
            }
            bench.m_weights[u] = start;
            const double measured = (sides[1] - sides[0]) / (2.0 * static_cast<double>(step));
            // fp32 losses carry about 1e-6, divided by the step of 2e-3; curvature adds a little.
            QVERIFY2(std::abs(measured - slope) < 0.02 * std::abs(slope) + 2e-3,
                     qPrintable(QString("%1: slope %2, measured %3").arg(QString::fromStdString(bench.m_units[u].name)).arg(slope).arg(measured)));
        }
    }

    void randomWeightsDoNotDependOnTheSlice()
    {
        const ModelSpec spec = specOf(cases().back());
        const auto source = makeRandomWeights(spec, 42);
        const UnitInfo block = unitsOf(spec)[1];
        const FlatLayout whole = flatLayoutOf(block, 1), divided = flatLayoutOf(block, 3);
        std::vector<float> all(static_cast<std::size_t>(whole.padded)), part(static_cast<std::size_t>(divided.shard));
        QVERIFY(source->fill(block, whole, 0, whole.padded, all.data()).hasValue());
        double squares = 0.0;
        std::int64_t count = 0;
        for (int rank = 0; rank < 3; ++rank) {
            QVERIFY(source->fill(block, divided, rank * divided.shard, (rank + 1) * divided.shard, part.data()).hasValue());
            for (std::int64_t i = 0; i < divided.shard && rank * divided.shard + i < whole.padded; ++i)
                QCOMPARE(part[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(rank * divided.shard + i)]);
        }
        const auto place = static_cast<std::size_t>(whole.offsets[2]);  // attn.c_attn.weight
        for (std::int64_t i = 0; i < block.parameters[2].count; ++i, ++count) squares += std::pow(static_cast<double>(all[place + static_cast<std::size_t>(i)]), 2);
        QVERIFY(std::abs(std::sqrt(squares / static_cast<double>(count)) - 0.02) < 0.001);
        QCOMPARE(all[0], 1.0f);  // ln_1.weight
    }
};

QTEST_GUILESS_MAIN(TstCompute)
#include "tst_compute.moc"
