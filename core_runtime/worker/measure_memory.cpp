// SPDX-License-Identifier: GPL-3.0-or-later
#include "worker/measure.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace stagecraft {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t kThird = Arena::kBytes / 3 / 64 * 64;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

}  // namespace

std::vector<MachineRate> measureMemory(Sampler& sampler, int cores)
{
    std::vector<MachineRate> rates;
    for (const bool triad : {false, true})
        for (const int copies : cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1}) {
            const Sample s = sampler.measure(copies, 1, 0.05, [&](Arena& arena) {
                arena.fillOnce(sizeof(float), Arena::kBytes);
                char* base = arena.data();
                Work work;
                if (!triad) {
                    work.call = [base] { std::memcpy(base, base + kThird, static_cast<std::size_t>(kThird)); };
                    return work;
                }
                work.call = [base] {
                    auto* a = reinterpret_cast<float*>(base);
                    kernels().sumInto(kThird / 4, a + kThird / 4, a + kThird / 2, a, false);
                };
                return work;
            });
            const double moved = static_cast<double>(copies) * static_cast<double>(kThird) * (triad ? 3 : 2);
            rates.push_back({std::string(triad ? "memory.triad." : "memory.copy.") + (copies == 1 ? "1" : "all"), moved / s.seconds, "B/s", s.spread,
                             std::string(triad ? "a = b + c" : "memcpy") + " over 21 MiB arrays, " + std::to_string(copies) + (copies == 1 ? " thread" : " threads") + ", bytes read and written"});
        }
    return rates;
}

Result<std::vector<MachineRate>> measureDisk(const fs::path& folder, std::int64_t bytes)
{
    const fs::path file = folder / ("measure_" + std::to_string(::getpid()) + "_disk");
    const auto failed = [&](const char* what) {
        const Error error{ErrorCode::Io, std::string("Cannot measure the disk: ") + what + " \"" + file.string() + "\": " + std::strerror(errno) + ".", {}};
        ::unlink(file.c_str());
        return error;
    };
    const std::vector<char> block(std::size_t{1} << 20, 'x');
    std::vector<double> writes, reads;
    for (int turn = 0; turn < 3; ++turn) {
        int fd = ::open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
        if (fd < 0) return failed("opening");
        auto start = Clock::now();
        for (std::int64_t done = 0; done < bytes; done += static_cast<std::int64_t>(block.size())) {
            if (::write(fd, block.data(), block.size()) == static_cast<ssize_t>(block.size())) continue;
            const Error error = failed("writing");
            ::close(fd);
            return error;
        }
        const bool synced = ::fsync(fd) == 0;
        writes.push_back(since(start));
        // What was just written lies in memory: reading is measured without that.
        (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        ::close(fd);
        if (!synced) return failed("writing");
        fd = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return failed("opening");
        std::vector<char> in(block.size());
        start = Clock::now();
        ssize_t got = 0;
        while ((got = ::read(fd, in.data(), in.size())) > 0) {}
        reads.push_back(since(start));
        ::close(fd);
        if (got < 0) return failed("reading");
    }
    ::unlink(file.c_str());
    const Sample write = sampleOf(writes), read = sampleOf(reads);
    const double total = static_cast<double>(bytes);
    const std::string how = std::to_string(bytes >> 20) + " MiB in the folder of run records, ";
    return std::vector<MachineRate>{{"disk.write", total / write.seconds, "B/s", write.spread, how + "fsync included"},
                                    {"disk.read", total / read.seconds, "B/s", read.spread, how + "the page cache asked to drop it first"}};
}

}  // namespace stagecraft
