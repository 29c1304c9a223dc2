// SPDX-License-Identifier: GPL-3.0-or-later
// A fix that moves a value to the key that was meant makes it act: whether it can is tried, as nothing else tells.
#include "config/rules/judge.h"

#include "config/hjson_reader.h"

#include <algorithm>

namespace stagecraft::rules {

namespace {

/// Trials of one check: each judges the config once more.
constexpr int kMostTrials = 8;

/// The parent object of `pointer` in `document`, and the key in it; null where there is none.
std::pair<ConfigValue*, std::string> placeIn(ConfigValue& document, const std::string& pointer)
{
    ConfigValue* parent = &document;
    std::size_t from = 0;
    while (true) {
        const std::size_t to = pointer.find('/', from + 1);
        std::string token = unescaped(pointer.substr(from + 1, to == std::string::npos ? to : to - from - 1));
        if (to == std::string::npos) {
            return {parent->isObject() ? parent : nullptr, std::move(token)};
        }
        const auto next = std::find_if(parent->members.begin(), parent->members.end(), [&](const ConfigMember& m) { return m.key == token; });
        if (next == parent->members.end()) {
            return {nullptr, {}};
        }
        parent = &next->value;
        from = to;
    }
}

/// Moves what stands at `from` to `to`; false where either has no place.
bool moveValue(ConfigValue& document, const std::string& from, const std::string& to)
{
    const auto [source, key] = placeIn(document, from);
    if (source == nullptr) {
        return false;
    }
    const auto member = std::find_if(source->members.begin(), source->members.end(), [&, name = key](const ConfigMember& m) { return m.key == name; });
    if (member == source->members.end()) {
        return false;
    }
    ConfigValue value = std::move(member->value);
    source->members.erase(member);
    const auto [target, name] = placeIn(document, to);
    if (target == nullptr) {
        return false;
    }
    target->set(name, std::move(value));
    return true;
}

int reach(const CheckAnswer& answer)
{
    return answer.level.has_value() ? static_cast<int>(*answer.level) : 4;
}

bool refusedAt(const CheckAnswer& answer, const std::string& place)
{
    return std::any_of(answer.findings.begin(), answer.findings.end(), [&](const CheckFinding& finding) {
        return finding.severity == CheckSeverity::Error && (finding.pointer == place || finding.pointer.starts_with(place + "/"));
    });
}

}  // namespace

void replaceFixesThatHarm(const ConfigValue& document, const std::function<CheckAnswer(ConfigValue)>& judge, CheckAnswer& answer)
{
    int trials = 0;
    for (CheckFinding& finding : answer.findings) {
        if (!finding.fix.starts_with(R"([{"op": "move")")) {
            continue;
        }
        if (++trials > kMostTrials) {
            return;
        }
        const ReadText patch = readStrictJson(finding.fix);
        const ConfigValue* from = patch.root.items.empty() ? nullptr : patch.root.items[0].find("from");
        const ConfigValue* to = patch.root.items.empty() ? nullptr : patch.root.items[0].find("path");
        ConfigValue moved = document;
        if (from == nullptr || to == nullptr || !moveValue(moved, from->text, to->text)) {
            continue;
        }
        const CheckAnswer after = judge(std::move(moved));
        if (reach(after) < reach(answer) || refusedAt(after, to->text)) {
            // What belongs into another section was meant, and is not taken out unasked.
            const auto section = [](const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); };
            finding.fix = patchRemove(finding.pointer);
            finding.safe = finding.effect == CheckEffect::Ignored && section(from->text) == section(to->text);
        }
    }
}

}  // namespace stagecraft::rules
