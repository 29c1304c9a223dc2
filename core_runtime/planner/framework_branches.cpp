// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/framework_branches.h"

#include "planner/case_arguments.h"
#include "planner/ds_settings.h"
#include "planner/transfers.h"
#include "planner/workspace_model.h"
#include "workspace/host_shards.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

std::vector<WorkspaceEdit> recomputeEdits(const json& arguments, const std::string& word)
{
    std::vector<WorkspaceEdit> edits{{"/layout/recompute", '"' + word + '"'}};
    for (const char* key : {"recompute-granularity", "recompute_granularity", "recompute-activations", "recompute_activations", "recompute-method", "recompute_method", "recompute-num-layers", "recompute_num_layers", "ac"})
        if (arguments.is_object() && arguments.contains(key)) edits.push_back({std::string("/framework/arguments/") + key, {}});
    return edits;
}

/// The job as it stands, as far as its framework can read it.
struct Now {
    std::string recompute;           ///< as FrameworkBranch::recompute
    bool offersSelective = false;    ///< it would save something
    bool lacksSequence = false;      ///< tensor-parallel ranks hold whole activations between their layers
    bool onHost = false;             ///< FSDP2's shards lie there
};

Now readNow(const Workspace& w, const DsSettings& settings)
{
    std::vector<PlanFinding> unread;
    if (!layoutIsPossible(w, unread)) return {w.layout.recompute};
    const auto job = readTrainingCase(w, countWorkspaceModel(w, unread).planned(), settings, unread);
    if (!job) return {w.layout.recompute};
    const std::string word = recomputeWord(job->policy);
    const bool megatron = job->framework == Framework::Megatron;
    const bool saves = !job->statesOnly && (megatron ? !job->flashAttention : !job->transformersBlock);
    return {word, saves || word == "selective", megatron && job->tp > 1 && !job->sequenceParallel, shardsOnHost(*job)};
}

std::vector<FrameworkBranch> megatronBranches(const Workspace& w, const DsSettings& settings, const Now& now)
{
    const json& arguments = w.framework.arguments;
    std::vector<PlanFinding> unread;
    CaseArguments read(arguments, unread);
    const bool distributed = dividesOptimizer(read, settings);
    // Its FSDP divides by a strategy of its own.
    const bool strategy = arguments.is_object() && arguments.contains("data-parallel-sharding-strategy");
    std::vector<FrameworkBranch> out;
    const auto add = [&](std::string id, std::string name, bool sharded, bool sequence, const std::string& recompute) {
        FrameworkBranch b{std::move(id), std::move(name), sharded ? 1 : 0, recompute, distributed == sharded && !sequence && now.recompute == recompute, {{"/framework/arguments/use-distributed-optimizer", sharded ? "true" : "false"}}};
        if (!sharded && strategy) b.edits.push_back({"/framework/arguments/data-parallel-sharding-strategy", "\"no_shard\""});
        if (sequence) b.edits.push_back({"/framework/arguments/sequence-parallel", "true"});
        if (sequence && arguments.is_object() && arguments.contains("sequence_parallel")) b.edits.push_back({"/framework/arguments/sequence_parallel", {}});
        if (now.recompute != recompute)
            for (WorkspaceEdit& edit : recomputeEdits(arguments, recompute)) b.edits.push_back(std::move(edit));
        out.push_back(std::move(b));
    };
    const std::string optimizer = "the distributed optimizer";
    add("replicated", "a replicated optimizer", false, false, "none");
    add("distributed", optimizer, true, false, "none");
    if (now.lacksSequence) add("distributed_sequence", optimizer + " and sequence parallelism", true, true, "none");
    const auto recomputed = [&](const char* word, const char* id) {
        // What divides the activations at no cost comes before what makes them again, except where the job is without now.
        if (!now.lacksSequence || (distributed && now.recompute == word)) add(std::string("distributed_") + id, fmt::format("{} and {} recomputation", optimizer, word), true, false, word);
        if (now.lacksSequence) add(std::string("distributed_sequence_") + id, fmt::format("{}, sequence parallelism and {} recomputation", optimizer, word), true, true, word);
    };
    if (now.offersSelective) recomputed("selective", "selective");
    recomputed("full", "recompute");
    return out;
}

std::vector<FrameworkBranch> fsdp2Branches(const Workspace& w, const Now& now)
{
    std::vector<FrameworkBranch> out;
    const auto add = [&](const char* id, const char* name, const std::string& recompute, bool onHost = false) {
        FrameworkBranch b{id, name, 3, recompute, now.recompute == recompute && now.onHost == onHost, {}, onHost};
        if (now.recompute != recompute) b.edits = recomputeEdits(w.framework.arguments, recompute);
        if (now.onHost != onHost)
            for (WorkspaceEdit& edit : hostShardEdits(w, onHost)) b.edits.push_back(std::move(edit));
        out.push_back(std::move(b));
    };
    add("sharded", "everything sharded", "none");
    if (now.offersSelective) add("sharded_selective", "everything sharded and selective recomputation", "selective");
    add("sharded_recompute", "everything sharded and full recomputation", "full");
    if (w.hardware.device == "cpu") return out;
    // A job that is there already and recomputes some keeps to that.
    add("sharded_offload", "everything sharded, on the host", now.onHost && now.recompute == "selective" ? "selective" : "none", true);
    add("sharded_offload_recompute", "everything sharded, on the host, and full recomputation", "full", true);
    return out;
}

}  // namespace

std::vector<WorkspaceEdit> hostShardEdits(const Workspace& w, bool onHost)
{
    std::vector<WorkspaceEdit> edits;
    if (onHost) edits.push_back({std::string("/framework/arguments/") + kHostShardNames[0], "true"});
    if (!w.framework.arguments.is_object()) return edits;
    for (const auto& [key, value] : w.framework.arguments.items()) {
        std::string name = key;
        std::replace(name.begin(), name.end(), '-', '_');
        const bool ours = onHost && key == kHostShardNames[0];
        if (!ours && std::find(kHostShardNames.begin(), kHostShardNames.end(), name) != kHostShardNames.end()) edits.push_back({"/framework/arguments/" + key, {}});
    }
    return edits;
}

std::vector<FrameworkBranch> frameworkBranches(const Workspace& w)
{
    if (w.framework.name != "megatron" && w.framework.name != "fsdp2") return {};
    std::vector<PlanFinding> unread;
    const DsSettings settings = readDsSettings(w, 0, unread);
    const Now now = readNow(w, settings);
    return w.framework.name == "megatron" ? megatronBranches(w, settings, now) : fsdp2Branches(w, now);
}

}  // namespace stagecraft
