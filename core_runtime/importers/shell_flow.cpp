// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of a script that decide which others run: && and ||, if, case, loops, functions.
#include "importers/shell_reader.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace stagecraft {

namespace {

constexpr int kDeepest = 60;

using Kind = ShellDoubt::Kind;

bool nameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.' || c == ':'; }
bool ends(char c) { return c == '\0' || std::isspace(static_cast<unsigned char>(c)) != 0 || std::string_view(";|&()<>").find(c) != std::string_view::npos; }

/// Which branch of several a plain start takes, while their conditions are read in turn.
struct Choice {
    std::vector<ShellBranch> branches;
    std::optional<std::size_t> chosen;
    std::string assumption;
    bool undecided = false;  ///< a condition that nobody knows came before
    bool certain = false;    ///< what follows is not run

    [[nodiscard]] bool unlikely(const ShellTruth& truth) const { return !undecided && (chosen.has_value() || truth.value == false); }

    void add(ShellBranch branch, const ShellTruth& truth)
    {
        if (certain || truth.certainly(false)) return;
        if (!truth.value.has_value()) undecided = undecided || !chosen.has_value();
        else if (assumption.empty() && !chosen.has_value()) assumption = truth.assumption;
        if (truth.value == true && !undecided && !chosen.has_value()) chosen = branches.size();
        certain = truth.certainly(true);
        branches.push_back(std::move(branch));
    }
};

}  // namespace

bool ShellReader::keyword(std::string_view word) const { return starts(word) && ends(peek(word.size())); }

bool ShellReader::ended(const Ends& marks) const
{
    return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) { return mark == ")" || mark == ";;" || mark == ";&" ? starts(mark) : keyword(mark); });
}

/// Commands up to one of the words, which is not passed. @return how the last of them ends
ShellTruth ShellReader::list(const Ends& marks)
{
    ShellTruth truth{true};
    while (!m_problem.has_value()) {
        blank();
        if (atEnd() || ended(marks)) return truth;
        if (peek() == '\n' || peek() == ';' || peek() == '&') {
            step();
        } else if (peek() == ')') {
            if (m_depth == 0 || std::find(marks.begin(), marks.end(), ")") != marks.end()) return truth;
            step();
        } else if (m_ended != ShellEnd::None && m_dead == 0) {  // read, not run
            (void)branch(true, false, [&] { (void)list(marks); });
        } else {
            const std::size_t before = m_cursor.at;
            truth = andOr(marks);
            if (m_cursor.at == before) step();  // a mark that no rule takes
        }
    }
    return truth;
}

ShellTruth ShellReader::andOr(const Ends& marks)
{
    ShellTruth truth = pipeline(marks);
    for (blank(); starts("&&") || starts("||"); blank()) {
        const bool wanted = starts("&&");
        step(2);
        blankLines();
        const ShellTruth runs = wanted ? truth : negated(truth);
        ShellTruth second;
        const auto read = [&] { second = pipeline(marks); };
        if (runs.certainly(true)) {
            read();
        } else {
            const bool dead = runs.certainly(false);
            std::vector<ShellBranch> branches{branch(dead, runs.value == false, read), {}};
            blank();
            if (wanted && !dead && second.certainly(true) && starts("||")) {  // A && B || C: one of the two
                step(2);
                blankLines();
                branches.back() = branch(false, runs.value == true, read);
                if (!second.certainly(true)) second = {};
            } else if (dead) {
                branches.erase(branches.begin());
            }
            finish(branches, dead ? std::optional<std::size_t>(0) : runs.value.has_value() ? std::optional<std::size_t>(*runs.value ? 0 : 1) : std::nullopt, runs.assumption);
        }
        truth = wanted ? both(truth, second) : either(truth, second);
    }
    return truth;
}

ShellTruth ShellReader::pipeline(const Ends& marks)
{
    bool negates = false;
    for (blank(); keyword("!") || keyword("time"); blank()) {
        negates = negates != keyword("!");
        step(keyword("!") ? 1 : 4);
    }
    m_piped.reset();
    ShellTruth truth = one();
    for (blank(); peek() == '|' && peek(1) != '|'; blank()) {
        step(peek(1) == '&' ? 2 : 1);
        blankLines();
        if (ended(marks)) break;
        truth = one();
    }
    m_piped.reset();
    return negates ? negated(truth) : truth;
}

