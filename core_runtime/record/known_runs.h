// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace stagecraft {

/// Where the runs that lie outside `runsRoot` are noted: one absolute path a line, appended to, so that starts in the same
/// instant do not lose each other's note.
[[nodiscard]] std::filesystem::path knownRunsFile(const std::filesystem::path& runsRoot);

/// Notes a run folder that lies outside `runsRoot`, so that the list of runs has it too. Makes `runsRoot` when it is not there;
/// folders without a run in them are forgotten on the way. A folder directly under `runsRoot` needs no note.
/// @error Io
[[nodiscard]] Result<void> noteRun(const std::filesystem::path& runsRoot, const std::filesystem::path& runFolder);

/// The noted folders that hold a run now. Empty when there is no such file or it cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> notedRuns(const std::filesystem::path& runsRoot);

}  // namespace stagecraft
