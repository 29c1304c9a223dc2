// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/config_value.h"
#include "config/engine_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace stagecraft {

using nlohmann::json;

namespace {

const std::string kOptimizerParams = "/optimizer/params";
const std::string kSchedulerParams = "/scheduler/params";

/// The "params" object; null when it is missing. Logs a value that is no object.
const json* paramsOf(const json& section, const std::string& pointer, EngineReader& reader)
{
    const auto it = section.find("params");
    if (it == section.end() || it->is_null()) return nullptr;
    if (it->is_object()) return &*it;
    reader.invalid(pointer, fmt::format("\"{}\" is {}; use an object", dottedConfigName(pointer), shownConfigValue(*it)));
    return nullptr;
}

void refuseUnknown(const json& params, const std::string& pointer, const std::set<std::string>& known, const std::string& owner, EngineReader& reader)
{
    for (const auto& [key, value] : params.items()) {
        if (!known.contains(key)) reader.invalid(pointer + "/" + key, fmt::format("{} has no parameter {}; DeepSpeed fails on it, so remove it", owner, shownConfigValue(json(key))));
    }
}

void readAdam(const json& params, const std::string& type, EngineReader& reader)
{
    OptimizerSettings& optimizer = reader.config().optimizer;
    const bool torchAdam = reader.truth(params, "torch_adam", false);
    const bool decoupled = type == "adamw" || reader.truth(params, "adam_w_mode", true);
    optimizer.kind = decoupled ? OptimizerKind::AdamW : OptimizerKind::Adam;
    optimizer.learningRate = reader.number(params, kOptimizerParams, "lr", 1e-3);
    optimizer.eps = reader.number(params, kOptimizerParams, "eps", 1e-8);
    // DeepSpeed's own Adam starts from 0; torch.optim.AdamW, taken with torch_adam, from 0.01.
    optimizer.weightDecay = reader.number(params, kOptimizerParams, "weight_decay", torchAdam && decoupled ? 0.01 : 0.0);
    optimizer.biasCorrection = reader.truth(params, "bias_correction", true);
    if (const auto betas = params.find("betas"); betas != params.end()) {
        if (!betas->is_array() || betas->size() != 2 || !(*betas)[0].is_number() || !(*betas)[1].is_number()) {
            reader.invalid(kOptimizerParams + "/betas", fmt::format("\"optimizer.params.betas\" is {}; use two numbers such as [0.9, 0.999]", shownConfigValue(*betas)));
        } else {
            optimizer.betas = {(*betas)[0].get<double>(), (*betas)[1].get<double>()};
        }
    }
    const auto inRange = [&](const char* key, double value, bool fine, const char* range) {
        if (!fine) reader.invalid(kOptimizerParams + "/" + key, fmt::format("\"optimizer.params.{}\" is {}; use {}", key, shortExponent(fmt::format("{}", value)), range));
    };
    inRange("lr", optimizer.learningRate, optimizer.learningRate >= 0.0, "0 or more");
    inRange("eps", optimizer.eps, optimizer.eps >= 0.0, "0 or more");
    inRange("weight_decay", optimizer.weightDecay, optimizer.weightDecay >= 0.0, "0 or more");
    for (const double beta : optimizer.betas) inRange("betas", beta, beta >= 0.0 && beta < 1.0, "0 up to, not including, 1 for each");
    if (params.contains("max_grad_norm")) {
        reader.invalid(kOptimizerParams + "/max_grad_norm", "'max_grad_norm' is not supported as an optimizer parameter, please switch to using the deepspeed parameter 'gradient_clipping'");
    }
    if (reader.truth(params, "amsgrad", false)) {
        if (torchAdam) reader.refuse(kOptimizerParams + "/amsgrad", "\"optimizer.params.amsgrad\" is true; this engine has Adam without that variant, so remove it");
        else reader.invalid(kOptimizerParams + "/amsgrad", "FusedAdam does not support the AMSGrad variant; remove \"optimizer.params.amsgrad\"");
    }
    if (reader.truth(params, "maximize", false)) reader.refuse(kOptimizerParams + "/maximize", "\"optimizer.params.maximize\" is true; this engine minimises, so remove it");
    if (torchAdam && !optimizer.biasCorrection) reader.invalid(kOptimizerParams + "/bias_correction", "torch's Adam has no parameter bias_correction; remove it or torch_adam");
    for (const char* key : {"torch_adam", "set_grad_none", "fp32_optimizer_states", "foreach", "fused", "capturable", "differentiable"}) {
        if (params.contains(key)) reader.withoutEffect(kOptimizerParams + "/" + key, "it chooses between implementations of the same arithmetic; this engine has its own");
    }
    refuseUnknown(params, kOptimizerParams,
                  {"lr", "betas", "eps", "weight_decay", "bias_correction", "adam_w_mode", "torch_adam", "amsgrad", "maximize", "max_grad_norm", "set_grad_none",
                   "fp32_optimizer_states", "foreach", "fused", "capturable", "differentiable"},
                  "The optimizer", reader);
}

/// A step count that DeepSpeed wants as a real int above 0: 100.0 fails.
std::int64_t stepCount(const json& params, const char* key, std::int64_t fallback, EngineReader& reader)
{
    const auto it = params.find(key);
    if (it == params.end()) return fallback;
    if (it->is_number_integer()) {
        const double number = it->get<double>();
        if (number > 0 && number <= 1e15) return it->get<std::int64_t>();
    }
    reader.invalid(kSchedulerParams + "/" + key, fmt::format("{} must be a positive integer, got {}", key, shownConfigValue(*it)));
    return fallback;
}

/// total_num_steps: any number for DeepSpeed, a whole one here.
std::int64_t totalSteps(const json& params, const std::string& type, EngineReader& reader)
{
    if (!params.contains("total_num_steps")) {
        reader.invalid(kSchedulerParams + "/total_num_steps", fmt::format("{} needs \"scheduler.params.total_num_steps\"; add it", type));
        return 0;
    }
    const double number = reader.number(params, kSchedulerParams, "total_num_steps", 0);
    if (std::abs(number) <= 1e15 && std::floor(number) == number) return static_cast<std::int64_t>(number);
    reader.refuse(kSchedulerParams + "/total_num_steps", fmt::format("\"scheduler.params.total_num_steps\" is {}; use a whole number", shortExponent(fmt::format("{}", number))));
    return 0;
}

void readWarmup(const json& params, const std::string& type, EngineReader& reader)
{
    const EngineConfig& config = reader.config();
    SchedulerSettings& scheduler = reader.config().scheduler;
    std::set<std::string> known{"warmup_num_steps", "warmup_type", "last_batch_iteration"};
    scheduler.warmupSteps = stepCount(params, "warmup_num_steps", 1000, reader);
    scheduler.warmupLinear = false;
    if (const auto it = params.find("warmup_type"); it != params.end()) {
        const std::string word = it->is_string() ? it->get<std::string>() : "";
        scheduler.warmupLinear = word == "linear";
        if (word != "linear" && word != "log") reader.withoutEffect(kSchedulerParams + "/warmup_type", "DeepSpeed knows \"log\" and \"linear\" and takes \"log\" for anything else");
    }
    if (scheduler.kind == SchedulerKind::WarmupCosineLR) {
        scheduler.warmupMinRatio = reader.number(params, kSchedulerParams, "warmup_min_ratio", 0.0);
        scheduler.cosineMinRatio = reader.number(params, kSchedulerParams, "cos_min_ratio", 0.0001);
        known.insert({"warmup_min_ratio", "cos_min_ratio"});
    } else {
        const bool decays = scheduler.kind == SchedulerKind::WarmupDecayLR;
        const auto most = params.find("warmup_max_lr");
        const bool given = most != params.end() && !(most->is_null() && !decays);
        scheduler.warmupMin = reader.number(params, kSchedulerParams, "warmup_min_lr", 0.0);
        scheduler.warmupMax = given ? reader.number(params, kSchedulerParams, "warmup_max_lr", 0.001) : decays ? 0.001 : config.optimizer.learningRate;
        known.insert({"warmup_min_lr", "warmup_max_lr"});
    }
    if (scheduler.kind != SchedulerKind::WarmupLR) {
        scheduler.totalSteps = totalSteps(params, type, reader);
        known.insert("total_num_steps");
    }
    refuseUnknown(params, kSchedulerParams, known, type, reader);
}

void readOneCycle(const json& params, EngineReader& reader)
{
    const std::pair<const char*, double> defaults[] = {
        {"cycle_min_lr", 0.0},      {"cycle_max_lr", 0.0},          {"decay_lr_rate", 0.0},
        {"cycle_first_step_size", 2000.0}, {"cycle_first_stair_count", 0.0}, {"decay_step_size", 0.0},
        {"cycle_min_mom", 0.8},     {"cycle_max_mom", 0.9},         {"decay_mom_rate", 0.0}};
    auto& parameters = reader.config().scheduler.parameters;
    std::set<std::string> known{"cycle_second_step_size", "cycle_second_stair_count", "cycle_momentum", "last_batch_iteration"};
    for (const char* key : {"cycle_min_lr", "cycle_max_lr"}) {
        if (!params.contains(key)) reader.invalid(kSchedulerParams + "/" + key, fmt::format("OneCycle needs \"scheduler.params.{}\"; add it", key));
    }
    double firstSize = 2000.0;
    double firstStairs = 0.0;
    for (const auto& [key, fallback] : defaults) {
        const double value = reader.number(params, kSchedulerParams, key, fallback);
        parameters.emplace_back(key, value);
        known.insert(key);
        if (std::string(key) == "cycle_first_step_size") firstSize = value;
        if (std::string(key) == "cycle_first_stair_count") firstStairs = value;
    }
    // A missing or null second half is like the first.
    const auto second = [&](const char* key, double first) {
        const auto it = params.find(key);
        const double value = it == params.end() || it->is_null() ? first : reader.number(params, kSchedulerParams, key, first);
        parameters.emplace_back(key, value);
        return value;
    };
    const double secondSize = second("cycle_second_step_size", firstSize);
    second("cycle_second_stair_count", firstStairs);
    parameters.emplace_back("cycle_momentum", reader.truth(params, "cycle_momentum", true) ? 1.0 : 0.0);
    if (!(firstSize > 0)) reader.invalid(kSchedulerParams + "/cycle_first_step_size", fmt::format("cycle_first_step_size must be positive, got {}", shortExponent(fmt::format("{}", firstSize))));
    if (!(secondSize >= 0)) reader.invalid(kSchedulerParams + "/cycle_second_step_size", fmt::format("cycle_second_step_size must be non-negative, got {}", shortExponent(fmt::format("{}", secondSize))));
    refuseUnknown(params, kSchedulerParams, known, "OneCycle", reader);
}

void readRangeTest(const json& params, EngineReader& reader)
{
    auto& parameters = reader.config().scheduler.parameters;
    parameters.emplace_back("lr_range_test_min_lr", reader.number(params, kSchedulerParams, "lr_range_test_min_lr", 1e-3));
    parameters.emplace_back("lr_range_test_step_size", static_cast<double>(stepCount(params, "lr_range_test_step_size", 2000, reader)));
    parameters.emplace_back("lr_range_test_step_rate", reader.number(params, kSchedulerParams, "lr_range_test_step_rate", 1.0));
    parameters.emplace_back("lr_range_test_staircase", reader.truth(params, "lr_range_test_staircase", false) ? 1.0 : 0.0);
    refuseUnknown(params, kSchedulerParams,
                  {"lr_range_test_min_lr", "lr_range_test_step_size", "lr_range_test_step_rate", "lr_range_test_staircase", "last_batch_iteration"}, "LRRangeTest", reader);
}

}  // namespace

