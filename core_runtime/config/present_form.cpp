// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/present_form.h"

#include "config/hjson_reader.h"
#include "config/json_edit.h"
#include "config/key_catalog.h"
#include "config/release_facts.h"
#include "config/rules/judge.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace stagecraft {

namespace {

/// Puts `value` below `root` at the pointer's tokens; an object on the way is made where there is none.
void place(ConfigValue& section, const std::vector<std::string>& tokens, std::size_t at, const ConfigValue& value)
{
    if (at + 1 == tokens.size()) {
        section.set(tokens[at], value);
        return;
    }
    const ConfigValue* inner = section.find(tokens[at]);
    ConfigValue changed = inner != nullptr && inner->isObject() ? *inner : ConfigValue::ofObject();
    place(changed, tokens, at + 1, value);
    section.set(tokens[at], changed);
}

class Rewriter {
public:
    Rewriter(const ReleaseFacts& facts, PresentForm& form) : m_facts(facts), m_form(form) {}

    /// The written members of a class's section, with the values and under the names DeepSpeed keeps them by.
    ConfigValue section(const ModelFacts& model, const ConfigValue& written, const ConfigValue& parsed, const std::string& at)
    {
        ConfigValue out = ConfigValue::ofObject();
        for (const ConfigMember& member : written.members) {
            const std::string pointer = at + "/" + pointerToken(member.key);
            const FieldFacts* field = model.findField(member.key);
            if (field == nullptr || member.value.isString("auto")) {
                out.set(nameOf(pointer, member.value), member.value);
                continue;
            }
            if (field->deprecated) {
                replace(model, *field, member, parsed, at, out);
                continue;
            }
            const ConfigValue* kept = parsed.find(field->name);
            const std::string name = nameOf(pointer, member.value);
            const ModelFacts* inner = m_facts.modelOf(field->type);
            if (kept == nullptr) {
                out.set(name, member.value);
            } else if (inner != nullptr && member.value.isObject() && kept->isObject()) {
                out.set(name, section(*inner, member.value, *kept, at + "/" + pointerToken(name)));
            } else if (!kept->isNull()) {
                out.set(name, *kept);
            }
        }
        return out;
    }

private:
    std::string nameOf(const std::string& pointer, const ConfigValue& value)
    {
        const std::string present = presentName(pointer);
        if (present != pointer) {
            m_form.changes.push_back({pointer, present, value});
        }
        return pointerTokens(present)->back();
    }

    /// An old key has set what replaces it; of that, only what differs from the defaults was asked for.
    void replace(const ModelFacts& model, const FieldFacts& old, const ConfigMember& member, const ConfigValue& parsed, const std::string& at, ConfigValue& out)
    {
        std::string path = old.setsReplacement ? old.replacedBy : std::string();
        std::vector<std::string> tokens;
        const ConfigValue* value = &parsed;
        const ModelFacts* inner = &model;
        for (std::size_t from = 0; from < path.size();) {
            const std::size_t to = std::min(path.find('.', from), path.size());
            const std::string token = path.substr(from, to - from);
            const FieldFacts* field = inner == nullptr ? nullptr : inner->findField(token);
            inner = field == nullptr ? nullptr : m_facts.modelOf(field->type);
            value = value == nullptr ? nullptr : value->find(token);
            const std::string pointer = presentName(at + "/" + pointerToken(token));
            tokens.push_back(tokens.empty() ? pointerTokens(pointer)->back() : token);
            from = to + 1;
        }
        if (tokens.empty() || value == nullptr || value->isNull()) {
            m_form.changes.push_back({at + "/" + pointerToken(member.key), {}, member.value});
            return;
        }
        ConfigValue asked = *value;
        if (inner != nullptr && value->isObject()) {
            const ConfigValue defaults = rules::modelDefaults(m_facts, *inner);
            asked = ConfigValue::ofObject();
            for (const ConfigMember& part : value->members) {
                const ConfigValue* byDefault = defaults.find(part.key);
                if (byDefault == nullptr || toJson(*byDefault) != toJson(part.value)) {
                    asked.set(part.key, part.value);
                }
            }
        }
        place(out, tokens, 0, asked);
        std::string present = at;
        for (const std::string& token : tokens) {
            present += "/" + pointerToken(token);
        }
        m_form.changes.push_back({at + "/" + pointerToken(member.key), present, member.value});
    }

