// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "phases_layout.h"
#include "series_pyramid.h"

#include <deque>
#include <map>

namespace stagecraft {

/// Phases of all steps as the mean over ranks, and of the newest steps for each rank.
class PhaseHistory {
public:
    static constexpr std::size_t kStepsPerRank = 512;

    /// The mean over the ranks of one step. A step at or before the last replaces from there on.
    void appendMean(std::int64_t step, const PhaseSeconds& seconds);
    void appendRank(int rank, std::int64_t step, const PhaseSeconds& seconds);
    /// Forgets `step` and all later ones.
    void truncateFrom(std::int64_t step);
    void clear();

    /// Newest step; 0 when there is none. @param rank  -1 = the mean
    [[nodiscard]] std::int64_t lastStep(int rank) const;
    /// At most `most` bars over the steps in [begin, end), each the mean of as many steps; fewer where steps are missing.
    [[nodiscard]] std::vector<PhaseBar> bars(int rank, double begin, double end, int most) const;
    /// The newest `count` steps, one bar each.
    [[nodiscard]] std::vector<PhaseBar> newest(int rank, int count) const;
    /// One step's phases, nothing where only summaries are left or the step is unknown.
    [[nodiscard]] std::optional<PhaseSeconds> at(int rank, std::int64_t step) const;

private:
    std::array<SeriesPyramid, kPhaseCount> m_mean;
    std::map<int, std::deque<PhaseBar>> m_ranks;
};

}  // namespace stagecraft
