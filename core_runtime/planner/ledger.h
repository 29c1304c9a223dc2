// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Phases of a step in the order in which they are compared for the peak.
inline constexpr std::string_view kPhases[] = {"init", "forward", "backward", "step", "save", "eval"};

/// Collects the items of one role and sums them per phase.
///
/// Totals count Place::Device only: what lies on the host, pinned or on NVMe has its own items and no part in the peak.
class LedgerBuilder {
public:
    /// @param brief sums only: no items and no words, for scoring many layouts
    LedgerBuilder(std::string role, std::int64_t ranks, bool brief = false);

    struct Why {
        std::string why, formula, numbers, source;
    };
    /// Adds bytes that are alive in the phases of the word `phase`; nothing for zero bytes.
    /// @param why makes the words; called only when they are wanted
    template <class MakeWhy>
    void add(const char* what, Place where, std::int64_t bytes, const char* phase, MakeWhy why)
    {
        if (!count(where, bytes, phase) || m_brief) return;
        Why words = why();
        m_role.items.push_back({what, where, bytes, phase, std::move(words.why), std::move(words.formula), std::move(words.numbers), std::move(words.source)});
    }
    template <class MakeWhy>
    void add(const char* what, std::int64_t bytes, const char* phase, MakeWhy why)
    {
        add(what, Place::Device, bytes, phase, std::move(why));
    }

    /// @param phases   those that exist in this plan; the peak is the largest of them, the earlier one on a tie
    /// @param reserved gives the allocator's reservation for an allocated sum
    /// @param context  bytes outside the allocator: device context, libraries, collective channels
    template <class Reserved>
    [[nodiscard]] LedgerRole finish(std::initializer_list<std::string_view> phases, Reserved reserved, std::int64_t context) &&
    {
        return std::move(*this).finish(std::span<const std::string_view>(phases.begin(), phases.size()), std::move(reserved), context);
    }
    template <class Reserved>
    [[nodiscard]] LedgerRole finish(std::span<const std::string_view> phases, Reserved reserved, std::int64_t context) &&
    {
        for (const std::string_view phase : phases) {
            LedgerPeak total;
            total.phase = std::string(phase);
            total.allocated = aliveIn(phase);
            total.reserved = reserved(total.allocated);
            total.process = total.reserved + context;
            if (m_role.peak.phase.empty() || total.allocated > m_role.peak.allocated) m_role.peak = total;
            if (!m_brief) m_role.phases.push_back(std::move(total));
        }
        return std::move(m_role);
    }

    [[nodiscard]] std::int64_t aliveIn(std::string_view phase) const;
    [[nodiscard]] std::int64_t offDevice() const { return m_offDevice; }
    /// Every item on the device once, whatever its phase.
    [[nodiscard]] std::int64_t everAlive() const { return m_ever; }

private:
    bool count(Place where, std::int64_t bytes, std::string_view phase);

    LedgerRole m_role;
    bool m_brief = false;
    std::array<std::int64_t, std::size(kPhases)> m_sums{};
    std::int64_t m_offDevice = 0, m_ever = 0;
};

/// Whether an item whose phase word is `alive` ("all", "forward|backward", ...) is there in `phase`.
[[nodiscard]] bool isAlive(std::string_view alive, std::string_view phase);

/// x as bytes, rounded to the nearest; what exceeds 2^62 becomes 2^62, what is not a number 0: sums stay within 64 bits.
[[nodiscard]] inline std::int64_t toBytes(double x)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 62;
    if (!(x > 0)) return 0;
    if (x >= static_cast<double>(kMost)) return kMost;
    // Halves up, as std::llround() for what is positive: the remainder is exact, and a search calls nothing a million times.
    const auto whole = static_cast<std::int64_t>(x);
    return whole + (x - static_cast<double>(whole) >= 0.5 ? 1 : 0);
}

}  // namespace stagecraft
