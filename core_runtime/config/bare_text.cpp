// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/bare_text.h"

#include "config/arithmetic.h"
#include "config/bare_shapes.h"
#include "config/config_value.h"
#include "config/python_value.h"
#include "config/rules/misnomers.h"
#include "config/text_cursor.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace stagecraft {

namespace {

struct Lookalike {
    std::string_view character;
    std::string_view plain;
    std::string_view name;  ///< of what cannot be seen
};

constexpr std::array kLookalikes{
    Lookalike{"\uff0c", ",", ""}, Lookalike{"\u3001", ",", ""}, Lookalike{"\uff1b", ",", ""}, Lookalike{"\uff1a", ":", ""}, Lookalike{"\uff5b", "{", ""}, Lookalike{"\uff5d", "}", ""}, Lookalike{"\uff3b", "[", ""},
    Lookalike{"\uff3d", "]", ""}, Lookalike{"\u3010", "[", ""}, Lookalike{"\u3011", "]", ""}, Lookalike{"\uff02", "\"", ""}, Lookalike{"\u201c", "\"", ""}, Lookalike{"\u201d", "\"", ""}, Lookalike{"\u201e", "\"", ""},
    Lookalike{"\u2018", "\"", ""}, Lookalike{"\u2019", "\"", ""}, Lookalike{"`", "\"", ""}, Lookalike{"\u300c", "\"", ""}, Lookalike{"\u300d", "\"", ""},
    Lookalike{"\u00a0", " ", "U+00A0"}, Lookalike{"\u3000", " ", "U+3000"}, Lookalike{"\u202f", " ", "U+202F"}, Lookalike{"\u2009", " ", "U+2009"}, Lookalike{"\u2003", " ", "U+2003"}, Lookalike{"\u2002", " ", "U+2002"},
    Lookalike{"\u200b", "", "U+200B"}, Lookalike{"\u200c", "", "U+200C"}, Lookalike{"\u200d", "", "U+200D"}, Lookalike{"\u200e", "", "U+200E"}, Lookalike{"\u200f", "", "U+200F"}, Lookalike{"\u2060", "", "U+2060"},
    Lookalike{"\ufeff", "", "U+FEFF"}, Lookalike{"\u00ad", "", "U+00AD"}, Lookalike{"\u2028", " ", "U+2028"}, Lookalike{"\u2029", " ", "U+2029"}};

const Lookalike* lookalikeAt(std::string_view text, std::size_t at)
{
    if (at >= text.size() || (static_cast<unsigned char>(text[at]) < 0x80 && text[at] != '`')) return nullptr;   // no other of them is ASCII
    const auto found = std::find_if(kLookalikes.begin(), kLookalikes.end(), [&](const Lookalike& each) { return text.substr(at, each.character.size()) == each.character; });
    return found == kLookalikes.end() ? nullptr : &*found;
}

/// Whether it is a quote that words have in them as well, as an apostrophe.
bool isApostrophe(const Lookalike& each) { return each.character == "\u2018" || each.character == "\u2019" || each.character == "`"; }

std::string quoted(std::string_view text) { return toJson(ConfigValue::ofString(std::string(text))); }

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r"), end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, end - begin + 1);
}

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// true, false, null or a number, as JSON, for what stands for one in another language; empty for anything else.
std::string literal(std::string_view text)
{
    const std::string low = lowered(text);
    const auto among = [&](std::initializer_list<std::string_view> words) { return std::find(words.begin(), words.end(), low) != words.end(); };
    return among({"true"}) ? "true" : among({"false"}) ? "false" : among({"none", "null", "nil", "undefined"}) ? "null" : jsonNumber(text);
}

std::string switchWord(std::string_view text)
{
    const std::string low = lowered(text);
    return low == "yes" || low == "on" ? "true" : low == "no" || low == "off" ? "false" : std::string(rules::literalMisspelt(low));
}

/// `text` without the commas and blanks that end it, and without closing brackets that nothing in it opens.
std::string_view withoutEnd(std::string_view text)
{
    while (!text.empty()) {
        const char last = text.back();
        const char opens = last == '}' ? '{' : last == ']' ? '[' : '\0';
        const bool unopened = opens != '\0' && std::count(text.begin(), text.end(), last) > std::count(text.begin(), text.end(), opens);
        if (!unopened && last != ',' && last != ' ' && last != '\t' && last != '\r') {
            break;
        }
        text.remove_suffix(1);
    }
    return text;
}

