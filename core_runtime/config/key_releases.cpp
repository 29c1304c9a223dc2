// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/key_releases.h"

#include "config/check.h"
#include "config/json_edit.h"
#include "config/key_catalog.h"
#include "config/release_facts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

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
    // Under a section's former name stands what the class of the new one holds.
    const bool renamed = key.pointer.starts_with("/bfloat16/") && !key.replacedBy.empty();
    const std::string& pointer = renamed ? key.replacedBy : key.pointer;
    const auto tokens = pointerTokens(pointer);
    // Parameters that depend on a type go to a Python class; the releases' facts do not hold those.
    if (!facts.hasValue() || !newest.hasValue() || facts.value() == newest.value() || !tokens || !key.when.empty()) {
        return key.defaultJson;
    }
    const ConfigValue* there = defaultOf(*facts.value(), pointer, *tokens);
    const ConfigValue* now = defaultOf(*newest.value(), pointer, *tokens);
    // The catalog's words go further than a class does (a switch that follows the stage has null there): they hold as long as
    // the release and the newest say the same.
    if (there == nullptr || (now != nullptr && sameValue(*there, *now))) {
        return key.defaultJson;
    }
    return there->isNull() ? std::string() : toJson(*there);
}

namespace {

/// What a release's facts alone say of a pointer.
struct Told {
    bool said = false;      ///< they reach that far
    bool known = false;
    bool removed = false;   ///< the release names it, in order to refuse it
    bool vouched = false;   ///< one of the releases has it, so that its absence from this one says something
};

Told tellOf(const ReleaseFacts& facts, const std::string& pointer)
{
    // A form asks for every key after each change of the text.
    thread_local std::map<std::pair<const ReleaseFacts*, std::string>, Told> told;
    const auto [entry, fresh] = told.try_emplace({&facts, pointer});
    if (fresh) {
        const auto tokens = pointerTokens(pointer);
        const auto release = tokens && !tokens->empty() ? look(facts, *tokens) : std::nullopt;
        if (release) {
            const std::string top = tokens->front(), zero = tokens->size() > 1 && top == "zero_optimization" ? (*tokens)[1] : std::string();
            entry->second = {true, release->known, facts.removedTop.count(top) > 0 || facts.removedZero.count(zero) > 0, keyReleases(pointer).has_value()};
        }
    }
    return entry->second;
}

int compared(std::string_view a, std::string_view b)
{
    const auto numbers = [](std::string_view version) {
        std::vector<int> parts(1, 0);
        for (const char c : version) {
            if (c == '.') parts.push_back(0);
            else if (c >= '0' && c <= '9') parts.back() = parts.back() * 10 + (c - '0');
        }
        parts.resize(4);
        return parts;
    };
    const auto x = numbers(a), y = numbers(b);
    return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace

KeyInRelease keyIn(const CatalogKey& key, std::string_view release)
{
    bool exact = false;
    const auto facts = findRelease(release, exact), newest = findRelease({}, exact);
    KeyInRelease answer{{}, true, key.reading, true};
    if (!facts.hasValue() || !newest.hasValue()) {
        return answer;
    }
    answer.release = facts.value()->version;
    const bool gone = !key.removedIn.empty() && compared(answer.release, key.removedIn) >= 0;
    const bool early = !key.since.empty() && compared(answer.release, key.since) < 0;
    const Told there = tellOf(*facts.value(), key.pointer), now = tellOf(*newest.value(), key.pointer);
    // A key that no release's facts have is none that one of them lacks: they may not list its reader.
    const bool vouched = there.said && now.said && there.vouched && key.when.empty();
    answer.known = !gone && !early && (!vouched || there.known);
    if (!answer.known) {
        answer.reading = gone || there.removed ? KeyReading::Refused : KeyReading::Ignored;
    } else if (vouched && !now.known && key.reading != KeyReading::Read) {
        answer.reading = KeyReading::Read;   // the newest release has dropped what this one reads
    }
    const bool keptByNewest = key.removedIn.empty() && (!vouched || now.known);
    answer.asNewest = facts.value() == newest.value() || (answer.known == keptByNewest && answer.reading == key.reading);
    return answer;
}

bool takesValue(const CatalogKey& key, std::string_view value, std::string_view release)
{
    bool exact = false;
    const auto facts = findRelease(release, exact);
    if (!facts.hasValue() || key.pointer != "/optimizer/type") {
        return true;
    }
    std::string name(value.substr(value.starts_with('"') ? 1 : 0));
    if (name.ends_with('"')) {
        name.pop_back();
    }
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    // torch's Muon steps matrices alone (R53): without DeepSpeed's own it is no choice.
    return facts.value()->optimizers.count(lower) > 0 || (name != "Muon" && facts.value()->torchOptimizers.count(name) > 0);
}

std::string KeyReleases::before(std::string_view version) const
{
    std::string last;
    for (const Release& release : releases) {
        if (release.version == version) {
            return last;
        }
        last = release.version;
    }
    return {};
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
