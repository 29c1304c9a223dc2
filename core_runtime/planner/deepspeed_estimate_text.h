// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/deepspeed_estimator.h"

#include <string>
#include <vector>

namespace stagecraft {

/// The line that DeepSpeed prints for these options, to the digit: "  127.45GB |  11.28GB | offload_optimizer=none". Its GB are 2^30 bytes.
/// An offloaded part is "cpu ", as its documentation has it; under Python 3.11 and later the same line says "OffloadDeviceEnum.cpu".
/// @param stage  2 or 3
/// Source: deepspeed/runtime/zero/stage_1_and_2.py and stage3.py, estimate_zero*_model_states_mem_needs_all_cold, release 0.19.8
[[nodiscard]] std::string estimatorLine(int stage, const EstimatorInput& input, const EstimatorAnswer& answer);

/// All that DeepSpeed prints for a model of this size on this hardware: three lines of what was asked, the head, and a line for every
/// choice of offload; each ends with a newline. The options of `input` itself do not matter.
/// @error as the estimators
[[nodiscard]] Result<std::string> estimatorTable(int stage, const EstimatorInput& input);

/// Why its figures for these options are what they are, and why a plan has others; one sentence each, without figures of the model.
/// That it counts model states alone goes without saying here.
[[nodiscard]] std::vector<std::string> estimatorReasons(int stage, const EstimatorInput& input);

}  // namespace stagecraft
