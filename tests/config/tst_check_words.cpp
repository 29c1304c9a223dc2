// SPDX-License-Identifier: GPL-3.0-or-later
// What findings say, and small differences between releases that only a look at the real ones tells.
#include "config/check.h"

#include <nlohmann/json.hpp>

#include <QRegularExpression>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::json;

namespace {

CheckAnswer answerFor(const std::string& text, const CheckContext& context = {})
{
    auto answer = checkConfig(text, context);
    if (!answer.hasValue()) {
        qFatal("%s", answer.error().message.c_str());
    }
    return std::move(answer.value());
}

CheckContext inChinese()
{
    CheckContext context;
    context.language = "zh";
    return context;
}

QString messageAt(const CheckAnswer& answer, const char* pointer)
{
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer; });
    return found == answer.findings.end() ? QString() : QString::fromStdString(found->message);
}

/// Latin words of a Chinese message that stand outside quotes, parentheses and names with underscores or digits.
QStringList englishIn(const QString& message)
{
    QString bare = message;
    bare.remove(QRegularExpression("\"[^\"]*\"")).remove(QRegularExpression("（[^）]*）"));
    QStringList words;
    static const QStringList kNames{"DeepSpeed", "Trainer", "ZeRO", "ZenFlow", "Adam", "AdamW", "Face", "Hugging", "Python", "CUDA", "GPU", "NVMe", "null", "true", "false", "auto", "step", "epoch", "zenflow", "rank", "offload", "version"};
    const QRegularExpression word("[A-Za-z][A-Za-z_0-9.]*");
    for (auto match = word.globalMatch(bare); match.hasNext();) {
        const QString found = match.next().captured();
        if (!found.contains('_') && !kNames.contains(found))
            words << found;
    }
    return words;
}

}  // namespace

class TstCheckWords : public QObject {
    Q_OBJECT

private slots:
    void theWindowHasWordsOfItsOwn();
    void saysWhatStopsTheReader_data();
    void saysWhatStopsTheReader();
    void aPipelineIsNoStage();
    void whatIsNotListedIsCounted();
    void aRefusedValueIsToldOnce();
    void typesAreSaidInWords_data();
    void typesAreSaidInWords();
    void chineseIsChinese_data();
    void chineseIsChinese();
    void longTextsAreCut_data();
    void longTextsAreCut();
    void sayWhatTheFixDoes_data();
    void sayWhatTheFixDoes();
    void adviceRefusesNothing_data();
    void adviceRefusesNothing();
    void singleValuesAreRead();
    void legalAutoIsNoFinding();
    void releases_data();
    void releases();
    void contextIsHeldToItsBounds_data();
    void contextIsHeldToItsBounds();
};

void TstCheckWords::saysWhatStopsTheReader_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("says");  // separated by |
    const QString reader = "DeepSpeed's reader", error = "(HjsonDecodeError)";
    QTest::newRow("a tab") << QByteArray("{\"train_batch_size\": 1, \"x\": \"a\tb\"}") << QString("text.control") << "A tab|Write \\t in its place|" + reader + "|" + error;
    QTest::newRow("a line break") << QByteArray("{\"train_batch_size\": 1, \"x\": \"a\nb\"}") << QString("text.control") << "A line break|Write \\n in its place|" + reader + "|" + error;
    QTest::newRow("a NUL") << QByteArray("{\"train_batch_size\": 1, \"x\": \"a\0b\"}", 35) << QString("text.control") << "A NUL byte|Delete it: no setting holds one|" + reader + "|" + error;
    QTest::newRow("a bell") << QByteArray("{\"train_batch_size\": 1, \"x\": \"a\ab\"}") << QString("text.control") << "write \\u0007|" + reader + "|" + error;
    QTest::newRow("two digits of four") << QByteArray(R"({"train_batch_size": 1, "x": "\u12"})") << QString("text.escape") << "four hexadecimal digits|" + reader + "|" + error;
    QTest::newRow("a path of Windows") << QByteArray(R"({"train_batch_size": 1, "x": "C:\data"})") << QString("text.escape") << "\\d|double it|" + reader + "|" + error;
    QTest::newRow("bytes of another encoding") << QByteArray("{\"train_batch_size\": 1, \"x\": \"\xce\xa2\xb5\xf7\"}") << QString("text.encoding") << "not UTF-8|" + reader + "|(UnicodeDecodeError)";
    QByteArray little, big;
    for (const char c : QByteArray(R"({"train_batch_size": 1})")) {
        little += QByteArray(1, c) + QByteArray(1, '\0');
        big += QByteArray(1, '\0') + QByteArray(1, c);
    }
    QTest::newRow("UTF-16 without a mark") << little << QString("text.encoding") << QString("UTF-16|Save it as UTF-8");
    QTest::newRow("UTF-16 the other way round") << big << QString("text.encoding") << QString("UTF-16|Save it as UTF-8");
}

