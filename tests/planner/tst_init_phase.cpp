// SPDX-License-Identifier: GPL-3.0-or-later
// What a job of DeepSpeed, FSDP2 or Megatron holds before its first step.
#include "planner/init_phase.h"
#include "planner/advisor.h"
#include "planner/applied_layout.h"
#include "planner/ledger.h"
#include "planner/workspace_search.h"
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
        QVERIFY(told && told->severity == "warning");
        w["hardware"]["hostMemoryGiB"] = 240;
        QVERIFY(!findingOf(planOf(w), "plan.init_host"));
        w["hardware"]["hostMemoryGiB"] = 16;
        QVERIFY(findingOf(planOf(w), "plan.init_host"));
        w["dsConfig"]["zero_optimization"]["stage"] = 3;
        QVERIFY(!findingOf(planOf(w), "plan.init_host"));
    }

    // Hosts that cannot build the model let no plan say yes, whoever is asked; nobody has said how it is built, so it is no no either.
    void hostsThatCannotBuildAreNoYes_data()
    {
        QTest::addColumn<int>("host");
        QTest::addColumn<bool>("offload");
        QTest::addColumn<Fit::Verdict>("verdict");
        QTest::newRow("nobody said") << 0 << false << Fit::Verdict::Yes;
        QTest::newRow("far too small") << 16 << false << Fit::Verdict::Unsure;
        QTest::newRow("just so") << 202 << false << Fit::Verdict::Unsure;
        QTest::newRow("enough") << 240 << false << Fit::Verdict::Yes;
        QTest::newRow("enough for what is offloaded, not for building") << 160 << true << Fit::Verdict::Unsure;
    }
    void hostsThatCannotBuildAreNoYes()
    {
        QFETCH(int, host);
        QFETCH(bool, offload);
        QFETCH(Fit::Verdict, verdict);
        json w = document("llama-2-7b", "deepspeed", 2, 1, 8, 1);
        w["model"]["seq"] = 1024;
        if (host > 0) w["hardware"]["hostMemoryGiB"] = host;
        if (offload) w["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", "cpu"}};
        const Plan plan = planOf(w);
        QCOMPARE(plan.fit->verdict, verdict);
        // The less there is, the less likely: 16 GiB do not hold it in 16 bits either, 160 and 202 do.
        if (verdict != Fit::Verdict::Yes) QVERIFY2(host == 16 ? plan.fit->probability < 0.11 : plan.fit->probability > 0.45, qPrintable(QString::number(plan.fit->probability)));
        QCOMPARE(findingOf(plan, "plan.init_host") != nullptr, verdict != Fit::Verdict::Yes);
        const Advice advice = advise(workspaceOf(w)).value();
        const StageOption& branch = advice.options[offload ? 4 : 2];
        QCOMPARE(branch.probability, plan.fit->probability);
        QCOMPARE(branch.fits, verdict == Fit::Verdict::Yes);
        QCOMPARE(branch.message.find("builds the whole model") != std::string::npos, verdict != Fit::Verdict::Yes);
        // Stage 3 divides modules as they are built, and surely fits.
        QVERIFY(verdict == Fit::Verdict::Yes || advice.options[*advice.chosen].stage == 3);
        int rows = 0;
        for (const ScoredLayout& row : advice.layouts.best) {
            if (row.pp > 1 || row.tp > 1 || row.cp > 1 || row.stage == 3 || row.offloadOptimizer != OffloadDevice::None || !row.mayFit) continue;
            ++rows;
            QCOMPARE(row.fits, verdict == Fit::Verdict::Yes || offload ? row.fits : false);
            const Plan applied = makePlan(withAppliedLayout(workspaceOf(w), row)).value();
            QVERIFY2(near(applied.fit->probability, row.probability, 1e-9), qPrintable(QString("%1 %2").arg(applied.fit->probability).arg(row.probability)));
        }
        QVERIFY(rows > 0 || offload || verdict != Fit::Verdict::Yes);
    }

    // A node that has all stages of a pipeline has all that they build.
    void stagesOfANodeShareItsHost()
    {
        json w = document("llama-2-7b", "deepspeed", 1, 1, 8, 8);
        w["layout"] = {{"pp", 8}, {"dp", 1}};
        const Plan plan = planOf(w);
        QVERIFY(near(static_cast<double>(initHostPerNode(*plan.ledger, 8)), 4 * kPhi, 1e-3));
        std::vector<PlanFinding> findings;
        const auto search = searchOfWorkspace(workspaceOf(w), {}, {}, findings);
        QVERIFY(search && initHostPerNode(search->base) == initHostPerNode(*plan.ledger, 8));
        QCOMPARE(initHostPerNode(search->base, std::int64_t{1} << 50), std::int64_t{0});   // hosts of a petabyte need no count
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
