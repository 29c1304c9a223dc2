// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/trainer_arguments.h"

#include "config/config_value.h"
#include "importers/foreign_config.h"
#include "importers/transfer_note.h"
#include "importers/yaml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stagecraft {

namespace {

// Names and defaults of transformers 5 (training_args.py); warmup_ratio is of transformers 4.
constexpr std::array kArguments{
    TrainerArgument{"per_device_train_batch_size", ArgumentType::Int, "8"},
    TrainerArgument{"gradient_accumulation_steps", ArgumentType::Int, "1"},
    TrainerArgument{"learning_rate", ArgumentType::Float, "5e-5"},
    TrainerArgument{"weight_decay", ArgumentType::Float, "0.0"},
    TrainerArgument{"adam_beta1", ArgumentType::Float, "0.9"},
    TrainerArgument{"adam_beta2", ArgumentType::Float, "0.999"},
    TrainerArgument{"adam_epsilon", ArgumentType::Float, "1e-8"},
    TrainerArgument{"max_grad_norm", ArgumentType::Float, "1.0"},
    TrainerArgument{"max_steps", ArgumentType::Int, "-1"},
    TrainerArgument{"num_train_epochs", ArgumentType::Float, "3.0"},
    TrainerArgument{"warmup_steps", ArgumentType::Float, "0"},
    TrainerArgument{"warmup_ratio", ArgumentType::Float, "0.0"},
    TrainerArgument{"lr_scheduler_type", ArgumentType::Word, "\"linear\""},
    TrainerArgument{"optim", ArgumentType::Word, "\"adamw_torch_fused\""},
    TrainerArgument{"fp16", ArgumentType::Bool, "false"},
    TrainerArgument{"bf16", ArgumentType::Bool, "false"},
    TrainerArgument{"fp16_full_eval", ArgumentType::Bool, "false"},
    TrainerArgument{"bf16_full_eval", ArgumentType::Bool, "false"},
    TrainerArgument{"auto_find_batch_size", ArgumentType::Bool, "false"},
    TrainerArgument{"save_on_each_node", ArgumentType::Bool, "false"},
    TrainerArgument{"gradient_checkpointing", ArgumentType::Bool, "false"},
    TrainerArgument{"activation_checkpointing", ArgumentType::Bool, "false"},
    TrainerArgument{"seed", ArgumentType::Int, "42"},
};

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::optional<double> number(std::string_view text)
{
    if (!text.empty() && text.front() == '+') text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

std::optional<TrainerValue> integral(const ConfigValue& value)
{
    if (value.kind == ConfigValue::Kind::Int && !value.wide) return TrainerValue{value.integer};
    if (value.kind == ConfigValue::Kind::Float && value.number == std::floor(value.number) && std::abs(value.number) < 1e15) return TrainerValue{static_cast<std::int64_t>(value.number)};
    if (!value.isString()) return std::nullopt;
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(value.text.data(), value.text.data() + value.text.size(), whole);
    if (error != std::errc() || end != value.text.data() + value.text.size()) return std::nullopt;
    return TrainerValue{whole};
}

std::optional<TrainerValue> truth(const ConfigValue& value)
{
    if (value.isBool()) return TrainerValue{value.boolean};
    if (value.kind == ConfigValue::Kind::Int && (value.integer == 0 || value.integer == 1)) return TrainerValue{value.integer == 1};
    const std::string word = value.isString() ? lower(value.text) : std::string();
    if (word == "yes" || word == "true" || word == "t" || word == "y" || word == "1") return TrainerValue{true};
    if (word == "no" || word == "false" || word == "f" || word == "n" || word == "0") return TrainerValue{false};
    return std::nullopt;
}

}  // namespace

const TrainerArgument* findTrainerArgument(std::string_view name)
{
    const auto found = std::find_if(kArguments.begin(), kArguments.end(), [&](const TrainerArgument& argument) { return name == argument.name; });
    return found == kArguments.end() ? nullptr : &*found;
}

std::optional<TrainerValue> trainerValue(const TrainerArgument& argument, const ConfigValue& value)
{
    switch (argument.type) {
    case ArgumentType::Int: return integral(value);
    case ArgumentType::Bool: return truth(value);
    case ArgumentType::Word: return value.isString() ? std::optional(TrainerValue{value.text}) : std::nullopt;
    case ArgumentType::Float: break;
    }
    if (value.kind == ConfigValue::Kind::Int && !value.wide) return TrainerValue{value.integer};
    if (value.kind == ConfigValue::Kind::Float && std::isfinite(value.number)) return TrainerValue{value.number};
    const auto read = value.isString() ? number(value.text) : std::nullopt;
    return read.has_value() ? std::optional(TrainerValue{*read}) : std::nullopt;
}

ConfigValue configValue(const TrainerValue& value)
{
    if (const bool* flag = std::get_if<bool>(&value)) return ConfigValue::ofBool(*flag);
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return ConfigValue::ofInt(*whole);
    if (const double* real = std::get_if<double>(&value)) return ConfigValue::ofFloat(*real);
    if (const std::string* word = std::get_if<std::string>(&value)) return ConfigValue::ofString(*word);
    return {};
}

std::string argumentBehind(std::string_view pointer)
{
    static const std::map<std::string_view, const char*> kBehind{
        {"/train_micro_batch_size_per_gpu", "per_device_train_batch_size"},
        {"/gradient_accumulation_steps", "gradient_accumulation_steps"},
        {"/train_batch_size", "ranks x per_device_train_batch_size x gradient_accumulation_steps"},
        {"/gradient_clipping", "max_grad_norm"},
        {"/optimizer/params/lr", "learning_rate"},
        {"/optimizer/params/betas", "adam_beta1, adam_beta2"},
        {"/optimizer/params/eps", "adam_epsilon"},
        {"/optimizer/params/weight_decay", "weight_decay"},
        {"/scheduler/params/warmup_max_lr", "learning_rate"},
        {"/scheduler/params/warmup_num_steps", "warmup_steps, warmup_ratio"},
        {"/scheduler/params/total_num_steps", "max_steps"},
        {"/fp16/enabled", "fp16"},
        {"/bf16/enabled", "bf16"},
        {"/zero_optimization/reduce_bucket_size", "hidden_size"},
        {"/zero_optimization/stage3_prefetch_bucket_size", "hidden_size"},
        {"/zero_optimization/stage3_param_persistence_threshold", "hidden_size"},
    };
    const auto found = kBehind.find(pointer);
    return found == kBehind.end() ? std::string() : found->second;
}

namespace {

TrainerValue given(const ArgumentValues& arguments, std::string_view name)
{
    const auto found = arguments.find(std::string(name));
    if (found != arguments.end()) return found->second;
    const TrainerArgument* argument = findTrainerArgument(name);
    if (argument == nullptr) return {};
    std::string json = argument->defaultJson;
    if (argument->type == ArgumentType::Word) return TrainerValue{json.substr(1, json.size() - 2)};
    return trainerValue(*argument, argument->type == ArgumentType::Bool ? ConfigValue::ofBool(json == "true") : ConfigValue::ofString(json)).value_or(TrainerValue{});
}

}  // namespace

double trainerNumber(const ArgumentValues& arguments, std::string_view name)
{
    const TrainerValue value = given(arguments, name);
    if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    const double* real = std::get_if<double>(&value);
    return real != nullptr ? *real : 0.0;
}

bool trainerFlag(const ArgumentValues& arguments, std::string_view name)
{
    const TrainerValue value = given(arguments, name);
    const bool* flag = std::get_if<bool>(&value);
    return flag != nullptr && *flag;
}

std::string trainerWord(const ArgumentValues& arguments, std::string_view name)
{
    const TrainerValue value = given(arguments, name);
    const std::string* word = std::get_if<std::string>(&value);
    return word != nullptr ? *word : std::string();
}

namespace {

// Options of `accelerate launch` that fill "auto", with what holds without them (utils/dataclasses.py, DeepSpeedPlugin; accelerate 1.x).
constexpr std::array kOfAccelerate{
    TrainerArgument{"zero_stage", ArgumentType::Int, "2"},
    TrainerArgument{"gradient_clipping", ArgumentType::Float, "1.0"},
    TrainerArgument{"offload_optimizer_device", ArgumentType::Word, "none"},
    TrainerArgument{"offload_param_device", ArgumentType::Word, "none"},
    TrainerArgument{"zero3_save_16bit_model", ArgumentType::Bool, "false"},
    TrainerArgument{"mixed_precision", ArgumentType::Word, "no"},
};

/// What a loop under accelerate says too: of its DataLoader, its Accelerator, DummyOptim and DummyScheduler.
constexpr std::array<std::string_view, 6> kOfAnyLoop{"per_device_train_batch_size", "gradient_accumulation_steps", "learning_rate", "weight_decay", "warmup_steps", "max_steps"};

const TrainerArgument* findLauncherArgument(std::string_view name, CheckLauncher launcher)
{
    if (launcher != CheckLauncher::Accelerate) return findTrainerArgument(name);
    const auto own = std::find_if(kOfAccelerate.begin(), kOfAccelerate.end(), [&](const TrainerArgument& argument) { return name == argument.name; });
    if (own != kOfAccelerate.end()) return &*own;
    return std::find(kOfAnyLoop.begin(), kOfAnyLoop.end(), name) == kOfAnyLoop.end() ? nullptr : findTrainerArgument(name);
}

}  // namespace

Result<std::pair<std::string, TrainerValue>> trainerArgumentFromWord(std::string_view word, std::string_view language) { return launcherArgumentFromWord(word, CheckLauncher::Transformers, language); }

Result<std::pair<std::string, TrainerValue>> launcherArgumentFromWord(std::string_view word, CheckLauncher launcher, std::string_view language)
{
    const TransferNotes words(language);
    const auto refuse = [&](std::string_view english, std::string_view chinese, std::initializer_list<std::string> values) { return Error{ErrorCode::InvalidArgument, words.say(english, chinese, values), {}}; };
    const std::size_t equals = word.find('=');
    const std::string name(word.substr(0, equals));
    const TrainerArgument* argument = findLauncherArgument(name, launcher);
    if (equals == std::string_view::npos)
        return refuse("Cannot read the argument \"{0}\": it has no value; write NAME=VALUE, such as learning_rate=2e-5", "无法读取参数“{0}”：没有值；写成 NAME=VALUE，例如 learning_rate=2e-5", {std::string(word)});
    if (argument == nullptr && launcher == CheckLauncher::Accelerate)
        return refuse("Cannot use the argument \"{0}\": accelerate fills no \"auto\" from it; write per_device_train_batch_size=4, mixed_precision=bf16 or the like", "无法使用参数“{0}”：accelerate 不会用它填写 \"auto\"；写 per_device_train_batch_size=4、mixed_precision=bf16 之类的参数", {name});
    if (argument == nullptr)
        return refuse("Cannot use the argument \"{0}\": it is none of the TrainingArguments that decide sharding or steps; write per_device_train_batch_size=4 or the like", "无法使用参数“{0}”：它不是决定分片或步数的 TrainingArguments；写 per_device_train_batch_size=4 之类的参数", {name});
    const std::string text(word.substr(equals + 1));
    const auto value = trainerValue(*argument, ConfigValue::ofString(text));
    if (const std::string choices = accelerateWords(name); launcher == CheckLauncher::Accelerate && !choices.empty() && !isAccelerateWord(name, text))
        return refuse("Cannot read \"{0}\" for {1}; write one of {2}", "无法把“{0}”读作 {1} 的值；可写：{2}", {text, name, choices});
    if (!value.has_value()) return refuse("Cannot read \"{0}\" for {1}; write {2} or the like", "无法把“{0}”读作 {1} 的值；写成类似 {2} 的值", {text, name, std::string(argument->defaultJson)});
    return std::pair{name, *value};
}

std::string launcherArgumentWord(const std::string& name, const TrainerValue& value, CheckLauncher launcher)
{
    std::string word = name + "=";
    if (const bool* flag = std::get_if<bool>(&value)) word += *flag ? "true" : "false";
    else if (const std::int64_t* whole = std::get_if<std::int64_t>(&value)) word += fmt::format("{}", *whole);
    else if (const double* real = std::get_if<double>(&value)) word += shortExponent(fmt::format("{}", *real));
    else if (const std::string* text = std::get_if<std::string>(&value)) word += *text;
    const auto read = launcherArgumentFromWord(word, launcher);
    return read.hasValue() && !std::holds_alternative<std::monostate>(value) ? word : std::string();
}

}  // namespace stagecraft
