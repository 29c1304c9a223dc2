// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/autotp_plans.h"

#include "planner/training_case.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace stagecraft {

AutoTpAnswer autoTpAnswer(std::string_view modelType)
{
    // moe_tp_experts, packed_colwise and packed_rowwise of packed experts; mla_kv_a_proj; rowwise_split_input of joined or normed projections.
    static constexpr std::string_view kPlans[] = {"mixtral", "qwen2_moe", "qwen3_moe", "phi3", "olmo2", "olmoe", "granitemoe", "deepseek_v2", "deepseek_v3", "glm", "glm4", "llama4_text", "minimax", "phimoe", "jamba"};
    if (std::find(std::begin(kPlans), std::end(kPlans), modelType) != std::end(kPlans)) return AutoTpAnswer::RefusesPlan;
    // Its Conv1D modules are no linear ones, which alone are divided.
    return modelType == "gpt2" ? AutoTpAnswer::RefusesModel : AutoTpAnswer::Divides;
}

std::string transformersType(const Workspace& w)
{
    const nlohmann::json& config = w.model.huggingFaceConfig;
    if (config.is_object() && config.contains("model_type") && config["model_type"].is_string()) return config["model_type"].get<std::string>();
    return w.model.spec && w.model.spec->family == Family::Gpt2 ? "gpt2" : "";
}

AutoTpAnswer autoTpAnswer(const Workspace& w)
{
    const auto says = [&](const char* key) { return w.dsConfig.is_object() && w.dsConfig.contains(nlohmann::json::json_pointer(std::string("/tensor_parallel/") + key)); };
    return says("partition_config") || says("preset_model") ? AutoTpAnswer::Divides : autoTpAnswer(transformersType(w));
}

void settleAutoTpTables(const Workspace& w, TrainingCase& c)
{
    const nlohmann::json& config = w.model.huggingFaceConfig;
    const std::string type = config.is_object() && config.contains("model_type") && config["model_type"].is_string() ? config["model_type"].get<std::string>() : "";
    const bool planned = c.model.rmsNorm && type != "gemma" && type != "gemma2";
    const nlohmann::json::json_pointer asked("/tensor_parallel/vocab_parallel_lm_head");
    const bool said = w.dsConfig.is_object() && w.dsConfig.contains(asked) && w.dsConfig[asked].is_boolean();
    c.lossParallel = said ? w.dsConfig[asked].get<bool>() : c.model.tied && planned;
    c.embeddingParallel = c.model.tied && c.lossParallel;
}

}  // namespace stagecraft
