// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/json_document.h"

#include <optional>
#include <string>

namespace stagecraft {

/// What stands in the way of laying a text out anew: a value whose end, or whose indentation, is part of what it says.
[[nodiscard]] std::optional<JsonRelaxationUse> layoutObstacle(const JsonDocument& document);

/// The text laid out anew: one member a line, indented as the text's first member is (else by two spaces); lists of plain values on one
/// line while they fit. Keys, their order, values to the byte, comments, single empty lines and the kind of line ends stay.
/// @pre no layoutObstacle()
[[nodiscard]] std::string laidOut(const JsonDocument& document);

}  // namespace stagecraft
