// SPDX-License-Identifier: GPL-3.0-or-later
// What a finding advises under those who fill "auto", and in sections where one mistake has one remedy: followed, it leads to a file
// that is taken, and nothing beside it says otherwise.
#include "config/check.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>
#include <map>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

using Arguments = std::map<std::string, TrainerValue>;

CheckAnswer answerFor(const std::string& text, CheckLauncher launcher = CheckLauncher::DeepSpeed, const Arguments& arguments = {})
{
    CheckContext context;
    context.launcher = launcher;
    context.trainer = arguments;
    return checkConfig(text, context).value();
}

std::string rulesOf(const CheckAnswer& answer)
{
    std::string rules;
    for (const CheckFinding& finding : answer.findings)
        if (finding.severity == CheckSeverity::Error) rules += (rules.empty() ? "" : " ") + finding.rule + " " + finding.pointer;
    return rules;
}

}  // namespace

class TstCheckRemedies : public QObject {
    Q_OBJECT

private slots:
    /// A number in its place would be another one than the launcher's own, and refused for that.
    void aMissingBatchIsLeftToTheLauncher()
    {
        const std::string text = R"({"bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}})";
        for (const CheckLauncher launcher : {CheckLauncher::Transformers, CheckLauncher::Accelerate}) {
            for (const Arguments& arguments : {Arguments{}, Arguments{{"per_device_train_batch_size", std::int64_t{4}}}}) {
                const CheckAnswer answer = answerFor(text, launcher, arguments);
                QCOMPARE(rulesOf(answer), std::string("R5 "));
                const CheckFinding& finding = *std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& each) { return each.rule == "R5"; });
                QVERIFY2(finding.message.find("\"auto\"") != std::string::npos, finding.message.c_str());
                const Json mended = Json::parse(text).patch(Json::parse(finding.fix));
                QVERIFY(mended["train_micro_batch_size_per_gpu"] == Json("auto"));
                if (launcher == CheckLauncher::Transformers || !arguments.empty()) QCOMPARE(rulesOf(answerFor(mended.dump(), launcher, arguments)), std::string());
            }
        }
        const CheckAnswer own = answerFor(text);
        QVERIFY(own.findings.front().fix.find("auto") == std::string::npos);   // which DeepSpeed itself does not fill
    }

    /// The size that the Trainer refuses is the one to change: the product of the three says nothing beside it.
    void oneWrongSizeIsOneError_data()
    {
        QTest::addColumn<QString>("sizes");
        QTest::addColumn<QString>("rules");
        QTest::newRow("a micro batch") << R"("train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": "auto", "train_batch_size": "auto")" << "R105 /train_micro_batch_size_per_gpu";
        QTest::newRow("an accumulation") << R"("train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": 1, "train_batch_size": "auto")" << "R105 /gradient_accumulation_steps";
        QTest::newRow("a whole batch") << R"("train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto", "train_batch_size": 7)" << "R105 /train_batch_size";
    }
    void oneWrongSizeIsOneError()
    {
        QFETCH(QString, sizes);
        QFETCH(QString, rules);
        const CheckAnswer answer = answerFor("{" + sizes.toStdString() + R"(, "zero_optimization": {"stage": 2}})", CheckLauncher::Transformers, {{"per_device_train_batch_size", std::int64_t{2}}, {"gradient_accumulation_steps", std::int64_t{4}}});
        QCOMPARE(QString::fromStdString(rulesOf(answer)), rules);
        QVERIFY(!answer.ok);
    }

    /// Each names what to write, and writing it is enough.
    void oneRemedyForEach_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("words");
        const auto zenflow = [](const char* name, const char* before, const char* inside, const char* words) {
            QTest::newRow(name) << QString(R"({"train_batch_size": 4, "gradient_accumulation_steps": 4, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 2, %1"zenflow": {"update_interval": 4%2}}})").arg(before, inside) << words;
        };
        zenflow("zenflow without offload", "", "", "\"offload_optimizer\": {\"device\": \"cpu\"}");
        zenflow("zenflow with offload to none", R"("offload_optimizer": {"device": "none"}, )", "", "\"offload_optimizer\": {\"device\": \"cpu\"}");
        zenflow("a number beside auto", R"("offload_optimizer": {"device": "cpu"}, )", R"(, "select_strategy": "auto", "select_interval": 8)", "\"select_interval\": \"auto\"");
        zenflow("no number to count by", R"("offload_optimizer": {"device": "cpu"}, )", R"(, "select_strategy": "step")", "\"select_interval\": 4");
        zenflow("chosen more often than updated", R"("offload_optimizer": {"device": "cpu"}, )", R"(, "select_strategy": "step", "select_interval": 2)", "of 4 or more");
        zenflow("its own offload without overlap", R"("overlap_comm": false, "offload_optimizer": {"device": "cpu"}, )", R"(, "offload": true)", "\"overlap_comm\": true");
        QTest::newRow("zenflow without ZeRO") << R"({"train_batch_size": 4, "gradient_accumulation_steps": 4, "optimizer": {"type": "AdamW"}, "zero_optimization": {"offload_optimizer": {"device": "cpu"}, "zenflow": {"update_interval": 4}}})" << "Write \"stage\": 1, 2 or 3";
        QTest::newRow("nesterov without momentum") << R"({"train_batch_size": 4, "optimizer": {"type": "SGD", "params": {"lr": 0.1, "nesterov": true}}})" << "\"momentum\": 0.9";
        QTest::newRow("nesterov with dampening") << R"({"train_batch_size": 4, "optimizer": {"type": "SGD", "params": {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "nesterov": true}}})" << "Remove \"dampening\"";
        QTest::newRow("a factor in quotes") << R"({"train_batch_size": 4, "gradient_predivide_factor": "2.0", "optimizer": {"type": "AdamW"}})" << "Write a number";
    }
    void oneRemedyForEach()
    {
        QFETCH(QString, text);
        QFETCH(QString, words);
        const CheckAnswer answer = answerFor(text.toStdString());
        const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& each) { return each.severity == CheckSeverity::Error; });
        QVERIFY(found != answer.findings.end() && !found->fix.empty());
        QVERIFY2(found->message.find(words.toStdString()) != std::string::npos, found->message.c_str());
        const CheckAnswer after = answerFor(Json::parse(text.toStdString()).patch(Json::parse(found->fix)).dump());
        QVERIFY2(after.ok, (found->message + " -> " + rulesOf(after)).c_str());
    }

    /// What init_inference reads is no training config, and says so first; one training key makes it one.
    void aConfigForInferenceIsNamed()
    {
        const auto told = [](const char* text) {
            const CheckAnswer answer = answerFor(text);
            const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& each) { return each.rule == "R5"; });
            return found == answer.findings.end() ? std::string() : found->message + found->fix;
        };
        const std::string inference = told(R"({"dtype": "fp16", "replace_with_kernel_inject": true, "tensor_parallel": {"tp_size": 2}, "max_out_tokens": 1024})");
        QVERIFY2(inference.find("deepspeed.init_inference") != std::string::npos && inference.find("\"replace_with_kernel_inject\", \"max_out_tokens\"") != std::string::npos && inference.find("\"op\"") == std::string::npos, inference.c_str());
        QVERIFY(told(R"({"replace_with_kernel_inject": true, "zero_optimization": {"stage": 2}})").find("init_inference") == std::string::npos);
    }

    /// One mistake, one finding: the launcher that compares a size refuses it before DeepSpeed calculates with it.
    void aBatchSizeInQuotesIsToldOnce()
    {
        const std::string text = R"({"train_micro_batch_size_per_gpu": "2", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}})";
        QCOMPARE(rulesOf(answerFor(text, CheckLauncher::Transformers, {{"per_device_train_batch_size", std::int64_t{2}}})), std::string("R105 /train_micro_batch_size_per_gpu"));
        QCOMPARE(rulesOf(answerFor(text)).substr(0, 2), std::string("R8"));
    }

    /// A release that converts nothing refuses the stage in quotes, and the number is what is meant.
    void aStageInQuotesHasItsNumber()
    {
        CheckContext context;
        context.release = "0.14.5";
        const std::string text = R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": "3"}})";
        const CheckAnswer answer = checkConfig(text, context).value();
        QVERIFY(!answer.ok && answer.findings.front().pointer == "/zero_optimization/stage");
        QVERIFY(Json::parse(text).patch(Json::parse(answer.findings.front().fix))["zero_optimization"]["stage"] == 3);
        const CheckAnswer fourth = answerFor(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 4}})");
        QVERIFY2(fourth.findings.front().message.find("3 the weights as well") != std::string::npos, fourth.findings.front().message.c_str());   // which of them is meant
    }

    /// DeepSpeed takes the old form and drops an "auto"; transformers and accelerate look keys up in both.
    void whatIsNoSectionIsRefusedWhereItIsLookedInto_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<bool>("accelerate");
        const auto with = [](const char* name, const char* zero, const char* pointer, bool accelerate) {
            QTest::newRow(name) << QString(R"({"train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}, %1})").arg(zero) << pointer << accelerate;
        };
        with("the form of 2020", R"("zero_optimization": true)", "/zero_optimization", true);
        with("the form of 2020, off", R"("zero_optimization": false)", "/zero_optimization", true);
        with("an offload that is auto", R"("zero_optimization": {"stage": 2, "offload_optimizer": "auto"})", "/zero_optimization/offload_optimizer", false);
        with("where no stage is", R"("zero_optimization": {"offload_param": "auto"})", "/zero_optimization/offload_param", false);
        with("parameters of a schedule", R"("optimizer": {"type": "AdamW"}, "scheduler": {"type": "WarmupLR", "params": "auto"}, "zero_optimization": {"stage": 2})", "/scheduler/params", false);
    }
    void whatIsNoSectionIsRefusedWhereItIsLookedInto()
    {
        QFETCH(QString, text);
        QFETCH(QString, pointer);
        QFETCH(bool, accelerate);
        QVERIFY(answerFor(text.toStdString()).findings.empty() || rulesOf(answerFor(text.toStdString())).find("R107") == std::string::npos);
        for (const CheckLauncher launcher : {CheckLauncher::Transformers, CheckLauncher::Accelerate}) {
            if (launcher == CheckLauncher::Accelerate && !accelerate) continue;   // which refuses the "auto" itself
            const CheckAnswer answer = answerFor(text.toStdString(), launcher);
            QCOMPARE(QString::fromStdString(rulesOf(answer)), "R107 " + pointer);
            const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& each) { return each.rule == "R107"; });
            const CheckAnswer after = answerFor(Json::parse(text.toStdString()).patch(Json::parse(found->fix)).dump(), launcher);
            QVERIFY2(after.ok, rulesOf(after).c_str());
        }
    }

    /// DeepSpeed makes 3 of "3", and the launchers do not: the number changes the run, and "auto" is filled once it stands there.
    void aStageInQuotesIsTheUsersToMend()
    {
        const std::string text = R"({"train_micro_batch_size_per_gpu": "auto", "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": "3", "stage3_prefetch_bucket_size": "auto"}})";
        const Arguments arguments{{"bf16", true}, {"per_device_train_batch_size", std::int64_t{2}}};
        const CheckAnswer answer = answerFor(text, CheckLauncher::Transformers, arguments);
        for (const char* pointer : {"/zero_optimization/stage", "/zero_optimization/stage3_prefetch_bucket_size"}) {
            const auto found = std::find_if(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& each) { return each.pointer == pointer; });
            QVERIFY2(found != answer.findings.end() && found->message.find("does not see stage 3") != std::string::npos, pointer);
            QVERIFY(!found->safe && Json::parse(text).patch(Json::parse(found->fix))["zero_optimization"]["stage"] == 3);
        }
        const CheckAnswer own = answerFor(text);   // DeepSpeed alone reads both alike
        QVERIFY(std::any_of(own.findings.begin(), own.findings.end(), [](const CheckFinding& each) { return each.pointer == "/zero_optimization/stage" && each.safe; }));
    }

    /// Transformers 5 fills nothing of amp: the word is a switch that is on, and no ZeRO goes with it.
    void nobodyFillsAmp()
    {
        const std::string text = R"({"train_micro_batch_size_per_gpu": "auto", "amp": {"enabled": "auto"}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 2}})";
        CheckContext context;
        context.launcher = CheckLauncher::Transformers;
        for (const char* release : {"0.14.5", "0.16.9"}) {
            context.release = release;
            QVERIFY2(!checkConfig(text, context)->ok, release);
        }
    }

    /// Each sentence has its words once, whatever was found.
    void strictReadersSayWhatTheyFound()
    {
        CheckContext context;
        context.launcher = CheckLauncher::Accelerate;
        const auto first = [&](const std::string& text) { return checkConfig(text, context)->findings.front().message; };
        QCOMPARE(first("{'train_batch_size': 8}"), std::string("This is not JSON (found \"'\"). accelerate reads strict JSON: names and texts in double quotes, no comments."));
        QVERIFY2(first("\xEF\xBB\xBF{\"train_batch_size\": 8}").find("byte order mark") != std::string::npos, first("\xEF\xBB\xBF{}").c_str());
    }

    /// Of three that DeepSpeed cannot step, each has its own reason.
    void unfitOptimizersHaveTheirOwnReason()
    {
        for (const auto& [type, word] : {std::pair{"LBFGS", "closure"}, std::pair{"SparseAdam", "sparse"}}) {
            const CheckAnswer answer = answerFor(Json{{"train_batch_size", 4}, {"optimizer", {{"type", type}}}}.dump());
            QVERIFY2(answer.findings.front().message.find(word) != std::string::npos, answer.findings.front().message.c_str());
            QVERIFY(answer.findings.front().message.find("Muon") == std::string::npos);
        }
    }
};

QTEST_APPLESS_MAIN(TstCheckRemedies)
#include "tst_check_remedies.moc"
