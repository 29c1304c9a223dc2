// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/step_time.h"

namespace stagecraft {

/// Fills `forecast.figures`: formula, numbers and source of every part of the step time that is not zero, and of the utilisation.
/// @param terms   of a forecast from the data sheet; those of one from measured rates or a run come from its own source
/// @param devices that the step runs on
void explainForecast(const DeviceSheet& device, const StepTerms& terms, std::int64_t devices, StepForecast& forecast);

}  // namespace stagecraft
