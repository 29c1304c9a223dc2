// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/device_sheet.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>

namespace stagecraft {

/// Where a person's own data sheets lie: $XDG_CONFIG_HOME/stagecraft/devices.json, else ~/.config/stagecraft/devices.json.
[[nodiscard]] std::filesystem::path userDeviceSheetFile();

/// Takes the sheets of `file` (a list of objects as in configs/devices) in: one with the id of a sheet that is compiled in is used in its
/// place, the others come after those. Called once as a program starts, before anything looks for a device; no file is no error.
/// @return what is wrong with the file, of which nothing is used then
[[nodiscard]] std::optional<Error> loadUserDeviceSheets(const std::filesystem::path& file);

/// The sheet as a file of sheets has it: what parseDeviceSheets() reads.
[[nodiscard]] nlohmann::json deviceSheetToJson(const DeviceSheet& sheet);

}  // namespace stagecraft
