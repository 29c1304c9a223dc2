// SPDX-License-Identifier: GPL-3.0-or-later
// What is written for another tool, read again, is the same config.
#include "config/engine_config.h"
#include "exporters/foreign_export.h"
#include "exporters/yaml_text.h"
#include "importers/foreign_config.h"
#include "importers/yaml_reader.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <map>

using namespace stagecraft;
using nlohmann::json;

namespace {

constexpr const char* kTargets[]{"accelerate", "accelerate-file", "trainer", "llama-factory", "axolotl"};

const char* const kFull = R"({
  "train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_clipping": 0.5,
  "bf16": {"enabled": true},
  "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": true}, "reduce_bucket_size": 5e8, "overlap_comm": true, "stage3_gather_16bit_weights_on_model_save": true},
  "optimizer": {"type": "AdamW", "params": {"lr": 3e-05, "betas": [0.9, 0.95], "eps": 1e-08, "weight_decay": 0.1}},
  "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 3e-05, "warmup_num_steps": 100, "total_num_steps": 1000}},
  "wall_clock_breakdown": false
})";

ExportSource sourceOf(const QString& text, int ranks = 4)
{
    ExportSource source;
    source.dsConfigText = text.toStdString();
    source.ranks = source.dataParallel = ranks;
    source.steps = 1000;
    return source;
}

/// Imports what was exported; the first file that is no ds_config is the one to read.
Result<ImportedConfig> readBack(const ForeignExport& made, int ranks)
{
    ImportOptions options;
    options.ranks = ranks;
    options.readFile = [&made](const std::string& path) -> Result<std::string> {
        for (const ExportedFile& file : made.files) {
            if (file.name == path) return file.text;
        }
        return Error{ErrorCode::NotFound, "it was not exported", {}};
    };
    for (const ExportedFile& file : made.files) {
        if (file.name != "ds_config.json") return importForeignConfig({file.name, file.text}, options);
    }
    return Error{ErrorCode::Internal, "no such file", {}};
}

std::string told(const Error& error) { return error.message; }

/// The engine's reading of a config, as text to compare.
QString engineView(const json& config, int ranks)
{
    const auto read = resolveForEngine(config, ranks);
    if (!read.hasValue()) return QString::fromStdString(told(read.error()));
    const EngineConfig& c = read.value();
    return QString("%1 %2 %3 clip %4").arg(c.trainBatch).arg(c.microBatch).arg(c.accumulation).arg(config.value("gradient_clipping", 0.0));
}

}  // namespace

class TstForeignExport : public QObject {
    Q_OBJECT
private slots:
    void roundTrip_data();
    void roundTrip();
    void fieldsKeepWhatTheyCan();
    void fieldsAreReadAsDeepSpeedReadsThem_data();
    void fieldsAreReadAsDeepSpeedReadsThem();
    void everyDroppedKeyIsListed();
    void oneLearningRate();
    void autoGoesToThoseWhoFillIt();
    void theBatchIsNumbersOrIsTold_data();
    void theBatchIsNumbersOrIsTold();
    void anOpenPrecisionStaysOpen_data();
    void anOpenPrecisionStaysOpen();
    void whatAccelerateFillsIsToldSo();
    void axolotlHasWhatItStartsWith();
    void aPathThatAccelerateLosesIsTold();
    void refusesWhatDeepSpeedRefuses();
    void yamlWords_data();
    void yamlWords();
};

