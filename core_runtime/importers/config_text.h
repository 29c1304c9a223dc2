// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/config_value.h"
#include "config/json_document.h"

#include <string>

namespace stagecraft {

/// The value as JSON over several lines, two blanks a level; lists of plain values stay on one line. Key order is kept.
[[nodiscard]] std::string prettyJson(const ConfigValue& value, int depth = 0);

/// Sets `key` below `object` (an object), or `pointer` below it with the objects on the way.
void setAt(ConfigValue& root, std::string_view pointer, ConfigValue value);
/// The value at a JSON Pointer through objects; null when there is none.
[[nodiscard]] const ConfigValue* valueAt(const ConfigValue& root, std::string_view pointer);

/// Pointers of all strings that are "auto", in document order.
[[nodiscard]] std::vector<std::string> autoPointers(const ConfigValue& root);

/// What DeepSpeed refuses of a ds_config for what stands in it, in the order in which it stops. What the script may bring (an optimizer), a Trainer's own
/// arguments and a number of ranks that nobody gave are no errors of the file; "auto" is filled as the launcher would, or as the Trainer would where that does not.
[[nodiscard]] std::vector<CheckFinding> errorsOfFile(const std::string& text, CheckContext context);

}  // namespace stagecraft
