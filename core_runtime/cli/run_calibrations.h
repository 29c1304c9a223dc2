// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft::cli {

/// `runs calibrate`: learns from a run and keeps it. @return the exit code
[[nodiscard]] int calibrateFromRun(const std::filesystem::path& runFolder, const std::filesystem::path& runsRoot, bool json);

/// `runs calibrations`: what is kept, with its evidence; first removes those named. @return the exit code
[[nodiscard]] int showCalibrations(const std::filesystem::path& runsRoot, const std::vector<std::string>& removed, bool json);

}  // namespace stagecraft::cli