void TstCheckWords::saysWhatStopsTheReader()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, rule);
    QFETCH(QString, says);
    const CheckAnswer answer = answerFor(text.toStdString());
    QVERIFY(!answer.ok);
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.rule == rule.toStdString(); });
    QVERIFY(found != answer.findings.end());
    for (const QString& words : says.split('|'))
        QVERIFY2(QString::fromStdString(found->message).contains(words), found->message.c_str());
    QVERIFY(std::none_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.rule == "text.around" || finding.rule == "text.swallowed"; }));
    const CheckAnswer chinese = answerFor(text.toStdString(), inChinese());
    for (const CheckFinding& finding : chinese.findings)
        QVERIFY2(finding.message.find("reader takes") == std::string::npos && finding.message.find("Save") == std::string::npos, finding.message.c_str());
}

/// A pipeline's stages and partitions are none of ZeRO's: what rests on its stage need not wait for them.
void TstCheckWords::aPipelineIsNoStage()
{
    const std::string rest = R"("zero_optimization": {"stage": 2, "cpu_offload": false, "allgather_partitions": true})";
    for (const char* name : {"pipeline_parallelism", "pipe"}) {
        const CheckAnswer answer = answerFor(R"({"train_batch_size": 1, ")" + std::string(name) + R"(": {"stages": 1, "partition": "uniform"}, )" + rest + "}");
        const auto useless = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.pointer == "/zero_optimization/allgather_partitions"; });
        QVERIFY(useless != answer.findings.end());
        QVERIFY2(!useless->fix.empty() && useless->message.find("Settle") == std::string::npos, useless->message.c_str());
    }
    const CheckAnswer open = answerFor(R"({"train_batch_size": 1, "sharding": {"stages": 1}, )" + rest + "}");
    QVERIFY(messageAt(open, "/zero_optimization/allgather_partitions").contains("Settle \"sharding\" first"));
}

void TstCheckWords::aRefusedValueIsToldOnce()
{
    // What is no boolean is not said to be null as well, which the parser would fill in by the stage.
    const CheckAnswer answer = answerFor(R"({"train_batch_size": 8, "zero_optimization": {"stage": 2, "overlap_comm": 2}, "tensor_parallel": {"dtype": "bf16"}})");
    QCOMPARE(std::count_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.pointer == "/zero_optimization/overlap_comm"; }), std::ptrdiff_t{1});
    QVERIFY(answer.changed.empty());
    QVERIFY(messageAt(answer, "/tensor_parallel/dtype").contains("only an object of Python there"));
}

