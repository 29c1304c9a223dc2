// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_refusal.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/plan_service.h"
#include "config/engine_config.h"
#include "config/fitting_ranks.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>

#include <algorithm>

namespace stagecraft::app {

namespace {

struct RefusalWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::RefusalWords)
};

/// Most names say enough with the section they stand in: fp16.enabled.
QString keyOf(const CheckFinding& finding)
{
    const QString pointer = QString::fromStdString(finding.pointer);
    return pointer.section(QLatin1Char('/'), std::max<qsizetype>(1, pointer.count(QLatin1Char('/')) - 1)).replace(QLatin1Char('/'), QLatin1Char('.'));
}

/// What the check finds where our engine stops; null where it finds nothing there that stops anybody: a note is no reason.
const CheckFinding* findingWhereOurEngineStops(const Error& problem, const CheckAnswer& check)
{
    const auto pointer = problem.context.find("pointer");
    if (pointer == problem.context.end() || pointer->second.empty())
        return nullptr;
    const auto found = std::find_if(check.findings.begin(), check.findings.end(), [&](const CheckFinding& finding) { return finding.pointer == pointer->second && finding.severity != CheckSeverity::Info && !finding.rule.starts_with("plan."); });
    return found == check.findings.end() ? nullptr : &*found;
}

}  // namespace

bool readsDsConfig(const PlanSet& plan)
{
    return plan.workspace && plan.workspace->framework.name != "megatron" && plan.workspace->framework.name != "fsdp2";
}

std::optional<ConfigRefusal> refusalOfOurEngine(const PlanSet& plan, const CheckAnswer* check)
{
    if (!plan.engineProblem)
        return std::nullopt;
    // Two instructions for one key would contradict each other: the check knows what was meant by it.
    const CheckFinding* found = check ? findingWhereOurEngineStops(*plan.engineProblem, *check) : nullptr;
    return ConfigRefusal{RefusalWords::tr("by our engine"), found ? RefusalWords::tr("Our engine: it stops at \"%1\" too. %2").arg(keyOf(*found), QString::fromStdString(found->message))
                                                                  : RefusalWords::tr("Our engine: %1").arg(errorText(*plan.engineProblem))};
}

QString engineWords(const Error& problem, const CheckAnswer* check)
{
    const CheckFinding* found = check ? findingWhereOurEngineStops(problem, *check) : nullptr;
    return found ? RefusalWords::tr("It stops at \"%1\". %2").arg(keyOf(*found), QString::fromStdString(found->message)) : errorText(problem);
}

EngineLine engineLineOf(const PlanSet& plan, const CheckAnswer& check)
{
    const auto refusal = plan.workspace && plan.workspace->framework.name == "stagecraft" ? refusalOfOurEngine(plan) : std::nullopt;
    if (!refusal)
        return {};
    const CheckFinding* found = findingWhereOurEngineStops(*plan.engineProblem, check);
    if (!found)
        return {refusal->why, check.ok};
    if (found->severity == CheckSeverity::Error)
        return {};   // the list says it, with the way out
    return {RefusalWords::tr("Our engine: it stops at \"%1\", which a finding below is about.").arg(keyOf(*found)), check.ok};
}

std::optional<ConfigRefusal> refusalOf(const PlanSet& plan, const CheckAnswer* check, int ranksThatFit)
{
    if (!plan.workspace)
        return std::nullopt;
    if (plan.workspace->framework.name == "stagecraft") {
        auto refusal = refusalOfOurEngine(plan, check);
        // Whether DeepSpeed takes the file stands beside it: most ds_configs are written for DeepSpeed.
        if (refusal && check && !check->release.empty())
            refusal->by = check->ok ? RefusalWords::tr("by our engine, not by DeepSpeed") : RefusalWords::tr("by our engine and DeepSpeed");
        return refusal;
    }
    if (plan.workspace->framework.name != "deepspeed" || !check)
        return std::nullopt;
    if (ranksThatFit > 0)
        return ConfigRefusal{QString(), RefusalWords::tr("The ds_config is for %1 ranks, and the plan takes 1: nobody has said how many there are.").arg(ranksThatFit), ranksThatFit};
    if (check->ok)
        return std::nullopt;
    // The first stage that refuses is the one a person meets.
    const auto first = std::find_if(check->findings.begin(), check->findings.end(), [check](const CheckFinding& finding) {
        return finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused && (!check->level || finding.level == *check->level);
    });
    const QString release = QString::fromStdString(whoRefuses(*check, CheckLauncher::DeepSpeed));
    return ConfigRefusal{RefusalWords::tr("by %1").arg(release), first == check->findings.end() ? release : RefusalWords::tr("%1: %2").arg(release, QString::fromStdString(first->message))};
}

bool wouldBeRefused(const std::string& text, const std::filesystem::path& folder, const CheckContext& given)
{
    const auto then = parseWorkspace(text, folder);
    if (!then.hasValue())
        return true;
    if (then->framework.name == "stagecraft")
        return !resolveForEngine(then->dsConfig, then->layout.dp).hasValue();
    if (then->framework.name != "deepspeed")
        return false;
    CheckContext context = given;
    surroundWithChosen(text, *then, context);
    const std::string config = then->dsConfigText.empty() ? then->dsConfig.dump() : then->dsConfigText;
    const auto answer = checkConfig(config, context);
    if (!answer.hasValue() || answer->ok)
        return false;
    const auto fit = fittingRanks(config, context, *answer);
    return !fit || !fit->answer.ok;
}

}  // namespace stagecraft::app
