// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that exist only with a PipelineModule (R62-R64).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"

#include <cmath>
#include <optional>
#include <variant>

namespace stagecraft::rules {

namespace {

/// Stages of the pipeline; where nobody gave them, those that the ranks of the job leave; nothing where neither is known.
std::optional<int> stagesOf(const Judge& judge)
{
    if (judge.context.pipeStages.has_value()) {
        return judge.context.pipeStages;
    }
    const bool divides = judge.context.ranks.has_value() && *judge.context.ranks > judge.context.world && *judge.context.ranks % judge.context.world == 0;
    return divides ? std::optional(*judge.context.ranks / judge.context.world) : std::nullopt;
}

/// ZenFlow puts its update interval in the place of the accumulation, and the engine of stages multiplies the batch out again.
void checkZenflow(Judge& judge)
{
    const ConfigValue* zenflow = judge.parsed.zero.find("zenflow");
    if (zenflow == nullptr || !zenflow->isObject() || !judge.parsed.batchKnown) {
        return;
    }
    static const std::string kAt = "/zero_optimization/zenflow";
    const ConfigValue* update = zenflow->find("update_interval");
    const double interval = update != nullptr && update->isIntLike() ? update->asDouble() : 0.0;
    const double accumulation = batchNumberValue(judge.parsed.batch.gas);
    const bool offloads = judge.parsed.stage() > 0;  // without ZeRO only the product counts
    if (interval == accumulation && (!offloads || interval == 1.0)) {
        return;
    }
    const ConfigValue* written = judge.root.find("zero_optimization")->find("zenflow")->find("update_interval");
    const std::string at = written == nullptr ? kAt : kAt + "/update_interval";
    const std::string gas = shortNumber(accumulation);
    const std::string fix = offloads && accumulation != 1.0 ? patchRemove(kAt) : written == nullptr ? patchAdd(kAt + "/update_interval", gas) : patchReplace(at, gas);
    judge.refuse(CheckLevel::Pipe, "R39", offloads ? "R39.pipe.one" : "R39.pipe", at, {{"gas", gas}}, fix);
}

/// Layers that are recomputed together: compared with 0, and above it counted in, where fractions do not do either.
void checkInterval(Judge& judge, const ConfigValue* interval)
{
    if (interval == nullptr || interval->isIntLike() || (interval->isNumber() && interval->asDouble() <= 0.0)) {
        return;
    }
    static const std::string kAt = "/pipeline/activation_checkpoint_interval";
    const std::optional<double> number = interval->isString() ? pythonFloat(interval->text) : interval->isNumber() ? std::optional(interval->asDouble()) : std::nullopt;
    const bool whole = number && *number >= 0.0 && *number < 1e9 && *number == std::trunc(*number);
    judge.refuse(CheckLevel::Pipe, "R63", "R63.interval", kAt, {{"value", toJson(*interval)}}, whole ? patchReplace(kAt, shortNumber(*number)) : interval->isNull() ? patchReplace(kAt, "0") : std::string());
}

}  // namespace

void checkPipeline(Judge& judge)
{
    if (!judge.context.pipelineModel) {
        return;
    }
    const Parsed& parsed = judge.parsed;
    const int stage = parsed.stage();
    if (judge.context.mpu) {
        judge.refuse(CheckLevel::Pipe, "R64", "R64.mpu", "");
    }
    if (judge.context.pipeStages.has_value() && judge.context.ranks.has_value()) {  // the grid must hold all ranks of the job
        const int stages = *judge.context.pipeStages;
        const int ranks = *judge.context.ranks;
        if (stages < 1 || ranks % stages != 0) {
            judge.refuse(CheckLevel::Pipe, "R64", "R64.stages", "", {{"stages", std::to_string(stages)}, {"ranks", std::to_string(ranks)}});
        } else if ((ranks / stages) % judge.context.world != 0) {
            judge.refuse(CheckLevel::Pipe, "R64", "R64.grid", "", {{"stages", std::to_string(stages)}, {"ranks", std::to_string(ranks)},
                                                                   {"data", std::to_string(ranks / stages)}, {"world", std::to_string(judge.context.world)}});
        }
    }
    if (stage >= 2) {
        judge.refuse(CheckLevel::Pipe, "R62", "R62", "/zero_optimization/stage", {{"stage", std::to_string(stage)}}, patchReplace("/zero_optimization/stage", "1"));
    }
    checkZenflow(judge);
    if (stage == 1 && parsed.flag(parsed.zero, "overlap_comm")) {
        judge.change(CheckLevel::Pipe, "R62", "R62.overlap", "/zero_optimization/overlap_comm", "false");
    }
    if (const ConfigValue* section = judge.root.find("pipeline")) {
        for (const char* key : {"pipe_partitioned", "grad_partitioned"}) {
            const ConfigValue* value = section->find(key);
            if (value != nullptr && !value->isBool()) {
                const std::string at = "/pipeline/" + std::string(key), meant = switchMeant(*value);
                judge.refuse(CheckLevel::Pipe, "R63", "R63.bool", at, {{"key", key}}, meant.empty() ? std::string() : patchReplace(at, meant));
            }
        }
        checkInterval(judge, section->find("activation_checkpoint_interval"));
        // It is compared with false itself, and null stands for true: 0 and a text are another thing than false.
        const ConfigValue* reentrant = section->find("use_reentrant");
        if (reentrant != nullptr && !reentrant->isBool() && !reentrant->isNull()) {
            const std::string at = "/pipeline/use_reentrant", meant = switchMeant(*reentrant);
            if (CheckFinding* finding = judge.change(CheckLevel::Pipe, "R16", "R16.identity", at, "true", {{"key", "use_reentrant"}, {"value", toJson(*reentrant)}})) {
                finding->fix = patchReplace(at, meant.empty() ? "true" : meant);
                finding->safe = meant == "true";
            }
        }
    }
    // the engine hands the layers' share to forward(), and a PipelineModule's takes one argument
    const ConfigValue* drop = judge.facts.reads("", "progressive_layer_drop") ? judge.root.find("progressive_layer_drop") : nullptr;
    const ConfigValue* dropping = drop == nullptr ? nullptr : drop->find("enabled");
    if (dropping != nullptr && pythonTruth(*dropping)) {
        judge.refuse(CheckLevel::Pipe, "R92", "R92.pipe", "/progressive_layer_drop/enabled", {}, patchReplace("/progressive_layer_drop/enabled", "false"));
    }
    const ConfigValue* clock = judge.root.find("wall_clock_breakdown");
    const ConfigValue* profiler = judge.root.find("flops_profiler");
    const ConfigValue* profiling = profiler == nullptr ? nullptr : profiler->find("enabled");
    const bool timed = (clock != nullptr && pythonTruth(*clock)) || (profiling != nullptr && pythonTruth(*profiling));
    if (timed) {
        const bool own = clock != nullptr && pythonTruth(*clock);
        const std::string at = own ? "/wall_clock_breakdown" : "/flops_profiler/enabled";
        const ConfigValue* print = judge.root.find("steps_per_print");
        // Every stage but the last starts its backward timers, and the engine's own hook starts them again.
        const bool twice = judge.facts.atLeast(0, 17, 0);
        const int stages = stagesOf(judge).value_or(1);
        if (twice && !stagesOf(judge).has_value()) {
            judge.warn(CheckLevel::Pipe, "R64", "R64.clock.stages", at, {{"release", judge.facts.version}}, patchReplace(at, "false"));
        }
        if (twice && stages != 1) {
            judge.refuse(CheckLevel::Pipe, "R64", "R64.clock", at, {{"release", judge.facts.version}}, patchReplace(at, "false"));
        } else if (judge.facts.atLeast(0, 16, 0) && (print == nullptr || print->isNull())) {
            judge.refuse(CheckLevel::Pipe, "R64", "R64.print", at, {{"release", judge.facts.version}},
                         print == nullptr ? patchAdd("/steps_per_print", "10") : patchReplace("/steps_per_print", "10"));
        }
    }
    const bool bf16Accumulation = parsed.flag(parsed.bf16, "enabled") && stage == 0;
    if (bf16Accumulation) {
        judge.warn(CheckLevel::Pipe, "R62", "R62.bf16", "/bf16/enabled");
    }
}

}  // namespace stagecraft::rules
