// SPDX-License-Identifier: GPL-3.0-or-later
// What is trained of a model: PEFT's targets by name, copies, ranks and biases of their own, and frozen parts without adapters.
#include "planner/module_names.h"
#include "planner/partly_trained.h"
#include "planner/traffic.h"
#include "planner/workspace_model.h"

#include "kept_activations.h"
#include "plan_documents.h"

#include <QtTest>
#include <fstream>

using namespace stagecraft;
using nlohmann::json;
using test::findingOf;
using test::itemOf;
using test::near;
using test::planOf;
using test::with;

namespace {

// LLaMA-3-8B on eight A100s.
json document(const char* framework = "deepspeed", int stage = 2)
{
    json w = test::document("llama-3-8b", framework, stage, 1, 8, 1);
    w["model"]["seq"] = 2048;
    w["hardware"]["device"] = "A100-SXM-80GB";
    return w;
}

json adapted(const json& adapter, const char* framework = "deepspeed", int stage = 2) { return with(document(framework, stage), "/model/adapter", adapter); }
json frozen(const json& freeze, const char* framework = "deepspeed", int stage = 2) { return with(document(framework, stage), "/model/freeze", freeze); }

constexpr std::int64_t kAll = 8'030'261'248, kTable = std::int64_t{128'256} * 4096, kLayer = (kAll - 2 * kTable - 4096) / 32;

bool refused(const Plan& plan, const char* id)
{
    const PlanFinding* finding = findingOf(plan, id);
    return finding && finding->severity == "error" && !plan.ledger;
}

}  // namespace

class TstTrainedParts : public QObject {
    Q_OBJECT
private slots:
    // tests/oracle/count_encoder_parts.py: encoders, encoder-decoders and classifiers, whether their activations are planned or not.
    void countsEncodersAsPeft()
    {
        std::ifstream in(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/encoder_part_counts.jsonl");
        int rows = 0;
        for (std::string line; std::getline(in, line); ++rows) {
            const json row = json::parse(line);
            json w = {{"stagecraft", 1}, {"model", {{"params", 1e9}}}, {"framework", {{"name", "deepspeed"}}}};
            for (const char* section : {"adapter", "freeze"})
                if (row.contains(section)) w["model"][section] = row[section];
            auto workspace = parseWorkspace(w.dump(), {});
            QVERIFY2(workspace.hasValue(), line.c_str());
            workspace->model.form = ModelSection::Form::HuggingFace;
            workspace->model.huggingFaceConfig = row["config"];
            workspace->model.huggingFaceConfig["architectures"] = json::array({row["architecture"]});
            workspace->model.huggingFaceConfig["model_type"] = row["model_type"];
            std::vector<PlanFinding> findings;
            const CountedModel model = countWorkspaceModel(*workspace, findings);
            QVERIFY2(model.trainable == row["trainable"].get<std::int64_t>(), (std::to_string(model.trainable.value_or(-1)) + " " + line).c_str());
            QVERIFY2(model.params == row["params"].get<std::int64_t>(), (std::to_string(model.params.value_or(-1)) + " " + line).c_str());
            // States follow the count: Adam's two moments of what is trained, whether activations are planned or not.
            workspace->hardware.device = "A100-SXM-80GB";
            workspace->model.seq = 8;
            workspace->dsConfig = {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"optimizer", {{"type", "AdamW"}}}};
            const auto plan = makePlan(*workspace);
            if (!plan.hasValue() || !plan->ledger) continue;
            const double states = itemOf(*plan, "optimizer_states"), trained = static_cast<double>(*model.trainable);
            QVERIFY2(std::abs(states - 8 * trained) <= 0.02 * 8 * trained + 8 * 1000, (std::to_string(states) + " " + line).c_str());
        }
        QVERIFY(rows > 100);
    }

