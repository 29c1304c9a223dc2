// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file_lock.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
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

FileLock::FileLock(FileLock&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    return *this;
}
FileLock::~FileLock()
{
    if (m_fd >= 0) ::close(m_fd);
}

Result<FileLock> FileLock::take(const std::filesystem::path& file)
{
    for (int tries = 0; tries < 100; ++tries) {
        FileLock held(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
        if (held.m_fd < 0) return Error{ErrorCode::Io, fmt::format("Cannot open \"{}\": {}", file.string(), std::strerror(errno)), {{"path", file.string()}}};
        struct flock lock = wholeFile();
        if (::fcntl(held.m_fd, F_OFD_SETLK, &lock) != 0) {
            const int why = errno;
            return Error{why == EAGAIN || why == EACCES ? ErrorCode::Refused : ErrorCode::Io, fmt::format("Cannot lock \"{}\": {}", file.string(), why == EAGAIN || why == EACCES ? "another process holds it" : std::strerror(why)),
                         {{"path", file.string()}}};
        }
        // Its last holder may have removed the file between open() and the lock: then this is a lock on nothing.
        if (held.isAt(file)) return held;
    }
    return Error{ErrorCode::Io, fmt::format("Cannot lock \"{}\": other programs keep replacing it", file.string()), {{"path", file.string()}}};
}

bool FileLock::isAt(const std::filesystem::path& file) const
{
    struct stat there {}, ours {};
    return ::stat(file.c_str(), &there) == 0 && ::fstat(m_fd, &ours) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev;
}

bool FileLock::isHeld(const std::filesystem::path& file)
{
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    struct flock lock = wholeFile();
    const bool held = ::fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    ::close(fd);
    return held;
}

}  // namespace stagecraft
