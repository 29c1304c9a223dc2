// SPDX-License-Identifier: GPL-3.0-or-later
// deepspeed.initialize and the first two steps: what holds for every engine (R31, R40, R49, R51, R52, clipping).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/misnomers.h"
#include "config/rules/misplaced.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace stagecraft::rules {

namespace {

/// The number format a DtypeEnum word names, by its short name; empty for an unknown word.
std::string dtypeOf(const ConfigValue& value)
{
    struct Word {
        std::string_view word;
        std::string_view dtype;
    };
    static constexpr std::array kWords{
        Word{"torch.float16", "fp16"}, Word{"fp16", "fp16"}, Word{"float16", "fp16"}, Word{"half", "fp16"},
        Word{"torch.float32", "fp32"}, Word{"fp32", "fp32"}, Word{"float32", "fp32"}, Word{"float", "fp32"},
        Word{"torch.bfloat16", "bf16"}, Word{"bf16", "bf16"}, Word{"bfloat16", "bf16"},
        Word{"torch.int8", "int8"}, Word{"int8", "int8"}};
    for (const Word& each : kWords) {
        if (value.isString(each.word)) {
            return std::string(each.dtype);
        }
    }
    return {};
}

void checkDataTypes(Judge& judge, const EnginePlan& plan)
{
    const ConfigValue* section = judge.root.find("data_types");
    if (section == nullptr || !section->isObject()) {
        return;
    }
    const Parsed& parsed = judge.parsed;
    const std::string model = parsed.flag(parsed.fp16, "enabled") ? "fp16" : parsed.flag(parsed.bf16, "enabled") ? "bf16" : "fp32";
    const auto unknown = [&](const char* key, const ConfigValue& value) {
        judge.refuse(CheckLevel::Engine, "R51", "R51.word", std::string("/data_types/") + key, {{"key", key}, {"value", toJson(value)}});
    };
    const ConfigValue* param = section->find("param_dtype");
    if (param != nullptr && !param->isNull() && judge.facts.reads("/data_types", "param_dtype")) {
        const std::string word = dtypeOf(*param);
        if (word.empty()) {
            unknown("param_dtype", *param);
        } else if (word != model) {
            judge.refuse(CheckLevel::Engine, "R51", "R51", "/data_types/param_dtype", {{"value", toJson(*param)}, {"dtype", model}},
                         patchRemove("/data_types/param_dtype"));
        }
    }
    const ConfigValue* buffer = section->find("buffer_dtype");
    if (buffer != nullptr && !buffer->isNull() && judge.facts.reads("/data_types", "buffer_dtype") && dtypeOf(*buffer).empty()) {
        unknown("buffer_dtype", *buffer);
    }
    const ConfigValue* accumulation = section->find("grad_accum_dtype");
    if (accumulation == nullptr || accumulation->isNull()) {
        return;
    }
    const std::string word = dtypeOf(*accumulation);
    if (word.empty()) {
        unknown("grad_accum_dtype", *accumulation);
    } else if (parsed.stage() != 0 || !plan.hasOptimizer) {
        const bool wrapsBf16 = parsed.stage() == 1 && model == "bf16" && word == "fp32" && !plan.cpuOffload && plan.hasOptimizer;
        const ConfigValue* norm = parsed.zero.find("compute_grad_norm");
        if (wrapsBf16 && norm != nullptr && !pythonTruth(*norm)) {
            judge.refuse(CheckLevel::Engine, "R51", "R51.norm", "/zero_optimization/compute_grad_norm", {}, patchRemove("/zero_optimization/compute_grad_norm"));
        }
        // the sums are divided in place, which torch refuses for integers
        if (judge.facts.atLeast(0, 19, 8) && parsed.stage() == 1 && word == "int8" && plan.hasOptimizer) {
            judge.refuse(CheckLevel::Engine, "R51", "R51.int8", "/data_types/grad_accum_dtype", {{"release", judge.facts.version}}, patchRemove("/data_types/grad_accum_dtype"));
        }
        // reduced from a hook, before the sums of another type are filled; with several micro-batches those before have filled them
        const bool several = judge.parsed.batchKnown && batchNumberValue(judge.parsed.batch.gas) > 1;
        if (!several && !judge.facts.atLeast(0, 16, 0) && parsed.stage() == 1 && word != model && !wrapsBf16 && plan.hasOptimizer && parsed.flag(parsed.zero, "overlap_comm")) {
            judge.refuse(CheckLevel::Engine, "R51", "R51.overlap", "/zero_optimization/overlap_comm", {{"release", judge.facts.version}, {"value", toJson(*accumulation)}, {"dtype", model}},
                         patchReplace("/zero_optimization/overlap_comm", "false"));
        }
    } else if (model == "bf16" && !judge.facts.atLeast(0, 17, 0)) {  // older releases wrapped bf16 with fp32 sums, and only so
        if (word == "bf16" && !judge.context.pipelineModel) {
            judge.refuse(CheckLevel::Engine, "R51", "R51.sum", "/data_types/grad_accum_dtype", {{"release", judge.facts.version}},
                         patchReplace("/data_types/grad_accum_dtype", "\"fp32\""));
        } else if (word != "bf16" && word != "fp32") {
            judge.refuse(CheckLevel::Engine, "R51", "R51.mix", "/data_types/grad_accum_dtype", {{"value", toJson(*accumulation)}, {"dtype", model}},
                         patchRemove("/data_types/grad_accum_dtype"));
        }
    } else if (word != model) {
        judge.refuse(CheckLevel::Engine, "R51", "R51.mix", "/data_types/grad_accum_dtype", {{"value", toJson(*accumulation)}, {"dtype", model}},
                     patchRemove("/data_types/grad_accum_dtype"));
    }
}

/// Whether `import package` finds nothing, wherever the job runs: no name of a module, or what scripts call torch's.
bool isNoPackage(const std::string& package)
{
    static constexpr std::array kNicknames{"nn", "F", "pytorch"};  // import torch.nn as nn
    const std::string first = package.substr(0, package.find('.'));
    std::string lower = first;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    bool name = !package.empty() && package.back() != '.' && package.find("..") == std::string::npos && !first.empty();
    for (const char c : package) {
        const auto byte = static_cast<unsigned char>(c);
        name = name && (std::isalnum(byte) != 0 || c == '_' || c == '.' || byte >= 0x80);
    }
    return !name || (lower == "torch" && first != "torch") || std::find(kNicknames.begin(), kNicknames.end(), first) != kNicknames.end();
}

/// A class is imported by its full name: everything up to the last point is a module (torch_autocast.py).
void checkSafeModule(Judge& judge, const std::string& name, const std::string& at)
{
    // What torch.nn holds beside its classes.
    static const std::set<std::string, std::less<>> kBeside{"attention", "common_types", "factory_kwargs", "functional", "grad", "init", "intrinsic", "modules", "parallel", "parameter", "qat", "quantizable", "quantized", "utils"};
    const std::set<std::string, std::less<>>& known = judge.facts.torchModules;
    const std::size_t dot = name.rfind('.');
    const std::string package = dot == std::string::npos ? std::string() : name.substr(0, dot);
    const std::string word = dot == std::string::npos ? name : name.substr(dot + 1);
    const bool isClass = known.count(word) > 0;
    const bool inside = package.starts_with("torch.nn.modules.") && !word.empty() && std::isupper(static_cast<unsigned char>(word.front())) != 0 && word != "NonDynamicallyQuantizableLinear" && word != "LazyModuleMixin";
    const bool missing = (package == "torch.nn" && !isClass && kBeside.count(word) == 0) || (package == "torch" && isClass && word != "ModuleDict" && word != "ParameterDict") || (inside && !isClass);
    if (isNoPackage(package) || word.empty() || missing) {
        const std::string plain = inPlainLetters(word);
        const std::string near = known.count(plain) > 0 ? plain : nearestWord(plain, {known.begin(), known.end()});
        judge.refuse(CheckLevel::Engine, "R49", "R49.import", at, {{"value", name}}, near.empty() ? std::string() : patchReplace(at, toJson(ConfigValue::ofString("torch.nn." + near))));
    } else if (package != "torch" && !package.starts_with("torch.")) {
        judge.unwise("R49", "R49.elsewhere", at, {{"value", name}, {"package", package}});
    }
}

void checkAutocast(Judge& judge)
{
    const ConfigValue* section = judge.root.find("torch_autocast");
    const ConfigValue* on = section == nullptr || !judge.facts.reads("", "torch_autocast") ? nullptr : section->find("enabled");
    if (on == nullptr || !pythonTruth(*on)) {
        return;
    }
    if (judge.parsed.flag(judge.parsed.zero, "zero_quantized_weights")) {
        judge.refuse(CheckLevel::Engine, "R37", "R37.autocast", "/zero_optimization/zero_quantized_weights", {},
                     patchRemove("/zero_optimization/zero_quantized_weights"));
    }
    const ConfigValue* dtype = section->find("dtype");
    const bool half = dtype != nullptr && dtypeOf(*dtype) == "fp16";
    const Parsed& parsed = judge.parsed;
    const bool wrapped = parsed.flag(parsed.fp16, "enabled") || parsed.flag(parsed.bf16, "enabled");
    if (half && wrapped && parsed.stage() == 0 && judge.facts.atLeast(0, 17, 0)) {  // torch's scaler looks for gradients that the wrapper keeps elsewhere
        judge.refuse(CheckLevel::Engine, "R49", "R49.scaler", "/torch_autocast/enabled", {{"section", parsed.flag(parsed.fp16, "enabled") ? "fp16" : "bf16"}}, patchReplace("/torch_autocast/enabled", "false"));
    }
    static const std::string kAt = "/torch_autocast/lower_precision_safe_modules";
    const ConfigValue* modules = section->find("lower_precision_safe_modules");
    if (modules != nullptr && modules->isString() && !modules->text.empty()) {  // gone through letter by letter
        judge.refuse(CheckLevel::Engine, "R49", "R49.modules", kAt, {{"value", toJson(*modules)}}, patchReplace(kAt, "[" + toJson(*modules) + "]"));
    }
    if (modules != nullptr && modules->isList()) {
        for (std::size_t i = 0; i < modules->items.size(); ++i) {
            checkSafeModule(judge, modules->items[i].text, kAt + "/" + std::to_string(i));
        }
    }
}

/// What the profiler counts with when it prints.
void checkProfiler(Judge& judge)
{
    const ConfigValue* profiler = judge.root.find("flops_profiler");
    const ConfigValue* on = profiler == nullptr ? nullptr : profiler->find("enabled");
    if (on == nullptr || !pythonTruth(*on)) {
        return;
    }
    const ConfigValue* step = profiler->find("profile_step");
    if (step != nullptr && !step->isNumber()) {
        judge.refuse(CheckLevel::Engine, "R16", "engine.profile_step", "/flops_profiler/profile_step", {{"value", toJson(*step)}},
                     patchReplace("/flops_profiler/profile_step", "1"));
        return;
    }
    const auto wants = [&](const std::string& key, bool fits, const char* expected) {
        if (!fits) {
            const std::string at = "/flops_profiler/" + key;
            judge.refuse(CheckLevel::Engine, "R16", "engine.profiler", at, {{"key", key}, {"value", toJson(*profiler->find(key))}, {"expected", expected}}, patchRemove(at));
        }
    };
    const auto given = [&](const char* key) { return profiler->find(key); };
    const ConfigValue* depth = given("module_depth");
    const ConfigValue* output = given("output_file");
    wants("module_depth", depth == nullptr || depth->isIntLike(), "an integer");
    for (const char* key : {"top_modules", "recompute_fwd_factor"}) {
        wants(key, given(key) == nullptr || given(key)->isNumber(), "a number");
    }
    wants("output_file", output == nullptr || output->isString() || !pythonTruth(*output), "a string");
}

void checkFirstSteps(Judge& judge)
{
    const ConfigValue* clipping = judge.root.find("gradient_clipping");
    if (clipping != nullptr && !clipping->isNumber()) {
        judge.refuse(CheckLevel::Engine, "R16", "clipping.value", "/gradient_clipping", {{"value", toJson(*clipping)}}, patchReplace("/gradient_clipping", "1.0"));
    } else if (clipping != nullptr && clipping->isBool() && clipping->boolean) {
        judge.unwise("R16", "clipping.switch", "/gradient_clipping", {}, patchReplace("/gradient_clipping", "1.0"));
    }
    // Read after the reduction alone, and in a stage only where it does not scatter.
    const ConfigValue* factor = judge.root.find("gradient_predivide_factor");
    const ConfigValue* before = judge.root.find("prescale_gradients");
    const int stage = judge.parsed.stage();
    if (factor != nullptr && !(before != nullptr && pythonTruth(*before)) && (stage == 0 || !judge.parsed.flag(judge.parsed.zero, "reduce_scatter"))) {
        static const std::string kAt = "/gradient_predivide_factor";
        if (!factor->isNumber()) {
            judge.refuse(CheckLevel::Engine, "R16", "predivide.value", kAt, {{"value", toJson(*factor)}}, patchRemove(kAt));
        } else if (factor->asDouble() == 0.0 && stage < 3) {
            judge.refuse(CheckLevel::Engine, "R16", "engine.predivide", kAt, {{"value", toJson(*factor)}}, patchRemove(kAt));
        }
    }
    checkProfiler(judge);
    const ConfigValue* print = judge.root.find("steps_per_print");
    const bool never = print != nullptr && print->isNull() && judge.facts.atLeast(0, 16, 0);  // older releases divide by null, too
    if (print != nullptr && !never && (!print->isNumber() || print->asDouble() == 0.0)) {
        judge.refuse(CheckLevel::Engine, "R16", "engine.print", "/steps_per_print", {{"value", toJson(*print)}}, patchReplace("/steps_per_print", "10"));
    }
}

void checkAccumulation(Judge& judge)
{
    const ConfigValue* managed = judge.root.find("managed_gradient_accumulation");
    if (managed == nullptr || pythonTruth(*managed) || !judge.facts.reads("", "managed_gradient_accumulation")) {
        return;
    }
    static const std::string kAt = "/managed_gradient_accumulation";
    const Parsed& parsed = judge.parsed;
    if (parsed.stage() < 2 && parsed.flag(parsed.zero, "overlap_comm")) {
        judge.refuse(CheckLevel::Engine, "R40", "R40", kAt, {{"what", "overlap_comm below stage 2"}}, patchRemove(kAt));
    }
    if (judge.context.pipelineModel) {
        judge.refuse(CheckLevel::Engine, "R40", "R40", kAt, {{"what", "a pipeline model"}}, patchRemove(kAt));
    }
    if (parsed.flag(parsed.compile, "deepcompile")) {
        judge.refuse(CheckLevel::Engine, "R40", "R40", kAt, {{"what", "DeepCompile"}}, patchRemove(kAt));
    }
}

void checkHybridEngine(Judge& judge)
{
    const Parsed& parsed = judge.parsed;
    if (!parsed.flag(parsed.hybridEngine, "enabled")) {
        return;
    }
    if (parsed.stage() == 3 && judge.facts.atLeast(0, 17, 0) && !judge.facts.atLeast(0, 19, 0)) {
        judge.refuse(CheckLevel::Engine, "R96", "R96.stage3", "/hybrid_engine/enabled", {{"release", judge.facts.version}}, patchReplace("/zero_optimization/stage", "2"));
    }
    if (!parsed.flag(parsed.hybridEngine, "enable_cuda_graph")) {
        return;
    }
    const ConfigValue* size = parsed.hybridEngine.find("inference_tp_size");
    if (parsed.stage() == 3 || parsed.flag(parsed.hybridEngine, "release_inference_cache") || (size != nullptr && size->asInt() > 1)) {
        judge.change(CheckLevel::Engine, "R96", "R96", "/hybrid_engine/enable_cuda_graph", "false");
    }
}

bool isHuge(const ConfigValue& value) { return value.kind == ConfigValue::Kind::Int && value.wide && value.number > 0.0 && !std::isfinite(value.number); }

bool holdsHuge(const ConfigValue& value)
{
    return isHuge(value) || std::any_of(value.items.begin(), value.items.end(), holdsHuge) || std::any_of(value.members.begin(), value.members.end(), [](const ConfigMember& each) { return holdsHuge(each.value); });
}

/// The engine prints the whole config, numbers above 1000 as floats: an integer beyond the largest float stops it, whatever it stands for.
void checkPrintable(Judge& judge)
{
    if (!holdsHuge(judge.root)) {
        return;
    }
    std::vector<std::pair<std::string, const ConfigValue*>> open{{"", &judge.root}};
    while (!open.empty()) {
        const auto [at, value] = open.back();
        open.pop_back();
        if (isHuge(*value)) {
            judge.refuse(CheckLevel::Engine, "text.huge", "text.huge", at, {{"key", at.substr(at.rfind('/') + 1)}, {"digits", std::to_string(value->text.size())}});
        }
        for (const ConfigMember& member : value->members) {
            open.emplace_back(at + "/" + pointerToken(member.key), &member.value);
        }
        for (std::size_t i = 0; i < value->items.size(); ++i) {
            open.emplace_back(at + "/" + std::to_string(i), &value->items[i]);
        }
    }
}

}  // namespace

