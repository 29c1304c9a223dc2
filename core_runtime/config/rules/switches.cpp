// SPDX-License-Identifier: GPL-3.0-or-later
// Switches of the sections read by hand (R16): DeepSpeed asks Python whether the value is true, and every text but the empty one is.
#include "config/rules/judge.h"

#include "config/rules/coercion.h"

#include <array>

namespace stagecraft::rules {

namespace {

/// Switches that have no default of their own in a release's facts.
constexpr std::array kOfParameters{
    std::string_view("/optimizer/params/torch_adam"), std::string_view("/optimizer/params/adam_w_mode"), std::string_view("/optimizer/params/nesterov"),
    std::string_view("/optimizer/params/amsgrad"),    std::string_view("/optimizer/params/maximize"),    std::string_view("/optimizer/params/fp32_optimizer_states"),
    std::string_view("/scheduler/params/cycle_momentum")};

/// Sections that DeepSpeed converts when it parses them, in this release: what a text becomes there is told with their other values.
bool converted(const ReleaseFacts& facts, const std::string& pointer)
{
    const std::size_t end = pointer.find('/', 1);
    return end != std::string::npos && facts.sectionModel(pointer.substr(1, end - 1)) != nullptr;
}

void tellSwitch(Judge& judge, const std::string& pointer)
{
    const ConfigValue* value = &judge.root;
    for (const std::string& token : pointerTokens(pointer).value_or(std::vector<std::string>())) {
        value = value == nullptr ? nullptr : value->find(token);
    }
    if (value == nullptr || !value->isString() || value->text.empty() || judge.settled(pointer)) {
        return;
    }
    const std::string word = switchMeant(*value);
    if (CheckFinding* finding = judge.change(CheckLevel::Parse, "R16", "R16.truth", pointer, "true", {{"key", pointer.substr(pointer.rfind('/') + 1)}, {"value", toJson(*value)}})) {
        finding->fix = patchReplace(pointer, word.empty() ? "true" : word);  // of a text that spells neither, what it acts as
        finding->safe = word == "true";
    }
}

}  // namespace

void tellSwitches(Judge& judge)
{
    for (const auto& [pointer, value] : judge.facts.defaults) {
        if (value.isBool() && !converted(judge.facts, pointer)) {
            tellSwitch(judge, pointer);
        }
    }
    for (const std::string_view pointer : kOfParameters) {
        tellSwitch(judge, std::string(pointer));
    }
}

}  // namespace stagecraft::rules
