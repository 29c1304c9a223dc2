// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/rules/judge.h"

#include <string>
#include <string_view>

namespace stagecraft::rules {

/// Where DeepSpeed reads a key that it skips in `section` ("" = the top): "/optimizer/params/lr" for "lr" beside "params". Empty
/// where no place takes it, or more than one.
[[nodiscard]] std::string placeThatReads(const Judge& judge, std::string_view section, const std::string& key);

/// The patch that takes the value at `at` to `to`, making the sections above it; that takes it out where `to` is taken already.
[[nodiscard]] std::string moveInto(const Judge& judge, const std::string& at, const std::string& to);

/// "/optimizer/params/lr" as people write it: optimizer.params.lr
[[nodiscard]] std::string dotted(std::string_view pointer);

}  // namespace stagecraft::rules
