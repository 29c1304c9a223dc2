// SPDX-License-Identifier: GPL-3.0-or-later
// Faults at random moments of runs that really train: kill -9 of any rank at any stage, and disks that fill up or turn
// read-only. A few rounds in every test run; STAGECRAFT_LONG=1 (./workbench test --long) does many.
// STAGECRAFT_SEED repeats a campaign. Guards of 60 s bound a hung test; they are no promise of speed.
#include "../base/test_seed.h"
#include "command_line.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cerrno>
#include <csignal>
#include <random>

class TstFaultCampaign : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

    struct Answer {
        int code = -1;
        QByteArray err;
        QJsonObject json;
    };

    std::mt19937 m_random;

    static bool isLong() { return qEnvironmentVariableIntValue("STAGECRAFT_LONG") == 1; }
    int below(int end) { return static_cast<int>(m_random() % static_cast<unsigned>(end)); }

    void freshWorkspace()
    {
        freshFolder();
        write("w.json", R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 32, "layers": 2, "heads": 2, "kvHeads": 2, "ffn": 64, "vocab": 256, "seq": 32},
            "training": {"steps": 24, "saveEvery": 4, "evalEvery": 6}, "data": {"validationFraction": 0.001},
            "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2, "stage3_param_persistence_threshold": 0}, "optimizer": {"type": "AdamW", "params": {"lr": 0.01}}}})");
    }

    std::unique_ptr<QProcess> start(int world, int stage, const QStringList& more, const Variables& variables = {}) const
    {
        QStringList arguments{"run", "w.json", "--json", "--run-dir", "r"};
        arguments << "--set" << QString("/hardware={\"devicesPerNode\": %1}").arg(world) << "--set" << QString("/dsConfig/zero_optimization/stage=%1").arg(stage) << more;
        return CommandLine::start(arguments, variables);
    }

    static Answer end(QProcess& process)
    {
        const stagecraft::test::Answer answer = CommandLine::end(process);
        return {answer.code, answer.err + answer.json()["error"].toObject()["message"].toString().toUtf8(), answer.json()};
    }

    QJsonArray ranks() const { return readJson("r/run.json")["ranks"].toArray(); }

    /// The run goes on from its newest checkpoint, or from the beginning, and ends well.
    void resumes(int world, int stage)
    {
        const QStringList saved = QDir(path("r/checkpoints")).entryList({"step_*"}, QDir::Dirs, QDir::Name);
        const int from = saved.isEmpty() ? 0 : saved.last().mid(5).toInt();
        const auto process = start(world, stage, {"--resume", "auto", "--set", QString("/training/steps=%1").arg(from + 6)});
        const Answer answer = end(*process);
        QVERIFY2(answer.code == 0, answer.err);
        QCOMPARE(answer.json["steps"].toInt(), from + 6);
        QCOMPARE(answer.json["losses"].toArray().size(), 6);
    }

