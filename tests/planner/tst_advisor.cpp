// SPDX-License-Identifier: GPL-3.0-or-later
#include "plan_documents.h"
#include "planner/advisor.h"

#include <QtTest>

#include <map>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

using namespace stagecraft;
using nlohmann::json;

namespace {

Workspace sizeOnly(double params, const char* device, int perNode, int nodes = 1)
{
    Workspace w;
    w.model.form = ModelSection::Form::ParameterCount;
    w.model.parameterCount = params;
    w.hardware = {.nodes = nodes, .devicesPerNode = perNode, .device = device};
    w.layout.dp = nodes * perNode;
    return w;
}

Workspace llama8b()
{
    Workspace w;
    w.model.form = ModelSection::Form::Preset;
    w.model.huggingFaceConfig = json::parse(R"({"architectures":["LlamaForCausalLM"],"hidden_size":4096,"intermediate_size":14336,"num_hidden_layers":32,
        "num_attention_heads":32,"num_key_value_heads":8,"vocab_size":128256,"max_position_embeddings":8192})");
    w.hardware = {.nodes = 1, .devicesPerNode = 8, .device = "H100-SXM-80GB"};
    w.layout.dp = 8;
    w.dsConfig = {{"bf16", {{"enabled", true}}}, {"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 4}};
    return w;
}

}  // namespace

class TstAdvisor : public QObject {
    Q_OBJECT
private slots:
    /// Sizes in the framework's own arguments are the same job as sizes in the layout, and no rank's total is below its states.
    void sizesOfArgumentsAreThoseOfTheTree()
    {
        using namespace stagecraft::test;
        json laid = document("llama-3-70b", "megatron", 1, 8, 8, 4);
        laid["layout"] = {{"dp", 2}, {"tp", 8}, {"pp", 4}, {"sequenceParallel", true}};
        json told = document("llama-3-70b", "megatron", 1, 8, 8, 4);
        told["framework"]["arguments"] = {{"tensor-model-parallel-size", 8}, {"pipeline-model-parallel-size", 4}, {"sequence-parallel", true}};
        const auto inLayout = advise(workspaceOf(laid)), inArguments = advise(workspaceOf(told));
        QVERIFY(inLayout.hasValue() && inArguments.hasValue());
        QCOMPARE(inArguments->options.size(), inLayout->options.size());
        int refused = 0;
        for (std::size_t i = 0; i < inLayout->options.size(); ++i) {
            const StageOption& a = inLayout->options[i];
            const StageOption& b = inArguments->options[i];
            QVERIFY2(a.stateBytes == b.stateBytes && a.refused == b.refused && a.fits == b.fits && a.peakBytes == b.peakBytes, (a.id + ": " + a.message + " / " + b.message).c_str());
            QVERIFY2(!b.peakBytes || *b.peakBytes >= b.stateBytes, b.id.c_str());
            refused += b.refused;
        }
        QCOMPARE(refused, 0);   // Megatron-LM runs all of its own branches with a pipeline
        QCOMPARE(inLayout->options.size(), std::size_t{3});
    }

