// SPDX-License-Identifier: GPL-3.0-or-later
// What single sections do once the engine is built: checkpoint writers (R73), activation checkpointing (R74), token
// dropping (R91), mixture of quantisation (R94), DeepCompile (R98), monitors (R57), autotuning (R77).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace stagecraft::rules {

namespace {

/// Optimizer steps that a verdict covers: what fails later is told, and refuses nothing.
constexpr double kJudgedSteps = 2;

bool on(const ConfigValue* section)
{
    const ConfigValue* enabled = section == nullptr ? nullptr : section->find("enabled");
    return enabled != nullptr && pythonTruth(*enabled);
}

/// One writer saves checkpoints: checkpoint.writer before nebula before datastates (R73).
void checkWriters(Judge& judge)
{
    const ConfigValue* checkpoint = judge.root.find("checkpoint");
    const ConfigValue* writer = checkpoint == nullptr || !judge.facts.reads("/checkpoint", "writer") ? nullptr : checkpoint->find("writer");
    const bool hasWriter = writer != nullptr && !writer->isNull();
    const ConfigValue* nebula = judge.facts.removedTop.count("nebula") > 0 ? nullptr : judge.root.find("nebula");
    const ConfigValue* datastates = judge.facts.reads("", "datastates_ckpt") ? judge.root.find("datastates_ckpt") : nullptr;
    const bool hasNebula = on(nebula);
    if (hasWriter && judge.context.launcher != CheckLauncher::DeepSpeed) {
        judge.refuse(CheckLevel::Engine, "R73", "R73.launcher", "/checkpoint/writer", {}, patchRemove("/checkpoint/writer"));
    } else if (const ConfigValue* unit = hasWriter ? writer->find("data_parallel") : nullptr; hasWriter && (unit == nullptr || unit->isNull()) && judge.parsed.stage() != 3 && !judge.context.mpu) {
        judge.refuse(CheckLevel::Engine, "R73", "R73.unit", "/checkpoint/writer", {},
                     unit == nullptr ? patchAdd("/checkpoint/writer/data_parallel", "\"replica\"") : patchReplace("/checkpoint/writer/data_parallel", "\"replica\""));
    }
    if (hasWriter && hasNebula) {
        judge.ignoreSection("R73", "R73", "/nebula", *nebula, {{"loser", "nebula"}, {"winner", "checkpoint.writer"}}, patchRemove("/nebula"));
    }
    const bool reached = !hasWriter && !hasNebula;
    const bool hasDatastates = datastates != nullptr && !(datastates->isBool() && !datastates->boolean);
    if (hasDatastates && reached) {
        judge.refuse(CheckLevel::Engine, "R73", "R73.datastates", "/datastates_ckpt", {}, patchRemove("/datastates_ckpt"), Judge::At::Key);
    } else if (hasDatastates) {
        judge.ignoreSection("R73", "R73", "/datastates_ckpt", *datastates,
                            {{"loser", "datastates_ckpt"}, {"winner", hasWriter ? "checkpoint.writer" : "nebula"}}, patchRemove("/datastates_ckpt"));
    }
}

/// The engine sets the logger's level before it does anything else.
void checkLogLevel(Judge& judge)
{
    const ConfigValue* level = judge.facts.reads("", "log_level") ? judge.root.find("log_level") : nullptr;
    if (level == nullptr || level->isNull()) {
        return;
    }
    static const std::vector<std::string> kLevels{"debug", "info", "warning", "error", "critical"};
    std::string word = level->isString() ? level->text : std::string();
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::find(kLevels.begin(), kLevels.end(), word) != kLevels.end()) {
        return;
    }
    const std::string near = word == "warn" ? std::string("warning") : word == "fatal" ? std::string("critical") : word.empty() ? std::string() : nearestWord(word, kLevels);
    judge.refuse(CheckLevel::Engine, "log_level", "log_level.word", "/log_level", {{"value", toJson(*level)}},
                 near.empty() ? patchRemove("/log_level") : patchReplace("/log_level", toJson(ConfigValue::ofString(near))));
}

