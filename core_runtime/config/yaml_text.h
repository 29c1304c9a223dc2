// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace stagecraft {

/// Where the first key stands of a text that is a mapping in YAML with another one, or a list, in it; nothing for any other text: of lines
/// that are flat DeepSpeed's reader makes the same as YAML's. One pass over it.
[[nodiscard]] std::optional<std::size_t> yamlMapping(std::string_view text);

}  // namespace stagecraft
