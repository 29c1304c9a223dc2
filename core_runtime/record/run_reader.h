// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "record/records.h"
#include "record/run_info.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

struct RankSpans {
    int rank = 0;
    std::vector<Span> spans;   ///< in the order written, which is nearly the order of endNs
};

/// What came to a run folder since the poll before.
struct RunUpdate {
    bool infoChanged = false;              ///< RunReader::info(), status() or recordProblem() differ from before
    std::vector<StepMetrics> steps;        ///< by rank, each rank's in the order written; see appendStep
    std::vector<EventRecord> events;
    std::vector<RankSpans> spans;
    bool more = false;                     ///< the budget ended the poll: there is more already, poll again
    [[nodiscard]] bool empty() const { return !infoChanged && steps.empty() && events.empty() && spans.empty() && !more; }
};

struct RunReaderOptions {
    bool steps = true;
    bool events = true;
    bool spans = true;
    std::int64_t spanTailBytes = -1;       ///< start so many bytes before the end of each spans.bin; -1 = at its start
};

/// Follows one run, live or finished: the same code for the terminal and the window. Only reads; never blocks on the run.
/// Torn, truncated, replaced and damaged files cost the damaged records only (`badRecords`). Not thread-safe.
class RunReader {
public:
    /// @error NotFound or InvalidInput when there is no readable run.json
    [[nodiscard]] static Result<RunReader> open(const std::filesystem::path& runFolder, RunReaderOptions options = {});
    RunReader(RunReader&&) noexcept;
    RunReader& operator=(RunReader&&) noexcept;
    ~RunReader();

    /// @param budgetBytes  the most to read of all files now, so that a long record opens in slices
    [[nodiscard]] RunUpdate poll(std::size_t budgetBytes = std::size_t{32} << 20);

    /// run.json as last read; its `status` is replaced by Lost when it says starting or running and nobody runs the folder.
    [[nodiscard]] const RunInfo& info() const;
    [[nodiscard]] RunStatus status() const { return info().status; }
    /// The run is over and the last poll brought nothing new: nothing will come.
    [[nodiscard]] bool atEnd() const;
    /// Why a live run is not being recorded now, in its supervisor's words; empty while all is written.
    [[nodiscard]] const std::string& recordProblem() const;
    [[nodiscard]] std::int64_t badRecords() const;
    [[nodiscard]] const std::filesystem::path& folder() const;

private:
    struct State;
    explicit RunReader(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// Adds a step to one rank's list, which stays sorted by step: when a resumed run repeats steps, the new ones replace the
/// old from there on.
void appendStep(std::vector<StepMetrics>& steps, const StepMetrics& step);

}  // namespace stagecraft