    // tests/oracle/count_trained_parts.py: random sections on random models, counted by PEFT and PyTorch.
    void countsAsPeft()
    {
        std::ifstream in(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/trained_part_counts.jsonl");
        int adapters = 0, freezes = 0;
        for (std::string line; std::getline(in, line);) {
            const json row = json::parse(line);
            json config = row["config"];
            config["architectures"] = json::array({row["architecture"]});
            config["model_type"] = row["model_type"];
            const auto counts = countParameters(config);
            QVERIFY2(counts.hasValue(), line.c_str());
            auto shape = shapeOf(config, *counts);
            QVERIFY2(shape, line.c_str());
            // Read as a workspace says them.
            json w = {{"stagecraft", 1}, {"model", {{"params", 1e9}}}};
            for (const char* section : {"adapter", "freeze"})
                if (row.contains(section)) w["model"][section] = row[section];
            const auto workspace = parseWorkspace(w.dump(), {});
            QVERIFY2(workspace.hasValue(), line.c_str());
            std::vector<PlanFinding> findings;
            std::int64_t trained = counts->params, all = counts->params;
            if (workspace->model.adapter) {
                trained = addAdapters(*shape, counts->rows, *workspace->model.adapter, row["model_type"].get<std::string>(), findings);
                all += shape->part.added;
                ++adapters;
            } else if (workspace->model.freeze) {
                trained = freezeParts(*shape, counts->rows, *workspace->model.freeze, findings);
                ++freezes;
            }
            QVERIFY2(trained == row["trainable"].get<std::int64_t>(), (std::to_string(trained) + " " + line).c_str());
            QVERIFY2(all == row["params"].get<std::int64_t>(), (std::to_string(all) + " " + line).c_str());
            const TrainedPart& p = shape->part;
            for (const double part : {p.embedding, p.output, p.norm, p.layers, p.experts, p.products, p.kept.attention, p.kept.output, p.kept.mlp, p.kept.product, p.kept.experts, p.kept.expertProduct, p.kept.norms, p.kept.headNorms}) QVERIFY2(part >= 0 && part <= 1, line.c_str());
        }
        QVERIFY(adapters >= 90 && freezes >= 30);
    }

    void matchesNamesAsPeft()
    {
        const char* path = "model.layers.{}.self_attn.q_proj";
        QVERIFY(matchName(path, "q_proj").found && matchName(path, "self_attn.q_proj").found && matchName(path, "model.layers.3.self_attn.q_proj").found);
        QCOMPARE(matchName(path, "layers.12.self_attn.q_proj").layer, std::int64_t{12});
        QCOMPARE(matchName(path, "q_proj").layer, std::int64_t{-1});
        for (const char* other : {"proj", "_proj", "k_proj", "attn.q_proj", "layers.x.self_attn.q_proj", "layers.03.self_attn.q_proj", "layers.12345678901.self_attn.q_proj", "a.model.layers.1.self_attn.q_proj", ""}) QVERIFY2(!matchName(path, other).found, other);
        QVERIFY(matchName("model.layers.{}.input_layernorm", "norm", true).found && !matchName("model.layers.{}.input_layernorm", "norm").found);
        QCOMPARE(matchName("model.layers.{}", "layers.3").layer, std::int64_t{3});
    }

    // The same count whether the model is told by its sizes or by its config.json.
    void sizesCountAsTheirConfig()
    {
        for (const json& adapter : {json{{"rank", 8}, {"targets", {"q_proj", "v_proj"}}}, json{{"rank", 4}, {"targets", "default"}, {"modulesToSave", {"lm_head"}}}, json{{"rank", 2}, {"targets", {"down_proj", "layers.0.self_attn.o_proj"}}, {"dora", true}}}) {
            const json preset = adapted(adapter);
            json sizes = preset;
            sizes["model"] = {{"family", "llama"}, {"hidden", 4096}, {"layers", 32}, {"heads", 32}, {"kvHeads", 8}, {"ffn", 14336}, {"vocab", 128256}, {"seq", 2048}, {"adapter", adapter}};
            QCOMPARE(*planOf(sizes).trainable, *planOf(preset).trainable);
            QCOMPARE(*planOf(sizes).params, *planOf(preset).params);
        }
        QCOMPARE(*planOf(adapted({{"rank", 8}, {"targets", {"q_proj", "v_proj"}}})).trainable, std::int64_t{8} * 32 * (8192 + 5120));
        QCOMPARE(*planOf(adapted({{"rank", 8}, {"targets", "default"}})).trainable, std::int64_t{8} * 32 * (8192 + 5120));
        json gpt2 = adapted({{"rank", 8}, {"targets", "default"}});
        gpt2["model"] = {{"family", "gpt2"}, {"hidden", 768}, {"layers", 12}, {"heads", 12}, {"vocab", 50257}, {"seq", 1024}, {"adapter", gpt2["model"]["adapter"]}};
        QCOMPARE(*planOf(gpt2).trainable, std::int64_t{8} * 12 * 4 * 768);
    }

    // A name that no module has is told with those that there are; where nothing is left to train there is no plan.
    void tellsWhatThereIs()
    {
        const Plan some = planOf(adapted({{"targets", {"q_proj", "w1"}}}));
        const PlanFinding* names = findingOf(some, "plan.adapter.names");
        QVERIFY(names && names->severity == "warning" && some.ledger);
        QVERIFY(names->message.find("w1") != std::string::npos && names->message.find("gate_proj") != std::string::npos);
        QVERIFY(refused(planOf(adapted({{"targets", {"w1"}}})), "plan.adapter.names"));
        QVERIFY(refused(planOf(adapted({{"targets", {"mlp", "q_proj"}}})), "plan.adapter.unfit"));
        QVERIFY(refused(planOf(adapted({{"targets", {"input_layernorm"}}})), "plan.adapter.unfit"));
        QVERIFY(findingOf(planOf(adapted({{"modulesToSave", {"classifier"}}})), "plan.adapter.saved"));
        QVERIFY(findingOf(planOf(adapted({{"targets", {"q_proj"}}, {"rankPattern", {{"k_proj", 4}}}})), "plan.adapter.ranks"));
        QVERIFY(refused(planOf(adapted({{"targets", {"q_proj"}}, {"rankPattern", {{"q_proj", 4}, {"self_attn.q_proj", 8}}}})), "plan.adapter.two_ranks"));
        QVERIFY(refused(planOf(frozen(json::array({"encoder"}))), "plan.freeze.names"));
        QVERIFY(refused(planOf(frozen({{"firstLayers", 33}})), "plan.freeze.layers"));
        QVERIFY(refused(planOf(frozen({{"embeddings", true}, {"firstLayers", 32}, {"modules", {"norm", "lm_head"}}})), "plan.freeze.all"));
        const Workspace known = test::workspaceOf(document());
        ModelShape shape = shapeOf(*known.model.spec);
        AdapterSection usual;
        usual.usual = true;
        std::vector<PlanFinding> findings;
        QCOMPARE(addAdapters(shape, parameterRows(*known.model.spec), usual, "phi3", findings), std::int64_t{0});
        QVERIFY(findings.size() == 1 && findings.front().id == "plan.adapter.usual" && findings.front().severity == "error");
        QVERIFY(usualTargets("phi3").empty() && usualTargets("").empty() && usualTargets("mixtral").empty() && !usualTargets("mistral").empty());
        json count = frozen("embeddings");
        count["model"] = {{"params", 7e9}, {"freeze", "embeddings"}};
        QVERIFY(findingOf(planOf(count), "plan.freeze.sizes"));
    }

    void refusesWhatCannotBeRead()
    {
        for (const json& wrong : {json(7), json("q_proj"), json(".*q_proj"), json::array(), json::array({7}), json::array({""}), json::array({"a b"}), json::array({".q"}), json::array({std::string(201, 'q')}), json(true)})
            QVERIFY2(!parseWorkspace(adapted({{"targets", wrong}}).dump(), {}).hasValue(), wrong.dump().c_str());
        for (const json& wrong : {json{{"modulesToSave", 3}}, json{{"bias", "some"}}, json{{"dora", 1}}, json{{"dropout", -0.1}}, json{{"dropout", 1.1}}, json{{"dropout", "some"}}, json{{"rankPattern", {{"q_proj", 0}}}}, json{{"rankPattern", {{"^q", 4}}}}, json{{"rankPattern", {{"q_proj", 1.5}}}}, json{{"rankPattern", 4}}})
            QVERIFY2(!parseWorkspace(adapted(wrong).dump(), {}).hasValue(), wrong.dump().c_str());
        for (const json& wrong : {json(7), json("layers"), json(true), json::array(), json::array({3}), json{{"firstLayers", -1}}, json{{"firstLayers", 1e18}}, json{{"embeddings", "yes"}}, json{{"modules", "lm_head"}}})
            QVERIFY2(!parseWorkspace(frozen(wrong).dump(), {}).hasValue(), wrong.dump().c_str());
        QVERIFY(!parseWorkspace(with(adapted({{"rank", 8}}), "/model/freeze", "embeddings").dump(), {}).hasValue());
        // Nothing frozen is the whole model.
        QCOMPARE(*planOf(frozen(json::object())).trainable, kAll);
        QCOMPARE(*planOf(frozen({{"firstLayers", 0}, {"modules", json::array()}})).trainable, kAll);
    }

    // Weights of all, the rest of what is trained; only stage 3 divides what is frozen.
    void frozenPartsCostTheirWeights()
    {
        const std::int64_t left = kAll - kTable - 16 * kLayer;
        for (const int stage : {0, 1, 2, 3}) {
            const Plan plan = planOf(frozen({{"embeddings", true}, {"firstLayers", 16}}, "deepspeed", stage));
            QVERIFY(plan.ledger);
            QCOMPARE(*plan.trainable, left);
            QCOMPARE(*plan.params, kAll);
            const double n = 8, trained = static_cast<double>(left), still = static_cast<double>(kAll - left);
            QVERIFY2(near(itemOf(plan, "frozen_weights"), 2 * still / (stage == 3 ? n : 1)), std::to_string(stage).c_str());
            // Of everything else, what the whole model has of the part that is trained.
            const Plan all = planOf(document("deepspeed", stage));
            for (const char* state : {"weights", "master", "optimizer_states", "gradients"}) QVERIFY2(itemOf(all, state) > 0 && near(itemOf(plan, state), itemOf(all, state) * trained / static_cast<double>(kAll)), state);
        }
        const Plan fsdp = planOf(frozen({{"embeddings", true}, {"firstLayers", 16}}, "fsdp2", 3));
        QVERIFY(fsdp.ledger);
        QVERIFY(near(itemOf(fsdp, "frozen_weights"), 4.0 * static_cast<double>(kAll - left) / 8) && near(itemOf(fsdp, "weights"), 4.0 * static_cast<double>(left) / 8) && near(itemOf(fsdp, "optimizer_states"), 8.0 * static_cast<double>(left) / 8));
    }

    // Below the first layer that is trained nothing is kept, where the embedding is frozen too; a frozen layer above keeps no input of its products.
    void keepsWhatAutogradKeeps()
    {
        for (const char* framework : {"deepspeed", "fsdp2"}) {
            json base = document(framework, 3);
            const double all = test::keptActivations(planOf(base));
            const double half = test::keptActivations(planOf(frozen({{"embeddings", true}, {"firstLayers", 16}}, framework, 3)));
            QVERIFY2(near(half, all / 2, 0.02), framework);
            const double through = test::keptActivations(planOf(frozen({{"firstLayers", 16}}, framework, 3)));
            QVERIFY2(through > 1.3 * half && through < all, framework);
            QVERIFY(near(test::keptActivations(planOf(frozen({{"embeddings", true}}, framework, 3))), all));
            const double noMlp = test::keptActivations(planOf(frozen(json::array({"mlp"}), framework, 3)));
            QVERIFY(noMlp < all && noMlp > 0.6 * all);
        }
    }

    // No weight gradient, and none of what goes in below: less time, fewer operations, fewer gradients to send.
    void frozenPartsTakeLessTime()
    {
        for (const char* framework : {"deepspeed", "fsdp2"}) {
            const Plan all = planOf(document(framework, 3)), through = planOf(frozen({{"firstLayers", 16}}, framework, 3)), half = planOf(frozen({{"embeddings", true}, {"firstLayers", 16}}, framework, 3));
            QVERIFY(all.forecast && half.forecast && through.forecast);
            QVERIFY2(half.forecast->stepTime < through.forecast->stepTime && through.forecast->stepTime < all.forecast->stepTime, framework);
            QVERIFY(half.forecast->modelFlops < through.forecast->modelFlops && through.forecast->modelFlops < all.forecast->modelFlops);
            QVERIFY(half.forecast->mfu > 0.1 && half.forecast->mfu < 0.8);
            const auto sent = [](const json& w) { return planTraffic(test::workspaceOf(w))->bytesOf("gradients"); };
            QVERIFY(near(sent(frozen({{"embeddings", true}, {"firstLayers", 16}}, framework, 3)) / sent(document(framework, 3)), static_cast<double>(kAll - kTable - 16 * kLayer) / static_cast<double>(kAll), 0.02));
        }
        // By hand: forward of everything; of the trained part twice as much again.
        const double tokens = 2048.0 * 8, layer = static_cast<double>(kLayer - 2 * 4096), table = static_cast<double>(kTable), attention = 12.0 * 4096 * 2048 / 2;
        const Plan half = planOf(frozen({{"embeddings", true}, {"firstLayers", 16}}));
        const double whole = planOf(document()).forecast->modelFlops, expected = whole - tokens * 16 * (4 * layer + attention * 2 / 3);
        Q_UNUSED(table);
        QVERIFY2(near(half.forecast->modelFlops, expected, 0.02), qPrintable(QString("%1 %2").arg(half.forecast->modelFlops).arg(expected)));
    }

    // FSDP2 shards frozen parameters beside trained ones; Megatron-LM and our engine have no such training.
    void frameworksThatTrainParts()
    {
        const Plan lora = planOf(adapted({{"rank", 16}, {"targets", {"q_proj", "v_proj"}}}, "fsdp2", 3));
        QVERIFY(lora.ledger && lora.forecast);
        const double own = static_cast<double>(*lora.trainable);
        QVERIFY(near(itemOf(lora, "frozen_weights"), 4.0 * static_cast<double>(kAll) / 8) && near(itemOf(lora, "optimizer_states"), 8 * own / 8));
        QVERIFY(lora.forecast->stepTime < planOf(document("fsdp2", 3)).forecast->stepTime);
        QVERIFY(refused(planOf(adapted({{"base", "int8"}}, "fsdp2", 3)), "plan.adapter.packed"));
        QVERIFY(refused(planOf(adapted({{"rank", 8}}, "megatron")), "plan.adapter.megatron"));
        QVERIFY(refused(planOf(frozen("embeddings", "megatron")), "plan.freeze.megatron"));
        QVERIFY(refused(planOf(frozen("embeddings", "stagecraft")), "plan.freeze.framework"));
        QVERIFY(refused(planOf(adapted({{"rank", 8}}, "stagecraft")), "plan.adapter.framework"));
    }

    // Of 4-bit weights FSDP2 divides and gathers the half byte; their constants are whole on every rank, and what is not packed has the others' type.
    void fsdp2DividesPackedWeights()
    {
        const auto of = [](const char* base, int devices) {
            json w = adapted({{"rank", 16}, {"targets", {"q_proj", "v_proj"}}, {"base", base}, {"doubleQuantization", false}}, "fsdp2", 3);
            w["hardware"]["devicesPerNode"] = w["layout"]["dp"] = devices;
            w["framework"]["arguments"] = {{"dtype", "bfloat16"}, {"model_code", "transformers"}, {"ac", "full"}};
            return w;
        };
        const double matrices = 32.0 * static_cast<double>(kLayer - 2 * 4096), rest = static_cast<double>(kAll) - matrices;
        const Plan packed = planOf(of("nf4", 8)), plain = planOf(of("16bit", 8));
        QVERIFY2(packed.ledger && packed.forecast && test::findingOf(packed, "plan.adapter.storage"), planToJson(packed)["findings"].dump().c_str());
        QVERIFY(near(itemOf(packed, "frozen_weights"), (0.5 * matrices + 2 * rest) / 8) && near(itemOf(plain, "frozen_weights"), 2 * static_cast<double>(kAll) / 8));
        QVERIFY(near(itemOf(packed, "quantisation_constants"), matrices / 16) && near(itemOf(planOf(of("nf4", 2)), "quantisation_constants"), matrices / 16));
        // The block at work and the next one: 1.5 bytes less of each packed weight.
        const auto gathered = [](const Plan& plan) {
            double sum = 0;
            for (const LedgerItem& item : plan.ledger->front().items) sum += item.what == "gathered_weights" && item.phase.find("backward") != std::string::npos ? static_cast<double>(item.bytes) : 0;
            return sum;
        };
        QVERIFY(near(gathered(plain) - gathered(packed), 2 * 1.5 * matrices / 32));
        const auto sent = [](const json& w) { return planTraffic(test::workspaceOf(w))->bytesOf("weights.gather"); };
        QVERIFY(near(sent(of("16bit", 8)) - sent(of("nf4", 8)), 2 * 1.5 * matrices * 7 / 8));
        QVERIFY(packed.forecast->forward > plain.forecast->forward);
    }

    // A stage of a pipeline in which all is frozen has an optimizer of nothing.
    void everyStageTrainsSomething()
    {
        json w = frozen({{"embeddings", true}, {"firstLayers", 16}}, "deepspeed", 1);
        w["layout"] = {{"dp", 4}, {"pp", 2}};
        QVERIFY(refused(planOf(w), "plan.layout.frozen_stage"));
        w["model"]["freeze"]["firstLayers"] = 12;
        const Plan plan = planOf(w);
        QVERIFY(plan.ledger && !findingOf(plan, "plan.layout.frozen_stage"));
        double states = 0;
        for (const LedgerRole& role : *plan.ledger)
            for (const LedgerItem& item : role.items)
                if (item.what == "optimizer_states") states += static_cast<double>(item.bytes) * 4;
        QVERIFY(near(states, 8.0 * static_cast<double>(*plan.trainable), 1e-3));
    }

    // Layers that no gradient flows through take no backward pass, in a pipeline as without one, and send nothing in it.
    void silentLayersOfAPipelineTakeNoBackwardPass()
    {
        const auto stepOf = [](int pp, int tp, int layers) {
            json w = frozen({{"embeddings", true}, {"firstLayers", layers}}, "deepspeed", 1);
            w["layout"] = {{"dp", 8 / pp / tp}, {"pp", pp}, {"tp", tp}};
            return w;
        };
        const auto part = [](const Plan& plan, const char* name) {
            for (const auto& [key, seconds] : plan.forecast->split)
                if (key == name) return seconds;
            return -1.0;
        };
        const Plan few = planOf(stepOf(2, 1, 1)), many = planOf(stepOf(2, 1, 12));
        // The second stage sets the pace; the first one keeps it waiting for less.
        QVERIFY(near(part(many, "compute"), part(few, "compute"), 1e-3));
        QVERIFY(part(many, "bubble") < 0.75 * part(few, "bubble"));
        // Of tensor-parallel sums only the forward ones remain.
        const Traffic one = *planTraffic(test::workspaceOf(stepOf(1, 2, 1))), half = *planTraffic(test::workspaceOf(stepOf(1, 2, 16)));
        QVERIFY(near(half.bytesOf("tensor.forward"), one.bytesOf("tensor.forward")));
        QVERIFY(near(half.bytesOf("tensor.backward"), one.bytesOf("tensor.backward") * 16 / 31));
        QVERIFY(part(planOf(stepOf(1, 2, 16)), "communication_exposed.tensor") < part(planOf(stepOf(1, 2, 1)), "communication_exposed.tensor"));
    }

    // Adapters of the upper layers alone leave a first stage without any.
    void stagesHaveTheirOwnAdapters()
    {
        json upper = json::array();
        for (int layer = 20; layer < 32; ++layer) upper.push_back("layers." + std::to_string(layer) + ".mlp.down_proj");
        json w = adapted({{"rank", 8}, {"targets", upper}}, "deepspeed", 1);
        w["layout"] = {{"dp", 4}, {"pp", 2}};
        QVERIFY(refused(planOf(w), "plan.layout.frozen_stage"));
        for (int layer = 8; layer < 20; ++layer) upper.push_back("layers." + std::to_string(layer) + ".mlp.down_proj");
        w["model"]["adapter"]["targets"] = upper;
        const Plan plan = planOf(w);
        QVERIFY(plan.ledger);
        double states = 0;
        for (const LedgerRole& role : *plan.ledger)
            for (const LedgerItem& item : role.items)
                if (item.what == "optimizer_states") states += static_cast<double>(item.bytes) * 4;
        QVERIFY(near(states, 8.0 * static_cast<double>(*plan.trainable), 1e-3));
    }

    // Copies are trained whole, and their originals stay frozen.
    void copiesAreTrainedWhole()
    {
        const Plan plain = planOf(adapted({{"rank", 8}, {"targets", {"q_proj"}}})), saved = planOf(adapted({{"rank", 8}, {"targets", {"q_proj"}}, {"modulesToSave", {"embed_tokens", "lm_head"}}}));
        QCOMPARE(*saved.trainable - *plain.trainable, 2 * kTable);
        QVERIFY(near(itemOf(saved, "frozen_weights"), 2.0 * static_cast<double>(kAll)) && near(itemOf(saved, "optimizer_states"), static_cast<double>(*saved.trainable)));
        // Adapters of the upper layers alone: nothing is kept below.
        json upper = json::array();
        for (int layer = 24; layer < 32; ++layer) upper.push_back("layers." + std::to_string(layer) + ".self_attn.q_proj");
        QVERIFY(test::keptActivations(planOf(adapted({{"rank", 8}, {"targets", upper}}))) < 0.3 * test::keptActivations(plain));
    }

    // Impossible input makes no NaN and no crash.
    void staysFinite()
    {
        for (const char* framework : {"deepspeed", "fsdp2"})
            for (const json& w : {adapted({{"rank", 65536}, {"targets", {"lm_head", "embed_tokens"}}}, framework, 3), adapted({{"targets", {"lm_head"}}}, framework, 3), adapted({{"rank", 1}, {"targets", {"norm", "q_proj"}}}, framework, 3), frozen({{"firstLayers", 32}, {"embeddings", true}}, framework, 3), frozen(json::array({"lm_head"}), framework, 3),
                                  frozen(json::array({"self_attn", "mlp", "embed_tokens"}), framework, 3)}) {
                const Plan plan = planOf(w);
                if (!plan.ledger) continue;
                for (const LedgerItem& item : plan.ledger->front().items) QVERIFY(item.bytes >= 0);
                QVERIFY(plan.forecast && std::isfinite(plan.forecast->stepTime) && plan.forecast->stepTime > 0 && plan.forecast->modelFlops > 0);
            }
    }
};

QTEST_APPLESS_MAIN(TstTrainedParts)
#include "tst_trained_parts.moc"
