// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/advisor.h"
#include "planner/framework_branches.h"
#include "planner/workspace_model.h"

#include <cstdint>

namespace stagecraft {

/// A branch of the ZeRO tree, before it is weighed for a model.
struct StageChoice {
    const char *id, *name;
    int stage;
    OffloadDevice optimizer, param;
};

/// From the fastest to the smallest: the first that fits is the answer.
inline constexpr StageChoice kStageChoices[] = {
    {"z0", "no sharding (stage 0)", 0, OffloadDevice::None, OffloadDevice::None},
    {"z1", "ZeRO stage 1", 1, OffloadDevice::None, OffloadDevice::None},
    {"z2", "ZeRO stage 2", 2, OffloadDevice::None, OffloadDevice::None},
    {"z3", "ZeRO stage 3", 3, OffloadDevice::None, OffloadDevice::None},
    {"z2_cpu_opt", "ZeRO stage 2, optimizer on the host", 2, OffloadDevice::Cpu, OffloadDevice::None},
    {"z3_cpu_opt", "ZeRO stage 3, optimizer on the host", 3, OffloadDevice::Cpu, OffloadDevice::None},
    {"z3_cpu_opt_param", "ZeRO stage 3, optimizer and parameters on the host", 3, OffloadDevice::Cpu, OffloadDevice::Cpu},
    {"z3_nvme_opt", "ZeRO stage 3, optimizer on NVMe", 3, OffloadDevice::Nvme, OffloadDevice::None},
    {"z3_nvme", "ZeRO stage 3, optimizer and parameters on NVMe", 3, OffloadDevice::Nvme, OffloadDevice::Nvme},
};

/// What a tree weighs: parameters of one rank before ZeRO divides them, and of the whole model for what a node's host must hold.
struct Weighed {
    double trained = 0, wholeTrained = 0;
    double frozen = 0, wholeFrozen = 0, frozenBytes = 2;   ///< beside them, without gradients and states; bytes of each
    double sharedTrained = 0, sharedFrozen = 0;            ///< what ZeRO divides by N: all experts, though a rank has its own part of them alone
};

/// @param model  with its parameters counted
[[nodiscard]] Weighed weigh(const CountedModel& model, const DsSettings& settings, const LayoutSection& layout);

/// The model states of a branch: bytes, formula and numbers; peak, time and verdict are a plan's to fill.
/// @param replicas      ranks among which ZeRO divides
/// @param usable        bytes of one device
/// @param dividesAtZero states are divided at stage 0 as at stage 1
[[nodiscard]] StageOption optionOf(const StageChoice& choice, const DsSettings& settings, const Weighed& model, std::int64_t replicas, std::int64_t usable, bool dividesAtZero);

/// The option of a framework's own branch; its plan fills the rest.
[[nodiscard]] StageOption optionOf(const FrameworkBranch& branch);
/// Fills what follows from the model states that its plan has.
void weighStates(StageOption& option, const Weighed& model, std::int64_t usable);

}  // namespace stagecraft
