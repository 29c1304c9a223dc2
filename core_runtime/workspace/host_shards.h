// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <array>

namespace stagecraft {

/// Names of FSDP2's CPUOffloadPolicy among framework.arguments: of this program, torchtitan's, torchtune's, Accelerate's, and that of the
/// Trainer's fsdp_config.
inline constexpr std::array<const char*, 5> kHostShardNames{"cpu_offload", "enable_cpu_offload", "fsdp_cpu_offload", "fsdp_offload_params", "offload_params"};

/// The value as a switch: a text is off where it says so in one of the ways that command lines and configs have for it, a number where it is 0.
/// @param otherwise  for what is neither
[[nodiscard]] bool argumentIsOn(const nlohmann::json& value, bool otherwise = false);

/// The one of them that is on, with "-" or "_" in its name as it is written; empty where none is.
[[nodiscard]] std::string hostShardsArgument(const nlohmann::json& arguments);

}  // namespace stagecraft
