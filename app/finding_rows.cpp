// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/finding_rows.h"

#include "app/config_refusal.h"
#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/plan_service.h"
#include "config/check.h"

#include <algorithm>
#include <string>

namespace stagecraft::app {

namespace {

int rank(const QString& severity)
{
    return severity == QLatin1String("error") ? 0 : severity == QLatin1String("warning") ? 1 : 2;
}

QString severityOf(CheckSeverity severity)
{
    return severity == CheckSeverity::Error ? QStringLiteral("error") : severity == CheckSeverity::Warning ? QStringLiteral("warning") : QStringLiteral("info");
}

const std::string kConfig = "/dsConfig";

bool ofPlan(const CheckFinding& finding) { return finding.rule.starts_with("plan."); }

/// The planner stumbles over the same values as the check, and says less of them.
bool saidAlready(const PlanFinding& finding, const CheckAnswer* check)
{
    return check && (finding.rule == "plan.ds_config" || finding.rule == "plan.batch_triangle")
        && std::any_of(check->findings.begin(), check->findings.end(), [&finding](const CheckFinding& said) { return !ofPlan(said) && kConfig + said.pointer == finding.pointer; });
}

}  // namespace

std::vector<CheckFinding> planFindingsOfConfig(const PlanSet* plan, const CheckAnswer& check)
{
    std::vector<CheckFinding> findings;
    if (!plan || !plan->plan)
        return findings;
    for (const PlanFinding& found : plan->plan->findings) {
        if (!found.pointer.starts_with(kConfig) || saidAlready(found, &check))
            continue;
        CheckFinding finding;
        finding.rule = found.rule;
        finding.severity = found.severity == "error" ? CheckSeverity::Error : found.severity == "warning" ? CheckSeverity::Warning : CheckSeverity::Info;
        finding.effect = finding.severity == CheckSeverity::Error ? CheckEffect::Unwise : CheckEffect::Warned;
        finding.level = CheckLevel::Engine;
        finding.pointer = found.pointer.substr(kConfig.size());
        finding.message = findingText(found).toStdString();
        findings.push_back(std::move(finding));
    }
    if (check.ok)
        findings.insert(findings.end(), plan->configAdvice.begin(), plan->configAdvice.end());
    return findings;
}

std::vector<FindingRow> findingRows(const PlanSet* plan, const CheckAnswer* check)
{
    std::vector<FindingRow> rows;
    // FSDP2 and Megatron-LM do not read the ds_config: what DeepSpeed would refuse in it stops nothing there.
    const bool read = !plan || !plan->workspace || readsDsConfig(*plan);
    const auto add = [&rows, read](const CheckFinding& finding) {
        rows.push_back({read ? severityOf(finding.severity) : QStringLiteral("info"), QString::fromStdString(finding.rule), QString::fromStdString(kConfig + finding.pointer), QString::fromStdString(finding.message)});
    };
    if (check)
        for (const CheckFinding& finding : check->findings)
            if (!ofPlan(finding))   // those come from the plan itself, which may be newer
                add(finding);
    // A text that cannot be read is one finding, whoever stumbled over it first.
    const bool unreadable = check && std::any_of(check->findings.begin(), check->findings.end(), [](const CheckFinding& finding) { return (finding.level == CheckLevel::Load && finding.severity == CheckSeverity::Error) || finding.rule == "window.too_many"; });
    if (plan && plan->problem && !unreadable) {
        const auto& context = plan->problem->context;
        const QString pointer = context.count("pointer") ? QString::fromStdString(context.at("pointer")) : QString();
        rows.push_back({QStringLiteral("error"), QStringLiteral("workspace"), pointer, errorText(*plan->problem)});
    }
    if (plan && plan->plan) {
        for (const PlanFinding& finding : plan->plan->findings)
            if (!saidAlready(finding, check))
                rows.push_back({QString::fromStdString(finding.severity), QString::fromStdString(finding.rule), QString::fromStdString(finding.pointer), findingText(finding)});
        if (check && check->ok)
            for (const CheckFinding& advice : plan->configAdvice)
                if (std::none_of(plan->plan->findings.begin(), plan->plan->findings.end(), [&advice](const PlanFinding& finding) { return finding.rule == advice.rule; }))
                    add(advice);
    }
    std::stable_sort(rows.begin(), rows.end(), [](const FindingRow& a, const FindingRow& b) { return rank(a.severity) < rank(b.severity); });
    return rows;
}

FindingCounts countOf(const std::vector<FindingRow>& rows)
{
    FindingCounts counts;
    for (const FindingRow& row : rows)
        ++(rank(row.severity) == 0 ? counts.errors : rank(row.severity) == 1 ? counts.warnings : counts.notes);
    return counts;
}

}  // namespace stagecraft::app
