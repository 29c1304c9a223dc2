// SPDX-License-Identifier: GPL-3.0-or-later
// The commands around a run, as a script sees them: exit codes, one document on stdout, one line of error. The ranks are
// tests/launch/fake_worker: real processes that speak the protocol.
#include "fake_ranks.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <cmath>
#include <csignal>

class TstRunCli : public QObject, stagecraft::test::FakeRanks {
    Q_OBJECT
    using Answer = stagecraft::test::Answer;

    static QJsonObject workspace()
    {
        return QJsonDocument::fromJson(R"({"stagecraft": 1, "name": "a <b> & 'c'",
            "model": {"family": "llama", "hidden": 64, "layers": 2, "heads": 4, "kvHeads": 4, "ffn": 128, "vocab": 256, "seq": 32},
            "data": {"source": "builtin:demo"}, "hardware": {"devicesPerNode": 2}, "layout": {"dp": 2}, "training": {"steps": 8},
            "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 1}}})").object();
    }

private slots:
    void initTestCase() { QVERIFY(!qEnvironmentVariable("STAGECRAFT_BIN_DIR").isEmpty()); }

    void aRunAnswersAsScriptsExpect()
    {
        fresh();
        const Answer answer = call({"run", "w.json", "--json", "--run-dir", "r"}, R"({"steps": 8})");
        QVERIFY2(answer.code == 0, answer.err);
        const QJsonObject json = answer.json();
        QCOMPARE(json["status"].toString(), QString("finished"));
        QCOMPARE(json["run"].toString(), path("r"));
        QCOMPARE(json["steps"].toInt(), 8);
        QCOMPARE(json["losses"].toArray().size(), 8);
        QCOMPARE(json["losses"].toArray()[1].toDouble(), 5.0 / std::sqrt(2.0));
        QCOMPARE(json["gradNorms"].toArray()[0].toDouble(), 1.0 / 3.0);
        QVERIFY(json["medianStepTime"].toDouble() > 0);
        QCOMPARE(json["peakRssBytes"].toArray().size(), 2);
        QVERIFY(json["params"].toInt() > 50'000);
        QVERIFY(json["failure"].isNull());
        for (const char* file : {"run.json", "plan.json", "workspace.json", "events.ndjson", "ranks/00000/metrics.ndjson", "ranks/00001/spans.bin", "ranks/00001/stdout.log"})
            QVERIFY2(QFile::exists(path(QString("r/") + file)), file);
        const QJsonObject plan = readJson("r/plan.json");
        QVERIFY(plan["schedule"].isObject());
        QCOMPARE(plan["units"].toArray().size(), 4);

        const Answer watched = call({"watch", "r", "--json"});
        QCOMPARE(watched.code, 0);
        int steps = 0;
        QJsonObject last;
        for (const QByteArray& line : watched.out.split('\n')) {
            if (line.isEmpty()) continue;
            last = QJsonDocument::fromJson(line).object();
            QVERIFY2(!last.isEmpty(), line);
            steps += last["type"].toString() == "step" ? 1 : 0;
        }
        QCOMPARE(steps, 16);
        QCOMPARE(last["status"].toString(), QString("finished"));

        const Answer report = call({"report", "r", "--out", "r.html"});
        QCOMPARE(report.code, 0);
        QFile html(path("r.html"));
        QVERIFY(html.open(QIODevice::ReadOnly));
        const QByteArray page = html.readAll();
        QCOMPARE(page.count("role=\"img\""), 7);
        QVERIFY(!page.contains("http") && !page.contains("<script") && !page.contains("a <b>"));
        QVERIFY(page.contains("a &lt;b&gt; &amp; &#39;c&#39;"));

        const Answer files = call({"export", "r", "--to", "metrics", "--out", "m", "--json"});
        QVERIFY2(files.code == 0, files.err);
        QFile table(path("m/training_metrics.csv"));
        QVERIFY(table.open(QIODevice::ReadOnly));
        QCOMPARE(table.readAll().count("\r\n"), 9);
        QCOMPARE(readJson("m/summary.json")["steps"].toInt(), 8);
        QCOMPARE(readJson("m/deepspeed_config_auto.json")["train_micro_batch_size_per_gpu"].toInt(), 2);
        QVERIFY(QFile::exists(path("m/training_curves.svg")));
        // The picture needs the window's program; where that is not built, the answer says so.
        if (QFile::exists(qEnvironmentVariable("STAGECRAFT_BIN_DIR") + "/stagecraft-gui")) {
            QFile picture(path("m/training_curves.png"));
            QVERIFY2(picture.open(QIODevice::ReadOnly), files.err);
            QCOMPARE(picture.read(8), QByteArray("\x89PNG\r\n\x1a\n"));
        } else {
            QCOMPARE(files.json()["warnings"].toArray().size(), 1);
        }
        QCOMPARE(call({"export", "w.json", "--to", "metrics", "--out", "m2"}).code, 0);   // its newest run
        write("never.json", QJsonDocument(workspace()).toJson());
        QCOMPARE(call({"export", "never.json", "--to", "metrics", "--out", "m3"}).code, 2);

        const Answer trace = call({"runs", "trace", "r", "--out", "t.json", "--json"});
        QVERIFY2(trace.code == 0, trace.err);
        QCOMPARE(trace.json()["spans"].toInt(), 16);
    }

    void aKilledRankIsNamed()
    {
        fresh();
        const Answer answer = call({"run", "w.json", "--json", "--run-dir", "r"}, R"({"steps": 1000, "faults": [{"rank": 1, "step": 3, "do": "kill"}]})");
        QCOMPARE(answer.code, 1);
        const QJsonObject failure = answer.json()["failure"].toObject();
        QCOMPARE(failure["rank"].toInt(), 1);
        QCOMPARE(failure["kind"].toString(), QString("signal"));
        QVERIFY(failure["message"].toString().contains("SIGKILL"));
        QVERIFY2(answer.err.contains("rank 1") && answer.err.contains("; the other ranks are stopped"), answer.err);
        const QJsonObject info = readJson("r/run.json");
        QCOMPARE(info["status"].toString(), QString("failed"));
        for (const auto& rank : info["ranks"].toArray()) QVERIFY(::kill(rank.toObject()["pid"].toInt(), 0) != 0);
        QCOMPARE(call({"watch", "r"}).code, 1);
        QVERIFY(call({"report", "r", "--out", "r.html"}).code == 0);
    }

    void aRankAloneStopsNoOthers()
    {
        fresh();
        const Answer answer = call({"run", "w.json", "--run-dir", "r", "--set", "/layout/dp=1", "--set", "/hardware/devicesPerNode=1"}, R"({"steps": 1000, "faults": [{"rank": 0, "step": 3, "do": "kill"}]})");
        QCOMPARE(answer.code, 1);
        QVERIFY2(answer.err.contains("SIGKILL") && !answer.err.contains("other ranks"), answer.err);
    }

    void interruptedOnceItStopsTwiceItIsKilled_data()
    {
        QTest::addColumn<QString>("script");
        QTest::addColumn<int>("signals_");
        QTest::newRow("SIGQUIT, ranks that do not listen") << QString(R"({"steps": 100000, "faults": [{"rank": 0, "step": 2, "do": "hang"}, {"rank": 1, "step": 2, "do": "hang"}]})") << 0;
        QTest::newRow("once") << QString(R"({"steps": 100000})") << 1;
        QTest::newRow("twice, ranks that do not listen") << QString(R"({"steps": 100000, "faults": [{"rank": 0, "step": 2, "do": "hang"}, {"rank": 1, "step": 2, "do": "hang"}]})") << 2;
    }
    void interruptedOnceItStopsTwiceItIsKilled()
    {
        QFETCH(QString, script);
        QFETCH(int, signals_);
        fresh();
        const auto process = start({"run", "w.json", "--json", "--run-dir", "r", "--set", "/training/steps=100000"}, script);
        QTRY_VERIFY_WITH_TIMEOUT(QFile(path("r/ranks/00000/metrics.ndjson")).size() > 0, 20'000);
        if (signals_ != 1) QTest::qWait(1000);  // until both ranks are inside the step that never ends
        if (signals_ == 0) ::kill(static_cast<pid_t>(process->processId()), SIGQUIT);
        for (int i = 0; i < signals_; ++i) {
            ::kill(static_cast<pid_t>(process->processId()), SIGINT);
            QTest::qWait(300);
        }
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(20'000));
        QCOMPARE(process->exitCode(), 130);
        QCOMPARE(QJsonDocument::fromJson(process->readAllStandardOutput()).object()["status"].toString(), QString("stopped"));
        for (const auto& rank : readJson("r/run.json")["ranks"].toArray()) QVERIFY(::kill(rank.toObject()["pid"].toInt(), 0) != 0);
    }

    /// `timeout` signals its child and then its own group: several SIGTERM at once are one wish to stop, and nothing is lost.
    void terminatedSeveralTimesItStillStopsInGoodOrder()
    {
        fresh();
        const auto process = start({"run", "w.json", "--json", "--run-dir", "r", "--set", "/training/steps=100000"}, R"({"steps": 100000})");
        QTRY_VERIFY_WITH_TIMEOUT(QFile(path("r/ranks/00000/metrics.ndjson")).size() > 0, 20'000);
        const auto supervisor = static_cast<pid_t>(process->processId());
        QVERIFY(supervisor > 0);
        for (const int number : {SIGTERM, SIGTERM, SIGHUP, SIGTERM}) ::kill(supervisor, number);
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(20'000));
        QCOMPARE(process->exitCode(), 130);
        QCOMPARE(QJsonDocument::fromJson(process->readAllStandardOutput()).object()["status"].toString(), QString("stopped"));
        QFile events(path("r/events.ndjson"));
        QVERIFY(events.open(QIODevice::ReadOnly));
        const QByteArray said = events.readAll();
        QVERIFY(said.contains("stop asked"));
        QVERIFY(!said.contains("kill asked"));
    }

    void aKilledSupervisorLeavesNoRankAndALostRun()
    {
        fresh();
        const auto process = start({"run", "w.json", "--set", "/training/steps=100000"}, R"({"steps": 100000})");
        QString folder;
        QTRY_VERIFY_WITH_TIMEOUT([&] {
            const QStringList runs = QDir(path("data/stagecraft/runs")).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
            folder = runs.isEmpty() ? QString() : runs.first();
            return !folder.isEmpty() && readJson("data/stagecraft/runs/" + folder + "/run.json")["status"].toString() == "running";
        }(), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(QFile(path("data/stagecraft/runs/" + folder + "/ranks/00000/metrics.ndjson")).size() > 0, 20'000);
        process->kill();
        QVERIFY(process->state() == QProcess::NotRunning || process->waitForFinished(20'000));
        const QJsonObject info = readJson("data/stagecraft/runs/" + folder + "/run.json");
        for (const auto& rank : info["ranks"].toArray()) QTRY_VERIFY_WITH_TIMEOUT(::kill(rank.toObject()["pid"].toInt(), 0) != 0, 20'000);
        const QJsonArray runs = call({"runs", "list", "--json"}).json()["runs"].toArray();
        QCOMPARE(runs.size(), 1);
        QCOMPARE(runs[0].toObject()["status"].toString(), QString("lost"));
        // run.json is from before the kill; how far it came is what the ranks recorded.
        QJsonObject stale = readJson("data/stagecraft/runs/" + folder + "/run.json");
        stale["doneSteps"] = 0;
        write("data/stagecraft/runs/" + folder + "/run.json", QJsonDocument(stale).toJson());
        const Answer watched = call({"watch", "latest", "--json"});
        QCOMPARE(watched.code, 1);
        int recorded = 0;
        QJsonObject last;
        for (const QByteArray& line : watched.out.trimmed().split('\n')) {
            last = QJsonDocument::fromJson(line).object();
            if (last["type"].toString() == "step" && last["rank"].toInt() == 0) recorded = last["step"].toInt();
        }
        QCOMPARE(last["status"].toString(), QString("lost"));
        QVERIFY(recorded > 0);
        QCOMPARE(last["doneSteps"].toInt(), recorded);
        QCOMPARE(call({"runs", "delete", folder}).code, 0);
        QVERIFY(!QFile::exists(path("data/stagecraft/runs/" + folder)));
        QCOMPARE(call({"runs", "list", "--json"}).json()["runs"].toArray().size(), 0);
    }

    void runsAreCompared()
    {
        fresh();
        QCOMPARE(call({"run", "w.json", "--run-dir", "a"}, R"({"steps": 5, "stepMs": 20})").code, 0);
        QCOMPARE(call({"run", "w.json", "--run-dir", "b", "--set", "/dsConfig/zero_optimization/stage=2"}, R"({"steps": 5, "stepMs": 5})").code, 0);
        const QJsonObject answer = call({"runs", "compare", "a", "b", "--json"}).json();
        QVERIFY(answer["verdict"].toString().startsWith("B is"));
        const QJsonArray config = answer["config"].toArray();
        QCOMPARE(config.size(), 1);
        QCOMPARE(config[0].toObject()["pointer"].toString(), QString("/dsConfig/zero_optimization/stage"));
        QCOMPARE(config[0].toObject()["values"].toArray(), (QJsonArray{1, 2}));
        const QJsonObject shown = call({"runs", "show", "b", "--json"}).json();
        QCOMPARE(shown["info"].toObject()["zeroStage"].toInt(), 2);
    }

    void aRunElsewhereIsListedAndShown()
    {
        fresh();
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8})").code, 0);
        const QJsonArray runs = call({"runs", "list", "--json"}).json()["runs"].toArray();
        QCOMPARE(runs.size(), 1);
        QCOMPARE(runs[0].toObject()["run"].toString(), QFileInfo(path("r")).canonicalFilePath());
        const QByteArray shown = call({"runs", "show", "r"}).out;
        for (const char* word : {"rank 1", "local_rank 1", "node_rank 0", "world_size 2", "master 127.0.0.1", "GiB (", " GB)", "samples/s", "FLOP/s per rank"}) QVERIFY2(shown.contains(word), shown);
        const QJsonObject second = readJson("r/run.json")["ranks"].toArray()[1].toObject();
        QCOMPARE(second["rank"].toInt(), 1);
        QCOMPARE(second["local_rank"].toInt(), 1);
        QCOMPARE(second["node_rank"].toInt(), 0);
        QCOMPARE(second["world_size"].toInt(), 2);
        QCOMPARE(second["master"].toString(), QString("127.0.0.1"));
        const QJsonObject answer = call({"runs", "show", "r", "--json"}).json();
        QCOMPARE(answer["samplesPerSecond"].toDouble(), answer["tokensPerSecond"].toDouble() / 32);
        QVERIFY(answer["tflopsPerRank"].toDouble() > 0);
    }

    void epochsBecomeStepsOfTheData()
    {
        fresh();
        write("ten.txt", QByteArray(10 * 32 + 1, 'a'));  // ten windows of 32 tokens
        const QStringList wanted{"run", "w.json", "--run-dir", "r", "--json", "--set", "/data/source=ten.txt", "--set", "/training/steps=null", "--set", "/training/epochs=1.5"};
        const Answer answer = call(wanted, R"({"steps": 4})");
        QVERIFY2(answer.code == 0, answer.err);
        // 15 samples in batches of 2 x 2: three full ones and the beginning of a fourth.
        QCOMPARE(answer.json()["losses"].toArray().size(), 4);
        QCOMPARE(readJson("r/run.json")["plannedSteps"].toInt(), 4);
        const QJsonObject training = readJson("r/workspace.json")["training"].toObject();
        QCOMPARE(training["steps"].toInt(), 4);
        QVERIFY(!training.contains("epochs"));
    }

    void anEarlierRunIsNotOverwritten()
    {
        fresh();
        QCOMPARE(call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8})").code, 0);
        const Answer again = call({"run", "w.json", "--run-dir", "r"}, R"({"steps": 8})");
        QCOMPARE(again.code, 1);
        QVERIFY(again.err.contains("--resume auto"));
        // Without a checkpoint, auto starts at the beginning and says so; the record of the first start stays.
        const Answer anew = call({"run", "w.json", "--run-dir", "r", "--resume", "auto"}, R"({"steps": 8, "saveEvery": 2, "faults": [{"rank": 0, "step": 6, "do": "kill"}]})");
        QCOMPARE(anew.code, 1);
        QVERIFY(anew.err.contains("no checkpoint"));
        QCOMPARE(readJson("r/run.json")["attempt"].toInt(), 1);
        const Answer resumed = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json"}, R"({"steps": 8})");
        QVERIFY2(resumed.code == 0, resumed.err);
        QCOMPARE(resumed.json()["losses"].toArray().size(), 4);
        QCOMPARE(resumed.json()["losses"].toArray()[0].toDouble(), 5.0 / std::sqrt(5.0));
        QCOMPARE(resumed.json()["steps"].toInt(), 8);
        QCOMPARE(readJson("r/run.json")["resumedFrom"].toInt(), 4);
        // A damaged checkpoint is passed over.
        QFile damaged(path("r/checkpoints/step_0000004/rank_00000.bin"));
        QVERIFY(damaged.resize(3));
        const Answer older = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json"}, R"({"steps": 8})");
        QCOMPARE(older.json()["losses"].toArray().size(), 6);
        QVERIFY2(older.err.contains("step 4 is passed over"), older.err);
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", "2", "--set", "/training/steps=2"}).code, 1);
        // Started over: what was saved before is kept, and is not continued by mistake.
        const Answer over = call({"run", "w.json", "--run-dir", "r", "--resume", "no"}, R"({"steps": 3})");
        QVERIFY2(over.code == 0 && over.err.contains("set aside"), over.err);
        QCOMPARE(QDir(path("r")).entryList({"checkpoints_of_start_*"}, QDir::Dirs).size(), 1);
        const Answer onward = call({"run", "w.json", "--run-dir", "r", "--resume", "auto", "--json"}, R"({"steps": 8})");
        QVERIFY2(onward.err.contains("no checkpoint"), onward.err);
        QCOMPARE(onward.json()["losses"].toArray().size(), 8);
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", "3"}).code, 2);
        QCOMPARE(call({"run", "w.json", "--run-dir", "r", "--resume", "perhaps"}).code, 2);
        QCOMPARE(call({"run", "w.json", "--resume", "auto"}).code, 2);
    }

    void aFolderWithTheUsersFilesIsNoRunFolder()
    {
        fresh();
        QVERIFY(QDir(path()).mkpath("proj"));
        const QByteArray mine = QJsonDocument(workspace()).toJson();
        write("proj/workspace.json", mine);
        for (const char* more : {"", "plan.json", "notes.txt", "lock"}) {
            if (*more != 0) write(QString("proj/") + more, "mine");
            const Answer answer = call({"run", "proj/workspace.json", "--run-dir", "proj"}, R"({"steps": 8})");
            QCOMPARE(answer.code, 1);
            QVERIFY2(answer.err.contains("--run-dir") && answer.err.contains(*more == 'l' ? "notes.txt" : "workspace.json"), answer.err);
        }
        QFile kept(path("proj/workspace.json"));
        QVERIFY(kept.open(QIODevice::ReadOnly));
        QCOMPARE(kept.readAll(), mine);
        QVERIFY(!QFile::exists(path("proj/run.json")));
        // What a start left that came to nothing is no obstacle, and neither is an empty folder.
        QVERIFY(QDir(path()).mkpath("again/ranks"));
        for (const char* file : {"again/lock", "again/plan.json", "again/workspace.json", "again/run.json.Ab12Cd"}) write(file, "{}");
        QCOMPARE(call({"run", "w.json", "--run-dir", "again"}, R"({"steps": 8})").code, 0);
        QVERIFY(QDir(path()).mkpath("empty"));
        QCOMPARE(call({"run", "w.json", "--run-dir", "empty"}, R"({"steps": 8})").code, 0);
    }

    void deletingARunKeepsTheUsersFiles()
    {
        fresh();
        for (const char* run : {"r", "whole"}) QCOMPARE(call({"run", "w.json", "--run-dir", run}, R"({"steps": 8, "saveEvery": 4})").code, 0);
        write("r/notes.txt", "mine");
        QVERIFY(QDir(path()).mkpath("r/checkpoints_of_mine"));
        QCOMPARE(call({"report", "r"}).code, 0);
        const Answer answer = call({"runs", "delete", "r"});
        QVERIFY2(answer.code == 0, answer.err);
        QVERIFY2(answer.out.contains("kept " + path("r/notes.txt").toUtf8()), answer.out);
        QCOMPARE(QDir(path("r")).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden), (QStringList{"checkpoints_of_mine", "notes.txt"}));
        // One that is not there: none goes.
        QCOMPARE(call({"runs", "delete", "whole", "nosuch", "--json"}).code, 2);
        QVERIFY(QFile::exists(path("whole/run.json")));
        // By a link it is the run that goes, and the link after it.
        QVERIFY(QFile::link(path("whole"), path("link")));
        QCOMPARE(call({"runs", "delete", "link", "--json"}).code, 0);
        QVERIFY(!QFile::exists(path("whole")) && !QFileInfo(path("link")).isSymLink());
    }

    void exportsCarryTheUsersBytes()
    {
        fresh();
        const QByteArray config = "{\n  \"train_micro_batch_size_per_gpu\" : 2 ,\n\t\"zero_optimization\": {\"stage\": 1.0e0}}\n";
        write("ds.json", config);
        QJsonObject w = workspace();
        w["dsConfig"] = "ds.json";
        write("it's.json", QJsonDocument(w).toJson());
        const Answer answer = call({"export", "it's.json", "--to", "command", "--out", "out", "--json"});
        QVERIFY2(answer.code == 0, answer.err);
        QFile written(path("out/ds_config.json"));
        QVERIFY(written.open(QIODevice::ReadOnly));
        QCOMPARE(written.readAll(), config);
        const Answer back = call({"import", path("out/launch.sh"), "--json"});
        QVERIFY2(back.code == 0, back.err);
        QProcess shell;
        shell.start("sh", {"-n", path("out/launch.sh")});
        QVERIFY(shell.waitForFinished() && shell.exitCode() == 0);
        // A stand-in shows the words that arrive, whatever the workspace is called.
        QVERIFY(QDir(path()).mkpath("bin"));
        write("bin/stagecraft", "#!/bin/sh\nfor word in \"$@\"; do echo \"[$word]\"; done\n");
        QFile(path("bin/stagecraft")).setPermissions(QFile::ReadOwner | QFile::ExeOwner | QFile::WriteOwner);
        QProcess run;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PATH", path("bin") + ":/usr/bin:/bin");
        run.setProcessEnvironment(environment);
        run.start("sh", {path("out/launch.sh")});
        QVERIFY(run.waitForFinished());
        QCOMPARE(run.readAllStandardOutput(), QString("[run]\n[%1]\n").arg(path("it's.json")).toUtf8());
    }

    void exportsTheSchemaOfADsConfig()
    {
        fresh();
        write("w.json", QJsonDocument(workspace()).toJson());
        const Answer answer = call({"export", "w.json", "--to", "schema", "--out", "out", "--json"});
        QVERIFY2(answer.code == 0, answer.err);
        QFile written(path("out/ds_config.schema.json"));
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QJsonObject schema = QJsonDocument::fromJson(written.readAll()).object();
        QCOMPARE(schema["$schema"].toString(), QString("https://json-schema.org/draft/2020-12/schema"));
        QVERIFY(schema["properties"].toObject()["zero_optimization"].toObject()["properties"].toObject().contains("stage"));
    }

    void theDoctorSaysWhatIsThere()
    {
        fresh();
        const QJsonObject answer = call({"doctor", "--json"}).json();
        QVERIFY(answer["cpu"].toObject()["logicalCores"].toInt() >= 1);
        QVERIFY(answer["memory"].toObject()["total"].toDouble() > 0);
        QVERIFY(answer["disks"].toArray().size() >= 1);
        QVERIFY(answer["programs"].toObject()["launcher"].toObject().contains("torchrun"));
        for (const auto& finding : answer["findings"].toArray()) QVERIFY(!finding.toObject()["fix"].toString().isEmpty());
    }

    void badInputIsRefusedBeforeAnyProcessStarts_data()
    {
        QTest::addColumn<QStringList>("sets");
        QTest::addColumn<int>("code");
        QTest::addColumn<QStringList>("words");
        const auto row = [](const char* name, const QStringList& sets, int code, const QStringList& words) { QTest::newRow(name) << sets << code << words; };
        row("heads that do not divide hidden", {"/model/heads=3", "/model/kvHeads=3"}, 1, {"heads", "hidden", "3"});
        row("an unknown ZeRO stage", {"/dsConfig/zero_optimization/stage=4"}, 1, {"stage", "4"});
        row("ranks that do not match the layout", {"/layout/dp=3"}, 1, {"dp", "3", "2"});
        row("a batch triangle that does not close", {"/dsConfig/train_batch_size=7"}, 1, {"7"});
        row("fewer samples than ranks in the batch", {"/dsConfig={\"train_batch_size\": 1}"}, 1, {"train_batch_size"});
        row("a device that is not there", {"/hardware/device=\"H100-SXM-80GB\""}, 1, {"H100-SXM-80GB", "/hardware/device=cpu"});
        row("tensor parallelism", {"/layout/dp=1", "/layout/tp=2"}, 1, {"tensor parallelism"});
        row("pipeline parallelism", {"/layout/dp=1", "/layout/pp=2"}, 1, {"pipeline parallelism"});
        row("selective recompute", {"/layout/recompute=selective"}, 1, {"selective"});
        row("another framework", {"/framework/name=megatron"}, 1, {"megatron", "export"});
        row("another launcher", {"/launch/backend=slurm"}, 1, {"slurm"});
        row("no steps", {"/training/steps=0"}, 1, {"steps"});
        row("epochs beside steps", {"/training/epochs=2"}, 1, {"epochs", "one of the two"});
        const QString init = "/model/init=" + qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/equivalence/";
        row("initial weights of another shape", {init + "llama/init.safetensors"}, 1, {"init.safetensors", "embed_tokens", "shape"});
        row("initial weights of another family", {init + "gpt2/init.safetensors"}, 1, {"init.safetensors", "embed_tokens"});
        row("initial weights that are not there", {"/model/init=absent.safetensors"}, 2, {"absent.safetensors"});
        row("a model that is only a number", {"/model={\"params\": 1e9}"}, 1, {"model"});
        row("a file that is not there", {"/data/source=absent.txt"}, 2, {"absent.txt"});
        row("an empty file", {"/data/source=empty.txt"}, 1, {"empty.txt"});
        row("fewer tokens than one sequence", {"/data/source=short.txt"}, 1, {"short.txt", "33"});
        row("a vocabulary too small for the tokens", {"/model/vocab=64"}, 1, {"64"});
        row("more ranks than samples", {"/data/source=two.txt", "/layout/dp=3", "/hardware/devicesPerNode=3"}, 1, {"3"});
        row("another version of the document", {"/stagecraft=2"}, 1, {"version"});
        row("a patch that is none", {"training.steps=5"}, 2, {"--set"});
        row("far more ranks than cores", {"/layout/dp=100000", "/hardware/devicesPerNode=1000", "/hardware/nodes=100"}, 1, {"nodes"});
    }
    void badInputIsRefusedBeforeAnyProcessStarts()
    {
        QFETCH(QStringList, sets);
        QFETCH(int, code);
        QFETCH(QStringList, words);
        fresh();
        QStringList arguments{"run", "w.json", "--run-dir", "r"};
        for (const QString& set : sets) arguments << "--set" << set;
        const Answer answer = call(arguments);
        QVERIFY2(answer.code == code, answer.err);
        const QString message = QString::fromUtf8(answer.err).trimmed();
        QCOMPARE(message.split('\n').size(), 1);
        QVERIFY2(message.startsWith("stagecraft: "), qPrintable(message));
        for (const QString& word : words) QVERIFY2(message.contains(word), qPrintable(message));
        QVERIFY(answer.out.isEmpty());
        QVERIFY(!QFile::exists(path("r")));
        const Answer json = call(arguments + QStringList{"--json"});
        QCOMPARE(json.code, code);
        QVERIFY(!json.json()["error"].toObject()["code"].toString().isEmpty());
    }

    void brokenFilesAreRefused()
    {
        fresh();
        const Answer missing = call({"run", "absent.json"});
        QCOMPARE(missing.code, 2);
        QVERIFY(missing.err.contains("absent.json"));
        write("broken.json", "{\"stagecraft\": 1,\n  \"model\": }\n");
        const Answer broken = call({"run", "broken.json"});
        QCOMPARE(broken.code, 1);
        QVERIFY2(broken.err.contains("line 2") && broken.err.contains("column"), broken.err);
        const Answer readOnly = call({"run", "w.json", "--run-dir", "/proc/stagecraft"});
        QCOMPARE(readOnly.code, 2);
        QVERIFY2(readOnly.err.contains("/proc/stagecraft"), readOnly.err);
        QCOMPARE(call({"watch", "absent"}).code, 2);
        QCOMPARE(call({"report", "absent", "--out", "x"}).code, 2);
        QCOMPARE(call({"runs", "show", "absent"}).code, 2);
        QCOMPARE(call({"run"}).code, 2);
        QCOMPARE(call({"dance"}).code, 2);
    }

private:
    void fresh()
    {
        freshFolder();
        write("w.json", QJsonDocument(workspace()).toJson());
        write("empty.txt", "");
        write("short.txt", "too short");
        write("two.txt", QByteArray(2 * 32 + 1, 'x'));
    }
};

QTEST_GUILESS_MAIN(TstRunCli)
#include "tst_run_cli.moc"
