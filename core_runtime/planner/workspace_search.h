// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "planner/search.h"

#include <optional>
#include <vector>

namespace stagecraft {

/// A search ready to be run by searchLayouts().
struct WorkspaceSearch {
    TrainingCase base;
    SearchLimits limits;
};

/// The workspace with a layout that our engine runs: data-parallel ranks, micro-batch, accumulation, recomputation, stage and offload of
/// `point`; the rest stays.
[[nodiscard]] Workspace withLayout(const Workspace& workspace, const ScoredLayout& point);

/// The search for layouts that the workspace's own framework runs. Our engine runs data parallelism alone, and each of its layouts is
/// planned as a workspace of its own; the others are scored by the closed forms.
///
/// @param findings  gets, last, why there is nothing to search
[[nodiscard]] std::optional<WorkspaceSearch> searchOfWorkspace(const Workspace& workspace, const SearchLimits& limits, const PlanContext& context,
                                                               std::vector<PlanFinding>& findings);

}  // namespace stagecraft
