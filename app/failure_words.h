// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_info.h"

#include <QString>

#include <string>

namespace stagecraft::app {

/// Why a run failed, in the window's language. The words of a rank or of the system stay as they were said.
/// @param lastOp  the operation that the sentence may end with, as RunFailure has it
[[nodiscard]] QString failureText(const std::string& message, const std::string& lastOp = {});
[[nodiscard]] QString failureText(const RunFailure& failure);
/// Whether every rank failed for the same reason, so that none of them is named.
[[nodiscard]] bool failedAlike(const RunFailure& failure);

/// RunFailure::kind in a word or two.
[[nodiscard]] QString failureKindText(const std::string& kind);

}  // namespace stagecraft::app
