// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace stagecraft {

/// What of a model is trained where parts of it are frozen, and what stands beside the frozen parts. Parts of a whole are from 0 to 1,
/// so that they hold for what parallelism leaves on a rank.
struct TrainedPart {
    struct Matrices {
        double elements = 0;  ///< of one
        double count = 0;
    };

    bool partly = false;               ///< something is frozen
    // Of the model's own parameters, by where they stand, the part that is trained.
    double embedding = 1, output = 1, norm = 1;  ///< tables; output matrix (or the tied table); what else lies behind the layers
    double layers = 1, experts = 1;    ///< of the layers behind `frozenLayers`, routed experts apart
    double products = 1;               ///< of the matrices of those layers: what has a weight gradient
    std::int64_t frozenLayers = 0;     ///< layers from the first on in which nothing is trained
    bool silentBelow = false;          ///< and nothing before them either: no gradient flows through them, nothing is kept for one
    // Of the layers that gradients flow through, the part that keeps an input because a trained product reads it.
    double attentionInput = 1, mlpInput = 1, productInput = 1;  ///< of the projections before attention; of the first ones of an MLP; of its last

    // What is trained beside them: low-rank adapters and copies of modules.
    std::int64_t added = 0;            ///< parameters in all
    double addedEmbedding = 0, addedOutput = 0;
    std::int64_t addedLayer = 0;       ///< of one layer; of the mean of all, rounded up
    double adapterRanks = 0;           ///< sum of the ranks of one layer's adapters: width of what lies between their two matrices
    double adapterModules = 0;         ///< of one layer, the mean
    std::vector<Matrices> adapters;    ///< sizes of all their matrices
    std::int64_t packedMatrices = 0;   ///< elements of one layer's frozen linear matrices, those that a quantised base packs
    double packedBytes = 2;            ///< of one packed element

    [[nodiscard]] bool adapted() const { return added > 0; }
    [[nodiscard]] bool packed() const { return packedBytes < 2; }
    /// Layers through which no gradient flows.
    [[nodiscard]] std::int64_t silentLayers() const { return silentBelow ? frozenLayers : 0; }
};

}  // namespace stagecraft
