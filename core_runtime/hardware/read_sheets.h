// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/device_sheet.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// One entry of a file of sheets.
struct ReadSheet {
    Result<DeviceSheet> sheet;
    std::vector<std::string> unknown;  ///< fields that no sheet has, "link.speed": the sheet is read without them
};

/// Each sheet of a list for itself. One without a usable id is called by its place in the list, "#3".
/// @error InvalidInput when the text is no JSON list
[[nodiscard]] Result<std::vector<ReadSheet>> readDeviceSheets(std::string_view text);

/// Puts sheets beside those there are, each in place of one with its id. Before anyone holds a sheet.
void addDeviceSheets(std::vector<DeviceSheet> sheets);

}  // namespace stagecraft
