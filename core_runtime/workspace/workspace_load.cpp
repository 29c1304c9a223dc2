// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/document_reader.h"
#include "workspace/workspace.h"

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "config/inline_text.h"
#include "config/json_document.h"

#include <fmt/format.h>

#include <algorithm>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{64} << 20;

/// Puts file name and place in front of a reason: "Cannot use the workspace "a.json", line 3, column 7: ...".
Error withPlace(Error error, const std::string& file)
{
    std::string where = file.empty() ? std::string("the workspace") : fmt::format("the workspace \"{}\"", file);
    if (error.context.contains("line")) where += fmt::format(", line {}, column {}", error.context["line"], error.context["column"]);
    if (!file.empty()) error.context["path"] = file;
    if (!error.message.ends_with('.')) error.message += '.';
    error.message = fmt::format("Cannot use {}: {}", where, error.message);
    return error;
}

Error badPatch(const std::string& patch, const std::string& why)
{
    return Error{ErrorCode::InvalidArgument, fmt::format("Cannot apply --set \"{}\": {}.", patch, why), {{"set", patch}}};
}

std::vector<std::string> pointerTokens(std::string_view pointer)
{
    std::vector<std::string> tokens;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        const char c = pointer[i];
        if (c == '/') tokens.emplace_back();
        else if (c == '~' && i + 1 < pointer.size() && (pointer[i + 1] == '0' || pointer[i + 1] == '1')) tokens.back() += pointer[++i] == '0' ? '~' : '/';
        else tokens.back() += c;
    }
    return tokens;
}

/// Puts `value` at `pointer`, making objects where the way is missing. @return a reason, or empty when done
std::string putAt(json& document, std::string_view pointer, json value)
{
    constexpr std::size_t kDeepest = 64;
    const auto tokens = pointerTokens(pointer);
    if (tokens.size() > kDeepest) return "the pointer is too long";
    if (std::any_of(tokens.begin(), tokens.end(), [](const std::string& token) { return token.empty(); })) return "it names a field without a name; a patch looks like /training/steps=200";
    json* place = &document;
    std::string walked;
    for (const std::string& token : tokens) {
        if (place->is_null()) *place = json::object();
        if (place->is_object()) {
            place = &(*place)[token];
        } else if (place->is_array()) {
            if (token == "-") {
                place->push_back(nullptr);
                place = &place->back();
            } else {
                const bool digits = !token.empty() && token.size() < 10 && token.find_first_not_of("0123456789") == std::string::npos;
                const std::size_t index = digits ? std::stoul(token) : place->size();
                if (index >= place->size()) return fmt::format("the list at \"{}\" has no element \"{}\"; use 0 to {} or - to append", walked, token, place->size());
                place = &(*place)[index];
            }
        } else {
            return fmt::format("\"{}\" is {}, which has no fields", walked, shownValue(*place));
        }
        walked = childPointer(walked, token);
    }
    *place = std::move(value);
    return {};
}

bool reachesIntoDsConfig(const std::string& patch) { return patch.starts_with("/dsConfig/"); }

/// Reads "dsConfig": "file" so that patches can reach into it.
Result<void> inlineDsConfig(WorkspaceText& source, const std::string& file)
{
    const fs::path path = source.folder / file;
    auto text = source.fromStreams ? readStream(path, kMostBytes) : readFile(path, kMostBytes);
    if (!text.hasValue()) {
        Error error = text.error();
        error.message = fmt::format("\"dsConfig\" names a file: {}", error.message);
        error.context["pointer"] = "/dsConfig";
        return error;
    }
    // A file of its own is read as DeepSpeed reads it: comments, trailing commas and bare keys are fine there.
    const auto parsed = JsonDocument::parse(text.value());
    const auto refuse = [&](const std::string& reason) {
        return Error{ErrorCode::InvalidInput, fmt::format("\"dsConfig\" names \"{}\", which DeepSpeed cannot read: {}", path.string(), reason), {{"pointer", "/dsConfig"}}};
    };
    if (!parsed.hasValue()) return refuse(parsed.error().message);
    if (const auto& twice = parsed.value().duplicates(); !twice.empty()) {
        return refuse(fmt::format("\"{}\" is written twice in one object; keep one", parsed.value().key(twice.front())));
    }
    source.dsConfigFile = path;
    source.dsConfigText = std::move(text).value();
    source.document["dsConfig"] = parsed.value().toJson(parsed.value().root(), true);
    return {};
}

bool namesDsConfigFile(const json& document)
{
    return document.is_object() && document.contains("dsConfig") && document["dsConfig"].is_string();
}

Result<void> applyPatch(WorkspaceText& source, const std::string& patch)
{
    const std::size_t equals = patch.find('=');
    if (equals == std::string::npos || patch.front() != '/') return badPatch(patch, "a patch looks like /training/steps=200");
    const std::string pointer = patch.substr(0, equals);
    const std::string value = patch.substr(equals + 1);
    if (reachesIntoDsConfig(pointer) && namesDsConfigFile(source.document)) {
        if (auto done = inlineDsConfig(source, source.document["dsConfig"].get<std::string>()); !done.hasValue()) return done;
    }
    if (pointer == "/dsConfig") source.dsConfigFile.clear();
    auto parsed = parseJson(value);
    json content = parsed.hasValue() ? std::move(parsed).value() : json(value);
    if (std::string reason = putAt(source.document, pointer, std::move(content)); !reason.empty()) return badPatch(patch, reason);
    source.patched.push_back(pointer);
    return {};
}

