// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/engine_config.h"
#include "model/model_spec.h"
#include "schedule/compile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

enum class BufferType { F32, Bf16, I32 };

/// Bytes of one element: 4 or 2.
[[nodiscard]] constexpr std::int64_t bytesOf(BufferType type) { return type == BufferType::Bf16 ? 2 : 4; }

/// One buffer a rank allocates at its start and keeps until its end. The engine allocates exactly these and nothing else of
/// size; the planner's ledger sums exactly these.
struct PlannedBuffer {
    std::string name;           ///< unique: "block.3.weights", "lease.weights.0", "block.3.saved.q"
    std::string what;           ///< ledger id: weights, gradients, master, optimizer_states, gathered_weights, gathered_gradients,
                                ///< communication, activations.* by kind of tensor, activations.scratch, logits, batch, tables
    BufferType type = BufferType::F32;
    std::int64_t elements = 0;
    int unit = -1;              ///< -1 = shared by units
    std::string why;            ///< one sentence
    [[nodiscard]] std::int64_t bytes() const { return elements * bytesOf(type); }
};

/// What the buffers of one rank depend on.
struct BufferPlanInput {
    const ModelSpec& model;
    const EngineConfig& config;
    int world = 1;               ///< data-parallel ranks
    Recompute recompute = Recompute::None;
    int threads = 1;             ///< intra-op threads of the rank: attention has scratch per thread
};

/// Query rows attention handles at once: bounds its scores to kAttentionRows x sequence per thread.
inline constexpr std::int64_t kAttentionRows = 64;

/// fp32 elements of attention scratch one thread needs: a head's q, k, v, o and their gradients, and two blocks of scores.
[[nodiscard]] std::int64_t attentionScratchElements(const ModelSpec& model);

/// Elements of one of the two staging pieces of a ring reduce-scatter: at most 1 Mi, a shard, and a rank's share of
/// `reduce_bucket_size`; a multiple of kFlatAlign. 0 for one rank.
[[nodiscard]] std::int64_t ringPieceElements(const ModelSpec& model, const EngineConfig& config, int world);

/// Type of compute weights and activations: Bf16 for bf16, else F32.
[[nodiscard]] BufferType computeType(const EngineConfig& config);

/// Every buffer of one rank, in the order the engine allocates them. Every rank of a data-parallel job has the same plan.
/// @pre the schedule of the input compiles (compileSchedule)
[[nodiscard]] std::vector<PlannedBuffer> bufferPlan(const BufferPlanInput& input);

/// Sum of the buffers' bytes.
[[nodiscard]] std::int64_t plannedBytes(const std::vector<PlannedBuffer>& buffers);

/// Bytes one block keeps between forward and backward (its output, the next unit's input, not counted).
[[nodiscard]] std::int64_t blockSavedBytes(const ModelSpec& model, const EngineConfig& config);

/// Bytes of the logits (kept once, overwritten by their gradient).
[[nodiscard]] std::int64_t logitsBytes(const ModelSpec& model, const EngineConfig& config);

}  // namespace stagecraft
