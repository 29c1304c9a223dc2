// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Whether a run, or the window that launched it, makes an entry of this name in the run folder.
[[nodiscard]] bool isMadeByRun(std::string_view name);

/// What lies in a run folder and no run made: the user's. Sorted names; empty for a folder that is not there.
[[nodiscard]] std::vector<std::string> foreignEntries(const std::filesystem::path& runFolder);

/// Whether a run may begin in a folder without run.json: it is not there, empty, or left by a start that came to nothing. Files a
/// user may call "workspace.json" or "plan.json" as well count as a run's only beside the marks that a start leaves.
/// @error Refused: names what is there
[[nodiscard]] Result<void> checkFreeForRun(const std::filesystem::path& folder);

/// Removes what the run made, run.json last, and the folder when nothing else is in it. @return the names that were left: not the run's
/// @pre the caller holds the run's lock @error Io: names what could not be removed
[[nodiscard]] Result<std::vector<std::string>> removeRun(const std::filesystem::path& runFolder);

}  // namespace stagecraft
