// SPDX-License-Identifier: GPL-3.0-or-later
// What the tutorials show of ds_config, walked row by row: every block opens and is judged as it stands, every key they name
// is known and explained, and what they got wrong has a repaired twin that loads.
#include "config/check.h"
#include "config/json_document.h"
#include "config/json_edit.h"
#include "config/key_catalog.h"
#include "config/preset_catalog.h"
#include "importers/foreign_config.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QtTest>

#include <algorithm>

using namespace stagecraft;
using nlohmann::json;

namespace {

/// The printed blocks: rows of seed_configs.jsonl with a "block", which says of it whether it parses per rank count, at which
/// level it is refused, whether it is a fragment of a config, and how it reads when put right.
std::vector<json> tutorialConfigs()
{
    QFile file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + "/tests/data/seed_configs.jsonl");
    if (!file.open(QIODevice::ReadOnly)) qFatal("cannot read the tutorials' configs");
    std::vector<json> rows;
    for (QByteArray line = file.readLine(); !line.isEmpty(); line = file.readLine()) {
        const json row = json::parse(line.toStdString());
        if (!row.contains("block")) continue;
        rows.push_back(row["block"]);
        rows.back()["id"] = row["id"];
        rows.back()["text"] = row["text"];
    }
    return rows;
}

CheckAnswer answerFor(const std::string& text, int world = 1, const std::string& release = {})
{
    CheckContext context;
    context.world = world;
    context.release = release;
    auto answer = checkConfig(text, context);
    if (!answer.hasValue()) qFatal("%s", answer.error().message.c_str());
    return answer.value();
}

const char* levelOf(const CheckAnswer& answer) { return answer.level.has_value() ? checkLevelName(*answer.level) : "ok"; }

/// The text with one member added at the top, as merging a micro-batch into a fragment does.
std::string withMicroBatch(const std::string& text)
{
    const auto document = JsonDocument::parse(text);
    if (!document.hasValue()) qFatal("%s", document.error().message.c_str());
    const auto edit = setEdit(document.value(), "/train_micro_batch_size_per_gpu", "1");
    if (!edit.hasValue()) qFatal("%s", edit.error().message.c_str());
    return applyEdits(text, {edit.value()});
}

}  // namespace

class TstSeedRowsConfig : public QObject {
    Q_OBJECT
private slots:
    void tutorialConfigsAreJudged();
    void fragmentsMerge();
    void repairedTwinsLoad();
    void batchTriangle_data();
    void batchTriangle();
    void keysAreKnown_data();
    void keysAreKnown();
    void crossFieldRules_data();
    void crossFieldRules();
    void relaxedFilesSayWhoReadsThem();
    void trainerMismatchIsFound();
};

void TstSeedRowsConfig::tutorialConfigsAreJudged()  // S31, S61, CFG-*
{
    int count = 0;
    for (const json& row : tutorialConfigs()) {
        const std::string id = row["id"], text = row["text"];
        ++count;
        const json verdicts = row.value("parse", json::object());
        for (const auto& [world, verdict] : verdicts.items()) {
            QVERIFY2(answerFor(text, std::stoi(world)).parseOk == (verdict == "ok"), (id + " on " + world).c_str());
        }
        if (row.contains("level")) {
            const CheckAnswer answer = answerFor(text);
            QVERIFY2(row["level"] == levelOf(answer), (id + ": " + levelOf(answer)).c_str());
        }
        if (row.value("fragment", false)) {
            QVERIFY2(!answerFor(text).parseOk, id.c_str());
            const CheckAnswer whole = answerFor(withMicroBatch(text));
            QVERIFY2(whole.parseOk, id.c_str());
        }
        for (const json& pointer : row.value("ignored", json::array())) {
            const CheckAnswer answer = answerFor(text, 4);
            QVERIFY2(std::find(answer.ignored.begin(), answer.ignored.end(), pointer.get<std::string>()) != answer.ignored.end(), (id + pointer.dump()).c_str());
        }
        // Opening it as a file either works or says the line.
        const auto imported = importForeignConfig({"ds_config.json", text}, {});
        QVERIFY2(imported.hasValue() == (row.value("level", "") != "load"), id.c_str());
        if (imported.hasValue()) QCOMPARE(QString::fromStdString(imported->dsConfigText), QString::fromStdString(text));
        else QVERIFY2(imported.error().context.count("line") == 1, id.c_str());
    }
    QVERIFY(count >= 26);
}

