// SPDX-License-Identifier: GPL-3.0-or-later
// Words of a script, and what stands in the place of $.
#include "importers/shell_words.h"

#include "importers/launch_hosts.h"
#include "importers/shell_arithmetic.h"
#include "importers/shell_idioms.h"
#include "importers/shell_reader.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace stagecraft {

namespace {

constexpr std::size_t kMostExpanded = std::size_t{1} << 20;
constexpr int kDeepestExpansion = 4;

using Kind = ShellDoubt::Kind;

bool nameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool nameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

void ShellReader::step(std::size_t count)
{
    for (; count > 0 && !atEnd(); --count) {
        if (peek() == '\n') {
            m_cursor.line += m_cursor.fixed ? 0 : 1;
            if (m_cursor.hereFrom > 0 && m_cursor.at + 1 == m_cursor.hereFrom) {
                m_cursor.at = m_cursor.hereTo;
                m_cursor.line += m_cursor.fixed ? 0 : m_cursor.hereLines;
                m_cursor.hereFrom = 0;
                continue;
            }
        }
        ++m_cursor.at;
    }
}

void ShellReader::blank()
{
    while (!atEnd()) {
        if (starts("\\\n")) step(2);
        else if (starts("\\\r\n")) step(3);
        else if (peek() == ' ' || peek() == '\t' || peek() == '\r') step();
        else if (peek() == '#') while (!atEnd() && peek() != '\n') step();
        else return;
    }
}

void ShellReader::blankLines()
{
    for (blank(); peek() == '\n'; blank()) step();
}

Result<ShellScript> ShellReader::read()
{
    m_script.batch = slurmVariables(m_cursor.text);
    for (const auto& [name, value] : m_script.batch) m_values.set(name, ShellValue{{m_values.mark({Kind::Default, name, {}}) + std::to_string(value)}, 1});
    while (!atEnd() && !m_problem.has_value()) {
        list({});
        step();  // a mark that ends nothing
    }
    // What no command of the script calls may be called from outside.
    ++m_unlikely;
    m_ended = ShellEnd::None;
    for (std::size_t i = 0; i < m_functionOrder.size() && !m_problem.has_value(); ++i) {
        Function& function = m_functions[m_functionOrder[i]];
        if (!function.called) call(function, {});
        m_ended = ShellEnd::None;
    }
    if (m_problem.has_value()) return *m_problem;
    for (auto& [name, text] : m_files) m_script.files[name] = m_values.word(text.first, text.second);
    return std::move(m_script);
}

/// At a $ that stands for something, or a `.
bool ShellReader::expands() const
{
    return peek() == '`' || (peek() == '$' && peek(1) != '\0' && (nameChar(peek(1)) || std::string_view("{(@*#?$!-").find(peek(1)) != std::string_view::npos));
}

std::string ShellReader::plainName()
{
    std::string name;
    if (std::isdigit(static_cast<unsigned char>(peek())) != 0) {
        while (std::isdigit(static_cast<unsigned char>(peek())) != 0 && name.size() < 6) { name += peek(); step(); }
    } else if (nameStart(peek())) {
        while (nameChar(peek())) { name += peek(); step(); }
    } else if (!atEnd()) {
        name = peek();
        step();
    }
    return name;
}

/// The rest of a ${...}, its brace passed.
std::string ShellReader::upToBrace()
{
    std::string text;
    for (std::size_t depth = 1; !atEnd() && peek() != '\n'; step()) {
        depth += peek() == '{' ? 1U : 0U;
        if (peek() == '}' && --depth == 0) break;
        text += peek();
    }
    if (peek() == '}') step();
    return text;
}

/// What a substitution prints: where the script lies, a path's parts, a text.
ShellValue ShellReader::printed(std::string_view command)
{
    if (const auto folder = scriptFolder(command); folder.has_value()) return {{*folder}, m_cursor.line};
    if (m_expanding >= kDeepestExpansion || command.find_first_of("|;&<>\n") != std::string_view::npos) return unknown(Kind::Printed);
    if (command.starts_with('(') && command.ends_with(')')) command = command.substr(1, command.size() - 2);
    const Cursor before = std::exchange(m_cursor, {command, 0, m_cursor.line});
    const bool assigning = std::exchange(m_assigning, false);
    ++m_expanding;
    Words words;
    for (blank(); !atEnd(); blank()) {
        const std::size_t at = m_cursor.at;
        for (ShellWord& found : word()) words.push_back(std::move(found));
        if (m_cursor.at == at) step();
    }
    --m_expanding;
    m_assigning = assigning;
    m_cursor = before;
    std::string all;
    for (std::size_t i = 1; i < words.size(); ++i) all += (i > 1 ? " " : "") + words[i].text;
    const auto print = [&](const auto& text) { return words.empty() ? std::nullopt : printedText(words.front().text, text(all)); };
    const bool known = m_values.known(all);
    const auto text = known ? m_values.derived(all, print) : print([](const std::string& marked) { return ShellValues::plain(marked); });
    if (!text.has_value()) return unknown(Kind::Printed);
    return {{known ? *text : m_values.reasons(all)}, m_cursor.line};
}

/// $NAME, ${NAME}, ${NAME:-default}, ${NAME[@]}, $(...), $((...)), `...`; the cursor is on the $ or `.
ShellValue ShellReader::expansion()
{
    const std::string_view text = m_cursor.text;
    if (peek() == '`') {
        step();
        const std::size_t from = m_cursor.at;
        while (!atEnd() && peek() != '`') step();
        const std::size_t to = m_cursor.at;
        step();
        return printed(text.substr(from, to - from));
    }
    step();
    if (peek() == '(') {
        const std::size_t from = m_cursor.at;
        int open = 0;
        do {
            open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
            step();
        } while (!atEnd() && open > 0);
        const std::size_t to = m_cursor.at;
        const bool computes = to - from >= 4 && text.substr(from, 2) == "((" && text.substr(to - 2, 2) == "))";
        if (!computes || m_expanding >= kDeepestExpansion) return printed(text.substr(from, to - from));
        std::string reasons;
        const auto number = arithmetic(substituted(text.substr(from + 2, to - from - 4), m_cursor.line, false), reasons);
        if (number.has_value()) return {{*number}, m_cursor.line};
        return reasons.empty() ? unknown(Kind::Printed) : ShellValue{{reasons}, m_cursor.line};
    }
    if (peek() == '{') {
        step();
        return inBraces();
    }
    return valueOf(plainName());
}

/// Behind "${".
ShellValue ShellReader::inBraces()
{
    const std::size_t from = m_cursor.at;
    const bool counts = peek() == '#' && peek(1) != '}';
    if (counts) step();
    const bool indirect = peek() == '!' && peek(1) != '}';
    const std::string name = plainName();
    std::string index;
    if (peek() == '[') {
        step();
        while (!atEnd() && peek() != ']' && peek() != '}') { index += peek(); step(); }
        if (peek() == ']') step();
    }
    const bool whole = index.empty() || index == "@" || index == "*";
    if (starts("%/*}") && (name == "0" || name == "BASH_SOURCE")) {  // its folder
        step(4);
        return {{"."}, m_cursor.line};
    }
    const bool colon = peek() == ':' && peek(1) != '\0' && std::string_view("-=?+").find(peek(1)) != std::string_view::npos;
    if (colon) step();
    const char operation = peek();
    if (operation != '}') step();
    const std::string rest = upToBrace();
    if (name == "@" && operation == ':' && whole && index.empty() && !indirect) return sliced(rest);
    if (indirect || (operation != '}' && operation != '\0' && std::string_view("-=?+").find(operation) == std::string_view::npos)) return unknown(name == "@" && m_values.find("@") == nullptr ? Kind::Outside : Kind::Printed, name == "@" ? name : m_cursor.at - from < 40 ? std::string(m_cursor.text.substr(from - 1, m_cursor.at - from + 1)) : std::string());  // ${NAME%.json}, ${NAME//a/b} ...: not the value itself
    ShellValue value = valueOf(name);
    if (counts) return length(value, index == "@" || index == "*");
    if (!whole) {
        const bool number = index.size() < 6 && index.find_first_not_of("0123456789") == std::string::npos;
        const std::size_t element = number ? std::stoul(index) : value.words.size();
        if (element >= value.words.size()) return unknown(Kind::Printed);
        value.words = {value.words[element]};
    }
    return operation == '}' || operation == '\0' ? value : otherwise(name, value, colon, operation, rest);
}

/// The value of a variable or an argument; a mark where the script does not set it.
ShellValue ShellReader::valueOf(const std::string& name)
{
    const bool digits = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0 && name != "0";
    if (digits || name == "#" || name == "@" || name == "*") return argument(name);
    if (const ShellValue* value = m_values.find(name); value != nullptr) {
        for (const std::string& part : value->words) m_expanded += part.size() + 1;
        return m_expanded > kMostExpanded ? unknown(Kind::Printed) : *value;
    }
    static const std::set<std::string> kAlwaysSet{"0", "?", "$", "!", "-", "_", "BASH_SOURCE", "HOME", "USER", "HOSTNAME", "RANDOM", "SECONDS", "PATH", "UID"};
    if (name == "PWD") return {{"."}, m_cursor.line};
    return unknown(kAlwaysSet.count(name) > 0 ? Kind::Printed : Kind::Outside, name);
}

/// $1, $#, $@ or $*.
ShellValue ShellReader::argument(const std::string& name)
{
    const std::vector<std::string> all = m_values.find("@") != nullptr ? m_values.find("@")->words : std::vector<std::string>{m_values.mark({Kind::Outside, "@", {}})};
    // One of them may stand for any number: the arguments of the script handed on, or what a shift may have left.
    const auto open = std::find_if(all.begin(), all.end(), [&](const std::string& word) { return isOpenList(word); });
    const Kind kind = open == all.end() ? Kind::Default : m_values.doubts(*open).front()->kind;
    if (name == "@" || name == "*") {
        for (const std::string& one : all) m_expanded += one.size() + 1;
        return m_expanded > kMostExpanded ? unknown(Kind::Printed) : ShellValue{all, m_cursor.line};
    }
    if (name == "#") {
        if (kind == Kind::Printed) return unknown(kind, name);
        return {{(kind == Kind::Outside ? m_values.mark({Kind::Default, "1", {}}) + std::to_string(all.size() - 1) : std::to_string(all.size()))}, m_cursor.line};
    }
    const std::size_t number = std::stoul(name);
    if (open != all.end() && number > static_cast<std::size_t>(open - all.begin())) return unknown(kind, name);
    return {{number > 0 && number <= all.size() ? all[number - 1] : std::string()}, m_cursor.line};
}

/// ${@:2} or ${@:2:1}, of arguments that are all known.
ShellValue ShellReader::sliced(const std::string& text)
{
    const ShellValue all = argument("@");
    const std::size_t colon = text.find(':');
    const std::string from = text.substr(0, colon), count = colon == std::string::npos ? std::string("9999") : text.substr(colon + 1);
    const auto number = [](const std::string& digits) { return !digits.empty() && digits.size() < 5 && digits.find_first_not_of("0123456789") == std::string::npos; };
    const bool open = std::any_of(all.words.begin(), all.words.end(), [&](const std::string& word) { return isOpenList(word); });
    if (open || !number(from) || !number(count) || std::stoul(from) < 1) return unknown(m_values.find("@") == nullptr ? Kind::Outside : Kind::Printed, "@");
    const auto begin = all.words.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(std::stoul(from) - 1, all.words.size()));
    const auto end = begin + std::min(static_cast<std::ptrdiff_t>(std::stoul(count)), all.words.end() - begin);
    return {{begin, end}, all.line};
}

