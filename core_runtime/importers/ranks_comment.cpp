// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/ranks_comment.h"

#include <algorithm>
#include <charconv>

namespace stagecraft {

namespace {

constexpr std::string_view kRanks = "# stagecraft: ranks ";
constexpr std::string_view kNodes = ", nodes ";
constexpr int kMost = 1'000'000;

}  // namespace

std::string ranksComment(int ranks, int nodes)
{
    return std::string(kRanks) + std::to_string(ranks) + std::string(kNodes) + std::to_string(nodes) + "\n";
}

std::optional<RanksComment> readRanksComment(std::string_view text)
{
    int line = 1;
    for (std::size_t at = 0; at < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view row = text.substr(at, end - at);
        at = end + 1;
        if (!row.starts_with(kRanks)) {
            continue;
        }
        RanksComment found{0, 0, line};
        const char* const last = row.data() + row.size();
        const auto ranks = std::from_chars(row.data() + kRanks.size(), last, found.ranks);
        const std::string_view rest(ranks.ptr, static_cast<std::size_t>(last - ranks.ptr));
        const auto nodes = rest.starts_with(kNodes) ? std::from_chars(rest.data() + kNodes.size(), last, found.nodes) : std::from_chars_result{last, std::errc::invalid_argument};
        const bool fits = ranks.ec == std::errc() && nodes.ec == std::errc() && found.ranks >= 1 && found.ranks <= kMost && found.nodes >= 1 && found.ranks % found.nodes == 0;
        return fits ? std::optional(found) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace stagecraft
