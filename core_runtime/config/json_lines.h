// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// What edits of a text go by: where its lines begin and end, and what stands on them beside the values.

[[nodiscard]] constexpr bool isBlank(char c) { return c == ' ' || c == '\t'; }
[[nodiscard]] constexpr bool isLineEnd(char c) { return c == '\n' || c == '\r'; }
[[nodiscard]] bool holdsLineEnd(std::string_view text);
/// Whether there is nothing in it but blanks and line ends.
[[nodiscard]] bool isWhite(std::string_view text);

/// The first byte of the line of `offset`.
[[nodiscard]] std::size_t lineBeginOf(std::string_view text, std::size_t offset);
/// The blanks that the line of `offset` begins with.
[[nodiscard]] std::string lineIndent(std::string_view text, std::size_t offset);
/// Behind the end of the line that `offset` is in or at the end of; the text's size in its last line.
[[nodiscard]] std::size_t behindLineEnd(std::string_view text, std::size_t offset);
/// Behind the blanks and comments that follow `offset` on its own line.
[[nodiscard]] std::size_t behindLineComments(std::string_view text, std::size_t offset);

/// The first byte of a member or element, its key included, and the one behind it and its comma.
[[nodiscard]] inline std::size_t startOf(const JsonNode& node) { return node.keyEnd > node.keyBegin ? node.keyBegin : node.begin; }
[[nodiscard]] inline std::size_t endWithComma(const JsonNode& node) { return node.comma ? node.comma + 1u : node.end; }

/// The lines of an entry that shares them with nothing but the comments behind it.
struct OwnLines {
    std::size_t begin = 0;     ///< of the first line
    std::size_t end = 0;       ///< before the last line's end
    std::string_view comments; ///< empty = none
};

[[nodiscard]] std::optional<OwnLines> ownLines(const JsonDocument& document, int id);

}  // namespace stagecraft