void checkActivationCheckpointing(Judge& judge)
{
    const ConfigValue* section = judge.root.find("activation_checkpointing");
    const ConfigValue* contiguous = section == nullptr ? nullptr : section->find("contiguous_memory_optimization");
    if (contiguous == nullptr || !pythonTruth(*contiguous)) {
        return;
    }
    const ConfigValue* partition = section->find("partition_activations");
    const ConfigValue* count = section->find("number_checkpoints");
    const bool partitioned = partition != nullptr && pythonTruth(*partition);
    if (!partitioned || count == nullptr || count->isNull()) {
        // How many checkpoints there are, only the model's author knows.
        const std::string partitions = partition == nullptr ? patchAdd("/activation_checkpointing/partition_activations", "true") : patchReplace("/activation_checkpointing/partition_activations", "true");
        judge.unwise("R74", "R74", "/activation_checkpointing/contiguous_memory_optimization",
                     {{"key", partitioned ? "number_checkpoints" : "partition_activations"}},
                     count == nullptr || count->isNull() ? patchReplace("/activation_checkpointing/contiguous_memory_optimization", "false") : partitions);
    }
}

void checkTokenDropping(Judge& judge)
{
    const ConfigValue* section = &judge.root;
    for (const char* key : {"data_efficiency", "data_routing", "random_ltd"}) {
        section = section == nullptr ? nullptr : section->find(key);
    }
    if (!on(section)) {
        return;
    }
    static const std::string kAt = "/data_efficiency/data_routing/random_ltd";
    const auto needs = [&](const ConfigValue& holder, const std::string& at, std::initializer_list<const char*> keys) {
        for (const char* key : keys) {
            if (holder.find(key) == nullptr) {
                judge.refuse(CheckLevel::Engine, "R91", "R91.missing", at, {{"key", key}});
            }
        }
    };
    // Calculated with in the first step, and divided by while the sequences still grow.
    const auto calculates = [&](const ConfigValue& holder, const std::string& at, std::initializer_list<const char*> keys, bool divides) {
        for (const char* key : keys) {
            const ConfigValue* value = holder.find(key);
            if (value != nullptr && (!value->isNumber() || (divides && value->asDouble() == 0.0))) {
                judge.refuse(CheckLevel::Engine, "R91", "R91.number", at + "/" + key, {{"key", key}, {"value", toJson(*value)}});
            }
        }
    };
    needs(*section, kAt, {"total_layer_num", "random_ltd_layer_num", "random_ltd_schedule"});
    calculates(*section, kAt, {"total_layer_num", "random_ltd_layer_num"}, false);
    if (const ConfigValue* schedule = section->find("random_ltd_schedule"); schedule != nullptr && schedule->isObject()) {
        const std::string at = kAt + "/random_ltd_schedule";
        needs(*schedule, at, {"min_value", "max_value", "schedule_type", "schedule_config"});
        const ConfigValue* type = schedule->find("schedule_type");
        if (type != nullptr && !type->isString("fixed_linear")) {
            judge.refuse(CheckLevel::Engine, "R91", "R91.type", at + "/schedule_type", {{"value", toJson(*type)}}, patchReplace(at + "/schedule_type", "\"fixed_linear\""));
        }
        if (const ConfigValue* numbers = schedule->find("schedule_config"); numbers != nullptr && numbers->isObject()) {
            needs(*numbers, at + "/schedule_config", {"require_steps", "seq_per_step"});
            const ConfigValue* least = schedule->find("min_value");
            const ConfigValue* most = schedule->find("max_value");
            if (least != nullptr && most != nullptr && least->isNumber() && most->isNumber() && least->asDouble() < most->asDouble()) {
                calculates(*numbers, at + "/schedule_config", {"require_steps", "seq_per_step"}, true);
            }
        }
        calculates(*schedule, at, {"min_value", "max_value"}, false);
    }
    const ConfigValue* rates = section->find("layer_token_lr_schedule");
    if (rates != nullptr && on(rates)) {
        judge.refuse(CheckLevel::Engine, "R91", "R91.rates", kAt + "/layer_token_lr_schedule/enabled", {}, patchReplace(kAt + "/layer_token_lr_schedule/enabled", "false"));
    } else if (rates != nullptr && rates->isObject() && rates->find("enabled") == nullptr) {
        needs(*rates, kAt + "/layer_token_lr_schedule", {"enabled"});
    }
}

