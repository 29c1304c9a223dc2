// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"

#include <optional>
#include <string>

namespace stagecraft {

/// A ds_config that stands as a value in an object of other keys, where DeepSpeed does not look: a tool's or a tutorial's record of a run.
struct WrappedConfig {
    std::string pointer;                  ///< of the ds_config in the whole
    const ConfigValue* config = nullptr;  ///< into the whole
    bool certain = false;                 ///< each of its keys is one of DeepSpeed's
};

/// The one ds_config inside `root`, by its keys. Nothing where `root` or what is between has keys of DeepSpeed's own, or where there are several.
[[nodiscard]] std::optional<WrappedConfig> wrappedConfig(const ConfigValue& root);

/// The patch that makes the ds_config of `root` its top level, and keeps what stands beside it, and in it under the name of one of those.
[[nodiscard]] std::string unwrappingPatch(const ConfigValue& root, const WrappedConfig& wrapped);

}  // namespace stagecraft
