// SPDX-License-Identifier: GPL-3.0-or-later
// What blocks keep for their backward pass, beside what autograd was seen to keep of Transformers' models (tests/oracle/kept_tensors.py),
// and the choice of attention.
#include "kept_activations.h"
#include "plan_documents.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace stagecraft;
using namespace stagecraft::test;

class TstKeptTensors : public QObject {
    Q_OBJECT
private slots:
    void autogradKeepsAsMuch_data()
    {
        QTest::addColumn<QByteArray>("line");
        QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/kept_tensors.jsonl");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(json::parse(file.readLine().toStdString())["transformers"].get<std::string>().starts_with("5.23"));
        for (int i = 2; !file.atEnd(); ++i) {
            const QByteArray line = file.readLine();
            const json row = json::parse(line.toStdString());
            QTest::addRow("line %d %s %s", i, row["config"]["model_type"].get<std::string>().c_str(), row.contains("adapter") ? row["adapter"].dump().c_str() : row.contains("freeze") ? row["freeze"].dump().c_str() : "") << line;
        }
    }

    // Within 1 %: what is left out is the rotation's table, made once for all layers; DeepSeek's groups of experts; a row of numbers for each.
    void autogradKeepsAsMuch()
    {
        QFETCH(QByteArray, line);
        const json row = json::parse(line.toStdString());
        const Plan plan = planOf(documentOf(row));
        QVERIFY2(plan.ledger.has_value(), planToJson(plan)["findings"].dump().c_str());
        double once = 0;  // for all layers, which the difference of two depths does not show
        const bool stacks = row["config"].contains("d_model");
        QCOMPARE(findingOf(plan, "plan.targets") != nullptr, stacks);
        if (stacks) QCOMPARE(itemOf(plan, "weights") + itemOf(plan, "frozen_weights"), (row["precision"] == "bf16" ? 2.0 : 4.0) * static_cast<double>(*plan.params));
        // The mask of zeros of one sequence's attention to the encoder.
        if (stacks && row["micro"] == 1 && row["came"] == "sdpa") once = (row["precision"] == "bf16" ? 2.0 : 4.0) * row["config"]["num_heads"].get<double>() * std::pow(row["seq"].get<double>(), 2);
        for (const LedgerItem& item : plan.ledger->front().items) once += item.what == "activations.mask" && row["config"].value("alibi", false) ? static_cast<double>(item.bytes) : 0;
        const double layers = 12, tokens = row["seq"].get<double>() * row["micro"].get<double>();
        const double planned = (keptActivations(plan) - once) / layers / tokens, seen = row["bytes"].get<double>();
        QVERIFY2(std::abs(planned / seen - 1) <= 0.01, qPrintable(QString("planned %1, seen %2: %3 %").arg(planned).arg(seen).arg(100 * (planned / seen - 1))));
        // What is chosen where nothing is said is what the model came up with.
        if (row["attention"].is_null() && !row.contains("adapter")) {
            const bool eager = itemOf(plan, "activations.scores") > 0 && !findingOf(plan, "plan.attention_math");
            QCOMPARE(eager, row["came"] == "eager");
            QCOMPARE(findingOf(plan, "plan.attention_eager") != nullptr, eager);
        }
    }

    void backwardHoldsAsMuch_data()
    {
        QTest::addColumn<QByteArray>("line");
        QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/block_gradients.jsonl");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QVERIFY(json::parse(file.readLine().toStdString())["transformers"].get<std::string>().starts_with("5.23"));
        for (int i = 2; !file.atEnd(); ++i) {
            const QByteArray line = file.readLine();
            QTest::addRow("line %d %s", i, json::parse(line.toStdString())["config"]["model_type"].get<std::string>().c_str()) << line;
        }
    }

