// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/field_reader.h"
#include "workspace/workspace.h"

#include <string>
#include <vector>

namespace stagecraft {

/// A workspace document on its way to a Workspace: parsed, patched, with its text for places.
struct WorkspaceText {
    std::string text;
    nlohmann::json document;
    std::vector<std::string> patched;    ///< pointers changed since `text`
    std::filesystem::path folder;
    std::string defaultName;
    std::filesystem::path dsConfigFile;  ///< the file whose content replaced "dsConfig" in `document`; else empty
    std::string dsConfigText;            ///< that file's text
    std::string relaxedConfig;           ///< the text of "dsConfig" where that is no strict JSON, and `text` has it as such; else empty
    bool fromStreams = false;            ///< the ds_config may be a pipe, as on a command line; a window would wait for it
};

/// The sections of an already parsed document. Errors carry pointer and place, no file name.
[[nodiscard]] Result<Workspace> readWorkspaceDocument(const WorkspaceText& source);

/// "dsConfig": inside the workspace or in a file of its own.
void readDsConfig(FieldReader& reader, const WorkspaceText& source, Workspace& workspace);

}  // namespace stagecraft
