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

std::optional<LayoutSection> autoTpLayout(const Workspace& w)
{
    const std::optional<std::int64_t> size = autoTpSize(w);
    if (!size || *size < 2 || w.layout.tp != 1 || w.layout.pp != 1 || w.layout.dp % *size != 0) return std::nullopt;
    LayoutSection divided = w.layout;
    divided.tp = static_cast<int>(*size);
    divided.dp = w.layout.dp / divided.tp;
    return divided;
}

}  // namespace stagecraft
