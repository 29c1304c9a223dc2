// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

namespace stagecraft::cli {

/// The ledger by role and by place: what lies on the device at the peak, on the device in other phases, in host memory, pinned or not, and
/// in files. The lines of each group add up to the total before them.
void printLedger(const std::vector<LedgerRole>& ledger, int devicesPerNode);

}  // namespace stagecraft::cli
