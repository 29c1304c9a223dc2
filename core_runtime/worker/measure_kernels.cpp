// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/attention.h"
#include "engine/kernels/kernels.h"
#include "model/model_spec.h"
#include "schedule/buffer_plan.h"
#include "worker/measure.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::int64_t kElements = 32 * 1024;  // of one call of a kernel
constexpr std::int64_t kLabels = 4096;

/// What kernels read beside the arena's values. Sizes bound the grid below.
struct Tables {
    std::vector<float> floats = std::vector<float>(std::size_t{1} << 16, 0.5f);
    std::vector<float> sums = std::vector<float>(std::size_t{1} << 16, 0.0f);
    std::vector<float> more = std::vector<float>(std::size_t{1} << 16, 0.0f);
    std::vector<float> table = std::vector<float>(std::size_t{1} << 19, 0.5f);  ///< rows of an embedding's gradient; also weights and a copy
    std::vector<std::int32_t> ids = std::vector<std::int32_t>(kLabels);
    Tables()
    {
        for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i * 7919 % 251);
    }
};

/// The operands of one call: `parts` pieces of elements, moving on through the footprint.
template <class T>
struct Pieces {
    T* base;
    std::int64_t elements, parts, places;
    std::int64_t at = 0;
    T* next() { return base + at++ % places * (elements * parts); }
};

struct Kernel {
    std::string name;
    std::int64_t width;          ///< of a row; 1 = no rows
    std::int64_t parts;          ///< operands as large as the call
};

std::vector<Kernel> kernelsOf(bool bf16)
{
    std::vector<Kernel> list;
    for (const std::int64_t width : {64, 1024})
        for (const auto& [name, parts] : {std::pair{"rms_norm", 2}, {"rms_norm_backward", 4}, {"layer_norm", 2}, {"layer_norm_backward", 4}, {"rms_norm_weight", 2}, {"layer_norm_weight", 2},
                                          {"add_bias", 1}, {"column_sum", 1}, {"embed", 2}, {"embed_backward", 1}})
            list.push_back({name, width, parts});
    for (const std::int64_t width : {256, 8192}) list.push_back({"cross_entropy", width, 1});
    for (const std::int64_t width : {32, 128}) list.push_back({"rotary", width, 1});
    for (const auto& [name, parts] : {std::pair{"swiglu", 3}, {"swiglu_backward", 3}, {"gelu", 2}, {"gelu_backward", 2}, {"add", 2}, {"dropout", 1}, {"copy", 2}, {"adam", 4}}) list.push_back({name, 1, parts});
    if (!bf16)
        for (const auto& [name, parts] : {std::pair{"fill", 1}, {"squared_sum", 1}}) list.push_back({name, 1, parts});
    return list;
}

