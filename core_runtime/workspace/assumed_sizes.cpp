// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/assumed_sizes.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

const std::vector<std::string_view>& demoWorkspaceFiles();

AssumedSizes assumedSizes(const nlohmann::json& workspace)
{
    static const nlohmann::json kDemo = nlohmann::json::parse(demoWorkspaceFiles().front());
    // Whoever chooses hardware says how many nodes: that tells it from this, though it be the same.
    static const nlohmann::json kHardware{{"devicesPerNode", 1}, {"device", "H100-SXM-80GB"}}, kFramework{{"name", "deepspeed"}};
    const auto section = [&](const char* name) { return workspace.is_object() ? workspace.value(name, nlohmann::json()) : nlohmann::json(); };
    // An import may have put the ds_config into it. The demo that somebody opened is no assumption.
    if (section("framework") != kFramework || section("name") == kDemo.at("name")) return {};
    // Nobody means the demo's little model on a GPU; on this machine's CPU it is the demo.
    const nlohmann::json hardware = section("hardware");
    if (!hardware.is_object() || hardware.value("device", nlohmann::json()) == nlohmann::json("cpu")) return {};
    nlohmann::json layout = kDemo.at("layout");
    layout["dp"] = 1;
    const bool one = hardware == kHardware;
    // An import knows how long the samples are, of whatever model.
    nlohmann::json model = section("model");
    if (model.is_object() && model.contains("seq")) model["seq"] = kDemo.at("model").at("seq");
    return {model == kDemo.at("model"), one, one && section("layout") == layout};
}

}  // namespace stagecraft
