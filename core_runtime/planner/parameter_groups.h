// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace stagecraft {

struct StateInput;

/// Elements by where they stand in the model.
struct PlacedElements {
    double layers = 0;     ///< in the stage's layers
    double embedding = 0;
    double output = 0;     ///< behind the layers: the output matrix, the last norm
    [[nodiscard]] double all() const { return layers + embedding + output; }
};

/// Parameters of one rank that are divided, sent and kept alike: dense ones or routed experts', trained or frozen. Ledger, step time
/// and traffic count their bytes from these groups and from nothing else.
struct ParameterGroup {
    bool experts = false;        ///< experts that other ranks have others of; where every rank has all, they are among the dense ones
    bool trained = true;         ///< else it has no gradients, no master copy and no moments
    PlacedElements held;         ///< on this rank before ZeRO divides: after tensor, pipeline and expert parallelism
    PlacedElements kept;         ///< part of `held` that stage 3 gathers once a step and never gives back
    PlacedElements small;        ///< part of `held` in tensors of which a rank's part is too small for a file, where offload_param has any
    PlacedElements smallKept;    ///< part of `kept` in such tensors
    double layers = 0;           ///< of the stage
    double bytes = 2;            ///< of an element that is computed with
    double packed = 0;           ///< part of held.layers that a quantised base packs
    double packedKept = 0;       ///< part of kept.layers that it does
    double packedOutput = 0;     ///< part of held.output that it packs
    double packedBytes = 2;      ///< of one of those
    std::int64_t shards = 1;     ///< ranks that one copy is divided among, from its stage on
    std::int64_t copies = 1;     ///< sets of `shards` ranks that hold the same
    std::int64_t stride = 1;     ///< ranks from one member of a set to the next
    std::int64_t second = 0;     ///< hpZ: ranks that its second copy of the weights is divided among; 0 = there is none

    [[nodiscard]] double elements() const { return held.all(); }
    /// The part of them that offload_param puts into files.
    [[nodiscard]] double filed() const { return elements() > 0 ? 1 - small.all() / elements() : 1.0; }
    /// The same of what is kept, and of what is gathered whenever it is used.
    [[nodiscard]] double filedOfKept() const { return kept.all() > 0 ? 1 - smallKept.all() / kept.all() : 0.0; }
    [[nodiscard]] double filedOfGathered() const { return gathered().all() > 0 ? 1 - (small.all() - smallKept.all()) / gathered().all() : 0.0; }
    /// This rank's part of them.
    [[nodiscard]] double share() const { return held.all() / static_cast<double>(shards); }
    [[nodiscard]] std::int64_t replicas() const { return shards * copies; }
    /// Bytes of all of it as it is stored and computed with.
    [[nodiscard]] double storedBytes() const { return sent(held, packed, bytes) - packedOutput * (bytes - packedBytes); }
    [[nodiscard]] double keptBytes() const { return sent(kept, packedKept, bytes); }
    /// What is gathered whenever it is used.
    [[nodiscard]] PlacedElements gathered() const { return {held.layers - kept.layers, held.embedding - kept.embedding, held.output - kept.output}; }
    [[nodiscard]] double gatheredBytes() const { return sent(gathered(), packed - packedKept, bytes); }
    /// Bytes of its part in layers where an element is sent with `width` bytes; packed ones are sent as they are.
    [[nodiscard]] double gatheredOfLayers(double width) const { return sentOfLayers(gathered().layers, packed - packedKept, width); }

private:
    [[nodiscard]] double sentOfLayers(double elements, double packedPart, double width) const;
    [[nodiscard]] double sent(const PlacedElements& part, double packedPart, double width) const { return sentOfLayers(part.layers, packedPart, width) + width * (part.embedding + part.output); }
};

/// The groups of a stage that have elements; trained ones first.
/// Source of what is too small for a file: deepspeed/runtime/zero/partition_parameters.py, _partition_param; swap_tensor/
/// partitioned_param_swapper.py, swappable_tensor.
/// Source of what is kept: deepspeed/runtime/zero/parameter_offload.py, mark_persistent_parameters; of the second copy:
/// partition_parameters.py, _partition_param_sec, which runs for every parameter, frozen or not.
/// @param stage   0 .. pp-1
/// @param layers  of the stage; 0 where of the model only its size is known
[[nodiscard]] std::vector<ParameterGroup> parameterGroups(const TrainingCase& c, std::int64_t stage, std::int64_t layers);

/// Sums over the groups that are trained.
struct TrainedElements {
    double held = 0;   ///< before ZeRO divides them
    double share = 0;  ///< this rank's part
};
[[nodiscard]] TrainedElements trainedElements(const std::vector<ParameterGroup>& groups);
/// What DeepSpeed's model states depend on, of the same groups.
[[nodiscard]] StateInput stateInput(const TrainingCase& c, const std::vector<ParameterGroup>& groups);

}  // namespace stagecraft
