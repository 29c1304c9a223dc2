// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace stagecraft {

/// Replaces `path` by `content` so that a reader, or a machine that dies at any instant, sees the old file or the new
/// one and nothing between: temporary name beside it, fsync, rename, fsync of the folder.
/// Mode, and owner where this user may, stay those of the file that is replaced. A symbolic link stays: the file it names is
/// written.
/// @error Io with the system's reason
[[nodiscard]] Result<void> writeFileAtomically(const std::filesystem::path& path, std::string_view content);

/// The whole file, at most `maxBytes` of it. A pipe or a device in its place is refused at once: whoever opens one may wait for
/// ever, which a window must not.
/// @error NotFound, Io, or InvalidInput when it is no regular file or larger than `maxBytes`
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes = std::size_t{1} << 30);

/// As readFile, for what somebody names on a command line: a pipe ("/dev/stdin", "<(command)") is read to its end.
[[nodiscard]] Result<std::string> readStream(const std::filesystem::path& path, std::size_t maxBytes = std::size_t{1} << 30);

/// What open() refused with the error number `code`, and what to do about it. @return NotFound or Io
[[nodiscard]] Error cannotOpen(const std::filesystem::path& path, int code);

/// Makes the folder and its parents. @error Io with the system's reason
[[nodiscard]] Result<void> makeFolder(const std::filesystem::path& path);

}  // namespace stagecraft
