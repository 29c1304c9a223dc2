// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/workspace_import.h"

#include "base/atomic_file.h"
#include "config/json_edit.h"

#include <nlohmann/json.hpp>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

Result<std::string> readNamed(const fs::path& from, const std::string& name)
{
    std::error_code error;
    if (name.empty()) return Error{ErrorCode::NotFound, "the path is empty", {}};
    const fs::path path = name;
    // "./x" is how a script's own folder reads once $(dirname "$0") is resolved.
    const fs::path beside = fs::absolute(from, error).parent_path() / path;
    if ((name.starts_with("./") || name.starts_with("../")) && fs::is_regular_file(beside, error)) return readFile(beside, kMaxForeignBytes);
    if (fs::is_regular_file(path, error)) return readFile(path, kMaxForeignBytes);
    if (path.is_absolute()) {  // never a pipe or a device: the file names it, not the user
        return Error{ErrorCode::NotFound, fs::exists(path, error) ? "it is no regular file" : "it does not exist", {}};
    }
    for (fs::path folder = fs::absolute(from, error).parent_path();; folder = folder.parent_path()) {
        if (fs::is_regular_file(folder / path, error)) return readFile(folder / path, kMaxForeignBytes);
        if (folder == folder.parent_path()) break;
    }
    return Error{ErrorCode::NotFound, "it is neither in this folder nor beside or above \"" + from.string() + "\"", {}};
}

std::string withLineEnds(const std::string& text, const std::string& newline)
{
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '\n' && text[i] != '\r') {
            result += text[i];
            continue;
        }
        result += newline;
        if (text.compare(i, 2, "\r\n") == 0) ++i;
    }
    return result;
}

Result<std::string> setIn(std::string text, const std::string& pointer, const std::string& json, const std::string& name)
{
    auto document = JsonDocument::parse(text);
    if (!document.hasValue()) return Error{ErrorCode::InvalidInput, "Cannot import into \"" + name + "\": " + document.error().message, {{"path", name}}};
    if (json == "null" && document->find(pointer) < 0) return text;
    const auto edit = json == "null" ? removeEdit(document.value(), pointer) : setEdit(document.value(), pointer, json);
    if (!edit.hasValue()) return Error{edit.error().code, "Cannot import into \"" + name + "\": " + pointer + ": " + edit.error().message, {{"path", name}}};
    return applyEdits(text, {edit.value()});
}

}  // namespace

ForeignReader readerBeside(const fs::path& file)
{
    return [file](const std::string& name) { return readNamed(file, name); };
}

Result<std::string> importAroundConfig(std::string text, const ImportedConfig& imported, const std::string& name)
{
    for (const WorkspaceValue& value : imported.workspace) {
        auto changed = setIn(std::move(text), value.pointer, value.json, name);
        if (!changed.hasValue()) return changed;
        text = std::move(changed).value();
    }
    return text;
}

Result<std::string> importIntoWorkspace(std::string text, const ImportedConfig& imported, const std::string& name)
{
    auto around = importAroundConfig(std::move(text), imported, name);
    if (!around.hasValue()) return around;
    std::string config = imported.dsConfigText;
    const auto relaxed = JsonDocument::parse(config);
    if (!relaxed.hasValue()) return relaxed.error();
    // A workspace has the object alone: what is written before and behind it goes, and one without braces, or with a key twice, is written anew.
    const JsonNode& root = relaxed->node(relaxed->root());
    if (config[root.begin] == '{' && relaxed->duplicates().empty()) config = config.substr(root.begin, root.end - root.begin);
    else config = relaxed->toJson(0, true).dump(2);
    config.erase(config.find_last_not_of(" \t\r\n") + 1);
    // It keeps the lines of a file of its own, as which it is read and edited: setEdit() would shift them for their place.
    const auto whole = setIn(std::move(around).value(), "/dsConfig", "0", name);
    if (!whole.hasValue()) return whole;
    const auto document = JsonDocument::parse(*whole);
    if (!document.hasValue()) return document.error();
    const JsonNode& place = document->node(document->find("/dsConfig"));
    return applyEdits(*whole, {TextEdit{place.begin, place.end, withLineEnds(config, styleOf(*document).newline)}});
}

}  // namespace stagecraft
