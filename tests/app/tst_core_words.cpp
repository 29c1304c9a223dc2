// SPDX-License-Identifier: GPL-3.0-or-later
// What the core says is told in the window's language: by the id of its message, with its arguments.
#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/finding_rows.h"
#include "app/plan_service.h"
#include "app/search_service.h"
#include "app/translations.h"
#include "plan_page_fixture.h"

#include "hardware/user_sheets.h"
#include "planner/advisor.h"
#include "planner/deepspeed_estimate_text.h"
#include "planner/findings.h"
#include "planner/layout_faults.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;
using nlohmann::json;

namespace {

bool hasHan(const QString& text)
{
    return std::any_of(text.begin(), text.end(), [](QChar c) { return c.script() == QChar::Script_Han; });
}

// A source that says something in words, beside names of files, papers and functions.
bool isSentence(const std::string& source)
{
    static const QRegularExpression words(QStringLiteral("\\b(is|are|with|without|taken|keeps?|gives?|hands|saved|leaves?|left|out|of|and its|whole|made|every|by|no|as)\\b"));
    return QString::fromStdString(source).contains(words);
}

/// In English the same words; where those name an option of the command line, where to choose it in the window.
void saidAsInTheCore(const PlanFinding& finding)
{
    const QString text = findingText(finding), core = QString::fromStdString(finding.message);
    if (!isSaidForTheWindow(finding.id)) {
        QCOMPARE(text, core);
        return;
    }
    QVERIFY2(core.contains(QStringLiteral("--")) && !text.contains(QStringLiteral("--")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Plan page")) || text.contains(QStringLiteral("Model and hardware")), qPrintable(text));
    QCOMPARE(text.left(20), core.left(20));
}

}  // namespace

class TstCoreWords : public QObject {
    Q_OBJECT
private slots:
    void findingsSpeakBothLanguages_data();
    void findingsSpeakBothLanguages();
    void refusedSheetsAreToldInBothLanguages();
    void otherLayoutsAreToldInBothLanguages();
    void everyItemSaysWhatItIs_data();
    void everyItemSaysWhatItIs();
    void changesOfTheJobSpeak();
    void everyLayoutRuleSpeaks();
    void keysWithoutEffectSayWhy();
    void estimatorReasonsSpeak();
    void argumentsAreNotPatterns();
    void searchRefusesInTheLanguage();

private:
    Translations m_translations{nullptr};
    QTemporaryDir m_folder;
};

void TstCoreWords::findingsSpeakBothLanguages_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("id");
    const QByteArray deepspeed = workspaceOf("llama-3-8b", 1, 8, "deepspeed");
    const auto with = [](QByteArray text, const char* pointer, const char* value) { return QByteArray::fromStdString(withValue(text.toStdString(), pointer, value)); };
    const auto row = [](const char* id, const QByteArray& text) { QTest::newRow(id) << text << QString::fromLatin1(id); };
    row("plan.memory", with(deepspeed, "/dsConfig/train_micro_batch_size_per_gpu", "64"));
    row("plan.batch_triangle", with(deepspeed, "/dsConfig/train_batch_size", "7"));
    row("plan.batch_assumed", with(with(deepspeed, "/dsConfig/train_micro_batch_size_per_gpu", ""), "/dsConfig/gradient_accumulation_steps", ""));
    row("plan.host_is_device", with(with(deepspeed, "/hardware/device", "\"cpu\""), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}"));
    row("plan.memory.kept", with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/framework/arguments", "{\"model_code\": \"transformers\", \"local_batch\": 8, \"seq\": 4096, \"ac\": \"full\"}"));
    row("plan.batch_impossible", with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/dsConfig/train_micro_batch_size_per_gpu", "\"NaN\""));
    row("plan.states_only.batch", with(deepspeed, "/dsConfig/gradient_accumulation_steps", "1e300"));
    row("plan.reserve_cut", with(with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/framework/arguments", "{\"local_batch\": 7, \"ac\": \"full\"}"), "/layout/recompute", "\"full\""));
    row("plan.precision_auto", with(deepspeed, "/dsConfig/bf16", "{\"enabled\": \"auto\"}"));
    row("plan.trainer_unused", with(deepspeed, "/launch/trainer", "{\"bf16\": true}"));
    row("plan.segments", with(deepspeed, "/dsConfig/zero_optimization/stage", "3"));
    row("plan.checkpointing_idle", with(deepspeed, "/dsConfig/activation_checkpointing", "{\"partition_activations\": true}"));
    row("plan.ds_config.range", with(deepspeed, "/dsConfig/zero_optimization/reduce_bucket_size", "-5"));
    row("plan.ds_config.flag", with(deepspeed, "/dsConfig/zero_optimization/overlap_comm", "\"maybe\""));
    row("plan.ds_config.device", with(deepspeed, "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"moon\"}"));
    row("plan.device_unknown", with(deepspeed, "/hardware/device", "\"H1000\""));
    row("plan.layout.heads", with(with(deepspeed, "/layout/tp", "3"), "/hardware/nodes", "3"));
    row("plan.layout.stages", with(with(deepspeed, "/layout/pp", "64"), "/hardware/nodes", "64"));
    row("plan.layout.experts", with(workspaceOf("mixtral-8x7b", 3, 8, "deepspeed"), "/layout/ep", "3"));
    row("plan.states_only.count", with(deepspeed, "/model", "{\"params\": 7e9}"));
    const QByteArray offloaded = with(deepspeed, "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}");
    row("plan.host_memory.unknown", offloaded);
    row("plan.host_memory", with(offloaded, "/hardware/hostMemoryGiB", "16"));
    row("plan.memory.states", with(deepspeed, "/model", "{\"params\": 1e12}"));
    row("plan.ds_config.number", with(deepspeed, "/dsConfig/zero_optimization/reduce_bucket_size", "\"5abc\""));
    row("plan.ds_config.whole", with(deepspeed, "/dsConfig/zero_optimization/stage", "1.5"));
    row("plan.optimizer", with(deepspeed, "/dsConfig/optimizer", "{\"type\": \"Sophia\"}"));
    row("plan.fsdp2_precision", with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/dsConfig/bf16", "{\"enabled\": false}"));
    const QByteArray halves = with(with(deepspeed, "/layout/pp", "2"), "/layout/dp", "4");
    row("plan.layout.zero_pipeline", halves);
    row("plan.schedule", with(halves, "/layout/schedule", "\"dualpipe\""));
    row("plan.schedule.chunks", with(halves, "/layout/chunks", "2"));
    row("plan.layout.chunks", with(with(with(halves, "/framework/name", "\"megatron\""), "/layout/chunks", "18"), "/layout/schedule", "\"interleaved_1f1b\""));
    row("plan.layout.dense", with(deepspeed, "/layout/ep", "8"));
    row("plan.layout.ring", with(with(with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/layout/cp", "2"), "/layout/dp", "4"), "/model/seq", "4094"));
    row("plan.layout.sequence", with(with(with(deepspeed, "/layout/cp", "2"), "/layout/dp", "4"), "/model/seq", "4095"));
    row("plan.layout.ulysses", with(with(workspaceOf("qwen2.5-7b", 1, 8, "deepspeed"), "/layout/cp", "8"), "/layout/dp", "1"));
    row("plan.layout.sequence_pipeline", with(with(with(deepspeed, "/layout/cp", "2"), "/layout/pp", "2"), "/layout/dp", "2"));
    row("plan.argument.heads", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"num-layers": 4, "hidden-size": 1000, "num-attention-heads": 16})"));
    row("plan.loss_chunks", with(workspaceOf("llama-3-8b", 1, 8, "megatron"), "/layout/lossChunks", "8"));
    row("plan.engine_layout", with(with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/layout/tp", "2"), "/layout/dp", "4"));
    row("plan.engine_offload", with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}"));
    row("plan.engine_fp16", with(with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/dsConfig/bf16", ""), "/dsConfig/fp16", "{\"enabled\": true}"));
    const auto stages = [&](int pp) { return with(with(workspaceOf("llama-3-8b", pp, 2, "megatron"), "/layout/pp", std::to_string(pp).c_str()), "/layout/dp", "2"); };
    row("plan.layout.split", stages(5));
    row("plan.layout.split_loss", stages(3));
    row("plan.layout.split_places", stages(17));
    row("plan.layout.key_heads", with(with(workspaceOf("llama-3-8b", 2, 8, "fsdp2"), "/layout/tp", "16"), "/layout/dp", "1"));
    row("plan.engine_recompute", with(with(deepspeed, "/framework/name", "\"stagecraft\""), "/layout/recompute", "\"selective\""));
    row("plan.engine_model", with(workspaceOf("mixtral-8x7b", 1, 8, "deepspeed"), "/framework/name", "\"stagecraft\""));
    row("plan.arguments_unused", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "log-interval": 5})"));
    row("plan.argument.whole", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"micro-batch-size": -1})"));
    row("plan.argument.batch", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"micro-batch-size": 3, "global-batch-size": 32})"));
    row("plan.argument.ac", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"ac": "some"})"));
    row("plan.argument.loss", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"loss": "liger"})"));
    row("plan.argument.fused_kernels", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"fused_kernels": "norm softmax"})"));
    row("plan.argument.dtype", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"dtype": "float16"})"));
    row("plan.argument.replicate", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"replicate": 3})"));
    row("plan.arguments_unknown", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "optimiser-cpu-offload": true})"));
    const auto argued = [](const char* framework, const char* arguments) { return QByteArray::fromStdString(withValue(workspaceOf("llama-3-8b", 1, 8, framework).toStdString(), "/framework/arguments", arguments)); };
    row("plan.argument.fraction", argued("megatron", R"({"attention-dropout": 2})"));
    row("plan.argument.word", argued("fsdp2", R"({"ac": 3})"));
    row("plan.argument.topk", argued("megatron", R"({"num-experts": 8, "moe-router-topk": 9})"));
    row("plan.argument.both", argued("megatron", R"({"fp16": true, "bf16": true})"));
    row("plan.argument.groups", argued("megatron", R"({"num-query-groups": 5})"));
    row("plan.argument.modules", argued("megatron", R"({"recompute-granularity": "selective", "recompute-modules": ["norms"]})"));
    row("plan.recompute_method", argued("megatron", R"({"recompute-granularity": "full"})"));
    row("plan.model_replaced", argued("megatron", R"({"num-layers": 32, "hidden-size": 4096, "num-attention-heads": 32})"));
    row("plan.sequence_size", QByteArray::fromStdString(withValue(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), "/dsConfig/sequence_parallel_size", "3")));
    row("plan.arguments_ours", argued("stagecraft", R"({"tp": 2})"));
    row("plan.config_divides", QByteArray::fromStdString(withValue(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), "/dsConfig/tensor_parallel", R"({"autotp_size": 2})")));
    row("plan.autotp_unsaid", with(with(workspaceOf("llama-3-8b", 1, 8, "deepspeed"), "/layout/tp", "2"), "/layout/dp", "4"));
    row("plan.autotp_size", QByteArray::fromStdString(withValue(with(with(workspaceOf("llama-3-8b", 1, 8, "deepspeed"), "/layout/tp", "2"), "/layout/dp", "4").toStdString(), "/dsConfig/tensor_parallel", R"({"autotp_size": 4})")));
    row("plan.autotp_size.ranks", QByteArray::fromStdString(withValue(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), "/dsConfig/tensor_parallel", R"({"autotp_size": 3})")));
    row("plan.no_fp8", QByteArray::fromStdString(withValue(workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"float8": true})").toStdString(), "/hardware/device", "\"A100-SXM-80GB\"")));
    row("plan.arguments_alone", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "recompute-num-layers": 2})"));
    row("plan.arguments_unplanned", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "cuda-graph-scope": "full"})"));
    row("plan.optimizer_offload", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"bf16": true, "optimizer-cpu-offload": true, "optimizer-offload-fraction": 0.5})"));
    row("plan.argument.host_files", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"activation_offloading": "disk"})"));
    row("plan.argument.instances", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"num-distributed-optimizer-instances": 3})"));
    row("plan.flags_help", with(workspaceOf("llama-3-8b", 1, 2, "megatron", R"({"bf16": true})"), "/hardware/device", "\"A100-SXM-40GB\""));
    row("plan.one_unit", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"fsdp_auto_wrap_policy": "NO_WRAP"})"));
    row("plan.argument.wrap", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"fsdp_auto_wrap_policy": "SIZE_BASED_WRAP"})"));
    row("plan.mfu_interval", with(with(deepspeed, "/hardware/device", "\"A100-SXM-80GB\""), "/model/seq", "131072"));
    row("plan.optimizer_paged", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"optimizer": "paged_adamw_8bit"})"));
    row("plan.optimizer_of_device", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"optimizer": "adamw_8bit", "fsdp_offload_params": true})"));
    row("plan.argument.frequency", workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"num-layers": 4, "hidden-size": 1024, "num-attention-heads": 16, "num-experts": 8, "moe-layer-freq": "[0]*3"})"));
    row("plan.argument.split", with(with(workspaceOf("llama-3-8b", 1, 8, "megatron", R"({"account-for-loss-in-pipeline-split": true})"), "/layout/pp", "2"), "/layout/dp", "4"));
    row("plan.argument.reshard", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"fsdp_reshard_after_forward": "sometimes"})"));
    const auto sparse = [&](const char* adapter) { return with(workspaceOf("mixtral-8x7b", 3, 8, "deepspeed"), "/model/adapter", adapter); };
    row("plan.adapter.experts", sparse(R"({"rank": 8})"));
    if (QFile config(m_folder.filePath(QStringLiteral("config.json"))); config.open(QIODevice::WriteOnly)) config.write(R"({"model_type": "qwen2_moe", "num_hidden_layers": 4})");
    if (QFile config(m_folder.filePath(QStringLiteral("bert/config.json"))); QDir(m_folder.path()).mkdir(QStringLiteral("bert")) && config.open(QIODevice::WriteOnly)) config.write(R"({"model_type": "llama", "architectures": ["BertForSequenceClassification"]})");
    if (QFile config(m_folder.filePath(QStringLiteral("t5/config.json"))); QDir(m_folder.path()).mkdir(QStringLiteral("t5")) && config.open(QIODevice::WriteOnly)) config.write(R"({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "tie_word_embeddings": false})");
    if (QFile config(m_folder.filePath(QStringLiteral("odd/config.json"))); QDir(m_folder.path()).mkdir(QStringLiteral("odd")) && config.open(QIODevice::WriteOnly)) config.write(R"({"model_type": "llama", "architectures": 5, "hidden_act": "x"})");
    row("plan.class_written", with(deepspeed, "/model", R"({"hf": "odd", "seq": 512})"));
    row("plan.activation_unknown", with(deepspeed, "/model", R"({"hf": "odd", "seq": 512})"));
    row("plan.tied_output", with(deepspeed, "/model", R"({"hf": "t5", "seq": 512})"));
    row("plan.states_only", with(workspaceOf("llama-3-8b", 1, 8, "fsdp2"), "/model", R"({"hf": "bert", "seq": 512})"));
    row("plan.class_contradicts", with(deepspeed, "/model", R"({"hf": "bert", "seq": 512})"));
    row("plan.adapter.head", with(deepspeed, "/model", R"({"hf": "bert", "seq": 512, "adapter": {"rank": 8}})"));
    row("plan.adapter.base", with(deepspeed, "/model", R"({"hf": "bert", "seq": 512, "adapter": {"base": "nf4"}})"));
    row("plan.adapter.experts_none", with(deepspeed, "/model", R"({"hf": ".", "seq": 1024, "adapter": {"rank": 8}})"));
    row("plan.adapter.experts_plain", sparse(R"({"targets": "attention", "base": "nf4"})"));
    row("plan.adapter.kbit", with(with(workspaceOf("llama-3-8b", 1, 8, "deepspeed"), "/model/adapter", R"({"base": "nf4"})"), "/dsConfig/zero_optimization", R"({"stage": 0})"));
    row("plan.adapter.pair", sparse(R"({"targets": ["q_proj", "w1"]})"));
    row("plan.adapter.packed_experts", sparse(R"({"dropout": 0.1})"));
    const auto adapted = [&](const char* adapter) { return with(deepspeed, "/model/adapter", adapter); };
    const auto frozen = [&](const char* freeze) { return with(deepspeed, "/model/freeze", freeze); };
    row("plan.adapter.unfit", adapted(R"({"targets": ["mlp"]})"));
    row("plan.adapter.names", adapted(R"({"targets": ["q_proj", "w1"]})"));
    row("plan.adapter.saved", adapted(R"({"modulesToSave": ["classifier"]})"));
    row("plan.adapter.ranks", adapted(R"({"targets": ["q_proj"], "rankPattern": {"k_proj": 4}})"));
    row("plan.adapter.two_ranks", adapted(R"({"targets": ["q_proj"], "rankPattern": {"q_proj": 4, "self_attn.q_proj": 8}})"));
    row("plan.adapter.storage", with(adapted(R"({"base": "nf4"})"), "/framework/name", "\"fsdp2\""));
    row("plan.adapter.packed", with(adapted(R"({"base": "int8"})"), "/framework/name", "\"fsdp2\""));
    row("plan.adapter.megatron", with(adapted(R"({"rank": 8})"), "/framework/name", "\"megatron\""));
    row("plan.adapter.framework", with(adapted(R"({"rank": 8})"), "/framework/name", "\"stagecraft\""));
    row("plan.freeze.megatron", with(frozen("\"embeddings\""), "/framework/name", "\"megatron\""));
    row("plan.freeze.framework", with(frozen("\"embeddings\""), "/framework/name", "\"stagecraft\""));
    row("plan.freeze.layers", frozen(R"({"firstLayers": 1000})"));
    row("plan.freeze.names", frozen(R"(["encoder"])"));
    row("plan.freeze.all", frozen(R"(["model", "lm_head"])"));
    row("plan.layout.frozen_stage", with(with(with(frozen(R"({"embeddings": true, "firstLayers": 20})"), "/layout/pp", "2"), "/layout/dp", "4"), "/dsConfig/zero_optimization/stage", "1"));
    row("plan.freeze.sizes", with(deepspeed, "/model", R"({"params": 7e9, "freeze": "embeddings"})"));
    row("plan.offload_ratio", with(deepspeed, "/dsConfig/zero_optimization/offload_optimizer", R"({"device": "cpu", "ratio": 0.5})"));
    row("plan.offload_nvme", with(deepspeed, "/dsConfig/zero_optimization/offload_optimizer", R"({"device": "nvme", "nvme_path": "/x"})"));
    row("plan.offload_ratio.groups", with(with(deepspeed, "/dsConfig/zero_optimization/stage", "3"), "/dsConfig/zero_optimization/offload_optimizer", R"({"device": "cpu", "ratio": 0.5})"));
    row("plan.offload_ratio.files", with(with(deepspeed, "/dsConfig/zero_optimization/stage", "3"), "/dsConfig/zero_optimization/offload_optimizer", R"({"device": "nvme", "nvme_path": "/x", "ratio": 0.5})"));
    row("plan.optimizer_gone", with(deepspeed, "/dsConfig/optimizer", R"({"type": "OneBitAdam"})"));
    row("plan.autotp_refused", with(with(workspaceOf("mixtral-8x7b", 1, 8, "deepspeed"), "/layout/tp", "2"), "/layout/dp", "4"));
    row("plan.autotp_refused.model", with(with(with(workspaceOf("gpt2", 1, 8, "deepspeed"), "/layout/tp", "2"), "/layout/dp", "4"), "/model/seq", "1024"));
    row("plan.argument.attention", workspaceOf("bloom-176b", 2, 8, "deepspeed", R"({"attn_implementation": "sdpa"})"));
    row("plan.attention_eager", workspaceOf("bloom-176b", 2, 8, "deepspeed"));
    row("plan.attention_math", with(workspaceOf("llama-3-8b", 2, 8, "deepspeed"), "/dsConfig/bf16", ""));
    row("plan.fsdp2_model", workspaceOf("mixtral-8x7b", 1, 8, "fsdp2"));
    row("plan.fsdp2_selective", workspaceOf("mixtral-8x7b", 1, 8, "fsdp2", R"({"ac": "selective op"})"));
    row("plan.shards_on_host", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"cpu_offload": true})"));
    row("plan.loss_eager", workspaceOf("llama-3-8b", 1, 8, "fsdp2", R"({"compile": true})"));
}

