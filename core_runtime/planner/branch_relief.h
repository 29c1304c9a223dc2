// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/layout_edits.h"
#include "planner/training_case.h"
#include "workspace/workspace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

/// What is changed of the job beside a branch of the tree, where none fits as the job is written or only one that is slower.
struct BranchRelief {
    bool recompute = false;          ///< activations are made again, of all layers
    std::int64_t microBatch = 0;     ///< samples; 0 = as it is written
    std::int64_t accumulation = 0;   ///< micro-batches of a step, so that the global batch stays; 0 = as it is written
    std::vector<WorkspaceEdit> edits;   ///< what makes it, after the branch's own
};

/// The reliefs of a job: recomputation, where the branches do not ask for it themselves and the job has not got it; a micro-batch that is
/// halved down to 1; then both. Those of one kind save more from each to the next. Empty where there is none left.
/// @param workspace  in the words of the framework whose branches they are
[[nodiscard]] std::vector<BranchRelief> reliefsOf(const Workspace& workspace, const TrainingCase& job);

/// "with activation checkpointing", "with a micro-batch of 2, 8 of them a step", or both.
[[nodiscard]] std::string reliefPhrase(const BranchRelief& relief);

}  // namespace stagecraft
