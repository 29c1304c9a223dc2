// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <filesystem>
#include <string>

namespace stagecraft {

/// What a plan made on this machine may know: its memory, its measured rates and the calibrations kept here. Reads a few small
/// files.
/// @param runsRoot  the folder that holds the runs: measurement and calibrations lie beside it
/// @param version   of this product: rates of other releases' kernels do not count
/// @param problem   set to one sentence when something kept there cannot be used
[[nodiscard]] PlanContext contextOfThisMachine(const std::filesystem::path& runsRoot, const std::string& version, std::string* problem = nullptr);

}  // namespace stagecraft
