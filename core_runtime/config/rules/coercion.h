// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/release_facts.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft::rules {

/// What pydantic makes of a value for a plain type.
struct Coerced {
    enum class Outcome { Fits, WrongType, OutOfRange };
    Outcome outcome = Outcome::WrongType;
    ConfigValue value;
};

/// Applies pydantic's lax rules (`pydantic` 1 or 2) for a type that holds no other type.
[[nodiscard]] Coerced coerce(const TypeFacts& type, const ConfigValue& from, int pydantic);

/// float(text) of Python: white space, underscores, inf and nan included.
[[nodiscard]] std::optional<double> pythonFloat(std::string_view text);

/// "true" or "false", as JSON, for what people write in the place of a switch: "yes", "Off", 1, "0", null. Empty for anything else.
[[nodiscard]] std::string switchMeant(const ConfigValue& value);

/// A number as a person writes it: no trailing zeros.
[[nodiscard]] std::string shortNumber(double number);

/// The word of `words` that `word` was probably meant to be: at most two edits away (one for short words); empty when none, or two as near.
[[nodiscard]] std::string nearestWord(const std::string& word, const std::vector<std::string>& words);

/// The words as near as the nearest one, or up to `slack` edits further: of several, nobody can tell which was meant. Also of three letters.
[[nodiscard]] std::vector<std::string> nearestWords(const std::string& word, const std::vector<std::string>& words, std::size_t slack);

/// A key people put into the wrong section, and where it belongs.
struct Misplaced {
    std::string_view section;
    std::string_view key;
    std::string_view rule;
    std::string_view message;
    std::string_view moveTo;  ///< pointer for the fix; empty = only remove
    std::string_view where;
};
[[nodiscard]] const Misplaced* findMisplaced(std::string_view section, std::string_view key);

}  // namespace stagecraft::rules
