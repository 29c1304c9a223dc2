// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <cstdint>
#include <vector>

namespace stagecraft {

class CaseArguments;

/// Whether the arguments speak of batches in torchtitan's words. Without them the workspace's own hold: micro-batches of its size, as many as
/// it accumulates.
[[nodiscard]] bool saysLocalBatch(CaseArguments& arguments);

/// Puts into `c` the micro-batches of FSDP2's pipeline: torchtitan cuts each local batch of `batch` samples into pieces of
/// pipeline_parallel_microbatch_size, 1 unless said; until February 2025 into as many as there are stages. Of several local batches in a step
/// each fills and drains the pipeline.
/// @error a finding, and the arguments refused, where the batch cannot be cut into equal pieces
/// Source: torchtitan/distributed/pipeline.py, build_pipeline_schedule, which refuses what does not divide.
void cutLocalBatch(CaseArguments& arguments, TrainingCase& c, std::int64_t batch, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
