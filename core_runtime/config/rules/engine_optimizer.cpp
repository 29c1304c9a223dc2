// SPDX-License-Identifier: GPL-3.0-or-later
// The optimizer the engine builds or is given (R34-R36, R53-R56).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/misnomers.h"
#include "config/rules/misplaced.h"
#include "config/rules/optimizer_variants.h"

#include <algorithm>
#include <array>

namespace stagecraft::rules {

namespace {

/// Values of the Hugging Face Trainer's "optim" that are no optimizer's own name (transformers, training_args.py, OptimizerNames).
bool isTrainersName(std::string_view lower)
{
    static constexpr std::string_view kBegins[] = {"adamw_torch", "adamw_apex", "adamw_bnb", "adamw_hf", "adamw_anyprecision", "paged_", "galore_", "apollo_", "schedule_free_", "ademamix_", "stable_adamw", "grokadamw"};
    return std::any_of(std::begin(kBegins), std::end(kBegins), [&](std::string_view begin) { return lower.starts_with(begin); });
}

constexpr std::string_view kTorch = "torch.optim.";

std::string lowerCase(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool isTorch(const std::string& name)
{
    return name.compare(0, kTorch.size(), kTorch) == 0;
}

/// The class a script's optimizer name stands for.
std::string clientClass(const Judge& judge, std::string name)
{
    name = name.substr(name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1);
    static constexpr std::array kOwn{"FusedAdam", "DeepSpeedCPUAdam", "DeepSpeedCPUAdagrad", "DeepSpeedCPULion", "FusedLion", "FusedLamb", "ZenFlowCPUAdam"};
    if (std::find(kOwn.begin(), kOwn.end(), name) != kOwn.end()) {
        return name;
    }
    return judge.facts.torchOptimizers.count(name) > 0 ? std::string(kTorch) + name : name;
}

bool truth(const ConfigValue* params, const char* key)
{
    const ConfigValue* value = params == nullptr ? nullptr : params->find(key);
    return value != nullptr && pythonTruth(*value);
}

const std::string kParams = "/optimizer/params";

/// A parameter that could not be used, and need not be: the schedule writes its own in its place.
void tellOverwritten(Judge& judge, const char* key, const ConfigValue& value)
{
    judge.unwise("R56", "R56.written", kParams + "/" + key, {{"key", key}, {"value", toJson(value)}, {"scheduler", judge.parsed.schedulerName}}, patchRemove(kParams + "/" + key));
}

/// Releases that read fp16 by hand begin ZeRO's dynamic scale at 2^32 where none of its settings is written: the first steps overflow, are skipped,
/// and hand no number to the kernel (config.py, get_dynamic_loss_scale_args; loss_scaler.py, DynamicLossScaler).
bool skipsFirstSteps(const Judge& judge)
{
    const ConfigValue &fp16 = judge.parsed.fp16, *on = fp16.find("enabled"), *scale = fp16.find("loss_scale");
    if (judge.facts.sectionModel("fp16") != nullptr || judge.parsed.stage() == 0 || on == nullptr || !pythonTruth(*on)) return false;
    constexpr std::array kSettings{"initial_scale_power", "loss_scale_window", "min_loss_scale", "hysteresis", "consecutive_hysteresis"};
    return (scale == nullptr || (scale->isNumber() && scale->asDouble() == 0.0)) && std::none_of(kSettings.begin(), kSettings.end(), [&](const char* key) { return fp16.find(key) != nullptr; });
}

/// What the class fails on when it is stepped, or made: where that comes after the steps that a first check would see, it is told and not refused.
CheckFinding* refuseNumber(Judge& judge, const EnginePlan& plan, const char* message, const std::string& at, const MessageArguments& arguments, std::string fix)
{
    if (!plan.optimizerClass.starts_with("Fused") || !skipsFirstSteps(judge)) {
        return judge.refuse(CheckLevel::Engine, "R56", message, at, arguments, std::move(fix));
    }
    CheckFinding* const finding = judge.warn(CheckLevel::Engine, "R56", message, at, arguments, std::move(fix));
    if (finding != nullptr) {
        finding->message += messageText(judge.context.language, "R56.later", {});
    }
    return finding;
}

void checkNumbers(Judge& judge, const EnginePlan& plan, const ConfigValue& params)
{
    // The optimizers of the CPU take their numbers when they are made, before there is a schedule.
    const bool late = plan.optimizerClass.starts_with("Fused");
    judge.stepping = late;
    for (const char* key : {"lr", "eps", "weight_decay", "momentum", "max_coeff", "min_coeff"}) {
        const ConfigValue* value = params.find(key);
        if (std::string_view(key) == "lr" && value != nullptr && value->isNumber() && value->asDouble() < 0.0 && !plan.rateWritten) {
            judge.unwise("R56", "R56.below", kParams + "/lr", {{"value", toJson(*value)}, {"optimizer", plan.shownName}});
        }
        if (value == nullptr || value->isNumber()) {
            continue;
        }
        if (late && plan.rateWritten && std::string_view(key) == "lr") {
            tellOverwritten(judge, key, *value);
        } else {
            refuseOptimizerValue(judge, plan, key, *value);
        }
    }
    if (const ConfigValue* correction = params.find("bias_correction"); correction != nullptr && !correction->isBool() && !correction->isNumber() && !correction->isNull()) {
        const std::string at = kParams + "/bias_correction", meant = switchMeant(*correction);
        const std::string fix = meant.empty() ? std::string() : patchReplace(at, meant);
        if (plan.optimizerClass == "DeepSpeedCPUAdam") {  // its C++ part takes a switch or a number, and nothing else
            judge.refuse(CheckLevel::Engine, "R56", "R56.switch", at, {{"key", "bias_correction"}, {"value", toJson(*correction)}, {"optimizer", plan.shownName}}, fix);
        } else if (correction->isString() && !correction->text.empty()) {
            if (CheckFinding* finding = judge.actAs(CheckLevel::Engine, "R16", "R16.truth", at, "true", {{"key", "bias_correction"}, {"value", toJson(*correction)}})) {
                finding->fix = fix;
            }
        }
    }
    const ConfigValue* betas = params.find("betas");
    if (betas == nullptr) {
        return;
    }
    const bool two = betas->isList() && betas->items.size() == 2 && std::all_of(betas->items.begin(), betas->items.end(), [](const ConfigValue& v) { return v.isNumber(); });
    if (!two && late && plan.betasWritten) {
        tellOverwritten(judge, "betas", *betas);
    } else if (!two) {
        refuseNumber(judge, plan, betas->isString("auto") ? "R56.auto.pair" : "R56.betas", kParams + "/betas", {{"key", "betas"}, {"value", toJson(*betas)}, {"optimizer", plan.shownName}},
                     replaceBetas(kParams + "/betas", *betas));
    } else if (!plan.betasWritten && std::any_of(betas->items.begin(), betas->items.end(), [](const ConfigValue& beta) { return !(beta.asDouble() >= 0.0 && beta.asDouble() < 1.0); })) {
        judge.unwise("R56", "R56.betas.sense", kParams + "/betas", {{"value", toJson(*betas)}, {"optimizer", plan.shownName}});
    }
}

/// One of the two decay rates under a name of its own: both are one parameter here. False where `member` is something else.
bool decayRate(Judge& judge, const EnginePlan& plan, const ConfigValue& params, const ConfigMember& member, const SignatureFacts& signature)
{
    const int which = oneOfBetas(member.key);
    const auto isRate = [](const ConfigValue& value) { return value.isNumber() && value.asDouble() >= 0.0 && value.asDouble() < 1.0; };
    if (which < 0 || !isRate(member.value) || params.find("betas") != nullptr || std::find(signature.takes.begin(), signature.takes.end(), "betas") == signature.takes.end()) {
        return false;
    }
    std::array<std::string, 2> both{"0.9", "0.999"};
    std::array<int, 2> told{};
    std::string removals;
    for (const ConfigMember& each : params.members) {
        if (const int at = oneOfBetas(each.key); at >= 0 && isRate(each.value)) {
            both[static_cast<std::size_t>(at)] = toJson(each.value);
            ++told[static_cast<std::size_t>(at)];
            const std::string removal = patchRemove(kParams + "/" + pointerToken(each.key));
            removals += ", " + removal.substr(1, removal.size() - 2);
        }
    }
    const std::string betas = "[" + both[0] + ", " + both[1] + "]";
    const std::string at = kParams + "/" + pointerToken(member.key);
    const std::string added = patchAdd(kParams + "/betas", betas);
    // one patch for both; a rate that is given twice is for the author to choose
    const std::string fix = told[0] > 1 || told[1] > 1 ? std::string() : added.substr(0, added.size() - 1) + removals + "]";
    judge.refuse(CheckLevel::Engine, "R56", "R56.beta", at, {{"key", member.key}, {"optimizer", plan.shownName}, {"becomes", betas}},
                 fix, Judge::At::Key);
    return true;
}

/// torch's word for what "adam_w_mode" says here. False where `member` is something else.
bool decoupledDecay(Judge& judge, const EnginePlan& plan, const ConfigValue& params, const ConfigMember& member)
{
    if (member.key != "decoupled_weight_decay") {
        return false;
    }
    const std::string at = kParams + "/" + member.key, mode = kParams + "/adam_w_mode";
    const bool decouples = pythonTruth(member.value), always = judge.parsed.optimizerName == "adamw";  // type AdamW, whatever "adam_w_mode" is
    const ConfigValue* held = params.find("adam_w_mode");
    std::string fix = decouples && (always || held == nullptr || pythonTruth(*held)) ? patchRemove(at) : std::string();
    if (!decouples) {
        const std::string changed = always ? patchReplace("/optimizer/type", "\"Adam\"") : std::string("[]");
        const std::string moved = held == nullptr ? patchAdd(mode, "false") : patchReplace(mode, "false");
        fix = (always ? changed.substr(0, changed.size() - 1) + ", " : "[") + moved.substr(1, moved.size() - 2) + ", " + patchRemove(at).substr(1);
    }
    judge.refuse(CheckLevel::Engine, "R56", !decouples ? "R56.decoupled.off" : fix.empty() ? "R56.decoupled.both" : "R56.decoupled", at, {{"key", member.key}, {"optimizer", plan.shownName}}, fix, Judge::At::Key);
    return true;
}

/// Keyword arguments as they reach the class, after the engine has taken its own out.
void checkArguments(Judge& judge, const EnginePlan& plan, const ConfigValue* params)
{
    const auto found = judge.facts.signatures.find(plan.optimizerClass);
    if (found == judge.facts.signatures.end()) {
        return;
    }
    const SignatureFacts& signature = found->second;
    const bool adam = judge.parsed.optimizerName == "adam" || judge.parsed.optimizerName == "adamw";
    const bool popsStates = judge.facts.atLeast(0, 19, 0);
    SignatureFacts offered = signature;  // the names that a config can use
    if (adam) {
        std::erase_if(offered.takes, [](const std::string& key) { return key == "adamw_mode" || key == "adam_w_mode"; });
        offered.takes.insert(offered.takes.end(), {"adam_w_mode", "torch_adam"});
    }
    for (const ConfigMember& member : params == nullptr ? ConfigValue::ofObject().members : params->members) {
        if (adam && (member.key == "adam_w_mode" || member.key == "torch_adam" || (popsStates && member.key == "fp32_optimizer_states") ||
                     member.key == "max_grad_norm")) {
            continue;
        }
        if (member.key == "max_grad_norm") {
            continue;  // R54 speaks for it
        }
        const bool own = plan.optimizerClass == "DeepSpeedCPUAdam" && member.key == "adamw_mode";  // given twice
        const bool taken = std::find(signature.takes.begin(), signature.takes.end(), member.key) != signature.takes.end();
        if ((taken || signature.takesMore) && !own && member.key != "deepspeed") {
            continue;
        }
        if (decayRate(judge, plan, *params, member, signature) || (adam && decoupledDecay(judge, plan, *params, member))) {
            continue;
        }
        refuseUnknownParameter(judge, kParams, *params, member, offered, plan.shownName);
    }
    const bool noAmsgrad = plan.optimizerClass == "FusedAdam" || plan.optimizerClass == "FusedLamb" || plan.optimizerClass == "OnebitAdam" ||
                           plan.optimizerClass == "OnebitLamb" || plan.optimizerClass == "ZeroOneAdam" ||
                           (plan.optimizerClass == "DeepSpeedCPUAdam" && judge.facts.atLeast(0, 19, 7));  // older ones take it and do not use it
    if (noAmsgrad && truth(params, "amsgrad")) {
        const ConfigValue* zenflow = judge.parsed.zero.find("zenflow");  // steps no other class
        const bool bound = adam && plan.cpuOffload && zenflow != nullptr && zenflow->isObject();
        judge.refuse(CheckLevel::Engine, "R56", bound ? "R56.amsgrad.zenflow" : adam ? "R56.amsgrad" : "R56.amsgrad.none", kParams + "/amsgrad", {{"optimizer", plan.shownName}}, patchRemove(kParams + "/amsgrad"));
    }
    if (params != nullptr) {
        isTorch(plan.optimizerClass) ? checkTorchOptimizer(judge, plan, *params) : checkNumbers(judge, plan, *params);
        judge.stepping = false;
    }
}

/// What the compressed communication of a 1-bit optimizer imports: nothing that DeepSpeed installs.
void checkOneBit(Judge& judge, const EnginePlan& plan, const ConfigValue* params)
{
    const Parsed& parsed = judge.parsed;
    if (parsed.stage() > 0) {
        judge.refuse(CheckLevel::Engine, "R36", "R36", "/optimizer/type", {{"optimizer", plan.shownName}});
        return;
    }
    if (!parsed.flag(parsed.fp16, "enabled")) {
        judge.warn(CheckLevel::Engine, "R36", "R36.fp16", "/optimizer/type", {{"optimizer", plan.shownName}});
    }
    const ConfigValue* backend = params == nullptr ? nullptr : params->find("comm_backend_name");
    const std::string at = backend == nullptr ? "/optimizer/type" : kParams + "/comm_backend_name";
    if (backend == nullptr || backend->isString("nccl")) {
        judge.refuse(CheckLevel::Engine, "R36", "R36.cupy", at, {{"optimizer", plan.shownName}});
    } else if (backend->isString("mpi")) {
        judge.refuse(CheckLevel::Engine, "R36", "R36.mpi", at, {{"optimizer", plan.shownName}});
    } else if (backend->isString("hccl") || backend->isString("compressed")) {
        judge.refuse(CheckLevel::Engine, "R36", "R36.device", at, {{"optimizer", plan.shownName}, {"value", toJson(*backend)}}, patchReplace(at, "\"nccl\""));
    } else {
        judge.refuse(CheckLevel::Engine, "R36", "R36.backend", at, {{"optimizer", plan.shownName}, {"value", toJson(*backend)}}, patchReplace(at, "\"nccl\""));
    }
}

/// Lamb asks for dynamic scaling even where nothing is scaled (R55).
void checkLossScale(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const bool byHand = judge.facts.sectionModel("fp16") == nullptr;  // read only while fp16 is on; bf16 then stands for a scale of 1
    const bool fp16 = parsed.flag(parsed.fp16, "enabled");
    const ConfigValue* scale = parsed.fp16.find("loss_scale");
    if ((fp16 || !byHand) && scale != nullptr && scale->isNumber() && scale->asDouble() != 0.0) {
        judge.refuse(CheckLevel::Engine, "R55", "R55", "/fp16/loss_scale", {{"optimizer", plan.shownName}}, patchReplace("/fp16/loss_scale", "0"));
    } else if (byHand && !fp16 && parsed.flag(parsed.bf16, "enabled")) {
        judge.refuse(CheckLevel::Engine, "R55", "R55.bf16", "/optimizer/type", {{"optimizer", plan.shownName}, {"release", judge.facts.version}});
    }
}

/// AdamW in the place of a 1-bit optimizer: what only that one takes (freeze_step, cuda_aware ...) goes with it.
std::string asAdamW(const ReleaseFacts& facts, const ConfigValue* params)
{
    std::string patch = patchReplace("/optimizer/type", "\"AdamW\"");
    const auto signature = facts.signatures.find("FusedAdam");
    if (params == nullptr || !params->isObject() || signature == facts.signatures.end()) {
        return patch;
    }
    for (const ConfigMember& member : params->members) {
        const std::vector<std::string>& takes = signature->second.takes;
        if (std::find(takes.begin(), takes.end(), member.key) == takes.end() && member.key != "max_grad_norm") {
            const std::string step = patchRemove(kParams + "/" + pointerToken(member.key));
            patch = patch.substr(0, patch.size() - 1) + ',' + step.substr(1);
        }
    }
    return patch;
}

void checkConfigured(Judge& judge, EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const std::string& name = parsed.optimizerName;
    const ConfigValue* params = parsed.optimizerParams;
    const ConfigValue* section = judge.root.find("optimizer");
    const ConfigValue* type = section == nullptr ? nullptr : section->find("type");
    plan.shownName = type == nullptr ? name : type->text;
    const std::string lower = lowerCase(plan.shownName);
    if (judge.facts.optimizers.count(name) == 0 && judge.facts.torchOptimizers.count(name) == 0) {
        if (lower == "onebitadam" || lower == "onebitlamb" || lower == "zerooneadam") {
            judge.refuse(CheckLevel::Engine, "R36", "R36.gone", "/optimizer/type", {{"optimizer", plan.shownName}, {"release", judge.facts.version}}, asAdamW(judge.facts, params));
            return;
        }
        if (lower == "muon") {  // torch's, which a release without its own would find, steps no model either
            judge.refuse(CheckLevel::Engine, "R53", "R53.muon", "/optimizer/type", {{"release", judge.facts.version}});
            return;
        }
        std::vector<std::string> words{"Adam", "AdamW", "Adagrad", "Lamb", "Lion"};
        for (const char* oneBit : {"OneBitAdam", "OneBitLamb", "ZeroOneAdam"}) {
            if (judge.facts.optimizers.count(lowerCase(oneBit)) > 0) {
                words.emplace_back(oneBit);
            }
        }
        words.insert(words.end(), judge.facts.torchOptimizers.begin(), judge.facts.torchOptimizers.end());
        std::string near;
        std::string plain = lower;  // "adam_w" is AdamW
        std::erase_if(plain, [](char c) { return c == '_' || c == '-' || c == ' '; });
        if (plain.starts_with("1bit")) {
            plain.replace(0, 1, "one");   // as the papers write it
        }
        for (const std::string& word : words) {
            if (lowerCase(word) == plain) {
                near = word;
                break;
            }
            if (lower.size() > word.size() && lower.find(lowerCase(word)) != std::string::npos && word.size() > near.size() && word.size() > 3) {
                near = word;
            }
        }
        near = near.empty() ? nearestWord(plan.shownName, words) : near;
        // DeepSpeed's own classes, which scripts make by hand: a config names the optimizer, and DeepSpeed chooses among them.
        const bool ofHost = plain == "deepspeedcpuadam" || plain == "deepspeedcpulion" || plain == "deepspeedcpuadagrad" || plain == "cpuadam";
        const bool ofDevice = plain == "fusedadam" || plain == "fusedlamb" || plain == "fusedlion";
        const bool oneBit = near.starts_with("OneBit") || near.starts_with("ZeroOne");
        const bool refusedAsOneBit = parsed.stage() > 0 || params == nullptr || params->find("comm_backend_name") == nullptr;   // see checkOneBit()
        const bool eightBit = plain.find("8bit") != std::string::npos;  // its states are what such a name asks for
        judge.refuse(CheckLevel::Engine, "R53", near.empty() ? "R53" : eightBit ? "R53.bits" : isTrainersName(lower) ? "R53.trainer" : ofHost ? "R53.host" : ofDevice ? "R53.fused" : "R53.near", "/optimizer/type", {{"value", plan.shownName}, {"near", near}},
                     near.empty() || (oneBit && refusedAsOneBit) ? std::string() : patchReplace("/optimizer/type", "\"" + near + "\""));
        return;
    }
    if (params != nullptr && params->find("max_grad_norm") != nullptr) {
        refuseForPlace(judge, CheckLevel::Engine, "R54", "R54.engine", kParams + "/max_grad_norm", *params->find("max_grad_norm"), "/gradient_clipping", {});
    }
    if (name == "lamb" || name == "onebitlamb") {
        checkLossScale(judge, plan);
    }
    if (name.compare(0, 2, "mu") == 0 && name != "muon") {
        judge.refuse(CheckLevel::Engine, "R53", "R53.mup", "/optimizer/type", {{"value", plan.shownName}});
        return;
    }
    plan.optimizerClass = optimizerClass(judge, name, truth(params, "torch_adam"), plan.cpuOffload);
    if (judge.context.device == "cpu" && (plan.optimizerClass == "FusedLamb" || plan.optimizerClass == "FusedLion")) {
        judge.refuse(CheckLevel::Engine, "R53", "engine.device", "/optimizer/type", {{"what", plan.shownName}});
    }
    if (plan.optimizerClass == "torch.optim.LBFGS" || plan.optimizerClass == "torch.optim.SparseAdam" || plan.optimizerClass == "torch.optim.Muon") {
        const bool older = lower == "muon" && judge.facts.optimizers.count(lower) == 0;
        judge.refuse(CheckLevel::Engine, "R53", older ? "R53.muon" : plan.optimizerClass == "torch.optim.LBFGS" ? "R53.unfit.closure" : plan.optimizerClass == "torch.optim.SparseAdam" ? "R53.unfit.sparse" : "R53.unfit.matrices", "/optimizer/type", {{"value", plan.shownName}, {"release", judge.facts.version}});
        return;  // what it would say of its parameters leads nowhere
    }
    if (name == "onebitadam" || name == "onebitlamb" || name == "zerooneadam") {
        checkOneBit(judge, plan, params);
    }
    checkArguments(judge, plan, params);
    if (name == "muon" && params != nullptr) {
        checkMuonParameters(judge, plan, *params);
    }
}

}  // namespace

void refuseOptimizerValue(Judge& judge, const EnginePlan& plan, const std::string& key, const ConfigValue& value)
{
    const std::string at = kParams + "/" + key;
    std::string fix;
    if (value.isString()) {
        if (const auto number = pythonFloat(value.text); number.has_value()) {
            fix = patchReplace(at, toJson(ConfigValue::ofFloat(*number)));
        }
    }
    const bool sameNumber = !fix.empty();
    const char* const message = value.isString("auto") ? "R56.auto" : "R56.value";
    if (CheckFinding* finding = refuseNumber(judge, plan, message, at, {{"key", key}, {"value", toJson(value)}, {"optimizer", plan.shownName}}, std::move(fix))) {
        finding->safe = sameNumber;
    }
}

void checkEngineOptimizer(Judge& judge, EnginePlan& plan)
{
    if (!plan.hasOptimizer) {
        return;
    }
    const Parsed& parsed = judge.parsed;
    if (plan.client) {
        plan.optimizerClass = clientClass(judge, judge.context.optimizer);
        plan.shownName = judge.context.optimizer;
        if (plan.optimizerClass == "torch.optim.LBFGS") {
            judge.refuse(CheckLevel::Engine, "R53", "R53.closure", "", {{"value", plan.shownName}});
        }
        if (plan.optimizerClass == "torch.optim.SparseAdam") {  // ZeRO and the 16-bit wrappers step flat copies, whose gradients are dense
            if (parsed.stage() > 0 || parsed.flag(parsed.fp16, "enabled") || parsed.flag(parsed.bf16, "enabled")) {
                judge.refuse(CheckLevel::Engine, "R53", "R53.sparse", "", {{"value", plan.shownName}});
            } else {
                judge.unwise("R53", "R53.sparse.fp32", "", {{"value", plan.shownName}});
            }
        }
        const bool cpuClass = plan.optimizerClass == "DeepSpeedCPUAdam" || plan.optimizerClass == "DeepSpeedCPULion";
        const ConfigValue* force = judge.root.find("zero_force_ds_cpu_optimizer");
        if (plan.cpuOffload && !cpuClass && (force == nullptr || pythonTruth(*force))) {
            judge.refuse(CheckLevel::Engine, "R35", "R35", "/zero_optimization/offload_optimizer", {{"optimizer", plan.shownName}},
                         force == nullptr ? patchAdd("/zero_force_ds_cpu_optimizer", "false") : patchReplace("/zero_force_ds_cpu_optimizer", "false"));
        }
    } else {
        foreseeSchedule(judge, plan);
        checkConfigured(judge, plan);
    }
    const ConfigValue* zenflow = parsed.zero.find("zenflow");
    if (plan.optimizerClass == "DeepSpeedCPUAdam" && !plan.client && zenflow != nullptr && zenflow->isObject() && !judge.facts.atLeast(0, 19, 0)) {
        // ZenFlow brings a CPU Adam of its own, which 0.18 does not have on its list
        const ConfigValue* allow = judge.root.find("zero_allow_untested_optimizer");
        if (parsed.stage() > 0 && (allow == nullptr || !pythonTruth(*allow))) {
            judge.refuse(CheckLevel::Engine, "R34", "R34.zenflow", "/zero_optimization/zenflow", {{"release", judge.facts.version}},
                         allow == nullptr ? patchAdd("/zero_allow_untested_optimizer", "true") : patchReplace("/zero_allow_untested_optimizer", "true"));
        }
    }
    static constexpr std::array kTested{"torch.optim.Adam",    "torch.optim.AdamW", "torch.optim.Adagrad", "FusedAdam", "DeepSpeedCPUAdam",
                                        "DeepSpeedCPUAdagrad", "DeepSpeedCPULion",  "FusedLion",           "ZenFlowCPUAdam", "MuonWithAuxAdam"};
    // The 1-bit optimizers are refused with any stage already (R36); allowing untested ones would not help them.
    const bool oneBit = plan.optimizerClass == "OnebitAdam" || plan.optimizerClass == "OnebitLamb" || plan.optimizerClass == "ZeroOneAdam";
    if (parsed.stage() > 0 && !oneBit && !plan.optimizerClass.empty() && std::find(kTested.begin(), kTested.end(), plan.optimizerClass) == kTested.end()) {
        const ConfigValue* allow = judge.root.find("zero_allow_untested_optimizer");
        if (allow == nullptr || !pythonTruth(*allow)) {
            judge.refuse(CheckLevel::Engine, "R34", "R34", plan.client ? "" : "/optimizer/type", {{"optimizer", plan.shownName}},
                         allow == nullptr ? patchAdd("/zero_allow_untested_optimizer", "true") : patchReplace("/zero_allow_untested_optimizer", "true"));
        } else {
            judge.warn(CheckLevel::Engine, "R34", "R34.allowed", plan.client ? "/zero_allow_untested_optimizer" : "/optimizer/type", {{"optimizer", plan.shownName}, {"value", toJson(*allow)}});
        }
    }
}

}  // namespace stagecraft::rules
