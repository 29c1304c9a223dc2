// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/config_refusals.h"

#include "config/check.h"
#include "config/engine_config.h"
#include "planner/config_advice.h"

#include <algorithm>

namespace stagecraft {

namespace {

const std::string kConfig = "/dsConfig";

std::optional<ConfigRefusal> refusalOfOurs(const Workspace& w)
{
    // Of a model that is a number no run is meant: what is not there holds nothing up.
    if (w.model.form == ModelSection::Form::ParameterCount && w.dsConfig.empty()) return std::nullopt;
    const auto engine = resolveForEngine(w.dsConfig, w.layout.dp);
    if (engine.hasValue()) return std::nullopt;
    const auto pointer = engine.error().context.find("pointer");
    return ConfigRefusal{"our engine", checkLevelName(CheckLevel::Engine),
                         {{"plan.engine_refuses", "error", kConfig + (pointer == engine.error().context.end() ? std::string() : pointer->second), engine.error().message}}};
}

std::optional<ConfigRefusal> refusalOfDeepSpeed(const Workspace& w)
{
    if (!w.document.is_object() || !w.document.contains("dsConfig")) return std::nullopt;
    CheckContext context;
    surroundWith(w, context);
    const auto answer = checkConfig(w.dsConfigText, context);
    if (!answer.hasValue() || answer->ok) return std::nullopt;
    ConfigRefusal refusal{whoRefuses(*answer, context.launcher), answer->level ? checkLevelName(*answer->level) : std::string(), {}};
    for (const CheckFinding& finding : answer->findings)
        if (finding.severity == CheckSeverity::Error) refusal.findings.push_back({finding.rule, "error", kConfig + finding.pointer, finding.message});
    return refusal;
}

}  // namespace

std::optional<ConfigRefusal> refusalOfConfig(const Workspace& w)
{
    if (w.framework.name == "stagecraft") return refusalOfOurs(w);
    return w.framework.name == "deepspeed" ? refusalOfDeepSpeed(w) : std::nullopt;
}

bool isSaidBy(const ConfigRefusal& refusal, const PlanFinding& finding)
{
    return (finding.rule == "plan.ds_config" || finding.rule == "plan.batch_triangle")
        && std::any_of(refusal.findings.begin(), refusal.findings.end(), [&finding](const PlanFinding& said) { return said.pointer == finding.pointer; });
}

}  // namespace stagecraft
