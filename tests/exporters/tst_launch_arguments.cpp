// SPDX-License-Identifier: GPL-3.0-or-later
// What a workspace keeps of the Trainer's arguments ("launch.trainer") is written for the tools that run the Trainer.
#include "exporters/workspace_export.h"
#include "importers/foreign_config.h"
#include "importers/workspace_import.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;

namespace {

const char* const kAuto = R"({"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto",
  "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}})";
const char* const kWorkspace = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"}})";

/// The arguments' file that `target` gets of a workspace, by line.
QStringList exported(const std::string& workspaceText, const char* target, std::vector<TransferNote>* notes = nullptr, std::vector<std::string>* warnings = nullptr)
{
    const auto workspace = parseWorkspace(workspaceText, ".");
    if (!workspace.hasValue()) return {QString::fromStdString(workspace.error().message)};
    const auto made = exportWorkspace(*workspace, target, "w.json", {}, "en", false);
    if (!made.hasValue()) return {QString::fromStdString(made.error().message)};
    if (notes != nullptr) *notes = made->notes;
    if (warnings != nullptr) *warnings = made->warnings;
    return QString::fromStdString(made->files.back().text).split('\n');
}

std::string imported(const char* name, const char* text, bool keepAuto, const char* dsConfig = kAuto)
{
    ImportOptions options;
    options.ranks = 4;
    options.keepAuto = keepAuto;
    options.readFile = [dsConfig](const std::string& path) -> Result<std::string> {
        if (path == "ds.json") return std::string(dsConfig);
        return Error{ErrorCode::NotFound, "it is not here", {}};
    };
    const auto read = importForeignConfig({name, text}, options);
    if (!read.hasValue()) return read.error().message;
    return importIntoWorkspace(kWorkspace, *read, "w.json").value();
}

}  // namespace

class TstLaunchArguments : public QObject {
    Q_OBJECT
private slots:
    void whatTheFileSaidComesBack_data();
    void whatTheFileSaidComesBack();
    void theWarmUpIsSaidOnce_data();
    void theWarmUpIsSaidOnce();
    void whatIsExportedStartsTheSameWay_data();
    void whatIsExportedStartsTheSameWay();
    void theCommandHandsThemOn();
    void theCommandFollowsTheDsConfig();
    void aSplitThatNoToolHasIsTold();
    void aTrainingWithoutGpusStaysOne();
    void axolotlTrainsAsLongAsTheTrainer();
    void theDsConfigCounts();
    void acceleratesOwnWordsAreTranslated();
    void accelerateFillsFromItsOptions();
    void whatTheScriptFillsIsToldWithItsValue();
    void stepsNobodyWroteAreNotExported();
    void whatNoWorkspaceKeepsIsTold();
    void theModelsNameOnTheHubComesBack();
};

