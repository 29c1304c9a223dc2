// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/kept_tensors.h"
#include "planner/training_case.h"

namespace stagecraft {

/// What autograd keeps of one block of Transformers' modelling code (release 5.23) on a CUDA device, kind by kind.
/// @param dense share of the blocks without experts in a sparse model
[[nodiscard]] KeptTensors transformersBlock(const TrainingCase& c, double dense = 0);

/// Id of the ledger's item for weights that adapters make anew.
inline constexpr const char* kRebuiltWeights = "activations.rebuilt_weights";

/// What PEFT's adapters keep of one block beside what it keeps itself: what lies between their two matrices, inputs that they drop of,
/// DoRA's two results, and whole weights that they make anew.
/// Source: peft 0.21, tuners/lora/layer.py, Linear.forward and ParamWrapper; tuners/lora/dora.py
void addAdapterTensors(KeptTensors& kept, const TrainingCase& c);

/// No fused kernel of scaled_dot_product_attention takes these keys: it makes all scores, in fp32. So it is where keys are left grouped
/// (enable_gqa) and the type or the device is none of FlashAttention's: the memory-efficient kernel takes no groups.
/// Source: aten/src/ATen/native/transformers/cuda/sdp_utils.cpp, check_batch_size_and_num_heads_dense, check_sm_version.
[[nodiscard]] bool sdpaNeedsMath(const TrainingCase& c);

/// Under autocast ZeRO-3's linear function keeps what it is called with, fp32 inputs and weights, and casts them anew; GPT-2's modules call
/// another. Sources: deepspeed/runtime/zero/linear.py, LinearFunctionForZeroStage3; transformers/pytorch_utils.py, Conv1D.
[[nodiscard]] bool keepsAsCalled(const TrainingCase& c);

/// torchtitan has a model of that family: its LLaMA, Qwen3 and DeepSeek-V3 blocks.
[[nodiscard]] bool isTorchtitanFamily(const BlockCode& code);

/// Share of a stage's layers that are a sparse model's dense ones, which are the first.
[[nodiscard]] double denseShare(const TrainingCase& c, std::int64_t stage, std::int64_t layers);

}  // namespace stagecraft
