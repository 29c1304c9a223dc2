// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// A config that was copied out of a diff: lines that begin with + or -.
struct PastedDiff {
    std::size_t first = 0;  ///< byte of the first mark
    std::string after;      ///< the text with the lines of + and without those of -, its marks and the diff's own lines taken off
};

/// Nothing where `text` is none, or is no config without the marks.
[[nodiscard]] std::optional<PastedDiff> pastedDiff(std::string_view text);

}  // namespace stagecraft
