// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_starts.h"

#include "record/record_lines.h"
#include "record/run_info.h"

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace {

std::optional<std::int64_t> integerField(const EventRecord& event, const char* name, double most)
{
    const std::optional<double> field = fieldNumber(event, name);
    if (!field || !(*field >= 0 && *field < most)) return std::nullopt;
    return static_cast<std::int64_t>(*field);
}

constexpr double kMostSteps = 9e15, kMostAttempts = 2e9;

}  // namespace

std::optional<RunStarts::Start> RunStarts::add(const EventRecord& event)
{
    if (event.kind == "checkpoint_saved" && !m_starts.empty()) {
        if (const auto step = integerField(event, "step", kMostSteps)) m_saved[*step] = event.attempt >= 0 ? startOf(event) : count() - 1;
        return std::nullopt;
    }
    if (event.kind != "run_started") return std::nullopt;
    Start start;
    start.timeNs = event.timeNs;
    start.resumedFrom = integerField(event, "resumedFrom", kMostSteps).value_or(0);
    if (const auto attempt = integerField(event, "resumedAttempt", kMostAttempts)) start.resumedAttempt = static_cast<int>(*attempt);
    const auto attempt = integerField(event, "attempt", kMostAttempts);
    start.attempt = attempt ? static_cast<int>(*attempt) : m_starts.empty() ? 0 : m_starts.back().start.attempt + 1;
    for (const Entry& other : m_starts)
        if (other.known && other.start.attempt == start.attempt && other.start.timeNs == start.timeNs) return start;  // told twice
    append(start);
    return start;
}

void RunStarts::add(const RunInfo& info)
{
    for (const Entry& entry : m_starts)
        if (entry.known && entry.start.attempt == info.attempt) return;
    if (info.attempt >= 0) append({info.attempt, info.startedNs, std::max<std::int64_t>(0, info.resumedFrom), info.resumedAttempt});
}

void RunStarts::append(const Start& start)
{
    // Attempts whose own event is not to be read were there all the same, and what they recorded says whose it is.
    const int expected = m_starts.empty() ? 0 : m_starts.back().start.attempt + 1;
    if (start.attempt > expected) {
        Entry gap;
        gap.start = {start.attempt - 1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), std::nullopt};
        gap.first = expected;
        gap.known = false;
        gap.parent = count() - 1;
        m_ofAttempt[gap.start.attempt].push_back(count());
        m_starts.push_back(gap);
    }
    Entry entry;
    entry.start = start;
    entry.first = start.attempt;
    if (start.resumedFrom > 0 && !m_starts.empty()) {
        entry.parent = count() - 1;
        if (const auto saved = m_saved.find(start.resumedFrom); saved != m_saved.end()) entry.parent = saved->second;
        if (start.resumedAttempt)
            if (const auto at = m_ofAttempt.lower_bound(*start.resumedAttempt); at != m_ofAttempt.end() && m_starts[static_cast<std::size_t>(at->second.back())].first <= *start.resumedAttempt)
                entry.parent = at->second.back();
    }
    const int index = count();
    m_ofAttempt[start.attempt].push_back(index);
    const std::pair<std::int64_t, int> time{start.timeNs, index};
    m_byTime.insert(std::upper_bound(m_byTime.begin(), m_byTime.end(), time), time);
    m_starts.push_back(entry);
    keepTheLine();
}

void RunStarts::keepTheLine()
{
    for (Entry& entry : m_starts) entry.kept = -1;
    std::int64_t kept = std::numeric_limits<std::int64_t>::max();
    for (int at = count() - 1; at >= 0;) {  // a parent is always before its child
        Entry& entry = m_starts[static_cast<std::size_t>(at)];
        entry.kept = kept;
        kept = std::min(kept, entry.start.resumedFrom);
        at = entry.parent;
    }
}

int RunStarts::startOf(int attempt, std::int64_t timeNs) const
{
    if (attempt < 0) return startOfTime(timeNs);
    const auto at = m_ofAttempt.lower_bound(attempt);
    if (at == m_ofAttempt.end()) return std::max(0, count() - 1);  // its start is not read yet
    const std::vector<int>& same = at->second;
    // The last of them that began before it.
    const auto later = std::find_if(same.rbegin(), same.rend(), [&](int index) { return m_starts[static_cast<std::size_t>(index)].start.timeNs <= timeNs; });
    return same.size() == 1 || later == same.rend() ? same.front() : *later;
}

int RunStarts::startOfTime(std::int64_t timeNs) const
{
    const auto after = std::upper_bound(m_byTime.begin(), m_byTime.end(), timeNs, [](std::int64_t time, const auto& start) { return time < start.first; });
    return after == m_byTime.begin() ? 0 : std::prev(after)->second;
}

bool RunStarts::tookBack(int start, std::int64_t step) const
{
    return !m_starts.empty() && step > m_starts[static_cast<std::size_t>(start)].kept;
}

}  // namespace stagecraft
