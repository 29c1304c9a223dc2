// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/judge.h"

#include "config/hjson_reader.h"
#include "config/key_catalog.h"
#include "config/present_form.h"
#include "config/rules/coercion.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace stagecraft::rules {

namespace {

/// Above this many findings a reader has long understood; `ignored` and `changed` stay complete.
constexpr std::size_t kMostFindings = 500;

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

std::string unescaped(std::string_view token)
{
    std::string plain;
    plain.reserve(token.size());
    for (std::size_t at = 0; at < token.size(); ++at) {
        const bool escape = token[at] == '~' && at + 1 < token.size();
        plain += !escape ? token[at] : token[at + 1] == '1' ? '/' : '~';
        at += escape;
    }
    return plain;
}

const ConfigValue* configAt(const ConfigValue& root, const std::string& pointer)
{
    const ConfigValue* value = &root;
    for (const std::string& token : pointerTokens(pointer).value_or(std::vector<std::string>())) {
        value = value == nullptr ? nullptr : value->find(token);
    }
    return value;
}

TextPlace placeOf(const ConfigValue& root, const std::string& pointer, Judge::At at)
{
    const ConfigValue* value = &root;
    TextPlace place = root.place;
    std::size_t from = 0;
    while (from < pointer.size()) {
        const std::size_t to = std::min(pointer.find('/', from + 1), pointer.size());
        const std::string token = pointer.substr(from + 1, to - from - 1);
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
        const ConfigMember* found = value->findMember(unescaped(token));
        if (found == nullptr) {
            return place;
        }
        value = &found->value;
        place = at == Judge::At::Key || from < pointer.size() ? found->keyPlace : value->place;
    }
    return place;
}

Judge::Judge(const ConfigValue& document, const CheckContext& surroundings, const ReleaseFacts& release, CheckAnswer& answer)
    : root(document), context(surroundings), facts(release), m_answer(answer), m_ignored(ByPointer{&answer.ignored})
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
    // A switch in quotes is one all the same; "auto" is, where the launcher fills it.
    const bool precision = section == "/fp16" || section == "/bf16";
    if (precision && value->isString("auto") && fillsAuto(judge.context.launcher)) {
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
    if (!fits || count) return fits ? std::to_string(static_cast<std::int64_t>(*number)) : std::string();
    const ReadText read = readStrictJson(value->text);
    return !read.problem && read.root.isNumber() ? value->text : shortNumber(*number);  // "1." and "+1" are no JSON
}

/// What to write for the "auto" at `pointer` that nobody fills in, as JSON: the framework's default, and for the peak of a warm-up the rate of the optimizer, as the
/// Trainer has it. Empty where there is none, as for the length of a training.
std::string autoMeant(const Judge& judge, const std::string& pointer)
{
    const auto valueAt = [&](const char* section, const char* key) {
        const ConfigValue* value = judge.root.find(section);
        return value == nullptr ? nullptr : value->find(key);
    };
    if (pointer == "/scheduler/params/warmup_max_lr") {
        const ConfigValue* params = valueAt("optimizer", "params");
        const ConfigValue* rate = params == nullptr ? nullptr : params->find("lr");
        return rate != nullptr && rate->isNumber() && rate->asDouble() > 0.0 ? toJson(*rate) : "0.001";
    }
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    for (const CatalogKey& key : KeyCatalog::standard().keys()) {
        if (key.pointer != pointer || key.defaultJson.empty()) {
            continue;
        }
        const bool here = std::all_of(key.when.begin(), key.when.end(), [&](const auto& condition) {
            const bool optimizer = condition.first == "/optimizer/type";
            const ConfigValue* type = optimizer || condition.first == "/scheduler/type" ? valueAt(optimizer ? "optimizer" : "scheduler", "type") : nullptr;
            return type != nullptr && type->isString() && std::any_of(condition.second.begin(), condition.second.end(), [&](const std::string& word) { return lower(word) == lower(type->text); });
        });
        if (here) {
            return key.defaultJson;
        }
    }
    return {};
}

/// An "auto" that reaches a class as the word it is: who fills it in, and what to write in its place.
struct LeftOpen {
    std::string_view message;
    std::string_view advice;
    std::string meant;

