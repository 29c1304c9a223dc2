// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"

#include <optional>
#include <string_view>

namespace stagecraft {

/// Words and fences round the one config that a text holds: an answer copied from a chat, a script's assignment.
struct TextAround {
    ByteRange config;        ///< from its first brace to its last
    std::size_t first = 0;   ///< byte at which what surrounds it begins, blanks left out
    std::size_t second = 0;  ///< byte at which another config begins; 0 where there is none
};

/// Where a text that cannot be read holds an object that can be, with at least one key, and something else round it. What stands in
/// fences of Markdown goes before what stands in its sentences. Nothing where the object may be part of what surrounds it. One pass over
/// the text, and one read at most of each object in it.
[[nodiscard]] std::optional<TextAround> textAround(std::string_view text);

}  // namespace stagecraft
