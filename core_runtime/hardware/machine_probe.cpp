// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/machine_probe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>
#include <sys/statvfs.h>
#include <unistd.h>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path& path)
{
    std::ifstream in(path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::optional<std::int64_t> numberOf(const std::string& text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end == text.data()) return std::nullopt;
    return value;
}

/// This process's folder in the unified cgroup tree; empty without one.
fs::path cgroupFolder()
{
    std::istringstream lines(textOf("/proc/self/cgroup"));
    for (std::string line; std::getline(lines, line);)
        if (line.starts_with("0::")) return fs::path("/sys/fs/cgroup" + line.substr(3));
    return {};
}

/// The tightest value of `file` on the way from our cgroup up to the root.
template <class Value, class Parse>
std::optional<Value> tightest(const char* file, Parse&& parse)
{
    std::optional<Value> least;
    fs::path folder = cgroupFolder();
    for (int level = 0; level < 32 && folder.native().starts_with("/sys/fs/cgroup"); ++level, folder = folder.parent_path()) {
        const std::optional<Value> value = parse(textOf(folder / file));
        if (value && (!least || *value < *least)) least = value;
        if (folder == "/sys/fs/cgroup") break;
    }
    return least;
}

}  // namespace

std::optional<double> coresOfCpuMax(const std::string& text)
{
    std::istringstream in(text);
    double quota = 0, period = 0;
    if (in >> quota >> period && quota > 0 && period > 0) return quota / period;
    return std::nullopt;
}

std::optional<std::int64_t> meminfoBytes(const std::string& meminfo, const std::string& name)
{
    std::istringstream lines(meminfo);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(name + ":")) continue;
        std::istringstream rest(line.substr(name.size() + 1));
        std::int64_t kilobytes = 0;
        if (rest >> kilobytes) return kilobytes * 1024;
    }
    return std::nullopt;
}

std::optional<double> clockOfName(const std::string& model)
{
    const std::size_t at = model.rfind("@ ");
    if (at == std::string::npos) return std::nullopt;
    std::istringstream in(model.substr(at + 2));
    double value = 0;
    std::string unit;
    if (!(in >> value >> unit) || !(value > 0) || value > 1e5) return std::nullopt;
    if (unit == "GHz") return value * 1e9;
    if (unit == "MHz") return value * 1e6;
    return std::nullopt;
}

namespace {

// The clock that a core keeps under load is in no one place. What the kernel reads off at this moment comes last: where clocks change
// it is another at every look, and where they do not (virtual machines) it is the nominal one.
void probeClock(CpuFacts& cpu, double megahertzNow)
{
    const auto say = [&](double hertz, const char* source) {
        cpu.clockHz = hertz;
        cpu.clockSource = source;
    };
    if (const auto named = clockOfName(cpu.model)) return say(*named, "in the name of the CPU");
    const fs::path folder = "/sys/devices/system/cpu/cpu0/cpufreq";
    if (const auto base = numberOf(textOf(folder / "base_frequency")); base && *base > 0) return say(static_cast<double>(*base) * 1e3, "cpufreq/base_frequency");
    if (const auto most = numberOf(textOf(folder / "cpuinfo_max_freq")); most && *most > 0) return say(static_cast<double>(*most) * 1e3, "the highest by cpufreq");
    if (megahertzNow > 0) say(std::round(megahertzNow / 100) * 1e8, "\"cpu MHz\" in /proc/cpuinfo");
}

}  // namespace

