// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

namespace stagecraft::app {

class WorkspaceDocument;

/// Whether the workspace says that the Hugging Face Trainer hands its ds_config to DeepSpeed ("launch.launcher"), and so fills in "auto".
[[nodiscard]] bool trainerStarts(const WorkspaceDocument& document);
/// Says who does, as one undo step; DeepSpeed's own launcher is what a workspace that says nothing means.
/// @error as WorkspaceDocument::setValue
Result<void> setTrainerStarts(WorkspaceDocument& document, bool trainer);
/// Says whether the training script passes an optimizer to deepspeed.initialize ("launch.optimizer", AdamW), as one undo step.
/// @error as WorkspaceDocument::setValue
Result<void> setScriptsOptimizer(WorkspaceDocument& document, bool byScript);

}  // namespace stagecraft::app
