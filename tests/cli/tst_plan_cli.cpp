// SPDX-License-Identifier: GPL-3.0-or-later
// What `stagecraft plan` tells of traffic, links and published claims.
#include "command_line.h"

#include <QFile>
#include <QJsonArray>
#include <QRegularExpression>
#include <QtTest>

class TstPlanCli : public QObject, stagecraft::test::CommandLine {
    Q_OBJECT
private slots:
    void init()
    {
        freshFolder();
        write("w.json", R"({"stagecraft": 1, "model": {"params": 7e9}, "hardware": {"devicesPerNode": 4, "device": "A100-SXM-80GB"}, "framework": {"name": "deepspeed"},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}})");
    }

    void trafficAndLinks()
    {
        const auto answer = call({"plan", "w.json", "--link", "dgx-a100", "--link", "50GB/s", "--json"});
        QCOMPARE(answer.code, 0);
        const QJsonObject traffic = answer.json()["traffic"].toObject();
        QCOMPARE(traffic["items"].toArray().size(), 3);
        QCOMPARE(traffic["links"].toArray()[0].toObject()["link"].toString(), QString("NVLink 3"));
        QVERIFY(qAbs(traffic["links"].toArray()[0].toObject()["bytes"].toDouble() - 31.5e9) < 1e3);
        QCOMPARE(traffic["replicas"].toObject()["relativeVolume"].toDouble(), 1.5);
        const QJsonArray links = answer.json()["exchange"].toObject()["links"].toArray();
        QCOMPARE(links.size(), 2);
        QCOMPARE(links[0].toObject()["secondsOneReplica"].toDouble(), 14e9 / 200e9);
        QCOMPARE(answer.json()["redundancy"].toObject()["plainDataParallel"].toObject()["cluster"].toDouble(), 448e9);
        const auto text = call({"plan", "w.json"});
        QCOMPARE(text.code, 0);
        for (const char* word : {"weights.gather", "NVLink 3", "448 GB", "InfiniBand NDR"}) QVERIFY2(text.out.contains(word), word);
        QCOMPARE(call({"plan", "w.json", "--link", "fast"}).code, 2);
    }