void TstCheckWords::typesAreSaidInWords_data()
{
    QTest::addColumn<QString>("zero");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QStringList>("english");
    QTest::addColumn<QStringList>("chinese");
    QTest::newRow("a number with a lower bound, under its written name") << R"({"stage": 3, "stage3_max_live_parameters": "x"})" << "/zero_optimization/stage3_max_live_parameters"
        << QStringList{"\"stage3_max_live_parameters\" is \"x\"", "Write an integer of 0 or more."} << QStringList{"\"stage3_max_live_parameters\" 为 \"x\"", "写不小于 0 的整数"};
    QTest::newRow("a number with two bounds") << R"({"offload_optimizer": {"device": "cpu", "ratio": 2}})" << "/zero_optimization/offload_optimizer/ratio"
        << QStringList{"is 2, which is out of range", "of 0 or more and at most 1"} << QStringList{"不小于 0 且不大于 1 的数"};
    QTest::newRow("a word of several") << R"({"offload_optimizer": {"device": "gpu"}})" << "/zero_optimization/offload_optimizer/device"
        << QStringList{"\"cpu\"", " or "} << QStringList{"\"cpu\"", " 或 "};
    QTest::newRow("the stage") << R"({"stage": 7})" << "/zero_optimization/stage" << QStringList{"DeepSpeed knows 0, 1, 2 or 3 only", "Write 0, 1, 2 or 3."} << QStringList{"写 0、1、2 或 3。"};
    QTest::newRow("an entry of a list") << R"({"stage": 3, "leaf_module": {"classes": ["a", 3]}})" << "/zero_optimization/leaf_module/classes/1"
        << QStringList{"\"classes[1]\" is 3", "Write a text in quotes."} << QStringList{"\"classes[1]\" 为 3"};
    QTest::newRow("a section that is no object") << R"({"stage": 3, "offload_param": true})" << "/zero_optimization/offload_param" << QStringList{"\"offload_param\" is true"} << QStringList{"\"offload_param\" 在这里是 true"};
}

void TstCheckWords::typesAreSaidInWords()
{
    QFETCH(QString, zero);
    QFETCH(QString, pointer);
    QFETCH(QStringList, english);
    QFETCH(QStringList, chinese);
    const std::string text = R"({"train_batch_size": 1, "zero_optimization": )" + zero.toStdString() + "}";
    const QString en = messageAt(answerFor(text), pointer.toUtf8().constData());
    const QString zh = messageAt(answerFor(text, inChinese()), pointer.toUtf8().constData());
    for (const QString& part : english)
        QVERIFY2(en.contains(part), qPrintable(en));
    for (const QString& part : chinese)
        QVERIFY2(zh.contains(part), qPrintable(zh));
    QVERIFY2(!en.contains(">=") && !en.contains("> 0") && !en.contains("int "), qPrintable(en));
}

void TstCheckWords::adviceRefusesNothing_data()
{
    // What depends on the machine, the model or a later step is told where it may fail, and never counts as a refusal.
    QTest::addColumn<QString>("more");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");  // empty = no finding there
    QTest::newRow("a monitor's package") << R"("tensorboard": {"enabled": true})" << "/tensorboard/enabled" << "pip install \"tensorboard\"";
    QTest::newRow("a switch as a word") << R"("wandb": {"enabled": "yes"})" << "/wandb/enabled" << "pip install \"wandb\"";
    QTest::newRow("a package of a version") << R"("comet": {"enabled": true})" << "/comet/enabled" << "comet_ml>=3.41.0";
    QTest::newRow("a monitor that is off") << R"("wandb": {"enabled": false})" << "/wandb/enabled" << "";
    QTest::newRow("a monitor left to nobody") << R"("wandb": {"enabled": "auto"})" << "/wandb/group" << "";
    QTest::newRow("deeper than models are") << R"("flops_profiler": {"enabled": true, "module_depth": 10})" << "/flops_profiler/module_depth" << "KeyError";
    QTest::newRow("as deep as models are") << R"("flops_profiler": {"enabled": true, "module_depth": 2})" << "/flops_profiler/module_depth" << "";
    QTest::newRow("no profiler, however deep") << R"("flops_profiler": {"enabled": false, "module_depth": 10})" << "/flops_profiler/module_depth" << "";
    QTest::newRow("profiled too late, in a later step") << R"("autotuning": {"enabled": true, "start_profile_step": 5, "end_profile_step": 3})" << "/autotuning/start_profile_step" << "AttributeError";
}

