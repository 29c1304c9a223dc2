// SPDX-License-Identifier: GPL-3.0-or-later
// Sections DeepSpeed reads with pydantic classes: unknown keys, types, bounds, aliases, "auto", deprecated names (R11-R17, R20).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::rules {

namespace {

std::string describeType(const TypeFacts& type)
{
    const auto bounded = [&](std::string name) {
        if (type.gt.has_value()) {
            name += " > " + shortNumber(*type.gt);
        }
        if (type.ge.has_value()) {
            name += " >= " + shortNumber(*type.ge);
        }
        if (type.lt.has_value()) {
            name += " < " + shortNumber(*type.lt);
        }
        if (type.le.has_value()) {
            name += " <= " + shortNumber(*type.le);
        }
        return name;
    };
    switch (type.kind) {
    case TypeFacts::Kind::Bool: return "true/false";
    case TypeFacts::Kind::Int: return bounded("int");
    case TypeFacts::Kind::Float: return bounded("number");
    case TypeFacts::Kind::Str: return "string";
    case TypeFacts::Kind::Path: return "string (path)";
    case TypeFacts::Kind::Enum:
    case TypeFacts::Kind::Literal: {
        std::string words;
        for (const ConfigValue& value : type.values) {
            words += (words.empty() ? "" : ", ") + toJson(value);
        }
        return words;
    }
    case TypeFacts::Kind::List: return "list" + (type.of.empty() || type.of[0].kind == TypeFacts::Kind::Any ? "" : " of " + describeType(type.of[0]));
    case TypeFacts::Kind::Tuple: return "list";
    case TypeFacts::Kind::Dict:
    case TypeFacts::Kind::Model: return "object {}";
    case TypeFacts::Kind::Optional: return describeType(type.of[0]) + ", null";
    case TypeFacts::Kind::Union: {
        std::string all;
        for (const TypeFacts& each : type.of) {
            all += (all.empty() ? "" : ", ") + describeType(each);
        }
        return all;
    }
    case TypeFacts::Kind::Object: return "a Python object";
    case TypeFacts::Kind::Any: return "any";
    }
    return "";
}

/// The value a person most likely meant, as JSON, or empty: a string that holds a number, a fraction that should be whole.
std::string likelyMeant(const TypeFacts& type, const ConfigValue& value)
{
    const TypeFacts& inner = type.kind == TypeFacts::Kind::Optional ? type.of[0] : type;
    if (inner.kind == TypeFacts::Kind::Enum && value.isString()) {
        std::string lower = value.text;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        for (const ConfigValue& word : inner.values) {
            if (word.isString(lower)) {
                return toJson(word);
            }
        }
    }
    if (inner.kind == TypeFacts::Kind::Int && value.isString()) {
        if (const auto number = pythonFloat(value.text); number.has_value() && std::trunc(*number) == *number && std::fabs(*number) < 9e18) {
            return std::to_string(static_cast<std::int64_t>(*number));
        }
    }
    return {};
}

class ModelValidator {
public:
    explicit ModelValidator(Judge& judge) : m_judge(judge) {}

