// SPDX-License-Identifier: GPL-3.0-or-later
// What the check tells of the levels that DeepSpeed does not reach any more, and of which level it stops at with a pipeline.
#include "config/check.h"
#include "config/hjson_reader.h"
#include "config/rules/judge.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::json;

namespace {

CheckAnswer answerFor(const std::string& text, const CheckContext& context = {})
{
    auto answer = checkConfig(text, context);
    Q_ASSERT(answer.hasValue());
    return *answer;
}

std::string told(const CheckAnswer& answer)
{
    std::string all;
    for (const CheckFinding& finding : answer.findings)
        if (finding.severity == CheckSeverity::Error)
            all += std::string(checkLevelName(finding.level)) + " " + finding.rule + " " + finding.pointer + "; ";
    return all;
}

const CheckFinding* at(const CheckAnswer& answer, const std::string& rule, const std::string& pointer)
{
    const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) { return finding.rule == rule && finding.pointer == pointer; });
    return found == answer.findings.end() ? nullptr : &*found;
}

}  // namespace

class TstCheckBeyond : public QObject {
    Q_OBJECT
private slots:
    void laterErrorsAreToldAtOnce_data();
    void laterErrorsAreToldAtOnce();
    void whatHangsOnARefusedValueIsNotTold_data();
    void whatHangsOnARefusedValueIsNotTold();
    void verdictStaysDeepSpeeds();
    void answerSaysWhetherItLooked_data();
    void answerSaysWhetherItLooked();
    void pipelineRulesComeBeforeTheSteps_data();
    void pipelineRulesComeBeforeTheSteps();
    void refusedSwitchesActAsNothing();
    void addingFixesDoNotOverwrite();
    void timesJudgedDoNotGrowWithThePlaces();
};

void TstCheckBeyond::laterErrorsAreToldAtOnce_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("level");
    QTest::newRow("a key of fp16, and parameters of two classes") << R"({"train_batch_size": 8, "fp16": {"enable": true}, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "weight_dacay": 0.1}}, "scheduler": {"type": "WarmupLR", "params": {"warmup_steps": 10}}})"
        << "R56" << "/optimizer/params/weight_dacay" << "parse";
    QTest::newRow("batches that do not agree, and no optimizer") << R"({"train_batch_size": 9, "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 2}})" << "R31" << "" << "parse";
    QTest::newRow("no batch, and a rate in quotes") << R"({"optimizer": {"type": "AdamW", "params": {"lr": "1e-4"}}})" << "R56" << "/optimizer/params/lr" << "parse";
    QTest::newRow("a key twice, and a refused section") << R"({"train_batch_size": 8, "train_batch_size": 8, "zero_optimization": {"stagee": 2}})" << "R11" << "/zero_optimization/stagee" << "load";
    QTest::newRow("a key twice, and a parameter") << R"({"train_batch_size": 8, "train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"rate": 1}}})" << "R56" << "/optimizer/params/rate" << "load";
    QTest::newRow("a micro batch of none, and a profiler's step") << R"({"train_micro_batch_size_per_gpu": 0, "flops_profiler": {"enabled": true, "profile_step": "x"}, "optimizer": {"type": "AdamW"}})" << "R16" << "/flops_profiler/profile_step" << "parse";
    QTest::newRow("the stage too high, and a clipping in quotes") << R"({"train_batch_size": 8, "zero_optimization": {"stage": 9}, "optimizer": {"type": "AdamW"}, "gradient_clipping": "1.0"})" << "R16" << "/gradient_clipping" << "parse";
}

void TstCheckBeyond::laterErrorsAreToldAtOnce()
{
    QFETCH(QString, text);
    QFETCH(QString, rule);
    QFETCH(QString, pointer);
    QFETCH(QString, level);
    const CheckAnswer answer = answerFor(text.toStdString());
    QCOMPARE(QString(checkLevelName(*answer.level)), level);
    const CheckFinding* finding = at(answer, rule.toStdString(), pointer.toStdString());
    QVERIFY2(finding != nullptr, told(answer).c_str());
    QVERIFY(finding->level > *answer.level && finding->severity == CheckSeverity::Error);
    QVERIFY(pointer.isEmpty() || finding->line == 1);
    QCOMPARE(std::count_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& other) { return other.rule == finding->rule && other.pointer == finding->pointer; }), 1);
}

