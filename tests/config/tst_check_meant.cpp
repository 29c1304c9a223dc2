// SPDX-License-Identifier: GPL-3.0-or-later
// What somebody meant by a name of another tool, by a switch in place of a section, by a learning rate that a schedule writes over:
// the check names it, and its fix does it.
#include "config/check.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

CheckAnswer answerFor(const QString& text, const char* release = "", const char* language = "en")
{
    CheckContext context;
    context.release = release;
    context.language = language;
    return checkConfig(text.toStdString(), context).value();
}

const CheckFinding* at(const CheckAnswer& answer, const QString& pointer, const char* rule = nullptr)
{
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer.toStdString() && (rule == nullptr || f.rule == rule); });
    return found == answer.findings.end() ? nullptr : &*found;
}

QString optimizer(const char* params, const char* rest = "")
{
    return QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {%1}}%2})").arg(QString(params), QString(rest));
}

QString job(const char* rest)
{
    return QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, %1})").arg(QString(rest));
}

}  // namespace

class TstCheckMeant : public QObject {
    Q_OBJECT

private slots:
    void renames_data();
    void renames();
    void peaks_data();
    void peaks();
    void sectionsAreSpeltOut_data();
    void sectionsAreSpeltOut();
    void pastedPython_data();
    void pastedPython();
    void wordsForPlainSlips();
    void aTypeOfAnotherSpellingKeepsItsMeaning();
    void aBatchOfSeveralMeaningsIsNotBuried();
    void aTrainersOptimizerBesideASectionIsTold();
    void sentenceAndFixFit_data();
    void sentenceAndFixFit();
    void anAutoOfWhatIsNotUsedIsToldOnce();
    void doubtIsOfWhatMayBeMeant_data();
    void doubtIsOfWhatMayBeMeant();
    void chineseStandsBesideOtherWordsWithABlank();
    void aFixIsOfItsOwnFindingAlone_data();
    void aFixIsOfItsOwnFindingAlone();
};

