// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/device_sheet.h"
#include "hardware/machine_probe.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>

namespace stagecraft {

namespace {

/// A name in capitals without what drivers add or leave out: maker, line, memory and generation of the board. "NVIDIA A100-SXM4-80GB" is
/// A100SXM, and "GeForce RTX 4070 Ti" is RTX4070TI.
std::string coreOf(std::string_view name)
{
    static const std::set<std::string> kSilent{"NVIDIA", "TESLA", "GEFORCE", "GPU", "GENERATION", "HBM3", "HBM3E", "HBM2", "HBM2E"};
    std::string core, word;
    const auto end = [&] {
        if (word.starts_with("SXM")) word = "SXM";
        const bool memory = word.size() > 2 && word.ends_with("GB") && std::all_of(word.begin(), word.end() - 2, [](unsigned char c) { return std::isdigit(c); });
        if (!memory && !kSilent.contains(word)) core += word;
        word.clear();
    };
    for (const char c : name) {
        if (std::isalnum(static_cast<unsigned char>(c))) word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        else end();
    }
    end();
    return core;
}

bool sameMemory(const DeviceSheet& sheet, std::int64_t bytes)
{
    // Makers count 1e9 or 2^30, and a part of a device (MIG) is another device.
    const double seen = static_cast<double>(bytes);
    return seen > 0.97 * sheet.nominalBytes && seen < 1.16 * sheet.nominalBytes;
}

const DeviceSheet* sheetOf(const GpuFacts& gpu)
{
    const std::string core = coreOf(gpu.name);
    // The driver does not say SXM of the boards of Hopper and later: "NVIDIA H100 80GB HBM3", "NVIDIA B200".
    const DeviceSheet* found = nullptr;
    for (const DeviceSheet& sheet : deviceSheets()) {
        if (sheet.vendor != "NVIDIA" || !sameMemory(sheet, gpu.memoryTotal)) continue;
        const std::string id = coreOf(sheet.id);
        if (id == core) return &sheet;
        if (id == core + "SXM" && !found) found = &sheet;
    }
    return found;
}

}  // namespace

std::string sheetOfGpus(const std::vector<GpuFacts>& gpus)
{
    const DeviceSheet* all = nullptr;
    for (const GpuFacts& gpu : gpus) {
        const DeviceSheet* sheet = sheetOf(gpu);
        if (!sheet || (all && sheet != all)) return {};
        all = sheet;
    }
    return all ? all->id : std::string{};
}

}  // namespace stagecraft
