// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/advisor.h"
#include "planner/shared_plans.h"

#include <cstdint>
#include <optional>
#include <string>

namespace stagecraft {

/// What a plan of a branch comes to.
struct PlannedBranch {
    std::int64_t peak = 0;   ///< of the fullest rank; where the host is the device, with what is offloaded
    std::int64_t states = 0; ///< model states of that rank on its device, by `formula` and its `numbers`
    std::string formula, numbers;
    std::int64_t files = 0;  ///< bytes in files, of all nodes together
    std::int64_t host = 0;   ///< bytes of host memory on the fullest node, beside devices
    std::int64_t built = 0;  ///< and for a time before the first step
    bool statesOnly = false;
    std::string swapFault;   ///< why its files cannot be written on this machine
    std::optional<double> probability;  ///< empty where the memory of the host that runs it is not known
    std::optional<StepForecast> time;
};

/// @param refusal  gets what the plan has against it, where there is none
[[nodiscard]] std::optional<PlannedBranch> planBranch(const Workspace& applied, SharedPlans& plans, PlanFinding& refusal);

/// What else there is to say of a branch: bytes of host memory that building the model takes on the fullest node, where it may have too
/// little, and why its files cannot be written.
struct AlsoTold {
    std::int64_t built = 0;
    std::string swapFault;
};

/// Fills peak, time and verdict as a plan of the workspace with this option has them, which also knows what its framework does not run;
/// and the model states where nobody has counted them.
/// @param usable  bytes of one device, where the memory of the host that is the device is taken for granted
AlsoTold planOption(StageOption& option, const Workspace& applied, SharedPlans& plans, std::int64_t usable, PlanFinding& refusal);

}  // namespace stagecraft