void TstCheckMeant::renames_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("words");  // separated by |
    QTest::addColumn<QString>("after");  // member the document holds after the fix, "pointer=value"; empty = the key is gone
    const auto row = [](const char* name, const QString& text, const char* pointer, const char* words, const char* after) { QTest::newRow(name) << text << QString(pointer) << QString(words) << QString(after); };
    row("a learning rate", optimizer(R"("learning_rate": 1e-5)"), "/optimizer/params/learning_rate", "write \"lr\"", "/optimizer/params/lr=1e-05");
    row("an epsilon", optimizer(R"("lr": 1e-5, "epsilon": 1e-6)"), "/optimizer/params/epsilon", "write \"eps\"", "/optimizer/params/eps=1e-06");
    row("a rate beside the rate", optimizer(R"("lr": 1e-5, "learning_rate": 2e-5)"), "/optimizer/params/learning_rate", "\"lr\"|holds 1e-5", "told");
    row("the same rate twice", optimizer(R"("lr": 1e-5, "learning_rate": 1e-5)"), "/optimizer/params/learning_rate", "\"lr\"|holds 1e-5", "/optimizer/params/lr=1e-05");
    row("the first decay rate", optimizer(R"("lr": 1e-5, "adam_beta1": 0.8, "adam_beta2": 0.95)"), "/optimizer/params/adam_beta1", "\"betas\": [0.8, 0.95]", "/optimizer/params/betas=[0.8,0.95]");
    row("the second decay rate", optimizer(R"("lr": 1e-5, "adam_beta2": 0.95)"), "/optimizer/params/adam_beta2", "\"betas\": [0.9, 0.95]", "/optimizer/params/betas=[0.9,0.95]");
    row("nothing like it", optimizer(R"("lr": 1e-5, "rho_of_mine": 0.9)"), "/optimizer/params/rho_of_mine", "remove it", "told");
    row("a warm-up of the Trainer", job(R"("scheduler": {"type": "WarmupLR", "params": {"num_warmup_steps": 10}})"), "/scheduler/params/num_warmup_steps", "warmup_num_steps", "/scheduler/params/warmup_num_steps=10");
    row("fp16 by its type", job(R"("float16": {"enabled": true})"), "/float16", "fp16", "/fp16/enabled=true");
    row("fp16 with two letters changed", job(R"("pf16": {"enabled": true})"), "/pf16", "fp16", "/fp16/enabled=true");
    row("a power of the loss scale", job(R"("fp16": {"enabled": true, "loss_scale_power": 16})"), "/fp16/loss_scale_power", "fp16.initial_scale_power", "/fp16/initial_scale_power=16");
    row("an option of accelerate where none is taken", job(R"("zero_optimization": {"stage": 3, "zero3_init_flag": true})"), "/zero_optimization/zero3_init_flag", "launcher|Give it there, and remove it here", "told");
    row("a setting of the script where none is taken", job(R"("scheduler": {"type": "WarmupLR", "params": {"total_steps": 10}})"), "/scheduler/params/total_steps", "training script|Set it there, and remove it here", "told");
    row("a batch of nobody knows what", job(R"("train_mini_batch_size": 8)"), "/train_mini_batch_size", "train_batch_size|train_micro_batch_size_per_gpu", "told");
    row("a section's short name", job(R"("zero_opt": {"stage": 2})"), "/zero_opt", "zero_optimization", "/zero_optimization/stage=2");
    row("a device of two sections", job(R"("zero_optimization": {"stage": 3, "device": "cpu"})"), "/zero_optimization/device", "offload_optimizer|offload_param|one that is meant", "told");
    row("bf16 by a switch", job(R"("bf16_enabled": true)"), "/bf16_enabled", "bf16.enabled", "/bf16/enabled=true");
    row("bf16 by a word", job(R"("mixed_precision": "bf16")"), "/mixed_precision", "bf16.enabled", "/bf16/enabled=true");
    row("fp16 by Lightning's word", job(R"("precision": "16-mixed")"), "/precision", "fp16.enabled", "/fp16/enabled=true");
    row("a word beside the other format", job(R"("fp16": {"enabled": true}, "mixed_precision": "bf16")"), "/mixed_precision", "bf16.enabled|refused there", "told");
    row("no mixed precision", job(R"("mixed_precision": "no")"), "/mixed_precision", "bf16|number format", "");
    row("a batch of the Trainer", R"({"per_device_train_batch_size": 4})", "/per_device_train_batch_size", "train_micro_batch_size_per_gpu", "/train_micro_batch_size_per_gpu=4");
    row("recomputation, one suffix off", job(R"("activation_checkpoint": {"partition_activations": true})"), "/activation_checkpoint", "activation_checkpointing", "/activation_checkpointing/partition_activations=true");
    row("a seed", job(R"("seed": 42)"), "/seed", "training script|Set it there", "told");
    row("recomputation by the script", job(R"("gradient_checkpointing": true)"), "/gradient_checkpointing", "training script", "told");
    row("typographic quotes", "{\"train_batch_size\": 8, \u201cbf16\u201d: {\"enabled\": true}}", "/\u201cbf16\u201d", "typographic|\"bf16\"", "/bf16/enabled=true");
    row("a name nobody knows", job(R"("my_script": {"a": 1})"), "/my_script", "unless your script reads it", "told");
    row("a name nobody knows, switched off", job(R"("my_script": false)"), "/my_script", "unless your script reads it", "");
    row("parameters by a long name", R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "parameters": {"lr": 1e-5}}})", "/optimizer/parameters", "optimizer.params", "/optimizer/params/lr=1e-05");
    row("a rate beside an optimizer's name", R"({"train_batch_size": 8, "optimizer": "AdamW", "learning_rate": 1e-5})", "/learning_rate", "optimizer.params.lr", "/optimizer/params/lr=1e-05");
    row("arguments of a schedule", job(R"("scheduler": {"type": "WarmupLR", "kwargs": {"warmup_num_steps": 10}})"), "/scheduler/kwargs", "scheduler.params", "/scheduler/params/warmup_num_steps=10");
    row("a stage with its tool's name", job(R"("zero_optimization": {"zero_stage": 3})"), "/zero_optimization/zero_stage", "zero_optimization.stage", "/zero_optimization/stage=3");
    row("accelerate's device", job(R"("zero_optimization": {"stage": 3, "offload_param_device": "cpu"})"), "/zero_optimization/offload_param_device", "offload_param.device", "/zero_optimization/offload_param/device=\"cpu\"");
    row("accelerate's weights on save", job(R"("zero_optimization": {"stage": 3, "zero3_save_16bit_model": true})"), "/zero_optimization/zero3_save_16bit_model", "stage3_gather_16bit", "/zero_optimization/stage3_gather_16bit_weights_on_model_save=true");
    row("FSDP's strategy", job(R"("zero_optimization": {"sharding_strategy": "FULL_SHARD"})"), "/zero_optimization/sharding_strategy", "zero_optimization.stage: 3", "/zero_optimization/stage=3");
    row("an offload that is switched on", job(R"("zero_optimization": {"stage": 3, "offload_optimizer": {"enabled": true}})"), "/zero_optimization/offload_optimizer/enabled", "device: \"cpu\"", "/zero_optimization/offload_optimizer/device=\"cpu\"");
    row("a key that lacks its end", job(R"("data_types": {"grad_accum": "fp32"})"), "/data_types/grad_accum", "Probably data_types.grad_accum_dtype", "told");
    row("a ceiling is no floor", job(R"("fp16": {"enabled": true, "max_loss_scale": 65536})"), "/fp16/max_loss_scale", "max_loss_scale", "told");
    row("a first scale by another order", job(R"("fp16": {"enabled": true, "loss_scale_init": 65536})"), "/fp16/loss_scale_init", "fp16.initial_scale_power", "/fp16/initial_scale_power=16");
    row("a section switched off", job(R"("zero_optimization": {"stage": 3, "enabled": false})"), "/zero_optimization/enabled", "enabled", "told");
    row("a section switched on", job(R"("zero_optimization": {"stage": 3, "enabled": true})"), "/zero_optimization/enabled", "enabled", "");
    row("a section where a switch is", job(R"("zero_optimization": {"stage": 3, "offload_activations": {"device": "cpu"}})"), "/zero_optimization/offload_activations", "cpu_checkpointing", "told");
    row("a word like another setting's", job(R"("checkpointing": {"partition_activations": true})"), "/checkpointing", "activation_checkpointing", "/activation_checkpointing/partition_activations=true");
    row("offload among recomputation", job(R"("activation_checkpointing": {"cpu_offload": true})"), "/activation_checkpointing/cpu_offload", "cpu_checkpointing", "/activation_checkpointing/cpu_checkpointing=true");
    row("torch's own parameter", optimizer(R"("lr": 1e-5, "fused": true)"), "/optimizer/params/fused", "torch_adam", "told");
    row("a key that lacks its beginning", job(R"("zero_optimization": {"stage": 2, "bucket_size": 5e8})"), "/zero_optimization/bucket_size", "reduce_bucket_size|allgather_bucket_size", "told");
    row("a key in another spelling", job(R"("zero_optimization": {"stage": 2, "overlapComm": true})"), "/zero_optimization/overlapComm", "overlap_comm", "/zero_optimization/overlap_comm=true");
    row("a limit of the gradients among parameters", optimizer(R"("lr": 1e-5, "grad_clip": 1.0)"), "/optimizer/params/grad_clip", "gradient_clipping", "/gradient_clipping=1.0");
    row("a second stage", job(R"("zero_optimization": {"stage": 3, "zero_stage": 2})"), "/zero_optimization/zero_stage", "holds 3", "told");
    row("the editor's schema", job(R"("$schema": "ds.schema.json")"), "/$schema", "JSON Schema", "told");
    row("two names, two values", job(R"("gradient_clip": 1.0, "grad_clip": 2.0)"), "/gradient_clip", "\"grad_clip\" means the same|holds 2|keep the one", "told");
    row("said once", job(R"("gradient_clip": 1.0, "grad_clip": 2.0)"), "/grad_clip", "\"gradient_clip\" means the same.", "told");
    row("two names, one value", job(R"("gradient_clip": 1.0, "grad_clip": 1.0)"), "/gradient_clip", "\"grad_clip\" means the same", "/gradient_clipping=1.0");
    row("two rates and no optimizer", R"({"train_batch_size": 8, "lr": 1e-4, "learning_rate": 2e-4})", "/learning_rate", "\"lr\" means the same.", "told");
    row("a name with a blank that cannot be seen", "{\"train_batch_size\": 8, \"\u00a0bf16\": {\"enabled\": true}}", "/\u00a0bf16", "invisible", "/bf16/enabled=true");
}

