// SPDX-License-Identifier: GPL-3.0-or-later
// Low-rank adapters beside frozen weights, and what a token budget costs.
#include "kept_activations.h"
#include "hardware/device_sheet.h"
#include "planner/partly_trained.h"
#include "planner/traffic.h"

#include "plan_documents.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <tuple>

using namespace stagecraft;
using nlohmann::json;
using stagecraft::test::planOf;

namespace {

// LLaMA-3-8B on one node, by its sizes.
json document(const json& adapter, int stage)
{
    json model = {{"family", "llama"}, {"hidden", 4096}, {"layers", 32}, {"heads", 32}, {"kvHeads", 8}, {"ffn", 14336}, {"vocab", 128256}, {"seq", 2048}};
    if (!adapter.is_null()) model["adapter"] = adapter;
    return {{"stagecraft", 1}, {"model", model}, {"hardware", {{"nodes", 1}, {"devicesPerNode", 8}, {"device", "A100-SXM-80GB"}}}, {"framework", {{"name", "deepspeed"}}},
            {"training", {{"steps", 100}}},
            {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}, {"zero_optimization", {{"stage", stage}}}}}};
}

std::map<std::string, double> itemsOf(const Plan& plan)
{
    std::map<std::string, double> items;
    for (const LedgerItem& item : plan.ledger->front().items) items[item.what] += static_cast<double>(item.bytes);
    return items;
}

bool near(double a, double b) { return std::abs(a - b) <= 1e-4 * std::abs(b); }

}  // namespace

