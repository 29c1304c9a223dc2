// SPDX-License-Identifier: GPL-3.0-or-later
// What a step waits for on the host: kernels that are launched, and Python around the modules that launch them; and which kernels a layer's
// code has.
#include "hardware/device_sheet.h"
#include "planner/efficiency.h"
#include "planner/step_clock.h"
#include "planner/step_time.h"
#include "planner/transfers.h"

#include <QtTest>

using namespace stagecraft;

namespace {

/// So few tokens that launching takes longer than computing.
TrainingCase shortJob(Framework framework, const char* device, std::int64_t seq = 64)
{
    TrainingCase c;
    c.framework = framework;
    ModelSpec spec;
    spec.family = Family::Llama;
    spec.hidden = 1024;
    spec.layers = 24;
    spec.heads = spec.kvHeads = 16;
    spec.headSize = 64;
    spec.ffn = 2816;
    spec.vocab = 32000;
    spec.seq = seq;
    c.model = shapeOf(spec);
    c.device = device;
    c.sheet = findDevice(device);
    c.nodes = 1;
    c.devicesPerNode = 8;
    c.dp = 8;
    c.microBatches = 4;
    return c;
}

StepClock clockOf(const TrainingCase& c) { return StepClock(c, *c.sheet, 1); }

bool near(double one, double other) { return std::abs(one - other) < 1e-9; }

}  // namespace

class TstHostTime : public QObject {
    Q_OBJECT
private slots:
    // Short sequences wait for what Python does around every module, long ones hide it; and only the former's interval is about the host.
    void hooksAndAdaptersTakeTheHostsTime()
    {
        TrainingCase c = shortJob(Framework::DeepSpeed, "A100-SXM-80GB");
        const auto ratio = [](const StepForecast& f) { return f.interval90[1] / f.stepTime; };
        const PassCost plain = clockOf(c).layer();
        const StepForecast launched = forecastStep(c, *c.sheet);
        c.settings.stage = 3;
        const PassCost hooked = clockOf(c).layer();
        QVERIFY(near(hooked.forward - plain.forward, kHooksForward));
        QVERIFY(near(hooked.backward - plain.backward, kHooksBackward));
        c.settings.stage = 0;
        c.model.part.partly = true;
        c.model.part.adapterModules = 7;
        c.model.part.added = c.model.part.addedLayer = 1;
        QVERIFY(near(clockOf(c).layer().forward - plain.forward, 6 * 7 * 8e-6));
        TrainingCase full = shortJob(Framework::DeepSpeed, "A100-SXM-80GB", 65536);
        const double without = clockOf(full).layer().forward;
        // Of a network that is named: one that is not makes an interval of its own.
        full.networkBytes = 25e9;
        const StepForecast computed = forecastStep(full, *full.sheet);
        full.settings.stage = 3;
        QCOMPARE(clockOf(full).layer().forward, without);
        QVERIFY2(ratio(launched) > 1.2 * ratio(computed) && ratio(launched) < 2.2, qPrintable(QString("%1 and %2").arg(ratio(launched)).arg(ratio(computed))));
    }

    // PyTorch looks up every operation on a divided tensor, in both passes and in what is made again; a compiled layer has looked them up.
    void dividedTensorsTakeTheHostsTime()
    {
        TrainingCase c = shortJob(Framework::Fsdp2, "H100-SXM-80GB");
        c.dp = 1;
        const PassCost whole = clockOf(c).layer();
        c.tp = 8;
        const PassCost divided = clockOf(c).layer();
        QVERIFY(near(divided.forward - whole.forward, kDividedForward));
        QVERIFY(near(divided.again - whole.again, kDividedForward));
        QVERIFY(near(divided.backward - whole.backward, kDividedBackward));
        c.model.code.headNorms = true;
        QVERIFY(near(clockOf(c).layer().forward - divided.forward, kDividedNormsForward));
        c.compiled = true;
        const PassCost compiled = clockOf(c).layer();
        c.tp = 1;
        QVERIFY(compiled.forward <= clockOf(c).layer().forward + 1e-9);
        // Megatron's and DeepSpeed's tensors know nothing of their parts.
        TrainingCase other = shortJob(Framework::Megatron, "H100-SXM-80GB");
        const double one = clockOf(other).layer().forward;
        other.tp = 8;
        other.dp = 1;
        QVERIFY(clockOf(other).layer().forward <= one + 1e-9);
    }

