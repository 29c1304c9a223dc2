// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/config_refusal.h"

#include "app/core_errors.h"
#include "app/plan_service.h"

#include <QCoreApplication>

#include <algorithm>

namespace stagecraft::app {

namespace {

struct RefusalWords {
    Q_DECLARE_TR_FUNCTIONS(stagecraft::app::RefusalWords)
};

}  // namespace

bool readsDsConfig(const PlanSet& plan)
{
    return plan.workspace && plan.workspace->framework.name != "megatron" && plan.workspace->framework.name != "fsdp2";
}

std::optional<ConfigRefusal> refusalOfOurEngine(const PlanSet& plan)
{
    if (!plan.engineProblem)
        return std::nullopt;
    return ConfigRefusal{RefusalWords::tr("by our engine"), RefusalWords::tr("Our engine: %1").arg(errorText(*plan.engineProblem))};
}

std::optional<ConfigRefusal> refusalOf(const PlanSet& plan, const CheckAnswer* check)
{
    if (!plan.workspace)
        return std::nullopt;
    if (plan.workspace->framework.name == "stagecraft") {
        auto refusal = refusalOfOurEngine(plan);
        // Whether DeepSpeed takes the file stands beside it: most ds_configs are written for DeepSpeed.
        if (refusal && check && !check->release.empty())
            refusal->by = check->ok ? RefusalWords::tr("by our engine, not by DeepSpeed") : RefusalWords::tr("by our engine and DeepSpeed");
        return refusal;
    }
    if (plan.workspace->framework.name != "deepspeed" || !check || check->ok)
        return std::nullopt;
    // The first stage that refuses is the one a person meets.
    const auto first = std::find_if(check->findings.begin(), check->findings.end(), [check](const CheckFinding& finding) {
        return finding.severity == CheckSeverity::Error && finding.effect == CheckEffect::Refused && (!check->level || finding.level == *check->level);
    });
    const QString release = QStringLiteral("DeepSpeed %1").arg(QString::fromStdString(check->release));
    return ConfigRefusal{RefusalWords::tr("by %1").arg(release), first == check->findings.end() ? release : RefusalWords::tr("%1: %2").arg(release, QString::fromStdString(first->message))};
}

}  // namespace stagecraft::app
