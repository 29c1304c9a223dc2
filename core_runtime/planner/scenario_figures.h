// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/scenario.h"

#include <vector>

namespace stagecraft {

/// The figures of a scenario, computed and held against what was said.
///
/// A figure's value is a number, [operator, value, ...] with + - * / ceil, or a measure of a plan, "VARIANT.MEASURE" where it is a
/// variant's. GB are 1e9 bytes, of the fullest rank; traffic is of one rank and step:
/// - states, host (GB of one node's host), peak, ledger:PREFIX (GB of what lies on the device and is called so), params
/// - told, plainTold (GB a rank keeps, as planned and with plain data parallelism, as tutorials count), cluster, toldCluster (GB of all ranks with plain data parallelism)
/// - traffic:PREFIX, tensor:forward, tensor:training, tensor:recompute (all-reduces of a layer), relativeVolume
/// - exchange:replica, exchange:all, exchange:rank, exchange:ring (GB of one gradient exchange), exchange:ranks, exchangeSeconds:LINK
/// - link:NAME, memoryRate, linkRate, pcieRate (GB/s, one direction), nominal (GB of the device), peakRate (bf16 TFLOP/s)
/// - inside:AXIS, groups:AXIS (groups inside one node, and all of them)
/// - stepTime, forward, backward, split:PART (seconds)
/// @error InvalidInput naming the scenario and the value that cannot be computed
[[nodiscard]] Result<std::vector<ScenarioCheck>> figureChecks(const Scenario& scenario);

/// "56.25 %": a figure with its unit, %-signs and words apart by a space.
[[nodiscard]] std::string withUnit(const std::string& number, const std::string& unit);

}  // namespace stagecraft
