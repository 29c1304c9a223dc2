// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/misplaced.h"

#include <algorithm>
#include <array>

namespace stagecraft::rules {

namespace {

/// Words that mean something else in each section.
constexpr std::array kAnywhere{"enabled", "type", "params", "profile", "name", "device", "debug", "steps", "dtype"};
constexpr std::array kSchedules{"LRRangeTest", "OneCycle", "WarmupLR", "WarmupDecayLR", "WarmupCosineLR"};

bool takes(const SignatureFacts& signature, const std::string& key)
{
    return std::find(signature.takes.begin(), signature.takes.end(), key) != signature.takes.end();
}

bool ofOptimizer(const ReleaseFacts& facts, const std::string& key)
{
    return std::any_of(facts.signatures.begin(), facts.signatures.end(), [&](const auto& entry) {
        const bool schedule = entry.first.starts_with("torch.lr_scheduler.") || std::find(kSchedules.begin(), kSchedules.end(), entry.first) != kSchedules.end();
        return !schedule && takes(entry.second, key);
    });
}

bool ofSchedule(const ReleaseFacts& facts, const std::string& schedule, const std::string& key)
{
    auto found = facts.signatures.find(schedule);
    if (found == facts.signatures.end()) {
        found = facts.signatures.find("torch.lr_scheduler." + schedule);
    }
    return found != facts.signatures.end() && takes(found->second, key);
}

}  // namespace

std::string placeThatReads(const Judge& judge, std::string_view section, const std::string& key)
{
    if (judge.full() || std::find(kAnywhere.begin(), kAnywhere.end(), key) != kAnywhere.end()) {
        return {};
    }
    std::vector<std::string> places;
    const auto typed = [&](const char* name) {
        const ConfigValue* value = judge.root.find(name);
        const ConfigValue* type = value == nullptr ? nullptr : value->find("type");
        return type != nullptr && type->isString();
    };
    if (typed("optimizer") && (section.empty() || section == "/optimizer") && ofOptimizer(judge.facts, key)) {
        places.push_back("/optimizer/params/" + pointerToken(key));
    }
    if (typed("scheduler") && (section.empty() || section == "/scheduler") && ofSchedule(judge.facts, judge.root.find("scheduler")->find("type")->text, key)) {
        places.push_back("/scheduler/params/" + pointerToken(key));
    }
    if (!section.empty()) {
        if (judge.facts.reads("", key)) {
            places.push_back("/" + pointerToken(key));
        }
    } else {
        for (const char* model : {"zero_optimization", "fp16", "bf16"}) {
            const ModelFacts* fields = judge.facts.sectionModel(model);
            if (fields != nullptr ? fields->findField(key) != nullptr : judge.facts.reads("/" + std::string(model), key)) {
                places.push_back("/" + std::string(model) + "/" + pointerToken(key));
            }
        }
        for (const char* name : {"/activation_checkpointing", "/aio", "/flops_profiler", "/data_types"}) {
            if (judge.facts.reads(name, key)) {
                places.push_back(std::string(name) + "/" + pointerToken(key));
            }
        }
    }
    return places.size() == 1 ? places.front() : std::string();
}

std::string moveInto(const Judge& judge, const std::string& at, const std::string& to)
{
    const ConfigValue* above = &judge.root;
    std::string patch, path;
    const auto tokens = pointerTokens(to).value_or(std::vector<std::string>());
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        path += "/" + pointerToken(tokens[i]);
        above = above == nullptr ? nullptr : above->find(tokens[i]);
        if (above != nullptr && !above->isObject()) {
            return patchRemove(at);
        }
        if (above == nullptr) {
            patch += R"({"op": "add", "path": ")" + path + R"(", "value": {}}, )";
        }
    }
    if (tokens.empty() || (above != nullptr && above->find(tokens.back()) != nullptr)) {
        return patchRemove(at);
    }
    return "[" + patch + patchMove(at, to).substr(1);
}

std::string dotted(std::string_view pointer)
{
    std::string out(pointer.substr(pointer.empty() ? 0 : 1));
    std::replace(out.begin(), out.end(), '/', '.');
    return out;
}

}  // namespace stagecraft::rules