/// Whether a word of the arguments stands for any number of them.
bool ShellReader::isOpenList(const std::string& word) const
{
    const auto doubts = m_values.doubts(word);
    return doubts.size() == 1 && doubts.front()->name == "@" && ShellValues::plain(word).empty();
}

ShellValue ShellReader::length(const ShellValue& value, bool elements)
{
    const std::string text = value.joined();
    if (!m_values.known(text)) return {{m_values.reasons(text)}, value.line};
    if (elements) return {{std::to_string(value.words.size())}, value.line};
    return {{m_values.derived(text, [&](const auto& plain) { return std::optional(std::to_string(plain(text).size())); }).value_or(std::string())}, value.line};
}

/// ${NAME:-text}, ${NAME:=text}, ${NAME:+text}, ${NAME:?text}.
ShellValue ShellReader::otherwise(const std::string& name, const ShellValue& value, bool emptyToo, char operation, const std::string& text)
{
    if (operation == '?') return value;
    const std::string there = value.joined();
    const bool known = m_values.known(there);
    const bool empty = ShellValues::plain(there).empty();
    const auto doubts = m_values.doubts(there);
    const ShellDoubt only = !known && empty && doubts.size() == 1 ? *doubts.front() : ShellDoubt{};
    const bool outside = only.kind == Kind::Outside;
    const auto missingOne = [&](const ShellAlternative& one) { return one.text.empty() && (emptyToo || one.line == 0); };
    const bool branches = operation != '+' && only.kind == Kind::Branch && std::any_of(only.values.begin(), only.values.end(), missingOne);
    if (!known && !outside && !branches) return operation == '+' ? ShellValue{{m_values.reasons(there)}, value.line} : value;
    const bool missing = outside || branches || (empty && emptyToo);
    if (operation != '+' && !missing) return value;
    std::string bare = text;
    std::erase_if(bare, [](char c) { return c == '"' || c == '\''; });
    const std::string given = m_expanding < kDeepestExpansion ? substituted(bare, m_cursor.line, false) : m_values.mark({});
    ShellValue result{{}, m_cursor.line};
    if (branches) {
        ShellDoubt doubt{only.unsetUnless.empty() ? Kind::Branch : Kind::Default, only.unsetUnless.empty() ? name : only.unsetUnless, {}, ShellValues::plain(given)};
        for (const ShellAlternative& one : only.values) {
            if (!missingOne(one)) doubt.values.push_back(one);
        }
        if (doubt.kind == Kind::Branch) doubt.values.push_back({m_values.shown(given), m_cursor.line, m_values.known(given)});
        const bool decided = doubt.kind == Kind::Default;
        result.words = {m_values.mark(std::move(doubt)) + (decided ? m_values.mark({Kind::Default, name, {}}) + given : std::string())};
    } else if (outside) {
        result.words = {m_values.mark({Kind::Default, only.name, {}}) + (missing == (operation == '+') ? std::string() : given)};
    } else {
        const auto choose = [&](const auto& plain) {
            const std::string now = plain(there);
            if ((now.empty() && emptyToo) == (operation == '+')) return std::optional(operation == '+' ? std::string() : now);
            return std::optional(plain(given));
        };
        const bool takes = missing != (operation == '+');
        const std::string chosen = m_values.derived(there, choose).value_or(std::string());
        result.words = {takes ? chosen.substr(0, chosen.size() - ShellValues::plain(given).size()) + given : chosen};
    }
    if (operation == '=') m_values.set(name, result);
    return result;
}

