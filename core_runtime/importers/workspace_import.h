// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "importers/foreign_config.h"

#include <cstddef>
#include <filesystem>
#include <string>

namespace stagecraft {

/// Most bytes read of a file that is imported, or that one names.
inline constexpr std::size_t kMaxForeignBytes = std::size_t{4} << 20;

/// Reads the files that `file` names: as written, then from its folder and from each folder above it, because such paths are
/// meant from where the training is started, which usually is one of these. Regular files only: the file names them, not the
/// user. The reader's errors are NotFound and Io.
[[nodiscard]] ForeignReader readerBeside(const std::filesystem::path& file);

/// The text of a workspace with what was imported set in it; every other byte is kept. The ds_config stands inside
/// afterwards, also where a file was named before; a workspace is strict JSON, so one with comments is taken without them.
/// @param name  of the workspace, for messages
/// @error InvalidInput when the text is no JSON, as setEdit where a value cannot be set
[[nodiscard]] Result<std::string> importIntoWorkspace(std::string text, const ImportedConfig& imported, const std::string& name);

/// As importIntoWorkspace(), without the ds_config: what was imported beside it, for one that stands in a file of its own.
[[nodiscard]] Result<std::string> importAroundConfig(std::string text, const ImportedConfig& imported, const std::string& name);

}  // namespace stagecraft
