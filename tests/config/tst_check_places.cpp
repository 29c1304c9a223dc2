// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that stand where nothing reads them, and values that act otherwise than they look: what is said of them, and what is offered.
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
    auto answer = checkConfig(text.toStdString(), context);
    if (!answer.hasValue()) {
        qFatal("%s", answer.error().message.c_str());
    }
    return std::move(answer.value());
}

std::vector<CheckFinding> at(const CheckAnswer& answer, const QString& pointer)
{
    std::vector<CheckFinding> found;
    std::copy_if(answer.findings.begin(), answer.findings.end(), std::back_inserter(found), [&](const CheckFinding& f) { return f.pointer == pointer.toStdString(); });
    return found;
}

/// The job, with `more` in it.
QString with(const QString& more)
{
    return R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )" + more + "}";
}

QString optimizer(const QString& params, const QString& more = {})
{
    return R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {)" + params + "}}" + (more.isEmpty() ? more : ", " + more) + "}";
}

}  // namespace

class TstCheckPlaces : public QObject {
    Q_OBJECT

private slots:
    void whatStopsStandsFirst();
    void untriedIsNotOffered();
    void said_data();
    void said();
    void textsInSwitches_data();
    void textsInSwitches();
    void onlyWhatTheTrainerFillsIsPromised_data();
    void onlyWhatTheTrainerFillsIsPromised();
    void aSwitchNobodyMissesIsNotMissed();
    void schedulesWriteOverTheRate_data();
    void schedulesWriteOverTheRate();
    void whatIsNotStrictIsSaid_data();
    void whatIsNotStrictIsSaid();
};

/// Nor is what is off on purpose: written so, or left of one precision beside the other. And what older releases have not is told as that.
void TstCheckPlaces::aSwitchNobodyMissesIsNotMissed()
{
    for (const char* text : {R"("fp16": {"enabled": false, "loss_scale": 0})", R"("fp16": {"loss_scale": 0}, "bf16": {"enabled": true})", R"("comms_logger": {"enabled": true}, "fp16": {"enabled": "auto"})", R"("activation_checkpointing": {}, "zero_optimization": {})", R"("comms_logger": {"verbose": true})",
                             R"("data_efficiency": {"data_routing": {"random_ltd": {"enabled": true}}})", R"("autotuning": {"enabled": true}, "flops_profiler": {"module_depth": 2})"}) {
        const CheckAnswer answer = answerFor(with(text));
        QVERIFY2(std::none_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.message.find("has no \"enabled\"") != std::string::npos; }), text);
    }
    const auto sequence = at(answerFor(with(R"("sequence_parallel_size": 1)"), "0.14"), "/sequence_parallel_size");
    QVERIFY(sequence.size() == 1 && sequence.front().message.find("other releases have sequence_parallel_size") != std::string::npos);
}

