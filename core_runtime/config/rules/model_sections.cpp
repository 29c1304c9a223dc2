// SPDX-License-Identifier: GPL-3.0-or-later
// Sections DeepSpeed reads with pydantic classes: unknown keys, types, bounds, aliases, "auto", deprecated names (R11-R17, R20).
#include "config/rules/judge.h"

#include "config/rules/coercion.h"
#include "config/rules/meaning.h"
#include "config/rules/misplaced.h"
#include "config/rules/misnomers.h"
#include "config/rules/type_words.h"

#include <algorithm>
#include <cmath>

namespace stagecraft::rules {

namespace {

/// A key as a message names it: the last name of the pointer as it is written, and "[i]" for the entries of a list.
std::string shownKey(const std::string& pointer)
{
    std::size_t end = pointer.size();
    std::string entries;
    while (true) {
        const std::size_t slash = pointer.rfind('/', end - 1);
        if (slash == std::string::npos) {
            return pointer + entries;
        }
        const std::string token = unescaped(pointer.substr(slash + 1, end - slash - 1));
        const bool index = slash > 0 && !token.empty() && token.find_first_not_of("0123456789") == std::string::npos;
        if (!index) {
            return token + entries;
        }
        entries = "[" + token + "]" + entries;
        end = slash;
    }
}

class ModelValidator {
public:
    explicit ModelValidator(Judge& judge) : m_judge(judge), m_zh(judge.context.language.starts_with("zh")) {}

