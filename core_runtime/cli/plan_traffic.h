// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/gradient_exchange.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"

namespace stagecraft::cli {

/// What a step moves, as a table for eyes.
void printTraffic(const Traffic& traffic);
/// What one exchange of gradients takes over the links.
void printExchange(const GradientExchange& exchange);
void printRedundancy(const Redundancy& redundancy);

}  // namespace stagecraft::cli
