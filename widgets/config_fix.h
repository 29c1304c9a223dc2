// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "widgets/theme.h"

#include <QString>

namespace stagecraft {

/// What the fix of a finding does, as a button says it: "Rename to reduce_bucket_size", "Set to 64", "Remove". Empty when there
/// is no fix.
[[nodiscard]] QString fixLabel(const CheckFinding& finding);
/// What happens to the key: "refused at parse", "never read", "changed", ...
[[nodiscard]] QString effectWords(const CheckFinding& finding);
/// Its rule where people read it: "R12", the number by which the documentation has it, or a word for its kind: "plan", "release", "text",
/// "ranks".
[[nodiscard]] QString ruleWords(const QString& rule);
/// "dialog-error", "dialog-warning" or "dialog-information".
[[nodiscard]] QString severityIcon(CheckSeverity severity);
/// The colour of its mark and of its words.
[[nodiscard]] theme::Token severityToken(CheckSeverity severity);

}  // namespace stagecraft
