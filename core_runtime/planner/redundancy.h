// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace stagecraft {

/// Model states of a whole cluster, in bytes, wherever they lie (device, host, files).
struct StateCopies {
    double perRank = 0;
    double cluster = 0;
    double distinct = 0;      ///< what one copy of everything takes
    [[nodiscard]] double duplicate() const { return cluster - distinct; }
};

/// How much of the model states is there more than once: under plain data parallelism, and as the workspace divides them.
struct Redundancy {
    StateCopies plain;        ///< every rank has all of them
    StateCopies plainAsTold;  ///< the same as tutorials count Adam: twice the 16-bit weights, 8 bytes a parameter in all
    StateCopies plan;
    StateCopies planAsTold;   ///< the plan's division of what tutorials count: 2 B of weights, 2 of gradients and 4 for Adam
    double bytesPerParameter = 0;
};

/// @return nothing where the parameters are not known or the layout is impossible
[[nodiscard]] std::optional<Redundancy> redundancyOf(const Workspace& workspace);

/// "redundancy" of `stagecraft plan --json`.
[[nodiscard]] nlohmann::json redundancyToJson(const Redundancy& redundancy);

}  // namespace stagecraft
