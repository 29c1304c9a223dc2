// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/pipeline_batch.h"

#include "planner/case_arguments.h"
#include "planner/findings.h"

#include <algorithm>
#include <string>

namespace stagecraft {

bool saysLocalBatch(CaseArguments& a)
{
    return a.has("local_batch") || a.has("global_batch") || a.has("pp_microbatches") || a.has("pp_microbatch_size") || a.has("pipeline_parallel_microbatch_size");
}

void cutLocalBatch(CaseArguments& a, TrainingCase& c, std::int64_t batch, std::vector<PlanFinding>& findings)
{
    const std::string release = a.word("release", "");
    const bool older = !release.empty() && release < "2025-03";
    const char* const sizeName = a.has("pp_microbatch_size") ? "pp_microbatch_size" : "pipeline_parallel_microbatch_size";
    const std::int64_t size = a.size(sizeName, 1);
    const bool counted = a.has("pp_microbatches"), sized = a.has(sizeName);
    const std::int64_t parts = counted ? a.size("pp_microbatches", 1) : older && !sized ? std::min(c.pp, batch) : batch / std::max<std::int64_t>(1, size);
    const auto refuse = [&](const char* id, const std::string& argument, const char* what, std::int64_t with) {
        const bool said = a.has(argument);
        findings.push_back(makeFinding(id, "error", said ? "/framework/arguments/" + argument : "/dsConfig/train_micro_batch_size_per_gpu", what, {std::to_string(batch), std::to_string(with)}));
        a.refuse();
    };
    if (!counted && sized && batch % size != 0) return refuse("plan.pipeline_batch.size", sizeName, "A local batch of {} samples is no multiple of the pipeline's micro-batch of {}; use sizes that divide", size);
    if (parts < 1 || batch % parts != 0) return refuse("plan.pipeline_batch", counted ? "pp_microbatches" : "local_batch", "A local batch of {} samples cannot be cut into {} equal micro-batches for the pipeline; use numbers that divide", parts);
    c.flushes = c.microBatches;
    if (__builtin_mul_overflow(parts, c.flushes, &c.microBatches)) return refuse("plan.pipeline_batch", "local_batch", "A local batch of {} samples cannot be cut into {} equal micro-batches for the pipeline; use numbers that divide", parts);
    c.microBatch = batch / parts;
}

}  // namespace stagecraft
