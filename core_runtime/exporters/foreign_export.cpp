// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/foreign_export.h"

#include "config/check.h"
#include "config/hjson_reader.h"
#include "config/present_form.h"
#include "exporters/accelerate_file.h"
#include "exporters/fsdp_export.h"
#include "exporters/yaml_text.h"
#include "importers/config_text.h"
#include "importers/trainer_arguments.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {

namespace {

class Exporter {
public:
    Exporter(const ExportSource& source, const PresentForm& form, const ResolvedBatch& batch, std::string_view language)
        : m_source(source), m_config(form.config), m_notes(language)
    {
        notePresentForm(form, m_notes);
        m_micro = static_cast<std::int64_t>(std::visit([](auto v) { return static_cast<double>(v); }, batch.micro));
        m_accumulation = static_cast<std::int64_t>(std::visit([](auto v) { return static_cast<double>(v); }, batch.gas));
    }

    ForeignExport accelerate(bool byFile)
    {
        ConfigValue fields = ConfigValue::ofObject();
        if (byFile) {
            fields.set("deepspeed_config_file", ConfigValue::ofString("ds_config.json"));
            completeForAccelerate();
        } else {
            pluginFields(fields);
        }
        fields.set("zero3_init_flag", ConfigValue::ofBool(stage() == 3));
        if (m_source.nodes > 1) fields.set("deepspeed_multinode_launcher", ConfigValue::ofString("standard"));
        ConfigValue own = ConfigValue::ofObject();
        own.set("deepspeed_config", fields);
        own.set("distributed_type", ConfigValue::ofString("DEEPSPEED"));
        if (!byFile) own.set("mixed_precision", ConfigValue::ofString(isSwitchedOn(m_config, "/bf16/enabled") ? "bf16" : isSwitchedOn(m_config, "/fp16/enabled") ? "fp16" : "no"));
        ForeignExport result;
        result.files.push_back(accelerateFile(m_source, std::move(own), m_notes));
        if (byFile) result.files.push_back({"ds_config.json", prettyJson(m_config) + "\n"});
        result.notes = m_notes.take();
        return result;
    }

    ForeignExport trainer(ForeignTarget target)
    {
        ConfigValue arguments = ConfigValue::ofObject();
        toAuto(arguments);
        completeForAccelerate();
        ForeignExport result;
        result.files.push_back({"ds_config.json", prettyJson(m_config) + "\n"});
        if (target == ForeignTarget::Trainer) result.files.push_back({"training_arguments.yaml", trainerText(arguments)});
        if (target == ForeignTarget::LlamaFactory) result.files.push_back({"llama_factory.yaml", llamaFactoryText(arguments)});
        if (target == ForeignTarget::Axolotl) result.files.push_back({"axolotl.yaml", axolotlText(arguments)});
        result.notes = m_notes.take();
        return result;
    }

private:
    [[nodiscard]] std::string say(std::string_view english, std::string_view chinese, std::initializer_list<std::string> words = {}) const { return m_notes.say(english, chinese, words); }
    void note(TransferKind kind, const std::string& key, const ConfigValue& value, const std::string& target, std::string reason) { m_notes.add({kind, key, 0, toJson(value), target, std::move(reason)}); }
    void taken(const std::string& key, const ConfigValue& value, const std::string& target) { note(TransferKind::Taken, key, value, target, say("Taken over as it is.", "原样采用。")); }

    [[nodiscard]] bool isAuto(const char* pointer) const
    {
        const ConfigValue* value = valueAt(m_config, pointer);
        return value != nullptr && value->isString("auto");
    }
    [[nodiscard]] int stage() const { return isAuto("/zero_optimization/stage") ? 2 : zeroStageOf(m_config); }  // DeepSpeedPlugin.zero_stage