    // The gradients inside a block at its widest point (tests/oracle/block_gradients.py), beside what it keeps: as many where it is made again
    // as where it is not. Within 2 % of what is alive there: order numbers, statistics and sums of biases are left out, and of eager attention
    // which of its inputs are views.
    void backwardHoldsAsMuch()
    {
        QFETCH(QByteArray, line);
        const json row = json::parse(line.toStdString());
        json w = documentOf(row);
        const Plan plan = planOf(w);
        QVERIFY2(plan.ledger.has_value(), planToJson(plan)["findings"].dump().c_str());
        const double tokens = row["seq"].get<double>() * row["micro"].get<double>(), seen = row["bytes"].get<double>();
        const double planned = itemOf(plan, "activations.recomputed") / tokens;
        const double block = keptActivations(plan) / 12 / tokens;
        QVERIFY2(std::abs(planned - seen) <= 0.02 * (block + seen), qPrintable(QString("planned %1, seen %2: %3 % of %4").arg(planned).arg(seen).arg(100 * (planned - seen) / (block + seen)).arg(block + seen)));
        w["layout"]["recompute"] = "full";
        const double again = itemOf(planOf(w), "activations.recomputed") / tokens - planned;
        // Dense and windowed layers make blocks differ; none of these rows has any.
        QVERIFY2(std::abs(again / block - 1) <= 0.001, qPrintable(QString("made again %1 of %2").arg(again).arg(block)));
    }

