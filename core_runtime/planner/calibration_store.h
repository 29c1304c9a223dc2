// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/calibration.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {

/// What is kept in a folder: one file ID.json each. Beside observed_run.h the only part of the planner that touches the disk.
struct KeptCalibrations {
    std::vector<Calibration> calibrations;  ///< newest run first
    std::string problem;                    ///< one sentence where files had to be passed over, else empty
};

/// The folder "calibrations" beside the folder that holds the runs.
[[nodiscard]] std::filesystem::path calibrationsFolder(const std::filesystem::path& runsRoot);

/// Reads what is kept. A folder that is not there holds nothing; broken, foreign and huge files are passed over.
[[nodiscard]] KeptCalibrations loadCalibrations(const std::filesystem::path& folder);

/// Those of `kept` that were measured on this machine with this release: what a plan made here may use.
[[nodiscard]] std::vector<Calibration> calibrationsOf(const KeptCalibrations& kept, const MachineHost& now);

/// Keeps a calibration, in place of the one of the same run. @error Io
[[nodiscard]] Result<void> keepCalibration(const std::filesystem::path& folder, const Calibration& calibration);

/// The id that `text` means: an id, the beginning of just one, or the path or name of a run folder it was made from.
/// @error NotFound; InvalidArgument when several begin so
[[nodiscard]] Result<std::string> findCalibration(const KeptCalibrations& kept, std::string_view text);

/// @error NotFound, Io
[[nodiscard]] Result<void> removeCalibration(const std::filesystem::path& folder, const std::string& id);

}  // namespace stagecraft