/// One command, single or compound. How it ends is not decided in what is not run: nothing there is left out then.
ShellTruth ShellReader::one()
{
    if (++m_depth > kDeepest) {
        m_problem = Error{ErrorCode::InvalidInput, "line " + std::to_string(m_cursor.line) + ": the script's commands are nested deeper than " + std::to_string(kDeepest) + " levels", {{"line", std::to_string(m_cursor.line)}}};
        --m_depth;
        return {};
    }
    ShellTruth truth;
    bool compound = true;
    if (keyword("if")) truth = ifCommand();
    else if (keyword("while")) truth = loop(false);
    else if (keyword("until")) truth = loop(true);
    else if ((keyword("for") || keyword("select")) && forCommand()) truth = {true};
    else if (keyword("case") && m_cursor.text.substr(m_cursor.at, m_cursor.text.find('\n', m_cursor.at) - m_cursor.at).find(" in") != std::string_view::npos) truth = caseCommand();
    else if (keyword("[[")) truth = doubleBracket();
    else if (starts("((")) truth = doubleParenthesis();
    else if (function()) truth = {true};
    else if (peek() == '(') {
        step();
        m_values.open();
        const ShellEnd before = m_ended;
        truth = list({")"});
        m_ended = before;
        (void)m_values.close();
        step();
    } else if (keyword("{")) {
        step();
        truth = list({"}"});
        step();
    } else {
        compound = false;
        truth = simple();
    }
    if (compound) redirections();
    --m_depth;
    return m_dead > 0 ? ShellTruth{} : truth;
}

/// What stands behind a compound command.
void ShellReader::redirections()
{
    Redirections to;
    for (blank(); redirection(to); blank()) {}
}

ShellBranch ShellReader::branch(bool dead, bool unlikely, const std::function<void()>& read)
{
    const ShellEnd before = std::exchange(m_ended, ShellEnd::None);
    m_dead += dead ? 1 : 0;
    m_unlikely += unlikely ? 1 : 0;
    m_values.open();
    read();
    ShellBranch result{m_values.close(), m_ended};
    m_unlikely -= unlikely ? 1 : 0;
    m_dead -= dead ? 1 : 0;
    m_ended = before;
    m_expanded += result.changes.size();
    return result;
}

/// Only one of the branches ran. @param chosen  the one of a plain start
void ShellReader::finish(const std::vector<ShellBranch>& branches, std::optional<std::size_t> chosen, const std::string& assumption)
{
    ShellEnd all = ShellEnd::Exited;
    for (const ShellBranch& one : branches) all = std::min(all, one.ended);
    if (branches.empty()) all = ShellEnd::None;
    // What a branch did that leaves the loop or the function holds behind it; a branch that only may leave a loop counts as one that does not.
    std::vector<ShellBranch> reached = branches;
    for (ShellBranch& one : reached) {
        if (one.ended == ShellEnd::Broke || (one.ended == ShellEnd::Returned && all == ShellEnd::Returned)) one.ended = ShellEnd::None;
    }
    if (all != ShellEnd::Exited) m_values.merge(reached, chosen, assumption);
    if (all != ShellEnd::None) m_ended = all;
}

ShellTruth ShellReader::ifCommand()
{
    Choice choice;
    step(2);
    for (bool other = false; !m_problem.has_value();) {
        ShellTruth truth{true};
        if (!other) {
            const auto condition = [&] { truth = list({"then", "elif", "else", "fi"}); };
            if (choice.certain) (void)branch(true, false, condition);
            else condition();
            if (keyword("then")) step(4);
        }
        const bool dead = choice.certain || truth.certainly(false);
        choice.add(branch(dead, choice.unlikely(truth), [&] { (void)list({"elif", "else", "fi"}); }), truth);
        const bool more = keyword("elif") || keyword("else");
        other = keyword("else");
        step(more ? 4 : 2);
        if (more) continue;
        if (!choice.certain) choice.add({}, {true});
        break;
    }
    finish(choice.branches, choice.chosen, choice.assumption);
    return {};
}

ShellTruth ShellReader::caseCommand()
{
    step(4);
    blank();
    const std::string word = unsplitWord();
    blankLines();
    if (keyword("in")) step(2);
    Choice choice;
    while (!m_problem.has_value()) {
        blankLines();
        if (atEnd() || keyword("esac")) break;
        if (peek() == '(') step();
        ShellTruth truth{false};
        while (!atEnd() && peek() != ')' && peek() != '\n') {
            blank();
            const std::size_t before = m_cursor.at;
            const std::string pattern = unsplitWord();
            if (m_cursor.at > before) truth = either(truth, shellMatch(word, pattern, m_values));
            blank();
            if (peek() == '|' || m_cursor.at == before) step();
        }
        step();
        if (m_dead > 0) truth = {};
        const bool dead = choice.certain || truth.certainly(false);
        choice.add(branch(dead, choice.unlikely(truth), [&] { (void)list({";;", ";&", "esac"}); }), truth);
        while (peek() == ';' || peek() == '&') step();
    }
    step(4);
    if (!choice.certain) choice.add({}, {true});
    finish(choice.branches, choice.chosen, choice.assumption);
    return {};
}

