// SPDX-License-Identifier: GPL-3.0-or-later
// How far a release gets with a config on a number of ranks, and what is said, listed and offered of it.
#include "config/check.h"
#include "config/json_context.h"

#include <nlohmann/json.hpp>

#include <QTest>

#include <algorithm>

using namespace stagecraft;
using Json = nlohmann::ordered_json;

namespace {

/// A job with an optimizer that starts, and `more` beside it.
QString with(const QString& more)
{
    return R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, )" + more + "}";
}

CheckAnswer answerFor(const QString& text, const QString& release, const QString& context, int ranks, const char* language = "en")
{
    std::vector<std::string> warnings;
    CheckContext surroundings = readCheckContext(context.toStdString(), warnings).value();
    surroundings.release = release.toStdString();
    surroundings.language = language;
    if (ranks > 0) {
        surroundings.world = ranks;
        if (!surroundings.pipelineModel)
            surroundings.ranks = ranks;
    }
    auto answer = checkConfig(text.toStdString(), surroundings);
    if (!answer.hasValue())
        qFatal("%s", answer.error().message.c_str());
    return std::move(answer.value());
}

}  // namespace

class TstCheckReleases : public QObject {
    Q_OBJECT

private slots:
    void verdicts_data();
    void verdicts();
    void nothingIsDerivedFromWhatIsRefused_data();
    void nothingIsDerivedFromWhatIsRefused();
    void listedByStage_data();
    void listedByStage();
};

