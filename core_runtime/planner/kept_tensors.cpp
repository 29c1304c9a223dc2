// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/kept_tensors.h"

#include <cassert>
#include <fmt/format.h>

namespace stagecraft {

void KeptTensors::add(const KeptTensor& tensor)
{
    if (tensor.perToken() <= 0) return;
    assert(m_count < m_tensors.size());
    m_tensors[m_count++] = tensor;
    m_perToken += tensor.perToken();
}

void KeptTensors::add(const KeptTensors& others, double share)
{
    for (KeptTensor tensor : others.all()) {
        tensor.share *= share;
        add(tensor);
    }
}

std::string KeptTensors::numbers() const
{
    std::string out;
    for (const KeptTensor& tensor : all()) {
        out += fmt::format("{}{:.6g} · {:.6g}", out.empty() ? "" : " + ", tensor.bytes, tensor.width);
        if (tensor.share != 1) out += fmt::format(" · {:.4g}", tensor.share);
    }
    return out;
}

void addKeptTensors(LedgerBuilder& ledger, const KeptTensors& kept, double tokens, double layers, const char* source, bool brief)
{
    constexpr const char* kAlive = "forward|backward";
    if (brief) {
        ledger.add("activations", toBytes(kept.perToken() * tokens * layers), kAlive, [] { return LedgerBuilder::Why{}; });
        return;
    }
    // Each ends where the sum so far ends: the kinds add up to the byte.
    double sum = 0;
    std::int64_t told = 0;
    for (const KeptTensor& tensor : kept.all()) {
        sum += tensor.perToken();
        const std::int64_t upTo = toBytes(sum * tokens * layers);
        ledger.add(tensor.what, upTo - told, kAlive, [&] {
            return LedgerBuilder::Why{tensor.why, fmt::format("L · s b · {:.6g} {}", tensor.bytes, tensor.symbol), fmt::format("{:.4g} · {:.0f} · {:.6g} · {:.6g} B", layers * tensor.share, tokens, tensor.bytes, tensor.width), source};
        });
        told = upTo;
    }
}

}  // namespace stagecraft
