// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/judge.h"

#include "config/hjson_reader.h"
#include "config/json_edit.h"
#include "config/present_form.h"
#include "config/rules/coercion.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

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
        {"an integer", "整数"}, {"a fraction", "小数"}, {"a string", "字符串"}, {"a list", "列表"}, {"an object", "对象"},
        {"1 (assumed)", "1（假定）"}, {"a number", "数"}, {"a number other than 0", "不为 0 的数"}, {"a number from 0 to 1", "0 到 1 的数"},
        {"a number above 0, at most 1", "大于 0 且不大于 1 的数"}, {"a fraction from 0.0 to 1.0", "0.0 到 1.0 的小数"},
        {"an integer of 1 or more", "不小于 1 的整数"},
        {"\"auto\" or a list of strings", "\"auto\" 或字符串列表"},
        {"select_strategy auto with a numeric select_interval", "select_strategy 为 auto，而 select_interval 是数字"},
        {"select_strategy step or epoch without a numeric select_interval", "select_strategy 为 step 或 epoch，而 select_interval 不是数字"},
        {"update_interval larger than select_interval", "update_interval 大于 select_interval"},
        {"zenflow without optimizer offload", "启用了 zenflow，却没有卸载优化器"},
        {"zenflow.offload without overlap_comm", "启用了 zenflow.offload，却没有启用 overlap_comm"},
        {"overlap_comm below stage 2", "阶段 2 以下的 overlap_comm"}, {"a pipeline model", "流水线模型"}, {"ZeRO stage 3", "ZeRO 阶段 3"},
        {"fp16 or bf16", "fp16 或 bf16"},
        {"version must be 0.1 or 0.2", "version 只能是 0.1 或 0.2"}, {"model_parallel_size needs version 0.2", "model_parallel_size 需要 version 0.2"},
        {"a micro batch above max_train_batch_size", "有微批次大于 max_train_batch_size"},
        {"num_gpus_per_node must be a multiple of model_parallel_size", "num_gpus_per_node 必须是 model_parallel_size 的倍数"},
        {"a micro batch above max_train_batch_size of one node's share", "有微批次大于 max_train_batch_size 分给单个节点的份额"},
        {"max_train_batch_size is missing", "缺少 max_train_batch_size"}, {"micro_batch_sizes is missing", "缺少 micro_batch_sizes"},
        {"micro_batch_sizes must be a list of positive integers", "micro_batch_sizes 必须是正整数列表"},
        {"max_train_batch_size must be an integer", "max_train_batch_size 必须是整数"},
        {"min_gpus is larger than max_gpus", "min_gpus 大于 max_gpus"},
        {"min_gpus must be 1 or more", "min_gpus 必须不小于 1"}, {"max_gpus must be 1 or more", "max_gpus 必须不小于 1"},
        {"min_time must be 0 or more", "min_time 必须不小于 0"}, {"model_parallel_size must be 1 or more", "model_parallel_size 必须不小于 1"},
        {"num_gpus_per_node must be 1 or more", "num_gpus_per_node 必须不小于 1"},
        {"no micro batch divides the batch of this many ranks", "没有能整除这么多 rank 的批次的微批次"},
        {"the elastic batch does not divide among the ranks", "弹性批次不能在各 rank 间均分"}};
    const auto found = isChinese ? kWords.find(word) : kWords.end();
    return found == kWords.end() ? word : found->second;
}

/// Most characters of a key or value that a message repeats.
constexpr std::size_t kMostQuoted = 80;
/// Most characters of what a rule enumerates: words that are allowed, counts of ranks.
constexpr std::size_t kMostListed = 400;

