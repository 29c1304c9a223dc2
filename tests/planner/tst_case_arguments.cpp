// SPDX-License-Identifier: GPL-3.0-or-later
// What framework.arguments say is read as the framework reads it, or said not to be known: never half of it, never in silence.
#include "planner/case_arguments.h"

#include "plan_documents.h"

#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

namespace {

json megatron(const json& arguments)
{
    json w = test::document("llama-3-8b", "megatron", 1, 1, 8, 1);
    w["framework"]["arguments"] = arguments;
    return w;
}

json torch(const json& arguments)
{
    json w = megatron(arguments);
    w["framework"]["name"] = "fsdp2";
    return w;
}

std::int64_t peakOf(const Plan& plan)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : *plan.ledger) most = std::max(most, role.peak.process);
    return most;
}

// Whatever the allocator keeps beside it.
std::int64_t allocated(const Plan& plan) { return plan.ledger->front().peak.allocated; }

bool lists(const Plan& plan, const std::string& id, const std::string& name)
{
    const PlanFinding* finding = findingOf(plan, id);
    return finding && (", " + finding->args.front() + ",").find(", " + name + ",") != std::string::npos;
}

}  // namespace

class TstCaseArguments : public QObject {
    Q_OBJECT
private slots:
    void numbersAreReadWhole_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<bool>("taken");
        const auto row = [](const char* framework, const char* arguments, bool taken) { QTest::newRow(arguments) << QString(framework) << QString(arguments) << taken; };
        row("fsdp2", R"({"seq": "8k"})", false);
        row("fsdp2", R"({"seq": "8,192"})", false);
        row("fsdp2", R"({"seq": "8192"})", true);
        row("fsdp2", R"({"local_batch": "2x"})", false);
        row("fsdp2", R"({"local_batch": ""})", false);
        row("megatron", R"({"seq-length": "4K"})", false);
        row("megatron", R"({"seq-length": "4096"})", true);
        row("megatron", R"({"micro-batch-size": "nan"})", false);
        row("megatron", R"({"hidden-dropout": "0.1"})", true);
        row("megatron", R"({"hidden-dropout": "0.1x"})", false);
        row("megatron", R"({"hidden-dropout": "inf"})", false);
    }
    void numbersAreReadWhole()
    {
        QFETCH(QString, framework);
        QFETCH(QString, arguments);
        QFETCH(bool, taken);
        json w = megatron(json::parse(arguments.toStdString()));
        w["framework"]["name"] = framework.toStdString();
        const Plan plan = planOf(w);
        QCOMPARE(plan.ledger.has_value(), taken);
        const bool told = std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.severity == "error" && f.pointer.starts_with("/framework/arguments/"); });
        QCOMPARE(told, !taken);
    }

    void whatIsNotReadIsSaid_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("id");
        const auto row = [](const char* framework, const char* name, const char* value, const char* id) { QTest::addRow("%s %s %s", framework, name, value) << QString(framework) << QString(name) << QString(value) << QString(id); };
        for (const char* name : {"use-torch-fsdp2", "freeze-LM", "checkpoint-activations", "data-parallel-random", "no-such-thing"})
            row("megatron", name, "true", "plan.arguments_unknown");
        for (const char* name : {"cpu-offloading-weights", "fine-grained-activation-offloading", "no-bias-gelu-fusion"}) row("megatron", name, "true", "plan.arguments_unplanned");
        row("megatron", "cpu-offloading-num-layers", "5", "");
        row("megatron", "cpu-offloading", "true", "plan.arguments_alone");
        row("megatron", "keep-fp8-transpose-cache", "true", "plan.arguments_alone");
        row("megatron", "pipeline-model-parallel-layout", "\"Et*3|(tt|)*29,m|L\"", "plan.arguments_unknown");
        row("megatron", "overlap-grad-reduce", "false", "");
        row("megatron", "overlap-grad-reduce", "true", "");
        row("megatron", "optimizer-cpu-offload", "false", "");
        row("megatron", "cpu-offloading", "false", "plan.arguments_unused");
        for (const char* name : {"log-interval", "lr", "data-path", "seed", "save-interval", "adam-beta1", "async-save"}) row("megatron", name, "1", "plan.arguments_unused");
        row("megatron", "use-distributed-optimizer", "true", "");
        row("megatron", "squared-relu", "true", "");
        row("megatron", "fp8-recipe", "\"delayed\"", "");
        row("megatron", "fp32-residual-connection", "true", "");
        row("megatron", "distribute-saved-activations", "true", "");
        for (const char* name : {"fp8-margin", "fp8-amax-history-len", "tp-only-amax-red", "ddp-average-in-collective"}) row("megatron", name, "1", "plan.arguments_unused");
        for (const char* name : {"no-fp8-wgrad", "first-last-layers-bf16", "ddp-bucket-size", "optimizer-cuda-graph", "rampup-batch-size"}) row("megatron", name, "true", "plan.arguments_unplanned");
        for (const char* name : {"recompute-modules", "use-flash-attn"}) row("megatron", name, "1", "plan.arguments_alone");
        row("fsdp2", "enable_cpu_backup", "true", "plan.arguments_unknown");
        row("fsdp2", "enable_cpu_offload", "true", "");
        row("fsdp2", "mixed_precision_param", "\"float32\"", "");
        row("fsdp2", "mixed_precision", "\"fp16\"", "");
        row("fsdp2", "reduce_dtype", "\"bfloat16\"", "");
        row("fsdp2", "mixed_precision_param", "\"bfloat16\"", "");
        row("fsdp2", "data_parallel_shard_degree", "4", "plan.arguments_unknown");
        row("fsdp2", "lr_scheduler", "\"cosine\"", "plan.arguments_unused");
        row("deepspeed", "gradient_checkpointing", "true", "plan.arguments_unknown");
    }
    void whatIsNotReadIsSaid()
    {
        QFETCH(QString, framework);
        QFETCH(QString, name);
        QFETCH(QString, value);
        QFETCH(QString, id);
        json w = megatron({{name.toStdString(), json::parse(value.toStdString())}});
        w["framework"]["name"] = framework.toStdString();
        const Plan plan = planOf(w);
        for (const char* one : {"plan.arguments_unknown", "plan.arguments_unused", "plan.arguments_unplanned"}) QVERIFY2(lists(plan, one, name.toStdString()) == (id == one), one);
        const PlanFinding* alone = findingOf(plan, "plan.arguments_alone");
        QCOMPARE(alone && alone->args.front().starts_with(name.toStdString() + " ("), id == "plan.arguments_alone");
        if (const PlanFinding* finding = findingOf(plan, "plan.arguments_unknown")) QCOMPARE(finding->severity, std::string("warning"));
    }

    // As command lines write a name or as Python does: one argument.
    void bothSpellingsAreRead()
    {
        const auto allocated = [](const json& arguments) { return planOf(megatron(arguments)).ledger->front().peak.allocated; };
        const auto dashes = allocated({{"recompute-granularity", "full"}, {"recompute-num-layers", 1}});
        QCOMPARE(allocated({{"recompute_granularity", "full"}, {"recompute_num_layers", 1}}), dashes);
        QVERIFY(allocated(json::object()) != dashes);
        QVERIFY(!lists(planOf(megatron({{"recompute_granularity", "full"}})), "plan.arguments_unknown", "recompute_granularity"));
    }

    // A word that Megatron's argument parser refuses is no plan of the default.
    void wordsAreHeldToTheirChoices()
    {
        for (const auto& [name, value] : std::vector<std::pair<const char*, const char*>>{{"attention-backend", "zzz"}, {"recompute-granularity", "fulll"}, {"recompute-granularity", "full, selective"},
                 {"data-parallel-sharding-strategy", "optim_grad"}, {"transformer-impl", "te"}}) {
            json arguments{{name, value}};
            if (std::string(name).starts_with("data")) arguments["use-megatron-fsdp"] = true;
            QVERIFY2(findingOf(planOf(megatron(arguments)), "plan.argument.choice") != nullptr, value);
        }
        QVERIFY(findingOf(planOf(megatron({{"attention-backend", "Flash"}})), "plan.argument.choice") == nullptr);
        const auto deepspeed = [](const json& arguments) { return planOf(with(megatron(arguments), "/framework/name", "deepspeed")); };
        QVERIFY(findingOf(deepspeed({{"attn_implementation", "eagr"}}), "plan.argument.attention") && findingOf(deepspeed({{"model_code", "foo"}}), "plan.argument.choice"));
        for (const char* kernel : {"eager", "sdpa", "flash_attention_2", "flex_attention", "kernels-community/flash-attn"}) QVERIFY2(deepspeed({{"attn_implementation", kernel}}).ledger, kernel);
    }

    // Of a model that the command line describes.
    void squaredReluIsKnown()
    {
        const Plan plan = planOf(megatron({{"num-layers", 8}, {"hidden-size", 512}, {"num-attention-heads", 8}, {"squared-relu", true}}));
        QVERIFY(plan.ledger.has_value() && !findingOf(plan, "plan.arguments_unknown"));
    }

    // The model is the command line's where that describes one; else it is the workspace's, but for the sizes that are given.
    void sizesOverrideTheModel()
    {
        const std::int64_t whole = 8'030'261'248, layer = 218'112'000;
        const auto params = [](const json& arguments) { return *planOf(megatron(arguments)).params; };
        const json described{{"num-layers", 32}, {"hidden-size", 4096}, {"num-attention-heads", 32}, {"num-query-groups", 8}, {"group-query-attention", true}, {"ffn-hidden-size", 14336}, {"swiglu", true}, {"normalization", "RMSNorm"},
                             {"untie-embeddings-and-output-weights", true}, {"disable-bias-linear", true}, {"use-rotary-position-embeddings", true}};
        QCOMPARE(params(described), whole);  // the workspace knows how many words there are
        json other = with(megatron(described), "/model", {{"params", 7e9}});
        QCOMPARE(*planOf(other).params, whole - 2 * 4096 * (128'256 - 50'304));
        QCOMPARE(params({{"num-layers", 16}}), whole - 16 * layer);
        QCOMPARE(params({{"num_layers", 16}, {"ffn-hidden-size", 8192}}), whole - 16 * layer - 16 * 3 * 4096 * (14'336 - 8192));
        QCOMPARE(params({{"squared-relu", true}}), whole - 32 * 4096 * 14'336);
        QCOMPARE(params({{"num-query-groups", 32}}), whole + 32 * 2 * 4096 * 3072);
        QCOMPARE(params({{"add-qkv-bias", true}}), whole + 32 * 6144);
        QCOMPARE(params({{"vocab-size", 32'000}}), whole - 2 * 4096 * (128'256 - 32'000));
        QCOMPARE(allocated(planOf(megatron({{"num-layers", 32}, {"swiglu", true}}))), allocated(planOf(megatron(json::object()))));
        // Without a model to change, what is missing is told.
        const Plan missing = planOf(with(megatron({{"num-layers", 16}}), "/model", {{"params", 7e9}}));
        const PlanFinding* finding = findingOf(missing, "plan.argument.sizes");
        QVERIFY(!missing.ledger && finding && finding->pointer == "/framework/arguments/hidden-size");
    }
    // Positions that are learned have a table, which may be longer than the preset's.
    void positionTablesMayBeLonger()
    {
        json w = with(megatron({{"max-position-embeddings", 2048}, {"seq-length", 2048}}), "/model", {{"preset", "gpt2-xl"}});
        const Plan longer = planOf(w);
        QVERIFY(longer.ledger.has_value());
        w["framework"]["arguments"] = {{"max-position-embeddings", 1024}};
        QCOMPARE(*longer.params - *planOf(w).params, std::int64_t{1024 * 1600 + 47 * 1600});
        // Its rows are as many as the ranks share evenly, once anything of it is another.
        QVERIFY(lists(planOf(megatron({{"max-position-embeddings", 8192}})), "plan.arguments_unused", "max-position-embeddings"));   // Megatron asks for it whatever tells positions
        // What the layout lacks does not make the model unknown.
        QCOMPARE(planOf(with(with(megatron({{"num-layers", 15}, {"pipeline-model-parallel-size", 2}}), "/layout/pp", 2), "/layout/dp", 4)).params, std::optional<std::int64_t>(4'322'357'248));
    }
    void everyPresetIsChangedOrRefused()
    {
        const std::pair<const char*, int> presets[] = {{"gpt2", 12}, {"gpt2-xl", 48}, {"llama-2-70b", 80}, {"llama-3.2-1b", 16}, {"mistral-7b", 32}, {"mixtral-8x7b", 32}, {"qwen2.5-7b", 28}, {"smollm2-135m", 30}, {"bloom-176b", 70}};
        int changed = 0;
        for (const auto& [preset, layers] : presets) {
            const auto plan = [&, name = preset](const json& arguments) {
                json w = megatron(arguments);
                w["model"] = {{"preset", name}};
                return planOf(w);
            };
            const Plan own = plan(json::object());
            QVERIFY2(own.params.has_value(), preset);
            const Plan same = plan({{"num-layers", layers}});
            const bool refused = findingOf(same, "plan.argument.part") != nullptr;
            QVERIFY2(refused ? !same.ledger : same.params == own.params && allocated(same) == allocated(own), preset);
            const Plan fewer = plan({{"num-layers", layers / 2}});
            QVERIFY2(refused || *fewer.params < *own.params * 6 / 10 + 2 * 4096 * 160'000, preset);
            changed += !refused;
        }
        QVERIFY(changed >= 8);
    }

    // "(...)*2" repeats what stands before it: Megatron evaluates the text as Python.
    void layerFrequenciesAreEvaluated_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("dense");   // -1: refused
        const auto row = [](const char* text, int layers, int dense) { QTest::addRow("%s of %d", text, layers) << QString(text) << layers << dense; };
        row("([1]*3+[0]*2)*2", 10, 4);
        row("[1,1,1,0,0,1,1,1,0,0]", 10, 4);
        row("([0]+[1])*5", 10, 5);
        row("([0]*3+[1]*11)", 14, 3);
        row("2*[0, 1] + [1]", 5, 2);
        row(" [ 1 ] * (2*3) ", 6, 0);
        row("1", 10, 0);
        row("3", 10, 6);
        row("(1+1)", 5, 2);
        row("[0]*3", 10, -1);
        row("[2]*10", 10, -1);
        row("0", 10, -1);
        row("-1", 10, -1);
        row("[0]*10 and 1", 10, -1);
        row("[0]*3+", 3, -1);
        row("[0]+1", 3, -1);
        row("[0]*[1]", 1, -1);
        row("([0]*1000000000)*1000000000", 10, -1);
        row("", 10, -1);
    }
    void layerFrequenciesAreEvaluated()
    {
        QFETCH(QString, text);
        QFETCH(int, layers);
        QFETCH(int, dense);
        const auto read = denseLayersOf(json(text.toStdString()), layers);
        QCOMPARE(read ? static_cast<int>(*read) : -1, dense);
    }
    void layerFrequenciesMayBeLists()
    {
        QCOMPARE(denseLayersOf(json::array({0, 1, 1}), 3), std::optional<std::int64_t>(1));
        QCOMPARE(denseLayersOf(json(2), 5), std::optional<std::int64_t>(2));
        QCOMPARE(denseLayersOf(json(std::string(100'000, '(')), 5), std::optional<std::int64_t>());
        json w = megatron({{"num-layers", 10}, {"hidden-size", 1024}, {"num-attention-heads", 16}, {"num-experts", 8}, {"moe-ffn-hidden-size", 1024}, {"ffn-hidden-size", 4096}, {"swiglu", true}, {"vocab-size", 32000}});
        const auto params = [&](const char* frequency) { return *planOf(with(w, "/framework/arguments/moe-layer-freq", frequency)).params; };
        QCOMPARE(params("([1]*3+[0]*2)*2"), params("[1,1,1,0,0,1,1,1,0,0]"));
        QVERIFY(!planOf(with(w, "/framework/arguments/moe-layer-freq", "[0]*3")).ledger);
    }

    // Two spellings of one thing: so many chunks a rank, or so many layers a chunk.
    void virtualStagesHaveTwoSpellings()
    {
        const json pipeline = with(with(megatron({{"pipeline-model-parallel-size", 4}, {"global-batch-size", 16}}), "/layout/pp", 4), "/layout/dp", 2);
        const Plan chunks = planOf(with(pipeline, "/framework/arguments/num-virtual-stages-per-pipeline-rank", 4));
        const Plan layers = planOf(with(pipeline, "/framework/arguments/num-layers-per-virtual-pipeline-stage", 2));
        const Plan none = planOf(pipeline);
        QCOMPARE(peakOf(chunks), peakOf(layers));
        QCOMPARE(chunks.forecast->stepTime, layers.forecast->stepTime);
        QVERIFY(chunks.forecast->stepTime < none.forecast->stepTime);
    }

    // The loss and the embedding may count as a layer each: 30 and both on 4 stages are 7, 8, 8 and 7.
    void edgesMayCountAsLayers()
    {
        const json model = {{"num-layers", 30}, {"hidden-size", 2048}, {"num-attention-heads", 16}, {"pipeline-model-parallel-size", 4}, {"global-batch-size", 16}, {"bf16", true}};
        const json w = with(with(megatron(model), "/layout/pp", 4), "/layout/dp", 2);
        QVERIFY(planOf(with(with(w, "/framework/arguments/account-for-embedding-in-pipeline-split", true), "/framework/arguments/account-for-loss-in-pipeline-split", true)).ledger);
        QVERIFY(findingOf(planOf(with(w, "/framework/arguments/account-for-loss-in-pipeline-split", true)), "plan.argument.split"));
        const Plan split = planOf(with(with(w, "/framework/arguments/account-for-embedding-in-pipeline-split", true), "/framework/arguments/account-for-loss-in-pipeline-split", true));
        const Plan told = planOf(with(with(w, "/framework/arguments/decoder-first-pipeline-num-layers", 7), "/framework/arguments/decoder-last-pipeline-num-layers", 7));
        QCOMPARE(peakOf(split), peakOf(told));
    }

    // Without resharding a rank holds all weights in 16 bits through the step.
    void weightsMayStayGathered()
    {
        const Plan freed = planOf(torch(json::object()));
        for (const json& held : {json{{"reshard_after_forward", false}}, json{{"fsdp_reshard_after_forward", "never"}}}) {
            const Plan plan = planOf(torch(held));
            QVERIFY(peakOf(plan) - peakOf(freed) > 10'000'000'000);
            QVERIFY(near(itemOf(plan, "gathered_weights"), 2.0 * static_cast<double>(*plan.params), 1e-3));
            QCOMPARE(itemOf(plan, "gathered_gradients"), itemOf(freed, "gathered_gradients"));
            QVERIFY(!findingOf(plan, "plan.arguments_unused") && !findingOf(plan, "plan.arguments_unknown"));
        }
        QCOMPARE(peakOf(planOf(torch({{"fsdp_reshard_after_forward", "default"}}))), peakOf(freed));
        QVERIFY(!planOf(torch({{"fsdp_reshard_after_forward", "sometimes"}})).ledger);
        // A pipeline keeps them unless it is told not to.
        const json pipeline = with(with(torch({{"local_batch", 4}}), "/layout/pp", 2), "/layout/dp", 4);
        QVERIFY(peakOf(planOf(with(pipeline, "/framework/arguments/fsdp_reshard_after_forward", "always"))) < peakOf(planOf(pipeline)));
    }

    // Whoever says it: Megatron's own switch, its FSDP's strategy, or the ds_config's stage where neither speaks.
    void theOptimizerIsDividedByWhoeverSaysSo()
    {
        const auto divides = [](const json& written, int stage) {
            std::vector<PlanFinding> unread;
            CaseArguments arguments(written, unread);
            DsSettings settings;
            settings.stage = stage;
            return dividesOptimizer(arguments, settings);
        };
        const json none = json::object(), off = {{"use-distributed-optimizer", false}}, on = {{"use-distributed-optimizer", true}};
        QVERIFY(divides(none, 1) && divides(none, 2) && !divides(none, 0));
        QVERIFY(!divides(off, 1) && divides(on, 0));
        QVERIFY(divides({{"use-distributed-optimizer", false}, {"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "optim"}}, 0));
        QVERIFY(!divides({{"use-distributed-optimizer", false}, {"use-megatron-fsdp", true}, {"data-parallel-sharding-strategy", "no_shard"}}, 1));
    }

    // torchtitan's mesh is of all ranks: what does not divide the devices is told with the sizes that make it.
    void sizesMustDivideTheDevices()
    {
        const Plan three = planOf(torch({{"fsdp", 3}, {"local_batch", 1}})), odd = planOf(torch({{"fsdp", 2}, {"tp", 3}, {"local_batch", 1}})), rest = planOf(torch({{"tp", 3}, {"local_batch", 1}}));
        for (const Plan* plan : {&three, &odd, &rest}) {
            const PlanFinding* finding = findingOf(*plan, "plan.argument.mesh");
            QVERIFY(finding && !plan->ledger && !plan->forecast && !plan->fit);
            QCOMPARE(finding->severity, std::string("error"));
        }
        QCOMPARE(findingOf(three, "plan.argument.mesh")->message, std::string("\"fsdp\" is 3: fsdp 3 x tp 1 x pp 1 x cp 1 makes 3 ranks, which does not divide the 8 devices; use sizes whose product does"));
        QVERIFY(findingOf(odd, "plan.argument.mesh")->message.find("6 ranks") != std::string::npos);
        for (const json& good : {json{{"fsdp", 8}}, json{{"fsdp", 4}}, json{{"fsdp", 2}, {"tp", 4}}, json{{"tp", 8}}}) QVERIFY2(planOf(torch(good)).ledger, good.dump().c_str());
    }

    void optimizersCalledAfterAdamAreNotAdam()
    {
        for (const char* name : {"Adam", "AdamW", "adamw_foreach", "fused AdamW"}) QVERIFY2(!findingOf(planOf(torch({{"optimizer", name}})), "plan.optimizer"), name);
        for (const char* name : {"Adam-mini", "AdEMAMix", "AdamW4bit"}) QVERIFY2(findingOf(planOf(torch({{"optimizer", name}})), "plan.optimizer"), name);
    }

    // pydantic's booleans, as `check` has them.
    void switchesAreReadAsDeepSpeedReadsThem()
    {
        json w = test::document("llama-3-8b", "deepspeed", 3, 1, 8, 1);
        const std::int64_t on = peakOf(planOf(w));
        const std::int64_t off = peakOf(planOf(with(w, "/dsConfig/bf16/enabled", false)));
        QVERIFY(on < off);
        for (const json& yes : {json("true"), json(1), json("yes"), json("on"), json("True"), json(1.0)}) {
            const Plan plan = planOf(with(w, "/dsConfig/bf16/enabled", yes));
            QCOMPARE(peakOf(plan), on);
            QVERIFY(!findingOf(plan, "plan.ds_config.flag"));
        }
        for (const json& no : {json("false"), json(0), json("off")}) QCOMPARE(peakOf(planOf(with(w, "/dsConfig/bf16/enabled", no))), off);
        for (const json& neither : {json(2), json("maybe"), json::array()}) QVERIFY(findingOf(planOf(with(w, "/dsConfig/bf16/enabled", neither)), "plan.ds_config.flag"));
        const Plan overlap = planOf(with(w, "/dsConfig/zero_optimization/overlap_comm", 5));
        QCOMPARE(std::count_if(overlap.findings.begin(), overlap.findings.end(), [](const PlanFinding& f) { return f.id == "plan.ds_config.flag"; }), 1);
    }

    // What belongs to an argument that is not there says so by its name, and what is known but not planned is no misspelling.
    void argumentsAreToldApart()
    {
        const Plan plan = planOf(megatron({{"bf16", true}, {"recompute-num-layers", 2}, {"moe_router_topk", 8}, {"window-size", "(128,0)"}, {"cuda-graph-scope", "attn"}, {"moe-token-dispatcher-type", "alltoall"}, {"apply-rope-fusion", true}, {"ckpt-fully-parallel-save", true}, {"optimiser", "adam"}}));
        QVERIFY(lists(plan, "plan.arguments_alone", "recompute-num-layers (recompute-granularity full)") && lists(plan, "plan.arguments_alone", "moe_router_topk (num-experts)"));
        QVERIFY(!findingOf(plan, "plan.cuda_graphs") && findingOf(planOf(megatron({{"bf16", true}, {"enable-cuda-graph", true}})), "plan.cuda_graphs"));
        QVERIFY(lists(plan, "plan.arguments_unplanned", "window-size") && lists(plan, "plan.arguments_unplanned", "cuda-graph-scope") && lists(plan, "plan.arguments_unused", "ckpt-fully-parallel-save"));
        QCOMPARE(findingOf(plan, "plan.arguments_unknown")->args.front(), std::string("optimiser"));
        QVERIFY(lists(planOf(megatron({{"bf16", true}, {"moe-token-dispatcher-type", "allgather"}})), "plan.arguments_unplanned", "moe-token-dispatcher-type"));
    }

    // 8.03 billion parameters on 8 ranks: master weights 4 bytes, moments 8, divided by the ranks of one instance.
    void optimizersLieWhereTheArgumentsPutThem()
    {
        const double phi = 8'030'261'248;
        const Plan plain = planOf(megatron({{"bf16", true}, {"use-distributed-optimizer", true}}));
        QVERIFY(near(itemOf(plain, "master"), 4 * phi / 8) && near(itemOf(plain, "optimizer_states"), 8 * phi / 8));
        const Plan twice = planOf(megatron({{"bf16", true}, {"use-distributed-optimizer", true}, {"num-distributed-optimizer-instances", 2}}));
        QVERIFY(near(itemOf(twice, "master"), 4 * phi / 4) && near(itemOf(twice, "optimizer_states"), 8 * phi / 4));
        QVERIFY(!planOf(megatron({{"bf16", true}, {"num-distributed-optimizer-instances", 3}})).ledger);
        const Plan away = planOf(megatron({{"bf16", true}, {"use-distributed-optimizer", true}, {"optimizer-cpu-offload", true}}));
        QVERIFY(near(itemOf(away, "gradients_host"), 4 * phi / 8) && static_cast<double>(allocated(plain) - allocated(away)) > 0.9 * 12 * phi / 8 && findingOf(away, "plan.optimizer_offload"));
        QVERIFY(lists(planOf(megatron({{"bf16", true}, {"optimizer-offload-fraction", 0.5}})), "plan.arguments_alone", "optimizer-offload-fraction (optimizer-cpu-offload)"));
    }

    // What FSDP2 gathers, multiplies and reduces in, as torchtitan, PyTorch's own policy and Accelerate write it.
    void fsdp2ComputesInTheTypeThatIsSaid_data()
    {
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<double>("gathered");
        QTest::addColumn<double>("reduced");
        QTest::addColumn<int>("teraflops");
        const auto row = [](const char* arguments, double gathered, double reduced, int teraflops) { QTest::newRow(arguments) << QString(arguments) << gathered << reduced << teraflops; };
        row("{}", 2, 4, 16);
        row(R"({"mixed_precision_param": "float16"})", 2, 4, 125);
        row(R"({"param_dtype": "torch.float16", "reduce_dtype": "float16"})", 2, 2, 125);
        row(R"({"mixed_precision_param": "float32"})", 4, 4, 16);
        row(R"({"mixed_precision": "fp16"})", 2, 2, 125);
        row(R"({"mixed_precision": "bf16"})", 2, 2, 16);
        row(R"({"mixed_precision": "no"})", 4, 4, 16);
        row(R"({"mixed_precision": false})", 4, 4, 16);
        row(R"({"mixed_precision": "no", "dtype": "bfloat16"})", 2, 2, 16);
    }
    void fsdp2ComputesInTheTypeThatIsSaid()
    {
        QFETCH(QString, arguments);
        QFETCH(double, gathered);
        QFETCH(double, reduced);
        QFETCH(int, teraflops);
        const double block = 218'112'000, table = 128'256.0 * 4096, norm = 4096;  // of Llama 3 8B
        json w = torch(json::parse(arguments.toStdString()));
        w["hardware"]["device"] = "V100-SXM2-32GB";
        w["dsConfig"] = {{"train_micro_batch_size_per_gpu", 1}, {"fp16", {{"enabled", true}}}};
        w["framework"]["arguments"]["ac"] = "full";
        const Plan plan = planOf(w);
        const double root = 2 * table;
        double backward = 0;
        for (const LedgerItem& item : plan.ledger->front().items)
            if (item.what == "gathered_weights" && item.phase.find("backward") != std::string::npos) backward += static_cast<double>(item.bytes);
        QVERIFY(near(backward, gathered * (root + 2 * block), 1e-4));
        QVERIFY(near(itemOf(plan, "gathered_gradients"), (gathered + reduced) * block + gathered * (table + norm), 1e-4));
        // 8 Φ of each token, at the device's rate in that type.
        const double least = 8 * 4096 * 8e9 / (1e12 * teraflops);
        QVERIFY2(plan.forecast->stepTime > least && plan.forecast->stepTime < 3 * least, qPrintable(QString::number(plan.forecast->stepTime / least)));
        QCOMPARE(findingOf(plan, "plan.bf16_emulated") != nullptr, gathered < 4 && teraflops < 100);
        QCOMPARE(findingOf(plan, "plan.fsdp2_precision") != nullptr, arguments == "{}");
    }

    // By autograd's saved tensors of torchtitan's block, PyTorch 2.11: 512 wide, 8 heads over 2, 1,408 in the MLP.
    void fp32BlocksKeepWhatAutogradSaves()
    {
        const auto kept = [](const char* type, int layers) {
            json w = torch({{"mixed_precision_param", type}, {"ac", "none"}});
            w["model"] = {{"family", "llama"}, {"hidden", 512}, {"layers", layers}, {"heads", 8}, {"kvHeads", 2}, {"ffn", 1408}, {"vocab", 512}, {"seq", 512}};
            const Plan plan = planOf(w);
            double sum = 0;
            for (const LedgerItem& item : plan.ledger->front().items)
                if (item.what.starts_with("activations.") && item.what != "activations.recomputed" && item.what != "activations.head") sum += static_cast<double>(item.bytes);
            return sum;
        };
        QVERIFY(near(kept("float32", 6) - kept("float32", 4), 2 * 512 * 43'040.0, 1e-3));
        QVERIFY(near(kept("bfloat16", 6) - kept("bfloat16", 4), 2 * 512 * 25'632.0, 1e-3));
    }

    void typesThatFsdp2HasNotAreRefused()
    {
        for (const json& type : {json("int8"), json("fp8"), json(16), json(true)}) {
            const Plan plan = planOf(torch({{"mixed_precision", type}}));
            const PlanFinding* refusal = findingOf(plan, "plan.argument.type");
            QVERIFY(refusal && !plan.ledger && refusal->args.back() == (type.is_string() ? type.get<std::string>() : type.dump()));
        }
    }

    // Without a wrap policy all weights are gathered, and gradients are whole.
    void oneUnitHoldsTheWholeModel()
    {
        const double phi = 8'030'261'248;
        const Plan plan = planOf(torch({{"fsdp_auto_wrap_policy", "NO_WRAP"}, {"dtype", "bfloat16"}, {"release", "2023-12"}})), blocks = planOf(torch({{"dtype", "bfloat16"}, {"release", "2023-12"}}));
        QVERIFY(near(itemOf(plan, "gathered_weights"), 2 * phi) && near(itemOf(plan, "gathered_gradients"), 2 * phi) && findingOf(plan, "plan.one_unit"));
        QVERIFY(static_cast<double>(allocated(plan) - allocated(blocks)) > 0.6 * 4 * phi && plan.forecast->stepTime > blocks.forecast->stepTime);
        QVERIFY(!findingOf(planOf(torch({{"fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP"}})), "plan.one_unit") && !planOf(torch({{"fsdp_auto_wrap_policy", "SIZE_BASED_WRAP"}})).ledger);
    }

    // A plan that does not fit names what would take memory off.
    void helpfulFlagsAreNamed()
    {
        json small = megatron({{"bf16", true}, {"use-distributed-optimizer", true}});
        small["hardware"]["device"] = "A100-SXM-40GB";
        const Plan full = planOf(small);
        const PlanFinding* flags = findingOf(full, "plan.flags_help");
        QVERIFY(flags && flags->args.front().find("grad-reduce-in-bf16 (-") != std::string::npos && flags->args.front().find("use-distributed-optimizer") == std::string::npos);
        small["framework"]["arguments"]["grad-reduce-in-bf16"] = true;
        const Plan less = planOf(small);
        QVERIFY(!findingOf(less, "plan.flags_help") || findingOf(less, "plan.flags_help")->args.front().find("grad-reduce") == std::string::npos);
        small["hardware"]["device"] = "H200-SXM-141GB";
        QVERIFY(!findingOf(planOf(small), "plan.flags_help"));
    }
};

QTEST_APPLESS_MAIN(TstCaseArguments)
#include "tst_case_arguments.moc"
