// SPDX-License-Identifier: GPL-3.0-or-later
// Paths whose single backslashes JSON has read as escapes: "C:\new\run" holds a line break and a carriage return.
#include "config/rules/judge.h"

#include "config/key_catalog.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace stagecraft::rules {

namespace {

const std::vector<std::vector<std::string>>& pathKeys()
{
    static const std::vector<std::vector<std::string>> kKeys = [] {
        std::vector<std::vector<std::string>> keys;
        for (const CatalogKey& key : KeyCatalog::standard().keys()) {
            const bool path = std::find(key.types.begin(), key.types.end(), KeyType::Path) != key.types.end() || key.name().ends_with("_path");
            if (path && key.pointer.find('*') == std::string::npos) {
                keys.push_back(pointerTokens(key.pointer).value_or(std::vector<std::string>()));
            }
        }
        return keys;
    }();
    return kKeys;
}

/// `text` with a backslash and a letter in the place of each character that JSON makes of the two; the same text where none of them begins a name.
std::string asTyped(const std::string& text)
{
    constexpr std::string_view kMade = "\b\f\n\r\t", kLetters = "bfnrt";
    std::string typed;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::size_t made = kMade.find(text[at]);
        const bool name = at + 1 < text.size() && (std::isalnum(static_cast<unsigned char>(text[at + 1])) != 0 || text[at + 1] == '_');
        typed += made == std::string_view::npos || !name ? std::string(1, text[at]) : std::string("\\") + kLetters[made];
    }
    return typed;
}

}  // namespace

void tellPaths(Judge& judge)
{
    for (const std::vector<std::string>& tokens : pathKeys()) {
        const ConfigValue* value = &judge.root;
        std::string pointer;
        for (const std::string& token : tokens) {
            value = value == nullptr ? nullptr : value->find(token);
            pointer += "/" + pointerToken(token);
        }
        const std::string typed = value != nullptr && value->isString() ? asTyped(value->text) : std::string();
        if (value != nullptr && value->isString() && typed != value->text) {
            const std::string json = toJson(ConfigValue::ofString(typed));
            judge.unwise("text.path", "text.path", pointer, {{"key", tokens.back()}, {"value", toJson(*value)}, {"write", json}}, patchReplace(pointer, json));
        }
    }
}

}  // namespace stagecraft::rules