void TstCoreWords::findingsSpeakBothLanguages()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, id);
    const auto workspace = parseWorkspace(text.toStdString(), m_folder.path().toStdString());
    QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
    const auto plan = makePlan(*workspace, {.hostMemoryBytes = std::int64_t{64} << 30});
    QVERIFY(plan.hasValue());
    const auto found = std::find_if(plan->findings.begin(), plan->findings.end(), [&id](const PlanFinding& finding) { return finding.id == id.toStdString(); });
    QStringList all;
    for (const PlanFinding& finding : plan->findings)
        all << QString::fromStdString(finding.id + ": " + finding.message);
    QVERIFY2(found != plan->findings.end(), qPrintable(all.join(QLatin1Char('\n'))));
    m_translations.apply(Language::English);
    saidAsInTheCore(*found);
    m_translations.apply(Language::SimplifiedChinese);
    const QString chinese = findingText(*found);
    QVERIFY2(hasHan(chinese), qPrintable(chinese));
    for (const std::string& argument : found->args)
        QVERIFY2(chinese.contains(QString::fromStdString(argument)), qPrintable(chinese));
    m_translations.apply(Language::English);
}

// What a tree changes of the job where nothing fits as it is written.
void TstCoreWords::changesOfTheJobSpeak()
{
    const auto card = [](int micro, const char* recompute, const char* framework, int devices) {
        return R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "hardware": {"devicesPerNode": )" + std::to_string(devices) + R"(, "device": "RTX-4090"}, "layout": {"dp": )" + std::to_string(devices) + R"(, "recompute": ")" + recompute
            + R"("}, "framework": {"name": ")" + framework + R"("}, "dsConfig": {"train_micro_batch_size_per_gpu": )" + std::to_string(micro) + R"(, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}}})";
    };
    const std::string kLarge = R"({"stagecraft": 1, "model": {"preset": "bloom-176b", "seq": 2048, "adapter": {"rank": 16}}, "hardware": {"devicesPerNode": 8, "device": "H100-SXM-80GB"}, "layout": {"recompute": "full"}, "framework": {"name": "deepspeed"},
        "dsConfig": {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 3}}})";
    const std::string kMegatron = R"({"stagecraft": 1, "model": {"preset": "llama-2-7b", "seq": 4096}, "hardware": {"devicesPerNode": 8, "device": "A100-SXM-80GB"}, "layout": {"dp": 8}, "framework": {"name": "megatron"},
        "dsConfig": {"train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}, "zero_optimization": {"stage": 1}}})";
    const auto server = [](const char* model, int micro) {
        return std::string(R"({"stagecraft": 1, "model": {"preset": ")") + model + R"("}, "hardware": {"devicesPerNode": 8, "device": "A100-SXM-80GB"}, "layout": {"dp": 8}, "framework": {"name": "deepspeed"}, "dsConfig": {"train_micro_batch_size_per_gpu": )"
            + std::to_string(micro) + R"(, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}}})";
    };
    for (const auto& [id, text] : {std::pair<std::string, std::string>{"advise.relief.faster.micro", server("llama-2-7b", 2)}, {"advise.try_first", kLarge}, {"advise.relief.faster.branch", kMegatron}, {"advise.relief.faster.recompute", server("llama-2-13b", 1)}, {"advise.relief.recompute", card(1, "none", "deepspeed", 1)}, {"advise.relief.both", card(8, "none", "deepspeed", 1)}, {"advise.relief.micro", card(8, "full", "deepspeed", 1)}}) {
        const PlanSet set = planText(text, m_folder.path().toStdString());
        QVERIFY2(set.advice, id.c_str());
        const auto& findings = set.advice->findings;
        const auto found = std::find_if(findings.begin(), findings.end(), [&id = id](const PlanFinding& finding) { return finding.id == id; });
        QVERIFY2(found != findings.end(), id.c_str());
        m_translations.apply(Language::English);
        saidAsInTheCore(*found);
        m_translations.apply(Language::SimplifiedChinese);
        QVERIFY(hasHan(findingText(*found)));
        m_translations.apply(Language::English);
    }
}

void TstCoreWords::otherLayoutsAreToldInBothLanguages()
{
    const std::string head = R"({"stagecraft": 1, "dsConfig": {"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 24, "bf16": {"enabled": true}, "optimizer": {"type": "AdamW"}}, )";
    const std::string refused = head + R"("model": {"preset": "llama-3-8b", "seq": 2048}, "hardware": {"devicesPerNode": 6, "device": "H100-SXM-80GB"}, "layout": {"dp": 1, "pp": 6}, "framework": {"name": ")";
    for (const auto& [id, text] : {std::pair<std::string, std::string>{"advise.layouts_fit", refused + "megatron\"}}"}, {"advise.own_layout", refused + "stagecraft\"}}"},
                                   {"advise.layouts_fit.states", head + R"("model": {"preset": "llama-3.2-1b", "seq": 2048}, "hardware": {"device": "RTX-4070Ti"}})"}}) {
        const auto advice = advise(parseWorkspace(text, {}).value(), {}, {}, AdviceDepth::Layouts, {});
        QVERIFY2(advice.hasValue(), id.c_str());
        const auto found = std::find_if(advice->findings.begin(), advice->findings.end(), [&id = id](const PlanFinding& finding) { return finding.id == id; });
        QVERIFY2(found != advice->findings.end(), id.c_str());
        m_translations.apply(Language::English);
        saidAsInTheCore(*found);
        m_translations.apply(Language::SimplifiedChinese);
        QVERIFY(hasHan(findingText(*found)));
        m_translations.apply(Language::English);
    }
}

