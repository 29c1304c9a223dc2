// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/beyond_tensors.h"

#include "base/units.h"

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

BeyondTensors groupBuffers(std::int64_t groups)
{
    return {"context.groups", groups * kGroupBytes,
            {"buffers of the collective library, for each group of more than one rank", "groups · bytes", fmt::format("{} · {} MiB", groups, kGroupBytes / kMiB),
             "NCCL: channels · NCCL_BUFFSIZE (4 MiB) · peers, 0.1 to 0.5 GiB a communicator; 300 MiB taken"}};
}

BeyondTensors fragmentationOf(double factor, std::int64_t allocated, const char* source)
{
    return {"allocator.fragmentation", toBytes(factor * static_cast<double>(allocated)) - allocated,
            {"rounded sizes and gaps that nothing fits into, as a share of what is allocated", "(φ - 1) · allocated", fmt::format("({:.6g} - 1) · {}", factor, allocated), source}};
}

}  // namespace stagecraft