void TstForeignExport::roundTrip_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("ranks");
    const std::pair<const char*, const char*> kConfigs[]{
        {"a full config", kFull},
        {"fp16 with its own scale", R"({"train_micro_batch_size_per_gpu": 2, "fp16": {"enabled": true, "loss_scale": 0, "initial_scale_power": 12}, "zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})"},
        {"no ZeRO and no scheduler", R"({"train_batch_size": 32, "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "betas": [0.8, 0.999]}}})"},
        {"a warm-up alone", R"({"train_batch_size": 32, "gradient_accumulation_steps": 2, "zero_optimization": {"stage": 1}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": 1e-4, "warmup_num_steps": 10}}})"},
        {"tiny numbers", R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 0}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-7, "eps": 1e-12, "weight_decay": 3e-7}}})"},
    };
    for (const char* target : kTargets) {
        if (target == std::string("accelerate")) continue;  // its fields hold a part: below
        for (const auto& [name, text] : kConfigs) {
            QTest::addRow("%s, %s", target, name) << QString(target) << QString(text) << 4;
        }
    }
}

void TstForeignExport::roundTrip()
{
    QFETCH(QString, target);
    QFETCH(QString, text);
    QFETCH(int, ranks);
    const auto made = exportForeignConfig(sourceOf(text, ranks), *foreignTargetFromName(target.toStdString()));
    QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
    const auto back = readBack(made.value(), ranks);
    QVERIFY2(back.hasValue(), back.hasValue() ? "" : back.error().message.c_str());
    const json before = json::parse(text.toStdString());
    json after = json::parse(back->dsConfigText);
    QCOMPARE(engineView(after, ranks), engineView(before, ranks));
    // Beside the batch triangle, and what accelerate needs written out, every value is the same again.
    for (const char* key : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"}) after.erase(key);
    json expected = before;
    for (const char* key : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"}) expected.erase(key);
    if (!expected.contains("zero_optimization")) expected["zero_optimization"] = {{"stage", 0}};
    QVERIFY2(after == expected, (after.dump(1) + "\nis not\n" + expected.dump(1)).c_str());  // 5e8 is 500000000, as DeepSpeed reads it
    for (const TransferNote& note : back->notes) QVERIFY2(note.reason.find("Stays \"auto\"") == std::string::npos, note.key.c_str());
}

void TstForeignExport::fieldsKeepWhatTheyCan()
{
    const auto made = exportForeignConfig(sourceOf(kFull), ForeignTarget::Accelerate);
    QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
    QCOMPARE(made->files.size(), std::size_t{1});
    const auto back = readBack(made.value(), 4);
    QVERIFY2(back.hasValue(), back.hasValue() ? "" : back.error().message.c_str());
    const json config = json::parse(back->dsConfigText);
    QCOMPARE(config["gradient_accumulation_steps"], json(4));
    QCOMPARE(config["gradient_clipping"], json(0.5));
    QCOMPARE(config["bf16"]["enabled"], json(true));
    QCOMPARE(QString::fromStdString(config["zero_optimization"].dump()),
             QString(R"({"offload_optimizer":{"device":"cpu"},"offload_param":{"device":"none"},"stage":3,"stage3_gather_16bit_weights_on_model_save":true})"));
    // DeepSpeed does not clip where nothing is said; accelerate would.
    const auto unclipped = readBack(exportForeignConfig(sourceOf(R"({"train_batch_size": 4, "zero_optimization": {"stage": 1}})"), ForeignTarget::Accelerate).value(), 4);
    QVERIFY(!json::parse(unclipped->dsConfigText).contains("gradient_clipping"));
    const auto silent = exportForeignConfig(sourceOf(R"({"train_batch_size": 4, "zero_optimization": {"stage": 1}})"), ForeignTarget::Accelerate);
    QVERIFY(std::any_of(silent->notes.begin(), silent->notes.end(), [](const TransferNote& note) { return note.key == "/gradient_clipping" && note.reason.find("own default holds there as it does here") != std::string::npos; }));
    // accelerate cannot hold a 0: it leaves the key out, which newer releases read as 1.0.
    const auto zero = exportForeignConfig(sourceOf(R"({"train_batch_size": 4, "gradient_clipping": 0.0, "zero_optimization": {"stage": 1}})"), ForeignTarget::Accelerate);
    QVERIFY(std::any_of(zero->notes.begin(), zero->notes.end(), [](const TransferNote& note) { return note.key == "/gradient_clipping" && note.kind == TransferKind::Warning && note.reason.find("1.0") != std::string::npos; }));
}

void TstForeignExport::fieldsAreReadAsDeepSpeedReadsThem_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("line");     // of the YAML
    QTest::addColumn<QString>("changed");  // the key that is told to be read in another form; empty = none
    const auto row = [](const char* name, const char* more, const char* line, const char* changed) {
        QTest::newRow(name) << QStringLiteral(R"({"train_micro_batch_size_per_gpu": 1, %1})").arg(QString(more)) << QString(line) << QString(changed);
    };
    row("ZeRO switched on", R"("zero_optimization": true)", "  zero_stage: 1\n", "/zero_optimization");
    row("ZeRO switched off", R"("zero_optimization": false)", "  zero_stage: 0\n", "/zero_optimization");
    row("a stage as text", R"("zero_optimization": {"stage": "3"})", "  zero_stage: 3\n", "");
    row("the older name of bf16", R"("bfloat16": {"enabled": true})", "mixed_precision: bf16\n", "/bfloat16");
    row("the older name beside an empty one", R"("bf16": null, "bfloat16": {"enabled": true})", "mixed_precision: bf16\n", "/bfloat16");
    row("the newer name wins", R"("bf16": {"enabled": false}, "bfloat16": {"enabled": true})", "mixed_precision: \"no\"\n", "");
    row("a switch as text", R"("bf16": {"enabled": "off"})", "mixed_precision: \"no\"\n", "");
    row("the optimizer's offload of old", R"("zero_optimization": {"stage": 2, "cpu_offload": true})", "  offload_optimizer_device: cpu\n", "/zero_optimization/cpu_offload");
    row("offload of old switched off", R"("zero_optimization": {"stage": 2, "cpu_offload": false})", "  offload_optimizer_device: none\n", "");
    row("the weights' offload of old", R"("zero_optimization": {"stage": 3, "cpu_offload_param": true})", "  offload_param_device: cpu\n", "/zero_optimization/cpu_offload_param");
    row("gathered when saved, by alias", R"("zero_optimization": {"stage": 3, "gather_16bit_weights_on_model_save": true})", "  zero3_save_16bit_model: true\n", "/zero_optimization/gather_16bit_weights_on_model_save");
    row("gathered when saved, by the name of fp16", R"("zero_optimization": {"stage": 3, "stage3_gather_fp16_weights_on_model_save": true})", "  zero3_save_16bit_model: true\n", "/zero_optimization/stage3_gather_fp16_weights_on_model_save");
}

void TstForeignExport::fieldsAreReadAsDeepSpeedReadsThem()
{
    QFETCH(QString, text);
    QFETCH(QString, line);
    QFETCH(QString, changed);
    const auto made = exportForeignConfig(sourceOf(text), ForeignTarget::Accelerate);
    QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
    const std::string& yaml = made->files.front().text;
    QVERIFY2(yaml.find("\n" + line.toStdString()) != std::string::npos, yaml.c_str());
    const auto told = [&](const TransferNote& note) { return note.kind == TransferKind::Changed && note.key == changed.toStdString() && !note.target.empty(); };
    QCOMPARE(std::any_of(made->notes.begin(), made->notes.end(), told), !changed.isEmpty());
    // FSDP's file and the ds_config that others read are made of the same reading.
    const auto byFile = exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFile);
    QVERIFY(byFile.hasValue());
    const auto config = std::find_if(byFile->files.begin(), byFile->files.end(), [](const ExportedFile& file) { return file.name == "ds_config.json"; });
    const auto again = exportForeignConfig(sourceOf(QString::fromStdString(config->text)), ForeignTarget::Accelerate);
    QVERIFY2(again.hasValue(), config->text.c_str());
    QCOMPARE(QString::fromStdString(again->files.front().text), QString::fromStdString(yaml));
    QVERIFY2(config->text.find("bfloat16") == std::string::npos && config->text.find("cpu_offload") == std::string::npos, config->text.c_str());
}

