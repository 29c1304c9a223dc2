// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <QString>

#include <string>

namespace stagecraft::app {

/// What a plan has to say, in the window's language: its sentence is found by the id of the message and filled with its arguments. A
/// message without an id, or with one that is not known here, is told as the core wrote it.
[[nodiscard]] QString findingText(const PlanFinding& finding);
/// Whether the window says that message in other words than the core, which speaks of the command line: where to choose it here.
[[nodiscard]] bool isSaidForTheWindow(const std::string& id);

/// A sentence of the core without arguments, in the window's language: what a ledger item is and where its rule is from, why a key has no effect. It is its own id.
[[nodiscard]] QString whyText(const std::string& why);

}  // namespace stagecraft::app
