// SPDX-License-Identifier: GPL-3.0-or-later
// Plain words of the field for settings, names that no key is explained by, and texts in the place of switches.
#include "config/check.h"
#include "config/rules/misnomers.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

CheckAnswer answerFor(const QString& text, const char* release = "", bool pipeline = false)
{
    CheckContext context;
    context.release = release;
    context.pipelineModel = pipeline;
    return checkConfig(text.toStdString(), context).value();
}

QString job(const QString& rest)
{
    return QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, %1})").arg(rest);
}

const CheckFinding* at(const CheckAnswer& answer, const QString& pointer)
{
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer.toStdString(); });
    return found == answer.findings.end() ? nullptr : &*found;
}

}  // namespace

class TstCheckNames : public QObject {
    Q_OBJECT

private slots:
    void plainWords_data();
    void plainWords();
    void noKeyIsExplainedByItself_data();
    void noKeyIsExplainedByItself();
    void textsThatActAsTrue_data();
    void textsThatActAsTrue();
    void slipsOfTheKeyboard();
    void wordsWithNothingInCommon();
    void namesInOtherLetters_data();
    void namesInOtherLetters();
};

void TstCheckNames::plainWords_data()
{
    QTest::addColumn<QString>("member");
    QTest::addColumn<QString>("words");  // separated by |
    QTest::addColumn<QString>("after");  // "pointer=value" after the fix; empty = no fix
    const auto row = [](const char* member, const char* words, const char* after) { QTest::newRow(member) << QString(member) << QString(words) << QString(after); };
    row(R"("zero3": {"stage": 3})", "zero_optimization", "/zero_optimization/stage=3");
    row(R"("zero3": {"overlap_comm": true})", "zero_optimization", "/zero_optimization/stage=3");
    row(R"("zero_stage2": true)", "zero_optimization.stage: 2", "/zero_optimization/stage=2");
    row(R"("ZeRO": {"stage": 1})", "zero_optimization", "/zero_optimization/stage=1");
    row(R"("reshard_after_forward": true)", "zero_optimization.stage: 3", "/zero_optimization/stage=3");
    row(R"("zero_optimization.stage": 2)", "write \"stage\" in \"zero_optimization\"", "/zero_optimization/stage=2");
    row(R"("bfloat16_enabled": true)", "bf16.enabled", "/bf16/enabled=true");
    row(R"("bf_16": {"enabled": true})", "called bf16", "/bf16/enabled=true");
    row(R"("fp_16_enabled": true)", "fp16.enabled", "/fp16/enabled=true");
    row(R"("Float16": {"enabled": true})", "called fp16", "/fp16/enabled=true");
    row(R"("precision": "amp_bf16")", "bf16.enabled", "/bf16/enabled=true");
    row(R"("adam_beta1": 0.9)", "optimizer.params.betas", "");
    row(R"("total_steps": 100)", "training script", "");
    row(R"("pipeline_model_parallel_size": 2)", "training script", "");
    row(R"("devices": 8)", "launcher", "");
    row(R"("mini_batch_size": 4)", "train_batch_size, train_micro_batch_size_per_gpu", "");
    row(R"("reduce_dtype": "fp32")", "communication_data_type, data_types.grad_accum_dtype", "");
    row(R"("offload": {"device": "cpu"})", "zero_optimization.offload_optimizer, zero_optimization.offload_param", "");
    row(R"("grad_accum": 4)", "gradient_accumulation_steps", "/gradient_accumulation_steps=4");
    row(R"("grad-accum-steps": 4)", "gradient_accumulation_steps", "/gradient_accumulation_steps=4");
    row(R"("autotp_size": 1)", "tensor_parallel.autotp_size", "/tensor_parallel/autotp_size=1");
    row(R"("async_io": {"block_size": 1048576})", "called aio", "/aio/block_size=1048576");
    row(R"("offload_ratio": 0.5)", "offload_optimizer.ratio", "");  // of an offload that is not there
    row(R"("wandb_project": "a")", "wandb.project", "/wandb/project=\"a\"");
    row(R"("logging": {"steps_per_print": 10})", "top level: steps_per_print", "/steps_per_print=10");
    row(R"("activation_checkpointing": {"enabled": true})", "training script", "");
    row(R"("allgather_size": 5e8)", "allgather_bucket_size", "");  // of a stage that is not there
    row(R"("use_data_before_expert_parallel": true)", "Probably use_data_before_expert_parallelism is meant", "/use_data_before_expert_parallelism=true");
    row(R"("use_data_before_expert_parallel_": true)", "Probably use_data_before_expert_parallelism is meant", "/use_data_before_expert_parallelism=true");
    row(R"("sequence-parallel-size": 1)", "Probably sequence_parallel_size is meant", "/sequence_parallel_size=1");
    row(R"("sequence_parallel": 1)", "Probably sequence_parallel_size is meant", "/sequence_parallel_size=1");
    row(R"("data_parallel_size": 2)", "together with \"sequence_parallel_size\"", "");
}

