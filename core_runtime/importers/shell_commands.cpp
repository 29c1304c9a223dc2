// SPDX-License-Identifier: GPL-3.0-or-later
// The single commands of a script: what they set, what they write into files, and the shells they start.
#include "importers/shell_idioms.h"
#include "importers/shell_reader.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>

namespace stagecraft {

namespace {

constexpr std::size_t kMostCommands = 10'000;
constexpr std::size_t kMostSourced = std::size_t{256} << 10;  ///< bytes of a file that a script sources

using Kind = ShellDoubt::Kind;
using Names = std::set<std::string, std::less<>>;

bool nameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool nameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string joined(const std::vector<ShellWord>& words, std::size_t from)
{
    std::string text;
    for (std::size_t i = from; i < words.size(); ++i) text += (i > from ? " " : "") + words[i].text;
    return text;
}

bool declares(const std::vector<ShellWord>& words)
{
    static const Names kDeclare{"export", "declare", "local", "typeset", "readonly"};
    return !words.empty() && kDeclare.count(words.front().text) > 0;
}

}  // namespace

ShellTruth ShellReader::simple()
{
    Words words;
    Redirections to;
    m_values.open();  // assignments in front hold for the command alone, and not for its words
    bool inFront = true;
    ShellChanges before;
    for (blank(); !atEnd() && std::string_view("\n;|)").find(peek()) == std::string_view::npos; blank()) {
        if (peek() == '&' && peek(1) != '>') break;
        if (starts("<(") || starts(">(")) {  // a command in the place of a file
            int open = 0;
            for (step(); !atEnd(); step()) {
                open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
                if (open == 0) break;
            }
            step();
            continue;
        }
        if (redirection(to)) continue;
        if ((inFront || declares(words)) && assignment()) {
            if (!inFront && declaration(words)) m_exported[m_assigned] = m_cursor.line;
            continue;
        }
        if (inFront) {
            inFront = false;
            before = m_values.close();
        }
        const std::size_t at = m_cursor.at;
        for (ShellWord& found : word()) words.push_back(std::move(found));
        if (m_cursor.at == at) step();  // a mark that no rule takes
    }
    if (inFront) {
        before = m_values.close();
        m_values.apply(before);
        const bool printed = std::any_of(before.begin(), before.end(), [&](const auto& set) { return set.second.has_value() && !m_values.known(set.second->joined()); });
        return printed ? ShellTruth{} : ShellTruth{true};
    }
    m_before = std::move(before);
    const ShellTruth truth = run(std::move(words), to);
    m_before.clear();
    return truth;
}

/// Behind export and its like. @return whether the name just set is a watched one that the command exports
bool ShellReader::declaration(const Words& words)
{
    if (words.front().text != "export" && words.front().text != "readonly" && m_locals != nullptr) m_locals->insert(m_assigned);
    const bool exports = words.front().text == "export" || std::any_of(words.begin(), words.end(), [](const ShellWord& word) { return word.text.starts_with("-") && word.text.find('x') != std::string::npos; });
    return exports && watched(m_assigned);
}

/// NAME=value, NAME+=value, NAME[1]=value or NAME=(words). @return false when none stands at the cursor
bool ShellReader::assignment()
{
    if (!nameStart(peek())) return false;
    std::size_t length = 0;
    while (nameChar(peek(length))) ++length;
    const std::string name(m_cursor.text.substr(m_cursor.at, length));
    std::optional<std::string> index;
    if (peek(length) == '[') {
        const std::size_t stop = std::min(m_cursor.text.find_first_of("]\n", m_cursor.at + length), m_cursor.text.size());
        index = std::string(m_cursor.text.substr(m_cursor.at + length + 1, stop - m_cursor.at - length - 1));
        length = stop - m_cursor.at + 1;
    }
    const bool more = peek(length) == '+' && peek(length + 1) == '=';
    if (peek(length) != '=' && !more) return false;
    const int line = m_cursor.line;
    step(length + (more ? 2 : 1));
    m_assigned = name;
    ShellValue value{{}, line};
    const bool array = peek() == '(';
    if (array) {
        step();
        for (blankLines(); !atEnd() && peek() != ')'; blankLines()) {
            const std::size_t at = m_cursor.at;
            for (ShellWord& found : word()) value.words.push_back(std::move(found.text));
            if (m_cursor.at == at) step();
        }
        step();
    } else {
        value.words = {unsplitWord()};
    }
    const ShellValue* there = m_values.find(name);
    if (index.has_value()) {
        ShellValue changed = there != nullptr ? *there : ShellValue{{}, line};
        const bool number = !index->empty() && index->size() < 4 && index->find_first_not_of("0123456789") == std::string::npos;
        const std::size_t element = number ? std::stoul(*index) : changed.words.size() + 1;
        if (element < changed.words.size()) changed.words[element] = value.joined();
        else if (element == changed.words.size()) changed.words.push_back(value.joined());
        else changed = unknown(Kind::Printed);  // a list with gaps, or with names for its elements
        value = std::move(changed);
    } else if (more && there != nullptr) {
        ShellValue longer = *there;
        longer.line = line;
        if (array) longer.words.insert(longer.words.end(), value.words.begin(), value.words.end());
        else if (longer.words.empty()) longer.words = value.words;
        else longer.words.front() += value.words.front();
        value = std::move(longer);
    }
    m_expanded += value.words.size();
    m_values.set(name, std::move(value));
    return true;
}

ShellTruth ShellReader::run(Words words, const Redirections& to)
{
    static const Names kPrefixes{"exec", "nohup", "sudo", "env", "command"};
    static const Names kSucceeding{"cd", "mkdir", "echo", "printf", "export", "declare", "local", "typeset", "readonly", "source", ".", "set", "pushd", "popd", "rm", "cp", "mv", "touch", "date", "pip", "pip3", "conda", "module", "sleep", "wait", "ulimit", "chmod", "ln", "tee", "cat"};
    bool environment = false, asks = false;
    while (!words.empty()) {
        const std::string& text = words.front().text;
        const std::size_t equals = text.find('=');
        if (kPrefixes.count(text) > 0) environment = true, asks = text == "command";
        else if (environment && equals != std::string::npos && nameStart(text[0])) m_before[text.substr(0, equals)] = ShellValue{{text.substr(equals + 1)}, words.front().line};
        else break;
        words.erase(words.begin());
    }
    std::optional<std::string> input = to.input.has_value() ? to.input : m_piped;
    m_piped.reset();
    if (words.empty()) return {true};
    const std::string name = words.front().text;
    if (asks && (name == "-v" || name == "-V")) return {};  // command -v deepspeed starts nothing
    if (const auto truth = builtin(words, input); truth.has_value()) return *truth;
    if (declares(words)) {
        for (const ShellWord& word : words) {
            m_assigned = word.text;
            if (declaration(words)) m_exported[m_assigned] = word.line;
        }
        return {true};
    }
    if (const auto function = m_functions.find(name); function != m_functions.end()) {
        call(function->second, words);
        return {};
    }
    if (name == "echo" || name == "printf") {
        const std::size_t from = words.size() > 1 && words[1].text.size() == 2 && words[1].text[0] == '-' ? 2 : 1;
        const std::string text = joined(words, from) + "\n";
        if (to.target.empty()) m_piped = text;
        writeFile({to.target, to.appends, {}, words.front().line}, text);
    } else if ((name == "cat" || name == "tee") && input.has_value()) {
        Redirections file{to.target, to.appends, {}, to.input.has_value() ? to.inputLine : words.front().line};
        writeFile(file, *input);
        for (const ShellWord& word : words) {
            if (name == "cat" || word.text == "tee") continue;
            if (word.text.starts_with('-')) file.appends = true;
            else writeFile({ShellValues::plain(word.text), file.appends, {}, file.inputLine}, *input);
        }
        m_piped = std::move(input);
    } else if (Redirections from{{}, false, std::move(input), to.input.has_value() ? to.inputLine : words.front().line}; within(words, from)) {
        return {};
    }
    record(words);
    return kSucceeding.count(name) > 0 ? ShellTruth{true} : ShellTruth{};
}

/// The commands that change what the script knows. Nothing for another one.
std::optional<ShellTruth> ShellReader::builtin(const Words& words, const std::optional<std::string>& input)
{
    const std::string& name = words.front().text;
    const auto texts = [&](std::size_t from, std::size_t to) {
        std::vector<std::string> found;
        for (std::size_t i = from; i < to; ++i) found.push_back(words[i].text);
        return found;
    };
    if (name == ":" || name == "true") return ShellTruth{true};
    if (name == "false") return ShellTruth{false};
    if (name == "test") return shellTest(texts(1, words.size()), m_values);
    if (name == "[") return words.back().text == "]" ? shellTest(texts(1, words.size() - 1), m_values) : ShellTruth{};
    if (name == "exit" || name == "return") {
        m_ended = name == "exit" ? ShellEnd::Exited : ShellEnd::Returned;
        return ShellTruth{};
    }
    if ((name == "break" || name == "continue") && m_loops > 0) {
        m_ended = ShellEnd::Broke;
        m_again = name == "continue";
        return ShellTruth{};
    }
    if (name == "let") {
        ShellTruth truth;
        for (std::size_t i = 1; i < words.size(); ++i) truth = counted(words[i].text);
        return truth;
    }
    if (name == "unset") {
        for (const ShellWord& word : words) m_values.set(word.text, std::nullopt);
        return ShellTruth{true};
    }
    if (name == "read") return readInto(words, input);
    if (name == "mapfile" || name == "readarray" || name == "getopts") {
        for (std::size_t i = 1; i < words.size(); ++i) {
            if (nameStart(words[i].text.empty() ? '-' : words[i].text[0])) m_values.set(words[i].text, unknown(Kind::Printed));
        }
        if (name == "getopts") m_values.set("OPTARG", unknown(Kind::Printed, "OPTARG"));
        return name == "getopts" && m_values.find("@") == nullptr ? ShellTruth{false, "1"} : ShellTruth{};
    }
    if (name == "shift") {
        shift(words);
        return ShellTruth{true};
    }
    if (name == "set" && words.size() > 1 && words[1].text == "--") {
        const bool known = std::all_of(words.begin(), words.end(), [&](const ShellWord& word) { return m_values.known(word.text); });
        setArguments(known ? std::optional(texts(2, words.size())) : std::nullopt);
        return ShellTruth{true};
    }
    return std::nullopt;
}

/// An expression as a command.
ShellTruth ShellReader::counted(const std::string& expression)
{
    std::string reasons;
    const auto value = arithmetic(expression, reasons);
    if (!value.has_value()) return {};
    const auto doubts = m_values.doubts(*value);
    return {ShellValues::plain(*value) != "0", doubts.empty() ? std::string() : doubts.front()->name};
}

/// read NAME ... <<END, read -a LIST <<< TEXT
ShellTruth ShellReader::readInto(const Words& words, const std::optional<std::string>& input)
{
    bool list = false, whole = false;
    std::vector<std::string> names;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& text = words[i].text;
        if (!text.starts_with('-')) {
            names.push_back(text);
            continue;
        }
        list = list || text.find('a') != std::string::npos;
        const bool ends = text.ends_with('d');
        whole = whole || (ends && i + 1 < words.size() && words[i + 1].text.empty());
        if (ends || text.ends_with('p') || text.ends_with('n') || text.ends_with('t') || text.ends_with('u')) ++i;
    }
    if (!input.has_value() || names.empty()) {
        for (const std::string& name : names) m_values.set(name, unknown(Kind::Printed));
        return {};
    }
    const auto separator = m_before.find("IFS");
    const std::string marks = separator != m_before.end() && separator->second.has_value() ? separator->second->joined() : std::string(" \t\n");
    const std::string text = whole ? *input : input->substr(0, input->find('\n'));
    std::vector<std::string> parts;
    for (std::size_t at = text.find_first_not_of(marks); at < text.size(); at = text.find_first_not_of(marks, at)) {
        const std::size_t end = !list && parts.size() + 1 == names.size() ? text.find_last_not_of(marks) + 1 : std::min(text.find_first_of(marks, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end;
    }
    if (list) m_values.set(names.front(), ShellValue{parts, words.front().line});
    for (std::size_t i = 0; !list && i < names.size(); ++i) m_values.set(names[i], ShellValue{{i < parts.size() ? parts[i] : std::string()}, words.front().line});
    m_expanded += text.size();
    return {!whole};
}

/// A shell that a command starts with commands for it. @return false when it starts none
bool ShellReader::within(const Words& words, const Redirections& to)
{
    if (const auto given = shellInput(words); given.has_value() && to.input.has_value()) {
        nested(*to.input, to.inputLine, Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(*given)), false);
        return true;
    }
    if (const auto own = commandWithin(words); own.has_value()) {
        std::string text;
        for (std::size_t i = own->begin; i < own->end; ++i) text += (i > own->begin ? " " : "") + words[i].text;
        nested(text, words[own->begin].line, Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(own->starters)), words.front().text == "eval");
        return true;
    }
    const auto file = scriptOf(words);
    const ShellWord* script = file.has_value() ? &words[file->begin] : nullptr;
    if (script == nullptr) return false;
    auto text = fileNamed(ShellValues::plain(script->text));
    const bool own = text.has_value();
    const bool called = file->begin > 0 || script->text.ends_with(".sh");  // any other first word is a program's
    if (auto other = own || !called ? std::nullopt : sourced(*script); other.has_value()) text = std::pair(std::move(*other), script->line);
    if (!text.has_value()) return false;
    const bool keeps = words.front().text == "source" || words.front().text == ".";
    std::vector<std::string> arguments;
    for (std::size_t i = file->begin + 1; i < words.size(); ++i) arguments.push_back(words[i].text);
    const auto before = m_values.find("@") != nullptr ? std::optional(m_values.find("@")->words) : std::nullopt;
    if (!keeps || !arguments.empty()) setArguments(std::move(arguments));
    m_sourceDepth += own ? 0 : 1;
    nested(text->first, text->second, Words(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(file->starters)), keeps, !own);
    m_sourceDepth -= own ? 0 : 1;
    setArguments(before);
    return true;
}