/// The names that commands set, which are read without running them.
std::vector<std::string> ShellReader::changedBy(const std::function<void()>& read)
{
    if (m_dead > 0) return {};  // around it they are found out as well
    const Cursor before = m_cursor;
    const ShellBranch found = branch(true, false, read);
    m_cursor = before;
    std::vector<std::string> names;
    for (const auto& [name, value] : found.changes) names.push_back(name);
    return names;
}

ShellTruth ShellReader::loop(bool until)
{
    step(5);
    const std::vector<std::string> changing = changedBy([&] {
        (void)list({"do", "done"});
        if (keyword("do")) step(2);
        (void)list({"done"});
    });
    if (unrolled(changing, until)) return {};
    // The condition is asked first with what stands in front of the loop: while [ $# -gt 0 ].
    const Cursor start = m_cursor;
    const std::size_t commands = m_script.commands.size();
    ShellTruth enters;
    (void)branch(false, true, [&] { enters = list({"do", "done"}); });
    m_cursor = start;
    m_script.commands.resize(commands);
    if (until) enters = negated(enters);
    rounds(changing, {}, {}, enters.certainly(true), enters);
    return {};
}

/// A loop over arguments that are known, round by round: while [ $# -gt 0 ]; do case $1 in ... shift 2. The cursor is in front of
/// its condition. @return false, with nothing read, where it is none
bool ShellReader::unrolled(const std::vector<std::string>& changing, bool until)
{
    constexpr int kMostRounds = 1'000;
    if (m_dead > 0 || m_values.find("@") == nullptr || std::find(changing.begin(), changing.end(), "@") == changing.end()) return false;
    const Cursor start = m_cursor;
    const auto round = [&](bool dead) {  // from behind the condition to behind "done"
        if (keyword("do")) step(2);
        if (dead) (void)branch(true, false, [&] { (void)list({"done"}); });
        else (void)list({"done"});
    };
    (void)branch(true, false, [&] { (void)list({"do", "done"}); });
    round(true);
    const Cursor end = std::exchange(m_cursor, start);
    while (!m_problem.has_value()) {
        const std::size_t commands = m_script.commands.size();
        ShellTruth enters = list({"do", "done"});
        if (until) enters = negated(enters);
        const bool more = enters.certainly(true) && m_rounds++ < kMostRounds && m_ended == ShellEnd::None;
        if (!more && !enters.certainly(false) && m_ended == ShellEnd::None) {  // the rest is read as any other loop is
            m_script.commands.resize(commands);
            m_cursor = start;
            return false;
        }
        if (!more) break;
        m_again = false;
        ++m_loops;
        round(false);
        --m_loops;
        m_cursor = start;
        if (m_ended != ShellEnd::Broke) continue;
        m_ended = ShellEnd::None;
        if (!m_again) break;
    }
    m_cursor = end;
    step(4);
    return true;
}

bool ShellReader::forCommand()
{
    const Cursor before = m_cursor;
    step(keyword("for") ? 3 : 6);
    blank();
    std::string name;
    std::vector<std::string> items;
    std::vector<std::string> changing;
    ShellTruth enters{true};
    bool once = true;
    if (starts("((")) {
        const std::size_t stop = std::min(m_cursor.text.find("))", m_cursor.at), m_cursor.text.size());
        const std::string_view header = m_cursor.text.substr(m_cursor.at, stop - m_cursor.at);
        name = std::string(header.substr(2, header.find('=') - 2));
        std::erase_if(name, [](char c) { return !nameChar(c); });
        step(header.size() + 2);
        items = {m_values.mark({}), m_values.mark({})};
        enters = {};
        once = false;
    } else {
        while (nameChar(peek())) { name += peek(); step(); }
        blankLines();
        if (name.empty() || (!keyword("in") && !keyword("do") && peek() != ';')) {
            m_cursor = before;
            return false;
        }
        if (keyword("in")) {
            step(2);
            for (blank(); !atEnd() && peek() != '\n' && peek() != ';'; blank()) {
                const std::size_t at = m_cursor.at;
                for (ShellWord& word : word()) items.push_back(std::move(word.text));
                if (m_cursor.at == at) step();
            }
        } else {
            items = valueOf("@").words;
        }
        once = std::any_of(items.begin(), items.end(), [&](const std::string& item) { return m_values.known(item); });
        const auto given = items.size() == 1 ? m_values.doubts(items.front()) : std::vector<const ShellDoubt*>{};
        if (items.empty()) enters = {false};
        else if (!once) enters = given.size() == 1 && given.front()->kind == Kind::Outside ? ShellTruth{false, given.front()->name} : ShellTruth{};
    }
    for (blank(); peek() == ';' || peek() == '\n'; blank()) step();
    if (!keyword("do")) {
        m_cursor = before;
        return false;
    }
    const bool single = items.size() == 1 && m_values.known(items.front());
    if (!single) {
        changing = changedBy([&] {
            step(2);
            (void)list({"done"});
        });
    }
    rounds(changing, name, items, once, enters);
    return true;
}

