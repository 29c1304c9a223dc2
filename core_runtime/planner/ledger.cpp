// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/ledger.h"

#include <algorithm>
#include <cassert>

namespace stagecraft {

namespace {
constexpr std::int64_t kMost = std::int64_t{1} << 62;
}

bool isAlive(std::string_view alive, std::string_view phase)
{
    if (alive == "all") return true;
    while (!alive.empty()) {
        const std::size_t end = std::min(alive.find('|'), alive.size());
        if (alive.substr(0, end) == phase) return true;
        alive.remove_prefix(std::min(end + 1, alive.size()));
    }
    return false;
}

LedgerBuilder::LedgerBuilder(std::string role, std::int64_t ranks, bool brief) : m_brief(brief)
{
    m_role.role = std::move(role);
    m_role.ranks = ranks;
}

bool LedgerBuilder::count(Place where, std::int64_t bytes, std::string_view phase)
{
    assert(bytes >= 0);
    if (bytes <= 0) return false;
    // Sums stop at 2^62 instead of overflowing.
    const auto addTo = [&](std::int64_t& sum) { sum = bytes > kMost - sum ? kMost : sum + bytes; };
    if (where != Place::Device) {
        addTo(m_offDevice);
        if (where == Place::Host || where == Place::Pinned) addTo(m_role.hostBytes);
        return true;
    }
    addTo(m_ever);
    if (phase == "all") {
        for (std::int64_t& sum : m_sums) addTo(sum);
        return true;
    }
    // As isAlive() for each phase, but read once: a search counts dozens of items for every layout.
    while (!phase.empty()) {
        const std::size_t end = std::min(phase.find('|'), phase.size());
        for (std::size_t i = 0; i < m_sums.size(); ++i) {
            if (kPhases[i].front() == phase.front() && kPhases[i] == phase.substr(0, end)) addTo(m_sums[i]);
        }
        phase.remove_prefix(std::min(end + 1, phase.size()));
    }
    return true;
}

std::int64_t LedgerBuilder::aliveIn(std::string_view phase) const
{
    for (std::size_t i = 0; i < m_sums.size(); ++i) {
        if (!phase.empty() && kPhases[i].front() == phase.front() && kPhases[i] == phase) return m_sums[i];
    }
    return 0;
}

}  // namespace stagecraft