/// The number, true, false or null that stands before a remark in parentheses: 2 (default).
std::string remarked(std::string_view text)
{
    const std::size_t open = std::min(text.find('('), text.find("\uff08"));
    return open == std::string_view::npos || !(text.ends_with(")") || text.ends_with("\uff09")) ? std::string() : literal(trimmed(text.substr(0, open)));
}

/// What a whole number with k, M or G behind it comes to, as in 500M.
std::string withUnit(std::string_view text)
{
    constexpr double kMost = 9e15;   // below 2^53, so that all digits are those that were meant
    const char unit = text.empty() ? '\0' : lowered(text.substr(text.size() - 1)).front();
    const double times = unit == 'k' ? 1e3 : unit == 'm' ? 1e6 : unit == 'g' ? 1e9 : 0.0;
    const std::string number = times == 0.0 ? std::string() : jsonNumber(trimmed(text.substr(0, text.size() - 1)));
    double value = 0.0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    value = std::round(value * times * 1e3) / 1e3;   // 1.1k is 1100
    return !number.empty() && read.ec == std::errc() && value >= 1.0 && value < kMost && std::trunc(value) == value ? std::to_string(static_cast<long long>(value)) : std::string();
}

/// What arithmetic with ^ comes to where powers are meant by that: 5*10^8.
std::string power(std::string_view text)
{
    std::string python;
    for (const char c : text) {
        python += c == '^' ? "**" : std::string(1, c);
    }
    const WorkedOut number = python.size() == text.size() ? WorkedOut{} : workedOut(python);
    return number.length == python.size() ? number.json : std::string();
}

bool isPlaceholder(std::string_view text)
{
    return text.starts_with("$") || (text.size() > 2 && text.starts_with("<") && text.find('>') != std::string_view::npos) || (text.size() > 2 && text.starts_with("%") && text.ends_with("%")) || (text.size() > 4 && text.starts_with("__") && text.ends_with("__")) ||
           text.starts_with("@") || text == "..." || text == "\u2026";
}

}  // namespace

std::string jsonNumber(std::string_view text)
{
    std::string sign;
    if (!text.empty() && (text.front() == '+' || text.front() == '-')) {
        sign = text.front() == '-' ? "-" : "";
        text.remove_prefix(1);
    }
    const std::string low = lowered(text);
    if (low.starts_with("0x") && low.size() > 2 && low.size() <= 17 && low.find_first_not_of("0123456789abcdef", 2) == std::string::npos) {
        return sign + std::to_string(std::stoull(low.substr(2), nullptr, 16));
    }
    std::string whole, fraction, exponent;
    std::size_t i = 0;
    while (i < low.size() && (isDigit(low[i]) || (low[i] == '_' && i > 0 && isDigit(low[i - 1])))) {
        whole += low[i] == '_' ? "" : std::string(1, low[i]);
        ++i;
    }
    if (i < low.size() && low[i] == '.') {
        for (++i; i < low.size() && isDigit(low[i]); ++i) {
            fraction += low[i];
        }
        fraction = fraction.empty() ? "0" : fraction;
        if (whole.empty() && !isDigit(low[i - 1])) {
            return {};
        }
    }
    if (i < low.size() && low[i] == 'e' && !(whole.empty() && fraction.empty())) {
        exponent = "e";
        ++i;
        if (i < low.size() && (low[i] == '+' || low[i] == '-')) {
            exponent += low[i++];
        }
        const std::size_t digits = i;
        for (; i < low.size() && isDigit(low[i]); ++i) {
            exponent += low[i];
        }
        if (i == digits) {
            return {};
        }
    }
    if (i != low.size() || (whole.empty() && fraction.empty())) {
        return {};
    }
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    return sign + (whole.empty() ? "0" : whole) + (fraction.empty() ? "" : "." + fraction) + exponent;
}

std::optional<StrangeCharacter> strangeCharacter(std::string_view text)
{
    bool inside = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        inside = text[i] == '"' && (i == 0 || text[i - 1] != '\\') ? !inside : inside;
        if (!inside && (text[i] == '#' || text.substr(i, 2) == "//" || text.substr(i, 2) == "/*")) {
            return std::nullopt;   // a comment may say what it wants
        }
        if (const Lookalike* found = inside ? nullptr : lookalikeAt(text, i)) {
            return StrangeCharacter{i, std::string(found->name.empty() ? found->character : found->name), std::string(found->plain)};
        }
    }
    return std::nullopt;
}

