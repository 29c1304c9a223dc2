// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/expert_targets.h"

#include "planner/module_names.h"

#include <algorithm>
#include <array>
#include <span>

namespace stagecraft {

namespace {

enum class Parameter { Router, GateUp, Down };

struct Name {
    std::string_view before;
    Parameter parameter;
};

// _MOE_TARGET_MODULE_MAPPING and _MODEL_TO_CONVERSION_PATTERN.
constexpr std::array<Name, 4> kMixtral{{{"gate", Parameter::Router}, {"w1", Parameter::GateUp}, {"w3", Parameter::GateUp}, {"w2", Parameter::Down}}};
constexpr std::array<Name, 4> kQwen{{{"gate", Parameter::Router}, {"gate_proj", Parameter::GateUp}, {"up_proj", Parameter::GateUp}, {"down_proj", Parameter::Down}}};

std::span<const Name> namesOf(std::string_view modelType)
{
    if (modelType == "mixtral") return kMixtral;
    // Qwen2-MoE itself is no key of the table that names its kin: PEFT converts nothing for it.
    for (const std::string_view like : {"qwen3_moe", "deepseek_v2", "deepseek_v3"})
        if (modelType == like) return kQwen;
    return {};
}

const Name* findName(std::string_view modelType, std::string_view name)
{
    const std::span<const Name> names = namesOf(modelType);
    const auto found = std::find_if(names.begin(), names.end(), [&](const Name& each) { return each.before == lastPart(name); });
    return found == names.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::string_view> expertNames(std::string_view modelType)
{
    std::vector<std::string_view> names;
    for (const Name& each : namesOf(modelType)) names.push_back(each.before);
    return names;
}

bool packsExperts(std::string_view modelType, std::string_view release)
{
    return !release.empty() && release < "2026-01" && (modelType == "qwen2_moe" || !namesOf(modelType).empty());
}

ExpertTargets expertTargets(std::string_view modelType, const AdapterSection& adapter, const std::vector<std::string>& names)
{
    ExpertTargets targets;
    const std::span<const Name> known = namesOf(modelType);
    targets.converts = !known.empty();
    if (names.empty()) {
        targets.router = targets.gateUp = targets.down = targets.converts && adapter.mlp;
        return targets;
    }
    std::vector<std::string_view> pair;
    for (const std::string& name : names) {
        const Name* found = findName(modelType, name);
        if (!found) targets.modules.push_back(name);
        else if (found->parameter == Parameter::Router) targets.router = true;
        else if (found->parameter == Parameter::Down) targets.down = true;
        else pair.push_back(found->before);
    }
    for (const Name& each : known) {
        if (each.parameter != Parameter::GateUp || pair.empty()) continue;
        (std::find(pair.begin(), pair.end(), each.before) != pair.end() ? targets.present : targets.missing).emplace_back(each.before);
    }
    targets.gateUp = !pair.empty() && targets.missing.empty();
    if (targets.missing.empty()) targets.present.clear();
    return targets;
}

}  // namespace stagecraft