void TstCheckMeant::renames()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, words);
    QFETCH(QString, after);
    const CheckAnswer answer = answerFor(text);
    const CheckFinding* found = at(answer, pointer);
    QVERIFY(found != nullptr);
    for (const QString& word : words.split('|')) QVERIFY2(QString::fromStdString(found->message).contains(word), found->message.c_str());
    if (after == "told") {
        QVERIFY2(found->fix.empty(), found->fix.c_str());
        const CheckAnswer chinese = answerFor(text, "", "zh");
        QVERIFY(at(chinese, pointer) != nullptr && at(chinese, pointer)->message != found->message);
        return;
    }
    QVERIFY2(!found->safe || found->fix.find("\"move\"") == std::string::npos, "what was meant is for a person to decide");
    Json before = Json::parse(text.toStdString(), nullptr, false);
    if (before.is_discarded()) before = Json::parse(QString(text).replace(QString::fromUtf8("\u201cbf16\u201d"), QString::fromUtf8("\"\u201cbf16\u201d\"")).toStdString());
    const Json fixed = before.patch(Json::parse(found->fix));
    QVERIFY(!fixed.contains(Json::json_pointer(pointer.toStdString())));
    if (!after.isEmpty()) {
        const Json::json_pointer place(after.section('=', 0, 0).toStdString());
        QVERIFY2(fixed.contains(place), fixed.dump().c_str());
        QCOMPARE(QString::fromStdString(fixed[place].dump()), after.section('=', 1));
    }
    const CheckAnswer chinese = answerFor(text, "", "zh");
    QVERIFY(at(chinese, pointer) != nullptr && at(chinese, pointer)->message != found->message);
}

