// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/key_schema.h"

#include "config/json_document.h"
#include "config/key_releases.h"
#include "config/release_facts.h"
#include "config/schema_probe.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace stagecraft {

namespace {

using Schema = nlohmann::ordered_json;

Schema typeSchema(const CatalogKey& key, KeyType type)
{
    Schema schema = Schema::object();
    const auto listOf = [](const char* item) { return Schema{{"type", "array"}, {"items", {{"type", item}}}}; };
    switch (type) {
    case KeyType::Bool: return {{"type", "boolean"}};
    case KeyType::Int: schema["type"] = "number"; schema["multipleOf"] = 1; break;  // 5e8 and 2.0 are integers to DeepSpeed
    case KeyType::Float: schema["type"] = "number"; break;
    case KeyType::String: case KeyType::Path: return {{"type", "string"}};
    case KeyType::Enum: return schema;
    case KeyType::Section: case KeyType::Object: return {{"type", "object"}};
    case KeyType::List: return {{"type", "array"}};
    case KeyType::IntList: return listOf("integer");
    case KeyType::FloatList: return listOf("number");
    case KeyType::StringList: return listOf("string");
    case KeyType::Null: return {{"type", "null"}};
    case KeyType::Any: return schema;
    }
    if (key.min)
        schema[key.minExcluded ? "exclusiveMinimum" : "minimum"] = *key.min;
    if (key.max)
        schema[key.maxExcluded ? "exclusiveMaximum" : "maximum"] = *key.max;
    return schema;
}

std::string upperCase(std::string word)
{
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return word;
}

std::string lowerCase(std::string word)
{
    std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return word;
}

/// A pattern that takes `word` in any letter case: schemas have no flag for it.
std::string anyCase(const std::string& word)
{
    std::string pattern = "^";
    for (const char c : word) {
        const auto upper = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        const auto lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        pattern += upper == lower ? std::string(1, c) : std::string("[") + upper + lower + "]";
    }
    return pattern + "$";
}

/// The words pydantic reads as a switch, in any letter case.
std::string switchWords()
{
    std::string all = "^(";
    for (const char* text : {"1", "0", "on", "off", "t", "f", "true", "false", "y", "n", "yes", "no"}) {
        const std::string one = anyCase(text);
        all += (all.size() > 2 ? "|" : "") + one.substr(1, one.size() - 2);
    }
    return all + ")$";
}

/// {"strict": true}: every pydantic section takes it as an argument of its own.
ConfigValue strictSection()
{
    ConfigValue section = ConfigValue::ofObject();
    section.set("strict", ConfigValue::ofBool(true));
    return section;
}

ConfigValue listOf(ConfigValue item)
{
    ConfigValue list;
    list.kind = ConfigValue::Kind::List;
    list.items.push_back(std::move(item));
    return list;
}

/// Adds the kinds of value that a training runs with at a key which no class of the release looks at while it parses.
void addKindsThatRun(const CatalogKey& key, const SchemaProbe& probe, std::vector<Schema>& forms)
{
    ConfigValue entry = ConfigValue::ofObject();
    entry.set("x", ConfigValue::ofInt(1));
    const bool ofAnyTruth = key.pointer.starts_with("/optimizer/params/") && key.types.front() == KeyType::Bool;
    if (key.pointer == "/optimizer/params/lr" || ofAnyTruth || key.pointer.starts_with("/scheduler/params/")) {
        // A schedule writes over a rate, and of the rest it hangs on the class that is built. A section for a number is never filled in.
        const bool isNumber = key.types.front() == KeyType::Float || key.types.front() == KeyType::Int;
        forms.push_back(isNumber && key.pointer != "/optimizer/params/lr" && !probe.runs(key, entry) ? Schema{{"not", {{"type", "object"}}}} : Schema::object());
        return;
    }
    const std::vector<std::pair<const char*, std::vector<ConfigValue>>> kinds{
        {"null", {ConfigValue()}}, {"boolean", {ConfigValue::ofBool(true)}}, {"number", {ConfigValue::ofFloat(0.5), ConfigValue::ofFloat(1.5), ConfigValue::ofInt(1), ConfigValue::ofInt(-1)}},
        {"string", {ConfigValue::ofString("no such word")}}, {"array", {listOf(ConfigValue::ofString("x"))}}, {"object", {entry}}};
    std::vector<Schema> running;
    for (const auto& [type, values] : kinds)
        if (std::all_of(values.begin(), values.end(), [&](const ConfigValue& value) { return probe.runs(key, value); }))
            running.push_back({{"type", type}});
    if (running.size() == kinds.size()) {
        forms.push_back(Schema::object());
        return;
    }
    forms.insert(forms.end(), running.begin(), running.end());
    ConfigValue pair = listOf(ConfigValue::ofBool(true));
    pair.items.push_back(ConfigValue::ofBool(true));
    if (key.types.front() == KeyType::FloatList && probe.runs(key, pair)) forms.push_back({{"type", "array"}, {"items", {{"type", "boolean"}}}});  // 1 to Python
    if (key.types.front() != KeyType::Enum) return;
    // Words in another spelling: letter case, and the long names of number formats.
    for (const std::string& value : key.values)
        if (const Schema word = Schema::parse(value); word.is_string() && probe.runs(key, ConfigValue::ofString(upperCase(word.get<std::string>()))))
            forms.push_back({{"type", "string"}, {"pattern", anyCase(word.get<std::string>())}});
    Schema formats = Schema::array();
    for (const char* name : {"float32", "float", "float16", "half", "bfloat16", "int8"})
        if (std::find(key.values.begin(), key.values.end(), "\"fp32\"") != key.values.end() && probe.runs(key, ConfigValue::ofString(name))) formats.push_back(name);
    if (!formats.empty()) forms.push_back({{"enum", formats}});
}

/// Loosens the forms of `key` to all that DeepSpeed takes there while it parses: numbers and switches written as words, null,
/// "auto", and whatever it does not look at.
void loosen(const CatalogKey& key, const SchemaProbe& probe, std::vector<Schema>& forms)
{
    // A switch that asks for more keys once it is on is refused for those, not for the way it was put on.
    const auto takes = [&](const ConfigValue& value) { return probe.takes(key, value) || (key.types.front() == KeyType::Bool && probe.actsAsTrue(key, value)); };
    const auto word = [&](const char* text) { return takes(ConfigValue::ofString(text)); };
    const auto whole = [&](std::int64_t number) { return takes(ConfigValue::ofInt(number)); };
    ConfigValue entry = ConfigValue::ofObject();
    entry.set("x", ConfigValue::ofInt(1));
    const bool null = takes({}), anyWord = word("no such word"), list = takes(listOf(ConfigValue::ofString("x"))), object = takes(entry);
    const bool fraction = takes(ConfigValue::ofFloat(0.5)) || takes(ConfigValue::ofFloat(1.5)), negative = whole(-1), yes = takes(ConfigValue::ofBool(true));
    const bool isSection = key.isSection() || key.types.front() == KeyType::Object;
    if (null && anyWord && list && object && fraction && negative && yes) {
        // No class looks at it while it parses: what a training then fails at is refused here too. A section's members are described
        // beside its forms.
        if (isSection)
            forms.clear();
        else
            addKindsThatRun(key, probe, forms);
        return;
    }
    if (null) forms.push_back({{"type", "null"}});
    if (yes) forms.push_back({{"type", "boolean"}});
    if (list) forms.push_back({{"type", "array"}});
    if (object && !isSection) forms.push_back({{"type", "object"}});
    if (fraction || (whole(1) && whole(2))) {
        Schema number = {{"type", "number"}};
        if (!fraction) number["multipleOf"] = 1;
        const std::int64_t below = key.min ? static_cast<std::int64_t>(std::floor(*key.min)) - 1 : -1;
        if (key.min && !whole(below) && takes(ConfigValue::ofFloat(*key.min - 0.5))) number["exclusiveMinimum"] = below;  // any part of one is enough
        else if (key.min && !whole(below)) number[key.minExcluded && !takes(ConfigValue::ofFloat(*key.min)) ? "exclusiveMinimum" : "minimum"] = *key.min;
        else if (below >= 0 && !negative) number["minimum"] = 0;  // the release draws the line lower than the newest
        if (key.max && !whole(static_cast<std::int64_t>(std::ceil(*key.max)) + 1)) number[key.maxExcluded && !takes(ConfigValue::ofFloat(*key.max)) ? "exclusiveMaximum" : "maximum"] = *key.max;
        forms.push_back(std::move(number));
    } else if (whole(0) || whole(1)) {
        for (int number = 0; number <= 3; ++number)
            if (whole(number)) forms.push_back({{"const", number}});
    }
    if (anyWord) {
        forms.push_back({{"type", "string"}});
        return;
    }
    if (word("auto")) forms.push_back({{"const", "auto"}});
    if (word("1.5")) forms.push_back({{"type", "string"}, {"pattern", R"(^\s*[-+]?([0-9_]+\.?[0-9_]*|\.[0-9_]+)([eE][-+]?[0-9]+)?\s*$)"}});
    else if (word("0.5")) forms.push_back({{"type", "string"}, {"pattern", R"(^\s*\+?(0*\.[0-9_]+|0+\.?|0*1(\.0*)?|[0-9_]*\.?[0-9_]+[eE]-[0-9]+)\s*$)"}});  // a share
    else if (word("1") && word("2")) forms.push_back({{"type", "string"}, {"pattern", R"(^\s*[-+]?[0-9_]+(\.0*)?\s*$)"}});
    else if (word("1")) forms.push_back({{"type", "string"}, {"pattern", switchWords()}});
}

/// Whether the release refuses the key whatever it holds: one that it no longer has, or not yet.
bool refusedAlways(const CatalogKey& key, const SchemaProbe& probe)
{
    const bool early = key.removedIn.empty() && !keyIn(key, probe.release().version).known;
    ConfigValue entry = ConfigValue::ofObject();
    entry.set("x", ConfigValue::ofInt(1));
    ConfigValue off = ConfigValue::ofObject();
    off.set("enabled", ConfigValue::ofBool(false));
    const std::array values{off, ConfigValue(), ConfigValue::ofBool(true), ConfigValue::ofBool(false), ConfigValue::ofInt(0), ConfigValue::ofInt(2), ConfigValue::ofString("auto"), ConfigValue::ofObject(), listOf(entry), entry};
    // An unknown key is dropped for the word "auto": no editor should offer that.
    return (!key.removedIn.empty() || early) && key.when.empty() && std::none_of(values.begin(), values.end(), [&](const ConfigValue& value) { return !(early && value.isString("auto")) && probe.takes(key, value); });
}

/// The optimizers the release has, of those DeepSpeed ever had.
bool isOffered(const CatalogKey& key, const ReleaseFacts& release, const std::string& word)
{
    if (key.pointer != "/optimizer/type") return true;
    return release.optimizers.count(lowerCase(word)) > 0 || release.torchOptimizers.count(word) > 0;
}

/// Whether the release still has a key that newer ones have dropped.
bool outlived(const CatalogKey& key, const ReleaseFacts& release)
{
    bool exact = true;
    const auto dropped = key.removedIn.empty() ? Result<const ReleaseFacts*>(Error{}) : findRelease(key.removedIn, exact);
    return dropped.hasValue() && release.number < dropped.value()->number;
}

Schema keySchema(const CatalogKey& key, std::string_view language, const SchemaProbe& probe)
{
    if (outlived(key, probe.release()))  // named for completion; what it may hold is the check's to say
        return {{"description", key.what.in(language)}, {"deprecated", true}};
    if (refusedAlways(key, probe))
        return {{"not", Schema::object()}, {"description", key.what.in(language)}, {"deprecated", true}};
    std::vector<Schema> forms;
    for (const KeyType type : key.types) {
        Schema form = typeSchema(key, type);
        if (type == KeyType::Enum || (type == KeyType::StringList && !key.values.empty())) {
            Schema known = Schema::array();
            for (const std::string& value : key.values)
                known.push_back(Schema::parse(value));
            if (type == KeyType::Enum)
                form["enum"] = known;
            else
                form["items"]["enum"] = known;
        }
        forms.push_back(std::move(form));
    }
    if (key.anyCase) {  // the words as listed first, for completion
        for (const std::string& value : key.values)
            forms.push_back({{"type", "string"}, {"pattern", anyCase(Schema::parse(value).get<std::string>())}});
    }
    if (key.acceptsAuto)
        forms.push_back({{"const", "auto"}});
    loosen(key, probe, forms);
    std::vector<Schema> once;
    for (Schema& form : forms)
        if (std::find(once.begin(), once.end(), form) == once.end())
            once.push_back(std::move(form));
    forms = std::move(once);
    Schema schema = forms.empty() ? Schema::object() : forms.size() == 1 ? forms.front() : Schema{{"anyOf", forms}};
    if (key.types.front() == KeyType::String && !key.values.empty()) {
        Schema examples = Schema::array();
        for (const std::string& value : key.values)
            if (Schema word = Schema::parse(value); !word.is_string() || isOffered(key, probe.release(), word.get<std::string>()))
                examples.push_back(std::move(word));
            else
                schema["not"]["anyOf"].push_back({{"type", "string"}, {"pattern", anyCase(word.get<std::string>())}});
        schema["examples"] = examples;
    }
    if (!key.what.empty())
        schema["description"] = key.what.in(language);
    if (const std::string value = defaultIn(key, probe.release().version); !value.empty())
        schema["default"] = Schema::parse(value);
    if (key.deprecated || !key.removedIn.empty())
        schema["deprecated"] = true;
    return schema;
}

/// What one key is held to only beside others: stages 1 and 2 gather from places aligned to two elements as soon as there is an
/// optimizer to step. Gradients summed in fp32 take stage 1 to a wrapper that does not. What a release makes of a fraction is its own matter.
Schema evenGatherBuckets()
{
    const Schema size = {{"anyOf", {{{"multipleOf", 2}}, {{"not", {{"multipleOf", 1}}}}}}};
    const Schema even = {{"properties", {{"zero_optimization", {{"properties", {{"allgather_bucket_size", size}}}}}}}};
    Schema rules = Schema::array();
    for (const int stage : {1, 2}) {
        Schema beside = {{"zero_optimization", {{"required", {"stage"}}, {"properties", {{"stage", {{"const", stage}}}}}}}, {"optimizer", {{"required", {"type"}}}}};
        if (stage == 1)
            beside["data_types"] = false;
        rules.push_back({{"if", {{"required", {"zero_optimization", "optimizer"}}, {"properties", beside}}}, {"then", even}});
    }
    return rules;
}

/// What the class of a named optimizer refuses: a parameter that none of its classes takes, and a rate in quotes, which only a schedule would
/// write over. The Hugging Face Trainer fills in "auto".
void addOptimizerRules(const ReleaseFacts& release, Schema& rules)
{
    const auto named = [](const Schema& type, const Schema& params, bool alone) {
        Schema beside = {{"optimizer", {{"required", {"type"}}, {"properties", {{"type", type}}}}}};
        if (alone)
            beside["scheduler"] = false;
        return Schema{{"if", {{"required", {"optimizer"}}, {"properties", beside}}}, {"then", {{"properties", {{"optimizer", {{"properties", {{"params", params}}}}}}}}}};
    };
    const auto only = [&](const Schema& type, std::set<std::string> takes, const std::vector<std::string>& classes) {
        bool known = false;
        for (const std::string& name : classes)
            if (const auto found = release.signatures.find(name); found != release.signatures.end()) {
                if (found->second.takesMore)
                    return;
                takes.insert(found->second.takes.begin(), found->second.takes.end());
                known = true;
            }
        if (known)
            rules.push_back(named(type, {{"propertyNames", {{"enum", takes}}}}, false));
    };
    only({{"type", "string"}, {"pattern", "^[Aa][Dd][Aa][Mm][Ww]?$"}}, {"torch_adam", "adam_w_mode"}, {"FusedAdam", "DeepSpeedCPUAdam", "ZenFlowCPUAdam", "torch.optim.Adam", "torch.optim.AdamW"});
    only({{"type", "string"}, {"pattern", anyCase("lion")}}, {}, {"FusedLion", "DeepSpeedCPULion"});
    only({{"type", "string"}, {"pattern", anyCase("lamb")}}, {}, {"FusedLamb"});
    for (const std::string& torch : release.torchOptimizers)  // those that DeepSpeed has no class of its own for
        if (release.optimizers.count(lowerCase(torch)) == 0)
            only({{"const", torch}}, {}, {"torch.optim." + torch});
    Schema rates = Schema::array({{{"const", "auto"}}});
    for (const char* type : {"number", "boolean", "null", "array"})
        rates.push_back({{"type", type}});
    rules.push_back(named({{"type", "string"}, {"pattern", "."}}, {{"properties", {{"lr", {{"anyOf", rates}}}}}}, true));
}

/// The names that DeepSpeed looks optimizers and schedules up by, and the parameters a schedule takes and needs: what is none of them is
/// refused as soon as the engine is built.
void addNames(const ReleaseFacts& release, Schema& root)
{
    Schema optimizers = Schema::array();
    for (const std::string& own : release.optimizers)
        optimizers.push_back({{"pattern", anyCase(own)}});
    optimizers.push_back({{"enum", release.torchOptimizers}});
    Schema schedules = release.torchSchedulers;
    for (const char* name : {"LRRangeTest", "OneCycle", "WarmupLR", "WarmupDecayLR", "WarmupCosineLR"})
        if (release.signatures.contains(name))
            schedules.push_back(name);
    for (const auto& [section, names] : {std::pair("optimizer", Schema{{"anyOf", optimizers}}), std::pair("scheduler", Schema{{"enum", schedules}})})
        root["allOf"].push_back({{"if", {{"required", {section}}, {"properties", {{section, {{"required", {"type"}}, {"properties", {{"type", {{"type", "string"}}}}}}}}}}},
                                 {"then", {{"properties", {{section, {{"properties", {{"type", names}}}}}}}}}});
    for (const Schema& name : schedules) {
        const bool torch = release.torchSchedulers.contains(name.get<std::string>());
        const auto found = release.signatures.find(torch ? "torch.lr_scheduler." + name.get<std::string>() : name.get<std::string>());
        if (found == release.signatures.end() || found->second.takesMore)
            continue;
        root["allOf"].push_back({{"if", {{"required", {"scheduler"}}, {"properties", {{"scheduler", {{"required", {"type"}}, {"properties", {{"type", {{"const", name}}}}}}}}}}},
                                 {"then", {{"properties", {{"scheduler", {{"properties", {{"params", {{"propertyNames", {{"enum", found->second.takes}}}, {"required", found->second.needs}}}}}}}}}}}});
    }
}

/// Batch sizes beside an elastic training that was not told to overrule them.
Schema noElasticBatch()
{
    const Schema on = {{"elasticity", {{"required", {"enabled"}}, {"properties", {{"enabled", {{"const", true}}}, {"ignore_non_elastic_batch_info", {{"const", false}}}}}}}};
    Schema none = Schema::object();
    for (const char* batch : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"})
        none[batch] = false;
    return {{"if", {{"required", {"elasticity"}}, {"properties", on}}}, {"then", {{"properties", none}}}};
}

/// The schema object of a section, made on the way down; "*" becomes additionalProperties.
Schema& sectionAt(Schema& root, const std::vector<std::string>& tokens, std::size_t count)
{
    Schema* at = &root;
    for (std::size_t i = 0; i < count; ++i) {
        if (tokens[i] == "*") {
            // An entry of a list or of an object with free names.
            const Schema& form = at->contains("anyOf") ? (*at)["anyOf"].front() : *at;
            const bool list = form.contains("type") && form["type"] == "array";
            Schema& rest = (*at)[list ? "items" : "additionalProperties"];
            if (!rest.is_object())
                rest = Schema::object();
            at = &rest;
        } else {
            Schema& next = (*at)["properties"][tokens[i]];
            if (next.is_null())
                next = Schema::object();
            at = &next;
        }
    }
    return *at;
}

Schema schemaOf(const KeyCatalog& catalog, const ReleaseFacts& release, std::string_view language)
{
    const SchemaProbe probe(catalog, release);
    ConfigValue unknown = ConfigValue::ofObject();
    unknown.set("no such key", ConfigValue::ofInt(1));
    Schema root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "DeepSpeed configuration"}, {"type", "object"},
                   {"properties", Schema::object()}};
    // Members that depend on a type stand in "allOf", where "additionalProperties" does not see them.
    std::set<std::string> openSections;
    std::set<std::string> later;  // sections of later releases, in one that refuses them
    for (const CatalogKey& key : catalog.keys())
        if (!key.when.empty())
            openSections.insert(key.pointer.substr(0, key.pointer.rfind('/')));
    for (const CatalogKey& key : catalog.keys()) {
        const auto tokens = pointerTokens(key.pointer);
        if (tokens->empty()) {
            root["description"] = key.what.in(language);
            continue;
        }
        if (key.reading == KeyReading::Refused && key.when.empty())  // its section is closed
            continue;
        if (std::any_of(later.begin(), later.end(), [&](const std::string& section) { return key.pointer.starts_with(section); }))
            continue;
        if (key.when.empty()) {
            Schema& parent = sectionAt(root, *tokens, tokens->size() - 1);
            const auto rest = parent.find("additionalProperties");
            if (rest != parent.end() && *rest == false && key.removedIn.empty() && refusedAlways(key, probe)) {
                later.insert(key.pointer + "/");
                continue;
            }
            Schema entry = keySchema(key, language, probe);
            Schema& place = parent["properties"][tokens->back()];
            if (place.is_object() && place.contains("properties"))
                entry["properties"] = place["properties"];
            place = std::move(entry);
            if (key.unknownKeys == "refused" && key.isSection() && !openSections.contains(key.pointer) && !probe.takes(key, unknown))
                place["additionalProperties"] = false;
            if (place.contains("additionalProperties") && probe.takes(key, strictSection()))
                place["properties"]["strict"] = Schema::object();
            const Schema same = place;  // a sibling added below moves what `place` refers to
            for (const std::string& alias : key.aliases)
                if (const auto other = pointerTokens(alias); other->size() == tokens->size())
                    sectionAt(root, *other, other->size() - 1)["properties"][other->back()] = same;
            continue;
        }
        const auto& [condition, values] = *key.when.begin();
        const auto conditionTokens = pointerTokens(condition);
        const std::size_t shared = conditionTokens->size() - 1;
        Schema& holder = sectionAt(root, *tokens, shared);
        Schema test;
        if (values.size() == 1)
            test = {{"pattern", anyCase(values.front())}};
        else
            test = {{"enum", values}};
        const Schema guard = {{"properties", {{conditionTokens->back(), test}}}, {"required", {conditionTokens->back()}}};
        Schema& rules = holder["allOf"];
        if (!rules.is_array())
            rules = Schema::array();
        auto rule = std::find_if(rules.begin(), rules.end(), [&](const Schema& r) { return r["if"] == guard; });
        if (rule == rules.end()) {
            rules.push_back({{"if", guard}, {"then", Schema::object()}});
            rule = rules.end() - 1;
        }
        const std::vector<std::string> rest(tokens->begin() + static_cast<std::ptrdiff_t>(shared), tokens->end());
        Schema& place = sectionAt((*rule)["then"], rest, rest.size() - 1);
        if (key.reading == KeyReading::Refused) {
            place["properties"][rest.back()] = {{"not", Schema::object()}, {"description", key.what.in(language)}};
            continue;
        }
        place["properties"][rest.back()] = keySchema(key, language, probe);
        if (key.required && probe.needs(key))
            place["required"].push_back(rest.back());
    }
    root["allOf"] = evenGatherBuckets();
    addOptimizerRules(release, root["allOf"]);
    addNames(release, root);
    if (!release.removedTop.contains("elasticity"))
        root["allOf"].push_back(noElasticBatch());
    return root;
}

}  // namespace

Schema dsConfigSchema(const KeyCatalog& catalog, std::string_view language)
{
    return dsConfigSchemaOf({}, catalog, language).value();
}

Result<Schema> dsConfigSchemaOf(std::string_view release, const KeyCatalog& catalog, std::string_view language)
{
    bool exact = true;
    const auto facts = findRelease(release, exact);
    if (!facts.hasValue())
        return facts.error();
    return schemaOf(catalog, *facts.value(), language);
}

}  // namespace stagecraft