void TstCheckWords::adviceRefusesNothing()
{
    QFETCH(QString, more);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    const std::string text = R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )" + more.toStdString() + "}";
    const CheckAnswer answer = answerFor(text);
    QVERIFY(answer.ok);
    QStringList messages;
    for (const CheckFinding& finding : answer.findings) {
        if (finding.pointer == pointer.toStdString())
            messages << QString::fromStdString(finding.message);
    }
    QVERIFY2(says.isEmpty() ? messages.isEmpty() : messages.join(' ').contains(says), qPrintable(messages.join(' ')));
    // Within the two steps that a verdict covers it does count.
    QVERIFY(!answerFor(R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "autotuning": {"enabled": true, "start_profile_step": 3, "end_profile_step": 1}})").ok);
    // The script's SparseAdam: whether its weights have sparse gradients is the script's to know, until ZeRO flattens them.
    CheckContext sparse;
    sparse.optimizer = "SparseAdam";
    QVERIFY(answerFor(R"({"train_batch_size": 1})", sparse).ok);
    QVERIFY(messageAt(answerFor(R"({"train_batch_size": 1})", sparse), "").contains("sparse gradients"));
    QVERIFY(!answerFor(R"({"train_batch_size": 1, "bf16": {"enabled": true}})", sparse).ok);
}

void TstCheckWords::sayWhatTheFixDoes_data()
{
    QTest::addColumn<QString>("zero");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("does");  // the first word of the last step; empty = no fix
    QTest::addColumn<QStringList>("says");
    QTest::addColumn<QStringList>("never");
    const QStringList move{" move it", "移到"}, remove{"emove it", "删除"};
    QTest::newRow("free: moved") << R"({"gradient_accumulation_steps": 2})" << "/zero_optimization/gradient_accumulation_steps" << "move" << move << remove;
    QTest::newRow("taken: a person decides") << R"({"communication_data_type": "fp32"})" << "/zero_optimization/communication_data_type" << "" << remove << move;
    QTest::newRow("renamed, taken") << R"({"offload_params": {"device": "cpu"}, "offload_param": {"device": "none"}})" << "/zero_optimization/offload_params" << "" << remove << move;
    QTest::newRow("a detail of nothing") << R"({"offload_optimizer": {"device": "cpu", "max_in_cpu": 1}})" << "/zero_optimization/offload_optimizer/max_in_cpu" << "remove" << remove << move;
    QTest::newRow("a detail of something") << R"({"offload_param": {"device": "cpu"}, "offload_optimizer": {"device": "cpu", "max_in_cpu": 1}})" << "/zero_optimization/offload_optimizer/max_in_cpu" << "move" << move << remove;
    QTest::newRow("one of two places") << R"({"pin_memory": true})" << "/zero_optimization/pin_memory" << "" << QStringList{"write it into", "写进"} << QStringList{"emove it", "删除", " move it", "移到"};
    QTest::newRow("near, taken") << R"({"overlap_com": true, "overlap_comm": false})" << "/zero_optimization/overlap_com" << "" << remove << QStringList{"write \"overlap_comm\".", "改写为"};
    QTest::newRow("near, free") << R"({"overlap_com": true})" << "/zero_optimization/overlap_com" << "move" << QStringList{"write \"overlap_comm\".", "改写为"} << remove;
}

void TstCheckWords::sayWhatTheFixDoes()
{
    QFETCH(QString, zero);
    QFETCH(QString, pointer);
    QFETCH(QString, does);
    QFETCH(QStringList, says);
    QFETCH(QStringList, never);
    const std::string text = R"({"train_batch_size": 8, "communication_data_type": "bf16", "zero_optimization": )" + zero.toStdString() + "}";
    for (const auto& [answer, index] : {std::pair{answerFor(text), 0}, std::pair{answerFor(text, inChinese()), 1}}) {
        const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& f) { return f.pointer == pointer.toStdString(); });
        QVERIFY(found != answer.findings.end());
        QCOMPARE(found->fix.empty() ? QString() : QString::fromStdString(Json::parse(found->fix).back()["op"]), does);
        const QString message = QString::fromStdString(found->message);
        QVERIFY2(message.contains(says[index]), qPrintable(message));
        for (const QString& word : never)
            QVERIFY2(!message.contains(word), qPrintable(message));
    }
}

