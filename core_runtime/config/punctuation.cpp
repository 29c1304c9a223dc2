// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/punctuation.h"

#include "config/hjson_reader.h"
#include "config/json_edit.h"
#include "config/json_lines.h"
#include "config/text_findings.h"
#include "config/text_fixes.h"

#include <algorithm>
#include <cctype>

namespace stagecraft {

namespace {

constexpr std::string_view kWhite = " \t\r\n";
constexpr std::size_t kLongestName = 200;

bool isNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-'; }

/// Bytes of the name without quotes that `text` begins with.
std::size_t nameLength(std::string_view text)
{
    text = text.substr(0, kLongestName);
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), isNameCharacter) - text.begin());
}

bool isReadable(const std::string& text) { return JsonDocument::parse(text).hasValue(); }

/// The text in quotes that ends before `at`, blanks and comments aside, or on whose line `at` ends it; nothing where none does.
std::optional<ByteRange> quotesBefore(std::string_view text, std::size_t at)
{
    std::optional<ByteRange> last;
    for (std::size_t i = 0; i < at && i < text.size();) {
        const std::size_t words = behindWords(text, i);
        if (words > i && (text[i] == '"' || text[i] == '\'')) {
            last = ByteRange{i, words};
        } else if (words == i && kWhite.find(text[i]) == std::string_view::npos) {
            last.reset();
        }
        i = std::max(words, i + 1);
    }
    return last;
}

/// Whether a name may begin at `begin`.
bool isPlaceOfName(std::string_view text, std::size_t begin)
{
    const std::size_t before = begin == 0 ? std::string_view::npos : text.find_last_not_of(kWhite, begin - 1);
    return before == std::string_view::npos || std::string_view(":[=").find(text[before]) == std::string_view::npos;
}

/// Whether what begins at `at` is a value, and no name with a colon of its own.
bool isValue(std::string_view text, std::size_t at)
{
    at = std::min(text.find_first_not_of(kWhite, at), text.size());
    if (at == text.size() || std::string_view("}],:=").find(text[at]) != std::string_view::npos) {
        return false;
    }
    if (text[at] == '{' || text[at] == '[') {
        return true;
    }
    const bool quoted = text[at] == '"' || text[at] == '\'';
    const std::size_t end = quoted ? behindWords(text, at) : at + nameLength(text.substr(at));
    const std::size_t next = std::min(text.find_first_not_of(" \t", end), text.size());
    return end > at && (next == text.size() || text[next] != ':');
}

/// Whether the quotes `quote` in `text` come in pairs: what follows a text that lacks one holds whole texts alone, and what follows a text of several lines begins inside of it.
bool hasPairs(std::string_view text, char quote)
{
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            ++i;
        } else if (text[i] == quote) {
            ++count;
        }
    }
    return count % 2 == 0;
}

/// Whether DeepSpeed's reader gets further with the edits: it reads the text, or what stops it next stands behind them.
bool getsFurther(std::string_view text, const std::vector<TextEdit>& edits)
{
    const std::string mended = applyEdits(std::string(text), edits);
    const ReadText read = readHjson(mended);
    if (!read.problem) {
        return true;
    }
    const TextPlace edit = placeIn(text, edits.back().begin), next = read.problem->place;
    return next.line > edit.line || (next.line == edit.line && next.column > edit.column + 1);
}

/// A colon in place of each "=" behind a name.
std::vector<TextEdit> colonsForEquals(std::string_view text)
{
    std::vector<TextEdit> edits;
    std::size_t name = std::string_view::npos;   // where one ends that stands in its place
    bool begins = true;                          // whether a name may stand next
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t words = behindWords(text, i), length = words > i ? 0 : nameLength(text.substr(i));
        const char c = text[i];
        if (words > i && c != '"' && c != '\'') {
            i = words;   // a comment
        } else if (words > i || length > 0) {
            name = begins ? std::max(words, i + length) : std::string_view::npos;
            begins = false;
            i = std::max(words, i + length);
        } else if (kWhite.find(c) != std::string_view::npos) {
            begins = begins || isLineEnd(c);
            ++i;
        } else {
            if (c == '=' && name != std::string_view::npos && text.substr(i, 2) != "==") {
                edits.push_back({name, i + 1, ":"});
            }
            name = std::string_view::npos;
            begins = c == '{' || c == ',' || c == '}';
            ++i;
        }
    }
    return edits;
}

PunctuationSlip equals(std::string_view text, std::string_view key)
{
    return {"text.colon.equals", {{"key", std::string(key)}}, colonsForEquals(text), ":"};
}