PlainText inPlainCharacters(std::string_view text)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{{{"True", "true"}, {"False", "false"}, {"None", "null"}}};
    PlainText out;
    out.text.reserve(text.size());
    const auto write = [&](std::string_view plain) {
        out.text += plain;
        ++out.changed;
    };
    const auto isWordCharacter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80; };
    std::size_t i = 0;
    const auto copy = [&](std::size_t end) {
        end = std::min(end, text.size());
        out.text += text.substr(i, end - i);
        i = end;
    };
    while (i < text.size()) {
        const char c = text[i];
        const std::string_view rest = text.substr(i);
        if (c == '#' || rest.starts_with("//")) {
            copy(text.find('\n', i));
            continue;
        }
        if (rest.starts_with("/*")) {
            const std::size_t end = text.find("*/", i + 2);
            copy(end == std::string_view::npos ? end : end + 2);
            continue;
        }
        const Lookalike* strange = lookalikeAt(text, i);
        const std::size_t behind = out.text.find_last_not_of(" \t\r\n");
        const bool begins = behind == std::string::npos || std::string_view("{[,:").find(out.text[behind]) != std::string_view::npos;
        const bool typographic = strange && strange->plain == "\"" && (begins || !isApostrophe(*strange));
        if (c == '"' || c == '\'' || typographic) {
            if (typographic) {
                write("\"");
                i += strange->character.size();
            } else {
                copy(i + 1);
            }
            // To the end of the string, of its line at the latest.
            for (bool open = true; open && i < text.size() && text[i] != '\n';) {
                const Lookalike* closing = typographic ? lookalikeAt(text, i) : nullptr;
                if (text[i] == '\\') {
                    copy(i + 2);
                } else if (closing && closing->plain == "\"" && isApostrophe(*closing) == isApostrophe(*strange)) {
                    write("\"");
                    i += closing->character.size();
                    open = false;
                } else {
                    open = text[i] != (c == '\'' ? '\'' : '"');
                    copy(i + 1);
                }
            }
            continue;
        }
        if (strange && (typographic || !isApostrophe(*strange))) {
            write(strange->plain);
            i += strange->character.size();
            continue;
        }
        const auto word = std::find_if(kWords.begin(), kWords.end(), [&](const auto& each) { return rest.starts_with(each.first); });
        const bool whole = word != kWords.end() && (out.text.empty() || !isWordCharacter(out.text.back())) && (rest.size() == word->first.size() || !isWordCharacter(rest[word->first.size()]) || lookalikeAt(text, i + word->first.size()));
        if (whole) {
            write(word->second);
            i += word->first.size();
            continue;
        }
        copy(i + 1);
    }
    return out;
}

bool spellsLiteral(std::string_view text)
{
    const std::string plain = rules::inPlainLetters(text);
    return !literal(plain).empty() || (plain != text && (text.starts_with("\u201c") || text.starts_with("\u201d") || text.starts_with("\uff02"))) || text.starts_with("${") || pythonValue(text).has_value();
}

std::string otherSpelling(std::string_view word)
{
    bool fractional = false;
    const bool json = word == "true" || word == "false" || word == "null" || (!word.empty() && numberLength(word, 0, fractional) == word.size());
    return json ? std::string() : literal(rules::inPlainLetters(word));
}

TypographicText typographicText(std::string_view text)
{
    const Lookalike* open = lookalikeAt(text, 0);
    if (!open || open->plain != "\"") {
        return {};
    }
    const std::size_t begin = open->character.size();
    for (std::size_t at = begin; at < text.size() && std::string_view("\"\\\r\n").find(text[at]) == std::string_view::npos; ++at) {
        const Lookalike* close = lookalikeAt(text, at);
        if (close && close->plain == "\"" && isApostrophe(*close) == isApostrophe(*open)) {
            return {at + close->character.size(), std::string(text.substr(begin, at - begin))};
        }
    }
    return {};
}

std::string withoutCommas(std::string_view run)
{
    std::vector<std::string> groups(1);
    for (const char c : run) {
        if (c == ',') {
            groups.emplace_back();
        } else {
            groups.back() += c;
        }
    }
    const bool thousands = groups.size() > 2 || (groups.size() == 2 && groups[1].size() == 3 && groups[0] != "0" && groups[0] != "-0" && groups[1].find_first_not_of("0123456789") == std::string::npos);
    std::string joined;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        joined += (i == 1 && !thousands ? "." : "") + groups[i];
    }
    const std::string plain = jsonNumber(joined);
    return plain.empty() ? joined : plain;
}