void TstCheckNames::plainWords()
{
    QFETCH(QString, member);
    QFETCH(QString, words);
    QFETCH(QString, after);
    const QString text = job(member);
    const CheckAnswer answer = answerFor(text);
    QString key = "/" + member.section('"', 1, 1);
    if (key == "/activation_checkpointing") key += "/enabled";
    const CheckFinding* finding = at(answer, key);
    QVERIFY2(finding != nullptr, qPrintable(key));
    for (const QString& word : words.split('|')) QVERIFY2(finding->message.find(word.toStdString()) != std::string::npos, finding->message.c_str());
    QVERIFY(!finding->safe);
    QCOMPARE(finding->fix.empty(), after.isEmpty());
    if (after.isEmpty()) return;
    const Json patched = Json::parse(text.toStdString()).patch(Json::parse(finding->fix));
    QCOMPARE(QString::fromStdString(patched.at(Json::json_pointer(after.section('=', 0, 0).toStdString())).dump()), after.section('=', 1));
}

void TstCheckNames::noKeyIsExplainedByItself_data()
{
    QTest::addColumn<QString>("release");
    for (const char* release : {"0.16.9", "0.19.8"}) QTest::newRow(release) << QString(release);
}

/// Every name of the data, written in every section: what a message calls the setting that is meant is never the key it stands at.
void TstCheckNames::noKeyIsExplainedByItself()
{
    QFETCH(QString, release);
    QSet<QString> names;
    const QDir keys(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR") + QStringLiteral("/configs/ds_config/keys"));
    for (const QString& name : keys.entryList({"*.json"})) {
        QFile file(keys.filePath(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json root = Json::parse(file.readAll().toStdString());
        for (const Json& key : root.at("keys")) names.insert(QString::fromStdString(key.at("key").get<std::string>()).section('/', -1));
    }
    names.remove("*");
    QVERIFY(names.size() > 200);
    const QStringList all(names.begin(), names.end());
    for (const char* section : {"", "zero_optimization", "activation_checkpointing", "data_types"}) {
        for (int first = 0; first < all.size(); first += 40) {
            QStringList members;
            for (const QString& name : all.mid(first, 40)) {
                if (*section != '\0' || (name != "train_batch_size" && name != "optimizer")) members << QStringLiteral("\"%1\": 7").arg(name);
            }
            const QString inside = members.join(", ");
            const CheckAnswer answer = answerFor(job(*section == '\0' ? inside : QStringLiteral("\"%1\": {%2}").arg(QString(section), inside)), qPrintable(release));
            for (const CheckFinding& finding : answer.findings) {
                if (finding.rule != "R10" && finding.rule != "R11" && finding.rule != "R12") continue;
                const QString here = QString::fromStdString(finding.pointer).mid(1).replace('/', '.');
                const QString message = QString::fromStdString(finding.message);
                const QRegularExpression itself("(called|Probably) " + QRegularExpression::escape(here) + "(\\.$|\\. |,| is meant)");
                QVERIFY2(!message.contains(itself), qPrintable(message));
            }
        }
    }
}

void TstCheckNames::textsThatActAsTrue_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("fix");  // the value it writes
    const auto row = [](const char* name, const QString& text, const char* pointer, const char* release, const char* fix) { QTest::newRow(name) << text << QString(pointer) << QString(release) << QString(fix); };
    row("groups of experts", job(R"("expert_parallel": {"enabled": true, "use_grouped_mm": "false"})"), "/expert_parallel/use_grouped_mm", "", "false");
    const auto adam = [](const char* parameter) { return QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5, %1}}})").arg(QString(parameter)); };
    row("stairs", job(R"("scheduler": {"type": "LRRangeTest", "params": {"lr_range_test_staircase": "false"}})"), "/scheduler/params/lr_range_test_staircase", "", "false");
    row("stairs, misspelt", job(R"("scheduler": {"type": "LRRangeTest", "params": {"lr_range_test_staircase": "flase"}})"), "/scheduler/params/lr_range_test_staircase", "", "false");
    row("recomputation of a pipeline", job(R"("pipeline": {"use_reentrant": "false"})"), "/pipeline/use_reentrant", "", "false");
    row("recomputation of a pipeline, by a number", job(R"("pipeline": {"use_reentrant": 0})"), "/pipeline/use_reentrant", "", "false");
    row("bias correction", adam(R"("bias_correction": "false")"), "/optimizer/params/bias_correction", "", "false");
    row("all tensors at once", adam(R"("torch_adam": true, "foreach": "false")"), "/optimizer/params/foreach", "", "false");
    row("specs of tensor parallelism", job(R"("tensor_parallel": {"autotp_size": 1, "partition_config": {"use_default_specs": "no"}})"), "/tensor_parallel/partition_config/use_default_specs", "", "false");
    row("layers left out", job(R"("compression_training": {"layer_reduction": {"enabled": "false", "keep_number_layer": 2}})"), "/compression_training/layer_reduction/enabled", "0.19.6", "false");
    row("elastic batches", R"({"optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, "elasticity": {"enabled": true, "max_train_batch_size": 100, "micro_batch_sizes": [2, 4], "version": 0.1, "prefer_larger_batch": "off"}})", "/elasticity/prefer_larger_batch", "0.19.6", "false");
}

