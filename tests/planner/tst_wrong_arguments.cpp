// SPDX-License-Identifier: GPL-3.0-or-later
// What framework.arguments cannot mean is refused once, with the framework's own bounds; what they change beside sizes is counted.
#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json jobOf(const char* framework, const json& arguments, const char* preset = "llama-3-8b")
{
    return with(document(preset, framework, 1, 1, 8, 1), "/framework/arguments", arguments);
}

std::int64_t countOf(const Plan& plan, const std::string& rule) { return std::count_if(plan.findings.begin(), plan.findings.end(), [&](const PlanFinding& finding) { return finding.id == rule; }); }

}  // namespace

class TstWrongArguments : public QObject {
    Q_OBJECT
private slots:
    void valuesOfNoMeaningAreRefused_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("rule");
        const auto row = [](const char* framework, const char* arguments, const char* rule) { QTest::newRow(arguments) << framework << arguments << rule; };
        row("megatron", R"({"fp8-format": "foo"})", "plan.argument.choice");
        row("megatron", R"({"fp8-format": "hybrid", "fp8-recipe": "best"})", "plan.argument.choice");
        row("megatron", R"({"attention-dropout": 2})", "plan.argument.fraction");
        row("megatron", R"({"optimizer-cpu-offload": true, "optimizer-offload-fraction": 1.5})", "plan.argument.fraction");
        row("megatron", R"({"fp16": true, "bf16": true})", "plan.argument.both");
        row("megatron", R"({"num-experts": 8, "moe-router-topk": 9})", "plan.argument.topk");
        row("megatron", R"({"num-query-groups": 5})", "plan.argument.groups");
        row("megatron", R"({"recompute-granularity": "selective", "recompute-modules": ["norms"]})", "plan.argument.modules");
        row("megatron", R"({"num-experts": 0})", "plan.argument.whole");
        row("fsdp2", R"({"loss": 3})", "plan.argument.word");
        row("fsdp2", R"({"ac": 3})", "plan.argument.word");
        row("fsdp2", R"({"release": 2025})", "plan.argument.word");
        row("deepspeed", R"({"loss": ["fused"]})", "plan.argument.word");
        row("deepspeed", R"({"attention_dropout": 1.1})", "plan.argument.fraction");
    }
    void valuesOfNoMeaningAreRefused()
    {
        QFETCH(QString, framework);
        QFETCH(QString, arguments);
        QFETCH(QString, rule);
        const Plan plan = planOf(jobOf(framework.toUtf8().constData(), json::parse(arguments.toStdString())));
        QCOMPARE(countOf(plan, rule.toStdString()), 1);
        QVERIFY(!plan.ledger);
    }

    void boundsThemselvesAreTaken()
    {
        for (const json& arguments : {json{{"attention-dropout", 1.0}}, json{{"fp8-format", "hybrid"}, {"fp8-recipe", "delayed"}}, json{{"fp8-format", "none"}}, json{{"fp16", true}, {"bf16", false}}, json{{"num-experts", 8}, {"moe-router-topk", 8}}})
            QVERIFY2(planOf(jobOf("megatron", arguments)).ledger, arguments.dump().c_str());
        QVERIFY(planOf(jobOf("fsdp2", {{"compile", true}, {"ac", nullptr}, {"mixed_precision", false}})).ledger);
    }

    // Its engine reads the workspace alone.
    void ourEngineTakesNone()
    {
        json w = document("gpt2", "stagecraft", 0, 1, 1, 1);
        w["hardware"] = {{"nodes", 1}, {"devicesPerNode", 1}};
        QVERIFY(!findingOf(planOf(w), "plan.arguments_ours"));
        QVERIFY(findingOf(planOf(with(w, "/framework/arguments", {{"tp", 2}})), "plan.arguments_ours"));
    }

    // GPT-2 without its biases and its table of 1024 positions; a model that has neither stays what it is.
    void switchesChangeTheCount()
    {
        const std::int64_t hidden = 768, layers = 12, padded = (50304 - 50257) * hidden;
        const auto paramsOf = [](const json& arguments, const char* preset) { return *planOf(jobOf("megatron", arguments, preset)).params; };
        const std::int64_t plain = paramsOf(json::object(), "gpt2");
        QCOMPARE(paramsOf({{"position-embedding-type", "rope"}}, "gpt2"), plain + padded - 1024 * hidden);
        // Queries, keys, values; their output; both projections of the MLP.
        QCOMPARE(paramsOf({{"disable-bias-linear", true}}, "gpt2"), plain + padded - layers * (3 * hidden + hidden + 4 * hidden + hidden));
        QCOMPARE(paramsOf({{"disable-bias-linear", true}, {"position-embedding-type", "rope"}}, "llama-3-8b"), paramsOf(json::object(), "llama-3-8b"));
        QCOMPARE(paramsOf({{"disable-bias-linear", false}, {"position-embedding-type", "learned_absolute"}}, "gpt2"), plain);
    }

    // Three sizes make a model of their own, of which "model" says no more than how long the samples are.
    void threeSizesReplaceTheModel()
    {
        const json sizes{{"num-layers", 32}, {"hidden-size", 4096}, {"num-attention-heads", 32}};
        json w = jobOf("megatron", sizes);
        w["model"]["seq"] = 4096;
        const Plan plan = planOf(w);
        QVERIFY(findingOf(plan, "plan.model_replaced"));
        QVERIFY(near(plan.forecast->tokensPerSecond * plan.forecast->stepTime, 8 * 4096));
        QVERIFY(!findingOf(planOf(jobOf("megatron", {{"num-layers", 32}})), "plan.model_replaced"));
    }

    // What is wrong is the batch: the model is the one that the arguments describe all the same.
    void theModelIsCountedWhateverElseIsWrong()
    {
        const Plan good = planOf(jobOf("megatron", {{"num-layers", 16}}));
        for (const json& wrong : {json{{"num-layers", 16}, {"micro-batch-size", 3}, {"global-batch-size", 8}}, json{{"num-layers", 16}, {"tensor_model_parallel_size", 3}}}) {
            const Plan plan = planOf(jobOf("megatron", wrong));
            QVERIFY(!plan.ledger && plan.params);
            QCOMPARE(*plan.params, *good.params);
        }
        QVERIFY(!planOf(jobOf("megatron", {{"num-layers", -1}})).params);
    }
};

QTEST_APPLESS_MAIN(TstWrongArguments)
#include "tst_wrong_arguments.moc"
