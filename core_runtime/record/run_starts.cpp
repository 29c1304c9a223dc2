// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_starts.h"

#include "record/record_lines.h"
#include "record/run_info.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

std::optional<RunStarts::Start> RunStarts::add(const EventRecord& event)
{
    if (event.kind != "run_started") return std::nullopt;
    const double field = fieldNumber(event, "resumedFrom").value_or(0);
    const Start start{event.timeNs, field > 0 && field < 9e15 ? static_cast<std::int64_t>(field) : 0};
    insert(start);
    return start;
}

void RunStarts::add(const RunInfo& info)
{
    if (info.attempt > 0 && (m_starts.empty() || m_starts.front().timeNs >= info.startedNs)) insert({std::numeric_limits<std::int64_t>::min(), 0});
    insert({info.startedNs, std::max<std::int64_t>(0, info.resumedFrom)});
}

void RunStarts::insert(Start start)
{
    const auto at = std::upper_bound(m_starts.begin(), m_starts.end(), start.timeNs, [](std::int64_t time, const Start& other) { return time < other.timeNs; });
    if (at != m_starts.begin() && std::prev(at)->timeNs == start.timeNs) return;  // told twice
    m_starts.insert(at, start);
    m_kept.assign(m_starts.size(), std::numeric_limits<std::int64_t>::max());
    for (std::size_t i = m_starts.size() - 1; i > 0; --i) m_kept[i - 1] = std::min(m_kept[i], m_starts[i].resumedFrom);
}

int RunStarts::startAt(std::int64_t timeNs) const
{
    const auto after = std::upper_bound(m_starts.begin(), m_starts.end(), timeNs, [](std::int64_t time, const Start& start) { return time < start.timeNs; });
    return std::max(0, static_cast<int>(after - m_starts.begin()) - 1);
}

bool RunStarts::tookBack(std::int64_t timeNs, std::int64_t step) const
{
    return !m_starts.empty() && step > m_kept[static_cast<std::size_t>(startAt(timeNs))];
}

}  // namespace stagecraft
