// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/layout_edits.h"
#include "planner/model_shape.h"
#include "planner/search.h"
#include "workspace/workspace.h"

#include <functional>
#include <optional>
#include <vector>

namespace stagecraft {

/// The workspace once edits of its layout, ds_config and framework are made; others, of the model among them, are left out.
[[nodiscard]] Workspace withEdits(const Workspace& workspace, const std::vector<WorkspaceEdit>& edits);

/// The workspace once a layout is applied to it: by the very edits of layoutEdits(), so that nothing that was derived from the layout it
/// has now remains.
[[nodiscard]] Workspace withAppliedLayout(const Workspace& workspace, const ScoredLayout& layout);

/// For SearchLimits::settle: memory, host memory and time of the case that such a workspace makes.
/// A layout whose files cannot be written does not fit, where the ranks run on the machine that asks.
/// @param workspace  in the words of the framework whose layouts are searched
/// @param context    tells that machine
[[nodiscard]] std::function<bool(ScoredLayout&)> settlerOf(const Workspace& workspace, const std::optional<ModelShape>& shape, std::int64_t usable, std::optional<std::int64_t> host,
                                                             const PlanContext& context = {});

}  // namespace stagecraft
