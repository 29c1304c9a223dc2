// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <cstdint>
#include <string>

namespace stagecraft {
struct Plan;
struct Workspace;
}

namespace stagecraft::app {

/// The model of a workspace in two words: its name and, where the plan has counted them, its parameters.
[[nodiscard]] QString modelWords(const Workspace& workspace, const Plan* plan);
/// Whether the model is known to have no experts.
[[nodiscard]] bool isDense(const Workspace& workspace);
/// "8 × h100-80g", "2 × CPU rank".
[[nodiscard]] QString devicesWords(std::int64_t ranks, const std::string& device);
/// Both: what the numbers of a plan are of.
[[nodiscard]] QString subjectWords(const Workspace& workspace, const Plan& plan);

}  // namespace stagecraft::app
