// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "planner/training_case.h"

namespace stagecraft {

/// Says why MFU, or its interval alone, is above 100 %, where it is: half of attention's square, which the definition counts, is computed by
/// no causal kernel. What is computed stays within the devices' peak.
/// @param plan  with a forecast from a data sheet
void tellMfu(const TrainingCase& job, Plan& plan);

}  // namespace stagecraft
