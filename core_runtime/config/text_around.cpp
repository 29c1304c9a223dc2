// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_around.h"

#include "config/hjson_reader.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kMark = "\xEF\xBB\xBF";   // a byte order mark is nobody's words

/// The byte behind the brace that closes the one at `open`; nothing when it is never closed. Braces in double quotes do not count.
std::optional<std::size_t> closed(std::string_view text, std::size_t open)
{
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = open; i < text.size(); ++i) {
        if (quoted) {
            i += text[i] == '\\' ? 1 : 0;
            quoted = i < text.size() && text[i] != '"' && text[i] != '\n';
        } else if (text[i] == '"') {
            quoted = true;
        } else if (text[i] == '{') {
            ++depth;
        } else if (text[i] == '}' && --depth == 0) {
            return i + 1;
        }
    }
    return std::nullopt;
}

/// Whether a brace at `open` may open the value of a key or an element, so that what stands before it belongs to it.
bool isPart(std::string_view text, std::size_t open)
{
    const std::size_t before = open == 0 ? std::string_view::npos : text.find_last_not_of(kBlank, open - 1);
    if (before == std::string_view::npos) {
        return false;
    }
    const std::size_t begin = text.rfind('\n', before) + 1;   // 0 where there is none
    const std::string_view line = text.substr(begin, before - begin);
    const bool sameLine = text.find('\n', before) > open;
    return text[before] == '[' || text[before] == ',' || (text[before] == ':' && (sameLine || line.find('"') != std::string_view::npos));
}

}  // namespace

std::optional<TextAround> textAround(std::string_view text)
{
    constexpr int kMostBlocks = 16;   // "{0,1}" and "${HOME}" stand in sentences and commands, too
    std::optional<ByteRange> config;
    std::size_t at = 0;
    for (int block = 0;; ++block) {
        const std::size_t open = text.find_first_of("{}", at);
        if (open == std::string_view::npos) {
            break;
        }
        const auto end = text[open] == '{' ? closed(text, open) : std::nullopt;
        if (!end || block == kMostBlocks) {
            return std::nullopt;
        }
        const ReadText read = readHjson(text.substr(open, *end - open));
        const bool holds = !read.problem.has_value() && !read.root.members.empty();
        if (holds && (config || isPart(text, open))) {
            return std::nullopt;
        }
        config = holds ? std::optional(ByteRange{open, *end}) : config;
        at = *end;
    }
    if (!config) {
        return std::nullopt;
    }
    const std::size_t first = text.find_first_not_of(kBlank, text.starts_with(kMark) ? kMark.size() : 0);
    const std::size_t after = text.find_first_not_of(kBlank, config->end);
    if ((first == config->begin && after == std::string_view::npos) || (after != std::string_view::npos && (text[after] == ',' || text[after] == ']'))) {
        return std::nullopt;
    }
    return TextAround{*config, first == config->begin ? after : first};
}

}  // namespace stagecraft