void TstCheckWords::chineseIsChinese_data()
{
    QTest::addColumn<QString>("rest");
    QTest::newRow("zenflow without offload") << R"("zero_optimization": {"stage": 2, "zenflow": {}})";
    QTest::newRow("zenflow with a numeric interval") << R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}, "zenflow": {"select_strategy": "auto", "select_interval": 3}})";
    QTest::newRow("zenflow by steps") << R"("zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}, "zenflow": {"select_strategy": "step", "select_interval": 2, "update_interval": 4}})";
    QTest::newRow("a sum at stage 3") << R"("gradient_allreduce_op": "sum", "zero_optimization": {"stage": 3})";
    QTest::newRow("a list where words belong") << R"("data_types": {"keep_in_fp32_modules": 3})";
    QTest::newRow("a null") << R"("zero_optimization": {"stage": null})";
    QTest::newRow("a script's own object") << R"("zero_optimization": {"stage": 3, "offload_param": {"device": 3}})";
}

void TstCheckWords::chineseIsChinese()
{
    QFETCH(QString, rest);
    const std::string text = R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )" + rest.toStdString() + "}";
    const CheckAnswer answer = answerFor(text, inChinese());
    QVERIFY(!answer.ok);
    for (const CheckFinding& finding : answer.findings) {
        const QStringList english = englishIn(QString::fromStdString(finding.message));
        QVERIFY2(english.isEmpty(), (finding.message + " | " + english.join(' ').toStdString()).c_str());
    }
}

void TstCheckWords::longTextsAreCut_data()
{
    QTest::addColumn<QString>("text");
    const QString longWord = QString("模a").repeated(50'000);
    QTest::newRow("an unknown key") << QString(R"({"train_batch_size": 1, "%1": 1})").arg(longWord);
    QTest::newRow("an unknown key of a section") << QString(R"({"train_batch_size": 1, "zero_optimization": {"%1": 1}})").arg(longWord);
    QTest::newRow("a type") << QString(R"({"train_batch_size": 1, "optimizer": {"type": "%1"}})").arg(longWord);
    QTest::newRow("a value") << QString(R"({"train_batch_size": "%1", "zero_optimization": {"stage": "%1"}})").arg(longWord);
    QTest::newRow("a key twice") << QString(R"({"train_batch_size": 1, "%1": 1, "%1": 1})").arg(longWord);
}

void TstCheckWords::longTextsAreCut()
{
    QFETCH(QString, text);
    for (const CheckContext& context : {CheckContext{}, inChinese()}) {
        const CheckAnswer answer = answerFor(text.toStdString(), context);
        QVERIFY(!answer.findings.empty());
        bool cut = false;
        for (const CheckFinding& finding : answer.findings) {
            const QString message = QString::fromStdString(finding.message);
            QVERIFY2(message.size() < 1000, qPrintable(message.left(200)));
            QVERIFY(!message.contains(QChar::ReplacementCharacter));  // cut between characters, not inside one
            cut = cut || message.contains(QChar(0x2026));
        }
        QVERIFY(cut);
    }
}

void TstCheckWords::singleValuesAreRead()
{
    for (const char* text : {"null", "42", "true", "-1.5", "some words"}) {  // as hjson reads them: one value, and no object
        const CheckAnswer answer = answerFor(text);
        QVERIFY2(answer.level == CheckLevel::Parse, text);
        QVERIFY2(std::any_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& f) { return f.rule == "R3"; }), text);
    }
    QVERIFY(answerFor("{").level == CheckLevel::Load);
    QVERIFY(answerFor("a: 1\nb").level == CheckLevel::Load);
}

void TstCheckWords::legalAutoIsNoFinding()
{
    const CheckAnswer answer = answerFor(R"({"train_batch_size": 1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 3, "overlap_comm": "auto",
        "offload_optimizer": {"device": "cpu"}, "zenflow": {"select_strategy": "auto", "select_interval": "auto", "update_interval": "auto"}}})");
    for (const CheckFinding& finding : answer.findings) {
        QVERIFY2(finding.pointer.find("zenflow/") == std::string::npos, finding.message.c_str());
    }
    // "auto" intervals are legal, and count as no accumulation at all: counted in 0.19.8, whose weights are infinite after one step.
    QCOMPARE(answer.changed.size(), std::size_t{2});
    for (const auto& [pointer, becomes] : {std::pair{"/zero_optimization/overlap_comm", "true"}, {"/gradient_accumulation_steps", "0"}})
        QVERIFY2(std::any_of(answer.changed.begin(), answer.changed.end(), [&](const auto& change) { return change.pointer == pointer && change.json == becomes; }), pointer);
    const CheckAnswer lower = answerFor(R"({"train_batch_size": 1, "zero_optimization": {"stage": 1, "overlap_comm": "auto"}})");
    QCOMPARE(QString::fromStdString(lower.changed.at(0).json), QString("false"));
}