    // Transformer Engine's modules: more in 8 bits and with experts, nothing where graphs launch them, and messages go out meanwhile.
    void transformerEngineTakesTheHostsTime()
    {
        TrainingCase c = shortJob(Framework::Megatron, "H100-SXM-80GB");
        QVERIFY(c.transformerEngine);
        const PassCost engine = clockOf(c).layer();
        c.transformerEngine = false;
        const PassCost unfused = clockOf(c).layer();   // twice the kernels, launched without those modules
        c.transformerEngine = true;
        const double kernel = efficiencyOf(*c.sheet).kernel;
        QVERIFY(near(engine.forward, 120 * kernel + kEngineForward));
        QVERIFY(near(engine.backward, 240 * kernel + kEngineBackward));
        QVERIFY(near(unfused.forward, 240 * kernel));
        QVERIFY(engine.idleForward > 0 && engine.idleForward < engine.forward);
        c.float8 = true;
        QVERIFY(near(clockOf(c).layer().forward, 120 * kernel + (1 + kEngineFp8) * kEngineForward));
        c.float8 = false;
        c.cudaGraphs = true;
        const PassCost graphs = clockOf(c).layer();
        QVERIFY(graphs.forward < 0.5 * engine.forward && graphs.idleForward == 0);
        c.cudaGraphs = false;
        // What eight ranks exchange of so few tokens is over before the host has launched the next layer.
        c.tp = 8;
        c.dp = 1;
        const auto exposed = [&] {
            for (const auto& [part, time] : forecastStep(c, *c.sheet).split)
                if (part == "communication_exposed.tensor") return time;
            return 0.0;
        };
        QCOMPARE(exposed(), 0.0);
        c.model.seq = 65536;
        QVERIFY(exposed() > 0);
    }

    // Grace's cores take twice as long as an x86 host's for all that is launched; graphs need none of it.
    void graceLaunchesMoreSlowly()
    {
        TrainingCase c = shortJob(Framework::Megatron, "GB200-186GB");
        const PassCost grace = clockOf(c).layer();
        const double kernel = efficiencyOf(*c.sheet).kernel, host = efficiencyOf(*c.sheet).host;
        QVERIFY(host > 2 && host < 37.08 / 13.48);
        QVERIFY(near(grace.forward, host * (120 * kernel + kEngineForward)));
        QVERIFY(near(clockOf(c).behindHost(1.5).layer().backward, 1.5 * grace.backward));
        const TrainingCase x86 = shortJob(Framework::Megatron, "B200-SXM-180GB"), older = shortJob(Framework::Megatron, "GH200-96GB");
        QCOMPARE(efficiencyOf(*x86.sheet).host, 1.0);
        QVERIFY(clockOf(older).layer().forward > 1.8 * clockOf(x86).layer().forward && clockOf(older).layer().forward < grace.forward);
        StepTerms terms;
        (void)forecastStep(c, *c.sheet, 1, &terms);
        QVERIFY(near(terms.launch, host * kernel));
        c.cudaGraphs = true;
        QVERIFY(clockOf(c).layer().forward < 0.3 * grace.forward);
    }

    // A rank's experts beyond its first, each with a product and weights of its own; latent attention's and a shared expert's further modules.
    void modulesOfAMegatronLayerTakeTheHostsTime()
    {
        TrainingCase c = shortJob(Framework::Megatron, "H100-SXM-80GB");
        c.model.experts = 8;
        c.model.expertsPerToken = 2;
        c.model.expertFfn = c.model.ffn;
        c.ep = 8;
        const PassCost one = clockOf(c).layer();
        c.ep = 2;
        const PassCost four = clockOf(c).layer();
        QVERIFY(near(four.forward - one.forward, 3 * kExpertForward));
        QVERIFY(near(four.backward - one.backward, 3 * kExpertBackward));
        TrainingCase latent = shortJob(Framework::Megatron, "H100-SXM-80GB");
        const PassCost plain = clockOf(latent).layer();
        latent.model.keyRank = 512;
        QVERIFY(near(clockOf(latent).layer().forward - plain.forward, kEngineLatent * kEngineForward));
        c.ep = 8;
        c.model.sharedFfn = c.model.ffn;
        QVERIFY(near(clockOf(c).layer().forward - one.forward, kEngineShared * kEngineForward));
        c.cudaGraphs = true;
        QVERIFY(clockOf(c).layer().forward < 0.5 * one.forward);
    }

