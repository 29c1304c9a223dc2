// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <vector>

namespace stagecraft {

/// What DeepSpeed's AutoTP makes of a job otherwise than the plan: heads that do not divide, models that it refuses, ranks that its own key
/// divides in another way or not at all. Nothing for other frameworks, and Megatron's layers.
void tellAutoTp(const Workspace& workspace, const TrainingCase& job, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
