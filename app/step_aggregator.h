// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/records.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace stagecraft::app {

/// Puts the ranks' lines of a step together. Ranks report a step at different times, and a file may be read far ahead of
/// another; steps come out in order, each once all ranks have reported it or gone past it. A resumed run repeats steps: they
/// come out again, and the consumer replaces what it has from there on.
class StepAggregator {
public:
    struct Step {
        std::int64_t step = 0;
        int attempt = 0;             ///< start of the run it belongs to
        int ranks = 0;               ///< that reported it
        StepMetrics any;             ///< the newest line: loss, learning rate, norm and tokens/s are the same on all ranks
        double slowestSeconds = 0;   ///< the longest stepSeconds
        std::array<double, kPhaseCount> meanPhases{};
    };

    /// @param world  ranks of the run, >= 1
    void setWorld(int world);
    /// @param attempt  which start of the run it is of: a later one does steps again, or fewer of them
    void add(const StepMetrics& metrics, int attempt = 0);
    /// Steps that are complete, in order. @param all  also those that some rank will never report: the run is over
    [[nodiscard]] std::vector<Step> take(bool all);
    void clear();

private:
    int m_world = 1;
    using Key = std::pair<int, std::int64_t>;   // attempt, step
    std::map<int, Key> m_lastStep;              // by rank
    std::map<Key, Step> m_pending;
};

}  // namespace stagecraft::app