void TstCoreWords::refusedSheetsAreToldInBothLanguages()
{
    const auto told = [this](const QByteArray& sheets) {
        QFile file(m_folder.filePath(QStringLiteral("devices.json")));
        if (!file.open(QIODevice::WriteOnly) || file.write(sheets) != sheets.size())
            qFatal("cannot write");
        file.close();
        (void)loadUserDeviceSheets(file.fileName().toStdString());
        // As the window does it: beside the plan, in its list.
        const PlanSet set = planText(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), m_folder.path().toStdString(), PlanDepth::One);
        (void)loadUserDeviceSheets("/nowhere/devices.json");
        return findingRows(&set, nullptr);
    };
    const auto check = [this, &told](const QByteArray& sheets, const QStringList& words) {
        m_translations.apply(Language::English);
        const auto english = told(sheets);
        m_translations.apply(Language::SimplifiedChinese);
        const auto chinese = told(sheets);
        m_translations.apply(Language::English);
        QCOMPARE(chinese.size(), english.size());
        QStringList all;
        for (std::size_t i = 0; i < english.size(); ++i)
            if (english[i].rule == QLatin1String("plan.device_sheets")) {
                all << english[i].message;
                QVERIFY2(hasHan(chinese[i].message), qPrintable(chinese[i].message));
            }
        QCOMPARE(all.size(), words.size());
        for (const QString& word : words)
            QVERIFY2(all.join(QLatin1Char('|')).contains(word), qPrintable(all.join(QLatin1Char('\n'))));
    };
    json sheet = deviceSheetToJson(*findDevice("H100-SXM-80GB"));
    sheet["memoryBandwidthGBs"] = 1e-300;
    json second = sheet, third = sheet;
    second["source"] = "";
    third["memoryBandwidthGBs"] = 3350;
    third["link"]["maxDevices"] = 0;
    check(QByteArray::fromStdString(json::array({sheet, second, third}).dump()), {"memoryBandwidthGBs", "\"source\"", "whole number from 2", "built-in data sheet of \"H100-SXM-80GB\""});
    check("[{", {"None of your data sheets"});
}