std::string onOneLine(std::string_view text)
{
    std::string line;
    for (const char c : text) {
        const bool white = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        line += white ? (line.ends_with(' ') ? "" : " ") : std::string(1, c);
    }
    return line;
}

/// `text` up to the comment that its writer put behind the value, and the reader takes as part of it.
std::string_view withoutComment(std::string_view text)
{
    for (std::size_t i = 1; i < text.size(); ++i) {
        const bool blank = text[i - 1] == ' ' || text[i - 1] == '\t';
        if (blank && (text[i] == '#' || text.substr(i).starts_with("//") || text.substr(i).starts_with("/*"))) {
            return text.substr(0, text.find_last_not_of(" \t", i - 1) + 1);
        }
    }
    return text;
}

bool hasLookalike(std::string_view text)
{
    text = trimmed(withoutComment(text));
    const auto strange = strangeCharacter(text);
    if (!strange || strange->write.empty() || std::string_view(",:{}[] ").find(strange->write) == std::string_view::npos) {
        return false;
    }
    const std::size_t end = strange->offset + lookalikeAt(text, strange->offset)->character.size();
    return strange->offset == 0 || end == text.size() || !literal(text.substr(0, strange->offset)).empty();
}

BareAdvice bareAdvice(std::string_view text, bool accepted)
{
    const auto python = pythonValue(text);
    text = withoutComment(text);
    BareAdvice advice;
    const std::string_view whole = withoutEnd(text);
    advice.whole = quoted(whole);
    const std::size_t mark = std::min(text.find_first_of(",}]"), text.size());
    const auto as = [&](const char* message, std::size_t begin, std::size_t length, std::string write, std::string found) {
        advice.message = message;
        advice.begin = begin;
        advice.length = length;
        advice.write = std::move(write);
        advice.found = std::move(found);
        return advice;
    };
    if (python && python->length <= text.size()) {
        return as(python->kind == PythonValue::Kind::Tuple ? "text.instead.tuple" : "text.instead", 0, python->length, python->json, onOneLine(text.substr(0, python->length)));
    }
    std::string_view word = trimmed(text.substr(0, mark));
    const bool punctuationAlone = text.substr(mark).find_first_not_of(",}] \t\r") == std::string_view::npos;
    if (isPlaceholder(word) || word.starts_with("{{")) {
        std::size_t end = mark, open = static_cast<std::size_t>(std::count(word.begin(), word.end(), '{'));
        for (; open > 0 && end < text.size() && text[end] == '}'; --open) {
            ++end;
        }
        return as("text.instead.placeholder", 0, 0, "", std::string(text.substr(0, end)));
    }
    // What looks like punctuation ends the value for its writer, and not for the reader.
    const auto strange = strangeCharacter(word);
    if (strange && !strange->write.empty() && std::string_view(",:{}[]").find(strange->write) != std::string_view::npos) {
        const std::size_t size = lookalikeAt(word, strange->offset)->character.size();
        const std::string_view before = word.substr(0, strange->offset), after = word.substr(strange->offset + size);
        const std::size_t digits = std::min(after.find_first_not_of("0123456789"), after.size());
        if (strange->write == "," && !before.empty() && !literal(before).empty() && digits == 3) {
            return as("text.instead", 0, strange->offset + size + digits, withoutCommas(std::string(before) + "," + std::string(after.substr(0, digits))), std::string(word));
        }
        return as("text.instead.character", strange->offset, size, strange->write, strange->found);
    }
    if (const std::string value = remarked(word); !value.empty()) {
        return as("text.instead.remark", 0, word.size(), value, std::string(word));
    }
    if (const std::string number = withUnit(word); !number.empty()) {
        return as("text.instead.unit", 0, word.size(), number, std::string(word));
    }
    if (const std::string number = power(word); !number.empty()) {
        return as("text.instead.power", 0, word.size(), number, std::string(word));
    }
    const std::string plain = rules::inPlainLetters(word);
    const bool typographic = strange && strange->write == "\"";
    if (plain != word && !plain.empty() && word.find('"') == std::string_view::npos) {
        const std::string value = literal(plain);
        const bool json = !typographic && !value.empty();
        return as(json ? "text.instead.letters" : "text.instead.quotes", 0, word.size(), json ? value : quoted(plain), std::string(word));
    }
    if (strange && (strange->write.empty() || strange->write == " ")) {
        const std::size_t size = lookalikeAt(word, strange->offset)->character.size();
        return as("text.instead.hidden", strange->offset, size, strange->write, strange->found);
    }
    if (accepted && !punctuationAlone) {
        return as("text.instead.whole", 0, whole.size(), advice.whole, std::string(word));
    }
    if (const std::string value = literal(word); !value.empty()) {
        return as("text.instead", 0, word.size(), value, std::string(word));
    }
    if (const std::string value = switchWord(word); !value.empty()) {
        return as("text.instead.switch", 0, word.size(), value, std::string(word));
    }
    const std::string low = lowered(word);
    if (low == "nan" || low == "infinity" || low == "inf" || low == "-infinity" || low == "-inf" || low == "+inf") {
        return as("text.instead.number", 0, word.size(), "", std::string(word));
    }
    if (word.ends_with(";")) {
        const std::string value = literal(trimmed(word.substr(0, word.size() - 1)));
        return as("text.instead.semicolon", 0, word.size(), value.empty() ? quoted(trimmed(word.substr(0, word.size() - 1))) : value, std::string(word));
    }
    // The next key stands on the same line, and no comma before it.
    const std::size_t quote = word.find('"');
    if (quote != std::string_view::npos && quote + 1 == word.size() && quote > 0) {
        return as("text.instead.quotes", 0, word.size(), quoted(word.substr(0, quote)), std::string(word));
    }
    if (quote != std::string_view::npos && quote > 0 && (word[quote - 1] == '[' || word.find('=') < quote) && isScriptName(word)) {   // config["clip"], args.dtype == "bf16"
        return as("text.instead.script.value", 0, word.size(), "", std::string(word));
    }
    const std::size_t blank = word.find_first_of(" \t");
    const std::size_t next = quote != std::string_view::npos && quote > 0 ? quote : blank != std::string_view::npos && word.find(':', blank) != std::string_view::npos ? blank : std::string_view::npos;
    if (next != std::string_view::npos) {
        const std::string_view value = trimmed(word.substr(0, next));
        if (value.ends_with(";")) {
            const std::string json = literal(trimmed(value.substr(0, value.size() - 1)));
            return as("text.instead.semicolon.between", 0, value.size(), (json.empty() ? quoted(trimmed(value.substr(0, value.size() - 1))) : json) + ",", std::string(value));
        }
        const std::string json = literal(value);
        return as("text.instead.comma", 0, value.size(), (json.empty() ? quoted(value) : json) + ",", std::string(value));
    }
    if (!word.empty() && (isDigit(word.front()) || word.front() == '.' || word.front() == '-' || word.front() == '+' || word.front() == '(')) {
        const bool computed = word.find_first_not_of("0123456789.eE+-*/() _") == std::string_view::npos && word.find_first_of("*/(+- ", 1) != std::string_view::npos;
        std::string joined(word);
        std::erase_if(joined, [](char c) { return c == ' '; });
        const std::string together = jsonNumber(joined);
        const bool tuple = word.front() == '(' && word.back() == ')';
        const std::size_t after = text.find_first_of("]:{[", word.size());
        const bool inList = after != std::string_view::npos && text[after] == ']';
        if (const std::string list = withCommas(tuple ? trimmed(word.substr(1, word.size() - 2)) : word, inList); !list.empty()) {
            return as("text.instead.commas", 0, word.size(), inList && !tuple ? list : "[" + list + "]", std::string(word));
        }
        if (!together.empty() && computed) {
            return as("text.instead", 0, word.size(), together, std::string(word));
        }
        return as(computed ? "text.instead.number" : "text.instead.amount", 0, word.size(), computed ? "" : quoted(word), std::string(word));
    }
    // What follows the comma has no key: the text itself may have commas, as a path may.
    if (whole.size() > word.size() && whole.find_first_of(":\"", word.size()) == std::string_view::npos) {
        return as("text.instead.whole", 0, whole.size(), advice.whole, std::string(word));
    }
    if (isScriptName(word) && std::count(word.begin(), word.end(), '(') > std::count(word.begin(), word.end(), ')')) {   // goes on behind the comma
        return as("text.instead.script.value", 0, word.size(), "", std::string(word));
    }
    return as(isTemplateName(word) ? "text.instead.name" : isScriptName(word) ? "text.instead.script" : "text.instead.quotes", 0, word.size(), quoted(word), std::string(word));
}

}  // namespace stagecraft
