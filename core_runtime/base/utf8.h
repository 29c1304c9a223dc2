// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace stagecraft {

/// Bytes of the character that begins at byte `at` of `text` (at < text.size()); 0 where no character of UTF-8 (RFC 3629: no
/// surrogates, no overlong forms) does.
[[nodiscard]] std::size_t characterBytes(std::string_view text, std::size_t at);

/// Offset of the first byte that is not UTF-8.
[[nodiscard]] std::optional<std::size_t> firstBadByte(std::string_view text);

}  // namespace stagecraft