void TstSeedRowsConfig::fragmentsMerge()  // S62
{
    const std::string base = "{\n  \"train_micro_batch_size_per_gpu\": 2,  // mine\n  \"zero_optimization\": {\"stage\": 1, \"overlap_comm\": false}\n}\n";
    const auto document = JsonDocument::parse(base);
    QVERIFY(document.hasValue());
    int merged = 0;
    for (const json& row : tutorialConfigs()) {
        if (!row.value("fragment", false)) continue;
        auto fragment = JsonDocument::parse(row["text"].get<std::string>());
        QVERIFY(fragment.hasValue());
        ConfigPreset preset;
        preset.config = std::make_shared<JsonDocument>(std::move(fragment.value()));
        const auto text = mergePreset(document.value(), preset);
        QVERIFY2(text.hasValue(), row["id"].get<std::string>().c_str());
        QVERIFY(text.value().find("// mine") != std::string::npos);
        const auto after = JsonDocument::parse(text.value());
        QVERIFY(after.hasValue());
        for (const PresetChange& change : presetChanges(document.value(), preset)) QVERIFY2(after->find(change.pointer) >= 0, change.pointer.c_str());
        QVERIFY2(answerFor(text.value()).parseOk || row["id"] == "CFG-000-915", row["id"].get<std::string>().c_str());  // 915: a section 0.19.8 has removed
        ++merged;
    }
    QVERIFY(merged >= 10);
}

void TstSeedRowsConfig::repairedTwinsLoad()  // S64
{
    int repaired = 0;
    for (const json& row : tutorialConfigs()) {
        if (!row.contains("corrected")) continue;
        const std::string twin = row["corrected"].dump();
        const bool loads = answerFor(twin, 1).parseOk || answerFor(twin, 4).parseOk;
        QVERIFY2(loads && !answerFor(row["text"], 4).parseOk, row["id"].get<std::string>().c_str());
        ++repaired;
    }
    QVERIFY(repaired >= 6);
}

void TstSeedRowsConfig::batchTriangle_data()  // S32, BATCH-*
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<int>("world");
    QTest::addColumn<QString>("resolved");  // empty = refused
    const auto row = [](const char* name, const char* text, int world, const char* resolved) { QTest::newRow(name) << QString(text) << world << QString(resolved); };
    row("128 = 4 x 8 on 4", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})", 4, "128 4 8");
    row("128 is not 4 x 8 on 8", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 8})", 8, "");
    row("128 = 2 x 8 on 8", R"({"train_batch_size": 128, "train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 8})", 8, "128 2 8");
    row("512 = 1 x 128 on 4", R"({"train_batch_size": 512, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 128})", 4, "512 1 128");
    row("512 is not 1 x 128 on 64", R"({"train_batch_size": 512, "train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 128})", 64, "");
    row("32 in parts of 4 on 1", R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4})", 1, "32 4 8");
    row("32 in parts of 4 on 8", R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4})", 8, "32 4 1");
    row("32 in parts of 4 on 16", R"({"train_batch_size": 32, "train_micro_batch_size_per_gpu": 4})", 16, "");
    row("256 in 8 steps on 8", R"({"train_batch_size": 256, "gradient_accumulation_steps": 8})", 8, "256 4 8");
    row("32 in one step on 4", R"({"train_batch_size": 32, "gradient_accumulation_steps": 1})", 4, "32 8 1");
    row("32 in one step on 64", R"({"train_batch_size": 32, "gradient_accumulation_steps": 1})", 64, "");
    row("a micro-batch alone", R"({"train_micro_batch_size_per_gpu": 3})", 5, "15 3 1");
}

void TstSeedRowsConfig::batchTriangle()
{
    QFETCH(QString, text);
    QFETCH(int, world);
    QFETCH(QString, resolved);
    const CheckAnswer answer = answerFor(text.toStdString(), world);
    QString found;
    if (answer.parseOk && answer.resolved.has_value()) {
        const auto number = [](const BatchNumber& n) { return QString::fromStdString(batchNumberText(n)); };
        found = number(answer.resolved->trainBatchSize) + " " + number(answer.resolved->micro) + " " + number(answer.resolved->gas);
    }
    QCOMPARE(found, resolved);
}

