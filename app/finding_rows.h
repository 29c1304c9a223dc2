// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>

#include <vector>

namespace stagecraft {
struct CheckAnswer;
struct CheckFinding;
}

namespace stagecraft::app {

struct PlanSet;

/// One row of the Findings panel.
struct FindingRow {
    QString severity;   ///< error | warning | info
    QString rule;
    QString pointer;    ///< into the workspace; below /dsConfig into its ds_config
    QString message;
    friend bool operator==(const FindingRow&, const FindingRow&) = default;
};

/// How many of each severity.
struct FindingCounts {
    int errors = 0;
    int warnings = 0;
    int notes = 0;
    friend bool operator==(const FindingCounts&, const FindingCounts&) = default;
};

/// What the plan says about the ds_config: for the list of findings beside it. Advice on what is legal but unwise waits until
/// DeepSpeed takes the file, as with `stagecraft check --workspace`.
/// @param check  of the same ds_config; its findings of rule "plan.*" are taken for earlier ones of these
[[nodiscard]] std::vector<CheckFinding> planFindingsOfConfig(const PlanSet* plan, const CheckAnswer& check);

/// Everything there is to know about a workspace, worst first: what the plan found and what the check of the ds_config found.
/// What both found about one place is said once, in the words of the check.
/// @param plan   null while there is none
/// @param check  null when there is no ds_config to speak of
[[nodiscard]] std::vector<FindingRow> findingRows(const PlanSet* plan, const CheckAnswer* check);
[[nodiscard]] FindingCounts countOf(const std::vector<FindingRow>& rows);

}  // namespace stagecraft::app