void TstForeignExport::everyDroppedKeyIsListed()
{
    const auto made = exportForeignConfig(sourceOf(kFull), ForeignTarget::Accelerate);
    QVERIFY(made.hasValue());
    const auto listed = [&](const char* key, TransferKind kind) {
        return std::any_of(made->notes.begin(), made->notes.end(), [&](const TransferNote& note) { return note.key == key && note.kind == kind && !note.reason.empty(); });
    };
    for (const char* key : {"/optimizer", "/scheduler", "/wall_clock_breakdown", "/zero_optimization/reduce_bucket_size", "/zero_optimization/overlap_comm", "/zero_optimization/offload_optimizer/pin_memory"}) QVERIFY2(listed(key, TransferKind::Dropped), key);
    QVERIFY(listed("/train_micro_batch_size_per_gpu", TransferKind::Changed));
    QVERIFY(listed("/zero_optimization/stage", TransferKind::Taken));
    // Settings of a number format that is off are told too, and the cast that accelerate switches on with fp16.
    const auto notesOf = [](const char* half) {
        const auto other = exportForeignConfig(sourceOf(QStringLiteral(R"({"train_batch_size": 4, "zero_optimization": {"stage": 1}, %1})").arg(half)), ForeignTarget::Accelerate);
        std::map<std::string, TransferKind> kinds;
        for (const TransferNote& note : other->notes) kinds[note.key] = note.kind;
        return kinds;
    };
    for (const char* on : {"true", "false"}) {
        const auto kinds = notesOf(qPrintable(QStringLiteral(R"("fp16": {"enabled": %1, "hysteresis": 2, "initial_scale_power": 16})").arg(on)));
        QVERIFY(kinds.at("/fp16/hysteresis") == TransferKind::Dropped && kinds.at("/fp16/initial_scale_power") == TransferKind::Dropped);
        QCOMPARE(kinds.contains("/fp16/auto_cast"), on == std::string("true"));
    }
    QCOMPARE(notesOf(R"("fp16": {"enabled": true})").at("/fp16/auto_cast"), TransferKind::Changed);
    QCOMPARE(notesOf(R"("fp16": {"enabled": true, "auto_cast": false})").at("/fp16/auto_cast"), TransferKind::Changed);
    QCOMPARE(notesOf(R"("fp16": {"enabled": true, "auto_cast": true})").at("/fp16/auto_cast"), TransferKind::Taken);
}

