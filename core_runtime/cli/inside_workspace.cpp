// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/inside_workspace.h"

#include "config/json_document.h"

#include <fmt/format.h>

#include <cctype>

namespace stagecraft::cli {

Result<std::string> embeddedConfig(const std::string& file, const std::string& text)
{
    const auto document = JsonDocument::parse(text);
    const auto place = document.hasValue() ? document->locate("/dsConfig") : std::nullopt;
    if (!place) {
        return Error{ErrorCode::InvalidInput, fmt::format("The workspace \"{}\" has no \"dsConfig\"; name a ds_config", file), {{"path", file}}};
    }
    std::string config = text.substr(0, place->value.end);
    for (std::size_t i = 0; i < place->value.begin; ++i) {
        if (config[i] != '\n') {
            config[i] = ' ';
        }
    }
    return config;
}

Result<Workspace> withoutConfig(const std::string& text, const std::filesystem::path& folder)
{
    const auto document = JsonDocument::parse(text);
    const auto place = document.hasValue() ? document->locate("/dsConfig") : std::nullopt;
    if (!place || document->node(place->node).kind != JsonKind::Object) {
        return Error{ErrorCode::InvalidInput, "The workspace has no ds_config inside it", {}};
    }
    return parseWorkspace(text.substr(0, place->value.begin) + "{}" + text.substr(place->value.end), folder);
}

bool looksLikeWorkspace(std::string_view text)
{
    // The name before a colon: in quotes of either kind, or without, as relaxed readers have it.
    const auto nameBefore = [text](std::size_t colon) {
        std::size_t end = colon;
        while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
        const bool quoted = end > 1 && (text[end - 1] == '"' || text[end - 1] == '\'');
        const std::size_t last = quoted ? end - 1 : end;
        std::size_t begin = last;
        while (begin > 0 && (std::isalnum(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_')) --begin;
        return text.substr(begin, last - begin);
    };
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"' || c == '\'') {
            for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i) i += text[i] == '\\';
        } else if (c == ':' && depth <= 1) {
            if (nameBefore(i) == "stagecraft") return true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return false;
}

}  // namespace stagecraft::cli
