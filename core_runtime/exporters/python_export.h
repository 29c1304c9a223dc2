// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace stagecraft {

/// The ds_config as a Python module of two functions, as training scripts build theirs.
///
/// `train_config(...)` takes what people change between runs as arguments (batch sizes, stage, offload devices, learning rate:
/// those the config has) with the config's own values as defaults: called without arguments it returns this ds_config.
/// `evaluation_config(...)` returns `evaluation` in the same way.
[[nodiscard]] std::string dsConfigPython(const nlohmann::ordered_json& dsConfig, const nlohmann::ordered_json& evaluation, const std::string& name);

/// The shorter ds_config of an engine that only evaluates: no optimizer, no scheduler and nothing of gradients. Stage 3 stays,
/// because it divides the weights; stages 1 and 2 divide nothing that evaluation has, and become 0. Of fp16 and bf16 the switch
/// stays: loss scales, master weights and the states of the optimizer belong to training.
/// @param dsConfig  in its present form (presentForm())
/// @param micro     micro-batch it comes to; nothing where that is not known
[[nodiscard]] nlohmann::ordered_json evaluationConfig(const nlohmann::ordered_json& dsConfig, std::optional<std::int64_t> micro);

}  // namespace stagecraft
