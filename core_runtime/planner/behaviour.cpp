// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/behaviour.h"

#include "config/engine_reader.h"
#include "planner/advised_workspace.h"
#include "planner/case_arguments.h"
#include "planner/training_case.h"
#include "planner/transfers.h"
#include "planner/workspace_model.h"
#include "workspace/host_shards.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace stagecraft {

namespace {

using nlohmann::json;

constexpr std::array kModelArguments{
    "num-layers", "hidden-size", "num-attention-heads", "group-query-attention", "num-query-groups", "kv-channels", "ffn-hidden-size", "swiglu", "normalization",
    "untie-embeddings-and-output-weights", "max-position-embeddings", "vocab-size", "make-vocab-size-divisible-by", "position-embedding-type", "use-rotary-position-embeddings",
    "disable-bias-linear", "add-qkv-bias", "qk-layernorm", "hidden-dropout", "attention-dropout", "num-experts", "moe-router-topk", "moe-ffn-hidden-size",
    "moe-shared-expert-intermediate-size", "moe-layer-freq", "multi-latent-attention", "q-lora-rank", "kv-lora-rank", "qk-head-dim", "qk-pos-emb-head-dim", "v-head-dim",
    "mtp-num-layers", "seq-length"};

bool has(const json& object, const char* key) { return object.is_object() && object.contains(key); }

bool isForeign(const std::string& framework) { return framework == "fsdp2" || framework == "megatron"; }

bool isGpt2(const Workspace& w)
{
    return w.model.spec ? w.model.spec->family == Family::Gpt2 : w.model.huggingFaceConfig.is_object() && w.model.huggingFaceConfig.value("model_type", json("")) == json("gpt2");
}

bool isOn(const json& ds, const char* key) { return has(ds, key) && ds[key].is_object() && coercedBoolean(ds[key].value("enabled", json(true))) != false; }

/// What Megatron's command line has to say of a model that the workspace names: its own defaults are GPT-2's.
json kindArguments(const Workspace& w)
{
    if (isGpt2(w)) return json::object();
    return {{"position-embedding-type", "rope"}, {"disable-bias-linear", true}, {"hidden-dropout", 0.0}, {"attention-dropout", 0.0}};
}

/// A dense model of Megatron's arguments as the workspace names its own; nothing where a workspace has no such fields.
std::optional<json> modelFields(const TrainingCase& c)
{
    const ModelShape& m = c.model;
    if (m.experts > 0 || m.keyRank > 0 || m.nextTokenLayers > 0) return std::nullopt;
    const bool llama = m.rmsNorm && m.gated && c.rotary;
    const bool gpt2 = !m.rmsNorm && !m.gated && !c.rotary && c.biases && m.kvHeads == m.heads && m.headSize * m.heads == m.hidden;
    if (!llama && !gpt2) return std::nullopt;
    json fields{{"family", llama ? "llama" : "gpt2"}, {"hidden", m.hidden}, {"layers", m.layers}, {"heads", m.heads}, {"ffn", m.ffn}, {"vocab", m.vocab}, {"seq", m.seq}, {"tieEmbeddings", m.tied}};
    if (llama) {
        fields["kvHeads"] = m.kvHeads;
        if (m.headSize * m.heads != m.hidden) fields["headSize"] = m.headSize;
        if (c.biases) fields["attentionBias"] = fields["mlpBias"] = true;
    } else if (const std::int64_t positions = m.embedding / m.hidden - m.vocab; positions > m.seq) {
        fields["positions"] = positions;
    }
    return fields;
}

class Change {
public:
    Change(const Workspace& workspace, const std::string& framework) : m_workspace(workspace), m_framework(framework), m_arguments(json::object()) {}

    BehaviourChange make()
    {
        std::vector<PlanFinding> unread;
        const auto shape = countWorkspaceModel(m_workspace, unread).shape;
        m_settings = readDsSettings(m_workspace, shape ? shape->hidden : 0, unread);
        Workspace neutral = m_workspace;
        if (neutral.framework.name == "stagecraft") neutral.framework.name = "deepspeed";
        m_job = readTrainingCase(neutral, shape, m_settings, unread);
        if (m_job && isForeign(m_workspace.framework.name)) intoWorkspace();
        else if (m_job && isForeign(m_framework)) fromDeepSpeed();
        intoArguments();
        tellArguments();
        m_change.edits.push_back({"/framework/name", json(m_framework).dump()});
        m_change.edits.push_back({"/framework/arguments", m_arguments.dump()});
        return std::move(m_change);
    }

private:
    void set(const std::string& pointer, const json& value)
    {
        const json::json_pointer place(pointer);
        const bool config = pointer.starts_with("/dsConfig/");
        const json& document = config ? m_workspace.dsConfig : m_workspace.document;
        const json::json_pointer inside(config ? pointer.substr(9) : pointer);
        if (document.is_object() && document.contains(inside) && document[inside] == value) return;
        m_change.edits.push_back({pointer, value.dump()});
    }
    void lose(NotCarried::What what, std::string detail = {}) { m_change.lost.push_back({what, std::move(detail)}); }

