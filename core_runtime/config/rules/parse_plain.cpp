// SPDX-License-Identifier: GPL-3.0-or-later
// Parsing, part two: the sections DeepSpeed reads by hand, where only what the code trips over is refused (R12, R14).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/misplaced.h"

#include <algorithm>
#include <array>
#include <utility>
#include <string_view>

namespace stagecraft::rules {

namespace {

/// The section as an object, or null when it is absent. Anything else in its place makes DeepSpeed's `.get` fail.
const ConfigValue* objectSection(Judge& judge, const ConfigValue& parent, const std::string& parentAt, const char* key, bool nullPasses = false)
{
    const ConfigValue* section = parent.find(key);
    if (section == nullptr || (section->isNull() && nullPasses)) {
        return nullptr;
    }
    if (section->isObject()) {
        return section;
    }
    const std::string at = parentAt + "/" + key;
    judge.refuse(CheckLevel::Parse, "R14", section->isNull() ? "R14" : "R14.object", at, {{"key", key}, {"kind", kindName(*section)}},
                 section->isNull() ? patchRemove(at) : std::string());
    return nullptr;
}

const ConfigValue* topSection(Judge& judge, const char* key, bool nullPasses = false)
{
    return judge.facts.reads("", key) ? objectSection(judge, judge.root, "", key, nullPasses) : nullptr;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string upper(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return text;
}

void checkCommunicationType(Judge& judge, const char* key)
{
    const ConfigValue* value = judge.root.find(key);
    if (value == nullptr || value->isNull() || !judge.facts.reads("", key)) {
        return;
    }
    const std::string at = "/" + std::string(key);
    const std::string word = value->isString() ? lower(value->text) : std::string();
    if (word != "fp16" && word != "bf16" && word != "fp32") {
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords{{{"float16", "fp16"}, {"half", "fp16"}, {"torch.float16", "fp16"}, {"torch.half", "fp16"}, {"bfloat16", "bf16"}, {"torch.bfloat16", "bf16"}, {"float32", "fp32"}, {"float", "fp32"}, {"torch.float32", "fp32"}, {"torch.float", "fp32"}}};
        const auto meant = std::find_if(kWords.begin(), kWords.end(), [&](const auto& each) { return each.first == word; });
        // Removed it would be another type in silence.
        judge.refuse(CheckLevel::Parse, "R50", word == "auto" ? "R50.auto" : "R50", at, {{"key", key}, {"value", toJson(*value)}}, word == "auto" ? patchRemove(at) : meant == kWords.end() ? std::string() : patchReplace(at, "\"" + std::string(meant->second) + "\""));
    } else if (word != value->text) {
        judge.respell("R50", "R13.case", at, toJson(ConfigValue::ofString(word)), {{"key", key}});
    }
}

/// Spellings DtypeEnum takes.
bool isDtypeWord(const ConfigValue& value)
{
    static constexpr std::array kWords{"torch.float16", "fp16", "float16", "half", "torch.float32", "fp32", "float32", "float",
                                       "torch.int8", "int8", "torch.bfloat16", "bf16", "bfloat16"};
    return value.isString() && std::find(kWords.begin(), kWords.end(), value.text) != kWords.end();
}

void checkAutocast(Judge& judge)
{
    const ConfigValue* section = topSection(judge, "torch_autocast");
    if (section == nullptr) {
        return;
    }
    if (const ConfigValue* dtype = section->find("dtype"); dtype != nullptr && !isDtypeWord(*dtype)) {
        judge.refuse(CheckLevel::Parse, "R49", "R49", "/torch_autocast/dtype", {{"value", toJson(*dtype)}},
                     patchReplace("/torch_autocast/dtype", "\"bfloat16\""));
    }
    if (const ConfigValue* modules = section->find("lower_precision_safe_modules")) {
        const bool iterable = modules->isList() || modules->isString() || modules->isObject();
        const bool strings = !modules->isList() || std::all_of(modules->items.begin(), modules->items.end(), [](const ConfigValue& v) { return v.isString(); });
        if (!iterable || !strings) {
            judge.refuse(CheckLevel::Parse, "R49", "R49.modules", "/torch_autocast/lower_precision_safe_modules", {{"value", toJson(*modules)}});
        }
    }
}

void checkCheckpointSection(Judge& judge)
{
    const ConfigValue* section = topSection(judge, "checkpoint");
    if (section == nullptr) {
        return;
    }
    static const std::string kAt = "/checkpoint/";
    if (const ConfigValue* mode = section->find("tag_validation")) {
        const std::string word = mode->isString() ? upper(mode->text) : std::string();
        if (word != "WARN" && word != "IGNORE" && word != "FAIL") {
            judge.refuse(CheckLevel::Parse, "R72", "R72", kAt + "tag_validation", {{"key", "tag_validation"}, {"value", toJson(*mode)}, {"words", "Warn, Ignore, Fail"}},
                         word == "ERROR" || word == "STRICT" ? patchReplace(kAt + "tag_validation", "\"Fail\"") : word == "WARNING" ? patchReplace(kAt + "tag_validation", "\"Warn\"") : std::string());
        }
    }
    if (const ConfigValue* write = objectSection(judge, *section, "/checkpoint", "parallel_write")) {
        const ConfigValue* stage = write->find("pipeline_stage");
        if (stage != nullptr && !(stage->isNumber() && (stage->asDouble() == 0.0 || stage->asDouble() == 1.0))) {
            judge.refuse(CheckLevel::Parse, "R72", "R72", kAt + "parallel_write/pipeline_stage",
                         {{"key", "parallel_write.pipeline_stage"}, {"value", toJson(*stage)}, {"words", "true, false"}});
        }
    }
    if (!judge.facts.reads("/checkpoint", "writer")) {
        return;
    }
    if (const ConfigValue* writer = objectSection(judge, *section, "/checkpoint", "writer", true)) {
        const auto word = [&](const char* key, std::initializer_list<const char*> words, const char* all) {
            const ConfigValue* value = writer->find(key);
            if (value == nullptr || value->isNull()) {
                return;
            }
            const std::string given = value->isString() ? upper(value->text) : std::string();
            if (std::none_of(words.begin(), words.end(), [&](const char* w) { return given == w; })) {
                judge.refuse(CheckLevel::Parse, "R72", "R72", kAt + "writer/" + key, {{"key", key}, {"value", toJson(*value)}, {"words", all}});
            }
        };
        word("type", {"MOCK", "PYTHON", "FAST"}, "mock, python, fast");
        word("data_parallel", {"REPLICA", "SOCKET", "MACHINE"}, "replica, socket, machine");
    }
}

void checkProfilerAndClock(Judge& judge)
{
    const ConfigValue* profiler = topSection(judge, "flops_profiler");
    const ConfigValue* on = profiler == nullptr ? nullptr : profiler->find("enabled");
    const ConfigValue* clock = judge.root.find("wall_clock_breakdown");
    const auto refuse = [&](const char* message, const std::string& at, const ConfigValue& value) {
        if (&value == clock && value.isString("auto")) {
            judge.refuse(CheckLevel::Parse, "R57", "R57.auto", at, {}, patchRemove(at));
            return;
        }
        const std::string meant = switchMeant(value);
        judge.refuse(CheckLevel::Parse, "R57", message, at, {{"value", toJson(value)}}, meant.empty() ? std::string() : patchReplace(at, meant));
    };
    if (clock != nullptr && !clock->isIntLike()) {
        refuse("R57", "/wall_clock_breakdown", *clock);
    } else if (on != nullptr && !on->isIntLike()) {
        refuse("R57.profiler", "/flops_profiler/enabled", *on);
    } else if (on != nullptr && pythonTruth(*on) && (clock == nullptr || !pythonTruth(*clock))) {
        judge.change(CheckLevel::Parse, "R57", "R57.on", "/wall_clock_breakdown", "true");
    }
}

void checkAutotuning(Judge& judge)
{
    const ConfigValue* section = topSection(judge, "autotuning");
    if (section == nullptr) {
        return;
    }
    for (const char* key : {"results_dir", "exps_dir"}) {
        const ConfigValue* value = section->find(key);
        if (value != nullptr && !pythonTruth(*value)) {
            judge.refuse(CheckLevel::Parse, "R77", "R77", "/autotuning/" + std::string(key), {{"key", key}}, patchRemove("/autotuning/" + std::string(key)));
        }
    }
    (void)objectSection(judge, *section, "/autotuning", "model_info", true);
}

void checkAio(Judge& judge)
{
    const ConfigValue* section = topSection(judge, "aio", true);
    if (section == nullptr) {
        return;
    }
    const ConfigValue* gds = section->find("use_gds");
    if (gds != nullptr && pythonTruth(*gds) && judge.context.device != "cuda" && judge.facts.reads("/aio", "use_gds")) {
        judge.refuse(CheckLevel::Parse, "R71", "R71.gds", "/aio/use_gds", {});  // which of the two is meant, the switch or the device, a person decides
    }
}

void checkDataTypes(Judge& judge)
{
    const ConfigValue* section = topSection(judge, "data_types");
    const ConfigValue* keep = section == nullptr || !judge.facts.reads("/data_types", "keep_in_fp32_modules") ? nullptr : section->find("keep_in_fp32_modules");
    if (keep == nullptr || keep->isString("auto")) {
        return;
    }
    if (!keep->isList() || std::any_of(keep->items.begin(), keep->items.end(), [](const ConfigValue& v) { return !v.isString(); })) {
        judge.refuse(CheckLevel::Parse, "R13", "R13.type", "/data_types/keep_in_fp32_modules",
                     {{"key", "keep_in_fp32_modules"}, {"value", toJson(*keep)}, {"expected", "\"auto\" or a list of strings"}});
    }
}

}  // namespace

void checkPlainSections(Judge& judge)
{
    checkCommunicationType(judge, "communication_data_type");
    checkCommunicationType(judge, "seq_parallel_communication_data_type");
    checkCommunicationType(judge, "seq_parallel_comm_data_type");
    (void)topSection(judge, "activation_checkpointing");
    checkAutocast(judge);
    checkProfilerAndClock(judge);
    checkAutotuning(judge);
    (void)topSection(judge, "pipeline");
    checkCheckpointSection(judge);
    checkDataTypes(judge);
    checkAio(judge);
}

void checkOptimizerSections(Judge& judge)
{
    Parsed& parsed = judge.parsed;
    if (const ConfigValue* section = topSection(judge, "optimizer")) {
        const ConfigValue* type = section->find("type");
        if (type != nullptr && !type->isNull()) {
            if (!type->isString()) {
                judge.refuse(CheckLevel::Parse, "R53", "R53.type", "/optimizer/type", {{"value", toJson(*type)}});
            } else {
                parsed.optimizerName = lower(type->text);
                if (judge.facts.optimizers.count(parsed.optimizerName) == 0) {
                    parsed.optimizerName = type->text;
                }
                const ConfigValue* params = section->find("params");
                if (params != nullptr && !params->isNull()) {
                    parsed.optimizerParams = params;
                    if (!params->isObject()) {
                        judge.refuse(CheckLevel::Parse, "R53", "R14.object", "/optimizer/params", {{"key", "optimizer.params"}, {"kind", kindName(*params)}});
                    }
                }
            }
        }
    }
    if (const ConfigValue* section = topSection(judge, "scheduler")) {
        const ConfigValue* type = section->find("type");
        if (type != nullptr && !type->isNull()) {
            parsed.schedulerName = type->isString() ? type->text : toJson(*type);
            parsed.schedulerParams = section->find("params");
        }
    }
    if (parsed.optimizerParams == nullptr || !parsed.optimizerParams->isObject()) {
        return;
    }
    const ConfigValue* norm = parsed.optimizerParams->find("max_grad_norm");
    if (norm == nullptr) {
        return;
    }
    static const std::string kAt = "/optimizer/params/max_grad_norm";
    if (!norm->isNumber()) {
        refuseForPlace(judge, CheckLevel::Parse, "R54", "R54.type", kAt, *norm, "/gradient_clipping", {{"value", toJson(*norm)}});
    } else if (norm->asDouble() > 0.0 && !judge.context.optimizer.empty()) {  // else the engine refuses it, and says so
        const Relocation move = relocate(judge, kAt, *norm, "/gradient_clipping");
        judge.warn(CheckLevel::Parse, "R54", move.counts == nullptr ? "R54" : "R54.taken", kAt, {{"value", toJson(*norm)}, {"held", move.counts == nullptr ? "" : toJson(*move.counts)}}, move.patch);
    }
}

namespace {

/// int(value) of Python succeeds.
bool convertsToInt(const ConfigValue& value)
{
    if (value.isString()) {
        TypeFacts whole;
        whole.kind = TypeFacts::Kind::Int;
        return coerce(whole, value, 1).outcome == Coerced::Outcome::Fits;
    }
    return value.isNumber();
}

void checkDataSampling(Judge& judge, const ConfigValue& sampling)
{
    static const std::string kAt = "/data_efficiency/data_sampling";
    if (const ConfigValue* curriculum = objectSection(judge, sampling, kAt, "curriculum_learning")) {
        const ConfigValue* on = curriculum->find("enabled");
        if (on != nullptr && pythonTruth(*on) && curriculum->find("curriculum_metrics") == nullptr) {
            judge.refuse(CheckLevel::Parse, "R90", "R90.metrics", kAt + "/curriculum_learning", {});
        }
    }
    if (!judge.facts.reads("/data_efficiency/data_sampling", "dynamic_batching")) {
        return;
    }
    if (const ConfigValue* batching = objectSection(judge, sampling, kAt, "dynamic_batching")) {
        const std::string at = kAt + "/dynamic_batching";
        const ConfigValue* on = batching->find("enabled");
        if (on != nullptr && pythonTruth(*on) && batching->find("max_tokens") == nullptr) {
            judge.refuse(CheckLevel::Parse, "R90", "R90.tokens", at, {});
        }
        for (const char* key : {"min_batch_size", "max_batch_size", "max_tokens"}) {
            const ConfigValue* value = batching->find(key);
            const bool looked = std::string_view(key) != "max_tokens" || (on != nullptr && pythonTruth(*on));
            if (value != nullptr && looked && !convertsToInt(*value)) {
                judge.refuse(CheckLevel::Parse, "R90", "R13.type", at + "/" + key, {{"key", key}, {"value", toJson(*value)}, {"expected", "an integer"}});
            }
        }
    }
}

}  // namespace

void checkDataSections(Judge& judge)
{
    const ConfigValue* efficiency = topSection(judge, "data_efficiency");
    if (efficiency == nullptr) {
        return;
    }
    static const std::string kAt = "/data_efficiency";
    if (const ConfigValue* sampling = objectSection(judge, *efficiency, kAt, "data_sampling")) {
        checkDataSampling(judge, *sampling);
    }
    if (const ConfigValue* routing = objectSection(judge, *efficiency, kAt, "data_routing")) {
        const ConfigValue* dropping = objectSection(judge, *routing, kAt + "/data_routing", "random_ltd");
        (void)dropping;
    }
}

}  // namespace stagecraft::rules
