// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/attention.h"
#include "engine/buffer_set.h"
#include "engine/compute.h"
#include "engine/gemm.h"
#include "engine/parallel_rows.h"
#include "model/model_spec.h"
#include "parallel/flat_layout.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

/// Which of a unit's dropouts a mask belongs to; a unit's sites start at 8 * its index, the embedding's own is 0.
enum DropoutSite : std::uint64_t { kAttentionWeights = 1, kAttentionOut = 2, kMlpOut = 3 };
[[nodiscard]] inline std::uint64_t firstSiteOf(const UnitInfo& unit) { return static_cast<std::uint64_t>(unit.index) * 8; }

/// What all units of a rank share while one micro-batch is in flight: sizes, scratch, tables, the batch.
template <class T>
struct Work {
    ModelSpec model;
    std::int64_t samples = 0;   ///< items of the micro-batch
    std::int64_t tokens = 0;    ///< samples * seq
    int threads = 1;
    T* act = nullptr;           ///< [tokens, ffn]
    T* dStream[3] = {};         ///< [tokens, hidden]: gradient of the residual stream, rotating (see StreamGradients)
    T* dn = nullptr;            ///< [tokens, hidden]
    T* dAttention = nullptr;    ///< [tokens, heads * headSize]
    T* dqkv = nullptr;          ///< GPT-2: [tokens, 3 hidden]
    T *dq = nullptr, *dk = nullptr, *dv = nullptr;  ///< LLaMA
    T *dropped1 = nullptr, *dropped2 = nullptr;     ///< [tokens, hidden], with residual dropout only
    float* attention = nullptr;
    float *cosine = nullptr, *sine = nullptr;       ///< [seq, headSize / 2]
    std::int32_t *inputs = nullptr, *labels = nullptr;
    DropoutSource dropout;
    std::vector<std::uint64_t> attentionKeys;       ///< per sample, of the block at work

    [[nodiscard]] const ActivationKernels<T>& kernel() const { return kernels().of<T>(); }
    /// Key of one sample's mask at one site ("site" = which dropout of which unit).
    [[nodiscard]] std::uint64_t dropoutKey(std::int64_t sample, std::uint64_t site) const;
    /// Drops `width` values per token in place; no effect when p is 0 or the batch is not training.
    void drop(T* x, std::int64_t width, std::uint64_t site, double p) const;
    /// Has attention drop the model's share of its weights, after the softmax and scaled up by what is left; nothing outside training.
    void dropWeights(AttentionShape& shape, std::uint64_t site);
};

/// Gradients of the residual stream around one block: of its output (given), between attention and MLP, of its input (made).
template <class T>
struct StreamGradients {
    T* out = nullptr;
    T* middle = nullptr;
    T* in = nullptr;
};

/// One transformer block: reads x, writes y, keeps what its backward needs in its own saved buffers. With y null only what the
/// backward needs is made: the MLP's last product is left out.
///
/// backwardInput leaves in scratch what backwardWeight needs, so the two must follow each other before another block's
/// backward. Gradients of norms and biases belong to backwardInput, those of the linear layers to backwardWeight.
template <class T>
class Block {
public:
    virtual ~Block() = default;
    virtual void forward(Work<T>& work, const T* weights, const T* x, T* y) = 0;
    virtual void backwardInput(Work<T>& work, const T* weights, const T* x, const StreamGradients<T>& d, float* gradients) = 0;
    virtual void backwardWeight(Work<T>& work, const StreamGradients<T>& d, float* gradients, bool fresh) = 0;
};

/// A parameter's place in its unit's flat buffer; 0 elements when the model has no such parameter.
struct ParameterPlace {
    std::int64_t offset = -1;
    std::int64_t count = 0;
    [[nodiscard]] bool present() const { return offset >= 0; }
};

/// Finds the parameter whose name ends in `suffix` (".self_attn.q_proj.weight").
[[nodiscard]] ParameterPlace placeOf(const UnitInfo& unit, const FlatLayout& layout, const std::string& suffix);

/// A linear layer inside a unit: its places and its products, biases included.
template <class T>
class Linear {
public:
    Linear() = default;
    Linear(const UnitInfo& unit, const FlatLayout& layout, const std::string& name, std::int64_t in, std::int64_t out, WeightOrder order);

    /// y = x W + b, plus y itself when `accumulate`.
    void forward(const Work<T>& work, const T* weights, const T* x, T* y, bool accumulate = false) const;
    void inputGradient(const Work<T>& work, const T* weights, const T* dy, T* dx, bool accumulate = false) const;
    /// Adds the bias gradient: the part that belongs to backwardInput.
    void biasGradient(const Work<T>& work, const T* dy, float* gradients) const;
    void weightGradient(const Work<T>& work, const T* x, const T* dy, float* gradients, bool fresh) const;

private:
    LinearShape shapeFor(const Work<T>& work) const { return {work.tokens, m_in, m_out, m_order}; }
    ParameterPlace m_weight, m_bias;
    std::int64_t m_in = 0, m_out = 0;
    WeightOrder m_order = WeightOrder::OutIn;
};

template <class T>
[[nodiscard]] std::unique_ptr<Block<T>> makeLlamaBlock(const ModelSpec& model, const UnitInfo& unit, const FlatLayout& layout, const BufferSet& buffers,
                                                       const std::string& savedPrefix);
template <class T>
[[nodiscard]] std::unique_ptr<Block<T>> makeGpt2Block(const ModelSpec& model, const UnitInfo& unit, const FlatLayout& layout, const BufferSet& buffers,
                                                      const std::string& savedPrefix);

/// Zeroes the gradients the linear layers will not overwrite: everything but weights named in `overwritten`.
void zeroOthers(const UnitInfo& unit, const FlatLayout& layout, float* gradients);

}  // namespace stagecraft
