// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that are continued, lost, damaged or recorded elsewhere: what the commands say of them. The ranks are
// tests/launch/fake_worker.
#include "fake_ranks.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QtTest>
#include <cmath>
#include <csignal>

class TstRunAgain : public QObject, stagecraft::test::FakeRanks {
    Q_OBJECT
    using Answer = stagecraft::test::Answer;

private slots:
    void initTestCase() { QVERIFY(!qEnvironmentVariable("STAGECRAFT_BIN_DIR").isEmpty()); }

    void init()
    {
        freshFolder();
        write("w.json", R"({"stagecraft": 1, "name": "again",
            "model": {"family": "llama", "hidden": 64, "layers": 2, "heads": 4, "kvHeads": 4, "ffn": 128, "vocab": 256, "seq": 32},
            "data": {"source": "builtin:demo"}, "hardware": {"devicesPerNode": 2}, "layout": {"dp": 2}, "training": {"steps": 8},
            "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 1}}})");
    }

    void goingBackGivesUpWhatWasLater()
    {
        const QString killed = R"({"steps": 8, "saveEvery": 2, "faults": [{"rank": 0, "step": 7, "do": "kill"}]})";
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, killed).code, 1);
        QCOMPARE(read("r/checkpoints/latest"), QByteArray("step_0000006\n"));
        // Back to step 2, and killed before that start saved anything.
        const Answer back = call({"run", "w.json", "--run-dir", "r", "--resume", "2"}, R"({"steps": 8, "faults": [{"rank": 1, "step": 4, "do": "kill"}]})");
        QCOMPARE(back.code, 1);
        QVERIFY2(back.err.contains("from step 2: its later checkpoints (6, 4)"), back.err);
        const Answer onward = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json"}, R"({"steps": 8})");
        QVERIFY2(onward.code == 0, onward.err);
        QCOMPARE(readJson("r/run.json")["resumedFrom"].toInt(), 2);
        QCOMPARE(onward.json()["losses"].toArray().size(), 6);
        // The later ones are there for who asks for them by number.
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", "6"}, R"({"steps": 8})").code, 0);
    }

    /// Back to 4, and then, that one being disliked, to the 12 of the first start: its steps count again, and nothing of the second does.
    void goingBackToAGivenUpTraining()
    {
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--set", "/training/steps=12"}, R"({"steps": 12, "saveEvery": 4})").code, 0);
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--set", "/training/steps=10", "--resume", "4"}, R"({"steps": 10, "saveEvery": 3})").code, 0);
        const QStringList more{"run", "w.json", "--run-dir", "r", "--json", "--set", "/training/steps=14", "--resume"};
        const Answer back = call(more + QStringList("12"), R"({"steps": 14, "saveEvery": 14})");
        QVERIFY2(back.code == 0, back.err);
        QVERIFY2(back.err.contains("checkpoints beside its training (9, 6)"), back.err);
        QCOMPARE(back.json()["losses"].toArray().size(), 2);
        QCOMPARE(readJson("r/run.json")["resumedAttempt"].toInt(-1), 0);
        QCOMPARE(call({"export", "r", "--to", "metrics", "--out", "m"}).code, 0);
        const QList<QByteArray> rows = read("m/training_metrics.csv").trimmed().split('\n');
        QCOMPARE(rows.size(), 15);
        for (int step = 1; step <= 14; ++step) QCOMPARE(rows[step].split(',').value(0), QByteArray::number(step));
        QVERIFY(call({"watch", "r", "--once"}).out.contains("goes on from step 12 as start 0 trained it"));
        // What is left to go on from, newest first, when the newest are damaged.
        for (const char* damaged : {"r/checkpoints/step_0000014", "r/checkpoints/step_0000012"}) QVERIFY(QFile::remove(path(damaged) + "/complete"));
        QCOMPARE(call(more + QStringList("auto"), R"({"steps": 14})").code, 0);
        QCOMPARE(readJson("r/run.json")["resumedFrom"].toInt(), 8);
    }

    /// The first start's clock was ten minutes ahead: what the second one did is told all the same.
    void aClockThatWasSetBack()
    {
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8, "saveEvery": 4})").code, 0);
        static const QRegularExpression kTime(R"re(("(?:t_ns|started_ns|ended_ns)": ?)(\d{19}))re");
        for (const char* file : {"r/run.json", "r/events.ndjson", "r/ranks/00000/metrics.ndjson", "r/ranks/00001/metrics.ndjson"}) {
            QString text = QString::fromUtf8(read(file)), ahead;
            qsizetype at = 0;
            for (auto it = kTime.globalMatch(text); it.hasNext();) {
                const auto time = it.next();
                ahead += text.mid(at, time.capturedStart() - at) + time.captured(1) + QString::number(time.captured(2).toLongLong() + 600'000'000'000);
                at = time.capturedEnd();
            }
            QVERIFY2(at > 0, file);
            write(file, (ahead + text.mid(at)).toUtf8());
        }
        const Answer onward = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json", "--set", "/training/steps=12"}, R"({"steps": 12})");
        QVERIFY2(onward.code == 0, onward.err);
        QCOMPARE(onward.json()["losses"].toArray().size(), 4);
        QCOMPARE(onward.json()["steps"].toInt(), 12);
        QVERIFY(onward.json()["medianStepTime"].toDouble() > 0);
        QCOMPARE(call({"export", "r", "--to", "metrics", "--out", "m"}).code, 0);
        QCOMPARE(read("m/training_metrics.csv").trimmed().split('\n').size(), 13);
        const QByteArray watched = call({"watch", "r", "--once"}).out;
        QVERIFY2(watched.indexOf("step 9 of") > watched.indexOf("step 8 of"), watched);
    }

    void whatHasNoEffectIsSaidBeforeTheFirstStep()
    {
        const Answer answer = call({"run", "w.json", "--run-dir", "r", "--set", "/training/saveEveri=50", "--set", "/training/evalEvery=2"}, R"({"steps": 8})");
        QVERIFY2(answer.code == 0, answer.err);
        QVERIFY2(answer.err.contains("no field of a workspace is called /training/saveEveri"), answer.err);
        QVERIFY2(answer.err.contains("training.evalEvery is 2 and there is nothing to evaluate on"), answer.err);
        QVERIFY(read("r/events.ndjson").contains("/training/saveEveri"));
        const Answer fine = call({"run", "w.json", "--run-dir", "s", "--set", "/training/evalEvery=2", "--set", "/data/validationFraction=0.1"}, R"({"steps": 8})");
        QVERIFY2(!fine.err.contains("evalEvery"), fine.err);
    }

    /// Neither the file of the first weights nor what a cut-off save left is needed to go on.
    void aStartThatGoesOnNeedsItsCheckpointAlone()
    {
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8, "saveEvery": 4})").code, 0);
        QVERIFY(QDir(path()).mkpath("r/checkpoints/.step_0000007.partial"));
        QVERIFY(QDir(path()).mkpath("r/checkpoints/.mine.partial"));
        write("r/checkpoints/.step_0000007.partial/rank_00000.bin", "half");
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", "4", "--set", "/model/init=gone.safetensors"}, R"({"steps": 8})").code, 0);
        QVERIFY(!QFile::exists(path("r/checkpoints/.step_0000007.partial")));
        QVERIFY(QFile::exists(path("r/checkpoints/.mine.partial")));
        QCOMPARE(call({"run", "w.json", "--run-dir", "s", "--set", "/model/init=gone.safetensors"}, R"({"steps": 8})").code, 2);
    }

    void aRunThatCannotBeLockedIsNotCalledGoingOn()
    {
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8})").code, 0);
        QVERIFY(QFile::remove(path("r/lock")) && QDir(path()).mkpath("r/lock"));
        const Answer answer = call({"runs", "delete", "r"});
        QVERIFY2(answer.code != 0 && answer.err.contains("Cannot delete") && !answer.err.contains("going on"), answer.err);
    }

    /// A start over, or from an earlier step, takes back what was recorded beyond it: validation losses, steps and what the list says.
    void theFolderItWasStartedInIsGone()
    {
        QProcess shell;
        shell.setWorkingDirectory(path());
        shell.start("/bin/sh", {"-c", "mkdir gone && cd gone && rmdir ../gone && exec \"$0\" run \"$1\" --run-dir here", program(), path("w.json")});
        const Answer answer = end(shell);
        QCOMPARE(answer.code, 1);
        QVERIFY2(answer.err.contains("it is not there any more"), answer.err);
    }

    void whatWasGivenUpIsNotToldAsThisTraining_data()
    {
        QTest::addColumn<QString>("resume");
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::newRow("over again, to fewer steps") << "no" << 0 << 3;
        QTest::newRow("over again, ended before its first step") << "no" << 0 << 0;
        QTest::newRow("from an earlier step, to fewer steps") << "2" << 2 << 5;
        QTest::newRow("from an earlier step, ended before its first step") << "2" << 2 << 2;
    }
    void whatWasGivenUpIsNotToldAsThisTraining()
    {
        QFETCH(QString, resume);
        QFETCH(int, from);
        QFETCH(int, to);
        const int evaluated = to - to % 2;  // the fake rank evaluates every other step
        QCOMPARE(call({"run", "w.json"}, R"({"steps": 8})").code, 0);   // makes the folder of runs
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8, "saveEvery": 2})").code, 0);
        // A rank that is killed may lose what it has not written yet: only a start without a step is ended so.
        const QString end = to > from ? QString(R"({"steps": %1})").arg(to) : QString(R"({"steps": 8, "faults": [{"rank": 0, "step": %1, "do": "kill"}, {"rank": 1, "step": %1, "do": "hang"}]})").arg(to + 1);
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", resume}, end).code, to > from ? 0 : 1);
        QCOMPARE(call({"export", "r", "--to", "metrics", "--out", "m"}).code, 0);
        const QJsonObject summary = readJson("m/summary.json");
        QCOMPARE(summary["steps"].toInt(), to);
        if (evaluated > 0) QVERIFY(qFuzzyCompare(summary["lastEvalLoss"].toDouble(), 5.0 / std::sqrt(evaluated) + 0.1));
        else QVERIFY(summary["lastEvalLoss"].isNull());
        QCOMPARE(read("m/training_metrics.csv").trimmed().split('\n').size(), 1 + to);
        QCOMPARE(call({"report", "r", "--out", "r.html"}).code, 0);
        const QByteArray report = read("r.html");
        QVERIFY2(report.contains("<span>steps</span><b>" + QByteArray::number(to) + " of 8</b>"), report.mid(report.indexOf("<span>steps"), 80));
        QCOMPARE(report.contains("validation loss, last"), evaluated > 0);
        QVERIFY(call({"watch", "r", "--once"}).out.contains(from == 0 ? "started over" : "goes on from step 2: later steps above are given up"));
        for (const auto& run : call({"runs", "list", "--json"}).json()["runs"].toArray())
            if (run.toObject()["run"].toString().endsWith("/r")) {
                QCOMPARE(run.toObject()["doneSteps"].toInt(), to);
                if (to == from) QVERIFY(run.toObject()["loss"].isNull());
                return;
            }
        QFAIL("the list has no such run");
    }

    /// The checkpoint that training.saveEvery asks for at the end is part of what was asked for; one before it is not, once a later one is there.
    void aCheckpointThatWasNotWritten_data()
    {
        QTest::addColumn<QString>("fails");
        QTest::addColumn<int>("code");
        QTest::addColumn<int>("from");
        QTest::newRow("the last") << "[8]" << 1 << 4;
        QTest::newRow("all") << "[4, 8]" << 1 << 0;
        QTest::newRow("one that a later one makes up for") << "[4]" << 0 << 8;
    }
    void aCheckpointThatWasNotWritten()
    {
        QFETCH(QString, fails);
        QFETCH(int, code);
        QFETCH(int, from);
        const Answer answer = call({"run", "w.json", "--run-dir", "r", "--json"}, QString(R"({"steps": 8, "saveEvery": 4, "failSaves": %1})").arg(fails));
        QVERIFY2(answer.code == code, answer.err);
        QCOMPARE(answer.json()["losses"].toArray().size(), 8);
        const QJsonArray saves = answer.json()["failedSaves"].toArray();
        QCOMPARE(saves.size(), fails.count(',') + 1);
        QCOMPARE(saves[0].toObject()["message"].toString(), QString("No space left on device."));
        const QJsonObject failure = readJson("r/run.json")["failure"].toObject();
        QCOMPARE(readJson("r/run.json")["status"].toString(), QString(code == 0 ? "finished" : "failed"));
        QCOMPARE(answer.json()["failure"].toObject()["message"].toString(), failure["message"].toString());
        QCOMPARE(failure["kind"].toString(), QString(code == 0 ? "" : "checkpoint"));
        if (code != 0) QVERIFY2(failure["message"].toString().startsWith("The last checkpoint, of step 8, was not written: No space left on device; " + QString(from > 0 ? "mend that and go on from step 4" : "there is no other")), qPrintable(failure["message"].toString()));
        QCOMPARE(answer.err.contains("stagecraft: The last checkpoint"), code != 0);
        const Answer report = call({"report", "r", "--out", "r.html"});
        QCOMPARE(report.code, 0);
        QCOMPARE(read("r.html").contains("The checkpoint of step 4 was not written: No space left"), fails.contains('4'));
        QCOMPARE(read("r.html").contains("Failed:"), code != 0);
        // What the message says to do, does it.
        const Answer onward = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json", "--set", "/training/steps=12"}, R"({"steps": 12, "saveEvery": 4})");
        QVERIFY2(onward.code == 0, onward.err);
        QCOMPARE(onward.json()["losses"].toArray().size(), 12 - from);
        QCOMPARE(onward.json()["failedSaves"].toArray().size(), 0);
    }

    void fewerRanksLeaveNoPhantoms()
    {
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8, "saveEvery": 4, "faults": [{"rank": 0, "step": 6, "do": "kill"}]})").code, 1);
        const Answer one = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json", "--set", "/layout/dp=1", "--set", "/hardware/devicesPerNode=1"}, R"({"steps": 8})");
        QVERIFY2(one.code == 0, one.err);
        QCOMPARE(one.json()["peakRssBytes"].toArray().size(), 1);
        QCOMPARE(call({"runs", "show", "r", "--json"}).json()["peakRssBytes"].toArray().size(), 1);
        QVERIFY(!call({"runs", "show", "r"}).out.contains("rank 1"));
        QCOMPARE(call({"report", "r", "--out", "r.html"}).code, 0);
        QCOMPARE(read("r.html").count("<tr><td>"), 1);
        QCOMPARE(call({"export", "r", "--to", "metrics", "--out", "m"}).code, 0);
        QCOMPARE(readJson("m/summary.json")["peakRssBytes"].toArray().size(), 1);
        // Of the steps that were taken again, only the last start's are left; those before are of both ranks.
        const QList<QByteArray> rows = read("m/training_metrics.csv").split('\n');
        const auto peak = [&](int step) { return rows.value(step).trimmed().split(',').value(13).toInt(); };
        QCOMPARE(rows.value(0).trimmed().split(',').value(13), QByteArray("peak_rss_bytes"));
        QCOMPARE(peak(4), 2'000'004);
        QCOMPARE(peak(5), 1'000'005);
    }

    void latestIsTheNewestOfTheList()
    {
        QCOMPARE(call({"run", "w.json"}, R"({"steps": 8})").code, 0);
        QCOMPARE(call({"run", "w.json", "--run-dir", "elsewhere", "--set", "/name=newest"}, R"({"steps": 8})").code, 0);
        const QJsonArray runs = call({"runs", "list", "--json"}).json()["runs"].toArray();
        QCOMPARE(runs.size(), 2);
        const Answer shown = call({"runs", "show", "latest", "--json"});
        QVERIFY2(shown.code == 0, shown.err);
        QCOMPARE(shown.json()["run"].toString(), runs[0].toObject()["run"].toString());
        QVERIFY(call({"watch", "latest", "--once"}).out.startsWith("newest"));
    }

    void aRunIsFoundByTheUsersFile()
    {
        write("copy.json", read("w.json"));
        QCOMPARE(call({"run", "copy.json", "--recorded-as", path("w.json"), "--run-dir", "r"}, R"({"steps": 8})").code, 0);
        QCOMPARE(readJson("r/run.json")["workspaceFile"].toString(), QFileInfo(path("w.json")).canonicalFilePath());
        const Answer files = call({"export", "w.json", "--to", "metrics", "--out", "m"});
        QVERIFY2(files.code == 0, files.err);
        QCOMPARE(call({"export", "copy.json", "--to", "metrics", "--out", "m"}).code, 2);
        // The workspace that a run recorded stands for the one it was started with: continued, or run elsewhere.
        QCOMPARE(call({"run", "r/workspace.json", "--run-dir", "r", "--resume", "no"}, R"({"steps": 8})").code, 0);
        QCOMPARE(call({"run", "r/workspace.json", "--run-dir", "s"}, R"({"steps": 8})").code, 0);
        for (const char* run : {"r/run.json", "s/run.json"}) QCOMPARE(readJson(run)["workspaceFile"].toString(), QFileInfo(path("w.json")).canonicalFilePath());
    }

    void aLostRunIsToldByWhatItRecorded()
    {
        const auto process = start({"run", "w.json", "--run-dir", "r", "--set", "/training/steps=100000"}, R"({"steps": 100000})");
        QTRY_VERIFY_WITH_TIMEOUT(readJson("r/run.json")["status"].toString() == "running" && QFile(path("r/ranks/00000/metrics.ndjson")).size() > 10'000, 20'000);
        process->kill();
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(20'000));
        for (const auto& rank : readJson("r/run.json")["ranks"].toArray()) QTRY_VERIFY_WITH_TIMEOUT(::kill(rank.toObject()["pid"].toInt(), 0) != 0, 20'000);
        const QJsonObject shown = call({"runs", "show", "r", "--json"}).json();
        QCOMPARE(shown["status"].toString(), QString("lost"));
        QCOMPARE(shown["info"].toObject()["doneSteps"].toInt(), shown["steps"].toInt());
        for (const auto& rank : shown["info"].toObject()["ranks"].toArray()) QCOMPARE(rank.toObject()["state"].toString(), QString("lost"));
        const QByteArray text = call({"runs", "show", "r"}).out;
        QVERIFY2(text.contains(QByteArray("steps    ") + QByteArray::number(shown["steps"].toInt()) + " of") && !text.contains("running") && !text.contains("the last recorded"), text);
        // The advice can be pasted into a shell, whatever the folder is called.
        QVERIFY(QDir(path()).rename("r", "the lost one's run"));
        const Answer watched = call({"watch", "the lost one's run"});
        QCOMPARE(watched.code, 1);
        QVERIFY2(watched.out.contains(("--run-dir '" + path("the lost one'\\''s run") + "' --resume auto").toUtf8()) || watched.out.contains("--run-dir 'the lost one'\\''s run' --resume auto"), watched.out);
    }

    void aDamagedRecordIsSaidToBeDamaged()
    {
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8, "saveEvery": 4})").code, 0);
        write("r/run.json", "{");
        const Answer shown = call({"runs", "show", "r"});
        QVERIFY2(shown.code != 0 && shown.err.contains("damaged") && shown.err.contains("run.json"), shown.err);
        // Neither overwritten unasked nor, started over, continued by mistake.
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8})").code, 1);
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", "no"}, R"({"steps": 8})").code, 0);
        QCOMPARE(QDir(path("r")).entryList({"checkpoints*"}, QDir::Dirs), QStringList("checkpoints_of_start_0"));
    }

    void longRunsHaveALongWay()
    {
        const Answer answer = call({"run", "w.json", "--run-dir", "r", "--set", "/training/steps=1000000000000"}, R"({"steps": 3, "stepMs": 10})");
        QVERIFY2(answer.err.contains(" years left") && !answer.err.contains("  -"), answer.err);
    }
};

QTEST_GUILESS_MAIN(TstRunAgain)
#include "tst_run_again.moc"
