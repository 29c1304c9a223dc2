// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/workspace.h"

#include <cstdint>
#include <optional>
#include <string>

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

/// A layout and the keys of the ds_config that made it of another.
struct ConfigLayout {
    LayoutSection layout;
    std::string keys;   ///< "tensor_parallel.autotp_size, sequence_parallel_size"
};

/// The layout that DeepSpeed makes of the workspace's ranks by its own keys (tensor_parallel.autotp_size, sequence_parallel_size,
/// expert_parallel.autoep_size), where the workspace's layout leaves them undivided; nothing where both say the same, or the ranks have no such groups.
[[nodiscard]] std::optional<ConfigLayout> configLayout(const Workspace& workspace);

/// `sequence_parallel_size` of the ds_config, where DeepSpeed is to read it and it is a whole number from 1.
[[nodiscard]] std::optional<std::int64_t> sequenceSize(const Workspace& workspace);

}  // namespace stagecraft