    bool model(const ModelFacts& facts, const ConfigValue& value, const std::string& pointer, ConfigValue& out)
    {
        out = modelDefaults(m_judge.facts, facts);
        if (!value.isObject()) {
            m_judge.refuse(CheckLevel::Parse, "R14", value.isNull() ? "R14" : "R13.object", pointer,
                           {{"key", pointer}, {"kind", kindName(value)}}, value.isNull() ? patchRemove(pointer) : std::string());
            return false;
        }
        const ConfigValue* strict = value.find("strict");
        const bool plain = facts.validators.count("plain_model") > 0;  // not one of DeepSpeed's own models, which know "auto" and "strict"
        const bool keepAuto = plain || (strict != nullptr && pythonTruth(*strict));
        std::set<std::string> given;
        std::vector<std::pair<const FieldFacts*, const ConfigMember*>> dropped;
        bool ok = true;
        for (const ConfigMember& member : value.members) {
            if (member.key == "strict" && !plain && facts.findField("strict") == nullptr) {
                continue;  // R17: a constructor switch
            }
            const std::string at = pointer + "/" + pointerToken(member.key);
            const FieldFacts* field = facts.findField(member.key);
            if (member.value.isString("auto") && !keepAuto && member.key != "replace_method") {
                if (field != nullptr) {
                    dropped.emplace_back(field, &member);
                }
                continue;  // dropped before the fields are looked at, so even an unknown key passes
            }
            if (field == nullptr) {
                unknownKey(facts, pointer, member);
                ok = false;
                continue;
            }
            if (!given.insert(field->name).second) {
                m_judge.refuse(CheckLevel::Parse, "R15", "R15", at, {{"key", field->name}, {"alias", field->alias}}, patchRemove(at), Judge::At::Key);
                ok = false;
                continue;
            }
            ConfigValue read;
            if (!this->value(field->type, member.value, at, read)) {
                ok = false;
                continue;
            }
            tellCoercion(*field, member.value, read, at);
            out.set(field->name, std::move(read));
        }
        ok = deprecated(facts, value, pointer, given, out) && ok;
        for (const auto& [field, member] : dropped) {  // at the end: its other name may have set the field
            tellAuto(*field, out, pointer + "/" + pointerToken(member->key), member->key);
        }
        return ok;
    }

    bool value(const TypeFacts& type, const ConfigValue& from, const std::string& pointer, ConfigValue& out)
    {
        switch (type.kind) {
        case TypeFacts::Kind::Any: out = from; return true;
        case TypeFacts::Kind::Optional:
            if (from.isNull()) {
                out = from;
                return true;
            }
            return value(type.of[0], from, pointer, out);
        case TypeFacts::Kind::Union: {
            const bool before = m_judge.trying;
            for (const TypeFacts& each : type.of) {
                m_judge.trying = true;
                const bool fits = value(each, from, pointer, out);
                m_judge.trying = before;
                if (fits) {
                    return true;
                }
            }
            return refuseType(type, from, pointer);
        }
        case TypeFacts::Kind::Model: {
            const auto found = m_judge.facts.models.find(type.model);
            return found != m_judge.facts.models.end() && nested(found->second, from, pointer, out);
        }
        case TypeFacts::Kind::List: {
            if (!from.isList()) {
                return refuseType(type, from, pointer);
            }
            out = from;
            for (std::size_t i = 0; i < from.items.size(); ++i) {
                if (!type.of.empty() && !value(type.of[0], from.items[i], pointer + "/" + std::to_string(i), out.items[i])) {
                    return false;
                }
            }
            return true;
        }
        default: break;
        }
        const Coerced coerced = coerce(type, from, m_judge.facts.pydantic);
        if (coerced.outcome == Coerced::Outcome::Fits) {
            out = coerced.value;
            return true;
        }
        return coerced.outcome == Coerced::Outcome::OutOfRange ? refuseRange(type, from, pointer) : refuseType(type, from, pointer);
    }

private:
    bool nested(const ModelFacts& facts, const ConfigValue& from, const std::string& pointer, ConfigValue& out)
    {
        // leaf_module turns null into an empty object and single words into lists before its fields are read
        if (facts.validators.count("_coerce_container_types") > 0) {
            ConfigValue prepared = from.isNull() ? ConfigValue::ofObject() : from;
            for (ConfigMember& member : prepared.members) {
                if (member.value.isString() && !member.value.isString("auto")) {
                    ConfigValue list;
                    list.kind = ConfigValue::Kind::List;
                    list.place = member.value.place;
                    list.items.push_back(member.value);
                    member.value = std::move(list);
                }
            }
            return model(facts, prepared, pointer, out);
        }
        if (from.isList() && from.items.empty() && m_judge.facts.pydantic == 1) {
            out = modelDefaults(m_judge.facts, facts);
            return true;  // dict([]) is an empty object
        }
        return model(facts, from, pointer, out);
    }