void TstCheckPlaces::said_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("words");  // that the one message there holds, separated by |
    QTest::addColumn<QString>("fix");
    QTest::addColumn<bool>("safe");
    const auto row = [](const char* name, const QString& text, const char* pointer, const char* words, const char* fix, bool safe = false) {
        QTest::newRow(name) << text << QString(pointer) << QString(words) << QString(fix) << safe;
    };
    // A section without its switch is off, and nobody says so.
    for (const char* section : {R"("fp16": {"loss_scale": 0})", R"("bf16": {})", R"("bfloat16": {})", R"("torch_autocast": {"dtype": "bfloat16"})", R"("wandb": {"project": "x"})", R"("flops_profiler": {"profile_step": 3})"}) {
        const QString name = QString(section).section('"', 1, 1);
        row(section, with(section), qPrintable("/" + name), "has no \"enabled\", which is false by default|leaves it off", "");
    }
    row("a switch above a part that is on", with(R"("data_efficiency": {"enabled": false, "data_routing": {"random_ltd": {"enabled": true}}})"), "/data_efficiency/enabled", "\"random_ltd\" is on by its own|write data_efficiency.data_routing.random_ltd.enabled false", "");
    row("a log of collectives that is switched off", with(R"("comms_logger": {"enabled": false})"), "/comms_logger/enabled", "switches nothing off|remove the section", R"([{"op": "remove", "path": "/comms_logger"}])");
    // Of names whose other quote is missing the one that is left is a letter.
    row("a name without its first quote", "{\"train_batch_size\": 8,\n bf16\": {\"enabled\": true}}", "/bf16\"", "A quote at one end of it is missing|Write bf16 with both", R"([{"op": "move", "from": "/bf16\"", "path": "/bf16"}])");
    // A part goes to the part of its own section, not to what a release refuses.
    row("a curriculum beside its part", with(R"("data_efficiency": {"enabled": true, "curriculum_learning": {"enabled": false}})"), "/data_efficiency/curriculum_learning", "reads it as data_efficiency.data_sampling.curriculum_learning",
        R"([{"op": "add", "path": "/data_efficiency/data_sampling", "value": {}}, {"op": "move", "from": "/data_efficiency/curriculum_learning", "path": "/data_efficiency/data_sampling/curriculum_learning"}])");
    // The place is taken.
    row("clipping in the optimizer beside its own", R"({"train_batch_size": 8, "gradient_clipping": 1.0, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}, "gradient_clipping": 0.5}})",
        "/optimizer/gradient_clipping", "holds 1,|counts", "");
    row("the same value twice", R"({"train_batch_size": 8, "gradient_clipping": 0.5, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}, "gradient_clipping": 0.5}})",
        "/optimizer/gradient_clipping", "holds 0.5", R"([{"op": "remove", "path": "/optimizer/gradient_clipping"}])", true);
    row("a stage beside the section's", with(R"("zero_optimization": {"stage": 1}, "stage": 3)"), "/stage", "zero_optimization.stage|holds 1", "");
    row("a batch size in another section", with(R"("activation_checkpointing": {"train_batch_size": 4})"), "/activation_checkpointing/train_batch_size", "holds 8", "");
    // Something else stands in the place of the section.
    row("beside a switch for ZeRO", with(R"("zero_optimization": true, "overlap_comm": true)"), "/overlap_comm", "\"zero_optimization\" is true",
        R"([{"op": "test", "path": "/zero_optimization", "value": true}, {"op": "replace", "path": "/zero_optimization", "value": {"stage": 1}}, {"op": "move", "from": "/overlap_comm", "path": "/zero_optimization/overlap_comm"}])");
    // The place refuses the value.
    row("a word for the loss scale", with(R"("fp16": {"enabled": true}, "loss_scale": "dynamic")"), "/loss_scale", "fp16.loss_scale|refused there|dynamic",
        R"([{"op": "move", "from": "/loss_scale", "path": "/fp16/loss_scale"}, {"op": "replace", "path": "/fp16/loss_scale", "value": 0}])");
    row("the same without a section", with(R"("loss_scale": "dynamic")"), "/loss_scale", "refused there",
        R"([{"op": "add", "path": "/fp16", "value": {}}, {"op": "move", "from": "/loss_scale", "path": "/fp16/loss_scale"}, {"op": "replace", "path": "/fp16/loss_scale", "value": 0}])");
    row("a stage in place of the section", with(R"("zero": 2)"), "/zero", "zero_optimization|refused there",
        R"([{"op": "move", "from": "/zero", "path": "/zero_optimization"}, {"op": "replace", "path": "/zero_optimization", "value": {"stage": 2}}])");
    row("a flat file: one key needs the other where it belongs", with(R"("stage": 2, "offload_optimizer": {"device": "cpu"})"), "/offload_optimizer", "zero_optimization.offload_optimizer|Settle \"stage\" first", "");
    row("the other one", with(R"("stage": 2, "offload_optimizer": {"device": "cpu"})"), "/stage", "zero_optimization.stage", R"([{"op": "add", "path": "/zero_optimization", "value": {}}, {"op": "move", "from": "/stage", "path": "/zero_optimization/stage"}])");
    row("a stage that is none", with(R"("stage": 4)"), "/stage", "zero_optimization.stage|refused there", "");
    row("a schedule that is none", with(R"("lr_scheduler": {"type": "cosine"})"), "/lr_scheduler", "refused there", "");
    row("sums of another type", with(R"("grad_accum_dtype": "fp16")"), "/grad_accum_dtype", "data_types.grad_accum_dtype|refused there", "");
    row("a rate without an optimizer", R"({"train_batch_size": 8, "learning_rate": 1e-4})", "/learning_rate", "optimizer.params.lr",
        R"([{"op": "add", "path": "/optimizer", "value": {"type": "AdamW", "params": {}}}, {"op": "move", "from": "/learning_rate", "path": "/optimizer/params/lr"}])");
    row("experts of a script", with(R"("moe": {"enabled": true, "ep_size": 4})"), "/moe", "script", "");
    // Keys of other sections where unknown ones are refused.
    row("clipping inside fp16", with(R"("fp16": {"enabled": true, "gradient_clipping": 1.0})"), "/fp16/gradient_clipping", "read as gradient_clipping",
        R"([{"op": "move", "from": "/fp16/gradient_clipping", "path": "/gradient_clipping"}])", true);
    row("a brace too late", with(R"("zero_optimization": {"stage": 2, "fp16": {"enabled": true}})"), "/zero_optimization/fp16", "read as fp16", R"([{"op": "move", "from": "/zero_optimization/fp16", "path": "/fp16"}])", true);
    row("a brace too late, beside another", with(R"("fp16": {"enabled": false}, "zero_optimization": {"stage": 2, "fp16": {"enabled": true}})"), "/zero_optimization/fp16", "holds", "");
    row("a scale inside ZeRO", with(R"("zero_optimization": {"stage": 2, "loss_scale": 128})"), "/zero_optimization/loss_scale", "fp16.loss_scale",
        R"([{"op": "add", "path": "/fp16", "value": {}}, {"op": "move", "from": "/zero_optimization/loss_scale", "path": "/fp16/loss_scale"}])", true);
    row("warm-up in the optimizer", optimizer(R"("lr": 1e-4, "warmup_num_steps": 100)", R"("scheduler": {"type": "WarmupLR", "params": {}})"), "/optimizer/params/warmup_num_steps", "scheduler.params.warmup_num_steps",
        R"([{"op": "move", "from": "/optimizer/params/warmup_num_steps", "path": "/scheduler/params/warmup_num_steps"}])", true);
    row("the rate in the schedule", with(R"("scheduler": {"type": "WarmupLR", "params": {"lr": 1e-3}})"), "/scheduler/params/lr", "optimizer.params.lr|holds 1e-4", "");
    // The norm of the gradients as a parameter: one finding, and what is written stays.
    row("a norm", optimizer(R"("max_grad_norm": 1.0)"), "/optimizer/params/max_grad_norm", "gradient_clipping", R"([{"op": "move", "from": "/optimizer/params/max_grad_norm", "path": "/gradient_clipping"}])", true);
    row("a norm beside the clipping", optimizer(R"("max_grad_norm": 0.0)", R"("gradient_clipping": 1.0)"), "/optimizer/params/max_grad_norm", "it is 1,|counts", "");
    // Old switches.
    row("a section in the old switch", with(R"("zero_optimization": {"stage": 2, "cpu_offload": {"device": "cpu"}})"), "/zero_optimization/cpu_offload", "offload_optimizer|ValidationError",
        R"([{"op": "remove", "path": "/zero_optimization/cpu_offload"}, {"op": "add", "path": "/zero_optimization/offload_optimizer", "value": {"device": "cpu"}}])");
    row("a device in the old switch", with(R"("zero_optimization": {"stage": 2, "cpu_offload": "cpu"})"), "/zero_optimization/cpu_offload", "offload_optimizer",
        R"([{"op": "remove", "path": "/zero_optimization/cpu_offload"}, {"op": "add", "path": "/zero_optimization/offload_optimizer", "value": {"device": "cpu"}}])");
    row("a number in quotes", R"({"train_batch_size": "8"})", "/train_batch_size", "plain integer", R"([{"op": "replace", "path": "/train_batch_size", "value": 8}])", true);
}