/// Whether Python's re refuses the pattern: a repeat with nothing to repeat, brackets left open, a backslash at the end.
bool isBrokenPattern(std::string_view pattern)
{
    int open = 0;
    bool something = false;  // for a repeat to stand behind
    bool repeated = false;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        const char c = pattern[i];
        const bool repeat = c == '*' || c == '+' || c == '?';
        if (repeat && (!something || (repeated && c == '*'))) {
            return true;
        }
        if (c == '\\') {
            if (++i == pattern.size()) {
                return true;
            }
        } else if (c == '[') {
            const std::size_t end = pattern.find(']', i + (i + 1 < pattern.size() && pattern[i + 1] == '^' ? 3 : 2));
            if (end == std::string_view::npos) {
                return true;
            }
            i = end;
        } else if (c == '(') {
            ++open;
            if (i + 1 < pattern.size() && pattern[i + 1] == '?') {
                ++i;  // an extension, no repeat
            }
        } else if (c == ')' && --open < 0) {
            return true;
        }
        something = c != '(' && c != '|';
        repeated = repeat;
    }
    return open != 0;
}

/// The modules each group of a compression technique names are patterns, searched whether the technique is on or not.
void checkCompressedModules(Judge& judge)
{
    const ConfigValue* compression = judge.facts.removedTop.count("compression_training") > 0 ? nullptr : judge.root.find("compression_training");
    for (const char* technique : {"weight_quantization", "activation_quantization", "sparse_pruning", "row_pruning", "head_pruning", "channel_pruning"}) {
        const ConfigValue* section = compression == nullptr ? nullptr : compression->find(technique);
        const ConfigValue* groups = section == nullptr ? nullptr : section->find("different_groups");
        for (const ConfigMember& group : groups == nullptr ? ConfigValue::ofObject().members : groups->members) {
            const std::string at = "/compression_training/" + std::string(technique) + "/different_groups/" + pointerToken(group.key);
            const ConfigValue* modules = group.value.find("modules");
            if (modules == nullptr) {
                judge.refuse(CheckLevel::Engine, "R94", "R94.modules.missing", at, {{"key", group.key}}, patchAdd(at + "/modules", R"([".*"])"));
            } else if (modules->isString() && std::any_of(modules->text.begin(), modules->text.end(), [](char c) { return isBrokenPattern({&c, 1}); })) {
                judge.refuse(CheckLevel::Engine, "R94", "R94.modules", at + "/modules", {{"value", toJson(*modules)}}, patchReplace(at + "/modules", R"([".*"])"));
            }
            for (std::size_t i = 0; modules != nullptr && i < modules->items.size(); ++i) {
                const ConfigValue& pattern = modules->items[i];
                if (!pattern.isString() || isBrokenPattern(pattern.text)) {
                    const std::string entry = at + "/modules/" + std::to_string(i);
                    judge.refuse(CheckLevel::Engine, "R94", "R94.modules", entry, {{"value", toJson(pattern)}}, pattern.isString("*") ? patchReplace(entry, "\".*\"") : std::string());
                }
            }
        }
    }
}

void checkQuantization(Judge& judge)
{
    const ConfigValue* compression = judge.facts.removedTop.count("compression_training") > 0 ? nullptr : judge.root.find("compression_training");
    const ConfigValue* technique = compression == nullptr ? nullptr : compression->find("weight_quantization");
    if (technique == nullptr || !technique->isObject()) {
        return;
    }
    static const std::string kAt = "/compression_training/weight_quantization";
    const ConfigValue* shared = technique->find("shared_parameters");
    if (shared == nullptr) {
        judge.refuse(CheckLevel::Engine, "R94", "R94", kAt, {}, patchAdd(kAt + "/shared_parameters", R"({"enabled": false})"));
        return;
    }
    const ConfigValue* forward = shared->find("quantize_weight_in_forward");
    if (on(shared) && (forward == nullptr || !pythonTruth(*forward)) && !judge.parsed.flag(judge.parsed.fp16, "enabled")) {
        judge.refuse(CheckLevel::Engine, "R94", "R94.fp16", kAt + "/shared_parameters", {},
                     forward == nullptr ? patchAdd(kAt + "/shared_parameters/quantize_weight_in_forward", "true")
                                        : patchReplace(kAt + "/shared_parameters/quantize_weight_in_forward", "true"));
    }
}