void TstForeignExport::oneLearningRate()
{
    const auto made = exportForeignConfig(sourceOf(R"({"train_batch_size": 4, "zero_optimization": {"stage": 1}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
        "scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": 2e-4, "warmup_num_steps": 5}}})"), ForeignTarget::Trainer);
    QVERIFY(made.hasValue());
    const auto back = readBack(made.value(), 4);
    const json config = json::parse(back->dsConfigText);
    QCOMPARE(config["scheduler"]["params"]["warmup_max_lr"], json(2e-4));
    QCOMPARE(config["optimizer"]["params"]["lr"], json(2e-4));
    QVERIFY(std::any_of(made->notes.begin(), made->notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Changed && note.key == "/optimizer/params/lr"; }));
}

void TstForeignExport::autoGoesToThoseWhoFillIt()
{
    const QString text = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto",
        "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}})";
    const auto file = exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFile);
    QVERIFY2(file.hasValue(), file.hasValue() ? "" : file.error().message.c_str());
    QCOMPARE(json::parse(file->files.at(1).text), json::parse(text.toStdString()));
    // accelerate takes such a section for a placeholder alone.
    const auto placeholders = std::count_if(file->notes.begin(), file->notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Warning && note.key == "/optimizer" && note.reason.find("DummyOptim") != std::string::npos; });
    QVERIFY(placeholders == 1 && std::none_of(file->notes.begin(), file->notes.end(), [](const TransferNote& note) { return note.reason.find("DummyScheduler") != std::string::npos; }));
    const auto fields = exportForeignConfig(sourceOf(text), ForeignTarget::Accelerate);
    QVERIFY(fields.hasValue());
    QVERIFY2(fields->files.at(0).text.find("gradient_accumulation_steps: auto") != std::string::npos && fields->files.at(0).text.find("gradient_clipping: auto") != std::string::npos, fields->files.at(0).text.c_str());
    const auto trainer = exportForeignConfig(sourceOf(text), ForeignTarget::Trainer);
    QVERIFY(trainer.hasValue());
    QVERIFY2(trainer->files.at(1).text.find("per_device_train_batch_size") == std::string::npos, trainer->files.at(1).text.c_str());
    // The rest has to be right.
    QVERIFY(!exportForeignConfig(sourceOf(QString(text).replace("\"stage\": 3", "\"stage\": 9")), ForeignTarget::AccelerateFile).hasValue());
}

