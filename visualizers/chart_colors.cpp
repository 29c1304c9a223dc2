// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_colors.h"

#include <cmath>

namespace stagecraft {

MemoryKind memoryKind(std::string_view what)
{
    const auto begins = [what](std::string_view word) { return what.substr(0, word.size()) == word; };
    if (begins("weights") || begins("parameters") || begins("frozen") || begins("secondary"))
        return MemoryKind::Weights;
    if (begins("gradient") || begins("block_gradients") || begins("whole_gradients") || begins("pipeline_gradients"))
        return MemoryKind::Gradients;
    if (begins("master") || begins("optimizer") || begins("server_error"))
        return MemoryKind::Optimizer;
    if (begins("buckets") || begins("communication") || begins("pipeline"))
        return MemoryKind::Buckets;
    if (begins("gathered") || begins("dequantised") || begins("allgather"))
        return MemoryKind::Gathered;
    if (begins("activations") || begins("recompute"))
        return MemoryKind::Activations;
    if (begins("logits") || begins("loss"))
        return MemoryKind::Logits;
    if (begins("rounding") || begins("fragmentation") || begins("allocator"))
        return MemoryKind::Rounding;
    return MemoryKind::Context;
}

QColor textOn(const QColor& ground)
{
    const auto linear = [](double channel) { return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4); };
    const double luminance = 0.2126 * linear(ground.redF()) + 0.7152 * linear(ground.greenF()) + 0.0722 * linear(ground.blueF());
    return (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) ? QColor(0x0b, 0x0d, 0x10) : QColor(Qt::white);
}

}  // namespace stagecraft
