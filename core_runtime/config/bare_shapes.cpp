// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/bare_shapes.h"

#include "config/bare_text.h"

#include <algorithm>

namespace stagecraft {

namespace {

constexpr std::string_view kBlanks = " \t\r";

bool isDigit(char c) { return c >= '0' && c <= '9'; }

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::string_view withoutBlanks(std::string_view text) { return text.substr(std::min(text.find_first_not_of(kBlanks), text.size())); }

}  // namespace

bool isTemplateName(std::string_view text)
{
    const auto letters = std::count_if(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    return letters >= 2 && !isDigit(text.front()) && std::all_of(text.begin(), text.end(), [](char c) { return (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_'; });
}

bool isScriptName(std::string_view text)
{
    if (text.starts_with("not ")) {
        text = withoutBlanks(text.substr(4));
    }
    if (text.empty() || !isNameStart(text.front())) {
        return false;
    }
    const std::size_t end = static_cast<std::size_t>(std::find_if(text.begin(), text.end(), [](char c) { return !isNameStart(c) && !isDigit(c); }) - text.begin());
    return end + 1 < text.size() && (text[end] == '(' || text[end] == '[' || (text[end] == '.' && isNameStart(text[end + 1])));
}

std::string withCommas(std::string_view text, bool inList)
{
    std::string list;
    bool thousands = !inList;
    for (std::string_view rest = text; !rest.empty(); rest = withoutBlanks(rest)) {
        const std::string_view one = rest.substr(0, rest.find_first_of(kBlanks));
        const std::string number = jsonNumber(one);
        if (number.empty()) {
            return {};
        }
        const bool digits = one.find_first_not_of("0123456789") == std::string_view::npos;
        thousands = thousands && digits && (list.empty() ? one.size() <= 3 : one.size() == 3);
        list += (list.empty() ? "" : ", ") + number;
        rest.remove_prefix(one.size());
    }
    return thousands || list.find(',') == std::string::npos ? std::string() : list;
}

}  // namespace stagecraft
