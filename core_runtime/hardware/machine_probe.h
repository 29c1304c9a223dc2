// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct CpuFacts {
    std::string model;             ///< as the kernel names it
    int logicalCores = 0;          ///< online
    int physicalCores = 0;         ///< 0 when the kernel does not say
    double usableCores = 0;        ///< what this process may use: affinity and container quota, e.g. 1.5
    std::vector<std::string> simd; ///< of avx2, fma, avx512f, avx512_bf16, amx_bf16, ...: those that matter to the engine
    double clockHz = 0;            ///< nominal, or the highest where only that is known; 0 = the kernel does not say
    std::string clockSource;       ///< where the kernel says so, one clause
    bool supported = false;        ///< x86-64 with AVX2 and FMA, which LibTorch's fast paths and our kernels need
};

struct MemoryFacts {
    std::int64_t total = 0;        ///< bytes of the machine, or of the container when it has less
    std::int64_t available = 0;    ///< without swapping, now
    std::int64_t swap = 0;         ///< swap space in all
    std::int64_t sharedFree = 0;   ///< free in /dev/shm
    bool limitedByContainer = false;
};

struct DiskFacts {
    std::filesystem::path path;    ///< what was asked about
    std::int64_t total = 0, free = 0;  ///< free: to this user
    std::string fileSystem;        ///< "ext4", "overlay", ...; empty when unknown
    std::string mountPoint;        ///< where it begins; paths with the same one share its room
    bool writable = false;
};

struct GpuFacts {
    int index = 0;
    std::string name;
    std::int64_t memoryTotal = 0, memoryFree = 0;
    int computeMajor = 0, computeMinor = 0;
};

struct GpuProbe {
    bool driver = false;           ///< libnvidia-ml is there and answers
    std::string reason;            ///< why not, one sentence
    std::string driverVersion;
    std::vector<GpuFacts> gpus;
};

/// The data sheet of the GPUs found: all are of one kind, and name and memory are those of one sheet.
/// @return its id; empty when there are none, of several kinds, or when no sheet says what they are
[[nodiscard]] std::string sheetOfGpus(const std::vector<GpuFacts>& gpus);

[[nodiscard]] CpuFacts probeCpu();
[[nodiscard]] MemoryFacts probeMemory();
/// Facts of the file system that holds `path`; of its nearest existing parent when it is not there yet.
[[nodiscard]] DiskFacts probeDisk(const std::filesystem::path& path);
/// Loads the NVIDIA management library when there is one; nothing of it is needed at build time.
[[nodiscard]] GpuProbe probeGpus();

// The parts that read text, apart for tests.
/// Cores granted by cgroup v2's cpu.max ("150000 100000" is 1.5), nullopt for "max" or nonsense.
[[nodiscard]] std::optional<double> coresOfCpuMax(const std::string& text);
/// Hertz that a CPU's name ends with ("Intel(R) Xeon(R) Processor @ 2.50GHz"), nullopt where it does not: AMD's and newer names.
[[nodiscard]] std::optional<double> clockOfName(const std::string& model);
/// The value in bytes of a line "NAME:  123 kB" of /proc/meminfo.
[[nodiscard]] std::optional<std::int64_t> meminfoBytes(const std::string& meminfo, const std::string& name);

}  // namespace stagecraft