    /// The job of FSDP2's or Megatron's arguments, in the workspace's own words.
    void intoWorkspace()
    {
        const TrainingCase& c = *m_job;
        const LayoutSection now = m_workspace.layout;
        const auto size = [&](const char* pointer, std::int64_t before, std::int64_t value) {
            if (before != value) set(pointer, value);
        };
        size("/layout/dp", now.dp, c.dp);
        size("/layout/tp", now.tp, c.tp);
        size("/layout/pp", now.pp, c.pp);
        size("/layout/cp", now.cp, c.cp);
        size("/layout/ep", now.ep, c.ep);
        carryModel();
        const bool parallel = c.sequenceParallel && (m_framework == "megatron" || m_framework == "fsdp2");
        if (now.sequenceParallel != parallel) set("/layout/sequenceParallel", parallel);
        if (c.sequenceParallel && !parallel) lose(NotCarried::What::SequenceParallel);
        carryRecompute();
        if (has(m_workspace.dsConfig, "train_batch_size")) set("/dsConfig/train_batch_size", c.microBatch * c.microBatches * c.dp);
        set("/dsConfig/train_micro_batch_size_per_gpu", c.microBatch);
        set("/dsConfig/gradient_accumulation_steps", c.microBatches);
        carryPrecision();
        carrySharding();
    }

    void carryModel()
    {
        const TrainingCase& c = *m_job;
        if (modelIsInArguments(m_workspace)) {
            if (const auto fields = modelFields(c)) set("/model", *fields);
            else lose(NotCarried::What::Model);
            return;
        }
        const ModelSection& model = m_workspace.model;
        const std::int64_t before = model.spec ? model.spec->seq : model.seq;
        if (model.form == ModelSection::Form::ParameterCount || before == c.model.seq) return;
        if (model.spec && model.spec->positions > 0 && c.model.seq > model.spec->positions) lose(NotCarried::What::Sequence, std::to_string(c.model.seq));
        else set("/model/seq", c.model.seq);
    }

    void carryRecompute()
    {
        const ActivationPolicy policy = m_job->policy;
        const std::string word = recomputeWord(policy);
        if (m_workspace.layout.recompute != word) set("/layout/recompute", word);
        const bool same = policy == ActivationPolicy::None || (policy == ActivationPolicy::Full && m_job->policyLayers == 1 && !m_job->recomputeFirstLayersOnly)
                          || (policy == ActivationPolicy::SelectiveOp && m_framework == "fsdp2") || (policy == ActivationPolicy::SelectiveCore && m_framework == "megatron");
        // Transformers' models make whole blocks again, or nothing.
        if (!same) lose(NotCarried::What::Recompute, word == "selective" && !isForeign(m_framework) ? "none" : word);
    }

    void carryPrecision()
    {
        // FSDP2 reads no ds_config: a precision that is written there stays the workspace's own where the arguments name none.
        if (m_workspace.framework.name == "fsdp2" && !namesType(m_workspace.framework.arguments) && (isOn(m_workspace.dsConfig, "bf16") || isOn(m_workspace.dsConfig, "fp16"))) return;
        for (const auto& [key, precision] : {std::pair{"bf16", Precision::Bf16}, std::pair{"fp16", Precision::Fp16}}) {
            const bool wanted = m_job->precision == precision;
            if (isOn(m_workspace.dsConfig, key) != wanted && (wanted || has(m_workspace.dsConfig, key))) set(std::string("/dsConfig/") + key + "/enabled", wanted);
        }
    }