std::optional<std::string> ShellReader::arithmetic(const std::string& expression, std::string& reasons)
{
    std::string read = expression;  // all that it is made of
    std::map<std::string, std::int64_t> set;
    const auto evaluate = [&](const std::function<std::string(const std::string&)>& text, bool first) -> std::optional<std::string> {
        set.clear();
        const auto number = shellArithmetic(text(expression), {[&](const std::string& name) -> std::optional<std::string> {
                                                                   if (const auto own = set.find(name); own != set.end()) return std::to_string(own->second);
                                                                   const std::string value = valueOf(name).joined();
                                                                   if (first && read.size() < kMostExpanded) read += value;
                                                                   return m_values.known(value) ? std::optional(text(value)) : std::nullopt;
                                                               },
                                                               [&](const std::string& name, std::int64_t value) { set[name] = value; }});
        m_expanded += 1 + expression.size() / 16;
        return number.has_value() ? std::optional(std::to_string(*number)) : std::nullopt;
    };
    std::optional<std::string> number;
    if (m_values.known(expression)) number = evaluate([](const std::string& text) { return ShellValues::plain(text); }, true);
    m_expanded += read.size();
    if (number.has_value()) {
        const auto names = set;
        std::map<std::string, std::string> values;
        for (const auto& [name, value] : names) {
            values[name] = m_values.derived(read, [&, key = name](const auto& text) -> std::optional<std::string> {
                return evaluate(text, false).has_value() && set.count(key) > 0 ? std::optional(std::to_string(set.at(key))) : std::nullopt;
            }).value_or(std::to_string(value));
        }
        number = m_values.derived(read, [&](const auto& text) { return evaluate(text, false); });
        for (const auto& [name, value] : values) m_values.set(name, ShellValue{{value}, m_cursor.line});
        return number;
    }
    reasons = m_values.reasons(read);
    for (const std::string& name : namesSetBy(ShellValues::plain(expression))) m_values.set(name, reasons.empty() ? unknown(Kind::Printed) : ShellValue{{reasons}, m_cursor.line});
    return std::nullopt;
}

