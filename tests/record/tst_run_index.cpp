// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_index.h"

#include "record/known_runs.h"
#include "record/rank_writer.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/run_lock.h"
#include "record/run_record.h"
#include "record/schedule_join.h"

#include "base/atomic_file.h"
#include "schedule/schedule_json.h"

#include <QTemporaryDir>
#include <QtTest>
#include <cmath>
#include <fstream>
#include <limits>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

StepMetrics stepOf(std::int64_t step, double loss, std::int64_t timeNs)
{
    StepMetrics m;
    m.timeNs = timeNs;
    m.step = step;
    m.loss = loss;
    m.gradNorm = loss / 2;
    m.stepSeconds = static_cast<double>(step);
    m.tokensPerSecond = 100;
    m.peakRssBytes = 1000 + step;
    return m;
}

fs::path makeRun(const fs::path& root, const char* name, RunStatus status, std::int64_t startedNs)
{
    const fs::path folder = root / name;
    fs::create_directories(folder);
    RunInfo info;
    info.id = info.name = name;
    info.status = status;
    info.startedNs = startedNs;
    info.world = 2;
    info.params = 77;
    if (!writeRunInfo(folder, info).hasValue()) qFatal("no run.json");
    for (int rank = 0; rank < 2; ++rank) {
        auto writer = RankWriter::open(folder, rank).value();
        for (int i = 1; i <= 3; ++i) writer->writeStep(stepOf(i, 3.0 / i, startedNs + i));
    }
    return folder;
}

}  // namespace