    void carrySharding()
    {
        const TrainingCase& c = *m_job;
        const int theirs = c.framework == Framework::Fsdp2 ? 3 : c.shardStage > 0 ? c.shardStage : c.distributedOptimizer ? 1 : 0;
        // A stage that is written stands for a job that came from there: looking at another framework and coming back keeps it.
        const bool stays = theirs > 0 && c.shardStage == 0 && m_settings.stage > 0;
        int stage = stays ? m_settings.stage : theirs;
        const bool otherwise = (c.framework == Framework::Fsdp2 && c.replicate > 1) || stage != theirs;
        const bool pipeline = c.pp > 1 && stage > 1 && !isForeign(m_framework);   // DeepSpeed's pipeline takes stages 0 and 1
        if (pipeline) stage = 1;
        set("/dsConfig/zero_optimization/stage", stage);
        carryHostShards(stage);
        carryOptimizer();
        const bool lessThanThat = m_framework == "megatron" && stage > 1;
        const bool moreThanThat = m_framework == "fsdp2" && stage < 3;
        if (otherwise || pipeline || lessThanThat || moreThanThat) lose(NotCarried::What::Sharding, "stage " + std::to_string(lessThanThat ? 1 : moreThanThat ? 3 : stage));
    }

    /// FSDP2's shards on the host: DeepSpeed's optimizer there, and at stage 3 the weights.
    void carryHostShards(int stage)
    {
        if (!shardsOnHost(*m_job)) return;
        if (isForeign(m_framework)) return lose(NotCarried::What::Offload);
        for (const char* section : {"offload_optimizer", "offload_param"})
            if (stage == 3 || (stage > 0 && std::string_view(section) == "offload_optimizer")) set(std::string("/dsConfig/zero_optimization/") + section + "/device", "cpu");
        if (stage != 3) lose(NotCarried::What::Offload);
    }

    /// Their optimizer is an argument, or a default: DeepSpeed takes one from its config, and with none the script has to give it one.
    /// A ds_config that was DeepSpeed's before, and left that to the script, stays as it is.
    void carryOptimizer()
    {
        static const std::map<std::string_view, const char*> kNames{{"adam", "Adam"}, {"adamw", "AdamW"}, {"sgd", "SGD"}, {"muon", "Muon"}, {"lion", "Lion"}, {"adagrad", "Adagrad"}};
        if (isForeign(m_framework) || has(m_workspace.dsConfig, "optimizer") || has(m_workspace.dsConfig, "zero_optimization")) return;
        const auto name = kNames.find(m_job->optimizer);
        if (name != kNames.end()) set("/dsConfig/optimizer", json::object({{"type", name->second}}));
    }

    /// DeepSpeed's job stands in the workspace already: what the next framework does otherwise is told.
    void fromDeepSpeed()
    {
        const DsSettings& s = m_settings;
        const int theirs = m_framework == "fsdp2" ? 3 : std::min(s.stage, 1);
        if (theirs != s.stage && m_job->dp > 1) lose(NotCarried::What::Sharding, "stage " + std::to_string(theirs));
        const bool any = s.offloadOptimizer != OffloadDevice::None || s.offloadParam != OffloadDevice::None;
        if (any && !(m_framework == "fsdp2" && offloadsAll())) lose(NotCarried::What::Offload);
        // Of what nobody named: FSDP2's own default, not DeepSpeed's.
        if (m_framework == "fsdp2" && s.precision != Precision::Bf16 && !namesPrecision(m_workspace)) lose(NotCarried::What::Precision, "bf16");
    }

    /// DeepSpeed's way to what FSDP2 has one switch for.
    [[nodiscard]] bool offloadsAll() const { return m_settings.stage == 3 && m_settings.offloadOptimizer == OffloadDevice::Cpu && m_settings.offloadParam == OffloadDevice::Cpu; }

    void intoArguments()
    {
        if (m_job && m_framework == "fsdp2" && !isForeign(m_workspace.framework.name) && offloadsAll()) m_arguments[kHostShardNames[0]] = true;
        // Some of a job has the same meaning under another name.
        if (m_job && m_job->compiled && m_framework == "fsdp2") m_arguments["compile"] = true;
        if (m_job && m_job->compiled && m_framework == "deepspeed") m_arguments["torch_compile"] = true;
        const Precision computes = m_job ? m_job->products() : m_settings.precision;
        if (m_framework == "fsdp2" && computes != Precision::Bf16 && namesPrecision(m_workspace)) m_arguments["mixed_precision_param"] = computes == Precision::Fp16 ? "float16" : "float32";
        if (m_framework != "megatron") return;
        // Without these Megatron trains in fp32, with dropout and biases: another job than the one planned.
        const json& ds = m_workspace.dsConfig;
        const Precision precision = m_job ? m_job->precision : m_settings.precision;
        m_arguments[precision == Precision::Fp16 || (!m_job && isOn(ds, "fp16")) ? "fp16" : "bf16"] = precision != Precision::Fp32;
        m_arguments["use-distributed-optimizer"] = m_workspace.framework.name == "fsdp2" || m_settings.stage >= 1;
        m_arguments.update(kindArguments(m_workspace));
        const std::int64_t micro = m_job ? m_job->microBatch : m_settings.microBatch;
        const std::int64_t accumulation = m_job ? m_job->microBatches : m_settings.accumulation;
        const std::int64_t ranks = m_job ? m_job->dp : m_workspace.layout.dp;
        m_arguments["micro-batch-size"] = micro;
        m_arguments["global-batch-size"] = micro * accumulation * ranks;
        if (const std::int64_t tp = m_job ? m_job->tp : m_workspace.layout.tp; tp > 1)
            m_arguments["sequence-parallel"] = m_job && m_job->framework == Framework::Fsdp2 ? m_job->sequenceParallel : m_workspace.layout.sequenceParallel;
    }

