// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/workspace.h"

#include <cstdint>
#include <optional>

namespace stagecraft {

/// Whether framework.arguments say that the model is Megatron's own layers (Megatron-DeepSpeed, GPT-NeoX), which DeepSpeed does not divide
/// itself: their script hands it an mpu.
[[nodiscard]] bool trainsMegatronCode(const Workspace& workspace);

/// Ranks among which the ds_config's batch is divided: train_batch_size = micro batch x accumulation x these. With AutoTP it is all of
/// them, also those that share a sample's layers, as DeepSpeed reads its config before there are groups; elsewhere the data-parallel ones.
/// Source: deepspeed/runtime/config.py, DeepSpeedConfig.__init__; reference/ds_config_rules.md R9.
/// @param dp, tp, pp  of the layout that is asked about, which need not be the workspace's
[[nodiscard]] std::int64_t batchRanks(const Workspace& workspace, std::int64_t dp, std::int64_t tp, std::int64_t pp);
[[nodiscard]] std::int64_t batchRanks(const Workspace& workspace);

/// `tensor_parallel.autotp_size` of the ds_config; nothing where it says no whole number, or DeepSpeed's AutoTP is not asked for: another framework, or
/// Megatron's layers.
[[nodiscard]] std::optional<std::int64_t> autoTpSize(const Workspace& workspace);

/// The layout that DeepSpeed makes of the workspace's ranks by `tensor_parallel.autotp_size`, where layout.tp leaves them undivided; nothing
/// where both say the same, or the ranks have no such groups.
[[nodiscard]] std::optional<LayoutSection> autoTpLayout(const Workspace& workspace);

}  // namespace stagecraft