void TstCheckMeant::aTypeOfAnotherSpellingKeepsItsMeaning()
{
    const auto fix = [](const char* word) {
        const CheckAnswer answer = answerFor(job("\"communication_data_type\": \"%1\"").arg(QString(word)));
        const CheckFinding* found = at(answer, "/communication_data_type", "R50");
        return found == nullptr ? QString("accepted") : found->fix.empty() ? QString("told") : QString::fromStdString(Json::parse(found->fix)[0].value("value", std::string("taken out")));
    };
    QCOMPARE(fix("float16"), QString("fp16"));
    QCOMPARE(fix("bfloat16"), QString("bf16"));
    QCOMPARE(fix("torch.float32"), QString("fp32"));
    QCOMPARE(fix("int8"), QString("told"));
}

void TstCheckMeant::aBatchOfSeveralMeaningsIsNotBuried()
{
    for (const char* name : {"bs", "train_bs", "batch", "mini_batch_size", "bsz"}) {
        const CheckAnswer answer = answerFor(QStringLiteral(R"({"%1": 8})").arg(QString(name)));
        const CheckFinding* missing = at(answer, "", "R5");
        QVERIFY2(missing != nullptr && missing->fix.empty(), name);
    }
}

void TstCheckMeant::peaks_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("pointer");  // empty = nothing to say
    QTest::addColumn<QString>("words");
    const auto schedule = [](const char* type, const char* params) { return QStringLiteral(R"("scheduler": {"type": "%1", "params": {%2}})").arg(QString(type), QString(params)); };
    const auto with = [&](const char* type, const char* params) { return job(schedule(type, params).toUtf8().constData()); };
    const char* const decay = R"("warmup_num_steps": 100, "total_num_steps": 1000)";
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"})
        QTest::newRow((std::string("a decay without a peak, ") + release).c_str()) << with("WarmupDecayLR", decay) << QString(release) << QString("/scheduler/params") << QString("0.001|1e-5|") + release;
    // lr_schedules.py: WarmupLR takes the optimizer's rate from 0.17 on
    for (const char* release : {"0.14.5", "0.16.9"})
        QTest::newRow((std::string("a warm-up without a peak, ") + release).c_str()) << with("WarmupLR", R"("warmup_num_steps": 100)") << QString(release) << QString("/scheduler/params") << QString("0.001|1e-5");
    for (const char* release : {"0.18.9", "0.19.6", "0.19.8"})
        QTest::newRow((std::string("a warm-up to the optimizer's rate, ") + release).c_str()) << with("WarmupLR", R"("warmup_num_steps": 100)") << QString(release) << QString() << QString();
    QTest::newRow("another peak") << with("WarmupLR", R"("warmup_max_lr": 3e-4)") << QString() << QString("/scheduler/params/warmup_max_lr") << QString("peaks at 3e-4|1e-5");
    QTest::newRow("another peak in a list") << with("WarmupLR", R"("warmup_max_lr": [3e-4])") << QString() << QString("/scheduler/params/warmup_max_lr") << QString("1e-5");
    // Read off the schedules of 0.19.8: a range test began at 0.001 and rose, a cycle reached 0.001, both with "lr" 1e-5.
    QTest::newRow("a range test") << with("LRRangeTest", "") << QString() << QString("/scheduler/params") << QString("starts at 0.001|1e-5|2000");
    QTest::newRow("a range test with its own start") << with("LRRangeTest", R"("lr_range_test_min_lr": 1e-4)") << QString() << QString("/scheduler/params/lr_range_test_min_lr") << QString("starts at 1e-4|1e-5");
    QTest::newRow("a range test from the optimizer's rate") << with("LRRangeTest", R"("lr_range_test_min_lr": 1e-5)") << QString() << QString() << QString();
    QTest::newRow("a cycle") << with("OneCycle", R"("cycle_min_lr": 1e-4, "cycle_max_lr": 1e-3, "cycle_momentum": false)") << QString() << QString("/scheduler/params/cycle_max_lr") << QString("peaks at 0.001|1e-5");
    QTest::newRow("a cycle of torch") << with("OneCycleLR", R"("max_lr": 1e-3, "total_steps": 100)") << QString() << QString("/scheduler/params/max_lr") << QString("peaks at 0.001|1e-5");
    QTest::newRow("the same peak") << with("WarmupDecayLR", R"("warmup_max_lr": 0.00001, "total_num_steps": 5000)") << QString() << QString() << QString();
    QTest::newRow("a peak of null") << with("WarmupDecayLR", R"("warmup_max_lr": null, "total_num_steps": 5000)") << QString() << QString() << QString();
    QTest::newRow("a cosine scales the optimizer's rate") << with("WarmupCosineLR", decay) << QString() << QString() << QString();
    QTest::newRow("no rate written") << QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": 5000}}})") << QString() << QString() << QString();
}

