// SPDX-License-Identifier: GPL-3.0-or-later
// Values that DeepSpeed meets after reading them: how far it gets, what the finding says, and what its fix writes.
#include "config/check.h"
#include "config/json_context.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

class TstCheckMeets : public QObject {
    Q_OBJECT

private slots:
    void values_data();
    void values();
    void searchesManyMicroBatches();
    void onceForASection();
};

namespace {

CheckContext contextOf(const QString& text)
{
    std::vector<std::string> warnings;
    const Json row = Json::parse(text.toStdString());
    CheckContext context = readCheckContext(row.dump(), warnings).value();
    if (row.contains("trainer"))
        context.launcher = CheckLauncher::Transformers;
    return context;
}

/// A config with an optimizer that starts, and `more` beside it.
QString with(const QString& more)
{
    return R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )" + more + "}";
}

QString curriculum(const QString& type, const QString& config, int most = 64)
{
    return with(QStringLiteral(R"("curriculum_learning": {"enabled": true, "curriculum_type": "seqlen", "min_difficulty": 8, "max_difficulty": %3, "schedule_type": "%1", "schedule_config": %2})").arg(type, config).arg(most));
}

QString cosine(const QString& params)
{
    return with(R"("scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 100, )" + params + "}}");
}

}  // namespace

