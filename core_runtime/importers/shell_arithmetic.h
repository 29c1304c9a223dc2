// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// The value of a shell's $((expression)): whole numbers, decimal, octal (010) or hexadecimal (0x10), names, + - * / % **, signs and
/// parentheses. Nothing where a name is not known, or the expression is another one, overflows 64 bits or divides by zero.
/// @param expression  what stands between the parentheses, its $NAMES already replaced
/// @param valueOf     the text of a variable that is named without a $
[[nodiscard]] std::optional<std::int64_t> shellArithmetic(std::string_view expression, const std::function<std::optional<std::string>(const std::string&)>& valueOf);

}  // namespace stagecraft
