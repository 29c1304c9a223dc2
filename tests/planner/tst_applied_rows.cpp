// SPDX-License-Identifier: GPL-3.0-or-later
// Applying a row of the advice gives the very plan it was ranked by, whatever the framework's own arguments make of another layout.
#include "planner/advisor.h"
#include "planner/applied_layout.h"

#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json document(const char* preset, const char* framework, const json& layout, const json& arguments, int micro = 1, int accumulation = 1)
{
    json w = test::document(preset, framework, 1, 1, 8, accumulation);
    w["dsConfig"]["train_micro_batch_size_per_gpu"] = micro;
    w["layout"] = layout;
    w["framework"]["arguments"] = arguments;
    return w;
}

std::int64_t peakOf(const Plan& plan)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

Advice adviceOf(const Workspace& w)
{
    LayoutSearch search;
    search.limits.keep = 40;
    return advise(w, {}, {}, AdviceDepth::Layouts, search).value();
}

}  // namespace

class TstAppliedRows : public QObject {
    Q_OBJECT
private slots:
    void rowsAreThePlan_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const json& w) { QTest::newRow(name) << QString::fromStdString(w.dump()); };
        row("FSDP2 that accumulates whole gradients", document("llama-2-13b", "fsdp2", {{"dp", 8}}, {{"accumulate_unsharded", true}, {"local_batch", 4}}));
        row("FSDP2 in two replicas", document("llama-3-8b", "fsdp2", {{"dp", 8}}, {{"replicate", 2}, {"local_batch", 2}}));
        row("FSDP2 that holds its weights", document("llama-3-8b", "fsdp2", {{"dp", 8}}, {{"fsdp_reshard_after_forward", "never"}, {"local_batch", 2}}));
        row("Megatron that makes some layers again", document("llama-3-8b", "megatron", {{"dp", 4}, {"pp", 2}}, {{"recompute-granularity", "full"}, {"recompute-method", "block"}, {"recompute-num-layers", 4}}, 2, 4));
        row("Megatron-FSDP", document("llama-3-8b", "megatron", {{"dp", 8}}, {{"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "optim_grads_params"}}, 1, 4));
        row("Megatron that overlaps tensor parallelism", document("llama-3-8b", "megatron", {{"dp", 8}}, {{"tp-comm-overlap", true}}, 2, 4));
        row("Megatron with so many layers a chunk", document("llama-3-8b", "megatron", {{"dp", 2}, {"pp", 4}}, {{"num-layers-per-virtual-pipeline-stage", 4}}, 1, 8));
        // 30 layers: 32 places with the embedding and the loss; 31: 32 with the loss alone.
        const auto layers = [](int count, const json& arguments) {
            json w = document("llama-3-8b", "megatron", {{"dp", 4}, {"pp", 2}}, arguments, 1, 8);
            w["model"] = {{"family", "llama"}, {"vocab", 32000}, {"hidden", 2048}, {"layers", count}, {"heads", 16}, {"kvHeads", 8}, {"ffn", 5632}, {"seq", 2048}};
            return w;
        };
        row("Megatron, 30 layers", layers(30, json::object()));
        row("Megatron, 30 layers in chunks", layers(30, {{"num-virtual-stages-per-pipeline-rank", 2}}));
        row("Megatron, 30 layers, the places counted already", layers(30, {{"account-for-embedding-in-pipeline-split", true}, {"account-for-loss-in-pipeline-split", true}}));
        json single = layers(31, json::object());
        single["layout"] = {{"dp", 8}};
        row("Megatron, 31 layers", single);
        row("a model on Megatron's command line", document("llama-3-8b", "megatron", {{"dp", 4}, {"tp", 2}}, {{"num-layers", 24}, {"hidden-size", 2048}, {"num-attention-heads", 16}, {"vocab-size", 50257}, {"bf16", true}}, 2, 2));
        json adapted = document("llama-3-8b", "fsdp2", {{"dp", 8}}, json::object());
        adapted["model"]["adapter"] = {{"rank", 16}};
        row("an adapter, which only DeepSpeed's plans have", adapted);
        json part = document("llama-3-8b", "megatron", {{"dp", 16}}, {{"world_size", 8}}, 1, 4);
        part["hardware"]["nodes"] = 2;
        row("Megatron on a part of the devices", part);
        json plain = document("qwen2.5-7b", "megatron", {{"dp", 2}, {"tp", 4}}, json::object(), 3, 2);
        plain["dsConfig"].erase("bf16");
        row("Megatron without a precision", plain);
        json ours = document("gpt2", "deepspeed", {{"dp", 8}}, json::object(), 2, 2);
        ours["dsConfig"].erase("bf16");
        row("DeepSpeed without a precision", ours);
        ours["framework"]["name"] = "stagecraft";
        ours["layout"]["tp"] = 2;
        ours["layout"]["dp"] = 4;
        row("a layout that our engine does not run", ours);
        row("DeepSpeed's partition with the embedding", document("gpt2-xl", "deepspeed", {{"dp", 4}, {"pp", 2}}, {{"model_code", "megatron"}, {"partition_method", "type:embed"}}, 1, 4));
    }
    void rowsAreThePlan()
    {
        QFETCH(QString, text);
        const Workspace w = workspaceOf(json::parse(text.toStdString()));
        const Advice advice = adviceOf(w);
        const json told = adviceToJson(advice, w);
        QVERIFY(!advice.layouts.best.empty());
        for (std::size_t i = 0; i < advice.layouts.best.size(); ++i) {
            const ScoredLayout& layout = advice.layouts.best[i];
            const Plan plan = planOf(json::parse(w.document.dump()).patch(told["layouts"][i]["apply"]));
            const QByteArray where = QByteArray::fromStdString(told["layouts"][i].dump());
            QVERIFY2(plan.ledger && plan.fit && plan.forecast, where);
            QVERIFY2(near(static_cast<double>(peakOf(plan)), static_cast<double>(layout.memory), 1e-4), qPrintable(QString("plan %1, row %2").arg(peakOf(plan)).arg(QString::fromUtf8(where))));
            QVERIFY2(near(plan.forecast->stepTime, layout.stepTime, 1e-3), qPrintable(QString("plan %1, row %2").arg(plan.forecast->stepTime).arg(QString::fromUtf8(where))));
            QCOMPARE(layout.fits, plan.fit->verdict == Fit::Verdict::Yes);
            QCOMPARE(layout.mayFit, plan.fit->verdict != Fit::Verdict::No);
        }
        // The front is among them, none of it beaten.
        for (const std::size_t i : advice.layouts.pareto)
            for (const ScoredLayout& other : advice.layouts.best) QVERIFY(!other.fits || other.stepTime >= advice.layouts.best[i].stepTime || other.memory >= advice.layouts.best[i].memory);
    }

    // Llama 3.1 405B has 126 layers: over 8 stages NVIDIA counts the embedding and the loss besides (Megatron-Bridge, TP8 PP8 CP2 on 1024 H100).
    void thePublishedPipelineIsFound()
    {
        json w = test::document("llama-3-8b", "megatron", 1, 128, 8, 4);
        w["model"] = {{"family", "llama"}, {"vocab", 128256}, {"hidden", 16384}, {"layers", 126}, {"heads", 128}, {"kvHeads", 8}, {"ffn", 53248}, {"seq", 8192}};
        w["layout"] = {{"dp", 128}, {"tp", 8}};
        LayoutSearch search;
        search.limits.keep = 100'000;
        const Workspace workspace = workspaceOf(w);
        const Advice advice = advise(workspace, {}, {}, AdviceDepth::Layouts, search).value();
        const json told = adviceToJson(advice, workspace);
        QVERIFY(advice.layouts.fitting > 0);
        int found = 0;
        for (std::size_t i = 0; i < advice.layouts.best.size(); ++i) {
            const ScoredLayout& l = advice.layouts.best[i];
            QVERIFY((l.embeddingPlace && l.lossPlace) == (l.pp > 2));
            if (l.tp != 8 || l.pp != 8 || l.cp != 2 || l.microBatch != 1 || l.stage != 1) continue;
            ++found;
            const json& row = told["layouts"][i];
            QVERIFY(row["embeddingPlace"] == true && row["lossPlace"] == true && row["why"].get<std::string>().ends_with("embedding and loss count as layers"));
            const json changed = w.patch(row["apply"]);
            for (const char* argument : {"account-for-embedding-in-pipeline-split", "account-for-loss-in-pipeline-split"}) QCOMPARE(changed["framework"]["arguments"][argument], json(true));
            const Plan plan = planOf(changed);
            QVERIFY2(plan.ledger && plan.forecast, planToJson(plan)["findings"].dump().c_str());
            QVERIFY(near(static_cast<double>(peakOf(plan)), static_cast<double>(l.memory)) && near(plan.forecast->stepTime, l.stepTime));
            // The same layout once it is the workspace's own.
            const Advice again = advise(workspaceOf(changed), {}, {}, AdviceDepth::Tree).value();
            QVERIFY(again.now && again.now->pp == 8 && again.now->embeddingPlace && again.now->lossPlace);
        }
        QVERIFY(found > 0);
    }

    // A row takes out of the arguments what its pipeline does not count.
    void rowsOfOtherPipelinesCountNothing()
    {
        const json w = document("llama-3-8b", "megatron", {{"pp", 8}}, {{"account-for-loss-in-pipeline-split", true}}, 1, 8);
        ScoredLayout four;
        four.dp = 2;
        four.pp = 4;
        const Workspace applied = withAppliedLayout(workspaceOf(w), four);
        QVERIFY(!applied.framework.arguments.contains("account-for-loss-in-pipeline-split"));
        four.lossPlace = true;
        QCOMPARE(withAppliedLayout(workspaceOf(w), four).framework.arguments["account-for-loss-in-pipeline-split"], json(true));
    }

    // Rows in the workspace's own precision are applied in it, though the tree beside them is walked in bf16.
    void runnableRowsKeepTheirPrecision()
    {
        json w = document("llama-2-7b", "deepspeed", {{"dp", 8}}, json::object());
        w["dsConfig"].erase("bf16");
        LayoutSearch search;
        search.runnable = true;
        const Workspace workspace = workspaceOf(w);
        const Advice advice = advise(workspace, {}, {}, AdviceDepth::Layouts, search).value();
        QCOMPARE(QString::fromStdString(advice.precision), QString("bf16"));
        const json told = adviceToJson(advice, workspace);
        QVERIFY(!advice.layouts.best.empty());
        for (std::size_t i = 0; i < advice.layouts.best.size(); ++i) {
            const Plan plan = planOf(json::parse(workspace.document.dump()).patch(told["layouts"][i]["apply"]));
            QVERIFY(near(static_cast<double>(peakOf(plan)), static_cast<double>(advice.layouts.best[i].memory), 1e-4));
            QVERIFY(near(plan.forecast->stepTime, advice.layouts.best[i].stepTime, 1e-3));
        }
    }

    // A branch of the tree is the plan that applying it makes, for every framework: compiled models, sizes in arguments, the pipeline's optimizer.
    void branchesAreThePlan_data()
    {
        QTest::addColumn<QString>("text");
        const auto row = [](const char* name, const json& w) { QTest::newRow(name) << QString::fromStdString(w.dump()); };
        row("FSDP2, compiled", document("llama-2-7b", "fsdp2", {{"dp", 8}}, {{"compile", true}}));
        row("FSDP2, tensor parallel by its arguments", document("llama-3-8b", "fsdp2", {{"dp", 8}}, {{"tp", 2}, {"local_batch", 2}}));
        row("Megatron by its arguments", document("llama-3-8b", "megatron", {{"dp", 8}}, {{"tensor-model-parallel-size", 2}, {"pipeline-model-parallel-size", 2}, {"sequence-parallel", true}}, 1, 4));
        json pipeline = document("llama-2-13b", "deepspeed", {{"dp", 4}, {"pp", 2}}, json::object(), 1, 2);
        pipeline["dsConfig"]["zero_optimization"]["stage"] = 0;
        row("DeepSpeed's pipeline in bf16 at stage 0", pipeline);
        for (const char* ac : {"selective op", "selective layer", "full"}) row(QByteArray("FSDP2, ac ") + ac, document("llama-3-8b", "fsdp2", {{"dp", 8}}, {{"fsdp", 8}, {"local_batch", 1}, {"ac", ac}}));
        row("Megatron, selective", document("llama-3-8b", "megatron", {{"dp", 8}, {"recompute", "selective"}}, {{"bf16", true}}));
        // Without bf16 on the device, and without a word of it in the workspace.
        for (const char* framework : {"fsdp2", "deepspeed", "megatron"}) {
            json volta = document("tinyllama-1.1b", framework, {{"dp", 8}}, json::object());
            volta["hardware"]["device"] = "V100-SXM2-32GB";
            volta["dsConfig"].erase("bf16");
            row(QByteArray("no bf16 on V100: ") + framework, volta);
            volta["model"]["adapter"] = {{"rank", 8}};
            row(QByteArray("no bf16 on V100, adapters: ") + framework, volta);
        }
        json halves = document("tinyllama-1.1b", "megatron", {{"dp", 8}}, {{"fp16", true}});
        halves["dsConfig"].erase("bf16");
        row("Megatron in fp16 by its arguments", halves);
        json off = document("tinyllama-1.1b", "fsdp2", {{"dp", 8}}, json::object());
        off["dsConfig"]["bf16"]["enabled"] = false;
        row("FSDP2 beside a bf16 that is off", off);
        // Only the number of parameters is known.
        for (const char* device : {"cpu", "nvme"}) {
            for (const double ratio : {0.0, 0.3, 1.0}) {
                json size = document("llama-3-8b", "deepspeed", {{"dp", 8}}, json::object());
                size["model"] = {{"params", 30e9}};
                size["hardware"]["hostMemoryGiB"] = 1000;
                size["dsConfig"]["zero_optimization"]["offload_optimizer"] = {{"device", device}, {"ratio", ratio}};
                row(qPrintable(QString("30e9 parameters, %1, ratio %2").arg(device).arg(ratio)), size);
                size["model"] = {{"preset", "llama-2-13b"}};
                size["dsConfig"]["zero_optimization"]["sub_group_size"] = 1e8;
                row(qPrintable(QString("13B, %1, ratio %2").arg(device).arg(ratio)), size);
            }
        }
        for (const char* framework : {"fsdp2", "megatron", "deepspeed"}) {
            json size = document("llama-3-8b", framework, {{"dp", 2}, {"tp", 2}, {"pp", 2}}, json::object(), 1, 4);
            size["model"] = {{"params", 7e9}};
            size["dsConfig"]["optimizer"] = {{"type", "Muon"}};
            row(QByteArray("7e9 parameters with Muon, ") + framework, size);
        }
        json groups = document("llama-3-8b", "deepspeed", {{"dp", 8}}, json::object());
        groups["dsConfig"]["zero_optimization"]["mics_shard_size"] = 4;
        row("MiCS", groups);
        groups["model"] = {{"params", 7e9}};
        row("MiCS, 7e9 parameters", groups);
        json odd = document("llama-3-8b", "deepspeed", {{"dp", 8}}, json::object());
        odd["dsConfig"]["zero_optimization"] = {{"stage", 2}, {"offload_optimizer", "cpu"}, {"offload_param", true}};
        row("offload that is no section", odd);
        json described = document("llama-3-70b", "megatron", {{"dp", 8}}, {{"num-layers", 24}, {"hidden-size", 2048}, {"num-attention-heads", 16}, {"vocab-size", 50257}, {"bf16", true}});
        row("a model on Megatron's command line", described);
        json wide = document("llama-3-8b", "fsdp2", {{"dp", 8}}, {{"seq", 2048}, {"ac", "none"}});
        row("FSDP2 at a sequence of its own", wide);
    }
    void branchesAreThePlan()
    {
        QFETCH(QString, text);
        const Workspace w = workspaceOf(json::parse(text.toStdString()));
        const Advice advice = adviceOf(w);
        const json told = adviceToJson(advice, w);
        int planned = 0;
        const auto applied = [&](const json& patch) { return json::parse(w.document.dump()).patch(patch); };
        for (std::size_t i = 0; i < advice.options.size(); ++i) {
            const StageOption& option = advice.options[i];
            const json changed = applied(told["options"][i]["apply"]);
            const Plan plan = planOf(changed);
            const QByteArray where = QByteArray::fromStdString(told["options"][i].dump());
            QVERIFY2(option.refused == !plan.ledger, where);
            if (option.refused) continue;
            QVERIFY2(plan.fit, where);
            const auto on = [&](const char* type) { return changed["dsConfig"].contains(type) && changed["dsConfig"][type].value("enabled", true); };
            QVERIFY2(!(on("bf16") && on("fp16")), where);
            QVERIFY2(near(static_cast<double>(peakOf(plan)), static_cast<double>(option.peakBytes.value_or(option.stateBytes)), option.peakBytes ? 1e-9 : 1e-6), qPrintable(QString("plan %1, branch %2").arg(peakOf(plan)).arg(QString::fromUtf8(where))));
            QCOMPARE(option.stepTime.has_value(), plan.forecast.has_value());
            if (plan.forecast) QVERIFY2(near(plan.forecast->stepTime, *option.stepTime, 1e-9), qPrintable(QString("plan %1, branch %2").arg(plan.forecast->stepTime).arg(QString::fromUtf8(where))));
            QVERIFY2(!option.peakBytes || *option.peakBytes >= option.stateBytes, where);
            QVERIFY2(option.hostBytesPerNode == plan.fit->hostNeed, qPrintable(QString("plan %1, branch %2").arg(plan.fit->hostNeed).arg(QString::fromUtf8(where))));
            QCOMPARE(option.fits, plan.fit->verdict == Fit::Verdict::Yes);
            QCOMPARE(option.mayFit, plan.fit->verdict != Fit::Verdict::No);
            ++planned;
        }
        QVERIFY(planned > 1);
        for (const char* side : {"zero3", "tensorZero1"}) {
            const json& row = told["comparison"][side];
            if (row.is_null()) continue;
            const Plan plan = planOf(applied(row["apply"]));
            QVERIFY2(plan.ledger && plan.forecast, row.dump().c_str());
            QVERIFY2(peakOf(plan) == row["memory"].get<std::int64_t>() && near(plan.forecast->stepTime, row["stepTime"].get<double>(), 1e-9), row.dump().c_str());
        }
    }

    // Sections of the ds_config that are none: the tree and the search of every framework are made as if they were not there.
    void sectionsThatAreNone_data()
    {
        QTest::addColumn<QString>("framework");
        for (const char* framework : {"stagecraft", "deepspeed", "fsdp2", "megatron"}) QTest::newRow(framework) << QString(framework);
    }
    void sectionsThatAreNone()
    {
        QFETCH(QString, framework);
        for (const json& wrong : {json("cpu"), json(true), json(5), json::array({"cpu"}), json(nullptr)}) {
            for (const char* pointer : {"/dsConfig/zero_optimization/offload_optimizer", "/dsConfig/zero_optimization/offload_param", "/dsConfig/zero_optimization", "/dsConfig/bf16", "/dsConfig/optimizer"}) {
                json w = test::document("smollm2-135m", qPrintable(framework), 2, 1, 1, 1);
                const Workspace workspace = workspaceOf(test::with(w, pointer, wrong));
                LayoutSearch search;
                search.runnable = true;
                search.limits.keep = 5;
                const auto advice = advise(workspace, {}, {}, AdviceDepth::Layouts, search);
                QVERIFY2(advice.hasValue() && advice->chosen, pointer);
                QVERIFY(adviceToJson(*advice, workspace)["options"].size() == (framework == "megatron" ? 3 : framework == "fsdp2" ? 5 : 9));
            }
        }
    }

    // What a plan refuses is no branch to take: it says why, and nothing is said to fit or not to fit.
    void whatThePlanRefusesIsNotAdvised_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("id");
        const auto row = [](const char* name, const json& w, const char* id) { QTest::newRow(name) << QString::fromStdString(w.dump()) << QString(id); };
        row("a pipeline with divided sequences", document("llama-3-8b", "deepspeed", {{"dp", 2}, {"pp", 2}, {"cp", 2}}, json::object()), "plan.layout.sequence_pipeline");
        row("too few micro-batches for FSDP2's pipeline", document("llama-3-8b", "fsdp2", {{"dp", 2}, {"pp", 4}}, json::object(), 1, 3), "plan.layout.few_micro_batches");
        row("micro-batches that Megatron-LM cannot interleave", document("llama-3-8b", "megatron", {{"dp", 2}, {"pp", 4}, {"chunks", 2}}, json::object(), 1, 6), "plan.layout.interleaved");
        row("experts where there are none", document("llama-3-8b", "deepspeed", {{"dp", 8}, {"ep", 4}}, json::object()), "plan.layout.dense");
        row("heads that Ulysses cannot divide", document("qwen2.5-7b", "deepspeed", {{"dp", 1}, {"cp", 8}}, json::object()), "plan.layout.ulysses");
        json seven = document("llama-3-8b", "deepspeed", {{"dp", 1}, {"tp", 7}}, json::object());
        seven["hardware"]["devicesPerNode"] = 7;
        row("heads that tensor parallelism cannot divide", seven, "plan.layout.heads");
        row("more ranks than devices", document("llama-3-8b", "fsdp2", {{"dp", 8}}, {{"fsdp", 64}}), "plan.argument.devices");
    }
    void whatThePlanRefusesIsNotAdvised()
    {
        QFETCH(QString, text);
        QFETCH(QString, id);
        const Workspace w = workspaceOf(json::parse(text.toStdString()));
        const Advice advice = adviceOf(w);
        const json told = adviceToJson(advice, w);
        QVERIFY(!advice.chosen && told["chosen"].is_null());
        QCOMPARE(std::count_if(advice.findings.begin(), advice.findings.end(), [&](const PlanFinding& f) { return f.severity == "error" && f.id == id.toStdString(); }), 1);
        QVERIFY(std::none_of(advice.findings.begin(), advice.findings.end(), [](const PlanFinding& f) { return f.id == "advise.nothing_fits"; }));
        for (std::size_t i = 0; i < advice.options.size(); ++i) {
            QVERIFY(advice.options[i].refused && !advice.options[i].mayFit && !advice.options[i].message.empty());
            QCOMPARE(told["tree"][i]["verdict"], json("no"));
        }
    }

    // What a plan calls unsure is no "no" in the tree, though a little more is needed than there is.
    void unsureIsUnsure()
    {
        const json w = with(test::document("llama-3-8b", "deepspeed", 3, 1, 8, 1), "/model/seq", 5632);
        const Advice advice = adviceOf(workspaceOf(w));
        const Plan plan = planOf(with(w, "/dsConfig/zero_optimization/stage", 1));
        QCOMPARE(plan.fit->verdict, Fit::Verdict::Unsure);
        QVERIFY(peakOf(plan) > plan.fit->usable);
        const json tree = adviceToJson(advice, workspaceOf(w))["tree"];
        for (std::size_t i = 0; i < advice.options.size(); ++i) {
            if (advice.options[i].id != "z1") continue;
            QVERIFY(std::abs(advice.options[i].probability - plan.fit->probability) < 1e-3);
            QVERIFY(advice.options[i].mayFit && !advice.options[i].fits);
            QCOMPARE(tree[i]["verdict"], json("unsure"));
        }
        // A share that was asked for stays a limit.
        LayoutSearch search;
        search.shareGiven = true;
        search.limits.memoryShare = 0.9;
        const auto limited = advise(workspaceOf(w), {}, {}, AdviceDepth::Layouts, search).value();
        for (const StageOption& option : limited.options) QVERIFY(!option.mayFit || std::max(*option.peakBytes, option.stateBytes) <= limited.usable);
        for (const ScoredLayout& layout : limited.layouts.best) QVERIFY(!layout.mayFit || layout.memory <= limited.usable);
    }

    // Of a model known only by its size nothing fits for sure: what comes on top of the states is not known.
    void statesAloneAreNeverSure()
    {
        json w = test::document("llama-3-8b", "deepspeed", 1, 1, 8, 1);
        w["hardware"]["device"] = "A100-SXM-40GB";
        for (const double params : {2.6e9, 7e9, 1e8}) {
            w["model"] = {{"params", params}};
            const Advice advice = adviceOf(workspaceOf(w));
            for (const StageOption& option : advice.options) QVERIFY(!option.fits && option.probability <= 0.5);
            QVERIFY(advice.chosen && advice.options[*advice.chosen].mayFit);
            QVERIFY(static_cast<double>(advice.options[*advice.chosen].stateBytes) <= 0.9 * static_cast<double>(advice.usable));
        }
    }

    // Every patch can be applied as RFC 6902 has it: objects on the way are made first.
    void leversApplyToBareWorkspaces_data()
    {
        QTest::addColumn<QString>("text");
        const json bare = {{"stagecraft", 1}, {"model", {{"preset", "llama-3-8b"}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"framework", {{"name", "deepspeed"}}}};
        QTest::newRow("neither layout nor ds_config") << QString::fromStdString(bare.dump());
        json old = bare;
        old["dsConfig"] = {{"train_micro_batch_size_per_gpu", 2}, {"gradient_accumulation_steps", 2}, {"zero_optimization", true}};
        QTest::newRow("the old way of saying stage 1") << QString::fromStdString(old.dump());
    }
    void leversApplyToBareWorkspaces()
    {
        QFETCH(QString, text);
        const json w = json::parse(text.toStdString());
        const Advice advice = adviceOf(workspaceOf(w));
        QVERIFY(!advice.levers.empty());
        const json told = adviceToJson(advice, workspaceOf(w))["levers"];
        for (std::size_t i = 0; i < advice.levers.size(); ++i) {
            json changed;
            try {
                changed = w.patch(told[i]["apply"]);
            } catch (const json::exception& wrong) {
                QFAIL(wrong.what());
            }
            QVERIFY2(peakOf(planOf(changed)) == advice.levers[i].memory, advice.levers[i].id.c_str());
        }
    }

    // Stage 3 over all ranks stands beside the best tensor-parallel group of a node, not beside the widest.
    void tensorParallelismIsTheBestOfTheNode()
    {
        const Advice advice = adviceOf(workspaceOf(test::document("llama-3-8b", "deepspeed", 3, 1, 8, 1)));
        QVERIFY(advice.tensorZero1 && advice.tensorZero1->tp > 1);
        for (const ScoredLayout& layout : advice.layouts.best)
            if (layout.stage == 1 && layout.tp > 1 && layout.pp == 1 && layout.cp == 1 && layout.microBatch == advice.tensorZero1->microBatch && layout.policy == advice.tensorZero1->policy && layout.fits == advice.tensorZero1->fits &&
                layout.offloadOptimizer == OffloadDevice::None)
                QVERIFY(advice.tensorZero1->stepTime <= layout.stepTime * 1.001);
    }

    // DeepSpeed offloads whole sub-groups, in stage 3 alone; stages 1 and 2 have no files.
    void offloadIsWhatDeepSpeedDoes()
    {
        json w = test::document("qwen2.5-7b", "deepspeed", 3, 1, 8, 1);
        const auto offloaded = [&](int stage, const json& section) {
            json changed = with(w, "/dsConfig/zero_optimization/stage", stage);
            changed["dsConfig"]["zero_optimization"]["offload_optimizer"] = section;
            return planOf(changed);
        };
        const Plan all = offloaded(3, {{"device", "cpu"}});
        const Plan one = offloaded(3, {{"device", "cpu"}, {"ratio", 0.1}});
        QCOMPARE(peakOf(one), peakOf(all));
        QCOMPARE(one.forecast->stepTime, all.forecast->stepTime);
        QVERIFY(findingOf(one, "plan.offload_ratio.groups") && !findingOf(all, "plan.offload_ratio.groups"));
        // Finer groups: 96 of about a thousandth each, of which int(0.9 n) stay.
        w["dsConfig"]["zero_optimization"]["sub_group_size"] = 1e7;
        const Plan fine = offloaded(3, {{"device", "cpu"}, {"ratio", 0.1}});
        QVERIFY(near(itemOf(fine, "optimizer_states_device"), 0.9 * 8 * static_cast<double>(*fine.params) / 8, 0.02));
        // What stays keeps its fp32 gradients for good, so that a little offload takes more of the device than none.
        QVERIFY(near(itemOf(fine, "gradients_device"), 0.9 * 4 * static_cast<double>(*fine.params) / 8, 0.02));
        QVERIFY(near(itemOf(fine, "gradient_partitions_host"), 2 * static_cast<double>(*fine.params) / 8));
        QVERIFY(peakOf(fine) > peakOf(planOf(with(w, "/dsConfig/zero_optimization/stage", 3))) - static_cast<std::int64_t>(0.2 * 12 * static_cast<double>(*fine.params) / 8));
        // Files come before the ratio: every sub-group is swapped.
        const Plan swapped = offloaded(3, {{"device", "nvme"}, {"nvme_path", "/x"}}), partly = offloaded(3, {{"device", "nvme"}, {"nvme_path", "/x"}, {"ratio", 0.0}});
        QCOMPARE(peakOf(partly), peakOf(swapped));
        QCOMPARE(itemOf(partly, "master_device"), 0.0);
        QVERIFY(findingOf(partly, "plan.offload_ratio.files") && !findingOf(partly, "plan.offload_ratio.groups"));
        QCOMPARE(partly.forecast->stepTime, swapped.forecast->stepTime);
        for (const int stage : {1, 2}) {
            const Plan host = offloaded(stage, {{"device", "cpu"}});
            const Plan half = offloaded(stage, {{"device", "cpu"}, {"ratio", 0.5}});
            const Plan files = offloaded(stage, {{"device", "nvme"}, {"nvme_path", "/x"}});
            QCOMPARE(peakOf(half), peakOf(host));
            QVERIFY(findingOf(half, "plan.offload_ratio"));
            QCOMPARE(files.forecast->stepTime, host.forecast->stepTime);
            QCOMPARE(files.fit->hostNeed, host.fit->hostNeed);
            QVERIFY(findingOf(files, "plan.offload_nvme"));
        }
    }

    // Above the largest tensor nothing is given back after its use.
    void whatPersistsStaysGathered()
    {
        const json w = test::document("llama-3-8b", "deepspeed", 3, 1, 8, 1);
        const Plan plain = planOf(w), persists = planOf(with(w, "/dsConfig/zero_optimization/stage3_param_persistence_threshold", 1e11));
        QVERIFY(itemOf(persists, "gathered_weights") > itemOf(plain, "gathered_weights"));
        QVERIFY(near(itemOf(persists, "gathered_weights"), 2.0 * static_cast<double>(*persists.params), 1e-3));
        // Between them: each parameter by its own size. Keys and values have 4096 x 1024 elements, queries and outputs 4096 x 4096, the
        // MLP's 4096 x 14336.
        const auto kept = [&](double threshold, double model) {
            json changed = with(w, "/dsConfig/zero_optimization/stage3_param_persistence_threshold", threshold);
            if (model > 0) changed["dsConfig"]["zero_optimization"]["stage3_model_persistence_threshold"] = model;
            double bytes = 0;
            const Plan plan = planOf(changed);
            for (const LedgerItem& item : plan.ledger->front().items) bytes += item.what == "gathered_weights" && item.phase == "all" ? static_cast<double>(item.bytes) : 0;
            return bytes;
        };
        const double norms = 65 * 4096.0, keys = 32 * 2 * 4096.0 * 1024, squares = 32 * 2 * 4096.0 * 4096, mlp = 32 * 3 * 4096.0 * 14336;
        QVERIFY(near(kept(1e5, 0), 2 * norms));
        QVERIFY(near(kept(5e6, 0), 2 * (norms + keys)));
        QVERIFY(near(kept(2e7, 0), 2 * (norms + keys + squares)));
        QVERIFY(near(kept(3e8, 0), 2 * (norms + keys + squares + mlp)));
        // In the order of the modules, whole tensors that still fit: four layers and more, and then what is small enough.
        const double few = kept(3e8, 1e9) / 2;
        QVERIFY(few <= 1e9 && few > 1e9 - 4096.0 * 1024);
        QVERIFY(planOf(with(w, "/dsConfig/zero_optimization/stage3_param_persistence_threshold", 3e8)).ledger->front().peak.process > plain.ledger->front().peak.process + 10'000'000'000);
    }
};

QTEST_APPLESS_MAIN(TstAppliedRows)
#include "tst_applied_rows.moc"