template <class T>
Work workOf(const Kernel& kernel, std::int64_t footprint, Arena& arena)
{
    // Adam's four arrays are fp32 in either precision.
    const bool wide = kernel.name == "adam";
    const std::int64_t elementBytes = wide ? 4 : static_cast<std::int64_t>(sizeof(T));
    const std::int64_t places = std::max<std::int64_t>(1, std::min(footprint, Arena::kBytes) / (kElements * kernel.parts * elementBytes));
    const std::int64_t bytes = places * kernel.parts * kElements * elementBytes;
    auto pieces = std::make_shared<Pieces<T>>(Pieces<T>{reinterpret_cast<T*>(arena.data()), kElements * (wide && sizeof(T) == 2 ? 2 : 1), kernel.parts, places});
    auto tables = std::make_shared<Tables>();
    T* spare = reinterpret_cast<T*>(tables->table.data());
    const ActivationKernels<T>& k = kernels().of<T>();
    const std::int64_t n = kElements, w = kernel.width, rows = n / w;
    T* weight = spare;
    arena.fill(static_cast<std::size_t>(elementBytes), bytes);

    Work work;
    work.refresh = [&arena, elementBytes, bytes] { arena.fill(static_cast<std::size_t>(elementBytes), bytes); };
    const auto repeat = [&](auto body) {
        work.call = [pieces, tables, body] { body(pieces->next(), *tables); };
    };
    const std::string& name = kernel.name;
    if (name == "rms_norm") repeat([=](T* x, Tables& t) { k.rmsNorm(rows, w, x, weight, 1e-5f, x + n, t.sums.data()); });
    else if (name == "rms_norm_backward") repeat([=](T* x, Tables& t) { k.rmsNormBackward(rows, w, x, weight, t.floats.data(), x + n, x + 2 * n, x + 3 * n); });
    else if (name == "layer_norm") repeat([=](T* x, Tables& t) { k.layerNorm(rows, w, x, weight, weight, 1e-5f, x + n, t.sums.data(), t.more.data()); });
    else if (name == "layer_norm_backward") repeat([=](T* x, Tables& t) { k.layerNormBackward(rows, w, x, weight, t.floats.data(), t.floats.data(), x + n, x + 2 * n, x + 3 * n); });
    else if (name == "rms_norm_weight") repeat([=](T* x, Tables& t) { k.normWeightGradient(rows, w, x, nullptr, t.floats.data(), x + n, t.sums.data(), nullptr); });
    else if (name == "layer_norm_weight") repeat([=](T* x, Tables& t) { k.normWeightGradient(rows, w, x, t.floats.data(), t.floats.data(), x + n, t.sums.data(), t.more.data()); });
    else if (name == "add_bias") repeat([=](T* x, Tables&) { k.addBias(rows, w, weight, x); });
    else if (name == "column_sum") repeat([=](T* x, Tables& t) { k.columnSum(rows, w, x, t.sums.data()); });
    else if (name == "embed") repeat([=](T* x, Tables& t) { k.embed(rows, 0, rows, w, x, static_cast<const T*>(nullptr), t.ids.data(), x + n); });
    else if (name == "embed_backward") repeat([=](T* x, Tables& t) { k.embedBackward(rows, rows, w, x, t.ids.data(), reinterpret_cast<float*>(spare), nullptr); });
    else if (name == "rotary") repeat([=](T* x, Tables& t) { k.rotary(rows / 4, 0, 64, 4, w, x, t.floats.data(), t.floats.data(), 1.0f); });
    else if (name == "swiglu") repeat([=](T* x, Tables&) { k.swiglu(n, x, x + n, x + 2 * n); });
    else if (name == "swiglu_backward") repeat([=](T* x, Tables&) { k.swigluBackward(n, x, x + n, x + 2 * n); });
    else if (name == "gelu") repeat([=](T* x, Tables&) { k.gelu(n, x, x + n); });
    else if (name == "gelu_backward") repeat([=](T* x, Tables&) { k.geluBackward(n, x, x + n); });
    else if (name == "add") repeat([=](T* x, Tables&) { k.add(n, x, x + n); });
    else if (name == "dropout") repeat([=](T* x, Tables&) { k.dropout(n, x, 42, 0, 0.1f); });
    else if (name == "copy") repeat([=](T* x, Tables&) { std::copy(x, x + n, x + n); });
    else if (name == "cross_entropy") repeat([=](T* x, Tables& t) { t.sums[0] = static_cast<float>(k.crossEntropy(rows, w, x, t.ids.data(), 1e-3f, true)); });
    else if (name == "fill") repeat([=](T* x, Tables&) { std::fill(x, x + n, T{}); });
    else if (name == "squared_sum") repeat([=](T* x, Tables& t) { t.sums[0] = static_cast<float>(kernels().squaredSum(n, reinterpret_cast<const float*>(x))); });
    else if (name == "adam") repeat([=](T* x, Tables&) {
        auto* p = reinterpret_cast<float*>(x);
        AdamStep step{1e-6f, 0.9f, 0.95f, 1e-8f, 0.1f, true, 0.5f, 0.5f, 1.0f};
        kernels().adam(step, n, p, p + n, p + 2 * n, p + 3 * n, sizeof(T) == 2 ? reinterpret_cast<BFloat16*>(spare) : nullptr);
    });
    // Kernels that write over what they read shrink it: after a few rounds values would be too small to be normal numbers.
    if (name == "swiglu_backward" || name == "gelu_backward" || name == "cross_entropy") work.callsPerRefresh = 4 * places;
    return work;
}

