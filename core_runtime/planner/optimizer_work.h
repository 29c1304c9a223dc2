// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <string>

namespace stagecraft {

/// What an optimizer's update moves and computes, of one parameter.
struct OptimizerWork {
    /// Fused: one kernel goes over all of it once. Apart: a kernel for each operation, as torch.optim runs it. Twice: moments in one
    /// pass, weights by their norm in another (LAMB). Newton: momentum and update in passes of their own, and matrix products.
    enum class Way { Fused, Apart, Twice, Newton };
    Way way = Way::Fused;
    std::string optimizer;   ///< as the ds_config or the arguments name it
    double bytes = 28;       ///< read and written in the memory that holds the states
    double flops = 0;        ///< of matrix products
};

/// Of what a device updates. A fused kernel reads gradients once, and reads and writes weights and states once: 3 · width + 2 · states.
/// Source: deepspeed/runtime/engine.py, _configure_basic_optimizer (which kernel each name becomes); ops/csrc/adam, lion, lamb;
/// torch/optim, _multi_tensor_* (each foreach call's operands); runtime/zero/muon/original_muon.py.
[[nodiscard]] OptimizerWork optimizerWork(const TrainingCase& c);

/// Of what the host updates: DeepSpeed's own kernels for Adam, Lion and Adagrad, and what it does beside any: gradients read for their
/// norm, scaled (read and written) and cleared, new weights turned to 16 bits (6), 22 B. Megatron's is torch.optim.AdamW with fused=True
/// (megatron/core/optimizer/__init__.py), with 8 B for the copies; FSDP2's is torch.optim's too, on shards whose gradients are read for their
/// norm and scaled where they are clipped (torch/nn/utils/clip_grad.py), 3 · width.
[[nodiscard]] OptimizerWork hostOptimizerWork(const TrainingCase& c);

}  // namespace stagecraft
