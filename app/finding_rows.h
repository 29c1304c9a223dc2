// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaType>
#include <QString>

#include <vector>

namespace stagecraft {
struct CheckAnswer;
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

/// Everything there is to know about a workspace, worst first: what the plan found and what the check of the ds_config found.
/// What both found about one place is said once, in the words of the check.
/// @param plan   null while there is none
/// @param check  null when there is no ds_config to speak of
[[nodiscard]] std::vector<FindingRow> findingRows(const PlanSet* plan, const CheckAnswer* check);
[[nodiscard]] FindingCounts countOf(const std::vector<FindingRow>& rows);

}  // namespace stagecraft::app