private slots:
    void initTestCase()
    {
        m_random.seed(stagecraft::testing::testSeed());
    }

    void aRankKilledAtAnyMomentIsNamed_data()
    {
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("round");
        const int rounds = isLong() ? 25 : 1;
        for (int round = 0; round < rounds; ++round)
            for (int stage = 0; stage <= 3; ++stage) QTest::addRow("stage %d, round %d", stage, round) << stage << round;
    }
    void aRankKilledAtAnyMomentIsNamed()
    {
        QFETCH(int, stage);
        QFETCH(int, round);
        freshWorkspace();
        const int world = 2 + below(2), victim = below(world), afterMs = below(1500);
        // Saves now and then: a death in the middle of one leaves the one before.
        const auto process = start(world, stage, {"--set", "/training/steps=1000000", "--set", "/training/saveEvery=50"});
        // From its first moment, before it says a word, to well into training.
        QTRY_VERIFY_WITH_TIMEOUT(ranks().size() == world && ranks()[victim].toObject()["pid"].toInt() > 0, 60'000);
        QTest::qWait(afterMs);
        std::vector<pid_t> pids;
        for (const auto& rank : ranks()) pids.push_back(rank.toObject()["pid"].toInt());
        QCOMPARE(::kill(pids[static_cast<std::size_t>(victim)], SIGKILL), 0);
        const Answer answer = end(*process);
        const QByteArray about = "world " + QByteArray::number(world) + ", killed rank " + QByteArray::number(victim) + " after " + QByteArray::number(afterMs) + " ms: " + answer.err;
        QVERIFY2(answer.code == 1, about);
        const QJsonObject failure = answer.json["failure"].toObject();
        QVERIFY2(failure["rank"].toInt(-1) == victim && failure["kind"].toString() == "signal" && failure["message"].toString().contains("SIGKILL"), about);
        for (const pid_t pid : pids) QVERIFY2(::kill(pid, 0) != 0, about);
        QVERIFY2(!QDir(path("r/attempt_0")).exists(), about);
        if (round % 5 == 0) resumes(world, stage);
    }

    /// The launcher itself dies: no rank outlives it, and the run goes on from what was saved.
    void aKilledSupervisorLeavesNothing()
    {
        const int rounds = isLong() ? 20 : 1;
        for (int round = 0; round < rounds; ++round) {
            freshWorkspace();
            const int world = 2 + below(2), stage = below(4);
            const auto process = start(world, stage, {"--set", "/training/steps=1000000", "--set", "/training/saveEvery=50"});
            QTRY_VERIFY_WITH_TIMEOUT(ranks().size() == world && ranks().last().toObject()["pid"].toInt() > 0, 60'000);
            QTest::qWait(below(1500));
            const QJsonArray all = ranks();
            process->kill();
            (void)end(*process);
            for (const auto& rank : all) QTRY_VERIFY_WITH_TIMEOUT(::kill(rank.toObject()["pid"].toInt(), 0) != 0, 60'000);
        }
    }

    void aBadDiskIsToldAndDamagesNothing_data()
    {
        QTest::addColumn<QString>("where");
        QTest::addColumn<int>("error");
        QTest::addColumn<int>("stage");
        const int rounds = isLong() ? 10 : 1;
        for (int round = 0; round < rounds; ++round)
            for (const auto& [name, error] : {std::pair{"full", ENOSPC}, std::pair{"read-only", EROFS}}) {
                QTest::addRow("%s under a checkpoint, round %d", name, round) << QString(".partial/") << error << below(4);
                QTest::addRow("%s under the metrics, round %d", name, round) << QString("metrics.ndjson") << error << below(4);
                QTest::addRow("%s under the events, round %d", name, round) << QString("events.ndjson") << error << below(4);
                QTest::addRow("%s under the spans, round %d", name, round) << QString("spans.bin") << error << below(4);
            }
    }
    /// The disk fails at a random write. Training goes on; what could not be kept is told; what is there is whole.
    void aBadDiskIsToldAndDamagesNothing()
    {
        QFETCH(QString, where);
        QFETCH(int, error);
        QFETCH(int, stage);
        freshWorkspace();
        const bool checkpoint = where == ".partial/";
        // A save has 33 writes a rank or more, each step one of the metrics, and all spans may go in one, after their header.
        const int after = checkpoint ? below(120) : where == "spans.bin" ? 1 : 2 + below(6);
        const auto process = start(2, stage, {}, {{"LD_PRELOAD", FAULTY_DISK}, {"FAULTY_DISK_PATH", where}, {"FAULTY_DISK_ERRNO", QString::number(error)}, {"FAULTY_DISK_AFTER", QString::number(after)}});
        const Answer answer = end(*process);
        const QByteArray about = where.toUtf8() + " from write " + QByteArray::number(after) + ": " + answer.err;
        QVERIFY2(answer.code == 0 || answer.code == 1, about);
        QVERIFY2(answer.err.contains(std::strerror(error)), about);
        if (where == "metrics.ndjson") QVERIFY2(answer.code == 1 && answer.err.contains("is not whole"), about);
        if (where == "spans.bin") QVERIFY2(answer.code == 0 && answer.json["losses"].toArray().size() == 24, about);
        if (checkpoint) {
            // The disk stays bad: the last checkpoint is not there, and that is no success.
            QVERIFY2(answer.code == 1 && answer.json["losses"].toArray().size() == 24, about);
            QCOMPARE(answer.json["failure"].toObject()["kind"].toString(), QString("checkpoint"));
            QVERIFY2(answer.err.contains("was not written"), about);  // told on the terminal too
        }
        // Every line but a torn last one is a record, and every checkpoint there is is whole.
        for (const char* name : {"r/events.ndjson", "r/ranks/00000/metrics.ndjson"}) {
            const QList<QByteArray> lines = read(name).split('\n');
            QVERIFY2(lines.size() > 1, about);
            for (qsizetype i = 0; i + 1 < lines.size(); ++i) QVERIFY2(QJsonDocument::fromJson(lines[i]).isObject(), lines[i]);
        }
        for (const QString& name : QDir(path("r/checkpoints")).entryList({"step_*"}, QDir::Dirs)) QVERIFY2(QFile::exists(path("r/checkpoints/" + name + "/complete")), about);
        resumes(2, stage);
    }

    /// While a disk is full those who watch are told, as the record cannot; when it is cleared nothing is missing.
    void aFullDiskIsToldToThoseWhoWatch()
    {
        freshWorkspace();
        const auto process = start(2, 1, {"--set", "/training/steps=1000000", "--set", "/training/saveEvery=0"}, {{"LD_PRELOAD", FAULTY_DISK}, {"FAULTY_DISK_PATH", "/r/"}, {"FAULTY_DISK_ERRNO", QString::number(ENOSPC)}, {"FAULTY_DISK_WHILE", path("full")}});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path("r/ranks/00000/metrics.ndjson")) && QFileInfo(path("r/ranks/00000/metrics.ndjson")).size() > 0, 60'000);
        const auto watch = CommandLine::start({"watch", "r", "--json"});
        QByteArray said;
        const auto says = [&](const QByteArray& text) { return (said += watch->readAllStandardOutput()).contains(text); };
        QTRY_VERIFY_WITH_TIMEOUT(says("\"step\""), 60'000);
        write("full", {});
        QTRY_VERIFY2_WITH_TIMEOUT(says("\"problem\":\"Cannot write"), said, 60'000);
        QVERIFY2(said.contains(std::strerror(ENOSPC)), said);
        QVERIFY(QFile::remove(path("full")));
        QTRY_VERIFY2_WITH_TIMEOUT(says("\"problem\":null"), said, 60'000);
        process->terminate();
        const Answer answer = end(*process);
        QCOMPARE(answer.code, 130);
        QVERIFY(ended(*watch));
        QCOMPARE(answer.json["losses"].toArray().size(), answer.json["steps"].toInt());
    }

    /// A disk that is full to the end: what the run kept free has room for how it ended, so that it does not read as lost.
    void aFullDiskDoesNotHideTheEnd()
    {
        freshWorkspace();
        const auto process = start(2, 1, {}, {{"LD_PRELOAD", FAULTY_DISK}, {"FAULTY_DISK_PATH", "/r/run.json"}, {"FAULTY_DISK_ERRNO", QString::number(ENOSPC)}, {"FAULTY_DISK_AFTER", "2"}, {"FAULTY_DISK_WHILE", path("r/.reserve")}});
        const Answer answer = end(*process);
        QCOMPARE(answer.code, 1);
        const QJsonObject run = readJson("r/run.json");
        QCOMPARE(run["status"].toString(), QString("failed"));
        QCOMPARE(run["failure"].toObject()["kind"].toString(), QString("record"));
        QCOMPARE(run["doneSteps"].toInt(), 24);
        QVERIFY(!QFile::exists(path("r/.reserve")));
    }

    /// A run folder that cannot be written is refused before a process starts.
    void aReadOnlyFolderIsRefusedAtOnce()
    {
        freshWorkspace();
        const auto process = start(2, 0, {}, {{"LD_PRELOAD", FAULTY_DISK}, {"FAULTY_DISK_PATH", "/r/"}, {"FAULTY_DISK_ERRNO", QString::number(EROFS)}});
        const Answer answer = end(*process);
        QVERIFY2(answer.code == 1 || answer.code == 2, answer.err);
        QVERIFY2(answer.err.contains("Read-only file system"), answer.err);
        QVERIFY2(!answer.json["error"].toObject().isEmpty(), answer.err);
        QVERIFY(!QFile::exists(path("r/ranks/00000/stderr.log")));
    }
};

QTEST_GUILESS_MAIN(TstFaultCampaign)
#include "tst_fault_campaign.moc"