    const ReleaseFacts& m_facts;
    PresentForm& m_form;
};

/// What DeepSpeed makes of a document; nothing where it refuses it.
std::optional<rules::Parsed> parsedBy(const ReleaseFacts& facts, const ConfigValue& root, const CheckContext& context)
{
    CheckAnswer answer;
    rules::Judge judge(root, context, facts, answer);
    rules::checkParse(judge, false);
    judge.parsed.optimizerParams = judge.parsed.schedulerParams = nullptr;   // into a document that may go away
    return judge.refusedAt(CheckLevel::Parse) ? std::nullopt : std::optional(judge.parsed);
}

/// The section `name` of `root` as far as it has values, under any name, in a document of its own.
ConfigValue alone(const ConfigValue& root, std::string_view name)
{
    ConfigValue document = ConfigValue::ofObject();
    document.set("train_micro_batch_size_per_gpu", ConfigValue::ofInt(1));
    for (const ConfigMember& member : root.members) {
        if (member.key == name || (member.key == "bfloat16" && name == "bf16") || (member.key == "allgather_size" && name == "zero_optimization")) {
            document.set(member.key, withoutAuto(member.value));
        }
    }
    return document;
}

}  // namespace

std::string presentName(const std::string& pointer)
{
    static const std::map<std::string, std::string> kPresent = [] {
        std::map<std::string, std::string> names;
        for (const CatalogKey& key : KeyCatalog::standard().keys()) {
            for (const std::string& alias : key.aliases) {
                names.emplace(alias, key.pointer);
            }
        }
        return names;
    }();
    const auto tokens = pointerTokens(pointer);
    std::string name;
    for (const std::string& token : *tokens) {
        name += "/" + pointerToken(token);
        if (const auto found = kPresent.find(name); found != kPresent.end()) {
            name = found->second;
        }
    }
    return name;
}

Result<PresentForm> presentForm(const ConfigValue& root, const CheckContext& context)
{
    bool exact = false;
    const auto release = findRelease(context.release, exact);
    if (!release.hasValue()) {
        return release.error();
    }
    const ReleaseFacts& facts = *release.value();
    PresentForm form{root, {}};
    const auto whole = parsedBy(facts, root, context);
    std::map<std::string, std::optional<rules::Parsed>> apart;
    // Where the whole is refused each section is asked alone: what is wrong elsewhere, or is left to another tool to fill, makes an
    // old name here no other.
    const auto parsedFor = [&](const std::string& name) -> const std::optional<rules::Parsed>& {
        if (whole) {
            return whole;
        }
        const auto [at, isNew] = apart.try_emplace(name);
        if (isNew) {
            at->second = parsedBy(facts, alone(root, name), context);
        }
        return at->second;
    };
    Rewriter rewriter(facts, form);
    ConfigValue out = ConfigValue::ofObject();
    for (const ConfigMember& member : root.members) {
        const std::string at = "/" + pointerToken(member.key);
        if (member.key == "zero_optimization" && member.value.isBool() && parsedFor("zero_optimization")) {
            ConfigValue zero = ConfigValue::ofObject();
            zero.set("stage", ConfigValue::ofInt(parsedFor("zero_optimization")->stage()));
            if (const ConfigValue* bucket = root.find("allgather_size"); bucket != nullptr && member.value.boolean) {
                zero.set("allgather_bucket_size", *bucket);
            }
            out.set(member.key, zero);
            form.changes.push_back({at, at + "/stage", member.value});
        } else if (member.key == "allgather_size" && root.find("zero_optimization") != nullptr && root.find("zero_optimization")->isBool() && parsedFor("zero_optimization")) {
            const bool taken = root.find("zero_optimization")->boolean;
            form.changes.push_back({at, taken ? "/zero_optimization/allgather_bucket_size" : "", member.value});
        } else if (member.key == "bfloat16" || member.key == "bf16" || member.key == "fp16" || member.key == "zero_optimization") {
            const ConfigValue* bf16 = root.find("bf16");
            const bool old = member.key == "bfloat16";
            const bool modelled = facts.sectionModel("bf16") != nullptr;
            if (old && bf16 != nullptr && !(bf16->isNull() && modelled)) {
                form.changes.push_back({at, {}, member.value});  // the newer name wins
                continue;
            }
            const std::string name = old ? "bf16" : member.key;
            const auto& parsed = parsedFor(name);
            if (!parsed) {
                out.set(member.key, member.value);   // refused itself: it stays as it is
                continue;
            }
            const ConfigValue& kept = name == "zero_optimization" ? parsed->zero : name == "fp16" ? parsed->fp16 : parsed->bf16;
            const ModelFacts* model = facts.sectionModel(name);
            if (!member.value.isObject()) {
                form.changes.push_back({at, {}, member.value});  // null, which says nothing
                continue;
            }
            out.set(name, model == nullptr ? member.value : rewriter.section(*model, member.value, kept, "/" + name));
            if (old) {
                form.changes.push_back({at, "/bf16", member.value});
            }
        } else {
            out.set(member.key, member.value);
        }
    }
    form.config = std::move(out);
    return form;
}

