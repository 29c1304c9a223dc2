// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/resume_settings.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace stagecraft {

using nlohmann::json;

namespace {

/// A setting of scalars["model"] that no shape tells. Heads make another network of the same tensors; the others are changed on
/// purpose now and then: a longer context, less dropout for the end.
struct ModelSetting {
    const char* name;
    bool refuses;
};
constexpr ModelSetting kModelSettings[] = {{"heads", true},         {"kvHeads", true}, {"headSize", true},          {"normEps", false},          {"ropeTheta", false},
                                           {"ropeScaling", false}, {"seq", false},    {"embeddingDropout", false}, {"attentionDropout", false}, {"residualDropout", false}};

/// The last part of a path: a project that is moved has the same data. That a file is another one, its length tells.
std::string nameOf(const std::string& source)
{
    const std::filesystem::path path(source);
    return (path.has_filename() ? path : path.parent_path()).filename().string();
}

json scalingOf(const RotaryScaling& scaling)
{
    if (scaling.kind == RotaryScaling::Kind::None) return nullptr;
    if (scaling.kind == RotaryScaling::Kind::Linear) return {{"kind", "linear"}, {"factor", scaling.factor}};
    return {{"kind", "llama3"}, {"factor", scaling.factor}, {"low", scaling.lowFrequencyFactor}, {"high", scaling.highFrequencyFactor}, {"positions", scaling.originalPositions}};
}

}  // namespace

json resumeSettings(const Workspace& workspace, std::int64_t trainBatch, std::int64_t tokens)
{
    const ModelSpec& model = *workspace.model.spec;
    return {{"seed", workspace.training.seed},
            {"dataSeed", workspace.data.seed},
            {"data", {{"source", nameOf(workspace.data.source)}, {"tokenizer", workspace.data.tokenizer}, {"order", workspace.data.sequential ? "sequential" : "shuffled"}, {"validationFraction", workspace.data.validationFraction}, {"tokens", tokens}}},
            {"trainBatch", trainBatch},
            {"model",
             {{"heads", model.heads}, {"kvHeads", model.kvHeads}, {"headSize", model.headSize}, {"normEps", model.normEps}, {"ropeTheta", model.ropeTheta}, {"ropeScaling", scalingOf(model.ropeScaling)},
              {"seq", model.seq}, {"embeddingDropout", model.embeddingDropout}, {"attentionDropout", model.attentionDropout}, {"residualDropout", model.residualDropout}}}};
}

std::vector<SettingsChange> settingsChanged(const json& before, const json& now)
{
    std::vector<SettingsChange> changes;
    const auto differ = [](const json& a, const json& b, const char* name) { return a.is_object() && b.is_object() && a.contains(name) && b.contains(name) && a[name] != b[name]; };
    const auto told = [&](const char* name, const json& a, const json& b, const char* more = "") {
        return fmt::format("The checkpoint was trained with {} {}, this run goes on with {}{}", name, a[name].dump(-1, ' ', false, json::error_handler_t::replace), b[name].dump(), more);
    };
    if (!before.is_object() || !now.is_object()) return changes;
    for (const auto& [name, pointer] : {std::pair{"seed", "/training/seed"}, std::pair{"dataSeed", "/data/seed"}})
        if (differ(before, now, name)) changes.push_back({false, pointer, told(name, before, now)});
    constexpr const char* kShifts = ": the data is counted in steps of the new size, so that some of it comes again or is left out";
    if (differ(before, now, "trainBatch")) changes.push_back({false, "/dsConfig/train_batch_size", told("trainBatch", before, now, kShifts)});
    if (before.contains("data") && now.contains("data")) {
        constexpr const char* kOtherData = ": which samples were trained on, and which only evaluated, is counted in the other data";
        for (const char* name : {"source", "tokenizer", "order", "validationFraction", "tokens"})
            if (const json &a = before["data"], &b = now["data"]; differ(a, b, name)) changes.push_back({false, name == std::string_view("tokens") ? "/data/source" : std::string("/data/") + name, told(name, a, b, kOtherData)});
    }
    if (!before.contains("model") || !now.contains("model")) return changes;
    for (const ModelSetting& setting : kModelSettings) {
        const json &a = before["model"], &b = now["model"];
        if (!differ(a, b, setting.name)) continue;
        const std::string pointer = std::string("/model/") + setting.name;
        if (setting.refuses)
            changes.push_back({true, pointer, fmt::format("Cannot continue from this checkpoint: it is of another model, with {} {} where this one has {}; give the workspace the model of that run, or begin anew with --resume no", setting.name, a[setting.name].dump(-1, ' ', false, json::error_handler_t::replace), b[setting.name].dump())});
        else
            changes.push_back({false, pointer, told(setting.name, a, b, setting.name == std::string_view("seq") ? kShifts : "")});
    }
    return changes;
}

}  // namespace stagecraft
