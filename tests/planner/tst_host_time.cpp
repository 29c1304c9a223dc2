// SPDX-License-Identifier: GPL-3.0-or-later
// What a step waits for on the host: kernels that are launched, and Python around the modules that launch them.
#include "hardware/device_sheet.h"
#include "planner/efficiency.h"
#include "planner/step_clock.h"
#include "planner/step_time.h"

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
        latent.model.code.keyRank = 512;
        QVERIFY(near(clockOf(latent).layer().forward - plain.forward, kEngineLatent * kEngineForward));
        c.ep = 8;
        c.model.sharedFfn = c.model.ffn;
        QVERIFY(near(clockOf(c).layer().forward - one.forward, kEngineShared * kEngineForward));
        c.cudaGraphs = true;
        QVERIFY(clockOf(c).layer().forward < 0.5 * one.forward);
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