void TstCheckMeets::values_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<QString>("context");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("pointer");
    QTest::addColumn<QString>("level");  // of the answer; empty = it starts
    QTest::addColumn<QString>("fix");    // "-" = not looked at
    QTest::addColumn<QString>("says");
    // The verdicts are those of the releases named (tests/oracle/deepspeed_verdicts.py --engine).
    const QString pipe = R"({"pipeline_model": true})", none = "{}";
    const QString interval = R"("pipeline": {"activation_checkpoint_interval": %1})", at = "/pipeline/activation_checkpoint_interval";
    QTest::newRow("interval in quotes") << "0.19.8" << pipe << with(interval.arg("\"1\"")) << at << "pipe" << R"([{"op":"replace","path":"/pipeline/activation_checkpoint_interval","value":1}])" << "integer";
    QTest::newRow("interval as a word") << "0.18.9" << pipe << with(interval.arg("\"auto\"")) << at << "pipe" << "" << "integer";
    QTest::newRow("interval of a half") << "0.19.6" << pipe << with(interval.arg("1.5")) << at << "pipe" << "" << "integer";
    QTest::newRow("interval null") << "0.19.8" << pipe << with(interval.arg("null")) << at << "pipe" << "-" << "integer";
    for (const char* fine : {"1", "0", "true", "false", "-0.5", "0.0"})
        QTest::newRow(fine) << "0.19.8" << pipe << with(interval.arg(fine)) << at << "" << "" << "";
    QTest::newRow("interval without stages") << "0.19.8" << none << with(interval.arg("\"1\"")) << at << "" << "-" << "";
    // what a word means is what the fix writes
    for (const auto& [word, meant] : {std::pair{"\"true\"", "true"}, std::pair{"\"Yes\"", "true"}, std::pair{"\"on\"", "true"}, std::pair{"\"1\"", "true"}, std::pair{"\"False\"", "false"}, std::pair{"\"off\"", "false"}, std::pair{"null", "false"}}) {
        const auto replaced = [&, value = QString(meant)](const char* path) { return QStringLiteral(R"([{"op":"replace","path":"%1","value":%2}])").arg(path, value); };
        QTest::addRow("timers %s", word) << "0.19.8" << none << with(QStringLiteral(R"("wall_clock_breakdown": %1)").arg(word)) << "/wall_clock_breakdown" << "parse" << replaced("/wall_clock_breakdown") << "without quotes";
        QTest::addRow("profiler %s", word) << "0.18.9" << none << with(QStringLiteral(R"("flops_profiler": {"enabled": %1})").arg(word)) << "/flops_profiler/enabled" << "parse" << replaced("/flops_profiler/enabled") << "without quotes";
        QTest::addRow("partitions %s", word) << "0.19.6" << pipe << with(QStringLiteral(R"("pipeline": {"pipe_partitioned": %1})").arg(word)) << "/pipeline/pipe_partitioned" << "pipe" << replaced("/pipeline/pipe_partitioned") << "without quotes";
    }
    QTest::newRow("timers maybe") << "0.19.8" << none << with(R"("wall_clock_breakdown": "maybe")") << "/wall_clock_breakdown" << "parse" << "" << "true or false";
    // nothing is switched off that was switched on
    QTest::newRow("amp stays 16 bits") << "0.19.6" << none << with(R"("amp": {"enabled": true, "opt_level": "O1"})") << "/amp/enabled" << "engine"
                                       << R"([{"op":"replace","path":"/amp/enabled","value":false},{"op":"add","path":"/fp16","value":{"enabled":true}}])" << "Apex";
    QTest::newRow("fp16 on the CPU stays 16 bits") << "0.19.8" << R"({"device": "cpu"})" << with(R"("fp16": {"enabled": true}, "bf16": {"enabled": false})") << "/fp16/enabled" << "engine"
                                                   << R"([{"op":"replace","path":"/fp16/enabled","value":false},{"op":"replace","path":"/bf16/enabled","value":true}])" << "bf16";
    QTest::newRow("a drop that lacks its switch") << "0.19.6" << none << with(R"("progressive_layer_drop": {"theta": 0.5, "gamma": 0.001})") << "/progressive_layer_drop" << "parse"
                                                  << R"([{"op":"add","path":"/progressive_layer_drop/enabled","value":true}])" << "enabled";
    QTest::newRow("autotuning stays on") << "0.19.8" << none << with(R"("autotuning": {"enabled": true})") << "/autotuning/enabled" << "" << "" << "leaves the program";
    // the legacy curriculum
    QTest::newRow("a function in no file") << "0.19.6" << none << curriculum("custom", "{}") << "/curriculum_learning/schedule_type" << "engine" << "" << "set_custom_curriculum_learning_schedule";
    QTest::newRow("a function never asked") << "0.19.6" << none << curriculum("custom", "{}", 8) << "/curriculum_learning/schedule_type" << "" << "" << "";
    const QString stairs = R"({"difficulty": %1, "max_step": %2})", steps = "/curriculum_learning/schedule_config/max_step";
    QTest::newRow("no stairs") << "0.18.9" << none << curriculum("fixed_discrete", stairs.arg("[1]", "[]")) << steps << "engine" << "" << "at least one";
    QTest::newRow("stairs in quotes") << "0.16.9" << none << curriculum("fixed_discrete", stairs.arg("[8, 64]", "[\"5\"]")) << steps << "engine" << "" << "number";
    QTest::newRow("the last stair in quotes") << "0.16.9" << none << curriculum("fixed_discrete", stairs.arg("[8, \"x\"]", "[0]")) << "/curriculum_learning/schedule_config/difficulty" << "engine" << "" << "number";
    QTest::newRow("stairs never reached") << "0.19.6" << none << curriculum("fixed_discrete", stairs.arg("[8, 16, 32, 64]", "[10, \"x\", 20]")) << steps << "" << "" << "";
    QTest::newRow("the root of a negative number") << "0.19.6" << none << curriculum("fixed_root", R"({"total_curriculum_step": -1, "difficulty_step": 8, "root_degree": 2})") << "/curriculum_learning/schedule_config/total_curriculum_step" << "engine" << "" << "negative";
    QTest::newRow("a line down") << "0.19.6" << none << curriculum("fixed_root", R"({"total_curriculum_step": -1, "difficulty_step": 8, "root_degree": 1})") << "/curriculum_learning/schedule_config/total_curriculum_step" << "" << "" << "";
    QTest::newRow("the curriculum moves") << "0.19.8" << none << curriculum("fixed_linear", R"({"total_curriculum_step": 10, "difficulty_step": 8})") << "/curriculum_learning" << "parse"
                                          << R"([{"op":"add","path":"/data_efficiency","value":{"enabled":true,"data_sampling":{"enabled":true,"curriculum_learning":{"enabled":true,"curriculum_metrics":{"seqlen":{"difficulty_type":"value","clustering_type":"single_cluster","min_difficulty":8,"max_difficulty":64,"schedule_type":"fixed_linear","schedule_config":{"total_curriculum_step":10,"difficulty_step":8}}},"data_cluster_path":"curriculum_clusters"}}}},{"op":"remove","path":"/curriculum_learning"}])"
                                          << "curriculum_metrics";
    // the cosine's end
    const QString floor = "/scheduler/params/cos_min_ratio";
    QTest::newRow("a floor in quotes") << "0.19.8" << none << cosine(R"("cos_min_ratio": "0.1")") << floor << "" << R"([{"op":"replace","path":"/scheduler/params/cos_min_ratio","value":0.1}])" << "step 1000";
    QTest::newRow("a short warm-up") << "0.18.9" << none << cosine(R"("cos_min_ratio": "x", "warmup_num_steps": 2)") << floor << "" << "" << "step 2";
    QTest::newRow("a schedule that goes on") << "0.19.8" << none << cosine(R"("cos_min_ratio": "0.1", "warmup_num_steps": 2, "last_batch_iteration": 5)") << floor << "engine" << "-" << "";
    QTest::newRow("a start in a list") << "0.19.8" << none << cosine(R"("warmup_min_ratio": [0.1])") << "/scheduler/params/warmup_min_ratio" << "engine" << "-" << "";
    QTest::newRow("a schedule that goes on at its start") << "0.19.8" << none << cosine(R"("cos_min_ratio": "0.1", "warmup_num_steps": 50, "last_batch_iteration": 5)") << floor << "" << "-" << "step 50";
    // the whole config is printed, numbers as floats
    const QString huge = "1" + QString(400, '0');
    // A threshold for pieces: beyond any module's size the model itself is one.
    const QString pieces = R"("zero_optimization": {"stage": %1, "%2module_granularity_threshold": %3})", granularity = "/zero_optimization/stage3_module_granularity_threshold";
    QTest::newRow("the model in one piece") << "0.16.9" << none << with(pieces.arg("3", "stage3_", "9223372036854775807")) << granularity << "engine" << R"([{"op":"remove","path":"/zero_optimization/stage3_module_granularity_threshold"}])" << "inputs have no gradients";
    QTest::newRow("by the field's name") << "0.19.8" << none << with(pieces.arg("3", "", "1000000000000000000000000000000")) << "/zero_optimization/module_granularity_threshold" << "engine" << R"([{"op":"remove","path":"/zero_optimization/module_granularity_threshold"}])" << "1e30";
    QTest::newRow("pieces of a large model") << "0.19.8" << none << with(pieces.arg("3", "stage3_", "1000000000")) << granularity << "" << "" << "fails in its first backward";
    for (const char* none3 : {"0", "-1"})
        QTest::newRow(qPrintable(QStringLiteral("no pieces %1").arg(none3))) << "0.18.9" << none << with(pieces.arg("3", "stage3_", none3)) << granularity << "" << "" << "";
    QTest::newRow("pieces without stage 3") << "0.19.6" << none << with(pieces.arg("2", "stage3_", "9223372036854775807")) << granularity << "" << "-" << "stage 3 only";
    QTest::newRow("states of 8 bits") << "0.19.8" << none << R"({"train_batch_size": 2, "optimizer": {"type": "AdamW8bit", "params": {"lr": 1e-4}}})" << "/optimizer/type" << "engine" << R"([{"op":"replace","path":"/optimizer/type","value":"AdamW"}])" << "four times their memory";
    QTest::newRow("a name of the Trainer's") << "0.19.8" << none << R"({"train_batch_size": 2, "optimizer": {"type": "paged_adamw_32bit", "params": {"lr": 1e-4}}})" << "/optimizer/type" << "engine" << R"([{"op":"replace","path":"/optimizer/type","value":"AdamW"}])" << "set optim in the TrainingArguments";
    QTest::newRow("no float") << "0.19.8" << none << with(QStringLiteral(R"("steps_per_print": %1)").arg(huge)) << "/steps_per_print" << "engine" << "" << "401 digits";
    QTest::newRow("no float in a list") << "0.16.9" << none << with(QStringLiteral(R"("my_own": [1, %1])").arg(huge)) << "/my_own/1" << "engine" << "" << "401 digits";
    QTest::newRow("below zero it is printed as it is") << "0.19.8" << none << with(QStringLiteral(R"("steps_per_print": -%1)").arg(huge)) << "/steps_per_print" << "" << "-" << "";
    // the Trainer's own
    QTest::newRow("the Trainer's warm-up") << "0.19.8" << R"({"trainer": {}})" << R"({"zero_optimization": {"stage": 2}, "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": "auto"}}, "optimizer": {"type": "AdamW", "params": {"lr": "auto"}}, "train_micro_batch_size_per_gpu": "auto"})"
                                           << "/scheduler/params/warmup_num_steps" << "" << "-" << "warmup_steps of 2";
    const QString auto2 = R"("zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"})";
    QTest::newRow("two formats for the Trainer") << "0.19.8" << R"({"trainer": {"fp16": true, "bf16": true}})" << R"({"bf16": {"enabled": true}, )" + auto2 << "" << "parse" << "-" << "at most one";
    QTest::newRow("the last of two for the Trainer") << "0.19.8" << R"({"trainer": {"bf16": true}})" << R"({"bf16": {"enabled": false, "enabled": true}, "zero_optimization": {"stage": 7, "stage": 2}, "train_micro_batch_size_per_gpu": "auto"})" << "/zero_optimization/stage" << "" << "-" << "keeps the last";
    QTest::newRow("the old name under the Trainer") << "0.19.8" << R"({"trainer": {"fp16": true}})" << R"({"bfloat16": {"enabled": true}, "fp16": {"enabled": "auto"}, )" + auto2 << "/bfloat16" << "" << "-" << "does not read the old name";
    QTest::newRow("the Trainer's optimizer") << "0.19.8" << R"({"trainer": {"optim": "adafactor"}})" << R"({"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": "auto"})" << "" << "" << "-" << "Adafactor";
    // what to write instead
    QTest::newRow("a method that is none") << "0.19.6" << none << with(R"("compression_training": {"sparse_pruning": {"shared_parameters": {"enabled": true, "method": "snip"}, "different_groups": {}}})")
                                           << "/compression_training/sparse_pruning/shared_parameters/method" << "parse" << "-" << "l1, topk, snip_momentum";
    // moved, not thrown away
    QTest::newRow("ranks nobody gave") << "0.19.8" << none << with(R"("tensor_parallel": {"tp_size": 4})") << "/tensor_parallel/tp_size" << "parse" << R"([{"op":"move","from":"/tensor_parallel/tp_size","path":"/tensor_parallel/autotp_size"}])" << "divisor";
    QTest::newRow("a detail of the group") << "0.19.8" << none << with(R"("tensor_parallel": {"autotp_size": 1, "tp_grain_size": 64})") << "/tensor_parallel/tp_grain_size" << "parse"
                                           << R"([{"op":"add","path":"/tensor_parallel/tp","value":{}},{"op":"move","from":"/tensor_parallel/tp_grain_size","path":"/tensor_parallel/tp/tp_grain_size"}])" << "tp";
    QTest::newRow("sections in a section") << "0.19.8" << none << with(R"("monitor_config": {"csv_monitor": {"enabled": true, "output_path": "./results/"}})") << "/monitor_config" << ""
                                           << R"([{"op":"move","from":"/monitor_config/csv_monitor","path":"/csv_monitor"},{"op":"remove","path":"/monitor_config"}])" << "csv_monitor";
    QTest::newRow("a place that is taken") << "0.19.8" << none << with(R"("zero_optimization": {"gradient_clipping": 0.5}, "gradient_clipping": 1.0)") << "/zero_optimization/gradient_clipping" << "parse" << "" << "holds 1 already";
    QTest::newRow("the same value twice") << "0.19.8" << none << with(R"("zero_optimization": {"gradient_clipping": 0.5}, "gradient_clipping": 0.5)") << "/zero_optimization/gradient_clipping" << "parse" << R"([{"op":"remove","path":"/zero_optimization/gradient_clipping"}])" << "holds 0.5";
    QTest::newRow("a near name that is taken") << "0.19.8" << none << with(R"("zero_optimization": {"stage": 2, "reduce_bucket_sizes": 5000, "reduce_bucket_size": 6000})") << "/zero_optimization/reduce_bucket_sizes" << "parse" << "" << "6000";
}