    /// The values DeepSpeedPlugin has fields for; the rest is listed as dropped.
    void pluginFields(ConfigValue& fields)
    {
        std::set<std::string> told{"/train_batch_size", "/zero_optimization", "/zero_optimization/offload_optimizer", "/zero_optimization/offload_param", "/bf16", "/fp16", "/bf16/enabled", "/fp16/enabled"};
        const ConfigValue steps = isAuto("/gradient_accumulation_steps") ? ConfigValue::ofString("auto") : ConfigValue::ofInt(m_accumulation);
        fields.set("gradient_accumulation_steps", steps);
        told.insert("/gradient_accumulation_steps");
        taken("/gradient_accumulation_steps", steps, "deepspeed_config.gradient_accumulation_steps");
        // accelerate clips at 1.0 where nothing is said; 0 makes it leave the key out, so that DeepSpeed's own default holds.
        const ConfigValue* clip = m_config.find("gradient_clipping");
        fields.set("gradient_clipping", clip == nullptr ? ConfigValue::ofFloat(0.0) : *clip);
        told.insert("/gradient_clipping");
        const bool none = clip != nullptr && clip->isNumber() && clip->asDouble() == 0.0;
        if (none) note(TransferKind::Warning, "/gradient_clipping", *clip, "deepspeed_config.gradient_clipping", say("accelerate leaves a 0 out of the ds_config it makes, and DeepSpeed's own default then holds: 1.0 in 0.19.6 and later, no clipping in 0.18.9 and before. To keep 0, export the form that names a ds_config file.", "accelerate 生成 ds_config 时会丢掉 0，此时采用 DeepSpeed 自己的默认值：0.19.6 及以后为 1.0，0.18.9 及以前不裁剪。要保留 0，请导出指向 ds_config 文件的形式。"));
        else note(clip == nullptr ? TransferKind::Changed : TransferKind::Taken, "/gradient_clipping", clip == nullptr ? ConfigValue() : *clip, "deepspeed_config.gradient_clipping",
             clip == nullptr ? say("Written as 0, because accelerate would clip at 1.0 where it is missing.", "写为 0，因为缺省时 accelerate 会按 1.0 裁剪。") : say("Taken over as it is.", "原样采用。"));
        fields.set("zero_stage", ConfigValue::ofInt(stage()));
        told.insert("/zero_optimization/stage");
        taken("/zero_optimization/stage", ConfigValue::ofInt(stage()), "deepspeed_config.zero_stage");
        for (const char* what : {"optimizer", "param"}) {
            const std::string block = std::string("/zero_optimization/offload_") + what;
            const ConfigValue* device = valueAt(m_config, block + "/device");
            const std::string word = device != nullptr && device->isString() && !device->isString("auto") ? device->text : "none";
            fields.set(std::string("offload_") + what + "_device", ConfigValue::ofString(word));
            told.insert(block + "/device");
            if (device != nullptr) taken(block + "/device", *device, std::string("deepspeed_config.offload_") + what + "_device");
            const ConfigValue* path = valueAt(m_config, block + "/nvme_path");
            if (word == "nvme" && path != nullptr && path->isString()) {
                fields.set(std::string("offload_") + what + "_nvme_path", *path);
                told.insert(block + "/nvme_path");
                note(TransferKind::Warning, block + "/nvme_path", *path, std::string("deepspeed_config.offload_") + what + "_nvme_path",
                     say("accelerate launch does not hand the path over: DeepSpeed would swap into a folder named \"none\". Export with --to accelerate-file, which keeps it, or start with {0} in the environment.", "accelerate launch 不会传递该路径：DeepSpeed 会换出到名为 \"none\" 的文件夹。请用 --to accelerate-file 导出（保留该路径），或在环境变量 {0} 中给出。", {std::string("ACCELERATE_DEEPSPEED_OFFLOAD_") + (what == std::string("param") ? "PARAM" : "OPTIMIZER") + "_NVME_PATH=" + path->text}));
            }
        }
        const ConfigValue* gather = valueAt(m_config, "/zero_optimization/stage3_gather_16bit_weights_on_model_save");
        fields.set("zero3_save_16bit_model", ConfigValue::ofBool(gather != nullptr && pythonTruth(*gather) && !gather->isString("auto")));
        told.insert("/zero_optimization/stage3_gather_16bit_weights_on_model_save");
        if (gather != nullptr) taken("/zero_optimization/stage3_gather_16bit_weights_on_model_save", *gather, "deepspeed_config.zero3_save_16bit_model");
        told.insert("/train_micro_batch_size_per_gpu");
        if (isAuto("/train_micro_batch_size_per_gpu")) note(TransferKind::Changed, "/train_micro_batch_size_per_gpu", ConfigValue::ofString("auto"), "", say("accelerate takes it from the script: the batch_size of its DataLoader.", "accelerate 取自脚本：即其 DataLoader 的 batch_size。"));
        else note(TransferKind::Changed, "/train_micro_batch_size_per_gpu", ConfigValue::ofInt(m_micro), "", say("accelerate takes it from the script: make its DataLoader with batch_size={0}.", "accelerate 取自脚本：请用 batch_size={0} 创建 DataLoader。", {std::to_string(m_micro)}));
        drop(m_config, "", told);
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

    /// What accelerate would add or refuse is written out, so that it changes nothing.
    void completeForAccelerate()
    {
        if (m_config.find("zero_optimization") == nullptr) {
            setAt(m_config, "/zero_optimization/stage", ConfigValue::ofInt(0));
            note(TransferKind::Changed, "/zero_optimization", {}, "/zero_optimization/stage", say("Written as stage 0, because accelerate refuses a config without the section.", "写为 stage 0，因为 accelerate 拒绝没有这一段的配置。"));
        }
        if (m_config.find("gradient_accumulation_steps") == nullptr) {
            m_config.set("gradient_accumulation_steps", ConfigValue::ofInt(m_accumulation));
            note(TransferKind::Changed, "/gradient_accumulation_steps", ConfigValue::ofInt(m_accumulation), "/gradient_accumulation_steps", say("Written out, because accelerate would take 1 where it is missing.", "写出数值，因为缺省时 accelerate 取 1。"));
        }
        if (m_config.find("steps_per_print") != nullptr) note(TransferKind::Warning, "/steps_per_print", *m_config.find("steps_per_print"), "/steps_per_print", say("accelerate replaces it by infinity: DeepSpeed prints no step lines.", "accelerate 会把它改为无穷大：DeepSpeed 不打印每步日志。"));
    }

    /// Moves `pointer`'s value to the argument and leaves "auto"; nothing where the key is missing or no plain value.
    bool move(ConfigValue& arguments, const char* pointer, const char* argument, bool must = false, const ConfigValue& value = {})
    {
        const ConfigValue* found = valueAt(m_config, pointer);
        const ConfigValue moved = value.isNull() && found != nullptr ? *found : value;
        if ((found == nullptr && !must) || moved.isNull() || moved.isObject() || moved.isString("auto")) return false;
        const auto read = findTrainerArgument(argument) == nullptr ? std::nullopt : trainerValue(*findTrainerArgument(argument), moved);
        if (!read.has_value()) return false;
        arguments.set(argument, configValue(*read));
        taken(pointer, moved, argument);
        setAt(m_config, pointer, ConfigValue::ofString("auto"));
        return true;
    }

    /// A number that DeepSpeed works out reaches the argument too; an "auto" waits for it.
    void batch(ConfigValue& arguments, const char* pointer, const char* argument, std::int64_t value)
    {
        if (!isAuto(pointer)) move(arguments, pointer, argument, true, ConfigValue::ofInt(value));
        else note(TransferKind::Warning, pointer, ConfigValue::ofString("auto"), argument, say("Stays \"auto\": give {0}, or the default of TrainingArguments counts.", "保持 \"auto\"：请给出 {0}，否则采用 TrainingArguments 的默认值。", {argument}));
    }

    void toAuto(ConfigValue& arguments)
    {
        batch(arguments, "/train_micro_batch_size_per_gpu", "per_device_train_batch_size", m_micro);
        batch(arguments, "/gradient_accumulation_steps", "gradient_accumulation_steps", m_accumulation);
        setAt(m_config, "/train_batch_size", ConfigValue::ofString("auto"));
        move(arguments, "/gradient_clipping", "max_grad_norm");
        optimizer(arguments);
        scheduler(arguments);
        for (const char* precision : {"bf16", "fp16"}) {
            const ConfigValue* on = valueAt(m_config, std::string("/") + precision + "/enabled");
            if (on != nullptr && !on->isString("auto")) move(arguments, (std::string("/") + precision + "/enabled").c_str(), precision);
        }
        if (m_source.steps.has_value() && arguments.find("max_steps") == nullptr) arguments.set("max_steps", ConfigValue::ofInt(*m_source.steps));
        if (m_source.epochs.has_value() && arguments.find("max_steps") == nullptr) arguments.set("num_train_epochs", ConfigValue::ofFloat(*m_source.epochs));
        if (m_source.seed.has_value()) arguments.set("seed", ConfigValue::ofInt(*m_source.seed));
        if (m_source.recompute) arguments.set("gradient_checkpointing", ConfigValue::ofBool(true));
    }

    void optimizer(ConfigValue& arguments)
    {
        if (m_config.find("optimizer") == nullptr) {
            note(TransferKind::Warning, "/optimizer", {}, "optim", say("There is no \"optimizer\" section: the Trainer makes its own AdamW from learning_rate, weight_decay and the rest.", "没有 \"optimizer\" 段：Trainer 会用 learning_rate、weight_decay 等自己创建 AdamW。"));
            return;
        }
        // The scheduler sets the rate at every step: where both are given, its peak is the one that counts.
        const ConfigValue* rate = valueAt(m_config, "/optimizer/params/lr");
        const ConfigValue* peak = valueAt(m_config, "/scheduler/params/warmup_max_lr");
        if (rate != nullptr && peak != nullptr && rate->isNumber() && peak->isNumber() && rate->asDouble() != peak->asDouble()) {
            note(TransferKind::Changed, "/optimizer/params/lr", *rate, "learning_rate", say("Becomes {0}, the scheduler's warmup_max_lr: the Trainer has one learning rate for both, and the scheduler's is the one that acts.", "变为 {0}，即调度器的 warmup_max_lr：Trainer 两处共用一个学习率，起作用的是调度器的值。", {toJson(*peak)}));
            setAt(m_config, "/optimizer/params/lr", *peak);
        }
        move(arguments, "/optimizer/params/lr", "learning_rate");
        if (valueAt(m_config, "/scheduler/params/warmup_max_lr") != nullptr) move(arguments, "/scheduler/params/warmup_max_lr", "learning_rate");
        const ConfigValue* betas = valueAt(m_config, "/optimizer/params/betas");
        if (betas != nullptr && betas->isList() && betas->items.size() == 2 && betas->items[0].isNumber() && betas->items[1].isNumber()) {
            arguments.set("adam_beta1", betas->items[0]);
            arguments.set("adam_beta2", betas->items[1]);
            taken("/optimizer/params/betas", *betas, "adam_beta1, adam_beta2");
            setAt(m_config, "/optimizer/params/betas", ConfigValue::ofString("auto"));
        }
        move(arguments, "/optimizer/params/eps", "adam_epsilon");
        move(arguments, "/optimizer/params/weight_decay", "weight_decay");
    }

    void scheduler(ConfigValue& arguments)
    {
        if (m_config.find("scheduler") == nullptr) {
            arguments.set("lr_scheduler_type", ConfigValue::ofString("constant"));
            note(TransferKind::Changed, "/scheduler", {}, "lr_scheduler_type", say("Written as constant: without a scheduler the rate stays the same, and the Trainer's own default is a linear one.", "写为 constant：没有调度器时学习率不变，而 Trainer 默认是 linear。"));
            return;
        }
        if (m_config.find("optimizer") == nullptr) move(arguments, "/scheduler/params/warmup_max_lr", "learning_rate");
        const ConfigValue* total = valueAt(m_config, "/scheduler/params/total_num_steps");
        if (total != nullptr && m_source.steps.has_value() && total->isNumber() && total->asDouble() != static_cast<double>(*m_source.steps)) {
            note(TransferKind::Changed, "training.steps", ConfigValue::ofInt(*m_source.steps), "max_steps", say("Becomes {0}, the scheduler's total_num_steps: the Trainer refuses a schedule of another length than the training.", "变为 {0}，即调度器的 total_num_steps：Trainer 不接受与训练步数不同的调度长度。", {toJson(*total)}));
        }
        move(arguments, "/scheduler/params/total_num_steps", "max_steps");
        move(arguments, "/scheduler/params/warmup_num_steps", "warmup_steps");
    }

    [[nodiscard]] std::string model() const { return m_source.modelName.empty() ? std::string("# the model's folder or its name on the hub") : yamlWord(ConfigValue::ofString(m_source.modelName)); }

    [[nodiscard]] std::string trainerText(const ConfigValue& arguments) const
    {
        return "# TrainingArguments for HfArgumentParser.parse_yaml_file; they fill every \"auto\" of ds_config.json.\n"
               "output_dir: output\ndeepspeed: ds_config.json\n" + yamlLines(arguments);
    }

    [[nodiscard]] std::string llamaFactoryText(const ConfigValue& arguments) const
    {
        return "# llamafactory-cli train llama_factory.yaml\n"
               "model_name_or_path: " + model() + "\nstage: sft\ndo_train: true\nfinetuning_type: full\n"
               "# dataset: NAME of dataset_info.json\n# template: the model's chat template\n"
               "output_dir: output\n" + (m_source.seq.has_value() ? "cutoff_len: " + std::to_string(*m_source.seq) + "\n" : "") + "deepspeed: ds_config.json\n" + yamlLines(arguments);
    }

    [[nodiscard]] std::string axolotlText(ConfigValue arguments) const
    {
        ConfigValue renamed = ConfigValue::ofObject();
        for (const ConfigMember& member : arguments.members) {
            const std::string& key = member.key;
            renamed.set(key == "per_device_train_batch_size" ? "micro_batch_size" : key == "num_train_epochs" ? "num_epochs" : key == "lr_scheduler_type" ? "lr_scheduler" : key, member.value);
        }
        return "# axolotl train axolotl.yaml\n"
               "base_model: " + model() + "\n# datasets:\n#   - path: NAME\n#     type: alpaca\n"
               "output_dir: output\noptimizer: adamw_torch\n" + (m_source.seq.has_value() ? "sequence_len: " + std::to_string(*m_source.seq) + "\n" : "") + "deepspeed: ds_config.json\n" + yamlLines(renamed);
    }

    const ExportSource& m_source;
    ConfigValue m_config;
    TransferNotes m_notes;
    std::int64_t m_micro = 1;
    std::int64_t m_accumulation = 1;
};

}  // namespace

namespace {

/// The config as far as it has values, with a micro-batch that it may leave to the script.
ConfigValue withoutAuto(ConfigValue config, bool root = true)
{
    std::erase_if(config.members, [](const ConfigMember& member) { return member.value.isString("auto"); });
    for (ConfigMember& member : config.members) member.value = withoutAuto(std::move(member.value), false);
    if (root && config.find("train_batch_size") == nullptr && config.find("train_micro_batch_size_per_gpu") == nullptr) config.set("train_micro_batch_size_per_gpu", ConfigValue::ofInt(1));
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
    source.dataParallel = workspace.layout.dp;
    source.nodes = workspace.hardware.nodes;
    source.cpu = workspace.hardware.device == "cpu";
    source.modelName = workspace.model.huggingFaceFolder.string();
    if (workspace.model.spec.has_value()) source.seq = workspace.model.spec->seq;
    if (workspace.training.epochs.has_value()) source.epochs = workspace.training.epochs;
    else source.steps = workspace.training.steps;
    source.seed = static_cast<std::int64_t>(workspace.training.seed & 0x7FFFFFFFU);
    source.recompute = workspace.layout.recompute == "full";
    return source;
}

CheckContext checkContextOf(const ExportSource& source, std::string_view language)
{
    CheckContext context;
    context.world = source.dataParallel;
    context.ranks = source.ranks;
    context.language = std::string(language);
    context.device = source.cpu ? "cpu" : "cuda";
    return context;
}

Result<ForeignExport> exportForeignConfig(const ExportSource& source, ForeignTarget target, std::string_view language)
{
    const CheckContext context = checkContextOf(source, language);
    const TransferNotes words(language);
    // "auto" is no value of DeepSpeed's, but accelerate and the Trainer fill it: what else there is has to be right.
    const ReadText given = readHjson(source.dsConfigText);
    const bool fills = target != ForeignTarget::AccelerateFsdp && !given.problem.has_value() && given.root.isObject() && !autoPointers(given.root).empty();
    const auto answer = checkConfig(fills ? prettyJson(withoutAuto(given.root)) : source.dsConfigText, context);
    if (!answer.hasValue()) return answer.error();
    if (!answer->parseOk || !answer->resolved.has_value()) {
        const auto refused = std::find_if(answer->findings.begin(), answer->findings.end(), [](const CheckFinding& finding) { return finding.severity == CheckSeverity::Error; });
        const std::string why = refused == answer->findings.end() ? words.say("no batch size follows from it", "无法由它得出 batch 大小") : refused->pointer + ": " + refused->message;
        return Error{ErrorCode::Refused, words.say("Cannot export the ds_config: DeepSpeed refuses it: {0}", "无法导出 ds_config：DeepSpeed 会拒绝它：{0}", {why}), {}};
    }
    const std::int64_t micro = static_cast<std::int64_t>(std::visit([](auto v) { return static_cast<double>(v); }, answer->resolved->micro));
    if (micro < 1) return Error{ErrorCode::Refused, words.say("Cannot export the ds_config: its micro-batch is {0}; raise train_batch_size", "无法导出 ds_config：其 micro-batch 为 {0}；请调大 train_batch_size", {std::to_string(micro)}), {}};
    const auto form = presentForm(given.root, context);
    if (!form.hasValue()) return form.error();
    if (target == ForeignTarget::AccelerateFsdp)
        return exportFsdp(source, *form, micro, static_cast<std::int64_t>(std::visit([](auto v) { return static_cast<double>(v); }, answer->resolved->gas)), language);
    Exporter exporter(source, *form, *answer->resolved, language);
    const bool accelerate = target == ForeignTarget::Accelerate || target == ForeignTarget::AccelerateFile;
    return accelerate ? exporter.accelerate(target == ForeignTarget::AccelerateFile) : exporter.trainer(target);
}

}  // namespace stagecraft