    void tellAuto(const FieldFacts& field, const ConfigValue& defaults, const std::string& at, const std::string& key)
    {
        const ConfigValue* value = defaults.find(field.name);
        m_judge.change(CheckLevel::Parse, "R16", "R16", at, value == nullptr ? "null" : toJson(*value), {{"key", key}});
    }

    void tellCoercion(const FieldFacts& field, const ConfigValue& from, const ConfigValue& to, const std::string& at)
    {
        const bool words = (from.isString() && (to.isBool() || to.isNumber())) || (from.isNumber() && !from.isBool() && to.isString());
        const bool cut = from.kind == ConfigValue::Kind::Float && to.kind == ConfigValue::Kind::Int && from.number != to.number;
        if (from.isString() && to.isString() && from.text != to.text) {  // a path, spelt as Python does
            m_judge.change(CheckLevel::Parse, "R13", "R13.path", at, toJson(to), {{"key", field.name}}, CheckSeverity::Info);
        }
        if (words || cut) {
            m_judge.change(CheckLevel::Parse, "R13", cut ? "R13.cut" : "R13.coerced", at, toJson(to),
                           {{"key", field.name}, {"value", toJson(from)}}, CheckSeverity::Info);
        }
    }

    void unknownKey(const ModelFacts& facts, const std::string& pointer, const ConfigMember& member)
    {
        const std::string at = pointer + "/" + pointerToken(member.key);
        const std::string section = pointer.substr(1);
        MessageArguments arguments{{"key", member.key}, {"section", section}};
        std::vector<std::string> names;
        for (const FieldFacts& field : facts.fields) {
            names.push_back(field.alias.empty() ? field.name : field.alias);
        }
        const std::string near = nearestWord(member.key, names);
        if (const Misplaced* known = findMisplaced(section, member.key)) {
            std::string fix = known->moveTo.empty() ? patchRemove(at) : patchMove(at, std::string(known->moveTo));
            const bool moves = !known->moveTo.empty() && !targetExists(std::string(known->moveTo));
            if (!known->moveTo.empty() && !moves) {
                fix = patchRemove(at);
            }
            arguments.emplace_back("where", std::string(known->where));
            if (CheckFinding* finding =
                    m_judge.refuse(CheckLevel::Parse, std::string(known->rule), known->message, at, arguments, std::move(fix), Judge::At::Key)) {
                finding->safe = moves;  // the same value, where DeepSpeed reads it
            }
        } else if (!near.empty()) {
            arguments.emplace_back("near", near);
            m_judge.refuse(CheckLevel::Parse, "R11", "R11.near", at, arguments, patchMove(at, pointer + "/" + near), Judge::At::Key);
        } else {
            m_judge.refuse(CheckLevel::Parse, "R11", "R11", at, arguments, patchRemove(at), Judge::At::Key);
        }
    }

    bool targetExists(const std::string& pointer) const
    {
        const ConfigValue* value = &m_judge.root;
        std::size_t from = 0;
        while (from < pointer.size() && value != nullptr) {
            const std::size_t to = std::min(pointer.find('/', from + 1), pointer.size());
            value = value->find(pointer.substr(from + 1, to - from - 1));
            from = to;
        }
        return value != nullptr;
    }

    bool refuseType(const TypeFacts& type, const ConfigValue& from, const std::string& pointer)
    {
        const std::string meant = likelyMeant(type, from);
        if (CheckFinding* finding =
                m_judge.refuse(CheckLevel::Parse, type.kind == TypeFacts::Kind::Enum && type.intEnum ? "R18" : "R13",
                               from.isNull() ? "R13.null" : "R13.type", pointer,
                               {{"key", pointer.substr(pointer.rfind('/') + 1)}, {"value", toJson(from)}, {"expected", describeType(type)}},
                               meant.empty() ? (from.isNull() ? patchRemove(pointer) : std::string()) : patchReplace(pointer, meant))) {
            finding->safe = !meant.empty();  // the same word or number, spelled as DeepSpeed takes it
        }
        return false;
    }

