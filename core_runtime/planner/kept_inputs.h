// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/parameter_table.h"
#include "planner/block_code.h"
#include "planner/trained_part.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace stagecraft {

/// Sums up in which layers the gradient of a weight needs what the weight was applied to.
class KeptInputs {
public:
    KeptInputs(const BlockCode& code, std::int64_t layers) : m_code(code), m_layers(layers) {}

    /// A parameter of the layers, whatever is trained of it. @param first  its first layer; it has `row.copies` of them
    void has(const ParameterRow& row, std::int64_t first);
    /// Of how many of its layers a gradient of `row`, or of something beside it, reads what goes in.
    void keeps(const ParameterRow& row, std::int64_t layers);
    /// Whether it is of queries, keys or values, which one tensor is multiplied by.
    [[nodiscard]] bool goesIntoAttention(const ParameterRow& row) const { return fieldOf(row) == &KeptForWeights::attention; }
    /// @param silent  layers from the first on through which no gradient flows
    [[nodiscard]] KeptForWeights parts(std::int64_t silent) const;

private:
    using Field = double KeptForWeights::*;
    struct Read {
        Field field;
        std::int64_t first, count;
        double kept;
        bool sums;   ///< parts of several tensors, not one that several read
        std::size_t group;  ///< of those in the same layers
    };

    [[nodiscard]] std::optional<Field> fieldOf(const ParameterRow& row) const;

    const BlockCode& m_code;
    std::int64_t m_layers;
    std::vector<Read> m_reads;
};

}  // namespace stagecraft