void TstCheckMeant::peaks()
{
    QFETCH(QString, text);
    QFETCH(QString, release);
    QFETCH(QString, pointer);
    QFETCH(QString, words);
    const CheckAnswer answer = answerFor(text, release.toUtf8().constData());
    QVERIFY(answer.ok);
    QVERIFY2(answer.changed.empty(), "parsing changes nothing here");
    if (pointer.isEmpty()) {
        QVERIFY(at(answer, "/scheduler/params/cycle_max_lr", "R59") == nullptr && at(answer, "/scheduler/params/lr_range_test_min_lr", "R59") == nullptr);
        QVERIFY(at(answer, "/scheduler/params", "R59") == nullptr && at(answer, "/scheduler/params/warmup_max_lr", "R59") == nullptr);
        return;
    }
    const CheckFinding* found = at(answer, pointer, "R59");
    QVERIFY(found != nullptr);
    QCOMPARE(found->effect, CheckEffect::Changed);
    for (const QString& word : words.split('|')) QVERIFY2(QString::fromStdString(found->message).contains(word), found->message.c_str());
    if (!found->fix.empty()) {
        const Json fixed = Json::parse(text.toStdString()).patch(Json::parse(found->fix));
        QCOMPARE(fixed["scheduler"]["params"]["warmup_max_lr"].get<double>(), 1e-5);
        QVERIFY(at(answerFor(QString::fromStdString(fixed.dump()), release.toUtf8().constData()), pointer, "R59") == nullptr);
    }
}

void TstCheckMeant::sectionsAreSpeltOut_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::newRow("a switch for bf16") << R"({"train_batch_size": 8, "bf16": true})" << "/bf16";
    QTest::newRow("a device for the offload") << job(R"("zero_optimization": {"stage": 2, "offload_optimizer": "cpu"})") << "/zero_optimization/offload_optimizer";
    QTest::newRow("a name for the optimizer") << R"({"train_batch_size": 8, "optimizer": "AdamW"})" << "/optimizer";
}

/// The words say what the fix writes, not another thing.
void TstCheckMeant::sectionsAreSpeltOut()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    for (const char* language : {"en", "zh"}) {
        const CheckAnswer answer = answerFor(text, "", language);
        const CheckFinding* found = at(answer, pointer);
        QVERIFY(found != nullptr && !found->fix.empty());
        const Json written = Json::parse(found->fix)[0]["value"];
        const std::string& message = found->message;
        const std::size_t brace = message.find('{');
        QVERIFY2(brace != std::string::npos, message.c_str());
        QCOMPARE(QString::fromStdString(Json::parse(message.substr(brace, message.rfind('}') - brace + 1)).dump()), QString::fromStdString(written.dump()));
        QVERIFY2(message.find("leave it out") == std::string::npos && message.find("删除") == std::string::npos, message.c_str());
    }
}

