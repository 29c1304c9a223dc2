// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/launch_arguments.h"

#include "config/check.h"
#include "importers/config_text.h"
#include "importers/trainer_arguments.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace stagecraft {

namespace {

/// Options of `accelerate launch` that fill an "auto" which no TrainingArgument fills (DeepSpeedPlugin).
const std::map<std::string, std::string>& accelerateAlone()
{
    static const std::map<std::string, std::string> kPlaces{{"zero_stage", "/zero_optimization/stage"},
                                                            {"offload_optimizer_device", "/zero_optimization/offload_optimizer/device"},
                                                            {"offload_param_device", "/zero_optimization/offload_param/device"},
                                                            {"zero3_save_16bit_model", "/zero_optimization/stage3_gather_16bit_weights_on_model_save"}};
    return kPlaces;
}

bool isTrue(const ConfigValue& arguments, const char* name)
{
    const ConfigValue* value = arguments.find(name);
    return value != nullptr && value->isBool() && value->boolean;
}

bool same(const ConfigValue& a, const ConfigValue& b) { return a.isNumber() && b.isNumber() ? a.asDouble() == b.asDouble() : toJson(a) == toJson(b); }

/// Whether another argument, or a section of the ds_config, decides what `value` of `name` would.
bool decidedOtherwise(const std::string& name, const ConfigValue& value, const ConfigValue& config, const ConfigValue& arguments)
{
    const auto has = [&arguments](const char* argument) { return arguments.find(argument) != nullptr; };
    if (name == "optim") return config.find("optimizer") != nullptr;
    if (name == "lr_scheduler_type") return config.find("scheduler") != nullptr;
    if (name == "warmup_steps" || name == "warmup_ratio") return config.find("scheduler") != nullptr && has("warmup_steps");
    if (name == "max_steps" || name == "num_train_epochs") return has("max_steps") || has("num_train_epochs");
    const bool asked = value.isBool() && value.boolean;
    return asked && ((name == "bf16" && isTrue(arguments, "fp16")) || (name == "fp16" && isTrue(arguments, "bf16")));
}

/// Whether the ds_config itself says what the argument does, so that nothing is lost where only the ds_config goes on.
bool saidByConfig(const std::string& name, const ConfigValue& value, const ConfigValue& config)
{
    static const std::map<std::string, std::string> kPlaces{{"per_device_train_batch_size", "/train_micro_batch_size_per_gpu"}, {"learning_rate", "/optimizer/params/lr"}, {"weight_decay", "/optimizer/params/weight_decay"},
                                                            {"adam_epsilon", "/optimizer/params/eps"}, {"max_steps", "/scheduler/params/total_num_steps"}};
    if (name == "optim") return config.find("optimizer") != nullptr && value.isString() && value.text.starts_with("adamw_torch");
    if (name == "lr_scheduler_type" || name == "warmup_steps" || name == "warmup_ratio") return config.find("scheduler") != nullptr;
    if (name == "adam_beta1" || name == "adam_beta2") {
        const ConfigValue* betas = valueAt(config, "/optimizer/params/betas");
        return betas != nullptr && betas->isList() && betas->items.size() == 2 && same(betas->items[name == "adam_beta1" ? 0 : 1], value);
    }
    const auto place = kPlaces.find(name);
    const ConfigValue* there = place == kPlaces.end() ? nullptr : valueAt(config, place->second);
    return there != nullptr && same(*there, value);
}

}  // namespace

ArgumentValues launchArguments(const Workspace& workspace)
{
    const nlohmann::json::json_pointer at("/launch/trainer");
    if (!fillsAuto(workspace.launch.launcher) || !workspace.document.is_object() || !workspace.document.contains(at)) return {};
    std::vector<std::string> unknown;
    const auto said = readCheckContext(nlohmann::json{{"trainer", workspace.document.at(at)}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), unknown);
    return said.hasValue() ? said->trainer : ArgumentValues();
}

ArgumentValues trainingArgumentsOf(const Workspace& workspace)
{
    ArgumentValues result;
    const auto written = [&workspace](const char* pointer) { return workspace.document.contains(nlohmann::json::json_pointer(pointer)); };
    for (const auto& [name, value] : launchArguments(workspace)) {
        const std::string* word = std::get_if<std::string>(&value);
        if (name == "mixed_precision") {
            if (word != nullptr && (*word == "bf16" || *word == "fp16")) result[*word] = true;
        } else if (name == "gradient_clipping") {
            result["max_grad_norm"] = value;
        } else if ((name == "seed" && written("/training/seed")) || (name == "gradient_checkpointing" && written("/layout/recompute"))) {
            continue;
        } else if (!std::holds_alternative<std::monostate>(value) && name != "activation_checkpointing" && (findTrainerArgument(name) != nullptr || accelerateAlone().contains(name))) {
            result[name] = value;
        }
    }
    return result;
}

std::string exportedModelName(const Workspace& workspace)
{
    if (!workspace.model.huggingFaceFolder.empty()) return workspace.model.huggingFaceFolder.string();
    const nlohmann::json::json_pointer at("/launch/trainer/model_name_or_path");
    const bool named = workspace.document.is_object() && workspace.document.contains(at) && workspace.document.at(at).is_string();
    return named ? workspace.document.at(at).get<std::string>() : std::string();
}

