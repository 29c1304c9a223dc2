// SPDX-License-Identifier: GPL-3.0-or-later
// Good practices, judged by the numbers of a workspace and not by rote.
#include "planner/checklist.h"
#include "planner/config_advice.h"

#include "config/json_document.h"
#include "config/json_edit.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <map>
#include <string_view>

using namespace stagecraft;
using nlohmann::json;

namespace {

Workspace job(const std::string& config, const char* device = "H100-SXM-80GB", const char* recompute = "none", int perNode = 8, int nodes = 1, bool small = false)
{
    Workspace w;
    w.model.form = ModelSection::Form::Preset;
    w.model.huggingFaceConfig = json::parse(small ? R"({"architectures":["LlamaForCausalLM"],"hidden_size":2048,"intermediate_size":8192,"num_hidden_layers":16,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":2048})"
                                                  : R"({"architectures":["LlamaForCausalLM"],"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":2048})");
    w.hardware = {.nodes = nodes, .devicesPerNode = perNode, .device = device};
    w.layout.dp = nodes * perNode;
    w.layout.recompute = recompute;
    w.framework.name = "deepspeed";
    w.dsConfigText = config;
    w.dsConfig = json::parse(config);
    return w;
}

std::string config(const std::string& zero, const std::string& more = R"("bf16": {"enabled": true})")
{
    return R"({"train_micro_batch_size_per_gpu": 2, )" + more + R"(, "zero_optimization": {)" + zero + "}}";
}

}  // namespace