void TstLaunchArguments::whatTheFileSaidComesBack_data()
{
    const char* const lf = "stage: sft\ncutoff_len: 2048\ndeepspeed: ds.json\nper_device_train_batch_size: 1\ngradient_accumulation_steps: 2\nlearning_rate: 1.0e-5\nnum_train_epochs: 3.0\nlr_scheduler_type: cosine\nwarmup_ratio: 0.1\nbf16: true\n";
    const char* const axolotl = "base_model: m\nsequence_len: 4096\ngradient_accumulation_steps: 4\nmicro_batch_size: 2\nnum_epochs: 1\noptimizer: paged_adamw_8bit\nlr_scheduler: cosine\nlearning_rate: 2e-5\nbf16: auto\nwarmup_steps: 100\ndeepspeed: ds.json\n";
    const QStringList fromLf{"per_device_train_batch_size: 1", "gradient_accumulation_steps: 2", "learning_rate: 1.0e-5", "num_train_epochs: 3.0", "lr_scheduler_type: cosine", "warmup_ratio: 0.1", "bf16: true"};
    const QStringList fromAxolotl{"micro_batch_size: 2", "gradient_accumulation_steps: 4", "num_epochs: 1.0", "optimizer: paged_adamw_8bit", "lr_scheduler: cosine", "learning_rate: 2.0e-5", "warmup_steps: 100", "bf16: true"};
    QTest::addColumn<QString>("text");
    QTest::addColumn<bool>("keepAuto");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QStringList>("lines");
    QStringList five = fromLf;  // transformers 5 has no warmup_ratio, and takes a share as warmup_steps
    five.replaceInStrings("warmup_ratio: ", "warmup_steps: ");
    for (const bool keep : {true, false}) {
        const char* how = keep ? "auto kept" : "auto filled";
        QTest::addRow("LLaMA-Factory's, %s, to llama-factory", how) << QString(lf) << keep << QString("llama-factory") << five;
        QTest::addRow("LLaMA-Factory's, %s, to trainer", how) << QString(lf) << keep << QString("trainer") << five;
        QTest::addRow("LLaMA-Factory's, %s, to axolotl", how) << QString(lf) << keep << QString("axolotl") << QStringList{"micro_batch_size: 1", "num_epochs: 3.0", "lr_scheduler: cosine", "warmup_ratio: 0.1", "optimizer: adamw_torch", "bf16: true"};
        QTest::addRow("axolotl's, %s, to axolotl", how) << QString(axolotl) << keep << QString("axolotl") << fromAxolotl;
        QTest::addRow("axolotl's, %s, to the Trainer", how) << QString(axolotl) << keep << QString("trainer") << QStringList{"per_device_train_batch_size: 2", "optim: paged_adamw_8bit", "lr_scheduler_type: cosine", "warmup_steps: 100"};
    }
}

void TstLaunchArguments::whatTheFileSaidComesBack()
{
    QFETCH(QString, text);
    QFETCH(bool, keepAuto);
    QFETCH(QString, target);
    QFETCH(QStringList, lines);
    std::vector<TransferNote> notes;
    std::vector<std::string> warnings;
    const QStringList out = exported(imported("train.yaml", text.toUtf8().constData(), keepAuto), target.toUtf8().constData(), &notes, &warnings);
    QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());   // judged with the same arguments
    for (const QString& line : lines) QVERIFY2(out.contains(line), qPrintable(line + " is not in\n" + out.join('\n')));
    for (const TransferNote& note : notes) QVERIFY2(note.key == "/gradient_clipping" || note.key == "/fp16/enabled" || note.reason.find("or the default of TrainingArguments counts") == std::string::npos, (note.key + ": " + note.reason).c_str());
}

void TstLaunchArguments::theWarmUpIsSaidOnce_data()
{
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("line");
    const auto row = [](const char* arguments, const char* target, const char* line) { QTest::addRow("%s to %s", arguments, target) << QString(arguments) << QString(target) << QString(line); };
    for (const char* target : {"trainer", "llama-factory"}) {
        row(R"("warmup_ratio": 0.03)", target, "warmup_steps: 0.03");
        row(R"("warmup_ratio": 0.03, "max_steps": 50)", target, "warmup_steps: 2");
        row(R"("warmup_ratio": 0.5, "warmup_steps": 7)", target, "warmup_steps: 7");
    }
    row(R"("warmup_ratio": 0.03)", "axolotl", "warmup_ratio: 0.03");
    row(R"("warmup_steps": 0.03)", "axolotl", "warmup_ratio: 0.03");
    row(R"("warmup_ratio": 0.03, "max_steps": 150)", "axolotl", "warmup_steps: 5");
    row(R"("warmup_ratio": 0.5, "warmup_steps": 7)", "axolotl", "warmup_steps: 7");
    row(R"("warmup_steps": 1)", "axolotl", "warmup_steps: 2");
    row(R"("weight_decay": 0.1)", "axolotl", "warmup_steps: 0");
}

