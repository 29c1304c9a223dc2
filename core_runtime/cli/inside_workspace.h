// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "workspace/workspace.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace stagecraft::cli {

/// The ds_config inside a workspace, at the line and column where it stands there: nothing but white space before it.
/// @error InvalidInput where it has none
[[nodiscard]] Result<std::string> embeddedConfig(const std::string& file, const std::string& text);

/// The workspace with an empty ds_config in place of the one inside it. @error InvalidInput where it has none; as parseWorkspace(): something
/// else is wrong with it
[[nodiscard]] Result<Workspace> withoutConfig(const std::string& text, const std::filesystem::path& folder);

/// Whether a text that no reader takes has the key of a workspace at its top.
[[nodiscard]] bool looksLikeWorkspace(std::string_view text);

}  // namespace stagecraft::cli
