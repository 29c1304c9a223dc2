// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <filesystem>

namespace stagecraft {

/// An exclusive claim on a lock file. The kernel drops it when the process that holds it ends in any way, whatever the host's name
/// or the namespace of its pid, so a lock file left behind claims nothing. Children made by exec do not keep it; two claims
/// within one process exclude each other as well.
class FileLock {
public:
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

    /// Makes the file when it is missing; never waits.
    /// @error Refused when another holds it; Io
    [[nodiscard]] static Result<FileLock> take(const std::filesystem::path& file);

    /// Whether a live process holds the file. Looks without taking, so that watching never disturbs a start.
    [[nodiscard]] static bool isHeld(const std::filesystem::path& file);

    /// Whether `file` is still the file that was claimed: not moved, removed or replaced.
    [[nodiscard]] bool isAt(const std::filesystem::path& file) const;
    /// Open for reading and writing as long as the claim lives.
    [[nodiscard]] int descriptor() const { return m_fd; }

private:
    explicit FileLock(int fd) : m_fd(fd) {}
    int m_fd = -1;
};

}  // namespace stagecraft
