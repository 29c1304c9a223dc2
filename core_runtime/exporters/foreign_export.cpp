// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/foreign_export.h"

#include "config/check.h"
#include "config/hjson_reader.h"
#include "config/present_form.h"
#include "exporters/accelerate_file.h"
#include "exporters/fsdp_export.h"
#include "exporters/launch_arguments.h"
#include "exporters/rewritten_config.h"
#include "importers/config_text.h"
#include "importers/trainer_arguments.h"
#include "workspace/autotp_layout.h"
#include "workspace/host_shards.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <tuple>

namespace stagecraft {

namespace {

class AccelerateExport : RewrittenConfig {
public:
    AccelerateExport(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, TransferNotes notes) : RewrittenConfig(source, form, batch, std::move(notes)) {}

    ForeignExport make(bool byFile)
    {
        ConfigValue fields = ConfigValue::ofObject();
        if (byFile) {
            fields.set("deepspeed_config_file", ConfigValue::ofString("ds_config.json"));
            completeForAccelerate();
            for (const std::string& pointer : autoPointers(m_config)) note(TransferKind::Warning, pointer, ConfigValue::ofString("auto"), pointer, accelerateFills(pointer));
            notePlaceholders(m_config, m_notes);
        } else {
            pluginFields(fields);
        }
        fields.set("zero3_init_flag", ConfigValue::ofBool(stage() == 3));
        if (stage() == 3) note(TransferKind::Changed, "/zero_optimization/stage", ConfigValue::ofInt(3), "deepspeed_config.zero3_init_flag", say("zero3_init_flag is written as true: from_pretrained() then builds the model divided over the ranks (zero.Init). A script that has to build it whole needs false.", "zero3_init_flag 写为 true：from_pretrained() 会直接把模型分散到各 rank（zero.Init）。若脚本需要完整构建模型，改为 false。"));
        if (m_source.nodes > 1) fields.set("deepspeed_multinode_launcher", ConfigValue::ofString("standard"));
        ConfigValue own = ConfigValue::ofObject();
        own.set("deepspeed_config", fields);
        own.set("distributed_type", ConfigValue::ofString("DEEPSPEED"));
        if (!byFile) precisionField(own);
        ForeignExport result;
        result.files.push_back(accelerateFile(m_source, std::move(own), m_notes));
        if (byFile) result.files.push_back({"ds_config.json", prettyJson(m_config) + "\n"});
        result.notes = m_notes.take();
        return result;
    }

private:
    /// `written` reaches the field, be it the file's value or what accelerate itself puts in place of "auto".
    void takenOrFilled(const std::string& pointer, const ConfigValue& written, const std::string& target)
    {
        if (!isAuto(pointer)) taken(pointer, written, target);
        else note(TransferKind::Changed, pointer, ConfigValue::ofString("auto"), target, say("Written as {0}, which accelerate puts in place of \"auto\".", "写为 {0}，即 accelerate 用来代替 \"auto\" 的值。", {toJson(written)}));
    }
    [[nodiscard]] int stage() const { return isAuto("/zero_optimization/stage") ? 2 : zeroStageOf(m_config); }  // DeepSpeedPlugin.zero_stage

