// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/device_sheet.h"
#include "planner/efficiency.h"
#include "planner/training_case.h"

namespace stagecraft {

/// FLOPs that the model itself needs for one step over all ranks, by the one definition of model/flops.h: of the experts those a
/// token uses, layers and outputs of multi-token prediction included, neither norms nor biases nor recomputation.
[[nodiscard]] double modelFlopsPerStep(const TrainingCase& c);

/// Seconds of one ring collective in which each data-parallel rank sends (N - 1) / N of `bytes`; what runs beside it not counted.
[[nodiscard]] double replicaRingSeconds(const TrainingCase& c, const DeviceSheet& device, double bytes);

/// Seconds of one optimizer step from the data sheet alone. The split's parts add up to stepTime.
/// @param threads CPU threads per rank, when the device is a CPU
[[nodiscard]] StepForecast forecastStep(const TrainingCase& c, const DeviceSheet& device, int threads = 1);

}  // namespace stagecraft
