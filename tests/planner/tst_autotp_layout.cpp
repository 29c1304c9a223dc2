// SPDX-License-Identifier: GPL-3.0-or-later
// tensor_parallel.autotp_size is what DeepSpeed goes by, and its batch counts all ranks: plan, check and applied layouts agree on both.
#include "config/check.h"
#include "planner/advisor.h"
#include "planner/applied_layout.h"
#include "planner/config_advice.h"
#include "planner/layout_edits.h"
#include "workspace/autotp_layout.h"

#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json eight(int dp, int tp, const json& dsConfig)
{
    json w = with(document("llama-3-8b", "deepspeed", 1, 1, 8, 2), "/layout", {{"dp", dp}, {"tp", tp}});
    for (const auto& [key, value] : dsConfig.items()) w["dsConfig"][key] = value;
    return w;
}

std::int64_t accumulationOf(const json& w) { return planOf(w).config["gradient_accumulation_steps"].get<std::int64_t>(); }

}  // namespace

class TstAutotpLayout : public QObject {
    Q_OBJECT
private slots:
    void theKeyDividesAPlainLayout()
    {
        const json asked{{"tensor_parallel", {{"autotp_size", 4}}}};
        const Plan byKey = planOf(eight(8, 1, asked)), byLayout = planOf(eight(2, 4, asked));
        QVERIFY(byKey.ledger && byLayout.ledger);
        QCOMPARE(byKey.ledger->front().peak.process, byLayout.ledger->front().peak.process);
        QCOMPARE(byKey.forecast->stepTime, byLayout.forecast->stepTime);
        QVERIFY(itemOf(byKey, "weights") < itemOf(planOf(eight(8, 1, json::object())), "weights") / 3);  // tables stay whole
        QVERIFY(findingOf(byKey, "plan.config_divides") && !findingOf(byLayout, "plan.config_divides"));
        // Sizes that make no groups, and a layout that says otherwise, are told; a layout without the key divides nothing in DeepSpeed.
        QVERIFY(findingOf(planOf(eight(8, 1, {{"tensor_parallel", {{"autotp_size", 3}}}})), "plan.autotp_size.ranks"));
        QVERIFY(findingOf(planOf(eight(4, 2, asked)), "plan.autotp_size"));
        QVERIFY(findingOf(planOf(eight(4, 2, json::object())), "plan.autotp_unsaid"));
        for (const char* rule : {"plan.autotp_unsaid", "plan.autotp_size", "plan.autotp_size.ranks"}) QVERIFY2(!findingOf(byLayout, rule), rule);
        const json megatron = with(eight(4, 2, json::object()), "/framework/arguments", {{"model_code", "megatron"}});
        QVERIFY(!findingOf(planOf(megatron), "plan.autotp_unsaid"));
    }

    // Sequences and experts are divided by keys of their own.
    void sequencesAndExpertsAreDividedToo()
    {
        const json sequence{{"sequence_parallel_size", 2}, {"train_batch_size", 8}}, experts{{"expert_parallel", {{"enabled", true}, {"autoep_size", 4}}}};
        const auto meshOf = [](const json& w) { return configLayout(workspaceOf(w)).value_or(ConfigLayout{workspaceOf(w).layout, {}}).layout; };
        QCOMPARE(meshOf(eight(8, 1, sequence)).cp, 2);
        QCOMPARE(meshOf(eight(8, 1, sequence)).dp, 4);
        QCOMPARE(meshOf(eight(8, 1, experts)).ep, 4);
        QCOMPARE(meshOf(eight(8, 1, {{"expert_parallel", {{"autoep_size", 4}}}})).ep, 1);   // not switched on
        // 8 samples = 2 x 1 x 4 ranks: check and plan agree.
        const json w = eight(8, 1, sequence);
        QVERIFY(findingOf(planOf(w), "plan.config_divides") && !findingOf(planOf(w), "plan.batch_triangle") && !findingOf(planOf(w), "plan.sequence_size"));
        QVERIFY(findingOf(planOf(eight(8, 1, {{"sequence_parallel_size", 3}})), "plan.sequence_size"));
        // Searched from the samples that a step has: none of them twice.
        const Advice advice = advise(workspaceOf(eight(8, 1, {{"train_batch_size", 32}, {"train_micro_batch_size_per_gpu", 2}, {"tensor_parallel", {{"autotp_size", 2}}}, {"gradient_accumulation_steps", 2}}))).value();
        QVERIFY(!advice.layouts.best.empty());
        for (const ScoredLayout& row : advice.layouts.best) QCOMPARE(row.dp * row.microBatch * row.accumulation, std::int64_t{16});
        // An applied layout says it in the file's own keys, and takes back what is not so.
        ScoredLayout plain;
        plain.dp = 8;
        plain.tp = plain.pp = plain.cp = plain.ep = plain.microBatch = plain.accumulation = 1;
        const Workspace back = withAppliedLayout(workspaceOf(eight(8, 1, {{"sequence_parallel_size", 2}, {"expert_parallel", {{"enabled", true}, {"autoep_size", 4}}}})), plain);
        QVERIFY(!back.dsConfig.contains("sequence_parallel_size") && !back.dsConfig.contains("expert_parallel"));
    }