/// The csv monitor makes its folder at once; Python makes no folder without a name.
void checkCsvMonitor(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    if (parsed.flag(parsed.csvMonitor, "enabled") && parsed.word(parsed.csvMonitor, "output_path").empty() && parsed.word(parsed.csvMonitor, "job_name").empty()) {
        judge.refuse(CheckLevel::Engine, "R57", "R57.csv", "/csv_monitor/job_name", {}, patchRemove("/csv_monitor/job_name"));
    }
}

/// What the other monitors import on rank 0 as soon as the engine is made, whether or not it is installed where the job runs.
void tellMonitorPackages(Judge& judge)
{
    static constexpr std::array kPackages{std::pair{"tensorboard", "tensorboard"}, std::pair{"wandb", "wandb"}, std::pair{"comet", "comet_ml>=3.41.0"}};
    for (const auto& [monitor, package] : kPackages) {
        const ConfigValue* section = judge.root.find(monitor);
        const ConfigValue* enabled = section == nullptr ? nullptr : section->find("enabled");
        TypeFacts flag;
        flag.kind = TypeFacts::Kind::Bool;
        const Coerced read = enabled == nullptr ? Coerced{} : coerce(flag, *enabled, judge.facts.pydantic);
        if (read.outcome == Coerced::Outcome::Fits && read.value.boolean) {
            judge.unwise("R57", "R57.package", "/" + std::string(monitor) + "/enabled", {{"monitor", monitor}, {"package", package}});
        }
    }
}

/// The profiler prints each level up to the one asked for, and has none below the innermost module.
void tellModuleDepth(Judge& judge)
{
    constexpr double kUsualLevels = 6;  // of a transformer: model, body, layer list, layer, block, projection
    const ConfigValue* section = judge.root.find("flops_profiler");
    const ConfigValue* depth = section == nullptr ? nullptr : section->find("module_depth");
    if (on(section) && depth != nullptr && depth->isNumber() && depth->asDouble() > kUsualLevels) {
        judge.unwise("R57", "R57.depth", "/flops_profiler/module_depth", {{"value", toJson(*depth)}}, patchReplace("/flops_profiler/module_depth", "-1"));
    }
}

/// The words of the tuner, which nothing looks at before its experiments are over (autotuner.py, base_tuner.py): it reads one of the
/// figures that the engine writes at the end of each, and takes the greatest for the best.
void tellTunerWords(Judge& judge, const ConfigValue& section)
{
    static constexpr std::array kTuners{"gridsearch", "random", "model_based"};
    static constexpr std::array kBetterWhenGreater{"throughput", "FLOPS_per_gpu"};
    static constexpr std::array kBetterWhenLess{"latency", "fwd", "bwd", "step"};
    const auto oneOf = [](const ConfigValue& value, const auto& words) { return std::any_of(words.begin(), words.end(), [&](const char* word) { return value.isString(word); }); };
    const auto lowered = [](std::string word) {
        std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
        return word;
    };
    if (const ConfigValue* metric = section.find("metric"); metric != nullptr && !oneOf(*metric, kBetterWhenGreater)) {
        const std::string word = metric->isString() ? lowered(metric->text) : std::string();
        const std::string meant = word.find("flops") != std::string::npos ? "FLOPS_per_gpu" : word == "throughput" ? word : std::string();
        const std::string at = "/autotuning/metric";
        const char* message = oneOf(*metric, kBetterWhenLess) ? "R77.slowest" : "R77.metric";
        judge.unwise("R77", message, at, {{"value", toJson(*metric)}}, meant.empty() ? patchRemove(at) : patchReplace(at, toJson(ConfigValue::ofString(meant))));
    }
    if (const ConfigValue* tuner = section.find("tuner_type"); tuner != nullptr && !oneOf(*tuner, kTuners)) {
        const std::string near = tuner->isString() ? nearestWord(tuner->text, {kTuners.begin(), kTuners.end()}) : std::string();
        const std::string at = "/autotuning/tuner_type";
        judge.unwise("R77", "R77.tuner", at, {{"value", toJson(*tuner)}}, near.empty() ? patchRemove(at) : patchReplace(at, toJson(ConfigValue::ofString(near))));
    }
}

