// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/shell_values.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// How a command ends: with success, without, or as only the running script knows.
struct ShellTruth {
    std::optional<bool> value;
    std::string assumption = {};  ///< the variable that must not come from outside for the value to hold; empty = it holds

    [[nodiscard]] bool certainly(bool wanted) const { return value == wanted && assumption.empty(); }
};

[[nodiscard]] ShellTruth negated(ShellTruth truth);
/// Both, or one of them. The second is not asked where the first decides.
[[nodiscard]] ShellTruth both(const ShellTruth& first, const ShellTruth& second);
[[nodiscard]] ShellTruth either(const ShellTruth& first, const ShellTruth& second);

/// What [ words ] or [[ words ]] says, the brackets left out.
/// @param words  expanded, with the marks of `values`
[[nodiscard]] ShellTruth shellTest(const std::vector<std::string>& words, const ShellValues& values);

/// Whether a pattern of case takes a word.
[[nodiscard]] ShellTruth shellMatch(const std::string& word, const std::string& pattern, const ShellValues& values);

}  // namespace stagecraft
