// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "record/records.h"
#include "record/run_info.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

/// Everything a run has recorded up to now, but its spans.
struct RunRecord {
    std::filesystem::path folder;
    RunInfo info;                                  ///< `status` is Lost for a run that died
    /// One list a rank, by step, without what a later start took back (run_starts.h). Ranks beyond info.world are of an earlier
    /// start that had more: see rankCount.
    std::vector<std::vector<StepMetrics>> ranks;
    std::vector<EventRecord> events;
    std::int64_t badRecords = 0;
};

/// Reads a whole run. @error as RunReader::open
[[nodiscard]] Result<RunRecord> loadRunRecord(const std::filesystem::path& runFolder);

/// How many ranks the last start of the run had, of those with a list.
[[nodiscard]] std::size_t rankCount(const RunRecord& record);

/// The steps of `rank` that the last start of the run made; empty when there are none.
[[nodiscard]] std::vector<StepMetrics> stepsOfLastStart(const RunRecord& record, std::size_t rank);

/// The evaluations of the training that the run's steps are of, as (global step, loss) by step: none that a later start took back.
[[nodiscard]] std::vector<std::pair<std::int64_t, double>> validationLosses(const RunRecord& record);

/// A checkpoint that the last start of a run could not write.
struct FailedSave {
    std::int64_t step = 0;   ///< global
    int rank = 0;            ///< that says why
    std::string message;
};
/// By time, one a step and the newest 100 at most.
[[nodiscard]] std::vector<FailedSave> failedSaves(const RunRecord& record);

/// The middle of the finite ones (the mean of the two middle ones), NaN without any.
[[nodiscard]] double medianOf(std::vector<double> values);

/// The middle of the steps' times in seconds (mean of the two middle ones), NaN without steps.
[[nodiscard]] double medianStepSeconds(const std::vector<StepMetrics>& steps);
/// The same of the job's tokens per second.
[[nodiscard]] double medianTokensPerSecond(const std::vector<StepMetrics>& steps);

/// What `stagecraft run --json` prints at the end (CONTRACT, "run"), of the last start. Numbers that are not finite are null.
[[nodiscard]] nlohmann::ordered_json runAnswer(const RunRecord& record);

/// `null` for null, else `{"rank", "kind", "message", "lastOp"}`.
[[nodiscard]] nlohmann::ordered_json failureToJson(const std::optional<RunFailure>& failure);

}  // namespace stagecraft
