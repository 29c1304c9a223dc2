// SPDX-License-Identifier: GPL-3.0-or-later
// Where the walk through a tree of branches ends: with what fits, and of that with what is fastest, be it with a change of the job.
#include "planner/tree_end.h"

#include "planner/advisor.h"
#include "planner/framework_branches.h"
#include "planner/plan.h"
#include "plan_documents.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <string>

using namespace stagecraft;
using nlohmann::json;

class TstTreeEnd : public QObject {
    Q_OBJECT
private slots:
    // Where no branch fits as the job is written the tree ends with the least change of the job with which one does, and applies it.
    void theTreeEndsWithWhatFits_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("micro");
        QTest::addColumn<bool>("recomputes");
        QTest::addColumn<bool>("smaller");
        QTest::newRow("recomputation is enough") << "deepspeed" << "RTX-4090" << 1 << 1 << true << false;
        QTest::newRow("and a smaller micro-batch") << "deepspeed" << "RTX-4090" << 1 << 8 << true << true;
        QTest::newRow("branches that recompute themselves") << "fsdp2" << "A100-SXM-40GB" << 8 << 16 << false << true;
    }
    void theTreeEndsWithWhatFits()
    {
        QFETCH(QString, framework);
        QFETCH(QString, device);
        QFETCH(int, devices);
        QFETCH(int, micro);
        QFETCH(bool, recomputes);
        QFETCH(bool, smaller);
        const json document = {{"stagecraft", 1}, {"model", {{"preset", "llama-3-8b"}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", devices}, {"device", device.toStdString()}}}, {"layout", {{"dp", devices}}}, {"framework", {{"name", framework.toStdString()}}},
                               {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 0}}}}}};
        const Workspace w = test::workspaceOf(document);
        const Advice advice = advise(w).value();
        QVERIFY(advice.chosen);
        const StageOption& o = advice.options[*advice.chosen];
        QVERIFY2(o.fits && o.relief && o.message.starts_with("only with "), o.message.c_str());
        QCOMPARE(o.relief->recompute, recomputes);
        QCOMPARE(o.relief->microBatch > 0, smaller);
        if (smaller) QCOMPARE(o.relief->microBatch * o.relief->accumulation, std::int64_t{micro});
        QVERIFY(advice.tree[*advice.chosen].yes && advice.tree[*advice.chosen].question.find(reliefPhrase(*o.relief)) != std::string::npos);
        QVERIFY(std::none_of(advice.findings.begin(), advice.findings.end(), [](const PlanFinding& f) { return f.id.starts_with("advise.nothing_fits"); }));
        QCOMPARE(std::count_if(advice.findings.begin(), advice.findings.end(), [](const PlanFinding& f) { return f.rule == "advise.relief"; }), 1);
        if (!advice.rulesOfThumb.empty()) QVERIFY(advice.rulesOfThumb.front().ours.find(o.message) != std::string::npos);
        for (std::size_t i = 0; i < advice.options.size(); ++i)
            if (i != *advice.chosen) QVERIFY(!advice.options[i].mayFit && !advice.options[i].relief && advice.tree[i].walked);
        // What is applied is the plan that was told.
        const json told = adviceToJson(advice, w);
        QCOMPARE(told["apply"], told["options"][*advice.chosen]["apply"]);
        const auto applied = makePlan(test::workspaceOf(document.patch(told["apply"])));
        QVERIFY(applied.hasValue() && applied->fit);
        QCOMPARE(applied->fit->verdict, Fit::Verdict::Yes);
        QCOMPARE(applied->ledger->front().peak.process, *o.peakBytes);
        QCOMPARE(applied->forecast->stepTime, *o.stepTime);
    }

    // States go outside the devices only where nothing that fits without is faster, be it with a change of the job.
    void offloadIsNoAnswerWhereAChangeIsFaster_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("seq");
        QTest::addColumn<int>("micro");
        QTest::addColumn<QString>("rule");
        QTest::newRow("nothing surely fits as it is written") << "llama-3-8b" << "H100-SXM-80GB" << 8192 << 1 << "advise.relief.recompute";
        QTest::newRow("the optimizer on the host fits") << "llama-2-7b" << "A100-SXM-80GB" << 4096 << 2 << "advise.relief.faster.micro";
        QTest::newRow("a stage fits as it is written") << "llama-3.2-1b" << "A100-SXM-80GB" << 4096 << 2 << "";
    }
    void offloadIsNoAnswerWhereAChangeIsFaster()
    {
        QFETCH(QString, preset);
        QFETCH(QString, device);
        QFETCH(int, seq);
        QFETCH(int, micro);
        QFETCH(QString, rule);
        const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", preset.toStdString()}, {"seq", seq}}}, {"hardware", {{"devicesPerNode", 8}, {"device", device.toStdString()}}}, {"layout", {{"dp", 8}}}, {"framework", {{"name", "deepspeed"}}},
                                               {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 2}}}}}});
        const Advice advice = advise(w).value();
        QVERIFY(advice.chosen);
        const StageOption& o = advice.options[*advice.chosen];
        QVERIFY(o.fits && o.offloadOptimizer == OffloadDevice::None);
        QCOMPARE(o.relief.has_value(), !rule.isEmpty());
        for (const PlanFinding& f : advice.findings)
            if (f.rule.starts_with("advise.relief")) QCOMPARE(QString::fromStdString(f.id), rule);
        for (std::size_t i = 0; i < advice.options.size(); ++i) {
            const StageOption& other = advice.options[i];
            if (other.fits && other.stepTime && i != *advice.chosen && !rule.isEmpty()) QVERIFY(*o.stepTime < *other.stepTime);
            if (other.fits && i > *advice.chosen && advice.tree[i].walked) QVERIFY2(!advice.tree[i].yes && advice.tree[i].rejected.find(reliefPhrase(*o.relief)) != std::string::npos, advice.tree[i].rejected.c_str());
        }
    }

    // Of all branches with all reliefs the answer is the fastest that surely fits: a stage that sends less may want the smaller micro-batch.
    void noBranchFitsFasterWithAnotherRelief_data()
    {
        QTest::addColumn<QString>("preset");
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<int>("devices");
        QTest::addColumn<int>("seq");
        QTest::addColumn<int>("micro");
        QTest::newRow("cards without links between them") << "llama-3.2-3b" << "RTX-4090" << 16 << 3 << 4096 << 8;
        QTest::newRow("one device a node") << "llama-3-8b" << "A100-SXM-80GB" << 4 << 1 << 1024 << 12;
        QTest::newRow("linked devices") << "llama-2-7b" << "A100-SXM-80GB" << 1 << 8 << 4096 << 8;
    }
    void noBranchFitsFasterWithAnotherRelief()
    {
        QFETCH(QString, preset);
        QFETCH(QString, device);
        QFETCH(int, nodes);
        QFETCH(int, devices);
        QFETCH(int, seq);
        QFETCH(int, micro);
        const json document = {{"stagecraft", 1}, {"model", {{"preset", preset.toStdString()}, {"seq", seq}}}, {"hardware", {{"nodes", nodes}, {"devicesPerNode", devices}, {"device", device.toStdString()}}}, {"framework", {{"name", "deepspeed"}}},
                               {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}}}};
        const Advice advice = advise(test::workspaceOf(document)).value();
        QVERIFY(advice.chosen && advice.options[*advice.chosen].fits && advice.options[*advice.chosen].relief);
        const double answer = *advice.options[*advice.chosen].stepTime;
        int fitting = 0;
        for (int stage = 0; stage <= 3; ++stage)
            for (const char* recompute : {"none", "full"})
                for (int smaller = micro; smaller >= 1; --smaller) {
                    if (micro % smaller != 0) continue;
                    json other = document;
                    other["layout"]["recompute"] = recompute;
                    other["dsConfig"]["zero_optimization"]["stage"] = stage;
                    other["dsConfig"]["train_micro_batch_size_per_gpu"] = smaller;
                    other["dsConfig"]["gradient_accumulation_steps"] = 4 * (micro / smaller);
                    const auto plan = makePlan(test::workspaceOf(other));
                    if (!plan.hasValue() || !plan->fit || plan->fit->verdict != Fit::Verdict::Yes) continue;
                    ++fitting;
                    QVERIFY2(answer < 1.02 * plan->forecast->stepTime, other.dump().c_str());   // a percent is no difference, twice: between kinds, and between branches
                }
        QVERIFY(fitting > 0);
    }

    // A stage is turned down for a later one only where that is smaller and clearly faster, and each sentence is true of its own branch.
    void noStageIsTurnedDownForNothing()
    {
        for (const char* device : {"cpu", "A100-SXM-80GB", "RTX-4090"})
            for (const int micro : {1, 4, 16}) {
                const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", "gpt2"}}}, {"hardware", {{"devicesPerNode", 4}, {"device", device}, {"hostMemoryGiB", 64}}}, {"layout", {{"dp", 4}}}, {"framework", {{"name", "deepspeed"}}},
                                                       {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}}}});
                const Advice advice = advise(w).value();
                if (!advice.chosen) continue;
                const StageOption& o = advice.options[*advice.chosen];
                for (std::size_t i = 0; i < *advice.chosen; ++i) {
                    const StageOption& other = advice.options[i];
                    if (!other.fits) continue;
                    const std::string& question = advice.tree[i].question;
                    if (question.find("smaller") != std::string::npos) QVERIFY2(*o.peakBytes < *other.peakBytes, question.c_str());
                    if (question.find("faster") != std::string::npos) QVERIFY2(*o.stepTime < *other.stepTime, question.c_str());
                    QVERIFY(question.find("smaller") != std::string::npos || question.find("faster") != std::string::npos);
                }
                const auto first = std::find_if(advice.options.begin(), advice.options.end(), [](const StageOption& each) { return each.fits; });
                if (first != advice.options.end() && &*first != &o) QVERIFY(*o.stepTime < 0.991 * *first->stepTime);
            }
    }

    // Nor does a branch that recomputes end the walk where a smaller micro-batch does without and is faster.
    void recomputationIsNoAnswerWhereASmallerBatchIsFaster()
    {
        for (const char* framework : {"megatron", "fsdp2"}) {
            const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", "llama-2-7b"}, {"seq", 4096}}}, {"hardware", {{"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}}}, {"layout", {{"dp", 8}}}, {"framework", {{"name", framework}}},
                                                   {"dsConfig", {{"train_micro_batch_size_per_gpu", 4}, {"gradient_accumulation_steps", 2}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}}}});
            const Advice advice = advise(w).value();
            QVERIFY(advice.chosen);
            const StageOption& o = advice.options[*advice.chosen];
            QVERIFY2(o.fits && o.recompute == "none", (std::string(framework) + " " + o.message).c_str());
            for (const StageOption& other : advice.options)
                if (other.fits && other.recompute != "none") QVERIFY2(*o.stepTime < *other.stepTime, framework);
        }
    }

    // The branches of a framework are what an expert would try in turn: what divides the activations at no cost where that is not done, what
    // makes again what is cheap to make where it saves something, and then everything.
    void treesHaveWhatTheirFrameworksOffer_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("branches");
        QTest::addColumn<QString>("now");
        const auto row = [](const char* name, const char* framework, const char* arguments, const char* branches, const char* now) { QTest::newRow(name) << QString(framework) << QString(arguments) << QString(branches) << QString(now); };
        row("FSDP2", "fsdp2", "{}", "sharded sharded_selective sharded_recompute sharded_offload sharded_offload_recompute", "sharded");
        row("FSDP2, selective", "fsdp2", R"({"ac": "selective op"})", "sharded sharded_selective sharded_recompute sharded_offload sharded_offload_recompute", "sharded_selective");
        row("FSDP2 with Transformers' blocks", "fsdp2", R"({"model_code": "transformers"})", "sharded sharded_recompute sharded_offload sharded_offload_recompute", "sharded");
        row("FSDP2 on its host", "fsdp2", R"({"enable_cpu_offload": true, "ac": "none"})", "sharded sharded_selective sharded_recompute sharded_offload sharded_offload_recompute", "sharded_offload");
        row("FSDP2 on its host, selective", "fsdp2", R"({"fsdp_cpu_offload": true, "ac": "selective op"})", "sharded sharded_selective sharded_recompute sharded_offload sharded_offload_recompute", "sharded_offload");
        row("FSDP2 on its host, with full recomputation", "fsdp2", R"({"fsdp-offload-params": true, "ac": "full"})", "sharded sharded_selective sharded_recompute sharded_offload sharded_offload_recompute", "sharded_offload_recompute");
        row("Megatron-LM", "megatron", R"({"bf16": true})", "replicated distributed distributed_recompute", "distributed");
        row("tensor parallel", "megatron", R"({"bf16": true, "tensor-model-parallel-size": 2})", "replicated distributed distributed_sequence distributed_sequence_recompute", "distributed");
        row("and by sequence", "megatron", R"({"bf16": true, "tensor-model-parallel-size": 2, "sequence-parallel": true})", "replicated distributed distributed_recompute", "distributed");
        row("tensor parallel, with full recomputation", "megatron", R"({"bf16": true, "tensor-model-parallel-size": 2, "sequence_parallel": false, "recompute_granularity": "full", "recompute_method": "uniform"})",
            "replicated distributed distributed_sequence distributed_recompute distributed_sequence_recompute", "distributed_recompute");
        row("without a kernel for attention", "megatron", R"({"bf16": true, "transformer-impl": "local"})", "replicated distributed distributed_selective distributed_recompute", "distributed");
        row("selective by its switch", "megatron", R"({"bf16": true, "transformer-impl": "local", "tensor-model-parallel-size": 2, "recompute-activations": true})",
            "replicated distributed distributed_sequence distributed_selective distributed_sequence_selective distributed_sequence_recompute", "distributed_selective");
    }
    void treesHaveWhatTheirFrameworksOffer()
    {
        QFETCH(QString, framework);
        QFETCH(QString, arguments);
        QFETCH(QString, branches);
        QFETCH(QString, now);
        const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", "llama-3-8b"}, {"seq", 8192}}}, {"hardware", {{"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}}}, {"layout", {{"dp", 8}}},
                                               {"framework", {{"name", framework.toStdString()}, {"arguments", json::parse(arguments.toStdString())}}},
                                               {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 1}}}, {"optimizer", {{"type", "AdamW"}}}}}});
        const Advice advice = advise(w).value();
        const Plan job = makePlan(w).value();
        std::string ids;
        const StageOption* without = nullptr;
        for (const StageOption& o : advice.options) {
            ids += (ids.empty() ? "" : " ") + o.id;
            QVERIFY2(!o.refused && o.peakBytes && o.stepTime, o.message.c_str());
            if (o.id == now.toStdString()) QCOMPARE(*o.stepTime, job.forecast->stepTime);
            // From the fastest to the smallest; what divides by sequence is both.
            if (without && o.id.ends_with("sequence")) QVERIFY(*o.peakBytes < *without->peakBytes && *o.stepTime <= *without->stepTime);
            if (without && (o.recompute == "selective" || o.recompute == "full")) QVERIFY2(*o.peakBytes < *without->peakBytes, o.name.c_str());
            if (o.id == "distributed" || o.id == "sharded") without = &o;
        }
        QCOMPARE(QString::fromStdString(ids), branches);
        const auto chosen = frameworkBranches(w);
        QCOMPARE(std::count_if(chosen.begin(), chosen.end(), [](const FrameworkBranch& branch) { return branch.chosen; }), 1);
        for (const FrameworkBranch& branch : chosen) QCOMPARE(branch.chosen, branch.id == now.toStdString());
    }

    // Files may hold the optimizer alone: weights that stay on the device are not read again in each pass.
    void filesNeedNotHoldTheWeights()
    {
        const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", "mistral-7b"}, {"seq", 1024}}}, {"hardware", {{"devicesPerNode", 1}, {"device", "RTX-4090"}, {"hostMemoryGiB", 64}}}, {"layout", {{"dp", 1}, {"recompute", "full"}}}, {"framework", {{"name", "deepspeed"}}},
                                               {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 3}}}}}});
        const Advice advice = advise(w).value();
        QVERIFY(advice.chosen);
        QCOMPARE(advice.options[*advice.chosen].id, std::string("z3_nvme_opt"));
        QCOMPARE(advice.options.back().id, std::string("z3_nvme"));
        QVERIFY(*advice.options[*advice.chosen].stepTime < *advice.options.back().stepTime);
    }

    // Stage 3 is compared with tensor parallelism as the tree's answer has it.
    void theComparisonHasTheTreesRelief()
    {
        const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", "mistral-7b"}, {"seq", 4096}}}, {"hardware", {{"devicesPerNode", 4}, {"device", "RTX-A6000"}}}, {"layout", {{"dp", 4}}}, {"framework", {{"name", "deepspeed"}}},
                                               {"dsConfig", {{"train_micro_batch_size_per_gpu", 4}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 1}}}}}});
        const Advice advice = advise(w).value();
        QVERIFY(advice.chosen && advice.options[*advice.chosen].relief && advice.options[*advice.chosen].stage == 3 && advice.options[*advice.chosen].fits);
        QVERIFY(advice.zero3 && advice.zero3->fits);
        QCOMPARE(advice.zero3->memory, *advice.options[*advice.chosen].peakBytes);
    }

    // What else is much faster than the answer is told: a branch that only may fit, and a layout that surely does.
    void whatIsMuchFasterIsTold()
    {
        const Workspace w = test::workspaceOf({{"stagecraft", 1}, {"model", {{"preset", "bloom-176b"}, {"seq", 2048}, {"adapter", {{"rank", 16}}}}}, {"hardware", {{"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"recompute", "full"}}}, {"framework", {{"name", "deepspeed"}}},
                                               {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 3}}}}}});
        const Advice advice = advise(w).value();
        const double answer = *advice.options[*advice.chosen].stepTime;
        int told = 0;
        for (const PlanFinding& f : advice.findings) {
            if (f.id != "advise.try_first" && !f.id.starts_with("advise.faster_layout")) continue;
            ++told;
            QVERIFY2(std::stod(f.args[f.args.size() - 2]) < 0.8 * answer, f.message.c_str());
        }
        QCOMPARE(told, 2);
    }
};

QTEST_APPLESS_MAIN(TstTreeEnd)
#include "tst_tree_end.moc"
