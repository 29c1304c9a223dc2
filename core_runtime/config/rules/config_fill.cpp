// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/config_fill.h"

#include <algorithm>
#include <string_view>

namespace stagecraft::rules {

const TrainerValue* ConfigFill::argument(const char* name) const
{
    const auto found = m_context.trainer.find(name);
    return found == m_context.trainer.end() ? nullptr : &found->second;
}

std::int64_t ConfigFill::integer(const char* name, std::int64_t fallback) const
{
    const TrainerValue* value = argument(name);
    if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) {
        return std::get<std::int64_t>(*value);
    }
    constexpr double kMost = 1e15;  // whole numbers up to there are exact
    return value != nullptr && std::holds_alternative<double>(*value) ? static_cast<std::int64_t>(std::clamp(std::get<double>(*value), -kMost, kMost)) : fallback;
}

bool ConfigFill::flag(const char* name) const
{
    const TrainerValue* value = argument(name);
    return value != nullptr && std::holds_alternative<bool>(*value) && std::get<bool>(*value);
}

ConfigValue ConfigFill::number(const char* name, double fallback) const
{
    const TrainerValue* value = argument(name);
    if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) {
        return ConfigValue::ofInt(std::get<std::int64_t>(*value));
    }
    return ConfigValue::ofFloat(value != nullptr && std::holds_alternative<double>(*value) ? std::get<double>(*value) : fallback);
}

std::string ConfigFill::word(const char* name) const
{
    const TrainerValue* value = argument(name);
    return value != nullptr && std::holds_alternative<std::string>(*value) ? std::get<std::string>(*value) : std::string();
}

ConfigValue* ConfigFill::find(Path path)
{
    ConfigValue* at = &m_document;
    for (const char* key : path) {
        // Of a key that stands there twice json.load keeps the last.
        const auto member = std::find_if(at->members.rbegin(), at->members.rend(), [&](const ConfigMember& each) { return each.key == key; });
        if (member == at->members.rend()) {
            return nullptr;
        }
        at = &member->value;
    }
    return at;
}

void ConfigFill::addFormat(const char* name, bool on)
{
    if (m_document.find(name) != nullptr) {
        return;
    }
    ConfigValue section = ConfigValue::ofObject();
    section.set("enabled", ConfigValue::ofBool(on));
    if (on && std::string_view(name) == "fp16") {
        section.set("auto_cast", ConfigValue::ofBool(true));
    }
    m_document.set(name, std::move(section));
}

void ConfigFill::refuseNoSection(Path path, const std::string& fix)
{
    const ConfigValue* value = find(path);
    if (value != nullptr) {
        m_judge.refuse(CheckLevel::Parse, "R107", "R107.section", pointer(path), {{"key", lastKey(path)}, {"value", toJson(*value)}, {"who", m_context.launcher == CheckLauncher::Transformers ? "transformers" : "accelerate"}}, fix);
    }
}

void ConfigFill::lookUpZero()
{
    ConfigValue* zero = find({"zero_optimization"});
    if (zero == nullptr) {
        m_judge.refuse(CheckLevel::Parse, "R107", "R107", "", {}, patchAdd("/zero_optimization", R"({"stage": 2})"));
        return;
    }
    if (zero->isBool()) {  // any other type DeepSpeed refuses too
        const int stage = zero->boolean ? 1 : 0;
        refuseNoSection({"zero_optimization"}, patchReplace("/zero_optimization", "{\"stage\": " + std::to_string(stage) + "}"));
        *zero = ConfigValue::ofObject();
        zero->set("stage", ConfigValue::ofInt(stage));
        return;
    }
    if (m_context.launcher != CheckLauncher::Transformers) {
        return;  // accelerate itself refuses each "auto" that it does not fill, with words of its own
    }
    for (const char* block : {"offload_optimizer", "offload_param"}) {
        if (const ConfigValue* offload = find({"zero_optimization", block}); offload != nullptr && offload->isString("auto")) {
            refuseNoSection({"zero_optimization", block}, patchRemove(pointer({"zero_optimization", block})));
            drop({"zero_optimization", block});
        }
    }
}

void ConfigFill::drop(Path path)
{
    const std::string key = lastKey(path);
    ConfigValue* holder = &m_document;
    for (const char* const* step = path.begin(); step + 1 != path.end() && holder != nullptr; ++step) {
        const auto member = std::find_if(holder->members.begin(), holder->members.end(), [&](const ConfigMember& each) { return each.key == *step; });
        holder = member == holder->members.end() ? nullptr : &member->value;
    }
    if (holder != nullptr) {
        std::erase_if(holder->members, [&](const ConfigMember& each) { return each.key == key; });
    }
}

std::string ConfigFill::pointer(Path path)
{
    std::string text;
    for (const char* key : path) {
        text += "/" + std::string(key);
    }
    return text;
}

}  // namespace stagecraft::rules