void TstCheckNames::textsThatActAsTrue()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, release);
    QFETCH(QString, fix);
    const CheckAnswer answer = answerFor(text, qPrintable(release), pointer.startsWith("/pipeline"));
    const CheckFinding* finding = at(answer, pointer);
    QVERIFY(finding != nullptr);
    QCOMPARE(QString::fromStdString(finding->rule), QStringLiteral("R16"));
    QVERIFY(std::any_of(answer.changed.begin(), answer.changed.end(), [&](const ChangedValue& each) { return each.pointer == pointer.toStdString() && each.json == "true"; }));
    QVERIFY(!finding->safe);
    QCOMPARE(QString::fromStdString(Json::parse(finding->fix).at(0).at("value").dump()), fix);
    // The optimizer of the CPU is C++, which takes no text there.
    if (pointer.endsWith("bias_correction")) {
        const QString offloaded = QString(text).replace(R"("train_batch_size")", R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}, "train_batch_size")");
        QVERIFY(!answerFor(offloaded).ok);
    }
}

void TstCheckNames::slipsOfTheKeyboard()
{
    for (const char* word : {"ture", "treu", "tru", "truee", "rtue", "trie"}) QVERIFY2(rules::literalMisspelt(word) == "true", word);
    for (const char* word : {"flase", "fasle", "fals", "falsee", "falce"}) QVERIFY2(rules::literalMisspelt(word) == "false", word);
    for (const char* word : {"nul", "nulll", "nnull", "noen", "non"}) QVERIFY2(rules::literalMisspelt(word) == "null", word);
    for (const char* word : {"one", "full", "done", "adam", "", "t", "auto", "nope", "rue"}) QVERIFY2(rules::literalMisspelt(word).empty(), word);
}

/// A word that only looks like a short name: no setting is offered for it.
void TstCheckNames::wordsWithNothingInCommon()
{
    for (const char* word : {"lamp", "camp", "stamp", "banana_size"}) {
        const CheckAnswer answer = answerFor(job(QStringLiteral("\"%1\": 1").arg(word)), "0.18.9");
        const CheckFinding* finding = at(answer, QStringLiteral("/%1").arg(word));
        QVERIFY(finding != nullptr);
        QVERIFY2(finding->message.find("meant") == std::string::npos && finding->fix.empty(), finding->message.c_str());
    }
    QVERIFY(at(answerFor(job(R"("ampp": {"enabled": true})"), "0.18.9"), "/ampp")->message.find("amp is meant") != std::string::npos);
}

void TstCheckNames::namesInOtherLetters_data()
{
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("meant");
    for (const auto& [key, meant] : {std::pair{"stage3PrefetchBucketSize", "stage3_prefetch_bucket_size"}, {"stage3prefetchbucketsize", "stage3_prefetch_bucket_size"}, {"Stage3_Max_Live_Parameters", "stage3_max_live_parameters"}, {"offload-param", "offload_param"},
                                     {"stage3-gather-16bit-weights-on-model-save", "stage3_gather_16bit_weights_on_model_save"}, {"subGroupSize", "sub_group_size"}})
        QTest::newRow(key) << QString("zero_optimization/") + key << QString("zero_optimization/") + meant;
    for (const auto& [key, meant] : {std::pair{"gradientAccumulationSteps", "gradient_accumulation_steps"}, {"stepsPerPrint", "steps_per_print"}, {"wallclockbreakdown", "wall_clock_breakdown"}})
        QTest::newRow(key) << QString(key) << QString(meant);
}

/// Letter case, hyphens and underscores hide no name.
void TstCheckNames::namesInOtherLetters()
{
    QFETCH(QString, key);
    QFETCH(QString, meant);
    const QString value = meant.endsWith("param") ? R"({"device": "cpu"})" : meant.endsWith("breakdown") || meant.endsWith("save") ? "true" : "4";
    const QString name = key.section('/', -1);
    const QString text = job(key.contains('/') ? QStringLiteral(R"("zero_optimization": {"stage": 3, "%1": %2})").arg(name, value) : QStringLiteral("\"%1\": %2").arg(name, value));
    const CheckAnswer answer = answerFor(text);
    const CheckFinding* finding = at(answer, "/" + key);
    QVERIFY(finding != nullptr && !finding->fix.empty());
    const Json patched = Json::parse(text.toStdString()).patch(Json::parse(finding->fix));
    QCOMPARE(QString::fromStdString(patched.at(Json::json_pointer("/" + meant.toStdString())).dump()), QString(value).remove(' '));
}

QTEST_APPLESS_MAIN(TstCheckNames)
#include "tst_check_names.moc"
