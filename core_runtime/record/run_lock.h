// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/file_lock.h"

namespace stagecraft {

/// The claim of the process that runs a folder, see FileLock.
class RunLock {
public:
    /// @error Refused, naming the process, when another holds it; Io
    [[nodiscard]] static Result<RunLock> acquire(const std::filesystem::path& runFolder);

    /// Whether a live process holds the folder. Looks without taking, so that watching never disturbs a start.
    [[nodiscard]] static bool isHeld(const std::filesystem::path& runFolder);

    /// Whether `runFolder` is still the folder that was claimed: not moved, removed or replaced.
    [[nodiscard]] bool isAt(const std::filesystem::path& runFolder) const;
    /// Where the claimed folder lies now; empty when it is gone.
    [[nodiscard]] std::filesystem::path place() const;

private:
    explicit RunLock(FileLock lock) : m_lock(std::move(lock)) {}
    FileLock m_lock;
};

}  // namespace stagecraft
