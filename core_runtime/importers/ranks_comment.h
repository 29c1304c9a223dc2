// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stagecraft {

/// A comment line with the ranks of a job and the nodes they stand on, for files of tools that have no key for them.
[[nodiscard]] std::string ranksComment(int ranks, int nodes);

struct RanksComment {
    int ranks = 0;
    int nodes = 0;
    int line = 0;  ///< 1-based
};

/// The first such line in `text`; nothing where there is none, or one whose numbers make no job.
[[nodiscard]] std::optional<RanksComment> readRanksComment(std::string_view text);

}  // namespace stagecraft
