// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/workspace.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

/// What a checkpoint says of its training besides tensors, for CheckpointManifest::scalars: seeds, the samples of a step, and of the
/// model what its shapes do not tell.
/// @param trainBatch  samples of an optimizer step over all ranks
/// @param tokens      of the whole data source: a file that has grown is other data
/// @pre workspace.model.spec
[[nodiscard]] nlohmann::json resumeSettings(const Workspace& workspace, std::int64_t trainBatch, std::int64_t tokens);

/// One thing that a training which goes on from a checkpoint does otherwise than the one that saved it.
struct SettingsChange {
    bool refuses = false;      ///< the same tensors mean another network: nothing sensible can go on
    std::string pointer;       ///< of the workspace
    std::string message;       ///< one sentence, with both values
};

/// @param before  scalars of the checkpoint; what they lack is not compared, they may be of an earlier release
[[nodiscard]] std::vector<SettingsChange> settingsChanged(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace stagecraft