    // Queries, keys and values are three products in LLaMA's code, one in Megatron's, and the halves of a gated MLP two: narrow ones reach less.
    void projectionsAreProductsOfTheirOwn()
    {
        const auto lost = [](const TrainingCase& c) {
            StepClock exact = clockOf(c);
            const double whole = exact.layer().forward, width = exact.m_eff.halfWidth;
            exact.m_eff.halfWidth = 0;
            return (whole - exact.layer().forward) / (2 * c.tokens() / (exact.m_peak * exact.matrixShare()) * width);
        };
        // A product's time grows by width over its narrowest side, so that the other side counts: [tokens, n] x [n, k] has n k / min(n, k).
        TrainingCase c = shortJob(Framework::Fsdp2, "H100-SXM-80GB", 65536);
        c.model.kvHeads = 4;
        QVERIFY2(std::abs(lost(c) / (1024.0 + 2 * 1024 + 1024 + 3 * 2816) - 1) < 1e-6, qPrintable(QString::number(lost(c))));
        c.framework = Framework::Megatron;
        // Both are as wide as the model or wider: the model's side is the narrow one.
        QVERIFY2(std::abs(lost(c) / (1536.0 + 1024 + 2 * 2816 + 2816) - 1) < 1e-6, qPrintable(QString::number(lost(c))));
    }

    // Norms of queries and keys are in the rotation's kernel where compiled; torchtitan writes keys and values once for each head of queries.
    void headsHaveKernelsOfTheirOwn()
    {
        TrainingCase c = shortJob(Framework::Fsdp2, "H100-SXM-80GB", 65536);
        const auto moved = [](const TrainingCase& job) {
            StepClock clock = clockOf(job), endless = clock;
            endless.m_memory *= 1e9;
            return (clock.layer().forward - endless.layer().forward) * clock.m_memory / job.tokens();
        };
        c.compiled = true;
        const double plain = moved(c);
        c.model.code.headNorms = true;
        QVERIFY(std::abs(moved(c) / plain - 1) < 1e-6);
        c.compiled = false;
        c.normKernel = true;
        const double one = moved(c);
        c.model.code.headNorms = false;
        QVERIFY(std::abs(one - moved(c) - 2 * 2 * 2048) < 1);
        c.normKernel = false;
        const double without = moved(c);
        c.model.code.headNorms = true;
        QVERIFY(std::abs(moved(c) - without - 2 * 16 * 2048) < 1);
        c.compiled = true;
        c.model.kvHeads = 4;
        const double keys = 256;
        // Rotation of fewer keys, and 1024 numbers each of keys and values written beside those that are read.
        QVERIFY2(std::abs(moved(c) - (plain - 0.8 * 2 * 2 * (1024 - keys) + 2 * 2 * (1024 + keys))) < 1, qPrintable(QString::number(moved(c) - plain)));
    }

    // What Megatron's selective recomputation names is done again in the backward pass: attention, norms, the experts and their exchange.
    void modulesMadeAgainTakeTime()
    {
        TrainingCase c = shortJob(Framework::Megatron, "H100-SXM-80GB", 16384);
        c.policy = ActivationPolicy::SelectiveCore;
        const auto more = [](const TrainingCase& with) {
            TrainingCase none = with;
            none.policy = ActivationPolicy::None;
            return clockOf(with).layer().backward - clockOf(none).layer().backward;
        };
        QCOMPARE(more(c), 0.0);
        c.modules.core = true;
        const double square = 2.0 * 16384 * 16384 * 2048;   // scores and values of 16 heads of 64, half of them masked
        QVERIFY(near(more(c), square / 2 / clockOf(c).attentionRate()));
        QCOMPARE(remadeAttention(c), 1.0);
        c.modules = {.norms = true};
        QVERIFY(near(more(c), clockOf(c).elementwise(2.0 * 2 * 2 * 1024 * 16384)));
        c.modules = {.mlp = true};
        QVERIFY(more(c) > clockOf(c).product(16384, 2 * 2816, 1024) + clockOf(c).product(16384, 1024, 2816));
        c.model.experts = 8;
        c.model.expertsPerToken = 2;
        c.model.expertFfn = c.model.ffn;
        c.ep = 8;
        c.modules = {.activation = true};
        const double activation = more(c);
        c.modules = {.moe = true};
        QVERIFY(activation > 0 && more(c) > 3 * activation);
        const auto exchanged = [&] {
            for (const auto& [part, time] : forecastStep(c, *c.sheet).split)
                if (part == "communication_exposed.experts") return time;
            return 0.0;
        };
        const double again = exchanged();
        c.modules = {.norms = true};
        QVERIFY(std::abs(again / exchanged() - 1.5) < 1e-6);
        QCOMPARE(remadeExperts(c), 0.0);
    }

    // Transformer Engine's loss reads 16-bit logits twice and leaves their gradient in their place, which is scaled once.
    void fusedLossPassesOverLogitsFewTimes()
    {
        TrainingCase c = shortJob(Framework::Megatron, "H100-SXM-80GB", 16384);
        const TrainingCase plain = c;
        const StepClock clock = clockOf(plain);
        const double logits = 16384.0 * 32000, product = clock.product(16384, 32000, 1024);
        c.fusedLoss = true;
        const PassCost head = clockOf(c).head();
        QVERIFY(near(head.forward - product, clock.streamed(6 * logits)) && near(head.backward - 2 * product, clock.streamed(4 * logits)));
        QVERIFY(clock.head().forward > head.forward && clock.head().backward > head.backward);
    }

