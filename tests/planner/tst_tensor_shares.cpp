// SPDX-License-Identifier: GPL-3.0-or-later
// DeepSpeed's AutoTP divides by key-value heads and leaves tables whole: held against its own get_shard_size.
#include "kept_activations.h"
#include "planner/advisor.h"
#include "planner/autotp_plans.h"
#include "planner/traffic.h"
#include "planner/workspace_search.h"

#include "plan_documents.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

std::vector<json> rows()
{
    QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/autotp_shards.jsonl");
    if (!file.open(QIODevice::ReadOnly)) qFatal("tests/data/autotp_shards.jsonl is missing");
    std::vector<json> out;
    while (!file.atEnd()) out.push_back(json::parse(file.readLine().toStdString()));
    return out;
}

/// The config.json of a row, one rank a device, 512 tokens.
json documentOf(const json& row, const QTemporaryDir& folder, int dp = 1, int stage = 0)
{
    QFile file(folder.filePath("config.json"));
    if (!file.open(QIODevice::WriteOnly)) qFatal("no room for config.json");
    file.write(QByteArray::fromStdString(row["config"].dump()));
    const int tp = row["tp"];
    json w = with(document("llama-3-8b", "deepspeed", stage, 1, tp * dp, 2), "/model", {{"hf", folder.path().toStdString()}, {"seq", 512}});
    return with(w, "/layout", {{"tp", tp}, {"dp", dp}});
}

double mostOf(const json& row) { return row["ranks"][0].get<double>(); }

}  // namespace

class TstTensorShares : public QObject {
    Q_OBJECT
private slots:
    void rankZeroHoldsWhatDeepSpeedGivesIt_data()
    {
        QTest::addColumn<QString>("text");
        for (const json& row : rows()) {
            const std::string name = row["config"]["model_type"].get<std::string>() + " " + std::to_string(row["config"]["hidden_size"].get<int>()) + " over " + std::to_string(row["tp"].get<int>());
            QTest::newRow(name.c_str()) << QString::fromStdString(row.dump());
        }
    }
    void rankZeroHoldsWhatDeepSpeedGivesIt()
    {
        QFETCH(QString, text);
        const json row = json::parse(text.toStdString());
        const QTemporaryDir folder;
        // No rank has more than the first.
        for (const json& other : row["ranks"]) QVERIFY(other.get<double>() <= mostOf(row));
        const Plan plan = planOf(documentOf(row, folder));
        QVERIFY(plan.ledger);
        // Biases of divided matrices are counted whole: 0.4 % of the smallest model.
        const double held = itemOf(plan, "weights") / 2, relative = row["config"]["hidden_size"] == 64 ? 0.01 : 1e-3;
        QVERIFY2(near(held, mostOf(row), relative) && held >= mostOf(row) * (1 - 1e-9), qPrintable(QString("%1 of %2").arg(held).arg(mostOf(row))));
    }

    // Gradients that replicas exchange are those of the fullest rank, and ledger, states and traffic agree on how many there are.
    void trafficAndStatesAreOfTheSameRank()
    {
        for (const json& row : rows()) {
            if (row["config"]["hidden_size"] == 64) continue;
            const QTemporaryDir folder;
            const json w = documentOf(row, folder, 2, 1);
            const Plan plan = planOf(w);
            QVERIFY(plan.ledger);
            QVERIFY(near(itemOf(plan, "optimizer_states"), 8 * mostOf(row) / 2, 1e-3));
            // One reduce-scatter or all-reduce of 16-bit gradients over two replicas.
            const double sent = planTraffic(workspaceOf(w))->bytesOf("gradients");
            QVERIFY2(near(sent, 2 * mostOf(row) / 2, 1e-3) || near(sent, 2 * mostOf(row), 1e-3), qPrintable(QString::number(sent / mostOf(row))));
        }
    }