/// The first `most` characters of `text` in UTF-8, with an ellipsis where there were more.
std::string_view shortened(std::string_view text, std::size_t most, std::string& buffer)
{
    std::size_t bytes = 0;
    for (std::size_t characters = 0; bytes < text.size(); ++bytes) {
        const bool starts = (static_cast<unsigned char>(text[bytes]) & 0xC0U) != 0x80U;
        if (starts && characters++ == most) {
            buffer.assign(text.substr(0, bytes));
            return buffer += "…";
        }
    }
    return text;
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

std::string unescaped(std::string token)
{
    for (std::size_t at = token.find('~'); at != std::string::npos && at + 1 < token.size(); at = token.find('~', at + 1)) {
        token.replace(at, 2, token[at + 1] == '1' ? "/" : "~");
    }
    return token;
}

/// A blank stands between Chinese and other words, and none between two Chinese ones: which of them fills a placeholder shows only now.
void spaceBefore(std::string& text, std::string_view word)
{
    const auto chinese = [](std::string_view three) { return three.size() == 3 && three.front() >= '\xE4' && three.front() <= '\xE9'; };
    const bool blank = text.ends_with(' ');
    const std::string_view before = std::string_view(text).substr(0, text.size() - (blank ? 1 : 0));
    if (word.empty() || before.size() < 3 || !chinese(before.substr(before.size() - 3))) {
        return;
    }
    const bool plain = word.front() > ' ' && word.front() <= '~';
    if (plain && !blank) {
        text += ' ';
    } else if (blank && chinese(word.substr(0, 3))) {
        text.pop_back();
    }
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
                const bool listed = name == "expected" || name == "words" || name == "counts" || name == "what" || name == "where" || name == "reason";
                std::string buffer;
                const std::string_view word = shortened(placeholderWord(isChinese, value), listed ? kMostListed : kMostQuoted, buffer);
                if (isChinese) {
                    spaceBefore(out, word);
                }
                out += word;
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

std::optional<CheckLevel> Judge::firstRefused() const
{
    if (m_refused.empty()) {
        return std::nullopt;
    }
    const CheckLevel first = *m_refused.begin();
    return first == CheckLevel::Engine && m_engineBuilt && refusedAt(CheckLevel::Pipe) ? CheckLevel::Pipe : first;
}

bool Judge::full() const { return m_answer.findings.size() >= kMostFindings; }

namespace {

constexpr std::string_view kAssumedRank = "1 (assumed)";

/// Whether a sentence rests on a number of ranks that nobody gave: the context has none, and one stands for it.
bool namesAssumedRanks(const CheckContext& context, const MessageArguments& arguments)
{
    return context.world == 1 && !context.ranks.has_value() && std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) {
        return (argument.first == "ranks" || argument.first == "world") && argument.second == "1";
    });
}

}  // namespace

CheckFinding* Judge::add(CheckFinding finding, std::string_view message, const MessageArguments& arguments, At at)
{
    if (full()) {
        ++m_leftOut;
        return nullptr;
    }
    const TextPlace place = placeOf(root, finding.pointer, at);
    finding.line = place.line;
    finding.column = place.column;
    if (!namesAssumedRanks(context, arguments)) {
        finding.message = messageText(context.language, message, arguments);
    } else {
        // DeepSpeed's verdict for one rank stands; what to write instead nobody can know from a number that nobody gave.
        MessageArguments said = arguments;
        for (auto& [name, value] : said) {
            value = name == "ranks" || name == "world" ? std::string(kAssumedRank) : value;
        }
        finding.message = messageText(context.language, message, said) + messageText(context.language, "ranks.assumed", {});
        finding.fix.clear();
        if (finding.effect == CheckEffect::Changed) {
            finding.severity = CheckSeverity::Info;
        }
    }
    m_answer.findings.push_back(std::move(finding));
    return &m_answer.findings.back();
}