void TstCheckMeant::pastedPython_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<int>("line");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* text, const char* rule, int line, const char* words) { QTest::newRow(name) << QString(text) << QString(rule) << line << QString(words); };
    row("True before a bracket", "{\n  \"train_batch_size\": 8,\n  \"fp16\": {\"enabled\": True},\n  \"optimizer\": {\"type\": \"AdamW\"}\n}", "text.swallowed", 3, "The value True has|Write true");
    row("None before a bracket", "{\n  \"bf16\": {\"enabled\": None},\n  \"train_batch_size\": 8\n}", "text.swallowed", 2, "Write null");
    row("no number", "{\n  \"fp16\": {\"loss_scale\": NaN},\n  \"train_batch_size\": 8\n}", "text.swallowed", 2, "plain number");
    row("infinity", "{\n  \"fp16\": {\"loss_scale\": Infinity},\n  \"train_batch_size\": 8\n}", "text.swallowed", 2, "plain number");
    row("a calculation", "{\"train_batch_size\": 8,\n  \"zero_optimization\": {\"stage\": 2, \"reduce_bucket_size\": 5*10**8},\n  \"steps_per_print\": 1\n}", "text.swallowed", 2, "500000000");
    row("a value that is missing", "{\"train_batch_size\":\n  ,\"steps_per_print\": 1\n}", "text.value", 1, "\"train_batch_size\" has no value|Write the value there");
    row("a value that is missing at the end", "{\"a\": 1,\n  \"train_batch_size\":   // how many?\n}", "text.value", 2, "\"train_batch_size\" has no value");
    row("a value that is missing before the next key", "{\"a\": 1,\n  \"train_batch_size\":\n  \"steps_per_print\": 1\n}", "text.value", 2, "\"train_batch_size\" has no value");
    row("two values for one key", "{\"a\": \"b\": 1}", "text.key", 1, "");
    row("a word", "{\"train_batch_size\": 8,\n  \"optimizer\": {\"type\": AdamW},\n  \"steps_per_print\": 1\n}", "text.swallowed", 2, "\"AdamW\"");
    row("True in a list", "{\n  \"a\": [True],\n  \"train_batch_size\": 8\n}", "text.swallowed", 2, "Write true");
    row("the brackets are there, and one is missing elsewhere", "{\n  \"a\": x,\n  \"train_batch_size\": 8\n", "text.eof", 0, "the { of line 1 is still open|Add } at the end");
    row("False before a comma", "{\n  \"train_batch_size\": 8,\n  \"wall_clock_breakdown\": False,\n  \"steps_per_print\": 1\n}", "text.bare", 3, "The value False has no quotes|Write false");
    row("thousands", "{\"train_batch_size\": 8,\n  \"zero_optimization\": {\"stage\": 2, \"reduce_bucket_size\": 500,000,000}}", "text.thousands", 2, "without commas: 500000000");
    row("a comma for a point", "{\"train_batch_size\": 8,\n  \"gradient_clipping\": 0,001}", "text.thousands", 2, "0,001|0.001");
    row("None alone", "{\"train_batch_size\": 8,\n  \"scheduler\": None\n}", "text.bare", 2, "Write null");
    row("a colon of a Chinese keyboard", "{\"train_batch_size\"\uff1a 8}", "text.lookalike", 1, "“\uff1a”|Write “:”");
    row("a template", "{\"train_batch_size\": {{ batch }}, \"steps_per_print\": 1}", "text.placeholder", 1, "placeholder");
    row("text with a comma in it", "{\"train_batch_size\": 8, \"wandb\": {\"project\": True story, bro\n}}", "text.bare", 1, "\"True story, bro\"");
    row("thousands at the end of a line", "{\"train_batch_size\": 8,\n  \"steps_per_print\": 5,000\n}", "text.thousands", 2, "without commas");
}

/// What is pasted from Python: the line that has the cause, and what to write there.
void TstCheckMeant::pastedPython()
{
    QFETCH(QString, text);
    QFETCH(QString, rule);
    QFETCH(int, line);
    QFETCH(QString, words);
    for (const char* language : {"en", "zh"}) {
        const CheckAnswer answer = answerFor(text, "", language);
        const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.rule == rule.toStdString(); });
        QVERIFY2(found != answer.findings.end(), answer.findings.empty() ? "nothing found" : answer.findings.front().message.c_str());
        QVERIFY2(line == 0 || found->line == line, qPrintable(QString::number(found->line)));
        if (std::string_view(language) == "en" && !words.isEmpty())
            for (const QString& word : words.split('|')) QVERIFY2(QString::fromStdString(found->message).contains(word), found->message.c_str());
        QVERIFY2(found->message.find("{reason}") == std::string::npos, found->message.c_str());
    }
}

void TstCheckMeant::wordsForPlainSlips()
{
    const CheckAnswer quoted = answerFor(job(R"("zero_optimization": {"stage": 2, "reduce_bucket_size": "1e9"})"));
    const CheckFinding* number = at(quoted, "/zero_optimization/reduce_bucket_size");
    QVERIFY(number != nullptr);
    QVERIFY2(number->message.find("without quotes") != std::string::npos && number->message.find("1000000000") != std::string::npos, number->message.c_str());
    // Sizes beyond a float have no word in JSON; Python prints them.
    for (const CheckFinding& finding : answerFor(R"({"train_batch_size": 1e300, "train_micro_batch_size_per_gpu": 1e-300})").findings)
        QVERIFY2(finding.message.find("null") == std::string::npos, finding.message.c_str());
    // A release before the oldest known one is not judged by an older one.
    for (const char* release : {"0.12.6", "0.17.0"}) {
        const CheckAnswer answer = answerFor("{}", release);
        const auto near = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.rule == "release.near"; });
        QVERIFY(near != answer.findings.end());
        QVERIFY2(near->message.find("older") == std::string::npos && near->message.find(answer.release) != std::string::npos, near->message.c_str());
    }
}