void TstCheckBeyond::whatHangsOnARefusedValueIsNotTold_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("a precision that nobody can tell, and one that must agree with it") << R"({"train_batch_size": 8, "fp16": {"enabled": "perhaps"}, "data_types": {"param_dtype": "fp16"}, "optimizer": {"type": "AdamW"}})";
    QTest::newRow("two precisions, and one that must agree with it") << R"({"train_batch_size": 8, "fp16": {"enabled": true}, "bf16": {"enabled": true}, "data_types": {"param_dtype": "fp16"}, "optimizer": {"type": "AdamW"}})";
    QTest::newRow("a stage that nobody can tell, and an optimizer that few stages take") << R"({"train_batch_size": 8, "zero_optimization": {"stage": "high"}, "optimizer": {"type": "SGD", "params": {"lr": 0.1}}})";
    QTest::newRow("an optimizer that is no section") << R"({"train_batch_size": 8, "zero_optimization": {"stage": 2}, "optimizer": ["AdamW"]})";
    QTest::newRow("a switch in the place of a section") << R"({"train_batch_size": 8, "fp16": true, "data_types": {"param_dtype": "fp16"}, "optimizer": {"type": "AdamW"}})";
}

void TstCheckBeyond::whatHangsOnARefusedValueIsNotTold()
{
    QFETCH(QString, text);
    const CheckAnswer answer = answerFor(text.toStdString());
    QVERIFY(answer.level == CheckLevel::Parse);
    QVERIFY2(std::none_of(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error && finding.level > CheckLevel::Parse; }), told(answer).c_str());
}

void TstCheckBeyond::verdictStaysDeepSpeeds()
{
    const CheckAnswer answer = answerFor(R"({"train_batch_size": 8, "fp16": {"enable": true}, "optimizer": {"type": "AdamW", "params": {"lrr": 1}}})");
    QVERIFY(!answer.ok && !answer.parseOk && !answer.resolved && answer.level == CheckLevel::Parse);
    QVERIFY(answer.ignored.empty() && answer.changed.empty());
}

void TstCheckBeyond::answerSaysWhetherItLooked_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("beyond");
    QTest::newRow("accepted") << R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}})" << "null";
    QTest::newRow("refused by the engine") << R"({"train_batch_size": 8})" << "null";
    QTest::newRow("a word for a number") << R"({"train_batch_size": "eight", "optimizer": {"type": "AdamW"}})" << "\"checked\"";
    QTest::newRow("no text") << R"({"train_batch_size": )" << "\"not checked\"";
    QTest::newRow("no object") << "[1]" << "\"not checked\"";
    QString many = R"({"train_batch_size": 8, "zero_optimization": {"stage": 1)";
    for (int i = 0; i < 40; ++i)
        many += QStringLiteral(", \"unknown_%1\": 1").arg(i);
    QTest::newRow("more refusals than are looked behind") << many + "}}" << "\"not checked\"";
}

void TstCheckBeyond::answerSaysWhetherItLooked()
{
    QFETCH(QString, text);
    QFETCH(QString, beyond);
    const CheckAnswer answer = answerFor(text.toStdString());
    QCOMPARE(QString::fromStdString(Json::parse(checkAnswerJson(answer)).at("beyond").dump()), beyond);
    QCOMPARE(at(answer, "findings.beyond", "") != nullptr, beyond == "\"not checked\"" && answer.level == CheckLevel::Parse);
}

void TstCheckBeyond::pipelineRulesComeBeforeTheSteps_data()
{
    QTest::addColumn<QString>("rest");
    QTest::addColumn<QString>("level");
    // As DeepSpeed 0.19.8 answered, by where it raised.
    QTest::newRow("stage 2 without an optimizer") << R"("zero_optimization": {"stage": 2})" << "engine";
    QTest::newRow("stage 3 without an optimizer") << R"("zero_optimization": {"stage": 3})" << "pipe";
    QTest::newRow("stage 2, clipping in quotes") << R"("zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW"}, "gradient_clipping": "1.0")" << "pipe";
    QTest::newRow("stage 2, a rate in quotes") << R"("zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lr": "1e-4"}})" << "pipe";
    QTest::newRow("stage 2, an unknown parameter") << R"("zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW", "params": {"lrx": 1}})" << "engine";
    QTest::newRow("stage 2, a schedule that cannot be made") << R"("zero_optimization": {"stage": 2}, "optimizer": {"type": "AdamW"}, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": "x"}})" << "engine";
    QTest::newRow("no stage, clipping in quotes, a pipeline key") << R"("optimizer": {"type": "AdamW"}, "gradient_clipping": "1.0", "pipeline": {"pipe_partitioned": 1})" << "pipe";
    QTest::newRow("no stage, clipping in quotes") << R"("optimizer": {"type": "AdamW"}, "gradient_clipping": "1.0")" << "engine";
}

