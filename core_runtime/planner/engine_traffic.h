// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/engine_work.h"
#include "planner/traffic.h"

namespace stagecraft {

/// What one rank of our engine sends in a step, counted from its compiled program. Seconds are the machine's measured ones where
/// the context has a measurement of as many ranks, else 0: a data sheet says nothing of processes that share a host.
/// @return nothing where the program does not compile
[[nodiscard]] std::optional<Traffic> engineTraffic(const EngineJob& job, const PlanContext& context);

/// Sums of `items` by link and group. @param trained  parameters of one replica that are exchanged
void sumTraffic(Traffic& traffic, double trained);

}  // namespace stagecraft
