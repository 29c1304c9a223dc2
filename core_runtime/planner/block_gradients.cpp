// SPDX-License-Identifier: GPL-3.0-or-later
// The widest points of a block's backward pass, which runs from the MLP to attention: at each the gradients that are alive, less what the
// pass has given back. tests/oracle/block_gradients.py finds the same by the bytes of live storages.
#include "planner/block_gradients.h"

#include "planner/tensor_shares.h"

#include <algorithm>
#include <string_view>

namespace stagecraft {

namespace {

// What the last projection took stands free for its gradient once that is done; not kept, where the projection is frozen, it leaves no place.
double productMissing(const KeptTensors& block, double b)
{
    for (const KeptTensor& tensor : block.all())
        if (tensor.what == std::string_view("activations.mlp_product")) return std::max(0.0, b - tensor.bytes);
    return b;
}

// Gradients at the non-linearity of an MLP of this width: that of what the last projection took, while what it was made of gets its own.
// @param missing bytes of an element that the block has not kept for the last projection
double atActivation(const ModelShape& m, double b, double width, double missing)
{
    // BLOOM writes its GELU's derivative out; tanh formulas written out multiply two tensors, as a gate does; ReLU needs its output,
    // which the last projection kept; one kernel gives back its input with what it made.
    if (m.code.family == "bloom") return (5 * b + missing) * width;
    return ((m.gated || m.code.activation != 1 ? 2 : 1) * b + missing) * width;
}

}  // namespace

double blockGradients(const TrainingCase& c, const KeptTensors& block, double dense)
{
    const ModelShape& m = c.model;
    const BlockCode& code = m.code;
    const TensorShares shares = tensorShares(c);
    const double b = c.products() == Precision::Fp32 ? 4.0 : 2.0;
    const double h = static_cast<double>(m.hidden);
    const double incoming = (c.precision == Precision::Fp32 ? 4.0 : 2.0) * h;  // gradient of the block's output, which the residual stream holds to the end
    const double missing = productMissing(block, b);

    double most = 0;
    // Norms behind attention and MLP come first: theirs in fp32, of the output, of what was normalised and of three products on the way.
    double given = 0, through = 0;
    if (code.norm == BlockCode::Norm::RmsFloat && code.norms == 4) {
        most = incoming + 4 * 4 * h;
        given = 8 * h, through = b * h;
    } else if (c.hiddenDropout > 0) {
        given = h;  // the mask of the branch
    }
    const double width = static_cast<double>(m.ffn) / shares.mlp;
    if (m.experts == 0 || dense > 0) most = std::max(most, incoming + through - given + atActivation(m, b, width, missing));
    if (m.experts > 0) {
        const double k = static_cast<double>(m.expertsPerToken), routed = k * h;
        const double t = static_cast<double>(c.tp);
        const double shared = static_cast<double>(m.sharedFfn) / t, experts = k * static_cast<double>(m.expertFfn) / t;
        // Weights of the chosen experts in fp32 turn their outputs' gradients to fp32: three of them, and the one in the model's type.
        const bool floatWeights = code.floatRouter || code.family == "mixtral";
        const double weighted = floatWeights && b < 4 ? 3 * 4 + b : 3 * b;
        // The last branch of the forward pass is the first to go back: DeepSeek's shared experts, Qwen's weighted sum of both.
        const double sharedKept = code.weightedShared ? 0.0 : 4 * b * shared;
        const double beside = code.weightedShared ? b * h : 0.0;
        most = std::max({most, incoming + beside + weighted * routed - sharedKept, incoming + atActivation(m, b, shared, missing), incoming + beside - sharedKept - b * routed + atActivation(m, b, experts, missing)});
    }
    // Eager attention and the one without a fused kernel: gradients of the softmax's output and of the scores, in the type it was taken in.
    double scores = 0;
    given = 0;
    for (const KeptTensor& tensor : block.all()) {
        const std::string_view what = tensor.what;
        if (what == "activations.scores") scores = std::max(scores, tensor.width);
        const bool mlp = what.starts_with("activations.mlp") || what.starts_with("activations.router") || what.starts_with("activations.experts") || what == "activations.shared_out";
        const bool half = (what == "activations.norm_inputs" && code.normInputs > 1) || (what == "activations.norm_outputs" && code.normOutputs > 1);
        if (mlp || what == "activations.masks") given += tensor.perToken();
        else if (half) given += tensor.perToken() / 2;
    }
    if (scores > 0) {
        double each = 2 * b;
        if (c.mathScores) each = 8;
        else if ((code.floatSoftmax || c.autocasts()) && b < 4) each = 8 - b - (c.attentionDropout > 0 ? 1 : 0);
        else if (c.attentionDropout > 0) each = b;
        // Where one norm serves both, the gradient of its output from the MLP waits for attention's.
        most = std::max(most, each * scores - given + (code.normOutputs == 1 ? b * h : 0.0));
    }
    // A trained bias is a mask with a gradient: one of all sequences, and the sum that runs through the layers.
    if (code.positionBias && !c.eagerScores) most = std::max(most, b * (1 + 1 / static_cast<double>(c.microBatch)) * static_cast<double>(m.heads * m.seq) / shares.attention - given);
    return most;
}

}  // namespace stagecraft
