// SPDX-License-Identifier: GPL-3.0-or-later
// accelerate's YAML for PyTorch's FSDP, and what it tells of the rest of the ds_config.
#include "exporters/foreign_export.h"
#include "importers/foreign_config.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using nlohmann::json;

namespace {

ExportSource sourceOf(const QString& text)
{
    ExportSource source;
    source.dsConfigText = text.toStdString();
    source.ranks = source.dataParallel = 4;
    return source;
}

}  // namespace

class TstFsdpExport : public QObject {
    Q_OBJECT
private slots:
    void fsdpIsAsNearAsItComes_data();
    void fsdpIsAsNearAsItComes();
    void whatIsOpenIsTheScripts();
    void shardsOfItsOwnStayOnTheHost();
};

void TstFsdpExport::fsdpIsAsNearAsItComes_data()
{
    QTest::addColumn<QString>("zero");
    QTest::addColumn<QString>("line");
    QTest::addColumn<int>("stage");
    QTest::addColumn<QString>("lost");
    QTest::newRow("stage 3 is FULL_SHARD") << R"({"stage": 3})" << "fsdp_reshard_after_forward: true" << 3 << "FULL_SHARD";
    QTest::newRow("stage 2 is SHARD_GRAD_OP") << R"({"stage": 2})" << "fsdp_reshard_after_forward: false" << 2 << "SHARD_GRAD_OP";
    QTest::newRow("stage 1 has no counterpart") << R"({"stage": 1})" << "fsdp_reshard_after_forward: false" << 2 << "no stage";
    QTest::newRow("stage 0 is plain") << R"({"stage": 0})" << "distributed_type: MULTI_GPU" << -1 << "plain data parallelism";
    QTest::newRow("offload to the CPU") << R"({"stage": 3, "offload_optimizer": {"device": "cpu"}})" << "fsdp_offload_params: true" << 3 << "one switch";
    QTest::newRow("offload to disks") << R"({"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/n"}})" << "fsdp_offload_params: true" << 3 << "NVMe";
    QTest::newRow("whole weights on save") << R"({"stage": 3, "stage3_gather_16bit_weights_on_model_save": true})" << "fsdp_state_dict_type: FULL_STATE_DICT" << 3 << "FULL_STATE_DICT";
}

void TstFsdpExport::fsdpIsAsNearAsItComes()
{
    QFETCH(QString, zero);
    QFETCH(QString, line);
    QFETCH(int, stage);
    QFETCH(QString, lost);
    const QString text = R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4, "gradient_clipping": 0.5, "bf16": {"enabled": true}, "aio": {"block_size": 1},
        "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, "zero_optimization": )" + zero + "}";
    for (const char* language : {"en", "zh"}) {
        const auto made = exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFsdp, language);
        QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
        const QString yaml = QString::fromStdString(made->files.at(0).text);
        QVERIFY2(yaml.contains(line) && yaml.contains("mixed_precision: bf16") && yaml.contains("num_processes: 4"), qPrintable(yaml));
        // Every value of the ds_config has its note; what the script sets says so.
        for (const char* key : {"/train_micro_batch_size_per_gpu", "/gradient_accumulation_steps", "/gradient_clipping", "/optimizer", "/zero_optimization/stage", "/bf16/enabled", "/aio/block_size"})
            QVERIFY2(std::any_of(made->notes.begin(), made->notes.end(), [key](const TransferNote& note) { return note.key == key; }), key);
        if (language == std::string("en")) QVERIFY(std::any_of(made->notes.begin(), made->notes.end(), [&lost](const TransferNote& note) { return QString::fromStdString(note.reason).contains(lost); }));
        if (stage < 0) continue;
        const auto back = importForeignConfig({"default_config.yaml", made->files.at(0).text}, {});
        QVERIFY2(back.hasValue(), back.hasValue() ? "" : back.error().message.c_str());
        const json config = json::parse(back->dsConfigText);
        QCOMPARE(config["zero_optimization"]["stage"], json(stage));
        QCOMPARE(config["bf16"]["enabled"], json(true));
        QCOMPARE(config["zero_optimization"].contains("offload_optimizer"), zero.contains("offload"));
    }
}