void TstSeedRowsConfig::keysAreKnown_data()  // S33-S59: the sample values of the tutorials
{
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("value");
    const auto row = [](const char* id, const char* pointer, const char* value) { QTest::addRow("%s %s = %s", id, pointer, value) << QString(pointer) << QString(value); };
    row("S33", "/gradient_clipping", "1.0");
    for (const auto& [key, value] : std::initializer_list<std::pair<const char*, const char*>>{{"enabled", "true"}, {"loss_scale", "0"}, {"loss_scale_window", "1000"}, {"initial_scale_power", "16"}, {"hysteresis", "2"}, {"min_loss_scale", "1"}}) {
        row("S34", (std::string("/fp16/") + key).c_str(), value);
    }
    row("S35", "/bf16/enabled", "true");
    for (const char* stage : {"0", "1", "2", "3"}) row("S36", "/zero_optimization/stage", stage);
    for (const char* block : {"offload_optimizer", "offload_param"}) {
        const std::string at = std::string("/zero_optimization/") + block;
        for (const char* device : {"\"none\"", "\"cpu\"", "\"nvme\""}) row("S37, S38", (at + "/device").c_str(), device);
        row("S37, S38", (at + "/nvme_path").c_str(), "\"/local_nvme\"");
        row("S37, S38", (at + "/pin_memory").c_str(), "true");
        row("S37, S38", (at + "/buffer_count").c_str(), "5");
    }
    row("S37", "/zero_optimization/offload_optimizer/fast_init", "false");
    row("S38", "/zero_optimization/offload_param/max_in_cpu", "1e9");
    row("S39", "/aio/block_size", "1048576");
    row("S39", "/aio/queue_depth", "8");
    row("S39", "/aio/single_submit", "false");
    row("S39", "/aio/overlap_events", "true");
    row("S40", "/zero_optimization/overlap_comm", "true");
    row("S40", "/zero_optimization/contiguous_gradients", "true");
    row("S41", "/zero_optimization/reduce_bucket_size", "5e8");
    row("S41", "/zero_optimization/allgather_bucket_size", "2e8");
    row("S42", "/zero_optimization/allgather_partitions", "true");
    row("S42", "/zero_optimization/reduce_scatter", "true");
    row("S43", "/zero_optimization/sub_group_size", "1e9");
    row("S44", "/zero_optimization/stage3_prefetch_bucket_size", "5e7");
    row("S45", "/zero_optimization/stage3_param_persistence_threshold", "1e4");
    row("S46", "/zero_optimization/stage3_max_live_parameters", "1e9");
    row("S46", "/zero_optimization/stage3_max_reuse_distance", "3e7");
    row("S47", "/zero_optimization/stage3_gather_16bit_weights_on_model_save", "true");
    row("S47", "/zero_optimization/gather_16bit_weights_on_model_save", "true");
    row("S48", "/zero_optimization/memory_efficient_linear", "false");
    row("S48", "/prescale_gradients", "false");
    row("S52", "/pipeline/stages", "4");
    row("S53", "/tensor_parallel/autotp_size", "4");
    row("S55", "/activation_checkpointing/partition_activations", "true");
    row("S56", "/flops_profiler/enabled", "false");
    row("S56", "/flops_profiler/profile_step", "1");
    row("S57", "/wall_clock_breakdown", "true");
    row("S57", "/steps_per_print", "10");
    row("S58", "/hybrid_engine/max_out_tokens", "512");
    row("S58", "/hybrid_engine/inference_tp_size", "1");
    row("S59", "/tensorboard/output_path", "\"tb_path\"");
    row("S59", "/tensorboard/job_name", "\"tb_name\"");
}

void TstSeedRowsConfig::keysAreKnown()
{
    QFETCH(QString, pointer);
    QFETCH(QString, value);
    const KeyCatalog& catalog = KeyCatalog::standard();
    const int key = catalog.find(pointer.toStdString());
    QVERIFY(key >= 0);
    QVERIFY(!catalog.key(key).what.en.empty() && !catalog.key(key).what.zh.empty());
    std::string text = R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}})";
    if (pointer.contains("/device")) text = R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3, "offload_optimizer": {"nvme_path": "/n"}, "offload_param": {"nvme_path": "/n"}}})";
    const auto document = JsonDocument::parse(text);
    const auto edit = setEdit(document.value(), pointer.toStdString(), value.toStdString());
    QVERIFY(edit.hasValue());
    const CheckAnswer answer = answerFor(applyEdits(text, {edit.value()}));
    QString why;
    for (const CheckFinding& finding : answer.findings) why += QString::fromStdString(finding.pointer + ": " + finding.message + "\n");
    QVERIFY2(answer.parseOk, qPrintable(why));
}

