// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of a model's files where they cannot be counted, or not be trained.
#include "model/parameter_table.h"
#include "planner/ds_settings.h"
#include "planner/model_shape.h"

#include "plan_documents.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::test;

class TstWorkspaceModel : public QObject {
    Q_OBJECT
private slots:
    // The reason why safetensors cannot be counted, not that there should be some.
    void damagedFilesAreNamed_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("word");
        QTest::newRow("no header") << QString("model.safetensors") << QByteArray("x") << QString("model.safetensors");
        QTest::newRow("packed weights") << QString("model.safetensors") << headed(R"({"w": {"dtype": "U8", "shape": [8, 8], "data_offsets": [0, 64]}})") << QString("U8");
        QTest::newRow("a shard of the index is missing") << QString("model.safetensors.index.json") << QByteArray(R"({"weight_map": {"w": "model-00001-of-00002.safetensors"}})") << QString("model-00001-of-00002");
        QTest::newRow("an index without a map") << QString("model.safetensors.index.json") << QByteArray("{}") << QString("index");
        QTest::newRow("a shard without an index") << QString("model-00001-of-00002.safetensors") << headed(R"({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}})") << QString("No model.safetensors.index.json");
        QTest::newRow("no weights in the header") << QString("model.safetensors") << headed("{}") << QString("holds no weights");
        QTest::newRow("no files") << QString() << QByteArray() << QString("Olmo2ForCausalLM");
    }
    void damagedFilesAreNamed()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QString, word);
        const QTemporaryDir folder;
        write(folder, "config.json", R"({"architectures": ["Olmo2ForCausalLM"], "model_type": "olmo2", "hidden_size": 64})");
        if (!file.isEmpty()) write(folder, file, content);
        const Plan plan = planOf(with(test::document("llama-3-8b", "deepspeed", 1, 1, 8, 1), "/model", {{"hf", folder.path().toStdString()}}));
        const auto found = std::find_if(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.rule == "plan.params_unknown"; });
        QVERIFY(found != plan.findings.end() && !plan.params);
        QVERIFY2(found->message.find(word.toStdString()) != std::string::npos, found->message.c_str());
        QCOMPARE(found->message.find("put the safetensors files beside") != std::string::npos, file.isEmpty());
    }

    // A class beside a family that is known is not that family: what it adds or leaves out nobody has told.
    void unknownClassesAreNoFamily_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"LlamaForRewardModelWithGating", "LlamaForCausalLMEagle3", "FlaxLlamaForCausalLM"}) QTest::newRow(name) << QString(name);
    }
    void unknownClassesAreNoFamily()
    {
        QFETCH(QString, name);
        const QTemporaryDir folder;
        json config = {{"architectures", {"LlamaForCausalLM"}}, {"model_type", "llama"}, {"hidden_size", 256}, {"intermediate_size", 512}, {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"vocab_size", 1000}};
        for (const char* framework : {"deepspeed", "fsdp2", "megatron", "stagecraft"}) {
            const json w = with(test::document("llama-3-8b", framework, 1, 1, 8, 1), "/model", {{"hf", folder.path().toStdString()}, {"seq", 128}});
            config["architectures"] = {"LlamaForCausalLM"};
            write(folder, "config.json", QByteArray::fromStdString(config.dump()));
            const Plan known = planOf(w);
            QVERIFY2(known.params && known.ledger, framework);
            config["architectures"] = {name.toStdString()};
            write(folder, "config.json", QByteArray::fromStdString(config.dump()));
            const Plan plan = planOf(w);
            QVERIFY2(!plan.params && !plan.trainable && !plan.ledger && !plan.forecast && !plan.fit, framework);
            QVERIFY(std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.rule == "plan.params_unknown"; }));
        }
    }

    // Packed weights are planned unpacked, and that is said; adapters on a packed base are another thing.
    void packedWeightsAreTold()
    {
        const QTemporaryDir folder;
        json config = {{"architectures", {"LlamaForCausalLM"}}, {"model_type", "llama"}, {"hidden_size", 256}, {"intermediate_size", 512}, {"num_hidden_layers", 2}, {"num_attention_heads", 4}, {"vocab_size", 1000}};
        write(folder, "config.json", QByteArray::fromStdString(config.dump()));
        const json w = with(test::document("llama-3-8b", "deepspeed", 1, 1, 8, 1), "/model", {{"hf", folder.path().toStdString()}});
        QVERIFY(!findingOf(planOf(w), "plan.quantized"));
        config["quantization_config"] = {{"quant_method", "bitsandbytes"}, {"load_in_4bit", true}};
        write(folder, "config.json", QByteArray::fromStdString(config.dump()));
        const Plan packed = planOf(w);
        QVERIFY(findingOf(packed, "plan.quantized"));
        QCOMPARE(findingOf(packed, "plan.quantized")->args.front(), std::string("bitsandbytes"));
        QVERIFY(!findingOf(planOf(with(w, "/model/adapter", {{"base", "nf4"}})), "plan.quantized"));
        QVERIFY(findingOf(planOf(with(w, "/model/adapter", {{"base", "16bit"}})), "plan.quantized"));
        config["quantization_config"] = 5;
        write(folder, "config.json", QByteArray::fromStdString(config.dump()));
        QVERIFY(findingOf(planOf(w), "plan.quantized"));
    }

    // OPT-350m's embedding has half the width of its blocks: what they keep and compute is by theirs.
    void narrowEmbeddingsAreWidened()
    {
        json config = {{"architectures", {"OPTForCausalLM"}}, {"model_type", "opt"}, {"hidden_size", 1024}, {"num_hidden_layers", 24}, {"num_attention_heads", 16}, {"ffn_dim", 4096}, {"vocab_size", 50272},
                       {"max_position_embeddings", 2048}, {"word_embed_proj_dim", 512}, {"do_layer_norm_before", false}};
        const auto narrow = shapeOf(config, countParameters(config).value());
        QVERIFY(narrow && narrow->hidden == 1024 && narrow->headSize == 64);
        config["word_embed_proj_dim"] = 1024;
        QCOMPARE(shapeOf(config, countParameters(config).value())->hidden, std::int64_t{1024});
    }

    // Where config.json does not say it, a token goes to as many experts as Transformers' own default has.
    void expertsOfATokenAreTheFamilys()
    {
        json qwen = {{"architectures", {"Qwen2MoeForCausalLM"}}, {"model_type", "qwen2_moe"}, {"hidden_size", 2048}, {"num_hidden_layers", 24}, {"num_attention_heads", 16}, {"num_key_value_heads", 16},
                     {"intermediate_size", 5632}, {"moe_intermediate_size", 1408}, {"shared_expert_intermediate_size", 5632}, {"num_experts", 60}, {"vocab_size", 151936}};
        QCOMPARE(shapeOf(qwen, countParameters(qwen).value())->expertsPerToken, std::int64_t{4});
        qwen["num_experts_per_tok"] = 7;
        QCOMPARE(shapeOf(qwen, countParameters(qwen).value())->expertsPerToken, std::int64_t{7});
    }

    // A tied output matrix with a bias of its own: no second table, on no number of stages but one copy, and the bias once.
    void tiedOutputsMayHaveABias()
    {
        json phi = {{"architectures", {"PhiForCausalLM"}}, {"model_type", "phi"}, {"hidden_size", 256}, {"intermediate_size", 1024}, {"num_hidden_layers", 4}, {"num_attention_heads", 4}, {"vocab_size", 1000}, {"tie_word_embeddings", true}};
        const auto counted = countParameters(phi).value();
        const ModelShape tied = *shapeOf(phi, counted);
        QVERIFY(tied.tied && tied.head == 1000);
        phi["tie_word_embeddings"] = false;
        QVERIFY(!shapeOf(phi, countParameters(phi).value())->tied);
        phi["tie_word_embeddings"] = true;
        const QTemporaryDir folder;
        write(folder, "config.json", QByteArray::fromStdString(phi.dump()));
        json w = with(test::document("llama-3-8b", "deepspeed", 0, 1, 2, 2), "/model", {{"hf", folder.path().toStdString()}, {"seq", 128}});
        QCOMPARE(itemOf(planOf(w), "weights"), 2.0 * static_cast<double>(counted.params));
        w["layout"] = {{"dp", 1}, {"pp", 2}};
        const Plan plan = planOf(w);
        double weights = 0;
        for (const LedgerRole& role : *plan.ledger)
            for (const LedgerItem& item : role.items) weights += item.what == "weights" ? static_cast<double>(item.bytes) : 0;
        QCOMPARE(weights, 2.0 * static_cast<double>(counted.params + 1000 * 256));
    }

