// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <vector>

namespace stagecraft {

/// Tensors that blocks keep for gradients of weights alone: of the layers that have one and that gradients flow through, the part that
/// keeps it. What a frozen product or norm takes its gradient needs for nothing.
struct KeptForWeights {
    double attention = 1;                 ///< what the projections before attention take
    double attentionReads = 1, mlpReads = 1;  ///< of the projections that take these, the part that keeps them
    double queryLatent = 1, keyLatent = 1;  ///< compressed queries and keys that are projected up
    double output = 1;                    ///< attention's output in the order that its last product takes
    double mlp = 1;                       ///< what the first products of the MLP, the router and shared experts take
    double router = 1;                    ///< what a router takes that turns it to fp32
    double product = 1, sharedProduct = 1;  ///< what the last product takes: of a plain MLP, of shared experts
    double experts = 1, expertProduct = 1;  ///< tokens in the order of their experts; what their last product takes
    double norms = 1, headNorms = 1, latentNorms = 1;  ///< what was normalised, before the norms' weights; these are parts of all such norms
};

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
    KeptForWeights kept;

    // What is trained beside them: low-rank adapters and copies of modules.
    std::int64_t added = 0;            ///< parameters in all
    double addedEmbedding = 0, addedOutput = 0;
    std::int64_t addedLayer = 0;       ///< of one layer; of the mean of all, rounded up
    double adapterRanks = 0;           ///< sum of the ranks of one layer's adapters: width of what lies between their two matrices
    double adapterModules = 0;         ///< of one layer, the mean
    double adapterOutputs = 0;         ///< of one layer: outputs of modules whose adapters keep them twice over (DoRA)
    double adapterInputs = 0;          ///< of one layer: inputs of modules whose adapters take them through a dropout of their own
    double adapterInputsFused = 0;     ///< the same where queries, keys and values are one module
    double headOutputs = 0;            ///< outputs that an adapter of the output matrix keeps twice over
    double doraScratch = 0;            ///< elements made for the norms of the widest adapted matrix, and let go
    std::int64_t addedToWeights = 0;   ///< of `added`: adapters that are no modules, whose product is added to the weight: experts, routers
    double rebuiltWeights = 0;         ///< of one layer: elements of weights so made anew in each forward pass, kept for the backward pass
    double largestRebuilt = 0;         ///< the largest of them
    std::vector<Matrices> adapters;    ///< sizes of all their matrices
    std::int64_t packedMatrices = 0;   ///< elements of one layer's frozen linear matrices, those that a quantised base packs
    double packedBytes = 2;            ///< of one packed element

    [[nodiscard]] bool adapted() const { return added > 0; }
    [[nodiscard]] bool packed() const { return packedBytes < 2; }
    /// Layers through which no gradient flows.
    [[nodiscard]] std::int64_t silentLayers() const { return silentBelow ? frozenLayers : 0; }
};

}  // namespace stagecraft
