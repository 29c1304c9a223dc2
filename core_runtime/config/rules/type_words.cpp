// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/type_words.h"

#include "config/finding_text.h"
#include "config/rules/coercion.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <vector>

namespace stagecraft::rules {

std::string describeType(const TypeFacts& type, bool zh)
{
    const auto say = [&](const char* english, const char* chinese) { return std::string(zh ? chinese : english); };
    const auto bounded = [&](std::string name) {
        std::vector<std::string> ends;
        if (type.gt.has_value()) {
            ends.push_back(say("above ", "大于 ") + shortNumber(*type.gt));
        }
        if (type.ge.has_value()) {
            ends.push_back(zh ? "不小于 " + shortNumber(*type.ge) : "of " + shortNumber(*type.ge) + " or more");
        }
        if (type.lt.has_value()) {
            ends.push_back(say("below ", "小于 ") + shortNumber(*type.lt));
        }
        if (type.le.has_value()) {
            ends.push_back(say("at most ", "不大于 ") + shortNumber(*type.le));
        }
        std::string all;
        for (const std::string& each : ends) {
            all += (all.empty() ? "" : say(" and ", " 且")) + each;
        }
        return ends.empty() ? name : zh ? all + " 的" + name : name + " " + all;
    };
    switch (type.kind) {
    case TypeFacts::Kind::Bool: return say("true or false", "true 或 false");
    case TypeFacts::Kind::Int: return bounded(say("an integer", "整数"));
    case TypeFacts::Kind::Float: return bounded(say("a number", "数"));
    case TypeFacts::Kind::Str: return say("a text in quotes", "带引号的字符串");
    case TypeFacts::Kind::Path: return say("a path in quotes", "带引号的路径");
    case TypeFacts::Kind::Enum:
    case TypeFacts::Kind::Literal: {
        std::string words;
        for (std::size_t i = 0; i < type.values.size(); ++i) {
            words += (i == 0 ? "" : i + 1 < type.values.size() ? say(", ", "、") : say(" or ", " 或 ")) + toJson(type.values[i]);
        }
        return words;
    }
    case TypeFacts::Kind::List:
        return type.of.empty() || type.of[0].kind == TypeFacts::Kind::Any ? say("a list [ ]", "列表 [ ]")
               : zh ? "列表 [ ]，每项为" + describeType(type.of[0], zh) : "a list [ ], each entry " + describeType(type.of[0], zh);
    case TypeFacts::Kind::Tuple: return say("a list [ ]", "列表 [ ]");
    case TypeFacts::Kind::Dict:
    case TypeFacts::Kind::Model: return say("an object { }", "对象 { }");
    case TypeFacts::Kind::Optional: return describeType(type.of[0], zh) + say(", or null", "，或 null");
    case TypeFacts::Kind::Union: {
        std::string all;
        for (const TypeFacts& each : type.of) {
            all += (all.empty() ? "" : say(", or ", "，或")) + describeType(each, zh);
        }
        return all;
    }
    case TypeFacts::Kind::Object: return say("an object that a script gives", "由脚本给出的对象");
    case TypeFacts::Kind::Any: return say("any value", "任意值");
    }
    return "";
}

std::string wholeMeant(const TypeFacts& type, const ConfigValue& value)
{
    const TypeFacts& inner = type.kind == TypeFacts::Kind::Optional ? type.of[0] : type;
    double amount = 0.0;
    if (inner.kind == TypeFacts::Kind::Int && value.kind == ConfigValue::Kind::Float) {
        amount = value.number;
    } else if (inner.kind == TypeFacts::Kind::Int && value.isString() && value.text.size() > 1) {
        const char unit = static_cast<char>(std::tolower(static_cast<unsigned char>(value.text.back())));
        const double times = unit == 'k' ? 1e3 : unit == 'm' ? 1e6 : unit == 'g' ? 1e9 : 0.0;
        amount = times * pythonFloat(value.text.substr(0, value.text.size() - 1)).value_or(0.0);
    }
    return amount >= 1.0 && amount < 9e15 ? std::to_string(static_cast<std::int64_t>(amount)) : std::string();
}

std::string likelyMeant(const TypeFacts& type, const ConfigValue& value)
{
    const TypeFacts& inner = type.kind == TypeFacts::Kind::Optional ? type.of[0] : type;
    if (inner.kind == TypeFacts::Kind::Enum && value.isString()) {
        std::string lower = value.text;
        std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        for (const ConfigValue& word : inner.values) {
            if (word.isString(lower)) {
                return toJson(word);
            }
        }
    }
    const bool whole = inner.kind == TypeFacts::Kind::Int || (inner.kind == TypeFacts::Kind::Enum && inner.intEnum);
    if (whole && value.isString()) {
        if (const auto number = pythonFloat(value.text); number.has_value() && std::trunc(*number) == *number && std::fabs(*number) < 9e18) {
            const std::string digits = std::to_string(static_cast<std::int64_t>(*number));
            const bool known = inner.kind == TypeFacts::Kind::Int || std::any_of(inner.values.begin(), inner.values.end(), [&](const ConfigValue& word) { return toJson(word) == digits; });
            return known ? digits : std::string();
        }
    }
    return {};
}

}  // namespace stagecraft::rules
