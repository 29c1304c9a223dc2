// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/preset_catalog.h"

#include "config/hjson_reader.h"
#include "config/key_releases.h"
#include "config/present_form.h"
#include "config/release_facts.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace stagecraft {

const std::vector<std::string_view>& configPresetFiles();

namespace {

CatalogText textOf(const JsonDocument& file, const std::string& pointer)
{
    const int en = file.find(pointer + "/en"), zh = file.find(pointer + "/zh");
    return {en < 0 ? std::string() : file.stringValue(en), zh < 0 ? std::string() : file.stringValue(zh)};
}

bool isLeaf(const JsonDocument& document, int id)
{
    const JsonNode& node = document.node(id);
    return node.kind != JsonKind::Object && (node.parent < 0 || document.node(node.parent).kind == JsonKind::Object);
}

/// Whether a value has a name of its own: no element of a list, nor anything inside of one.
bool isNamed(const JsonDocument& document, int id)
{
    for (int parent = document.node(id).parent; parent >= 0; parent = document.node(parent).parent)
        if (document.node(parent).kind != JsonKind::Object)
            return false;
    return document.node(id).parent >= 0;
}

/// All values that have a name, by their pointers; of a name that stands there twice the one that holds.
std::map<std::string, int> valuesOf(const JsonDocument& document)
{
    std::map<std::string, int> values;
    for (int id = 0; id < static_cast<int>(document.nodes().size()); ++id)
        if (isNamed(document, id))
            values[document.pointerOf(id)] = id;
    return values;
}

/// The sections whose params do not survive a change of type.
std::vector<std::string> staleParams(const JsonDocument& document, const ConfigPreset& preset)
{
    std::vector<std::string> stale;
    for (const std::string section : {"/optimizer", "/scheduler"}) {
        const int before = document.find(section + "/type"), after = preset.config->find(section + "/type");
        if (before < 0 || after < 0 || document.find(section + "/params") < 0)
            continue;
        if (document.stringValue(before) != preset.config->stringValue(after))
            stale.push_back(section + "/params");
    }
    return stale;
}

/// Edits a text step by step; a step that cannot be made leaves it as it was.
class Steps {
public:
    explicit Steps(const JsonDocument& document) : m_document(document) {}
    [[nodiscard]] const JsonDocument& document() const { return m_document; }
    std::optional<Error> apply(const Result<TextEdit>& edit)
    {
        if (!edit.hasValue())
            return edit.error();
        Result<JsonDocument> next = JsonDocument::parse(applyEdits(m_document.text(), {*edit}));
        if (!next.hasValue())
            return next.error();
        m_document = std::move(next).value();
        return std::nullopt;
    }

private:
    JsonDocument m_document;
};

bool isNull(const JsonDocument& document, int id) { return document.node(id).kind == JsonKind::Null; }

/// Switches of old that set another key, in the classes of the release: pointer of the switch to that of the key.
std::vector<std::pair<std::string, std::string>> replacedSwitches(const CheckContext& context)
{
    std::vector<std::pair<std::string, std::string>> found;
    bool exact = false;
    const auto facts = findRelease(context.release, exact);
    if (!facts.hasValue())
        return found;
    for (const auto& [section, name] : facts.value()->sections) {
        const ModelFacts* model = facts.value()->sectionModel(section);
        for (const FieldFacts& field : model->fields)
            if (field.deprecated && field.setsReplacement)
                found.emplace_back("/" + section + "/" + field.name, presentName("/" + section + "/" + field.replacedBy.substr(0, field.replacedBy.find('.'))));
    }
    return found;
}

/// The document with everything the preset speaks of under the name and in the form it has today, so that the preset's values
/// take its place; two names for one key would be refused.
JsonDocument inPresentWords(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context)
{
    Steps steps(document);
    for (const CatalogKey& key : KeyCatalog::standard().keys())
        for (const std::string& alias : key.aliases) {
            if (steps.document().find(alias) < 0 || preset.config->find(key.pointer) < 0)
                continue;
            if (const int there = steps.document().find(key.pointer); there >= 0 && (!key.isSection() || isNull(steps.document(), there)))
                (void)steps.apply(removeEdit(steps.document(), key.isSection() ? key.pointer : alias));
            if (steps.document().find(key.pointer) < 0 && steps.document().find(alias) >= 0)
                (void)steps.apply(renameEdit(steps.document(), alias, key.name()));
        }
    std::optional<PresentForm> present;
    for (const auto& [old, target] : replacedSwitches(context)) {
        if (steps.document().find(old) < 0 || preset.config->find(target) < 0)
            continue;
        if (!present) {
            auto form = presentForm(readStrictJson(document.toJson(0, true).dump()).root, context);
            present = form.hasValue() ? std::move(form).value() : PresentForm();
        }
        (void)steps.apply(removeEdit(steps.document(), old));
        const ConfigValue* value = &present->config;
        const auto tokens = pointerTokens(target);
        for (const std::string& token : *tokens)
            value = value == nullptr ? nullptr : value->find(token);
        if (const int there = steps.document().find(target); value != nullptr && (there < 0 || isNull(steps.document(), there)))
            (void)steps.apply(setEdit(steps.document(), target, toJson(*value)));
    }
    for (int id = 0; id < static_cast<int>(preset.config->nodes().size()); ++id) {
        const std::string section = preset.config->pointerOf(id);
        const int there = steps.document().find(section);
        if (section.empty() || preset.config->node(id).kind != JsonKind::Object || there < 0 || steps.document().node(there).kind == JsonKind::Object)
            continue;
        const std::string form = sectionForm(section, steps.document().toJson(there).dump());
        (void)steps.apply(setEdit(steps.document(), section, form.empty() ? "{}" : form));
    }
    return steps.document();
}

std::optional<std::int64_t> wholeAt(const JsonDocument& document, const char* pointer)
{
    const int id = document.find(pointer);
    const nlohmann::json value = id < 0 ? nlohmann::json() : document.toJson(id);
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

/// train_batch_size = micro x accumulation x ranks held, and would not with the preset's numbers: then it follows from them.
bool losesTotalBatch(const JsonDocument& document, const ConfigPreset& preset, std::int64_t ranks)
{
    constexpr const char* kTotal = "/train_batch_size";
    constexpr const char* kMicro = "/train_micro_batch_size_per_gpu";
    constexpr const char* kSteps = "/gradient_accumulation_steps";
    const auto total = wholeAt(document, kTotal);
    const bool sets = preset.config->find(kMicro) >= 0 || preset.config->find(kSteps) >= 0;
    if (!sets || preset.config->find(kTotal) >= 0 || !total || *total < 1 || *total > (std::int64_t{1} << 31) || ranks < 1)
        return false;
    const auto after = [&](const char* pointer) { return preset.config->find(pointer) >= 0 ? wholeAt(*preset.config, pointer) : wholeAt(document, pointer); };
    const std::int64_t micro = after(kMicro).value_or(0), steps = after(kSteps).value_or(0);
    if (micro < 0 || steps < 0 || (micro == 0 && steps == 0) || micro > *total || steps > *total || ranks > *total)
        return micro > 0 || steps > 0;
    const std::int64_t part = std::max<std::int64_t>(micro, 1) * ranks;
    return micro > 0 && steps > 0 ? *total / part != steps || *total % (part * steps) != 0 : *total % (micro > 0 ? part : steps * ranks) != 0;
}

std::vector<PresetChange> changesOf(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context)
{
    std::vector<PresetChange> changes;
    if (losesTotalBatch(document, preset, context.world))
        changes.push_back({"/train_batch_size", std::string(document.spelling(document.find("/train_batch_size"))), ""});
    for (const std::string& pointer : preset.removed)
        if (const int id = document.find(pointer); id >= 0)
            changes.push_back({pointer, std::string(document.spelling(id)), ""});
    const std::vector<std::string> stale = staleParams(document, preset);
    for (int id = 0; id < static_cast<int>(document.nodes().size()); ++id) {
        const std::string pointer = document.pointerOf(id);
        for (const std::string& section : stale)
            if (isLeaf(document, id) && pointer.starts_with(section + "/") && preset.config->find(pointer) < 0)
                changes.push_back({pointer, std::string(document.spelling(id)), ""});
    }
    for (int id = 0; id < static_cast<int>(preset.config->nodes().size()); ++id) {
        if (!isLeaf(*preset.config, id))
            continue;
        PresetChange change;
        change.pointer = preset.config->pointerOf(id);
        // Values as the preset spells them; of a list only the values, not how the preset's file lays it out.
        change.after = preset.config->node(id).kind == JsonKind::Array ? formatJson(preset.config->toJson(id), styleOf(document)) : std::string(preset.config->spelling(id));
        if (const int before = document.find(change.pointer); before >= 0) {
            change.before = std::string(document.spelling(before));
            // The same value in another spelling is no change.
            if (document.toJson(before) == preset.config->toJson(id))
                change.after = change.before;
        }
        changes.push_back(std::move(change));
    }
    return changes;
}

}  // namespace

const std::vector<ConfigPreset>& configPresets()
{
    static const std::vector<ConfigPreset> presets = [] {
        Result<std::vector<ConfigPreset>> read = parsePresets(configPresetFiles());
        if (!read.hasValue()) {
            std::fprintf(stderr, "stagecraft: %s\n", read.error().message.c_str());
            std::abort();  // compiled-in data, read by the tests: a broken build
        }
        return std::move(read).value();
    }();
    return presets;
}

bool isOfferedIn(const ConfigPreset& preset, std::string_view release)
{
    bool exact = true;
    const auto wanted = findRelease(release, exact), without = findRelease(preset.removedIn, exact);
    if (!wanted.hasValue())
        return true;
    if (!preset.removedIn.empty() && without.hasValue() && wanted.value()->number >= without.value()->number)
        return false;
    // A section that the release does not look up sets nothing there.
    const KeyCatalog& catalog = KeyCatalog::standard();
    for (int id = preset.config->node(preset.config->root()).firstChild; id >= 0; id = preset.config->node(id).next) {
        const int key = catalog.find(preset.config->pointerOf(id));
        if (key >= 0 && !keyIn(catalog.key(key), release).known)
            return false;
    }
    return true;
}

Result<std::vector<ConfigPreset>> parsePresets(const std::vector<std::string_view>& files)
{
    std::vector<ConfigPreset> presets;
    for (const std::string_view text : files) {
        const Result<JsonDocument> file = JsonDocument::parse(std::string(text), JsonSyntax::Strict);
        if (!file.hasValue())
            return file.error();
        ConfigPreset preset;
        if (const int id = file->find("/id"); id >= 0)
            preset.id = file->stringValue(id);
        if (const int id = file->find("/removedIn"); id >= 0)
            preset.removedIn = file->stringValue(id);
        preset.title = textOf(*file, "/title");
        preset.when = textOf(*file, "/when");
        const int config = file->find("/config"), removed = file->find("/remove");
        for (int id = removed < 0 ? -1 : file->node(removed).firstChild; id >= 0; id = file->node(id).next)
            preset.removed.push_back(file->stringValue(id));
        if (preset.id.empty() || preset.title.empty() || preset.when.empty() || config < 0 || file->node(config).kind != JsonKind::Object)
            return Error{ErrorCode::InvalidInput, "a preset needs \"id\", \"title\", \"when\" and an object \"config\"", {{"preset", preset.id}}};
        Result<JsonDocument> inner = JsonDocument::parse(std::string(file->spelling(config)), JsonSyntax::Strict);
        preset.config = std::make_shared<const JsonDocument>(std::move(inner).value());
        presets.push_back(std::move(preset));
    }
    return presets;
}

std::vector<PresetChange> presetChanges(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context)
{
    const Result<std::string> merged = mergePreset(document, preset, context);
    return merged.hasValue() ? presetChangesInto(document, preset, *merged) : changesOf(inPresentWords(document, preset, context), preset, context);
}

std::vector<PresetChange> presetChangesInto(const JsonDocument& document, const ConfigPreset& preset, const std::string& text)
{
    std::vector<PresetChange> changes;
    const Result<JsonDocument> merged = JsonDocument::parse(text);
    if (!merged.hasValue())
        return changes;
    const std::map<std::string, int> now = valuesOf(document), then = valuesOf(*merged);
    std::string gone;   // with a section that goes all that it holds does
    for (int id = 0; id < static_cast<int>(document.nodes().size()); ++id) {
        const std::string pointer = isNamed(document, id) ? document.pointerOf(id) : std::string();
        if (pointer.empty() || now.at(pointer) != id || then.count(pointer) != 0 || (!gone.empty() && pointer.starts_with(gone + "/")))
            continue;
        gone = pointer;
        changes.push_back({pointer, std::string(document.spelling(id)), ""});
    }
    const auto add = [&](const std::string& pointer) {
        const auto before = now.find(pointer), after = then.find(pointer);
        if (after != then.end())
            changes.push_back({pointer, before == now.end() ? std::string() : std::string(document.spelling(before->second)), std::string(merged->spelling(after->second))});
    };
    for (int id = 0; id < static_cast<int>(preset.config->nodes().size()); ++id)
        if (isLeaf(*preset.config, id))
            add(preset.config->pointerOf(id));
    // What the file said under another name moves with it.
    for (int id = 0; id < static_cast<int>(merged->nodes().size()); ++id) {
        const std::string pointer = isNamed(*merged, id) && isLeaf(*merged, id) ? merged->pointerOf(id) : std::string();
        if (pointer.empty() || then.at(pointer) != id)
            continue;
        const int of = preset.config->find(pointer);
        const auto before = now.find(pointer);
        if ((of < 0 || !isLeaf(*preset.config, of)) && (before == now.end() || document.spelling(before->second) != merged->spelling(id)))
            add(pointer);
    }
    return changes;
}

Result<std::string> mergePreset(const JsonDocument& document, const ConfigPreset& preset, const CheckContext& context)
{
    const JsonDocument present = inPresentWords(document, preset, context);
    Steps steps(present);
    for (const PresetChange& change : changesOf(present, preset, context)) {
        if (!change.changes())
            continue;
        if (const auto failed = steps.apply(change.after.empty() ? removeEdit(steps.document(), change.pointer) : setEdit(steps.document(), change.pointer, change.after)))
            return *failed;
    }
    return steps.document().text();
}

}  // namespace stagecraft
