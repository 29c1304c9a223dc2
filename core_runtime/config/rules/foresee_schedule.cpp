// SPDX-License-Identifier: GPL-3.0-or-later
// What a schedule does to the optimizer before the first step.
#include "config/rules/judge.h"

namespace stagecraft::rules {

void foreseeSchedule(const Judge& judge, EnginePlan& plan)
{
    const ConfigValue* params = judge.parsed.schedulerParams;
    if (params == nullptr || !params->isObject() || !judge.context.scheduler.empty()) {
        return;
    }
    const ConfigValue* last = params->find("last_batch_iteration");
    if (last != nullptr && !(last->isNumber() && last->asDouble() == -1.0)) {
        return;  // a schedule that goes on writes nothing until its first step
    }
    const Parsed& parsed = judge.parsed;
    const bool bf16 = parsed.flag(parsed.bf16, "enabled") && judge.facts.atLeast(0, 17, 0) && !judge.context.pipelineModel;
    if (parsed.stage() == 0 && (parsed.flag(parsed.fp16, "enabled") || bf16)) {
        return;  // the wrapper for 16 bits steps the optimizer once to make its states, before there is a schedule
    }
    const std::string& name = parsed.schedulerName;
    if (name == "WarmupLR" || name == "WarmupDecayLR") {
        const ConfigValue* most = params->find("warmup_max_lr");
        const bool fromOptimizer = judge.facts.atLeast(0, 17, 0) && (most == nullptr ? name == "WarmupLR" : most->isNull());
        plan.rateWritten = judge.facts.atLeast(0, 16, 0) && !fromOptimizer;  // 0.14 writes it at the first step alone
    } else if (name == "OneCycle" || name == "LRRangeTest") {
        const ConfigValue* cycled = params->find("cycle_momentum");
        plan.rateWritten = true;
        plan.betasWritten = name == "OneCycle" && (cycled == nullptr || pythonTruth(*cycled));
    }
}

}  // namespace stagecraft::rules