class TstRunIndex : public QObject {
    Q_OBJECT
private slots:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); m_root = fs::path(m_dir->path().toStdString()); }

    void aRunThatIsDamagedLaterLeavesTheList()
    {
        const fs::path folder = makeRun(m_root, "a", RunStatus::Finished, 10);
        auto index = RunIndex::open(m_root).value();
        QVERIFY(index.refresh().hasValue());
        QCOMPARE(index.list().value().size(), std::size_t{1});
        const std::string whole = readFile(RunFolder{folder}.runJson(), 1 << 20).value();
        std::ofstream(RunFolder{folder}.runJson()) << "{ damaged";
        QVERIFY(index.refresh().hasValue());
        QVERIFY(index.list().value().empty());
        std::ofstream(RunFolder{folder}.runJson()) << whole << ' ';
        QVERIFY(index.refresh().hasValue());
        QCOMPARE(index.list().value().size(), std::size_t{1});
    }

    void followsTheFolders()
    {
        makeRun(m_root, "a", RunStatus::Finished, 10);
        makeRun(m_root, "b", RunStatus::Running, 20);
        fs::create_directories(m_root / "not a run");
        auto index = RunIndex::open(m_root).value();
        QVERIFY(index.refresh().hasValue());
        auto runs = index.list().value();
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[0].name, std::string("b"));
        QCOMPARE(runs[0].status, RunStatus::Lost);
        QCOMPARE(runs[1].status, RunStatus::Finished);
        QCOMPARE(runs[1].doneSteps, std::int64_t{3});
        QCOMPARE(runs[1].loss.value(), 1.0);
        QCOMPARE(runs[1].params, std::int64_t{77});
        {
            const auto lock = RunLock::acquire(m_root / "b");
            QCOMPARE(index.list().value()[0].status, RunStatus::Running);
        }
        fs::remove_all(m_root / "b");
        makeRun(m_root, "c", RunStatus::Failed, 30);
        QVERIFY(index.refresh().hasValue());
        runs = index.list().value();
        QCOMPARE(runs.size(), std::size_t{2});
        QCOMPARE(runs[0].name, std::string("c"));
        // A second process sees the same.
        QCOMPARE(RunIndex::open(m_root).value().list().value().size(), std::size_t{2});
    }

    /// The one figure of a run that is over, as `runs show` and reports give it; of a live one how fast it is now.
    void speedIsTheMedianOnceItIsOver()
    {
        const fs::path folder = m_root / "a";
        fs::create_directories(folder);
        RunInfo info;
        info.id = info.name = "a";
        info.status = RunStatus::Running;
        info.startedNs = 10;
        info.world = 1;
        QVERIFY(writeRunInfo(folder, info).hasValue());
        {
            // 30 slow steps, then 30 in which every other takes nine times as long; all of 90 tokens.
            auto writer = RankWriter::open(folder, 0).value();
            for (int i = 1; i <= 60; ++i) {
                StepMetrics m = stepOf(i, 1, 100 + i);
                m.stepSeconds = i <= 30 ? 2 : i % 2 == 0 ? 9 : 1;
                m.tokensPerSecond = 90 / m.stepSeconds;
                writer->writeStep(m);
            }
        }
        auto index = RunIndex::open(m_root).value();
        const auto told = [&] {
            if (!index.refresh().hasValue()) qFatal("no index");
            return index.list().value().front().tokensPerSecond.value_or(-1);
        };
        {
            const auto lock = RunLock::acquire(folder);
            QVERIFY(lock.hasValue());
            QCOMPARE(told(), 18.0);   // 20 steps of 1 and 9 s: not the mean of 90 and 10 a second
        }
        const auto answer = [&] { return runAnswer(loadRunRecord(folder).value())["tokensPerSecond"].get<double>(); };
        QCOMPARE(told(), 45.0);   // lost
        QCOMPARE(told(), answer());
        info.status = RunStatus::Finished;
        QVERIFY(writeRunInfo(folder, info).hasValue());
        QCOMPARE(told(), answer());
    }

    void runsElsewhereAreNoted()
    {
        const fs::path root = m_root / "runs", elsewhere = m_root / "else where";
        makeRun(root, "a", RunStatus::Finished, 10);
        const fs::path far = makeRun(elsewhere, "b", RunStatus::Finished, 20);
        QVERIFY(noteRun(root, root / "a").hasValue());  // listed anyway: not noted
        QVERIFY(!fs::exists(root / "known_runs"));
        QVERIFY(noteRun(root, far).hasValue());
        QVERIFY(noteRun(root, elsewhere / "." / "b").hasValue());
        const auto foldersOf = [&] {
            auto index = RunIndex::open(root).value();
            if (!index.refresh().hasValue()) qFatal("no refresh");
            std::vector<fs::path> folders;
            const auto listed = index.list();  // outlives the loop over it
            for (const RunEntry& run : listed.value()) folders.push_back(run.folder);
            return folders;
        };
        QCOMPARE(foldersOf(), (std::vector<fs::path>{fs::weakly_canonical(far), root / "a"}));
        // The index is only a cache, and foreign lines in the notes are nothing.
        fs::remove(root / "index.sqlite");
        std::ofstream(root / "known_runs", std::ios::app) << "relative\n\n/absent/run\n" << far.string() << "\n\x01";
        QCOMPARE(foldersOf().size(), std::size_t{2});
        fs::remove_all(far);
        QCOMPARE(foldersOf(), std::vector<fs::path>{root / "a"});
        makeRun(elsewhere, "c", RunStatus::Finished, 30);
        QVERIFY(noteRun(root, elsewhere / "c").hasValue());
        QCOMPARE(notedRuns(root), std::vector<fs::path>{fs::weakly_canonical(elsewhere / "c")});
        // Without a root yet, one is made.
        QVERIFY(noteRun(m_root / "new" / "runs", elsewhere / "c").hasValue());
        QCOMPARE(notedRuns(m_root / "new" / "runs").size(), std::size_t{1});
    }

    void aBrokenIndexIsRebuilt_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("not a database") << QByteArray("rubbish rubbish rubbish rubbish rubbish rubbish");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("cut off") << QByteArray("SQLite format 3\0", 16);
    }
    void aBrokenIndexIsRebuilt()
    {
        QFETCH(QByteArray, content);
        makeRun(m_root, "a", RunStatus::Finished, 10);
        std::ofstream(m_root / "index.sqlite", std::ios::binary) << content.toStdString();
        auto index = RunIndex::open(m_root).value();
        QVERIFY(index.refresh().hasValue());
        QCOMPARE(index.list().value().size(), std::size_t{1});
    }

    void aMissingRootIsSaid() { QCOMPARE(RunIndex::open(m_root / "absent").error().code, ErrorCode::NotFound); }

    void theAnswerIsOfTheLastStart()
    {
        const fs::path folder = makeRun(m_root, "a", RunStatus::Finished, 10);
        RunInfo info = readRunInfo(folder).value();
        info.startedNs = 1000;
        info.resumedFrom = 2;
        info.attempt = 1;
        info.failure = RunFailure{1, "signal", "rank 1 was killed", "Forward block.0", 5};
        info.status = RunStatus::Failed;
        QVERIFY(writeRunInfo(folder, info).hasValue());
        {
            auto writer = RankWriter::open(folder, 0).value();
            writer->writeStep(stepOf(3, 0.1 + 0.2, 1001));
            writer->writeStep(stepOf(4, std::numeric_limits<double>::quiet_NaN(), 1002));
        }
        const auto record = loadRunRecord(folder).value();
        QCOMPARE(record.ranks[0].size(), std::size_t{4});
        const auto answer = runAnswer(record);
        QCOMPARE(answer["steps"].get<int>(), 4);
        QCOMPARE(answer["losses"].size(), std::size_t{2});
        QCOMPARE(answer["losses"][0].get<double>(), 0.1 + 0.2);
        QVERIFY(answer["losses"][1].is_null());
        QCOMPARE(answer["medianStepTime"].get<double>(), 3.5);
        QCOMPARE(answer["peakRssBytes"].dump(), std::string("[1004,0]"));
        QCOMPARE(answer["status"].get<std::string>(), std::string("failed"));
        QCOMPARE(answer["failure"].dump(), std::string(R"({"rank":1,"kind":"signal","message":"rank 1 was killed","lastOp":"Forward block.0"})"));
        std::vector<std::string> keys;
        for (const auto& [key, value] : answer.items()) keys.push_back(key);
        QCOMPARE(keys, (std::vector<std::string>{"run", "status", "steps", "losses", "gradNorms", "medianStepTime", "tokensPerSecond", "samplesPerSecond", "tflopsPerRank", "peakRssBytes", "params", "failure", "failedSaves"}));
    }

    void plannedBesideMeasured()
    {
        Program program;
        program.role = "pp0.tp0";
        for (const OpKind kind : {OpKind::LoadBatch, OpKind::Forward, OpKind::ReduceScatter}) {
            Op op;
            op.kind = kind;
            op.unit = kind == OpKind::LoadBatch ? -1 : 1;
            op.microStep = 0;
            program.ops.push_back(op);
        }
        const std::vector<Span> spans{{100, 110, 1, 1, 0, 0}, {200, 230, 2, 1, 0, 0}, {120, 125, 1, 2, 1, 0}, {0, 1, 1, 99, 0, 0}};
        const ScheduleJoin join = joinSpans(program, spans);
        QCOMPARE(join.ops.size(), std::size_t{3});
        QCOMPARE(join.ops[0].count, std::int64_t{0});
        QCOMPARE(join.ops[1].count, std::int64_t{2});
        QCOMPARE(join.ops[1].totalNs, std::int64_t{40});
        QCOMPARE(join.ops[1].minNs, std::int64_t{10});
        QCOMPARE(join.ops[1].maxNs, std::int64_t{30});
        QCOMPARE(join.ops[2].totalNs, std::int64_t{5});
        QCOMPARE(join.unknownSpans, std::int64_t{1});

        const fs::path folder = makeRun(m_root, "a", RunStatus::Finished, 10);
        { auto writer = RankWriter::open(folder, 1).value(); writer->writeSpans(spans); }
        const nlohmann::json plan{{"schedule", scheduleToJson(Schedule{2, 2, 1, {program}})}, {"units", {"embedding", "block.0 \"q\""}}};
        QVERIFY(writeFileAtomically(RunFolder{folder}.planJson(), plan.dump()).hasValue());
        const auto written = exportChromeTrace(folder, m_root / "trace.json");
        QVERIFY2(written.hasValue(), written.hasValue() ? "" : written.error().message.c_str());
        QCOMPARE(written.value(), std::int64_t{4});
        const auto trace = nlohmann::json::parse(readFile(m_root / "trace.json").value());
        QCOMPARE(trace["traceEvents"].size(), std::size_t{4 + 3});
        bool found = false;
        for (const auto& event : trace["traceEvents"])
            if (event["ph"] == "X" && event["name"] == "ReduceScatter block.0 \"q\" micro 0") { found = true; QCOMPARE(event["tid"].get<int>(), 1); QCOMPARE(event["pid"].get<int>(), 1); }
        QVERIFY(found);
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_root;
};

QTEST_APPLESS_MAIN(TstRunIndex)
#include "tst_run_index.moc"