/// A name in quotes without its colon or its second quote, behind which a reader stopped at `at`.
std::optional<PunctuationSlip> nameSlip(std::string_view text, std::size_t at, bool lineEnd)
{
    const auto quotes = quotesBefore(text, at);
    if (!quotes || !isPlaceOfName(text, quotes->begin)) {
        return std::nullopt;
    }
    const std::string_view inside = text.substr(quotes->begin + 1, quotes->end - quotes->begin - 2);
    const std::size_t name = nameLength(inside), begin = quotes->begin + 1;
    if (name == 0) {
        return std::nullopt;
    }
    const std::string key(inside.substr(0, name)), quote(1, text[quotes->begin]);
    // Another quote may stand in the place of the second one.
    const bool other = name < inside.size() && (inside[name] == '"' || inside[name] == '\'') && inside[name] != quote.front();
    const std::size_t colon = std::min(inside.find_first_not_of(" \t", name + (other ? 1 : 0)), inside.size());
    if (colon < inside.size() && inside[colon] == ':') {
        PunctuationSlip slip{lineEnd ? "text.colon.half" : "text.colon.quote", {{"key", key}}, {{begin + name, begin + name + (other ? 1 : 0), quote}}, quote + key + quote + ":"};
        if (!hasPairs(text.substr(begin + name + (other ? 1 : 0)), quote.front()) || !getsFurther(text, slip.edits)) {
            slip.edits.clear();
        }
        return slip;
    }
    if (lineEnd) {
        return std::nullopt;
    }
    if (at < text.size() && text[at] == '=') {
        return equals(text, inside);
    }
    PunctuationSlip slip{"text.colon", {{"key", key}}, {}, ":"};
    if (name == inside.size() && isValue(text, at)) {
        slip.edits.push_back({quotes->end, quotes->end, ":"});
        if (!getsFurther(text, slip.edits)) {
            slip.edits.clear();
        }
    }
    return slip;
}

/// Brackets that a text opens and does not close.
struct Unclosed {
    std::ptrdiff_t braces = 0, squares = 0;
    explicit Unclosed(std::string_view text)
        : braces(std::count(text.begin(), text.end(), '{') - std::count(text.begin(), text.end(), '}')), squares(std::count(text.begin(), text.end(), '[') - std::count(text.begin(), text.end(), ']'))
    {
    }
    /// Takes one that `closing` closes. @return false where there is none
    bool close(char closing)
    {
        std::ptrdiff_t& open = closing == '}' ? braces : squares;
        return (closing == '}' || closing == ']') && open > 0 && open-- > 0;
    }
};

/// Whether what stands at `at` goes on behind a value: a bracket, a remark, a name with its colon, or in a list any value. A text over several lines seldom does.
bool goesOn(std::string_view text, std::size_t at, bool inList)
{
    at = std::min(text.find_first_not_of(kWhite, at), text.size());
    if (at == text.size() || std::string_view("}]/#").find(text[at]) != std::string_view::npos) {
        return true;
    }
    const bool quoted = text[at] == '"' || text[at] == '\'';
    const std::size_t end = quoted ? behindWords(text, at) : at + nameLength(text.substr(at));
    const std::size_t next = std::min(text.find_first_not_of(" \t", end), text.size());
    return end > at && (inList ? quoted || std::string_view(",]\r\n").find(text[std::min(next, text.size() - 1)]) != std::string_view::npos : next < text.size() && text[next] == ':');
}

/// A value without its second quote, which a reader looks for to the end of the line, at `at`: what stands before the punctuation that ends it.
std::optional<PunctuationSlip> halfValue(std::string_view text, std::size_t at)
{
    const auto quotes = quotesBefore(text, at);
    const std::vector<OpenBracket> open = openBrackets(text.substr(0, quotes ? quotes->begin : 0));
    const bool inList = !open.empty() && text[open.back().at] == '[';
    if (!quotes || (!inList && isPlaceOfName(text, quotes->begin))) {
        return std::nullopt;
    }
    std::string_view inside = text.substr(quotes->begin + 1, at - quotes->begin - 1);
    const std::string quote(1, text[quotes->begin]);
    // A remark behind the punctuation that ends the value; anywhere else nobody can tell where the value ends.
    std::size_t remark = inside.find('#');
    for (std::size_t slash = inside.find('/'); slash != std::string_view::npos; slash = inside.find('/', slash + 2)) {
        if (slash + 1 < inside.size() && (inside[slash + 1] == '*' || (inside[slash + 1] == '/' && (slash == 0 || inside[slash - 1] != ':')))) {
            remark = std::min(remark, slash);
            break;
        }
    }
    if (remark != std::string_view::npos) {
        inside = inside.substr(0, remark);
        const std::size_t last = inside.find_last_not_of(" \t");
        if (last == std::string_view::npos || std::string_view(",}]").find(inside[last]) == std::string_view::npos) {
            return std::nullopt;
        }
    }
    std::size_t end = inside.find_last_not_of("}], \t") + 1;   // 0 where there is nothing else
    Unclosed unclosed(inside.substr(0, end));
    while (end < inside.size() && unclosed.close(inside[end])) {
        ++end;   // what the value itself opens: {name}, layer[0]
    }
    // Another quote may stand in the place of the second one.
    const bool other = end > 1 && (inside[end - 1] == '"' || inside[end - 1] == '\'') && inside[end - 1] != quote.front();
    const std::string value(inside.substr(0, end - (other ? 1 : 0)));
    if (end == 0 || unclosed.braces > 0 || unclosed.squares > 0 || inside.find(quote) != std::string_view::npos || !goesOn(text, at, inList) || !hasPairs(text.substr(at), quote.front())) {
        return std::nullopt;
    }
    PunctuationSlip slip{"text.quote.half", {{"found", value}}, {{quotes->begin + 1 + value.size(), quotes->begin + 1 + end, quote}}, quote + value + quote};
    // Where no punctuation ends it, it may be the last of its section, or a text of several lines.
    const bool last = inside.find_first_not_of(" \t", end) == std::string_view::npos;
    if ((last && !isReadable(applyEdits(std::string(text), slip.edits))) || !getsFurther(text, slip.edits)) {
        return std::nullopt;
    }
    return slip;
}

