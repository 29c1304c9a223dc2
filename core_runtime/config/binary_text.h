// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace stagecraft {

/// Whether bytes that are no UTF-8 are no text in another encoding either: an archive, an image, weights. Looks at the first 64 KiB.
[[nodiscard]] bool isBinary(std::string_view bytes);

}  // namespace stagecraft
