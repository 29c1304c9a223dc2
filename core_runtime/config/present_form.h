// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/config_value.h"
#include "config/json_edit.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// The name a key has today: "/zero_optimization/gather_16bit_weights_on_model_save" is ".../stage3_gather_16bit...". A
/// section may have had another name as well ("/bfloat16/enabled"). Names that never changed come back as they are.
[[nodiscard]] std::string presentName(const std::string& pointer);

/// A ds_config as DeepSpeed takes it, in the words of today.
struct PresentForm {
    struct Change {
        std::string pointer;  ///< as the file has it
        std::string present;  ///< where its meaning stands now; empty = DeepSpeed takes nothing from it
        ConfigValue value;    ///< as the file has it
    };
    ConfigValue config;
    std::vector<Change> changes;  ///< of names and forms, not of spellings
};

/// What is written, in the form that every tool reads: "zero_optimization": true is a section with its stage, "bfloat16" is
/// "bf16", the switch "cpu_offload" is a device of "offload_optimizer", "2" is 2. What is not written stays absent, "auto"
/// stays "auto", and what DeepSpeed does not parse stays as it is.
/// @error InvalidArgument when the release of `context` is none
[[nodiscard]] Result<PresentForm> presentForm(const ConfigValue& root, const CheckContext& context);

/// A section that is written as something else than an object, as the object that means the same: "zero_optimization": true,
/// a switch in place of a section that has "enabled", a name in place of one that has "type", null.
/// @return JSON text; empty where nobody can tell what was meant, or `json` is an object already
[[nodiscard]] std::string sectionForm(std::string_view pointer, std::string_view json);

/// setEdit() for a key of ds_config: a section above that is no object becomes one (sectionForm(); empty where nobody can tell
/// what was meant). @error what setEdit() gives for the rest
[[nodiscard]] Result<TextEdit> setKeyEdit(const JsonDocument& document, std::string_view pointer, std::string_view valueText);

}  // namespace stagecraft