void TstLaunchArguments::theWarmUpIsSaidOnce()
{
    QFETCH(QString, arguments);
    QFETCH(QString, target);
    QFETCH(QString, line);
    const QString workspace = QStringLiteral(R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"},
        "launch": {"launcher": "transformers", "trainer": {%1, "lr_scheduler_type": "linear"}}, "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}}})").arg(arguments);
    std::vector<TransferNote> notes;
    const QStringList out = exported(workspace.toStdString(), target.toUtf8().constData(), &notes);
    QCOMPARE(out.filter("warmup_"), QStringList{line});
    if (line == "warmup_steps: 0.03") QVERIFY(std::any_of(notes.begin(), notes.end(), [](const TransferNote& note) { return note.kind == TransferKind::Warning && note.target == "warmup_steps" && note.reason.find("write warmup_ratio") != std::string::npos; }));
}

void TstLaunchArguments::whatIsExportedStartsTheSameWay_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("launcher");
    for (const char* target : {"trainer", "llama-factory", "axolotl"}) QTest::newRow(target) << QString(target) << QString("transformers");
    for (const char* target : {"accelerate", "accelerate-file", "accelerate-fsdp"}) QTest::newRow(target) << QString(target) << QString("accelerate");
}

void TstLaunchArguments::whatIsExportedStartsTheSameWay()
{
    QFETCH(QString, target);
    QFETCH(QString, launcher);
    const QString text = QStringLiteral(R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"}, "training": {"steps": 100, "seed": 7},
        "launch": {"launcher": "%1"}, "dsConfig": {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 4, "gradient_clipping": 0.5, "bf16": {"enabled": true}, "zero_optimization": {"stage": 2},
            "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 1e-4, "warmup_num_steps": 1}}}})").arg(launcher);
    const auto workspace = parseWorkspace(text.toStdString(), ".");
    QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
    const auto made = exportWorkspace(*workspace, target.toStdString(), "w.json", {}, "en", false);
    QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
    ImportOptions options;
    options.readFile = [&made](const std::string& path) -> Result<std::string> {
        for (const ExportedFile& file : made->files)
            if (file.name == path) return file.text;
        return Error{ErrorCode::NotFound, "it was not exported", {}};
    };
    const auto file = std::find_if(made->files.begin(), made->files.end(), [](const ExportedFile& each) { return each.name != "ds_config.json"; });
    const auto read = importForeignConfig({file->name, file->text}, options);
    QVERIFY2(read.hasValue(), read.hasValue() ? "" : read.error().message.c_str());
    const auto again = importIntoWorkspace(kWorkspace, *read, "w.json");
    QVERIFY2(again.hasValue(), again.hasValue() ? "" : again.error().message.c_str());
    const auto back = parseWorkspace(*again, ".");
    QVERIFY2(back.hasValue(), back.hasValue() ? "" : (back.error().message + *again).c_str());
    const auto startOf = [](const Workspace& which) {
        const auto command = exportWorkspace(which, "command", "w.json", {}, "en", false);
        QString script = command.hasValue() ? QString::fromStdString(command->files.back().text) : QString::fromStdString(command.error().message);
        script.replace(QRegularExpression("(here/ds_config.json\")[^;\n]*"), "\\1");  // the arguments behind it have come from the ds_config
        return script.replace(QRegularExpression("Starts \".*\""), "Starts");
    };
    QCOMPARE(startOf(*back), startOf(*workspace));
    // Judged with the arguments that came back, it is what it was.
    std::vector<std::string> warnings;
    if (launcher == "transformers") {
        const QStringList twice = exported(*again, target.toUtf8().constData(), nullptr, &warnings);
        QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());
        const QStringList once = exported(text.toStdString(), target.toUtf8().constData());
        for (const QString& line : once) QVERIFY2(twice.contains(line), qPrintable(line + " is not in\n" + twice.join('\n')));
        nlohmann::json same = back->dsConfig;
        QCOMPARE(same["train_batch_size"], nlohmann::json(32));  // their product
        same.erase("train_batch_size");
        QCOMPARE(QString::fromStdString(same.dump()), QString::fromStdString(workspace->dsConfig.dump()));
    }
}

