// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/branch_relief.h"

#include <fmt/format.h>

namespace stagecraft {

namespace {

// The largest divisor that is no more than half: the samples of a step stay whole micro-batches.
std::int64_t halved(std::int64_t microBatch)
{
    std::int64_t half = microBatch / 2;
    while (half > 1 && microBatch % half != 0) --half;
    return half;
}

std::vector<WorkspaceEdit> batchEdits(const Workspace& w, const TrainingCase& job, std::int64_t micro, std::int64_t accumulation)
{
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const std::string arguments = "/framework/arguments/";
    const auto& own = w.framework.arguments;
    if (w.framework.name == "megatron") {
        const bool underscores = own.is_object() && (own.contains("micro_batch_size") || own.contains("global_batch_size"));
        return {{arguments + (underscores ? "micro_batch_size" : "micro-batch-size"), number(micro)}, {arguments + (underscores ? "global_batch_size" : "global-batch-size"), number(micro * accumulation * job.dp)}};
    }
    if (w.framework.name == "fsdp2") return {{arguments + "local_batch", number(micro)}, {arguments + "global_batch", number(micro * accumulation * job.dp)}};
    return {{"/dsConfig/train_micro_batch_size_per_gpu", number(micro)}, {"/dsConfig/gradient_accumulation_steps", number(accumulation)}};
}

}  // namespace

std::vector<BranchRelief> reliefsOf(const Workspace& w, const TrainingCase& job)
{
    std::vector<BranchRelief> out;
    const bool fsdp2 = w.framework.name == "fsdp2";
    // torchtitan cuts one local batch into the micro-batches of its pipeline: a smaller one is another schedule.
    const auto halve = [&](const BranchRelief& with) {
        for (std::int64_t micro = job.microBatch; micro > 1 && !(fsdp2 && job.pp > 1);) {
            micro = halved(micro);
            BranchRelief relief = with;
            relief.microBatch = micro;
            relief.accumulation = job.microBatches * (job.microBatch / micro);
            for (WorkspaceEdit& edit : batchEdits(w, job, micro, relief.accumulation)) relief.edits.push_back(std::move(edit));
            out.push_back(std::move(relief));
        }
    };
    // Megatron-LM's and FSDP2's trees have branches of their own that recompute.
    BranchRelief recompute;
    recompute.recompute = !fsdp2 && w.framework.name != "megatron" && job.policy != ActivationPolicy::Full;
    if (recompute.recompute) {
        recompute.edits = {{"/layout/recompute", "\"full\""}};
        out.push_back(recompute);
    }
    halve({});
    if (recompute.recompute) halve(recompute);
    return out;
}

std::string reliefPhrase(const BranchRelief& relief)
{
    const std::string batch = relief.microBatch > 0 ? fmt::format("a micro-batch of {}, {} of them a step", relief.microBatch, relief.accumulation) : std::string();
    if (!relief.recompute) return "with " + batch;
    return batch.empty() ? "with activation checkpointing" : "with activation checkpointing and " + batch;
}

}  // namespace stagecraft
