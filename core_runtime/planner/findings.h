// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A finding that can be told in another language too: which message it is, and what stands in it, kept beside the English sentence.
///
/// @param id       of the message: "plan.layout.heads"; its first two words are the finding's rule
/// @param pattern  the English sentence with "{}" where `args` go, in order
[[nodiscard]] PlanFinding makeFinding(const char* id, const char* severity, std::string pointer, std::string_view pattern, std::vector<std::string> args = {});

/// The pattern with its "{}" replaced, in order.
[[nodiscard]] std::string fillPattern(std::string_view pattern, const std::vector<std::string>& args);

}  // namespace stagecraft