namespace {

/// The section that says what a switch or a name in its place means, where the release takes it there; else empty.
std::string sectionMeant(const Judge& judge, const std::string& pointer)
{
    const ConfigValue* value = &judge.root;
    for (const std::string& token : pointerTokens(pointer).value_or(std::vector<std::string>())) {
        value = value == nullptr ? nullptr : value->find(token);
    }
    const std::string stage = value == nullptr ? std::string() : value->isString() ? value->text : toJson(*value);
    if (pointer == "/zero_optimization" && (stage == "0" || stage == "1" || stage == "2" || stage == "3")) {
        return R"({"stage": )" + stage + "}";
    }
    if (value == nullptr || !(value->isBool() || value->isString())) {
        return {};
    }
    const std::string section = presentName(pointer);
    // A switch in quotes is one all the same; "auto" is, where the Trainer fills it.
    const bool precision = section == "/fp16" || section == "/bf16";
    if (precision && value->isString("auto") && judge.context.launcher == CheckLauncher::Transformers) {
        return R"({"enabled": "auto"})";
    }
    ConfigValue meant = *value;
    if (const ModelFacts* model = judge.facts.sectionModel(section.substr(1)); value->isString() && model != nullptr && model->findField("enabled") != nullptr) {
        const std::string word = switchMeant(*value);
        meant = word.empty() ? meant : ConfigValue::ofBool(word == "true");
    }
    value = &meant;
    const std::string form = sectionForm(section, toJson(*value));
    bool taken = false;
    if (form.find(R"("device")") != std::string::npos) {
        taken = value->isBool() || value->text == "cpu" || value->text == "nvme" || value->text == "none";
    } else if (value->isBool()) {
        const ModelFacts* model = judge.facts.sectionModel(section.substr(1));
        const std::string other = section == "/fp16" ? "bf16" : section == "/bf16" ? "fp16" : "";
        const ConfigValue* beside = other.empty() ? nullptr : judge.root.find(other);
        const ConfigValue* on = beside == nullptr ? nullptr : beside->find("enabled");
        taken = (model != nullptr ? model->findField("enabled") != nullptr : judge.facts.reads(section, "enabled")) && !(value->boolean && on != nullptr && pythonTruth(*on));
    } else if (section == "/optimizer") {
        std::string lower = value->text;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        taken = judge.facts.optimizers.count(lower) > 0 || judge.facts.torchOptimizers.count(value->text) > 0;
    } else if (section == "/scheduler") {
        // A schedule is built from its parameters, though they be none.
        const auto signature = judge.facts.signatures.find(value->text);
        taken = signature != judge.facts.signatures.end() && value->text.find("LR") != std::string::npos && signature->second.needs.empty();
        return taken ? form.substr(0, form.size() - 1) + R"(, "params": {}})" : std::string();
    }
    return taken && form != "{}" ? form : std::string();
}

/// The number that stands in quotes at `pointer`; empty where none does, or one that is no count above 0 where a `count` is asked for.
std::string quotedNumber(const ConfigValue& root, const std::string& pointer, bool count)
{
    const ConfigValue* value = &root;
    for (const std::string& token : pointerTokens(pointer).value_or(std::vector<std::string>())) {
        value = value == nullptr ? nullptr : value->find(token);
    }
    const auto number = value != nullptr && value->isString() ? pythonFloat(value->text) : std::nullopt;
    const bool fits = number && std::isfinite(*number) && (!count || (*number >= 1.0 && *number < 1e15 && *number == std::trunc(*number)));
    return !fits ? std::string() : count ? std::to_string(static_cast<std::int64_t>(*number)) : shortNumber(*number);
}

}  // namespace

