// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/device_sheet.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <vector>

namespace stagecraft {

/// Where a person's own data sheets lie: $XDG_CONFIG_HOME/stagecraft/devices.json, else ~/.config/stagecraft/devices.json.
[[nodiscard]] std::filesystem::path userDeviceSheetFile();

/// Takes the sheets of `file` (a list of objects as in configs/devices) in: one with the id of a sheet that is compiled in is used in its
/// place, the others come after those. One that is wrong is left out, the others serve. Called as a program starts, and again when the
/// file has changed: what it said before goes. No file is no error. From any thread.
/// @return what is not used, and why: `context` has "path", and of a single sheet "device" and "field" (with "least", "most" and, where
///         it must be whole, "whole", of a number; with "unused" where the sheet is used, and that field of it unknown); the whole file
///         where there is no "device"
std::vector<Error> loadUserDeviceSheets(const std::filesystem::path& file);

/// What the last loadUserDeviceSheets() returned, for whoever plans with what is left. Stays valid when another takes its place.
[[nodiscard]] const std::vector<Error>& refusedDeviceSheets();

/// The sheet as a file of sheets has it: what parseDeviceSheets() reads.
[[nodiscard]] nlohmann::json deviceSheetToJson(const DeviceSheet& sheet);

}  // namespace stagecraft
