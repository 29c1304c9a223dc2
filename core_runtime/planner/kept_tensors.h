// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ledger.h"

#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace stagecraft {

/// One kind of tensor that blocks keep for the backward pass.
struct KeptTensor {
    const char* what = "";    ///< id of its ledger item: "activations.qkv"
    double bytes = 0;         ///< of one element, times the tensors of this kind
    const char* symbol = "";  ///< elements of a token in symbols: "a d / t"
    double width = 0;         ///< the same as a number, on this rank
    const char* why = "";
    double share = 1;         ///< of the blocks that keep it
    [[nodiscard]] double perToken() const { return bytes * width * share; }
};

/// What a block keeps, kind by kind, in the order of its forward pass.
class KeptTensors {
public:
    /// @param tensor nothing where it has no bytes
    void add(const KeptTensor& tensor);
    /// Of each the share `share` as well: where only some blocks keep them.
    void add(const KeptTensors& others, double share);
    [[nodiscard]] std::span<const KeptTensor> all() const { return {m_tensors.data(), m_count}; }
    /// Bytes of a token, all kinds together.
    [[nodiscard]] double perToken() const { return m_perToken; }
    /// "12 · 4096 + 4 · 4096": bytes and widths of all kinds.
    [[nodiscard]] std::string numbers() const;

private:
    std::array<KeptTensor, 56> m_tensors{};
    std::size_t m_count = 0;
    double m_perToken = 0;
};

/// Adds one item for each kind, alive in the forward and the backward pass. Their bytes add up to those of all kinds rounded once.
/// @param layers what is kept of how many layers at once
/// @param brief  one sum: nobody will read the items
void addKeptTensors(LedgerBuilder& ledger, const KeptTensors& kept, double tokens, double layers, const char* source, bool brief);

}  // namespace stagecraft