CpuFacts probeCpu()
{
    CpuFacts cpu;
    std::istringstream lines(textOf("/proc/cpuinfo"));
    std::set<std::pair<std::string, std::string>> cores;
    std::string package;
    double megahertz = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::size_t colon = line.find(": ");
        if (colon == std::string::npos) continue;
        std::string key = line.substr(0, colon);
        while (!key.empty() && (key.back() == '\t' || key.back() == ' ')) key.pop_back();
        const std::string value = line.substr(colon + 2);
        if (key == "model name" && cpu.model.empty()) cpu.model = value;
        if (key == "cpu MHz" && megahertz == 0) (void)(std::istringstream(value) >> megahertz);
        if (key == "physical id") package = value;
        if (key == "core id") cores.insert({package, value});
        if (key == "flags" && cpu.simd.empty()) {
            static constexpr std::array<std::string_view, 10> kWanted{"avx2", "fma", "f16c", "avx512f", "avx512bw", "avx512_vnni", "avx512_bf16", "avx512_fp16", "amx_tile", "amx_bf16"};
            std::istringstream words(value);
            std::set<std::string> flags;
            for (std::string word; words >> word;) flags.insert(word);
            for (const std::string_view wanted : kWanted)
                if (flags.contains(std::string(wanted))) cpu.simd.emplace_back(wanted);
        }
    }
    probeClock(cpu, megahertz);
    cpu.physicalCores = static_cast<int>(cores.size());
    cpu.logicalCores = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
    cpu.usableCores = cpu.logicalCores;
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0) cpu.usableCores = std::min<double>(cpu.usableCores, CPU_COUNT(&set));
    if (const auto quota = tightest<double>("cpu.max", coresOfCpuMax)) cpu.usableCores = std::min(cpu.usableCores, *quota);
#if defined(__x86_64__)
    const auto has = [&](const char* name) { return std::find(cpu.simd.begin(), cpu.simd.end(), name) != cpu.simd.end(); };
    cpu.supported = has("avx2") && has("fma");
#endif
    return cpu;
}

MemoryFacts probeMemory()
{
    MemoryFacts memory;
    const std::string meminfo = textOf("/proc/meminfo");
    memory.total = meminfoBytes(meminfo, "MemTotal").value_or(0);
    memory.available = meminfoBytes(meminfo, "MemAvailable").value_or(meminfoBytes(meminfo, "MemFree").value_or(0));
    memory.swap = meminfoBytes(meminfo, "SwapTotal").value_or(0);
    const auto limit = tightest<std::int64_t>("memory.max", numberOf);
    if (limit && *limit > 0 && *limit < memory.total) {
        memory.total = *limit;
        memory.limitedByContainer = true;
        // File pages counted as used are given back when asked for.
        const fs::path folder = cgroupFolder();
        std::istringstream stat(textOf(folder / "memory.stat"));
        std::int64_t inactive = 0;
        for (std::string key, value; stat >> key >> value;)
            if (key == "inactive_file") inactive = numberOf(value).value_or(0);
        const std::int64_t used = numberOf(textOf(folder / "memory.current")).value_or(0);
        memory.available = std::clamp<std::int64_t>(*limit - used + inactive, 0, memory.available);
    }
    struct statvfs info {};
    if (::statvfs("/dev/shm", &info) == 0) memory.sharedFree = static_cast<std::int64_t>(info.f_bavail) * static_cast<std::int64_t>(info.f_frsize);
    return memory;
}

DiskFacts probeDisk(const fs::path& path)
{
    DiskFacts disk;
    disk.path = path;
    std::error_code ignored;
    fs::path there = fs::absolute(path, ignored);
    while (!fs::exists(there, ignored) && there.has_parent_path() && there != there.parent_path()) there = there.parent_path();
    struct statvfs info {};
    if (::statvfs(there.c_str(), &info) == 0) {
        disk.total = static_cast<std::int64_t>(info.f_blocks) * static_cast<std::int64_t>(info.f_frsize);
        disk.free = static_cast<std::int64_t>(info.f_bavail) * static_cast<std::int64_t>(info.f_frsize);
        disk.writable = (info.f_flag & ST_RDONLY) == 0 && ::access(there.c_str(), W_OK | X_OK) == 0;
    }
    // The longest mount point that is a prefix of the path.
    std::istringstream mounts(textOf("/proc/self/mounts"));
    const std::string full = fs::weakly_canonical(there, ignored).string();
    std::size_t longest = 0;
    for (std::string line; std::getline(mounts, line);) {
        std::istringstream fields(line);
        std::string device, point, type;
        fields >> device >> point >> type;
        const bool covers = point == "/" || full == point || full.starts_with(point + "/");
        if (covers && point.size() >= longest) {
            longest = point.size();
            disk.fileSystem = type;
            disk.mountPoint = point;
        }
    }
    return disk;
}

}  // namespace stagecraft
