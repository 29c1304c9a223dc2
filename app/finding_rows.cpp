// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/finding_rows.h"

#include "app/core_words.h"
#include "app/plan_service.h"
#include "config/check.h"

#include <algorithm>

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

}  // namespace

std::vector<FindingRow> findingRows(const PlanSet* plan, const CheckAnswer* check)
{
    std::vector<FindingRow> rows;
    if (check)
        for (const CheckFinding& finding : check->findings)
            rows.push_back({severityOf(finding.severity), QString::fromStdString(finding.rule), QStringLiteral("/dsConfig") + QString::fromStdString(finding.pointer), QString::fromStdString(finding.message)});
    const std::size_t checked = rows.size();
    // The planner stumbles over the same values as the check, and says less of them.
    const auto saidAlready = [&rows, checked](const PlanFinding& finding) {
        return (finding.rule == "plan.ds_config" || finding.rule == "plan.batch_triangle")
            && std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(checked), [&finding](const FindingRow& row) { return row.pointer == QString::fromStdString(finding.pointer); });
    };
    // A text that cannot be read is one finding, whoever stumbled over it first.
    const bool unreadable = check && std::any_of(check->findings.begin(), check->findings.end(), [](const CheckFinding& finding) { return finding.level == CheckLevel::Load && finding.severity == CheckSeverity::Error; });
    if (plan && plan->problem && !unreadable) {
        const auto& context = plan->problem->context;
        const QString pointer = context.count("pointer") ? QString::fromStdString(context.at("pointer")) : QString();
        rows.push_back({QStringLiteral("error"), QStringLiteral("workspace"), pointer, QString::fromStdString(plan->problem->message)});
    }
    if (plan && plan->plan)
        for (const PlanFinding& finding : plan->plan->findings)
            if (!saidAlready(finding))
                rows.push_back({QString::fromStdString(finding.severity), QString::fromStdString(finding.rule), QString::fromStdString(finding.pointer), findingText(finding)});
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