private:
    static QByteArray headed(const QByteArray& header)
    {
        QByteArray out(8, '\0');
        for (int i = 0; i < 8; ++i) out[i] = static_cast<char>((static_cast<quint64>(header.size()) >> (8 * i)) & 0xff);
        return out + header + QByteArray(64, '\0');
    }
    static void write(const QTemporaryDir& folder, const QString& name, const QByteArray& content)
    {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) qFatal("cannot write");
    }

private slots:
    // What an import has kept of accelerate's arguments, or of the script's under it, does so too; a size that nobody gives follows from the others.
    void acceleratesArgumentsFillAuto()
    {
        const json written = {{"train_micro_batch_size_per_gpu", 16}, {"gradient_accumulation_steps", 2}, {"gradient_clipping", 1.0}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 3}}}};
        json open = written;
        open["train_micro_batch_size_per_gpu"] = open["gradient_accumulation_steps"] = open["gradient_clipping"] = open["bf16"]["enabled"] = open["zero_optimization"]["stage"] = "auto";
        open["train_batch_size"] = "auto";
        const auto made = [](const json& config, const json& arguments) {
            json w = test::document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
            w["dsConfig"] = config;
            w["launch"] = {{"launcher", "accelerate"}, {"trainer", arguments}};
            return planOf(w);
        };
        const Plan plain = made(written, json::object());
        const Plan filled = made(open, {{"per_device_train_batch_size", 16}, {"gradient_accumulation_steps", 2}, {"mixed_precision", "bf16"}, {"zero_stage", 3}});
        QCOMPARE(filled.ledger->front().peak.process, plain.ledger->front().peak.process);
        QCOMPARE(filled.forecast->stepTime, plain.forecast->stepTime);
        json whole = written;
        whole["train_batch_size"] = 16 * 2 * 8;
        whole["train_micro_batch_size_per_gpu"] = "auto";
        QCOMPARE(made(whole, json::object()).forecast->stepTime, plain.forecast->stepTime);
        const Plan usual = made(open, json::object());
        QVERIFY(findingOf(usual, "plan.precision_accelerate") != nullptr && findingOf(usual, "plan.precision_default") == nullptr);
    }

    // What an import has kept of the Trainer's arguments fills "auto", as in the check.
    void trainersArgumentsFillAuto()
    {
        const json written = {{"train_micro_batch_size_per_gpu", 16}, {"gradient_accumulation_steps", 2}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 2}}}};
        json open = written;
        open["train_micro_batch_size_per_gpu"] = open["gradient_accumulation_steps"] = open["bf16"]["enabled"] = "auto";
        const auto made = [](const json& config, const json& trainer) {
            json w = test::document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
            w["dsConfig"] = config;
            w["launch"] = {{"launcher", "transformers"}, {"trainer", trainer}};
            return planOf(w);
        };
        const json said = {{"per_device_train_batch_size", 16}, {"gradient_accumulation_steps", 2}, {"bf16", true}};
        const Plan filled = made(open, said), plain = made(written, json::object());
        QCOMPARE(filled.ledger->front().peak.process, plain.ledger->front().peak.process);
        QCOMPARE(filled.forecast->stepTime, plain.forecast->stepTime);
        // Without them the Trainer's defaults; ones that are no sizes no workspace has.
        const Plan usual = made(open, json::object());
        QVERIFY(usual.forecast->tokensPerSecond * usual.forecast->stepTime < filled.forecast->tokensPerSecond * filled.forecast->stepTime);
        json refused = test::document("llama-3-8b", "deepspeed", 2, 1, 8, 1);
        refused["launch"] = {{"launcher", "transformers"}, {"trainer", {{"per_device_train_batch_size", "many"}}}};
        QVERIFY(!parseWorkspace(refused.dump(), {}).hasValue());
    }

    // T5 1.1's own output is Transformers 4's, and of weights that have one: 24,674,304 parameters of t5-v1_1-base.
    void outputsThatTransformersTiesAreTold()
    {
        const auto planned = [](const char* name, const char* type, const json& tied) {
            json config = {{"architectures", {name}}, {"model_type", type}, {"d_model", 768}, {"d_ff", 2048}, {"num_layers", 12}, {"num_heads", 12}, {"feed_forward_proj", "gated-gelu"}};
            if (!tied.is_null()) config["tie_word_embeddings"] = tied;
            const QTemporaryDir folder;
            write(folder, "config.json", QByteArray::fromStdString(config.dump()));
            return planOf(with(test::document("llama-3-8b", "deepspeed", 1, 1, 8, 1), "/model", {{"hf", folder.path().toStdString()}, {"seq", 512}}));
        };
        const Plan apart = planned("T5ForConditionalGeneration", "t5", false);
        QCOMPARE(apart.params.value(), std::int64_t{222'903'552});
        QVERIFY(findingOf(apart, "plan.tied_output") && findingOf(apart, "plan.tied_output")->message.find("24674304") != std::string::npos);
        QVERIFY(findingOf(planned("MT5ForConditionalGeneration", "mt5", false), "plan.tied_output"));
        for (const Plan& other : {planned("T5ForConditionalGeneration", "t5", nullptr), planned("T5ForConditionalGeneration", "t5", true), planned("T5EncoderModel", "t5", false)}) QVERIFY(!findingOf(other, "plan.tied_output"));
    }

    // Sizes of buffers that are "auto": the Trainer and accelerate put them there from the width, DeepSpeed alone drops the word and takes its defaults;
    // nobody fills in allgather_bucket_size.
    void bucketsThatAreAuto()
    {
        const auto made = [](const char* launcher, bool written) {
            json w = test::document("llama-3.2-1b", "deepspeed", 3, 1, 8, 1);
            if (written) for (const char* key : {"reduce_bucket_size", "allgather_bucket_size", "stage3_prefetch_bucket_size", "stage3_param_persistence_threshold"}) w["dsConfig"]["zero_optimization"][key] = "auto";
            w["launch"] = {{"launcher", launcher}};
            return w;
        };
        const auto settingsOf = [](const json& w) {
            std::vector<PlanFinding> findings;
            return readDsSettings(test::workspaceOf(w), 2048, findings);
        };
        for (const char* launcher : {"transformers", "accelerate"}) {
            const DsSettings s = settingsOf(made(launcher, true));
            QCOMPARE(s.reduceBucket, std::int64_t{2048 * 2048});
            QCOMPARE(s.prefetchBucket, std::int64_t{3774873});
            QCOMPARE(s.persistence, std::int64_t{20480});
            QCOMPARE(s.allgatherBucket, std::int64_t{500'000'000});
            // The plan's resolved config has them as numbers.
            const json zero = planOf(made(launcher, true)).config["zero_optimization"];
            QVERIFY(zero["reduce_bucket_size"] == 2048 * 2048 && zero["stage3_prefetch_bucket_size"] == 3774873 && zero["stage3_param_persistence_threshold"] == 20480 && zero["allgather_bucket_size"] == 500'000'000);
        }
        const DsSettings alone = settingsOf(made("deepspeed", true)), plain = settingsOf(made("deepspeed", false));
        QCOMPARE(alone.reduceBucket, std::int64_t{500'000'000});
        QVERIFY(alone.reduceBucket == plain.reduceBucket && alone.prefetchBucket == plain.prefetchBucket && alone.persistence == plain.persistence && alone.allgatherBucket == plain.allgatherBucket);
        const auto peak = [](const json& w) { return planOf(w).ledger->front().peak.process; };
        QCOMPARE(peak(made("deepspeed", true)), peak(made("deepspeed", false)));
        QVERIFY(peak(made("transformers", true)) < peak(made("transformers", false)));
        // Our own engine reads the file itself, whoever is named: sizes, batch and precision are its defaults.
        json own = made("transformers", true);
        own["framework"]["name"] = "stagecraft";
        own["dsConfig"]["train_micro_batch_size_per_gpu"] = own["dsConfig"]["gradient_accumulation_steps"] = own["dsConfig"]["bf16"]["enabled"] = "auto";
        const DsSettings ours = settingsOf(own);
        QCOMPARE(ours.reduceBucket, std::int64_t{500'000'000});
        QVERIFY(ours.microBatch == 1 && ours.accumulation == 1 && ours.precision == Precision::Fp32);
    }

    // A class of another family than model_type's is counted, and said to be.
    void contradictionsAreTold_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("told");
        const auto row = [](const char* type, const char* name, bool told) { QTest::newRow(qPrintable(QString("%1 %2").arg(type, name))) << QString(type) << QString(name) << told; };
        row("llama", "MistralForCausalLM", true);
        row("qwen2", "Qwen2MoeForCausalLM", true);
        row("bert", "RobertaForMaskedLM", true);
        row("llama", "LlamaForSequenceClassification", false);
        row("gpt2", "GPT2LMHeadModel", false);
        row("gpt2", "GPT2DoubleHeadsModel", false);
        row("t5", "T5EncoderModel", false);
        row("bert", "BertModel", false);
        row("gemma3_text", "Gemma3ForCausalLM", false);
        row("xlm-roberta", "XLMRobertaForMaskedLM", false);
        row("my_llama", "LlamaForCausalLM", false);
    }
    void contradictionsAreTold()
    {
        QFETCH(QString, type);
        QFETCH(QString, name);
        QFETCH(bool, told);
        const QTemporaryDir folder;
        write(folder, "config.json", QString(R"({"architectures": ["%1"], "model_type": "%2"})").arg(name, type).toUtf8());
        const Plan plan = planOf(with(test::document("llama-3-8b", "deepspeed", 1, 1, 8, 1), "/model", {{"hf", folder.path().toStdString()}, {"seq", 128}}));
        QCOMPARE(findingOf(plan, "plan.class_contradicts") != nullptr, told);
    }

    // What config.json says that no model can be built from is told, and what is known all the same is planned.
    void whatCannotBeBuiltIsTold_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("told");
        QTest::addColumn<QString>("word");
        const auto row = [](const char* name, const char* text, const char* told, const char* word) { QTest::newRow(name) << QString(text) << QString(told) << QString(word); };
        row("a number for classes", R"("model_type": "llama", "architectures": 5)", "plan.class_written", "5");
        row("a list of numbers", R"("model_type": "llama", "architectures": [5])", "plan.class_written", "[5]");
        row("a name without a list", R"("model_type": "llama", "architectures": "LlamaForCausalLM")", "plan.class_written", "\"LlamaForCausalLM\"");
        row("an endless one", R"("model_type": "llama", "architectures": "ääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääääää")", "plan.class_written", "...");
        row("none", R"("model_type": "llama")", "plan.class_assumed", "LlamaForCausalLM");
        row("null", R"("model_type": "llama", "architectures": null)", "plan.class_assumed", "LlamaForCausalLM");
        row("an activation of no name", R"("model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "x")", "plan.activation_unknown", "\"x\"");
        row("a number for it", R"("model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "hidden_act": 5)", "plan.activation_unknown", "5");
        row("in GPT-2's word", R"("model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "activation_function": "gelu2")", "plan.activation_unknown", "\"gelu2\"");
        row("in T5's", R"("model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "feed_forward_proj": "gated-x")", "plan.activation_unknown", "\"gated-x\"");
        row("a gate of T5's", R"("model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "feed_forward_proj": "gated-gelu", "dense_act_fn": "gelu_new")", "", "");
        row("one that it has", R"("model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_act": "silu")", "", "");
        row("Gemma's null", R"("model_type": "gemma", "architectures": ["GemmaForCausalLM"], "hidden_activation": null, "hidden_act": "gelu_pytorch_tanh")", "", "");
        row("BLOOM has its own", R"("model_type": "bloom", "architectures": ["BloomForCausalLM"], "hidden_act": "x")", "", "");
    }
    void whatCannotBeBuiltIsTold()
    {
        QFETCH(QString, text);
        QFETCH(QString, told);
        QFETCH(QString, word);
        const QTemporaryDir folder;
        write(folder, "config.json", ("{" + text + "}").toUtf8());
        const Plan plan = planOf(with(test::document("llama-3-8b", "deepspeed", 1, 1, 8, 1), "/model", {{"hf", folder.path().toStdString()}, {"seq", 128}}));
        QVERIFY(plan.params);
        for (const char* rule : {"plan.class_written", "plan.class_assumed", "plan.activation_unknown"}) {
            const PlanFinding* finding = findingOf(plan, rule);
            QCOMPARE(finding != nullptr, told == rule);
            if (finding) QVERIFY2(finding->message.find(word.toStdString()) != std::string::npos, finding->message.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TstWorkspaceModel)
#include "tst_workspace_model.moc"