class TstAdapters : public QObject {
    Q_OBJECT
private slots:
    void countsByHand()
    {
        // Rank 16 on all seven linear layers: 16 x (4096 + 4096 + 2 (4096 + 1024) + 4096 + 4096 + 3 (4096 + 14336)) x 32.
        const Plan all = planOf(document({{"rank", 16}}, 2));
        QCOMPARE(*all.trainable, std::int64_t{41'943'040});
        QCOMPARE(*all.params, std::int64_t{8'030'261'248 + 41'943'040});
        const Plan attention = planOf(document({{"rank", 8}, {"targets", "attention"}}, 2));
        QCOMPARE(*attention.trainable, std::int64_t{8} * (8192 + 2 * 5120 + 8192) * 32);
    }

    // As PEFT's "all-linear" on the real modules of Transformers, fused projections and all: tests/oracle/count_adapters.py.
    void countsAsTheRealModules()
    {
        std::ifstream in(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/adapter_counts.jsonl");
        int rows = 0;
        for (std::string line; std::getline(in, line); ++rows) {
            const json row = json::parse(line);
            json config = row["config"];
            config["architectures"] = json::array({row["architecture"]});
            const auto counts = countParameters(config);
            QVERIFY2(counts.hasValue(), line.c_str());
            for (const auto& [word, attention, mlp] : {std::tuple{"all", true, true}, std::tuple{"attention", true, false}, std::tuple{"mlp", false, true}}) {
                auto shape = shapeOf(config, *counts);
                QVERIFY2(shape, line.c_str());
                AdapterSection adapter;
                adapter.rank = 8;
                adapter.attention = attention;
                adapter.mlp = mlp;
                std::vector<PlanFinding> findings;
                QCOMPARE(addAdapters(*shape, counts->rows, adapter, "", findings), row[word].get<std::int64_t>());
                const TrainedPart& part = shape->part;
                QVERIFY2(part.added == row[word].get<std::int64_t>(), (std::string(word) + " " + std::to_string(part.added) + " " + line).c_str());
                QVERIFY(part.addedLayer * shape->layers >= part.added && (part.addedLayer - 1) * shape->layers < std::max<std::int64_t>(1, part.added));
            }
        }
        QVERIFY(rows > 50);
    }

    // PEFT adapts packed experts and their routers, two ranks for gate and up together, and each forward pass makes their weights anew.
    void packedExpertsAreAdapted()
    {
        const auto sparse = [](const json& adapter) {
            json w = document(adapter, 2);
            w["model"] = {{"preset", "mixtral-8x7b"}, {"seq", 2048}, {"adapter", adapter}};
            return planOf(w);
        };
        const std::int64_t attention = 2 * 8192 + 2 * 5120, router = 4096 + 8, up = 8 * 2 * (4096 + 28672), down = 8 * (4096 + 14336);
        const Plan all = sparse({{"rank", 16}});
        QCOMPARE(*all.trainable, std::int64_t{359'665'664});
        QCOMPARE(*all.trainable, 16 * 32 * (attention + router + up + down));
        QVERIFY(test::findingOf(all, "plan.adapter.experts") && !test::findingOf(all, "plan.adapter.experts_plain"));
        const double experts = 8.0 * 3 * 4096 * 14336 + 8 * 4096;
        QVERIFY(near(itemsOf(all).at("activations.rebuilt_weights"), 2 * 32 * experts));
        QCOMPARE(itemsOf(all).at("gradient_of_rebuilt"), 2 * 8.0 * 2 * 4096 * 14336);
        QCOMPARE(*sparse({{"rank", 8}, {"targets", "mlp"}}).trainable, 8 * 32 * (router + up + down));
        QCOMPARE(*sparse({{"rank", 8}, {"targets", {"gate"}}}).trainable, 8 * 32 * router);
        QCOMPARE(*sparse({{"rank", 8}, {"targets", {"w1", "w2", "w3"}}}).trainable, 8 * 32 * (up + down));
        const Plan few = sparse({{"rank", 8}, {"targets", "attention"}});
        QCOMPARE(*few.trainable, 8 * 32 * attention);
        QVERIFY(!test::findingOf(few, "plan.adapter.experts") && itemsOf(few).count("activations.rebuilt_weights") == 0);
        QVERIFY(all.forecast->stepTime > few.forecast->stepTime && all.forecast->modelFlops > few.forecast->modelFlops);
        // What PEFT refuses is no plan.
        const auto refused = [](const Plan& plan, const char* id) { return !plan.ledger && test::findingOf(plan, id); };
        QVERIFY(refused(sparse({{"rank", 8}, {"targets", {"q_proj", "w1"}}}), "plan.adapter.pair"));
        QVERIFY(refused(sparse({{"rank", 8}, {"dora", true}}), "plan.adapter.packed_experts"));
        QVERIFY(refused(sparse({{"rank", 8}, {"dropout", 0.1}}), "plan.adapter.packed_experts"));
        QVERIFY(sparse({{"rank", 8}, {"dropout", 0.1}, {"targets", "attention"}}).ledger);
    }

    // A model of which only a card's worth of weights seems to be trained: its experts are made anew, and do not fit.
    void rebuiltExpertsAreNoFit()
    {
        const QTemporaryDir folder;
        std::ofstream(folder.filePath("config.json").toStdString()) << R"({"model_type": "qwen3_moe", "architectures": ["Qwen3MoeForCausalLM"], "hidden_size": 2048, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
            "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936, "num_hidden_layers": 48})";
        for (const json& targets : {json("all-linear"), json({"q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"})}) {
            json w = document({{"rank", 16}, {"targets", targets}}, 0);
            w["model"] = {{"hf", folder.path().toStdString()}, {"seq", 256}, {"adapter", w["model"]["adapter"]}};
            w["hardware"] = {{"nodes", 1}, {"devicesPerNode", 1}, {"device", "H100-SXM-80GB"}};
            const Plan plan = planOf(w);
            QCOMPARE(*plan.trainable, targets.is_string() ? std::int64_t{996'507'648} : std::int64_t{994'836'480});
            QCOMPARE(plan.fit->verdict, Fit::Verdict::No);
        }
    }

    void frozenWeightsCostTheirBytesAlone()
    {
        const double phi = 8'030'261'248.0, own = 41'943'040.0;
        const auto two = itemsOf(planOf(document({{"rank", 16}}, 2)));
        QVERIFY(near(two.at("frozen_weights"), 2 * phi));
        QVERIFY(near(two.at("gradients"), 2 * own / 8));
        QVERIFY(near(two.at("master"), 4 * own / 8));
        QVERIFY(near(two.at("optimizer_states"), 8 * own / 8));
        QVERIFY(near(itemsOf(planOf(document({{"rank", 16}}, 3))).at("frozen_weights"), 2 * phi / 8));
        // QLoRA: the layers' matrices in half a byte and an fp32 constant for 64, or with nested quantisation 0.127 bits; the rest as it was.
        const double packed = 32.0 * (4096.0 * 4096 * 2 + 2 * 4096.0 * 1024 + 3 * 4096.0 * 14336);
        const auto nf4 = itemsOf(planOf(document({{"rank", 16}, {"base", "nf4"}}, 2)));
        QVERIFY(near(nf4.at("frozen_weights"), packed * (0.5 + 0.5 / 8) + 2 * (phi - packed)));
        const auto twice = itemsOf(planOf(document({{"rank", 16}, {"base", "nf4"}, {"doubleQuantization", true}}, 2)));
        QVERIFY(near(twice.at("frozen_weights"), packed * (0.5 + 0.127 / 8) + 2 * (phi - packed)));
        QVERIFY(nf4.count("dequantised"));
    }

    // Experts packed into one tensor are no modules that bitsandbytes knows: they stay in 16 bits.
    void expertsAreNotPacked()
    {
        json w = document({{"rank", 8}, {"base", "nf4"}}, 2);
        w["model"] = {{"preset", "mixtral-8x7b"}, {"adapter", w["model"]["adapter"]}};
        const Plan plan = planOf(w);
        const double attention = 32.0 * (2 * 4096.0 * 4096 + 2 * 4096.0 * 1024);
        const double frozen = static_cast<double>(*plan.params - *plan.trainable);
        QVERIFY(near(itemsOf(plan).at("frozen_weights"), attention * (0.5 + 0.5 / 8) + 2 * (frozen - attention)));
        QCOMPARE(plan.fit->verdict, Fit::Verdict::No);
        w["model"]["adapter"]["targets"] = "attention";
        QVERIFY(test::findingOf(planOf(w), "plan.adapter.experts_plain"));
    }

    // The gradient of an input needs the frozen weight, not the input: less is kept where nothing is adapted, and the backward pass is shorter.
    void frozenLayersKeepLess()
    {
        const Plan whole = planOf(document(nullptr, 2)), adapted = planOf(document({{"rank", 16}, {"targets", "attention"}}, 2));
        QVERIFY(test::keptActivations(adapted) < test::keptActivations(whole));
        QVERIFY(adapted.forecast->stepTime < whole.forecast->stepTime);
        QVERIFY(adapted.forecast->mfu > 0 && adapted.forecast->mfu < 0.8);
        QCOMPARE(adapted.ledger->front().items.empty(), false);
        // Products of 8 bits keep their inputs all the same: of the MLP's, the hidden state and the widest one. Those of 4 bits do not.
        const auto packed = [](const char* base) { return planOf(document({{"rank", 16}, {"targets", "attention"}, {"base", base}}, 2)); };
        const double tokens = adapted.forecast->tokensPerSecond * adapted.forecast->stepTime / 8;
        QVERIFY(near(test::keptActivations(packed("int8")) - test::keptActivations(adapted), 2.0 * (4096 + 14336) * 32 * tokens));
        QCOMPARE(test::keptActivations(packed("nf4")), test::keptActivations(adapted));
    }

    // A frozen base is computed with like any other: where it lies elsewhere it is loaded for each pass, and where it is divided it is
    // gathered. Only what is trained has gradients to send.
    void frozenWeightsTravel()
    {
        const auto offloaded = [](const json& adapter, const char* device) {
            json w = document(adapter, 3);
            w["hardware"]["devicesPerNode"] = 1;
            w["dsConfig"]["zero_optimization"]["offload_param"] = {{"device", device}};
            return w;
        };
        for (const char* device : {"cpu", "nvme"}) {
            const json whole = offloaded(nullptr, device), adapted = offloaded({{"rank", 16}}, device), packed = offloaded({{"rank", 16}, {"base", "nf4"}}, device);
            const double all = 8'030'261'248.0, own = 41'943'040.0;
            // Adapters' matrices of up to 100,000 elements stay on the device: all but those as wide as the MLP. They are trained, so that
            // their shards lie on the host, beside files too: those come up once a step.
            const double small = own - 3.0 * 16 * 14336 * 32, once = 2 * small;
            const Traffic moved = *planTraffic(test::workspaceOf(adapted));
            QVERIFY(near(planTraffic(test::workspaceOf(whole))->bytesOf("offload.weights"), 2 * 2 * all));
            QVERIFY(near(moved.bytesOf("offload.weights"), 2 * 2 * (all + own - small) + once));
            QVERIFY(near(moved.bytesOf("files.weights"), device == std::string("nvme") ? 2 * 2 * all : 0.0));
            QCOMPARE(moved.bytesOf("files.update"), 0.0);
            const auto items = itemsOf(planOf(packed));
            QVERIFY(near(planTraffic(test::workspaceOf(packed))->bytesOf("offload.weights"), 2 * (items.at("frozen_weights") + 2 * (own - small)) + once));
            // The step has the seconds that the traffic has.
            for (const json& w : {adapted, packed}) {
                const Plan plan = planOf(w);
                const auto part = std::find_if(plan.forecast->split.begin(), plan.forecast->split.end(), [](const auto& entry) { return entry.first == "offload"; });
                const Traffic traffic = *planTraffic(test::workspaceOf(w));
                QVERIFY(near(part->second, traffic.secondsOf("offload.") + traffic.secondsOf("files.")));
            }
            QVERIFY(planOf(adapted).forecast->stepTime > 0.5 * planOf(whole).forecast->stepTime);
        }
        const auto exposed = [](const Plan& plan) {
            for (const auto& [name, seconds] : plan.forecast->split)
                if (name == "communication_exposed.weights") return seconds;
            return -1.0;
        };
        json many = document({{"rank", 8}}, 3), none = document(nullptr, 3), packed = document({{"rank", 8}, {"base", "nf4"}}, 3);
        for (json* w : {&many, &none, &packed}) (*w)["hardware"]["nodes"] = 4;
        const Traffic traffic = *planTraffic(test::workspaceOf(many)), trained = *planTraffic(test::workspaceOf(none)), small = *planTraffic(test::workspaceOf(packed));
        QVERIFY(near(traffic.bytesOf("weights.gather"), trained.bytesOf("weights.gather") * (1 + 3.0 * 8 * 14336 * 32 / 8'030'261'248.0)));
        QVERIFY(traffic.bytesOf("gradients") < 0.01 * trained.bytesOf("gradients"));
        QVERIFY(small.bytesOf("weights.gather") < 0.4 * traffic.bytesOf("weights.gather"));
        // What shows of the collectives is no more than they take, but for what they take of the computing that they hide under.
        QVERIFY2(exposed(planOf(many)) < 1.1 * traffic.secondsOf(""), qPrintable(QString("%1 of %2").arg(exposed(planOf(many))).arg(traffic.secondsOf(""))));
        QVERIFY(exposed(planOf(many)) < 0.8 * exposed(planOf(none)));
        QVERIFY(exposed(planOf(packed)) < exposed(planOf(many)));
    }

    // ZeRO++'s second copy is of every parameter, and frozen experts are divided among the ranks that hold them.
    void frozenWeightsAreHeldAsOthers()
    {
        const double phi = 8'030'261'248.0, own = 41'943'040.0;
        json copied = document({{"rank", 16}}, 3);
        copied["hardware"]["nodes"] = 4;
        copied["dsConfig"]["zero_optimization"]["zero_hpz_partition_size"] = 8;
        QVERIFY(near(itemsOf(planOf(copied)).at("secondary_weights"), 2 * (phi + own) / 8));
        json sparse = document({{"rank", 8}}, 3);
        sparse["model"] = {{"preset", "mixtral-8x7b"}, {"seq", 1024}, {"adapter", sparse["model"]["adapter"]}};
        const double together = itemsOf(planOf(sparse)).at("frozen_weights");
        for (const int ep : {2, 8}) {
            sparse["layout"] = {{"dp", 8}, {"ep", ep}};
            QVERIFY(near(itemsOf(planOf(sparse)).at("frozen_weights"), together));
        }
    }

    void refusesWhatItCannotPlan()
    {
        json w = document({{"rank", 16}}, 2);
        w["framework"]["name"] = "stagecraft";
        const Plan plan = planOf(w);
        QVERIFY(!plan.ledger);
        QVERIFY(std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.rule == "plan.adapter" && f.severity == "error"; }));
        for (const json& wrong : {json{{"rank", 0}}, json{{"rank", -4}}, json{{"rank", 1e18}}, json{{"base", "fp3"}}, json{{"targets", 7}}, json(5)}) QVERIFY(!parseWorkspace(document(wrong, 2).dump(), {}).hasValue());
    }

    void aBudgetHasTimeAndEnergy()
    {
        PlanContext context;
        context.tokenBudget = 1e9;
        const Plan plan = planOf(document(nullptr, 2), context);
        QVERIFY(plan.budget && plan.forecast);
        QVERIFY(near(plan.budget->seconds, 1e9 / plan.forecast->tokensPerSecond));
        QCOMPARE(plan.budget->devices, std::int64_t{8});
        QVERIFY(near(plan.budget->joules, plan.budget->seconds * 8 * findDevice("A100-SXM-80GB")->watts));
        QVERIFY(!plan.budget->source.empty());
        // Without one: the workspace's steps.
        const Plan steps = planOf(document(nullptr, 2));
        QVERIFY(near(steps.budget->seconds, 100 * steps.forecast->stepTime));
    }

    // Every accelerator's sheet names its power; the host's CPU has none.
    void sheetsNameTheirPower()
    {
        for (const DeviceSheet& sheet : deviceSheets()) QVERIFY2((sheet.watts > 0 && sheet.watts < 2000) == (sheet.id != "cpu"), sheet.id.c_str());
    }
};

QTEST_APPLESS_MAIN(TstAdapters)
#include "tst_adapters.moc"
