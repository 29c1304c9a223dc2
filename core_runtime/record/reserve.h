// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace stagecraft {

/// Room that a live run keeps for itself, so that a disk which fills up hides neither how the run ended nor that it is not
/// being recorded. The blocks are taken at the start; without them (no space, a file system that cannot) a run goes on just the
/// same. The file holds a note, then zeros.
///
/// @param file  RunFolder::reserve()
void keepReserve(const std::filesystem::path& file);

/// Puts a note of up to 4 KiB into the room that is kept: why the record cannot be written now; empty when it can again.
/// Takes no new blocks. @return whether it is there
bool noteInReserve(const std::filesystem::path& file, std::string_view note);

/// The note, empty when there is none.
[[nodiscard]] std::string reserveNote(const std::filesystem::path& file);

}  // namespace stagecraft
