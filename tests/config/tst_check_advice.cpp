// SPDX-License-Identifier: GPL-3.0-or-later
// What a finding tells somebody to write.
#include "config/check.h"

#include <QtTest>

#include <algorithm>
#include <tuple>

using namespace stagecraft;

class TstCheckAdvice : public QObject {
    Q_OBJECT
private slots:
    void saysWhatToWrite_data();
    void saysWhatToWrite();
    void anUnusedOptimizerIsToldOf();
    void theTrainerPrintsNoSteps();
    void oneBitIsNamed();
    void theTrainerKnowsTheSteps();
};

void TstCheckAdvice::saysWhatToWrite_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("says");
    QTest::addColumn<QString>("fix");      // a part of it; empty = not looked at
    QTest::addColumn<QString>("without");  // what the message must not say
    const auto row = [](const char* name, const QString& more, const char* pointer, const char* says, const char* fix, const char* without) {
        QTest::newRow(name) << "{\"train_batch_size\": 8, " + more + "}" << QString(pointer) << QString(says) << QString(fix) << QString(without);
    };
    const QString adam = R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )";
    row("an amount with a unit", adam + R"("zero_optimization": {"stage": 2, "reduce_bucket_size": "500M"})", "/zero_optimization/reduce_bucket_size", "without quotes: 500000000.", "500000000", "an integer");
    row("ranks of a sequence in quotes", adam + R"("sequence_parallel_size": "2")", "/sequence_parallel_size", "Write 2 without quotes.", R"("value": 2})", "integer of 1");
    row("no number of ranks", adam + R"("sequence_parallel_size": "two")", "/sequence_parallel_size", "an integer of 1 or more", "", "without quotes");
    row("an old name that says the opposite", adam + R"("zero_optimization": {"stage": 3, "stage3_gather_fp16_weights_on_model_save": true, "stage3_gather_16bit_weights_on_model_save": false})", "/zero_optimization/stage3_gather_fp16_weights_on_model_save", "remove the old one", "remove", "{");
    row("thousands", adam + R"("zero_optimization": {"stage": 2, "reduce_bucket_size": "1.5k"})", "/zero_optimization/reduce_bucket_size", "1500.", "1500", "an integer");
    row("nine tenths of a square", adam + R"("zero_optimization": {"stage": 3, "stage3_prefetch_bucket_size": 15099494.4})", "/zero_optimization/stage3_prefetch_bucket_size", "takes no fraction here", "15099494", "an integer");
    row("a word is no amount", adam + R"("zero_optimization": {"stage": 2, "reduce_bucket_size": "huge"})", "/zero_optimization/reduce_bucket_size", "Write an integer above 0.", "", "unit");
    row("fp16's cast in bf16", adam + R"("bf16": {"enabled": true, "auto_cast": true})", "/bf16/auto_cast", "torch_autocast", "", "loss scaling");
    row("fp16's scale in bf16", adam + R"("bf16": {"enabled": true, "loss_scale": 0})", "/bf16/loss_scale", "loss scaling", "", "auto_cast");
    row("no optimizer", R"("steps_per_print": 10)", "", "(AssertionError)", "AdamW", "AttributeError");
    row("no optimizer in stage 3", R"("zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}})", "", "(AttributeError)", "AdamW", "AssertionError");
    row("a rate left to the Trainer", R"("optimizer": {"type": "AdamW", "params": {"lr": "auto"}})", "/optimizer/params/lr", "The default is 0.001.", "0.001", "{");
    row("a peak left to the Trainer", adam + R"("scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": "auto"}})", "/scheduler/params/warmup_max_lr", "usually the optimizer's rate: 1e-4.", "1e-4", "default");
    row("a length left to the Trainer", adam + R"("scheduler": {"type": "WarmupDecayLR", "params": {"total_num_steps": "auto"}})", "/scheduler/params/total_num_steps", "the number of optimizer steps of the whole training", "", "default is");
    row("a path with single backslashes", adam + R"("csv_monitor": {"enabled": true, "output_path": "C:\new\run"})", "/csv_monitor/output_path", "doubled: write \"C:\\\\new\\\\run\"", R"(C:\\new\\run)", "{");
    row("a path for the swap files", adam + R"("zero_optimization": {"stage": 3, "offload_param": {"device": "nvme", "nvme_path": "D:\temp"}})", "/zero_optimization/offload_param/nvme_path", "doubled: write", R"(D:\\temp)", "{");
    row("a folder that is missing", adam + R"("zero_optimization": {"stage": 3, "offload_param": {"device": "nvme"}})", "/zero_optimization/offload_param", "/local_nvme, which only holds its place: write the folder of your disk over it", "/local_nvme", "{");
    row("a format left to nobody", adam + R"("communication_data_type": "auto")", "/communication_data_type", "which nobody fills in here", R"("remove")", "{");
    row("a switch left to nobody", adam + R"("wall_clock_breakdown": "auto")", "/wall_clock_breakdown", "Leave it out, which means false", R"("remove")", "{");
    row("a rate below zero", R"("optimizer": {"type": "AdamW", "params": {"lr": -1e-4}})", "/optimizer/params/lr", "below 0", "", "refuses");
}