void checkEngine(Judge& judge)
{
    checkPrintable(judge);
    const Parsed& parsed = judge.parsed;
    EnginePlan plan;
    plan.client = !judge.context.optimizer.empty();
    plan.hasOptimizer = plan.client || !parsed.optimizerName.empty();
    const std::string device = parsed.offloadDevice("offload_optimizer");
    plan.cpuOffload = device == "cpu" || device == "nvme";
    if (judge.context.device == "cpu" && parsed.flag(parsed.fp16, "enabled")) {
        const ConfigValue* other = judge.root.find("bf16");  // 16 bits stay 16 bits
        const std::string on = other == nullptr || !other->isObject() ? patchAdd("/bf16", R"({"enabled": true})") : other->find("enabled") == nullptr ? patchAdd("/bf16/enabled", "true") : patchReplace("/bf16/enabled", "true");
        const std::string off = patchReplace("/fp16/enabled", "false");
        judge.refuse(CheckLevel::Engine, "R52", "R52", "/fp16/enabled", {}, off.substr(0, off.size() - 1) + ", " + on.substr(1));
    }
    checkAccumulation(judge);
    checkEngineParallel(judge);
    checkAutocast(judge);
    checkEngineOptimizer(judge, plan);
    checkDataTypes(judge, plan);
    checkEngineScaling(judge, plan);
    checkEngineZero(judge, plan);
    checkEngineScheduler(judge, plan);
    checkHybridEngine(judge);
    checkOlderEngine(judge);
    checkEngineSections(judge);
    const int stage = parsed.stage();
    if (!plan.hasOptimizer) {
        const ConfigValue* const section = judge.root.find("optimizer");
        const bool asks = stage == 1 || stage == 2, typeless = section != nullptr && section->isObject() && section->find("type") == nullptr;
        judge.stepping = !asks;
        judge.refuse(CheckLevel::Engine, "R31", typeless ? (asks ? "R31.typeless" : "R31.typeless.none") : asks ? "R31" : "R31.none", section ? "/optimizer" : "",
                     {{"stage", std::to_string(stage)}, {"error", stage == 3 ? "AttributeError" : "AssertionError"}},  // stage 3 keeps its own offload in the optimizer's place, which has no backward
                     section ? typePatch(judge, "/optimizer") : patchAdd("/optimizer", R"({"type": "AdamW", "params": {"lr": 1e-4}})"));
    }
    judge.stepping = true;
    checkFirstSteps(judge);
    judge.stepping = false;
}

}  // namespace stagecraft::rules
