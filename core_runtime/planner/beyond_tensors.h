// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ledger.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

struct TrainingCase;
struct Workspace;

/// A part of what a role's totals have beyond its tensors.
struct BeyondTensors {
    const char* what = "";
    std::int64_t bytes = 0;
    LedgerBuilder::Why why;
};

/// Adds the items that lead from what is allocated at the peak to what is reserved (phase word "reserved") and on to what the process
/// takes ("process"). Such a word is no phase: no sum over tensors has them. Each part is counted by its own formula, and none takes
/// what the others leave: that those of a word add up to the difference of the two totals says that all are right.
void addBeyondTensors(LedgerRole& role, std::vector<BeyondTensors> reserved, std::vector<BeyondTensors> process);

/// Blocks that nothing fits into at the peak, and those that other phases left.
inline constexpr const char* kAllocatorHole = "allocator.hole";
inline constexpr const char* kAllocatorKept = "allocator.kept";
/// Whether the allocator frees an item where the device is full, and then asks again: of what is reserved beyond the tensors the blocks
/// that are empty. Rounded sizes and gaps inside of blocks stay.
[[nodiscard]] bool isGivenBack(const LedgerItem& item);

/// Tells what the allocator's segments cost by not growing, where nothing says whether they do: it stands in the job's environment.
void tellSegments(const Workspace& workspace, const TrainingCase& job, const std::vector<LedgerRole>& ledger, std::vector<PlanFinding>& findings);

/// "context.device": what a process takes on a device before it has computed anything.
/// @param on the device's name
[[nodiscard]] BeyondTensors deviceContext(std::int64_t bytes, const std::string& on, const char* source);
/// "context.groups": buffers of the collective library.
/// @param groups process groups with more than one rank
[[nodiscard]] BeyondTensors groupBuffers(std::int64_t groups);
/// "allocator.fragmentation": rounded sizes and gaps as a share of what is allocated.
/// @param factor reserved over allocated
[[nodiscard]] BeyondTensors fragmentationOf(double factor, std::int64_t allocated, const char* source);

/// Bytes that each process group with more than one rank takes.
inline constexpr std::int64_t kGroupBytes = std::int64_t{300} << 20;
inline constexpr const char* kFragmentationSource = "reserved / allocated is 1.03 to 1.10 of runs whose segments do not grow (c10/cuda/CUDACachingAllocator.cpp: sizes rounded to 512 B, segments to 2 MiB); 1.05 taken";
/// Of segments that grow (expandable_segments): whatever is freed takes any size, so that nothing is kept for want of fitting.
inline constexpr const char* kGrowingSource = "segments that grow (c10/cuda/CUDACachingAllocator.cpp, ExpandableSegment) take any size where something was freed: only rounded sizes and gaps stay, 1.05; ZeRO-3, whose gathers come and go, 1.08";

}  // namespace stagecraft
