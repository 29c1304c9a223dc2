// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// A value as Python spells it, which begins a text: what JSON has in its place.
struct PythonValue {
    enum class Kind : std::uint8_t {
        Tuple,   ///< (0.9, 0.95)
        Number,  ///< int(5e8), float(1), one value in parentheses, or arithmetic: 4 * 2
        Text,    ///< in three double quotes
        Dict,    ///< dict(enabled=True)
        Quoted,  ///< in quotes with a letter before them: r'C:\new', u"x"
    };
    Kind kind = Kind::Tuple;
    std::size_t length = 0;  ///< bytes of it
    std::string json;        ///< on one line
};

/// What `text` begins with, where it is one of those, holds plain values alone and ends there for its author. One pass over it.
[[nodiscard]] std::optional<PythonValue> pythonValue(std::string_view text);

/// Whether `text` begins with a quote that has r or u before it.
[[nodiscard]] bool beginsPrefixed(std::string_view text);

/// Where a text in three double quotes that begins at `at` ends; npos where none begins there, or it does not end.
[[nodiscard]] std::size_t behindTripleQuotes(std::string_view text, std::size_t at);

/// From `at` to the end of the line in which the value there ends.
[[nodiscard]] std::string_view restOfLine(std::string_view text, std::size_t at);

}  // namespace stagecraft
