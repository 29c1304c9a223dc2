// SPDX-License-Identifier: GPL-3.0-or-later
// Jobs whose weights are fp32 and whose products are not: DeepSpeed's torch_autocast.
#include "kept_activations.h"
#include "plan_documents.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::test;

class TstAutocast : public QObject {
    Q_OBJECT
private slots:
    void autogradKeepsAsMuch_data()
    {
        QTest::addColumn<QByteArray>("line");
        QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/kept_autocast.jsonl");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(json::parse(file.readLine().toStdString())["transformers"].get<std::string>().starts_with("5.23"));
        for (int i = 2; !file.atEnd(); ++i) {
            const QByteArray line = file.readLine();
            const json row = json::parse(line.toStdString());
            QTest::addRow("line %d %s%s %s", i, row["config"]["model_type"].get<std::string>().c_str(), row["zero3"] == true ? " stage 3" : "", row.contains("adapter") ? row["adapter"].dump().c_str() : "") << line;
        }
    }

    // Bytes a token and layer, and the copies of weights that are there whatever the tokens (tests/oracle/kept_autocast.py).
    void autogradKeepsAsMuch()
    {
        QFETCH(QByteArray, line);
        const json row = json::parse(line.toStdString());
        const Plan plan = planOf(documentOf(row));
        QVERIFY2(plan.ledger.has_value(), planToJson(plan)["findings"].dump().c_str());
        double once = 0;  // a mask of all heads is made once for all layers
        for (const LedgerItem& item : plan.ledger->front().items) once += item.what == "activations.mask" && row["config"].value("alibi", false) ? static_cast<double>(item.bytes) : 0;
        const double tokens = row["seq"].get<double>() * row["micro"].get<double>();
        const double planned = (keptActivations(plan) - once) / 12 / tokens, seen = row["bytes"].get<double>();
        QVERIFY2(std::abs(planned / seen - 1) <= 0.01, qPrintable(QString("planned %1, seen %2: %3 %").arg(planned).arg(seen).arg(100 * (planned / seen - 1))));
        if (row["zero3"] == true && row["config"]["model_type"] != "gpt2") return;
        json deep = row;
        deep["config"][row["config"].contains("n_layer") ? "n_layer" : "num_hidden_layers"] = 24;
        const double copies = (itemOf(planOf(documentOf(deep)), "autocast_weights") - itemOf(plan, "autocast_weights")) / 12, held = row["weights"].get<double>();
        // Experts have none; biases and adapters are cast, too.
        QVERIFY2(std::abs(copies / held - 1) <= (row.contains("adapter") ? 0.06 : 0.02), qPrintable(QString("planned %1, seen %2").arg(copies).arg(held)));
    }

    // The section is no fp32 training: tensor cores and fused kernels are used, and states are those of fp32 weights.
    void theSectionIsPlanned()
    {
        for (int stage = 0; stage <= 3; ++stage) {
            json w = document("llama-3-8b", "deepspeed", stage, 1, 8, 1);
            const Plan bf16 = planOf(w);
            w["dsConfig"].erase("bf16");
            const Plan fp32 = planOf(w);
            w["dsConfig"]["torch_autocast"] = {{"enabled", true}, {"dtype", "bfloat16"}};
            const Plan plan = planOf(w);
            QVERIFY2(plan.forecast && plan.ledger, planToJson(plan)["findings"].dump().c_str());
            QVERIFY(findingOf(fp32, "plan.fp32_products") && findingOf(fp32, "plan.attention_math"));
            QVERIFY(!findingOf(plan, "plan.fp32_products") && !findingOf(plan, "plan.attention_math"));
            QCOMPARE(plan.forecast->peakType, std::string("bf16"));
            QVERIFY(plan.forecast->stepTime < 1.5 * bf16.forecast->stepTime && plan.forecast->stepTime > bf16.forecast->stepTime);
            for (const char* state : {"weights", "gradients", "optimizer_states"}) QCOMPARE(itemOf(plan, state), itemOf(fp32, state));
            QCOMPARE(itemOf(plan, "master"), stage > 0 ? itemOf(plan, "optimizer_states") / 2 : 0.0);   // the clone of fp32 weights
            QCOMPARE(itemOf(plan, "autocast_weights") > 2.0 * 7.4e9, stage < 3);
            // At stage 0 the engine sums gradients as they are; ZeRO sends those of linear modules in 16 bits.
            w["dsConfig"]["torch_autocast"]["lower_precision_safe_modules"] = json::array();
            const double sent = itemOf(planOf(w), "buckets_sent"), sentLow = itemOf(plan, "buckets_sent");
            QCOMPARE(sent, 0.0);
            QCOMPARE(sentLow > 0, stage > 0);
        }
    }

