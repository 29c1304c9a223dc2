// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "planner/training_case.h"

namespace stagecraft {

/// Of a job of Megatron's that may not fit, names the flags of its command line with which the fullest rank would hold less: each by a
/// ledger of its own. Nothing where none takes a hundredth off.
/// @param job  as planned; `plan.ledger` is its ledger
void tellHelpfulFlags(const TrainingCase& job, Plan& plan);

}  // namespace stagecraft