void TstLaunchArguments::theCommandHandsThemOn()
{
    const std::string text = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"}, "training": {"steps": 200, "seed": 7}, "layout": {"recompute": "full"},
        "launch": {"launcher": "transformers", "trainer": {"per_device_train_batch_size": 2, "learning_rate": 2e-5, "bf16": true, "max_steps": 100, "warmup_ratio": 0.1, "lr_scheduler_type": "cosine", "model_name_or_path": "m"}},
        "dsConfig": {"train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}}})";
    const QStringList started = exported(text, "command").filter("exec deepspeed");
    QCOMPARE(started.size(), 1);
    QVERIFY2(started.front().contains("\"$@\" --deepspeed \"$here/ds_config.json\" --bf16 true --gradient_accumulation_steps 1 --gradient_checkpointing true --learning_rate 2e-5 --lr_scheduler_type cosine --max_steps 200 --per_device_train_batch_size 2 --seed 7 --warmup_steps 20 ;;"), qPrintable(started.front()));
    const QString head = exported(text, "command").filter("#").join(' ');
    QVERIFY2(head.contains("HfArgumentParser") && head.contains("the model (here m), the data, --output_dir"), qPrintable(head));
    // DeepSpeed's own launcher reads none of them.
    std::string plain = text;
    plain.replace(plain.find("transformers"), 12, "deepspeed");
    QVERIFY(!exported(plain, "command").join('\n').contains("--learning_rate"));
}

void TstLaunchArguments::theCommandFollowsTheDsConfig()
{
    // As it is after its ds_config was changed by hand: the Trainer refuses arguments that say otherwise.
    const std::string text = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"}, "training": {"steps": 500},
        "launch": {"launcher": "transformers", "trainer": {"per_device_train_batch_size": 16, "learning_rate": 2e-5, "warmup_steps": 20, "max_grad_norm": 0.5, "adam_beta2": 0.95}},
        "dsConfig": {"train_batch_size": 64, "train_micro_batch_size_per_gpu": 8, "gradient_accumulation_steps": 2, "gradient_clipping": 0.7, "zero_optimization": {"stage": 2},
            "optimizer": {"type": "AdamW", "params": {"lr": 3e-5, "betas": [0.9, 0.98]}}, "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_min_lr": 0, "warmup_max_lr": 3e-5, "warmup_num_steps": 10, "total_num_steps": 1000}}}})";
    std::vector<TransferNote> notes;
    std::vector<std::string> warnings;
    const QString started = exported(text, "command", &notes, &warnings).filter("exec deepspeed").join(' ');
    for (const char* word : {"--per_device_train_batch_size 8", "--gradient_accumulation_steps 2", "--learning_rate 3e-5", "--adam_beta1 0.9 ", "--adam_beta2 0.98", "--max_grad_norm 0.7", "--warmup_steps 10", "--max_steps 1000"})
        QVERIFY2(started.contains(word), qPrintable(word + ("\n" + started)));
    QVERIFY2(warnings.empty(), warnings.empty() ? "" : warnings.front().c_str());
    for (const char* name : {"per_device_train_batch_size", "learning_rate", "warmup_steps", "max_grad_norm", "adam_beta2"})
        QVERIFY2(std::any_of(notes.begin(), notes.end(), [&](const TransferNote& note) { return note.kind == TransferKind::Dropped && note.key == std::string("launch.trainer.") + name; }), name);
}

void TstLaunchArguments::aSplitThatNoToolHasIsTold()
{
    const QString text = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 8, "device": "h100-80gb"}, "layout": {"dp": 2, "tp": 2, "pp": 2}, "dsConfig": {"train_micro_batch_size_per_gpu": 2%1}})";
    for (const char* target : {"accelerate", "accelerate-file", "accelerate-fsdp", "trainer", "llama-factory", "axolotl"}) {
        const auto told = [&](const QString& layout) {
            std::vector<TransferNote> notes;
            (void)exported(layout.toStdString(), target, &notes);
            const auto found = std::find_if(notes.begin(), notes.end(), [](const TransferNote& note) { return note.key == "layout"; });
            return found == notes.end() ? QString() : QString::fromStdString(found->reason);
        };
        QVERIFY2(told(text.arg(QString())).contains("(pp 2, tp 2)"), target);
        QVERIFY2(told(text.arg(R"(, "tensor_parallel": {"autotp_size": 2})")).contains("(pp 2)"), target);
        QCOMPARE(told(text.arg(QString()).replace(R"({"dp": 2, "tp": 2, "pp": 2})", R"({"dp": 8})")), QString());
    }
}