/// The text of a file below the script's folder that it sources or hands to a shell.
std::optional<std::string> ShellReader::sourced(const ShellWord& file)
{
    constexpr int kMostFiles = 20, kDeepestFile = 4;
    const std::string name = ShellValues::plain(file.text);
    const std::filesystem::path path = std::filesystem::path(name).lexically_normal();
    const bool inside = !name.empty() && path.is_relative() && *path.begin() != "..";
    if (!m_source || m_dead > 0 || !inside || !m_values.known(file.text) || m_sources >= kMostFiles || m_sourceDepth >= kDeepestFile) return std::nullopt;
    ++m_sources;
    auto text = m_source(name);
    const bool shell = text.hasValue() && text->size() <= kMostSourced && text->find_first_of(std::string_view("\0\x01\x02", 3)) == std::string::npos;
    if (!shell) return std::nullopt;
    m_script.sourced.push_back(name);
    return std::move(*text);
}

/// The arguments $1 ...; none = what the script is started with.
void ShellReader::setArguments(std::optional<std::vector<std::string>> arguments)
{
    m_values.set("@", arguments.has_value() ? std::optional(ShellValue{std::move(*arguments), m_cursor.line}) : std::nullopt);
}

/// shift or shift N
void ShellReader::shift(const Words& words)
{
    const ShellValue* there = m_values.find("@");
    if (there == nullptr) return;
    std::vector<std::string> rest = there->words;
    const std::string number = words.size() > 1 ? words[1].text : std::string("1");
    if (number.empty() || number.size() > 4 || number.find_first_not_of("0123456789") != std::string::npos) return setArguments(std::vector{m_values.mark({Kind::Printed, "@", {}})});
    for (std::size_t left = std::stoul(number); left > 0 && !rest.empty() && !isOpenList(rest.front()); --left) rest.erase(rest.begin());
    setArguments(std::move(rest));
}

