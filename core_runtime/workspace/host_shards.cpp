// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/host_shards.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace stagecraft {

bool argumentIsOn(const nlohmann::json& value, bool otherwise)
{
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number()) return value.get<double>() != 0;
    if (!value.is_string()) return otherwise;
    std::string text = value.get<std::string>();
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // A switch may name what it switches on: "fp8-format": "hybrid".
    static constexpr std::array<std::string_view, 7> kOff{"", "false", "none", "no", "off", "0", "never"};
    return std::find(kOff.begin(), kOff.end(), text) == kOff.end();
}

std::string hostShardsArgument(const nlohmann::json& arguments)
{
    if (!arguments.is_object()) return {};
    for (std::string name : kHostShardNames) {
        auto found = arguments.find(name);
        if (found == arguments.end()) {
            std::replace(name.begin(), name.end(), '_', '-');
            found = arguments.find(name);
        }
        if (found != arguments.end() && argumentIsOn(*found)) return name;
    }
    return {};
}

}  // namespace stagecraft