    /// Where accelerate takes the value of an "auto" from that stands in a ds_config of its own (Accelerator._prepare_deepspeed).
    [[nodiscard]] std::string accelerateFills(const std::string& pointer) const
    {
        const auto script = [this](const std::string& from) { return say("Stays \"auto\": accelerate takes it from the script: {0}.", "保持 \"auto\"：accelerate 取自脚本：{0}。", {from}); };
        const std::string behind = argumentBehind(pointer);
        const auto given = std::find_if(m_source.arguments.begin(), m_source.arguments.end(), [&](const auto& argument) { return (", " + behind + ",").find(" " + argument.first + ",") != std::string::npos; });
        const std::string value = given == m_source.arguments.end() ? std::string("...") : toJson(configValue(given->second));
        if (m_source.trainerRuns && given != m_source.arguments.end()) return say("Stays \"auto\": the Trainer fills it from its argument: start the script with --{0} {1}.", "保持 \"auto\"：Trainer 用其参数填写：启动脚本时给出 --{0} {1}。", {given->first, value});
        const auto fixed = [this](const std::string& filled) { return say("Stays \"auto\": accelerate puts {0} there; write the value if another is meant.", "保持 \"auto\"：accelerate 会填入 {0}；若要别的值，直接写出。", {filled}); };
        if (pointer == "/train_micro_batch_size_per_gpu") return script("DataLoader(batch_size=" + value + ")");
        if (pointer == "/gradient_accumulation_steps") return script("Accelerator(gradient_accumulation_steps=...)");
        if (pointer == "/train_batch_size") return say("Stays \"auto\": accelerate multiplies the batch size, the accumulation and the processes.", "保持 \"auto\"：accelerate 用 batch 大小、累积步数和进程数相乘得出。");
        if (pointer == "/bf16/enabled" || pointer == "/fp16/enabled") return script("Accelerator(mixed_precision=...)");
        if (pointer == "/gradient_clipping") return fixed("1.0");
        if (pointer == "/zero_optimization/stage") return fixed("2");
        if (pointer.starts_with("/zero_optimization/offload_") && (pointer.ends_with("/device") || pointer.ends_with("/nvme_path"))) return fixed("\"none\"");
        if (pointer == "/zero_optimization/stage3_gather_16bit_weights_on_model_save") return fixed("false");
        if (pointer == "/optimizer/params/lr" || pointer == "/optimizer/params/weight_decay") return script("DummyOptim(" + pointer.substr(pointer.rfind('/') + 1) + "=" + value + ")");
        if (pointer == "/scheduler/params/warmup_num_steps" || pointer == "/scheduler/params/total_num_steps") return script("DummyScheduler(" + pointer.substr(pointer.rfind('/') + 1) + "=" + value + ")");
        if (pointer.starts_with("/scheduler/params/")) return script("DummyScheduler");
        if (!behind.empty() && pointer.starts_with("/zero_optimization/")) return say("Stays \"auto\": accelerate works it out from the model's hidden size.", "保持 \"auto\"：accelerate 由模型的 hidden_size 计算。");
        return say("accelerate has no value for this \"auto\": write one.", "accelerate 没有可填入这个 \"auto\" 的值：写出具体值。");
    }

    /// accelerate's word for the precision; none where the script decides, because the field has no "auto".
    void precisionField(ConfigValue& own)
    {
        if (isSwitchedOn(m_config, "/bf16/enabled") || isSwitchedOn(m_config, "/fp16/enabled")) {
            own.set("mixed_precision", ConfigValue::ofString(isSwitchedOn(m_config, "/bf16/enabled") ? "bf16" : "fp16"));
        } else if (!isAuto("/bf16/enabled") && !isAuto("/fp16/enabled")) {
            own.set("mixed_precision", ConfigValue::ofString("no"));
            return;
        }
        for (const char* precision : {"bf16", "fp16"}) {
            const std::string pointer = std::string("/") + precision + "/enabled";
            if (!isAuto(pointer)) continue;
            const ConfigValue* given = own.find("mixed_precision");
            note(given == nullptr ? TransferKind::Warning : TransferKind::Changed, pointer, ConfigValue::ofString("auto"), "mixed_precision",
                 given == nullptr ? say("Left open, because the field has no \"auto\": start with accelerate launch --mixed_precision {0} or write Accelerator(mixed_precision=\"{0}\"), or the training is in fp32.", "未写入，因为该字段没有 \"auto\"：用 accelerate launch --mixed_precision {0} 启动，或写 Accelerator(mixed_precision=\"{0}\")，否则按 fp32 训练。", {precision})
                                  : say("Off, because mixed_precision is {0}.", "关闭，因为 mixed_precision 是 {0}。", {given->text}));
        }
    }