/// The commands of a text. What starts their shell (srun -n 8 bash -c ...) stays in front of each. @param keeps  what they set
void ShellReader::nested(const std::string& text, int line, Words starters, bool keeps, bool fixed)
{
    if (m_dead > 0 && !keeps) return;
    const std::size_t from = m_script.commands.size();
    const std::string body = text;
    const Cursor before = std::exchange(m_cursor, {body, 0, line, 0, 0, 0, fixed || m_cursor.fixed});
    const auto exported = m_exported;
    const auto ended = m_ended;
    for (const auto& [name, value] : m_before) m_exported.try_emplace(name, line);
    const ShellChanges inFront = std::exchange(m_before, {});
    m_values.open();
    m_values.apply(inFront);
    m_expanded += body.size();
    while (!atEnd() && !m_problem.has_value()) {
        list({});
        step();
    }
    const ShellChanges changes = m_values.close();
    m_cursor = before;
    if (!keeps) m_exported = exported;
    m_ended = ended;
    if (keeps) m_values.apply(changes);
    std::transform(starters.begin(), starters.end(), starters.begin(), [&](const ShellWord& word) { return m_values.word(word.text, word.line); });
    for (std::size_t i = from; i < m_script.commands.size(); ++i) {
        auto& command = m_script.commands[i].words;
        command.insert(command.begin(), starters.begin(), starters.end());
    }
}

