// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "app/report_writer.h"
#include "app/run_follower.h"
#include "app/run_plan.h"
#include "app/step_aggregator.h"

#include "run_folder_maker.h"

#include <nlohmann/json.hpp>

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <random>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

namespace {

StepMetrics lineOf(int rank, std::int64_t step, double loss)
{
    StepMetrics m;
    m.rank = rank;
    m.step = step;
    m.loss = loss;
    m.stepSeconds = 1 + rank;
    m.phaseSeconds[1] = rank;
    return m;
}

}  // namespace

class TstRunParts : public QObject {
    Q_OBJECT
private slots:
    void stepsComeOutInOrderOnceAllRanksHaveThem()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        for (int round = 0; round < 100; ++round) {
            const int world = 1 + static_cast<int>(random() % 5);
            StepAggregator aggregator;
            aggregator.setWorld(world);
            std::vector<std::int64_t> next(static_cast<std::size_t>(world), 1);
            std::int64_t expected = 1;
            for (int i = 0; i < 300; ++i) {
                const auto rank = random() % static_cast<unsigned>(world);
                aggregator.add(lineOf(static_cast<int>(rank), next[rank]++, 2.0));
                for (const StepAggregator::Step& step : aggregator.take(false)) {
                    QCOMPARE(step.step, expected++);
                    QCOMPARE(step.ranks, world);
                    QCOMPARE(step.slowestSeconds, static_cast<double>(world));
                    QVERIFY(std::abs(step.meanPhases[1] - (world - 1) / 2.0) < 1e-12);
                }
                QCOMPARE(expected - 1, *std::min_element(next.begin(), next.end()) - 1);
            }
            (void)aggregator.take(true);
            QVERIFY(aggregator.take(true).empty());
        }
    }

    void deadRankDoesNotHideTheLastSteps()
    {
        StepAggregator aggregator;
        aggregator.setWorld(2);
        aggregator.add(lineOf(0, 1, 1));
        aggregator.add(lineOf(1, 1, 1));
        aggregator.add(lineOf(0, 2, 1));
        QCOMPARE(aggregator.take(false).size(), std::size_t{1});
        const auto rest = aggregator.take(true);
        QCOMPARE(rest.size(), std::size_t{1});
        QCOMPARE(rest[0].ranks, 1);
    }

    void repeatedStepsComeOutAgain()
    {
        StepAggregator aggregator;
        aggregator.setWorld(1);
        for (std::int64_t step = 1; step <= 10; ++step)
            aggregator.add(lineOf(0, step, 1));
        QCOMPARE(aggregator.take(false).size(), std::size_t{10});
        aggregator.add(lineOf(0, 6, 2));
        const auto again = aggregator.take(false);
        QCOMPARE(again.size(), std::size_t{1});
        QCOMPARE(again[0].any.loss, 2.0);
    }

    void ranksOfAnEarlierStartAreNotWaitedFor()
    {
        StepAggregator aggregator;
        aggregator.setWorld(3);
        for (int rank = 0; rank < 3; ++rank)
            aggregator.add(lineOf(rank, 1, 1));
        QCOMPARE(aggregator.take(false).size(), std::size_t{1});
        aggregator.setWorld(1);
        aggregator.add(lineOf(0, 2, 1), 1);
        QCOMPARE(aggregator.take(false).size(), std::size_t{1});
    }

    void planIsReadAsFarAsItCan_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<double>("stepSeconds");
        QTest::addColumn<int>("items");
        QTest::newRow("nothing") << QString("{}") << 0.0 << 0;
        QTest::newRow("an array") << QString("[1, 2]") << 0.0 << 0;
        QTest::newRow("nulls") << QString(R"({"forecast": null, "ledger": null, "fits": null})") << 0.0 << 0;
        QTest::newRow("wrong types") << QString(R"({"forecast": {"stepTime": "fast"}, "ledger": {"roles": {"a": 1}}, "fits": [3]})") << 0.0 << 0;
        QTest::newRow("negative time") << QString(R"({"forecast": {"stepTime": -1}})") << 0.0 << 0;
        QTest::newRow("only the peak's items") << QString(R"({"forecast": {"stepTime": 0.5}, "ledger": {"roles": [
            {"peak": {"phase": "step", "allocated": 10, "process": 20}, "items": []},
            {"peak": {"phase": "backward", "allocated": 30, "process": 40}, "items": [
              {"what": "weights", "where": "device", "bytes": 10, "phase": "all"}, {"what": "buckets", "where": "device", "bytes": 20, "phase": "forward|backward"},
              {"what": "init", "where": "device", "bytes": 9, "phase": "init"}, {"what": "pinned", "where": "pinned", "bytes": 9, "phase": "all"}]}]}})") << 0.5 << 2;
    }
    void planIsReadAsFarAsItCan()
    {
        QFETCH(QString, text);
        QFETCH(double, stepSeconds);
        QFETCH(int, items);
        const RunPlan plan = runPlanFromJson(nlohmann::json::parse(text.toStdString()));
        QCOMPARE(plan.stepSeconds.value_or(0), stepSeconds);
        QCOMPARE(static_cast<int>(plan.items.size()), items);
        if (items > 0)
            QCOMPARE(plan.process.value(), std::int64_t{40});
    }

    void plannedPhasesAddUpToTheStep()
    {
        const auto phases = runPlanFromJson(nlohmann::json::parse(R"({"forecast": {"stepTime": 1.0, "compute": {"forward": 0.2, "backward": 0.5}, "split": {"compute": 0.7,
            "communication_exposed.tensor": 0.04, "communication_exposed.gradients": 0.06, "bubble": 0.08, "offload": 0.0, "optimizer": 0.1, "host": 0.02}}})")).phases;
        QVERIFY(phases.has_value());
        const std::array<double, kPhaseCount> expected{0, 0.2, 0.5, 0.1, 0.1, 0.1};
        double sum = 0;
        for (std::size_t p = 0; p < expected.size(); ++p) {
            QVERIFY(std::abs((*phases)[p] - expected[p]) < 1e-12);
            sum += (*phases)[p];
        }
        QVERIFY(std::abs(sum - 1.0) < 1e-12);
        // A forecast that cannot tell forward from backward draws none.
        QVERIFY(!runPlanFromJson(nlohmann::json::parse(R"({"forecast": {"split": {"compute": 0.7}}})")).phases.has_value());
    }

    void folderIsWaitedForAndFollowed()
    {
        QTemporaryDir dir;
        const std::filesystem::path folder = std::filesystem::path(dir.path().toStdString()) / "run";
        RunFollower follower;
        std::vector<std::shared_ptr<const RunBatch>> batches;
        connect(&follower, &RunFollower::arrived, this, [&](const std::shared_ptr<const RunBatch>& batch) { batches.push_back(batch); });
        follower.follow(folder);
        QTRY_COMPARE(batches.size(), std::size_t{1});
        QVERIFY(batches[0]->problem.has_value());
        RunFolderMaker run(folder, 2, RunStatus::Running);
        run.addSteps(1, 10);
        const auto steps = [&] {
            std::size_t count = 0;
            for (const auto& batch : batches)
                count += batch->steps.size();
            return count;
        };
        QTRY_COMPARE(steps(), std::size_t{20});
        QVERIFY(std::any_of(batches.begin(), batches.end(), [](const auto& batch) { return batch->plan.has_value(); }));
        run.addSteps(11, 15);
        std::ofstream(folder / "ranks" / "00000" / "metrics.ndjson", std::ios::app) << "{\"rank\": 0, \"st";   // torn
        QTRY_COMPARE(steps(), std::size_t{30});
        run.setStatus(RunStatus::Finished);
        QTRY_VERIFY(batches.back()->atEnd);
    }

    void reportSaysWhatCameOfIt_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<bool>("written");
        QTest::newRow("written") << QString("/bin/true") << true;
        QTest::newRow("refused") << QString("/bin/false") << false;
        QTest::newRow("no such program") << QString("/nonexistent/stagecraft") << false;
    }
    void reportSaysWhatCameOfIt()
    {
        QFETCH(QString, program);
        QFETCH(bool, written);
        ReportWriter writer(program.toStdString());
        writer.setOpens(false);
        QSignalSpy made(&writer, &ReportWriter::written), failed(&writer, &ReportWriter::failed);
        writer.write(QStringLiteral("/tmp/run"));
        QTRY_COMPARE(made.count() + failed.count(), 1);
        QCOMPARE(made.count(), written ? 1 : 0);
        if (written)
            QCOMPARE(made.first().first().toString(), QString("/tmp/run/report.html"));
        else
            QVERIFY(failed.first().first().toString().startsWith("Cannot write the report"));
    }

    void stoppedFollowerIsSilent()
    {
        QTemporaryDir dir;
        RunFolderMaker run(std::filesystem::path(dir.path().toStdString()) / "run", 1, RunStatus::Running);
        run.addSteps(1, 2000);
        RunFollower follower;
        QSignalSpy arrived(&follower, &RunFollower::arrived);
        follower.follow(run.folder);
        follower.stop();
        QTest::qWait(300);
        QCOMPARE(arrived.count(), 0);
    }
};

QTEST_GUILESS_MAIN(TstRunParts)
#include "tst_run_parts.moc"
