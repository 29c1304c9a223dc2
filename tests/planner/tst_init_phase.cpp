// SPDX-License-Identifier: GPL-3.0-or-later
// What a job of DeepSpeed, FSDP2 or Megatron holds before its first step.
#include "planner/init_phase.h"
#include "planner/ledger.h"
#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

constexpr double kPhi = 6'738'415'616.0;   // LLaMA-2 7B

double aliveAtInit(const LedgerRole& role)
{
    double sum = 0;
    for (const LedgerItem& item : role.items) sum += item.where == Place::Device && isAlive(item.phase, "init") ? static_cast<double>(item.bytes) : 0;
    return sum;
}

}  // namespace

class TstInitPhase : public QObject {
    Q_OBJECT
private slots:
    void whatIsThere_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<int>("stage");
        QTest::addColumn<double>("host");     // bytes a rank, times Φ
        QTest::addColumn<double>("moments");  // whether they are made before the first step
        QTest::newRow("DeepSpeed, stage 0") << QString("deepspeed") << 0 << 4.0 << 1.0;
        QTest::newRow("DeepSpeed, stage 2") << QString("deepspeed") << 2 << 4.0 << 1.0;
        QTest::newRow("DeepSpeed, stage 3: divided as it is built") << QString("deepspeed") << 3 << 0.0 << 1.0;
        QTest::newRow("FSDP2: built on the meta device") << QString("fsdp2") << 3 << 0.0 << 0.0;
        QTest::newRow("Megatron: built on the device") << QString("megatron") << 1 << 0.0 << 0.0;
    }
    void whatIsThere()
    {
        QFETCH(QString, framework);
        QFETCH(int, stage);
        QFETCH(double, host);
        QFETCH(double, moments);
        const Plan plan = planOf(document("llama-2-7b", framework.toLatin1().constData(), stage, 1, 8, 1));
        const LedgerRole& role = plan.ledger->front();
        QCOMPARE(role.phases.front().phase, std::string("init"));
        QCOMPARE(static_cast<double>(role.phases.front().allocated), aliveAtInit(role));
        QVERIFY(role.phases.front().allocated > 0 && role.phases.front().allocated < role.peak.allocated && role.peak.phase != "init");
        QVERIFY(role.phases.front().allocated <= role.phases.front().reserved && role.phases.front().reserved <= role.phases.front().process);
        QVERIFY(near(itemOf(plan, "model_host"), host * kPhi, 1e-3));
        // It is no part of what offloading takes for good.
        QCOMPARE(role.hostBytes, std::int64_t{0});
        for (const LedgerItem& item : role.items) {
            if (item.what == "optimizer_states") QCOMPARE(isAlive(item.phase, "init"), moments > 0);
            if (item.what == "gradients") QCOMPARE(isAlive(item.phase, "init"), framework == "megatron");
            if (item.phase == "init") QVERIFY(!item.why.empty() && !item.formula.empty() && !item.numbers.empty() && !item.source.empty());
        }
        QVERIFY(near(itemOf(plan, "gradients_init"), framework != "deepspeed" || stage == 0 ? 0.0 : std::min(4 * kPhi / 8, 4e9), 1e-3));
    }

    void hostThatIsTooSmallIsTold()
    {
        json w = document("llama-2-7b", "deepspeed", 2, 1, 8, 1);
        QVERIFY(!findingOf(planOf(w), "plan.init_host"));   // nobody said what the host has
        w["hardware"]["hostMemoryGiB"] = 200;               // 8 times 4 · 6.7e9 bytes are 200.8 GiB
        const PlanFinding* told = nullptr;
        const Plan small = planOf(w);
        told = findingOf(small, "plan.init_host");
        QVERIFY(told && told->severity == "warning" && small.fit->verdict == Fit::Verdict::Yes);
        w["hardware"]["hostMemoryGiB"] = 202;
        QVERIFY(!findingOf(planOf(w), "plan.init_host"));
        w["hardware"]["hostMemoryGiB"] = 16;
        QVERIFY(findingOf(planOf(w), "plan.init_host"));
        w["dsConfig"]["zero_optimization"]["stage"] = 3;
        QVERIFY(!findingOf(planOf(w), "plan.init_host"));
    }

    // Own layers of a pipeline; a 4-bit base goes straight to the device.
    void partsOfTheModel()
    {
        json w = document("llama-2-7b", "deepspeed", 1, 1, 8, 2);
        w["layout"] = {{"pp", 2}, {"dp", 4}};
        const Plan halves = planOf(w);
        double sum = 0;
        for (const LedgerRole& role : *halves.ledger)
            for (const LedgerItem& item : role.items) sum += item.what == "model_host" ? static_cast<double>(item.bytes) : 0;
        QVERIFY(near(sum, 4 * kPhi, 1e-3) && initHostPerNode(*halves.ledger, 8) > 0);
        json q = document("llama-2-7b", "deepspeed", 2, 1, 8, 1);
        q["model"]["adapter"] = {{"rank", 16}, {"base", "nf4"}};
        QCOMPARE(itemOf(planOf(q), "model_host"), 0.0);
        q["model"]["adapter"].erase("base");
        QVERIFY(itemOf(planOf(q), "model_host") > 0);
    }
};

QTEST_APPLESS_MAIN(TstInitPhase)
#include "tst_init_phase.moc"
