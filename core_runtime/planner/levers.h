// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

/// One change to a workspace outside the decision tree, and what it does to the plan: both plans are made in full.
struct Lever {
    std::string id;                    ///< loss_chunks | recompute | keep_activations | sequence_parallel | micro_halved | micro_doubled | small_buckets | bf16
    std::int64_t before = 0, after = 0;   ///< of the value it changes, where it is a number: chunks, samples, elements
    /// What it changes: JSON Pointer into the workspace and value; null takes the value out.
    std::vector<std::pair<std::string, nlohmann::json>> changes;
    std::int64_t memory = 0;           ///< process bytes of the fullest rank at the peak, changed
    std::int64_t memoryChange = 0;     ///< against the workspace now
    std::optional<double> stepTime;    ///< seconds, changed
    double timeChange = 0;             ///< seconds against the workspace now; 0 where there is no forecast
    std::optional<Fit> fit;
    /// The lowest ZeRO stage that fits once it is applied, where the stage now is higher: less communication for the memory won.
    struct LowerStage {
        int stage = 0;
        std::int64_t memory = 0;
        std::optional<double> stepTime;
    };
    std::optional<LowerStage> then;
};

/// What a lever does, as it goes on in a sentence: "compute the loss in 8 chunks".
[[nodiscard]] Phrase leverPhrase(const Lever& lever);

/// Every lever that saves memory or time, the most useful first: where the workspace does not fit, those that make it fit, the fastest
/// first; else by the memory saved, those that cost no more than 2 % of step time before those that cost more; last the faster ones.
///
/// @param now  the plan of `workspace`; without a ledger there are no levers
[[nodiscard]] std::vector<Lever> planLevers(const Workspace& workspace, const Plan& now, const PlanContext& context = {});

/// `[{"id", "before", "after", "memory", "memoryChange", "stepTime", "timeChange", "fits", "probability", "apply": JSON Patch}]`.
/// @param workspace  the one they were made for: sections that it lacks are made by the patch
[[nodiscard]] nlohmann::json leversToJson(const std::vector<Lever>& levers, const Workspace& workspace);

}  // namespace stagecraft
