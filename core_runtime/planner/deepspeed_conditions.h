// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/advisor.h"

#include <vector>

namespace stagecraft {

struct Workspace;

/// What speaks for DeepSpeed in place of plain data parallelism, held against this model and hardware: states beyond one device, several nodes,
/// offload, divided layers; last, whether plain data parallelism is enough. Of a tree of ZeRO stages, the first of which shards nothing.
/// @param advice  with options and `chosen`
[[nodiscard]] std::vector<Condition> deepSpeedConditions(const Advice& advice, const Workspace& workspace);

}  // namespace stagecraft
