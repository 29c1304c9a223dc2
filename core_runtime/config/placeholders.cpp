// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/placeholders.h"

#include "config/json_edit.h"
#include "config/json_lines.h"
#include "config/text_fixes.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

namespace stagecraft {

namespace {

constexpr std::size_t kMostPlaceholders = 200;   // each is taken out of a text read anew

}  // namespace

std::size_t placeholderLength(std::string_view rest)
{
    constexpr std::size_t kLongest = 200;   // a text full of open braces is not read to its end from each
    rest = rest.substr(0, kLongest);
    const auto until = [&](std::string_view open, std::string_view close) -> std::size_t {
        const std::size_t end = rest.starts_with(open) ? rest.find(close, open.size()) : std::string_view::npos;
        return end == std::string_view::npos || rest.substr(0, end).find('\n') != std::string_view::npos ? 0 : end + close.size();
    };
    for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"{{", "}}"}, {"{%", "%}"}, {"${", "}"}, {"<", ">"}, {"%", "%"}, {"@", "@"}, {"__", "__"}}) {
        if (const std::size_t length = until(open, close); length > open.size() + close.size()) {
            return length;
        }
    }
    for (const std::string_view dots : {std::string_view("..."), std::string_view("\u2026")}) {
        if (rest.starts_with(dots)) {
            return dots.size();
        }
    }
    const auto isName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool braced = rest.starts_with("{");
    if (!braced && !rest.starts_with("$")) {
        return 0;
    }
    std::size_t end = 1;
    while (end < rest.size() && isName(rest[end])) {
        ++end;
    }
    return end == 1 ? 0 : !braced ? end : end < rest.size() && rest[end] == '}' ? end + 1 : 0;
}

std::optional<std::string> withoutPlaceholders(std::string_view text)
{
    std::string filled;
    std::vector<std::size_t> places;   ///< of the nulls in `filled`, in its order
    char before = '\0';                ///< last byte that is neither blank nor part of a comment
    bool changed = false;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t words = behindWords(text, at);
        if (words > at) {
            filled += text.substr(at, words - at);
            before = text[at] == '"' || text[at] == '\'' ? text[at] : before;
            at = words;
            continue;
        }
        const std::size_t length = before == ':' || before == ',' || before == '{' || before == '[' || before == '}' || before == '\0' ? placeholderLength(text.substr(at)) : 0;
        const bool tag = text.substr(at).starts_with("{%"), dots = text.substr(at).starts_with("...") || text.substr(at).starts_with("\u2026");
        if (length > 0 && before == ':' && !tag) {
            places.push_back(filled.size());
            filled += "null";
            before = 'l';
            at += length;
            changed = true;
            continue;
        }
        if (length > 0 && (tag || (dots && before != '\0'))) {
            at += length;
            const std::size_t next = std::min(text.find_first_not_of(" \t", at), text.size());
            at = dots && next < text.size() && text[next] == ',' ? next + 1 : at;
            changed = true;
            // Alone on its line it goes with the line.
            const std::size_t kept = filled.find_last_not_of(" \t") + 1, rest = std::min(text.find_first_not_of(" \t", at), text.size());
            if ((kept == 0 || isLineEnd(filled[kept - 1])) && rest < text.size() && isLineEnd(text[rest])) {
                filled.resize(kept);
                at = behindLineEnd(text, rest);
            }
            continue;
        }
        before = isBlank(text[at]) || isLineEnd(text[at]) ? before : text[at];
        filled += text[at++];
    }
    if (places.size() > kMostPlaceholders) {
        return std::nullopt;
    }
    for (auto place = places.rbegin(); place != places.rend(); ++place) {
        const Result<JsonDocument> document = JsonDocument::parse(filled);
        if (!document.hasValue()) {
            return std::nullopt;
        }
        const auto& nodes = document->nodes();
        const auto node = std::find_if(nodes.begin(), nodes.end(), [&](const JsonNode& each) { return each.begin == *place && each.kind == JsonKind::Null; });
        if (node == nodes.end() || node->parent < 0) {
            return std::nullopt;
        }
        filled = applyEdits(filled, {removeNodeEdit(*document, static_cast<int>(node - nodes.begin()), LineComments::Stay)});
    }
    return changed && JsonDocument::parse(filled).hasValue() ? std::optional(std::move(filled)) : std::nullopt;
}

}  // namespace stagecraft
