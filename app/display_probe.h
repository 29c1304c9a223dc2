// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>

namespace stagecraft::app {

/// Why no window can be opened here, in one clause with what to do; nothing when one can, or when only Qt can tell (Wayland,
/// another platform plugin). Asked before QApplication, which ends the process when the display does not answer.
[[nodiscard]] std::optional<std::string> displayProblem();

}  // namespace stagecraft::app
