// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// Why the framework whose behaviour a workspace forecasts would not take its ds_config: no plan of it is one of a run.
struct ConfigRefusal {
    std::string by;                     ///< "DeepSpeed 0.19.8", "transformers", "our engine"
    std::string level;                  ///< first stage that refuses: load | parse | engine | pipe
    std::vector<PlanFinding> findings;  ///< what it stops at; rules are those of `check`, of our engine "plan.engine_refuses"; pointers into the workspace
};

/// The refusal of a workspace's ds_config, judged in its surroundings as `check` does; nothing where the framework takes it, reads none
/// (FSDP2, Megatron), is not known, or, being DeepSpeed, has been given none.
[[nodiscard]] std::optional<ConfigRefusal> refusalOfConfig(const Workspace& workspace);

/// Whether the plan's finding says of a key what the refusal says better.
[[nodiscard]] bool isSaidBy(const ConfigRefusal& refusal, const PlanFinding& finding);

}  // namespace stagecraft