void TstLaunchArguments::aTrainingWithoutGpusStaysOne()
{
    for (const char* target : {"trainer", "llama-factory"})
        for (const char* device : {"cpu", "h100-80gb"}) {
            const std::string text = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 2, "device": ")" + std::string(device) + R"("}, "dsConfig": {"train_micro_batch_size_per_gpu": 2}})";
            const QStringList out = exported(text, target);
            QCOMPARE(out.contains("use_cpu: true"), device == std::string("cpu"));
            const QString started = exported(QString::fromStdString(text).replace("\"dsConfig\"", R"("launch": {"launcher": "transformers"}, "dsConfig")").toStdString(), "command").filter("exec torchrun").join(' ');
            QCOMPARE(started.contains("--use_cpu true"), device == std::string("cpu"));
            const std::string again = imported("train.yaml", QString(out.join('\n')).replace("ds_config.json", "ds.json").toUtf8().constData(), false);
            const auto back = parseWorkspace(again, ".");
            QVERIFY2(back.hasValue(), again.c_str());
            QCOMPARE(QString::fromStdString(back->hardware.device), QString(device));
        }
}

void TstLaunchArguments::axolotlTrainsAsLongAsTheTrainer()
{
    const auto epochsOf = [](const char* more) {
        return exported(std::string(R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "dsConfig": {"train_micro_batch_size_per_gpu": 2}, )") + more + "}", "axolotl").filter("num_epochs").join(' ');
    };
    QCOMPARE(epochsOf(R"("launch": {"launcher": "transformers"})"), QString("num_epochs: 3.0"));
    QCOMPARE(epochsOf(R"("launch": {"launcher": "transformers"}, "training": {"steps": 10})"), QString());
    QCOMPARE(epochsOf(R"("launch": {"launcher": "transformers"}, "training": {"epochs": 2})"), QString("num_epochs: 2.0"));
    QCOMPARE(epochsOf(R"("launch": {"launcher": "deepspeed"})"), QString());
}

void TstLaunchArguments::theDsConfigCounts()
{
    const std::string text = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"}, "training": {"steps": 50},
        "launch": {"launcher": "transformers", "trainer": {"learning_rate": 1e-3, "optim": "adafactor", "lr_scheduler_type": "cosine", "max_steps": 70, "weight_decay": 0.1, "fp16": true}},
        "dsConfig": {"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "weight_decay": "auto"}},
                     "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 10}}, "zero_optimization": {"stage": 2}}})";
    std::vector<TransferNote> notes;
    const QStringList out = exported(text, "trainer", &notes);
    for (const char* line : {"learning_rate: 1.0e-4", "weight_decay: 0.1", "max_steps: 50", "bf16: true", "warmup_steps: 10"}) QVERIFY2(out.contains(line), qPrintable(line + ("\n" + out.join('\n'))));
    for (const char* word : {"adafactor", "cosine", "fp16"}) QVERIFY2(!out.join('\n').contains(word), word);
    for (const char* name : {"learning_rate", "optim", "lr_scheduler_type", "max_steps", "fp16"})
        QVERIFY2(std::any_of(notes.begin(), notes.end(), [&](const TransferNote& note) { return note.kind == TransferKind::Dropped && note.key == std::string("launch.trainer.") + name; }), name);
}

void TstLaunchArguments::acceleratesOwnWordsAreTranslated()
{
    const std::string text = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"},
        "launch": {"launcher": "accelerate", "trainer": {"mixed_precision": "bf16", "zero_stage": 3, "gradient_clipping": 0.5, "gradient_accumulation_steps": 2}},
        "dsConfig": {"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": "auto"}}})";
    const auto workspace = parseWorkspace(text, ".");
    QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
    const auto made = exportWorkspace(*workspace, "trainer", "w.json", {}, "en", false);
    QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
    const QStringList out = QString::fromStdString(made->files.back().text).split('\n');
    for (const char* line : {"bf16: true", "max_grad_norm: 0.5", "gradient_accumulation_steps: 2"}) QVERIFY2(out.contains(line), qPrintable(out.join('\n')));
    QVERIFY2(made->files.front().text.find("\"stage\": 3") != std::string::npos, made->files.front().text.c_str());
}