CheckFinding* Judge::refuse(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer,
                   const MessageArguments& arguments, std::string fix, At at)
{
    if (trying) {
        return nullptr;
    }
    const bool first = m_refused.insert(level).second;
    m_engineBuilt = m_engineBuilt && (level != CheckLevel::Engine || stepping);
    if (first && full()) {
        // Why a stage refuses is never what finds no room.
        auto& findings = m_answer.findings;
        const auto last = std::find_if(findings.rbegin(), findings.rend(), [](const CheckFinding& finding) { return finding.severity != CheckSeverity::Error; });
        if (last != findings.rend()) {
            findings.erase(std::next(last).base());
            ++m_leftOut;
        }
    }
    if (message == "R56.auto" && !trainerFills(*this, pointer)) {
        message = "R56.nobody";
    }
    if (fix.empty() && (message == "R14.object" || message == "R13.object")) {  // what was meant by a switch or a name is plain
        if (const std::string section = sectionMeant(*this, pointer); !section.empty()) {
            MessageArguments all = arguments;
            all.emplace_back("becomes", section);
            return add({std::move(rule), CheckSeverity::Error, CheckEffect::Refused, level, pointer, 0, 0, {}, patchReplace(pointer, section)}, std::string(message) + ".meant", all, at);
        }
    }
    std::string number;
    if (fix.empty() && (message == "R56.value" || message == "R59.steps" || message == "R59.torch" || message == "R59.cycle")) {
        number = quotedNumber(root, pointer, message == "R59.steps");
        fix = number.empty() ? std::string() : patchReplace(pointer, number);
    }
    CheckFinding* const finding = add({std::move(rule), CheckSeverity::Error, CheckEffect::Refused, level, pointer, 0, 0, {}, std::move(fix)}, message, arguments, at);
    if (finding != nullptr && !number.empty()) {
        finding->message += messageText(context.language, "number.quoted", {{"becomes", number}});
    }
    return finding;
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

void Judge::overrule(std::string rule, std::string_view message, const std::string& pointer, CheckSeverity severity, const MessageArguments& arguments, std::string fix)
{
    add({std::move(rule), severity, CheckEffect::Changed, CheckLevel::Engine, pointer, 0, 0, {}, std::move(fix)}, message, arguments, At::Value);
}

CheckFinding* Judge::ignore(std::string rule, std::string_view message, const std::string& pointer, const MessageArguments& arguments,
                   std::string fix, bool quiet)
{
    if (trying || !m_ignored.insert(pointer).second) {
        return nullptr;
    }
    m_answer.ignored.push_back(pointer);
    if (!quiet) {
        const bool safe = fix == patchRemove(pointer);
        return add({std::move(rule), CheckSeverity::Warning, CheckEffect::Ignored, CheckLevel::Parse, pointer, 0, 0, {}, std::move(fix), safe}, message,
            arguments, At::Key);
    }
    return nullptr;
}

bool Judge::settled(const std::string& pointer) const
{
    return m_ignored.count(pointer) > 0 ||
           std::any_of(m_answer.findings.begin(), m_answer.findings.end(), [&](const CheckFinding& finding) { return finding.effect == CheckEffect::Refused && finding.pointer == pointer; });
}

CheckFinding* Judge::ignoreSection(std::string rule, std::string_view message, const std::string& pointer, const ConfigValue& section,
                          const MessageArguments& arguments, std::string fix)
{
    CheckFinding* const finding = ignore(std::move(rule), message, pointer, arguments, std::move(fix));
    for (const ConfigMember& member : section.members) {
        ignoreQuietly(pointer + "/" + pointerToken(member.key), member.value);
    }
    return finding;
}

void Judge::ignoreQuietly(const std::string& pointer, const ConfigValue& value)
{
    std::vector<std::pair<std::string, const ConfigValue*>> open{{pointer, &value}};
    while (!open.empty()) {
        const auto [at, inside] = open.back();
        open.pop_back();
        ignore({}, {}, at, {}, {}, true);
        for (const ConfigMember& deeper : inside->members) {
            open.emplace_back(at + "/" + pointerToken(deeper.key), &deeper.value);
        }
    }
}

void Judge::takeBackChange(const std::string& pointer)
{
    std::erase_if(m_answer.findings, [&](const CheckFinding& finding) { return finding.effect == CheckEffect::Changed && finding.pointer == pointer; });
    std::erase_if(m_answer.changed, [&](const ChangedValue& changed) { return changed.pointer == pointer; });
}

CheckFinding* Judge::change(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer, std::string json,
                   const MessageArguments& arguments, CheckSeverity severity)
{
    if (trying) {
        return nullptr;
    }
    MessageArguments all = arguments;
    all.emplace_back("becomes", json);
    CheckFinding* const finding = add({std::move(rule), severity, CheckEffect::Changed, level, pointer, 0, 0, {}, {}}, message, all, At::Value);
    for (ChangedValue& changed : m_answer.changed) {
        if (changed.pointer == pointer) {
            changed.json = std::move(json);
            return finding;
        }
    }
    m_answer.changed.push_back({pointer, std::move(json)});
    return finding;
}

}  // namespace stagecraft::rules