class TstChecklist : public QObject {
    Q_OBJECT
private slots:
    void verdicts_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("recompute");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("nodes");
        const auto row = [](const char* name, const char* id, const char* verdict, const std::string& text, const char* device = "H100-SXM-80GB", const char* recompute = "none", int ranks = 8, int nodes = 1) {
            QTest::newRow(name) << id << verdict << QString::fromStdString(text) << device << recompute << ranks << nodes;
        };
        row("stage 0 leaves no room", "stage", "not_followed", config(R"("stage": 0)"));
        row("stage 2 fits", "stage", "followed", config(R"("stage": 2)"));
        row("one rank shards nothing", "stage", "not_needed", config(R"("stage": 1)"), "B300-SXM-288GB", "none", 1);
        row("nothing offloaded", "offload", "followed", config(R"("stage": 2)"));
        row("offload for no reason", "offload", "not_followed", config(R"("stage": 2, "offload_optimizer": {"device": "cpu"})"));
        row("overlap on", "overlap", "followed", config(R"("stage": 2, "overlap_comm": true)"));
        row("overlap by default", "overlap", "followed", config(R"("stage": 3)"));
        row("overlap off between slow links", "overlap", "not_followed", config(R"("stage": 2)"), "A10", "full", 8, 4);
        row("nothing to overlap", "overlap", "not_needed", config(R"("stage": 0)"));
        row("bf16", "precision", "followed", config(R"("stage": 2)"));
        row("fp16 where bf16 is as fast", "precision", "not_followed", config(R"("stage": 2)", R"("fp16": {"enabled": true})"));
        row("fp16 where there is no bf16", "precision", "not_needed", config(R"("stage": 3)", R"("fp16": {"enabled": true})"), "V100-SXM2-32GB");
        row("no recomputation needed", "recompute", "not_needed", config(R"("stage": 2)"));
        row("recomputation for no reason", "recompute", "not_followed", config(R"("stage": 2)"), "H100-SXM-80GB", "full");
        row("buckets in crumbs", "bucket", "not_followed", config(R"("stage": 2, "reduce_bucket_size": 1000)"));
        row("fitting buckets", "bucket", "followed", config(R"("stage": 2, "reduce_bucket_size": 2e8)"));
        row("no times", "clock", "not_followed", config(R"("stage": 2)"));
        row("times", "clock", "followed", config(R"("stage": 2)", R"("bf16": {"enabled": true}, "wall_clock_breakdown": true)"));
        row("stage 2 has whole weights", "gather", "not_needed", config(R"("stage": 2)"));
        row("stage 3 saves in pieces", "gather", "not_followed", config(R"("stage": 3)"));
        row("stage 3 gathers", "gather", "followed", config(R"("stage": 3, "stage3_gather_16bit_weights_on_model_save": true)"));
        row("by its other name", "gather", "followed", config(R"("stage": 3, "gather_16bit_weights_on_model_save": true)"));
    }

    void verdicts()
    {
        QFETCH(QString, id);
        QFETCH(QString, verdict);
        QFETCH(QString, text);
        QFETCH(QString, device);
        QFETCH(QString, recompute);
        QFETCH(int, ranks);
        QFETCH(int, nodes);
        const Workspace w = job(text.toStdString(), device.toUtf8().constData(), recompute.toUtf8().constData(), ranks, nodes);
        const auto pick = [&id](const std::vector<ChecklistItem>& items) { return *std::find_if(items.begin(), items.end(), [&id](const ChecklistItem& item) { return item.id == id.toStdString(); }); };
        for (const char* language : {"en", "zh"}) {
            const auto items = checkPractices(w, {}, language);
            QCOMPARE(items.size(), std::size_t{8});
            const ChecklistItem item = pick(items);
            QVERIFY2(verdict == checklistVerdictName(item.verdict), item.reason.c_str());
            for (const ChecklistItem& each : items) QVERIFY2(!each.title.empty() && !each.reason.empty() && each.reason.find('{') == std::string::npos, (each.id + each.reason).c_str());
        }
        // What is offered to follow it does.
        const ChecklistItem item = pick(checkPractices(w));
        if (item.verdict != ChecklistItem::Verdict::NotFollowed || item.fix.empty()) return;
        const auto document = JsonDocument::parse(text.toStdString());
        const auto edits = patchEdits(*document, json::parse(item.fix));
        QVERIFY2(edits.hasValue(), item.fix.c_str());
        const Workspace after = job(applyEdits(document->text(), *edits), device.toUtf8().constData(), recompute.toUtf8().constData(), ranks, nodes);
        QVERIFY2(pick(checkPractices(after)).verdict != ChecklistItem::Verdict::NotFollowed, after.dsConfigText.c_str());
    }

    void whatIsNotKnownIsSaid()
    {
        Workspace w = job(config(R"("stage": 3)"));
        w.model.huggingFaceConfig = nullptr;
        w.model.form = ModelSection::Form::ParameterCount;
        w.model.parameterCount = 7e9;
        const auto items = checkPractices(w);
        QCOMPARE(items.size(), std::size_t{8});
        int unknown = 0;
        for (const ChecklistItem& item : items) unknown += item.verdict == ChecklistItem::Verdict::Unknown ? 1 : 0;
        QCOMPARE(unknown, 6);   // what the text alone says is told: times and whole weights
        w.dsConfig = json::array();
        QCOMPARE(checkPractices(w).size(), std::size_t{8});
    }

    void theCheckComesBeforeTheNumbers()
    {
        const auto verdictsOf = [](const std::string& text, bool assumed) {
            const Workspace w = job(text);
            const auto answer = checkConfig(text, {});
            std::map<std::string, ChecklistItem> items;
            for (ChecklistItem& item : checkPractices(w, {}, "en", {assumed, &*answer})) items.emplace(item.id, item);
            return items;
        };
        const auto is = [](const ChecklistItem& item, const char* verdict) { return std::string_view(checklistVerdictName(item.verdict)) == verdict; };
        QVERIFY(is(verdictsOf(config(R"("stage": 2)"), false)["precision"], "followed"));
        const auto becomesFalse = verdictsOf(config(R"("stage": 2)", R"("bf16": {"enabled": "auto"})"), false);
        QVERIFY2(is(becomesFalse.at("precision"), "not_followed") && becomesFalse.at("precision").reason.find("auto") != std::string::npos, becomesFalse.at("precision").reason.c_str());
        for (const auto& [id, item] : verdictsOf(config(R"("stage": 9)"), false))
            if (id != "clock") QVERIFY2(is(item, "unknown") && item.fix.empty() && item.reason.find("refuses") != std::string::npos, item.reason.c_str());
        // What the refusal has nothing to do with is judged all the same.
        QVERIFY(is(verdictsOf(config(R"("stage": 9)"), false).at("clock"), "not_followed"));
        const auto elsewhere = verdictsOf(config(R"("stage": 3)", R"("fp16": {"enabled": true}, "bf16": {"enabled": true})"), false);
        QVERIFY(is(elsewhere.at("stage"), "unknown") && is(elsewhere.at("clock"), "not_followed") && is(elsewhere.at("gather"), "not_followed"));
        const auto assumed = verdictsOf(config(R"("stage": 2, "offload_optimizer": {"device": "cpu"})"), true);
        QVERIFY2(is(assumed.at("offload"), "unknown") && assumed.at("offload").fix.empty(), assumed.at("offload").reason.c_str());
        QVERIFY(is(assumed.at("clock"), "not_followed"));
    }

    // The ranks are divided as the ds_config's own keys divide them, for every reason that is given.
    void theConfigsOwnDivisionCounts()
    {
        const std::string text = config(R"("stage": 1)", R"("bf16": {"enabled": true}, "tensor_parallel": {"autotp_size": 4})");
        const Workspace left = job(text);
        Workspace written = job(text);
        written.layout.dp = 2;
        written.layout.tp = 4;
        const auto ours = checkPractices(left), theirs = checkPractices(written);
        QCOMPARE(ours.size(), theirs.size());
        for (std::size_t i = 0; i < ours.size(); ++i) QVERIFY2(ours[i].verdict == theirs[i].verdict && ours[i].reason == theirs[i].reason && ours[i].fix == theirs[i].fix, ours[i].reason.c_str());
    }

    void adviceGivesTheReason()
    {
        const Workspace w = job(config(R"("stage": 2, "reduce_bucket_size": 1000)"));
        const auto advice = adviseConfig(w);
        const auto finding = std::find_if(advice.begin(), advice.end(), [](const CheckFinding& f) { return f.rule == "plan.bucket_small"; });
        QVERIFY(finding != advice.end());
        const auto items = checkPractices(w);
        QVERIFY(std::any_of(items.begin(), items.end(), [&](const ChecklistItem& item) { return item.id == "bucket" && item.reason == finding->message && item.fix == finding->fix; }));
    }
};

QTEST_GUILESS_MAIN(TstChecklist)
#include "tst_checklist.moc"
