// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <string>

namespace stagecraft::cli {

/// The ledger by role and by place: what lies on the device at the peak, on the device in other phases, in host memory, pinned or not, and
/// in files. The lines of each group add up to the total before them.
/// @param statesOnly  the items are model states alone: nothing is said of a process
void printLedger(const std::vector<LedgerRole>& ledger, int devicesPerNode, bool statesOnly, bool hostIsDevice);

/// A probability for eyes: "0.31", and what no forecast can tell apart "< 0.01" or "> 0.99".
[[nodiscard]] std::string odds(double probability);

}  // namespace stagecraft::cli
