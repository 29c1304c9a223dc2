// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/key_catalog.h"

#include "config/config_value.h"
#include "config/json_document.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace stagecraft {

const std::vector<std::string_view>& dsConfigKeyFiles();
const std::vector<std::string_view>& dsConfigWordFiles();
const std::vector<std::string_view>& dsConfigOtherNameFiles();

namespace {

using Json = nlohmann::json;

std::optional<KeyType> typeNamed(std::string_view name)
{
    static const std::map<std::string_view, KeyType> types{
        {"bool", KeyType::Bool}, {"int", KeyType::Int}, {"float", KeyType::Float}, {"string", KeyType::String}, {"path", KeyType::Path},
        {"enum", KeyType::Enum}, {"section", KeyType::Section}, {"object", KeyType::Object}, {"list", KeyType::List},
        {"list[int]", KeyType::IntList}, {"list[float]", KeyType::FloatList}, {"list[string]", KeyType::StringList},
        {"null", KeyType::Null}, {"any", KeyType::Any}};
    const auto found = types.find(name);
    return found == types.end() ? std::nullopt : std::optional(found->second);
}

Error broken(const std::string& key, const std::string& why)
{
    return {ErrorCode::InvalidInput, "key catalog, " + (key.empty() ? std::string("root") : key) + ": " + why, {{"pointer", key}}};
}

std::string lower(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

std::string textOf(const Json& entry, const char* name)
{
    const auto found = entry.find(name);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// @return what is wrong, or empty
std::string readKey(const Json& entry, CatalogKey& key)
{
    const auto types = entry.find("type");
    if (types == entry.end())
        return "no type";
    for (const Json& name : types->is_array() ? *types : Json::array({*types})) {
        if (!name.is_string())
            return "a type is not a word";
        if (name == "auto") {
            key.acceptsAuto = true;
            continue;
        }
        const auto type = typeNamed(name.get<std::string>());
        if (!type)
            return "unknown type " + name.get<std::string>();
        key.types.push_back(*type);
    }
    if (key.types.empty())
        return "no type";
    if (entry.contains("values"))
        for (const Json& value : entry["values"])
            key.values.push_back(value.dump());
    if (entry.contains("default"))
        key.defaultJson = entry["default"].is_number_float() ? shortExponent(entry["default"].dump()) : entry["default"].dump();
    if (entry.contains("min"))
        key.min = entry["min"].get<double>();
    if (entry.contains("max"))
        key.max = entry["max"].get<double>();
    if (entry.contains("above")) {
        key.min = entry["above"].get<double>();
        key.minExcluded = true;
    }
    if (entry.contains("below")) {
        key.max = entry["below"].get<double>();
        key.maxExcluded = true;
    }
    key.anyCase = entry.value("anyCase", false);
    key.nullable = entry.value("nullable", false);
    key.unit = textOf(entry, "unit");
    key.autoFilledBy = textOf(entry, "auto");
    key.acceptsAuto = key.acceptsAuto || !key.autoFilledBy.empty();
    key.required = entry.value("required", false);
    key.deprecated = entry.value("deprecated", false);
    key.replacedBy = textOf(entry, "replacedBy");
    key.since = textOf(entry, "since");
    key.removedIn = textOf(entry, "removed");
    key.unknownKeys = textOf(entry, "unknownKeys");
    if (entry.contains("aliases"))
        key.aliases = entry["aliases"].get<std::vector<std::string>>();
    if (entry.contains("when"))
        key.when = entry["when"].get<std::map<std::string, std::vector<std::string>>>();

    const std::string reading = textOf(entry, "read");
    if (reading == "stored")
        key.reading = KeyReading::Stored;
    else if (reading == "ignored")
        key.reading = KeyReading::Ignored;
    else if (reading == "refused")
        key.reading = KeyReading::Refused;
    else if (!reading.empty())
        return "unknown \"read\": " + reading;

    const std::string engine = textOf(entry, "engine");
    if (engine == "same")
        key.engine = EngineSupport::Same;
    else if (engine == "partial")
        key.engine = EngineSupport::Partial;
    else if (engine == "none")
        key.engine = EngineSupport::None;
    else if (engine == "refused")
        key.engine = EngineSupport::Refused;
    else
        return "unknown \"engine\": " + engine;
    key.unset = {textOf(entry, "unsetEn"), textOf(entry, "unsetZh")};
    key.what = {textOf(entry, "en"), textOf(entry, "zh")};
    key.engineText = {textOf(entry, "engineEn"), textOf(entry, "engineZh")};
    key.changeText = {textOf(entry, "changeEn"), textOf(entry, "changeZh")};
    return {};
}

}  // namespace

std::string_view CatalogKey::name() const
{
    const std::size_t slash = pointer.rfind('/');
    return slash == std::string::npos ? std::string_view(pointer) : std::string_view(pointer).substr(slash + 1);
}

namespace {

/// The names that other tools have for keys, as addWords() takes them: a name that means one thing inside a section only is
/// known as that where it has several parts ("log_dir", not "path") and no key is called so.
std::string otherNamesAsWords(const KeyCatalog& catalog)
{
    Json words = Json::array();
    const Json document = Json::parse(dsConfigOtherNameFiles().front(), nullptr, false);
    for (const Json& entry : document.at("meant")) {
        const Json sections = entry.value("at", Json::array({""}));
        const bool anywhere = std::find(sections.begin(), sections.end(), Json("")) != sections.end();
        Json keys = Json::array(), names = Json::array();
        std::istringstream places(entry.at("place").get<std::string>());
        for (std::string place; places >> place;) {
            std::erase(place, ',');
            std::replace(place.begin(), place.end(), '.', '/');
            place.insert(0, place.starts_with('/') ? "" : "/");
            if (catalog.find(place) >= 0)
                keys.push_back(catalog.key(catalog.find(place)).pointer);
        }
        for (const std::string name : entry.at("names"))
            if (anywhere || (name.find('_') != std::string::npos && std::none_of(catalog.keys().begin(), catalog.keys().end(), [&](const CatalogKey& key) { return key.name() == name; })))
                names.push_back(name);
        words.push_back({{"en", names}, {"zh", Json::array()}, {"keys", keys}});
    }
    return Json{{"words", words}}.dump();
}

}  // namespace

const KeyCatalog& KeyCatalog::standard()
{
    static const KeyCatalog catalog = [] {
        Result<KeyCatalog> read = parse(dsConfigKeyFiles(), dsConfigWordFiles().front());
        if (auto bad = read.hasValue() ? read->addWords(otherNamesAsWords(*read)) : std::nullopt)
            read = *bad;
        if (!read.hasValue()) {
            // Compiled-in data: the tests read it, so this is a broken build and nothing can be done about it here.
            std::fprintf(stderr, "stagecraft: %s\n", read.error().message.c_str());
            std::abort();
        }
        return std::move(read).value();
    }();
    return catalog;
}

Result<KeyCatalog> KeyCatalog::parse(const std::vector<std::string_view>& files, std::string_view words)
{
    KeyCatalog catalog;
    for (const std::string_view file : files) {
        const Json document = Json::parse(file, nullptr, false);
        if (!document.is_object() || !document.contains("title") || !document.contains("keys"))
            return broken("", "a file is not an object with \"group\", \"title\" and \"keys\"");
        CatalogGroup group;
        group.id = textOf(document, "group");
        group.title = {textOf(document["title"], "en"), textOf(document["title"], "zh")};
        for (const Json& entry : document["keys"]) {
            CatalogKey key;
            key.pointer = textOf(entry, "key");
            key.group = static_cast<int>(catalog.m_groups.size());
            try {
                if (const std::string why = readKey(entry, key); !why.empty())
                    return broken(key.pointer, why);
            } catch (const Json::exception& wrong) {
                return broken(key.pointer, wrong.what());
            }
            if (!pointerTokens(key.pointer))
                return broken(key.pointer, "not a JSON Pointer");
            catalog.m_keys.push_back(std::move(key));
            ++group.keyCount;
        }
        catalog.m_groups.push_back(std::move(group));
    }
    catalog.index();
    if (!words.empty())
        if (auto bad = catalog.addWords(words))
            return *bad;
    return catalog;
}

std::optional<Error> KeyCatalog::addWords(std::string_view words)
{
    const Json document = Json::parse(words, nullptr, false);
    if (!document.is_object() || !document.contains("words") || !document["words"].is_array())
        return broken("", "the words are not an object with a list \"words\"");
    for (const Json& entry : document["words"]) {
        try {
            std::vector<int> keys;
            for (const std::string pointer : entry.at("keys")) {
                const std::size_t before = keys.size();
                for (int id = 0; id < static_cast<int>(m_keys.size()); ++id)
                    if (m_keys[static_cast<std::size_t>(id)].pointer == pointer)
                        keys.push_back(id);
                if (keys.size() == before)
                    return broken(pointer, "the words name a key that is not there");
            }
            for (const char* language : {"en", "zh"})
                for (const std::string said : entry.at(language)) {
                    const std::string phrase = searchPhrase(said);
                    std::vector<int>& known = m_phrases[phrase];
                    for (const int id : keys) {
                        known.push_back(id);
                        m_words[static_cast<std::size_t>(id)] += phrase + "\n";
                    }
                }
        } catch (const Json::exception& wrong) {
            return broken("", wrong.what());
        }
    }
    return std::nullopt;
}

void KeyCatalog::index()
{
    m_levels.assign(1, {});
    const auto enter = [&](const std::string& pointer) {
        int at = 0;
        const auto tokens = pointerTokens(pointer);
        for (const std::string& token : *tokens) {
            auto next = m_levels[static_cast<std::size_t>(at)].below.find(token);
            if (next == m_levels[static_cast<std::size_t>(at)].below.end()) {
                const int fresh = static_cast<int>(m_levels.size());
                next = m_levels[static_cast<std::size_t>(at)].below.emplace(token, fresh).first;
                m_levels[static_cast<std::size_t>(at)].order.push_back(fresh);
                m_levels.emplace_back();
                at = fresh;
            } else {
                at = next->second;
            }
        }
        return at;
    };
    for (int id = 0; id < static_cast<int>(m_keys.size()); ++id) {
        const CatalogKey& key = m_keys[static_cast<std::size_t>(id)];
        m_levels[static_cast<std::size_t>(enter(key.pointer))].keys.push_back(id);
        m_haystacks.push_back(lower(key.what.en + "\n" + key.what.zh + "\n" + key.engineText.en + "\n" + key.engineText.zh + "\n"
            + key.changeText.en + "\n" + key.changeText.zh));
    }
    m_words.assign(m_keys.size(), {});
    // Aliases lead to their key, after all real names have their place.
    for (int id = 0; id < static_cast<int>(m_keys.size()); ++id)
        for (const std::string& alias : std::vector<std::string>(m_keys[static_cast<std::size_t>(id)].aliases)) {
            const auto at = static_cast<std::size_t>(enter(alias));
            if (m_levels[at].keys.empty())
                m_levels[at].keys.push_back(id);
        }
}

int KeyCatalog::level(std::string_view pointer) const
{
    const auto tokens = pointerTokens(pointer);
    if (!tokens)
        return -1;
    int at = 0;
    for (const std::string& token : *tokens) {
        const auto& below = m_levels[static_cast<std::size_t>(at)].below;
        auto next = below.find(token);
        if (next == below.end())
            next = below.find("*");
        if (next == below.end())
            return -1;
        at = next->second;
    }
    return at;
}

bool KeyCatalog::applies(int id, std::string_view pointer, const JsonDocument& document) const
{
    const CatalogKey& entry = key(id);
    const auto own = pointerTokens(pointer);
    for (const auto& [condition, values] : entry.when) {
        const auto tokens = pointerTokens(condition);
        std::string place;
        for (std::size_t i = 0; i < tokens->size(); ++i)
            place += "/" + pointerToken((*tokens)[i] == "*" && own && i < own->size() ? (*own)[i] : (*tokens)[i]);
        const int node = document.find(place);
        if (node < 0)
            return false;
        const std::string value = document.node(node).kind == JsonKind::String ? document.stringValue(node) : std::string(document.spelling(node));
        // DeepSpeed lowers the names of its own optimizers; schedule names are taken as written, where the check speaks up.
        const bool any = std::any_of(values.begin(), values.end(), [&](const std::string& wanted) { return lower(wanted) == lower(value); });
        if (!any)
            return false;
    }
    return true;
}

int KeyCatalog::find(std::string_view pointer, const JsonDocument* document) const
{
    const int at = level(pointer);
    if (at < 0 || m_levels[static_cast<std::size_t>(at)].keys.empty())
        return -1;
    const std::vector<int>& candidates = m_levels[static_cast<std::size_t>(at)].keys;
    if (document)
        for (const int id : candidates)
            if (applies(id, pointer, *document))
                return id;
    return candidates.front();
}

std::vector<int> KeyCatalog::children(std::string_view section, const JsonDocument* document) const
{
    std::vector<int> out;
    const int at = level(section);
    if (at < 0)
        return out;
    for (const int child : m_levels[static_cast<std::size_t>(at)].order) {
        const std::vector<int>& candidates = m_levels[static_cast<std::size_t>(child)].keys;
        const bool conditional = std::any_of(candidates.begin(), candidates.end(), [&](int id) { return !key(id).when.empty(); });
        if (candidates.empty())
            continue;
        if (!document || !conditional) {
            out.push_back(candidates.front());
            continue;
        }
        for (const int id : candidates) {
            const std::string place = std::string(section) + "/" + std::string(key(id).name());
            if (applies(id, place, *document)) {
                out.push_back(id);
                break;
            }
        }
    }
    return out;
}

}  // namespace stagecraft
