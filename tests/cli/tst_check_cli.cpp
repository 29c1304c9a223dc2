// SPDX-License-Identifier: GPL-3.0-or-later
// `stagecraft check` as scripts call it: exit codes, what stands in the answer, the ds_config of a workspace; and options
// that take numbers, where "nan" and "inf" are none.
#include "check_command.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QtTest>

#include <csignal>

using stagecraft::test::kTinyBuckets;
using stagecraft::test::workspace;

class TstCheckCli : public QObject, stagecraft::test::CheckCommand {
    Q_OBJECT

private slots:
    /// However many values are "auto": the verdict is not to be searched for.
    void whatIsFilledIsOneLine()
    {
        write("ds.json", R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "optimizer": {"type": "AdamW", "params": {"lr": "auto", "weight_decay": "auto"}}, "zero_optimization": {"stage": 2}})");
        const QByteArray out = CommandLine::call({"check", "ds.json", "--launcher", "transformers"}).out;
        QVERIFY2(out.count("Nothing to change.") == 0 && out.count("there is nothing to change (") == 1, out);
        QVERIFY2(out.contains("optimizer.params.lr = 5e-5") && out.contains("gradient_accumulation_steps = 1"), out);
        QCOMPARE(call({"check", "ds.json", "--launcher", "transformers", "--json"}).rules().count("R103"), 6);
        // One alone says where it comes from.
        write("ds.json", R"({"train_micro_batch_size_per_gpu": 8, "gradient_clipping": "auto", "zero_optimization": {"stage": 2}})");
        const QByteArray one = CommandLine::call({"check", "ds.json", "--launcher", "transformers"}).out;
        QVERIFY2(one.contains("the Trainer's max_grad_norm. Nothing to change."), one);
    }

    void exitCodes_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("code");
        QTest::newRow("a config that DeepSpeed takes") << QByteArray(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})") << QStringList() << 0;
        QTest::newRow("the batch does not divide over the ranks") << QByteArray(R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 3})") << QStringList() << 1;
        QTest::newRow("no JSON") << QByteArray("{") << QStringList() << 1;
        QTest::newRow("refused by the newest release") << QByteArray(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "elasticity": {}})") << QStringList() << 1;
        QTest::newRow("taken by an older one") << QByteArray(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "elasticity": {}})") << QStringList{"--deepspeed", "0.19.6"} << 0;
        const QByteArray half = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "fp16": {"enabled": true}})";
        QTest::newRow("fp16 on a GPU") << half << QStringList{"--device", "cuda"} << 0;
        QTest::newRow("fp16 on a CPU, as the command line has it") << half << QStringList{"--device", "cpu"} << 1;
        QTest::newRow("fp16 on a CPU, as the workspace has it") << half << QStringList{"--workspace", "cpu.json"} << 1;
        QTest::newRow("the command line knows better than the workspace") << half << QStringList{"--workspace", "cpu.json", "--device", "cuda"} << 0;
        const QByteArray automatic = R"({"train_micro_batch_size_per_gpu": "auto", "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 1}})";
        QTest::newRow("\"auto\", started by DeepSpeed") << automatic << QStringList() << 1;
        QTest::newRow("\"auto\", started by the Trainer, as the workspace has it") << automatic << QStringList{"--workspace", "trainer.json"} << 0;
        QTest::newRow("\"auto\", started by DeepSpeed after all") << automatic << QStringList{"--workspace", "trainer.json", "--launcher", "deepspeed"} << 1;
        QTest::newRow("no optimizer, started by DeepSpeed") << QByteArray(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}})") << QStringList() << 1;
        QTest::newRow("no optimizer, and accelerate hands over the script's") << QByteArray(R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}})") << QStringList{"--launcher", "accelerate"} << 0;
        QTest::newRow("\"auto\", started by accelerate, as the workspace has it") << automatic << QStringList{"--workspace", "accelerate.json"} << 0;
        QTest::newRow("an \"auto\" that accelerate has no value for") << QByteArray(automatic).replace("\"AdamW\"", "\"AdamW\", \"params\": {\"betas\": \"auto\"}") << QStringList{"--launcher", "accelerate"} << 1;
        QTest::newRow("which the Trainer has") << QByteArray(automatic).replace("\"AdamW\"", "\"AdamW\", \"params\": {\"betas\": \"auto\"}") << QStringList{"--launcher", "transformers"} << 0;
        QTest::newRow("a comment, which accelerate's reader refuses") << QByteArray(automatic).append(" // mine") << QStringList{"--launcher", "accelerate"} << 1;
        QTest::newRow("a launcher that is none") << QByteArray("{}") << QStringList{"--launcher", "torchrun"} << 2;
        QTest::newRow("a device that is none") << QByteArray("{}") << QStringList{"--device", "tpu"} << 2;
        QTest::newRow("no rank at all") << QByteArray("{}") << QStringList{"--ranks", "0"} << 2;
        QTest::newRow("a release nobody knows") << QByteArray("{}") << QStringList{"--deepspeed", "newest"} << 2;
        QTest::newRow("no number of ranks") << QByteArray("{}") << QStringList{"--world", "nan"} << 2;
        QTest::newRow("a workspace that is not there") << QByteArray(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})") << QStringList{"--workspace", "none.json"} << 2;
        QTest::newRow("a workspace that is none") << QByteArray(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})") << QStringList{"--workspace", "broken.json"} << 1;
    }

    void exitCodes()
    {
        QFETCH(QByteArray, config);
        QFETCH(QStringList, options);
        QFETCH(int, code);
        write("ds.json", config);
        write("broken.json", "{");
        write("cpu.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"nodes": 1, "devicesPerNode": 1, "device": "cpu"}, "layout": {"dp": 1}, "dsConfig": {}})");
        write("trainer.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"device": "H100-SXM-80GB"}, "launch": {"launcher": "transformers"}, "dsConfig": {}})");
        write("accelerate.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"device": "H100-SXM-80GB"}, "launch": {"launcher": "accelerate"}, "dsConfig": {}})");
        const Answer answer = call(QStringList{"check", "ds.json", "--json"} + options);
        QVERIFY2(answer.code == code, qPrintable(QString::number(answer.code) + answer.err));
        QCOMPARE(answer.json.contains("error"), code == 2 || options.contains("broken.json"));
        if (!answer.json.contains("error")) QCOMPARE(answer.json["verdict"].toString(), QString(code == 0 ? "ok" : "error"));
    }

    /// A file that can be opened always gets the answer, whatever its size; of a huge one no more is read than shows that it is.
    void aHugeFileGetsTheAnswer()
    {
        QFile huge(path("huge.json"));
        QVERIFY(huge.open(QIODevice::WriteOnly) && huge.resize(qint64{3} << 30));  // sparse: takes no room
        huge.close();
        QElapsedTimer clock;
        clock.start();
        const Answer answer = call({"check", "huge.json", "--json"});
        QCOMPARE(answer.code, 1);
        QCOMPARE(answer.json["verdict"].toString(), QString("error"));
        QCOMPARE(answer.json["level"].toString(), QString("load"));
        QCOMPARE(answer.rules(), QStringList{"text.too_large"});
        QVERIFY(clock.elapsed() < 20'000);
        // The limit is ours: nothing is said in DeepSpeed's name.
        const QString said = QString::fromUtf8(CommandLine::call({"check", "huge.json"}).out);
        QVERIFY2(said.contains("Stagecraft does not read it") && said.contains("is not judged") && !said.contains("refuses"), qPrintable(said));
        const Answer folder = call({"check", ".", "--json"});
        QCOMPARE(folder.code, 2);
        QVERIFY2(folder.json["error"].toObject()["message"].toString().contains("name the ds_config in it"), qPrintable(folder.err));
    }

    void onlyAWorkspaceIsImportedInto()
    {
        write("ds.json", R"({"train_batch_size": 8})");
        write("empty.json", "{}");
        for (const auto& [file, says] : {std::pair{"empty.json", "it has no \"stagecraft\""}, std::pair{"none.json", "there is no such file"}}) {
            const Answer answer = call({"import", "ds.json", "--into", file, "--json"});
            QVERIFY(answer.code != 0);
            const QString message = answer.json["error"].toObject()["message"].toString();
            QVERIFY2(message.contains(says) && message.contains("{\"stagecraft\": 1"), qPrintable(message));
        }
        QVERIFY(!QFile::exists(path("none.json")));
    }

    // What is taken as it is stands there as it was written: order, numbers, comments; and again beneath a second import.
    void anImportedConfigKeepsItsText()
    {
        const QByteArray config = "{ // mine\n  \"zero_optimization\": {\"stage\": 1,},\n  \"train_batch_size\": 8, /* yours */\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}}\n}";
        write("mine.json", "# a header\n" + config + "\n");
        write("kept.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}, "dsConfig": {}})");
        for (int again = 0; again < 2; ++again) {
            const Answer answer = call({"import", "mine.json", "--into", "kept.json", "--json"});
            QVERIFY2(answer.code == 0, qPrintable(answer.err));
            QFile file(path("kept.json"));
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY2(text.contains(config), text.constData());
        }
        QCOMPARE(call({"check", "kept.json", "--json"}).code, 0);
        const Answer plan = call({"plan", "kept.json", "--json"});
        QVERIFY2(plan.code == 0, qPrintable(plan.err));
    }

    // What is wrong inside a workspace is judged as in a file of its own, and never mended as if the workspace were the config.
    void aBrokenConfigInsideIsJudgedAndKept()
    {
        const QByteArray before = R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": {"train_batch_size": 8,)";
        for (const auto& [name, inside, rule] : {std::tuple{"python.json", R"( "bf16": {"enabled": True},}})", "text.swallowed"}, std::tuple{"twice.json", R"( "train_batch_size": 4}})", "R1"}}) {
            write(name, before + inside);
            const Answer answer = call({"check", name, "--json"});
            QCOMPARE(answer.json["level"].toString(), QString("load"));
            QCOMPARE(answer.json["findings"].toArray()[0].toObject()["rule"].toString(), QString(rule));
            QCOMPARE(call({"check", name, "--fix", "--json"}).code, 2);
            QFile file(path(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), before + inside);
        }
        // Given as a ds_config by another way it keeps what is around it.
        write("as_config.json", R"({"train": {"stagecraft": 1}, "stagecraft": 1, "dsConfig": {"train_batch_size": 8}})");
        write("around_ok.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "dsConfig": {}})");
        int misplaced = 0;
        for (const auto& finding : call({"check", "as_config.json", "--json", "--workspace", "around_ok.json"}).json["findings"].toArray()) {
            misplaced += finding.toObject()["rule"] == "R5" ? 1 : 0;
            QVERIFY(finding.toObject()["rule"] != "R5" || finding.toObject()["fix"].isNull());
        }
        QVERIFY(misplaced > 0);
        // What is wrong around it is told as such, also what a ds_config might hold.
        write("comment.json", R"({"stagecraft": 1, /* mine */ "model": {"params": 1e9}, "dsConfig": {"train_batch_size": 8}})");
        QVERIFY(call({"check", "comment.json", "--json"}).json["error"].toObject()["message"].toString().contains("comment"));
        write("around.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"pp": "4"}, "dsConfig": {"train_batch_size": 8}})");
        QVERIFY(call({"check", "around.json", "--json"}).json["error"].toObject()["message"].toString().contains("layout.pp"));
        for (const char* loose : {"{'stagecraft': 1, 'model': {'params': 1e9}, 'dsConfig': {'train_batch_size': 8, 'bf16': {'enabled': True}}}", "{stagecraft: 1, dsConfig: {train_batch_size: 8, bf16: {enabled: True}}}"}) {
            write("loose.json", loose);
            QCOMPARE(call({"check", "loose.json", "--fix", "--json"}).code, 2);
            QFile file(path("loose.json"));
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), QByteArray(loose));
        }
        const Answer plan = call({"plan", "python.json", "--json"});
        QVERIFY2(plan.json["error"].toObject()["message"].toString().contains("Python's spelling"), qPrintable(plan.err));
    }

    void aPipeIsReadOnce()
    {
        write("ds.json", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})");
        write("w.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "layout": {"dp": 2}, "dsConfig": {"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}}})");
        for (const auto& [file, dash] : {std::pair{"ds.json", false}, std::pair{"w.json", false}, std::pair{"ds.json", true}}) {
            QProcess shell;
            shell.start("sh", {"-c", "cat \"$0\" | \"$1\" check " + QString(dash ? "-" : "/dev/stdin") + " --json", path(file), qEnvironmentVariable("STAGECRAFT_BIN_DIR") + "/stagecraft"});
            QVERIFY(shell.waitForFinished(120'000));
            QCOMPARE(shell.exitCode(), 0);
            QCOMPARE(QJsonDocument::fromJson(shell.readAllStandardOutput())["verdict"].toString(), QString("ok"));
        }
    }

    // What only the Trainer knows can be said on the command line, and stands above the context's.
    // A ds_config that accelerate's own file names is judged as accelerate starts it, once it is imported.
    // Whoever checks another tool's file is told what reads it; the verdict stays DeepSpeed's.
    void anotherToolsFileIsNamed()
    {
        write("run.sh", "deepspeed --num_gpus 8 train.py --deepspeed ds.json --learning_rate 2e-5\n");
        write("lf.yaml", "model_name_or_path: x\nstage: sft\nfinetuning_type: lora\nbf16: true\nper_device_train_batch_size: 1\noutput_dir: out\n");
        for (const auto& [file, words] : {std::pair{"run.sh", "a launch script"}, {"lf.yaml", "a file of LLaMA-Factory"}}) {
            const Answer answer = call({"check", file, "--json"});
            QVERIFY2(answer.err.contains(words) && answer.err.contains("stagecraft import"), qPrintable(answer.err));
            QCOMPARE(answer.code, 1);
        }
        write("ds.json", kTinyBuckets);
        QVERIFY(call({"check", "ds.json", "--json"}).err.isEmpty());
    }

    /// The ds_config inside a workspace needs no file of its own.
    void aWorkspaceIsCheckedByItsConfig()
    {
        write("inside.json", "{\"stagecraft\": 1, \"model\": {\"preset\": \"llama-3-8b\", \"seq\": 4096},\n \"hardware\": {\"devicesPerNode\": 8}, \"layout\": {\"dp\": 8},\n"
                             "  \"dsConfig\": {\"train_batch_size\": 32,\n    \"gradient_accumulation_steps\": 2, \"surplus\": 1}}");
        const Answer inside = call({"check", "inside.json", "--json"});
        QCOMPARE(inside.json["resolved"].toObject()["micro"].toInt(), 2);   // 8 ranks
        QCOMPARE(inside.rules().filter("R10").size(), 1);                   // of "surplus", not of the workspace's own keys
        const QJsonObject surplus = inside.finding("R10");
        QCOMPARE(surplus["path"].toString(), QString("/surplus"));
        QCOMPARE(surplus["line"].toInt(), 4);   // where it stands in the workspace
        QCOMPARE(surplus["column"].toInt(), 39);
        write("ds.json", R"({"train_batch_size": 16})");
        write("named.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"devicesPerNode": 8}, "layout": {"dp": 8}, "dsConfig": "ds.json"})");
        QCOMPARE(call({"check", "named.json", "--json"}).json["resolved"].toObject()["micro"].toInt(), 2);
        QCOMPARE(call({"check", "named.json", "--json", "--world", "4"}).json["resolved"].toObject()["micro"].toInt(), 4);
        write("none.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"devicesPerNode": 8}, "layout": {"dp": 8}})");
        const Answer none = call({"check", "none.json", "--json"});
        QVERIFY(none.code != 0);
    }

    void theChecklistHasItsNumbers()
    {
        write("ds.json", kTinyBuckets);
        write("w.json", workspace());
        QCOMPARE(call({"check", "ds.json", "--json", "--checklist"}).code, 2);   // of what model and hardware?
        const Answer answer = call({"check", "ds.json", "--json", "--workspace", "w.json", "--checklist"});
        QCOMPARE(answer.code, 0);
        const QJsonArray list = answer.json["checklist"].toArray();
        QCOMPARE(list.size(), 8);
        QHash<QString, QJsonObject> of;
        for (const auto& item : list) of[item.toObject()["practice"].toString()] = item.toObject();
        QCOMPARE(of["bucket"]["verdict"].toString(), QString("not_followed"));
        QCOMPARE(of["bucket"]["message"].toString(), answer.finding("plan.bucket_small")["message"].toString());
        QVERIFY(of["bucket"]["fix"].toArray().size() == 1);
        QCOMPARE(of["precision"]["verdict"].toString(), QString("followed"));
        QCOMPARE(of["gather"]["verdict"].toString(), QString("not_needed"));
        QCOMPARE(of["clock"]["verdict"].toString(), QString("not_followed"));
        QVERIFY(!call({"check", "ds.json", "--json", "--workspace", "w.json"}).json.contains("checklist"));
    }

    /// A terminal obeys what a file spells as an escape: the answer for people spells it out again, as the JSON does.
    void namesInTheFileReachNoTerminal()
    {
        const QByteArray spelt("\\u001b[31mred"), latin("\\u009b2Jb"), plain("\u00e9");
        write("ds.json", "{\"train_batch_size\": 1, \"optimizer\": {\"type\": \"AdamW\"}, \"x" + spelt + "\": 1, \"a" + latin + "\": 2, \"" + plain + "\": 3}");
        const QByteArray out = CommandLine::call({"check", "ds.json"}).out;
        QVERIFY2(out.contains("x" + spelt) && out.contains("a" + latin) && out.contains(plain), out.constData());
        QVERIFY(!out.contains('\033') && !out.contains("\302\233"));
    }

    void batchesHaveAnOrderAndAnEnd()
    {
        write("w.json", workspace());
        const auto words = [&](const char* from, const char* to) { return call({"advise", "w.json", "--json", "--global-batch", from, "--global-batch-to", to}); };
        const Answer turned = words("8", "4"), endless = words("8", "100000");
        QCOMPARE(turned.code, 2);
        QVERIFY(turned.json["error"]["message"].toString().contains("is below --global-batch 8"));
        QCOMPARE(endless.code, 2);
        QVERIFY(endless.json["error"]["message"].toString().contains("search the range in parts"));
        const Answer swept = words("8", "24");
        QCOMPARE(swept.code, 0);
        QSet<qint64> batches;
        for (const QJsonValue& one : swept.json["layouts"].toArray()) batches.insert(qint64(one["dp"].toInt()) * one["microBatch"].toInt() * one["accumulation"].toInt());
        QVERIFY(batches.size() > 1);
    }

    void anInterruptedSearchTellsWhatItKnows()
    {
        write("w.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"nodes": 512, "devicesPerNode": 8, "device": "H100-SXM-80GB"}, "layout": {"dp": 4096}, "framework": {"name": "deepspeed"}})");
        const auto search = start({"advise", "w.json", "--json", "--global-batch", "1", "--global-batch-to", "8000"});
        QVERIFY(search->waitForStarted());
        // It is heard from when SIGINT, the second signal, is caught.
        const auto listens = [&] {
            QFile status(QStringLiteral("/proc/%1/status").arg(search->processId()));
            const QByteArray text = status.open(QIODevice::ReadOnly) ? status.readAll() : QByteArray();
            const auto at = text.indexOf("SigCgt:");
            return at >= 0 && (text.mid(at + 7, text.indexOf('\n', at) - at - 7).trimmed().toULongLong(nullptr, 16) & 2) != 0;
        };
        QTRY_VERIFY_WITH_TIMEOUT(listens(), 60'000);
        QTest::qWait(300);
        QCOMPARE(::kill(static_cast<pid_t>(search->processId()), SIGINT), 0);
        const auto answer = end(*search);
        QCOMPARE(answer.code, 130);
        QVERIFY(answer.json()["cancelled"].toBool());
        QVERIFY(!call({"advise", "w.json", "--json"}).json["cancelled"].toBool());
    }

    void numbersAreFinite_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("advise --memory-share") << QStringList{"advise", "w.json", "--memory-share"};
        QTest::newRow("advise --global-batch") << QStringList{"advise", "w.json", "--global-batch"};
        QTest::newRow("plan --tokens") << QStringList{"plan", "w.json", "--tokens"};
        QTest::newRow("run --hang-timeout") << QStringList{"run", "w.json", "--hang-timeout"};
        QTest::newRow("doctor --seconds") << QStringList{"doctor", "--measure", "--seconds"};
        QTest::newRow("estimate --params") << QStringList{"estimate", "deepspeed-zero2", "--gpus-per-node", "8", "--nodes", "1", "--params"};
        QTest::newRow("estimate --buffer-factor") << QStringList{"estimate", "deepspeed-zero2", "--gpus-per-node", "8", "--nodes", "1", "--params", "1e9", "--buffer-factor"};
        QTest::newRow("import --hidden-size") << QStringList{"import", "ds.json", "--hidden-size"};
        QTest::newRow("import --world") << QStringList{"import", "ds.json", "--world"};
        QTest::newRow("check --world") << QStringList{"check", "ds.json", "--world"};
    }

    void numbersAreFinite()
    {
        QFETCH(QStringList, command);
        write("w.json", workspace());
        write("ds.json", "{}");
        for (const char* value : {"nan", "-nan", "inf", "-inf", "1e400", "-1"}) {
            QStringList arguments = command;
            arguments.last() += QStringLiteral("=") + QLatin1String(value);
            const Answer answer = call(arguments);
            QVERIFY2(answer.code == 2 && answer.err.startsWith("stagecraft: "), qPrintable(QString("%1: %2 %3").arg(value).arg(answer.code).arg(answer.err)));
            QVERIFY2(!answer.err.contains("unexpected failure"), qPrintable(answer.err));
        }
    }
};

QTEST_GUILESS_MAIN(TstCheckCli)
#include "tst_check_cli.moc"
