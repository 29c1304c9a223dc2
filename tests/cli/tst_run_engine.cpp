// SPDX-License-Identifier: GPL-3.0-or-later
// Faults on runs that really train. Guards of 60 s bound a hung test; they are no promise of speed.
#include "command_line.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QtTest>
#include <cmath>
#include <csignal>

class TstRunEngine : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

    std::unique_ptr<QProcess> start(const QStringList& sets, const Variables& variables = {}, const QString& redirect = {})
    {
        freshFolder();
        write("w.json", R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 32, "layers": 2, "heads": 2, "kvHeads": 2, "ffn": 64, "vocab": 256, "seq": 32},
            "hardware": {"devicesPerNode": 3}, "training": {"steps": 12, "evalEvery": 6}, "data": {"validationFraction": 0.001},
            "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": 0.01}}}})");
        return again(sets, variables, redirect);
    }

    /// In the same folder as before.
    std::unique_ptr<QProcess> again(const QStringList& sets, const Variables& variables = {}, const QString& redirect = {}, const QStringList& options = {}) const
    {
        QStringList arguments = QStringList{"run", "w.json", "--json", "--run-dir", "r"} + options;
        for (const QString& set : sets) arguments << "--set" << set;
        return CommandLine::start(arguments, variables, redirect);
    }

    QJsonObject runJson() const { return readJson("r/run.json"); }

    std::vector<pid_t> waitForSteps()
    {
        std::vector<pid_t> pids;
        [&] { QTRY_VERIFY_WITH_TIMEOUT(QFile(path("r/ranks/00001/metrics.ndjson")).size() > 0, 60'000); }();
        const QJsonArray ranks = runJson()["ranks"].toArray();
        for (const auto& rank : ranks) pids.push_back(static_cast<pid_t>(rank.toObject()["pid"].toInt()));
        return pids;
    }

    static bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }


private slots:
    void printsAsTheDsConfigAsks()
    {
        const auto process = start({"/dsConfig/steps_per_print=4", "/dsConfig/wall_clock_breakdown=true"});
        QVERIFY(ended(*process));
        const QString said = process->readAllStandardError();
        QVERIFY2(process->exitCode() == 0, qPrintable(said));
        static const QRegularExpression kStep("^step (\\d+) of 12  loss .* tokens/s .* samples/s .* GFLOP/s per rank", QRegularExpression::MultilineOption);
        static const QRegularExpression kClock(R"(^\[Rank 0\] time \(ms\) \| fwd: ([\d.]+) \| bwd: ([\d.]+) \| bwd_inner: ([\d.]+) \| bwd_allreduce: ([\d.]+) \| step: ([\d.]+)$)", QRegularExpression::MultilineOption);
        QStringList steps;
        for (auto it = kStep.globalMatch(said); it.hasNext();) steps << it.next().captured(1);
        QCOMPARE(steps, (QStringList{"4", "8", "12"}));
        int clocks = 0;
        for (auto it = kClock.globalMatch(said); it.hasNext(); ++clocks) {
            const auto line = it.next();
            QVERIFY2(line.captured(1).toDouble() > 0 && line.captured(3).toDouble() > 0, qPrintable(line.captured()));  // a step of so few parameters may round to 0.00
            QVERIFY(std::abs(line.captured(2).toDouble() - line.captured(3).toDouble() - line.captured(4).toDouble()) < 0.016);  // three roundings
        }
        QCOMPARE(clocks, 3);
        const QByteArray events = read("r/events.ndjson");
        QVERIFY(!events.isEmpty());
        int recorded = 0;
        for (const QByteArray& line : events.split('\n')) recorded += QJsonDocument::fromJson(line).object()["stream"].toString() == "steps";
        QCOMPARE(recorded, 6);
        const QJsonObject answer = QJsonDocument::fromJson(process->readAllStandardOutput()).object();
        QCOMPARE(answer["samplesPerSecond"].toDouble(), answer["tokensPerSecond"].toDouble() / 32);
    }

    void trainsAndAnswers_data()
    {
        QTest::addColumn<int>("stage");
        for (int stage = 0; stage <= 3; ++stage) QTest::addRow("stage %d", stage) << stage;
    }
    void trainsAndAnswers()
    {
        QFETCH(int, stage);
        const auto process = start({QString("/dsConfig/zero_optimization/stage=%1").arg(stage)});
        QVERIFY(ended(*process));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError());
        const QJsonObject answer = QJsonDocument::fromJson(process->readAllStandardOutput()).object();
        const QJsonArray losses = answer["losses"].toArray();
        QCOMPARE(losses.size(), 12);
        // Random weights know nothing: ln(256); a few steps on prose leave the bytes that never occur behind.
        QVERIFY(std::abs(losses[0].toDouble() - std::log(256.0)) < 0.2);
        QVERIFY(losses[11].toDouble() < losses[0].toDouble() - 0.3);
        for (const auto& norm : answer["gradNorms"].toArray()) QVERIFY(norm.toDouble() > 0);
        QCOMPARE(answer["peakRssBytes"].toArray().size(), 3);
        const QByteArray events = read("r/events.ndjson");
        QVERIFY(!events.isEmpty());
        int evaluations = 0;
        for (const QByteArray& line : events.split('\n')) {
            if (line.isEmpty()) continue;
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            QVERIFY2(!event.isEmpty(), line);
            if (event["kind"].toString() == "eval") { ++evaluations; QVERIFY(event["loss"].toDouble() > 0); }
        }
        QCOMPARE(evaluations, 2);
        // Every span belongs to an op of the recorded schedule.
        QCOMPARE(call({"runs", "trace", "r", "--out", "t.json"}).code, 0);
        const QByteArray text = read("t.json");
        QVERIFY(text.contains("Forward block.1 micro 0") && text.contains("OptimizerStep"));
        QVERIFY(!text.contains("\"op "));
    }

    /// Nobody reads what a run tells on the way: it trains all the same, and writes nothing of it into its record.
    void aRunWithoutATerminalTrains_data()
    {
        QTest::addColumn<QString>("redirect");
        QTest::newRow("a full disk") << "2>/dev/full";
        QTest::newRow("closed") << "2>&-";
        QTest::newRow("all closed") << "<&- >&- 2>&-";
    }
    void aRunWithoutATerminalTrains()
    {
        QFETCH(QString, redirect);
        const auto process = start({}, {}, redirect);
        QVERIFY(ended(*process));
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(runJson()["status"].toString(), QString("finished"));
        const QByteArray events = read("r/events.ndjson");
        QVERIFY(!events.isEmpty());
        for (const QByteArray& line : events.split('\n')) QVERIFY2(line.isEmpty() || QJsonDocument::fromJson(line).isObject(), line);
    }

    /// As under nohup: closing the terminal does not stop it.
    void aHangUpIsIgnoredWhereItWasAskedFor()
    {
        ::signal(SIGHUP, SIG_IGN);
        const auto process = start({"/training/steps=1000000"});
        ::signal(SIGHUP, SIG_DFL);
        QCOMPARE(waitForSteps().size(), std::size_t{3});
        ::kill(static_cast<pid_t>(process->processId()), SIGHUP);
        const qint64 before = QFile(path("r/ranks/00001/metrics.ndjson")).size();
        QTRY_VERIFY_WITH_TIMEOUT(QFile(path("r/ranks/00001/metrics.ndjson")).size() > before + 2000, 60'000);
        // Ranks may be ahead of what is written about them.
        QTRY_COMPARE_WITH_TIMEOUT(runJson()["status"].toString(), QString("running"), 60'000);
        ::kill(static_cast<pid_t>(process->processId()), SIGTERM);
        QVERIFY(ended(*process));
        QCOMPARE(process->exitCode(), 130);
    }

    void anAnswerThatCannotBeWrittenIsNoSuccess()
    {
        const auto process = start({}, {}, ">/dev/full");
        QVERIFY(ended(*process));
        QCOMPARE(process->exitCode(), 1);
        QVERIFY(process->readAllStandardError().contains("Cannot write the answer"));
    }

    /// Of several that start in one folder at once, those that do not get it leave nothing there.
    void theRunThatGetsTheFolderTrainsItsOwnWorkspace()
    {
        auto first = start({"/training/steps=1000000", "/name=first"});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("r/workspace.json")), 60'000);
        for (int i = 0; i < 3; ++i) {
            const auto other = end(*again({"/name=other"}, {}, {}, {"--resume", "auto"}));
            QVERIFY2(other.code == 1 && other.out.contains("refused"), other.out);
        }
        QCOMPARE(waitForSteps().size(), std::size_t{3});
        for (const char* name : {"r/workspace.json", "r/run.json"}) QCOMPARE(readJson(name)["name"].toString(), QString("first"));
        first->kill();
        QVERIFY(first->waitForFinished(60'000));
    }

    void aKilledRankIsNamedNotItsVictims_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("rank");
        QTest::newRow("stage 0, rank 1") << 0 << 1;
        QTest::newRow("stage 2, rank 0") << 2 << 0;
        QTest::newRow("stage 3, rank 2") << 3 << 2;
    }
    void aKilledRankIsNamedNotItsVictims()
    {
        QFETCH(int, stage);
        QFETCH(int, rank);
        const auto process = start({"/training/steps=1000000", QString("/dsConfig/zero_optimization/stage=%1").arg(stage)});
        const auto pids = waitForSteps();
        QCOMPARE(pids.size(), std::size_t{3});
        ::kill(pids[static_cast<std::size_t>(rank)], SIGKILL);
        QVERIFY(ended(*process));
        QCOMPARE(process->exitCode(), 1);
        const QJsonObject failure = QJsonDocument::fromJson(process->readAllStandardOutput()).object()["failure"].toObject();
        QVERIFY2(failure["rank"].toInt() == rank, QJsonDocument(failure).toJson());
        QCOMPARE(failure["kind"].toString(), QString("signal"));
        const QJsonArray ranks = runJson()["ranks"].toArray();
        for (int r = 0; r < ranks.size(); ++r) QCOMPARE(ranks[r].toObject()["state"].toString(), QString(r == rank ? "failed" : "stopped"));
        for (const pid_t pid : pids) QVERIFY(!alive(pid));
        QVERIFY(!QFile::exists(path("r/attempt_0")));
    }

    void aGracefulStopEndsAtAStep()
    {
        const auto process = start({"/training/steps=1000000"});
        const auto pids = waitForSteps();
        QCOMPARE(pids.size(), std::size_t{3});
        QFile environment(QString("/proc/%1/environ").arg(pids[2]));
        QVERIFY(environment.open(QIODevice::ReadOnly));
        const QByteArrayList variables = environment.readAll().split('\0');
        for (const char* variable : {"RANK=2", "LOCAL_RANK=2", "NODE_RANK=0", "WORLD_SIZE=3", "MASTER_ADDR=127.0.0.1"}) QVERIFY2(variables.contains(variable), variable);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(ended(*process));
        QCOMPARE(process->exitCode(), 130);
        const QJsonObject answer = QJsonDocument::fromJson(process->readAllStandardOutput()).object();
        QCOMPARE(answer["status"].toString(), QString("stopped"));
        // All ranks end after the same step.
        for (int rank = 0; rank < 3; ++rank) {
            const QByteArray line = read(QString("r/ranks/0000%1/metrics.ndjson").arg(rank)).trimmed().split('\n').last();
            const int step = QJsonDocument::fromJson(line).object()["step"].toInt();
            QCOMPARE(step, answer["steps"].toInt());
        }
    }

    /// A rank is killed after a save; what is resumed equals what was never interrupted, to the bit.
    void aKilledRunResumesToTheSameBits()
    {
        const auto whole = start({"/training/saveEvery=4"});
        QVERIFY(ended(*whole));
        const QJsonObject expected = QJsonDocument::fromJson(whole->readAllStandardOutput()).object();
        const auto killed = start({"/training/saveEvery=4", "/training/steps=1000000"});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("r/checkpoints/step_0000004")), 60'000);
        ::kill(static_cast<pid_t>(runJson()["ranks"].toArray()[1].toObject()["pid"].toInt()), SIGKILL);
        QVERIFY(ended(*killed));
        QCOMPARE(killed->exitCode(), 1);
        const auto resumed = end(*again({}, {}, {}, {"--resume", "4"}));
        QVERIFY2(resumed.code == 0, resumed.err);
        const QJsonObject answer = resumed.json();
        for (const char* series : {"losses", "gradNorms"}) {
            const QJsonArray all = expected[series].toArray(), rest = answer[series].toArray();
            QCOMPARE(rest.size(), 8);
            for (int i = 0; i < 8; ++i) QCOMPARE(rest[i], all[i + 4]);
        }
    }

    /// A checkpoint of another model is refused before the record of the run it belongs to is touched.
    void aCheckpointOfAnotherModelIsRefused()
    {
        QVERIFY(ended(*start({"/training/saveEvery=4"})));
        const QByteArray before = QJsonDocument(runJson()).toJson();
        for (const char* other : {"/model/layers=1", "/model/layers=3", "/model/ffn=96"}) {
            const auto refused = end(*again({other}, {}, {}, {"--resume", "4"}));
            QCOMPARE(refused.code, 1);
            QVERIFY2(refused.out.contains("it is of another model"), refused.out);
        }
        // The same shapes and another network: more heads of fewer dimensions.
        const auto heads = end(*again({"/model/heads=8", "/model/kvHeads=8"}, {}, {}, {"--resume", "4"}));
        QCOMPARE(heads.code, 1);
        QVERIFY2(heads.out.contains("it is of another model, with"), heads.out);
        QCOMPARE(QJsonDocument(runJson()).toJson(), before);
        // What may be meant is told.
        const auto told = end(*again({"/model/normEps=0.1", "/dsConfig/train_micro_batch_size_per_gpu=1", "/training/steps=5", "/data/order=sequential"}, {}, {}, {"--resume", "4"}));
        QVERIFY2(told.code == 0, told.err);
        const QByteArray events = read("r/events.ndjson");
        QVERIFY(events.contains("trained with normEps 1e-05, this run goes on with 0.1"));
        QVERIFY(events.contains("trained with trainBatch 6, this run goes on with 3"));
        QVERIFY(events.contains("trained with order \\\"shuffled\\\", this run goes on with \\\"sequential\\\""));
    }

    /// Every one of the 66 writes of a save takes 150 ms: together longer than the timeout, none of them alone.
    void aSlowSaveIsNoHang()
    {
        const auto process = start({"/training/saveEvery=12", "/launch/hangTimeout=5"}, {{"LD_PRELOAD", FAULTY_DISK}, {"FAULTY_DISK_PATH", ".partial/rank_"}, {"FAULTY_DISK_DELAY_MS", "150"}});
        QVERIFY(ended(*process));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError());
        const QByteArray events = read("r/events.ndjson");
        QVERIFY(!events.isEmpty());
        double seconds = 0;
        for (const QByteArray& line : events.split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            if (event["kind"].toString() == "checkpoint_saved") seconds = event["seconds"].toDouble();
        }
        QVERIFY2(seconds > 5, qPrintable(QString("the save took %1 s: the test's disk is not slow").arg(seconds)));
    }

    void withoutTelemetryTheAnswerIsTheSame()
    {
        const auto with = start({});
        QVERIFY(ended(*with));
        const QJsonObject expected = QJsonDocument::fromJson(with->readAllStandardOutput()).object();
        const auto process = start({}, {{"STAGECRAFT_TELEMETRY", "off"}});
        QVERIFY(ended(*process));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError());
        const QJsonObject answer = QJsonDocument::fromJson(process->readAllStandardOutput()).object();
        for (const char* key : {"losses", "gradNorms", "status", "steps", "params"}) QCOMPARE(answer[key], expected[key]);
        QCOMPARE(answer["losses"].toArray().size(), 12);
        QVERIFY(answer["medianStepTime"].toDouble() > 0);
        for (const auto& bytes : answer["peakRssBytes"].toArray()) QVERIFY(bytes.toDouble() > 1e6);
        QCOMPARE(QFileInfo(path("r/ranks/00001/spans.bin")).size(), 16);  // the header alone
        QCOMPARE(read("r/ranks/00001/metrics.ndjson").count('\n'), 1);
        const auto doubtful = start({}, {{"STAGECRAFT_TELEMETRY", "no"}});
        QVERIFY(ended(*doubtful));
        QCOMPARE(doubtful->exitCode(), 1);
    }

    void ranksEndWithTheirSupervisor()
    {
        const auto process = start({"/training/steps=1000000"});
        const auto pids = waitForSteps();
        process->kill();
        QVERIFY(ended(*process));
        for (const pid_t pid : pids) QTRY_VERIFY_WITH_TIMEOUT(!alive(pid), 60'000);
    }
};

QTEST_GUILESS_MAIN(TstRunEngine)
#include "tst_run_engine.moc"