void TstForeignExport::theBatchIsNumbersOrIsTold_data()
{
    // Four ranks. In the arguments: a number, or "open" for what the script or the command line has to say.
    QTest::addColumn<QString>("batch");
    QTest::addColumn<QString>("micro");
    QTest::addColumn<QString>("accumulation");
    QTest::addColumn<QString>("train");  // of the ds_config beside the Trainer's arguments
    QTest::addColumn<QString>("taken");  // keys told as taken over as they are
    QTest::newRow("all open") << R"("train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto")" << "open" << "open" << "\"auto\"" << "";
    QTest::newRow("no accumulation is one step") << R"("train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto")" << "open" << "1" << "\"auto\"" << "";
    QTest::newRow("a global batch alone leaves both open") << R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto")" << "open" << "open" << "64" << "";
    QTest::newRow("a global batch with one step") << R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": "auto")" << "16" << "1" << "\"auto\"" << "";
    QTest::newRow("a global batch and a micro-batch") << R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto")" << "4" << "4" << "\"auto\"" << "/train_micro_batch_size_per_gpu";
    QTest::newRow("a global batch and the steps") << R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 8)" << "2" << "8" << "\"auto\"" << "/gradient_accumulation_steps";
    QTest::newRow("a micro-batch and open steps") << R"("train_batch_size": "auto", "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": "auto")" << "4" << "open" << "\"auto\"" << "/train_micro_batch_size_per_gpu";
    QTest::newRow("steps alone") << R"("train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 8)" << "open" << "8" << "\"auto\"" << "/gradient_accumulation_steps";
    QTest::newRow("all of them") << R"("train_batch_size": 64, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 8)" << "2" << "8" << "\"auto\"" << "/gradient_accumulation_steps /train_micro_batch_size_per_gpu";
    QTest::newRow("a global batch without the rest") << R"("train_batch_size": 64)" << "16" << "1" << "\"auto\"" << "";
}