std::string sectionForm(std::string_view pointer, std::string_view json)
{
    const KeyCatalog& catalog = KeyCatalog::standard();
    const ReadText read = readStrictJson(json);
    if (read.problem.has_value() || read.root.isObject()) {
        return {};
    }
    const ConfigValue& value = read.root;
    const std::string at(pointer);
    const auto has = [&](const char* key) {
        const int id = catalog.find(at + "/" + key);
        return id >= 0 && catalog.key(id).name() == key;
    };
    if (value.isNull() || value.isString("auto")) {
        return "{}";
    }
    if (value.isBool() && at == "/zero_optimization") {
        return value.boolean ? R"({"stage": 1})" : R"({"stage": 0})";
    }
    if (value.isBool() && has("enabled")) {
        return value.boolean ? R"({"enabled": true})" : R"({"enabled": false})";
    }
    if (value.isBool() && at.starts_with("/zero_optimization/offload_")) {
        return value.boolean ? R"({"device": "cpu"})" : R"({"device": "none"})";
    }
    if (value.isString() && has("type")) {
        return R"({"type": )" + toJson(value) + "}";
    }
    if (value.isString() && has("device")) {
        return R"({"device": )" + toJson(value) + "}";
    }
    return {};
}

Result<TextEdit> setKeyEdit(const JsonDocument& document, std::string_view pointer, std::string_view valueText)
{
    const auto tokens = pointerTokens(pointer);
    std::string section;
    for (std::size_t i = 0; tokens && i + 1 < tokens->size(); ++i) {
        section += "/" + pointerToken((*tokens)[i]);
        const int id = document.find(section);
        if (id < 0) {
            break;
        }
        const JsonKind kind = document.node(id).kind;
        const int known = KeyCatalog::standard().find(section);
        const bool list = kind == JsonKind::Array && (known < 0 || !KeyCatalog::standard().key(known).isSection());
        if (kind == JsonKind::Object || list) {
            continue;
        }
        const std::string form = sectionForm(section, document.toJson(id).dump());
        const auto opened = setEdit(document, section, form.empty() ? "{}" : form);
        if (!opened.hasValue()) {
            return opened;
        }
        const auto next = JsonDocument::parse(applyEdits(document.text(), {*opened}));
        if (!next.hasValue()) {
            return next.error();
        }
        const auto inside = setEdit(*next, pointer, valueText);
        if (!inside.hasValue()) {
            return inside;
        }
        // Two edits of one text as one: what they left the same on both sides stays out.
        const std::string& before = document.text();
        const std::string after = applyEdits(next->text(), {*inside});
        std::size_t same = 0, end = 0;
        while (same < before.size() && same < after.size() && before[same] == after[same]) {
            ++same;
        }
        same = std::min(same, opened->begin);  // not inside a character of several bytes
        while (end < before.size() - opened->end && end < after.size() - same && before[before.size() - 1 - end] == after[after.size() - 1 - end]) {
            ++end;
        }
        return TextEdit{same, before.size() - end, after.substr(same, after.size() - end - same)};
    }
    return setEdit(document, pointer, valueText);
}

}  // namespace stagecraft