void TstCheckReleases::verdicts_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<int>("ranks");  // 0 = nobody gave them
    QTest::addColumn<QString>("context");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("level");    // of the answer; empty = it starts
    QTest::addColumn<QString>("pointer");  // where `says` is said
    QTest::addColumn<QString>("says");     // that the messages there hold, separated by |; empty = no message there
    const auto row = [](const QString& name, const char* release, int ranks, const QString& text, const char* level, const char* pointer, const char* says, const char* context = "{}") {
        QTest::newRow(qPrintable(name + " on " + release)) << QString(release) << ranks << QString(context) << text << QString(level) << QString(pointer) << QString(says);
    };
    row("a job that starts", "0.19.8", 2, with(R"("bf16": {"enabled": true})"), "", "", "");
    for (const char* release : {"0.14.5", "0.16.9"}) {  // bfloat16 is read as bf16, key by key, and only in its place
        row("an unknown key in bfloat16", release, 1, with(R"("bfloat16": {"enabled": true, "foo": 1})"), "", "/bfloat16/foo", "foo|bfloat16");
        row("a key of later releases in bf16", release, 1, with(R"("bf16": {"enabled": true, "bf16_master_weights_and_grads": true})"), "", "/bf16/bf16_master_weights_and_grads", "no setting of that name");
        row("bfloat16 beside bf16", release, 1, with(R"("bf16": {"enabled": true}, "bfloat16": {"enabled": true, "foo": 1})"), "", "/bfloat16/foo", "");
    }
    // Tensors split by AutoTP in stage 3.
    const QString split = with(R"("tensor_parallel": {"autotp_size": 2}, "zero_optimization": {"stage": 3})");
    for (const char* release : {"0.16.9", "0.18.9"})
        row("AutoTP in stage 3", release, 2, split, "engine", "/zero_optimization/stage", "AssertionError|stage 2");
    for (const char* release : {"0.14.5", "0.19.6", "0.19.8"})
        row("AutoTP in stage 3", release, 2, split, "", "/zero_optimization/stage", "");
    row("AutoTP in stage 2", "0.18.9", 2, QString(split).replace("3}", "2}"), "", "", "");
    row("AutoTP of one rank in stage 3", "0.18.9", 2, QString(split).replace("size\": 2", "size\": 1"), "", "", "");
    row("a model split by the script in stage 3", "0.18.9", 2, with(R"("zero_optimization": {"stage": 3})"), "engine", "/zero_optimization/stage", "AssertionError", R"({"tp_model_init": 2})");
    row("a model split by the script in stage 3", "0.16.9", 2, with(R"("zero_optimization": {"stage": 3})"), "", "/zero_optimization/stage", "", R"({"tp_model_init": 2})");
    // A size in quotes: compared with 0 as it is written, before the parser reads the number in it.
    const auto size = [](const char* written) { return with(QStringLiteral(R"("tensor_parallel": {"autotp_size": %1})").arg(written)); };
    const char* autoTp = "/tensor_parallel/autotp_size";
    for (const char* release : {"0.18.9", "0.19.6", "0.19.8"}) {
        row("AutoTP of a size in quotes", release, 2, size(R"("2")"), "engine", autoTp, "TypeError|Write 2 without quotes");
        row("AutoTP of no ranks in quotes", release, 2, size(R"("0")"), "engine", autoTp, "TypeError|Write 0 without quotes");
        row("AutoTP of auto", release, 2, size(R"("auto")"), "engine", autoTp, "nobody fills in|TypeError");
        row("AutoTP of a size in quotes in stages", release, 2, size(R"("2")"), "engine", autoTp, "TypeError", R"({"pipeline_model": true})");
        row("AutoTP of a switch", release, 2, size("true"), "", "", "");
        row("AutoTP of a size in quotes beside the script's", release, 2, size(R"("2")"), "engine", autoTp, "tp_model_init with 2|ValueError", R"({"tp_model_init": 2})");
    }
    const char* script = R"({"tp_model_init": 2})";
    for (const char* release : {"0.18.9", "0.19.8"}) {
        row("AutoTP of one rank beside the script's two", release, 2, size("1"), "engine", autoTp, "autotp_size is 1|tp_model_init with 2|ValueError", script);
        row("AutoTP of the script's size", release, 2, size("2.0"), "", autoTp, "", script);
        row("an inner size in quotes beside the script's", release, 2, with(R"("tensor_parallel": {"tp": {"tp_size": "2"}})"), "engine", "/tensor_parallel/tp/tp_size", "tp.tp_size is \"2\"|ValueError", script);
        row("an inner size of 1 beside the script's", release, 2, with(R"("tensor_parallel": {"tp": {"tp_size": 1}})"), "engine", "/tensor_parallel/tp/tp_size", "tp.tp_size is 1|ValueError", script);
        row("an inner size of the script's", release, 2, with(R"("tensor_parallel": {"tp": {"tp_size": 2}})"), "", "/tensor_parallel/tp/tp_size", "", script);
    }
    row("AutoTP of a size in quotes", "0.16.9", 2, size(R"("2")"), "", autoTp, "turns it into 2");
    row("AutoTP of auto", "0.16.9", 2, size(R"("auto")"), "", autoTp, "drops");
    for (const char* release : {"0.14.5", "0.16.9"})
        row("AutoTP of a size in quotes in stages", release, 2, size(R"("2")"), "", "", "", R"({"pipeline_model": true})");
    // Parameters that one class of a type takes and the other does not: what is advised is taken.
    const auto given = [](const char* type, const char* parameter, const char* more = "") { return QStringLiteral(R"({"train_micro_batch_size_per_gpu": 2, "optimizer": {"type": "%1", "params": {"lr": 1e-4, %2}}%3})").arg(type, parameter, more); };
    const char* onHost = R"(, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}})";
    const auto at = [](const char* key) { return QByteArray("/optimizer/params/") + key; };
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"}) {
        row("Lamb with amsgrad", release, 1, given("Lamb", R"("amsgrad": true)"), "engine", at("amsgrad"), "remove it");
        row("Adam with amsgrad", release, 1, given("Adam", R"("amsgrad": true)"), "engine", at("amsgrad"), R"(use "torch_adam": true)");
        for (const char* type : {"Adam", "AdamW"}) {
            row(QString("torch's with a correction: ") + type, release, 1, given(type, R"("torch_adam": true, "bias_correction": false)"), "engine", at("bias_correction"), R"(remove "torch_adam" if)");
            row(QString("torch's with no gradients: ") + type, release, 1, given(type, R"("torch_adam": true, "set_grad_none": false)"), "engine", at("set_grad_none"), R"(remove "torch_adam" and any "offload_optimizer")");
            row(QString("offloaded with no gradients: ") + type, release, 1, given(type, R"("set_grad_none": false)", onHost), "engine", at("set_grad_none"), R"(only where it is not offloaded)");
            row(QString("a switch of the class offloaded: ") + type, release, 1, given(type, R"("adamw_mode": true)", onHost), "engine", at("adamw_mode"), R"(write "adam_w_mode")");
        }
        for (const char* type : {"Lion", "Adagrad"})
            row(QString("states of 16 bits: ") + type, release, 1, given(type, R"("fp32_optimizer_states": false)"), "engine", at("fp32_optimizer_states"), "only where it is offloaded to the CPU");
        row("Adagrad with amsgrad", release, 1, given("Adagrad", R"("amsgrad": true)"), "engine", at("amsgrad"), R"(Adam (with "torch_adam": true), AdamW (with "torch_adam": true). Write)");
        row("Adagrad offloaded with a decay", release, 1, given("Adagrad", R"("lr_decay": 0.1)", onHost), "engine", at("lr_decay"), "Adagrad takes it only where it is not offloaded");
        for (const char* type : {"SGD", "RMSprop", "Adamax", "Lion"})
            row(QString("amsgrad: ") + type, release, 1, given(type, R"("amsgrad": true)"), "engine", at("amsgrad"), R"(types: Adam (with "torch_adam": true), AdamW (with "torch_adam": true). Write)");
        for (const char* type : {"SGD", "Lamb"})
            row(QString("states of 16 bits: ") + type, release, 1, given(type, R"("fp32_optimizer_states": false)"), "engine", at("fp32_optimizer_states"), "Adagrad (offloaded to the CPU), Adam (offloaded to the CPU), AdamW (offloaded to the CPU), Lion (offloaded to the CPU)");
    }
    row("AdamW with a rate of Muon", "0.19.8", 1, given("AdamW", R"("muon_lr": 0.02)"), "engine", at("muon_lr"), "It is a parameter of other types: Muon. Write");
    row("Adam with a step of 1-bit Adam", "0.19.8", 1, given("Adam", R"("freeze_step": 10)"), "engine", at("freeze_step"), "which DeepSpeed 0.19.8 does not have: OneBitAdam, OneBitLamb. Remove");
    row("Adam with a step of 1-bit Adam", "0.18.9", 1, given("Adam", R"("freeze_step": 10)"), "engine", at("freeze_step"), "It is a parameter of other types: OneBitAdam, OneBitLamb. Write");
    // A bucket whose bytes torch cannot count.
    const auto bucket = [](int stage, const char* elements, const char* more = "") { return with(QStringLiteral(R"("zero_optimization": {"stage": %1, "reduce_bucket_size": %2%3})").arg(stage).arg(elements, more)); };
    const char* reduce = "/zero_optimization/reduce_bucket_size";
    for (int stage = 1; stage <= 3; ++stage) {
        row(QString("a bucket of 1e20 in stage %1").arg(stage), "0.14.5", 1, bucket(stage, "1e20"), "engine", reduce, "64 bits (TypeError)|5e8");
        row(QString("a bucket without one buffer in stage %1").arg(stage), "0.14.5", 1, bucket(stage, "1e20", R"(, "contiguous_gradients": false)"), "", reduce, "");
        for (const char* release : {"0.14.5", "0.16.9", "0.19.8"}) {
            row(QString("a bucket of 21 digits in stage %1").arg(stage), release, 1, bucket(stage, "100000000000000000000"), "engine", reduce, "64 bits (TypeError)");
            row(QString("a bucket of 9e18 in stage %1").arg(stage), release, 1, bucket(stage, "9e18"), "engine", reduce, "64 bits (RuntimeError)");
        }
    }
    row("an offloaded bucket without one buffer", "0.14.5", 1, bucket(2, "1e20", R"(, "contiguous_gradients": false, "offload_optimizer": {"device": "cpu"})"), "engine", reduce, "TypeError");
    row("a bucket of 1e20", "0.19.8", 1, bucket(2, "1e20"), "parse", reduce, "64 bits");
    row("a bucket that nobody fills", "0.19.8", 1, bucket(2, "5e8"), "", reduce, "");
    // A warm-up from a ratio in quotes: the step that fails on it is caught, and the next one is the batch size.
    const auto cosine = [](int batch, const char* warmup) { return QStringLiteral(R"({"train_batch_size": %1, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "scheduler": {"type": "WarmupCosineLR", "params": {"total_num_steps": 100, %2"warmup_min_ratio": "0.1"}}})").arg(batch).arg(warmup); };
    for (const char* release : {"0.14.5", "0.16.9", "0.19.8"}) {
        row("a warm-up shorter than the batch", release, 1, cosine(16, R"("warmup_num_steps": 10, )"), "", "/scheduler/params/warmup_min_ratio", "step 16|warm-up of 10 steps|TypeError");
        row("a warm-up as long as the batch", release, 1, cosine(10, R"("warmup_num_steps": 10, )"), "", "/scheduler/params/warmup_min_ratio", "step 10");
        row("a warm-up longer than the batch", release, 1, cosine(8, R"("warmup_num_steps": 10, )"), "engine", "/scheduler/params/warmup_min_ratio", "calculates with it");
        row("a warm-up of one step", release, 1, cosine(2, R"("warmup_num_steps": 1, )"), "", "/scheduler/params/warmup_min_ratio", "warm-up of 2 steps");
        row("a warm-up of the default", release, 1, cosine(16, ""), "engine", "/scheduler/params/warmup_min_ratio", "calculates with it");
    }
    // A mesh of ranks.
    const auto mesh = [](const char* data, const char* sequence, const char* more = "") { return with(QStringLiteral(R"("data_parallel_size": %1, "sequence_parallel_size": %2%3)").arg(data, sequence, more)); };
    const char *data = "/data_parallel_size", *sequence = "/sequence_parallel_size";
    for (const char* release : {"0.16.9", "0.18.9", "0.19.6", "0.19.8"}) {
        row("a mesh larger than the job", release, 4, mesh("4", "2"), "engine", data, "8 ranks|number of ranks is 4|RuntimeError");
        row("a mesh of ranks nobody gave", release, 0, mesh("2", "2"), "engine", data, "4 ranks|1 (assumed)");
        row("a mesh on one rank", release, 1, mesh("8", "1"), "engine", data, "8 ranks|number of ranks is 1");
        row("a mesh that fits", release, 4, mesh("2", "2"), "", data, "");
        row("a mesh of a sequence size of none", release, 4, mesh("4", "0"), "engine", sequence, "is 0|1 or more");
        row("a mesh smaller than the job", release, 4, mesh("1", "2"), "engine", data, "2 ranks|IndexError");
        row("a mesh of a negative size", release, 4, mesh("2", "-1"), "engine", sequence, "is -1");
        row("a mesh of a switch", release, 4, mesh("true", "2"), "engine", data, "is true");
    }
    row("a mesh in quotes", "0.18.9", 4, mesh("2", R"("2")"), "engine", sequence, "integers");
    // Steps that overflow hand no number to the kernel.
    const auto text = [](const char* half) { return QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "Adam", "params": {"lr": 1e-3, "eps": "1e-8"}}, "fp16": {"enabled": true%1}, "zero_optimization": {"stage": 2}})").arg(half); };
    row("a text for a number where the first steps are skipped", "0.16.9", 1, text(""), "", "/optimizer/params/eps", "calculates with it");
    row("rates left open where the first steps are skipped", "0.14.5", 1, QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "Adam", "params": {"betas": "auto"}}, "fp16": {"enabled": true}, "zero_optimization": {"stage": 3}})"), "", "/optimizer/params/betas", "Not in the first steps");
    row("a text for a number where the scale begins lower", "0.16.9", 1, text(R"(, "hysteresis": 2)"), "engine", "/optimizer/params/eps", "calculates with it");
    row("a text for a number in a release with a lower scale", "0.18.9", 1, text(""), "engine", "/optimizer/params/eps", "calculates with it");
    row("muon in small letters", "0.16.9", 1, QStringLiteral(R"({"train_batch_size": 8, "optimizer": {"type": "muon", "params": {"lr": 0.02}}})"), "engine", "/optimizer/type", "no Muon of its own|0.18.9");
    row("no mesh", "0.14.5", 4, mesh("4", "2"), "", "", "");
    row("half a mesh", "0.19.8", 4, with(R"("sequence_parallel_size": 8)"), "", "", "");
    row("a mesh of the ranks of two stages", "0.19.8", 2, mesh("2", "2"), "", data, "", R"({"pipeline_model": true, "pipe_stages": 2})");
    row("a mesh of more than the ranks of two stages", "0.19.8", 2, mesh("4", "2"), "engine", data, "number of ranks is 4", R"({"pipeline_model": true, "pipe_stages": 2})");
    const char* third = R"(, "bf16": {"enabled": true}, "zero_optimization": {"stage": 3})";
    for (const char* release : {"0.16.9", "0.18.9"}) {
        row("sequences in stage 3", release, 4, mesh("2", "2", third), "engine", "/zero_optimization/stage", "4 ranks|RuntimeError|stage 2");
        row("a mesh of all ranks in stage 3", release, 4, mesh("4", "1", third), "", "/zero_optimization/stage", "");
        row("a small mesh in stage 3", release, 4, mesh("2", "1", third), "engine", "/zero_optimization/stage", "gradients");
    }
    for (const char* release : {"0.19.6", "0.19.8"})
        row("sequences in stage 3", release, 4, mesh("2", "2", third), "", "/zero_optimization/stage", "");
    // Experts split by AutoEP.
    const auto experts = [](const char* section, const char* more = "") { return with(QStringLiteral(R"("bf16": {"enabled": true}, "expert_parallel": {"enabled": true, "autoep_size": 2, %1}%2)").arg(section, more)); };
    const char* both = R"(, "tensor_parallel": {"autotp_size": 2})";
    for (const char* preset : {"\"qwen2_moe\"", "\"llama4\"", "\"foo\"", "1"})
        row(QString("a preset that is none: ") + preset, "0.19.8", 4, experts(qPrintable(QString(R"("preset_model": )") + preset)), "engine", "/expert_parallel/preset_model", "mixtral|minimax_m3|ValueError");
    for (const char* preset : {"\"mixtral\"", "\"qwen3_moe\"", "\"minimax_m3\"", "null"})
        row(QString("a preset: ") + preset, "0.19.8", 4, experts(qPrintable(QString(R"("preset_model": )") + preset)), "", "/expert_parallel/preset_model", "");
    row("a preset of a newer release", "0.19.6", 4, experts(R"("preset_model": "minimax_m3")"), "engine", "/expert_parallel/preset_model", "deepseek_v3");
    row("a preset that is switched off", "0.19.8", 4, with(R"("expert_parallel": {"enabled": false, "preset_model": "foo"})"), "", "/expert_parallel/preset_model", "");
    row("two presets", "0.19.8", 4, experts(R"("preset_model": "mixtral")", R"(, "tensor_parallel": {"autotp_size": 2, "preset_model": "qwen2"})"), "engine", "/expert_parallel/preset_model", "qwen2|ValueError");
    row("one preset twice", "0.19.8", 4, experts(R"("preset_model": "mixtral")", R"(, "tensor_parallel": {"autotp_size": 2, "preset_model": "mixtral"})"), "", "/expert_parallel/preset_model", "");
    row("rows added up twice", "0.19.8", 4, experts(R"("comm_backend": "deepep", "comm_max_tokens_per_rank": 100, "combine_impl": "fused_weighted_sum")"), "engine", "/expert_parallel/combine_impl", "deepep|ValueError");
    row("a plan on the side", "0.19.8", 4, experts(R"("async_split_plan": true)", both), "engine", "/expert_parallel/async_split_plan", "autotp_size|ValueError");
    row("a plan on the side without AutoTP", "0.19.8", 4, experts(R"("async_split_plan": true)"), "", "/expert_parallel/async_split_plan", "");
    row("a fused sum", "0.19.8", 4, experts(R"("combine_impl": "fused_weighted_sum")", both), "engine", "/expert_parallel/combine_impl", "autotp_size");
    row("an offload", "0.19.8", 4, experts(R"("score_func": "auto")", R"(, "tensor_parallel": {"autotp_size": 2}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "none"}})"), "engine", "/zero_optimization/offload_optimizer", "ValueError");
    row("the other order", "0.19.8", 4, experts(R"("score_func": "auto")", R"(, "tensor_parallel": {"autotp_size": 2}, "use_data_before_expert_parallelism": true)"), "engine", "/use_data_before_expert_parallelism", "ValueError");
    row("DeepCompile", "0.19.8", 4, experts(R"("score_func": "auto")", R"(, "tensor_parallel": {"autotp_size": 2}, "compile": {"deepcompile": true}, "zero_optimization": {"stage": 1})"), "engine", "/compile/deepcompile", "ValueError");
    row("stage 3", "0.19.6", 4, experts(R"("score_func": "auto")", R"(, "tensor_parallel": {"autotp_size": 2}, "zero_optimization": {"stage": 3})"), "engine", "/zero_optimization/stage", "0 to 2");
    row("stage 3", "0.19.8", 4, experts(R"("score_func": "auto")", R"(, "tensor_parallel": {"autotp_size": 2}, "zero_optimization": {"stage": 3})"), "", "/zero_optimization/stage", "");
    row("AutoEP with AutoTP", "0.19.8", 4, experts(R"("score_func": "auto")", both), "", "", "");
    // Batch sizes that are not above 0: the one at fault is named.
    const QString adam = R"("optimizer": {"type": "AdamW", "params": {"lr": 1e-4}})";
    const auto sizes = [&](const char* written) { return QString("{" + adam + ", ") + written + "}"; };
    row("a micro batch of 0", "0.19.8", 1, sizes(R"("train_micro_batch_size_per_gpu": 0)"), "parse", "/train_micro_batch_size_per_gpu", "is 0|1 or more");
    row("a micro batch below 0", "0.16.9", 1, sizes(R"("train_micro_batch_size_per_gpu": -1)"), "parse", "/train_micro_batch_size_per_gpu", "is -1|1 or more");
    row("accumulation below 0", "0.19.8", 1, sizes(R"("train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": -2)"), "parse", "/gradient_accumulation_steps", "is -2|1 or more");
    row("a batch that nobody wrote", "0.19.8", 1, sizes(R"("train_micro_batch_size_per_gpu": 0)"), "parse", "/train_batch_size", "");
    row("a batch shared out by less than 0", "0.19.8", 1, sizes(R"("train_batch_size": 8, "gradient_accumulation_steps": -2)"), "parse", "/gradient_accumulation_steps", "is -2");
    row("a division by 0", "0.19.8", 1, sizes(R"("train_batch_size": 8, "gradient_accumulation_steps": 0)"), "parse", "/gradient_accumulation_steps", "ZeroDivisionError");
    row("a batch too small for the ranks", "0.19.8", 8, sizes(R"("train_batch_size": 4)"), "parse", "/train_batch_size", "works out to 0|8");
    row("a batch below 0", "0.19.8", 1, sizes(R"("train_batch_size": -8)"), "parse", "/train_batch_size", "is -8");
    row("no data-parallel rank", "0.19.8", 4, mesh("0", "2"), "parse", data, "is 0|0 data-parallel ranks");
    row("less than no rank", "0.19.8", 4, with(R"("sequence_parallel_size": -2)"), "parse", sequence, "is -2|-2.0 data-parallel ranks");
    // What the engine hands to forward(), and where it ends.
    const QString drop = R"("progressive_layer_drop": {"enabled": %1, "theta": 0.5, "gamma": 0.001})";
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6"}) {
        row("layers dropped from stages", release, 1, with(drop.arg("true")), "pipe", "/progressive_layer_drop/enabled", "TypeError", R"({"pipeline_model": true})");
        row("layers dropped", release, 1, with(drop.arg("true")), "", "/progressive_layer_drop/enabled", "pld_theta");
        row("no layers dropped from stages", release, 1, with(drop.arg("false")), "", "/progressive_layer_drop/enabled", "", R"({"pipeline_model": true})");
    }
    const QString legacy = R"("curriculum_learning": {"enabled": true, "curriculum_type": "%1", "min_difficulty": 8, "max_difficulty": 64, "schedule_type": "fixed_linear", "schedule_config": {"total_curriculum_step": 10, "difficulty_step": 8}})";
    row("a curriculum of lengths", "0.19.6", 1, with(legacy.arg("seqlen")), "", "/curriculum_learning/curriculum_type", "curriculum_seqlen");
    row("a curriculum of something else", "0.19.6", 1, with(legacy.arg("other")), "", "/curriculum_learning/curriculum_type", "");
    row("a profile of the model", "0.19.8", 1, with(R"("autotuning": {"enabled": true, "model_info": {"profile": true}})"), "", "/autotuning/model_info/profile", "first forward");
    row("a profile of the model and no steps", "0.19.8", 1, with(R"("autotuning": {"enabled": true, "model_info": {"profile": true}})"), "", "/autotuning/enabled", "");
    row("no profile of the model", "0.19.8", 1, with(R"("autotuning": {"enabled": true, "model_info": {"profile": false}})"), "", "/autotuning/enabled", "after step 6");
    row("an optimizer without a type in a stage", "0.19.8", 1, R"({"train_batch_size": 1, "optimizer": {"params": {"lr": 1e-3}}, "zero_optimization": {"stage": 2}})", "engine", "/optimizer", "section has no \"type\"");
    row("an optimizer without a type", "0.19.8", 1, R"({"train_batch_size": 1, "optimizer": {"params": {"lr": 1e-3}}})", "engine", "/optimizer", "section has no \"type\"|first backward");
    // The sums of another type are filled before the last micro-batch is reduced from its hook.
    const auto sums = [](int steps) { return QStringLiteral(R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": %1, "optimizer": {"type": "Adam", "params": {"lr": 1e-3}}, "fp16": {"enabled": true}, "zero_optimization": {"stage": 1, "overlap_comm": true}, "data_types": {"grad_accum_dtype": "fp32"}})").arg(steps); };
    row("sums of another type from one micro-batch", "0.14.5", 1, sums(1), "engine", "/zero_optimization/overlap_comm", "AttributeError in the first backward");
    row("sums of another type from two", "0.14.5", 1, sums(2), "", "/zero_optimization/overlap_comm", "");
    row("no optimizer in a stage", "0.19.8", 1, R"({"train_batch_size": 1, "zero_optimization": {"stage": 2}})", "engine", "", "deepspeed.initialize");
    row("a count beyond 64 bits", "0.19.8", 1, with(R"("zero_optimization": {"stage": 2, "reduce_bucket_size": 1e30})"), "parse", "/zero_optimization/reduce_bucket_size", "1e30|64 bits");
    row("shards of one rank gathered over nodes", "0.18.9", 4, with(R"("zero_optimization": {"stage": 3, "mics_shard_size": 1, "mics_hierarchical_params_gather": true})"), "engine", "/zero_optimization/mics_hierarchical_params_gather", "AssertionError");
    row("shards gathered over nodes", "0.14.5", 4, with(R"("zero_optimization": {"stage": 3, "mics_shard_size": 2, "mics_hierarchical_params_gather": true})"), "", "/zero_optimization/mics_hierarchical_params_gather", "one node|AssertionError");
    row("shards gathered at once", "0.18.9", 4, with(R"("zero_optimization": {"stage": 3, "mics_shard_size": 2, "mics_hierarchical_params_gather": false})"), "", "/zero_optimization/mics_hierarchical_params_gather", "");
    // A schedule's rates.
    const auto schedule = [](const char* type, const char* params) { return with(QStringLiteral(R"("scheduler": {"type": "%1", "params": {%2}})").arg(type, params)); };
    for (const char* release : {"0.18.9", "0.19.6", "0.19.8"}) {
        row("the optimizer's rate", release, 1, schedule("WarmupLR", R"("warmup_max_lr": null)"), "", "/scheduler/params/warmup_max_lr", "");
        row("the optimizer's rate, falling", release, 1, schedule("WarmupDecayLR", R"("total_num_steps": 1000, "warmup_max_lr": null)"), "", "/scheduler/params/warmup_max_lr", "");
    }
    for (const char* release : {"0.14.5", "0.16.9"})
        row("no rate", release, 1, schedule("WarmupLR", R"("warmup_max_lr": null)"), "engine", "/scheduler/params/warmup_max_lr", "null");
    row("no rate to begin with", "0.19.8", 1, schedule("WarmupLR", R"("warmup_min_lr": null)"), "engine", "/scheduler/params/warmup_min_lr", "null");
    // SuperOffload, Muon and masters in 16 bits beside what they do not go with.
    const QString super = R"("bf16": {"enabled": true}, "optimizer": {"type": "%1", "params": {"lr": 1e-4}}, "zero_allow_untested_optimizer": true, "train_micro_batch_size_per_gpu": 2, "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "%2", "super_offload": true%3}})";
    const char* offload = "/zero_optimization/offload_optimizer/super_offload";
    for (const char* release : {"0.18.9", "0.19.8"}) {
        row("SuperOffload", release, 1, "{" + super.arg("AdamW", "cpu", "") + "}", "", offload, "");
        row("SuperOffload of Lion", release, 1, "{" + super.arg("Lion", "cpu", "") + "}", "engine", offload, "KeyError|AdamW");
        row("SuperOffload without offload", release, 1, "{" + super.arg("AdamW", "none", "") + "}", "engine", offload, "FusedAdam|KeyError|cpu");
        row("SuperOffload on no cores", release, 1, "{" + super.arg("AdamW", "cpu", R"(, "cpuadam_cores_perc": 0)") + "}", "engine", "/zero_optimization/offload_optimizer/cpuadam_cores_perc", "ValueError");
        row("Muon of quantized gradients", release, 1, R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "optimizer": {"type": "Muon", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 3, "reduce_scatter": false, "zero_quantized_gradients": true}})",
            "engine", "/zero_optimization/zero_quantized_gradients", "all2all|false");
    }
    const QString masters = R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true, "bf16_optimizer_states": true}, "optimizer": {"type": "Lion", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}})";
    row("masters in bf16 of Lion", "0.18.9", 1, masters, "", "/bf16/bf16_master_weights_and_grads", "");
    row("masters in bf16 of Lion", "0.19.8", 1, masters, "engine", "/bf16/bf16_master_weights_and_grads", "AssertionError");
    // Schedules whose warm-up is as long as they are, or longer.
    const auto warming = [&](const char* type, int total, int warmup) { return schedule(type, qPrintable(QStringLiteral(R"("total_num_steps": %1, "warmup_num_steps": %2)").arg(total).arg(warmup))); };
    const char* total = "/scheduler/params/total_num_steps";
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"}) {
        row("nothing left to fall over", release, 1, warming("WarmupDecayLR", 100, 200), "", total, "is 100|200 steps|rate of 0");
        row("a fall in one step", release, 1, warming("WarmupDecayLR", 200, 200), "", total, "");
        row("a cosine of one step", release, 1, warming("WarmupCosineLR", 201, 200), "", total, "");
    }
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9"}) {
        row("no cosine", release, 1, warming("WarmupCosineLR", 200, 200), "", total, "200 steps|ZeroDivisionError");
        row("a cosine backwards", release, 1, warming("WarmupCosineLR", 100, 200), "", total, "is 100|rises again");
    }
    for (const char* release : {"0.19.6", "0.19.8"}) {
        row("no cosine", release, 1, warming("WarmupCosineLR", 200, 200), "", total, "");
        row("less than no cosine", release, 1, warming("WarmupCosineLR", 100, 200), "", total, "is 100|cos_min_ratio");
    }
    // What another setting has to ask for.
    const QString inner = with(R"("tensor_parallel": {%1"tp": {"tp_size": 2}})");
    for (const char* release : {"0.16.9", "0.18.9", "0.19.6", "0.19.8"}) {
        row("a size nobody asks for", release, 4, inner.arg(""), "", "/tensor_parallel/tp/tp_size", "tp_size\" is 2|autotp_size");
        row("a size of one", release, 4, QString(inner).replace("2}", "1}").arg(""), "", "/tensor_parallel/tp/tp_size", "");
        row("a size that is asked for", release, 4, inner.arg(R"("autotp_size": 2, )"), "", "/tensor_parallel/tp/tp_size", "");
        row("a size the script has split by", release, 4, inner.arg(""), "", "/tensor_parallel/tp/tp_size", "", R"({"tp_model_init": 2})");
    }
    for (const char* release : {"0.18.9", "0.19.8"}) {
        row("sequences of a pipeline", release, 4, with(R"("sequence_parallel_size": 2)"), "", sequence, "data_parallel_size", R"({"pipeline_model": true})");
        row("sequences", release, 4, with(R"("sequence_parallel_size": 2)"), "", sequence, "");
    }
    const char *cycle = R"("cycle_min_lr": [1e-4], "cycle_max_lr": [1e-3])", *momenta = R"("cycle_min_lr": 1e-4, "cycle_max_lr": 1e-3, "cycle_min_mom": [0.8])";
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9"}) {
        row("a cycle of lists", release, 1, schedule("OneCycle", cycle), "engine", "/scheduler/params/cycle_max_lr", "list|TypeError|number");
        row("a cycle of momenta in lists", release, 1, schedule("OneCycle", momenta), "engine", "/scheduler/params/cycle_min_mom", "TypeError");
        row("a cycle of momenta that stand still", release, 1, schedule("OneCycle", qPrintable(QString(momenta) + R"(, "cycle_momentum": false)")), "", "/scheduler/params/cycle_min_mom", "");
        row("a list of one rate", release, 1, schedule("WarmupLR", R"("warmup_max_lr": [1e-4])"), "", "/scheduler/params/warmup_max_lr", "");
    }
    for (const char* release : {"0.19.6", "0.19.8"})
        row("a cycle of lists", release, 1, schedule("OneCycle", cycle), "", "/scheduler/params/cycle_min_lr", "");
    for (const char* release : {"0.14.5", "0.19.8"})
        row("a decay in a list", release, 1, schedule("OneCycle", R"("cycle_min_lr": 1e-4, "cycle_max_lr": 1e-3, "decay_lr_rate": [0.1])"), "engine", "/scheduler/params/decay_lr_rate", "TypeError|one number");
    // ZenFlow's intervals: what a release refuses when it parses another leaves to its first step.
    const QString flow = R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true}, "zero_allow_untested_optimizer": true, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4}}, "zero_optimization": {"stage": %1, "offload_optimizer": {"device": "cpu"}, "zenflow": {%2}}})";
    const char *update = "/zero_optimization/zenflow/update_interval", *rounds = "/zero_optimization/zenflow/full_warm_up_rounds", *accumulation = "/gradient_accumulation_steps";
    for (const char* written : {"0", "0.0", "false"}) {
        for (const char* release : {"0.19.6", "0.19.8"})
            row(QString("an update interval of none: ") + written, release, 1, flow.arg(2).arg(QString(R"("update_interval": )") + written), "parse", update, "integer of 1 or more");
        row(QString("an update interval of none: ") + written, "0.18.9", 1, flow.arg(2).arg(QString(R"("update_interval": )") + written), "engine", update, "ZeroDivisionError|0.18.9");
    }
    row("an update interval below 0", "0.18.9", 1, flow.arg(2).arg(R"("update_interval": -1)"), "", accumulation, "update_interval\" is -1|climbs");
    row("an update interval below 0", "0.19.8", 1, flow.arg(2).arg(R"("update_interval": -1)"), "parse", update, "integer of 1 or more");
    row("an update interval beyond 64 bits", "0.19.8", 1, flow.arg(2).arg(R"("update_interval": 9223372036854775808)"), "", update, "");
    for (const char* release : {"0.18.9", "0.19.6", "0.19.8"}) {
        row("an update interval in quotes", release, 1, flow.arg(2).arg(R"("update_interval": "2")"), "parse", update, "is \"2\"");
        row("a warm-up of two rounds less than none", release, 1, flow.arg(2).arg(R"("update_interval": 2, "full_warm_up_rounds": -2)"), "engine", rounds, "AttributeError|Write 0");
        row("a warm-up below none in stage 3", release, 1, flow.arg(3).arg(R"("update_interval": 2, "full_warm_up_rounds": -1)"), "engine", rounds, "AttributeError");
        row("a warm-up below none in stage 3 with an interval of steps", release, 1, flow.arg(3).arg(R"("select_strategy": "step", "select_interval": 4, "update_interval": 2, "full_warm_up_rounds": -1)"), "", rounds, "is -1|subtracted");
        row("no warm-up", release, 1, flow.arg(2).arg(R"("update_interval": 2, "full_warm_up_rounds": 0)"), "", rounds, "");
    }
    row("a warm-up below none", "0.18.9", 1, flow.arg(2).arg(R"("update_interval": 2, "full_warm_up_rounds": -1)"), "", rounds, "is -1");
    for (const char* release : {"0.19.6", "0.19.8"})
        row("a warm-up below none", release, 1, flow.arg(2).arg(R"("update_interval": 2, "full_warm_up_rounds": -1)"), "engine", rounds, "AttributeError");
    row("an update interval beside no other size", "0.19.8", 1, flow.arg(2).arg(R"("update_interval": 4)"), "", accumulation, "Write 4 there too, so that");
    row("an update interval beside the whole batch", "0.19.8", 2, flow.arg(2).arg(R"("update_interval": 4)").replace("\"train_micro", "\"train_batch_size\": 4, \"train_micro"), "", accumulation, "and 16 as \"train_batch_size\"");
    row("amsgrad beside ZenFlow", "0.19.8", 1, flow.arg(2).arg(R"("update_interval": 2)").replace("1e-4}", "1e-4, \"amsgrad\": true}"), "engine", at("amsgrad"), "ZenFlow steps no other class");
    // Masters in 16 bits: what is at fault is told, and no more.
    const QString master = R"({"train_micro_batch_size_per_gpu": 2, "bf16": {"enabled": true, "bf16_master_weights_and_grads": true}, "optimizer": {"type": "%1", "params": {"lr": 1e-4%2}}, "zero_optimization": {"stage": 2%3}})";
    const char *cpu = R"(, "offload_optimizer": {"device": "cpu"})", *weights = "/bf16/bf16_master_weights_and_grads";
    for (const char* release : {"0.18.9", "0.19.8"}) {
        row("masters of an Adam that is not offloaded", release, 1, master.arg("AdamW", "", ""), "engine", weights, "add \"offload_optimizer\"");
        row("masters of an offloaded Lion", release, 1, master.arg("Lion", "", cpu), "engine", weights, "type here is Lion|offloaded, as it has to be");
        row("masters of torch's Adam", release, 1, master.arg("Adam", R"(, "torch_adam": true)", ""), "engine", weights, "Change the type and add");
        row("masters of the script's optimizer", release, 1, master.arg("Adam", "", cpu), "engine", weights, "pass a DeepSpeedCPUAdam", R"({"optimizer": "torch.optim.Lion"})");
        row("masters of DeepSpeed's", release, 1, master.arg("Adam", "", cpu), "", weights, "");
    }
    const char* norm = "/zero_optimization/compute_grad_norm";
    row("no norm to clip by", "0.19.8", 1, with(R"("zero_optimization": {"stage": 2, "compute_grad_norm": false})"), "engine", norm, "is 1.0 where it is not written");
    row("no norm to clip by", "0.19.8", 1, with(R"("gradient_clipping": 0.5, "zero_optimization": {"stage": 2, "compute_grad_norm": false})"), "engine", norm, "is 0.5;|to 0");
    row("no norm for an offload", "0.19.8", 1, with(R"("zero_optimization": {"stage": 2, "compute_grad_norm": false, "offload_optimizer": {"device": "cpu"}})"), "engine", norm, "Remove it");
    // torch's word for how weights decay.
    for (const char* release : {"0.14.5", "0.19.8"}) {
        row("AdamW decouples", release, 1, given("AdamW", R"("decoupled_weight_decay": true)"), "engine", at("decoupled_weight_decay"), "adam_w_mode|decoupled already");
        row("Adam decouples", release, 1, given("Adam", R"("decoupled_weight_decay": true)"), "engine", at("decoupled_weight_decay"), "decoupled already");
        row("an Adam that does not", release, 1, given("Adam", R"("decoupled_weight_decay": true, "adam_w_mode": false)"), "engine", at("decoupled_weight_decay"), "that is off");
        row("AdamW that should not", release, 1, given("AdamW", R"("decoupled_weight_decay": false)"), "engine", at("decoupled_weight_decay"), "type \"Adam\" with \"adam_w_mode\": false");
        row("Lion decoupled", release, 1, given("Lion", R"("decoupled_weight_decay": true)"), "engine", at("decoupled_weight_decay"), "NAdam, RAdam");
        row("torch's Adam decoupled", release, 1, given("Adam", R"("torch_adam": true, "adam_w_mode": false, "decoupled_weight_decay": true)"), "", at("decoupled_weight_decay"), "");
    }
    // Classes that autocast casts are imported when the engine is built.
    const auto cast = [](const char* name) { return with(QStringLiteral(R"("torch_autocast": {"enabled": true, "dtype": "bfloat16", "lower_precision_safe_modules": ["%1"]})").arg(name)); };
    const char* module = "/torch_autocast/lower_precision_safe_modules/0";
    for (const char* release : {"0.18.9", "0.19.8"}) {
        for (const char* name : {"nn.Linear", "Linear", "torch.Linear", " torch.nn.Linear", "torch.nn.Linear ", ".Linear", "torch.nn.", "torch.nn.linear", "torch.nn.modules.linear.Lin", "pytorch.nn.Linear", "F.linear"})
            row(QString("a class that cannot be imported: ") + name, release, 1, cast(name), "engine", module, "ValueError|torch.nn.Linear");
        for (const char* name : {"torch.nn.Linear", "torch.nn.modules.linear.Linear", "torch.nn.functional", "torch.nn.functional.linear", "torch.optim.AdamW"})
            row(QString("a class that can: ") + name, release, 1, cast(name), "", module, "");
        row("a class of the script's", release, 1, cast("modeling.Block"), "", module, "modeling");
    }
    row("no autocast", "0.14.5", 1, cast("nn.Linear"), "", module, "");
    // Ranks that the script divides into groups.
    const QString plain = with(R"("bf16": {"enabled": true})");
    for (const char* release : {"0.16.9", "0.18.9", "0.19.8"}) {
        for (const auto& [ranks, size] : {std::pair{1, 2}, {3, 2}, {2, 4}, {4, 3}})
            row(QString("%1 ranks in the script's groups of %2").arg(ranks).arg(size), release, ranks, plain, "engine", "", "", qPrintable(QString(R"({"tp_model_init": %1})").arg(size)));
        row("4 ranks in the script's groups of 2", release, 4, plain, "", "", "", R"({"tp_model_init": 2})");
        row("AutoTP of groups that do not come out even", release, 3, size("2"), "engine", "/tensor_parallel", "tp_model_init with 2|number of ranks is 3", R"({"tp_model_init": 2})");
    }
    row("a release without tensor parallelism", "0.14.5", 3, plain, "", "", "", R"({"tp_model_init": 2})");
}