/// A text with values in the place of its $. @param document  a \ in front of a $ takes it for itself
std::string ShellReader::substituted(std::string_view body, int line, bool document)
{
    const Cursor before = std::exchange(m_cursor, {body, 0, line});
    ++m_expanding;
    std::string out;
    while (!atEnd() && m_expanded + out.size() <= kMostExpanded) {
        if (expands()) {
            out += expansion().joined();
        } else {
            if (document && starts("\\\n")) {
                step(2);
                continue;
            }
            if (document && peek() == '\\' && (peek(1) == '$' || peek(1) == '\\' || peek(1) == '`')) step();
            out += peek();
            step();
        }
    }
    --m_expanding;
    m_cursor = before;
    m_expanded += out.size();
    return out;
}

/// Behind an opening quote.
void ShellReader::doubleQuotes(Words& words, ShellWord& current, bool& any)
{
    any = true;
    while (!atEnd() && peek() != '"') {
        if (expands()) {
            const std::size_t from = m_cursor.at;
            const ShellValue value = expansion();
            const std::string_view spelled = m_cursor.text.substr(from, m_cursor.at - from);
            const bool array = spelled == "$@" || spelled.starts_with("${@:") || (spelled.starts_with("${") && (spelled.ends_with("@}") || spelled.ends_with("[@]}")));
            if (array && !m_assigning && value.words.size() != 1) {
                for (std::size_t i = 0; i < value.words.size(); ++i) {
                    if (i > 0) {
                        words.push_back(current);
                        current = {"", m_cursor.line};
                    }
                    current.text += value.words[i];
                }
                if (value.words.empty()) any = !current.text.empty();
            } else {
                current.text += value.joined();
            }
        } else {
            if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\' || peek(1) == '$' || peek(1) == '`')) {
                step();
            } else if (starts("\\\n")) {
                step(2);
                continue;
            }
            current.text += peek();
            step();
        }
    }
    step();
}

/// The word at the cursor; an unquoted variable may make several of it, or none.
ShellReader::Words ShellReader::word()
{
    Words words;
    ShellWord current{"", m_cursor.line};
    bool any = false;
    const auto split = [&](const std::string& text) {
        for (const char c : text) {
            if (!m_assigning && space(c)) {
                if (any) words.push_back(current);
                current = {"", m_cursor.line};
                any = false;
            } else {
                current.text += c;
                any = true;
            }
        }
    };
    while (!atEnd()) {
        const char c = peek();
        if (space(c) || std::string_view(";|&<>()").find(c) != std::string_view::npos) break;
        if (c == '\\') {
            if (starts("\\\n") || starts("\\\r\n")) break;
            step();
            if (!atEnd()) current.text += peek();
            any = any || !atEnd();
            step();
        } else if (c == '\'' || starts("$'")) {
            step(c == '$' ? 2 : 1);
            any = true;
            while (!atEnd() && peek() != '\'') { current.text += peek(); step(); }
            step();
        } else if (c == '"' || starts("$\"")) {
            step(c == '$' ? 2 : 1);
            doubleQuotes(words, current, any);
        } else if (expands()) {
            split(expansion().joined());
        } else {
            current.text += c;
            any = true;
            step();
        }
    }
    if (any) words.push_back(current);
    m_expanded += any ? 1 : 0;
    if (m_expanded > kMostExpanded && !m_problem.has_value()) {
        m_problem = Error{ErrorCode::InvalidInput, "line " + std::to_string(m_cursor.line) + ": what the script's variables and functions stand for grows beyond 1 MiB", {{"line", std::to_string(m_cursor.line)}}};
        m_cursor.at = m_cursor.text.size();
    }
    return words;
}

/// The word at the cursor as one, as it stands behind a "=".
std::string ShellReader::unsplitWord()
{
    const bool before = std::exchange(m_assigning, true);
    const Words words = word();
    m_assigning = before;
    return words.empty() ? std::string() : words.front().text;
}

Result<ShellScript> readShellScript(std::string_view text, const std::vector<std::string>& watched, const std::function<Result<std::string>(const std::string& path)>& source)
{
    std::string clean(text);
    std::replace_if(clean.begin(), clean.end(), [](char c) { return c == '\x01' || c == '\x02'; }, '?');  // the marks of doubts
    return ShellReader(clean, watched, source).read();
}

}  // namespace stagecraft