/// An engine with autotuning on profiles one step, writes what it measured after another, and leaves the program there.
void checkAutotuning(Judge& judge)
{
    const ConfigValue* section = judge.root.find("autotuning");
    if (!on(section)) {
        return;
    }
    tellTunerWords(judge, *section);
    const auto step = [&](const char* key, double otherwise) {
        const ConfigValue* given = section->find(key);
        return given == nullptr ? otherwise : given->isNumber() ? given->asDouble() : std::nan("");
    };
    for (const char* key : {"start_profile_step", "end_profile_step"}) {  // the engine counts up to both in every step
        if (const ConfigValue* given = section->find(key); given != nullptr && !given->isNumber()) {
            const std::string at = "/autotuning/" + std::string(key);
            judge.refuse(CheckLevel::Engine, "R77", "R77.number", at, {{"key", key}, {"value", toJson(*given)}}, patchRemove(at));
        }
    }
    const ConfigValue* model = section->find("model_info");
    const ConfigValue* profile = model == nullptr ? nullptr : model->find("profile");
    if (profile != nullptr && pythonTruth(*profile)) {  // the end of the first forward
        judge.unwise("R77", "R77.exit.first", "/autotuning/model_info/profile");
        return;
    }
    const double start = step("start_profile_step", 3);
    const double end = step("end_profile_step", 5);
    if (end >= 0 && (start > end || start < 0)) {
        const std::string key = section->find("start_profile_step") != nullptr ? "start_profile_step" : "end_profile_step";
        const std::string at = "/autotuning/" + key;
        const MessageArguments words{{"start", shortNumber(start)}, {"end", shortNumber(end)}};
        if (end + 1 <= kJudgedSteps) {
            judge.refuse(CheckLevel::Engine, "R77", "R77.steps", at, words, patchRemove(at));
        } else {
            judge.warn(CheckLevel::Engine, "R77", "R77.steps", at, words, patchRemove(at));
        }
    } else if (end >= 0) {
        judge.unwise("R77", "R77.exit", "/autotuning/enabled", {{"steps", shortNumber(end + 1)}});
    }
}

/// Bites when the script calls engine.compile(), so DeepSpeed starts all the same.
void checkCompile(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    if (!parsed.flag(parsed.compile, "deepcompile")) {
        return;
    }
    const auto pass = [&](std::string_view name) {
        const ConfigValue* passes = parsed.compile.find("passes");
        for (const ConfigValue& each : passes == nullptr ? std::vector<ConfigValue>() : passes->items) {
            if (each.isString(name)) {
                return true;
            }
        }
        return false;
    };
    if (pass("autotp") && (pass("autosp") || pass("z1") || pass("z3"))) {
        judge.unwise("R98", "R98.passes", "/compile/passes");
    }
    if (parsed.stage() == 0 && !pass("autosp") && !pass("autotp")) {
        judge.unwise("R98", "R98.stage0", "/compile/deepcompile");
    }
    if (parsed.stage() != 3) {
        return;
    }
    const bool states = parsed.flag(parsed.compile, "offload_opt_states");
    if (states && parsed.offloadDevice("offload_optimizer") != "none") {
        judge.unwise("R98", "R98.offload", "/compile/offload_opt_states", {}, patchRemove("/compile/offload_opt_states"));
    }
    int targets = 0;
    for (const char* key : {"offload_activation", "offload_parameters", "offload_opt_states"}) {
        targets += parsed.flag(parsed.compile, key) ? 1 : 0;
    }
    if (targets > 1) {
        judge.unwise("R98", "R98.one", "/compile");
    }
}

}  // namespace

void checkEngineSections(Judge& judge)
{
    checkLogLevel(judge);
    checkWriters(judge);
    checkActivationCheckpointing(judge);
    checkTokenDropping(judge);
    checkQuantization(judge);
    checkCompressedModules(judge);
    checkCompile(judge);
    checkCsvMonitor(judge);
    tellMonitorPackages(judge);
    tellModuleDepth(judge);
    checkAutotuning(judge);
}

}  // namespace stagecraft::rules