void addLaunchArguments(ConfigValue& config, ConfigValue& arguments, const ArgumentValues& launch, TransferNotes& notes)
{
    for (const auto& [name, held] : launch) {
        const ConfigValue value = configValue(held);
        const std::string key = "launch.trainer." + name;
        if (const auto place = accelerateAlone().find(name); place != accelerateAlone().end()) {
            const ConfigValue* there = valueAt(config, place->second);
            if (there == nullptr || !there->isString("auto")) continue;
            setAt(config, place->second, value);
            notes.add({TransferKind::Changed, key, 0, toJson(value), place->second, notes.say("Written in the place of \"auto\", as accelerate fills it; no TrainingArgument does.", "写在 \"auto\" 处，与 accelerate 填入的相同；没有 TrainingArgument 会填它。")});
            continue;
        }
        const ConfigValue* said = arguments.find(name);
        if (said != nullptr ? !same(*said, value) : decidedOtherwise(name, value, config, arguments)) {
            notes.add({TransferKind::Dropped, key, 0, toJson(value), {}, notes.say("Not used: the ds_config or the workspace's own sections say it otherwise, and they count.", "未采用：ds_config 或工作区自己的段另有取值，以其为准。")});
        } else if (said == nullptr) {
            arguments.set(name, value);
            notes.add({TransferKind::Taken, key, 0, toJson(value), name, notes.say("Taken over as it is.", "原样采用。")});
        }
    }
}

void fillAsAccelerate(ConfigValue& config, const ArgumentValues& launch, const std::string& precision, TransferNotes& notes)
{
    const auto place = [](const std::string& name) -> std::string {
        if (const auto alone = accelerateAlone().find(name); alone != accelerateAlone().end()) return alone->second;
        if (name == "max_grad_norm") return "/gradient_clipping";
        return name == "gradient_accumulation_steps" ? "/" + name : std::string();
    };
    const auto put = [&](const std::string& key, const ConfigValue& value, const std::string& pointer) {
        const ConfigValue* there = valueAt(config, pointer);
        if (there != nullptr && there->isString("auto")) {
            setAt(config, pointer, value);
            notes.add({TransferKind::Changed, key, 0, toJson(value), pointer, notes.say("Written in the place of \"auto\", as accelerate fills it.", "写在 \"auto\" 处，与 accelerate 填入的相同。")});
        } else if (there == nullptr || !same(*there, value)) {
            notes.add({TransferKind::Dropped, key, 0, toJson(value), {}, notes.say("Not used: accelerate fills only an \"auto\", and {0} is {1}.", "未采用：accelerate 只填写 \"auto\"，而 {0} {1}。",
                                                                                   {pointer, there == nullptr ? notes.say("missing", "缺失") : notes.say("{0}", "为 {0}", {toJson(*there)})})});
        }
    };
    const auto isOpen = [&](const std::string& pointer) {
        const ConfigValue* there = valueAt(config, pointer);
        return there != nullptr && there->isString("auto");
    };
    const std::string word = !precision.empty() ? precision : launch.contains("bf16") && trainerFlag(launch, "bf16") ? "bf16" : launch.contains("fp16") && trainerFlag(launch, "fp16") ? "fp16" : "";
    if (!word.empty()) {
        if (isOpen("/bf16/enabled")) put("launch.trainer.mixed_precision", ConfigValue::ofBool(word == "bf16" || word == "fp8"), "/bf16/enabled");
        if (isOpen("/fp16/enabled")) put("launch.trainer.mixed_precision", ConfigValue::ofBool(word == "fp16"), "/fp16/enabled");
    }
    std::string behindOpen;  // what the script fills, of which the note of the "auto" itself tells
    for (const std::string& pointer : autoPointers(config)) behindOpen += ", " + argumentBehind(pointer) + ",";
    for (const auto& [name, held] : launch) {
        const ConfigValue value = configValue(held);
        const std::string key = "launch.trainer." + name;
        if (name == "bf16" || name == "fp16" || value.isString("auto")) continue;
        if (const std::string pointer = place(name); !pointer.empty()) put(key, value, pointer);
        else if (behindOpen.find(" " + name + ",") == std::string::npos && !saidByConfig(name, value, config))
            notes.add({TransferKind::Dropped, key, 0, toJson(value), {}, notes.say("accelerate's file has no place for it: the script says it itself.", "accelerate 的文件没有它的位置：由脚本自己给出。")});
    }
}

ArgumentValues withOneWarmUp(ArgumentValues arguments, double steps, WarmUpShare share)
{
    const double asked = trainerNumber(arguments, "warmup_steps"), ratio = trainerNumber(arguments, "warmup_ratio");
    arguments.erase("warmup_ratio");
    const double part = asked > 0.0 ? asked : ratio;  // steps go before a share, and below 1 they are one
    if (!(part > 0.0 && part < 1.0)) return arguments;
    arguments.erase("warmup_steps");
    if (steps > 0) arguments["warmup_steps"] = static_cast<std::int64_t>(std::ceil(steps * part));
    else arguments[share == WarmUpShare::AsRatio ? "warmup_ratio" : "warmup_steps"] = part;
    return arguments;
}

bool anyOf(const std::string& names, const ConfigValue& arguments)
{
    for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(", ", at), names.size());
        if (arguments.find(names.substr(at, end - at)) != nullptr) return true;
        at = end + 2;
    }
    return false;
}

}  // namespace stagecraft
