// SPDX-License-Identifier: GPL-3.0-or-later
// How long attention takes: its backward pass on each card, and what stands between the two products where no kernel fuses them.
#include "llama_job.h"
#include "hardware/device_sheet.h"
#include "planner/step_clock.h"

#include <QtTest>

#include <cmath>

using namespace stagecraft;

namespace {

TrainingCase job(Framework framework, const char* device)
{
    TrainingCase c = test::llama70B(framework, device);
    c.dp = 8;
    c.microBatch = 2;
    return c;
}

/// What a layer takes longer with half as many sequences of twice the length: attention alone.
PassCost longer(TrainingCase c)
{
    const PassCost once = StepClock(c, *c.sheet, 1).layer();
    c.model.seq *= 2;
    c.microBatch /= 2;
    const PassCost twice = StepClock(c, *c.sheet, 1).layer();
    return {twice.forward - once.forward, twice.backward - once.backward};
}

bool near(double one, double other) { return std::abs(one / other - 1) < 1e-6; }

}  // namespace

class TstAttentionTime : public QObject {
    Q_OBJECT
private slots:
    void backwardKernelsOfTheMi300AreSlower()
    {
        const auto backward = [](Framework framework, const char* device, bool flashLibrary) {
            TrainingCase c = job(framework, device);
            c.flashAttention = true;
            c.flashLibrary = flashLibrary;
            c.transformerEngine = framework == Framework::Megatron;
            const PassCost cost = longer(c);
            return 2.5 * cost.forward / cost.backward;  // of the forward pass's rate
        };
        QVERIFY(near(backward(Framework::Fsdp2, "H100-SXM-80GB", false), 0.85));
        // 202 of 340 TFLOP/s (ROCm/flash-attention, issue 142).
        for (const char* device : {"MI300X", "MI325X"}) {
            QVERIFY(near(backward(Framework::Fsdp2, device, false), 202.2 / 339.5));
            QVERIFY(near(backward(Framework::Fsdp2, device, true), 202.2 / 339.5));
            // AITER's, which Transformer Engine calls there, are of the card's own generation.
            QVERIFY(near(backward(Framework::Megatron, device, false), 0.85));
        }
    }

    void compilersFuseWhatStandsBetweenTheProducts()
    {
        TrainingCase c = job(Framework::Fsdp2, "H100-SXM-80GB");
        c.flashAttention = false;
        c.eagerScores = true;
        const PassCost eager = longer(c);
        c.compiled = true;
        const PassCost compiled = longer(c);
        // The same products. In 16 bits the scores pass eight times forward, and in fp32 once there and back, or four times; backward twice that, or seven times.
        const double scores = c.tokens() * 4096 * 64;
        const StepClock clock(c, *c.sheet, 1);
        QVERIFY(near(eager.forward - compiled.forward, clock.streamed((8 * 2 + 8 - 4 * 2) * scores)));
        QVERIFY(near(eager.backward - compiled.backward, clock.streamed((2 * (8 * 2 + 8) - 7 * 2) * scores)));
        // A fused softmax is what it is, compiled or not.
        c.eagerScores = false;
        const PassCost fused = longer(c);
        QVERIFY(near(fused.forward, compiled.forward) && near(fused.backward, compiled.backward));
    }
};

QTEST_APPLESS_MAIN(TstAttentionTime)
#include "tst_attention_time.moc"
