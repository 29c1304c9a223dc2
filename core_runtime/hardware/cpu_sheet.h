// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/device_sheet.h"
#include "hardware/machine_probe.h"

namespace stagecraft {

/// The sheet of one thread of these cores: what its instruction sets do in a cycle, times the clock that is known.
///
/// FLOP a cycle: two fused multiply-adds of AVX2 (32) or AVX-512 (64; cores with one such unit reach half, which nothing tells); bf16
/// by AMX 1,024 (Intel 64 and IA-32 Optimization Reference Manual, chapter on AMX), by AVX-512 BF16 twice fp32's; without either
/// oneDNN makes each of its products of two fused multiply-adds and six shifts (cpu/x64/jit_avx512_core_bf16cvt.hpp,
/// bf16_emulation_t): a quarter. Memory and links stay those of `generic`: the kernel says nothing of them.
/// @param generic  the sheet to start from, which also gives the clock where the kernel names none
/// @return `generic` itself where the instruction sets are not known
[[nodiscard]] DeviceSheet cpuSheetOf(const CpuFacts& cpu, const DeviceSheet& generic);

/// Puts this machine's cores in place of the generic ones of the sheet "cpu". Called once as a program starts, before a person's own
/// sheets are read, which replace it in turn, and before anything looks for a device.
void useSheetOfThisCpu();

}  // namespace stagecraft
