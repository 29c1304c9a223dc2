// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/records.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace stagecraft {

struct RunInfo;

/// The starts of a run and what is left of each: a start goes on from the beginning or from a checkpoint that some earlier start
/// trained, which need not be the one before it. What counts is the line from the first step to the newest start; everything else
/// that was recorded is of a training that was given up. Window, report, export and list all ask here.
///
/// Records say by number which start they are of. Those of earlier releases do not: they are told apart by the wall clock, and a
/// start goes on from the last one before it that saved the step.
class RunStarts {
public:
    struct Start {
        int attempt = 0;                ///< its number, as RunInfo::attempt
        std::int64_t timeNs = 0;        ///< wall clock
        std::int64_t resumedFrom = 0;   ///< goes on after this global step, 0 = from the beginning
        std::optional<int> resumedAttempt;  ///< of the start that trained that step, where it was recorded
    };

    /// Takes the events of a run in the order written; they are kept as far as they tell of starts. @return the start it tells of
    std::optional<Start> add(const EventRecord& event);
    /// The last start as run.json has it, for a record whose events are damaged.
    void add(const RunInfo& info);
    void clear() { *this = {}; }

    /// Which start it is of, counted from 0 in the order of the starts; 0 too for what is before the first.
    [[nodiscard]] int startOf(const StepMetrics& step) const { return startOf(step.attempt, step.timeNs); }
    [[nodiscard]] int startOf(const EventRecord& event) const { return startOf(event.attempt, event.timeNs); }
    /// Whether what was recorded of global step `step` is of a training that was given up.
    [[nodiscard]] bool tookBack(const StepMetrics& step) const { return tookBack(startOf(step), step.step); }
    [[nodiscard]] bool tookBack(const EventRecord& event, std::int64_t step) const { return tookBack(startOf(event), step); }
    [[nodiscard]] bool tookBack(int start, std::int64_t step) const;
    [[nodiscard]] int count() const { return static_cast<int>(m_starts.size()); }

private:
    struct Entry {
        Start start;
        int first = 0;          // of several attempts that nothing is known of but that they were; else start.attempt
        bool known = true;
        int parent = -1;        // index of the start it goes on from
        std::int64_t kept = 0;  // the last of its steps that counts
    };
    [[nodiscard]] int startOf(int attempt, std::int64_t timeNs) const;
    [[nodiscard]] int startOfTime(std::int64_t timeNs) const;
    void append(const Start& start);
    void keepTheLine();

    std::vector<Entry> m_starts;                          // in the order written
    std::map<int, std::vector<int>> m_ofAttempt;          // attempt -> indices; several where a damaged run.json let the count begin anew
    std::vector<std::pair<std::int64_t, int>> m_byTime;   // known ones: time, index
    std::map<std::int64_t, int> m_saved;                  // step -> the start that saved it last
};

}  // namespace stagecraft
