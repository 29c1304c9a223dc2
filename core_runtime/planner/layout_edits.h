// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/search.h"
#include "workspace/workspace.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace stagecraft {

/// One value to set as part of an edit; empty json takes the value out.
struct WorkspaceEdit {
    std::string pointer;
    std::string json;
};

/// Where the model states lie: stage and what is moved to the host or to files. Buckets and the rest of the section stay. Files get a
/// folder, nvme_path, where none is named: DeepSpeed refuses them without.
[[nodiscard]] std::vector<WorkspaceEdit> zeroEdits(const Workspace& workspace, int stage, OffloadDevice optimizer, OffloadDevice param);
/// Everything that makes a plan of the workspace be the plan that was scored, in the words of the workspace's framework.
[[nodiscard]] std::vector<WorkspaceEdit> layoutEdits(const Workspace& workspace, const ScoredLayout& layout);
/// The replicas and the samples of each alone: all else of the job stays as it is written.
[[nodiscard]] std::vector<WorkspaceEdit> batchEdits(const Workspace& workspace, const ScoredLayout& layout);
/// Another framework's behaviour for the same job: its name and the arguments that say of it what the workspace said before.
/// @param framework  stagecraft | deepspeed | fsdp2 | megatron
[[nodiscard]] std::vector<WorkspaceEdit> behaviourEdits(const Workspace& workspace, const std::string& framework);

/// The object that has to stand where an edit goes through a value that is none: empty, but for the old "zero_optimization": true, which is
/// stage 1.
[[nodiscard]] nlohmann::json sectionInsteadOf(const std::string& pointer, const nlohmann::json& value);

/// The edits as a JSON Patch (RFC 6902) of the workspace's document, with the objects that are missing on the way; what is not there
/// is not removed. A ds_config that lies in a file of its own becomes part of the workspace.
[[nodiscard]] nlohmann::json patchOf(const Workspace& workspace, const std::vector<WorkspaceEdit>& edits);

}  // namespace stagecraft
