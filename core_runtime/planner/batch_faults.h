// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"
#include "workspace/workspace.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

/// The sizes of DeepSpeed's batch triangle, of which any one follows from the others.
inline constexpr std::array kBatchSizes{"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"};
/// No step has more samples.
inline constexpr std::int64_t kMostSamples = std::int64_t{1} << 40;

/// A written batch size as a number of samples, or of micro-batches: 2.0 is 2, as it is to DeepSpeed, and so is the text "2", of which the
/// check says what DeepSpeed does with it. Nothing for what is no whole number from 1 to kMostSamples.
[[nodiscard]] std::optional<std::int64_t> batchSizeOf(const nlohmann::json& value);

/// Whether the job takes its batch from a ds_config that has a size which none can have: what its step takes cannot be forecast then, where
/// a size that is not written, null or "auto" is one to be assumed.
[[nodiscard]] bool batchIsImpossible(const Workspace& workspace);

/// The workspace without the sizes of its ds_config, for what depends on no batch.
[[nodiscard]] Workspace withoutBatch(Workspace workspace);

/// Says of each such size that nothing can be forecast of it.
/// @return whether there was one
bool tellImpossibleBatch(const nlohmann::json& dsConfig, std::vector<PlanFinding>& findings);

}  // namespace stagecraft
