// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/pipeline_time.h"

#include <algorithm>

namespace stagecraft {

bool gathersBoundary(const TrainingCase& c)
{
    const bool slices = c.framework == Framework::DeepSpeed || (c.framework == Framework::Megatron && !c.transformerEngine);
    return c.tp > 1 && !c.sequenceParallel && slices;
}

double boundaryBytes(const TrainingCase& c)
{
    const double element = c.precision == Precision::Fp32 ? 4 : 2;
    const double whole = element * c.tokens() * static_cast<double>(c.model.hidden);
    return c.sequenceParallel || gathersBoundary(c) ? whole / static_cast<double>(c.tp) : whole;
}

double shownTransfers(const TrainingCase& c, std::int64_t stage)
{
    if (c.pp <= 1) return 0;
    const bool end = stage == 0 || stage == c.pp - 1;
    if (c.framework == Framework::DeepSpeed) return end ? 2 : 4;
    if (c.framework == Framework::Megatron && c.chunks == 1) return end ? 1 : 2;
    return static_cast<double>(c.chunks);
}

double pipelineBubble(const TrainingCase& c, double others, double weightShare)
{
    if (c.pp <= 1) return 0;
    const double idle = others * static_cast<double>(c.flushes);
    if (c.schedule == "zb_h1") return idle * (1 - 2 * weightShare);
    if (c.schedule == "zb_h2" || c.schedule == "zb_v") return idle * std::max(0.0, 1 - 3 * weightShare);
    const double chunks = static_cast<double>(std::max<std::int64_t>(1, c.chunks));
    return (c.schedule == "interleaved_zb1p" ? idle * (1 - 2 * weightShare) : idle) / chunks;
}

}  // namespace stagecraft