void TstCheckAdvice::saysWhatToWrite()
{
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    QFETCH(QString, fix);
    QFETCH(QString, without);
    const auto answer = checkConfig(text.toStdString(), {});
    QVERIFY(answer.hasValue());
    const auto found = std::find_if(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& each) { return each.pointer == pointer.toStdString(); });
    QVERIFY2(found != answer->findings.end(), qPrintable(pointer));
    const QString message = QString::fromStdString(found->message);
    QVERIFY2(message.contains(says) && !message.contains(without), qPrintable(message));
    QVERIFY2(QString::fromStdString(found->fix).contains(fix), found->fix.c_str());
    if (says == "below 0") QVERIFY(answer->ok && found->severity == CheckSeverity::Info);
}

void TstCheckAdvice::anUnusedOptimizerIsToldOf()
{
    CheckContext context;
    context.optimizer = "AdamW";
    const auto answer = checkConfig(R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}})", context);
    QVERIFY(answer.hasValue());
    QVERIFY(std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& each) { return each.pointer == "/optimizer" && each.message.find("Remove it, unless the script reads its numbers") != std::string::npos; }));
}

/// As its paper writes it. It is not written where DeepSpeed would refuse that, too.
void TstCheckAdvice::oneBitIsNamed()
{
    for (const auto& [release, type, named] : {std::tuple{"0.18.9", "1bitadam", "\"OneBitAdam\""}, {"0.14.5", "1-bit-adam", "\"OneBitAdam\""}, {"0.18.9", "1BitLamb", "\"OneBitLamb\""}}) {
        for (const char* backend : {"", R"(, "comm_backend_name": "nccl")"}) {
            CheckContext context;
            context.release = release;
            const auto answer = checkConfig(std::string(R"({"train_batch_size": 8, "fp16": {"enabled": true}, "optimizer": {"type": ")") + type + R"(", "params": {"lr": 5e-5)" + backend + "}}}", context);
            const auto found = std::find_if(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& each) { return each.rule == "R53"; });
            QVERIFY2(found != answer->findings.end() && found->message.find(named) != std::string::npos, type);
            QCOMPARE(found->fix.find(named) != std::string::npos, *backend != '\0');
        }
    }
}

/// What the Trainer fills in need not be worked out.
void TstCheckAdvice::theTrainerKnowsTheSteps()
{
    for (const CheckLauncher launcher : {CheckLauncher::Transformers, CheckLauncher::DeepSpeed}) {
        CheckContext context;
        context.launcher = launcher;
        const auto answer = checkConfig(R"({"train_micro_batch_size_per_gpu": 8, "optimizer": {"type": "AdamW", "params": {"lr": 5e-5}}, "zero_optimization": {"stage": 2}, "scheduler": {"type": "WarmupDecayLR", "params": {}}})", context);
        QVERIFY(answer.hasValue());
        const auto found = std::find_if(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& each) { return each.rule == "R59"; });
        QVERIFY(found != answer->findings.end());
        QCOMPARE(found->fix.find("\"auto\"") != std::string::npos, launcher == CheckLauncher::Transformers);
    }
}

/// It runs on accelerate's plugin, which writes infinity there.
void TstCheckAdvice::theTrainerPrintsNoSteps()
{
    for (const CheckLauncher launcher : {CheckLauncher::Transformers, CheckLauncher::Accelerate, CheckLauncher::DeepSpeed}) {
        CheckContext context;
        context.launcher = launcher;
        context.trainer["per_device_train_batch_size"] = std::int64_t{8};
        const auto answer = checkConfig(R"({"train_micro_batch_size_per_gpu": 8, "steps_per_print": 10, "gradient_accumulation_steps": 1, "optimizer": {"type": "AdamW", "params": {"lr": 5e-5}}, "zero_optimization": {"stage": 2}})", context);
        QVERIFY(answer.hasValue());
        const bool told = std::any_of(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& each) { return each.pointer == "/steps_per_print" && each.message.find("infinity") != std::string::npos; });
        QCOMPARE(told, launcher != CheckLauncher::DeepSpeed);
    }
}

QTEST_APPLESS_MAIN(TstCheckAdvice)
#include "tst_check_advice.moc"
