// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/layout_edits.h"
#include "planner/search.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// What a workspace becomes before a branch or a layout is applied to it: another framework's job, or the same in a precision that nobody
/// has named. Advice is made of the workspace that these edits make, and its patches make them: both are the same plan.
struct Recast {
    std::string framework;
    std::string precision = {};  ///< bf16 | fp16 to be set; empty = as it is, or as the framework before had it
    std::int64_t seq = 0;        ///< tokens of a sample where the arguments of the framework before say another number than the model; else 0
};

[[nodiscard]] std::vector<WorkspaceEdit> recastEdits(const Workspace& workspace, const Recast& to);
/// The workspace after those edits; its hardware stays what it is taken as.
[[nodiscard]] Workspace recast(const Workspace& workspace, const Recast& to);

/// A ZeRO stage and what is moved away, in the words of `target`.
/// @param now  the layout and batch to write with it, where they stood in another framework's words; empty = they stay
[[nodiscard]] std::vector<WorkspaceEdit> branchEdits(const Workspace& target, const std::optional<ScoredLayout>& now, int stage, OffloadDevice optimizer, OffloadDevice param);

/// Whether the workspace names a precision, if only "off" or "auto": in its ds_config, or as an argument of Megatron-LM or FSDP2.
[[nodiscard]] bool namesPrecision(const Workspace& workspace);

}  // namespace stagecraft