void TstCheckReleases::verdicts()
{
    QFETCH(QString, release);
    QFETCH(int, ranks);
    QFETCH(QString, context);
    QFETCH(QString, text);
    QFETCH(QString, level);
    QFETCH(QString, pointer);
    QFETCH(QString, says);
    for (const char* language : {"en", "zh"}) {
        const CheckAnswer answer = answerFor(text, release, context, ranks, language);
        QString all, messages;
        for (const CheckFinding& finding : answer.findings) {
            const QString told = QString::fromStdString(finding.message) + "\n";
            all += QString::fromStdString(finding.rule + " " + finding.pointer + ": ") + told;
            messages += finding.pointer == pointer.toStdString() ? told : QString();
        }
        QVERIFY2(QString(answer.level ? checkLevelName(*answer.level) : "") == level, qPrintable(all));
        if (language == std::string("zh")) {
            QVERIFY2(says.isEmpty() == messages.isEmpty() || pointer.isEmpty(), qPrintable(all));
            continue;
        }
        QVERIFY2(!says.isEmpty() || pointer.isEmpty() || messages.isEmpty(), qPrintable(all));
        for (const QString& words : says.split('|', Qt::SkipEmptyParts))
            QVERIFY2(messages.contains(words), qPrintable(words + " is missing in\n" + all));
    }
}