    // Worked examples TAB-16.2.2 and TAB-16.10.1: what fits first by model states, and how many GB each option needs.
    void walksToTheFirstThatFits_data()
    {
        QTest::addColumn<double>("params");
        QTest::addColumn<QString>("device");
        QTest::addColumn<int>("perNode");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<QString>("chosen");
        const auto row = [](const char* name, double params, const char* device, int perNode, int nodes, const char* chosen) {
            QTest::newRow(name) << params << QString(device) << perNode << nodes << QString(chosen);
        };
        row("1.3B on one 16 GB card", 1.3e9, "V100-SXM2-16GB", 1, 1, "z2_cpu_opt");
        row("6.7B on two 24 GB cards", 6.7e9, "RTX-3090", 2, 1, "z2_cpu_opt");
        row("13B on four 24 GB cards", 13e9, "RTX-3090", 4, 1, "z3_cpu_opt");
        row("70B on eight 80 GB cards", 70e9, "A100-SXM-80GB", 8, 1, "z3_cpu_opt");
        row("70B on eight 24 GB cards", 70e9, "RTX-3090", 8, 1, "z3_cpu_opt");
        row("175B on two nodes of eight 80 GB cards", 175e9, "A100-SXM-80GB", 8, 2, "z3_cpu_opt");
        row("13B on eight 80 GB cards", 13e9, "A100-SXM-80GB", 8, 1, "z1");
        row("1.3B on one 80 GB card", 1.3e9, "A100-SXM-80GB", 1, 1, "z0");
        row("20B on eight 80 GB cards", 20e9, "A100-SXM-80GB", 8, 1, "z2");
    }
    void walksToTheFirstThatFits()
    {
        QFETCH(double, params);
        QFETCH(QString, device);
        QFETCH(int, perNode);
        QFETCH(int, nodes);
        QFETCH(QString, chosen);
        const Workspace w = sizeOnly(params, qPrintable(device), perNode, nodes);
        const auto advice = advise(w);
        QVERIFY(advice.hasValue());
        const json answer = adviceToJson(*advice, w);
        QCOMPARE(QString::fromStdString(answer["chosen"].get<std::string>()), chosen);
        int yes = 0;
        for (const json& node : answer["tree"]) {
            // Offload into a host of which nothing is known and which would have to be large is chosen as what may fit.
            yes += node["verdict"] == "yes" || (node["verdict"] == "unsure" && node["option"] == answer["chosen"]);
            QVERIFY(node["verdict"] != "no" || node["rejected"].get<std::string>().find("needs") == 0);
            QVERIFY(!node["formula"].get<std::string>().empty() && !node["question"].get<std::string>().empty());
        }
        QCOMPARE(yes, 1);
        const json& patch = answer["apply"];
        QVERIFY(std::any_of(patch.begin(), patch.end(), [](const json& op) { return op["path"] == json("/dsConfig/zero_optimization/stage"); }));
    }

    // Worked example TAB-16.2.2-6, all options in GB.
    void namesTheBytesOfEveryOption()
    {
        const auto advice = advise(sizeOnly(70e9, "A100-SXM-80GB", 8));
        const std::map<std::string, double> gigabytes{{"z0", 1120}, {"z1", 385}, {"z2", 262.5}, {"z3", 140}, {"z2_cpu_opt", 140}, {"z3_cpu_opt", 17.5}, {"z3_cpu_opt_param", 0}};
        for (const StageOption& option : advice->options) {
            if (!gigabytes.contains(option.id)) continue;
            QCOMPARE(static_cast<double>(option.stateBytes) / 1e9, gigabytes.at(option.id));
            if (option.id == "z3_cpu_opt") QCOMPARE(static_cast<double>(option.hostBytesPerNode) / 1e9, 1120.0);
            if (option.id == "z3_cpu_opt_param") QCOMPARE(static_cast<double>(option.hostBytesPerNode) / 1e9, 1260.0);
        }
    }

    // Worked examples TAB-001-Z1..Z3, in the card's nominal 80 GB: 14.55, 21.33 and 40 billion.
    void solvesForTheLargestModel()
    {
        const auto advice = advise(sizeOnly(1e9, "A100-SXM-80GB", 8));
        const double nominal = 80e9 / static_cast<double>(advice->usable);
        QCOMPARE(std::round(advice->options[1].maxParams * nominal / 1e7) / 100, 14.55);
        QCOMPARE(std::round(advice->options[2].maxParams * nominal / 1e7) / 100, 21.33);
        QCOMPARE(std::round(advice->options[3].maxParams * nominal / 1e7) / 100, 40.0);
    }

    void ranksLayoutsOfAKnownModel()
    {
        const auto advice = advise(llama8b());
        QVERIFY(advice.hasValue());
        QVERIFY(advice->layouts.best.size() > 10 && advice->layouts.best.front().fits);
        QVERIFY(advice->options.front().peakBytes.has_value() && *advice->options.front().peakBytes > advice->options.front().stateBytes);
        const json answer = adviceToJson(*advice, llama8b());
        QVERIFY(!answer["comparison"]["zero3"].is_null() && !answer["comparison"]["tensorZero1"].is_null());
        QVERIFY(answer["comparison"]["winner"].is_string());
        QVERIFY(answer["layouts"][0]["apply"].size() >= 9);
        QVERIFY(!answer["pareto"].empty());
    }

