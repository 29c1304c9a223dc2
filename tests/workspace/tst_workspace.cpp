// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/assumed_sizes.h"
#include "workspace/model_section.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <QDir>
#include <QTemporaryDir>

using namespace stagecraft;
namespace fs = std::filesystem;

namespace {

const char* const kFull = R"({ "stagecraft": 1, "name": "demo",
  "model":    {"family": "llama", "hidden": 256, "layers": 4, "heads": 4, "kvHeads": 2, "ffn": 688, "vocab": 4096, "seq": 256,
               "tieEmbeddings": true, "init": "start.safetensors"},
  "data":     {"source": "texts", "tokenizer": "bytes", "order": "sequential", "seed": 7, "validationFraction": 0.05},
  "hardware": {"nodes": 2, "devicesPerNode": 8, "device": "H100-SXM-80GB"},
  "layout":   {"dp": 4, "tp": 2, "pp": 2, "cp": 1, "ep": 2, "sequenceParallel": true, "schedule": "zb_h1", "chunks": 1, "recompute": "full"},
  "training": {"steps": 1e3, "seed": 18446744073709551615, "evalEvery": 50, "saveEvery": 25},
  "dsConfig": {"train_micro_batch_size_per_gpu":   4, "zero_optimization": {"stage": 2}},
  "launch":   {"backend": "torchrun", "threadsPerRank": 3, "hangTimeout": 12.5},
  "framework": {"name": "megatron", "arguments": {"num-layers": 12}} })";

const char* const kLeast = R"({"stagecraft": 1, "model": {"family": "gpt2", "hidden": 64, "layers": 2, "heads": 4, "vocab": 256, "seq": 32}})";

void write(const fs::path& file, const QByteArray& content)
{
    QFile out(QString::fromStdString(file.string()));
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write(content);
}

}  // namespace