namespace {

/// A workspace whose ds_config leaves to its launcher what that can fill.
std::string openWorkspace(const char* launcher, const char* trainer)
{
    return std::string(R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"nodes": 1, "devicesPerNode": 4, "device": "h100-80gb"}, "launch": {"launcher": ")") + launcher + R"(", "trainer": )" + trainer + R"(},
        "dsConfig": {"train_batch_size": "auto", "train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "gradient_clipping": "auto", "bf16": {"enabled": "auto"}, "fp16": {"enabled": "auto"},
                     "optimizer": {"type": "AdamW", "params": {"lr": "auto", "weight_decay": 0.1}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": "auto"}},
                     "zero_optimization": {"stage": "auto", "offload_optimizer": {"device": "auto"}, "offload_param": {"device": "none"}, "stage3_gather_16bit_weights_on_model_save": "auto"}}})";
}

std::string noteOf(const std::vector<TransferNote>& notes, const std::string& key)
{
    const auto found = std::find_if(notes.begin(), notes.end(), [&](const TransferNote& note) { return note.key == key; });
    return found == notes.end() ? "none" : std::string(transferKindName(found->kind)) + ": " + found->reason;
}

}  // namespace

void TstLaunchArguments::accelerateFillsFromItsOptions()
{
    const std::string text = openWorkspace("accelerate", R"({"mixed_precision": "bf16", "zero_stage": 3, "gradient_clipping": 0.5, "gradient_accumulation_steps": 2, "offload_optimizer_device": "cpu",
        "offload_param_device": "cpu", "zero3_save_16bit_model": true, "per_device_train_batch_size": 4, "optim": "adafactor"})");
    std::vector<TransferNote> notes;
    const QStringList fields = exported(text, "accelerate", &notes);
    for (const char* line : {"  gradient_accumulation_steps: 2", "  gradient_clipping: 0.5", "  zero_stage: 3", "  offload_optimizer_device: cpu", "  offload_param_device: none", "  zero3_save_16bit_model: true", "mixed_precision: bf16"})
        QVERIFY2(fields.contains(line), qPrintable(line + ("\n" + fields.join('\n'))));
    QVERIFY2(noteOf(notes, "/train_micro_batch_size_per_gpu").find("batch_size=4") != std::string::npos, noteOf(notes, "/train_micro_batch_size_per_gpu").c_str());

    const QString file = exported(text, "accelerate-file", &notes).join(' ').simplified();
    for (const char* part : {R"("gradient_accumulation_steps": 2)", R"("gradient_clipping": 0.5)", R"("bf16": { "enabled": true })", R"("fp16": { "enabled": false })", R"("stage": 3)", R"("device": "cpu")", R"("device": "none")",
                             R"("stage3_gather_16bit_weights_on_model_save": true)", R"("train_batch_size": "auto")", R"("train_micro_batch_size_per_gpu": "auto")", R"("lr": "auto")"})
        QVERIFY2(file.contains(part), qPrintable(part + ("\n" + file)));
    QVERIFY2(noteOf(notes, "launch.trainer.zero_stage").starts_with("changed: Written in the place of"), noteOf(notes, "launch.trainer.zero_stage").c_str());
    QCOMPARE(noteOf(notes, "launch.trainer.offload_param_device"), std::string("dropped: Not used: accelerate fills only an \"auto\", and /zero_optimization/offload_param/device is \"none\"."));
    QVERIFY2(noteOf(notes, "launch.trainer.optim").starts_with("dropped: accelerate's file has no place"), noteOf(notes, "launch.trainer.optim").c_str());
    QVERIFY2(noteOf(notes, "/train_micro_batch_size_per_gpu").find("DataLoader(batch_size=4)") != std::string::npos, noteOf(notes, "/train_micro_batch_size_per_gpu").c_str());
    QVERIFY2(noteOf(notes, "/optimizer/params/lr").find("DummyOptim(lr=...)") != std::string::npos, noteOf(notes, "/optimizer/params/lr").c_str());

    // Its "no" is an answer too, and nothing said is none.
    QVERIFY(exported(openWorkspace("accelerate", R"({"mixed_precision": "no"})"), "accelerate-file").join(' ').simplified().contains(R"("bf16": { "enabled": false })"));
    QVERIFY(exported(openWorkspace("accelerate", "{}"), "accelerate-file").join(' ').simplified().contains(R"("bf16": { "enabled": "auto" })"));
}

