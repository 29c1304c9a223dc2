// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// Bytes of what a template's engine or a person was to fill in at the begin of `rest`; 0 where nothing of the kind stands there.
[[nodiscard]] std::size_t placeholderLength(std::string_view rest);

/// The text without its placeholders: a key goes with the one that stands for its value, tags and dots between keys go alone. Nothing where it cannot be read afterwards.
[[nodiscard]] std::optional<std::string> withoutPlaceholders(std::string_view text);

}  // namespace stagecraft