    // deepspeed/runtime/config.py: world_size is all ranks unless the script brings an mpu.
    void theBatchCountsAllRanks()
    {
        const json w = eight(2, 4, {{"train_batch_size", 32}, {"train_micro_batch_size_per_gpu", 2}, {"tensor_parallel", {{"autotp_size", 4}}}});
        json open = w;
        open["dsConfig"].erase("gradient_accumulation_steps");
        QCOMPARE(accumulationOf(open), 2);   // 32 / 2 / 8
        QVERIFY(!findingOf(planOf(open), "plan.batch_triangle"));
        CheckContext context;
        surroundWith(workspaceOf(open), context);
        QCOMPARE(context.world, 8);
        const auto answer = checkConfig(open["dsConfig"].dump(), context);
        QVERIFY(answer.hasValue() && answer->resolved);
        QCOMPARE(std::get<std::int64_t>(answer->resolved->gas), 2);
        // With an mpu it is the data-parallel ranks.
        const json megatron = with(open, "/framework/arguments", {{"model_code", "megatron"}});
        QCOMPARE(accumulationOf(megatron), 8);
        QCOMPARE(batchRanks(workspaceOf(megatron)), 2);
    }

    // What DeepSpeed is not told of is advised, with the change that tells it.
    void theKeyIsAdvised()
    {
        for (const json& before : {json::object(), json{{"tensor_parallel", {{"autotp_size", 1}}}}, json{{"tensor_parallel", json::object()}}}) {
            json w = eight(2, 4, before);
            const auto told = [](const json& workspace) {
                std::vector<CheckFinding> found = adviseConfig(workspaceOf(workspace), {}, "en");
                std::erase_if(found, [](const CheckFinding& finding) { return finding.rule != "plan.autotp"; });
                return found;
            };
            const auto found = told(w);
            QCOMPARE(found.size(), std::size_t{1});
            w["dsConfig"] = w["dsConfig"].patch(json::parse(found.front().fix));
            QCOMPARE(w["dsConfig"]["tensor_parallel"]["autotp_size"], json(4));
            QVERIFY(told(w).empty());
            w["dsConfig"].erase("tensor_parallel");
            QVERIFY(told(with(w, "/framework/arguments", {{"model_code", "megatron"}})).empty());
        }
    }

    void anAppliedLayoutIsTheOneDeepSpeedMakes()
    {
        const Workspace plain = workspaceOf(eight(8, 1, {{"train_batch_size", 16}}));
        ScoredLayout layout;
        layout.dp = 2;
        layout.tp = 4;
        layout.pp = layout.cp = layout.ep = 1;
        layout.microBatch = 2;
        layout.accumulation = 3;
        layout.stage = 1;
        const Workspace applied = withAppliedLayout(plain, layout);
        QCOMPARE(applied.dsConfig["tensor_parallel"]["autotp_size"], json(4));
        QCOMPARE(applied.dsConfig["train_batch_size"], json(2 * 3 * 8));
        const Plan plan = makePlan(applied, {}).value();
        for (const char* rule : {"plan.batch_triangle", "plan.autotp_unsaid", "plan.autotp_size", "plan.config_divides"}) QVERIFY2(!findingOf(plan, rule), rule);
        // And back: nothing of it is left.
        layout.dp = 8;
        layout.tp = 1;
        const Workspace back = withAppliedLayout(applied, layout);
        QVERIFY(!autoTpSize(back));
        QCOMPARE(back.dsConfig["train_batch_size"], json(2 * 3 * 8));
        QVERIFY(!configLayout(back) && !back.dsConfig.contains("tensor_parallel"));
    }
};

QTEST_APPLESS_MAIN(TstAutotpLayout)
#include "tst_autotp_layout.moc"
