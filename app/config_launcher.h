// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/launcher.h"

namespace stagecraft::app {

class WorkspaceDocument;

/// Who hands its ds_config to DeepSpeed, as the workspace says ("launch.launcher").
[[nodiscard]] CheckLauncher launcherOf(const WorkspaceDocument& document);
/// Says who does, as one undo step; DeepSpeed's own launcher is what a workspace that says nothing means.
/// @error as WorkspaceDocument::setValue
Result<void> setLauncher(WorkspaceDocument& document, CheckLauncher launcher);
/// Says whether the training script passes an optimizer to deepspeed.initialize ("launch.optimizer", AdamW), as one undo step.
/// @error as WorkspaceDocument::setValue
Result<void> setScriptsOptimizer(WorkspaceDocument& document, bool byScript);

/// Says on how many ranks the job runs, as one undo step: data-parallel ones, on nodes of 8 devices at most where they divide so. The
/// ds_config stays as it is.
/// @return whether the workspace says so now
bool setRanks(WorkspaceDocument& document, int ranks);

}  // namespace stagecraft::app
