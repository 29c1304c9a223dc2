// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"

namespace stagecraft {

/// How a text is laid out, taken from the text itself, so that what is added looks as if its author had written it.
struct JsonStyle {
    std::string newline = "\n";   ///< "\n", "\r\n" or "\r": the text's first
    std::string indent = "  ";    ///< one level
    bool singleLine = false;      ///< the whole text stands on one line
};
[[nodiscard]] JsonStyle styleOf(const JsonDocument& document);

/// `value` as text: short lists on one line, objects over several, numbers in the shortest digits, their exponents as people write them (1e-5).
/// @param depth  level of the line the value starts on
[[nodiscard]] std::string formatJson(const nlohmann::json& value, const JsonStyle& style, int depth = 0);

/// Edits by JSON Pointer. Each returns one edit that leaves every byte outside the value (and its comma) as it was.
/// `valueText` is strict JSON and is taken as spelled (5e8 stays 5e8); lines in it are re-indented.

/// Replaces the value, or adds it together with the objects missing above it.
/// @error InvalidArgument when `valueText` is no JSON, or an element of a list is missing; Refused when a value above is no object
[[nodiscard]] Result<TextEdit> setEdit(const JsonDocument& document, std::string_view pointer, std::string_view valueText);

/// JSON Patch "add" semantics: a list index inserts before, "-" appends, an existing key is replaced.
[[nodiscard]] Result<TextEdit> insertEdit(const JsonDocument& document, std::string_view pointer, std::string_view valueText);

/// Takes a member or element out, with its comma and, where it has lines of its own, those lines; a comment behind it stays, on a line
/// of its own.
/// @error NotFound; Refused for the root
[[nodiscard]] Result<TextEdit> removeEdit(const JsonDocument& document, std::string_view pointer);

/// Whether the comments that share the lines of an entry with nothing else stay when it goes.
enum class LineComments { Stay, Go };
/// The same for one node, where a key stands there twice. @pre `id` is not the root
[[nodiscard]] TextEdit removeNodeEdit(const JsonDocument& document, int id, LineComments comments);

/// Gives a member another key in its place. @error NotFound; Refused when the object has that key
[[nodiscard]] Result<TextEdit> renameEdit(const JsonDocument& document, std::string_view pointer, std::string_view newKey);

/// JSON Patch (RFC 6902: add, remove, replace, move, copy, test) as edits to apply in order, each to the text the one
/// before left. A move inside one object is a rename and keeps its place.
/// @error InvalidArgument for a malformed patch; what the single edits give; Refused when a test fails
[[nodiscard]] Result<std::vector<TextEdit>> patchEdits(const JsonDocument& document, const nlohmann::json& patch);

}  // namespace stagecraft
