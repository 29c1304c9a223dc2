// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/cpu_sheet.h"

#include "hardware/read_sheets.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr double kGenericClock = 2.6e9;  // of configs/devices/cpu.json

}  // namespace

DeviceSheet cpuSheetOf(const CpuFacts& cpu, const DeviceSheet& generic)
{
    if (!cpu.supported) return generic;
    const auto has = [&](const char* name) { return std::find(cpu.simd.begin(), cpu.simd.end(), name) != cpu.simd.end(); };
    const bool wide = has("avx512f");
    const double clock = cpu.clockHz > 0 ? cpu.clockHz : kGenericClock;
    const double vector = wide ? 64 : 32;
    const double bf16 = has("amx_bf16") ? 1024 : has("avx512_bf16") ? 2 * vector : vector / 4;

    DeviceSheet sheet = generic;
    if (!cpu.model.empty()) sheet.name = fmt::format("one thread of {}, and its share of the host's memory bus", cpu.model);
    sheet.peak = {{"fp32", vector * clock}, {"fp16", vector * clock}, {"bf16", bf16 * clock}};
    const std::string how = cpu.clockHz > 0 ? cpu.clockSource : "assumed, as the kernel names no clock";
    sheet.source = fmt::format("/proc/cpuinfo: {}, two fused multiply-adds a cycle ({:g} FLOP{}); bf16 {} ({:g} FLOP a cycle); {:.4g} GHz, {}; memory assumed: one DDR4-3200 channel of 25.6 GB/s for about two and a half threads. "
                               "Replaced by `doctor --measure`",
                               wide ? "AVX-512" : "AVX2", vector, wide ? ", half of that on cores with one unit" : "",
                               has("amx_bf16") ? "by AMX" : has("avx512_bf16") ? "by AVX-512 BF16" : "made of fp32 instructions", bf16, clock / 1e9, how);
    return sheet;
}

void useSheetOfThisCpu()
{
    const DeviceSheet* generic = findDevice("cpu");
    if (generic) addDeviceSheets({cpuSheetOf(probeCpu(), *generic)});
}

}  // namespace stagecraft