    // What "cpu" is comes from this machine's own cores, and its interval is wider above than below: what no sheet says slows down more.
    void coresAreThisMachines()
    {
        write("demo.json", R"({"stagecraft": 1, "model": {"family": "llama", "hidden": 256, "layers": 4, "heads": 4, "kvHeads": 4, "ffn": 688, "vocab": 4096, "seq": 256}, "hardware": {"devicesPerNode": 2},
            "layout": {"dp": 2}, "dsConfig": {"train_micro_batch_size_per_gpu": 4, "zero_optimization": {"stage": 2}}})");
        const QJsonObject forecast = call({"plan", "demo.json", "--json"}).json()["forecast"].toObject();
        const double step = forecast["stepTime"].toDouble();
        QVERIFY(forecast["interval90"].toArray()[0].toDouble() < step / 2 && forecast["interval90"].toArray()[1].toDouble() > 3 * step);
        QString source;
        for (const QJsonValue& figure : forecast["figures"].toArray())
            if (figure["what"].toString() == "mfu") source = figure["source"].toString();
        QFile file("/proc/cpuinfo");
        const bool known = file.open(QIODevice::ReadOnly) && file.readAll().contains(" avx2 ");
        QVERIFY2(!known || source.contains("/proc/cpuinfo"), qPrintable(source));
    }

    // A process that shows the whole device says how much of it is needed.
    void aFullDeviceSaysWhatIsNeeded()
    {
        write("full.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "hardware": {"devicesPerNode": 8, "device": "H100-SXM-80GB"}, "layout": {"dp": 8}, "framework": {"name": "fsdp2", "arguments": {"ac": "full", "local_batch": 7}}})");
        const auto text = call({"plan", "full.json"});
        QVERIFY2(text.out.contains("fits: yes") && text.out.contains("\nthe process will show 79.6 GiB, 63.0 GiB of which it needs\n"), text.out.constData());
        QVERIFY(!call({"plan", "full.json", "--set", "/framework/arguments/local_batch=1"}).out.contains("will show"));
    }

    // What a group holds adds up to the total before it, and says where it lies.
    void ledgerSaysWhere()
    {
        write("away.json", R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "hardware": {"devicesPerNode": 8, "device": "A100-SXM-80GB", "hostMemoryGiB": 1024}, "framework": {"name": "deepspeed"}, "layout": {"dp": 8},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/nvme"}, "offload_param": {"device": "nvme", "nvme_path": "/nvme"}}}})");
        const auto text = call({"plan", "away.json"});
        QCOMPARE(text.code, 0);
        for (const char* where : {"on the device in ", "in host memory; ", "in files on NVMe; ", "for the 8 ranks of a node"}) QVERIFY2(text.out.contains(where), qPrintable(text.out));
        const QString told = QString::fromUtf8(text.out), device = told.section("on the device in ", 1, 1).section("in host memory", 0, 0), files = told.section("in files on NVMe", 1).section("\n\n", 0, 0);
        for (const char* item : {"optimizer_states ", "master ", "weights "}) QVERIFY2(files.contains(item) && !device.contains(QString("  ") + item), qPrintable(told));
        // The lines between a total and the next group.
        double sum = 0, total = 0;
        const QRegularExpression line("^ +([0-9.]+) ([KMG]iB|B)  ");
        for (const QString& row : told.section("in host memory;", 0, 0).split('\n')) {
            if (row.contains("beyond that")) break;
            const auto m = line.match(row);
            const double bytes = m.captured(1).toDouble() * (m.captured(2) == "GiB" ? 1024 : m.captured(2) == "MiB" ? 1 : 0);
            if (row.contains("on the device in ")) total = row.contains("other phases") ? total : bytes;
            else if (total > 0 && !row.contains("other phases") && row.startsWith("    ")) sum += bytes;
            if (row.contains("other phases")) break;
        }
        QVERIFY2(total > 0 && qAbs(sum / total - 1) < 0.02, qPrintable(QString("%1 of %2\n%3").arg(sum).arg(total).arg(told)));
    }

    // Of a model known by its size neither a process nor its phases are told, only states.
    void statesAreNoProcess()
    {
        for (const char* stage : {"2", "3"}) {
            const QString told = QString::fromUtf8(call({"plan", "w.json", "--set", (QString("/dsConfig/zero_optimization/stage=") + stage).toUtf8().constData()}).out);
            QVERIFY2(told.contains("model states alone: ") && !told.contains("as the process shows") && !told.contains("peak in"), qPrintable(told));
        }
        const QString text = QString::fromUtf8(call({"plan", "w.json"}).out);
        QVERIFY2(text.contains("(4 of one rank each)"), qPrintable(text));
    }

    // What files take of a node's disk, and that nothing can be swapped to what is no disk.
    void filesSayWhatTheyTake()
    {
        const auto document = [](const char* path) {
            return QString(R"({"stagecraft": 1, "model": {"preset": "gpt2"}, "hardware": {"devicesPerNode": 2, "device": "cpu"}, "framework": {"name": "deepspeed"}, "layout": {"dp": 2},
                "dsConfig": {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "%1"}}}})").arg(path).toUtf8();
        };
        write("swap.json", document("/proc/x"));
        const auto text = call({"plan", "swap.json"});
        QVERIFY2(text.out.contains("files: ") && text.out.contains(" per node in /proc/x") && text.out.contains("the kernel makes up"), text.out.constData());
        const QJsonObject answer = call({"plan", "swap.json", "--json"}).json();
        QVERIFY(qAbs(answer["fileBytesPerNode"].toDouble() / (16.0 * 124'439'808) - 1) < 0.01);
        QCOMPARE(answer["fits"].toObject()["verdict"].toString(), QString("no"));
    }

    // A number of parameters and nothing else is a question of arithmetic: the states, what is not known, and no fault.
    void aNumberOfParametersIsEnough()
    {
        write("n.json", R"({"stagecraft": 1, "model": {"params": 7.5e6}})");
        const QJsonObject answer = call({"plan", "n.json", "--json"}).json();
        QVERIFY(answer["refusal"].isNull());
        const QJsonArray findings = answer["findings"].toArray();
        QCOMPARE(findings.size(), 1);
        QCOMPARE(findings[0].toObject()["rule"].toString() + " " + findings[0].toObject()["severity"].toString() + " " + findings[0].toObject()["path"].toString(), QString("plan.states_only info /model/params"));
        double states = 0;
        for (const QJsonValue& item : answer["ledger"].toObject()["roles"].toArray()[0].toObject()["items"].toArray()) states += item["bytes"].toDouble();
        QCOMPARE(states, 16 * 7.5e6);
        const auto text = call({"plan", "n.json"});
        QVERIFY2(text.code == 0 && !text.out.contains("refused") && !text.out.contains("error:"), text.out.constData());
        // A ds_config that stands there is judged as ever.
        write("n.json", R"({"stagecraft": 1, "model": {"params": 7.5e6}, "dsConfig": {"zero_optimization": {"stage": 1}}})");
        QVERIFY(!call({"plan", "n.json", "--json"}).json()["refusal"].isNull());
    }

    // What DeepSpeed or our engine would not start is no run that fits: the text and the JSON name the rules, as `check` does.
    void refusedConfigIsNoRun_data()
    {
        QTest::addColumn<QByteArray>("framework");
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("by");
        QTest::addColumn<QString>("rule");
        const auto row = [](const char* name, const char* framework, const char* config, const char* by, const char* rule) { QTest::newRow(name) << QByteArray(framework) << QByteArray(config) << QString(by) << QString(rule); };
        row("no optimizer", "deepspeed", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}})", "DeepSpeed", "R31");
        row("no folder", "deepspeed", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme"}}})", "DeepSpeed", "R27");
        row("two precisions", "deepspeed", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "fp16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 2}})", "DeepSpeed", "");
        row("batch", "deepspeed", R"({"train_micro_batch_size_per_gpu": 3, "train_batch_size": 8, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}})", "DeepSpeed", "");
        row("our engine", "stagecraft", R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "Lamb"}, "zero_optimization": {"stage": 2}})", "our engine", "plan.engine_refuses");
        row("taken", "deepspeed", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 2}})", "", "");
        row("of others", "fsdp2", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}})", "", "");
        row("taken by our engine", "stagecraft", R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 2}})", "", "");
    }
    void refusedConfigIsNoRun()
    {
        QFETCH(QByteArray, framework);
        QFETCH(QByteArray, config);
        QFETCH(QString, by);
        QFETCH(QString, rule);
        write("r.json", R"({"stagecraft": 1, "model": {"preset": "gpt2"}, "hardware": {"devicesPerNode": 2, "device": "A100-SXM-80GB", "hostMemoryGiB": 512}, "layout": {"dp": 2}, "framework": {"name": ")" + framework + R"("}, "dsConfig": )" + config + "}");
        const QJsonObject answer = call({"plan", "r.json", "--json"}).json();
        const auto text = call({"plan", "r.json"});
        QCOMPARE(text.code, 0);   // whatever is said of the run
        QCOMPARE(answer["refusal"].isNull(), by.isEmpty());
        QCOMPARE(text.out.contains("\nfits: "), by.isEmpty());
        QCOMPARE(text.out.contains("refused: "), !by.isEmpty());
        if (by.isEmpty()) return;
        QVERIFY(answer["refusal"].toObject()["by"].toString().startsWith(by));
        QVERIFY2(text.out.contains("refused: " + by.toUtf8()), text.out.constData());
        const QJsonObject first = answer["findings"].toArray().first().toObject();
        QCOMPARE(first["severity"].toString(), QString("error"));
        QVERIFY2(first["path"].toString().startsWith("/dsConfig"), qPrintable(first["path"].toString()));
        if (!rule.isEmpty()) QCOMPARE(first["rule"].toString(), rule);
        QCOMPARE(text.out.count(first["message"].toString().toUtf8()), 1);
    }

    void networkSaysItsPorts()
    {
        write("two.json", R"({"stagecraft": 1, "model": {"params": 7e9}, "hardware": {"nodes": 2, "devicesPerNode": 8, "device": "A100-SXM-80GB"}, "framework": {"name": "deepspeed"}, "layout": {"dp": 16},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}})");
        const auto text = call({"plan", "two.json"});
        const QRegularExpression line("network: ([0-9.]+) GB in ([0-9.]+) s: ([0-9.]+) GB/s, ([0-9.]+) times the ([0-9.]+) GB/s of one port");
        const auto m = line.match(QString::fromUtf8(text.out));
        QVERIFY2(m.hasMatch(), qPrintable(text.out));
        const double follows = m.captured(1).toDouble() / m.captured(4).toDouble() / m.captured(5).toDouble();
        QVERIFY2(qAbs(follows / m.captured(2).toDouble() - 1) < 0.02, qPrintable(m.captured()));
    }

    // CMP-TP-Z3: Llama-2-7B on 4 devices, from about 19 thousand tokens of a step on tensor parallelism sends more.
    void adviceComparesTheFamilies()
    {
        write("four.json", R"({"stagecraft": 1, "model": {"preset": "llama-2-7b", "seq": 512}, "hardware": {"devicesPerNode": 4, "device": "A100-SXM-80GB"}, "framework": {"name": "deepspeed"}, "layout": {"dp": 4},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3}}})");
        const auto json = call({"advise", "four.json", "--keep", "1", "--json"});
        QCOMPARE(json.code, 0);
        double tokens = 0;
        for (const QJsonValue& one : json.json()["comparison"].toObject()["crossovers"].toArray())
            if (one.toObject()["tp"].toInt() == 4) tokens = one.toObject()["tokens"].toDouble();
        QVERIFY2(qAbs(tokens - 19278) < 30, qPrintable(QString::number(tokens)));
        const auto text = call({"advise", "four.json", "--keep", "1"});
        for (const char* word : {"stage 3, or stage 1 with tensor parallelism", "as much at 19279 tokens a step, less below and more above", "this step has 2048", "step s", "largest as sold", "each planned as deepspeed runs it"}) QVERIFY2(text.out.contains(word), word);
        // Levers are told in words, and that a job fits with one only where it does not without.
        QVERIFY2(text.out.contains("lever: ") && !text.out.contains("small_buckets") && !text.out.contains("micro_doubled"), text.out.constData());
        QVERIFY(!QString::fromUtf8(text.out).contains(QRegularExpression("lever: .*it fits")));
        // What most likely runs out of memory is not recommended: the heading says what it would be.
        const auto crowded = call({"advise", "four.json", "--keep", "1", "--set", "/dsConfig/train_micro_batch_size_per_gpu=32"});
        const QString heading = QString::fromUtf8(crowded.out).section("as deepspeed runs them? ", 1).section('\n', 0, 0);
        const QStringList sides = QString::fromUtf8(crowded.out).section("as deepspeed runs them? ", 1).split('\n').mid(1, 2);
        QVERIFY2(QString::fromUtf8(crowded.out).contains(QRegularExpression("lever: .*(then it|it still)")), crowded.out.constData());
        const bool surely = sides.join(' ').contains(", fits");
        QVERIFY2(!heading.isEmpty() && (surely || heading.contains("neither") || heading.contains("may fit (p = ")), qPrintable(heading + '\n' + sides.join('\n')));
        // 80 GB by 4 + 12 / 4 bytes a parameter.
        QVERIFY2(QString::fromUtf8(text.out).contains(QRegularExpression("stage 1 .*11,428,57[0-9],")), qPrintable(text.out));
    }

    // Where nothing is weighed no table of nothing is printed, and a lever that changes no odds tells none.
    void adviceHasNoEmptyNumbers()
    {
        write("six.json", R"({"stagecraft": 1, "model": {"preset": "llama-3.1-8b", "seq": 4096}, "hardware": {"devicesPerNode": 6, "device": "H100-SXM-80GB"}, "framework": {"name": "megatron"}, "layout": {"dp": 1, "pp": 6},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 24, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1}}})");
        const auto text = call({"advise", "six.json"});
        QVERIFY2(text.out.startsWith("this job does not run as megatron runs it: 32 layers cannot be divided over 6 pipeline stages"), text.out.constData());
        QVERIFY2(text.out.contains("\nOther layouts fit: the first of them") && !text.out.contains(" =  = ") && !text.out.contains("0 B") && !text.out.contains("branch, as"), text.out.constData());
        const auto ours = call({"advise", "six.json", "--set", "/framework/name=stagecraft"});
        QVERIFY2(ours.out.contains("\nstagecraft does not run this layout: ") && ours.out.contains("\nStagecraft runs this model with dp 6") && ours.out.contains("\nor as deepspeed runs it, "), ours.out.constData());
        write("card.json", R"({"stagecraft": 1, "model": {"preset": "mistral-7b", "adapter": {"rank": 64, "base": "nf4"}, "seq": 1024}, "hardware": {"device": "RTX-3060-12GB"}, "layout": {"recompute": "full"}, "framework": {"name": "deepspeed"},
            "dsConfig": {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 16, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 0}}})");
        const auto card = call({"advise", "card.json"});
        QVERIFY2(card.out.contains("lever: compute the loss in 8 chunks: -390 MiB, +0 s a step\n"), card.out.constData());
    }

    void estimateTellsWhatHasNoEffect()
    {
        const QStringList common{"--params", "2851e6", "--gpus-per-node", "8", "--nodes", "1"};
        const auto second = call(QStringList{"estimate", "deepspeed-zero2", "--largest-layer", "32e6", "--offload-param"} + common);
        QCOMPARE(second.code, 0);
        QVERIFY(second.out.contains("  127.45GB |  11.28GB | offload_optimizer=none") && second.out.contains("additional_buffer_factor"));
        QVERIFY2(second.err.contains("--largest-layer has no effect") && second.err.contains("--offload-param has no effect"), qPrintable(second.err));
        const auto third = call(QStringList{"estimate", "deepspeed-zero3", "--largest-layer", "32e6", "--offload-param", "--json"} + common);
        QVERIFY2(third.err.contains("--offload-param has no effect") && !third.err.contains("--largest-layer"), qPrintable(third.err));
        QVERIFY(call(QStringList{"estimate", "deepspeed-zero3", "--largest-layer", "32e6", "--offload-param", "--offload-optimizer"} + common).err.isEmpty());
        QCOMPARE(call({"estimate", "deepspeed-zero2", "--params", "1.5", "--gpus-per-node", "8", "--nodes", "1"}).code, 2);
    }

    // A command that is not there, or left out, is told with those that are.
    void commandsAreNamed()
    {
        const std::pair<QStringList, const char*> wrong[] = {{{"estimate", "zero2", "--params", "7e9"}, "There is no command \"zero2\" in estimate: use one of deepspeed-zero2, deepspeed-zero3"},
                                                             {{"estimate"}, "A command is missing: one of deepspeed-zero2, deepspeed-zero3"},
                                                             {{"plam", "w.json"}, "There is no command \"plam\": use one of check, plan"},
                                                             {{"plan", "gone.json"}, "Cannot open \"gone.json\": No such file or directory; check the path."},
                                                             {{"estimate", "deepspeed-zero2", "--params", "1e19", "--gpus-per-node", "8", "--nodes", "1"}, "params = 1e+19: give a number from 1 to 1e+18"}};
        for (const auto& [arguments, told] : wrong) {
            const auto answer = call(arguments);
            QVERIFY2(answer.code == 2 && answer.err.contains(told), qPrintable(arguments.join(' ') + ": " + answer.err));
        }
    }

    void claims()
    {
        const auto all = call({"plan", "--scenarios", "--json"});
        QCOMPARE(all.code, 0);
        QVERIFY(all.json()["scenarios"].toArray().size() >= 29);
        const auto one = call({"plan", "--scenario", "PERF-70B-2", "--json"});
        QCOMPARE(one.code, 0);
        QCOMPARE(one.json()["scenario"].toObject()["verdict"].toObject()["holds"].toBool(), false);
        QVERIFY(one.json()["ledger"].isObject());
        QVERIFY(call({"plan", "--scenario", "perf-70b-1"}).out.contains("said: it does not fit: out of memory\nthe claim holds"));
        // Its workspace can be saved, opened and planned like any other.
        QCOMPARE(call({"plan", "--scenario", "tab-16.2.2-6", "--save", "saved.json"}).code, 0);
        QCOMPARE(call({"plan", "saved.json", "--json"}).json()["fits"].toObject()["verdict"].toString(), QString("no"));
        // What is saved is a config that DeepSpeed starts with.
        QCOMPARE(call({"plan", "--scenario", "perf-70b-4", "--save", "nvme.json"}).code, 0);
        QVERIFY(!call({"plan", "nvme.json"}).out.contains("refused:"));
        QCOMPARE(call({"plan", "--scenario", "none"}).code, 2);
        QCOMPARE(call({"plan"}).code, 2);
        QCOMPARE(call({"plan", "w.json", "--scenario", "tab-16.2.2-6"}).code, 2);
        QCOMPARE(call({"plan", "--features", "--json"}).json()["rows"].toArray().size(), 11);
    }
};

QTEST_GUILESS_MAIN(TstPlanCli)
#include "tst_plan_cli.moc"
