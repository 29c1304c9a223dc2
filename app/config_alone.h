// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace stagecraft::app {

class WorkspaceDocument;

/// Whether hardware and layout of a workspace text are those of the demo: what stands around a ds_config that was opened alone.
[[nodiscard]] bool hasDemoSurroundings(const std::string& text);
/// A ds_config alone was opened, and nobody has chosen since what stands around it: it is judged as `stagecraft check FILE` does it,
/// for GPUs, and not for the processors of this machine.
[[nodiscard]] bool isConfigAlone(const WorkspaceDocument& document);

}  // namespace stagecraft::app
