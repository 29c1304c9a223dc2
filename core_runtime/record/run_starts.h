// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/records.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

struct RunInfo;

/// The starts of a run and what a later one took back: a start goes on from a checkpoint or from the beginning, and what earlier
/// starts recorded beyond that step is of a training that was given up. Window, report, export and list all ask here.
class RunStarts {
public:
    struct Start {
        std::int64_t timeNs = 0;       ///< wall clock
        std::int64_t resumedFrom = 0;  ///< goes on after this global step, 0 = from the beginning
    };

    /// Takes a run_started event; anything else is passed over. @return the start it tells of
    std::optional<Start> add(const EventRecord& event);
    /// The last start as run.json has it, for a record whose events are damaged.
    void add(const RunInfo& info);
    void clear() { m_starts.clear(); }

    /// Number of the start that recorded at `timeNs`, in order of time; 0 too for what is before the first.
    [[nodiscard]] int startAt(std::int64_t timeNs) const;
    /// Whether a later start took back what was recorded of global step `step` at `timeNs`.
    [[nodiscard]] bool tookBack(std::int64_t timeNs, std::int64_t step) const;
    [[nodiscard]] int count() const { return static_cast<int>(m_starts.size()); }

private:
    void insert(Start start);

    std::vector<Start> m_starts;        // by time
    std::vector<std::int64_t> m_kept;   // by start: the last of its steps that no later start took back
};

}  // namespace stagecraft