/// The body of a loop, read once, with the cursor in front of its condition or "do".
void ShellReader::rounds(const std::vector<std::string>& changing, const std::string& name, const std::vector<std::string>& items, bool atLeastOnce, const ShellTruth& enters)
{
    const bool dead = enters.certainly(false);
    const auto body = [&] {
        for (const std::string& changed : changing) {
            const ShellValue* there = m_values.find(changed);
            ShellDoubt doubt{changed == "@" ? Kind::Printed : Kind::Loop, changed, {}};
            if (changed != "@") doubt.before = m_values.alternatives(changed, there != nullptr ? std::optional(*there) : std::nullopt);
            m_values.set(changed, ShellValue{{m_values.mark(std::move(doubt))}, m_cursor.line});
        }
        if (items.size() == 1) {
            m_values.set(name, ShellValue{items, m_cursor.line});
        } else if (!name.empty()) {
            ShellDoubt doubt{Kind::Loop, name, {}};
            for (const std::string& item : items) {
                if (doubt.values.size() < 8 && m_values.known(item)) doubt.values.push_back({ShellValues::plain(item).substr(0, 80), 0, true});
            }
            m_values.set(name, ShellValue{{m_values.mark(std::move(doubt))}, m_cursor.line});
        }
        (void)list({"do", "done"});
        if (keyword("do")) step(2);
        (void)list({"done"});
    };
    ++m_loops;
    ShellBranch ran = branch(dead, enters.value == false, body);
    --m_loops;
    if (ran.ended == ShellEnd::Broke) ran.ended = ShellEnd::None;
    step(4);
    if (dead) return;
    if (!atLeastOnce || items.size() != 1) ran.ended = ShellEnd::None;
    if (atLeastOnce) finish({ran}, std::nullopt, {});
    else finish({ran, {}}, enters.value == false ? std::optional<std::size_t>(1) : std::nullopt, enters.assumption);
}

/// [[ ... ]]
ShellTruth ShellReader::doubleBracket()
{
    step(2);
    std::vector<std::string> words;
    while (!atEnd() && !m_problem.has_value()) {
        blankLines();
        if (keyword("]]")) break;
        const std::size_t before = m_cursor.at;
        const std::string word = unsplitWord();
        if (m_cursor.at > before) {
            words.push_back(word);
            continue;
        }
        const std::size_t length = starts("&&") || starts("||") ? 2 : 1;
        words.emplace_back(m_cursor.text.substr(m_cursor.at, length));
        step(length);
    }
    step(2);
    return shellTest(words, m_values);
}

/// ((...))
ShellTruth ShellReader::doubleParenthesis()
{
    const std::string_view text = m_cursor.text;
    const std::size_t from = m_cursor.at;
    int open = 0;
    do {
        open += peek() == '(' ? 1 : peek() == ')' ? -1 : 0;
        step();
    } while (!atEnd() && open > 0);
    const std::string_view whole = text.substr(from, m_cursor.at - from);
    if (whole.size() < 4 || !whole.ends_with("))")) return {};
    return counted(substituted(whole.substr(2, whole.size() - 4), m_cursor.line, false));
}

/// NAME() { ... } or function NAME { ... }: kept for its calls. @return false when none begins here
bool ShellReader::function()
{
    const Cursor before = m_cursor;
    const bool named = keyword("function");
    if (named) step(8);
    blank();
    std::string name;
    while (nameChar(peek())) { name += peek(); step(); }
    blank();
    bool parentheses = false;
    if (peek() == '(') {
        step();
        blank();
        parentheses = peek() == ')';
        if (parentheses) step();
    }
    if (parentheses || named) blankLines();
    const bool brace = keyword("{");
    if (name.empty() || (!parentheses && !named) || (!brace && peek() != '(')) {
        m_cursor = before;
        return false;
    }
    step();
    const std::size_t from = m_cursor.at;
    const int line = m_cursor.line;
    (void)branch(true, false, [&] { (void)list({brace ? std::string_view("}") : std::string_view(")")}); });
    if (m_dead == 0 && m_functions.size() < 1'000) {
        if (m_functions.count(name) == 0) m_functionOrder.push_back(name);
        m_functions[name] = {std::string(m_cursor.text.substr(from, m_cursor.at - from)), line, m_cursor.fixed};
    }
    step();
    return true;
}

}  // namespace stagecraft
