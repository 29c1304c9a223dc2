// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_lock.h"

#include "record/run_folder.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stagecraft {

namespace {

// Open-file-description locks rather than flock(): only they can be looked at (F_OFD_GETLK) without being taken.
struct flock wholeFile()
{
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    return lock;
}

}  // namespace

RunLock::RunLock(RunLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
RunLock& RunLock::operator=(RunLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}
RunLock::~RunLock()
{
    if (m_fd >= 0) ::close(m_fd);
}

Result<RunLock> RunLock::acquire(const std::filesystem::path& runFolder)
{
    const auto path = RunFolder{runFolder}.lock();
    RunLock held(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    if (held.m_fd < 0)
        return Error{ErrorCode::Io, fmt::format("Cannot open \"{}\": {}; choose a folder you may write to with --run-dir", path.string(), std::strerror(errno)), {{"path", path.string()}}};
    struct flock lock = wholeFile();
    if (::fcntl(held.m_fd, F_OFD_SETLK, &lock) != 0) {
        if (errno != EAGAIN && errno != EACCES)
            return Error{ErrorCode::Io, fmt::format("Cannot lock \"{}\": {}", path.string(), std::strerror(errno)), {{"path", path.string()}}};
        char owner[64] = {};
        const ssize_t got = ::pread(held.m_fd, owner, sizeof owner - 1, 0);
        std::string pid(owner, got > 0 ? static_cast<std::size_t>(got) : 0);
        if (const auto end = pid.find('\n'); end != std::string::npos) pid.resize(end);
        return Error{ErrorCode::Refused, fmt::format("Cannot start in \"{}\": process {} is running it; stop that run, or name another folder with --run-dir", runFolder.string(), pid.empty() ? "of another user" : pid),
                     {{"path", runFolder.string()}, {"pid", pid}}};
    }
    // For people and for the message above; the claim is the lock, not this text.
    const std::string text = fmt::format("{}\n", ::getpid());
    if (::ftruncate(held.m_fd, 0) != 0 || ::pwrite(held.m_fd, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()))
        return Error{ErrorCode::Io, fmt::format("Cannot write \"{}\": {}; free space or choose another folder with --run-dir", path.string(), std::strerror(errno)), {{"path", path.string()}}};
    return held;
}

bool RunLock::isAt(const std::filesystem::path& runFolder) const
{
    struct stat there {}, ours {};
    return ::stat(RunFolder{runFolder}.lock().c_str(), &there) == 0 && ::fstat(m_fd, &ours) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev;
}

std::filesystem::path RunLock::place() const
{
    std::error_code failed;
    const auto file = std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(m_fd), failed);
    return !failed && isAt(file.parent_path()) ? file.parent_path() : std::filesystem::path();
}

bool RunLock::isHeld(const std::filesystem::path& runFolder)
{
    const int fd = ::open(RunFolder{runFolder}.lock().c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    struct flock lock = wholeFile();
    const bool held = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    ::close(fd);
    return held;
}

}  // namespace stagecraft
