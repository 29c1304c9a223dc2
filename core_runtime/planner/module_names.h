// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Where a name stands for a module: nowhere, in every layer that has the module, or in one of them.
struct NameMatch {
    bool found = false;
    std::int64_t layer = -1;  ///< -1 = wherever the module is
};

/// Whether `name` is the dotted name `path` or its end behind a dot, as PEFT matches the names of a list.
/// @param path     with "{}" for the number of the layer: a number in `name` at that place stands for one layer
/// @param anyEnd   also an end within a part ("norm" for "input_layernorm"), as PEFT matches modules_to_save
/// Source: peft/tuners/tuners_utils.py, check_target_module_exists; peft/utils/other.py, _set_trainable
[[nodiscard]] NameMatch matchName(std::string_view path, std::string_view name, bool anyEnd = false);

/// The module that a parameter belongs to and those around it, innermost first: "a.b.c" of "a.b.c.weight", then "a.b", "a".
[[nodiscard]] std::vector<std::string_view> modulesAround(std::string_view parameter);

/// The last part of a dotted name.
[[nodiscard]] std::string_view lastPart(std::string_view path);

/// The names that PEFT adapts in a model of this type where it is told none; empty where it has no such list.
/// Source: peft 0.21, utils/constants.py, TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING
[[nodiscard]] std::vector<std::string> usualTargets(std::string_view modelType);

}  // namespace stagecraft
