// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "launch/preflight.h"
#include "launch/supervisor.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// What a user asks for with `stagecraft run`.
struct RunRequest {
    std::filesystem::path workspaceFile;
    std::filesystem::path recordedAs;                  ///< the user's file when `workspaceFile` is a copy of it; else empty
    std::vector<std::string> sets;                     ///< "/pointer=value"
    std::optional<std::filesystem::path> runFolder;    ///< else a fresh one under `runsRoot`
    std::filesystem::path runsRoot;
    std::optional<std::string> resume;                 ///< "auto", "no" or a step; not given = no, in a fresh folder only
    std::vector<std::string> command;                  ///< arguments of this program, for the record
    std::filesystem::path worker;                      ///< empty = the one beside this program
    std::string version;                               ///< of this program
};

/// Everything decided and checked, nothing written yet.
struct PreparedRun {
    Workspace workspace;
    nlohmann::json snapshot;                           ///< workspace.json: paths absolute, ds_config inside
    nlohmann::json plan;                               ///< plan.json: the plan's answer, "schedule" and "units"
    std::vector<PreflightFinding> warnings;
    std::filesystem::path runsRoot;
    bool continues = false;                            ///< an earlier run in the folder is continued or started over
    SupervisorOptions supervisor;                      ///< runFolder is empty when a fresh one is to be made
};

/// Reads the workspace and refuses whatever could not train, before any process starts: one error, the first found.
/// @error of the workspace, the ds_config, the data, the layout, the device, memory and disk
[[nodiscard]] Result<PreparedRun> prepareRun(const RunRequest& request);

/// The same for a workspace that is read already, which no file need hold: `workspaceFile` and `sets` of the request are not read.
/// Whoever offers a launch asks here whether it would be refused.
[[nodiscard]] Result<PreparedRun> prepareRun(Workspace workspace, const RunRequest& request);

/// Makes the run folder when needed, takes its lock for the supervisor, and writes workspace.json and plan.json into it.
/// @error Io; Refused: another run has begun there
[[nodiscard]] Result<void> writeRunFolder(PreparedRun& run);

/// The worker program: $STAGECRAFT_WORKER, else `stagecraft-worker` beside this program. @error NotFound
[[nodiscard]] Result<std::filesystem::path> findWorker();

}  // namespace stagecraft
