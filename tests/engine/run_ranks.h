// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/engine.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft::testing {

/// One training run of the equivalence case: settings of truth.json, the given way of dividing it.
struct RunShape {
    Family family = Family::Llama;
    int world = 1;
    int stage = 0;
    std::int64_t accumulation = 1;
    bool recompute = false;
    bool bf16 = false;
    std::int64_t steps = 30;
    std::int64_t persistenceThreshold = 0;
    int threads = 1;
    std::int64_t prefetchElements = EngineConfig().prefetchElements;
    std::int64_t maxLiveElements = EngineConfig().maxLiveElements;
    bool overlap = true;
    std::optional<ModelSpec> model;   ///< another one, with random weights; empty = the family's of the case
    [[nodiscard]] std::string name() const;
};

struct RunResult {
    std::string error;               ///< of the first rank that failed
    std::vector<double> losses, norms;
    double evaluation = 0;           ///< mean loss of the batch after the last step
    std::int64_t opsWithSpans = 0;   ///< of the last step, rank 0
    std::int64_t ops = 0;
    double phaseGap = 0;             ///< largest |sum of phases - step| in seconds
    std::vector<float> firstLogits;  ///< sample 0 of step 0, [seq, vocab], rank 0
};

/// tests/data/equivalence.
[[nodiscard]] std::filesystem::path equivalenceFolder();
[[nodiscard]] ModelSpec equivalenceModel(Family family);
[[nodiscard]] EngineConfig equivalenceConfig(const RunShape& shape);
/// The case's token file, and the fill that reads its windows (CONTRACT, order "sequential").
[[nodiscard]] std::vector<std::int32_t> equivalenceTokens();
[[nodiscard]] BatchFill sequentialFill(const std::vector<std::int32_t>& tokens, const ModelSpec& model, const EngineConfig& config, int rank, int world);
/// Weights from a safetensors file with Hugging Face names.
[[nodiscard]] std::unique_ptr<WeightSource> equivalenceWeights(Family family);

/// Trains with one thread per rank, meeting over Gloo through a file in `scratch`.
[[nodiscard]] RunResult runRanks(const RunShape& shape, const std::filesystem::path& scratch);

}  // namespace stagecraft::testing
