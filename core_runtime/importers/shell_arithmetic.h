// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The variables that an expression reads and sets.
struct ShellNumbers {
    std::function<std::optional<std::string>(const std::string& name)> valueOf;  ///< the text of a variable that is named without a $
    std::function<void(const std::string& name, std::int64_t value)> assign = {};  ///< none = an assignment makes the expression one that is not known
};

/// The value of a shell's $((expression)): whole numbers, decimal, octal (010) or hexadecimal (0x10), names, the operators of C but
/// for those of bits, **, assignments and ++ of names. Nothing where a name is not known, or the expression is another one,
/// overflows 64 bits or divides by zero.
/// @param expression  what stands between the parentheses, its $NAMES already replaced
[[nodiscard]] std::optional<std::int64_t> shellArithmetic(std::string_view expression, const ShellNumbers& numbers);

/// The names that an expression may set, known or not.
[[nodiscard]] std::vector<std::string> namesSetBy(std::string_view expression);

}  // namespace stagecraft
