// SPDX-License-Identifier: GPL-3.0-or-later
// What surrounds a ds_config in `stagecraft check`: the context, the launcher's arguments, the ranks, and a workspace with its numbers.
#include "check_command.h"

#include <QJsonObject>
#include <QtTest>

using stagecraft::test::kTinyBuckets;
using stagecraft::test::workspace;

class TstCheckAround : public QObject, stagecraft::test::CheckCommand {
    Q_OBJECT

private slots:
    void theContextIsAFileOrWrittenHere()
    {
        write("ds.json", R"({"train_batch_size": 8, "zero_optimization": {"stage": 1}})");
        write("context.json", R"({"optimizer": "AdamW"})");
        QCOMPARE(call({"check", "ds.json", "--json"}).json["level"].toString(), QString("engine"));
        for (const char* context : {"context.json", R"({"optimizer": "AdamW"})"}) QCOMPARE(call({"check", "ds.json", "--json", "--context", context}).json["verdict"].toString(), QString("ok"));
        const Answer wrong = call({"check", "ds.json", "--json", "--context", "{optimizer"});
        QCOMPARE(wrong.code, 2);
        // Stages without a pipeline model are of nothing.
        const QStringList stages{"check", "ds.json", "--json", "--context", R"({"optimizer": "AdamW", "pipe_stages": 2})"};
        QVERIFY2(call(stages).err.contains("\"pipe_stages\" is not used"), qPrintable(call(stages).err));
        QVERIFY(!call(stages + QStringList{"--pipeline"}).err.contains("pipe_stages"));
    }

    void fewerRanksThanTheBatchRulesAreNoJob()
    {
        write("ds.json", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})");
        QCOMPARE(call({"check", "ds.json", "--json", "--world", "4", "--ranks", "8"}).code, 0);
        const Answer fewer = call({"check", "ds.json", "--json", "--world", "4", "--ranks", "2"});
        QCOMPARE(fewer.code, 2);
        QVERIFY2(fewer.json["error"].toObject()["message"].toString().contains("fewer than the 4 ranks"), qPrintable(fewer.err));
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

    void aWorkspaceSaysTheRanks()
    {
        write("ds.json", R"({"train_batch_size": 32, "gradient_accumulation_steps": 2})");
        write("w.json", workspace());
        QCOMPARE(call({"check", "ds.json", "--json", "--workspace", "w.json"}).json["resolved"].toObject()["micro"].toInt(), 2);
        // What the command line says comes first.
        QCOMPARE(call({"check", "ds.json", "--json", "--workspace", "w.json", "--world", "4"}).json["resolved"].toObject()["micro"].toInt(), 4);
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
};

QTEST_GUILESS_MAIN(TstCheckAround)
#include "tst_check_around.moc"