void TstForeignExport::theBatchIsNumbersOrIsTold()
{
    QFETCH(QString, batch);
    QFETCH(QString, micro);
    QFETCH(QString, accumulation);
    QFETCH(QString, train);
    QFETCH(QString, taken);
    const QString text = QStringLiteral(R"({%1, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}})").arg(batch);
    const auto toldAs = [](const ForeignExport& made, TransferKind kind) {
        QStringList keys;
        for (const TransferNote& note : made.notes) {
            if (note.kind == kind && (note.key.find("batch") != std::string::npos || note.key.find("accumulation") != std::string::npos)) keys << QString::fromStdString(note.key);
        }
        keys.sort();
        return keys;
    };
    const json given = json::parse(text.toStdString());
    const auto isNumber = [&](const char* key) { return given.contains(key) && given[key].is_number(); };

    const auto trainer = exportForeignConfig(sourceOf(text), ForeignTarget::Trainer);
    QVERIFY2(trainer.hasValue(), trainer.hasValue() ? "" : trainer.error().message.c_str());
    const QString arguments = QString::fromStdString(trainer->files.at(1).text);
    QCOMPARE(arguments.contains("per_device_train_batch_size: " + micro + "\n"), micro != "open");
    QCOMPARE(arguments.contains("gradient_accumulation_steps: " + accumulation + "\n"), accumulation != "open");
    QCOMPARE(arguments.contains("per_device_train_batch_size"), micro != "open");
    QCOMPARE(arguments.contains("gradient_accumulation_steps"), accumulation != "open");
    const json config = json::parse(trainer->files.at(0).text);
    QCOMPARE(QString::fromStdString(config["train_batch_size"].dump()), train);
    QCOMPARE(config["train_micro_batch_size_per_gpu"], json("auto"));
    QCOMPARE(config["gradient_accumulation_steps"], json("auto"));
    QCOMPARE(toldAs(trainer.value(), TransferKind::Taken).join(' '), taken);

    const auto fields = exportForeignConfig(sourceOf(text), ForeignTarget::Accelerate);
    QVERIFY2(fields.hasValue(), fields.hasValue() ? "" : fields.error().message.c_str());
    QVERIFY2(fields->files.at(0).text.find("gradient_accumulation_steps: " + (accumulation == "open" ? "auto" : accumulation.toStdString()) + "\n") != std::string::npos, fields->files.at(0).text.c_str());
    // Every number of the file is accounted for by both.
    for (const ForeignExport* made : {&trainer.value(), &fields.value()}) {
        for (const char* key : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"}) {
            if (isNumber(key)) QVERIFY2(std::any_of(made->notes.begin(), made->notes.end(), [&](const TransferNote& note) { return note.key == std::string("/") + key; }), key);
        }
    }
}

void TstForeignExport::anOpenPrecisionStaysOpen_data()
{
    QTest::addColumn<QString>("precision");
    QTest::addColumn<QString>("word");  // of accelerate's field; empty = left out
    QTest::addColumn<QString>("told");
    QTest::newRow("bf16 is open") << R"("bf16": {"enabled": "auto"})" << "" << "/bf16/enabled";
    QTest::newRow("both are open") << R"("bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto", "loss_scale": 0})" << "" << "/bf16/enabled /fp16/enabled";
    QTest::newRow("the other one is on") << R"("bf16": {"enabled": "auto"}, "fp16": {"enabled": true})" << "fp16" << "/bf16/enabled";
    QTest::newRow("fp16 is open beside bf16 that is off") << R"("bf16": {"enabled": false}, "fp16": {"enabled": "auto"})" << "" << "/fp16/enabled";
    QTest::newRow("nothing is open") << R"("bf16": {"enabled": false})" << "\"no\"" << "";
}

void TstForeignExport::anOpenPrecisionStaysOpen()
{
    QFETCH(QString, precision);
    QFETCH(QString, word);
    QFETCH(QString, told);
    const QString text = QStringLiteral(R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 1, %1, "zero_optimization": {"stage": 2}})").arg(precision);
    const auto notesOf = [](const ForeignExport& made, const std::string& target) {
        QStringList keys;
        for (const TransferNote& note : made.notes) {
            if (note.kind != TransferKind::Taken && note.kind != TransferKind::Dropped && note.key.ends_with("16/enabled") && note.target.starts_with(target)) keys << QString::fromStdString(note.key);
        }
        return keys.join(' ');
    };
    const auto fields = exportForeignConfig(sourceOf(text), ForeignTarget::Accelerate);
    QVERIFY(fields.hasValue());
    const QString yaml = QString::fromStdString(fields->files.at(0).text);
    QCOMPARE(yaml.contains("mixed_precision"), !word.isEmpty());
    QVERIFY2(yaml.contains("mixed_precision: " + word + "\n") || word.isEmpty(), qPrintable(yaml));
    QCOMPARE(notesOf(fields.value(), "mixed_precision"), told);
    QCOMPARE(notesOf(exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFsdp).value(), "mixed_precision"), told);
    QCOMPARE(notesOf(exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFile).value(), "/"), told);
    // The Trainer's ds_config keeps the word, and no argument says no.
    const auto trainer = exportForeignConfig(sourceOf(text), ForeignTarget::Trainer);
    QVERIFY(trainer.hasValue());
    QCOMPARE(notesOf(trainer.value(), ""), told);
    const json config = json::parse(trainer->files.at(0).text);
    for (const char* key : {"bf16", "fp16"}) {
        if (told.contains(key)) QCOMPARE(config[key]["enabled"], json("auto"));
        if (told.contains(key)) QVERIFY(!QString::fromStdString(trainer->files.at(1).text).contains(key));
    }
}

