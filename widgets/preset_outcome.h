// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/preset_catalog.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// What a file comes to with a preset in it.
struct PresetOutcome {
    std::string release;                    ///< of DeepSpeed, that judged it
    bool inference = false;                 ///< the preset takes the optimizer out: it is judged as nothing is trained with it
    std::vector<std::string> unread;        ///< keys that DeepSpeed read before and reads no more
    std::string text;                       ///< the file after the merge
    std::optional<CheckFinding> refusal;    ///< why that is refused; empty when it is taken
    std::string refuser;                    ///< who refuses it: DeepSpeed with its release, or what hands it to DeepSpeed
    bool refusedBefore = false;             ///< `refusal` is of the file: it is refused for it without the preset too
    std::vector<std::string> misfits;       ///< pointers of values of the file, none of the preset's, that have to go for it to be taken
    std::string withoutMisfits;             ///< the file after the merge, less these; empty when nothing is to go, or going would not help
    std::optional<CheckFinding> refusalLeft;   ///< why DeepSpeed refuses withoutMisfits: for what it refused in the file before
};

/// Merges and judges. A few checks of the file: some milliseconds. Pure.
/// @error what mergePreset() gives
[[nodiscard]] Result<PresetOutcome> presetOutcome(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context);

}  // namespace stagecraft