void TstCheckMeets::values()
{
    QFETCH(QString, release);
    QFETCH(QString, context);
    QFETCH(QString, text);
    QFETCH(QString, pointer);
    QFETCH(QString, level);
    QFETCH(QString, fix);
    QFETCH(QString, says);
    CheckContext surroundings = contextOf(context);
    surroundings.release = release.toStdString();
    const auto answer = checkConfig(text.toStdString(), surroundings);
    QVERIFY(answer.hasValue());
    QCOMPARE(answer->level ? checkLevelName(*answer->level) : "", level.toStdString());
    QString messages, fixes;
    for (const CheckFinding& finding : answer->findings) {
        if (finding.pointer == pointer.toStdString()) {
            messages += QString::fromStdString(finding.message) + "\n";
            fixes += QString::fromStdString(finding.fix.empty() ? std::string() : Json::parse(finding.fix).dump());
        }
    }
    QVERIFY2(messages.contains(says), qPrintable(messages));
    if (fix != "-")
        QCOMPARE(fixes, fix);
}

void TstCheckMeets::searchesManyMicroBatches()
{
    std::string sizes;
    for (int size = 1; size <= 1441440; ++size)
        if (1441440 % size == 0)
            sizes += (size == 1 ? "" : ", ") + std::to_string(size);
    CheckContext context;
    context.release = "0.19.6";
    const auto answer = checkConfig(R"({"elasticity": {"enabled": true, "max_train_batch_size": 2000000, "max_gpus": 100, "micro_batch_sizes": [)" + sizes + R"(], "version": 0.1}})", context);
    QVERIFY(answer.hasValue() && answer->parseOk);
    QVERIFY(answer->resolved.has_value());
    QCOMPARE(Json::parse(checkAnswerJson(*answer))["resolved"].dump(), std::string(R"({"train_batch_size":1441440,"micro":1441440,"gas":1})"));  // as 0.19.6 answers
}

void TstCheckMeets::onceForASection()
{
    CheckContext context;
    context.release = "0.19.6";
    const auto answer = checkConfig(R"({"train_batch_size": 2, "elasticity": {"enabled": false, "max_train_batch_size": 8, "micro_batch_sizes": [2], "min_gpus": 1}})", context);
    QCOMPARE(std::count_if(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& f) { return f.rule == "R79"; }), 1);
    QCOMPARE(answer->ignored.size(), std::size_t(3));
    const auto removed = checkConfig(R"({"train_batch_size": 2, "zero_optimization": {"stage": 3, "mics_shard_size": 2}})", {});
    QCOMPARE(std::count_if(removed->findings.begin(), removed->findings.end(), [](const CheckFinding& f) { return f.pointer == "/zero_optimization/mics_shard_size"; }), 1);
}

QTEST_APPLESS_MAIN(TstCheckMeets)
#include "tst_check_meets.moc"
