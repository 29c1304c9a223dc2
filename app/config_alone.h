// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace stagecraft::app {

class WorkspaceDocument;

/// The workspace that is put around a ds_config opened alone: the demo's, planned as DeepSpeed trains it on one GPU. What stands in it
/// is what check, forecasts and wizard go by until somebody chooses.
[[nodiscard]] std::string workspaceAroundConfig();
/// A ds_config was opened alone, and nobody has chosen since what model it trains: all figures are of one that is only assumed.
[[nodiscard]] bool isConfigAlone(const WorkspaceDocument& document);
/// The one device that a ds_config opened alone is put on still stands there: nobody has said on how many ranks it runs.
[[nodiscard]] bool areRanksAssumed(const WorkspaceDocument& document);

}  // namespace stagecraft::app
