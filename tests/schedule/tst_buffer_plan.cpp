// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/buffer_plan.h"

#include "../model/sample_models.h"
#include "parallel/flat_layout.h"

#include <QtTest>

#include <set>

using namespace stagecraft;

namespace {

std::int64_t sumOf(const std::vector<PlannedBuffer>& buffers, const std::string& what)
{
    std::int64_t sum = 0;
    for (const PlannedBuffer& buffer : buffers)
        if (buffer.what == what) sum += buffer.bytes();
    return sum;
}

}  // namespace

class TstBufferPlan : public QObject {
    Q_OBJECT

private slots:
    /// Sizes written out from the ZeRO paper's table: 4 bytes per fp32 element, divided as the stage says.
    void dividesModelStatesAsTheStageSays()
    {
        const ModelSpec spec = testing::llamaOf5M();
        for (const Precision precision : {Precision::Fp32, Precision::Bf16})
            for (const int world : {1, 2, 4})
                for (int stage = 0; stage <= 3; ++stage) {
                    EngineConfig config;
                    config.microBatch = 4;
                    config.zeroStage = stage;
                    config.precision = precision;
                    config.persistenceThreshold = 0;
                    const auto buffers = bufferPlan({spec, config, world});
                    std::int64_t padded = 0;
                    for (const UnitInfo& unit : unitsOf(spec)) padded += flatLayoutOf(unit, world).padded;
                    const std::int64_t element = precision == Precision::Bf16 ? 2 : 4;
                    const int n1 = stage >= 1 ? world : 1, n2 = stage >= 2 ? world : 1, n3 = stage >= 3 ? world : 1;
                    QCOMPARE(sumOf(buffers, "weights"), element * padded / n3);
                    QCOMPARE(sumOf(buffers, "gradients"), 4 * padded / n2);
                    QCOMPARE(sumOf(buffers, "optimizer_states"), 8 * padded / n1);
                    QCOMPARE(sumOf(buffers, "master"), precision == Precision::Bf16 ? 4 * padded / n1 : 0);
                    QCOMPARE(sumOf(buffers, "gathered_weights") > 0, stage == 3 && world > 1);
                    QCOMPARE(sumOf(buffers, "gathered_gradients") > 0, stage >= 2 && world > 1);
                }
    }

    void keepsSmallUnitsWholeAtStage3()
    {
        EngineConfig config;
        config.microBatch = 4;
        config.zeroStage = 3;
        config.persistenceThreshold = 1'000'000'000;
        const auto buffers = bufferPlan({testing::llamaOf5M(), config, 2});
        QCOMPARE(sumOf(buffers, "gathered_weights"), 0);
    }

    void countsActivationsAsTheBlocksKeepThem()
    {
        const ModelSpec spec = testing::llamaOf5M();
        EngineConfig config;
        config.microBatch = 4;
        const std::int64_t t = 4 * 256;
        // Llama block, fp32: n1, attention, x2, n2 of width h; q; k, v; gate, up; two deviations and one lse per head.
        const std::int64_t perToken = 4 * (4 * 256 + 256 + 2 * 128 + 2 * 688 + 2 + 8);
        QCOMPARE(blockSavedBytes(spec, config), t * perToken);
        const auto kept = bufferPlan({spec, config, 1, Recompute::None});
        const auto again = bufferPlan({spec, config, 1, Recompute::Full});
        const std::int64_t head = t * 4 * (1 + 256);
        const auto savedOf = [](const std::vector<PlannedBuffer>& buffers) {
            std::int64_t sum = 0;
            for (const PlannedBuffer& buffer : buffers) sum += buffer.name.find(".saved.") != std::string::npos ? buffer.bytes() : 0;
            return sum;
        };
        QCOMPARE(savedOf(kept), 4 * t * perToken + head);
        QCOMPARE(savedOf(again), t * perToken + head);
        // By kind of tensor, four blocks: queries, keys and values; gate; both norms' outputs, and the last norm's.
        QCOMPARE(sumOf(kept, "activations.qkv"), 4 * t * 4 * (256 + 2 * 128));
        QCOMPARE(sumOf(kept, "activations.mlp_gate"), 4 * t * 4 * 688);
        QCOMPARE(sumOf(kept, "activations.norm_outputs"), (4 * 2 + 1) * t * 4 * 256);
        QCOMPARE(sumOf(kept, "logits"), logitsBytes(spec, config));
        QCOMPARE(logitsBytes(spec, config), t * 4096 * 4);
        QCOMPARE(plannedBytes(kept) - plannedBytes(again), 3 * t * perToken);
    }

    void namesAreUniqueAndSizesPositive()
    {
        for (const Family family : {Family::Llama, Family::Gpt2}) {
            ModelSpec spec = testing::llamaOf5M();
            spec.family = family;
            if (family == Family::Gpt2) {
                spec.kvHeads = spec.heads;
                spec.positions = 256;
                spec.residualDropout = 0.1;
            }
            EngineConfig config;
            config.microBatch = 1;
            config.zeroStage = 3;
            std::set<std::string> names;
            for (const PlannedBuffer& buffer : bufferPlan({spec, config, 3})) {
                QVERIFY2(names.insert(buffer.name).second, buffer.name.c_str());
                QVERIFY2(buffer.elements > 0, buffer.name.c_str());
                QVERIFY(!buffer.why.empty());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TstBufferPlan)
#include "tst_buffer_plan.moc"
