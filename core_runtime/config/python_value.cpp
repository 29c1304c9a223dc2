// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/python_value.h"

#include "config/arithmetic.h"
#include "config/bare_text.h"
#include "config/json_document.h"
#include "config/json_lines.h"
#include "config/text_fixes.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace stagecraft {

namespace {

constexpr std::string_view kTriple = "\"\"\"";
constexpr std::string_view kWhite = " \t\r\n";

/// One value of a tuple, or what a call gives: its bytes, and the JSON for it; no bytes where it is none of them.
struct Plain {
    std::size_t length = 0;
    std::string json;
    bool number = false;
};

std::size_t behindWhite(std::string_view text, std::size_t at) { return std::min(text.find_first_not_of(kWhite, at), text.size()); }

/// What int() and float() make of a number.
std::string converted(const std::string& number, bool whole)
{
    constexpr double kExact = 9007199254740992.0;   // 2^53: above it the digits of a float are not those that were meant
    const bool digitsAlone = number.find_first_of(".e") == std::string::npos;
    if (digitsAlone || !whole) {
        return digitsAlone && !whole ? number + ".0" : number;
    }
    double value = 0.0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    return read.ec == std::errc() && std::abs(value) < kExact ? std::to_string(static_cast<long long>(value)) : std::string();
}

/// int(N) or float(N).
Plain call(std::string_view text)
{
    const bool whole = text.starts_with("int");
    std::size_t at = whole ? 3 : text.starts_with("float") ? 5 : text.size();
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    if (at == text.size() || text[at] != '(') {
        return {};
    }
    const std::size_t begin = behindWhite(text, at + 1);
    const std::size_t end = std::min(text.find_first_of(" \t\r\n,()[]{}\"'#", begin), text.size());
    const std::size_t close = behindWhite(text, end);
    const std::string number = jsonNumber(text.substr(begin, end - begin));
    const std::string json = number.empty() || close == text.size() || text[close] != ')' ? std::string() : converted(number, whole);
    return json.empty() ? Plain{} : Plain{close + 1, json, true};
}

/// The text in quotes, its escapes read as Python reads them; nothing where it has one that is written in no config.
std::optional<std::string> unescaped(std::string_view text)
{
    constexpr std::string_view kFrom = "\\\"'nrt", kTo = "\\\"'\n\r\t";
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            continue;
        }
        if (text[i] != '\\') {
            out += text[i];
            continue;
        }
        ++i;
        if (i < text.size() && isLineEnd(text[i])) {   // the line goes on
            i += text.substr(i).starts_with("\r\n") ? 1 : 0;
            continue;
        }
        const std::size_t known = i < text.size() ? kFrom.find(text[i]) : std::string_view::npos;
        if (known == std::string_view::npos) {
            return std::nullopt;
        }
        out += kTo[known];
    }
    return out;
}

/// A text in quotes with r or u before them. Of r each backslash is meant.
Plain prefixed(std::string_view text)
{
    if (!beginsPrefixed(text)) {
        return {};
    }
    const bool raw = text.front() == 'r' || text.front() == 'R';
    const char quote = text[1];
    std::size_t end = 2;
    while (end < text.size() && text[end] != quote && !isLineEnd(text[end])) {
        end += text[end] == '\\' ? 2 : 1;
    }
    if (end >= text.size() || text[end] != quote || text.substr(1, 3) == std::string(3, quote)) {
        return {};
    }
    const std::string_view inside = text.substr(2, end - 2);
    const auto words = raw ? std::optional(std::string(inside)) : unescaped(inside);
    return words ? Plain{end + 1, quoteJson(*words)} : Plain{};
}

Plain plainValue(std::string_view text)
{
    if (Plain words = prefixed(text); words.length > 0) {
        return words;
    }
    if (text.starts_with("\"") || text.starts_with("'")) {
        const std::size_t end = behindWords(text, 0);
        const auto one = JsonDocument::parse(std::string(text.substr(0, end)));
        const bool isText = one.hasValue() && one->node(one->root()).kind == JsonKind::String && !one->node(one->root()).bare;
        return isText ? Plain{end, quoteJson(one->stringValue(one->root()))} : Plain{};
    }
    if (Plain made = call(text); made.length > 0) {
        return made;
    }
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n,()[]{}\"'#"));
    if (word == "True" || word == "False" || word == "None") {
        return {word.size(), word == "True" ? "true" : word == "False" ? "false" : "null"};
    }
    std::string number = jsonNumber(word);
    return number.empty() ? Plain{} : Plain{word.size(), std::move(number), true};
}

