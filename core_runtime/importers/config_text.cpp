// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/config_text.h"

#include "config/finding_text.h"
#include "config/hjson_reader.h"

#include <algorithm>

namespace stagecraft {

namespace {

bool plain(const ConfigValue& value) { return !value.isObject() && !value.isList(); }

void collect(const ConfigValue& value, std::string& pointer, std::vector<std::string>& found)
{
    if (value.isString("auto")) found.push_back(pointer);
    const std::size_t length = pointer.size();
    const auto below = [&](const std::string& token, const ConfigValue& child) {
        pointer += "/" + pointerToken(token);
        collect(child, pointer, found);
        pointer.resize(length);
    };
    for (const ConfigMember& member : value.members) below(member.key, member.value);
    for (std::size_t i = 0; i < value.items.size(); ++i) below(std::to_string(i), value.items[i]);
}

}  // namespace

std::string prettyJson(const ConfigValue& value, int depth)
{
    const std::string inner(static_cast<std::size_t>(depth + 1) * 2, ' ');
    const std::string outer(static_cast<std::size_t>(depth) * 2, ' ');
    std::string out;
    if (value.isObject() && !value.members.empty()) {
        for (const ConfigMember& member : value.members) out += (out.empty() ? "{\n" : ",\n") + inner + quoteJson(member.key) + ": " + prettyJson(member.value, depth + 1);
        return out + "\n" + outer + "}";
    }
    if (value.isList() && !std::all_of(value.items.begin(), value.items.end(), plain)) {
        for (const ConfigValue& item : value.items) out += (out.empty() ? "[\n" : ",\n") + inner + prettyJson(item, depth + 1);
        return out + "\n" + outer + "]";
    }
    if (value.isList()) {
        for (const ConfigValue& item : value.items) out += (out.empty() ? "" : ", ") + toJson(item);
        return "[" + out + "]";
    }
    return toJson(value);
}

void setAt(ConfigValue& root, std::string_view pointer, ConfigValue value)
{
    const auto tokens = pointerTokens(pointer);
    if (!tokens.has_value() || tokens->empty()) return;
    ConfigValue* at = &root;
    for (std::size_t i = 0; i + 1 < tokens->size(); ++i) {
        ConfigValue* next = nullptr;
        for (ConfigMember& member : at->members) {
            if (member.key == (*tokens)[i]) next = &member.value;
        }
        if (next == nullptr || !next->isObject()) {
            at->set((*tokens)[i], ConfigValue::ofObject());
            for (ConfigMember& member : at->members) {
                if (member.key == (*tokens)[i]) next = &member.value;
            }
        }
        at = next;
    }
    at->set(tokens->back(), std::move(value));
}

const ConfigValue* valueAt(const ConfigValue& root, std::string_view pointer)
{
    const auto tokens = pointerTokens(pointer);
    if (!tokens.has_value()) return nullptr;
    const ConfigValue* at = &root;
    for (const std::string& token : *tokens) {
        if (at != nullptr) at = at->find(token);
    }
    return at;
}

std::vector<CheckFinding> errorsOfFile(const std::string& text, CheckContext context)
{
    const ReadText read = readHjson(text);
    const bool fills = !read.problem.has_value() && !autoPointers(read.root).empty();
    if (fills && !fillsAuto(context.launcher)) context.launcher = CheckLauncher::Transformers;
    const std::string assumed = rules::messageText(context.language, "ranks.assumed", {});
    auto answer = checkConfig(text, context);
    if (!answer.hasValue()) return {};
    std::erase_if(answer->findings, [&](const CheckFinding& finding) {
        const bool ofFile = finding.level == CheckLevel::Load || finding.level == CheckLevel::Parse || !finding.pointer.empty();
        return finding.severity != CheckSeverity::Error || !ofFile || (fills && finding.rule == "R105") || finding.message.ends_with(assumed);
    });
    return std::move(answer->findings);
}

std::vector<std::string> autoPointers(const ConfigValue& root)
{
    std::vector<std::string> found;
    std::string pointer;
    collect(root, pointer, found);
    return found;
}

}  // namespace stagecraft
