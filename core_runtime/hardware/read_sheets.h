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

/// Puts sheets among those compiled in, each in place of one with its id; a person's own still come before them. From any thread.
void addDeviceSheets(std::vector<DeviceSheet> sheets);

/// A person's own sheets, beside those compiled in, each in place of one with its id; those that were put there before go. Sheets that somebody
/// holds stay valid. From any thread.
void setOwnDeviceSheets(std::vector<DeviceSheet> sheets);

}  // namespace stagecraft