void TstCoreWords::everyItemSaysWhatItIs_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto with = [](QByteArray text, const char* pointer, const char* value) { return QByteArray::fromStdString(withValue(text.toStdString(), pointer, value)); };
    for (const char* framework : {"stagecraft", "deepspeed", "fsdp2", "megatron"})
        for (const char* model : {"llama-3-8b", "mixtral-8x7b"}) {
            if (qstrcmp(framework, "stagecraft") == 0 && qstrcmp(model, "llama-3-8b") != 0)
                continue;
            const char* arguments = qstrcmp(framework, "megatron") == 0 ? R"({"bf16": true, "micro-batch-size": 1, "global-batch-size": 64, "use-distributed-optimizer": true})" : "{}";
            const QByteArray plain = workspaceOf(model, 2, 8, framework, arguments);
            const QByteArray name = QByteArray(framework) + ' ' + model;
            QTest::newRow(name + ", plain") << plain;
            QTest::newRow(name + ", recomputed") << with(plain, "/layout/recompute", "\"full\"");
            if (qstrcmp(framework, "stagecraft") == 0 || qstrcmp(framework, "deepspeed") == 0)
                for (const char* stage : {"0", "1", "3"})
                    QTest::newRow(name + ", stage " + stage) << with(plain, "/dsConfig/zero_optimization/stage", stage);
            if (qstrcmp(framework, "deepspeed") == 0) {
                QTest::newRow(name + ", offloaded") << with(with(plain, "/dsConfig/zero_optimization/stage", "3"), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\", \"ratio\": 0.5}");
                QTest::newRow(name + ", stage 2 offloaded") << with(plain, "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"cpu\"}");
                QTest::newRow(name + ", on NVMe")
                    << with(with(with(plain, "/dsConfig/zero_optimization/stage", "3"), "/dsConfig/zero_optimization/offload_optimizer", "{\"device\": \"nvme\", \"nvme_path\": \"/x\"}"),
                            "/dsConfig/zero_optimization/offload_param", "{\"device\": \"nvme\", \"nvme_path\": \"/x\"}");
                if (qstrcmp(model, "llama-3-8b") == 0)
                    QTest::newRow(name + ", QLoRA") << with(plain, "/model/adapter", "{\"rank\": 16, \"base\": \"nf4\"}");
                QTest::newRow(name + ", adapters") << with(plain, "/model/adapter", qstrcmp(model, "llama-3-8b") == 0 ? R"({"dora": true, "dropout": 0.1, "targets": ["q_proj", "lm_head"]})" : R"({"rank": 8})");
                QTest::newRow(name + ", loss in chunks") << with(plain, "/layout/lossChunks", "8");
            }
            if (qstrcmp(framework, "fsdp2") == 0)
                QTest::newRow(name + ", on its host") << workspaceOf(model, 2, 8, framework, R"({"cpu_offload": true, "local_batch": 1, "global_batch": 32})");
            if (qstrcmp(framework, "fsdp2") == 0)
                QTest::newRow(name + ", 16 bits") << workspaceOf(model, 2, 8, framework, R"({"dtype": "bfloat16", "accumulate_unsharded": true, "local_batch": 1, "global_batch": 32, "loss_dtype": "bfloat16"})");
            if (qstrcmp(framework, "deepspeed") == 0)
                QTest::newRow(name + ", Megatron's layers")
                    << with(with(with(workspaceOf(model, 2, 8, framework, R"({"model_code": "megatron", "embed_layernorm": true})"), "/layout/pp", "2"), "/layout/dp", "8"), "/dsConfig/zero_optimization/stage", "1");
            if (qstrcmp(framework, "stagecraft") != 0) {
                QTest::newRow(name + ", pipeline") << with(with(with(plain, "/layout/pp", "2"), "/layout/dp", "8"), "/dsConfig/zero_optimization/stage", "1");
                QTest::newRow(name + ", tensor parallel") << with(with(with(plain, "/layout/tp", "2"), "/layout/dp", "8"), "/layout/sequenceParallel", "true");
                QTest::newRow(name + ", context parallel") << with(with(plain, "/layout/cp", "2"), "/layout/dp", "8");
            }
        }
}