void TstCheckReleases::nothingIsDerivedFromWhatIsRefused_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("ignored");  // of what the answer lists; DeepSpeed's reader stops, so a key is listed only where its place is certain
    QTest::addColumn<QString>("never");    // that no message says
    const auto row = [](const char* name, const QString& more, const char* ignored, const char* never) { QTest::newRow(name) << with(more) << QString(ignored) << QString(never); };
    const QString section = R"("zero_optimization": {"stage": 3, "%1": %2})";
    for (const char* block : {"offload_optimizer", "offload_param"}) {
        const QString at = QStringLiteral("/zero_optimization/%1/nvme_path").arg(block);
        row(qPrintable(QString("an unknown key beside nvme in ") + block), section.arg(block, R"({"device": "nvme", "nvme_path": "/local_nvme", "buffer_counts": 4})"), "", "the device is");
        row(qPrintable(QString("a count in words beside nvme in ") + block), section.arg(block, R"({"device": "nvme", "nvme_path": "/local_nvme", "buffer_count": "many"})"), "", "the device is");
        row(qPrintable(QString("an unknown key beside cpu in ") + block), section.arg(block, R"({"device": "cpu", "nvme_path": "/local_nvme", "buffer_counts": 4})"), qPrintable(at), R"(the device is "none")");
        row(qPrintable(QString("a device that is none in ") + block), section.arg(block, R"({"device": "nvm", "nvme_path": "/local_nvme"})"), "", "the device is");
    }
    row("a ratio above 1", section.arg("offload_optimizer", R"({"device": "nvme", "nvme_path": "/local_nvme", "ratio": 1.5})"), "", "the device is");
    row("a switch of bf16 in words", R"("bf16": {"enabled": "perhaps"}, "zero_optimization": {"allgather_bucket_size": 5000})", "", "allgather_bucket_size");
    row("a switch of DeepCompile in words", R"("compile": {"deepcompile": "perhaps"}, "zero_optimization": {"reduce_bucket_size": 5000})", "", "reduce_bucket_size");
}

