// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/pasted_diff.h"

#include "config/hjson_reader.h"
#include "config/json_lines.h"

#include <algorithm>

namespace stagecraft {

namespace {

/// Whether a line is one that the diff itself has, and no part of the file: which files, and which lines of them.
bool isHeading(std::string_view line)
{
    return line.starts_with("diff --git ") || line.starts_with("index ") || line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with("@@ ") || line.starts_with("\\ No newline");
}

/// Whether a line begins with a mark and not with a number.
bool isMarked(std::string_view line)
{
    return !line.empty() && (line.front() == '+' || line.front() == '-') && (line.size() == 1 || std::string_view(" \t\r\"'{}[]").find(line[1]) != std::string_view::npos);
}

}  // namespace

std::optional<PastedDiff> pastedDiff(std::string_view text)
{
    PastedDiff diff;
    bool marked = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = behindLineEnd(text, std::min(text.find_first_of("\r\n", at), text.size()));
        const std::string_view line = text.substr(at, end - at);
        if (isMarked(line) && !isHeading(line)) {
            diff.first = marked ? diff.first : at;
            marked = true;
            diff.after += line.front() == '+' ? line.substr(1) : std::string_view();
        } else if (!isHeading(line)) {
            diff.after += line;
        }
        at = end;
    }
    if (!marked) {
        return std::nullopt;
    }
    const ReadText read = readHjson(diff.after);
    return !read.problem.has_value() && read.root.isObject() && read.swallowed.empty() ? std::optional(std::move(diff)) : std::nullopt;
}

}  // namespace stagecraft
