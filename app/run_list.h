// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/start_page.h"
#include "record/run_index.h"

#include <vector>

namespace stagecraft::app {

/// The recorded runs in words, in the same order.
[[nodiscard]] std::vector<RecordedRun> recordedRuns(const std::vector<RunEntry>& runs);

}  // namespace stagecraft::app
