// SPDX-License-Identifier: GPL-3.0-or-later
// What blocks keep for the backward pass, of a plan's fullest role.
#pragma once

#include "planner/plan.h"

#include <string>

namespace stagecraft::test {

/// Bytes of all kinds of tensor that blocks keep, the head's not.
inline double keptActivations(const Plan& plan)
{
    double sum = 0;
    for (const LedgerItem& item : plan.ledger->front().items)
        if (item.what.starts_with("activations.") && item.phase == "forward|backward" && item.what != "activations.head") sum += static_cast<double>(item.bytes);
    return sum;
}

}  // namespace stagecraft::test
