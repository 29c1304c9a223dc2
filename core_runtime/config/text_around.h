// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Words and fences round what a text holds of configs: an answer copied from a chat, a script's assignment, two files in one.
struct TextAround {
    std::vector<ByteRange> configs;  ///< each from its first brace to its last, in the order of the text; at least one
    std::size_t first = 0;           ///< byte at which what surrounds a single one begins, blanks left out
};

/// Where a text that cannot be read holds a config and something else round it, or several configs, whatever is wrong inside them. What
/// stands in fences of Markdown goes before what stands in its sentences; comments are not looked at as surroundings. Nothing where the
/// braces may be part of what stands before them. One pass over the text, bounded in what it starts anew.
[[nodiscard]] std::optional<TextAround> textAround(std::string_view text);

/// `text` with blanks in the place of all that stands outside `config`, so that every line and column of the config stays what it is.
[[nodiscard]] std::string withoutAround(std::string_view text, const ByteRange& config);

}  // namespace stagecraft
