// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/judge.h"

#include "config/hjson_reader.h"

#include <charconv>

namespace stagecraft {

const std::vector<std::string_view>& dsConfigMessageFiles();  // generated from configs/ds_config/messages

void placeFindings(std::string_view text, std::vector<CheckFinding>& findings)
{
    const ReadText read = readHjson(text);
    if (read.problem.has_value()) {
        return;
    }
    for (CheckFinding& finding : findings) {
        const TextPlace place = rules::placeOf(read.root, finding.pointer, rules::Judge::At::Value);
        finding.line = place.line;
        finding.column = place.column;
    }
}

}  // namespace stagecraft

namespace stagecraft::rules {

namespace {

using Messages = std::map<std::string, std::string, std::less<>>;

Messages readMessages(std::string_view file)
{
    Messages messages;
    const ReadText read = readStrictJson(file);
    for (const ConfigMember& member : read.root.members) {
        messages[member.key] = member.value.text;
    }
    return messages;
}

const Messages& english()
{
    static const Messages kEnglish = readMessages(dsConfigMessageFiles()[0]);
    return kEnglish;
}

const Messages& chinese()
{
    static const Messages kChinese = readMessages(dsConfigMessageFiles()[1]);
    return kChinese;
}

/// Words a rule puts into a placeholder itself.
std::string_view placeholderWord(bool isChinese, std::string_view word)
{
    static const std::map<std::string_view, std::string_view> kWords{
        {"an integer", "整数"}, {"a fraction", "小数"}, {"a string", "字符串"}, {"a list", "列表"}, {"an object", "对象"}};
    const auto found = isChinese ? kWords.find(word) : kWords.end();
    return found == kWords.end() ? word : found->second;
}

/// The key a pointer token stands for.
std::string unescaped(std::string token)
{
    for (std::size_t at = token.find('~'); at != std::string::npos && at + 1 < token.size(); at = token.find('~', at + 1)) {
        token.replace(at, 2, token[at + 1] == '1' ? "/" : "~");
    }
    return token;
}

/// Above this many findings a reader has long understood; `ignored` and `changed` stay complete.
constexpr std::size_t kMostFindings = 500;

std::string quoted(const std::string& text)
{
    return toJson(ConfigValue::ofString(text));
}

}  // namespace

int Parsed::stage() const
{
    const ConfigValue* stage = zero.find("stage");
    return stage == nullptr ? 0 : static_cast<int>(stage->asInt());
}

bool Parsed::flag(const ConfigValue& section, std::string_view field) const
{
    const ConfigValue* value = section.find(field);
    return value != nullptr && pythonTruth(*value);
}

std::string Parsed::word(const ConfigValue& section, std::string_view field) const
{
    const ConfigValue* value = section.find(field);
    return value != nullptr && value->isString() ? value->text : std::string();
}

std::string Parsed::offloadDevice(std::string_view block) const
{
    const ConfigValue* offload = zero.find(block);
    return offload == nullptr || !offload->isObject() ? "none" : word(*offload, "device");
}

bool hasMessage(std::string_view id)
{
    return english().find(id) != english().end();
}

std::string messageText(std::string_view language, std::string_view id, const MessageArguments& arguments)
{
    const bool isChinese = language.substr(0, 2) == "zh";
    const Messages& chosen = isChinese ? chinese() : english();
    const auto found = chosen.find(id);
    if (found == chosen.end()) {
        return std::string(id);
    }
    const std::string& text = found->second;
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t open = text.find('{', at);
        const std::size_t close = open == std::string::npos ? open : text.find('}', open);
        if (close == std::string::npos) {
            break;
        }
        const std::string_view name = std::string_view(text).substr(open + 1, close - open - 1);
        bool filled = false;
        for (const auto& [key, value] : arguments) {
            if (key == name) {
                out.append(text, at, open - at);
                out += placeholderWord(isChinese, value);
                filled = true;
            }
        }
        if (!filled) {
            out.append(text, at, close + 1 - at);
        }
        at = close + 1;
    }
    return out.append(text, at, std::string::npos);
}

TextPlace placeOf(const ConfigValue& root, const std::string& pointer, Judge::At at)
{
    const ConfigValue* value = &root;
    TextPlace place = root.place;
    std::size_t from = 0;
    while (from < pointer.size()) {
        const std::size_t to = std::min(pointer.find('/', from + 1), pointer.size());
        std::string token = pointer.substr(from + 1, to - from - 1);
        from = to;
        if (value->isList()) {
            std::size_t index = 0;
            std::from_chars(token.data(), token.data() + token.size(), index);
            if (index >= value->items.size()) {
                return place;
            }
            value = &value->items[index];
            place = value->place;
            continue;
        }
        const ConfigMember* found = value->findMember(unescaped(std::move(token)));
        if (found == nullptr) {
            return place;
        }
        value = &found->value;
        place = at == Judge::At::Key || from < pointer.size() ? found->keyPlace : value->place;
    }
    return place;
}