struct Head {
    std::int64_t seq, size;
};

std::vector<Head> headsOf(const Grid& grid)
{
    std::vector<Head> heads;
    for (const std::int64_t seq : grid.coarse ? std::vector<std::int64_t>{64, 256} : std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024})
        for (const std::int64_t size : grid.coarse ? std::vector<std::int64_t>{32, 64} : std::vector<std::int64_t>{16, 32, 64, 128}) heads.push_back({seq, size});
    return heads;
}

/// Two heads of one sample, columns of a wider matrix as in a block.
template <class T>
Work attentionOf(const Head& head, bool backward, Arena& arena)
{
    arena.fillOnce(sizeof(T), Arena::kBytes / 2);
    ModelSpec spec;
    spec.seq = head.seq;
    spec.headSize = head.size;
    auto scratch = std::make_shared<std::vector<float>>(static_cast<std::size_t>(attentionScratchElements(spec)));
    auto sums = std::make_shared<std::vector<float>>(static_cast<std::size_t>(2 * head.seq), 5.0f);
    AttentionShape shape;
    shape.samples = 1;
    shape.seq = head.seq;
    shape.heads = shape.kvHeads = 2;
    shape.headSize = head.size;
    shape.queryStride = shape.kvStride = shape.outStride = 4 * head.size;
    const std::int64_t tensor = head.seq * 4 * head.size;
    const T* in = reinterpret_cast<const T*>(arena.data());
    T* out = reinterpret_cast<T*>(arena.data() + Arena::kBytes / 2);
    Work work;
    if (backward)
        work.call = [=] { attentionBackward<T>(shape, in, in + tensor, in + 2 * tensor, in + 3 * tensor, sums->data(), in + 4 * tensor, out, out + tensor, out + 2 * tensor, scratch->data()); };
    else work.call = [=] { attentionForward<T>(shape, in, in + tensor, in + 2 * tensor, out, sums->data(), scratch->data()); };
    return work;
}

std::vector<int> copiesOf(int cores) { return cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1}; }

std::vector<std::int64_t> footprintsOf(const Grid& grid)
{
    if (grid.coarse) return {1 << 20};
    return {1 << 20, 8 << 20, 56 << 20};
}

}  // namespace

std::size_t kernelSamples(const Grid& grid, int cores)
{
    const std::size_t kernels = (kernelsOf(false).size() + kernelsOf(true).size()) * footprintsOf(grid).size();
    return (kernels + 4 * headsOf(grid).size()) * copiesOf(cores).size();
}

std::vector<KernelRate> measureKernels(Sampler& sampler, const Grid& grid, int cores, Allowance& allowance, const Told& told)
{
    std::vector<KernelRate> rates;
    for (const bool narrow : {false, true}) {
        const std::string type = narrow ? "bf16" : "fp32";
        for (const Kernel& kernel : kernelsOf(narrow))
            for (const std::int64_t footprint : footprintsOf(grid))
                for (const int copies : copiesOf(cores)) {
                    const Sample s = sampler.measure(copies, 1, allowance.next(), [&](Arena& arena) { return narrow ? workOf<BFloat16>(kernel, footprint, arena) : workOf<float>(kernel, footprint, arena); });
                    rates.push_back({kernel.name, type, kElements / kernel.width, kernel.width, footprint, copies, s.seconds, s.spread});
                    told();
                }
        for (const Head& head : headsOf(grid))
            for (const bool backward : {false, true})
                for (const int copies : copiesOf(cores)) {
                    const Sample s = sampler.measure(copies, 1, allowance.next(), [&](Arena& arena) { return narrow ? attentionOf<BFloat16>(head, backward, arena) : attentionOf<float>(head, backward, arena); });
                    // Two heads a call.
                    rates.push_back({backward ? "attention_backward" : "attention", type, head.seq, head.size, 0, copies, s.seconds / 2, s.spread});
                    told();
                }
    }
    return rates;
}

}  // namespace stagecraft