/// @param words  of the call; none = from outside the script
void ShellReader::call(Function& function, const Words& words)
{
    if (function.active) return;  // nobody knows how often it calls itself
    function.active = true;
    function.called = function.called || m_dead == 0;
    const std::string body = function.body;
    m_expanded += body.size();
    const Cursor before = std::exchange(m_cursor, {body, 0, function.line, 0, 0, 0, m_cursor.fixed || function.fixed});
    std::optional<std::vector<std::string>> arguments;
    if (!words.empty()) {
        arguments.emplace();
        for (std::size_t i = 1; i < words.size(); ++i) arguments->push_back(words[i].text);
        if (arguments->size() == 1 && m_values.find("@") == nullptr && isOpenList(arguments->front())) arguments.reset();  // f "$@"
    }
    Names locals;
    Names* const around = std::exchange(m_locals, &locals);
    const int loops = std::exchange(m_loops, 0);
    m_before.clear();
    m_values.open();
    setArguments(std::move(arguments));
    while (!atEnd() && !m_problem.has_value()) {
        list({});
        step();
    }
    ShellChanges changes = m_values.close();
    changes.erase("@");
    for (const std::string& name : locals) changes.erase(name);
    m_values.apply(changes);
    m_locals = around;
    m_loops = loops;
    m_cursor = before;
    if (m_ended == ShellEnd::Returned) m_ended = ShellEnd::None;
    function.active = false;
}

void ShellReader::record(const Words& words)
{
    if (m_dead > 0 || m_script.commands.size() >= kMostCommands) return;
    ShellCommand command{{}, environment(words.front().line), m_unlikely == 0};
    for (const ShellWord& word : words) command.words.push_back(m_values.word(word.text, word.line));
    m_script.commands.push_back(std::move(command));
}

bool ShellReader::watched(const std::string& name) const { return std::find(m_watched.begin(), m_watched.end(), name) != m_watched.end(); }

/// The watched variables as the command about to run sees them.
ShellEnvironment ShellReader::environment(int line) const
{
    ShellEnvironment seen;
    for (const std::string& name : m_watched) {
        const auto inFront = m_before.find(name);
        const auto exported = m_exported.find(name);
        const ShellValue* value = m_values.find(name);
        if (inFront != m_before.end() && inFront->second.has_value()) seen[name] = m_values.word(inFront->second->joined(), line);
        else if (value != nullptr && exported != m_exported.end()) seen[name] = m_values.word(value->joined(), exported->second);
    }
    return seen;
}

}  // namespace stagecraft
