// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "exporters/foreign_export.h"
#include "importers/transfer_note.h"

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct Workspace;

/// Targets of exportWorkspace: ds_config, accelerate, accelerate-file, trainer, llama-factory, axolotl, command, python,
/// evaluation, schema.
[[nodiscard]] const std::vector<std::string>& workspaceExportTargets();

struct WorkspaceExport {
    std::vector<ExportedFile> files;
    std::vector<TransferNote> notes;     ///< of a foreign target: the fate of each value
    std::vector<std::string> warnings;   ///< of the others
};

/// The files that `target` takes, in memory.
/// - ds_config: ds_config.json, byte for byte as it was written
/// - command: that and launch.sh, which starts the workspace
/// - schema: ds_config.schema.json, for editors
/// - python: ds_config.py, dsConfigPython(); evaluation: ds_config_eval.json, evaluationConfig()
/// - the others: exportForeignConfig()
///
/// @param workspaceFile  absolute path, for launch.sh; empty where the workspace stands in no file
/// @param sets           patches that launch.sh repeats
/// @param ranksAssumed   nobody chose the workspace's number of ranks, see ExportSource
/// @error InvalidArgument for another target, InvalidInput when a ds_config that has to be read cannot be, Refused when DeepSpeed refuses the ds_config that a foreign target is made of
[[nodiscard]] Result<WorkspaceExport> exportWorkspace(const Workspace& workspace, std::string_view target, const std::string& workspaceFile, const std::vector<std::string>& sets,
                                                      std::string_view language = "en", bool ranksAssumed = false);

/// Writes the files into `folder`, which is made; each is there whole or not at all. @return their paths
/// @error Io
[[nodiscard]] Result<std::vector<std::string>> writeExport(const std::vector<ExportedFile>& files, const std::string& folder);

}  // namespace stagecraft