void TstForeignExport::whatAccelerateFillsIsToldSo()
{
    const QString text = R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW", "params": {"lr": "auto", "betas": "auto"}},
        "zero_optimization": {"stage": "auto", "offload_optimizer": {"device": "auto"}, "stage3_gather_16bit_weights_on_model_save": "auto"}})";
    const auto noteOf = [](const ForeignExport& made, const char* key) {
        const auto found = std::find_if(made.notes.begin(), made.notes.end(), [&](const TransferNote& note) { return note.key == key; });
        return found == made.notes.end() ? QString("none") : QString("%1: %2").arg(transferKindName(found->kind), QString::fromStdString(found->reason));
    };
    const auto fields = exportForeignConfig(sourceOf(text), ForeignTarget::Accelerate);
    QVERIFY(fields.hasValue());
    QVERIFY(fields->files.at(0).text.find("offload_optimizer_device: none") != std::string::npos);
    QVERIFY(noteOf(fields.value(), "/zero_optimization/offload_optimizer/device").startsWith("changed: Written as \"none\""));
    QVERIFY(noteOf(fields.value(), "/zero_optimization/stage").startsWith("changed: Written as 2"));
    QVERIFY(noteOf(fields.value(), "/zero_optimization/stage3_gather_16bit_weights_on_model_save").startsWith("changed: Written as false"));
    const auto file = exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFile);
    QVERIFY(file.hasValue());
    QVERIFY(noteOf(file.value(), "/zero_optimization/stage").contains("puts 2 there"));
    QVERIFY(noteOf(file.value(), "/optimizer/params/lr").contains("DummyOptim"));
    QVERIFY(noteOf(file.value(), "/optimizer/params/betas").contains("accelerate has no value"));
    const auto trainer = exportForeignConfig(sourceOf(text), ForeignTarget::Trainer);
    QVERIFY(trainer.hasValue());
    QVERIFY(noteOf(trainer.value(), "/optimizer/params/lr").contains("5e-5"));
    QVERIFY(noteOf(trainer.value(), "/optimizer/params/betas").contains("adam_beta1"));
}

void TstForeignExport::aPathThatAccelerateLosesIsTold()
{
    const QString text = R"({"train_batch_size": 4, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "nvme", "nvme_path": "/local_nvme"}}})";
    const auto fields = exportForeignConfig(sourceOf(text), ForeignTarget::Accelerate);
    QVERIFY(fields.hasValue());
    const auto note = std::find_if(fields->notes.begin(), fields->notes.end(), [](const TransferNote& each) { return each.key == "/zero_optimization/offload_optimizer/nvme_path"; });
    QVERIFY(note != fields->notes.end() && note->kind == TransferKind::Warning);
    QVERIFY(note->reason.find("ACCELERATE_DEEPSPEED_OFFLOAD_OPTIMIZER_NVME_PATH=/local_nvme") != std::string::npos);
    // Under stage 3 the export decides how the model is built, and says so.
    QVERIFY(std::any_of(fields->notes.begin(), fields->notes.end(), [](const TransferNote& each) { return each.reason.find("zero3_init_flag is written as true") != std::string::npos; }));
    const auto file = exportForeignConfig(sourceOf(text), ForeignTarget::AccelerateFile);
    QVERIFY(file.hasValue());
    QCOMPARE(json::parse(file->files.at(1).text)["zero_optimization"]["offload_optimizer"]["nvme_path"], json("/local_nvme"));
}