void readOptimizer(const json& dsConfig, EngineReader& reader)
{
    const auto section = dsConfig.find("optimizer");
    if (section == dsConfig.end() || section->is_null()) return;
    if (!section->is_object()) {
        reader.invalid("/optimizer", fmt::format("\"optimizer\" is {}; use an object with \"type\" and \"params\"", shownConfigValue(*section)));
        return;
    }
    if (!section->contains("type")) {
        reader.withoutEffect("/optimizer", "without \"type\" DeepSpeed ignores the section; AdamW with its defaults is used");
        return;
    }
    const json& type = (*section)["type"];
    if (!type.is_string()) {
        reader.invalid("/optimizer/type", fmt::format("\"optimizer.type\" is {}; use a name such as \"AdamW\"", shownConfigValue(type)));
        return;
    }
    std::string name = type.get<std::string>();
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (name != "adam" && name != "adamw") {
        reader.refuse("/optimizer/type", fmt::format("\"optimizer.type\" is {}; this engine has \"Adam\" and \"AdamW\"", shownConfigValue(type)));
        return;
    }
    if (section->contains("legacy_fusion")) reader.withoutEffect("/optimizer/legacy_fusion", "it belongs to fp16 without ZeRO in DeepSpeed");
    const json* params = paramsOf(*section, kOptimizerParams, reader);
    readAdam(params == nullptr ? json::object() : *params, name, reader);
}