    // Before tokens go to their experts the host asks the device how many; deterministic backward passes of attention have more gradients of queries to add.
    void askingAndAddingTakeTime()
    {
        TrainingCase c = shortJob(Framework::Fsdp2, "H100-SXM-80GB", 16384);
        c.model.experts = 64;
        c.model.expertsPerToken = 6;
        c.model.expertFfn = 1408;
        c.ep = 8;
        const Efficiency e = efficiencyOf(*c.sheet);
        TrainingCase dropped = c;
        dropped.framework = Framework::Megatron;
        dropped.expertCapacity = 1;
        const double asked = clockOf(dropped).layer().forward;
        dropped.cudaGraphs = true;
        QVERIFY(near(asked - clockOf(dropped).layer().forward, 10 * e.kernel + e.hop));
        TrainingCase d = shortJob(Framework::Megatron, "A100-SXM-80GB", 16384);
        d.deterministic = true;
        d.transformerEngine = false;   // whose tensors would be filled, too
        TrainingCase other = d;
        other.deterministic = false;
        // 108 processors for one sequence of 16 heads: seven gradients of 1024 numbers a token for one, cleared and read.
        QVERIFY(near(clockOf(d).layer().backward - clockOf(other).layer().backward, clockOf(d).streamed(2.0 * 6 * 4 * 16384 * 1024)));
    }

    // FlashAttention-2's instructions are Ampere's: a Blackwell runs them no faster than a Hopper, which is slower than PyTorch's own choice there.
    void olderInstructionsRunAtOldRates()
    {
        TrainingCase c = shortJob(Framework::Fsdp2, "B200-SXM-180GB", 16384);
        const double own = clockOf(c).attentionRate();
        c.flashLibrary = true;
        QVERIFY(clockOf(c).attentionRate() == 350e12 && own > 350e12);
        TrainingCase h = shortJob(Framework::Fsdp2, "H100-SXM-80GB", 16384), a = shortJob(Framework::Fsdp2, "A100-SXM-80GB", 16384);
        const double hopper = clockOf(h).attentionRate(), ampere = clockOf(a).attentionRate();
        h.flashLibrary = a.flashLibrary = true;
        QVERIFY(clockOf(h).attentionRate() <= hopper && clockOf(h).attentionRate() > 0.99 * hopper);
        QCOMPARE(clockOf(a).attentionRate(), ampere);
    }

    // Rotation in kernels one by one, which latent attention has around copies of its heads.
    void looseRotationMovesMore()
    {
        TrainingCase c = shortJob(Framework::Megatron, "H100-SXM-80GB", 16384);
        c.rotationKernel = true;
        const double fused = clockOf(c).layer().forward;
        c.rotationKernel = false;
        const double tokens = 16384;
        QVERIFY(near(clockOf(c).layer().forward - fused, clockOf(c).bytes(2 * tokens * 10 * 2 * 1024)));
        c.model.keyRank = 512;
        c.model.rotarySize = 32;
        QVERIFY(near(clockOf(c).layer().forward - fused, clockOf(c).bytes(2 * tokens * (16 * (14 * 32 + 4 * 64 + 2 * 64) - 2 * 2 * 1024.0))));
    }

    // Who reads the figure is told that the device waits, not at which rate it would compute.
    void theFigureNamesTheHost()
    {
        for (const std::int64_t seq : {64, 65536}) {
            const TrainingCase c = shortJob(Framework::DeepSpeed, "A100-SXM-80GB", seq);
            StepTerms terms;
            (void)forecastStep(c, *c.sheet, 1, &terms);
            QCOMPARE(terms.launch > 0, seq == 64);
        }
    }

    // Hooks stand around each group of fully_shard, compiled or not, and outside of what a checkpoint makes again.
    void shardedGroupsTakeTheHostsTime()
    {
        TrainingCase c = shortJob(Framework::Fsdp2, "H100-SXM-80GB");
        const PassCost sharded = clockOf(c).layer();
        c.oneUnit = true;
        const PassCost one = clockOf(c).layer();
        QVERIFY(near(sharded.forward - one.forward, kShardedForward));
        QVERIFY(near(sharded.backward - one.backward, kShardedBackward));
        QVERIFY(near(sharded.again, one.again));
        c.oneUnit = false;
        c.compiled = true;
        const PassCost compiled = clockOf(c).layer();
        c.dp = 1;
        QVERIFY(near(compiled.forward - clockOf(c).layer().forward, kShardedForward));
    }
};

QTEST_APPLESS_MAIN(TstHostTime)
#include "tst_host_time.moc"
