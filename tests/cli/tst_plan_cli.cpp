// SPDX-License-Identifier: GPL-3.0-or-later
// What `stagecraft plan` tells of traffic, links and published claims.
#include "command_line.h"

#include <QFile>
#include <QJsonArray>
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

    void claims()
    {
        const auto all = call({"plan", "--scenarios", "--json"});
        QCOMPARE(all.code, 0);
        QVERIFY(all.json()["scenarios"].toArray().size() >= 29);
        const auto one = call({"plan", "--scenario", "PERF-70B-2", "--json"});
        QCOMPARE(one.code, 0);
        QCOMPARE(one.json()["scenario"].toObject()["verdict"].toObject()["holds"].toBool(), false);
        QVERIFY(one.json()["ledger"].isObject());
        // Its workspace can be saved, opened and planned like any other.
        QCOMPARE(call({"plan", "--scenario", "tab-16.2.2-6", "--save", "saved.json"}).code, 0);
        QCOMPARE(call({"plan", "saved.json", "--json"}).json()["fits"].toObject()["verdict"].toString(), QString("no"));
        QCOMPARE(call({"plan", "--scenario", "none"}).code, 2);
        QCOMPARE(call({"plan"}).code, 2);
        QCOMPARE(call({"plan", "w.json", "--scenario", "tab-16.2.2-6"}).code, 2);
        QCOMPARE(call({"plan", "--features", "--json"}).json()["rows"].toArray().size(), 11);
    }
};

QTEST_GUILESS_MAIN(TstPlanCli)
#include "tst_plan_cli.moc"