void TstCheckMeant::sentenceAndFixFit_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("words");
    QTest::addColumn<QString>("fix");   // JSON Patch; none where it is empty
    const auto row = [](const char* name, const QString& text, const char* pointer, const char* words, const char* fix) { QTest::newRow(name) << text << QString(pointer) << QString(words) << QString(fix); };
    row("a switch named like its section", job(R"("fp16": {"fp16": true, "enabled": true})"), "/fp16/fp16", "says the same already", R"([{"op": "remove", "path": "/fp16/fp16"}])");
    row("the other answer by that name", job(R"("fp16": {"fp16": false, "enabled": true})"), "/fp16/fp16", "holds true already", "");
    row("a switch by that name alone", job(R"("bf16": {"bf16": true})"), "/bf16/bf16", "called bf16.enabled", R"([{"op": "move", "from": "/bf16/bf16", "path": "/bf16/enabled"}])");
    row("a section in itself", job(R"("zero_optimization": {"zero_optimization": {"stage": 2}})"), "/zero_optimization/zero_optimization", "one level up", "");
    row("a schedule named like its section", job(R"("scheduler": {"scheduler": "WarmupLR", "params": {}})"), "/scheduler/scheduler", "called scheduler.type",
        R"([{"op": "test", "path": "/scheduler/scheduler", "value": "WarmupLR"}, {"op": "move", "from": "/scheduler/scheduler", "path": "/scheduler/type"}])");
    row("off beside on", job(R"("bf16": {"enabled": true, "enable": false})"), "/bf16/enable", "holds true already", "");
    row("on beside off", job(R"("bf16": {"enabled": false, "enable": true})"), "/bf16/enable", "holds false already", "");
    row("off beside off", job(R"("bf16": {"enabled": false, "enable": false})"), "/bf16/enable", "says the same already", R"([{"op": "remove", "path": "/bf16/enable"}])");
    row("a stage where its section stands", job(R"("zero": 3, "zero_optimization": {"overlap_comm": true})"), "/zero", "write there what is meant", "");
    row("letters swapped in a short key", job(R"("zero_optimization": {"satge": 2})"), "/zero_optimization/satge", "write \"stage\"", R"([{"op": "move", "from": "/zero_optimization/satge", "path": "/zero_optimization/stage"}])");
    row("checkpoints that are counted", job(R"("activation_checkpointing": {"contiguous_memory_optimization": true, "number_checkpoints": 4})"), "/activation_checkpointing/contiguous_memory_optimization", "needs \"partition_activations\"",
        R"([{"op": "add", "path": "/activation_checkpointing/partition_activations", "value": true}])");
    row("checkpoints that nobody counted", job(R"("activation_checkpointing": {"contiguous_memory_optimization": true})"), "/activation_checkpointing/contiguous_memory_optimization", "switch it off",
        R"([{"op": "replace", "path": "/activation_checkpointing/contiguous_memory_optimization", "value": false}])");
    const auto typed = [](const char* type) { return QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "%1", "params": {"lr": 1e-5}}})").arg(QString(type)); };
    row("AdamW in parts", typed("adam_w"), "/optimizer/type", "Write \"AdamW\"", R"([{"op": "replace", "path": "/optimizer/type", "value": "AdamW"}])");
    row("the class of the host", typed("DeepSpeedCPUAdam"), "/optimizer/type", "offload_optimizer", R"([{"op": "replace", "path": "/optimizer/type", "value": "Adam"}])");
    row("the class of GPUs", typed("FusedLamb"), "/optimizer/type", "on GPUs", R"([{"op": "replace", "path": "/optimizer/type", "value": "Lamb"}])");
    row("a peak of a cosine", job(R"("scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 9, "warmup_max_lr": 1e-4}})"), "/scheduler/params/warmup_max_lr", "warmup_min_ratio", "");
    row("a decay above 1", optimizer(R"("lr": 1e-4, "betas": [0.9, 95])"), "/optimizer/params/betas", "below 1", "");
    row("a decay of 1", optimizer(R"("lr": 1e-4, "betas": [1.0, 0.95])"), "/optimizer/params/betas", "below 1", "");
    row("a switch for a norm", optimizer(R"("lr": 1e-4)", R"(, "gradient_clipping": true)"), "/gradient_clipping", "counts as 1", R"([{"op": "replace", "path": "/gradient_clipping", "value": 1.0}])");
    row("a norm below 0", optimizer(R"("lr": 1e-4)", R"(, "gradient_clipping": -1.0)"), "/gradient_clipping", "clips nothing", R"([{"op": "replace", "path": "/gradient_clipping", "value": 0.0}])");
}

void TstCheckMeant::sentenceAndFixFit()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, words);
    QFETCH(QString, fix);
    const CheckAnswer answer = answerFor(text);
    const CheckFinding* finding = at(answer, pointer);
    QVERIFY(finding);
    QVERIFY2(finding->message.find(words.toStdString()) != std::string::npos, finding->message.c_str());
    QCOMPARE(QString::fromStdString(finding->fix), fix);
}