void TstCheckWords::releases_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expect");
    // What the releases named answered (tests/oracle/deepspeed_verdicts.py).
    const QString sequence = R"({"train_batch_size": 8, "sequence_parallel_size": %1})";
    QTest::newRow("0.18.9 swallows a sequence size of 0") << "0.18.9" << sequence.arg(0) << R"({"ok": true, "micro": 8})";
    QTest::newRow("0.18.9 swallows a sequence size in quotes") << "0.18.9" << sequence.arg("\"2\"") << R"({"ok": true, "micro": 8})";
    QTest::newRow("0.19.6 does not") << "0.19.6" << sequence.arg(0) << R"({"ok": false})";
    const QString group = R"({"train_batch_size": 8, "zero_optimization": {"stage": 3, "sub_group_size": %1}})";
    QTest::newRow("0.14.5 counts without end") << "0.14.5" << group.arg("1e20") << R"({"ok": true})";
    QTest::newRow("0.14.5 counts past 64 bits") << "0.14.5" << group.arg("9.3e18") << R"({"ok": true})";
    QTest::newRow("0.19.8 does not") << "0.19.8" << group.arg("1e20") << R"({"ok": false})";
    QTest::newRow("0.14.5 writes numbers out") << "0.14.5" << R"({"train_batch_size": 8, "tensorboard": {"output_path": 1}, "wandb": {"team": 1}})"
                                               << R"({"ok": true, "changed": {"/tensorboard/output_path": "1", "/wandb/team": "1"}})";
    const QString sparse = R"({"train_batch_size": 8, "sparse_attention": {"mode": "%1", "num_random_blocks": 2}})";
    for (const char* mode : {"fixed", "bslongformer", "dense"})
        QTest::newRow(mode) << "0.19.6" << sparse.arg(mode) << R"({"ok": true, "ignored": ["/sparse_attention/num_random_blocks"]})";
    for (const char* mode : {"variable", "bigbird"})
        QTest::newRow(mode) << "0.14.5" << sparse.arg(mode) << R"({"ok": true, "ignored": []})";
}

void TstCheckWords::releases()
{
    QFETCH(QString, release);
    QFETCH(QString, text);
    QFETCH(QString, expect);
    CheckContext context;
    context.release = release.toStdString();
    const CheckAnswer answer = answerFor(text.toStdString(), context);
    const Json expected = Json::parse(expect.toStdString());
    QCOMPARE(answer.parseOk, expected["ok"].get<bool>());
    const Json ours = Json::parse(checkAnswerJson(answer));
    if (expected.contains("micro"))
        QCOMPARE(ours["resolved"]["micro"].dump(), expected["micro"].dump());
    if (expected.contains("ignored"))
        QCOMPARE(ours["ignored"].dump(), expected["ignored"].dump());
    if (expected.contains("changed"))
        QCOMPARE(ours["changed"].dump(), expected["changed"].dump());
}

void TstCheckWords::contextIsHeldToItsBounds_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("named");
    QTest::newRow("ranks below 1") << R"({"ranks": -1})" << "ranks";
    QTest::newRow("no pipeline stages") << R"({"pipe_stages": 0})" << "pipe_stages";
    QTest::newRow("a negative hidden size") << R"({"hidden_size": -4})" << "hidden_size";
    QTest::newRow("more ranks than an int holds") << R"({"ranks": 4294967297})" << "ranks";
    QTest::newRow("a fraction of ranks") << R"({"ranks": 1.5})" << "ranks";
    QTest::newRow("no ranks of a tensor-parallel model") << R"({"tp_model_init": 0})" << "tp_model_init";
    QTest::newRow("a learning rate in words") << R"({"trainer": {"learning_rate": "x"}})" << "trainer.learning_rate";
    QTest::newRow("half a sample") << R"({"trainer": {"per_device_train_batch_size": 0.5}})" << "trainer.per_device_train_batch_size";
    QTest::newRow("no sample") << R"({"trainer": {"per_device_train_batch_size": 0}})" << "trainer.per_device_train_batch_size";
    QTest::newRow("a switch in words") << R"({"trainer": {"bf16": "yes"}})" << "trainer.bf16";
    QTest::newRow("a good one") << R"({"ranks": 8, "pipe_stages": 2, "hidden_size": 4096, "trainer": {"learning_rate": 1e-4, "max_steps": -1, "warmup_steps": 0.1, "fp16": null, "output_dir": "out"}})" << "";
}

