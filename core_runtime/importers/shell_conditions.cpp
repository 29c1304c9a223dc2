// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_conditions.h"

#include "importers/shell_arithmetic.h"

#include <algorithm>
#include <functional>

namespace stagecraft {

namespace {

std::string joined(const std::string& first, const std::string& second) { return first.empty() || first == second ? second : first; }

/// The texts a word may be.
struct Operand {
    std::vector<std::string> texts;  ///< empty = not known
    std::string assumption;          ///< what must not come from outside for `texts` to hold
};

Operand operand(const std::string& word, const ShellValues& values)
{
    Operand result;
    const ShellDoubt* several = nullptr;
    bool unknown = false;
    for (const ShellDoubt* doubt : values.doubts(word)) {
        if (doubt->kind == ShellDoubt::Kind::Default || doubt->kind == ShellDoubt::Kind::Outside) result.assumption = joined(result.assumption, doubt->name);
        else if (doubt->kind == ShellDoubt::Kind::Branch && several == nullptr && ShellValues::plain(word).empty()) several = doubt;
        else unknown = true;
    }
    if (unknown) return {};
    if (several == nullptr) {
        result.texts = {ShellValues::plain(word)};
        return result;
    }
    if (!several->unsetUnless.empty()) {  // a plain start does not set it
        result.texts = {std::string()};
        result.assumption = several->unsetUnless;
        return result;
    }
    for (const ShellAlternative& value : several->values) {
        if (!value.known) return {};
        result.texts.push_back(value.text);
    }
    return result;
}

/// What holds for every pair of texts; a variable that only the surroundings could set counts as empty.
ShellTruth compare(const Operand& left, const Operand& right, const std::function<std::optional<bool>(const std::string&, const std::string&)>& holds)
{
    std::optional<bool> all;
    for (const std::string& a : left.texts) {
        for (const std::string& b : right.texts) {
            const auto one = holds(a, b);
            if (!one.has_value() || (all.has_value() && *all != *one)) return {};
            all = one;
        }
    }
    return {all, all.has_value() ? joined(left.assumption, right.assumption) : std::string()};
}

/// As the shell's patterns match: * and ?; a pattern with other signs of one is not decided.
std::optional<bool> matches(std::string_view text, std::string_view pattern)
{
    if (pattern.find_first_of("[\\") != std::string_view::npos || pattern.find("(") != std::string_view::npos) return std::nullopt;
    std::size_t at = 0, in = 0, star = std::string_view::npos, again = 0;
    while (at < text.size()) {
        if (in < pattern.size() && (pattern[in] == '?' || (pattern[in] == text[at] && pattern[in] != '*'))) {
            ++at;
            ++in;
        } else if (in < pattern.size() && pattern[in] == '*') {
            star = in++;
            again = at;
        } else if (star != std::string_view::npos) {
            in = star + 1;
            at = ++again;
        } else {
            return false;
        }
    }
    while (in < pattern.size() && pattern[in] == '*') ++in;
    return in == pattern.size();
}

std::optional<bool> compareNumbers(const std::string& a, const std::string& operation, const std::string& b)
{
    const ShellNumbers none{[](const std::string&) { return std::nullopt; }};
    const auto left = shellArithmetic(a, none), right = shellArithmetic(b, none);
    if (!left.has_value() || !right.has_value()) return std::nullopt;
    if (operation == "-eq") return *left == *right;
    if (operation == "-ne") return *left != *right;
    if (operation == "-lt") return *left < *right;
    if (operation == "-le") return *left <= *right;
    if (operation == "-gt") return *left > *right;
    return *left >= *right;
}

class Test {
public:
    Test(const std::vector<std::string>& words, const ShellValues& values) : m_words(words), m_values(values) {}

    ShellTruth read()
    {
        if (m_words.size() > kMostWords) return {};
        const ShellTruth truth = anyOf(0);
        return m_at == m_words.size() ? truth : ShellTruth{};
    }

private:
    [[nodiscard]] bool next(std::string_view word) const { return m_at < m_words.size() && m_words[m_at] == word; }
    bool take(std::string_view word)
    {
        const bool there = next(word);
        m_at += there ? 1 : 0;
        return there;
    }

    ShellTruth anyOf(int depth)
    {
        ShellTruth truth = allOf(depth);
        while (take("||") || take("-o")) truth = either(truth, allOf(depth));
        return truth;
    }

    ShellTruth allOf(int depth)
    {
        ShellTruth truth = one(depth);
        while (take("&&") || take("-a")) truth = both(truth, one(depth));
        return truth;
    }

    ShellTruth one(int depth)
    {
        if (m_at >= m_words.size()) return {false};
        if (take("!")) return negated(one(depth));
        if (depth < 20 && take("(")) {
            const ShellTruth truth = anyOf(depth + 1);
            return take(")") ? truth : ShellTruth{};
        }
        const std::string first = m_words[m_at++];
        const bool more = m_at < m_words.size();
        if (m_at + 1 < m_words.size() && binary(m_words[m_at])) {
            const std::string operation = m_words[m_at];
            m_at += 2;
            return compared(first, operation, m_words[m_at - 1]);
        }
        static const auto empty = [](const std::string& a, const std::string&) { return std::optional(a.empty()); };
        const Operand nothing{{""}, {}};
        if (more && first == "-z") return compare(operand(m_words[m_at++], m_values), nothing, empty);
        if (more && first == "-n") return negated(compare(operand(m_words[m_at++], m_values), nothing, empty));
        if (more && first.size() == 2 && first[0] == '-' && m_words[m_at] != "&&" && m_words[m_at] != "||") {  // of files
            ++m_at;
            return {};
        }
        return negated(compare(operand(first, m_values), nothing, empty));
    }

    static bool binary(const std::string& word)
    {
        static const char* const kOperations[]{"=", "==", "!=", "=~", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-ef", "-nt", "-ot"};
        return std::find(std::begin(kOperations), std::end(kOperations), word) != std::end(kOperations);
    }

    [[nodiscard]] ShellTruth compared(const std::string& a, const std::string& operation, const std::string& b) const
    {
        const Operand left = operand(a, m_values), right = operand(b, m_values);
        if (operation == "=" || operation == "==") return compare(left, right, matches);
        if (operation == "!=") return negated(compare(left, right, matches));
        if (operation.size() != 3) return {};
        return compare(left, right, [&](const std::string& x, const std::string& y) { return compareNumbers(x, operation, y); });
    }

    static constexpr std::size_t kMostWords = 200;
    const std::vector<std::string>& m_words;
    const ShellValues& m_values;
    std::size_t m_at = 0;
};

}  // namespace

ShellTruth negated(ShellTruth truth)
{
    if (truth.value.has_value()) truth.value = !*truth.value;
    return truth;
}

ShellTruth both(const ShellTruth& first, const ShellTruth& second)
{
    if (first.certainly(false) || second.certainly(false)) return {false};
    if (first.certainly(true)) return second;
    if (second.certainly(true)) return first;
    if (!first.value.has_value() || !second.value.has_value()) return {};
    return {*first.value && *second.value, joined(first.assumption, second.assumption)};
}

ShellTruth either(const ShellTruth& first, const ShellTruth& second) { return negated(both(negated(first), negated(second))); }

ShellTruth shellTest(const std::vector<std::string>& words, const ShellValues& values) { return Test(words, values).read(); }

ShellTruth shellMatch(const std::string& word, const std::string& pattern, const ShellValues& values)
{
    if (pattern == "*") return {true};
    return compare(operand(word, values), operand(pattern, values), matches);
}

}  // namespace stagecraft