/// Where a key does nothing it is told once: not to write out what nothing reads, and to take it away.
void TstCheckMeant::anAutoOfWhatIsNotUsedIsToldOnce()
{
    const CheckAnswer answer = answerFor(job(R"("gradient_clipping": -1, "zero_optimization": {"stage": 2, "stage3_prefetch_bucket_size": "auto", "reduce_bucket_size": "auto"})"));
    const auto rulesAt = [&answer](const char* pointer) {
        QStringList rules;
        for (const CheckFinding& finding : answer.findings)
            if (finding.pointer == pointer) rules << QString::fromStdString(finding.rule);
        return rules;
    };
    QCOMPARE(rulesAt("/zero_optimization/stage3_prefetch_bucket_size"), QStringList{"R25"});
    QCOMPARE(rulesAt("/zero_optimization/reduce_bucket_size"), QStringList{"R16"});
    const CheckFinding* clipping = at(answer, "/gradient_clipping");
    QVERIFY(clipping && clipping->effect == CheckEffect::Unwise && answer.ok);
    // DeepSpeed reads the key all the same.
    QVERIFY(std::find(answer.ignored.begin(), answer.ignored.end(), "/gradient_clipping") == answer.ignored.end());
}

void TstCheckMeant::doubtIsOfWhatMayBeMeant_data()
{
    QTest::addColumn<QString>("beside");
    QTest::addColumn<bool>("doubt");
    const auto row = [](const char* beside, bool doubt) { QTest::newRow(beside) << QString(beside) << doubt; };
    for (const char* harmless : {R"("note": "x", )", R"("seed": 42, )", R"("num_epochs": 3, )", R"("wandb_project": "llm", )", R"("paths": {"data": "/d", "device_map": 1}, )"})
        row(harmless, false);
    for (const char* open : {R"("stage": 3, )", R"("zero_stage": 3, )", R"("opt_level": "O2", )", R"("satge": 3, )", R"("training": {"plan": {"zero_stage": 3}}, )", R"("sharding": "full", )"})
        row(open, true);
}

void TstCheckMeant::doubtIsOfWhatMayBeMeant()
{
    QFETCH(QString, beside);
    QFETCH(bool, doubt);
    const CheckAnswer answer = answerFor("{" + beside + R"("train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}, "zero_optimization": {"stage": 1, "stage3_max_live_parameters": 1e8}})");
    const CheckFinding* finding = at(answer, "/zero_optimization/stage3_max_live_parameters", "R25");
    QVERIFY(finding);
    QCOMPARE(finding->fix.empty(), doubt);
    QCOMPARE(finding->safe, !doubt);
}

void TstCheckMeant::chineseStandsBesideOtherWordsWithABlank()
{
    const CheckAnswer answer = answerFor(R"({"train_batch_size": 8, "bf16": "maybe", "zero_optimization": {"offload_optimizer": {"device": null}}})", "", "zh");
    QVERIFY(at(answer, "/bf16")->message.find("在这里是字符串") != std::string::npos);
    QVERIFY(at(answer, "/zero_optimization/offload_optimizer/device")->message.find("或写 \"none\"") != std::string::npos);
    QVERIFY(answerFor("[1]", "", "zh").findings.front().message.find("整个配置是列表") != std::string::npos);
}

void TstCheckMeant::aFixIsOfItsOwnFindingAlone_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("others");   // a word of the finding before it
    QTest::newRow("a flat file") << R"({"train_batch_size": 8, "stage": 3, "overlap_comm": true, "optimizer": {"type": "AdamW", "params": {"lr": 1e-5}}})" << "/overlap_comm" << "from\": \"/stage\"";
    QTest::newRow("parameters without a place") << R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "learning_rate": 5.0, "weight_decay": 0.1})" << "/weight_decay" << "5.0";
}

void TstCheckMeant::aFixIsOfItsOwnFindingAlone()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, others);
    const CheckAnswer answer = answerFor(text);
    const CheckFinding* finding = at(answer, pointer);
    QVERIFY(finding != nullptr && !finding->fix.empty());
    QVERIFY2(finding->fix.find(others.toStdString()) == std::string::npos, finding->fix.c_str());
}

/// An optimizer section wins over the Trainer's own choice, and nobody says so.
void TstCheckMeant::aTrainersOptimizerBesideASectionIsTold()
{
    const auto told = [](const char* optim, const char* text) {
        CheckContext context;
        context.launcher = CheckLauncher::Transformers;
        context.trainer["optim"] = std::string(optim);
        const auto answer = checkConfig(text, context);
        return answer->ok && std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& f) { return f.rule == "R105"; });
    };
    const char* both = R"({"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}})";
    QVERIFY(told("adafactor", both) && told("adamw_8bit", both) && !told("adamw_torch_fused", both));
    QVERIFY(!told("adafactor", R"({"train_micro_batch_size_per_gpu": "auto", "zero_optimization": {"stage": 2}})"));
}

QTEST_APPLESS_MAIN(TstCheckMeant)
#include "tst_check_meant.moc"
