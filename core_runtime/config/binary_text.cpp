// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/binary_text.h"

#include <algorithm>

namespace stagecraft {

bool isBinary(std::string_view bytes)
{
    constexpr std::size_t kLookedAt = std::size_t{1} << 16;
    constexpr std::size_t kShare = 50;  // one control character in so many bytes: text has next to none, evenly spread bytes one in nine
    if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
        return false;  // UTF-16 says so itself
    }
    const std::string_view looked = bytes.substr(0, kLookedAt);
    const auto isControl = [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && byte != 0 && byte != '\t' && byte != '\n' && byte != '\r' && byte != '\f' && byte != 0x1B) || byte == 0x7F;  // zeros are half of UTF-16
    };
    const auto controls = static_cast<std::size_t>(std::count_if(looked.begin(), looked.end(), isControl));
    return controls >= 2 && controls * kShare > looked.size();
}

}  // namespace stagecraft
