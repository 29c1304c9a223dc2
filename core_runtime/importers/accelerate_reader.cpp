// SPDX-License-Identifier: GPL-3.0-or-later
// accelerate's own configuration file. Source: accelerate 1.x, commands/config/config_args.py (ClusterConfig),
// utils/launch.py (prepare_deepspeed_cmd_env) and utils/dataclasses.py (DeepSpeedPlugin).
#include "importers/config_text.h"
#include "importers/readers.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>

namespace stagecraft {

namespace {

/// str(value) of Python for the words accelerate puts into its environment, in lower case.
std::string word(const ConfigValue& value)
{
    std::string text = value.isString() ? value.text : toJson(value);
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::optional<std::int64_t> whole(const ConfigValue& value)
{
    const auto read = trainerValue({"", ArgumentType::Int, ""}, value);
    return read.has_value() ? std::optional(std::get<std::int64_t>(*read)) : std::nullopt;
}

/// Where the fields of the plugin stand in a ds_config.
const std::map<std::string, std::string> kFills{
    {"gradient_accumulation_steps", "/gradient_accumulation_steps"}, {"gradient_clipping", "/gradient_clipping"}, {"zero_stage", "/zero_optimization/stage"},
    {"offload_optimizer_device", "/zero_optimization/offload_optimizer/device"}, {"offload_param_device", "/zero_optimization/offload_param/device"},
    {"zero3_save_16bit_model", "/zero_optimization/stage3_gather_16bit_weights_on_model_save"}};

const std::set<std::string> kOfThePlugin{
    "zero_stage", "gradient_accumulation_steps", "gradient_clipping", "offload_optimizer_device", "offload_param_device",
    "offload_optimizer_nvme_path", "offload_param_nvme_path", "zero3_save_16bit_model"};

/// The fields of `deepspeed_config` become the ds_config that DeepSpeedPlugin makes of them.
class PluginFields {
public:
    PluginFields(ImportDraft& draft, const ConfigValue& fields) : m_draft(draft), m_fields(fields) {}

    Result<void> read(const std::string& precision)
    {
        ConfigValue config = ConfigValue::ofObject();
        config.set("train_batch_size", ConfigValue::ofString("auto"));
        config.set("train_micro_batch_size_per_gpu", ConfigValue::ofString("auto"));
        if (auto bad = steps(config)) return *bad;
        if (auto bad = zero(config)) return *bad;
        if (auto bad = clipping(config)) return *bad;
        const auto enabled = [](bool on) {
            ConfigValue section = ConfigValue::ofObject();
            section.set("enabled", ConfigValue::ofBool(on));
            return section;
        };
        config.set("fp16", enabled(precision == "fp16"));
        config.set("bf16", enabled(precision == "bf16" || precision == "fp8"));
        if (precision == "fp16") setAt(config, "/fp16/auto_cast", ConfigValue::ofBool(true));
        for (const std::string& option : m_draft.openOptions) {
            if (const auto fills = kFills.find(option); fills != kFills.end()) m_draft.openPointers[fills->second] = "--" + option;
        }
        if (m_draft.openOptions.count("mixed_precision") > 0) m_draft.openPointers["/fp16/enabled"] = m_draft.openPointers["/bf16/enabled"] = "--mixed_precision";
        for (const auto& [pointer, option] : m_draft.openPointers) setAt(config, pointer, ConfigValue::ofString("auto"));
        m_draft.takeDsConfig(config);
        return {};
    }

private:
    const ConfigMember* field(const char* name) const
    {
        const ConfigMember* member = m_fields.findMember(name);
        return member == nullptr || member->value.isNull() || m_draft.openOptions.count(name) > 0 ? nullptr : member;
    }

    void took(const ConfigMember* member, const char* target) { m_draft.taken("deepspeed_config." + member->key, member->keyPlace.line, member->value, std::string("/dsConfig") + target); }

    void absent(const char* name, const std::string& value, const char* target)
    {
        if (m_draft.openOptions.count(name) > 0) return;
        m_draft.note(TransferKind::Changed, std::string("deepspeed_config.") + name, 0, {}, std::string("/dsConfig") + target, m_draft.say("Not in the file: accelerate uses {0}.", "文件中没有：accelerate 使用 {0}。", {value}));
    }

    Error wrong(const ConfigMember* member, const std::string& values) const
    {
        return m_draft.refuse(ErrorCode::InvalidInput, member->value.place.line, "\"{0}\" is {1}; write {2}", "“{0}”的值为 {1}；写 {2}", {member->key, toJson(member->value), values});
    }

    std::optional<Error> steps(ConfigValue& config)
    {
        const ConfigMember* member = field("gradient_accumulation_steps");
        if (member == nullptr) {
            config.set("gradient_accumulation_steps", ConfigValue::ofString("auto"));
            absent("gradient_accumulation_steps", "\"auto\"", "/gradient_accumulation_steps");
            return std::nullopt;
        }
        const auto value = whole(member->value);
        if (!value.has_value() && word(member->value) != "auto") return wrong(member, m_draft.say("a number or auto", "数字或 auto"));
        config.set("gradient_accumulation_steps", value.has_value() ? ConfigValue::ofInt(*value) : ConfigValue::ofString("auto"));
        took(member, "/gradient_accumulation_steps");
        return std::nullopt;
    }

    std::optional<Error> clipping(ConfigValue& config)
    {
        const ConfigMember* member = field("gradient_clipping");
        if (member == nullptr || word(member->value) == "auto") {
            config.set("gradient_clipping", ConfigValue::ofString("auto"));
            if (member == nullptr) absent("gradient_clipping", "\"auto\"", "/gradient_clipping");
            else took(member, "/gradient_clipping");
            return std::nullopt;
        }
        const auto value = trainerValue({"", ArgumentType::Float, ""}, member->value);
        if (!value.has_value()) return wrong(member, m_draft.say("a number or auto", "数字或 auto"));
        const double number = configValue(*value).asDouble();
        if (number == 0.0) {
            m_draft.dropped("deepspeed_config.gradient_clipping", member->keyPlace.line, member->value, m_draft.say("accelerate leaves the key out for 0, and DeepSpeed's own default then holds: 1.0 in 0.19.6 and later, no clipping in 0.18.9 and before.", "值为 0 时 accelerate 不写这个键，此时采用 DeepSpeed 自己的默认值：0.19.6 及以后为 1.0，0.18.9 及以前不裁剪。"));
            return std::nullopt;
        }
        config.set("gradient_clipping", ConfigValue::ofFloat(number));
        took(member, "/gradient_clipping");
        return std::nullopt;
    }

    std::optional<Error> zero(ConfigValue& config)
    {
        std::int64_t stage = 2;
        if (const ConfigMember* member = field("zero_stage")) {
            const auto value = whole(member->value);
            if (!value.has_value() || *value < 0 || *value > 3) return wrong(member, m_draft.say("0, 1, 2 or 3", "0、1、2 或 3"));
            stage = *value;
            took(member, "/zero_optimization/stage");
        } else {
            absent("zero_stage", "2", "/zero_optimization/stage");
        }
        setAt(config, "/zero_optimization/stage", ConfigValue::ofInt(stage));
        for (const char* what : {"optimizer", "param"}) {
            const std::string block = std::string("/zero_optimization/offload_") + what;
            const ConfigMember* member = field((std::string("offload_") + what + "_device").c_str());
            const std::string device = member == nullptr ? "none" : word(member->value);
            if (device != "none" && device != "cpu" && device != "nvme") return wrong(member, m_draft.say("none, cpu or nvme", "none、cpu 或 nvme"));
            if (member != nullptr) took(member, (block + "/device").c_str());
            setAt(config, block + "/device", ConfigValue::ofString(device));
            const ConfigMember* path = field((std::string("offload_") + what + "_nvme_path").c_str());
            if (device == "nvme") {
                setAt(config, block + "/nvme_path", path == nullptr ? ConfigValue::ofString("none") : path->value);
                // prepare_deepspeed_cmd_env sets no variable for it, and DeepSpeedPlugin reads one.
                if (path != nullptr) m_draft.note(TransferKind::Warning, "deepspeed_config." + path->key, path->keyPlace.line, path->value, "/dsConfig" + block + "/nvme_path", m_draft.say("accelerate launch does not hand the path over: its own run swaps into a folder named \"none\". The ds_config made here has the path.", "accelerate launch 不会传递该路径：它启动的训练会换出到名为 \"none\" 的文件夹。这里生成的 ds_config 写有该路径。"));
                else m_draft.note(TransferKind::Warning, "deepspeed_config." + std::string("offload_") + what + "_nvme_path", 0, {}, "/dsConfig" + block + "/nvme_path", m_draft.say("Not in the file: accelerate passes the word \"none\" as the path. Name the folder.", "文件中没有：accelerate 会把 \"none\" 当作路径。指定文件夹。"));
            } else if (path != nullptr) {
                m_draft.dropped("deepspeed_config." + path->key, path->keyPlace.line, path->value, m_draft.say("Counts only with the device nvme.", "仅在设备为 nvme 时有效。"));
            }
        }
        const ConfigMember* save = field("zero3_save_16bit_model");
        setAt(config, "/zero_optimization/stage3_gather_16bit_weights_on_model_save", ConfigValue::ofBool(save != nullptr && word(save->value) == "true"));
        if (save != nullptr) took(save, "/zero_optimization/stage3_gather_16bit_weights_on_model_save");
        return std::nullopt;
    }

    ImportDraft& m_draft;
    const ConfigValue& m_fields;
};

/// The launcher's keys of `deepspeed_config`, which are no part of a ds_config.
void launcherKeys(ImportDraft& draft, const ConfigValue& fields, bool named)
{
    const ConfigValue* stage = fields.find("zero_stage");
    for (const ConfigMember& member : fields.members) {
        const std::string key = "deepspeed_config." + member.key;
        const int line = member.keyPlace.line;
        if (member.key == "deepspeed_config_file" || kOfThePlugin.count(member.key) > 0) continue;
        if (member.key == "zero3_init_flag") {
            const bool pointless = word(member.value) == "true" && !named && (stage == nullptr || whole(*stage).value_or(2) != 3);
            draft.dropped(key, line, member.value, pointless ? draft.say("Counts only at stage 3; accelerate sets it to false with a warning.", "仅在 stage 3 有效；accelerate 会警告并改为 false。")
                                                             : draft.say("Decides where the script builds the model (zero.Init), not what the ds_config says.", "决定脚本在哪里构建模型（zero.Init），与 ds_config 内容无关。"));
        } else if (member.key == "deepspeed_multinode_launcher" || member.key == "deepspeed_hostfile" || member.key == "deepspeed_exclusion_filter" || member.key == "deepspeed_inclusion_filter") {
            draft.dropped(key, line, member.value, draft.say("Says how the nodes are reached; the workspace's launch section does that.", "说明如何连接各节点；由工作区的 launch 部分负责。"));
        } else if (member.key == "deepspeed_moe_layer_cls_names") {
            draft.dropped(key, line, member.value, draft.say("Names layer classes for the script (leaf modules of stage 3); a ds_config says it with zero_optimization.leaf_module.", "为脚本指定层的类名（stage 3 叶模块）；ds_config 用 zero_optimization.leaf_module 表达。"));
        } else {
            draft.dropped(key, line, member.value, draft.say("accelerate does not read this key for DeepSpeed.", "accelerate 不会把这个键用于 DeepSpeed。"));
        }
    }
}

/// A field of the plugin as `accelerate launch` hands it over; null = no such value.
ConfigValue pluginValue(const std::string& name, const ConfigValue& given)
{
    if (name == "gradient_accumulation_steps" || name == "zero_stage") {
        const auto number = whole(given);
        if (number.has_value() && (name != "zero_stage" || (*number >= 0 && *number <= 3))) return ConfigValue::ofInt(*number);
        return name == "zero_stage" || word(given) != "auto" ? ConfigValue() : ConfigValue::ofString("auto");
    }
    if (name == "gradient_clipping") {
        const auto number = trainerValue({"", ArgumentType::Float, ""}, given);
        return number.has_value() ? configValue(*number) : word(given) == "auto" ? ConfigValue::ofString("auto") : ConfigValue();
    }
    if (name == "zero3_save_16bit_model") return ConfigValue::ofBool(word(given) == "true");
    const std::string device = word(given);
    return device == "none" || device == "cpu" || device == "nvme" ? ConfigValue::ofString(device) : ConfigValue();
}

/// Options of `accelerate launch` beside a ds_config file: they fill its "auto" and nothing else (DeepSpeedPlugin.__post_init__,
/// fill_match with must_match=False). @param fields  what the command says of the plugin
std::optional<Error> launchOptions(ImportDraft& draft, const ConfigValue& fields)
{
    for (const ConfigMember& member : fields.members) {
        if (kOfThePlugin.count(member.key) == 0 || member.keyPlace.line >= 0) continue;
        const auto fills = kFills.find(member.key);
        if (fills == kFills.end()) {
            draft.dropped(member.key, member.keyPlace.line, member.value, draft.say("accelerate launch does not hand the path over; write it into the ds_config.", "accelerate launch 不会传递该路径；写进 ds_config。"));
            continue;
        }
        if (draft.openOptions.count(member.key) > 0) {
            draft.openPointers[fills->second] = "--" + member.key;
            continue;
        }
        ConfigValue value = pluginValue(member.key, member.value);
        if (value.isNull()) return draft.refuse(ErrorCode::InvalidInput, member.keyPlace.line, "--{0} is {1}; write a value that accelerate takes there", "--{0} 的值为 {1}；写 accelerate 在此处接受的值", {member.key, toJson(member.value)});
        value.place.line = member.keyPlace.line;
        value.items = {ConfigValue::ofString(member.key)};
        draft.launchValues[fills->second] = std::move(value);
    }
    return std::nullopt;
}

/// @param own  the file's own `deepspeed_config`: what accelerate refuses beside a ds_config (ACCELERATE_CONFIG_DS_FIELDS)
Result<void> byFile(ImportDraft& draft, const ConfigValue& fields, const ConfigValue& own, const ConfigMember* precision)
{
    const ConfigMember* file = fields.findMember("deepspeed_config_file");
    // DeepSpeedPlugin._deepspeed_config_checks
    std::string forbidden;
    int line = 0;
    const auto forbid = [&](const ConfigMember& member) {
        forbidden += (forbidden.empty() ? "\"" : ", \"") + member.key + "\"";
        if (line == 0) line = member.keyPlace.line;
    };
    for (const ConfigMember& member : own.members) {
        if (kOfThePlugin.count(member.key) > 0) forbid(member);
    }
    const bool said = precision != nullptr && !precision->value.isNull();
    if (said && precision->keyPlace.line >= 0) forbid(*precision);
    if (!forbidden.empty()) {
        return draft.refuse(ErrorCode::Refused, line, "beside \"deepspeed_config_file\" accelerate refuses {0} (ValueError: they would be ignored); take that out here and write it into the ds_config", "{0} 与 \"deepspeed_config_file\" 同时出现，accelerate 会拒绝（ValueError：这些值会被忽略）；在此处去掉并写进 ds_config", {forbidden});
    }
    if (auto bad = launchOptions(draft, fields)) return *bad;
    if (draft.openOptions.count("mixed_precision") > 0) draft.openPointers["/fp16/enabled"] = draft.openPointers["/bf16/enabled"] = "--mixed_precision";
    if (said) {
        draft.launchPrecision = ConfigValue::ofString(word(precision->value));
        draft.launchPrecision.place.line = precision->keyPlace.line;
    }
    if (auto took = draft.takeDeepSpeed("deepspeed_config.deepspeed_config_file", file->keyPlace.line, file->value); !took.hasValue()) return took;
    return {};
}

}  // namespace

Result<void> readAccelerate(ImportDraft& draft, const ConfigValue& root, const ConfigValue* own)
{
    draft.accelerate = true;
    const auto text = [&](const char* key) {
        const ConfigValue* value = root.find(key);
        return value == nullptr || value->isNull() ? std::string() : word(*value);
    };
    const ConfigMember* kind = root.findMember("distributed_type");
    if (kind == nullptr) return draft.refuse(ErrorCode::Refused, 1, "accelerate refuses a config without \"distributed_type\" (ValueError); write distributed_type: DEEPSPEED", "accelerate 会拒绝没有 \"distributed_type\" 的配置（ValueError）；写 distributed_type: DEEPSPEED");
    if (const std::string where = text("compute_environment"); where == "amazon_sagemaker") {
        return draft.refuse(ErrorCode::Refused, root.findMember("compute_environment")->keyPlace.line, "\"compute_environment\" is AMAZON_SAGEMAKER, whose jobs have another shape; make a LOCAL_MACHINE config of it", "\"compute_environment\" 为 AMAZON_SAGEMAKER，其任务形式不同；改成 LOCAL_MACHINE 的配置");
    }
    if (const ConfigMember* count = root.findMember("num_processes"); count != nullptr && !count->value.isNull()) {
        const auto value = whole(count->value);
        if (!value.has_value() || *value > 1'000'000) return draft.refuse(ErrorCode::InvalidInput, count->value.place.line, "\"num_processes\" is {0}; write the number of ranks", "\"num_processes\" 的值为 {0}；写 rank 数", {toJson(count->value)});
        if (*value > 0) draft.ranks = static_cast<int>(*value);
        draft.taken("num_processes", count->keyPlace.line, count->value, "/layout/dp");
    }
    if (const ConfigMember* count = root.findMember("num_machines"); count != nullptr && !count->value.isNull()) {
        const auto value = whole(count->value);
        if (!value.has_value() || *value < 1 || *value > 1'000'000) return draft.refuse(ErrorCode::InvalidInput, count->value.place.line, "\"num_machines\" is {0}; write the number of nodes", "\"num_machines\" 的值为 {0}；写节点数", {toJson(count->value)});
        draft.nodes = static_cast<int>(*value);
        draft.taken("num_machines", count->keyPlace.line, count->value, "/hardware/nodes");
    }
    if (text("use_cpu") == "true") {
        draft.setWorkspace("/hardware/device", ConfigValue::ofString("cpu"));
        draft.result.context.device = "cpu";
        draft.taken("use_cpu", root.findMember("use_cpu")->keyPlace.line, *root.find("use_cpu"), "/hardware/device");
    }
    const bool openPrecision = draft.openOptions.count("mixed_precision") > 0;
    const ConfigMember* precision = openPrecision ? nullptr : root.findMember("mixed_precision");
    const std::string mixed = openPrecision || text("mixed_precision").empty() || text("mixed_precision") == "false" ? "no" : text("mixed_precision");
    static const std::set<std::string> kPrecisions{"no", "fp16", "bf16", "fp8"};
    if (kPrecisions.count(mixed) == 0) return draft.refuse(ErrorCode::InvalidInput, precision->value.place.line, "\"mixed_precision\" is {0}; write 'no', fp16, bf16 or fp8", "\"mixed_precision\" 的值为 {0}；写 'no'、fp16、bf16 或 fp8", {toJson(precision->value)});
    const ConfigMember* fields = root.findMember("deepspeed_config");
    const ConfigValue* file = fields != nullptr && fields->value.isObject() ? fields->value.find("deepspeed_config_file") : nullptr;
    const bool named = file != nullptr && !file->isNull() && word(*file) != "none";
    if (precision != nullptr && !named) {
        if (mixed == "fp8") draft.note(TransferKind::Changed, "mixed_precision", precision->keyPlace.line, precision->value, "/dsConfig/bf16", draft.say("Becomes bf16: under DeepSpeed accelerate trains fp8 on a bf16 base.", "变为 bf16：在 DeepSpeed 下 accelerate 以 bf16 为基础进行 fp8 训练。"));
        else draft.taken("mixed_precision", precision->keyPlace.line, precision->value, mixed == "fp16" ? "/dsConfig/fp16" : "/dsConfig/bf16");
    }
    const std::string type = word(kind->value);
    static const std::set<std::string> kHandled{"distributed_type", "num_processes", "num_machines", "mixed_precision", "deepspeed_config", "fsdp_config"};
    for (const ConfigMember& member : root.members) {
        if (kHandled.count(member.key) > 0 || (member.key == "use_cpu" && text("use_cpu") == "true")) continue;
        const bool empty = member.value.isNull() || (member.value.isObject() && member.value.members.empty());
        if (!empty) draft.dropped(member.key, member.keyPlace.line, member.value, draft.say("Says where and how the processes start, not how the training is sharded.", "说明进程在哪里、如何启动，与分片方式无关。"));
    }
    if (type == "fsdp") return readFsdp(draft, root);
    if (type != "deepspeed") {
        if (type == "megatron_lm") return draft.refuse(ErrorCode::InvalidInput, kind->keyPlace.line, "\"distributed_type\" is MEGATRON_LM, which has no ds_config; put Megatron's own arguments into the workspace's framework.arguments", "\"distributed_type\" 为 MEGATRON_LM，没有 ds_config；把 Megatron 的参数写进工作区的 framework.arguments");
        ConfigValue config = ConfigValue::ofObject();
        config.set("train_micro_batch_size_per_gpu", ConfigValue::ofString("auto"));
        if (mixed != "no") setAt(config, mixed == "fp16" ? "/fp16/enabled" : "/bf16/enabled", ConfigValue::ofBool(true));
        setAt(config, "/zero_optimization/stage", ConfigValue::ofInt(0));
        draft.takeDsConfig(config);
        draft.note(TransferKind::Changed, "distributed_type", kind->keyPlace.line, kind->value, "/dsConfig/zero_optimization/stage", draft.say("Becomes ZeRO stage 0: without DeepSpeed every rank holds the whole model, which is what stage 0 does.", "变为 ZeRO stage 0：不用 DeepSpeed 时每个 rank 持有整个模型，与 stage 0 相同。"));
        return {};
    }
    draft.taken(kind->keyPlace.line < 0 ? "use_deepspeed" : "distributed_type", kind->keyPlace.line, kind->keyPlace.line < 0 ? ConfigValue() : kind->value, {});
    const ConfigValue none = ConfigValue::ofObject();
    const ConfigValue& config = fields != nullptr && fields->value.isObject() ? fields->value : none;
    if (fields != nullptr && !fields->value.isObject() && !fields->value.isNull()) return draft.refuse(ErrorCode::InvalidInput, fields->value.place.line, "\"deepspeed_config\" is {0}; write its keys below it, or deepspeed_config_file: PATH", "\"deepspeed_config\" 是 {0}；在其下写各个键，或写 deepspeed_config_file: PATH", {kindName(fields->value)});
    launcherKeys(draft, config, named);
    return named ? byFile(draft, config, own != nullptr ? *own : config, precision) : PluginFields(draft, config).read(mixed);
}

}  // namespace stagecraft
