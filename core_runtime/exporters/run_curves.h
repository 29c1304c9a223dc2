// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_record.h"

#include <nlohmann/json_fwd.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace stagecraft {

/// One chart of a run as an inline SVG (svg_chart.h).
struct RunCurve {
    std::string title;
    std::string svg;
};

/// The charts of a run: loss, throughput, learning rate, gradient norm, phases by step and by rank, memory by rank.
/// @param plan  the content of plan.json, or null
/// @param language  of their words, "en" or "zh"
[[nodiscard]] std::vector<RunCurve> runCurves(const RunRecord& record, const nlohmann::json& plan, const std::string& language = "en");

/// Peaks of the fullest rank in bytes, NaN when the plan has none.
struct PlannedMemory {
    double allocated = NAN, process = NAN;
};
[[nodiscard]] PlannedMemory plannedMemory(const nlohmann::json& plan);

}  // namespace stagecraft