/// A closing bracket of the other kind: it stands in the place of one, or one is missing before it.
std::optional<PunctuationSlip> bracketSlip(std::string_view text, std::size_t at)
{
    const std::vector<OpenBracket> open = openBrackets(text.substr(0, at));
    const std::string write = open.empty() ? std::string() : closing(text, {open.back()});
    if (open.empty() || write.front() == text[at]) {
        return std::nullopt;
    }
    PunctuationSlip slip{"text.bracket", {{"found", std::string(1, text[at])}, {"open", std::string(1, text[open.back().at])}, {"line", std::to_string(open.back().line)}, {"write", write}}, {}, write};
    if (isReadable(applyEdits(std::string(text), {{at, at, write}}))) {
        slip.message = "text.bracket.before";
        slip.edits = {{at, at, write}};
    } else if (isReadable(applyEdits(std::string(text), {{at, at + 1, write}}))) {
        slip.edits = {{at, at + 1, write}};
    }
    return slip;
}

/// A bracket that closes the config before its last keys, which begin at `at`.
std::optional<PunctuationSlip> earlySlip(std::string_view text, std::size_t at)
{
    const std::size_t close = at == 0 ? std::string_view::npos : text.find_last_not_of(kWhite, at - 1);
    const std::size_t next = std::min(text.find_first_not_of(kWhite, at + (at < text.size() && text[at] == ',' ? 1 : 0)), text.size());
    const std::size_t end = next == text.size() ? next : text[next] == '"' ? behindWords(text, next) : next + nameLength(text.substr(next));
    const std::size_t colon = text.find_first_not_of(" \t", end);
    if (close == std::string_view::npos || text[close] != '}' || end == next || colon == std::string_view::npos || text[colon] != ':') {
        return std::nullopt;
    }
    const std::string line = std::to_string(1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(close), '\n'));
    const std::string key(text.substr(text[next] == '"' ? next + 1 : next, end - next - (text[next] == '"' ? 2 : 0)));
    PunctuationSlip slip{"text.extra.early", {{"line", line}, {"key", key}}, {}, ""};
    // With the line it stands on alone; a comma behind it goes on behind what stands before.
    std::size_t begin = close;
    while (begin > 0 && kWhite.find(text[begin - 1]) != std::string_view::npos) {
        --begin;
    }
    const bool alone = begin > 0 && text.substr(begin, close - begin).find('\n') != std::string_view::npos;
    const TextEdit edit{alone ? begin : close, close + 1, ""};
    if (isReadable(applyEdits(std::string(text), {edit}))) {
        slip.edits = {edit};
    }
    return slip;
}

}  // namespace

std::optional<PunctuationSlip> punctuationSlip(std::string_view text, std::size_t at, std::string_view rule)
{
    if (rule == "text.extra") {
        return earlySlip(text, at);
    }
    if (rule == "text.control") {
        if (at >= text.size() || !isLineEnd(text[at])) {
            return std::nullopt;
        }
        auto slip = nameSlip(text, at, true);
        return slip ? slip : halfValue(text, at);
    }
    if (rule != "text.key" && rule != "text.syntax") {
        return std::nullopt;
    }
    if (at < text.size() && (text[at] == '}' || text[at] == ']')) {
        if (auto bracket = bracketSlip(text, at)) {
            return bracket;
        }
    }
    if (rule == "text.key") {
        const std::size_t name = at + nameLength(text.substr(std::min(at, text.size())));
        const std::size_t next = text.find_first_not_of(" \t", name);
        return name > at && next != std::string_view::npos && text[next] == '=' ? std::optional(equals(text, text.substr(at, name - at))) : std::nullopt;
    }
    return nameSlip(text, at, false);
}

}  // namespace stagecraft