void TstForeignExport::axolotlHasWhatItStartsWith()
{
    // Its schema asks for a learning rate and for two of the batch's three sizes, and takes bf16 where nothing is said.
    const auto lines = [](const char* config) {
        const auto made = exportForeignConfig(sourceOf(config), ForeignTarget::Axolotl);
        return made.hasValue() ? QString::fromStdString(made->files.back().text).split('\n') : QStringList{"refused"};
    };
    const QStringList open = lines(R"({"train_batch_size": "auto", "zero_optimization": {"stage": 2}, "bf16": {"enabled": "auto"}})");
    for (const char* line : {"micro_batch_size: 1", "gradient_accumulation_steps: 1", "learning_rate: 5.0e-5", "bf16: auto"}) QVERIFY2(open.contains(line), qPrintable(QString(line) + " is not in\n" + open.join('\n')));
    const QStringList full = lines(R"({"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW", "params": {"lr": 3e-5}}})");
    for (const char* line : {"micro_batch_size: 4", "gradient_accumulation_steps: 2", "learning_rate: 3.0e-5", "bf16: false"}) QVERIFY2(full.contains(line), qPrintable(QString(line) + " is not in\n" + full.join('\n')));
}

void TstForeignExport::refusesWhatDeepSpeedRefuses()
{
    for (const char* target : kTargets) {
        for (const char* text : {"{}", R"({"train_batch_size": 3, "train_micro_batch_size_per_gpu": 2})", "{"}) {
            const auto made = exportForeignConfig(sourceOf(text), *foreignTargetFromName(target));
            QVERIFY(!made.hasValue());
            QVERIFY(made.error().code == ErrorCode::Refused && made.error().message.size() > 60);
        }
    }
}

void TstForeignExport::yamlWords_data()
{
    QTest::addColumn<QString>("json");
    for (const char* text : {"1", "-3", "1.0", "1e-05", "3e-07", "1e+20", "1e-12", "0.1", "123456.75", "true", "null", "\"auto\"", "\"no\"", "\"1e5\"", "\"12\"", "\"a: b\"", "\"# x\"", "\"/nvme\"", "\"\"", "\"- x\"", "\"it's\"", "\"two\\nlines\"",
                             "\"\\u4e2d\\u6587\"", "\"~\"", "\"1:30\"", "\"=\"", "\"*a\"", "[0.9, 0.999]"}) QTest::newRow(text) << QString(text);
}

void TstForeignExport::yamlWords()
{
    QFETCH(QString, json);
    const auto read = readYaml(json.toStdString(), YamlDialect::PyYaml);
    QVERIFY(read.hasValue());
    ConfigValue value = read->root;
    if (value.isString() && !json.startsWith('"')) value = ConfigValue::ofFloat(json.toDouble());  // 1e-05 is text to PyYAML
    for (const YamlDialect dialect : {YamlDialect::PyYaml, YamlDialect::OmegaConf}) {
        const auto again = readYaml("key: " + yamlWord(value) + "\n", dialect);
        QVERIFY2(again.hasValue(), yamlWord(value).c_str());
        QCOMPARE(QString::fromStdString(toJson(*again->root.find("key"))), QString::fromStdString(toJson(value)));
        QCOMPARE(again->root.find("key")->kind, value.kind);
    }
}

QTEST_GUILESS_MAIN(TstForeignExport)
#include "tst_foreign_export.moc"
