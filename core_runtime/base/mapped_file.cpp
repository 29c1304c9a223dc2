// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/mapped_file.h"

#include "base/atomic_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace stagecraft {

MappedFile::~MappedFile()
{
    // munmap takes what mmap gave; the span is const only for our readers.
    if (!m_bytes.empty()) ::munmap(const_cast<std::byte*>(m_bytes.data()), m_bytes.size());
}

MappedFile::MappedFile(MappedFile&& other) noexcept : m_bytes(std::exchange(other.m_bytes, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_bytes, other.m_bytes);
    return *this;
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path)
{
    // O_NONBLOCK: opening a pipe without a writer must not hang.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return cannotOpen(path, errno);
    struct stat info {};
    MappedFile file;
    if (::fstat(fd, &info) != 0) {
        const Error error = cannotOpen(path, errno);
        ::close(fd);
        return error;
    }
    if (!S_ISREG(info.st_mode)) {
        ::close(fd);
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot read \"{}\": it is not a file.", path.string()), {{"path", path.string()}}};
    }
    if (info.st_size > 0) {
        const auto size = static_cast<std::size_t>(info.st_size);
        void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (address == MAP_FAILED) {
            const Error error = cannotOpen(path, errno);
            ::close(fd);
            return error;
        }
        file.m_bytes = {static_cast<const std::byte*>(address), size};
    }
    ::close(fd);
    return file;
}

}  // namespace stagecraft