    void tell(std::string_view language, CheckFinding* finding) const
    {
        if (finding != nullptr && !advice.empty()) {
            finding->message += messageText(language, advice, {{"becomes", meant}});
        }
    }
};

/// @param fix  becomes the patch that writes it, where there is none yet
LeftOpen leftOpen(const Judge& judge, std::string_view message, const std::string& pointer, std::string& fix)
{
    if (message != "R56.auto" && message != "R56.auto.pair") {
        return {message, {}, {}};
    }
    LeftOpen open{trainerFills(judge, pointer) ? message : "R56.nobody", {}, fix.empty() ? autoMeant(judge, pointer) : std::string()};
    if (pointer.ends_with("/total_num_steps")) {
        open.advice = "auto.length";
    } else if (!open.meant.empty()) {
        open.advice = pointer.ends_with("/warmup_max_lr") ? "auto.peak" : "auto.default";
        fix = patchReplace(pointer, open.meant);
    }
    return open;
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
    const LeftOpen open = leftOpen(*this, message, pointer, fix);
    message = open.message;
    if (fix.empty() && (message == "R14.object" || message == "R13.object")) {  // what was meant by a switch or a name is plain
        if (const std::string section = sectionMeant(*this, pointer); !section.empty()) {
            MessageArguments all = arguments;
            all.emplace_back("becomes", section);
            return add({std::move(rule), CheckSeverity::Error, CheckEffect::Refused, level, pointer, 0, 0, {}, patchReplace(pointer, section)}, std::string(message) + ".meant", all, at);
        }
    }
    std::string number;
    // Before a default or a removal: it is the number that is meant.
    static constexpr std::array<std::string_view, 5> kNumbers{"clipping.value", "predivide.value", "engine.print", "engine.profile_step", "engine.profiler"};
    const bool instead = std::find(kNumbers.begin(), kNumbers.end(), message) != kNumbers.end();
    if (instead || (fix.empty() && (message == "R56.value" || message == "R59.steps" || message == "R59.torch" || message == "R59.cycle"))) {
        number = quotedNumber(root, pointer, message == "R59.steps" || message == "engine.print" || message == "engine.profile_step");
        fix = number.empty() ? fix : patchReplace(pointer, number);
    }
    CheckFinding* const finding = add({std::move(rule), CheckSeverity::Error, CheckEffect::Refused, level, pointer, 0, 0, {}, std::move(fix)}, message, arguments, at);
    if (finding != nullptr) {
        finding->inStep = level == CheckLevel::Engine && stepping;
    }
    if (finding != nullptr && !number.empty()) {
        finding->safe = !finding->fix.empty();  // the same number
        finding->message += messageText(context.language, "number.quoted", {{"becomes", number}});
    }
    open.tell(context.language, finding);
    return finding;
}

CheckFinding* Judge::warn(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer,
                          const MessageArguments& arguments, std::string fix)
{
    if (trying) {
        return nullptr;
    }
    const LeftOpen open = leftOpen(*this, message, pointer, fix);
    CheckFinding* const finding = add({std::move(rule), CheckSeverity::Warning, CheckEffect::Warned, level, pointer, 0, 0, {}, std::move(fix)}, open.message, arguments, At::Value);
    open.tell(context.language, finding);
    return finding;
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
    if (trying || m_ignored.count(std::string_view(pointer)) > 0) {
        return nullptr;
    }
    m_answer.ignored.push_back(pointer);
    m_ignored.insert(m_answer.ignored.size() - 1);
    if (!quiet) {
        // An "auto" of what is not used is not one to write out.
        if (rule == "R25" || rule == "R37") {
            std::erase_if(m_answer.findings, [&](const CheckFinding& told) { return told.rule == "R16" && told.effect == CheckEffect::Changed && told.pointer == pointer; });
        }
        const bool safe = fix == patchRemove(pointer);
        return add({std::move(rule), CheckSeverity::Warning, CheckEffect::Ignored, CheckLevel::Parse, pointer, 0, 0, {}, std::move(fix), safe}, message,
            arguments, At::Key);
    }
    return nullptr;
}

bool Judge::settled(const std::string& pointer) const
{
    return m_ignored.count(std::string_view(pointer)) > 0 ||
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

void Judge::takeBackChange(const std::string& pointer, bool list)
{
    std::erase_if(m_answer.findings, [&](const CheckFinding& finding) { return finding.effect == CheckEffect::Changed && finding.pointer == pointer; });
    if (list) {
        std::erase_if(m_answer.changed, [&](const ChangedValue& changed) { return changed.pointer == pointer; });
    }
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

CheckFinding* Judge::actAs(CheckLevel level, std::string rule, std::string_view message, const std::string& pointer, std::string json, const MessageArguments& arguments)
{
    CheckFinding* const finding = change(level, std::move(rule), message, pointer, std::move(json), arguments);
    for (ChangedValue& changed : m_answer.changed) {
        changed.kept = changed.kept || changed.pointer == pointer;
    }
    return finding;
}

void Judge::respell(std::string rule, std::string_view message, const std::string& pointer, const std::string& json, const MessageArguments& arguments)
{
    if (CheckFinding* told = change(CheckLevel::Parse, std::move(rule), message, pointer, json, arguments, CheckSeverity::Info)) {
        told->fix = patchReplace(pointer, json);
        told->safe = true;
    }
}

}  // namespace stagecraft::rules
