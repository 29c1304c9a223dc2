// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/key_releases.h"

#include "config/check.h"
#include "config/json_edit.h"
#include "config/key_catalog.h"
#include "config/release_facts.h"

namespace stagecraft {

namespace {

/// nullopt: the release's facts do not say.
std::optional<KeyReleases::Release> look(const ReleaseFacts& facts, const std::vector<std::string>& tokens)
{
    KeyReleases::Release answer{facts.version, false, false, {}};
    const ModelFacts* model = nullptr;
    std::string section;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const bool last = i + 1 == tokens.size();
        const std::string& token = tokens[i];
        if (model != nullptr) {
            const FieldFacts* field = model->findField(token);
            if (field == nullptr) {
                return answer;
            }
            if (last) {
                answer.known = true;
                answer.deprecated = field->deprecated;
                answer.replacedBy = field->deprecated ? field->replacedBy : std::string();
                return answer;
            }
            model = facts.modelOf(field->type);
            if (model == nullptr) {
                return std::nullopt;
            }
            continue;
        }
        const auto read = facts.read.find(section);
        const std::string below = (section.empty() ? "" : section.substr(1) + "/") + token;
        const ModelFacts* next = facts.sectionModel(below);
        if (read == facts.read.end() && next == nullptr) {
            return std::nullopt;
        }
        const bool removed = section.empty() ? facts.removedTop.count(token) > 0 : section == "/zero_optimization" && facts.removedZero.count(token) > 0;
        if (removed || (next == nullptr && read->second.count(token) == 0)) {
            return answer;
        }
        if (last) {
            answer.known = true;
            return answer;
        }
        section += "/" + token;
        model = next;
    }
    return answer;
}

/// The default that a release's facts tell; null where they say nothing.
const ConfigValue* defaultOf(const ReleaseFacts& facts, std::string_view pointer, const std::vector<std::string>& tokens)
{
    if (const auto read = facts.defaults.find(pointer); read != facts.defaults.end()) {
        return &read->second;
    }
    const ModelFacts* model = nullptr;
    std::string section;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (model == nullptr) {
            section += (section.empty() ? "" : "/") + tokens[i];
            model = facts.sectionModel(section);
            continue;
        }
        const FieldFacts* field = model->findField(tokens[i]);
        if (field == nullptr) {
            return nullptr;
        }
        if (i + 1 == tokens.size()) {
            return &field->defaultValue;
        }
        model = facts.modelOf(field->type);
        if (model == nullptr) {
            return nullptr;
        }
    }
    return nullptr;
}

bool sameValue(const ConfigValue& a, const ConfigValue& b)
{
    const bool numbers = a.isNumber() && b.isNumber() && !a.isBool() && !b.isBool();
    return numbers ? a.asDouble() == b.asDouble() : toJson(a) == toJson(b);
}

}  // namespace

std::string defaultIn(const CatalogKey& key, std::string_view release)
{
    bool exact = false;
    const auto facts = findRelease(release, exact), newest = findRelease({}, exact);
    const auto tokens = pointerTokens(key.pointer);
    // Parameters that depend on a type go to a Python class; the releases' facts do not hold those.
    if (!facts.hasValue() || !newest.hasValue() || facts.value() == newest.value() || !tokens || !key.when.empty()) {
        return key.defaultJson;
    }
    const ConfigValue* there = defaultOf(*facts.value(), key.pointer, *tokens);
    const ConfigValue* now = defaultOf(*newest.value(), key.pointer, *tokens);
    // The catalog's words go further than a class does (a switch that follows the stage has null there): they hold as long as
    // the release and the newest say the same.
    if (there == nullptr || (now != nullptr && sameValue(*there, *now))) {
        return key.defaultJson;
    }
    return there->isNull() ? std::string() : toJson(*there);
}

std::string KeyReleases::since() const
{
    for (const Release& release : releases) {
        if (release.known) {
            return release.version;
        }
    }
    return {};
}

std::string KeyReleases::goneIn() const
{
    std::string gone;
    for (auto release = releases.rbegin(); release != releases.rend() && !release->known; ++release) {
        gone = release->version;
    }
    return since().empty() ? std::string() : gone;
}

std::string KeyReleases::deprecatedIn() const
{
    for (const Release& release : releases) {
        if (release.deprecated) {
            return release.version;
        }
    }
    return {};
}

std::optional<KeyReleases> keyReleases(std::string_view pointer)
{
    const auto tokens = pointerTokens(pointer);
    if (!tokens || tokens->empty()) {
        return std::nullopt;
    }
    KeyReleases answer;
    for (const std::string& version : knownDeepSpeedReleases()) {
        bool exact = false;
        const auto facts = findRelease(version, exact);
        if (!facts.hasValue()) {
            return std::nullopt;
        }
        const auto release = look(*facts.value(), *tokens);
        if (!release) {
            return std::nullopt;
        }
        answer.releases.push_back(*release);
    }
    // A key that no release has is not vouched for by silence: the facts may simply not list its reader.
    return answer.since().empty() ? std::nullopt : std::optional(std::move(answer));
}

}  // namespace stagecraft