    // Beyond its two key-value heads no rank of Qwen2.5-3B gets less attention: only the MLP goes on being divided.
    void attentionStopsBeingDividedAtTheKeyHeads()
    {
        const auto computeOf = [](int tp) {
            json row = rows().front();
            row["tp"] = tp;
            row["config"]["vocab_size"] = 1024;  // the loss aside
            const QTemporaryDir folder;
            const Plan plan = planOf(with(with(documentOf(row, folder), "/model/seq", 4096), "/dsConfig/train_micro_batch_size_per_gpu", 8));
            for (const auto& [name, seconds] : plan.forecast->split)
                if (name == "compute") return seconds;
            return 0.0;
        };
        const double two = computeOf(2), four = computeOf(4), eight = computeOf(8);
        QVERIFY2(four > 0.55 * two && four < 0.95 * two, qPrintable(QString("%1 %2").arg(four).arg(two)));
        QVERIFY2(eight > 0.6 * four && eight < four, qPrintable(QString("%1 %2").arg(eight).arg(four)));
        // Attention's own activations neither.
        const auto blocksOf = [](int tp) {
            json row = rows().front();
            row["tp"] = tp;
            const QTemporaryDir folder;
            return keptActivations(planOf(with(documentOf(row, folder), "/model/seq", 4096)));
        };
        const double tokens = 4096, layers = 36, mlp = 4 * 2 * 11008.0;
        QVERIFY(near(blocksOf(2) - blocksOf(8), tokens * layers * mlp * (1 / 2.0 - 1 / 8.0), 1e-6));
    }

    // Untied: every rank gathers the logits of the others. Tied: the loss works on parts, unless the embedding is scaled (Gemma).
    void logitsAreGatheredOrDivided()
    {
        for (const json& row : rows()) {
            const QTemporaryDir folder;
            const json w = documentOf(row, folder);
            const Plan plan = planOf(w);
            const double tokens = 512, vocab = row["config"]["vocab_size"], t = row["tp"];
            const bool tied = row["config"]["tie_word_embeddings"], gemma = row["config"]["model_type"] == "gemma";
            QVERIFY(near(itemOf(plan, "logits"), 4 * tokens * vocab / (tied && !gemma ? t : 1), 1e-6));
            const double sent = planTraffic(workspaceOf(w))->bytesOf("logits");
            QVERIFY(near(sent + 1, (tied ? 0.0 : 2 * (t - 1) / t * 2 * tokens * vocab) + 1, 1e-6));
        }
        // The ds_config may say otherwise.
        for (const json& row : rows()) {
            if (row["config"]["model_type"] != "llama") continue;
            const QTemporaryDir folder;
            const double t = row["tp"], vocab = row["config"]["vocab_size"];
            const json w = documentOf(row, folder);
            QVERIFY(near(itemOf(planOf(with(w, "/dsConfig/tensor_parallel", {{"vocab_parallel_lm_head", true}})), "logits"), 4 * 512 * vocab / t, 1e-6));
            QVERIFY(near(itemOf(planOf(with(w, "/dsConfig/tensor_parallel", {{"vocab_parallel_lm_head", false}})), "logits"), 4 * 512 * vocab, 1e-6));
        }
    }

    void unevenHeadsAreTold()
    {
        for (const json& row : rows()) {
            const QTemporaryDir folder;
            const Plan plan = planOf(documentOf(row, folder));
            const int tp = row["tp"], heads = row["config"].value("num_key_value_heads", row["config"]["num_attention_heads"].get<int>());
            QCOMPARE(findingOf(plan, "plan.autotp_heads.idle") != nullptr, tp > heads);
            QCOMPARE(findingOf(plan, "plan.autotp_heads") != nullptr, tp < heads && heads % tp != 0);
        }
    }

