// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft {

/// What Transformers' modelling code of one family does that decides which tensors autograd keeps of a block. Release 5.23; as
/// tests/oracle/kept_tensors.py finds them.
struct BlockCode {
    enum class Norm {
        Layer,     ///< torch's LayerNorm: its input, mean and deviation
        Rms,       ///< the input in fp32, and what was normalised, back in the model's type
        RmsFloat,  ///< Gemma's: the weight is 1 + w in fp32, so that what was normalised stays in fp32
    };
    enum class Qkv {
        Apart,         ///< three projections, or copies of the parts of one
        Fused,         ///< one projection whose parts attention takes as they are
        FusedRotated,  ///< one projection: queries and keys are made anew by the rotation, values are a view that holds all of it
    };
    /// How attention is done unless the workspace says how; what AutoModel chooses.
    enum class Attention { Sdpa, Eager };

    std::string family;               ///< model_type; empty = no family of Transformers
    Norm norm = Norm::Rms;
    int norms = 2;                    ///< of the hidden width in a block
    int normInputs = 2, normOutputs = 2;  ///< tensors these take, and different ones that projections take of them
    bool headNorms = false;           ///< queries and keys have norms of their own
    Qkv qkv = Qkv::Apart;
    bool queriesByHead = false;       ///< a rotation of part of each head joins queries head by head; attention's output has their order
    bool floatQueries = false;        ///< eager attention turns queries and keys to fp32
    bool floatSoftmax = true;         ///< eager attention's softmax is taken in fp32 and turned back
    Attention attention = Attention::Sdpa;
    bool hasSdpa = true, hasFlash = true;  ///< Transformers raises an error where an implementation is asked for that a family has not
    bool cappedScores = false;        ///< eager attention keeps the tanh of its scores too
    bool cappedLogits = false;        ///< the tanh of the logits is kept beside the loss
    bool bidirectional = false;       ///< an encoder's: no token is hidden from another. Encoder-decoders too, whose decoder hides them
    bool positionBias = false;        ///< T5's: a trained bias for each head and pair of tokens goes into attention as its mask
    bool keepsNormInput = false;      ///< an RMS norm keeps its input in the model's type beside the one in fp32
    bool mlpDropout = false;          ///< the residual branches' dropout stands before the MLP's last product too
    bool masked = false;              ///< a mask goes into attention whatever the length
    bool headMask = false;            ///< which has a part for each head, made once for all layers
    bool singleHead = false;          ///< keys of one head go into sdpa beside queries of many: no fused kernel takes them
    std::int64_t window = 0;          ///< tokens a windowed layer sees; 0 = there is none
    double windowed = 0;              ///< share of the layers that have the window
    int activation = 1;               ///< tensors of the MLP's width that its non-linearity keeps besides its output: 0 ReLU, 4 gelu_new
    std::int64_t queryRank = 0, keyRank = 0, ropeSize = 0;  ///< latent attention: compressed widths and the rotated part of a head; no ranks = none
    bool floatRouter = false;         ///< the router's input and weight are turned to fp32
    bool weightedShared = false;      ///< the shared expert's output has a weight of its own
    double dropout = 0;               ///< of the residual branches
    double attentionDropout = 0;
};

/// @param hfConfig config.json of a decoder, an encoder or an encoder-decoder
/// @param layers   of the model, to tell how many have a window
[[nodiscard]] BlockCode blockCodeOf(const nlohmann::json& hfConfig, std::string_view className, std::int64_t layers);

/// What config.json calls the activation function of such a class, where Transformers (5.24, activations.py, ACT2FN) has none of that name and
/// builds no model; empty where it has it or nothing is said.
[[nodiscard]] std::string unknownActivation(const nlohmann::json& hfConfig, std::string_view className);

/// The code of the engine's two families, whose sizes come without a config.json: "llama" or "gpt2".
[[nodiscard]] BlockCode blockCodeOf(std::string_view family);

}  // namespace stagecraft
