// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/word_doubts.h"

#include "importers/launch_command.h"

#include <algorithm>

namespace stagecraft {

namespace {

using Kind = ShellDoubt::Kind;

std::string alternatives(const ImportDraft& draft, const std::vector<ShellAlternative>& values)
{
    std::string out;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const ShellAlternative& value = values[i];
        if (i > 0) out += i + 1 < values.size() ? draft.say(", ", "、") : draft.say(" or ", " 或 ");
        out += value.text.find_first_not_of(' ') == std::string::npos ? draft.say("nothing", "空") : value.text;
        if (value.line > 0) out += draft.say(" (line {0})", "（第 {0} 行）", {std::to_string(value.line)});
    }
    return out;
}

/// $NAME, or "the script's arguments" where they decide.
std::string outsideName(const ImportDraft& draft, const std::string& name)
{
    return name == "@" || name == "1" || name == "#" ? draft.say("an argument of the script", "脚本的参数") : "$" + name;
}

}  // namespace

std::string whyUnknown(const ImportDraft& draft, const ShellWord& word)
{
    for (const ShellDoubt& doubt : word.doubts) {
        if (doubt.kind == Kind::Branch && !doubt.values.empty()) return draft.say(" (${0} is {1}: only the running script knows which branch it takes)", "（${0} 为 {1}：只有脚本运行时才知道走哪个分支）", {doubt.name, alternatives(draft, doubt.values)});
        if (doubt.kind == Kind::Loop && !doubt.values.empty()) return draft.say(" (${0} is {1} in turn)", "（${0} 依次为 {1}）", {doubt.name, alternatives(draft, doubt.values)});
        if (doubt.kind == Kind::Loop) return draft.say(" (${0} changes from round to round of a loop)", "（${0} 在循环中逐轮变化）", {doubt.name});
    }
    return {};
}

ConfigValue shownValue(const ShellWord& word) { return ConfigValue::ofString(word.known ? word.text : word.shown); }

std::string unknownNames(const ShellWord& word)
{
    std::string names;
    for (const ShellDoubt& doubt : word.doubts) {
        const std::string name = doubt.name.empty() ? "$(...)" : "$" + doubt.name;
        if (doubt.kind != Kind::Default && names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
    }
    return names;
}

bool isOpen(const ShellWord& word) { return !word.known && word.text.empty(); }

void leaveOpen(ImportDraft& draft, const std::string& name, const std::string& option, const ShellWord& value)
{
    draft.leaveOpen(name, option);
    const bool argument = findTrainerArgument(name) != nullptr;
    draft.note(TransferKind::Warning, option, value.line, shownValue(value), "", !argument ? draft.say("Known only when the script runs{0}.", "只有脚本运行时才知道{0}。", {whyUnknown(draft, value)}) : draft.say("Known only when the script runs{1}: give the value as {0}=...", "只有脚本运行时才知道{1}：用 {0}=... 给出数值。", {name, whyUnknown(draft, value)}));
}

void tellOpenWords(ImportDraft& draft, const ShellWord& word)
{
    std::string names;
    for (const ShellDoubt& doubt : word.doubts) {
        for (const ShellAlternative& value : doubt.values) {
            for (std::size_t at = value.text.find("--"); at != std::string::npos; at = value.text.find("--", at + 2)) {
                if (at > 0 && value.text[at - 1] != ' ') continue;
                const std::string name = optionName(value.text.substr(at, value.text.find_first_of(" =", at) - at));
                const bool argument = findTrainerArgument(name) != nullptr;
                if (!name.empty()) draft.leaveOpen(name, value.text);
                if (argument) names += (names.empty() ? "" : ", ") + name;
            }
        }
    }
    const std::string why = whyUnknown(draft, word);
    draft.note(TransferKind::Warning, shownValue(word).text, word.line, {}, "",
               !names.empty() ? draft.say("What stands here is known only when the script runs{0}: give {1} as NAME=VALUE.", "此处内容只有脚本运行时才知道{0}：用 NAME=VALUE 给出 {1}。", {why, names})
                              : draft.say("What stands here is known only when the script runs{0}; an argument in it counts there and not here.", "此处内容只有脚本运行时才知道{0}；其中的参数只在运行时有效，此处不计入。", {why}));
}

void tellDefaults(ImportDraft& draft, const std::string& key, const ShellWord& word)
{
    std::vector<std::string> outside;
    std::vector<ShellAlternative> others;
    const bool option = word.text.starts_with('-');
    const auto ofOption = [&](const std::string& text) { return option ? text.substr(text.find('=') + 1) : text; };
    for (const ShellDoubt& doubt : word.doubts) {
        if (doubt.kind != Kind::Default) return;  // not known at all, which is told where it is used
        const std::string name = outsideName(draft, doubt.name);
        if (std::find(outside.begin(), outside.end(), name) == outside.end()) outside.push_back(name);
        for (const ShellAlternative& other : doubt.values) {
            const std::string text = ofOption(other.text);
            const bool told = std::any_of(others.begin(), others.end(), [&](const ShellAlternative& one) { return one.text == text; });
            if (!told && !(other.known && other.text == word.text)) others.push_back({text, other.line, other.known});
        }
    }
    if (outside.empty()) return;
    std::string names;
    for (const std::string& name : outside) names += (names.empty() ? "" : ", ") + name;
    const ConfigValue value = word.text.empty() ? ConfigValue() : ConfigValue::ofString(ofOption(word.text));
    draft.note(TransferKind::Warning, key, word.line, value, "",
               others.empty() ? draft.say("A default of the script's own: it holds where {0} is not given from outside.", "脚本自己的默认值：仅在外部没有给出 {0} 时有效。", {names})
                                     : draft.say("Holds where {0} is not given from outside; else the script takes {1}.", "仅在外部没有给出 {0} 时有效；否则脚本使用 {1}。", {names, alternatives(draft, others)}));
}

std::vector<ShellWord> withDefaultsTold(ImportDraft& draft, const std::vector<ShellWord>& words)
{
    std::vector<ShellWord> kept;
    std::string option;
    for (const ShellWord& word : words) {
        const bool names = isOptionWord(word.text);
        if (names) option = word.text.substr(0, word.text.find('='));
        const bool nothing = word.known && word.text.empty() && !word.doubts.empty();
        tellDefaults(draft, nothing || option.empty() ? shownValue(word).text : option, word);
        if (!nothing) kept.push_back(word);
    }
    return kept;
}

std::string optionName(const std::string& option)
{
    std::string name = option.substr(option.find_first_not_of('-') == std::string::npos ? option.size() : option.find_first_not_of('-'));
    name = name.substr(0, name.find('='));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

ShellWord optionValue(const std::vector<ShellWord>& words, std::size_t& at)
{
    const std::size_t equals = words[at].text.find('=');
    if (equals != std::string::npos) return {words[at].text.substr(equals + 1), words[at].line, words[at].known, words[at].doubts, words[at].shown.substr(words[at].shown.find('=') + 1)};
    return at + 1 < words.size() ? words[++at] : ShellWord{};
}

}  // namespace stagecraft
