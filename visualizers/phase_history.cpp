// SPDX-License-Identifier: GPL-3.0-or-later
#include "phase_history.h"

#include <algorithm>
#include <cmath>

namespace stagecraft {

void PhaseHistory::appendMean(std::int64_t step, const PhaseSeconds& seconds)
{
    for (std::size_t p = 0; p < seconds.size(); ++p)
        m_mean[p].append(step, seconds[p]);
}

void PhaseHistory::appendRank(int rank, std::int64_t step, const PhaseSeconds& seconds)
{
    std::deque<PhaseBar>& bars = m_ranks[rank];
    while (!bars.empty() && bars.back().begin >= step)
        bars.pop_back();
    bars.push_back({step, step + 1, seconds});
    if (bars.size() > kStepsPerRank)
        bars.pop_front();
}

void PhaseHistory::truncateFrom(std::int64_t step)
{
    for (SeriesPyramid& series : m_mean)
        series.truncateFrom(step);
    for (auto& [rank, bars] : m_ranks)
        while (!bars.empty() && bars.back().begin >= step)
            bars.pop_back();
}

void PhaseHistory::clear()
{
    for (SeriesPyramid& series : m_mean)
        series.clear();
    m_ranks.clear();
}

std::int64_t PhaseHistory::lastStep(int rank) const
{
    if (rank < 0)
        return m_mean[0].empty() ? 0 : m_mean[0].lastX();
    const auto found = m_ranks.find(rank);
    return found == m_ranks.end() || found->second.empty() ? 0 : found->second.back().begin;
}

std::vector<PhaseBar> PhaseHistory::newest(int rank, int count) const
{
    std::vector<PhaseBar> result;
    if (rank < 0) {
        const SeriesPyramid& first = m_mean[0];
        for (std::int64_t i = std::max<std::int64_t>(0, first.size() - count); i < first.size(); ++i) {
            PhaseBar bar{first.xAt(i), first.xAt(i) + 1, {}};
            for (std::size_t p = 0; p < bar.seconds.size(); ++p)
                bar.seconds[p] = m_mean[p].valueAt(i).value_or(0);
            result.push_back(bar);
        }
        return result;
    }
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return result;
    const std::size_t have = found->second.size();
    const std::size_t skip = have > static_cast<std::size_t>(count) ? have - static_cast<std::size_t>(count) : 0;
    result.assign(found->second.begin() + static_cast<std::ptrdiff_t>(skip), found->second.end());
    return result;
}

std::vector<PhaseBar> PhaseHistory::bars(int rank, double begin, double end, int most) const
{
    std::vector<PhaseBar> result;
    const auto first = static_cast<std::int64_t>(std::ceil(std::max(begin, 0.0)));
    const auto stop = std::min(static_cast<std::int64_t>(std::ceil(std::max(end, 0.0))), lastStep(rank) + 1);
    if (stop <= first || most < 1)
        return result;
    const std::int64_t each = (stop - first + most - 1) / most;
    if (rank < 0) {
        for (std::int64_t at = first; at < stop; at += each) {
            PhaseBar bar{at, std::min(at + each, stop), {}};
            const std::int64_t from = m_mean[0].lowerBound(bar.begin), to = m_mean[0].lowerBound(bar.end);
            if (from == to)
                continue;
            for (std::size_t p = 0; p < bar.seconds.size(); ++p) {
                const SeriesSummary summary = m_mean[p].summarize(from, to);
                bar.seconds[p] = summary.finite > 0 ? summary.mean() : 0;
            }
            result.push_back(bar);
        }
        return result;
    }
    const auto found = m_ranks.find(rank);
    if (found == m_ranks.end())
        return result;
    int inBar = 0;
    for (const PhaseBar& one : found->second) {
        if (one.begin < first || one.begin >= stop)
            continue;
        const std::int64_t at = first + (one.begin - first) / each * each;
        if (result.empty() || result.back().begin != at) {
            result.push_back({at, std::min(at + each, stop), {}});
            inBar = 0;
        }
        ++inBar;
        for (std::size_t p = 0; p < one.seconds.size(); ++p)   // running mean
            result.back().seconds[p] += (one.seconds[p] - result.back().seconds[p]) / inBar;
    }
    return result;
}

std::optional<PhaseSeconds> PhaseHistory::at(int rank, std::int64_t step) const
{
    if (rank >= 0) {
        const auto found = m_ranks.find(rank);
        if (found == m_ranks.end())
            return std::nullopt;
        const auto bar = std::lower_bound(found->second.begin(), found->second.end(), step, [](const PhaseBar& b, std::int64_t s) { return b.begin < s; });
        return bar != found->second.end() && bar->begin == step ? std::optional(bar->seconds) : std::nullopt;
    }
    const std::int64_t index = m_mean[0].lowerBound(step);
    if (index >= m_mean[0].size() || m_mean[0].xAt(index) != step || !m_mean[0].valueAt(index))
        return std::nullopt;
    PhaseSeconds seconds{};
    for (std::size_t p = 0; p < seconds.size(); ++p)
        seconds[p] = m_mean[p].valueAt(index).value_or(0);
    return seconds;
}

}  // namespace stagecraft