    // A cap on the logits is a tanh, whose output stays beside what the loss makes of it.
    void capsKeepTheLogits_data()
    {
        QTest::addColumn<QString>("config");
        QTest::addColumn<bool>("kept");
        const auto row = [](const char* name, const char* config, bool kept) { QTest::newRow(name) << QString(config) << kept; };
        row("gemma2", R"({"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"]})", true);
        row("gemma2 without", R"({"model_type": "gemma2", "architectures": ["Gemma2ForCausalLM"], "final_logit_softcapping": null})", false);
        row("gemma3", R"({"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"]})", false);
        row("gemma3 with", R"({"model_type": "gemma3_text", "architectures": ["Gemma3ForCausalLM"], "final_logit_softcapping": 30.0})", true);
        row("llama does not read it", R"({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "final_logit_softcapping": 30.0})", false);
    }
    void capsKeepTheLogits()
    {
        QFETCH(QString, config);
        QFETCH(bool, kept);
        json row = {{"config", json::parse(config.toStdString())}, {"seq", 512}, {"micro", 2}, {"attention", nullptr}, {"precision", "bf16"}};
        row["config"].update({{"hidden_size", 512}, {"num_attention_heads", 8}, {"num_key_value_heads", 2}, {"head_dim", 64}, {"num_hidden_layers", 12}, {"vocab_size", 16'000}, {"intermediate_size", 1408}});
        for (const char* framework : {"deepspeed", "fsdp2"}) {
            if (framework == std::string("fsdp2") && row["config"]["model_type"] == "llama") continue;
            json w = documentOf(row);
            w["framework"]["name"] = framework;
            const Plan plan = planOf(w);
            QVERIFY2(plan.ledger.has_value(), planToJson(plan)["findings"].dump().c_str());
            QCOMPARE(itemOf(plan, "logits_capped"), kept ? 2.0 * 512 * 2 * 16'000 : 0.0);
            // A loss in pieces has one piece of them.
            w["layout"]["lossChunks"] = 16;
            if (framework == std::string("deepspeed")) QCOMPARE(itemOf(planOf(w), "logits_capped"), kept ? 2.0 * 512 * 2 * 1000 : 0.0);
        }
    }

    // An encoder that is told to be a decoder is another model; RoBERTa's table of positions begins with two rows for no token.
    void encodersAreWhatTheirConfigSays()
    {
        json row = {{"config", {{"model_type", "roberta"}, {"architectures", {"RobertaForMaskedLM"}}, {"max_position_embeddings", 514}, {"is_decoder", nullptr}}}, {"seq", 512}, {"micro", 1}, {"attention", nullptr}, {"precision", "bf16"}};
        const Plan plan = planOf(documentOf(row));
        QVERIFY(plan.ledger && plan.forecast && !findingOf(plan, "plan.states_only") && itemOf(plan, "activations.head") > 0);
        row["config"]["is_decoder"] = true;
        QVERIFY(findingOf(planOf(documentOf(row)), "plan.states_only"));
        row["config"]["is_decoder"] = "no";
        row["seq"] = 513;
        QVERIFY(!planOf(documentOf(row)).ledger);
    }

    // FSDP2 keeps as much of a family torchtitan has no model of, and says so.
    void familiesWithoutATorchtitanModelAreTransformers()
    {
        const json row = json::parse(R"({"config": {"model_type": "bloom", "architectures": ["BloomForCausalLM"], "hidden_size": 512, "n_head": 8, "n_layer": 12, "vocab_size": 512}, "seq": 512, "micro": 1, "attention": null, "precision": "bf16"})");
        json w = documentOf(row);
        const double deepspeed = keptActivations(planOf(w));
        w["framework"]["name"] = "fsdp2";
        const Plan plan = planOf(w);
        QVERIFY(findingOf(plan, "plan.fsdp2_model") && findingOf(plan, "plan.attention_eager"));
        QCOMPARE(keptActivations(plan), deepspeed);
        w["layout"]["recompute"] = "selective";
        QVERIFY(findingOf(planOf(w), "plan.fsdp2_selective"));
        QCOMPARE(keptActivations(planOf(w)), deepspeed);
        QVERIFY(!findingOf(planOf(document("llama-3-8b", "fsdp2", 3, 1, 8, 1)), "plan.fsdp2_model"));
    }

    // The whole of a sparse model: its first layers are dense.
    void denseLayersOfASparseModelKeepTheirOwn()
    {
        json row = json::parse(R"({"seq": 512, "micro": 1, "attention": null, "precision": "bf16", "config": {"model_type": "deepseek_v3", "architectures": ["DeepseekV3ForCausalLM"], "hidden_size": 512, "num_attention_heads": 8,
            "num_key_value_heads": 8, "num_hidden_layers": 12, "vocab_size": 512, "q_lora_rank": 192, "kv_lora_rank": 64, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32, "v_head_dim": 64, "intermediate_size": 1408,
            "moe_intermediate_size": 160, "n_routed_experts": 32, "num_experts_per_tok": 8, "n_shared_experts": 1, "first_k_dense_replace": 3}})");
        const Plan plan = planOf(documentOf(row));
        QCOMPARE(itemOf(plan, "activations.experts_in"), 9.0 * 512 * 2 * 8 * 512);
        QCOMPARE(itemOf(plan, "activations.mlp_up"), 512.0 * 2 * (9 * (8 + 1) * 160 + 3 * 1408));
    }

    // Attention that no fused kernel takes is told, and its scores are kept.
    void groupedKeysInFp32MakeAllScores()
    {
        json w = document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
        QVERIFY(!findingOf(planOf(w), "plan.attention_math"));
        w["dsConfig"].erase("bf16");
        const Plan plan = planOf(w);
        QVERIFY(findingOf(plan, "plan.attention_math"));
        QCOMPARE(itemOf(plan, "activations.scores"), 32.0 * 4 * 32 * 4096 * 4096);
        // Before Ampere there is no FlashAttention, and the memory-efficient kernel takes no groups.
        w["dsConfig"]["fp16"] = {{"enabled", true}};
        QVERIFY(!findingOf(planOf(w), "plan.attention_math"));
        w["hardware"]["device"] = "V100-SXM2-32GB";
        QVERIFY(findingOf(planOf(w), "plan.attention_math"));
    }

private:
    json documentOf(const json& row)
    {
        QFile file(m_folder.filePath("config.json"));
        if (!file.open(QIODevice::WriteOnly) || file.write(QByteArray::fromStdString(row["config"].dump())) <= 0) qFatal("cannot write");
        json w = {{"stagecraft", 1}, {"model", {{"hf", m_folder.path().toStdString()}, {"seq", row["seq"]}}}, {"hardware", {{"device", "H100-SXM-80GB"}, {"nodes", 1}, {"devicesPerNode", 8}}},
                  {"layout", {{"dp", 8}}}, {"framework", {{"name", "deepspeed"}}}, {"dsConfig", {{"train_micro_batch_size_per_gpu", row["micro"]}, {"zero_optimization", {{"stage", 2}}}}}};
        for (const char* part : {"adapter", "freeze"})
            if (row.contains(part)) w["model"][part] = row[part];
        if (row["precision"] == "bf16") w["dsConfig"]["bf16"] = {{"enabled", true}};
        if (!row["attention"].is_null()) w["framework"]["arguments"] = {{"attn_implementation", row["attention"]}};
        return w;
    }

    QTemporaryDir m_folder;
};

QTEST_APPLESS_MAIN(TstKeptTensors)
#include "tst_kept_tensors.moc"
