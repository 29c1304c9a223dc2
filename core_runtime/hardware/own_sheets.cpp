// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/own_sheets.h"

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "hardware/read_sheets.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace stagecraft {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;   // what loadUserDeviceSheets() reads

Error cannot(const char* what, const std::filesystem::path& file, const std::string& why, ErrorCode code)
{
    return {code, fmt::format("Cannot {} \"{}\": {}", what, file.string(), why), {{"path", file.string()}}};
}

// The text of a file and its entries in their order; an empty list where there is no file.
struct Sheets {
    std::string text = "[]\n";
    ordered_json entries = ordered_json::array();
};

Result<Sheets> sheetsOf(const std::filesystem::path& file)
{
    Sheets sheets;
    auto text = readFile(file, kMostBytes);
    if (!text.hasValue() && text.error().code == ErrorCode::NotFound) return sheets;
    if (!text.hasValue()) return text.error();
    // Read strictly: of a key that is written twice nobody can tell which was meant.
    const auto read = parseJson(*text);
    if (!read.hasValue()) return cannot("use your data sheets in", file, fmt::format("{}; correct the file", read.error().message), ErrorCode::InvalidInput);
    if (!read->is_array()) return cannot("use your data sheets in", file, "it is no JSON list of objects; correct the file", ErrorCode::InvalidInput);
    sheets.text = std::move(text).value();
    sheets.entries = ordered_json::parse(sheets.text);
    return sheets;
}

std::string idOf(const ordered_json& entry)
{
    std::string id = entry.is_object() && entry.contains("id") && entry["id"].is_string() ? entry["id"].get<std::string>() : std::string();
    std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return id;
}

// The last of them, which is the one that is used; their number where there is none.
std::size_t placeOf(const ordered_json& entries, const ordered_json& before)
{
    for (std::size_t i = entries.size(); i-- > 0;)
        if (entries[i] == before) return i;
    return entries.size();
}

JsonRange rangeOf(const std::string& text, std::size_t place)
{
    return *findInJson(text, fmt::format("/{}", place));
}

// The entry over several lines, as deep as entries of a list stand.
std::string written(const ordered_json& sheet)
{
    std::string out;
    for (const char c : sheet.dump(2)) {
        out += c;
        if (c == '\n') out += "  ";
    }
    return out;
}

Result<void> write(const std::filesystem::path& file, const std::string& text)
{
    if (text.size() > kMostBytes) return cannot("write", file, "it would be larger than 1 MiB; remove sheets that are not needed", ErrorCode::Refused);
    if (auto made = makeFolder(file.parent_path()); !made.hasValue()) return made;
    return writeFileAtomically(file, text);
}

Error changed(const std::filesystem::path& file)
{
    return cannot("change the data sheet in", file, "the file has changed since it was read; look at it again", ErrorCode::Refused);
}

}  // namespace

Result<std::vector<OwnSheet>> readOwnSheets(const std::filesystem::path& file)
{
    const auto sheets = sheetsOf(file);
    if (!sheets.hasValue()) return sheets.error();
    const auto read = readDeviceSheets(sheets->text);
    if (!read.hasValue()) return read.error();
    std::vector<OwnSheet> own;
    for (std::size_t i = 0; i < sheets->entries.size(); ++i) {
        if (!sheets->entries[i].is_object()) continue;
        const Result<DeviceSheet>& sheet = (*read)[i].sheet;
        OwnSheet entry{sheets->entries[i], fmt::format("#{}", i + 1), std::nullopt};
        if (!sheet.hasValue()) entry.problem = sheet.error();
        if (sheet.hasValue()) entry.id = sheet->id;
        else if (const auto at = sheet.error().context.find("device"); at != sheet.error().context.end()) entry.id = at->second;
        own.push_back(std::move(entry));
    }
    return own;
}

Result<void> saveOwnSheet(const std::filesystem::path& file, const std::optional<ordered_json>& before, const ordered_json& sheet)
{
    const auto read = readDeviceSheets(ordered_json::array({sheet}).dump());
    if (!read.hasValue()) return read.error();
    if (!read->front().sheet.hasValue()) return read->front().sheet.error();
    auto sheets = sheetsOf(file);
    if (!sheets.hasValue()) return sheets.error();
    const std::size_t count = sheets->entries.size();
    const std::size_t place = before ? placeOf(sheets->entries, *before) : count;
    if (before && place == count) return changed(file);
    for (std::size_t i = 0; i < count; ++i)
        if (i != place && idOf(sheets->entries[i]) == idOf(sheet))
            return cannot("change the data sheet in", file, fmt::format("another sheet there is called \"{}\"; choose another id", read->front().sheet->id), ErrorCode::Refused);
    std::string text = sheets->text;
    if (before) {
        const JsonRange range = rangeOf(text, place);
        text.replace(range.begin, range.end - range.begin, written(sheet));
    } else if (count == 0) {
        const JsonRange list = *findInJson(text, "");
        text.replace(list.begin, list.end - list.begin, fmt::format("[\n  {}\n]", written(sheet)));
    } else {
        text.insert(rangeOf(text, count - 1).end, fmt::format(",\n  {}", written(sheet)));
    }
    return write(file, text);
}

Result<void> removeOwnSheet(const std::filesystem::path& file, const ordered_json& before)
{
    auto sheets = sheetsOf(file);
    if (!sheets.hasValue()) return sheets.error();
    const std::size_t place = placeOf(sheets->entries, before);
    if (place == sheets->entries.size()) return changed(file);
    std::string text = sheets->text;
    const JsonRange range = rangeOf(text, place);
    // With it goes the comma that parts it from a neighbour, and the blanks between.
    std::size_t begin = range.begin, end = range.end;
    if (place > 0) begin = rangeOf(text, place - 1).end;
    else if (sheets->entries.size() > 1) end = rangeOf(text, 1).begin;
    text.erase(begin, end - begin);
    return write(file, text);
}

}  // namespace stagecraft
