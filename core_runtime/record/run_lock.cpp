// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_lock.h"

#include "base/atomic_file.h"
#include "record/run_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>

namespace stagecraft {

Result<RunLock> RunLock::acquire(const std::filesystem::path& runFolder)
{
    const auto path = RunFolder{runFolder}.lock();
    auto taken = FileLock::take(path);
    if (!taken.hasValue() && taken.error().code == ErrorCode::Refused) {
        const auto owner = readFile(path, 64);
        std::string pid = owner.hasValue() ? owner.value() : std::string();
        if (const auto end = pid.find('\n'); end != std::string::npos) pid.resize(end);
        return Error{ErrorCode::Refused, fmt::format("Cannot start in \"{}\": process {} is running it; stop that run, or name another folder with --run-dir", runFolder.string(), pid.empty() ? "of another user" : pid),
                     {{"path", runFolder.string()}, {"pid", pid}}};
    }
    if (!taken.hasValue()) return Error{taken.error().code, taken.error().message + "; choose a folder you may write to with --run-dir", taken.error().context};
    // For people and for the message above; the claim is the lock, not this text.
    const int fd = taken->descriptor();
    const std::string text = fmt::format("{}\n", ::getpid());
    if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        return Error{ErrorCode::Io, fmt::format("Cannot write \"{}\": {}; free space or choose another folder with --run-dir", path.string(), std::strerror(errno)), {{"path", path.string()}}};
    return RunLock(std::move(taken.value()));
}

bool RunLock::isAt(const std::filesystem::path& runFolder) const { return m_lock.isAt(RunFolder{runFolder}.lock()); }

std::filesystem::path RunLock::place() const
{
    std::error_code failed;
    const auto file = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(m_lock.descriptor()), failed);
    return !failed && isAt(file.parent_path()) ? file.parent_path() : std::filesystem::path();
}

bool RunLock::isHeld(const std::filesystem::path& runFolder) { return FileLock::isHeld(RunFolder{runFolder}.lock()); }

}  // namespace stagecraft