    /// The arguments whose meaning is nowhere now.
    void tellArguments()
    {
        static const std::set<std::string_view> kCarried{"tp", "pp", "cp", "fsdp", "seq", "local_batch", "global_batch", "mixed_precision_param", "param_dtype", "mixed_precision", "pp_microbatches", "pp_microbatch_size", "pipeline_parallel_microbatch_size", "ac", "ac_every", "compile", "torch_compile", "replicate",
                                                         "tensor-model-parallel-size", "pipeline-model-parallel-size", "context-parallel-size", "expert-model-parallel-size", "micro-batch-size",
                                                         "global-batch-size", "sequence-parallel", "bf16", "fp16", "use-distributed-optimizer", "recompute-activations", "recompute-granularity",
                                                         "recompute-method", "recompute-num-layers"};
        const json& arguments = m_workspace.framework.arguments;
        if (!arguments.is_object()) return;
        std::string names;
        for (const auto& [key, value] : arguments.items()) {
            const bool ofModel = m_workspace.framework.name == "megatron" && std::find(kModelArguments.begin(), kModelArguments.end(), key) != kModelArguments.end();
            const bool compiled = key == "compile" || key == "torch_compile";
            const bool host = std::find(kHostShardNames.begin(), kHostShardNames.end(), key) != kHostShardNames.end();
            const bool kept = compiled ? m_arguments.contains("compile") || m_arguments.contains("torch_compile") || value == json(false) : host || kCarried.contains(key) || ofModel;
            if (!kept) names += (names.empty() ? "" : ", ") + key;
        }
        if (!names.empty()) lose(NotCarried::What::Arguments, names);
    }

    const Workspace& m_workspace;
    const std::string& m_framework;
    json m_arguments;
    DsSettings m_settings;
    std::optional<TrainingCase> m_job;
    BehaviourChange m_change;
};

}  // namespace

BehaviourChange changeBehaviour(const Workspace& workspace, const std::string& framework)
{
    return Change(workspace, framework).make();
}

std::vector<WorkspaceEdit> behaviourEdits(const Workspace& workspace, const std::string& framework)
{
    return changeBehaviour(workspace, framework).edits;
}

bool modelIsInArguments(const Workspace& workspace)
{
    if (workspace.framework.name != "megatron") return false;
    const std::string first = modelArgumentOf(workspace.framework.arguments);
    // The length of a position table stands last, and says nothing of a model that has none.
    return !first.empty() && (!first.starts_with("max") || (workspace.model.spec && workspace.model.spec->positions > 0));
}

Workspace withModelArgumentsAlone(const Workspace& workspace)
{
    Workspace alone = workspace;
    json& arguments = alone.framework.arguments;
    if (!arguments.is_object()) return alone;
    for (auto it = arguments.begin(); it != arguments.end();) {
        std::string name = it.key();
        std::replace(name.begin(), name.end(), '_', '-');
        it = std::find(kModelArguments.begin(), kModelArguments.end(), name) != kModelArguments.end() ? std::next(it) : arguments.erase(it);
    }
    return alone;
}

std::vector<WorkspaceEdit> modelArgumentEdits(const Workspace& now, const Workspace& next)
{
    std::vector<WorkspaceEdit> edits;
    const json& arguments = now.framework.arguments;
    if (now.framework.name != "megatron" || !arguments.is_object()) return edits;
    const json kind = kindArguments(next);
    for (const char* key : kModelArguments) {
        const std::string pointer = std::string("/framework/arguments/") + key;
        if (kind.contains(key)) edits.push_back({pointer, kind[key].dump()});
        else if (arguments.contains(key)) edits.push_back({pointer, {}});
    }
    return edits;
}

}  // namespace stagecraft