class TstWorkspace : public QObject {
    Q_OBJECT
private slots:
    /// What was put round a ds_config that was opened alone, as it is saved.
    void sizesThatNobodyChoseAreKnown()
    {
        const auto around = nlohmann::json::parse(R"({"stagecraft": 1, "name": "untitled",
            "model": {"family": "llama", "hidden": 256, "layers": 4, "heads": 4, "kvHeads": 4, "ffn": 688, "vocab": 4096, "seq": 256, "tieEmbeddings": false, "init": "random"},
            "hardware": {"devicesPerNode": 1, "device": "H100-SXM-80GB"},
            "layout": {"dp": 1, "tp": 1, "pp": 1, "cp": 1, "ep": 1, "sequenceParallel": false, "schedule": "1f1b", "chunks": 1, "recompute": "none"},
            "framework": {"name": "deepspeed"}, "dsConfig": {}})");
        const AssumedSizes all = assumedSizes(around);
        QVERIFY(all.model && all.hardware && all.ranks);
        const auto with = [&](const char* pointer, nlohmann::json value) {
            nlohmann::json changed = around;
            changed[nlohmann::json::json_pointer(pointer)] = std::move(value);
            return assumedSizes(changed);
        };
        QVERIFY(with("/model/seq", 4096).model);
        QVERIFY(!with("/model/hidden", 512).model && with("/model/hidden", 512).ranks);
        QVERIFY(!with("/hardware/nodes", 1).hardware && !with("/hardware/nodes", 1).ranks && with("/hardware/nodes", 1).model);
        QVERIFY(with("/layout/tp", 2).hardware && !with("/layout/tp", 2).ranks);
        QVERIFY(!with("/name", "demo").model && !with("/framework/name", "stagecraft").model && !with("/hardware/device", "cpu").model);
        QVERIFY(!assumedSizes(nlohmann::json()).model && !assumedSizes(nlohmann::json::array()).hardware);
    }

    void readsEveryField()
    {
        const auto read = parseWorkspace(kFull, "/data/project");
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        const Workspace& w = read.value();
        QCOMPARE(w.name, std::string("demo"));
        QVERIFY(w.model.form == ModelSection::Form::Fields);
        QVERIFY(w.model.spec.has_value());
        QCOMPARE(w.model.spec->kvHeads, std::int64_t{2});
        QCOMPARE(w.model.spec->headSize, std::int64_t{64});
        QVERIFY(w.model.spec->tieEmbeddings);
        QCOMPARE(w.model.initFile, fs::path("/data/project/start.safetensors"));
        QVERIFY(w.data.sequential);
        QCOMPARE(w.data.seed, std::uint64_t{7});
        QCOMPARE(w.data.validationFraction, 0.05);
        QCOMPARE(w.hardware.nodes * w.hardware.devicesPerNode, 16);
        QCOMPARE(w.hardware.device, std::string("H100-SXM-80GB"));
        QCOMPARE(w.layout.ranks(), std::int64_t{16});
        QCOMPARE(w.layout.schedule, std::string("zb_h1"));
        QCOMPARE(w.layout.recompute, std::string("full"));
        QVERIFY(w.layout.sequenceParallel);
        QCOMPARE(w.training.steps, std::int64_t{1000});
        QCOMPARE(w.training.seed, ~std::uint64_t{0});
        QCOMPARE(w.training.saveEvery, std::int64_t{25});
        QCOMPARE(w.launch.backend, std::string("torchrun"));
        QCOMPARE(w.launch.threadsPerRank, 3);
        QCOMPARE(w.launch.hangTimeout, 12.5);
        QCOMPARE(w.framework.arguments["num-layers"].get<int>(), 12);
        QCOMPARE(w.dsConfig["zero_optimization"]["stage"].get<int>(), 2);
        QCOMPARE(w.dsConfigText, std::string(R"({"train_micro_batch_size_per_gpu":   4, "zero_optimization": {"stage": 2}})"));
        QVERIFY(w.unknownFields.empty());
    }

    void defaultsWhatIsMissing()
    {
        const auto read = parseWorkspace(kLeast, ".");
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        const Workspace& w = read.value();
        QCOMPARE(w.model.spec->kvHeads, std::int64_t{4});
        QCOMPARE(w.model.spec->ffn, std::int64_t{256});
        QCOMPARE(w.model.spec->positions, std::int64_t{32});
        QVERIFY(w.model.spec->tieEmbeddings);
        QVERIFY(w.model.initFile.empty());
        QCOMPARE(w.data.source, std::string("builtin:demo"));
        QVERIFY(!w.data.sequential);
        QCOMPARE(w.data.validationFraction, 0.0);
        QCOMPARE(w.layout.ranks(), std::int64_t{1});
        QCOMPARE(w.layout.schedule, std::string("1f1b"));
        QCOMPARE(w.training.evalEvery, std::int64_t{0});
        QCOMPARE(w.training.saveEvery, std::int64_t{0});
        QCOMPARE(w.launch.threadsPerRank, 1);
        QCOMPARE(w.launch.hangTimeout, 300.0);
        QCOMPARE(w.framework.name, std::string("stagecraft"));
        QCOMPARE(w.dsConfigText, std::string("{}"));
    }

    void layoutAndHardwareFillEachOther_data()
    {
        QTest::addColumn<QString>("sections");
        QTest::addColumn<int>("dp");
        QTest::addColumn<int>("devices");
        QTest::newRow("dp is all devices") << QString(R"("hardware": {"nodes": 2, "devicesPerNode": 4})") << 8 << 8;
        QTest::newRow("dp is what tp and pp leave") << QString(R"("hardware": {"devicesPerNode": 8}, "layout": {"tp": 2, "pp": 2})") << 2 << 8;
        QTest::newRow("devices are all ranks") << QString(R"("layout": {"dp": 3})") << 3 << 3;
        QTest::newRow("devices are spread over the nodes") << QString(R"("layout": {"dp": 4, "tp": 2}, "hardware": {"nodes": 4})") << 4 << 8;
        QTest::newRow("two nodes alone") << QString(R"("hardware": {"nodes": 2})") << 2 << 2;
        QTest::newRow("null is missing") << QString(R"("hardware": {"devicesPerNode": 2}, "layout": {"dp": null})") << 2 << 2;
    }
    void layoutAndHardwareFillEachOther()
    {
        QFETCH(QString, sections);
        QFETCH(int, dp);
        QFETCH(int, devices);
        const std::string text = std::string(kLeast).insert(1, sections.toStdString() + ", ");
        const auto read = parseWorkspace(text, ".");
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read.value().layout.dp, dp);
        QCOMPARE(read.value().hardware.nodes * read.value().hardware.devicesPerNode, devices);
    }

    void reportsUnknownFieldsAndKeepsThem()
    {
        const auto read = parseWorkspace(R"({"stagecraft": 1, "notes": "mine", "model": {"params": 7.5e9, "colour": 1}, "training": {"a/b": 2}})", ".");
        QVERIFY(read.hasValue());
        const std::vector<std::string> expected{"/model/colour", "/training/a~1b", "/notes"};
        QCOMPARE(read.value().unknownFields, expected);
        QCOMPARE(read.value().document["notes"].get<std::string>(), std::string("mine"));
        QVERIFY(read.value().model.form == ModelSection::Form::ParameterCount);
        QCOMPARE(read.value().model.parameterCount, 7.5e9);
        QVERIFY(!read.value().model.spec.has_value() && !read.value().model.noSpecReason.empty());
    }

    void readsAHuggingFaceFolder()
    {
        const QTemporaryDir temporary;
        const fs::path folder = temporary.path().toStdString();
        fs::create_directory(folder / "m");
        write(folder / "m" / "config.json", R"({"model_type": "gpt2", "n_embd": 48, "n_head": 4, "n_layer": 3, "n_positions": 48, "vocab_size": 200, "attn_pdrop": 0.25})");
        auto read = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m"}})", folder);
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read.value().model.spec->seq, std::int64_t{48});
        QCOMPARE(read.value().model.spec->attentionDropout, 0.25);
        QVERIFY(read.value().model.initFile.empty());
        QCOMPARE(read.value().model.huggingFaceConfig["n_embd"].get<int>(), 48);

        // The config.json itself names its folder; another file is none.
        const auto byFile = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m/config.json"}})", folder);
        QVERIFY(byFile.hasValue() && byFile.value().model.huggingFaceFolder == folder / "m");
        write(folder / "m" / "other.json", "{}");
        const auto other = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m/other.json"}})", folder);
        QVERIFY(!other.hasValue() && other.error().message.find("give the folder that holds config.json") != std::string::npos);

        // Weights that only another format holds are not silently left out; what a training leaves beside them is no weights.
        write(folder / "m" / "training_args.bin", "x");
        QVERIFY(!parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m"}})", folder).value().model.initUnclear);
        write(folder / "m" / "pytorch_model-00001-of-00002.bin", "x");
        QVERIFY(parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m"}})", folder).value().model.initUnclear);
        QVERIFY(!parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m", "init": "random"}})", folder).value().model.initUnclear);
        QCOMPARE(weightsOfAnotherFormat(folder / "m").filename(), std::filesystem::path("pytorch_model-00001-of-00002.bin"));

        // One file under another name is meant; of several, none is taken, and none in silence.
        write(folder / "m" / "start.safetensors", "x");
        read = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m"}})", folder);
        QVERIFY(read.value().model.initFile == folder / "m" / "start.safetensors" && !read.value().model.initUnclear);
        write(folder / "m" / "end.safetensors", "x");
        read = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m"}})", folder);
        QVERIFY(read.value().model.initFile.empty() && read.value().model.initUnclear);
        QVERIFY(!parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m", "init": "random"}})", folder).value().model.initUnclear);

        write(folder / "m" / "model.safetensors", "x");
        read = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m", "seq": 16}})", folder);
        QCOMPARE(read.value().model.initFile, folder / "m" / "model.safetensors");
        QCOMPARE(read.value().model.spec->seq, std::int64_t{16});
        QCOMPARE(read.value().model.spec->positions, std::int64_t{48});
        QVERIFY(parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m", "init": "random"}})", folder).value().model.initFile.empty());
        QCOMPARE(parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m", "init": "o.safetensors"}})", folder).value().model.initFile, folder / "o.safetensors");

        write(folder / "m" / "config.json", R"({"model_type": "mixtral", "hidden_size": 64})");
        read = parseWorkspace(R"({"stagecraft": 1, "model": {"hf": "m"}})", folder);
        QVERIFY(read.hasValue());
        QVERIFY(!read.value().model.spec.has_value());
        QVERIFY(QString::fromStdString(read.value().model.noSpecReason).contains("mixtral"));
    }

    void keepsTheDsConfigFileByteForByte()
    {
        const QTemporaryDir temporary;
        const fs::path folder = temporary.path().toStdString();
        const QByteArray config = "{\r\n\t\"train_batch_size\" :8 ,\"x\":1.0e0}\n\n";
        write(folder / "ds.json", config);
        write(folder / "w.json", QByteArray(kLeast).replace("{\"stagecraft\"", "{\"dsConfig\": \"ds.json\", \"stagecraft\""));
        auto read = loadWorkspace(folder / "w.json");
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(QByteArray::fromStdString(read.value().dsConfigText), config);
        QCOMPARE(read.value().dsConfigFile, folder / "ds.json");
        QCOMPARE(read.value().name, std::string("w"));
        // A patch reaches into it, and leaves the file alone.
        read = loadWorkspace(folder / "w.json", {"/dsConfig/zero_optimization/stage=3"});
        QVERIFY(read.hasValue());
        QCOMPARE(read.value().dsConfig["zero_optimization"]["stage"].get<int>(), 3);
        QCOMPARE(read.value().dsConfig["train_batch_size"].get<int>(), 8);
        QVERIFY(read.value().dsConfigText.find("stage") != std::string::npos);
    }

    void readsTheDsConfigFileAsDeepSpeedDoes()
    {
        const QTemporaryDir temporary;
        const fs::path folder = temporary.path().toStdString();
        write(folder / "ds.json", "{ // mine\n  train_batch_size: 16,\n}");
        const char* const text = "{\"stagecraft\": 1, \"model\": {\"params\": 1e9}, \"dsConfig\": \"ds.json\"}";
        const auto read = parseWorkspace(text, folder);
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read.value().dsConfig["train_batch_size"].get<int>(), 16);
        for (const char* broken : {"{\"a\": 1, \"a\": 2}", "{\"a\": [1", "[1]"}) {
            write(folder / "ds.json", broken);
            const auto refused = parseWorkspace(text, folder);
            QVERIFY2(!refused.hasValue(), broken);
            QCOMPARE(refused.error().context.at("pointer"), std::string("/dsConfig"));
        }
    }

    // Inside the workspace it is read in the same way, and nothing around it is.
    void readsItsOwnDsConfigAsDeepSpeedDoes()
    {
        const std::string config = "{ // mine\n  train_batch_size: 16, # yours\n  \"bf16\": {\"enabled\": true,},\n}";
        const std::string text = "{\"stagecraft\": 1, \"model\": {\"params\": 1e9},\n\"dsConfig\": " + config + ",\n\"training\": {\"steps\": 7}}";
        const auto read = parseWorkspace(text, {});
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read->dsConfig, (nlohmann::json{{"train_batch_size", 16}, {"bf16", {{"enabled", true}}}}));
        QCOMPARE(read->dsConfigText, config);
        QCOMPARE(read->training.steps, std::int64_t{7});
        // What is wrong behind it has its own line.
        std::string wrong = text;
        wrong.replace(wrong.find("\"steps\": 7"), 10, "\"steps\": -7");
        const auto refused = parseWorkspace(wrong, {});
        QVERIFY(!refused.hasValue());
        QVERIFY2(refused.error().message.find("line 6,") != std::string::npos, refused.error().message.c_str());
        for (const char* broken : {"{\"stagecraft\": 1, /* mine */ \"model\": {\"params\": 1e9}, \"dsConfig\": {\"a\": 1,}}", "{\"stagecraft\": 1, \"model\": {\"params\": 1e9}, \"dsConfig\": {a: 1, a: 2}}",
                                   "{\"stagecraft\": 1, \"model\": {\"params\": 1e9}, \"dsConfig\": {\"a\": 1,},}", "{\"stagecraft\": 1, \"model\": {\"params\": 1e9}, \"dsConfig\": {\"a\": True}}"})
            QVERIFY2(!parseWorkspace(broken, {}).hasValue(), broken);
    }

    void appliesPatchesInOrder()
    {
        const QTemporaryDir temporary;
        const fs::path file = fs::path(temporary.path().toStdString()) / "w.json";
        write(file, kLeast);
        const auto read = loadWorkspace(file, {"/training/steps=5", "/training/steps=7", "/name=a=b", "/data/source=tokens.u16", "/layout/dp=3",
                                               "/dsConfig={\"train_batch_size\": 6}", "/dsConfig/bf16/enabled=true", "/model/tieEmbeddings=false"});
        QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
        QCOMPARE(read.value().training.steps, std::int64_t{7});
        QCOMPARE(read.value().name, std::string("a=b"));
        QCOMPARE(read.value().data.source, std::string("tokens.u16"));
        QCOMPARE(read.value().layout.dp, 3);
        QVERIFY(read.value().dsConfig["bf16"]["enabled"].get<bool>());
        QVERIFY(!read.value().model.spec->tieEmbeddings);
        for (const char* bad : {"training/steps=5", "/training/steps", "", "/name/x=1", "/training/steps/x/y=1", "/=3", "/training//steps=3", "/training/=3"}) {
            const auto refused = loadWorkspace(file, {"/name=n", bad});
            QVERIFY2(!refused.hasValue(), bad);
        }
        QCOMPARE(loadWorkspace(file, {"nonsense"}).error().code, ErrorCode::InvalidArgument);
    }

    void errorsOfPatchedFieldsHaveNoPlace()
    {
        const QTemporaryDir temporary;
        const fs::path file = fs::path(temporary.path().toStdString()) / "w.json";
        write(file, kLeast);
        const auto read = loadWorkspace(file, {"/model/heads=5"});
        QVERIFY(!read.hasValue());
        QCOMPARE(read.error().context.at("pointer"), std::string("/model/heads"));
        QVERIFY(!read.error().context.contains("line"));
    }

    void missingFileIsNotFound()
    {
        QCOMPARE(loadWorkspace("/no/such/workspace.json").error().code, ErrorCode::NotFound);
    }
};

QTEST_APPLESS_MAIN(TstWorkspace)
#include "tst_workspace.moc"
