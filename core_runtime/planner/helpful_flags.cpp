// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/helpful_flags.h"

#include "base/units.h"
#include "planner/findings.h"
#include "planner/framework_ledger.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace stagecraft {

namespace {

std::int64_t peakOf(const std::vector<LedgerRole>& ledger)
{
    std::int64_t most = 0;
    for (const LedgerRole& role : ledger) most = std::max(most, role.peak.allocated);
    return most;
}

}  // namespace

void tellHelpfulFlags(const TrainingCase& job, Plan& plan)
{
    if (job.framework != Framework::Megatron || job.statesOnly || !plan.ledger) return;
    std::vector<std::pair<std::int64_t, std::string>> found;
    const std::int64_t now = peakOf(*plan.ledger);
    const auto attempt = [&](bool applies, const char* flag, auto&& change) {
        if (!applies) return;
        TrainingCase other = job;
        change(other);
        const std::int64_t saved = now - peakOf(frameworkLedger(other));
        if (saved * 100 >= now) found.emplace_back(saved, flag);
    };
    const bool divided = job.distributedOptimizer, many = job.dp * job.cp > 1;
    attempt(!divided && many, "use-distributed-optimizer", [](TrainingCase& c) { c.distributedOptimizer = true; });
    attempt(job.precision == Precision::Bf16 && job.fp32Gradients && job.gradientBytes == 0, "grad-reduce-in-bf16", [](TrainingCase& c) { c.fp32Gradients = false; });
    attempt(job.gradientBytes == 4, "main-grads-dtype bf16", [](TrainingCase& c) { c.gradientBytes = 2; });
    attempt(job.float8 && !job.float8Weights && divided, "fp8-param-gather", [](TrainingCase& c) { c.float8Weights = true; });
    attempt(job.tp > 1 && !job.sequenceParallel, "sequence-parallel", [](TrainingCase& c) { c.sequenceParallel = true; });
    attempt(job.policy == ActivationPolicy::None, "recompute-granularity selective", [](TrainingCase& c) {
        c.policy = ActivationPolicy::SelectiveCore;
        c.modules = {};
        c.modules.core = true;
    });
    attempt(job.policy != ActivationPolicy::Full, "recompute-granularity full with recompute-method uniform", [](TrainingCase& c) {
        c.policy = ActivationPolicy::Full;
        c.recomputeFirstLayersOnly = false;
        c.policyLayers = 1;
    });
    if (found.empty()) return;
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string list;
    for (const auto& [saved, flag] : found) list += (list.empty() ? "" : ", ") + flag + " (-" + formatBytes(saved) + ")";
    plan.findings.push_back(makeFinding("plan.flags_help", "info", "/framework/arguments", "With each of these arguments alone the fullest rank would hold less: {}", {list}));
}

}  // namespace stagecraft