struct StrictText {
    std::string text;
    std::string relaxedConfig;   ///< the ds_config as it is written
};

/// The text in strict JSON where its ds_config alone is none: inside it comments, trailing commas and bare keys are fine, as DeepSpeed reads
/// them in a file of its own. Lines outside it keep their numbers. Nothing where something else is wrong.
std::optional<StrictText> withStrictConfig(const std::string& text)
{
    const auto relaxed = JsonDocument::parse(text);
    const auto config = relaxed.hasValue() && relaxed->duplicates().empty() ? relaxed->locate("/dsConfig") : std::nullopt;
    if (!config || relaxed->node(config->node).kind != JsonKind::Object) return std::nullopt;
    const auto [begin, end] = config->value;
    const auto lines = std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    const std::string strict = relaxed->toJson(config->node, true).dump(-1, ' ', false, json::error_handler_t::replace) + std::string(static_cast<std::size_t>(lines), '\n');
    return StrictText{text.substr(0, begin) + strict + text.substr(end), InlineText(text, {begin, end}).shown()};
}

Result<Workspace> readText(WorkspaceText source, const std::vector<std::string>& sets, const std::string& file)
{
    auto parsed = parseJson(source.text, {kMostBytes});
    if (!parsed.hasValue()) {
        auto strict = withStrictConfig(source.text);
        auto again = strict ? parseJson(strict->text, {kMostBytes}) : Result<json>(parsed.error());
        if (!again.hasValue()) {
            // Where no reader of JSON takes the text, the document's own says why in words for a person.
            const auto unread = whyUnread(source.text);
            if (!unread) return withPlace(parsed.error(), file);
            Error error = *unread;
            if (const std::size_t place = error.message.find(": "); error.message.starts_with("line ") && place != std::string::npos) error.message.erase(0, place + 2);
            return withPlace(error, file);
        }
        source.text = std::move(strict->text);
        source.relaxedConfig = std::move(strict->relaxedConfig);
        parsed = std::move(again);
    }
    source.document = std::move(parsed).value();
    for (const std::string& patch : sets) {
        if (auto done = applyPatch(source, patch); !done.hasValue()) {
            return done.error().code == ErrorCode::InvalidArgument ? done.error() : withPlace(done.error(), file);
        }
    }
    if (namesDsConfigFile(source.document)) {
        if (auto done = inlineDsConfig(source, source.document["dsConfig"].get<std::string>()); !done.hasValue()) return withPlace(done.error(), file);
    }
    auto workspace = readWorkspaceDocument(source);
    if (!workspace.hasValue()) return withPlace(workspace.error(), file);
    return workspace;
}

}  // namespace

void readDsConfig(FieldReader& reader, const WorkspaceText& source, Workspace& workspace)
{
    const json& config = reader.any("dsConfig");
    if (!config.is_object()) {
        reader.fail("dsConfig", fmt::format("\"dsConfig\" is {}; use an object or the name of a file", shownValue(config)));
        return;
    }
    workspace.dsConfig = config;
    workspace.dsConfigFile = source.dsConfigFile;
    const bool patched = std::any_of(source.patched.begin(), source.patched.end(),
                                     [](const std::string& pointer) { return pointer == "/dsConfig" || reachesIntoDsConfig(pointer); });
    if (patched) {
        workspace.dsConfigText = config.dump(2, ' ', false, json::error_handler_t::replace);
    } else if (!source.dsConfigFile.empty()) {
        workspace.dsConfigText = source.dsConfigText;
    } else if (!source.relaxedConfig.empty()) {
        workspace.dsConfigText = source.relaxedConfig;
    } else if (const auto range = findInJson(source.text, "/dsConfig")) {
        // As in a file of its own, without the indentation that the workspace round it asks for.
        workspace.dsConfigText = InlineText(source.text, {range->begin, range->end}).shown();
    }
}

bool isWorkspaceText(const std::string& text)
{
    const auto document = JsonDocument::parse(text);
    return document.hasValue() && document->find("/stagecraft") >= 0;
}

Result<Workspace> parseWorkspace(const std::string& text, const fs::path& folder)
{
    WorkspaceText source;
    source.text = text;
    source.folder = folder;
    return readText(std::move(source), {}, {});
}

Result<Workspace> loadWorkspace(const fs::path& file, const std::vector<std::string>& sets)
{
    auto text = readStream(file, kMostBytes);
    if (!text.hasValue()) return text.error();
    WorkspaceText source;
    source.fromStreams = true;
    source.text = std::move(text).value();
    source.folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
    source.defaultName = file.stem().string();
    return readText(std::move(source), sets, file.string());
}

}  // namespace stagecraft