    // "Stage 3 or tensor parallelism": of the workspace as it is, experts and all, and one that surely fits before a faster one.
    // Our engine's tree is its own; the two that are compared are another framework's, and say so.
    /// What is recommended is beaten by no branch in both memory and time, and what was passed over says by what.
    void recommendsByItsNumbers()
    {
        using namespace stagecraft::test;
        for (const char* preset : {"gpt2-medium", "gpt2", "llama-2-7b"}) {
            json w = document(preset, "deepspeed", 0, 1, 8, 1);
            w["hardware"]["device"] = "A100-SXM-80GB";
            const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Tree).value();
            QVERIFY(advice.chosen);
            const StageOption& chosen = advice.options[*advice.chosen];
            QVERIFY(advice.tree[*advice.chosen].yes && advice.tree[*advice.chosen].rejected.empty());
            for (std::size_t i = 0; i < advice.options.size(); ++i) {
                const StageOption& o = advice.options[i];
                QVERIFY2(!o.fits || !(*o.peakBytes < *chosen.peakBytes && *o.stepTime < *chosen.stepTime), (chosen.id + " is beaten by " + o.id).c_str());
                if (i < *advice.chosen) QVERIFY(!advice.tree[i].yes && advice.tree[i].walked && !advice.tree[i].rejected.empty());
                if (i > *advice.chosen) QVERIFY(!advice.tree[i].yes && !advice.tree[i].walked);
            }
        }
    }

    /// Of two layouts that do not run neither wins.
    void noWinnerWhereNeitherFits()
    {
        using namespace stagecraft::test;
        const json w = document("llama-3-70b", "deepspeed", 3, 1, 8, 1);
        const Advice advice = advise(workspaceOf(w), {}, {}, AdviceDepth::Tree).value();
        QVERIFY(advice.zero3 && advice.tensorZero1 && !advice.zero3->mayFit && !advice.tensorZero1->mayFit);
        const json told = adviceToJson(advice, workspaceOf(w))["comparison"];
        QVERIFY(told["winner"].is_null());
        QVERIFY(told["why"].get<std::string>().starts_with("neither fits"));
    }

    void comparesWhoseNumbersTheyAre()
    {
        using namespace stagecraft::test;
        for (const char* framework : {"stagecraft", "deepspeed"}) {
            const Workspace w = workspaceOf(document("tinyllama-1.1b", framework, 2, 1, 4, 4));
            const auto advice = advise(w);
            QVERIFY(advice.hasValue() && advice->zero3 && advice->tensorZero1);
            QCOMPARE(advice->framework, std::string(framework));
            const std::string why = adviceToJson(*advice, w)["comparison"]["why"];
            QVERIFY2(why.starts_with("DeepSpeed with stage 3:") && why.find("; DeepSpeed with stage 1 and tp") != std::string::npos, why.c_str());
        }
    }

    void comparesFamiliesOfTheWorkspace()
    {
        using namespace stagecraft::test;
        // With words of its own DeepSpeed divides Mixtral's layers.
        const json plain = with(document("mixtral-8x7b", "deepspeed", 3, 4, 8, 1), "/layout", {{"dp", 32}, {"ep", 8}});
        const Workspace w = workspaceOf(with(plain, "/dsConfig/tensor_parallel", {{"partition_config", {{"use_default_specs", false}}}}));
        auto advice = advise(w);
        QVERIFY(advice.hasValue() && advice->zero3 && advice->tensorZero1);
        QCOMPARE(advice->zero3->ep, std::int64_t{8});
        QCOMPARE(*advice->options[3].stepTime, advice->zero3->stepTime);
        // The fewer ranks of the other side divide the experts as far as they can.
        QCOMPARE(advice->tensorZero1->ep, std::gcd(std::int64_t{8}, advice->tensorZero1->dp));
        const auto winner = [&] { return adviceToJson(*advice, w)["comparison"]["winner"].get<std::string>(); };
        QVERIFY(adviceToJson(*advice, w)["comparison"]["why"].get<std::string>().find("and ep 8") != std::string::npos);
        advice->zero3->stepTime = advice->tensorZero1->stepTime / 2;
        advice->zero3->fits = false;
        advice->zero3->mayFit = advice->tensorZero1->fits = advice->tensorZero1->mayFit = true;
        QCOMPARE(winner(), std::string("tensorZero1"));
        advice->zero3->fits = true;
        QCOMPARE(winner(), std::string("zero3"));
    }

