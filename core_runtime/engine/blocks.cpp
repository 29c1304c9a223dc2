// SPDX-License-Identifier: GPL-3.0-or-later
#include "engine/blocks.h"

#include <algorithm>
#include <cstring>

namespace stagecraft {

ParameterPlace placeOf(const UnitInfo& unit, const FlatLayout& layout, const std::string& suffix)
{
    for (std::size_t p = 0; p < unit.parameters.size(); ++p) {
        const ParameterInfo& parameter = unit.parameters[p];
        if (parameter.name.ends_with(suffix)) return {layout.offsets[p], parameter.count};
    }
    return {};
}

void zeroOthers(const UnitInfo& unit, const FlatLayout& layout, float* gradients)
{
    std::int64_t from = 0;
    const auto zeroTo = [&](std::int64_t end) { std::fill(gradients + from, gradients + end, 0.0f); };
    for (std::size_t p = 0; p < unit.parameters.size(); ++p) {
        if (unit.kind == UnitKind::Embedding || unit.parameters[p].shape.size() < 2) continue;
        zeroTo(layout.offsets[p]);
        from = layout.offsets[p] + unit.parameters[p].count;
    }
    zeroTo(layout.padded);
}

template <class T>
std::uint64_t Work<T>::dropoutKey(std::int64_t sample, std::uint64_t site) const
{
    // A chain of splitmix64 rounds: seed, step, sample and site each change every bit.
    std::uint64_t key = dropout.seed;
    const auto sampleId = static_cast<std::uint64_t>(dropout.globalSamples[static_cast<std::size_t>(sample)]);
    for (const std::uint64_t part : {static_cast<std::uint64_t>(dropout.step), sampleId, site}) {
        key += part * 0x9e3779b97f4a7c15u + 0x632be59bd9b4e019u;
        key = (key ^ (key >> 30)) * 0xbf58476d1ce4e5b9u;
        key = (key ^ (key >> 27)) * 0x94d049bb133111ebu;
        key ^= key >> 31;
    }
    return key;
}

template <class T>
void Work<T>::drop(T* x, std::int64_t width, std::uint64_t site, double p) const
{
    if (p <= 0.0 || !dropout.enabled) return;
    const std::int64_t count = model.seq * width;
    for (std::int64_t sample = 0; sample < samples; ++sample)
        kernel().dropout(count, x + sample * count, dropoutKey(sample, site), 0, static_cast<float>(p));
}

template <class T>
void Work<T>::dropWeights(AttentionShape& shape, std::uint64_t site)
{
    if (model.attentionDropout <= 0.0 || !dropout.enabled) return;
    attentionKeys.resize(static_cast<std::size_t>(samples));
    for (std::int64_t sample = 0; sample < samples; ++sample) attentionKeys[static_cast<std::size_t>(sample)] = dropoutKey(sample, site);
    shape.dropout = static_cast<float>(model.attentionDropout);
    shape.dropoutKeys = attentionKeys.data();
}

template <class T>
Linear<T>::Linear(const UnitInfo& unit, const FlatLayout& layout, const std::string& name, std::int64_t in, std::int64_t out, WeightOrder order)
    : m_weight(placeOf(unit, layout, name + ".weight")), m_bias(placeOf(unit, layout, name + ".bias")), m_in(in), m_out(out), m_order(order)
{
}

template <class T>
void Linear<T>::forward(const Work<T>& work, const T* weights, const T* x, T* y, bool accumulate) const
{
    linearForward(shapeFor(work), x, weights + m_weight.offset, y, accumulate);
    if (m_bias.present())
        parallelRows(work.threads, work.tokens, [&](std::int64_t begin, std::int64_t end, int) {
            work.kernel().addBias(end - begin, m_out, weights + m_bias.offset, y + begin * m_out);
        });
}

template <class T>
void Linear<T>::inputGradient(const Work<T>& work, const T* weights, const T* dy, T* dx, bool accumulate) const
{
    linearInputGradient(shapeFor(work), dy, weights + m_weight.offset, dx, accumulate);
}

template <class T>
void Linear<T>::biasGradient(const Work<T>& work, const T* dy, float* gradients) const
{
    if (m_bias.present()) work.kernel().columnSum(work.tokens, m_out, dy, gradients + m_bias.offset);
}

template <class T>
void Linear<T>::weightGradient(const Work<T>& work, const T* x, const T* dy, float* gradients, bool fresh) const
{
    linearWeightGradient(shapeFor(work), x, dy, gradients + m_weight.offset, !fresh);
}

template struct Work<float>;
template struct Work<BFloat16>;
template class Linear<float>;
template class Linear<BFloat16>;

}  // namespace stagecraft
