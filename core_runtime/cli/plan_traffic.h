// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/gradient_exchange.h"
#include "planner/redundancy.h"
#include "planner/traffic.h"

#include <string>

namespace stagecraft::cli {

/// "94.4 GB": tutorials and networks count in powers of ten.
[[nodiscard]] std::string gigabytes(double bytes);

/// What a step moves, as a table for eyes.
void printTraffic(const Traffic& traffic);
/// What one exchange of gradients takes over the links.
void printExchange(const GradientExchange& exchange);
void printRedundancy(const Redundancy& redundancy);

}  // namespace stagecraft::cli
