// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/module_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stagecraft {

NameMatch matchName(std::string_view path, std::string_view name, bool anyEnd)
{
    if (name.empty()) return {};
    NameMatch match{true, -1};
    std::size_t i = path.size(), j = name.size();
    while (j > 0) {
        if (i == 0) return {};
        if (i >= 2 && path.substr(i - 2, 2) == "{}") {
            std::size_t digits = 0;
            while (digits < j && name[j - digits - 1] >= '0' && name[j - digits - 1] <= '9') ++digits;
            // A number that is written otherwise ("007") or has more digits than layers can have is the number of none.
            if (digits == 0 || digits > 9 || (digits > 1 && name[j - digits] == '0')) return {};
            match.layer = 0;
            for (const char digit : name.substr(j - digits, digits)) match.layer = 10 * match.layer + (digit - '0');
            i -= 2;
            j -= digits;
            continue;
        }
        if (path[i - 1] != name[j - 1]) return {};
        --i;
        --j;
    }
    if (!anyEnd && i > 0 && path[i - 1] != '.') return {};
    return match;
}

std::vector<std::string_view> modulesAround(std::string_view parameter)
{
    std::vector<std::string_view> modules;
    for (std::size_t dot = parameter.rfind('.'); dot != std::string_view::npos && dot > 0; dot = parameter.rfind('.', dot - 1)) modules.push_back(parameter.substr(0, dot));
    return modules;
}

std::string_view lastPart(std::string_view path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

std::vector<std::string> usualTargets(std::string_view modelType)
{
    // It has such a list for Mixtral too, which it does not look at: a model whose experts it converts has an empty list by then.
    static constexpr std::array<std::string_view, 8> kQueryValue{"llama", "mistral", "opt", "gptj", "gemma", "gemma2", "gemma3_text", "qwen2"};
    if (modelType == "qwen3" || std::find(kQueryValue.begin(), kQueryValue.end(), modelType) != kQueryValue.end()) return {"q_proj", "v_proj"};
    if (modelType == "t5" || modelType == "mt5") return {"q", "v"};
    if (modelType == "bert" || modelType == "roberta" || modelType == "xlm-roberta") return {"query", "value"};
    if (modelType == "gpt2") return {"c_attn"};
    if (modelType == "bloom" || modelType == "gpt_neox" || modelType == "falcon") return {"query_key_value"};
    if (modelType == "phi") return {"q_proj", "v_proj", "fc1", "fc2"};
    return {};
}

}  // namespace stagecraft
