// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/meaning.h"

#include "config/rules/misnomers.h"
#include "config/rules/misplaced.h"
#include "config/rules/optimizer_variants.h"

#include "config/json_document.h"
#include "config/key_catalog.h"
#include "config/key_releases.h"
#include "config/rules/coercion.h"

#include <algorithm>
#include <array>
#include <map>

namespace stagecraft::rules {

namespace {

std::string parentOf(const std::string& pointer) { return pointer.substr(0, pointer.rfind('/')); }
std::string keyOf(const std::string& pointer) { return unescaped(pointer.substr(pointer.rfind('/') + 1)); }

/// The pydantic class of the section at `pointer`; null where it has none in this release.
const ModelFacts* modelAt(const ReleaseFacts& facts, const std::string& pointer)
{
    const std::vector<std::string> tokens = pointerTokens(pointer).value_or(std::vector<std::string>());
    const ModelFacts* model = tokens.empty() ? nullptr : facts.sectionModel(tokens.front());
    for (std::size_t i = 1; i < tokens.size() && model != nullptr; ++i) {
        const FieldFacts* field = model->findField(tokens[i]);
        model = field == nullptr ? nullptr : facts.modelOf(field->type);
    }
    return model;
}

/// Whether this release reads `place`, given the type of optimizer or schedule that the document names.
bool isRead(const Judge& judge, const UnknownKey& unknown, const std::string& place)
{
    const std::string parent = parentOf(place), key = keyOf(place);
    if (parent == unknown.section) {
        return std::find(unknown.takes.begin(), unknown.takes.end(), key) != unknown.takes.end();
    }
    if (parent == "/optimizer/params" || parent == "/scheduler/params") {
        return takesParameter(judge, parent, key);
    }
    const ModelFacts* model = modelAt(judge.facts, parent);
    return model != nullptr ? model->findField(key) != nullptr : judge.facts.reads(parent, key);
}

/// Every place this release reads that a name without its section may stand for.
std::vector<std::string> allPlaces(const Judge& judge)
{
    std::vector<std::string> places;
    for (const char* section : {"", "/optimizer", "/scheduler", "/activation_checkpointing", "/aio", "/flops_profiler", "/data_types", "/fp16", "/bf16"}) {
        const auto known = judge.facts.read.find(section);
        if (known == judge.facts.read.end() || modelAt(judge.facts, section) != nullptr) {
            continue;
        }
        for (const std::string& key : known->second) {
            places.push_back(std::string(section) + "/" + pointerToken(key));
        }
    }
    std::vector<std::pair<std::string, const ModelFacts*>> open;
    for (const char* section : {"zero_optimization", "fp16", "bf16", "tensorboard", "wandb", "csv_monitor", "comms_logger"}) {
        open.emplace_back("/" + std::string(section), judge.facts.sectionModel(section));
    }
    while (!open.empty()) {
        const auto [at, model] = open.back();
        open.pop_back();
        if (model == nullptr) {
            continue;
        }
        for (const FieldFacts& field : model->fields) {
            const std::string place = at + "/" + pointerToken(field.alias.empty() ? field.name : field.alias);
            if (!field.deprecated) {
                places.push_back(place);
                open.emplace_back(place, judge.facts.modelOf(field.type));
            }
        }
    }
    return places;
}

/// A guess among these is told with the other: a click must not turn one precision, or one batch size, into another.
std::vector<std::string> withRival(std::vector<std::string> like)
{
    static const std::array<std::pair<const char*, const char*>, 5> kRivals{{{"/fp16", "/bf16"}, {"/bf16", "/fp16"}, {"/bfloat16", "/fp16"}, {"/train_batch_size", "/train_micro_batch_size_per_gpu"}, {"/train_micro_batch_size_per_gpu", "/train_batch_size"}}};
    for (const auto& [guess, other] : kRivals) {
        if (like.front() == guess) {
            like.emplace_back(other);
            break;
        }
    }
    return like;
}

std::string pointerOf(const UnknownKey& unknown) { return unknown.section + "/" + pointerToken(unknown.member->key); }

/// The finding with the words of `unknown`'s rule, to which the caller adds what is meant; null when there is none.
CheckFinding* finding(Judge& judge, const UnknownKey& unknown, std::string fix)
{
    const std::string at = pointerOf(unknown);
    const MessageArguments arguments{{"key", unknown.member->key}, {"section", dotted(unknown.section)}, {"optimizer", unknown.owner}};
    const std::string head = std::string(unknown.rule) + ".head";
    CheckFinding* const made = unknown.refusedAt ? judge.refuse(*unknown.refusedAt, unknown.rule, head, at, arguments, std::move(fix), Judge::At::Key)
                                                 : judge.ignoreSection(unknown.rule, head, at, unknown.member->value, arguments, std::move(fix));
    if (made != nullptr) {
        made->safe = false;
    }
    return made;
}

void add(Judge& judge, CheckFinding* made, std::string_view message, const MessageArguments& arguments)
{
    if (made != nullptr) {
        made->message += messageText(judge.context.language, message, arguments);
    }
}

/// Whether a value of this form can stand at `place`: no section where a switch or a number is, and no switch where a number is.
bool isOfItsKind(const std::string& place, const std::string& json)
{
    const int id = KeyCatalog::standard().find(place);
    if (id < 0) {
        return true;
    }
    const auto& types = KeyCatalog::standard().key(id).types;
    const auto takes = [&](std::initializer_list<KeyType> some) { return std::any_of(types.begin(), types.end(), [&](KeyType type) { return type == KeyType::Any || std::find(some.begin(), some.end(), type) != some.end(); }); };
    if (json.starts_with('{')) {
        return takes({KeyType::Section, KeyType::Object});
    }
    return (json != "true" && json != "false") || takes({KeyType::Bool, KeyType::Section});  // a section may be switched by a word of its own
}

/// One place is meant: the value goes there, in the form it has there.
/// @param sure  else the place is only told: what a likeness has in common with it may not be what was meant
void tellPlace(Judge& judge, const UnknownKey& unknown, const std::string& place, std::string_view message, const OtherName* translation, bool sure = true)
{
    const ConfigValue& value = unknown.member->value;
    Relocation move = relocate(judge, pointerOf(unknown), value, place);
    std::string json = toJson(value);
    bool known = true;
    if (translation != nullptr && translation->translates) {
        const auto found = std::find_if(translation->values.begin(), translation->values.end(), [&](const auto& each) { return each.first == json; });
        known = found != translation->values.end();
        json = known ? found->second : json;
        move.same = known && move.counts != nullptr && toJson(*move.counts) == json;
        if (move.same) {
            move.patch = patchRemove(pointerOf(unknown));
        }
        if (known && move.counts == nullptr && move.patch.find(R"("move")") != std::string::npos && json != toJson(value)) {
            move.patch = move.patch.substr(0, move.patch.size() - 1) + ", " + patchReplace(place, json).substr(1);
        }
    }
    const bool moves = move.patch.find(R"("move")") != std::string::npos;
    // "zero3": {...} says its stage in its name.
    const char last = unknown.member->key.empty() ? ' ' : unknown.member->key.back();
    if (moves && place == "/zero_optimization" && last >= '1' && last <= '3' && value.isObject() && value.find("stage") == nullptr) {
        move.patch = move.patch.substr(0, move.patch.size() - 1) + ", " + patchAdd(place + "/stage", std::string(1, last)).substr(1);
    } else if (moves && value.isObject() && value.members.empty()) {  // an empty section says nothing there either, where its name does not
        move.patch = patchRemove(pointerOf(unknown));
    }
    const bool goes = moves ? known && sure && isOfItsKind(place, json) : move.same || (move.counts == nullptr ? asksForNothing(value) : yieldsTo(value, *move.counts));  // what holds the place is told beside it
    CheckFinding* const made = finding(judge, unknown, goes ? move.patch : std::string());
    MessageArguments arguments{{"place", dotted(place)}, {"becomes", json}, {"value", toJson(value)}};
    if (const std::size_t dot = unknown.member->key.rfind('.'); dot != std::string::npos && unknown.member->key == dotted(place)) {
        message = "meant.dotted";
        arguments.emplace_back("section", unknown.member->key.substr(0, dot));
        arguments.emplace_back("leaf", unknown.member->key.substr(dot + 1));
    }
    add(judge, made, message, arguments);
    if (move.counts != nullptr) {
        arguments.emplace_back("held", toJson(*move.counts));
        add(judge, made, move.same ? "meant.same" : move.counts->isObject() == value.isObject() ? "meant.taken" : "meant.taken.section", arguments);
    } else if (move.instead != nullptr) {
        arguments.emplace_back("parent", dotted(move.insteadAt));
        arguments.emplace_back("instead", toJson(*move.instead));
        add(judge, made, "meant.blocked", arguments);
    } else if (!known) {
        add(judge, made, "meant.other_value", arguments);
    } else if (json != toJson(value)) {
        add(judge, made, "meant.write", arguments);
    }
    if (made != nullptr && move.same) {
        made->safe = true;
    }
}

/// Most places that one sentence names.
constexpr std::size_t kMostPlaces = 4;

std::string listed(const std::vector<std::string>& words)
{
    std::string out;
    for (const std::string& word : words) {
        out += (out.empty() ? "" : ", ") + word;
    }
    return out;
}

/// The types of optimizer or schedule that have the key; empty where it depends on none.
std::vector<std::string> typesOf(const CatalogKey& key)
{
    for (const auto& [condition, values] : key.when) {
        if (condition == "/optimizer/type" || condition == "/scheduler/type") {
            return values;
        }
    }
    return {};
}

/// Says of a key that is a setting somewhere else where that is, from the catalog of all keys. @return false where no place has one of its name
bool tellElsewhere(Judge& judge, const UnknownKey& unknown, const std::string& fix)
{
    static const std::multimap<std::string, std::pair<int, std::string>> kByName = [] {
        std::multimap<std::string, std::pair<int, std::string>> names;
        const auto& keys = KeyCatalog::standard().keys();
        for (std::size_t id = 0; id < keys.size(); ++id) {
            names.emplace(keyOf(keys[id].pointer), std::pair(static_cast<int>(id), keys[id].pointer));
            for (const std::string& alias : keys[id].aliases) {
                names.emplace(keyOf(alias), std::pair(static_cast<int>(id), alias));
            }
        }
        return names;
    }();
    std::vector<std::string> places, types, gone, goneTypes;
    std::map<std::string, std::vector<std::string>> at;  // place -> the types that take it there
    for (auto [each, end] = kByName.equal_range(unknown.member->key); each != end; ++each) {
        const auto& [id, pointer] = each->second;
        const CatalogKey& key = KeyCatalog::standard().key(id);
        const std::vector<std::string> of = typesOf(key);
        if (const KeyInRelease now = keyIn(key, judge.facts.version); !now.known || now.reading == KeyReading::Refused) {
            gone.push_back(dotted(pointer));
            goneTypes.insert(goneTypes.end(), of.begin(), of.end());
        } else if (parentOf(pointer) == unknown.section) {
            types.insert(types.end(), of.begin(), of.end());
        } else {
            std::vector<std::string>& here = at[dotted(pointer)];
            here.insert(here.end(), of.begin(), of.end());
        }
    }
    for (const auto& [place, of] : at) {
        places.push_back(place + (of.empty() ? "" : " (" + listed(of) + ")"));
    }
    const auto tell = [&](const char* message, const std::vector<std::string>& words) { add(judge, finding(judge, unknown, fix), message, {{"words", listed(words)}, {"release", judge.facts.version}}); };
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    if (unknown.section == "/optimizer/params") {  // a type is made by several classes, and each takes other parameters
        const ParameterTakers takers = takersOf(judge, unknown.member->key, unknown.owner, types);
        if (!takers.ownMessage.empty()) {
            tell(takers.ownMessage.c_str(), {unknown.owner});
            return true;
        }
        types = takers.others;
    }
    if (!types.empty()) {
        static constexpr std::array kRates{"warmup_max_lr", "warmup_min_lr", "cycle_max_lr", "cycle_min_lr"};
        const bool cosine = unknown.owner == "WarmupCosineLR" && std::find(kRates.begin(), kRates.end(), unknown.member->key) != kRates.end();
        tell(cosine ? "meant.cosine" : "meant.type", types);
    } else if (places.size() > kMostPlaces) {
        tell("meant.common", {});
    } else if (!places.empty()) {
        tell("meant.elsewhere", places);
    } else if (!goneTypes.empty() && std::find(goneTypes.begin(), goneTypes.end(), unknown.owner) == goneTypes.end()) {
        std::sort(goneTypes.begin(), goneTypes.end());
        goneTypes.erase(std::unique(goneTypes.begin(), goneTypes.end()), goneTypes.end());
        tell("meant.gone.types", goneTypes);
    } else if (!gone.empty()) {
        gone.resize(std::min(gone.size(), kMostPlaces));
        tell("meant.gone", gone);
    } else {
        return false;
    }
    return true;
}

/// Words that `key` is as near to as to each other: which is meant, nobody can tell.
std::vector<std::string> rivals(const std::string& key, const std::vector<std::string>& words)
{
    std::vector<std::string> near = nearestWords(key, words, 0);
    if (std::any_of(near.begin(), near.end(), [](const std::string& word) { return word == "fp16" || word == "bf16"; })) {
        near = nearestWords(key, {"fp16", "bf16"}, 1);
    }
    return near.size() > 1 ? near : std::vector<std::string>();
}

}  // namespace

void keepUnasked(CheckFinding* finding)
{
    if (finding != nullptr) {
        finding->safe = false;
    }
}

bool asksForNothing(const ConfigValue& value)
{
    switch (value.kind) {
    case ConfigValue::Kind::Null: return true;
    case ConfigValue::Kind::Bool: return !value.boolean;
    case ConfigValue::Kind::String: return value.text.empty() || value.text == "none";
    case ConfigValue::Kind::List: return value.items.empty();
    case ConfigValue::Kind::Object: {
        const ConfigValue* on = value.find("enabled");
        return value.members.empty() || (on != nullptr && on->isBool() && !on->boolean);
    }
    case ConfigValue::Kind::Int:
    case ConfigValue::Kind::Float: return false;
    }
    return false;
}

bool yieldsTo(const ConfigValue& value, const ConfigValue& held)
{
    return asksForNothing(value) && !(value.isBool() && held.isBool() && value.boolean != held.boolean);
}

bool tellOtherName(Judge& judge, const UnknownKey& unknown)
{
    const std::string& key = unknown.member->key;
    const std::string plain = inPlainLetters(key);
    const std::size_t begin = key.find_first_not_of(" \t"), end = key.find_last_not_of(" \t");
    const bool blanks = begin != std::string::npos && key.substr(begin, end - begin + 1) == plain;
    if (plain != key && std::find(unknown.takes.begin(), unknown.takes.end(), plain) != unknown.takes.end()) {
        std::string unquoted = key;   // of a name without its first quote the second is a letter like others
        std::erase_if(unquoted, [](char c) { return c == '"' || c == '\''; });
        tellPlace(judge, unknown, unknown.section + "/" + pointerToken(plain), blanks ? "meant.blank" : unquoted == plain ? "meant.quote" : "meant.letters", nullptr);
        return true;
    }
    // "fp16": {"fp16": true} and "optimizer": {"optimizer": "AdamW"} say by the section's own name what its switch or its type says.
    const auto says = [&](const char* name) { return std::find(unknown.takes.begin(), unknown.takes.end(), name) != unknown.takes.end(); };
    const char* own = keyOf(unknown.section) != plain ? nullptr : unknown.member->value.isBool() && says("enabled") ? "enabled" : unknown.member->value.isString() && says("type") ? "type" : nullptr;
    if (own != nullptr) {
        tellPlace(judge, unknown, unknown.section + "/" + own, "meant.place", nullptr);
        return true;
    }
    if (!unknown.section.empty() && keyOf(unknown.section) == plain && unknown.member->value.isObject()) {
        add(judge, finding(judge, unknown, {}), "meant.nested", {{"place", dotted(unknown.section)}});
        return true;
    }
    const OtherName* meant = nullptr;
    for (const OtherName* other : otherNames(unknown.section, plain)) {
        if (other->place.find(' ') != std::string::npos) {
            add(judge, finding(judge, unknown, {}), "meant.several", {{"words", other->place.substr(1)}});
            return true;
        }
        // A name may have two meanings, by the type of its value: true, or the name of a device.
        const bool fits = meant == nullptr || std::any_of(other->values.begin(), other->values.end(), [&](const auto& each) { return each.first == toJson(unknown.member->value); });
        if (fits && other->place != pointerOf(unknown) && other->place != unknown.section && isRead(judge, unknown, other->place)) {
            meant = other;
        }
    }
    if (meant == nullptr) {
        return false;
    }
    tellPlace(judge, unknown, meant->place, "meant.place", meant);
    return true;
}

void tellUnknown(Judge& judge, const UnknownKey& unknown)
{
    const ConfigValue& value = unknown.member->value;
    const std::string& key = unknown.member->key;
    const ForeignKey inSection = foreignKey(unknown.section + " " + key);
    const ForeignKey foreign = inSection != ForeignKey::None ? inSection : foreignKey(key);
    const bool strict = unknown.refusedAt.has_value();
    if (foreign != ForeignKey::None) {
        const bool note = foreign == ForeignKey::Editor || foreign == ForeignKey::Note;
        CheckFinding* const made = finding(judge, unknown, (strict && note) || asksForNothing(value) ? patchRemove(pointerOf(unknown)) : std::string());
        add(judge, made, note ? (strict ? "meant.note.strict" : foreign == ForeignKey::Editor ? "meant.schema" : "meant.note") : foreign == ForeignKey::Script ? (strict ? "meant.script.strict" : "meant.script") : strict ? "meant.launcher.strict" : "meant.launcher", {});
        if (made != nullptr && note && !strict) {
            made->severity = CheckSeverity::Info;
        }
        return;
    }
    // What another optimizer has under this very name is meant, and not what is spelled like it.
    const bool parameter = unknown.section == "/optimizer/params" && takesParameter(judge, unknown.section, key);
    if (!judge.full() && !parameter) {
        std::vector<std::string> others = unknown.takes;
        std::erase(others, key);
        std::vector<std::string> like = likeByParts(key, others, false);
        if (const ModelFacts* model = modelAt(judge.facts, unknown.section); model != nullptr && value.isNumber() && !value.isBool()) {
            std::erase_if(like, [&](const std::string& each) { return model->findField(each) != nullptr && model->findField(each)->type.kind == TypeFacts::Kind::Bool; });
        }
        like = like.empty() ? rivals(key, unknown.takes) : like;
        for (std::string& each : like) {
            each = unknown.section + "/" + pointerToken(each);
        }
        if (like.empty()) {
            like = likeByParts(key, allPlaces(judge), true);
            std::erase_if(like, [&](const std::string& each) { return each == pointerOf(unknown) || each == unknown.section; });
        }
        if (like.size() == 1) {
            like = withRival(std::move(like));
        }
        if (like.size() == 1) {
            tellPlace(judge, unknown, like.front(), "meant.likely", nullptr, !likeByParts(key, {keyOf(like.front())}, true).empty());
            return;
        }
        if (!like.empty() && like.size() <= 6) {
            std::string words;
            for (const std::string& each : like) {
                words += (words.empty() ? "" : ", ") + dotted(each);
            }
            add(judge, finding(judge, unknown, asksForNothing(value) ? patchRemove(pointerOf(unknown)) : std::string()), "meant.several", {{"words", words}});
            return;
        }
    }
    // Of a section, "enabled": true asks for no more than it has; false asks for what removing it does not do.
    const bool spare = key == "enabled" && value.isBool() ? value.boolean : asksForNothing(value);
    if (const std::string fix = spare ? patchRemove(pointerOf(unknown)) : std::string(); !tellElsewhere(judge, unknown, fix)) {
        add(judge, finding(judge, unknown, fix), strict ? "meant.nothing.strict" : "meant.nothing", {});
    }
}

}  // namespace stagecraft::rules
