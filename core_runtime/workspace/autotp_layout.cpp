// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/autotp_layout.h"

#include <nlohmann/json.hpp>

namespace stagecraft {

using nlohmann::json;

bool trainsMegatronCode(const Workspace& w)
{
    const json& arguments = w.framework.arguments;
    if (!arguments.is_object() || !arguments.contains("model_code")) return false;
    const json& code = arguments["model_code"];
    return code == json("megatron") || code == json("gpt-neox") || code == json("neox");
}

std::int64_t batchRanks(const Workspace& w, std::int64_t dp, std::int64_t tp, std::int64_t pp)
{
    const bool autoTp = tp > 1 && pp == 1 && w.framework.name == "deepspeed" && !trainsMegatronCode(w);
    return autoTp ? dp * tp : dp;
}

std::int64_t batchRanks(const Workspace& w) { return batchRanks(w, w.layout.dp, w.layout.tp, w.layout.pp); }

std::optional<std::int64_t> autoTpSize(const Workspace& w)
{
    static const json::json_pointer kKey("/tensor_parallel/autotp_size");
    if (w.framework.name != "deepspeed" || !w.dsConfig.is_object() || !w.dsConfig.contains(kKey) || !w.dsConfig[kKey].is_number_integer() || trainsMegatronCode(w)) return std::nullopt;
    return w.dsConfig[kKey].get<std::int64_t>();
}

std::optional<std::int64_t> sequenceSize(const Workspace& w)
{
    if (w.framework.name != "deepspeed" || !w.dsConfig.is_object()) return std::nullopt;
    const auto said = w.dsConfig.find("sequence_parallel_size");
    if (said == w.dsConfig.end() || !said->is_number_integer() || said->get<std::int64_t>() < 1) return std::nullopt;
    return said->get<std::int64_t>();
}

namespace {

/// deepspeed/module_inject's automatic expert parallelism, 0.19 and later.
std::int64_t expertSize(const Workspace& w)
{
    const auto section = w.dsConfig.find("expert_parallel");
    if (section == w.dsConfig.end() || !section->is_object() || section->value("enabled", json()) != json(true) || !section->value("autoep_size", json()).is_number_integer()) return 1;
    return section->at("autoep_size").get<std::int64_t>();
}

}  // namespace

std::optional<ConfigLayout> configLayout(const Workspace& w)
{
    if (w.framework.name != "deepspeed" || !w.dsConfig.is_object() || w.layout.pp != 1) return std::nullopt;
    ConfigLayout divided{w.layout, {}};
    LayoutSection& layout = divided.layout;
    const auto told = [&](const char* key) { divided.keys += (divided.keys.empty() ? "" : ", ") + std::string(key); };
    const auto takes = [&](std::int64_t size, int& degree) {
        if (size < 2 || degree != 1 || layout.dp % size != 0) return false;
        degree = static_cast<int>(size);
        layout.dp /= degree;
        return true;
    };
    if (takes(autoTpSize(w).value_or(1), layout.tp)) told("tensor_parallel.autotp_size");
    if (takes(sequenceSize(w).value_or(1), layout.cp)) told("sequence_parallel_size");
    // Experts are divided over ranks that are data-parallel for the rest.
    if (const std::int64_t experts = expertSize(w); experts > 1 && layout.ep == 1 && (std::int64_t{layout.dp} * layout.cp) % experts == 0) {
        layout.ep = static_cast<int>(experts);
        told("expert_parallel.autoep_size");
    }
    return divided.keys.empty() ? std::nullopt : std::optional(divided);
}

}  // namespace stagecraft
