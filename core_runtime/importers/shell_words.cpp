// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_words.h"

#include "importers/shell_arithmetic.h"
#include "importers/shell_idioms.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

constexpr std::size_t kMostExpanded = std::size_t{1} << 20;

/// Stands in a text for a part that is only known when the shell runs, so that the words around it keep their places.
constexpr char kUnknown = '\x01';

bool isKnown(const std::string& text) { return text.find(kUnknown) == std::string::npos; }

ShellWord plain(ShellWord word)
{
    word.known = word.known && isKnown(word.text);
    std::erase(word.text, kUnknown);
    return word;
}

bool nameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool nameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

struct Value {
    std::vector<std::string> words;  ///< one, or the elements of an array
    bool known = true;
};

/// The name under which a script's file is known: "./a" and "a" are one.
std::string plainPath(const std::string& path) { return path.empty() ? path : std::filesystem::path(path).lexically_normal().string(); }

class Reader {
public:
    explicit Reader(std::string_view text, const std::vector<std::string>& watched = {}) : m_text(text), m_watched(watched) {}

    Result<ShellScript> read()
    {
        while (m_at < m_text.size() && m_expanded <= kMostExpanded) command();
        if (m_expanded > kMostExpanded) return Error{ErrorCode::InvalidInput, "line " + std::to_string(m_line) + ": the script's variables grow beyond 1 MiB", {{"line", std::to_string(m_line)}}};
        return std::move(m_script);
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const { return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0'; }
    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    void step()
    {
        if (peek() == '\n') ++m_line;
        ++m_at;
    }

    void blank()
    {
        while (!atEnd()) {
            if (peek() == '\\' && peek(1) == '\n') { step(); step(); }
            else if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n') { step(); step(); step(); }
            else if (peek() == ' ' || peek() == '\t' || peek() == '\r') step();
            else if (peek() == '#') while (!atEnd() && peek() != '\n') step();
            else return;
        }
    }

    void command()
    {
        std::vector<ShellWord> words;
        m_before.clear();
        std::string target;      // of a > redirection
        std::string here;        // end word of a here-document
        bool hereRaw = false;
        while (true) {
            blank();
            const char c = peek();
            if (atEnd() || c == '\n' || c == ';' || c == '|' || c == '&') break;
            if (c == '(' || c == ')' || c == '{' || c == '}') {
                const bool brace = (c == '{' || c == '}') && !(std::isspace(static_cast<unsigned char>(peek(1))) != 0 || peek(1) == '\0' || peek(1) == ';');
                if (!brace) {
                    step();
                    m_open += c == '(' ? 1 : 0;
                    if (c != ')') continue;
                    const std::size_t next = m_text.find_first_not_of(" \t", m_at);
                    const bool ends = next == std::string_view::npos || std::string_view(";|&)<>\r\n").find(m_text[next]) != std::string_view::npos;
                    if (m_open == 0 || !ends) words.clear();  // a pattern of case ... in
                    m_open -= m_open > 0 ? 1 : 0;
                    continue;
                }
            }
            if (c == '<' && peek(1) == '<' && peek(2) != '<') {
                step();
                step();
                if (peek() == '-') step();
                blank();
                hereRaw = peek() == '\'' || peek() == '"' || peek() == '\\';
                while (!atEnd() && !std::isspace(static_cast<unsigned char>(peek())) && peek() != '>' && peek() != ';') {
                    if (peek() != '\'' && peek() != '"' && peek() != '\\') here += peek();
                    step();
                }
                continue;
            }
            if (c == '>' || c == '<' || (std::isdigit(static_cast<unsigned char>(c)) != 0 && peek(1) == '>')) {
                while (std::isdigit(static_cast<unsigned char>(peek())) != 0 || peek() == '>' || peek() == '<' || peek() == '&') step();
                blank();
                const auto to = word();
                if (c == '>' && !to.empty() && to.front().known) target = to.front().text;
                continue;
            }
            if (words.empty() && assignment()) continue;
            const std::size_t before = m_at;
            for (ShellWord& found : word()) words.push_back(std::move(found));
            if (m_at == before) step();  // a mark that no rule takes
        }
        if (!atEnd() && here.empty()) step();
        if (!here.empty()) hereDocument(here, hereRaw, target, words);
        static const std::set<std::string> kPrefixes{"export", "if", "then", "else", "elif", "do", "while", "for", "exec", "time", "nohup", "sudo", "env", "set", "!"};
        bool exports = false;
        while (!words.empty() && kPrefixes.count(words.front().text) > 0) {
            exports = exports || words.front().text == "export" || words.front().text == "env";
            words.erase(words.begin());
        }
        while (!words.empty() && ((words.front().text.find('=') != std::string::npos && nameStart(words.front().text[0])) || (exports && words.size() == 1 && watched(words.front().text)))) {  // export A=b, export A, env A=b command
            const std::size_t equals = std::min(words.front().text.find('='), words.front().text.size());
            const std::string name = words.front().text.substr(0, equals);
            if (equals < words.front().text.size()) m_values[name] = {{words.front().text.substr(equals + 1)}, words.front().known};
            if (exports && watched(name)) m_exported[name] = words.front().line;
            words.erase(words.begin());
        }
        if (words.empty()) return;
        if (const auto within = commandWithin(words); within.has_value() && m_depth < kDeepest) {
            nested(words, *within);
        } else if (m_script.commands.size() < 10'000) {
            m_script.environments.push_back(environment(words.front().line));
            std::transform(words.begin(), words.end(), words.begin(), plain);
            m_script.commands.push_back(std::move(words));
        }
        // What stands in front of a command holds for that command alone.
        for (auto hidden = m_before.rbegin(); hidden != m_before.rend(); ++hidden) {
            if (hidden->second.has_value()) m_values[hidden->first] = std::move(*hidden->second);
            else m_values.erase(hidden->first);
        }
    }

    /// The commands of a word that a shell is given. What starts that shell (srun -n 8 bash -c ...) stays in front of each.
    void nested(const std::vector<ShellWord>& words, const CommandWithin& within)
    {
        std::string text;
        for (std::size_t i = within.begin; i < within.end; ++i) text += (i > within.begin ? " " : "") + words[i].text;
        Reader inner(text, m_watched);
        inner.m_values = m_values;
        inner.m_exported = m_exported;
        for (const auto& [name, hidden] : m_before) inner.m_exported.try_emplace(name, words.front().line);
        inner.m_line = words[within.begin].line;
        inner.m_depth = m_depth + 1;
        inner.m_expanded = m_expanded + text.size();
        for (const auto& [name, value] : m_values) inner.m_expanded += joined(value).size();  // each shell has its own
        while (!inner.atEnd() && inner.m_expanded <= kMostExpanded) inner.command();
        m_expanded = inner.m_expanded;
        std::vector<ShellWord> front(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(within.starters));
        std::transform(front.begin(), front.end(), front.begin(), plain);
        for (std::size_t i = 0; i < inner.m_script.commands.size() && m_script.commands.size() < 10'000; ++i) {
            std::vector<ShellWord>& command = inner.m_script.commands[i];
            command.insert(command.begin(), front.begin(), front.end());
            m_script.commands.push_back(std::move(command));
            m_script.environments.push_back(std::move(inner.m_script.environments[i]));
        }
        for (auto& [name, body] : inner.m_script.files) {
            if (m_script.files.size() < 100) m_script.files[name] = std::move(body);
        }
    }

    [[nodiscard]] bool watched(const std::string& name) const { return std::find(m_watched.begin(), m_watched.end(), name) != m_watched.end(); }

    /// The watched variables as the command about to run sees them.
    [[nodiscard]] ShellEnvironment environment(int line) const
    {
        ShellEnvironment seen;
        for (const std::string& name : m_watched) {
            const auto value = m_values.find(name);
            const auto exported = m_exported.find(name);
            const bool infront = std::any_of(m_before.begin(), m_before.end(), [&](const auto& before) { return before.first == name; });
            if (value == m_values.end() || (exported == m_exported.end() && !infront)) continue;
            seen[name] = plain({joined(value->second), infront ? line : exported->second, value->second.known});
        }
        return seen;
    }

    void hereDocument(const std::string& end, bool raw, std::string target, const std::vector<ShellWord>& words)
    {
        while (!atEnd() && peek() != '\n') {  // what stands behind the end word: usually "> file"
            blank();
            if (peek() == '>') {
                while (peek() == '>') step();
                blank();
                const auto to = word();
                if (!to.empty() && to.front().known) target = to.front().text;
            } else if (!atEnd() && peek() != '\n') {
                step();
            }
        }
        if (!atEnd()) step();
        std::string body;
        while (!atEnd()) {
            const std::size_t stop = std::min(m_text.find('\n', m_at), m_text.size());
            std::string_view line = m_text.substr(m_at, stop - m_at);
            m_at = std::min(stop + 1, m_text.size());
            ++m_line;
            std::string_view bare = line;
            while (!bare.empty() && (bare.front() == '\t' || bare.front() == ' ')) bare.remove_prefix(1);
            while (!bare.empty() && bare.back() == '\r') bare.remove_suffix(1);
            if (bare == end) break;
            body += line;
            body += '\n';
        }
        for (const ShellWord& word : words) {
            if (words.front().text == "tee" && isKnown(word.text) && word.text != "tee" && word.text[0] != '-') target = word.text;
        }
        if (!target.empty() && m_script.files.size() < 100) m_script.files[plainPath(target)] = raw ? body : substituted(body);
    }

    /// Variables of a here-document's body.
    std::string substituted(const std::string& body)
    {
        Reader inner(body);
        inner.m_values = m_values;
        std::string out;
        while (!inner.atEnd() && m_expanded + out.size() <= kMostExpanded) {
            if (inner.peek() == '$') out += joined(inner.expansion());
            else if (inner.peek() == '\\' && (inner.peek(1) == '$' || inner.peek(1) == '\\' || inner.peek(1) == '`')) { inner.step(); out += inner.peek(); inner.step(); }
            else { out += inner.peek(); inner.step(); }
        }
        m_expanded += out.size();
        std::erase(out, kUnknown);
        return out;
    }

    static std::string joined(const Value& value)
    {
        std::string out;
        for (const std::string& word : value.words) out += (out.empty() ? "" : " ") + word;
        return out;
    }

    /// NAME=value or NAME=(words) in front of a command.
    bool assignment()
    {
        std::size_t end = m_at;
        if (!nameStart(peek())) return false;
        while (end < m_text.size() && nameChar(m_text[end])) ++end;
        const bool more = end + 1 < m_text.size() && m_text[end] == '+' && m_text[end + 1] == '=';
        if (end >= m_text.size() || (m_text[end] != '=' && !more)) return false;
        const std::string name(m_text.substr(m_at, end - m_at));
        m_at = end + (more ? 2U : 1U);
        Value value;
        if (peek() == '(') {
            step();
            while (true) {
                blank();
                if (atEnd() || peek() == ')') break;
                if (peek() == '\n') { step(); continue; }
                const std::size_t before = m_at;
                for (ShellWord& found : word()) {
                    value.known = value.known && found.known;
                    value.words.push_back(std::move(found.text));
                }
                if (m_at == before) step();
            }
            if (!atEnd()) step();
        } else {
            m_assigning = true;  // no splitting into words
            const auto words = word();
            m_assigning = false;
            value.words = {words.empty() ? std::string() : words.front().text};
            value.known = words.empty() || words.front().known;
        }
        if (more) {  // never in front of a command, so that nothing need be kept
            Value& slot = m_values[name];
            slot.words.insert(slot.words.end(), value.words.begin(), value.words.end());
            return true;
        }
        const auto [slot, fresh] = m_values.try_emplace(name);
        m_before.emplace_back(name, fresh ? std::nullopt : std::optional(std::move(slot->second)));
        slot->second = std::move(value);
        return true;
    }

    /// $NAME, ${NAME}, ${NAME:-default}, ${NAME[@]}, $(...), $((...)), `...`; the cursor is on the $ or `.
    Value expansion()
    {
        const Value unknown{{std::string(1, kUnknown)}, false};
        const auto printed = [&](std::size_t from, std::size_t to) {
            const auto folder = scriptFolder(m_text.substr(from, to - from));
            return folder.has_value() ? Value{{*folder}, true} : unknown;
        };
        if (peek() == '`') {
            step();
            const std::size_t from = m_at;
            while (!atEnd() && peek() != '`') step();
            const std::size_t to = m_at;
            step();
            return printed(from, to);
        }
        step();
        if (peek() == '(') {
            const std::size_t from = m_at;
            int open = 0;
            do {
                open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
                step();
            } while (!atEnd() && open > 0);
            return m_computing < kDeepest && m_text.substr(from, 2) == "((" && m_text.substr(m_at - 2, 2) == "))" ? computed(m_text.substr(from + 2, m_at - from - 4)) : printed(from, m_at);
        }
        const bool braces = peek() == '{';
        if (braces) step();
        std::string name;
        if (nameStart(peek())) while (nameChar(peek())) { name += peek(); step(); }
        else if (!atEnd()) { name = peek(); step(); }
        std::string index, fallback;
        bool hasFallback = false, changed = false;
        if (braces) {
            if (peek() == '[') {
                step();
                while (!atEnd() && peek() != ']' && peek() != '}') { index += peek(); step(); }
                if (peek() == ']') step();
            }
            if (peek() == '%' && peek(1) == '/' && peek(2) == '*' && peek(3) == '}' && (name == "0" || name == "BASH_SOURCE")) {  // its folder
                for (int marks = 0; marks < 4; ++marks) step();
                return {{"."}, true};
            }
            if (peek() == ':' && std::string_view("-=?+").find(peek(1)) != std::string_view::npos) step();
            if (peek() == '-' || peek() == '=') {
                hasFallback = true;
                step();
                std::size_t depth = 1;
                while (!atEnd() && peek() != '\n') {
                    depth += peek() == '{' ? 1U : 0U;
                    if (peek() == '}' && --depth == 0) break;
                    if (peek() != '"' && peek() != '\'') fallback += peek();
                    step();
                }
            } else {
                changed = peek() != '}' && peek() != '?';  // ${NAME%.json}, ${NAME//a/b} ...: not the value itself
            }
            while (!atEnd() && peek() != '}' && peek() != '\n') step();
            if (peek() == '}') step();
        }
        if (changed) return unknown;
        const auto found = m_values.find(name);
        if (found != m_values.end() && (found->second.known || !hasFallback)) {
            const Value& value = found->second;
            for (const std::string& word : value.words) m_expanded += word.size() + 1;
            if (m_expanded > kMostExpanded) return unknown;
            if (index.empty() || index == "@" || index == "*") return value;
            const std::size_t element = index.size() < 6 && index.find_first_not_of("0123456789") == std::string::npos ? std::stoul(index) : value.words.size();
            return element < value.words.size() ? Value{{value.words[element]}, value.known} : unknown;
        }
        if (name == "PWD") return {{"."}, true};
        if (hasFallback && fallback.find('$') == std::string::npos && fallback.find('`') == std::string::npos) return {{fallback}, true};
        return unknown;
    }

    /// $((expression)); its own expansions are made in place of the script's text.
    Value computed(std::string_view expression)
    {
        const std::string_view text = std::exchange(m_text, expression);
        const std::size_t at = std::exchange(m_at, 0);
        const int line = m_line;
        std::string whole;
        ++m_computing;
        while (!atEnd() && m_expanded + whole.size() <= kMostExpanded) {
            if (peek() == '$' || peek() == '`') whole += joined(expansion());
            else { whole += peek(); step(); }
        }
        --m_computing;
        m_text = text;
        m_at = at;
        m_line = line;
        m_expanded += whole.size();
        const auto number = shellArithmetic(whole, [this](const std::string& name) {
            const auto found = m_values.find(name);
            return found == m_values.end() ? std::nullopt : std::optional(joined(found->second));
        });
        return number.has_value() ? Value{{std::to_string(*number)}, true} : Value{{std::string(1, kUnknown)}, false};
    }

    /// The word at the cursor; an unquoted variable may make several of it, or none.
    std::vector<ShellWord> word()
    {
        std::vector<ShellWord> words;
        ShellWord current{"", m_line, true};
        bool any = false;
        const auto add = [&](const std::string& text) {
            current.text += text;
            any = true;
        };
        const auto split = [&](const std::string& text) {
            for (const char c : text) {
                if (!m_assigning && std::isspace(static_cast<unsigned char>(c)) != 0) {
                    if (any) words.push_back(current);
                    current = {"", m_line, true};
                    any = false;
                } else {
                    add(std::string(1, c));
                }
            }
        };
        while (!atEnd()) {
            const char c = peek();
            if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';' || c == '|' || c == '&' || c == '<' || c == '>' || c == '(' || c == ')') break;
            if (c == '\\') {
                if (peek(1) == '\n') break;
                if (peek(1) == '\r' && peek(2) == '\n') break;
                step();
                if (!atEnd()) add(std::string(1, peek()));
                step();
            } else if (c == '\'') {
                step();
                add("");
                while (!atEnd() && peek() != '\'') { add(std::string(1, peek())); step(); }
                step();
            } else if (c == '"') {
                step();
                add("");
                while (!atEnd() && peek() != '"') {
                    if (peek() == '$' || peek() == '`') {
                        const std::size_t end = m_text.find('}', m_at);
                        const bool array = peek(1) == '{' && end != std::string_view::npos && end - m_at > 5 && m_text.substr(end - 3, 3) == "[@]";
                        const Value value = expansion();
                        current.known = current.known && value.known;
                        if (array && !m_assigning && value.words.size() != 1) {
                            for (std::size_t i = 0; i < value.words.size(); ++i) {
                                if (i > 0) { words.push_back(current); current = {"", m_line, value.known}; }
                                add(value.words[i]);
                            }
                            if (value.words.empty()) any = !current.text.empty();
                        } else {
                            add(joined(value));
                        }
                    } else {
                        if (peek() == '\\' && (peek(1) == '"' || peek(1) == '\\' || peek(1) == '$' || peek(1) == '`')) step();
                        else if (peek() == '\\' && peek(1) == '\n') { step(); step(); continue; }
                        add(std::string(1, peek()));
                        step();
                    }
                }
                step();
            } else if (c == '$' || c == '`') {
                const Value value = expansion();
                current.known = current.known && value.known;
                if (!value.known) any = true;
                split(joined(value));
            } else {
                add(std::string(1, c));
                step();
            }
        }
        if (any) words.push_back(current);
        for (ShellWord& found : words) found.known = isKnown(found.text);
        m_expanded += any ? 1 : 0;
        return words;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    std::size_t m_expanded = 0;
    bool m_assigning = false;
    int m_open = 0;  ///< subshells
    static constexpr int kDeepest = 3;  ///< shells within shells that are read
    int m_depth = 0;
    int m_computing = 0;  ///< $(( )) around the text being expanded
    std::vector<std::string> m_watched;
    std::map<std::string, int> m_exported;  ///< watched variables, and the line of their export
    std::vector<std::pair<std::string, std::optional<Value>>> m_before;  ///< assignments in front of this command, and what they hid
    std::map<std::string, Value> m_values;
    ShellScript m_script;
};

}  // namespace

const std::string* ShellScript::file(const std::string& path) const
{
    const auto found = files.find(plainPath(path));
    return found == files.end() ? nullptr : &found->second;
}

Result<ShellScript> readShellScript(std::string_view text, const std::vector<std::string>& watched) { return Reader(text, watched).read(); }

}  // namespace stagecraft