/// Trials of fixes have an end: what comes behind it is offered no fix that nobody tried.
/// DeepSpeed's first error stands first wherever it is written; of a stage that is refused nothing follows.
void TstCheckPlaces::whatStopsStandsFirst()
{
    const QString text = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 3, "zero_optimization": {"stage": 4, "overlap_comm": true, "stage3_max_live_parameters": 5}, "curriculum_learning": {"enabled": true}})";
    const CheckAnswer answer = answerFor(text);
    QVERIFY(!answer.findings.empty());
    QCOMPARE(QString::fromStdString(answer.findings.front().rule), QStringLiteral("release.removed"));
    QVERIFY2(answer.findings.front().fix.empty(), "min_difficulty, max_difficulty and schedule_type nobody knows");
    for (const CheckFinding& finding : answer.findings)
        QVERIFY2(finding.rule != "R25", finding.message.c_str());
}

void TstCheckPlaces::untriedIsNotOffered()
{
    const QString text = with(R"("overlap_comm": true, "reduce_bucket_size": 5e8, "allgather_bucket_size": 5e8, "reduce_scatter": true, "contiguous_gradients": true,
        "allgather_partitions": true, "round_robin_gradients": false, "ignore_unused_parameters": true, "sub_group_size": 1e9, "stage": 4)");
    const auto found = at(answerFor(text), "/stage");
    QCOMPARE(found.size(), std::size_t{1});
    QVERIFY2(found[0].fix.find("move") == std::string::npos, found[0].fix.c_str());
}