void TstCheckWords::contextIsHeldToItsBounds()
{
    QFETCH(QString, text);
    QFETCH(QString, named);
    std::vector<std::string> warnings;
    const auto context = readCheckContext(text.toStdString(), warnings);
    QCOMPARE(context.hasValue(), named.isEmpty());
    if (!named.isEmpty())
        QVERIFY2(context.error().message.find("\"" + named.toStdString() + "\"") != std::string::npos, context.error().message.c_str());
}

void TstCheckWords::whatIsNotListedIsCounted()
{
    std::string zero, top;
    for (int i = 0; i < 800; ++i) {
        zero += ", \"made_up_" + std::to_string(i) + "\": 1";
        top += ", \"made_up_" + std::to_string(i) + "\": 1";
    }
    for (const std::string& text : {"{\"train_batch_size\": 1, \"zero_optimization\": {\"stage\": 1" + zero + "}}", "{\"train_batch_size\": 1" + top + "}"}) {
        const CheckAnswer answer = answerFor(text);
        QCOMPARE(answer.findings.size(), std::size_t{501});
        const CheckFinding& last = answer.findings.back();
        QCOMPARE(QString::fromStdString(last.rule), QString("findings.more"));
        QVERIFY2(last.severity == CheckSeverity::Info && last.message.starts_with("30"), last.message.c_str());
    }
    QVERIFY(answerFor("{\"train_batch_size\": 1}").findings.empty() || answerFor("{\"train_batch_size\": 1}").findings.back().rule != "findings.more");
}

/// Whoever has the window has no command line before them: where to say it there stands in the place of options.
void TstCheckWords::theWindowHasWordsOfItsOwn()
{
    const std::string withoutOptimizer = R"({"train_batch_size": 8, "zero_optimization": {"stage": 2}})";
    const std::string ofRanks = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "optimizer": {"type": "AdamW"}})";
    const std::string ofTrainer = R"({"train_batch_size": "auto", "zero_optimization": {"stage": 3, "reduce_bucket_size": "auto"}, "scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto"}}})";
    const std::pair<std::string, CheckLauncher> files[] = {{withoutOptimizer, CheckLauncher::DeepSpeed}, {ofRanks, CheckLauncher::DeepSpeed}, {ofTrainer, CheckLauncher::Transformers}, {ofTrainer, CheckLauncher::Accelerate}};
    for (const char* language : {"en", "zh"}) {
        int others = 0;
        for (const auto& [text, launcher] : files) {
            CheckContext terminal, window;
            terminal.launcher = window.launcher = launcher;
            terminal.language = language;
            window.language = std::string(language) + ".window";
            const CheckAnswer said = answerFor(text, terminal), shown = answerFor(text, window);
            QCOMPARE(shown.findings.size(), said.findings.size());
            for (std::size_t i = 0; i < said.findings.size(); ++i) {
                const std::string& words = shown.findings[i].message;
                for (const char* option : {"check --", "--world", "--context", "--ranks", "give hidden_size", "give max_steps", "of the context"})
                    QVERIFY2(words.find(option) == std::string::npos, words.c_str());
                QVERIFY2(QString::fromStdString(words).contains(QRegularExpression(QStringLiteral("[\\x{4e00}-\\x{9fff}]"))) == (language[0] == 'z'), words.c_str());
                others += words != said.findings[i].message ? 1 : 0;
            }
        }
        QVERIFY2(others >= 4, language);
    }
}

QTEST_APPLESS_MAIN(TstCheckWords)
#include "tst_check_words.moc"
