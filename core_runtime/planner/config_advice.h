// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "planner/plan.h"

#include <filesystem>
#include <string>
#include <vector>

namespace stagecraft {

/// What the numbers of the plan say against the workspace's ds_config: legal, but unwise for this model on this hardware.
///
/// Each finding has a rule "plan.*", effect Unwise, a pointer into the ds_config, a message with the numbers it rests on, and a
/// fix where one exists; no fix is safe, for each changes what a run does. Memory and time are DeepSpeed's, by the ledger and the
/// step-time model of `plan`. A rule speaks only of a key that is written (the stage and the precision apart) and only where the
/// difference is larger than the model's own error: 3 % of a step at the least, and memory with a tenth to spare.
/// Nothing is said of what is not known: a model of which only the size is given, a device without a sheet, a CPU whose memory
/// is not told, and frameworks that read no ds_config.
/// @param language  of the messages: "en" or "zh"
[[nodiscard]] std::vector<CheckFinding> adviseConfig(const Workspace& workspace, const PlanContext& context = {}, const std::string& language = "en");

/// adviseConfig(); and where that has nothing to go by, what the workspace's own plan finds against it or says it cannot know (a
/// device without a sheet, a model of which only the size is given). These findings have no place in the ds_config and no fix, and
/// are in the plan's words.
[[nodiscard]] std::vector<CheckFinding> adviseOrPlan(const Workspace& workspace, const PlanContext& context = {}, const std::string& language = "en");

/// What a workspace tells the check of its ds_config: ranks, where hardware or layout is written, device, the width of the model and
/// who hands the file to DeepSpeed ("launch.launcher") and which optimizer the script gives ("launch.optimizer"). The rest of `context` stays.
void surroundWith(const Workspace& workspace, CheckContext& context);

/// The workspace of a text but for its ds_config, which counts as empty: what surroundWith() asks for while the ds_config, or the file
/// that is named, is broken or missing. Where another section is refused, hardware and layout are read without it, and the model has
/// no width. @error as parseWorkspace, about hardware and layout alone
[[nodiscard]] Result<Workspace> readAroundConfig(const std::string& text, const std::filesystem::path& folder);

}  // namespace stagecraft
