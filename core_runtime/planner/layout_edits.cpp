// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/layout_edits.h"

#include "planner/framework_branches.h"
#include "workspace/autotp_layout.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace stagecraft {

namespace {

using nlohmann::json;

bool has(const json& object, const char* key)
{
    return object.is_object() && object.contains(key);
}

/// Collects edits; a value that the framework's own arguments name already is changed there.
class Edits {
public:
    explicit Edits(const Workspace& workspace) : m_workspace(workspace) {}

    void add(const WorkspaceEdit& edit) { m_edits.push_back(edit); }
    void set(const std::string& pointer, const json& value) { m_edits.push_back({pointer, value.dump()}); }
    void remove(const std::string& pointer)
    {
        if (m_workspace.document.contains(json::json_pointer(pointer)) || pointer.starts_with("/dsConfig"))
            m_edits.push_back({pointer, {}});
    }
    void argument(const char* key, const json& value) { set(std::string("/framework/arguments/") + key, value); }
    void sizeOr(const char* key, const std::string& pointer, std::int64_t value)
    {
        if (has(m_workspace.framework.arguments, key))
            argument(key, value);
        set(pointer, value);
    }
    [[nodiscard]] std::vector<WorkspaceEdit> take() { return std::move(m_edits); }

private:
    const Workspace& m_workspace;
    std::vector<WorkspaceEdit> m_edits;
};

// Where the states of one kind lie in files already, else where DeepSpeed's documentation has its NVMe disk, as the config page's mend.
json filesFolder(const json& zero)
{
    for (const char* key : {"offload_optimizer", "offload_param"})
        if (has(zero, key) && has(zero[key], "nvme_path"))
            return zero[key]["nvme_path"];
    return "/local_nvme";
}

void setZero(Edits& edits, const Workspace& w, int stage, OffloadDevice optimizer, OffloadDevice param)
{
    const json zero = has(w.dsConfig, "zero_optimization") ? w.dsConfig["zero_optimization"] : json::object();
    edits.set("/dsConfig/zero_optimization/stage", stage);
    const auto section = [&](const char* key, OffloadDevice device) {
        const std::string pointer = std::string("/dsConfig/zero_optimization/") + key;
        if (device == OffloadDevice::None) {
            if (has(zero, key))
                edits.remove(pointer);
            return;
        }
        edits.set(pointer + "/device", deviceWord(device));
        // DeepSpeed refuses files without a folder.
        if (device == OffloadDevice::Nvme && !(has(zero, key) && has(zero[key], "nvme_path")))
            edits.set(pointer + "/nvme_path", filesFolder(zero));
    };
    for (const char* old : {"cpu_offload", "cpu_offload_param"})
        if (has(zero, old))
            edits.remove(std::string("/dsConfig/zero_optimization/") + old);
    section("offload_optimizer", optimizer);
    section("offload_param", param);
}

// What DeepSpeed divides by keys of its own: the layers of a Transformers model where one says so, sequences and experts where the file has theirs.
void setConfigSizes(Edits& edits, const Workspace& w, const ScoredLayout& l)
{
    const bool divided = l.tp > 1 && batchRanks(w, l.dp, l.tp, l.pp) != l.dp;
    const auto drop = [&](const char* section, const char* key) {
        const bool alone = has(w.dsConfig, section) && has(w.dsConfig[section], key) && w.dsConfig[section].size() == 1;
        edits.remove(std::string("/dsConfig/") + section + (alone ? "" : std::string("/") + key));
    };
    if (divided)
        edits.set("/dsConfig/tensor_parallel/autotp_size", l.tp);
    else if (autoTpSize(w))
        drop("tensor_parallel", "autotp_size");
    if (has(w.dsConfig, "sequence_parallel_size")) {
        if (l.cp > 1)
            edits.set("/dsConfig/sequence_parallel_size", l.cp);
        else
            edits.remove("/dsConfig/sequence_parallel_size");
    }
    if (has(w.dsConfig, "expert_parallel") && has(w.dsConfig["expert_parallel"], "autoep_size")) {
        if (l.ep > 1)
            edits.set("/dsConfig/expert_parallel/autoep_size", l.ep);
        else
            edits.remove("/dsConfig/expert_parallel");
    }
}

// Replicas, and the samples of each.
void setBatch(Edits& edits, const Workspace& w, const ScoredLayout& l)
{
    std::int64_t micro = l.microBatch, accumulation = l.accumulation;
    if (w.framework.name == "megatron") {
        edits.argument("micro-batch-size", l.microBatch);
        edits.argument("global-batch-size", l.microBatch * l.accumulation * l.dp);
    } else if (w.framework.name == "fsdp2") {
        edits.argument("fsdp", l.dp);
        // torchtitan cuts one local batch into the micro-batches of its pipeline.
        if (l.pp > 1) {
            edits.argument("local_batch", l.microBatch * l.accumulation);
            edits.argument("pp_microbatches", l.accumulation);
            for (const char* size : {"pp_microbatch_size", "pipeline_parallel_microbatch_size"})
                if (has(w.framework.arguments, size))
                    edits.remove(std::string("/framework/arguments/") + size);
            micro = l.microBatch * l.accumulation;
            accumulation = 1;
        } else {
            edits.argument("local_batch", l.microBatch);
        }
        if (has(w.framework.arguments, "global_batch"))
            edits.argument("global_batch", l.microBatch * l.accumulation * l.dp);
    }
    edits.set("/layout/dp", l.dp);
    // Ranks that share a sequence share its samples too: they do not count.
    if (has(w.dsConfig, "train_batch_size"))
        edits.set("/dsConfig/train_batch_size", micro * accumulation * batchRanks(w, l.dp, l.tp, l.pp));
    edits.set("/dsConfig/train_micro_batch_size_per_gpu", micro);
    edits.set("/dsConfig/gradient_accumulation_steps", accumulation);
}

}  // namespace