void TstLaunchArguments::whatTheScriptFillsIsToldWithItsValue()
{
    const char* const arguments = R"({"bf16": true, "max_grad_norm": 0.7, "learning_rate": 2e-5, "warmup_steps": 30, "per_device_train_batch_size": 4})";
    std::vector<TransferNote> notes;
    const QString file = exported(openWorkspace("transformers", arguments), "accelerate-file", &notes).join(' ').simplified();
    QVERIFY2(file.contains(R"("gradient_clipping": 0.7)") && file.contains(R"("bf16": { "enabled": true })") && file.contains(R"("lr": "auto")"), qPrintable(file));
    for (const auto& [key, said] : {std::pair{"/optimizer/params/lr", "--learning_rate 2e-5"}, std::pair{"/scheduler/params/warmup_num_steps", "--warmup_steps 30"}, std::pair{"/train_micro_batch_size_per_gpu", "--per_device_train_batch_size 4"}})
        QVERIFY2(noteOf(notes, key).find(said) != std::string::npos, noteOf(notes, key).c_str());
}

void TstLaunchArguments::stepsNobodyWroteAreNotExported()
{
    const std::string head = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "dsConfig": {"train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}})";
    QVERIFY(!exported(head + "}", "llama-factory").join('\n').contains("max_steps"));
    QVERIFY(exported(head + R"(, "training": {"steps": 100}})", "llama-factory").contains("max_steps: 100"));
}

void TstLaunchArguments::whatNoWorkspaceKeepsIsTold()
{
    std::vector<TransferNote> notes;
    (void)exported(R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "dsConfig": {"train_micro_batch_size_per_gpu": 2}})", "llama-factory", &notes);
    QVERIFY(std::any_of(notes.begin(), notes.end(), [](const TransferNote& note) { return note.target == "stage, finetuning_type" && note.reason.find("sft and full") != std::string::npos; }));
}

void TstLaunchArguments::theModelsNameOnTheHubComesBack()
{
    // With what fills "auto" beside it, and where there is nothing to fill.
    for (const char* dsConfig : {kAuto, R"({"train_micro_batch_size_per_gpu": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2}})"})
        for (const bool keep : {true, false}) {
            const std::string workspace = imported("lf.yaml", "stage: sft\nmodel_name_or_path: Qwen/Qwen2.5-7B\ndeepspeed: ds.json\nlr_scheduler_type: constant\n", keep, dsConfig);
            QVERIFY2(exported(workspace, "llama-factory").contains("model_name_or_path: Qwen/Qwen2.5-7B"), workspace.c_str());
            QVERIFY(exported(workspace, "axolotl").contains("base_model: Qwen/Qwen2.5-7B"));
        }
}

QTEST_GUILESS_MAIN(TstLaunchArguments)
#include "tst_launch_arguments.moc"
