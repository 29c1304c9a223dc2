// SPDX-License-Identifier: GPL-3.0-or-later
// `stagecraft check` as scripts call it: exit codes, what stands in the answer, what a workspace adds to it; and options
// that take numbers, where "nan" and "inf" are none.
#include "command_line.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QtTest>

#include <csignal>

namespace {

const QByteArray kTinyBuckets = R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4, "bf16": {"enabled": true},
 "optimizer": {"type": "AdamW"},
 "zero_optimization": {"stage": 2, "contiguous_gradients": true, "reduce_bucket_size": 1000}})";

QByteArray workspace(const QByteArray& more = {})
{
    return R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB"},
 "layout": {"dp": 8}, "dsConfig": {"train_micro_batch_size_per_gpu": 2})" + more + "}";
}

}  // namespace

class TstCheckCli : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT

    struct Answer {
        int code = -1;
        QString err;
        QJsonObject json;
        [[nodiscard]] QStringList rules() const
        {
            QStringList all;
            for (const auto& finding : json["findings"].toArray()) all << finding.toObject()["rule"].toString();
            return all;
        }
        [[nodiscard]] QJsonObject finding(const QString& rule) const
        {
            for (const auto& finding : json["findings"].toArray())
                if (finding.toObject()["rule"].toString() == rule) return finding.toObject();
            return {};
        }
    };

    Answer call(const QStringList& arguments) const
    {
        const stagecraft::test::Answer answer = CommandLine::call(arguments);
        return {answer.code, QString::fromUtf8(answer.err), answer.json()};
    }

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

    void theContextIsAFileOrWrittenHere()
    {
        write("ds.json", R"({"train_batch_size": 8, "zero_optimization": {"stage": 1}})");
        write("context.json", R"({"optimizer": "AdamW"})");
        QCOMPARE(call({"check", "ds.json", "--json"}).json["level"].toString(), QString("engine"));
        for (const char* context : {"context.json", R"({"optimizer": "AdamW"})"}) QCOMPARE(call({"check", "ds.json", "--json", "--context", context}).json["verdict"].toString(), QString("ok"));
        const Answer wrong = call({"check", "ds.json", "--json", "--context", "{optimizer"});
        QCOMPARE(wrong.code, 2);
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

    void fewerRanksThanTheBatchRulesAreNoJob()
    {
        write("ds.json", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})");
        QCOMPARE(call({"check", "ds.json", "--json", "--world", "4", "--ranks", "8"}).code, 0);
        const Answer fewer = call({"check", "ds.json", "--json", "--world", "4", "--ranks", "2"});
        QCOMPARE(fewer.code, 2);
        QVERIFY2(fewer.json["error"].toObject()["message"].toString().contains("fewer than the 4 ranks"), qPrintable(fewer.err));
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

    void aWorkspaceAddsWhatItsNumbersSay()
    {
        write("ds.json", kTinyBuckets);
        write("w.json", workspace());
        const Answer alone = call({"check", "ds.json", "--json", "--world", "8"});
        QCOMPARE(alone.code, 0);
        QVERIFY2(alone.rules().filter("plan.").isEmpty(), qPrintable(alone.rules().join(' ')));

        const Answer with = call({"check", "ds.json", "--json", "--workspace", "w.json"});
        QCOMPARE(with.code, 0);   // advice refuses nothing
        const QJsonObject advice = with.finding("plan.bucket_small");
        QVERIFY2(!advice.isEmpty(), qPrintable(with.rules().join(' ')));
        QCOMPARE(advice["path"].toString(), QString("/zero_optimization/reduce_bucket_size"));
        QCOMPARE(advice["effect"].toString(), QString("unwise"));
        QCOMPARE(advice["line"].toInt(), 3);
        const QJsonObject step = advice["fix"].toArray().at(0).toObject();
        QCOMPARE(step["op"].toString(), QString("replace"));
        QVERIFY(step["value"].toDouble() > 1e6);
        // The fix settles it.
        QByteArray mended = kTinyBuckets;
        write("mended.json", mended.replace("1000}", QByteArray::number(step["value"].toDouble(), 'f', 0) + "}"));
        QVERIFY(call({"check", "mended.json", "--json", "--workspace", "w.json"}).finding("plan.bucket_small").isEmpty());
        // In the other language too.
        const QString chinese = call({"check", "ds.json", "--json", "--workspace", "w.json", "--language", "zh"}).finding("plan.bucket_small")["message"].toString();
        QVERIFY(!chinese.isEmpty() && chinese != advice["message"].toString());
    }

    // What only the Trainer knows can be said on the command line, and stands above the context's.
    void argumentsFillAuto()
    {
        write("auto.json", R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}, "zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}})");
        write("context.json", R"({"trainer": {"per_device_train_batch_size": 2, "learning_rate": 0.5}})");
        const auto batch = [this](const QStringList& more) { return call(QStringList{"check", "auto.json", "--json", "--world", "8", "--launcher", "transformers"} + more).json["resolved"].toObject()["train_batch_size"].toInt(); };
        QCOMPARE(batch({}), 64);
        QCOMPARE(batch({"--argument", "per_device_train_batch_size=4", "--argument", "gradient_accumulation_steps=8"}), 256);
        QCOMPARE(batch({"--context", "context.json", "--argument", "gradient_accumulation_steps=8"}), 128);
        QCOMPARE(batch({"--context", "context.json", "--argument", "per_device_train_batch_size=1"}), 8);
        QCOMPARE(call({"check", "auto.json", "--json", "--argument", "per_device_train_batch_size"}).code, 2);
        const Answer unused = call({"check", "auto.json", "--json", "--argument", "learning_rate=1e-4"});
        QVERIFY2(unused.err.contains("--argument is not used"), qPrintable(unused.err));
    }

    void accelerateFillsAutoFromItsArguments()
    {
        write("auto.json", R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": "auto"}, "bf16": {"enabled": "auto"}})");
        const auto check = [this](const QStringList& more) { return call(QStringList{"check", "auto.json", "--json", "--world", "8", "--launcher", "accelerate"} + more); };
        QCOMPARE(check({}).json["resolved"].toObject()["train_batch_size"].toInt(), 8);
        const Answer told = check({"--argument", "per_device_train_batch_size=4", "--argument", "gradient_accumulation_steps=8", "--argument", "mixed_precision=bf16", "--argument", "zero_stage=3"});
        QCOMPARE(told.json["resolved"].toObject()["train_batch_size"].toInt(), 256);
        QCOMPARE(told.json["changed"].toObject()["/zero_optimization/stage"].toInt(), 3);
        QCOMPARE(told.json["changed"].toObject()["/bf16/enabled"].toBool(), true);
        for (const char* wrong : {"adam_beta1=0.9", "mixed_precision=fp32", "mixed_precision=no, fp16", "zero_stage=two"}) QCOMPARE(check({"--argument", wrong}).code, 2);
        // It is no argument of the Trainer's.
        QCOMPARE(call({"check", "auto.json", "--json", "--launcher", "transformers", "--argument", "zero_stage=3"}).code, 2);
        // What the command line says stands beside what the workspace says, and above it.
        write("w.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b", "seq": 4096}, "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "H100-SXM-80GB"}, "layout": {"dp": 8},
 "launch": {"launcher": "accelerate", "trainer": {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2}}, "dsConfig": {}})");
        QCOMPARE(call({"check", "auto.json", "--json", "--workspace", "w.json"}).json["resolved"].toObject()["train_batch_size"].toInt(), 64);
        QCOMPARE(call({"check", "auto.json", "--json", "--workspace", "w.json", "--argument", "gradient_accumulation_steps=4"}).json["resolved"].toObject()["train_batch_size"].toInt(), 128);
        // The same file twice: the ds_config in it is meant.
        write("both.json", R"({"stagecraft": 1, "model": {"preset": "gpt2"}, "hardware": {"devicesPerNode": 8, "device": "H100-SXM-80GB"}, "dsConfig": {"train_micro_batch_size_per_gpu": 1}})");
        for (const char* file : {"both.json", "./both.json"}) QCOMPARE(call({"check", file, "--json", "--workspace", "both.json"}).json["resolved"].toObject()["train_batch_size"].toInt(), 8);
        // Who refuses is named.
        write("betas.json", R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto"}}, "zero_optimization": {"stage": 2}})");
        const stagecraft::test::Answer refused = CommandLine::call({"check", "betas.json", "--launcher", "accelerate"});
        QVERIFY2(refused.out.contains("accelerate refuses it (parse)."), refused.out.constData());
    }

    // A ds_config that accelerate's own file names is judged as accelerate starts it, once it is imported.
    void whatAccelerateNamesIsJudgedAsAccelerateStartsIt()
    {
        write("accelerate.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\nnum_machines: 1\ndeepspeed_config:\n  deepspeed_config_file: named.json\n  zero3_init_flag: true\n");
        const auto imported = [this](const QByteArray& config, const QStringList& more = {}) {
            write("named.json", config);
            write("into.json", R"({"stagecraft": 1, "model": {"params": 1e9}, "framework": {"name": "deepspeed"}, "dsConfig": {}})");
            const Answer import = call(QStringList{"import", "accelerate.yaml", "--into", "into.json", "--json"} + more);
            return import.code == 0 ? call({"check", "into.json", "--json"}) : import;
        };
        const QByteArray open = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "zero_optimization": {"stage": 3}})";
        for (const QStringList& more : {QStringList(), QStringList{"--keep-auto"}}) {
            const Answer fine = imported(open, more);
            QVERIFY2(fine.code == 0, qPrintable(fine.err + fine.rules().join(' ')));
            QCOMPARE(fine.json["resolved"].toObject()["train_batch_size"].toInt(), 8);
        }
        const Answer told = imported(open, {"--keep-auto", "--argument", "per_device_train_batch_size=4"});
        QCOMPARE(told.json["resolved"].toObject()["train_batch_size"].toInt(), 32);
        const Answer refused = imported(QByteArray(open).replace("\"stage\": 3", "\"stage\": 3, \"overlap_comm\": \"auto\""));
        QCOMPARE(refused.code, 1);
        QCOMPARE(refused.finding("R107")["path"].toString(), QString("/zero_optimization/overlap_comm"));
    }

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

    void aWorkspaceSaysTheRanks()
    {
        write("ds.json", R"({"train_batch_size": 32, "gradient_accumulation_steps": 2})");
        write("w.json", workspace());
        QCOMPARE(call({"check", "ds.json", "--json", "--workspace", "w.json"}).json["resolved"].toObject()["micro"].toInt(), 2);
        // What the command line says comes first.
        QCOMPARE(call({"check", "ds.json", "--json", "--workspace", "w.json", "--world", "4"}).json["resolved"].toObject()["micro"].toInt(), 4);
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

    void adviceWaitsForAConfigThatIsTaken()
    {
        QByteArray refused = kTinyBuckets;
        write("ds.json", refused.replace("\"stage\": 2", "\"stage\": 2, \"reduce_buket\": 1"));
        write("w.json", workspace());
        const Answer answer = call({"check", "ds.json", "--json", "--workspace", "w.json"});
        QCOMPARE(answer.code, 1);
        QVERIFY2(answer.rules().filter("plan.").isEmpty(), qPrintable(answer.rules().join(' ')));
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

    void ranksNobodyGaveAreNamed()
    {
        const auto said = [&](const char* config, const QStringList& more = {}) {
            write("ds.json", QByteArray("{\"optimizer\": {\"type\": \"AdamW\"}, ") + config + "}");
            return QString::fromUtf8(CommandLine::call(QStringList{"check", "ds.json"} + more).out);
        };
        const char* eight = R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2)";
        QVERIFY2(said(eight).contains("on 8 ranks DeepSpeed takes it (--world 8"), qPrintable(said(eight)));
        QVERIFY(!said(eight, {"--world", "2"}).contains("DeepSpeed takes it"));
        QVERIFY2(said(eight).contains("train batch 64 = micro 4 x accumulation 2 x number of ranks 8"), qPrintable(said(eight)));
        QCOMPARE(call({"check", "ds.json", "--json"}).json["fittingRanks"].toInt(), 8);
        QVERIFY(!call({"check", "ds.json", "--json", "--world", "1"}).json.contains("fittingRanks"));
        // Where something else is wrong too, no number of ranks makes it right.
        const QString other = said(R"("zero_optimization": {"stage": 9}, "train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2)");
        QVERIFY2(!other.contains("DeepSpeed takes it") && other.contains("its sizes are for 8 ranks"), qPrintable(other));
        // Ranks that share a sequence count once in the batch.
        QVERIFY(said(R"("train_batch_size": 192, "train_micro_batch_size_per_gpu": 4.0, "gradient_accumulation_steps": 2, "sequence_parallel_size": 5)").contains("on 120 ranks DeepSpeed takes it"));
        QVERIFY(said(R"("train_batch_size": 192, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "sequence_parallel_size": 5)", {"--ranks", "10", "--world", "10"}).contains("the three agree for a rank count of 120"));
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
