// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "widgets/inspector.h"

#include <functional>
#include <optional>

namespace stagecraft::app {

/// What happens when somebody wants a calibration gone, by its id.
using ForgetCalibration = std::function<void(const QString& id)>;

/// What the step time was made from, in a sentence.
[[nodiscard]] QString basisText(const StepForecast& forecast);
/// The same in one word for the strip: "calibrated", "measured"; empty for data sheets.
[[nodiscard]] QString basisWord(const StepForecast& forecast);
/// The run a forecast was calibrated from: layout, times, by what factor each part differed.
/// @param forget  what its button does; without it there is no button
/// @return nothing for a forecast that no run calibrates
[[nodiscard]] std::optional<InspectorSection> evidenceOf(const StepForecast& forecast, const std::vector<Calibration>& calibrations, const ForgetCalibration& forget);

}  // namespace stagecraft::app
