// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/yaml_text.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::string_view kKey = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/// Where the colon of a key stands that begins `line`; npos where none does.
std::size_t colonOf(std::string_view line)
{
    const std::size_t end = std::min(line.find_first_not_of(kKey), line.size());
    const bool colon = end > 0 && end < line.size() && line[end] == ':' && (end + 1 == line.size() || line[end + 1] == ' ' || line[end + 1] == '\t');
    return colon ? end : std::string_view::npos;
}

/// `line` without its comment and the blanks at its end.
std::string_view withoutComment(std::string_view line)
{
    const std::size_t comment = line.starts_with('#') ? 0 : line.find(" #");
    line = line.substr(0, comment);
    return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

}  // namespace

std::optional<std::size_t> yamlMapping(std::string_view text)
{
    std::optional<std::size_t> first;
    bool opened = false;        // whether the last key has its value on the lines below
    bool nested = false;
    std::size_t deep = 0;       // blanks before that key
    for (std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t begin = std::min(text.find_first_not_of(' ', at), end), blanks = begin - at;
        const std::string_view line = withoutComment(text.substr(begin, end - begin));
        at = end + 1;
        if (line.empty() || line == "---") {
            continue;
        }
        const bool item = line.starts_with("- ") && first;
        const std::size_t colon = item ? std::string_view::npos : colonOf(line);
        if (!item && colon == std::string_view::npos) {
            return std::nullopt;
        }
        nested = nested || (opened && (item ? blanks >= deep : blanks > deep));
        first = first ? first : begin;
        opened = !item && colon + 1 == line.size();
        deep = blanks;
    }
    return nested ? first : std::nullopt;
}

}  // namespace stagecraft
