// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/deepspeed_estimate_text.h"

#include <QtTest>
#include <limits>

using namespace stagecraft;

namespace {

struct Row {
    int stage;
    double params, layer;
    std::int64_t gpus, nodes;
    bool offloadOptimizer, offloadParam, zeroInit;
    double factor;
    std::int64_t device, host;
};

// Printed by DeepSpeed 0.19.8's own functions for random arguments (seed 7), every option in turn.
constexpr Row kGolden[] = {
    {2, 68976648192.0, 2795742289.0, 1, 7, false, false, true, 1.5, 315321820306, 413859889152},
    {2, 2851000000.0, 272427487.0, 2, 1, true, false, true, 1.5, 5702000000, 68424000000},
    {3, 2851000000.0, 129204965.0, 1, 7, true, true, false, 1.37, 516819860, 15623480000},
    {3, 2851000000.0, 119850508.0, 3, 1, true, true, true, 1.37, 479402032, 70305660000},
    {3, 2851000000.0, 298857192.0, 2, 2, true, false, false, 1.37, 2620928768, 31246960000},
    {3, 2851000000.0, 306506956.0, 4, 7, true, false, true, 1.5, 1429670681, 9774857142},
    {3, 405853388800.0, 15629014344.0, 4, 1, false, false, false, 1.5, 1888856306976, 9740481331200},
    {3, 124439808.0, 16656907.0, 3, 3, false, false, true, 1.0, 315507244, 199882884},
    {2, 68976648192.0, 5847951705.0, 2, 1, false, false, true, 1.5, 758743130112, 827719778304},
    {2, 7500000000.0, 563925449.0, 8, 2, true, false, true, 1.37, 15000000000, 657600000000},
    {3, 2851000000.0, 63386083.0, 3, 3, true, true, false, 1.5, 253544332, 51318000000},
    {3, 68976648192.0, 1811180650.0, 1, 7, true, true, true, 1.0, 7244722600, 177368523922},
    {3, 405853388800.0, 40787907660.0, 8, 1, true, false, false, 1.5, 264614977840, 19480962662400},
    {3, 497129.0, 348208.0, 1, 1, true, false, true, 1.0, 2387090, 7954064},
    {3, 68976648192.0, 9812263088.0, 8, 16, false, false, false, 1.0, 48948893504, 2207252742144},
    {3, 7500000000.0, 180440570.0, 3, 1, false, false, true, 1.37, 45721762280, 2966442970},
    {2, 7500000000.0, 138878004.0, 2, 3, false, false, true, 1.37, 37500000000, 82200000000},
    {2, 124439808.0, 15072229.0, 8, 7, true, false, true, 1.0, 248879616, 27874516992},
    {3, 405853388800.0, 48440449614.0, 8, 2, true, true, false, 1.37, 193761798456, 17792612564992},
    {3, 2851000000.0, 94606175.0, 2, 1, true, true, true, 1.5, 378424700, 76977000000},
    {3, 405853388800.0, 17963025872.0, 4, 1, true, false, false, 1.5, 274778797888, 9740481331200},
    {3, 7500000000.0, 654781118.0, 3, 2, true, false, true, 1.5, 5119124472, 90000000000},
    {3, 405853388800.0, 45762732483.0, 1, 3, false, false, false, 1.37, 2618171262732, 2224076570624},
    {3, 68976648192.0, 4739655725.0, 8, 1, false, false, true, 1.5, 174156081332, 227503474800},
};

Result<EstimatorAnswer> answer(int stage, const EstimatorInput& input)
{
    return stage == 2 ? estimateDeepSpeedZero2(input) : estimateDeepSpeedZero3(input);
}

}  // namespace

class TstDeepspeedEstimator : public QObject {
    Q_OBJECT
private slots:
    void agreesWithDeepSpeedToTheByte()
    {
        for (const Row& row : kGolden) {
            const auto got = answer(row.stage, {row.params, row.layer, row.gpus, row.nodes, row.offloadOptimizer, row.offloadParam,
                                                row.zeroInit, row.factor});
            QVERIFY(got.hasValue());
            QCOMPARE(got->deviceBytes, row.device);
            QCOMPARE(got->hostBytesPerNode, row.host);
        }
    }

    // DeepSpeed's documentation prints these for 2851e6 parameters with a 32e6 layer on one node of eight.
    void agreesWithTheDocumentation()
    {
        const auto both = answer(3, {2851e6, 32e6, 8, 1, true, true, true, 1.5});
        QCOMPARE(QString::number(static_cast<double>(both->hostBytesPerNode) / 1073741824.0, 'f', 2), QString("71.69"));
        const auto none = answer(3, {2851e6, 32e6, 8, 1, false, false, true, 1.5});
        QCOMPARE(QString::number(static_cast<double>(none->deviceBytes) / 1073741824.0, 'f', 2), QString("6.09"));
    }