    /// The batch as DeepSpeedPlugin gets it: the accumulation has a field, the script's DataLoader has the rest.
    void batchFields(ConfigValue& fields, std::set<std::string>& told)
    {
        const BatchPart& accumulation = m_batch.accumulation;
        const ConfigValue steps = accumulation.known() ? ConfigValue::ofInt(accumulation.value) : ConfigValue::ofString("auto");
        const char* target = "deepspeed_config.gradient_accumulation_steps";
        fields.set("gradient_accumulation_steps", steps);
        if (accumulation.from == BatchPart::From::File) taken("/gradient_accumulation_steps", steps, target);
        else if (accumulation.known()) note(TransferKind::Changed, "/gradient_accumulation_steps", isAuto("/gradient_accumulation_steps") ? ConfigValue::ofString("auto") : ConfigValue(), target, followsFrom(accumulation.value));
        else note(TransferKind::Warning, "/gradient_accumulation_steps", steps, target, accelerateFills("/gradient_accumulation_steps"));

        const ConfigValue* micro = m_config.find("train_micro_batch_size_per_gpu");
        note(TransferKind::Changed, "/train_micro_batch_size_per_gpu", micro == nullptr ? ConfigValue() : *micro, "",
             m_batch.micro.known() || m_source.arguments.contains("per_device_train_batch_size")
                 ? say("accelerate takes it from the script: make its DataLoader with batch_size={0}.", "accelerate 取自脚本：用 batch_size={0} 创建 DataLoader。", {m_batch.micro.known() ? std::to_string(m_batch.micro.value) : toJson(configValue(m_source.arguments.at("per_device_train_batch_size")))})
                                   : say("accelerate takes it from the script: the batch_size of its DataLoader.", "accelerate 取自脚本：即其 DataLoader 的 batch_size。"));
        if (m_batch.train.has_value()) {
            const std::string total = std::to_string(*m_batch.train);
            note(TransferKind::Changed, "/train_batch_size", ConfigValue::ofInt(*m_batch.train), "",
                 m_batch.micro.known() ? say("accelerate works it out: batch size {0}, accumulation {1} and {2} processes give {3} again.", "accelerate 会自行算出：batch 大小 {0}、累积 {1} 步、{2} 个进程，结果仍为 {3}。", {std::to_string(m_batch.micro.value), std::to_string(accumulation.value), std::to_string(m_source.dataParallel), total})
                                       : say("accelerate works it out from the script: {0} comes back only if batch size times accumulation is {1}.", "accelerate 由脚本算出：只有 batch 大小乘以累积步数等于 {1} 时才仍为 {0}。", {total, std::to_string(m_batch.perRank)}));
        }
        told.insert({"/gradient_accumulation_steps", "/train_micro_batch_size_per_gpu", "/train_batch_size"});
    }

    /// The values DeepSpeedPlugin has fields for; the rest is listed as dropped.
    void pluginFields(ConfigValue& fields)
    {
        std::set<std::string> told{"/zero_optimization", "/zero_optimization/offload_optimizer", "/zero_optimization/offload_param", "/bf16", "/fp16", "/bf16/enabled", "/fp16/enabled"};
        batchFields(fields, told);
        // accelerate clips at 1.0 where nothing is said; 0 makes it leave the key out, so that DeepSpeed's own default holds.
        const ConfigValue* clip = m_config.find("gradient_clipping");
        fields.set("gradient_clipping", clip == nullptr ? ConfigValue::ofFloat(0.0) : *clip);
        told.insert("/gradient_clipping");
        const bool none = clip != nullptr && clip->isNumber() && clip->asDouble() == 0.0;
        if (none) note(TransferKind::Warning, "/gradient_clipping", *clip, "deepspeed_config.gradient_clipping", say("accelerate leaves a 0 out of the ds_config it makes, and DeepSpeed's own default then holds: 1.0 in 0.19.6 and later, no clipping in 0.18.9 and before. To keep 0, export the form that names a ds_config file.", "accelerate 生成 ds_config 时会丢掉 0，此时采用 DeepSpeed 自己的默认值：0.19.6 及以后为 1.0，0.18.9 及以前不裁剪。要保留 0，导出指向 ds_config 文件的形式。"));
        else note(clip == nullptr ? TransferKind::Changed : TransferKind::Taken, "/gradient_clipping", clip == nullptr ? ConfigValue() : *clip, "deepspeed_config.gradient_clipping",
             clip == nullptr ? say("Written as 0, because accelerate would put in 1.0 where it is missing. It leaves a 0 out of the ds_config it makes, so that DeepSpeed's own default holds there as it does here: 1.0 in 0.19.6 and later, no clipping in 0.18.9 and before.", "写为 0，因为缺省时 accelerate 会填入 1.0。值为 0 时 accelerate 生成的 ds_config 不含此键，于是与现在一样采用 DeepSpeed 自己的默认值：0.19.6 及以后为 1.0，0.18.9 及以前不裁剪。") : say("Taken over as it is.", "原样采用。"));
        fields.set("zero_stage", ConfigValue::ofInt(stage()));
        told.insert("/zero_optimization/stage");
        takenOrFilled("/zero_optimization/stage", ConfigValue::ofInt(stage()), "deepspeed_config.zero_stage");
        for (const char* what : {"optimizer", "param"}) {
            const std::string block = std::string("/zero_optimization/offload_") + what;
            const ConfigValue* device = valueAt(m_config, block + "/device");
            const std::string word = device != nullptr && device->isString() && !device->isString("auto") ? device->text : "none";
            fields.set(std::string("offload_") + what + "_device", ConfigValue::ofString(word));
            told.insert(block + "/device");
            if (device != nullptr) takenOrFilled(block + "/device", ConfigValue::ofString(word), std::string("deepspeed_config.offload_") + what + "_device");
            const ConfigValue* path = valueAt(m_config, block + "/nvme_path");
            if (word == "nvme" && path != nullptr && path->isString()) {
                fields.set(std::string("offload_") + what + "_nvme_path", *path);
                told.insert(block + "/nvme_path");
                note(TransferKind::Warning, block + "/nvme_path", *path, std::string("deepspeed_config.offload_") + what + "_nvme_path",
                     say("accelerate launch does not hand the path over: DeepSpeed would swap into a folder named \"none\". Export with --to accelerate-file, which keeps it, or start with {0} in the environment.", "accelerate launch 不会传递该路径：DeepSpeed 会换出到名为 \"none\" 的文件夹。改用 --to accelerate-file 导出（保留该路径），或在环境变量 {0} 中给出。", {std::string("ACCELERATE_DEEPSPEED_OFFLOAD_") + (what == std::string("param") ? "PARAM" : "OPTIMIZER") + "_NVME_PATH=" + path->text}));
            }
        }
        const ConfigValue* gather = valueAt(m_config, "/zero_optimization/stage3_gather_16bit_weights_on_model_save");
        const ConfigValue whole = ConfigValue::ofBool(gather != nullptr && pythonTruth(*gather) && !gather->isString("auto"));
        fields.set("zero3_save_16bit_model", whole);
        told.insert("/zero_optimization/stage3_gather_16bit_weights_on_model_save");
        if (gather != nullptr) takenOrFilled("/zero_optimization/stage3_gather_16bit_weights_on_model_save", whole, "deepspeed_config.zero3_save_16bit_model");
        if (isSwitchedOn(m_config, "/fp16/enabled") && !isSwitchedOn(m_config, "/bf16/enabled")) castNote(told);
        drop(m_config, "", told);
    }

