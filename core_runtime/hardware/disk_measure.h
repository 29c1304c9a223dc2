// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {

/// How fast files in a folder are written and read: what states that are swapped to it wait for.
struct DiskMeasure {
    std::filesystem::path folder;   ///< absolute
    double readBytes = 0;           ///< bytes/s, the page cache asked to drop the file first
    double writeBytes = 0;          ///< bytes/s, fsync included
    double spread = 0;              ///< relative, of the worse of the two
    std::string measuredAt;         ///< UTC, "2026-11-21T15:40:00Z"

    /// Bytes/s where as much is read as written.
    [[nodiscard]] double rate() const { return 2 / (1 / readBytes + 1 / writeBytes); }
};

/// Writes and reads a file of that size in a folder three times; it has no name, so that nothing is left behind however this ends.
/// @param folder  is there and writable
/// @error Io naming the folder
[[nodiscard]] Result<DiskMeasure> measureDisk(const std::filesystem::path& folder, std::int64_t bytes);

/// disks.json beside the folder that holds the runs.
[[nodiscard]] std::filesystem::path diskMeasureFile(const std::filesystem::path& runsRoot);
/// None where there is no file.
/// @error Io, InvalidInput naming file and field
[[nodiscard]] Result<std::vector<DiskMeasure>> loadDiskMeasures(const std::filesystem::path& file);
/// In place of what was kept of the same folder. What the file has and cannot be read gives way.
[[nodiscard]] Result<void> keepDiskMeasure(const std::filesystem::path& file, const DiskMeasure& measure);
[[nodiscard]] nlohmann::ordered_json diskMeasureToJson(const DiskMeasure& measure);

/// The measure of the folder that `path` lies in, the innermost of several; nullptr where none was measured. Looks at names alone.
[[nodiscard]] const DiskMeasure* diskMeasureOf(const std::vector<DiskMeasure>& measures, const std::filesystem::path& path);

}  // namespace stagecraft
