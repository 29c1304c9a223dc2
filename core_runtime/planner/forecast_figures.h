// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/step_time.h"

#include <array>

namespace stagecraft {

/// A figure with its three phrases, as they are and filled in.
[[nodiscard]] ForecastFigure forecastFigure(std::string what, double value, Phrase formula, Phrase numbers, Phrase source);
/// A number as the phrases print it.
[[nodiscard]] std::string figureNumber(double value);

/// Fills `forecast.figures`: formula, numbers and source of every part of the step time that is not zero, and of the utilisation.
/// @param terms   of a forecast from the data sheet; one from measured rates or a run brings the figures of its parts along
/// @param devices that the step runs on
void explainForecast(const DeviceSheet& device, const StepTerms& terms, std::int64_t devices, StepForecast& forecast);

/// What 90 % of measurements of one figure of `forecast` lie between, in its own unit. Published measurements are of whole steps: its parts are taken
/// to err alike and independently of each other, so that together they make the step's interval. The utilisation errs with the step alone.
[[nodiscard]] std::array<double, 2> figureInterval90(const StepForecast& forecast, const ForecastFigure& figure);

/// The same for a value that falls as the step takes longer (tokens per second), and for one that grows with it (the time of many steps).
[[nodiscard]] std::array<double, 2> intervalOfRate(const StepForecast& forecast, double value);
[[nodiscard]] std::array<double, 2> intervalOfTime(const StepForecast& forecast, double value);

}  // namespace stagecraft