    // Printed by DeepSpeed 0.19.8 (estimate_zero2_ and estimate_zero3_model_states_mem_needs_all_cold), with "cpu " for Python 3.11's name of it.
    void printsWhatDeepSpeedPrints()
    {
        QCOMPARE(QString::fromStdString(*estimatorTable(2, {8030261248, 0, 8, 2})), QString("Estimated memory needed for params, optim states and gradients for a:\n"
                                                                                           "HW: Setup with 2 nodes, 8 GPUs per node.\n"
                                                                                           "SW: Model with 8030M total params.\n"
                                                                                           "  per CPU  |  per GPU |   Options\n"
                                                                                           "  717.96GB |  14.96GB | offload_optimizer=cpu \n"
                                                                                           "  358.98GB |  23.37GB | offload_optimizer=none\n"));
        EstimatorInput one{2851e6, 32e6, 1, 1};
        one.bufferFactor = 1.37;
        QCOMPARE(QString::fromStdString(*estimatorTable(3, one)), QString("Estimated memory needed for params, optim states and gradients for a:\n"
                                                                          "HW: Setup with 1 node, 1 GPU per node.\n"
                                                                          "SW: Model with 2851M total params, 32M largest layer params.\n"
                                                                          "  per CPU  |  per GPU |   Options\n"
                                                                          "   65.48GB |   0.12GB | offload_param=cpu , offload_optimizer=cpu , zero_init=1\n"
                                                                          "   65.48GB |   0.12GB | offload_param=cpu , offload_optimizer=cpu , zero_init=0\n"
                                                                          "   58.20GB |   5.43GB | offload_param=none, offload_optimizer=cpu , zero_init=1\n"
                                                                          "   58.20GB |   5.43GB | offload_param=none, offload_optimizer=cpu , zero_init=0\n"
                                                                          "    0.16GB |  47.91GB | offload_param=none, offload_optimizer=none, zero_init=1\n"
                                                                          "   14.55GB |  47.91GB | offload_param=none, offload_optimizer=none, zero_init=0\n"));
    }

    // Every difference has its reason: 18 Φ / N and what the documentation prints, N for one node's GPUs, 4 Λ, the margin on the host.
    void saysWhy()
    {
        const auto told = [](int stage, bool offload, bool zeroInit = true) {
            QString all;
            for (const std::string& reason : estimatorReasons(stage, {8e9, 5e8, 8, 2, offload, false, zeroInit})) all += QString::fromStdString(reason) + "\n";
            return all;
        };
        const QString plain = told(2, false), offloaded = told(2, true), third = told(3, false), built = told(3, false, false);
        for (const char* words : {"18 Φ / N, not 14", "4 Φ + 16 Φ / N", "every process builds the whole model in fp32", "additional_buffer_factor"}) QVERIFY2(plain.contains(QString::fromUtf8(words)), words);
        for (const char* words : {"max(4 N, 16) Φ", "grows with nodes", "2 Φ on the device"}) QVERIFY2(offloaded.contains(QString::fromUtf8(words)), words);
        for (const char* words : {"18 Φ / N, not 14", "4 Λ on the device", "4 Λ for each GPU"}) QVERIFY2(third.contains(QString::fromUtf8(words)), words);
        QVERIFY(!third.contains(QString::fromUtf8("4 Φ + 16 Φ")) && !offloaded.contains(QString::fromUtf8("18 Φ")) && built.contains("every process builds"));
    }

    void refusesTheImpossible()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double params : {0.0, -1.0, 1.5, nan, 1e300, std::numeric_limits<double>::infinity()}) {
            QVERIFY(!answer(2, {params, 1, 8, 1, false, false, true, 1.5}).hasValue());
            QVERIFY(!answer(3, {params, 1, 8, 1, false, false, true, 1.5}).hasValue());
        }
        QVERIFY(!answer(3, {1e9, 2e9, 8, 1, false, false, true, 1.5}).hasValue());
        QVERIFY(!answer(3, {1e9, 1.5, 8, 1, false, false, true, 1.5}).hasValue());
        QVERIFY(!answer(3, {1e9, 0, 8, 1, false, false, true, 1.5}).hasValue());
        QVERIFY(!answer(2, {1e9, 1, 0, 1, false, false, true, 1.5}).hasValue());
        QVERIFY(!answer(2, {1e9, 1, 8, -1, false, false, true, 1.5}).hasValue());
        QVERIFY(!answer(2, {1e9, 1, 8, 1, false, false, true, nan}).hasValue());
        QVERIFY(!answer(2, {1e18, 1, 8, 1, true, false, true, 1e6}).hasValue());
    }
};

QTEST_APPLESS_MAIN(TstDeepspeedEstimator)
#include "tst_deepspeed_estimator.moc"
