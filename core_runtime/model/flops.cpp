// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/flops.h"

namespace stagecraft {

double trainingFlopsPerToken(double matrices, double layers, double headWidth, double seq)
{
    // Scores and weighted values: each 2 FLOPs per head dimension and position looked at.
    return 3.0 * (2.0 * matrices + 2.0 * layers * headWidth * seq);
}

double modelFlopsPerToken(const ModelSpec& spec)
{
    ModelSpec oneLayer = spec;
    oneLayer.layers = 1;
    double perBlock = 0;
    const std::vector<UnitInfo> units = unitsOf(oneLayer);
    for (const ParameterInfo& parameter : units[1].parameters)
        if (parameter.shape.size() == 2) perBlock += static_cast<double>(parameter.count);
    const auto layers = static_cast<double>(spec.layers);
    const double matrices = layers * perBlock + static_cast<double>(spec.vocab) * static_cast<double>(spec.hidden);
    return trainingFlopsPerToken(matrices, layers, 2.0 * static_cast<double>(spec.heads * spec.headSize), static_cast<double>(spec.seq));
}

}  // namespace stagecraft
