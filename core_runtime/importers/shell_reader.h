// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/shell_conditions.h"
#include "importers/shell_values.h"
#include "importers/shell_words.h"

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft {

/// Reads a script from its beginning to its end and keeps what its variables are. shell_words.cpp has words and what is put
/// in the place of $, shell_flow.cpp the commands that decide which others run, shell_commands.cpp the single commands.
class ShellReader {
public:
    using Source = std::function<Result<std::string>(const std::string& path)>;

    ShellReader(std::string_view text, const std::vector<std::string>& watched, const Source& source) : m_watched(watched), m_source(source) { m_cursor.text = text; }

    Result<ShellScript> read();

private:
    /// A place in a text. Here-documents that lie ahead are stepped over at the end of the line that they begin behind.
    struct Cursor {
        std::string_view text;
        std::size_t at = 0;
        int line = 1;
        std::size_t hereFrom = 0, hereTo = 0;
        int hereLines = 0;
        bool fixed = false;  ///< all of it stands in one line of the script: in a file that is named there
    };
    struct Function {
        std::string body;
        int line = 0;
        bool fixed = false;   ///< of a file that the script sources
        bool called = false;
        bool active = false;  ///< being read
    };
    struct Redirections {
        std::string target;  ///< of > or >>
        bool appends = false;
        std::optional<std::string> input;  ///< of a here-document or <<<
        int inputLine = 0;
    };
    using Words = std::vector<ShellWord>;  ///< their texts with marks
    using Ends = std::vector<std::string_view>;

    [[nodiscard]] char peek(std::size_t ahead = 0) const { return m_cursor.at + ahead < m_cursor.text.size() ? m_cursor.text[m_cursor.at + ahead] : '\0'; }
    [[nodiscard]] bool atEnd() const { return m_cursor.at >= m_cursor.text.size(); }
    [[nodiscard]] bool starts(std::string_view mark) const { return m_cursor.text.substr(std::min(m_cursor.at, m_cursor.text.size()), mark.size()) == mark; }
    void step(std::size_t count = 1);
    void blank();
    void blankLines();

    // shell_words.cpp
    [[nodiscard]] bool expands() const;
    Words word();
    std::string unsplitWord();
    void doubleQuotes(Words& words, ShellWord& current, bool& any);
    ShellValue expansion();
    ShellValue inBraces();
    std::string plainName();
    std::string upToBrace();
    ShellValue valueOf(const std::string& name);
    ShellValue argument(const std::string& name);
    ShellValue sliced(const std::string& text);
    [[nodiscard]] bool isOpenList(const std::string& word) const;
    ShellValue length(const ShellValue& value, bool elements);
    ShellValue otherwise(const std::string& name, const ShellValue& value, bool emptyToo, char operation, const std::string& text);
    ShellValue printed(std::string_view command);
    /// The value of an expression, whose $ are replaced, with its marks. What it sets is set; `reasons` takes the marks of why it is not known.
    std::optional<std::string> arithmetic(const std::string& expression, std::string& reasons);
    ShellTruth counted(const std::string& expression);
    std::string substituted(std::string_view body, int line, bool document);
    ShellValue unknown(ShellDoubt::Kind kind, const std::string& name = {}) { return {{m_values.mark({kind, name, {}})}, m_cursor.line}; }
    bool redirection(Redirections& to);
    void hereDocument(Redirections& to);
    void writeFile(const Redirections& to, const std::string& text);

    // shell_flow.cpp
    ShellTruth list(const Ends& ends);
    ShellTruth andOr(const Ends& ends);
    ShellTruth pipeline(const Ends& ends);
    ShellTruth one();
    [[nodiscard]] bool keyword(std::string_view word) const;
    [[nodiscard]] bool ended(const Ends& ends) const;
    ShellBranch branch(bool dead, bool unlikely, const std::function<void()>& read);
    void finish(const std::vector<ShellBranch>& branches, std::optional<std::size_t> chosen, const std::string& assumption);
    ShellTruth ifCommand();
    ShellTruth caseCommand();
    ShellTruth loop(bool until);
    bool forCommand();
    bool unrolled(const std::vector<std::string>& changing, bool until);
    void rounds(const std::vector<std::string>& changing, const std::string& name, const std::vector<std::string>& items, bool atLeastOnce, const ShellTruth& enters);
    std::vector<std::string> changedBy(const std::function<void()>& read);
    ShellTruth doubleBracket();
    ShellTruth doubleParenthesis();
    bool function();
    void redirections();

    // shell_commands.cpp
    ShellTruth simple();
    bool assignment();
    bool declaration(const Words& words);
    ShellTruth run(Words words, const Redirections& to);
    std::optional<ShellTruth> builtin(const Words& words, const std::optional<std::string>& input);
    ShellTruth readInto(const Words& words, const std::optional<std::string>& input);
    void record(const Words& words);
    bool within(const Words& words, const Redirections& to);
    void nested(const std::string& text, int line, Words starters, bool keeps, bool fixed = false);
    [[nodiscard]] std::optional<std::string> sourced(const ShellWord& file);
    void shift(const Words& words);
    void call(Function& function, const Words& words);
    void setArguments(std::optional<std::vector<std::string>> arguments);
    [[nodiscard]] std::optional<std::pair<std::string, int>> fileNamed(const std::string& name) const;
    [[nodiscard]] bool watched(const std::string& name) const;
    [[nodiscard]] ShellEnvironment environment(int line) const;

    Cursor m_cursor;
    const std::vector<std::string>& m_watched;
    const Source& m_source;
    int m_sources = 0, m_sourceDepth = 0;  ///< files read, and around what is read
    int m_loops = 0;                       ///< around what is read
    bool m_again = false;                  ///< the round was ended by continue
    int m_rounds = 0;                      ///< of loops that are read round by round
    ShellValues m_values;
    std::map<std::string, int> m_exported;  ///< watched variables, and the line of their export
    ShellChanges m_before;                  ///< assignments in front of the command that is read
    std::map<std::string, Function> m_functions;
    std::vector<std::string> m_functionOrder;
    std::optional<std::string> m_piped;     ///< what the command before the | prints, where that is known
    std::map<std::string, std::pair<std::string, int>> m_files;  ///< texts with marks
    bool m_assigning = false;  ///< words are not split
    std::string m_assigned;    ///< the name that the last assignment set
    std::set<std::string, std::less<>>* m_locals = nullptr;  ///< names that end with the function that is read
    ShellEnd m_ended = ShellEnd::None;
    int m_dead = 0;            ///< branches that are not run around what is read
    int m_unlikely = 0;
    int m_depth = 0;           ///< compound commands, functions and shells around what is read
    int m_expanding = 0;       ///< ${:-} and $(( )) around it
    std::size_t m_expanded = 0;
    std::optional<Error> m_problem;
    ShellScript m_script;
};

}  // namespace stagecraft
