// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stagecraft {

/// What arithmetic on plain numbers comes to: 4 * 2, 2**20, (1 + 2) * 3.
struct WorkedOut {
    std::size_t length = 0;  ///< bytes of it; 0 where there is none
    std::string json;
};

/// What `text` begins with, where it is that and has an operator in it. Whole numbers that divide without a rest give a whole number. A minus and
/// a slash need a blank before them: 2024-10-12 is none.
[[nodiscard]] WorkedOut workedOut(std::string_view text);

}  // namespace stagecraft