void readScheduler(const json& dsConfig, EngineReader& reader)
{
    const auto section = dsConfig.find("scheduler");
    if (section == dsConfig.end() || section->is_null()) return;
    if (!section->is_object()) {
        reader.invalid("/scheduler", fmt::format("\"scheduler\" is {}; use an object with \"type\" and \"params\"", shownConfigValue(*section)));
        return;
    }
    if (!section->contains("type") || (*section)["type"].is_null()) {
        reader.withoutEffect("/scheduler", "without \"type\" DeepSpeed ignores the section; the learning rate is constant");
        return;
    }
    const json& type = (*section)["type"];
    const std::string name = type.is_string() ? type.get<std::string>() : "";
    static const std::pair<const char*, SchedulerKind> kKinds[] = {{"WarmupLR", SchedulerKind::WarmupLR},
                                                                   {"WarmupDecayLR", SchedulerKind::WarmupDecayLR},
                                                                   {"WarmupCosineLR", SchedulerKind::WarmupCosineLR},
                                                                   {"OneCycle", SchedulerKind::OneCycle},
                                                                   {"LRRangeTest", SchedulerKind::LRRangeTest}};
    const auto* kind = std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return name == k.first; });
    if (kind == std::end(kKinds)) {
        reader.refuse("/scheduler/type", fmt::format("\"scheduler.type\" is {}; this engine has WarmupLR, WarmupDecayLR, WarmupCosineLR, OneCycle and LRRangeTest (written so)",
                                                     shownConfigValue(type)));
        return;
    }
    const json* params = paramsOf(*section, kSchedulerParams, reader);
    if (reader.error()) return;
    if (params == nullptr) {
        reader.invalid("/scheduler/params", "\"scheduler\" has a type and no \"params\"; DeepSpeed fails on that, so write at least \"params\": {}");
        return;
    }
    reader.config().scheduler.kind = kind->second;
    if (const auto it = params->find("last_batch_iteration"); it != params->end() && *it != json(-1)) {
        reader.refuse(kSchedulerParams + "/last_batch_iteration", "\"scheduler.params.last_batch_iteration\" starts in the middle of a schedule; resume from a checkpoint instead");
    }
    if (kind->second == SchedulerKind::OneCycle) readOneCycle(*params, reader);
    else if (kind->second == SchedulerKind::LRRangeTest) readRangeTest(*params, reader);
    else readWarmup(*params, name, reader);
}

}  // namespace stagecraft
