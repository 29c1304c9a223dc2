// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <vector>

namespace stagecraft {

/// What the case's framework refuses to start, or cannot divide: reports each with what to do.
///
/// Kept apart from readTrainingCase(), so that a layout that is impossible now does not keep a search from finding others.
/// @return whether there is any
[[nodiscard]] bool tellLayoutFaults(const TrainingCase& c, std::vector<PlanFinding>& findings);

/// Puts in place of a schedule that the framework does not have the one that it runs, and says so.
/// Source: deepspeed/runtime/pipe/schedule.py, TrainSchedule; Megatron-LM core/pipeline_parallel/schedules.py;
/// torch/distributed/pipelining/schedules.py.
void settleSchedule(TrainingCase& c, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
