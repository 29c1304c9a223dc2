// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/framework_branches.h"

#include "planner/case_arguments.h"
#include "planner/ds_settings.h"

#include <nlohmann/json.hpp>

#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

std::vector<WorkspaceEdit> recomputeEdits(const json& arguments, bool full)
{
    std::vector<WorkspaceEdit> edits{{"/layout/recompute", full ? "\"full\"" : "\"none\""}};
    for (const char* key : {"recompute-granularity", "recompute-activations", "recompute-method", "recompute-num-layers", "ac"})
        if (arguments.is_object() && arguments.contains(key)) edits.push_back({std::string("/framework/arguments/") + key, {}});
    return edits;
}

// Whether activations are made again in full: what the arguments say counts before the layout.
bool recomputesNow(const Workspace& w, const char* key)
{
    const json& arguments = w.framework.arguments;
    const bool said = arguments.is_object() && arguments.contains(key);
    return said ? arguments[key] == json("full") : w.layout.recompute == "full";
}

std::vector<FrameworkBranch> megatronBranches(const Workspace& w)
{
    const json& arguments = w.framework.arguments;
    const bool full = recomputesNow(w, "recompute-granularity");
    std::vector<PlanFinding> unread;
    CaseArguments read(arguments, unread);
    const bool distributed = dividesOptimizer(read, readDsSettings(w, 0, unread));
    // Its FSDP divides by a strategy of its own.
    const bool strategy = arguments.is_object() && arguments.contains("data-parallel-sharding-strategy");
    std::vector<FrameworkBranch> out;
    const auto add = [&](const char* id, const char* name, bool sharded, bool recomputes) {
        FrameworkBranch b{id, name, sharded ? 1 : 0, recomputes, distributed == sharded && full == recomputes, {{"/framework/arguments/use-distributed-optimizer", sharded ? "true" : "false"}}};
        if (!sharded && strategy) b.edits.push_back({"/framework/arguments/data-parallel-sharding-strategy", "\"no_shard\""});
        if (full != recomputes)
            for (WorkspaceEdit& edit : recomputeEdits(arguments, recomputes)) b.edits.push_back(std::move(edit));
        out.push_back(std::move(b));
    };
    add("replicated", "a replicated optimizer", false, false);
    add("distributed", "the distributed optimizer", true, false);
    add("distributed_recompute", "the distributed optimizer and full recomputation", true, true);
    return out;
}

}  // namespace

std::vector<FrameworkBranch> frameworkBranches(const Workspace& w)
{
    if (w.framework.name == "megatron") return megatronBranches(w);
    if (w.framework.name != "fsdp2") return {};
    const bool full = recomputesNow(w, "ac");
    return {{"sharded", "everything sharded", 3, false, !full, recomputeEdits(w.framework.arguments, false)},
            {"sharded_recompute", "everything sharded and full recomputation", 3, true, full, recomputeEdits(w.framework.arguments, true)}};
}

}  // namespace stagecraft