void TstCoreWords::everyItemSaysWhatItIs()
{
    QFETCH(QByteArray, text);
    const auto workspace = parseWorkspace(text.toStdString(), m_folder.path().toStdString());
    QVERIFY2(workspace.hasValue(), workspace.hasValue() ? "" : workspace.error().message.c_str());
    const auto plan = makePlan(*workspace);
    QVERIFY(plan.hasValue());
    QVERIFY2(plan->ledger.has_value(), plan->findings.empty() ? "" : plan->findings.back().message.c_str());
    m_translations.apply(Language::SimplifiedChinese);
    QStringList untold;
    for (const LedgerRole& role : *plan->ledger)
        for (const LedgerItem& item : role.items)
            if (!item.why.empty() && !hasHan(whyText(item.why)))
                untold << QString::fromStdString(item.why);
            else if (isSentence(item.source) && !hasHan(whyText(item.source)))
                untold << QString::fromStdString(item.source);
            else if (!hasHan(itemName(QString::fromStdString(item.what))))
                untold << QString::fromStdString(item.what);
    m_translations.apply(Language::English);
    untold.removeDuplicates();
    QVERIFY2(untold.isEmpty(), qPrintable(untold.join(QLatin1Char('\n'))));
}

void TstCoreWords::keysWithoutEffectSayWhy()
{
    const auto workspace = parseWorkspace(R"({"stagecraft": 1, "model": {"preset": "llama-3-8b"}, "dsConfig": {"train_micro_batch_size_per_gpu": 1, "dump_state": true, "timers": {}, "aio": {},
        "prescale_gradients": true, "tensorboard": {"enabled": true}, "compile": {}, "no_such_key": 1, "scheduler": {}, "bf16": {"enabled": true, "check_grad_overflow": true},
        "zero_optimization": {"stage": 2, "contiguous_gradients": true, "reduce_scatter": true, "sub_group_size": 5, "stage3_max_reuse_distance": 1, "round_robin_gradients": true}}})",
                                          m_folder.path().toStdString());
    QVERIFY(workspace.hasValue());
    const auto engine = resolveForEngine(workspace->dsConfig, 1);
    QVERIFY2(engine.hasValue(), engine.hasValue() ? "" : engine.error().message.c_str());
    QVERIFY(engine->withoutEffect.size() > 10);
    m_translations.apply(Language::SimplifiedChinese);
    for (const WithoutEffect& key : engine->withoutEffect)
        QVERIFY2(hasHan(whyText(key.reason)), key.reason.c_str());
    m_translations.apply(Language::English);
}