    // As DeepSpeed itself answers (tests/oracle/autotp_plans.py).
    void refusedModelsAreTold()
    {
        QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/autotp_plans.jsonl");
        QVERIFY(file.open(QIODevice::ReadOnly));
        int refused = 0;
        for (const QByteArray& line : file.readAll().trimmed().split('\n')) {
            const json row = json::parse(line.toStdString());
            const AutoTpAnswer answer = autoTpAnswer(row["model_type"].get<std::string>());
            const std::string told = answer == AutoTpAnswer::Divides ? "divides" : answer == AutoTpAnswer::RefusesPlan ? "refuses_plan" : "refuses_model";
            QCOMPARE(told, row["answer"].get<std::string>());
            refused += answer != AutoTpAnswer::Divides;
        }
        QVERIFY(refused > 10);
        for (const auto& [preset, id] : {std::pair{"mixtral-8x7b", "plan.autotp_refused"}, {"gpt2", "plan.autotp_refused.model"}, {"llama-3-8b", ""}}) {
            json w = document(preset, "deepspeed", 1, 1, 4, 1);
            w["layout"] = {{"dp", 2}, {"tp", 2}};
            QCOMPARE(findingOf(planOf(w), "plan.autotp_refused") != nullptr, std::string(id) == "plan.autotp_refused");
            QCOMPARE(findingOf(planOf(w), "plan.autotp_refused.model") != nullptr, std::string(id) == "plan.autotp_refused.model");
            // One's own words are taken, Megatron's layers are no business of AutoTP, and one rank divides nothing.
            for (const json& other : {with(w, "/dsConfig/tensor_parallel", {{"preset_model", "mixtral"}}), with(w, "/framework/arguments", {{"model_code", "megatron"}}), with(w, "/layout", {{"dp", 4}, {"tp", 1}})})
                QVERIFY(!findingOf(planOf(other), "plan.autotp_refused") && !findingOf(planOf(other), "plan.autotp_refused.model"));
        }
    }

    // No search and no advice leads to what DeepSpeed refuses to divide; with words of the ds_config's own it does.
    void refusedLayoutsAreLeftOut()
    {
        struct Tensor {
            bool searched, advised, compared, told;
        };
        const auto tensorOf = [](const json& w) {
            const auto isTensor = [](const ScoredLayout& row) { return row.tp > 1 && row.pp == 1; };
            const auto any = [&](const std::vector<ScoredLayout>& some) { return std::any_of(some.begin(), some.end(), isTensor); };
            std::vector<PlanFinding> findings;
            SearchLimits limits;
            limits.keep = 100'000;
            const auto search = searchOfWorkspace(workspaceOf(w), limits, {}, findings);
            LayoutSearch all;
            all.limits.keep = 100'000;
            const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Layouts, all).value();
            const bool told = std::any_of(advice.findings.begin(), advice.findings.end(), [](const PlanFinding& finding) { return finding.rule == "advise.autotp"; });
            return Tensor{any(searchLayouts(search->base, search->limits).best), any(advice.layouts.best), advice.tensorZero1.has_value(), told};
        };
        for (const auto& [preset, refuses] : {std::pair{"mixtral-8x7b", true}, {"gpt2", true}, {"llama-3-8b", false}}) {
            const json w = document(preset, "deepspeed", 1, 1, 4, 4);
            const Tensor t = tensorOf(w);
            QVERIFY2(t.searched == !refuses && t.advised == !refuses && t.compared == !refuses && t.told == refuses, preset);
            if (std::string(preset) != "mixtral-8x7b") continue;
            const Tensor own = tensorOf(with(w, "/dsConfig/tensor_parallel", {{"partition_config", {{"use_default_specs", false}}}}));
            QVERIFY(own.searched && own.advised && own.compared && !own.told);
        }
        // Megatron's own layers are not AutoTP's, nor is Megatron-LM.
        QVERIFY(tensorOf(with(document("gpt2", "deepspeed", 1, 1, 4, 4), "/framework/arguments", {{"model_code", "megatron"}})).searched);
        QVERIFY(tensorOf(document("gpt2", "megatron", 1, 1, 4, 4)).searched);
    }

    // Megatron's layers under DeepSpeed are divided evenly, and key-value heads copied.
    void megatronsLayersAreNot()
    {
        const json row = rows()[2];
        const QTemporaryDir folder;
        const Plan plan = planOf(with(documentOf(row, folder), "/framework/arguments", {{"model_code", "megatron"}}));
        QVERIFY(itemOf(plan, "weights") / 2 < 0.85 * mostOf(row));
    }
};

QTEST_APPLESS_MAIN(TstTensorShares)
#include "tst_tensor_shares.moc"