    void onlyDeepSpeedReadsIt()
    {
        for (const char* framework : {"fsdp2", "megatron"}) {
            json w = document("llama-3-8b", framework, 2, 1, 8, 1);
            const Plan plain = planOf(w);
            w["dsConfig"]["torch_autocast"] = {{"enabled", true}, {"dtype", "bfloat16"}};
            QCOMPARE(planOf(w).ledger->front().peak.allocated, plain.ledger->front().peak.allocated);
        }
        // Beside 16-bit weights there is nothing left to cast but norms.
        json w = document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
        const Plan plain = planOf(w);
        w["dsConfig"]["torch_autocast"] = {{"enabled", true}, {"dtype", "bfloat16"}};
        QCOMPARE(planOf(w).ledger->front().peak.allocated, plain.ledger->front().peak.allocated);
        w["dsConfig"]["torch_autocast"]["enabled"] = false;
        QCOMPARE(planOf(w).ledger->front().peak.allocated, plain.ledger->front().peak.allocated);
    }

    // What is made again is cast again, block by block.
    void checkpointsHoldFewerCopies()
    {
        json w = document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
        w["dsConfig"].erase("bf16");
        w["dsConfig"]["torch_autocast"] = {{"enabled", true}, {"dtype", "bfloat16"}};
        w["layout"]["recompute"] = "full";
        double forward = 0, backward = 0;
        const Plan plan = planOf(w);
        for (const LedgerItem& item : plan.ledger->front().items)
            if (item.what == "autocast_weights") (item.phase == "forward" ? forward : backward) += static_cast<double>(item.bytes);
        QVERIFY(forward > 2 * 6.9e9 && backward > 0 && backward < 2 * 0.6e9);
    }

    // A quantised base without ZeRO is mostly trained without DeepSpeed: what was published lies far above, and nothing sure is said. The same
    // under autocast has its words, and is larger.
    void quantisedBaseWithoutZero()
    {
        json w = document("llama-3-8b", "deepspeed", 0, 1, 1, 1);
        w["hardware"]["device"] = "A100-SXM-80GB";
        w["model"]["seq"] = 8192;
        w["model"]["adapter"] = {{"rank", 16}, {"base", "nf4"}};
        const Plan plan = planOf(w);
        QVERIFY(findingOf(plan, "plan.adapter.kbit"));
        QCOMPARE(plan.fit->verdict, Fit::Verdict::Unsure);
        w["dsConfig"].erase("bf16");
        w["dsConfig"]["torch_autocast"] = {{"enabled", true}, {"dtype", "bfloat16"}};
        const Plan cast = planOf(w);
        QVERIFY(!findingOf(cast, "plan.adapter.kbit"));
        QVERIFY(cast.ledger->front().peak.allocated > 1.1 * static_cast<double>(plan.ledger->front().peak.allocated));
        w = document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
        w["model"]["adapter"] = {{"rank", 16}, {"base", "nf4"}};
        QVERIFY(!findingOf(planOf(w), "plan.adapter.kbit"));
    }

private:
    json documentOf(const json& row)
    {
        QFile file(m_folder.filePath("config.json"));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(row["config"].dump())) <= 0) qFatal("cannot write");
        json w = {{"stagecraft", 1}, {"model", {{"hf", m_folder.path().toStdString()}, {"seq", row["seq"]}}}, {"hardware", {{"device", "H100-SXM-80GB"}, {"nodes", 1}, {"devicesPerNode", 8}}},
                  {"layout", {{"dp", 8}}}, {"framework", {{"name", "deepspeed"}}},
                  {"dsConfig", {{"train_micro_batch_size_per_gpu", row["micro"]}, {"torch_autocast", {{"enabled", true}, {"dtype", "bfloat16"}}}, {"zero_optimization", {{"stage", row["zero3"] == true ? 3 : 2}}}}}};
        if (row.contains("adapter")) w["model"]["adapter"] = row["adapter"];
        if (!row["attention"].is_null()) w["framework"]["arguments"] = {{"attn_implementation", row["attention"]}};
        return w;
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TstAutocast)
#include "tst_autocast.moc"
