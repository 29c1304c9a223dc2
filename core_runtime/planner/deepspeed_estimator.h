// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>

namespace stagecraft {

/// What DeepSpeed's model-state estimators are asked. Counts are whole numbers (2851e6 is one).
struct EstimatorInput {
    double params = 0;             ///< Φ, of the whole model
    double largestLayer = 0;       ///< Λ, parameters of the largest single module; stage 3 only
    std::int64_t gpusPerNode = 1;
    std::int64_t nodes = 1;
    bool offloadOptimizer = false;
    bool offloadParam = false;     ///< stage 3 only; DeepSpeed looks at it only when the optimizer is offloaded too
    bool zeroInit = true;          ///< stage 3 only
    double bufferFactor = 1.5;     ///< additional_buffer_factor
};

struct EstimatorAnswer {
    std::int64_t deviceBytes = 0;       ///< per GPU
    std::int64_t hostBytesPerNode = 0;
};

/// DeepSpeed's `estimate_zero2_model_states_mem_needs`, operation for operation: the same order of double arithmetic and the
/// same truncations, so that the answers agree to the byte. It knows no activations, buckets or context, and the host
/// figure with offload multiplies by all GPUs where the number per node is meant; both are kept.
///
/// @error InvalidArgument for counts that are not positive and finite, or answers beyond 2^63 bytes
/// Source: deepspeed/runtime/zero/stage_1_and_2.py, release 0.19.8
[[nodiscard]] Result<EstimatorAnswer> estimateDeepSpeedZero2(const EstimatorInput& input);

/// DeepSpeed's `estimate_zero3_model_states_mem_needs`, likewise.
/// Source: deepspeed/runtime/zero/stage3.py, release 0.19.8
[[nodiscard]] Result<EstimatorAnswer> estimateDeepSpeedZero3(const EstimatorInput& input);

}  // namespace stagecraft