/// A tuple, one number in parentheses, or a list.
std::optional<PythonValue> inBrackets(std::string_view text)
{
    const char close = text.front() == '[' ? ']' : ')';
    std::string items;
    bool list = false, number = false;
    std::size_t at = behindWhite(text, 1);
    while (at < text.size() && text[at] != close) {
        const Plain item = plainValue(text.substr(at));
        if (item.length == 0) {
            return std::nullopt;
        }
        items += (items.empty() ? "" : ", ") + item.json;
        number = item.number;
        at = behindWhite(text, at + item.length);
        if (at < text.size() && text[at] == ',') {
            list = true;
            at = behindWhite(text, at + 1);
        } else if (at < text.size() && text[at] != close) {
            return std::nullopt;
        }
    }
    if (at == text.size() || (close == ')' && !list && !items.empty() && !number)) {
        return std::nullopt;
    }
    list = list || items.empty() || close == ']';
    return PythonValue{list ? PythonValue::Kind::Tuple : PythonValue::Kind::Number, at + 1, list ? "[" + items + "]" : items};
}

constexpr int kDeepestCall = 64;

/// dict(name=value, ...) with plain values, tuples, lists of plain values and such calls in it.
Plain dictCall(std::string_view text, int depth = 0)
{
    const std::size_t open = text.starts_with("dict") ? std::min(text.find_first_not_of(" \t", 4), text.size()) : text.size();
    if (open == text.size() || text[open] != '(' || depth > kDeepestCall) {
        return {};
    }
    const auto valueOf = [depth](std::string_view rest) {
        if (Plain made = dictCall(rest, depth + 1); made.length > 0) {
            return made;
        }
        if (rest.starts_with("(") || rest.starts_with("[")) {
            const auto several = inBrackets(rest);
            return several ? Plain{several->length, several->json} : Plain{};
        }
        return plainValue(rest);
    };
    std::string members;
    std::size_t at = behindWhite(text, open + 1);
    while (at < text.size() && text[at] != ')') {
        const std::size_t name = std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", at), text.size());
        const std::size_t equals = behindWhite(text, name);
        if (name == at || equals == text.size() || text[equals] != '=') {
            return {};
        }
        const std::size_t from = behindWhite(text, equals + 1);
        const Plain value = valueOf(text.substr(from));
        if (value.length == 0) {
            return {};
        }
        members += (members.empty() ? "" : ", ") + quoteJson(std::string(text.substr(at, name - at))) + ": " + value.json;
        at = behindWhite(text, from + value.length);
        if (at < text.size() && text[at] == ',') {
            at = behindWhite(text, at + 1);
        } else if (at < text.size() && text[at] != ')') {
            return {};
        }
    }
    return at == text.size() ? Plain{} : Plain{at + 1, "{" + members + "}"};
}

}  // namespace

bool beginsPrefixed(std::string_view text)
{
    return text.size() > 2 && std::string_view("rRuU").find(text[0]) != std::string_view::npos && (text[1] == '"' || text[1] == '\'');
}

std::size_t behindTripleQuotes(std::string_view text, std::size_t at)
{
    if (text.substr(at, kTriple.size()) != kTriple) {
        return std::string_view::npos;
    }
    for (std::size_t i = at + kTriple.size(); i < text.size(); i += text[i] == '\\' ? 2 : 1) {
        if (text.substr(i, kTriple.size()) == kTriple) {
            return i + kTriple.size();
        }
    }
    return std::string_view::npos;
}

std::optional<PythonValue> pythonValue(std::string_view text)
{
    std::optional<PythonValue> value;
    if (const std::size_t end = behindTripleQuotes(text, 0); end != std::string_view::npos) {
        if (const auto words = unescaped(text.substr(kTriple.size(), end - 2 * kTriple.size()))) {
            value = PythonValue{PythonValue::Kind::Text, end, quoteJson(*words)};
        }
    } else if (Plain words = prefixed(text); words.length > 0) {
        value = PythonValue{PythonValue::Kind::Quoted, words.length, std::move(words.json)};
    } else if (text.starts_with("(")) {
        value = inBrackets(text);
    } else if (Plain dict = dictCall(text); dict.length > 0) {
        value = PythonValue{PythonValue::Kind::Dict, dict.length, std::move(dict.json)};
    } else if (Plain made = call(text); made.length > 0) {
        value = PythonValue{PythonValue::Kind::Number, made.length, std::move(made.json)};
    }
    const auto endsAt = [text](std::size_t end) {
        const std::size_t next = text.find_first_not_of(" \t", end);
        return next == std::string_view::npos || isLineEnd(text[next]) || std::string_view(",}]#").find(text[next]) != std::string_view::npos || text.substr(next).starts_with("/*") || text.substr(next).starts_with("//");
    };
    if (value && endsAt(value->length)) {
        return value;
    }
    WorkedOut worked = workedOut(text);
    return worked.length > 0 && endsAt(worked.length) ? std::optional(PythonValue{PythonValue::Kind::Number, worked.length, std::move(worked.json)}) : std::nullopt;
}

std::string_view restOfLine(std::string_view text, std::size_t at)
{
    at = std::min(at, text.size());
    const auto value = pythonValue(text.substr(at));
    const std::string_view rest = text.substr(at, std::min(text.find_first_of("\r\n", at + (value ? value->length : 0)), text.size()) - at);
    return rest.substr(0, rest.find_last_not_of(" \t") + 1);
}

}  // namespace stagecraft
