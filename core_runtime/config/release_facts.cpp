// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/release_facts.h"

#include "config/check.h"
#include "config/hjson_reader.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <mutex>

namespace stagecraft {

const std::vector<std::string_view>& dsConfigReleaseFiles();  // generated from configs/ds_config/releases

namespace {

using StringSet = std::set<std::string, std::less<>>;

StringSet readStrings(const ConfigValue* list)
{
    StringSet out;
    if (list != nullptr) {
        for (const ConfigValue& item : list->items) {
            out.insert(item.text);
        }
    }
    return out;
}

TypeFacts readType(const ConfigValue& from)
{
    static const std::map<std::string_view, TypeFacts::Kind> kKinds{
        {"any", TypeFacts::Kind::Any},         {"bool", TypeFacts::Kind::Bool},   {"int", TypeFacts::Kind::Int},
        {"float", TypeFacts::Kind::Float},     {"str", TypeFacts::Kind::Str},     {"path", TypeFacts::Kind::Path},
        {"enum", TypeFacts::Kind::Enum},       {"literal", TypeFacts::Kind::Literal}, {"list", TypeFacts::Kind::List},
        {"dict", TypeFacts::Kind::Dict},       {"tuple", TypeFacts::Kind::Tuple}, {"model", TypeFacts::Kind::Model},
        {"optional", TypeFacts::Kind::Optional}, {"union", TypeFacts::Kind::Union}, {"object", TypeFacts::Kind::Object}};
    TypeFacts type;
    const ConfigValue* kind = from.find("t");
    if (const auto known = kKinds.find(kind == nullptr ? "any" : std::string_view(kind->text)); known != kKinds.end()) {
        type.kind = known->second;
    }
    const auto bound = [&](const char* name) -> std::optional<double> {
        const ConfigValue* value = from.find(name);
        return value == nullptr ? std::nullopt : std::optional(value->asDouble());
    };
    type.ge = bound("ge");
    type.gt = bound("gt");
    type.le = bound("le");
    type.lt = bound("lt");
    if (const ConfigValue* model = from.find("model")) {
        type.model = model->text;
    }
    if (const ConfigValue* values = from.find("values")) {
        type.values = values->items;
    }
    if (const ConfigValue* of = from.find("of")) {
        if (of->isString()) {
            type.intEnum = of->text == "int";
        } else if (of->isObject()) {
            type.of.push_back(readType(*of));
        } else {
            for (const ConfigValue& each : of->items) {
                type.of.push_back(readType(each));
            }
        }
    }
    return type;
}

ModelFacts readModel(const ConfigValue& from)
{
    ModelFacts model;
    model.validators = readStrings(from.find("validators"));
    for (const ConfigMember& member : from.find("fields")->members) {
        FieldFacts field;
        field.name = member.key;
        if (const ConfigValue* alias = member.value.find("alias")) {
            field.alias = alias->text;
        }
        field.type = readType(*member.value.find("type"));
        if (const ConfigValue* value = member.value.find("default")) {
            field.defaultValue = *value;
        }
        if (const ConfigValue* deprecated = member.value.find("deprecated")) {
            field.deprecated = true;
            field.replacedBy = deprecated->find("new")->text;
            field.setsReplacement = deprecated->find("sets")->boolean;
        }
        model.fields.push_back(std::move(field));
    }
    return model;
}

std::optional<std::vector<int>> readVersion(std::string_view text)
{
    std::vector<int> parts;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at < end && parts.size() < 3) {
        int part = 0;
        const auto [after, error] = std::from_chars(at, end, part);
        if (error != std::errc() || part < 0) {
            return std::nullopt;
        }
        parts.push_back(part);
        at = after;
        if (at < end && *at++ != '.') {
            return std::nullopt;
        }
    }
    return at == end && parts.size() >= 2 ? std::optional(parts) : std::nullopt;
}

ReleaseFacts readFacts(std::string_view json)
{
    ReleaseFacts facts;
    const ReadText read = readStrictJson(json);
    const ConfigValue& root = read.root;
    facts.version = root.find("release")->text;
    const auto number = readVersion(facts.version).value_or(std::vector{0, 0, 0});
    std::copy_n(number.begin(), std::min<std::size_t>(3, number.size()), facts.number.begin());
    facts.pydantic = static_cast<int>(root.find("pydantic")->asInt());
    facts.optimizers = readStrings(root.find("optimizers"));
    facts.torchOptimizers = readStrings(root.find("torchOptimizers"));
    facts.torchModules = readStrings(root.find("torchModules"));
    facts.torchSchedulers = readStrings(root.find("torchSchedulers"));
    facts.removedTop = readStrings(root.find("removedTop"));
    facts.removedZero = readStrings(root.find("removedZero"));
    facts.gradientClippingDefault = *root.find("gradientClippingDefault");
    if (const ConfigValue* defaults = root.find("defaults")) {
        for (const ConfigMember& entry : defaults->members) {
            facts.defaults[entry.key] = entry.value;
        }
    }
    for (const ConfigMember& signature : root.find("signatures")->members) {
        SignatureFacts& into = facts.signatures[signature.key];
        for (const ConfigValue& name : signature.value.find("takes")->items) {
            into.takes.push_back(name.text);
        }
        for (const ConfigValue& name : signature.value.find("needs")->items) {
            into.needs.push_back(name.text);
        }
        into.takesMore = signature.value.find("more")->boolean;
    }
    for (const ConfigMember& section : root.find("read")->members) {
        facts.read[section.key] = readStrings(&section.value);
    }
    for (const ConfigMember& section : root.find("sections")->members) {
        facts.sections[section.key] = section.value.text;
    }
    for (const ConfigMember& model : root.find("models")->members) {
        facts.models[model.key] = readModel(model.value);
    }
    return facts;
}

struct KnownRelease {
    std::array<int, 3> number{};
    std::string version;
    std::string_view file;
};

/// Each file starts with `{ "release": "0.19.8", ...`: the version is read without reading the rest.
std::string releaseOf(std::string_view file)
{
    constexpr std::string_view kKey = "\"release\": \"";
    const std::size_t at = file.find(kKey);
    return at == std::string_view::npos ? std::string()
                                        : std::string(file.substr(at + kKey.size(), file.find('"', at + kKey.size()) - at - kKey.size()));
}

const std::vector<KnownRelease>& knownReleases()
{
    static const std::vector<KnownRelease> kKnown = [] {
        std::vector<KnownRelease> known;
        for (const std::string_view file : dsConfigReleaseFiles()) {
            const std::string version = releaseOf(file);
            if (const auto parts = readVersion(version); parts.has_value() && parts->size() == 3) {
                known.push_back({{(*parts)[0], (*parts)[1], (*parts)[2]}, version, file});
            }
        }
        std::sort(known.begin(), known.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
        return known;
    }();
    return kKnown;
}

/// Facts are read at first use and kept: the editor asks for the same release at every keystroke.
const ReleaseFacts& factsOf(const KnownRelease& release)
{
    static std::mutex mutex;
    static std::map<std::string_view, std::unique_ptr<const ReleaseFacts>> kept;
    const std::lock_guard lock(mutex);
    auto& slot = kept[release.version];
    if (slot == nullptr) {
        slot = std::make_unique<const ReleaseFacts>(readFacts(release.file));
    }
    return *slot;
}

}  // namespace

const FieldFacts* ModelFacts::findField(std::string_view nameOrAlias) const
{
    for (const FieldFacts& field : fields) {
        if (field.name == nameOrAlias || (!field.alias.empty() && field.alias == nameOrAlias)) {
            return &field;
        }
    }
    return nullptr;
}

bool ReleaseFacts::reads(std::string_view section, std::string_view key) const
{
    const auto found = read.find(section);
    return found != read.end() && found->second.find(key) != found->second.end();
}

const ModelFacts* ReleaseFacts::modelOf(const TypeFacts& type) const
{
    if (type.kind == TypeFacts::Kind::Model) {
        const auto found = models.find(type.model);
        return found == models.end() ? nullptr : &found->second;
    }
    for (const TypeFacts& inner : type.of) {
        if (const ModelFacts* model = modelOf(inner)) {
            return model;
        }
    }
    return nullptr;
}

const ModelFacts* ReleaseFacts::sectionModel(std::string_view section) const
{
    const auto name = sections.find(section);
    if (name == sections.end()) {
        return nullptr;
    }
    const auto model = models.find(name->second);
    return model == models.end() ? nullptr : &model->second;
}

Result<const ReleaseFacts*> findRelease(std::string_view wanted, bool& exact)
{
    const auto& known = knownReleases();
    if (known.empty()) {
        return Error{ErrorCode::NotFound, "Cannot judge a ds_config: no facts about a DeepSpeed release are built in; build again.", {}};
    }
    exact = true;
    if (wanted.empty()) {
        return &factsOf(known.back());
    }
    const bool tag = wanted.size() > 1 && wanted.front() == 'v';  // as the releases are tagged: v0.18.2
    const auto parts = readVersion(tag ? wanted.substr(1) : wanted);
    if (!parts.has_value()) {
        return Error{ErrorCode::InvalidArgument,
                     "Cannot judge for DeepSpeed \"" + std::string(wanted) + "\": that is no version; write one such as " +
                         known.back().version + " or a series such as 0.18.",
                     {{"release", std::string(wanted)}}};
    }
    const bool series = parts->size() == 2;
    const std::array<int, 3> number{(*parts)[0], (*parts)[1], series ? 1 << 20 : (*parts)[2]};
    const auto ofSeries = [&](const KnownRelease& release) { return release.number[0] == number[0] && release.number[1] == number[1]; };
    // One series changes less inside than from one to the next: the newest known that is not above it, in its series where one is known, else the first above.
    const bool seriesKnown = std::any_of(known.begin(), known.end(), ofSeries);
    const KnownRelease* best = nullptr;
    for (const KnownRelease& release : known) {
        if ((!seriesKnown || ofSeries(release)) && (best == nullptr || release.number <= number)) {
            best = &release;
        }
    }
    exact = series ? best->number[0] == number[0] && best->number[1] == number[1] : best->number == number;
    return &factsOf(*best);
}

std::vector<std::string> knownDeepSpeedReleases()
{
    std::vector<std::string> versions;
    for (const KnownRelease& release : knownReleases()) {
        versions.push_back(release.version);
    }
    return versions;
}

}  // namespace stagecraft