std::string patchRemove(const std::string& pointer)
{
    return R"([{"op": "remove", "path": )" + quoted(pointer) + "}]";
}

std::string patchReplace(const std::string& pointer, const std::string& json)
{
    return R"([{"op": "replace", "path": )" + quoted(pointer) + R"(, "value": )" + json + "}]";
}

std::string patchAdd(const std::string& pointer, const std::string& json)
{
    return R"([{"op": "add", "path": )" + quoted(pointer) + R"(, "value": )" + json + "}]";
}

std::string patchMove(const std::string& from, const std::string& to)
{
    return R"([{"op": "move", "from": )" + quoted(from) + R"(, "path": )" + quoted(to) + "}]";
}

Judge::Judge(const ConfigValue& document, const CheckContext& surroundings, const ReleaseFacts& release, CheckAnswer& answer)
    : root(document), context(surroundings), facts(release), m_answer(answer)
{
}

CheckFinding* Judge::add(CheckFinding finding, std::string_view message, const MessageArguments& arguments, At at)
{
    if (m_answer.findings.size() >= kMostFindings) {
        return nullptr;
    }
    const TextPlace place = placeOf(root, finding.pointer, at);
    finding.line = place.line;
    finding.column = place.column;
    finding.message = messageText(context.language, message, arguments);
    m_answer.findings.push_back(std::move(finding));
    return &m_answer.findings.back();
}

CheckFinding* Judge::refuse(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer,
                   const MessageArguments& arguments, std::string fix, At at)
{
    if (trying) {
        return nullptr;
    }
    m_refused.insert(level);
    return add({std::move(rule), CheckSeverity::Error, CheckEffect::Refused, level, pointer, 0, 0, {}, std::move(fix)}, message, arguments, at);
}

void Judge::warn(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer,
                 const MessageArguments& arguments, std::string fix)
{
    if (!trying) {
        add({std::move(rule), CheckSeverity::Warning, CheckEffect::Warned, level, pointer, 0, 0, {}, std::move(fix)}, message, arguments,
            At::Value);
    }
}

void Judge::unwise(std::string rule, std::string_view message, const std::string& pointer, const MessageArguments& arguments,
                   std::string fix)
{
    add({std::move(rule), CheckSeverity::Info, CheckEffect::Unwise, CheckLevel::Engine, pointer, 0, 0, {}, std::move(fix)}, message,
        arguments, At::Value);
}

void Judge::ignore(std::string rule, std::string_view message, const std::string& pointer, const MessageArguments& arguments,
                   std::string fix, bool quiet)
{
    if (trying || !m_ignored.insert(pointer).second) {
        return;
    }
    m_answer.ignored.push_back(pointer);
    if (!quiet) {
        const bool safe = fix == patchRemove(pointer);
        add({std::move(rule), CheckSeverity::Warning, CheckEffect::Ignored, CheckLevel::Parse, pointer, 0, 0, {}, std::move(fix), safe}, message,
            arguments, At::Key);
    }
}

void Judge::ignoreSection(std::string rule, std::string_view message, const std::string& pointer, const ConfigValue& section,
                          const MessageArguments& arguments, std::string fix)
{
    ignore(rule, message, pointer, arguments, std::move(fix));
    for (const ConfigMember& member : section.members) {
        const std::string below = pointer + "/" + pointerToken(member.key);
        ignore(rule, message, below, {}, {}, true);
        std::vector<std::pair<std::string, const ConfigValue*>> open{{below, &member.value}};
        while (!open.empty()) {
            const auto [at, value] = open.back();
            open.pop_back();
            for (const ConfigMember& deeper : value->members) {
                const std::string next = at + "/" + pointerToken(deeper.key);
                ignore(rule, message, next, {}, {}, true);
                open.emplace_back(next, &deeper.value);
            }
        }
    }
}

void Judge::change(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer, std::string json,
                   const MessageArguments& arguments, CheckSeverity severity)
{
    if (trying) {
        return;
    }
    MessageArguments all = arguments;
    all.emplace_back("becomes", json);
    add({std::move(rule), severity, CheckEffect::Changed, level, pointer, 0, 0, {}, {}}, message, all, At::Value);
    for (ChangedValue& changed : m_answer.changed) {
        if (changed.pointer == pointer) {
            changed.json = std::move(json);
            return;
        }
    }
    m_answer.changed.push_back({pointer, std::move(json)});
}

}  // namespace stagecraft::rules