    // Our own engine's tree says what `plan` says of the same workspace, and does not offer what the engine does not run.
    void walksOurEngineAsThePlanDoes()
    {
        const auto demo = parseWorkspace(R"({"stagecraft": 1, "name": "tree", "model": {"family": "llama", "vocab": 512, "hidden": 128, "layers": 2, "heads": 4, "kvHeads": 4, "ffn": 256, "seq": 64},
            "data": {"source": "builtin:demo", "tokenizer": "bytes"}, "hardware": {"nodes": 1, "devicesPerNode": 2, "device": "cpu"}, "layout": {"dp": 2},
            "dsConfig": {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}}}})", {});
        QVERIFY2(demo.hasValue(), demo.hasValue() ? "" : demo.error().message.c_str());
        PlanContext context;
        context.hostMemoryBytes = std::int64_t{16} << 30;
        const auto advice = advise(*demo, context);
        QVERIFY(advice.hasValue());
        QCOMPARE(advice->framework, std::string("stagecraft"));
        for (int stage = 0; stage <= 3; ++stage) {
            Workspace w = *demo;
            w.dsConfig["zero_optimization"] = {{"stage", stage}};
            const auto plan = makePlan(w, context);
            QVERIFY(plan.hasValue() && plan->ledger && plan->forecast);
            const StageOption& option = advice->options[static_cast<std::size_t>(stage)];
            QCOMPARE(option.peakBytes.value_or(0), plan->ledger->front().peak.process);
            QCOMPARE(option.stepTime.value_or(0), plan->forecast->stepTime);
            QVERIFY(option.fits && !option.refused);
        }
        QVERIFY(advice->options[4].refused && !advice->options[4].fits);
        QVERIFY2(advice->options[4].message.find("offload") != std::string::npos, advice->options[4].message.c_str());

        // What the engine does not run is walked as DeepSpeed runs it, and that is said.
        Workspace wide = *demo;
        wide.layout.dp = 1;
        wide.layout.tp = 2;
        const auto other = advise(wide, context);
        QVERIFY(other.hasValue());
        QCOMPARE(other->framework, std::string("deepspeed"));
        QVERIFY(std::any_of(other->findings.begin(), other->findings.end(), [](const PlanFinding& f) { return f.id == "advise.as_deepspeed"; }));
    }

    // A tree of another framework in which nothing fits is no error of the workspace, and layouts that fit are told beside it.
    void nothingFitsOnlyWhereNothingDoes()
    {
        const auto told = [](const nlohmann::json& framework, int replicas = 16, int seq = 8192) {
            const nlohmann::json document = {{"stagecraft", 1}, {"model", {{"preset", "llama-3-70b"}, {"seq", seq}}}, {"hardware", {{"nodes", 16}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", replicas}, {"tp", 128 / replicas}}},
                                             {"dsConfig", {{"bf16", {{"enabled", true}}}, {"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 8}}}, {"framework", framework}};
            const auto w = parseWorkspace(document.dump(), {});
            if (!w.hasValue()) qFatal("%s", w.error().message.c_str());
            const auto advice = advise(*w, {}, {}, AdviceDepth::Layouts, {});
            if (!advice.hasValue()) qFatal("%s", advice.error().message.c_str());
            std::map<std::string, PlanFinding> found;
            for (const PlanFinding& finding : advice->findings) found.emplace(finding.id, finding);
            return found;
        };
        // Of the shorter sequence what is kept fits with recomputation.
        QVERIFY(told({{"name", "stagecraft"}}).count("advise.relief.recompute") == 1);
        const auto ours = told({{"name", "stagecraft"}}, 16, 131072);
        QVERIFY(ours.count("advise.nothing_fits") == 1 && ours.at("advise.nothing_fits").severity == "warning");
        QVERIFY(ours.at("advise.nothing_fits").message.find("16 data-parallel ranks") != std::string::npos);
        // Nor is one of its own framework's tree, where other layouts of it fit.
        const auto megatron = told({{"name", "megatron"}, {"arguments", {{"tensor-model-parallel-size", 1}, {"use-distributed-optimizer", true}, {"bf16", true}, {"micro-batch-size", 1}, {"global-batch-size", 256}, {"sequence-parallel", true}}}}, 128);
        QVERIFY(megatron.count("advise.nothing_fits.branch") == 1);
        QCOMPARE(megatron.at("advise.nothing_fits.branch").severity, std::string("warning"));
        QVERIFY(megatron.at("advise.nothing_fits.branch").message.find("128 data-parallel ranks") != std::string::npos);
        QVERIFY(megatron.count("advise.layouts_fit") == 1);
    }

    // What is applied makes a plan of the workspace be the one that was ranked, whatever framework it names.
    void appliesWhatWasRanked_data()
    {
        QTest::addColumn<QString>("framework");
        QTest::addColumn<QString>("arguments");
        QTest::addColumn<QString>("dsConfig");
        QTest::newRow("deepspeed") << "deepspeed" << "{}" << R"({"bf16": {"enabled": true}, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8})";
        QTest::newRow("deepspeed, precision assumed") << "deepspeed" << "{}" << R"({"train_batch_size": 64})";
        QTest::newRow("our engine's workspace") << "stagecraft" << "{}" << R"({"train_micro_batch_size_per_gpu": 2})";
        QTest::newRow("megatron") << "megatron" << R"({"bf16": true, "micro-batch-size": 1, "global-batch-size": 64, "use-distributed-optimizer": true, "position-embedding-type": "rope", "disable-bias-linear": true, "hidden-dropout": 0, "attention-dropout": 0})" << "{}";
        QTest::newRow("megatron, batch in the ds_config") << "megatron" << R"({"bf16": true})" << R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 8})";
        QTest::newRow("fsdp2") << "fsdp2" << R"({"local_batch": 2, "compile": true, "ac": "selective op"})" << "{}";
    }
    void appliesWhatWasRanked()
    {
        QFETCH(QString, framework);
        QFETCH(QString, arguments);
        QFETCH(QString, dsConfig);
        const json document = {{"stagecraft", 1}, {"name", "apply"}, {"model", {{"family", "llama"}, {"hidden", 2048}, {"layers", 16}, {"heads", 16}, {"kvHeads", 8}, {"ffn", 5632}, {"vocab", 32000}, {"seq", 2048}}},
                               {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 8}}}, {"dsConfig", json::parse(dsConfig.toStdString())},
                               {"framework", {{"name", framework.toStdString()}, {"arguments", json::parse(arguments.toStdString())}}}};
        const auto w = parseWorkspace(document.dump(), {});
        QVERIFY2(w.hasValue(), w.hasValue() ? "" : w.error().message.c_str());
        const auto advice = advise(*w);
        QVERIFY(advice.hasValue());
        const json answer = adviceToJson(*advice, *w);
        const auto applied = [&](const json& patch) {
            const auto changed = parseWorkspace(document.patch(patch).dump(), {});
            return changed.hasValue() ? makePlan(*changed, {}) : Result<Plan>(changed.error());
        };
        const auto memoryOf = [](const Plan& plan) {
            std::int64_t peak = 0;
            for (const LedgerRole& role : *plan.ledger) peak = std::max(peak, role.peak.process);
            return peak;
        };
        for (const json& row : answer["layouts"]) {
            const auto plan = applied(row["apply"]);
            QVERIFY2(plan.hasValue() && plan->ledger && plan->forecast, row.dump().c_str());
            QVERIFY2(memoryOf(*plan) == row["memory"].get<std::int64_t>(), row.dump().c_str());
            QVERIFY2(std::abs(plan->forecast->stepTime / row["stepTime"].get<double>() - 1) < 1e-9, row.dump().c_str());
            // Our engine needs no word for its optimizer, DeepSpeed does.
            if (framework == "stagecraft") QVERIFY2(std::none_of(plan->findings.begin(), plan->findings.end(), [](const PlanFinding& f) { return f.severity == "error"; }), row.dump().c_str());
        }
        QVERIFY(!answer["layouts"].empty());
        for (const json& option : answer["options"]) {
            if (option["refused"] == true || answer["framework"] != json("deepspeed") || framework == "megatron" || framework == "fsdp2") continue;
            const auto plan = applied(option["apply"]);
            QVERIFY2(plan.hasValue() && plan->ledger, option.dump().c_str());
            QVERIFY2(memoryOf(*plan) == option["peakBytes"].get<std::int64_t>(), option.dump().c_str());
        }
    }

    // Frozen weights have no gradients and no states: the tree weighs what the ledger holds.
    void weighsAdaptersAsTheLedgerDoes()
    {
        for (const char* base : {"", "nf4"}) {
            json document = {{"stagecraft", 1}, {"name", "lora"}, {"model", {{"preset", "llama-3-8b"}, {"seq", 2048}, {"adapter", {{"rank", 16}}}}}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 2}, {"device", "A100-SXM-80GB"}}},
                             {"layout", {{"dp", 2}}}, {"framework", {{"name", "deepspeed"}}}, {"dsConfig", {{"bf16", {{"enabled", true}}}, {"train_micro_batch_size_per_gpu", 1}}}};
            if (*base) document["model"]["adapter"]["base"] = base;
            const auto w = parseWorkspace(document.dump(), {});
            QVERIFY2(w.hasValue(), w.hasValue() ? "" : w.error().message.c_str());
            const auto advice = advise(*w);
            QVERIFY(advice.hasValue());
            for (const int stage : {0, 3}) {
                Workspace at = *w;
                at.dsConfig["zero_optimization"] = {{"stage", stage}};
                const auto plan = makePlan(at, {});
                std::int64_t states = 0;
                for (const LedgerItem& item : plan->ledger->front().items)
                    if (item.what == "weights" || item.what == "frozen_weights" || item.what == "gradients" || item.what == "master" || item.what == "optimizer_states") states += item.bytes;
                const StageOption& option = advice->options[static_cast<std::size_t>(stage)];
                QVERIFY2(std::abs(static_cast<double>(option.stateBytes) / static_cast<double>(states) - 1) < 1e-3, qPrintable(QString("%1 %2").arg(option.stateBytes).arg(states)));
                QVERIFY(option.fits);
            }
        }
    }

    // All ranks together hold each offloaded state once: the host's need does not depend on how tensor parallelism divides the model.
    void hostMemoryDoesNotDependOnTensorParallelism()
    {
        Workspace one = sizeOnly(70e9, "H100-SXM-80GB", 8), eight = one;
        eight.layout.dp = 1;
        eight.layout.tp = 8;
        const auto a = advise(one), b = advise(eight);
        QVERIFY(a.hasValue() && b.hasValue());
        QCOMPARE(a->options[5].hostBytesPerNode, b->options[5].hostBytesPerNode);
        QCOMPARE(a->options[5].hostBytesPerNode, std::int64_t{1120} * 1'000'000'000);
    }

    void refusesWhatCannotBeAdvised()
    {
        QVERIFY(!advise(sizeOnly(7e9, "abacus", 8)).hasValue());
        QVERIFY(!advise(sizeOnly(-1, "A100-SXM-80GB", 8)).hasValue());
        QVERIFY(!advise(sizeOnly(7e9, "A100-SXM-80GB", 0)).hasValue());
        QVERIFY(!advise(sizeOnly(1e18, "A100-SXM-80GB", 8)).hasValue());
        const auto huge = advise(sizeOnly(1e16, "A100-SXM-80GB", 8));
        QVERIFY(huge.hasValue());
        QVERIFY(adviceToJson(*huge, sizeOnly(1e16, "A100-SXM-80GB", 8))["tree"].size() == 9);
        QCOMPARE(huge->options[0].stateBytes, std::int64_t{160'000'000'000'000'000});   // 16 bytes each, nothing cut off
        Workspace odd = llama8b();
        odd.layout.tp = 7;
        const auto refused = advise(odd);
        QVERIFY(refused.hasValue() && !refused->findings.empty() && refused->layouts.best.empty());
    }

    // A layout that cannot run is told with what can, and no branch of it with sums of nothing.
    void ranksWhereNoBranchRuns()
    {
        json w = {{"stagecraft", 1}, {"model", {{"preset", "mixtral-8x7b"}, {"seq", 4096}}}, {"hardware", {{"nodes", 2}, {"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"layout", {{"dp", 16}, {"ep", 16}}}, {"framework", {{"name", "megatron"}}},
                  {"dsConfig", {{"bf16", {{"enabled", true}}}, {"train_micro_batch_size_per_gpu", 1}, {"gradient_accumulation_steps", 16}, {"zero_optimization", {{"stage", 1}}}}}};
        const auto told = [](const json& document) {
            auto advice = advise(parseWorkspace(document.dump(), {}).value(), {}, {}, AdviceDepth::Layouts, {});
            if (!advice.hasValue()) qFatal("%s", advice.error().message.c_str());
            return std::move(advice).value();
        };
        const auto has = [](const Advice& a, const char* id) { return std::any_of(a.findings.begin(), a.findings.end(), [id](const PlanFinding& f) { return f.id == id; }); };
        const Advice experts = told(w);
        QVERIFY(!experts.chosen && has(experts, "plan.layout.experts") && has(experts, "advise.layouts_fit"));
        QVERIFY(!experts.layouts.best.empty() && experts.layouts.best.front().fits);
        for (const ScoredLayout& l : experts.layouts.best) QVERIFY(l.dp * l.tp * l.pp * l.cp == 16 && 8 % l.ep == 0 && l.dp * l.microBatch * l.accumulation == 256);
        for (const TreeNode& node : experts.tree) QVERIFY2(node.formula.empty() && node.numbers.empty() && !node.rejected.empty(), node.numbers.c_str());
        // Stages that do not divide the layers.
        w["model"]["preset"] = "llama-3.1-8b";
        w["hardware"] = {{"nodes", 1}, {"devicesPerNode", 6}, {"device", "H100-SXM-80GB"}};
        w["layout"] = {{"dp", 1}, {"pp", 6}};
        const Advice stages = told(w);
        QVERIFY(!stages.chosen && has(stages, "advise.layouts_fit"));
        for (const TreeNode& node : stages.tree) QVERIFY(node.numbers.empty());
        // What our engine refuses is refused here, too, beside DeepSpeed's tree, with what it runs.
        w["framework"] = {{"name", "stagecraft"}};
        w["dsConfig"]["gradient_accumulation_steps"] = 24;
        const Advice ours = told(w);
        QVERIFY(ours.framework == "deepspeed" && has(ours, "plan.engine_layout") && has(ours, "advise.own_layout"));
        w["layout"] = {{"dp", 6}};
        QVERIFY(!has(told(w), "plan.engine_layout"));
    }

    // The model is the one that is trained: what Megatron's command line describes, not what stands under model beside it.
    void advisesOnTheModelOfTheCommandLine()
    {
        using namespace stagecraft::test;
        json w = document("gpt2", "megatron", 1, 2, 8, 1);
        w["framework"]["arguments"] = {{"num-layers", 32}, {"hidden-size", 4096}, {"num-attention-heads", 32}, {"group-query-attention", true}, {"num-query-groups", 8}, {"ffn-hidden-size", 14336}, {"swiglu", true}, {"normalization", "RMSNorm"},
                                       {"untie-embeddings-and-output-weights", true}, {"position-embedding-type", "rope"}, {"disable-bias-linear", true}, {"vocab-size", 128256}, {"seq-length", 8192}, {"micro-batch-size", 1}, {"global-batch-size", 16}, {"bf16", true},
                                       {"hidden-dropout", 0}, {"attention-dropout", 0}};
        for (const json& beside : {json{{"preset", "gpt2"}}, json{{"params", 1e9}}}) {
            const json at = with(w, "/model", beside);
            const Plan plan = planOf(at);
            const auto advice = advise(workspaceOf(at));
            QVERIFY(advice.hasValue());
            QCOMPARE(*advice->params, *plan.params);
            QVERIFY(advice->options.front().stateBytes > 16 * *plan.params - 1000 && !advice->layouts.best.empty());
            // The optimizer is divided as the job stands.
            QCOMPARE(*advice->options[1].peakBytes, plan.ledger->front().peak.process);
            QVERIFY(advice->zero3);
        }
        // And so are its micro-batches and stages: 16 samples over eight replicas of two stages each.
        json staged = w;
        for (const auto& [name, size] : {std::pair{"tensor-model-parallel-size", 1}, {"pipeline-model-parallel-size", 2}}) staged["framework"]["arguments"][name] = size;
        const auto piped = advise(workspaceOf(staged));
        QVERIFY(piped.hasValue());
        const auto bubble = std::find_if(piped->rulesOfThumb.begin(), piped->rulesOfThumb.end(), [](const RuleOfThumb& rule) { return rule.id == "bubble"; });
        QVERIFY(bubble != piped->rulesOfThumb.end());
        QVERIFY2(bubble->ours.starts_with("2 micro-batches for 2 stages: 33.3 %"), bubble->ours.c_str());
        // A sparse model has no words of the workspace's own: its layouts and its tree are Megatron's, and DeepSpeed stands beside neither.
        w["framework"]["arguments"]["num-experts"] = 8;
        const auto sparse = advise(workspaceOf(w));
        QVERIFY(sparse.hasValue() && !sparse->zero3 && !sparse->layouts.best.empty());
        QVERIFY(*sparse->params > 40'000'000'000);
        QCOMPARE(sparse->framework, std::string("megatron"));
        for (const StageOption& option : sparse->options) QVERIFY2(!option.refused && option.peakBytes && option.stateBytes > 2 * *sparse->params, option.message.c_str());
    }
};

QTEST_APPLESS_MAIN(TstAdvisor)
#include "tst_advisor.moc"
