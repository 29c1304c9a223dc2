// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_info.h"
#include "record/run_reader.h"
#include "schedule/schedule.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <vector>

namespace stagecraft {

/// What a calibration is made from: a run of our engine as it was recorded, its last start only.
struct ObservedRun {
    std::filesystem::path folder;
    RunInfo info;
    Workspace workspace;                           ///< as it was run
    Program program;                               ///< that every rank executed
    std::vector<std::vector<StepMetrics>> ranks;   ///< by rank, in order
    std::vector<Span> spans;                       ///< of rank 0, of its last steps
};

/// Reads a run folder. Of a long run only the last steps' spans are read.
/// @error NotFound, Io, InvalidInput: no run, or its workspace or schedule cannot be read
[[nodiscard]] Result<ObservedRun> observeRun(const std::filesystem::path& runFolder);

}  // namespace stagecraft
