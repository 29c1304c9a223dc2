// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/pipeline_places.h"

#include <algorithm>

namespace stagecraft {

namespace {

// As many layers on each stage, and on each of its chunks. The first and the last stage keep a layer beside what is counted as one.
bool divides(const TrainingCase& c, std::int64_t stages, PipelinePlaces counted)
{
    const std::int64_t places = c.model.layers + counted.embedding + counted.loss;
    const std::int64_t each = places / stages;
    if (places % stages != 0 || (counted != PipelinePlaces{} && each < 2)) return false;
    const std::int64_t chunks = c.chunksAsked > 0 ? c.chunksAsked : c.chunks;
    return each % (c.layersPerChunk > 0 ? c.layersPerChunk : std::max<std::int64_t>(1, chunks)) == 0;
}

}  // namespace

PipelinePlaces placesFor(const TrainingCase& c, std::int64_t stages)
{
    const PipelinePlaces own{c.embeddingPlace, c.lossPlace};
    if (c.framework != Framework::Megatron || c.customSplit || c.firstAsked > 0 || c.lastAsked > 0) return own;
    // A single stage has them all, whatever is counted.
    if (stages == 1) return {};
    for (const PipelinePlaces counted : {own, PipelinePlaces{}, PipelinePlaces{false, true}, PipelinePlaces{true, true}})
        if (divides(c, stages, counted)) return counted;
    return own;
}

const char* placesPhrase(PipelinePlaces counted)
{
    if (counted.embedding) return counted.loss ? "embedding and loss count as layers" : "the embedding counts as a layer";
    return counted.loss ? "the loss counts as a layer" : "";
}

}  // namespace stagecraft