    bool refuseRange(const TypeFacts& type, const ConfigValue& from, const std::string& pointer)
    {
        m_judge.refuse(CheckLevel::Parse, "R13", "R13.range", pointer,
                       {{"key", pointer.substr(pointer.rfind('/') + 1)}, {"value", toJson(from)}, {"expected", describeType(type)}});
        return false;
    }

    /// Deprecated fields: a warning, and the value moves to the new field, which must not be given as well (R20, R21).
    bool deprecated(const ModelFacts& facts, const ConfigValue& value, const std::string& pointer, const std::set<std::string>& given,
                    ConfigValue& out)
    {
        for (const FieldFacts& field : facts.fields) {
            if (!field.deprecated || given.count(field.name) == 0) {
                continue;
            }
            const ConfigMember* member = value.findMember(field.name);
            const std::string at = pointer + "/" + (member == nullptr ? field.alias : field.name);
            if (!field.setsReplacement) {
                m_judge.warn(CheckLevel::Parse, "R21", "R21", at, {{"key", field.name}, {"new", field.replacedBy}}, patchRemove(at));
                continue;
            }
            if (given.count(field.replacedBy) > 0) {
                m_judge.refuse(CheckLevel::Parse, "R20", "R20.both", at, {{"key", field.name}, {"new", field.replacedBy}}, patchRemove(at),
                               Judge::At::Key);
                return false;
            }
            const ConfigValue* old = out.find(field.name);
            const FieldFacts* target = facts.findField(field.replacedBy);
            if (old == nullptr || target == nullptr) {
                continue;
            }
            const std::string name = target->alias.empty() ? target->name : target->alias;
            const bool section = target->type.kind == TypeFacts::Kind::Optional && target->type.of[0].kind == TypeFacts::Kind::Model;
            ConfigValue moved = *old;
            std::string json = toJson(moved);
            if (section) {
                moved = {};
                json = "null";
                if (pythonTruth(*old)) {
                    moved = modelDefaults(m_judge.facts, m_judge.facts.models.find(target->type.of[0].model)->second);
                    moved.set("device", ConfigValue::ofString("cpu"));
                    json = R"({"device": "cpu"})";
                }
            }
            m_judge.warn(CheckLevel::Parse, "R20", "R20", at, {{"key", field.name}, {"new", name}, {"value", json}},
                         R"([{"op": "remove", "path": ")" + at + R"("}, {"op": "add", "path": ")" + pointer + "/" + name + R"(", "value": )" + json + "}]");
            out.set(field.replacedBy, std::move(moved));
        }
        return true;
    }

    Judge& m_judge;
};

}  // namespace

ConfigValue modelDefaults(const ReleaseFacts& facts, const ModelFacts& model)
{
    ConfigValue defaults = ConfigValue::ofObject();
    defaults.members.reserve(model.fields.size());
    for (const FieldFacts& field : model.fields) {
        ConfigValue value = field.defaultValue;
        if (field.type.kind == TypeFacts::Kind::Model) {
            if (const auto nested = facts.models.find(field.type.model); nested != facts.models.end()) {
                value = modelDefaults(facts, nested->second);
            }
        }
        defaults.members.push_back({field.name, {}, std::move(value)});
    }
    return defaults;
}

ConfigValue validateModel(Judge& judge, const ModelFacts& model, const ConfigValue& value, const std::string& pointer)
{
    ConfigValue out;
    ModelValidator(judge).model(model, value, pointer, out);
    return out;
}

}  // namespace stagecraft::rules