void TstCheckPlaces::said()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, words);
    QFETCH(QString, fix);
    QFETCH(bool, safe);
    const auto found = at(answerFor(text), pointer);
    QCOMPARE(found.size(), std::size_t{1});
    for (const QString& word : words.split('|')) {
        QVERIFY2(QString::fromStdString(found[0].message).contains(word), found[0].message.c_str());
    }
    if (fix.isEmpty()) {
        QVERIFY2(found[0].fix.empty(), found[0].fix.c_str());
    } else {
        QCOMPARE(QString::fromStdString(Json::parse(found[0].fix).dump()), QString::fromStdString(Json::parse(fix.toStdString()).dump()));
    }
    QCOMPARE(found[0].safe, safe);
    static const QRegularExpression unfilled(QStringLiteral("\\{[a-z]+\\}"));
    QVERIFY2(!QString::fromStdString(found[0].message).contains(unfilled), found[0].message.c_str());
    const auto chinese = at(answerFor(text, "", "zh"), pointer);
    QVERIFY(chinese.size() == 1 && chinese[0].message != found[0].message);
}

void TstCheckPlaces::textsInSwitches_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<bool>("told");
    QTest::newRow("prescaling") << with(R"("prescale_gradients": "false")") << "/prescale_gradients" << true;
    QTest::newRow("untested optimizers") << with(R"("zero_allow_untested_optimizer": "no")") << "/zero_allow_untested_optimizer" << true;
    QTest::newRow("autocast") << with(R"("torch_autocast": {"enabled": "false"})") << "/torch_autocast/enabled" << true;
    QTest::newRow("partitioned activations") << with(R"("activation_checkpointing": {"partition_activations": "auto"})") << "/activation_checkpointing/partition_activations" << true;
    QTest::newRow("a switch of the optimizer") << optimizer(R"("lr": 1e-4, "torch_adam": "false")") << "/optimizer/params/torch_adam" << true;
    QTest::newRow("a bare word") << with(R"("prescale_gradients": false)") << "/prescale_gradients" << false;
    QTest::newRow("an empty text") << with(R"("prescale_gradients": "")") << "/prescale_gradients" << false;
    QTest::newRow("a section that converts") << with(R"("zero_optimization": {"stage": 1, "overlap_comm": "false"})") << "/zero_optimization/overlap_comm" << false;
    QTest::newRow("refused") << with(R"("wall_clock_breakdown": "false")") << "/wall_clock_breakdown" << false;
}

void TstCheckPlaces::textsInSwitches()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(bool, told);
    const CheckAnswer answer = answerFor(text);
    const auto found = at(answer, pointer);
    const bool said = std::any_of(found.begin(), found.end(), [](const CheckFinding& f) { return f.effect == CheckEffect::Changed && f.message.find("acts as true") != std::string::npos; });
    QCOMPARE(said, told);
    const Json changed = Json::parse(checkAnswerJson(answer))["changed"];
    QVERIFY(!told || !changed.contains(pointer.toStdString()));  // the config keeps the text
}

