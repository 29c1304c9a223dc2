// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ds_settings.h"
#include "planner/plan.h"

namespace stagecraft {

/// Plans our own engine: the ledger sums exactly the buffers the engine allocates (schedule/buffer_plan.h).
void planEngine(const Workspace& workspace, const DsSettings& settings, Plan& plan);

/// Bytes a worker process holds beside its buffers on a CPU: its libraries' resident pages, stacks and heaps. Measured as peak
/// resident set less allocated buffers: 123.5 to 127.6 MiB on a Xeon, in four runs of stages 0 to 3 with 145 to 356 MiB of buffers, 117 to 119 on an EPYC
/// in six of 54 to 471 MiB.
inline constexpr std::int64_t kCpuWorkerBase = std::int64_t{122} << 20;

/// What a worker in bf16 holds more than that beside the results of its products: 0 to 18 MB, in the middle 8, in fourteen runs of 128 to
/// 1,024 tokens and vocabularies of 1,024 to 16,384, the most where most is computed; low, so that small models are met as well.
inline constexpr std::int64_t kCpuBf16Kernels = std::int64_t{5} << 20;

}  // namespace stagecraft
