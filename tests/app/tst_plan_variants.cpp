// SPDX-License-Identifier: GPL-3.0-or-later
// The answers of the decision tree are the plans that choosing them makes.
#include "app/model_states.h"
#include "app/plan_levers.h"
#include "app/plan_tree.h"
#include "app/plan_variants.h"

#include "planner/fit.h"
#include "workspace/workspace.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace stagecraft;
using namespace stagecraft::app;
using nlohmann::json;

namespace {

json megatron(int stage, const json& arguments)
{
    return {{"stagecraft", 1}, {"model", {{"preset", "qwen2.5-7b"}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 4}, {"tp", 2}}},
            {"framework", {{"name", "megatron"}, {"arguments", arguments}}},
            {"dsConfig", {{"train_micro_batch_size_per_gpu", 3}, {"gradient_accumulation_steps", 1}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", stage}}}}}};
}

std::int64_t peakOf(const Plan& plan)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

}  // namespace

class TstPlanVariants : public QObject {
    Q_OBJECT
private slots:
    // What is lit, what the foot says and what `advise` uses are one answer, and "chosen" is the stage of the file wherever that stands.
    void theTreeHasOneAnswer()
    {
        int beyondPerhaps = 0, unsure = 0, none = 0;
        for (const char* device : {"A100-SXM-80GB", "A100-SXM-40GB", "RTX-4090", "V100-SXM2-16GB"})
            for (const char* model : {"llama-3-8b", "llama-2-13b", "llama-3.2-3b"})
                for (const auto& [seq, recompute] : {std::pair{2048, "none"}, {4096, "none"}, {4096, "full"}, {16384, "full"}})
                    for (const int stage : {2, 3}) {
                        const json w = {{"stagecraft", 1}, {"model", {{"preset", model}, {"seq", seq}}}, {"hardware", {{"devicesPerNode", 8}, {"device", device}, {"hostMemoryGiB", 128}}}, {"layout", {{"dp", 8}, {"recompute", recompute}}}, {"framework", {{"name", "deepspeed"}}},
                                        {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", stage}}}}}};
                        const PlanSet set = planText(w.dump(), {});
                        QVERIFY2(set.plan && set.advice, w.dump().c_str());
                        const DecisionTree tree = decisionTree(set);
                        const int answer = treeAnswer(set);
                        QCOMPARE(answer, set.advice->chosen ? static_cast<int>(*set.advice->chosen) : -1);
                        int perhaps = 0;
                        for (int i = 0; i < 9; ++i) {
                            const TreeStep& step = tree.steps[static_cast<std::size_t>(i)];
                            QCOMPARE(step.isAnswer, i == answer);
                            QCOMPARE(step.passed, answer < 0 || i < answer);
                            QCOMPARE(step.mark == TreeStep::Mark::Chosen, i == stage);
                            QCOMPARE(step.state.startsWith(QStringLiteral("chosen")), i == stage);
                            if (i == answer && i != stage) QVERIFY2(step.state.contains(QStringLiteral("that fits")) || step.state.contains(QStringLiteral("likeliest")), qPrintable(step.state));
                            perhaps += i < answer && step.answer.startsWith(QStringLiteral("Perhaps: "));
                        }
                        const auto rules = rulesOfThumb(set);
                        QVERIFY(!rules.empty());
                        const QString here = rules.front().here;
                        if (answer < 0) QCOMPARE(here, QStringLiteral("Here no stage fits, with offload or without."));
                        else QVERIFY2(here.contains(variantName(set.variants[static_cast<std::size_t>(answer)].id)), qPrintable(here));
                        const bool sure = answer >= 0 && set.variants[static_cast<std::size_t>(answer)].plan->fit->verdict == Fit::Verdict::Yes;
                        const bool relieved = answer >= 0 && set.variants[static_cast<std::size_t>(answer)].relief;
                        QCOMPARE(here.contains(QStringLiteral("none is sure")), answer >= 0 && !sure && !relieved);
                        beyondPerhaps += perhaps > 0 && sure;
                        unsure += answer >= 0 && !sure && !relieved;
                        none += answer < 0;
                    }
        qInfo("beyond a perhaps %d, only perhaps %d, none %d", beyondPerhaps, unsure, none);
        QVERIFY(beyondPerhaps > 0 && unsure > 0);
    }

    // Where a branch does not surely run though its device has room, it says what the hosts lack.
    void hostsThatHaveTooLittleAreTold()
    {
        const auto treeOf = [](int host) {
            const json w = {{"stagecraft", 1}, {"model", {{"preset", "llama-2-13b"}, {"seq", 2048}}}, {"hardware", {{"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}, {"hostMemoryGiB", host}}}, {"layout", {{"dp", 8}}}, {"framework", {{"name", "deepspeed"}}},
                            {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 3}}}}}};
            return decisionTree(planText(w.dump(), {})).steps;
        };
        const auto little = treeOf(256), less = treeOf(128), enough = treeOf(2048);
        QVERIFY2(little[2].answer.startsWith(QStringLiteral("Perhaps: ")) && little[2].answer.endsWith(QStringLiteral(" of host memory to build it, of 256 GiB")), qPrintable(little[2].answer));
        QVERIFY2(!little[3].answer.contains(QStringLiteral("host memory")), qPrintable(little[3].answer));
        QVERIFY2(less[5].answer.startsWith(QStringLiteral("No: ")) && less[5].answer.endsWith(QStringLiteral(" of host memory, of 128 GiB")), qPrintable(less[5].answer));
        for (const TreeStep& step : enough) QVERIFY2(!step.answer.contains(QStringLiteral("host memory")), qPrintable(step.answer));
    }

    // Where no branch fits as the job is written the tree ends with one that does with a change of the job, and choosing it makes both.
    void theTreeEndsWithAChangedJob()
    {
        for (const bool chosen : {false, true}) {
            json w = {{"stagecraft", 1}, {"model", {{"preset", "llama-3-8b"}}}, {"hardware", {{"devicesPerNode", 1}, {"device", "RTX-4090"}, {"hostMemoryGiB", 256}}}, {"framework", {{"name", "deepspeed"}}},
                      {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 0}}}}}};
            if (chosen) w["dsConfig"]["zero_optimization"] = {{"stage", 3}, {"offload_optimizer", {{"device", "cpu"}}}, {"offload_param", {{"device", "cpu"}}}};
            const PlanSet set = planText(w.dump(), {});
            const DecisionTree tree = decisionTree(set);
            const int answer = treeAnswer(set);
            QCOMPARE(answer, 6);
            const PlanVariant& variant = set.variants[6];
            QVERIFY(variant.relief && variant.relief->recompute && variant.chosen == chosen);
            QCOMPARE(tree.steps[6].answer, QStringLiteral("Only with activation checkpointing"));
            QVERIFY(tree.steps[6].isAnswer);
            const auto bars = peakBars(set).rows;
            const auto bar = std::find_if(bars.begin(), bars.end(), [](const MemoryBarRow& row) { return row.id == 6; });
            QVERIFY(bar != bars.end());
            QCOMPARE(bar->label, chosen ? QStringLiteral("3 + all to CPU") : QStringLiteral("3 + all to CPU + recompute"));
            QVERIFY2(tree.steps[7].answer.startsWith(QStringLiteral("No")) && tree.steps[7].answer != QStringLiteral("Not needed"), qPrintable(tree.steps[7].answer));
            QCOMPARE(rulesOfThumb(set).front().here, QStringLiteral("Here 3 + all to CPU fits, but only with activation checkpointing."));
            const auto applied = parseWorkspace(withEdits(set.text, tree.choices[6].edits), {});
            QVERIFY(applied.hasValue());
            QCOMPARE(applied->layout.recompute, std::string("full"));
            const auto plan = makePlan(*applied);
            QVERIFY(plan.hasValue() && plan->fit && plan->fit->verdict == Fit::Verdict::Yes);
            if (!chosen) QCOMPARE(peakOf(*variant.plan), peakOf(*plan));
        }
    }

    // Where only states outside the devices fit as the job is written, and a change of the job is faster, the tree ends with that.
    void theTreeEndsWithWhatIsFaster()
    {
        const json w = {{"stagecraft", 1}, {"model", {{"preset", "llama-2-7b"}}}, {"hardware", {{"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}}}, {"layout", {{"dp", 8}}}, {"framework", {{"name", "deepspeed"}}},
                        {"dsConfig", {{"train_micro_batch_size_per_gpu", 2}, {"gradient_accumulation_steps", 4}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 2}}}}}};
        const PlanSet set = planText(w.dump(), {});
        const DecisionTree tree = decisionTree(set);
        const auto answer = static_cast<std::size_t>(treeAnswer(set));
        QVERIFY(answer < 4 && set.variants[answer].relief && set.variants[answer].relief->microBatch == 1);
        QCOMPARE(tree.steps[answer].answer, QStringLiteral("Yes, with a micro-batch of 1"));
        const TreeStep& offloaded = tree.steps[4];
        QVERIFY2(offloaded.answer.startsWith(QStringLiteral("Yes, but ")) && offloaded.answer.endsWith(QStringLiteral(" is faster")), qPrintable(offloaded.answer));
        QVERIFY2(rulesOfThumb(set).front().here.contains(QStringLiteral("no branch that fits is faster")), qPrintable(rulesOfThumb(set).front().here));
    }

    // One stage that takes many times what a device has does not set the scale of the others.
    void barsOfStagesThatFitCanBeRead()
    {
        const json w = {{"stagecraft", 1}, {"model", {{"preset", "llama-3-70b"}, {"seq", 2048}}}, {"hardware", {{"nodes", 4}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 32}, {"recompute", "full"}}}, {"framework", {{"name", "deepspeed"}}},
                        {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", 3}}}}}};
        const MemoryBarsData bars = peakBars(planText(w.dump(), {}));
        QVERIFY(bars.rows.front().total() > std::int64_t{1} << 40);
        QCOMPARE(bars.unit, QStringLiteral("GiB"));
        const MemoryBarsLayout layout = layoutMemoryBars(bars, {500, 320}, {});
        for (std::size_t i = 0; i < bars.rows.size(); ++i)
            if (bars.rows[i].total() <= bars.limitBytes) QVERIFY(!layout.cut[i] && layout.bars[i].width() > 0.1 * layout.plot.width());
        QVERIFY(layout.cut[0] && bars.rows[3].total() <= bars.limitBytes);
    }

    // `stagecraft advise` walks the tree that the window shows: the same branches, plans and answer, for the frameworks without stages too.
    void adviceWalksTheTree_data()
    {
        QTest::addColumn<QString>("text");
        for (const char* framework : {"megatron", "fsdp2"})
            for (const char* model : {"llama-3-8b", "llama-2-13b", "llama-3-70b"})
                for (const char* recompute : {"none", "full"})
                    for (const bool precise : {true, false}) {
                        json w = {{"stagecraft", 1}, {"model", {{"preset", model}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 8}, {"recompute", recompute}}},
                                  {"framework", {{"name", framework}}}, {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}}}};
                        if (precise) w["dsConfig"]["bf16"] = {{"enabled", true}};
                        QTest::addRow("%s, %s, recompute %s%s", framework, model, recompute, precise ? "" : ", no precision") << QString::fromStdString(w.dump());
                    }
        json tensor = megatron(1, {{"transformer-impl", "local"}, {"recompute-activations", true}});
        QTest::newRow("tensor parallel without its sequence divided") << QString::fromStdString(tensor.dump());
        const json described = {{"num-layers", 24}, {"hidden-size", 2048}, {"num-attention-heads", 16}, {"num-experts", 8}, {"vocab-size", 50257}, {"bf16", true}, {"sequence-parallel", true}, {"recompute-granularity", "full"}};
        QTest::newRow("a sparse model on Megatron's command line") << QString::fromStdString(megatron(1, described).dump());
    }
    void adviceWalksTheTree()
    {
        QFETCH(QString, text);
        const PlanSet set = planText(text.toStdString(), {});
        QVERIFY(set.plan && set.advice && set.workspace);
        QCOMPARE(set.advice->framework, set.workspace->framework.name);
        QCOMPARE(set.advice->options.size(), set.variants.size());
        for (std::size_t i = 0; i < set.variants.size(); ++i) {
            const StageOption& option = set.advice->options[i];
            const PlanVariant& variant = set.variants[i];
            QVERIFY2(variant.plan && variant.plan->ledger && variant.plan->fit && !option.refused, option.message.c_str());
            QCOMPARE(*option.peakBytes, peakOf(*variant.plan));
            QCOMPARE(option.probability, variant.plan->fit->probability);
            QCOMPARE(option.stepTime.has_value(), variant.plan->forecast.has_value());
            if (option.stepTime) QCOMPARE(*option.stepTime, variant.plan->forecast->stepTime);
            const LedgerRole* fullest = &variant.plan->ledger->front();
            for (const LedgerRole& role : *variant.plan->ledger)
                if (role.peak.process > fullest->peak.process) fullest = &role;
            QCOMPARE(option.stateBytes, modelStateBytes(*fullest));
        }
        QCOMPARE(treeAnswer(set), set.advice->chosen ? static_cast<int>(*set.advice->chosen) : -1);
        QVERIFY(std::none_of(set.advice->findings.begin(), set.advice->findings.end(), [](const PlanFinding& finding) { return finding.id == "advise.as_deepspeed"; }));
    }

    // What a pipeline counts as layers besides stands with its stages; without stages there is nothing to count.
    void rowsSayWhatThePipelineCounts()
    {
        ScoredLayout l;
        l.dp = 8;
        l.tp = 8;
        l.pp = 8;
        l.cp = 2;
        QVERIFY(!layoutName(l).contains(QStringLiteral("count")));
        l.lossPlace = true;
        QVERIFY(layoutName(l).startsWith(QStringLiteral("dp 8 · tp 8 · pp 8 (the loss counts as a layer) · cp 2")));
        l.embeddingPlace = true;
        QVERIFY(layoutName(l).startsWith(QStringLiteral("dp 8 · tp 8 · pp 8 (embedding and loss count as layers) · cp 2")));
        l.pp = 1;
        QVERIFY(!layoutName(l).contains(QStringLiteral("count")));
    }

    // A lever after which the job is less likely than not to fit is not one that "may" help.
    void leversSayHowLikelyTheyHelp()
    {
        Fit tight, likely, unlikely, none, sure;
        tight.verdict = likely.verdict = unlikely.verdict = Fit::Verdict::Unsure;
        none.verdict = Fit::Verdict::No;
        sure.verdict = Fit::Verdict::Yes;
        tight.probability = unlikely.probability = 0.1;
        likely.probability = 0.7;
        sure.probability = 1;
        const auto said = [](const Fit& now, const Fit& then) {
            PlanSet set;
            set.plan = Plan{};
            set.plan->fit = now;
            set.levers = {Lever{}};
            set.levers.front().id = "recompute";
            set.levers.front().fit = then;
            return leverCards(set, {}, {}).front().text.split(QLatin1Char('\n')).last();
        };
        QCOMPARE(said(none, likely), QStringLiteral("Then it may fit: p = 0.70."));
        QCOMPARE(said(none, unlikely), QStringLiteral("Then it probably still does not fit: p = 0.10."));
        QCOMPARE(said(tight, none), QStringLiteral("It still does not fit."));
        QCOMPARE(said(tight, sure), QStringLiteral("Then it fits."));
        QCOMPARE(said(sure, likely), QStringLiteral("Then it no longer surely fits: p = 0.70."));
        QCOMPARE(said(sure, unlikely), QStringLiteral("Then it probably no longer fits: p = 0.10."));
        QCOMPARE(said(sure, none), QStringLiteral("Then it no longer fits."));
        // What fits needs no memory: only what makes it faster is worth trying.
        const auto heading = [](const Fit& now, double time) {
            PlanSet set;
            set.plan = Plan{};
            set.plan->fit = now;
            set.levers = {Lever{}};
            set.levers.front().memoryChange = -1'000'000'000;
            set.levers.front().stepTime = 1.0;
            set.levers.front().timeChange = time;
            set.levers.front().fit = now;
            return leverCards(set, {}, {}).front().heading;
        };
        QVERIFY(heading(none, 0.1).startsWith(QStringLiteral("First to try")) && heading(sure, -0.1).startsWith(QStringLiteral("First to try")));
        QVERIFY2(!heading(sure, 0.1).contains(QStringLiteral("First to try")), qPrintable(heading(sure, 0.1)));
        QCOMPARE(QString::fromStdString(fitPhrase(false, true, 0.1)), QStringLiteral("probably does not fit, p = 0.10"));
        QCOMPARE(QString::fromStdString(fitPhrase(false, true, 0.5)), QStringLiteral("may fit, p = 0.50"));
        // Digits and words say the same: what is shown as a half is possible, and nothing is rounded up to "surely".
        QCOMPARE(QString::fromStdString(fitPhrase(false, true, 0.4996)), QStringLiteral("may fit, p = 0.50"));
        QCOMPARE(QString::fromStdString(fitPhrase(false, true, 0.9496)), QStringLiteral("may fit, p = 0.94"));
        QCOMPARE(QString::fromStdString(fitPhrase(false, true, 0.0504)), QStringLiteral("probably does not fit, p = 0.06"));
    }

    // Megatron's optimizer is divided where the ds_config's stage says so and its own arguments nothing: that is no replicated one.
    void megatronsTreeIsItsPlan_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("divided");
        const auto row = [](const char* name, const json& w, bool divided) { QTest::newRow(name) << QString::fromStdString(w.dump()) << divided; };
        row("by the stage", megatron(1, json::object()), true);
        row("by no stage", megatron(0, json::object()), false);
        row("by its argument", megatron(0, {{"use-distributed-optimizer", true}}), true);
        row("against the stage", megatron(1, {{"use-distributed-optimizer", false}}), false);
        row("by its FSDP", megatron(0, {{"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "optim"}}), true);
    }
    void megatronsTreeIsItsPlan()
    {
        QFETCH(QString, text);
        QFETCH(bool, divided);
        const auto w = parseWorkspace(text.toStdString(), {});
        QVERIFY(w.hasValue());
        const auto now = makePlan(*w);
        QVERIFY(now.hasValue() && now->ledger);
        auto variants = variantsOf(*w);
        planVariants(variants, text.toStdString(), {}, *now, {});
        const PlanVariant *replicated = nullptr, *distributed = nullptr;
        for (const PlanVariant& variant : variants) {
            if (variant.id == PlanVariant::Id::Replicated) replicated = &variant;
            if (variant.id == PlanVariant::Id::Distributed) distributed = &variant;
        }
        QVERIFY(replicated && distributed && replicated->plan && distributed->plan);
        QCOMPARE(distributed->chosen, divided);
        QCOMPARE(replicated->chosen, !divided);
        QVERIFY(peakOf(*replicated->plan) > peakOf(*distributed->plan) + 5'000'000'000);
        for (const PlanVariant* one : {replicated, distributed}) {
            const auto applied = parseWorkspace(withEdits(text.toStdString(), one->edits), {});
            QVERIFY(applied.hasValue());
            QCOMPARE(peakOf(*makePlan(*applied)), peakOf(*one->plan));
        }
    }
};

QTEST_GUILESS_MAIN(TstPlanVariants)
#include "tst_plan_variants.moc"
