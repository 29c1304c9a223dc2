// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/reserve.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <unistd.h>

namespace stagecraft {

namespace {

constexpr off_t kReserve = 1 << 20;        // run.json of a thousand ranks twice over
constexpr std::size_t kNoteBytes = 4096;   // a block

}  // namespace

void keepReserve(const std::filesystem::path& file)
{
    const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) return;
    (void)::posix_fallocate(fd, 0, kReserve);
    ::close(fd);
}

bool noteInReserve(const std::filesystem::path& file, std::string_view note)
{
    const int fd = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd < 0) return false;
    std::array<char, kNoteBytes> block{};
    std::copy_n(note.begin(), std::min(note.size(), block.size() - 1), block.begin());
    const bool whole = ::pwrite(fd, block.data(), block.size(), 0) == static_cast<ssize_t>(block.size());
    ::close(fd);
    return whole;
}

std::string reserveNote(const std::filesystem::path& file)
{
    const int fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return {};
    std::array<char, kNoteBytes> block{};
    const ssize_t got = ::pread(fd, block.data(), block.size() - 1, 0);
    ::close(fd);
    return got > 0 ? std::string(block.data()) : std::string();
}

}  // namespace stagecraft