std::vector<WorkspaceEdit> zeroEdits(const Workspace& workspace, int stage, OffloadDevice optimizer, OffloadDevice param)
{
    Edits edits(workspace);
    setZero(edits, workspace, stage, optimizer, param);
    return edits.take();
}

std::vector<WorkspaceEdit> layoutEdits(const Workspace& w, const ScoredLayout& l)
{
    Edits edits(w);
    const bool megatron = w.framework.name == "megatron";
    const bool fsdp2 = w.framework.name == "fsdp2";
    if (megatron) {
        edits.sizeOr("tensor-model-parallel-size", "/layout/tp", l.tp);
        edits.sizeOr("pipeline-model-parallel-size", "/layout/pp", l.pp);
        edits.sizeOr("context-parallel-size", "/layout/cp", l.cp);
        edits.sizeOr("expert-model-parallel-size", "/layout/ep", l.ep);
        edits.argument("use-distributed-optimizer", l.stage >= 1);
        edits.argument("sequence-parallel", l.tp > 1);
        // A single stage has no chunks, and no first or last one: Megatron-LM refuses to hear of them.
        if (l.pp == 1)
            for (const char* key : {"virtual-pipeline-model-parallel-size", "num-virtual-stages-per-pipeline-rank", "num-layers-per-virtual-pipeline-stage", "decoder-first-pipeline-num-layers",
                                    "decoder-last-pipeline-num-layers", "microbatch-group-size-per-virtual-pipeline-stage"})
                if (has(w.framework.arguments, key))
                    edits.remove(std::string("/framework/arguments/") + key);
        const std::pair<const char*, bool> places[] = {{"account-for-embedding-in-pipeline-split", l.embeddingPlace}, {"account-for-loss-in-pipeline-split", l.lossPlace}};
        for (const auto& [key, counted] : places) {
            if (counted)
                edits.argument(key, true);
            else if (has(w.framework.arguments, key))
                edits.remove(std::string("/framework/arguments/") + key);
        }
        for (const char* key : {"recompute-activations", "recompute-method", "recompute-num-layers", "recompute-granularity"})
            if (has(w.framework.arguments, key))
                edits.remove(std::string("/framework/arguments/") + key);
    } else if (fsdp2) {
        edits.sizeOr("tp", "/layout/tp", l.tp);
        edits.sizeOr("pp", "/layout/pp", l.pp);
        edits.sizeOr("cp", "/layout/cp", l.cp);
        edits.sizeOr("ep", "/layout/ep", l.ep);
        for (const WorkspaceEdit& edit : hostShardEdits(w, l.offloadParam != OffloadDevice::None))
            edits.add(edit);
        edits.argument("ac", l.policy == ActivationPolicy::SelectiveOp ? "selective op" : recomputeWord(l.policy));
    } else {
        edits.set("/layout/tp", l.tp);
        edits.set("/layout/pp", l.pp);
        edits.set("/layout/cp", l.cp);
        edits.set("/layout/ep", l.ep);
        edits.set("/layout/sequenceParallel", false);
        setZero(edits, w, l.stage, l.offloadOptimizer, l.offloadParam);
        setConfigSizes(edits, w, l);
    }
    edits.set("/layout/recompute", recomputeWord(l.policy == ActivationPolicy::SelectiveOp ? ActivationPolicy::None : l.policy));
    setBatch(edits, w, l);
    return edits.take();
}

std::vector<WorkspaceEdit> batchEdits(const Workspace& w, const ScoredLayout& l)
{
    Edits edits(w);
    setBatch(edits, w, l);
    return edits.take();
}

json sectionInsteadOf(const std::string& pointer, const json& value)
{
    return pointer == "/dsConfig/zero_optimization" && value == json(true) ? json{{"stage", 1}} : json::object();
}

json patchOf(const Workspace& w, const std::vector<WorkspaceEdit>& edits)
{
    json patch = json::array();
    json now = w.document.is_object() ? w.document : json::object();
    const auto add = [&](const json::json_pointer& place, json value) {
        patch.push_back({{"op", "add"}, {"path", place.to_string()}, {"value", std::move(value)}});
        now = now.patch(json::array({patch.back()}));
    };
    // A ds_config in a file of its own cannot be reached by a patch of the workspace, whose document may have the file's content in place of
    // its name already: it is put into it.
    const bool elsewhere = !w.dsConfigFile.empty() && std::any_of(edits.begin(), edits.end(), [](const WorkspaceEdit& edit) { return edit.pointer.starts_with("/dsConfig"); });
    if (elsewhere || (now.contains("dsConfig") && !now["dsConfig"].is_object())) add(json::json_pointer("/dsConfig"), w.dsConfig.is_object() ? w.dsConfig : json::object());
    for (const WorkspaceEdit& edit : edits) {
        const json::json_pointer place(edit.pointer);
        if (edit.json.empty()) {
            if (!now.contains(place)) continue;
            patch.push_back({{"op", "remove"}, {"path", edit.pointer}});
            now = now.patch(json::array({patch.back()}));
            continue;
        }
        // The objects on the way to it are made where the document has none, the outermost first.
        std::vector<json::json_pointer> missing;
        for (json::json_pointer above = place.parent_pointer(); !above.empty() && !(now.contains(above) && now[above].is_object()); above = above.parent_pointer()) missing.push_back(above);
        for (auto above = missing.rbegin(); above != missing.rend(); ++above) add(*above, sectionInsteadOf(above->to_string(), now.contains(*above) ? now[*above] : json()));
        add(place, json::parse(edit.json));
    }
    return patch;
}

}  // namespace stagecraft
