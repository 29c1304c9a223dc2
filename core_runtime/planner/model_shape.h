// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model_spec.h"
#include "model/parameter_table.h"
#include "planner/block_code.h"
#include "planner/plan.h"
#include "planner/trained_part.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

/// A tensor of the model, or one that its layers repeat. Engines that decide by the size of single tensors are planned from these.
struct ModelTensor {
    enum class Where { Embedding, Layer, Output };
    Where where = Where::Layer;
    std::int64_t rows = 1, columns = 1;  ///< columns 1 = a vector
    std::int64_t layers = 1;             ///< that have it
    std::int64_t firstLayer = 0;         ///< the first of them
    std::int64_t each = 1;               ///< in one layer: as many as there are experts
    bool expert = false;                 ///< of a routed expert
    enum class Linear { None, Attention, Mlp };
    Linear linear = Linear::None;        ///< weight of a linear module
    [[nodiscard]] double elements() const { return static_cast<double>(rows) * static_cast<double>(columns); }
};

/// The sizes that memory and time of a model depend on, whatever its framework and family.
struct ModelShape {
    std::int64_t hidden = 0, layers = 0, heads = 0, kvHeads = 0, headSize = 0, ffn = 0, vocab = 0, seq = 0;
    std::int64_t valueSize = 0;      ///< head size of values and outputs; = headSize but for latent attention
    std::int64_t tableWidth = 0;     ///< of the token table and the output matrix; 0 = hidden. OPT may have a narrower one and two projections.
    std::int64_t classes = -1;       ///< columns of the output, where it is a classifier's; -1 = words are predicted
    std::int64_t positions = 0;      ///< tokens that a learned position table has rows for; 0 = there is none
    bool gated = true;               ///< SwiGLU-like MLP (three matrices) or plain (two)
    bool rmsNorm = true;
    BlockCode code;                  ///< what Transformers' code of its family keeps
    bool composedGelu = false;       ///< Transformers computes the MLP's tanh formula by kernels of its own for each operation
    bool tied = false;
    double dropout = 0.0;            ///< of the residual branches
    std::int64_t experts = 0;        ///< routed experts of a sparse layer; 0 = dense
    std::int64_t expertsPerToken = 0;
    std::int64_t expertFfn = 0;
    std::int64_t sharedFfn = 0;      ///< width of all shared experts of a layer together
    std::int64_t denseLayers = 0;    ///< layers without experts in a sparse model; the first ones
    std::int64_t encoderLayers = 0;  ///< of an encoder-decoder, the first of its layers; 0 = all layers are alike
    std::int64_t crossLayer = 0;     ///< parameters of what only a decoder's layer has then: attention to the encoder's output, and its norm
    std::int64_t queryRank = 0, keyRank = 0, rotarySize = 0;  ///< latent attention: compressed widths and the rotated part of a head; 0 = none
    std::int64_t nextTokenLayers = 0;  ///< layers of multi-token prediction behind the last stage, each with an output of its own
    // Parameters, counted exactly.
    std::int64_t params = 0;         ///< all, tied ones once
    std::int64_t embedding = 0;      ///< token and position tables
    std::int64_t head = 0;           ///< output matrix of its own; 0 when tied
    std::int64_t finalNorm = 0;
    std::int64_t perLayer = 0;       ///< largest layer
    std::int64_t layerMatrices = 0;  ///< of the largest layer: what a token is multiplied by, experts included
    std::int64_t layerActive = 0;    ///< the same with only the experts a token uses
    std::int64_t layerExperts = 0;   ///< parameters of the routed experts of a layer
    std::int64_t layerReplicated = 0;  ///< part of layerMatrices that every tensor-parallel rank holds whole: routers, down-projections
    std::int64_t largestTensor = 0;  ///< parameters of the largest single module
    std::vector<ModelTensor> tensors;  ///< all of them, in the order of the modules; empty where only sizes are known

    TrainedPart part;                ///< what of it is trained; all, where nothing else is said

    /// Elements of the token table: vocabulary times width.
    [[nodiscard]] double tokenTable() const { return static_cast<double>(vocab) * static_cast<double>(outputWidth()); }
    /// Columns of what the model hands out for a token.
    [[nodiscard]] std::int64_t outputs() const { return classes < 0 ? vocab : classes; }
    [[nodiscard]] std::int64_t outputWidth() const { return tableWidth > 0 ? tableWidth : hidden; }
    /// Of the layers of an encoder-decoder, the part that has a decoder's second attention.
    [[nodiscard]] double crossShare() const { return encoderLayers > 0 && layers > 0 ? static_cast<double>(layers - encoderLayers) / static_cast<double>(layers) : 0.0; }
    [[nodiscard]] bool isKnown() const { return layers > 0 && hidden > 0; }
};

/// The shape of a model our engine trains.
[[nodiscard]] ModelShape shapeOf(const ModelSpec& spec);

/// The shape of a Hugging Face model that predicts words or classifies, from its config and table. `seq` is what the workspace trains at; 0 = config.json's, at most 4096.
/// @return nothing for classifiers and other heads
[[nodiscard]] std::optional<ModelShape> shapeOf(const nlohmann::json& hfConfig, const ParameterCounts& counts);

}  // namespace stagecraft