void TstFsdpExport::whatIsOpenIsTheScripts()
{
    ExportSource source = sourceOf(R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "bf16": {"enabled": "auto"},
        "zero_optimization": {"stage": "auto", "offload_optimizer": {"device": "auto"}, "reduce_bucket_size": "auto"}})");
    const auto noteOf = [](const ForeignExport& made, const std::string& key) {
        const auto found = std::find_if(made.notes.begin(), made.notes.end(), [&](const TransferNote& note) { return note.key == key; });
        return found == made.notes.end() ? std::string("none") : found->value;
    };
    const auto open = exportForeignConfig(source, ForeignTarget::AccelerateFsdp);
    QVERIFY2(open.hasValue(), open.hasValue() ? "" : open.error().message.c_str());
    const QString yaml = QString::fromStdString(open->files.at(0).text);
    for (const char* line : {"fsdp_reshard_after_forward: false", "fsdp_offload_params: false", "mixed_precision: \"no\""}) QVERIFY2(yaml.contains(line), qPrintable(line + ("\n" + yaml)));
    QCOMPARE(noteOf(*open, "/train_micro_batch_size_per_gpu"), std::string("\"auto\""));

    // The launcher's arguments fill what they can.
    source.arguments = {{"per_device_train_batch_size", std::int64_t{2}}, {"gradient_accumulation_steps", std::int64_t{8}}, {"bf16", true}, {"offload_optimizer_device", std::string("cpu")}};
    const auto filled = exportForeignConfig(source, ForeignTarget::AccelerateFsdp);
    QVERIFY2(filled.hasValue(), filled.hasValue() ? "" : filled.error().message.c_str());
    const QString told = QString::fromStdString(filled->files.at(0).text);
    for (const char* line : {"fsdp_offload_params: true", "mixed_precision: bf16"}) QVERIFY2(told.contains(line), qPrintable(line + ("\n" + told)));
    QCOMPARE(noteOf(*filled, "/train_micro_batch_size_per_gpu"), std::string("2"));
    QCOMPARE(noteOf(*filled, "/gradient_accumulation_steps"), std::string("8"));

    // What is no "auto" has to be right all the same.
    QVERIFY(!exportForeignConfig(sourceOf(R"({"train_batch_size": "auto", "zero_optimization": {"stage": 7}})"), ForeignTarget::AccelerateFsdp).hasValue());
}

// A job that is FSDP2's says in its own arguments where its shards lie, in anybody's word; read again it is DeepSpeed's offload of both.
void TstFsdpExport::shardsOfItsOwnStayOnTheHost()
{
    const auto exported = [](const char* framework, const json& arguments) {
        const json w{{"stagecraft", 1}, {"model", {{"preset", "llama-3-8b"}}}, {"hardware", {{"devicesPerNode", 8}, {"device", "H100-SXM-80GB"}}}, {"framework", {{"name", framework}, {"arguments", arguments}}},
                     {"dsConfig", {{"train_micro_batch_size_per_gpu", 1}, {"bf16", {{"enabled", true}}}, {"zero_optimization", {{"stage", 3}}}}}};
        const auto workspace = parseWorkspace(w.dump(), {});
        return exportForeignConfig(exportSourceOf(workspace.value()), ForeignTarget::AccelerateFsdp).value();
    };
    // Beside accelerate's mixed precision all of that would be fp32.
    QVERIFY(exported("fsdp2", {{"dtype", "bfloat16"}}).files.at(0).text.find("mixed_precision: \"no\"") != std::string::npos);
    QVERIFY(exported("fsdp2", json::object()).files.at(0).text.find("mixed_precision: bf16") != std::string::npos);
    for (const char* name : {"cpu_offload", "enable_cpu_offload", "fsdp-cpu-offload", "fsdp_offload_params"}) {
        const ForeignExport made = exported("fsdp2", {{name, true}});
        QVERIFY2(made.files.at(0).text.find("fsdp_offload_params: true") != std::string::npos, name);
        QVERIFY(std::any_of(made.notes.begin(), made.notes.end(), [name](const TransferNote& note) { return note.target == "fsdp_config.fsdp_offload_params" && note.kind == TransferKind::Taken && note.key == "/framework/arguments/" + std::string(name); }));
        const json back = json::parse(importForeignConfig({"default_config.yaml", made.files.at(0).text}, {}).value().dsConfigText);
        for (const char* section : {"offload_optimizer", "offload_param"}) QCOMPARE(back["zero_optimization"][section]["device"], json("cpu"));
        QVERIFY(exported("fsdp2", {{name, "false"}}).files.at(0).text.find("fsdp_offload_params: false") != std::string::npos);
        QVERIFY(exported("deepspeed", {{name, true}}).files.at(0).text.find("fsdp_offload_params: false") != std::string::npos);
    }
}

QTEST_GUILESS_MAIN(TstFsdpExport)
#include "tst_fsdp_export.moc"
