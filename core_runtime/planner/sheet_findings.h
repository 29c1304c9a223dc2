// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <vector>

namespace stagecraft {

/// Own data sheets that are not used, told beside every plan: who corrected a sheet must not take the figures of the one that is
/// compiled in for theirs. Warnings where this plan's device is meant or it cannot be told, notes otherwise.
void tellRefusedSheets(const Workspace& workspace, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
