// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/check.h"
#include "config/json_edit.h"
#include "config/key_catalog.h"

#include <memory>

namespace stagecraft {

/// A ready piece of configuration and the sentence when to use it (configs/presets).
struct ConfigPreset {
    std::string id;
    CatalogText title, when;
    std::string removedIn;                       ///< first DeepSpeed release without what it sets; empty = none
    std::vector<std::string> removed;            ///< pointers of what a file does not keep beside it
    std::shared_ptr<const JsonDocument> config;  ///< immutable, shared by the copies of a preset
};

/// One value that merging a preset sets, or takes out.
struct PresetChange {
    std::string pointer;
    std::string before;  ///< spelling in the file; empty = not there
    std::string after;
    [[nodiscard]] bool changes() const { return before != after; }
};

[[nodiscard]] const std::vector<ConfigPreset>& configPresets();
/// Whether DeepSpeed `release` (as in CheckContext; empty = the newest) has what the preset sets. For a release that is no version: yes.
[[nodiscard]] bool isOfferedIn(const ConfigPreset& preset, std::string_view release);
/// Reads preset files. @error InvalidInput with what is wrong
[[nodiscard]] Result<std::vector<ConfigPreset>> parsePresets(const std::vector<std::string_view>& files);

/// Key by key: the preset's values win, every other key of the file stays. A different optimizer or scheduler type replaces
/// its params, which belong to the old type; what the preset names as removed goes.
/// What the file says under an older name of a key, or with a switch in place of a section, moves to the key.
/// These are all changes that mergePreset() makes, and the preset's values that are there already.
/// @param context  the release whose older names count
[[nodiscard]] std::vector<PresetChange> presetChanges(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context = {});
/// The same for `text`, which the merge gave and from which more may have been taken out.
[[nodiscard]] std::vector<PresetChange> presetChangesInto(const JsonDocument& document, const ConfigPreset& preset, const std::string& text);
/// The text after the merge; older names of the preset's keys are gone from it. @error what setEdit() gives
[[nodiscard]] Result<std::string> mergePreset(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context = {});

}  // namespace stagecraft