void TstCoreWords::estimatorReasonsSpeak()
{
    m_translations.apply(Language::SimplifiedChinese);
    for (const int stage : {2, 3})
        for (const bool offload : {false, true})
            for (const bool init : {false, true})
                for (const std::string& reason : estimatorReasons(stage, {8e9, 5e8, 8, 2, offload, false, init}))
                    QVERIFY2(hasHan(whyText(reason)), reason.c_str());
    m_translations.apply(Language::English);
}

// Whatever a framework refuses is refused in the window's language.
void TstCoreWords::everyLayoutRuleSpeaks()
{
    for (const LayoutRule& rule : layoutRules()) {
        const std::string pattern = rule.pattern;
        std::vector<std::string> args;
        for (std::size_t at = pattern.find("{}"); at != std::string::npos; at = pattern.find("{}", at + 2)) args.push_back("4" + std::to_string(args.size()));
        const PlanFinding finding = makeFinding(rule.id, "error", rule.pointer, rule.pattern, args);
        m_translations.apply(Language::English);
        saidAsInTheCore(finding);
        m_translations.apply(Language::SimplifiedChinese);
        const QString chinese = findingText(finding);
        QVERIFY2(hasHan(chinese), rule.id);
        for (const std::string& argument : args) QVERIFY2(chinese.contains(QString::fromStdString(argument)), rule.id);
    }
    m_translations.apply(Language::English);
}

void TstCoreWords::argumentsAreNotPatterns()
{
    PlanFinding finding{"plan.memory", "error", {}, "x", "plan.memory", {"%2", "b"}};
    QCOMPARE(findingText(finding), QStringLiteral("The peak needs %2 of b on the fullest rank"));
    finding.id = "nobody.knows.this";
    QCOMPARE(findingText(finding), QStringLiteral("x"));
}

void TstCoreWords::searchRefusesInTheLanguage()
{
    m_translations.apply(Language::SimplifiedChinese);
    const PlanSet set = planText(withValue(workspaceOf("llama-3-8b", 1, 8, "deepspeed").toStdString(), "/hardware/device", "\"H1000\""), m_folder.path().toStdString(), PlanDepth::One);
    const auto job = searchJobOf(set, {});
    QVERIFY(!job.hasValue());
    const QString told = QString::fromStdString(job.error().message);
    QVERIFY2(hasHan(told) && told.contains(QStringLiteral("H1000")), qPrintable(told));
    m_translations.apply(Language::English);
}

QTEST_MAIN(TstCoreWords)
#include "tst_core_words.moc"