void TstSeedRowsConfig::crossFieldRules_data()  // S35, S39, S47, S53, S54, S55, S67
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<bool>("fix");
    const auto row = [](const char* name, const char* text, const char* rule, bool fix) { QTest::newRow(name) << QString(text) << QString(rule) << fix; };
    row("aio inside zero_optimization", R"({"train_batch_size": 1, "zero_optimization": {"stage": 3, "aio": {"block_size": 1048576}}})", "R70", true);
    row("fp16 and bf16", R"({"train_batch_size": 1, "fp16": {"enabled": true}, "bf16": {"enabled": true}})", "", true);
    row("tp_size", R"({"train_batch_size": 1, "tensor_parallel": {"tp_size": 4}})", "R65", true);
    row("curriculum_learning", R"({"train_batch_size": 1, "curriculum_learning": {"enabled": true}})", "release.removed", true);
    row("partition_grad", R"({"train_batch_size": 1, "activation_checkpointing": {"partition_grad": true}})", "R12", false);
    row("a batch that does not divide", R"({"train_batch_size": 3, "train_micro_batch_size_per_gpu": 2})", "R7", true);
}

void TstSeedRowsConfig::crossFieldRules()
{
    QFETCH(QString, text);
    QFETCH(QString, rule);
    QFETCH(bool, fix);
    const CheckAnswer answer = answerFor(text.toStdString());
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return rule.isEmpty() ? finding.severity == CheckSeverity::Error : finding.rule == rule.toStdString(); });
    QVERIFY(found != answer.findings.end());
    QVERIFY(found->message.size() > 20 && found->line > 0);
    if (!fix || found->fix.empty()) return;  // a fix is offered where a safe one exists
    const auto document = JsonDocument::parse(text.toStdString());
    const auto edits = patchEdits(document.value(), json::parse(found->fix));
    QVERIFY2(edits.hasValue(), found->fix.c_str());
    const CheckAnswer after = answerFor(applyEdits(text.toStdString(), edits.value()));
    QVERIFY2(std::none_of(after.findings.begin(), after.findings.end(), [&](const CheckFinding& finding) { return finding.rule == found->rule && finding.pointer == found->pointer; }), found->fix.c_str());
}

void TstSeedRowsConfig::relaxedFilesSayWhoReadsThem()  // S61
{
    const CheckAnswer deepspeed = answerFor("{\"train_batch_size\": 1, // one\n}");
    QVERIFY(deepspeed.parseOk);
    QVERIFY(std::any_of(deepspeed.findings.begin(), deepspeed.findings.end(), [](const CheckFinding& finding) { return finding.rule == "R2"; }));
    CheckContext trainer;
    trainer.launcher = CheckLauncher::Transformers;
    QVERIFY(std::string(levelOf(checkConfig("{\"train_batch_size\": 1, // one\n}", trainer).value())) == "load");
}

void TstSeedRowsConfig::trainerMismatchIsFound()  // S172, CODE-HF-MISMATCH
{
    ImportOptions options;
    options.ranks = 4;
    options.readFile = [](const std::string&) -> Result<std::string> {
        for (const json& row : tutorialConfigs()) {
            if (row["id"] == "CFG-000-159") return row["text"].get<std::string>();
        }
        return Error{ErrorCode::NotFound, "not there", {}};
    };
    const auto imported = importForeignConfig({"train.py", "training_args = TrainingArguments(\n    output_dir=\"./llama-7b-alpaca-deepspeed\",\n    per_device_train_batch_size=4,\n    gradient_accumulation_steps=8,\n"
                                                           "    num_train_epochs=3,\n    learning_rate=2e-5,\n    deepspeed=\"./ds_config_zero3.json\",\n    fp16=True,\n    report_to=\"tensorboard\",\n)\n"}, options);
    QVERIFY2(imported.hasValue(), imported.hasValue() ? "" : imported.error().message.c_str());
    for (const char* pointer : {"/optimizer/params/lr", "/optimizer/params/weight_decay", "/scheduler/params/warmup_max_lr", "/scheduler/params/warmup_num_steps"}) {
        QVERIFY2(std::any_of(imported->notes.begin(), imported->notes.end(), [&](const TransferNote& note) { return note.kind == TransferKind::Warning && note.key == pointer; }), pointer);
    }
    const auto answer = checkConfig(imported->dsConfigSource, imported->context);
    // Four values, and steps_per_print, which the Trainer has DeepSpeed print never.
    const auto told = [&](bool print) { return std::count_if(answer->findings.begin(), answer->findings.end(), [print](const CheckFinding& finding) { return finding.rule == "R105" && (finding.pointer == "/steps_per_print") == print; }); };
    QCOMPARE(told(false), std::ptrdiff_t{4});
    QCOMPARE(told(true), std::ptrdiff_t{1});
}

QTEST_GUILESS_MAIN(TstSeedRowsConfig)
#include "tst_seed_rows_config.moc"
