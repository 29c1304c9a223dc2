// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/transfers.h"

#include <vector>

namespace stagecraft {

struct DeviceSheet;
class StepClock;

/// Weights that the same ranks gather and scatter together: bytes of them, by where they stand. Traffic lists these, time charges them.
struct ShardSet {
    bool experts = false;        ///< of routed experts, among the ranks that hold the same
    bool trained = true;         ///< else frozen: apart only where hpZ's second copy of them stays
    ShardExchange x;
    std::int64_t stride = 1, copies = 1;
    double layers = 0;           ///< of the stage
    PlacedElements weights;      ///< bytes of one gather's buffers
    double elements = 0;         ///< of them
    PlacedElements gradients;    ///< elements whose gradients are scattered
    double kept = 0;             ///< bytes that are gathered once a step, after its update
    double keptElements = 0;
    PlacedElements onHost;       ///< bytes of this rank's shards that come up from the host for each gather; 0 where they lie on the device
    PlacedElements gradientsDown;///< and of the gradients that go there after each reduction
    double quantised = 0;        ///< part of the gradients that qgZ sends in 4 bits
};
[[nodiscard]] std::vector<ShardSet> shardSets(const TrainingCase& c, const std::vector<ParameterGroup>& groups);

/// Seconds of one pass: of one of the layers, of the embedding, and of what stands behind the layers.
struct PassSeconds {
    double block = 0, embedding = 0, output = 0;
    [[nodiscard]] double all(double layers) const { return layers * block + embedding + output; }
};

/// What a set's collectives take at the rates of the step's forecast.
struct ShardTimes {
    PassSeconds far, near;        ///< one gather over all ranks of a copy; over those of hpZ's second copy, or the same again
    PassSeconds scatter;          ///< one reduction, what is quantised left out
    PassSeconds inNode, between;  ///< qgZ's two all-to-alls of one reduction
    PassSeconds replicas;         ///< one ring of two that sum the shards over their copies
    double kept = 0;              ///< once a step
};
[[nodiscard]] ShardTimes shardTimes(const StepClock& clock, const ShardSet& set);
[[nodiscard]] ShardTimes shardTimes(const TrainingCase& c, const DeviceSheet& device, const ShardSet& set);

/// What computing does not hide of a micro-batch, in seconds.
struct ShownShards {
    double collectives = 0;   ///< gathers and scatters
    double copies = 0;        ///< on top of them, where the shards lie on the host
};
/// What of a micro-batch's gathers and scatters of one stage shows. Where the shards lie on the host a gather waits for their copy, which hides
/// under the block before as the gather itself does, and so does the copy of a block's gradients. But of all micro-batches behind the first
/// the host waits for the latter, and adds it to what is there, before it launches the next block (_fsdp_collectives.py, foreach_reduce).
/// @param forward,backward  seconds of a layer's passes
[[nodiscard]] ShownShards exposedShards(const StepClock& clock, const std::vector<ShardSet>& sets, double forward, double backward);

}  // namespace stagecraft