    /// accelerate writes the cast of what the model is given beside the fp16 that it switches on.
    void castNote(std::set<std::string>& told)
    {
        const std::string at = "/fp16/auto_cast";
        const ConfigValue* cast = valueAt(m_config, at);
        told.insert(at);
        if (isSwitchedOn(m_config, at)) taken(at, *cast, "mixed_precision");
        else note(TransferKind::Changed, at, cast == nullptr ? ConfigValue() : *cast, "mixed_precision", say("Becomes true: accelerate writes it beside fp16, and inputs that are floats are then cast to fp16. Export with --to accelerate-file to keep it off.", "变为 true：accelerate 会与 fp16 一起写入，浮点输入会被转换为 fp16。要保持关闭，用 --to accelerate-file 导出。"));
    }

    void drop(const ConfigValue& value, const std::string& pointer, const std::set<std::string>& told)
    {
        for (const ConfigMember& member : value.members) {
            const std::string at = pointer + "/" + pointerToken(member.key);
            if (told.count(at) > 0 && !member.value.isObject()) continue;
            if (told.count(at) > 0) drop(member.value, at, told);
            else note(TransferKind::Dropped, at, member.value, "", say("accelerate's own fields have no place for it: export with --to accelerate-file to keep it.", "accelerate 自己的字段放不下它：用 --to accelerate-file 导出即可保留。"));
        }
    }
};

}  // namespace

namespace {

/// The config as far as it has values, with a micro-batch that it may leave to the script.
ConfigValue asFarAsSaid(const ConfigValue& root)
{
    ConfigValue config = withoutAuto(root);
    if (config.find("train_batch_size") == nullptr && config.find("train_micro_batch_size_per_gpu") == nullptr) config.set("train_micro_batch_size_per_gpu", ConfigValue::ofInt(1));
    return config;
}

}  // namespace

std::optional<ForeignTarget> foreignTargetFromName(std::string_view name)
{
    if (name == "accelerate") return ForeignTarget::Accelerate;
    if (name == "accelerate-file") return ForeignTarget::AccelerateFile;
    if (name == "accelerate-fsdp") return ForeignTarget::AccelerateFsdp;
    if (name == "trainer") return ForeignTarget::Trainer;
    if (name == "llama-factory") return ForeignTarget::LlamaFactory;
    if (name == "axolotl") return ForeignTarget::Axolotl;
    return std::nullopt;
}

ExportSource exportSourceOf(const Workspace& workspace)
{
    ExportSource source;
    source.dsConfigText = workspace.dsConfigText.empty() ? "{}" : workspace.dsConfigText;
    source.ranks = static_cast<int>(workspace.layout.ranks());
    source.dataParallel = static_cast<int>(batchRanks(workspace));
    for (const auto& [part, parts, key] : {std::tuple{"pp", workspace.layout.pp, ""}, {"tp", workspace.layout.tp, "/tensor_parallel/autotp_size"}, {"cp", workspace.layout.cp, "/sequence_parallel_size"}}) {
        const bool said = *key != '\0' && workspace.dsConfig.contains(nlohmann::json::json_pointer(key));
        if (parts > 1 && !said) source.split += (source.split.empty() ? "" : ", ") + std::string(part) + " " + std::to_string(parts);
    }
    source.nodes = workspace.hardware.nodes;
    source.cpu = workspace.hardware.device == "cpu";
    source.modelName = exportedModelName(workspace);
    if (workspace.model.spec.has_value()) source.seq = workspace.model.spec->seq;
    if (workspace.training.epochs.has_value()) source.epochs = workspace.training.epochs;
    else if (workspace.document.contains(nlohmann::json::json_pointer("/training/steps"))) source.steps = workspace.training.steps;
    source.seed = static_cast<std::int64_t>(workspace.training.seed & 0x7FFFFFFFU);
    source.recompute = workspace.layout.recompute == "full";
    if (const nlohmann::json& said = workspace.framework.arguments; workspace.framework.name == "fsdp2") {
        source.hostShards = hostShardsArgument(said);
        source.bf16Shards = said.is_object() && said.contains("dtype") && (said["dtype"] == "bfloat16" || said["dtype"] == "torch.bfloat16");
    }
    source.trainerRuns = workspace.launch.launcher == CheckLauncher::Transformers;
    source.arguments = trainingArgumentsOf(workspace);
    if (const ArgumentValues said = launchArguments(workspace); said.contains("mixed_precision")) source.precision = trainerWord(said, "mixed_precision");
    if (source.arguments.contains("seed")) source.seed.reset();  // the workspace has none of its own
    return source;
}

CheckContext checkContextOf(const ExportSource& source, std::string_view language)
{
    CheckContext context;
    context.world = source.dataParallel;
    if (!source.ranksAssumed) context.ranks = source.ranks;
    context.language = std::string(language);
    context.device = source.cpu ? "cpu" : "cuda";
    return context;
}

Result<ForeignExport> exportForeignConfig(const ExportSource& source, ForeignTarget target, std::string_view language)
{
    const CheckContext context = checkContextOf(source, language);
    TransferNotes words(language);
    // "auto" is no value of DeepSpeed's, but accelerate and the Trainer fill it: what else there is has to be right.
    ReadText given = readHjson(source.dsConfigText);
    const bool object = !given.problem.has_value() && given.root.isObject();
    const bool trainer = target == ForeignTarget::Trainer || target == ForeignTarget::LlamaFactory || target == ForeignTarget::Axolotl;
    const bool fills = object && !autoPointers(given.root).empty();
    if (!trainer && object) fillAsAccelerate(given.root, source.arguments, source.precision, words);
    const auto answer = checkConfig(fills ? prettyJson(asFarAsSaid(given.root)) : source.dsConfigText, context);
    if (!answer.hasValue()) return answer.error();
    if (!answer->parseOk || !answer->resolved.has_value()) {
        const auto refused = std::find_if(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error; });
        const std::string why = refused == answer->findings.end() ? words.say("no batch size follows from it", "无法由它得出 batch 大小") : (refused->pointer.empty() ? std::string() : refused->pointer + ": ") + refused->message;
        return Error{ErrorCode::Refused, words.say("Cannot export the ds_config: DeepSpeed refuses it: {0}", "无法导出 ds_config：DeepSpeed 会拒绝它：{0}", {why}), {}};
    }
    const std::int64_t micro = wholeOf(answer->resolved->micro);
    if (micro < 1) return Error{ErrorCode::Refused, words.say("Cannot export the ds_config: its micro-batch is {0}; raise train_batch_size", "无法导出 ds_config：其 micro-batch 为 {0}；调大 train_batch_size", {std::to_string(micro)}), {}};
    const auto form = presentForm(given.root, context);
    if (!form.hasValue()) return form.error();
    if (!source.split.empty())
        words.add({TransferKind::Warning, "layout", 0, {}, {}, words.say("The workspace splits its ranks ({0}), of which no key of these files says anything: all {1} ranks are data-parallel there, so that the global batch and each rank's share of the memory are others.", "工作区划分了 rank（{0}），这些文件没有对应的键：其中全部 {1} 个 rank 为数据并行，因此全局 batch 和每个 rank 的内存占用都会不同。", {source.split, std::to_string(source.ranks)})});
    if (target == ForeignTarget::AccelerateFsdp) return exportFsdp(source, *form, *answer->resolved, std::move(words));
    if (trainer) return exportForTrainer(source, *form, *answer->resolved, target, std::move(words));
    return AccelerateExport(source, *form, *answer->resolved, std::move(words)).make(target == ForeignTarget::AccelerateFile);
}

}  // namespace stagecraft
