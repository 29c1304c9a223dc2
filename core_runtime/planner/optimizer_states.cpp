// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/optimizer_states.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {

namespace {

bool isMuon(std::string_view optimizer) { return optimizer == "muon" || optimizer == "dist_muon"; }
bool isEightBit(std::string_view optimizer) { return optimizer.find("8bit") != std::string_view::npos; }

// Part of the parameters that are matrices of layers.
double matrixPart(const ModelShape& m)
{
    return m.params > 0 ? std::min(1.0, static_cast<double>(m.layers * m.layerMatrices - m.encoderLayers * m.crossLayer) / static_cast<double>(m.params)) : 0.0;
}

// Whether the optimizer is given the model's own tensors: DeepSpeed hands it flat partitions, but for plain fp32 without ZeRO.
bool seesTensors(const TrainingCase& c) { return c.framework != Framework::DeepSpeed || (c.stateStage() == 0 && c.precision == Precision::Fp32); }

double factored(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    if (!seesTensors(c) || m.tensors.empty() || m.part.partly) return 4;
    double kept = 0, all = 0;
    for (const ModelTensor& t : m.tensors) {
        const double count = static_cast<double>(t.each) * static_cast<double>(t.layers);
        all += t.elements() * count;
        kept += 4 * count * (t.columns > 1 ? static_cast<double>(t.rows + t.columns) : t.elements());
    }
    // Rows and columns are made by new_zeros with another shape than the gradient's: no DTensor divides them.
    const double whole = c.framework == Framework::Fsdp2 ? static_cast<double>(c.dp * c.cp / c.copies()) : 1.0;
    return all > 0 ? std::min(4.0, whole * kept / all) : 4;
}

double inBlocks(const TrainingCase& c, std::string_view optimizer)
{
    constexpr double kBlock = 256, kLeast = 4096;
    const double moments = optimizer.find("lion") != std::string_view::npos || optimizer.find("rmsprop") != std::string_view::npos ? 1 : 2;
    const double packed = moments * (1 + 4 / kBlock), whole = moments * 4;
    const ModelShape& m = c.model;
    if (!seesTensors(c) || m.tensors.empty() || m.part.partly) return packed;
    // The Trainer's words have a "_" before the bits, bitsandbytes' own classes have none.
    const bool trainer = optimizer.find("_8bit") != std::string_view::npos;
    double kept = 0, all = 0;
    for (const ModelTensor& t : m.tensors) {
        const double elements = t.elements() * static_cast<double>(t.each) * static_cast<double>(t.layers);
        const bool table = trainer && t.where == ModelTensor::Where::Embedding;
        all += elements;
        kept += elements * (table || t.elements() < kLeast ? whole : packed);
    }
    return all > 0 ? kept / all : packed;
}

}  // namespace

std::string ofTrainersWord(const std::string& word)
{
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords{{{"adamw_torch", "adamw"}, {"adamw_torch_fused", "adamw"}, {"adamw_hf", "adamw"}, {"adamw_torch_xla", "adamw"}, {"adamw_apex_fused", "adamw"},
        {"adamw_bnb_8bit", "adamw_8bit"}, {"paged_adamw_32bit", "paged_adamw"}, {"lion_32bit", "lion"}, {"paged_lion_32bit", "lion"}, {"rmsprop_bnb", "rmsprop"}}};
    for (const auto& [trainers, name] : kWords)
        if (word == trainers) return std::string(name);
    return word;
}

bool ofBitsAndBytes(std::string_view optimizer) { return isEightBit(optimizer) || optimizer.starts_with("paged"); }

bool dependsOnShapes(std::string_view optimizer) { return isMuon(optimizer) || isEightBit(optimizer) || optimizer == "adafactor"; }

double meanStateBytes(const TrainingCase& c)
{
    const bool deepspeed = c.framework == Framework::DeepSpeed;
    const std::string& optimizer = deepspeed ? c.settings.optimizer : c.optimizer;
    // Moments have the type of the weights that the optimizer is given; quantised ones have their own.
    const double scale = c.framework == Framework::Fsdp2 && c.bf16States ? 0.5 : 1.0;
    if (isEightBit(optimizer)) return inBlocks(c, optimizer);
    if (isMuon(optimizer) && c.model.params > 0) return scale * (8 - 4 * matrixPart(c.model));
    if (optimizer == "adafactor") return scale * factored(c);
    return deepspeed ? c.settings.stateBytes : scale * optimizerStateBytes(optimizer == "adam" ? "adamw" : optimizer);
}

}  // namespace stagecraft
