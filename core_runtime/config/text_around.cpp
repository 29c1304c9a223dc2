// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/text_around.h"

#include "config/hjson_reader.h"

#include <algorithm>
#include <vector>

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

/// Blocks that are looked at: "{0,1}" and "${HOME}" stand in sentences and commands, too.
constexpr int kMostBlocks = 16;

/// Whether an object with at least one key stands in `text`, and nothing else.
bool holdsObject(std::string_view text)
{
    const ReadText read = readHjson(text);
    return !read.problem.has_value() && !read.root.members.empty();
}

/// The objects that fill a fence of Markdown each.
std::vector<ByteRange> fencedObjects(std::string_view text)
{
    std::vector<ByteRange> found;
    std::size_t content = std::string_view::npos;   // of the fence that is open
    int blocks = 0;
    for (std::size_t at = 0; at < text.size() && blocks < kMostBlocks;) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t mark = text.find_first_not_of(" \t>", at);
        if (mark < end && (text.substr(mark, 3) == "```" || text.substr(mark, 3) == "~~~")) {
            const std::size_t open = content == std::string_view::npos ? content : text.find_first_not_of(kBlank, content);
            if (open < at && text[open] == '{') {
                ++blocks;
                const std::size_t last = text.find_last_not_of(kBlank, at - 1) + 1;
                if (closed(text, open) == last && holdsObject(text.substr(open, last - open))) {
                    found.push_back({open, last});
                }
            }
            content = content == std::string_view::npos ? end : std::string_view::npos;
        }
        at = end + 1;
    }
    return found;
}

/// The objects that stand anywhere, in the order of the text; nothing where one may be part of what stands before it, or a brace has no partner.
std::vector<ByteRange> anyObjects(std::string_view text)
{
    std::vector<ByteRange> found;
    std::size_t at = 0;
    for (int block = 0;; ++block) {
        const std::size_t open = text.find_first_of("{}", at);
        if (open == std::string_view::npos) {
            return found;
        }
        const auto end = text[open] == '{' ? closed(text, open) : std::nullopt;
        if (!end || block == kMostBlocks) {
            return {};
        }
        if (holdsObject(text.substr(open, *end - open))) {
            if (isPart(text, open)) {
                return {};
            }
            found.push_back({open, *end});
        }
        at = *end;
    }
}

/// Something like "{stage: 3}" in a sentence, which the reader would take.
bool isPhrase(std::string_view object)
{
    return object.find_first_of("\"\n") == std::string_view::npos;
}

}  // namespace

std::optional<TextAround> textAround(std::string_view text)
{
    std::vector<ByteRange> objects = fencedObjects(text);
    const bool fenced = !objects.empty();
    if (!fenced) {
        objects = anyObjects(text);
        if (objects.size() > 1) {
            std::erase_if(objects, [&](const ByteRange& each) { return isPhrase(text.substr(each.begin, each.size())); });
        }
    }
    if (objects.empty()) {
        return std::nullopt;
    }
    const ByteRange config = objects.front();
    const std::size_t first = text.find_first_not_of(kBlank, text.starts_with(kMark) ? kMark.size() : 0);
    const std::size_t after = text.find_first_not_of(kBlank, config.end);
    if ((first == config.begin && after == std::string_view::npos) || (!fenced && after != std::string_view::npos && (text[after] == ',' || text[after] == ']'))) {
        return std::nullopt;
    }
    if (objects.size() > 1 && !fenced && after == objects[1].begin) {
        return std::nullopt;  // one object after the other, with no words
    }
    return TextAround{config, first == config.begin ? after : first, objects.size() > 1 ? objects[1].begin : 0};
}

}  // namespace stagecraft
