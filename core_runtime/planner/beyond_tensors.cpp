// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/beyond_tensors.h"

#include "base/units.h"
#include "hardware/device_sheet.h"
#include "planner/findings.h"
#include "planner/training_case.h"
#include "workspace/workspace.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagecraft {

namespace {

void addAs(const char* word, LedgerRole& role, std::vector<BeyondTensors> parts)
{
    for (BeyondTensors& part : parts) {
        LedgerBuilder::Why& why = part.why;
        if (part.bytes > 0) role.items.push_back({part.what, Place::Device, part.bytes, word, std::move(why.why), std::move(why.formula), std::move(why.numbers), std::move(why.source)});
    }
}

}  // namespace

void addBeyondTensors(LedgerRole& role, std::vector<BeyondTensors> reserved, std::vector<BeyondTensors> process)
{
    addAs("reserved", role, std::move(reserved));
    addAs("process", role, std::move(process));
}

bool isGivenBack(const LedgerItem& item)
{
    return item.phase == "reserved" && (item.what == kAllocatorHole || item.what == kAllocatorKept);
}

BeyondTensors deviceContext(std::int64_t bytes, const std::string& on, const char* source)
{
    return {"context.device", bytes, {"device context, kernels and libraries of the process", "bytes", fmt::format("{} MiB{}{}", bytes / kMiB, on.empty() ? "" : ", ", on), source}};
}

void tellSegments(const Workspace& workspace, const TrainingCase& job, const std::vector<LedgerRole>& ledger, std::vector<PlanFinding>& findings)
{
    const auto& said = workspace.framework.arguments;
    if (job.expandableSegments || !job.sheet || job.sheet->vendor != "NVIDIA" || (said.is_object() && said.contains("expandable_segments"))) return;
    constexpr double kGapsOfGrowing = 0.08, kMuch = 0.03;
    double most = 0;
    for (const LedgerRole& role : ledger) {
        double spared = -kGapsOfGrowing * static_cast<double>(role.peak.allocated);
        for (const LedgerItem& item : role.items)
            if (item.what == kAllocatorHole || item.what == kAllocatorKept || item.what == "allocator.fragmentation") spared += static_cast<double>(item.bytes);
        if (spared > kMuch * static_cast<double>(role.peak.process)) most = std::max(most, spared);
    }
    if (most > 0)
        findings.push_back(makeFinding("plan.segments", "info", "/framework/arguments", "Segments of fixed size are planned, as PyTorch's allocator takes them: {} of the peak is blocks that nothing fits in. Where PYTORCH_CUDA_ALLOC_CONF says expandable_segments:True, write \"expandable_segments\": true in framework.arguments", {formatBytes(toBytes(most))}));
}

BeyondTensors groupBuffers(std::int64_t groups)
{
    return {"context.groups", groups * kGroupBytes,
            {"buffers of the collective library, for each group of more than one rank", "groups · bytes", fmt::format("{} · {} MiB", groups, kGroupBytes / kMiB),
             "NCCL: channels · NCCL_BUFFSIZE (4 MiB) · peers, 0.1 to 0.5 GiB a communicator; 300 MiB taken"}};
}

BeyondTensors fragmentationOf(double factor, std::int64_t allocated, const char* source)
{
    return {"allocator.fragmentation", toBytes(factor * static_cast<double>(allocated)) - allocated,
            {"rounded sizes and gaps that nothing fits into, as a share of what is allocated", "(φ - 1) · allocated", fmt::format("({:.12g} - 1) · {}", factor, allocated), source}};
}

}  // namespace stagecraft
