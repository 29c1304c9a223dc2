// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/engine_config.h"
#include "model/model_spec.h"
#include "schedule/compile.h"

#include <array>
#include <cstdint>
#include <optional>

namespace stagecraft {

struct DsSettings;
struct Workspace;

/// What our engine is asked to do, as far as time depends on it.
struct EngineJob {
    ModelSpec model;
    EngineConfig config;
    int world = 1;                                 ///< data-parallel ranks
    Recompute recompute = Recompute::None;
    int threads = 1;                               ///< of one rank
};

/// The job a workspace describes. @return nothing where our engine cannot run it on this machine's processors
[[nodiscard]] std::optional<EngineJob> engineJobOf(const Workspace& workspace, const DsSettings& settings);

inline constexpr std::size_t kUnitKinds = 3;  ///< UnitKind: embedding, block, head

/// What one rank of our engine has to do in one optimizer step, counted from its compiled program. By unit kind where it
/// is computing: how often a unit of that kind is visited.
struct EngineWork {
    double samples = 0;                            ///< of one micro-batch: what a visit's time is proportional to
    std::array<double, kUnitKinds> forward{};      ///< visits, micro-steps counted
    std::array<double, kUnitKinds> backward{};     ///< gradients of input and weights are one visit
    double recomputed = 0;                         ///< forward visits of blocks made again for the backward pass
    double loads = 0;                              ///< micro-batches read
    double updated = 0;                            ///< elements the optimizer updates
    double weightBytes = 0;                        ///< sent by this rank to gather weights
    double gradientBytes = 0;                      ///< sent by this rank to sum gradients
    [[nodiscard]] double sentBytes() const { return weightBytes + gradientBytes; }
};

/// Counts a step of the job.
///
/// A gather sends (N - 1) / N of a unit's compute weights, a reduce-scatter as much of its fp32 gradients, an all-reduce is a
/// reduce-scatter and a gather of fp32 gradients (engine/collectives.h).
/// @error of compileSchedule
[[nodiscard]] Result<EngineWork> engineWorkOf(const EngineJob& job);

}  // namespace stagecraft
