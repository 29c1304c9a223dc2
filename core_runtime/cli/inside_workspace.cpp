// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/inside_workspace.h"

#include "config/json_document.h"

#include <fmt/format.h>

#include <algorithm>

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

bool holdsConfig(const std::string& text)
{
    const auto document = JsonDocument::parse(text);
    const auto place = document.hasValue() ? document->locate("/dsConfig") : std::nullopt;
    return place && document->node(place->node).kind == JsonKind::Object;
}

bool looksLikeWorkspace(std::string_view text)
{
    int depth = 0;
    std::size_t begin = std::string_view::npos;   // of the string that was read last, at depth 1
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            const std::size_t open = ++i;
            while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
            begin = depth == 1 && text.substr(open, std::min(i, text.size()) - open) == "stagecraft" ? open : std::string_view::npos;
        } else if (c == ':') {
            if (begin != std::string_view::npos) return true;
        } else if (c == '{' || c == '[') {
            ++depth;
        } else if (c == '}' || c == ']') {
            --depth;
        }
    }
    return false;
}

}  // namespace stagecraft::cli