void TstCheckReleases::nothingIsDerivedFromWhatIsRefused()
{
    QFETCH(QString, text);
    QFETCH(QString, ignored);
    QFETCH(QString, never);
    const CheckAnswer answer = answerFor(text, "0.19.8", "{}", 0);
    QVERIFY(answer.level == CheckLevel::Parse);
    std::string listed;
    for (const std::string& pointer : answer.ignored)
        listed += (listed.empty() ? "" : " ") + pointer;
    QCOMPARE(QString::fromStdString(listed), ignored);
    for (const CheckFinding& finding : answer.findings)
        QVERIFY2(!QString::fromStdString(finding.message).contains(never), finding.message.c_str());
}

void TstCheckReleases::listedByStage_data()
{
    QTest::addColumn<QString>("release");
    QTest::addColumn<int>("stage");
    QTest::addColumn<QString>("ignored");
    const QString nobody = "/zero_optimization/allgather_partitions", ofTwo = " /zero_optimization/allgather_bucket_size /zero_optimization/round_robin_gradients /zero_optimization/ignore_unused_parameters";
    // As engine.py of each release hands them on: to the optimizer of stages 1 and 2 alone.
    for (const char* release : {"0.14.5", "0.16.9", "0.18.9", "0.19.6", "0.19.8"}) {
        QTest::addRow("stage 1 of %s", release) << release << 1 << nobody;
        QTest::addRow("stage 2 of %s", release) << release << 2 << nobody;
        QTest::addRow("stage 3 of %s", release) << release << 3 << nobody + ofTwo;
    }
}

void TstCheckReleases::listedByStage()
{
    QFETCH(QString, release);
    QFETCH(int, stage);
    QFETCH(QString, ignored);
    const CheckAnswer answer = answerFor(with(QStringLiteral(R"("zero_optimization": {"stage": %1, "allgather_partitions": true, "allgather_bucket_size": 5000, "round_robin_gradients": true, "ignore_unused_parameters": false})").arg(stage)), release, "{}", 2);
    std::string listed;
    for (const std::string& pointer : answer.ignored)
        listed += (listed.empty() ? "" : " ") + pointer;
    QCOMPARE(QString::fromStdString(listed), ignored);
    for (const CheckFinding& finding : answer.findings)
        QVERIFY(finding.effect != CheckEffect::Ignored || (finding.safe && !finding.fix.empty()));
}

QTEST_APPLESS_MAIN(TstCheckReleases)
#include "tst_check_releases.moc"
