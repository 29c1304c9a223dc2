// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/json_lines.h"

#include <algorithm>

namespace stagecraft {

std::size_t lineBeginOf(std::string_view text, std::size_t offset)
{
    while (offset > 0 && !isLineEnd(text[offset - 1]))
        --offset;
    return offset;
}

std::string lineIndent(std::string_view text, std::size_t offset)
{
    const std::size_t begin = lineBeginOf(text, offset);
    std::size_t end = begin;
    while (end < text.size() && isBlank(text[end]))
        ++end;
    return std::string(text.substr(begin, end - begin));
}

bool holdsLineEnd(std::string_view text) { return text.find_first_of("\r\n") != std::string_view::npos; }
bool isWhite(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

std::size_t behindLineEnd(std::string_view text, std::size_t offset)
{
    while (offset < text.size() && !isLineEnd(text[offset]))
        ++offset;
    return offset == text.size() ? offset : offset + (text.substr(offset, 2) == "\r\n" ? 2 : 1);
}

std::size_t behindLineComments(std::string_view text, std::size_t offset)
{
    std::size_t behind = offset;
    while (offset < text.size() && !isLineEnd(text[offset])) {
        const std::string_view rest = text.substr(offset);
        if (isBlank(rest.front())) {
            ++offset;
        } else if (rest.front() == '#' || rest.starts_with("//")) {
            while (offset < text.size() && !isLineEnd(text[offset]))
                ++offset;
            behind = offset;
        } else if (rest.starts_with("/*")) {
            const std::size_t close = text.find("*/", offset + 2);
            if (close == std::string_view::npos || holdsLineEnd(text.substr(offset, close - offset)))
                break;
            behind = offset = close + 2;
        } else {
            break;
        }
    }
    return behind;
}

std::optional<OwnLines> ownLines(const JsonDocument& document, int id)
{
    const std::string_view text = document.text();
    const std::size_t start = startOf(document.node(id)), tail = endWithComma(document.node(id));
    const std::size_t behind = behindLineComments(text, tail);
    OwnLines lines{lineBeginOf(text, start), behind, text.substr(tail, behind - tail)};
    while (lines.end < text.size() && isBlank(text[lines.end]))
        ++lines.end;
    if (!isWhite(text.substr(lines.begin, start - lines.begin)) || (lines.end < text.size() && !isLineEnd(text[lines.end])))
        return std::nullopt;
    lines.comments.remove_prefix(std::min(lines.comments.find_first_not_of(" \t"), lines.comments.size()));
    return lines;
}

}  // namespace stagecraft
