// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/atomic_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stagecraft {

namespace {

/// Closes on every way out; `release` is for the one place that must see close's own error.
class FileDescriptor {
public:
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    ~FileDescriptor() { if (m_fd >= 0) ::close(m_fd); }
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }
    [[nodiscard]] int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

Error systemError(const char* what, const std::filesystem::path& path)
{
    const int code = errno;
    const auto kind = code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io;
    return Error{kind, fmt::format("Cannot {} \"{}\": {}.", what, path.string(), std::strerror(code)), {{"path", path.string()}}};
}

bool writeAll(int fd, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t written = ::write(fd, content.data(), content.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
}

/// The file that writing to `path` means: what a symbolic link names, whether that is there or not. The links of the folders
/// before it are the system's business.
Result<std::filesystem::path> writtenFile(std::filesystem::path path)
{
    constexpr int kMostLinks = 40;  // as the kernel follows
    const std::filesystem::path named = path;
    for (int i = 0; i < kMostLinks; ++i) {
        std::error_code notALink;
        const std::filesystem::path target = std::filesystem::read_symlink(path, notALink);
        if (notALink) return path;
        path = path.parent_path() / target;  // an absolute target replaces all before it
    }
    errno = ELOOP;
    return systemError("write", named);
}

/// What stands behind `file`, which open() gave for `path` or refused just now.
Result<std::string> readAll(const FileDescriptor& file, const std::filesystem::path& path, std::size_t maxBytes)
{
    if (file.get() < 0) return cannotOpen(path, errno);
    std::string content;
    std::string block(64 * 1024, '\0');
    for (;;) {
        const ssize_t got = ::read(file.get(), block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return systemError("read", path);
        if (got == 0) return content;
        content.append(block.data(), static_cast<std::size_t>(got));
        if (content.size() > maxBytes) {
            return Error{ErrorCode::InvalidInput, fmt::format("Cannot read \"{}\": it is larger than {} bytes.", path.string(), maxBytes),
                         {{"path", path.string()}}};
        }
    }
}

}  // namespace

Result<void> writeFileAtomically(const std::filesystem::path& named, std::string_view content)
{
    const auto written = writtenFile(named);
    if (!written.hasValue()) return written.error();
    const std::filesystem::path& path = written.value();
    struct stat old {};
    const bool replaces = ::stat(path.c_str(), &old) == 0;
    if (replaces && !S_ISREG(old.st_mode) && !S_ISDIR(old.st_mode)) {
        // A device or a pipe is written into: a file in its place would cut off whoever else uses it.
        FileDescriptor device(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
        if (device.get() < 0 || !writeAll(device.get(), content) || ::close(device.release()) != 0) return systemError("write", path);
        return {};
    }
    std::string temporary = path.string() + ".XXXXXX";
    FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.get() < 0) return systemError("write", path);

    // mkstemp makes 0600; keep what the replaced file allowed, else what the umask says.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const mode_t mode = replaces ? (old.st_mode & 07777) : (0666 & ~mask);
    // The owner too, where we may: an administrator's edit does not take a file from its user. Before the mode, which chown cuts.
    if (replaces && (old.st_uid != ::geteuid() || old.st_gid != ::getegid()) && ::fchown(file.get(), old.st_uid, old.st_gid) != 0)
        (void)(::fchown(file.get(), static_cast<uid_t>(-1), old.st_gid) == 0);

    const bool stored = writeAll(file.get(), content) && ::fchmod(file.get(), mode) == 0 && ::fsync(file.get()) == 0
        && ::close(file.release()) == 0 && ::rename(temporary.c_str(), path.c_str()) == 0;
    if (!stored) {
        Error error = systemError("write", path);
        ::unlink(temporary.c_str());
        return error;
    }
    const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
    const FileDescriptor parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent.get() >= 0) ::fsync(parent.get());
    return {};
}

Result<std::string> readFile(const std::filesystem::path& path, std::size_t maxBytes)
{
    // Without blocking: a pipe that nobody writes into is opened all the same, and seen for what it is.
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    struct stat kind {};
    if (file.get() >= 0 && ::fstat(file.get(), &kind) == 0 && !S_ISREG(kind.st_mode) && !S_ISDIR(kind.st_mode))
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read \"{}\": it is a pipe or a device, not a file.", path.string()), {{"path", path.string()}}};
    return readAll(file, path, maxBytes);
}

Result<std::string> readStream(const std::filesystem::path& path, std::size_t maxBytes)
{
    return readAll(FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path, maxBytes);
}

Result<void> makeFolder(const std::filesystem::path& path)
{
    std::error_code code;
    std::filesystem::create_directories(path, code);
    if (code) return Error{ErrorCode::Io, fmt::format("Cannot make the folder \"{}\": {}.", path.string(), code.message()), {{"path", path.string()}}};
    return {};
}

Error cannotOpen(const std::filesystem::path& path, int code)
{
    const std::string file = path.string(), why = std::strerror(code);
    std::string message;
    switch (code) {
    case ENOENT: message = fmt::format("Cannot open \"{}\": {}; check the path.", file, why); break;
    case EACCES: message = fmt::format("Cannot open \"{}\": {}; you may not read it: change its rights.", file, why); break;
    default: message = fmt::format("Cannot open \"{}\": {}.", file, why);
    }
    return Error{code == ENOENT ? ErrorCode::NotFound : ErrorCode::Io, std::move(message), {{"path", file}}};
}

}  // namespace stagecraft
