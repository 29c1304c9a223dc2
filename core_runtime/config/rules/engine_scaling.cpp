// SPDX-License-Identifier: GPL-3.0-or-later
// How the optimizer is wrapped for 16 bits without ZeRO, and the loss scale it keeps (R44, R53): what fails only when the
// optimizer is stepped.
#include "config/rules/judge.h"

namespace stagecraft::rules {

namespace {

const std::string kScale = "/fp16/loss_scale";
const std::string kWindow = "/fp16/loss_scale_window";

/// Releases that read fp16 by hand take any value; it is calculated with in the first two steps.
void checkScaleByHand(Judge& judge, const EnginePlan& plan, const ConfigValue* scale)
{
    if (scale == nullptr) {
        return;
    }
    if (!scale->isNumber()) {
        judge.refuse(CheckLevel::Engine, "R44", "R44.scale", kScale, {{"value", toJson(*scale)}, {"release", judge.facts.version}}, patchReplace(kScale, "0"));
    } else if (scale->asDouble() != 0.0 && judge.parsed.stage() == 0 && plan.optimizerClass == "FusedAdam") {
        // The wrapper for a fixed scale is made without the timers that its step starts.
        judge.refuse(CheckLevel::Engine, "R44", "R44.static", kScale, {{"value", toJson(*scale)}, {"release", judge.facts.version}}, patchReplace(kScale, "0"));
    }
}

void checkWindow(Judge& judge, const ConfigValue* scale)
{
    const bool dynamic = scale == nullptr || (scale->isNumber() && scale->asDouble() == 0.0);
    const ConfigValue* window = judge.parsed.fp16.find("loss_scale_window");
    if (!dynamic || window == nullptr || (window->isNumber() && window->asDouble() != 0.0)) {
        return;
    }
    judge.refuse(CheckLevel::Engine, "R44", "R44.interval", kWindow, {{"value", toJson(*window)}}, patchReplace(kWindow, "1000"));
}

/// A dynamic scale starts as 2 to this power, an integer that the loss is multiplied by.
void checkPower(Judge& judge, const ConfigValue* scale)
{
    const bool dynamic = scale == nullptr || (scale->isNumber() && scale->asDouble() == 0.0);
    const ConfigValue* power = judge.parsed.fp16.find("initial_scale_power");
    if (!dynamic || power == nullptr || !power->isIntLike()) {
        return;
    }
    // ZeRO and older releases hand the integer to torch, which takes 64 bits; the other wrappers make a float of it.
    const bool integer = judge.parsed.stage() > 0 || !judge.facts.atLeast(0, 17, 0);
    const bool divides = judge.parsed.stage() == 0 || !judge.facts.atLeast(0, 19, 0);
    const char* message = power->asDouble() >= (integer ? 64.0 : 1024.0) ? "R44.overflow" : divides && power->asDouble() <= -1075.0 ? "R44.underflow" : nullptr;
    if (message != nullptr) {
        judge.refuse(CheckLevel::Engine, "R44", message, "/fp16/initial_scale_power", {{"value", toJson(*power)}}, patchReplace("/fp16/initial_scale_power", "16"));
    }
}

/// The old way of calling FusedAdam, which the class itself no longer has.
void checkLegacyFusion(Judge& judge, const EnginePlan& plan)
{
    const ConfigValue* section = judge.root.find("optimizer");
    const ConfigValue* legacy = section == nullptr ? nullptr : section->find("legacy_fusion");
    if (legacy == nullptr || !pythonTruth(*legacy) || judge.parsed.stage() != 0 || plan.optimizerClass != "FusedAdam") {
        return;
    }
    const Parsed& parsed = judge.parsed;
    // from 0.17 on bf16 without ZeRO takes the wrapper of fp16
    const bool bf16 = parsed.flag(parsed.bf16, "enabled") && judge.facts.atLeast(0, 17, 0) && !judge.context.pipelineModel;
    if (parsed.flag(parsed.fp16, "enabled") || bf16) {
        judge.refuse(CheckLevel::Engine, "R53", "R53.legacy", "/optimizer/legacy_fusion", {}, patchRemove("/optimizer/legacy_fusion"));
    }
}

/// torch's Adagrad keeps its sums for the parameters it was made with, and the 16-bit wrapper puts fp32 copies in their place.
void checkAdagrad(Judge& judge, const EnginePlan& plan)
{
    const Parsed& parsed = judge.parsed;
    const bool wrapped = parsed.flag(parsed.fp16, "enabled") || parsed.flag(parsed.bf16, "enabled");
    if (plan.optimizerClass == "torch.optim.Adagrad" && parsed.stage() == 0 && wrapped) {
        judge.refuse(CheckLevel::Engine, "R53", "R53.adagrad", plan.client ? "" : "/optimizer/type", {{"optimizer", plan.shownName}});
    }
}

}  // namespace

void checkEngineScaling(Judge& judge, const EnginePlan& plan)
{
    // Releases that hold fp16 in a class of its own ask for auto_cast alone, those before for "enabled" first (engine.py, forward).
    if (judge.facts.sectionModel("fp16") != nullptr && judge.parsed.flag(judge.parsed.fp16, "auto_cast") && !judge.parsed.flag(judge.parsed.fp16, "enabled")) {
        judge.overrule("R44", "R44.cast", "/fp16/auto_cast", CheckSeverity::Warning, {}, patchRemove("/fp16/auto_cast"));
    }
    if (!plan.hasOptimizer) {
        return;
    }
    checkLegacyFusion(judge, plan);
    checkAdagrad(judge, plan);
    if (!judge.parsed.flag(judge.parsed.fp16, "enabled")) {
        return;
    }
    const ConfigValue* scale = judge.parsed.fp16.find("loss_scale");
    if (judge.facts.sectionModel("fp16") == nullptr) {
        checkScaleByHand(judge, plan, scale);
    }
    checkWindow(judge, scale);
    checkPower(judge, scale);
}

}  // namespace stagecraft::rules