void TstCheckBeyond::pipelineRulesComeBeforeTheSteps()
{
    QFETCH(QString, rest);
    QFETCH(QString, level);
    CheckContext context;
    context.pipelineModel = true;
    const CheckAnswer answer = answerFor("{\"train_batch_size\": 2, " + rest.toStdString() + "}", context);
    QVERIFY(answer.level);
    QCOMPARE(QString(checkLevelName(*answer.level)), level);
}

void TstCheckBeyond::refusedSwitchesActAsNothing()
{
    for (const char* key : {"fused", "foreach", "maximize"}) {
        const CheckAnswer answer = answerFor(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {")" + std::string(key) + R"(": "true"}}})");
        const std::string pointer = std::string("/optimizer/params/") + key;
        const CheckFinding* finding = at(answer, "R56", pointer);
        QVERIFY2(finding != nullptr && !finding->safe, told(answer).c_str());
        QVERIFY2(finding->message.find("other types") == std::string::npos, finding->message.c_str());
        QVERIFY(at(answer, "R16", pointer) == nullptr && answer.changed.empty());
    }
}

void TstCheckBeyond::addingFixesDoNotOverwrite()
{
    const ReadText read = readStrictJson(R"({"old": 1, "zero_optimization": {}})");
    const auto left = [&](const std::vector<std::string>& fixes) {
        CheckAnswer answer;
        for (const std::string& fix : fixes)
            answer.findings.emplace_back().fix = fix;
        rules::guardFixes(read.root, "en", answer);
        QString kept;
        for (const CheckFinding& finding : answer.findings)
            kept += finding.fix.empty() ? '-' : '+';
        return kept;
    };
    const std::string one = rules::patchAdd("/new", "1"), two = rules::patchAdd("/new", "2"), moved = rules::patchMove("/old", "/new"), other = rules::patchAdd("/other", "2");
    QCOMPARE(left({one, two}), QStringLiteral("+-"));
    QCOMPARE(left({one, one}), QStringLiteral("++"));
    QCOMPARE(left({one, other}), QStringLiteral("++"));
    QCOMPARE(left({one, moved}), QStringLiteral("-+"));
}

void TstCheckBeyond::timesJudgedDoNotGrowWithThePlaces()
{
    const std::vector<std::string> keys{"reduce_bucket_size", "allgather_bucket_size", "stage3_max_live_parameters", "stage3_max_reuse_distance", "sub_group_size", "contiguous_gradients",
                                        "overlap_comm", "reduce_scatter", "round_robin_gradients", "ignore_unused_parameters", "stage3_prefetch_bucket_size"};
    std::vector<int> times;
    for (const std::size_t count : {std::size_t{2}, keys.size()}) {
        Json config = Json::parse(R"({"train_batch_size": 8, "optimizer": {"type": "NoSuch"}, "zero_optimization": {"stage": 3}})");
        for (std::size_t i = 0; i < count; ++i)
            config["zero_optimization"][keys[i]] = "nonsense";
        CheckAnswer answer = *checkConfig(config.dump(), {});
        QVERIFY(at(answer, "R53", "/optimizer/type"));
        std::erase_if(answer.findings, [](const CheckFinding& finding) { return finding.level != CheckLevel::Parse; });
        int judged = 0;
        const auto judge = [&](const ConfigValue& changed) {
            ++judged;
            return *checkConfig(toJson(changed), {});
        };
        QVERIFY(rules::lookBeyond(readStrictJson(config.dump()).root, {}, "en", judge, true, answer));
        QVERIFY(at(answer, "R53", "/optimizer/type"));
        times.push_back(judged);
    }
    QVERIFY2(times.back() <= 30 && times.back() <= times.front() + 10, (std::to_string(times.front()) + ", then " + std::to_string(times.back())).c_str());
}

QTEST_APPLESS_MAIN(TstCheckBeyond)
#include "tst_check_beyond.moc"