void TstCheckPlaces::onlyWhatTheTrainerFillsIsPromised_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<bool>("fills");
    const QString zero = R"("zero_optimization": {"stage": %1, "%2": "auto"})";
    QTest::newRow("the reduce bucket") << with(zero.arg(2).arg("reduce_bucket_size")) << "/zero_optimization/reduce_bucket_size" << true;
    QTest::newRow("the gather bucket") << with(zero.arg(2).arg("allgather_bucket_size")) << "/zero_optimization/allgather_bucket_size" << false;
    QTest::newRow("prefetch in stage 3") << with(zero.arg(3).arg("stage3_prefetch_bucket_size")) << "/zero_optimization/stage3_prefetch_bucket_size" << true;
    QTest::newRow("overlap") << with(zero.arg(3).arg("overlap_comm")) << "/zero_optimization/overlap_comm" << false;
    QTest::newRow("the loss scale") << with(R"("fp16": {"enabled": false, "loss_scale": "auto"})") << "/fp16/loss_scale" << false;
    QTest::newRow("the rate") << optimizer(R"("lr": "auto")") << "/optimizer/params/lr" << true;
}

void TstCheckPlaces::onlyWhatTheTrainerFillsIsPromised()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(bool, fills);
    const auto found = at(answerFor(text), pointer);
    const auto told = std::find_if(found.begin(), found.end(), [](const CheckFinding& f) { return f.message.find("Trainer") != std::string::npos; });
    QVERIFY(told != found.end());
    QCOMPARE(told->message.find("not this one") == std::string::npos && told->message.find("nobody") == std::string::npos, fills);
}

void TstCheckPlaces::schedulesWriteOverTheRate_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<bool>("ok");
    const QString warmup = R"("scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": 0.001}})";
    const QString cycle = R"("scheduler": {"type": "OneCycle", "params": {"cycle_min_lr": 0.0001, "cycle_max_lr": 0.001}})";
    const char* rate = "/optimizer/params/lr";
    QTest::newRow("written over") << optimizer(R"("lr": "auto")", warmup) << rate << true;
    QTest::newRow("nothing writes") << optimizer(R"("lr": "auto")") << rate << false;
    QTest::newRow("the schedule reads it") << optimizer(R"("lr": "auto")", R"("scheduler": {"type": "WarmupLR", "params": {}})") << rate << false;
    QTest::newRow("the CPU takes it before") << optimizer(R"("lr": "auto")", warmup + R"(, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})") << rate << false;
    QTest::newRow("torch takes it before") << optimizer(R"("lr": "auto", "torch_adam": true)", warmup) << rate << false;
    QTest::newRow("16 bits without ZeRO step before") << optimizer(R"("lr": "auto")", warmup + R"(, "bf16": {"enabled": true})") << rate << false;
    QTest::newRow("16 bits with ZeRO do not") << optimizer(R"("lr": "auto")", warmup + R"(, "bf16": {"enabled": true}, "zero_optimization": {"stage": 1})") << rate << true;
    QTest::newRow("betas of a cycle") << optimizer(R"("lr": 1e-4, "betas": "auto")", cycle) << "/optimizer/params/betas" << true;
    QTest::newRow("betas of a warm-up") << optimizer(R"("lr": 1e-4, "betas": "auto")", warmup) << "/optimizer/params/betas" << false;
}

void TstCheckPlaces::schedulesWriteOverTheRate()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(bool, ok);
    const CheckAnswer answer = answerFor(text);
    QCOMPARE(answer.ok, ok);
    const auto found = at(answer, pointer);
    QVERIFY(!found.empty());  // said either way
    QCOMPARE(found[0].effect == CheckEffect::Unwise, ok);
}

void TstCheckPlaces::whatIsNotStrictIsSaid_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const char* text, const char* words) { QTest::newRow(name) << QString(text) << QString(words); };
    row("a comma is missing", "{\"train_batch_size\": 1\n \"bf16\": {\"enabled\": true}}", "A comma is missing before this");
    row("a comma too many", "{\"train_batch_size\": 1,}", "A comma stands before this bracket");
    row("a comment", "{\"train_batch_size\": 1, # small\n \"bf16\": {\"enabled\": true}}", "This is a comment");
    row("a name without quotes", "{train_batch_size: 1}", "names and texts in double quotes");
}

void TstCheckPlaces::whatIsNotStrictIsSaid()
{
    QFETCH(QString, text);
    QFETCH(QString, words);
    const CheckAnswer answer = answerFor(text);
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.rule == "R2"; });
    QVERIFY(found != answer.findings.end());
    QVERIFY2(QString::fromStdString(found->message).contains(words), found->message.c_str());
    QVERIFY(found->line > 1 || found->column > 1);
}

QTEST_APPLESS_MAIN(TstCheckPlaces)
#include "tst_check_places.moc"