    bool model(const ModelFacts& facts, const ConfigValue& value, const std::string& pointer, ConfigValue& out)
    {
        out = modelDefaults(m_judge.facts, facts);
        if (!value.isObject()) {
            m_judge.refuse(CheckLevel::Parse, "R14", value.isNull() ? "R14" : "R13.object", pointer,
                           {{"key", shownKey(pointer)}, {"kind", kindName(value)}}, value.isNull() ? patchRemove(pointer) : std::string());
            return false;
        }
        const ConfigValue* strict = value.find("strict");
        const bool plain = facts.validators.count("plain_model") > 0;  // not one of DeepSpeed's own models, which know "auto" and "strict"
        const bool keepAuto = plain || (strict != nullptr && pythonTruth(*strict));
        std::set<std::string> given, refused;
        std::vector<std::pair<const FieldFacts*, const ConfigMember*>> dropped;
        bool ok = true;
        for (const ConfigMember& member : value.members) {
            if (member.key == "strict" && !plain && facts.findField("strict") == nullptr) {
                continue;  // R17: a constructor switch
            }
            const std::string at = pointer + "/" + pointerToken(member.key);
            const FieldFacts* field = facts.findField(member.key);
            if (member.value.isString("auto") && !keepAuto && member.key != "replace_method") {
                field != nullptr ? void(dropped.emplace_back(field, &member)) : tellAutoOfNoKey(m_judge, facts, value, at, member.key);
                continue;  // dropped before the fields are looked at, so even an unknown key passes
            }
            if (field == nullptr) {
                unknownKey(facts, pointer, value, member);
                ok = false;
                continue;
            }
            if (!given.insert(field->name).second) {
                m_judge.refuse(CheckLevel::Parse, "R15", "R15", at, {{"key", field->name}, {"alias", field->alias}}, patchRemove(at), Judge::At::Key);
                ok = false;
                continue;
            }
            ConfigValue read;
            if (field->deprecated && oldSwitch(facts, *field, value, member, pointer)) {
                refused.insert(field->name);
                ok = false;
                continue;
            }
            if (!this->value(field->type, member.value, at, read)) {
                refused.insert(field->name);
                ok = false;
                if (holdsModel(field->type) && read.isObject()) {
                    out.set(field->name, std::move(read));  // what of it is fine stands for other rules: the device beside a refused count
                }
                continue;
            }
            tellCoercion(member.value, read, at);
            out.set(field->name, std::move(read));
        }
        for (const std::string& name : refused) {
            given.erase(name);  // what old names set is looked at only where their values pass
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
    static bool holdsModel(const TypeFacts& type)
    {
        return type.kind == TypeFacts::Kind::Model || (type.kind == TypeFacts::Kind::Optional && holdsModel(type.of[0]));
    }

    bool nested(const ModelFacts& facts, const ConfigValue& from, const std::string& pointer, ConfigValue& out)
    {
        // leaf_module turns null into an empty object and single words into lists before its fields are read
        if (facts.validators.count("_coerce_container_types") > 0) {
            ConfigValue prepared = from.isNull() ? ConfigValue::ofObject() : from;
            for (ConfigMember& member : prepared.members) {
                if (facts.findField(member.key) != nullptr) {
                    asList(member, pointer + "/" + pointerToken(member.key));
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

    /// One word becomes a list of it, and a word that stands twice in a list stays once (leaf_module_config.py).
    void asList(ConfigMember& member, const std::string& at)
    {
        ConfigValue list;
        list.kind = ConfigValue::Kind::List;
        list.place = member.value.place;
        if (member.value.isString() && !member.value.isString("auto")) {
            list.items.push_back(member.value);
        } else if (member.value.isList()) {
            for (const ConfigValue& item : member.value.items) {
                const bool again = item.isString() && std::any_of(list.items.begin(), list.items.end(), [&](const ConfigValue& seen) { return seen.isString() && seen.text == item.text; });
                if (!again) {
                    list.items.push_back(item);
                }
            }
            if (list.items.size() == member.value.items.size()) {
                return;
            }
        } else {
            return;
        }
        m_judge.respell("R13", "R13.coerced", at, toJson(list), {{"key", shownKey(at)}, {"value", toJson(member.value)}});
        member.value = std::move(list);
    }

    void tellAuto(const FieldFacts& field, const ConfigValue& defaults, const std::string& at, const std::string& key)
    {
        const ConfigValue* value = defaults.find(field.name);
        const bool byStage = field.name == "overlap_comm" && value != nullptr && value->isNull();  // told when the stage is known
        if ((value != nullptr && value->isString("auto")) || byStage) {
            return;  // the word is the default itself
        }
        const bool filled = trainerFills(m_judge, at);
        const bool ofStage3 = at == "/zero_optimization/stage3_prefetch_bucket_size" || at == "/zero_optimization/stage3_param_persistence_threshold";
        if (ofStage3 && stage3IsUnseen()) {
            if (CheckFinding* told = m_judge.change(CheckLevel::Parse, "R16", "R16.stage", at, value == nullptr ? "null" : toJson(*value), {{"who", checkLauncherName(m_judge.context.launcher)}})) {
                told->fix = patchReplace("/zero_optimization/stage", "3");
            }
            return;
        }
        if (CheckFinding* told = m_judge.change(CheckLevel::Parse, "R16", filled ? "R16" : "R16.nobody", at, value == nullptr ? "null" : toJson(*value), {{"key", key}})) {
            // beside another name of its own, which gives the value, it can only go
            const bool own = value != nullptr && !value->isNull() && !value->isObject() && !value->isList() && toJson(*value) == toJson(field.defaultValue);
            told->fix = own ? patchReplace(at, toJson(*value)) : patchRemove(at);
            told->safe = own && !filled;  // a file for the Trainer keeps what only that fills in
        }
    }

    /// DeepSpeed makes 3 of "3"; the launchers compare it with the number.
    [[nodiscard]] bool stage3IsUnseen() const
    {
        const ConfigValue* zero = m_judge.root.find("zero_optimization");
        const ConfigValue* stage = zero == nullptr ? nullptr : zero->find("stage");
        return fillsAuto(m_judge.context.launcher) && stage != nullptr && stage->isString("3");
    }

    void tellCoercion(const ConfigValue& from, const ConfigValue& to, const std::string& at)
    {
        const bool words = from.isString() && (to.isBool() || to.isNumber());
        const bool cut = from.kind == ConfigValue::Kind::Float && to.kind == ConfigValue::Kind::Int && from.number != to.number;
        const bool quoted = from.isNumber() && to.isString();  // pydantic 1 writes numbers out
        if (from.isString() && to.isString() && from.text != to.text) {  // a path, spelt as Python does
            m_judge.change(CheckLevel::Parse, "R13", "R13.path", at, toJson(to), {{"key", shownKey(at)}}, CheckSeverity::Info);
        }
        if (at == "/zero_optimization/stage" && stage3IsUnseen()) {  // the number changes what the launcher does
            if (CheckFinding* told = m_judge.change(CheckLevel::Parse, "R13", "R13.stage", at, toJson(to), {{"who", checkLauncherName(m_judge.context.launcher)}})) {
                told->fix = patchReplace(at, toJson(to));
            }
        } else if (words || cut || quoted) {
            m_judge.respell("R13", cut ? "R13.cut" : "R13.coerced", at, toJson(to), {{"key", shownKey(at)}, {"value", toJson(from)}});
        }
    }

    void unknownKey(const ModelFacts& facts, const std::string& pointer, const ConfigValue& all, const ConfigMember& member)
    {
        const std::string at = pointer + "/" + pointerToken(member.key);
        const std::string section = pointer.substr(1);
        MessageArguments arguments{{"key", member.key}, {"section", dotted(pointer)}};
        if (pointer == "/zero_optimization" && m_judge.facts.removedZero.count(member.key) > 0) {
            return;  // refused before, and said so
        }
        if (!m_judge.asksMeaning()) {
            m_judge.refuse(CheckLevel::Parse, "R11", "R11.many", at, arguments, {}, Judge::At::Key);
            return;
        }
        std::vector<std::string> names;
        for (const FieldFacts& field : facts.fields) {
            names.push_back(field.alias.empty() ? field.name : field.alias);
        }
        const std::string near = nearestWord(member.key, names);
        const UnknownKey unknown{pointer, &member, "R11", CheckLevel::Parse, {}, names};
        if (const Misplaced* known = findMisplaced(section, member.key)) {
            misplacedKey(*known, at, member.value, std::move(arguments));
        } else if (const std::string place = placeThatReads(m_judge, pointer, member.key); !place.empty()) {
            refuseForPlace(m_judge, CheckLevel::Parse, "R11", "R11.place", at, member.value, place, arguments);
        } else if (tellOtherName(m_judge, unknown)) {
            return;
        } else if (!near.empty()) {
            arguments.emplace_back("near", near);
            const FieldFacts* meant = facts.findField(near);
            const auto held = std::find_if(all.members.begin(), all.members.end(), [&](const ConfigMember& m) { return meant != nullptr && facts.findField(m.key) == meant; });
            if (held == all.members.end()) {
                m_judge.refuse(CheckLevel::Parse, "R11", "R11.near", at, arguments, patchMove(at, pointer + "/" + near), Judge::At::Key);
            } else {
                const std::string json = toJson(held->value);
                arguments.emplace_back("held", json);
                const bool spare = json == toJson(member.value) || yieldsTo(member.value, held->value);
                m_judge.refuse(CheckLevel::Parse, "R11", "R11.near.taken", at, arguments, spare ? patchRemove(at) : std::string(), Judge::At::Key);
            }
        } else {
            tellUnknown(m_judge, unknown);
        }
    }

    /// A key whose place is known: moved there, taken out where its value cannot go there, and said so.
    void misplacedKey(const Misplaced& known, const std::string& at, const ConfigValue& value, MessageArguments arguments)
    {
        arguments.emplace_back("where", std::string(known.where));
        const std::string target(known.moveTo);
        std::string message(known.message), fix = patchRemove(at);
        bool safe = false;
        if (!target.empty()) {
            const std::string parent = target.substr(0, target.rfind('/'));
            // What only tunes a section says nothing where that section is missing.
            const bool absent = valueAt(parent) == nullptr && parent.starts_with("/zero_optimization/offload_") && !target.ends_with("/device");
            const Relocation move = relocate(m_judge, at, value, target);
            if (move.counts != nullptr) {
                message += ".taken";
                arguments.emplace_back("held", toJson(*move.counts));
            } else if (move.instead != nullptr) {
                message += ".blocked";
                arguments.emplace_back("parent", dotted(move.insteadAt));
                arguments.emplace_back("instead", toJson(*move.instead));
            } else if (absent) {
                message += ".absent";
            }
            arguments.emplace_back("place", dotted(target));
            fix = absent ? fix : move.patch;
            safe = move.same || (!absent && move.counts == nullptr && move.instead == nullptr);  // the same value, where DeepSpeed reads it
        } else if (hasMessage(message + ".open") && !known.where.empty()) {
            message += ".open";  // more than one section takes it, and nobody can tell which was meant
            fix.clear();
        }
        if (CheckFinding* finding = m_judge.refuse(CheckLevel::Parse, std::string(known.rule), message, at, arguments, std::move(fix), Judge::At::Key)) {
            finding->safe = safe;
        }
    }

    const ConfigValue* valueAt(const std::string& pointer) const
    {
        const ConfigValue* value = &m_judge.root;
        std::size_t from = 0;
        while (from < pointer.size() && value != nullptr) {
            const std::size_t to = std::min(pointer.find('/', from + 1), pointer.size());
            value = value->find(pointer.substr(from + 1, to - from - 1));
            from = to;
        }
        return value;
    }

    bool refuseType(const TypeFacts& type, const ConfigValue& from, const std::string& pointer)
    {
        const TypeFacts& plain = type.kind == TypeFacts::Kind::Optional ? type.of[0] : type;
        const bool guess = plain.kind == TypeFacts::Kind::Bool && from.isString() && !from.text.empty();   // "ture"
        const std::string meant = guess ? switchMeant(from) : likelyMeant(type, from);
        if (plain.kind == TypeFacts::Kind::Int && from.kind == ConfigValue::Kind::Float && std::fabs(from.number) >= 9223372036854775808.0 && m_judge.facts.pydantic >= 2) {
            m_judge.refuse(CheckLevel::Parse, "R13", "R13.size", pointer, {{"key", shownKey(pointer)}, {"value", toJson(from)}, {"expected", describeType(type, m_zh)}});
            return false;
        }
        if (plain.kind == TypeFacts::Kind::Object) {
            m_judge.refuse(CheckLevel::Parse, "R13", "R13.script", pointer, {{"key", shownKey(pointer)}, {"value", toJson(from)}}, patchRemove(pointer));
            return false;
        }
        if (const std::string whole = meant.empty() ? wholeMeant(type, from) : std::string(); !whole.empty()) {
            m_judge.refuse(CheckLevel::Parse, "R13", from.isString() ? "R13.amount" : "R13.fraction", pointer, {{"key", shownKey(pointer)}, {"value", toJson(from)}, {"becomes", whole}}, patchReplace(pointer, whole));
            return false;
        }
        const bool quotedNumber = from.isString() && !meant.empty() && (meant.front() == '-' || (meant.front() >= '0' && meant.front() <= '9'));
        const bool outside = type.kind == TypeFacts::Kind::Enum && (type.intEnum ? from.isNumber() && !from.isBool() : from.isString());  // the right type, another value
        if (CheckFinding* finding =
                m_judge.refuse(CheckLevel::Parse, type.kind == TypeFacts::Kind::Enum && type.intEnum ? "R18" : "R13",
                               from.isNull() ? "R13.null" : outside ? "R13.values" : quotedNumber ? "R13.type.quoted" : "R13.type", pointer,
                               {{"key", shownKey(pointer)}, {"value", toJson(from)}, {"expected", guess && !meant.empty() ? meant : describeType(type, m_zh)}, {"becomes", meant}},
                               meant.empty() ? (from.isNull() ? patchRemove(pointer) : std::string()) : patchReplace(pointer, meant))) {
            finding->safe = !meant.empty() && !guess;  // the same word or number, spelled as DeepSpeed takes it
            if (outside && pointer == "/zero_optimization/stage") {
                finding->message += messageText(m_judge.context.language, "R18.stages", {});
            }
        }
        return false;
    }

    bool refuseRange(const TypeFacts& type, const ConfigValue& from, const std::string& pointer)
    {
        m_judge.refuse(CheckLevel::Parse, "R13", "R13.range", pointer, {{"key", shownKey(pointer)}, {"value", toJson(from)}, {"expected", describeType(type, m_zh)}});
        return false;
    }

    /// An old switch with what belongs in the section that has taken its place: refused, and moved there.
    bool oldSwitch(const ModelFacts& facts, const FieldFacts& field, const ConfigValue& all, const ConfigMember& member, const std::string& pointer)
    {
        const FieldFacts* target = facts.findField(field.replacedBy);
        const bool section = target != nullptr && target->type.kind == TypeFacts::Kind::Optional && target->type.of[0].kind == TypeFacts::Kind::Model;
        const bool named = member.value.isString("cpu") || member.value.isString("nvme") || member.value.isString("none");
        if (!section || !(member.value.isObject() || named)) {
            return false;
        }
        const std::string name = target->alias.empty() ? target->name : target->alias;
        const std::string at = pointer + "/" + pointerToken(member.key);
        const ConfigMember* held = all.findMember(target->name) != nullptr ? all.findMember(target->name) : all.findMember(name);
        const std::string json = named ? R"({"device": )" + toJson(member.value) + "}" : toJson(member.value);
        m_judge.refuse(CheckLevel::Parse, "R13", "R13.switch", at, {{"key", shownKey(at)}, {"value", toJson(member.value)}, {"new", name}},
                       held != nullptr ? (saysNoMore(member.value, held->value) ? patchRemove(at) : std::string()) : R"([{"op": "remove", "path": ")" + at + R"("}, {"op": "add", "path": ")" + pointer + "/" + name + R"(", "value": )" + json + "}]");
        return true;
    }

    /// Deprecated fields: a warning, and the value moves to the new field, which must not be given as well (R20, R21).
    bool deprecated(const ModelFacts& facts, const ConfigValue& value, const std::string& pointer, const std::set<std::string>& given, ConfigValue& out)
    {
        for (const FieldFacts& field : facts.fields) {
            if (!field.deprecated || given.count(field.name) == 0) {
                continue;
            }
            const ConfigMember* member = value.findMember(field.name);
            const std::string at = pointer + "/" + (member == nullptr ? field.alias : field.name);
            if (!field.setsReplacement) {
                m_judge.warn(CheckLevel::Parse, "R21", "R21", at, {{"key", shownKey(at)}, {"new", field.replacedBy}}, field.name == "cpu_offload_use_pin_memory" ? pinnedFix(value, at) : patchRemove(at));
                continue;
            }
            if (given.count(field.replacedBy) > 0) {
                const FieldFacts* beside = facts.findField(field.replacedBy);
                const auto other = std::find_if(value.members.begin(), value.members.end(), [&](const ConfigMember& each) { return beside != nullptr && facts.findField(each.key) == beside; });
                const ConfigValue* mine = value.find(at.substr(at.rfind('/') + 1));
                // A switch that is on beside a section that is off: taking out either decides which is meant. Of two values the new name's is the one that stays.
                const bool spare = mine == nullptr || other == value.members.end() || !other->value.isObject() || saysNoMore(*mine, other->value);
                CheckFinding* const told = m_judge.refuse(CheckLevel::Parse, "R20", "R20.both", at, {{"key", shownKey(at)}, {"new", other == value.members.end() ? field.replacedBy : other->key}}, spare ? patchRemove(at) : std::string(), Judge::At::Key);
                if (told != nullptr) {
                    told->safe = mine != nullptr && other != value.members.end() && toJson(*mine) == toJson(other->value);   // else which of them is meant is not known
                }
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
            const ConfigValue* pinned = section && json != "null" ? value.find("cpu_offload_use_pin_memory") : nullptr;
            const std::string written = pinned != nullptr && pythonTruth(*pinned) ? R"({"device": "cpu", "pin_memory": true})" : json;
            const bool off = section && json == "null";   // of a section, as good as not written
            if (CheckFinding* told = m_judge.warn(CheckLevel::Parse, "R20", off ? "R20.off" : "R20", at, {{"key", shownKey(at)}, {"new", name}, {"value", json}},
                                                  off ? patchRemove(at) : R"([{"op": "remove", "path": ")" + at + R"("}, {"op": "add", "path": ")" + pointer + "/" + name + R"(", "value": )" + written + "}]")) {
                told->safe = written == json;
            }
            out.set(field.replacedBy, std::move(moved));
        }
        return true;
    }

    Judge& m_judge;
    bool m_zh;
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
