// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/layout_edits.h"
#include "workspace/workspace.h"

#include <string>
#include <vector>

namespace stagecraft {

/// One branch of the tree of a framework that has no ZeRO stages: what it divides, and which activations are made again.
struct FrameworkBranch {
    std::string id;      ///< replicated, distributed, then with _sequence, _selective, _recompute (Megatron-LM); sharded, then with _selective, _recompute, _offload, _offload_recompute (FSDP2)
    std::string name;
    int stage = 0;       ///< the ZeRO stage that divides as much
    std::string recompute = "none";   ///< none | selective | full
    bool chosen = false; ///< the workspace says so now
    std::vector<WorkspaceEdit> edits;   ///< what choosing it changes; empty texts take a value out
    bool onHost = false; ///< weights, gradients and optimizer lie on the host
};

/// What takes FSDP2's shards to the host, or back, whoever's word the arguments have for it.
[[nodiscard]] std::vector<WorkspaceEdit> hostShardEdits(const Workspace& workspace, bool onHost);

/// The branches of the workspace's own framework in the order in which a tree asks, from the fastest to the smallest. None for DeepSpeed and
/// our engine, whose tree has ZeRO stages.
///
/// - Megatron-LM: its distributed optimizer; sequence parallelism, where tensor-parallel ranks are without, and recomputation with it then;
///   selective recomputation, where attention is no kernel that keeps nothing for it to make again; full recomputation.
/// - FSDP2: always sharded; selective recomputation of torchtitan's blocks; full recomputation; the shards on the host, which is what the devices need least
///   for, without recomputation and with it. On CPUs they lie there as they are.
[[nodiscard]] std::vector<FrameworkBranch> frameworkBranches(const Workspace& workspace);

}  // namespace stagecraft
