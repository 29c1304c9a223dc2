// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_record.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace stagecraft {

/// A run as one self-contained HTML page: curves, phases, memory planned and measured, ranks, configuration, failure. No
/// script, nothing loaded from elsewhere; light or dark as the reader's system is; readable on paper.
///
/// @param plan  the content of plan.json, or null: then no planned figures are drawn
/// @param language  of the page, "en" or "zh"; what the record says itself stays as it was written
[[nodiscard]] std::string reportHtml(const RunRecord& record, const nlohmann::json& plan, const std::string& language = "en");

/// plan.json of a run; null when it is not there or broken.
[[nodiscard]] nlohmann::json readPlanJson(const std::filesystem::path& runFolder);

}  // namespace stagecraft
