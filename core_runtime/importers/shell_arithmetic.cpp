// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_arithmetic.h"

#include <cctype>
#include <charconv>
#include <limits>

namespace stagecraft {

namespace {

using Number = std::optional<std::int64_t>;

bool space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool nameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool wordChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// A constant as the shell spells it.
Number constant(std::string_view word)
{
    const int base = word.size() > 1 && word[0] == '0' ? (word[1] == 'x' || word[1] == 'X' ? 16 : 8) : 10;
    const std::string_view digits = word.substr(base == 16 ? 2U : 0U);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
    return digits.empty() || error != std::errc() || end != digits.data() + digits.size() ? std::nullopt : Number(value);
}

class Expression {
public:
    Expression(std::string_view text, const ShellNumbers& numbers) : m_text(text), m_numbers(numbers) {}

    Number read()
    {
        const Number value = list();
        blank();
        return m_at == m_text.size() ? value : std::nullopt;
    }

private:
    void blank()
    {
        while (m_at < m_text.size() && space(m_text[m_at])) ++m_at;
    }

    [[nodiscard]] bool ahead(std::string_view mark)
    {
        blank();
        return m_text.substr(m_at, mark.size()) == mark;
    }

    bool take(std::string_view mark)
    {
        if (!ahead(mark)) return false;
        m_at += mark.size();
        return true;
    }

    Number list()
    {
        Number value = assignment();
        while (value.has_value() && take(",")) value = assignment();
        return value;
    }

    std::string name()
    {
        blank();
        std::size_t end = m_at;
        while (end < m_text.size() && wordChar(m_text[end])) ++end;
        return end > m_at && nameStart(m_text[m_at]) ? std::string(m_text.substr(m_at, end - m_at)) : std::string();
    }

    /// Nothing is set on the side that && || ?: leave out.
    Number set(const std::string& variable, Number value)
    {
        if (!m_numbers.assign) return std::nullopt;
        if (value.has_value() && m_left == 0) m_numbers.assign(variable, *value);
        return value;
    }

    Number assignment()
    {
        if (++m_depth > kMostDepth) return std::nullopt;
        Number value;
        const std::size_t begin = m_at;
        const std::string variable = name();
        m_at += variable.empty() ? 0 : variable.size();
        blank();
        const std::string_view rest = m_text.substr(std::min(m_at, m_text.size()));
        const char operation = rest.empty() ? '\0' : rest[0];
        if (!variable.empty() && operation == '=' && rest.substr(0, 2) != "==") {
            ++m_at;
            value = set(variable, assignment());
        } else if (!variable.empty() && rest.size() > 1 && rest[1] == '=' && std::string_view("+-*/%").find(operation) != std::string_view::npos) {
            m_at += 2;
            const Number right = assignment();
            const Number left = valueOf(variable);
            value = left.has_value() && right.has_value() ? set(variable, combined(operation, *left, *right)) : std::nullopt;
        } else {
            m_at = begin;
            value = choice();
        }
        --m_depth;
        return value;
    }

    Number choice()
    {
        const Number condition = either();
        if (!condition.has_value() || !take("?")) return condition;
        const Number first = unless(*condition == 0, [&] { return assignment(); });
        if (!take(":")) return std::nullopt;
        const Number second = unless(*condition != 0, [&] { return assignment(); });
        return *condition != 0 ? first : second;
    }

    template <typename Read>
    Number unless(bool leftOut, Read read)
    {
        m_left += leftOut ? 1 : 0;
        const Number value = read();
        m_left -= leftOut ? 1 : 0;
        return leftOut ? Number(0) : value;
    }

    Number either()
    {
        Number left = both();
        while (left.has_value() && take("||")) {
            const Number right = unless(*left != 0, [&] { return both(); });
            left = *left != 0 ? Number(1) : right.has_value() ? Number(*right != 0) : std::nullopt;
        }
        return left;
    }

    Number both()
    {
        Number left = compared();
        while (left.has_value() && take("&&")) {
            const Number right = unless(*left == 0, [&] { return compared(); });
            left = *left == 0 ? Number(0) : right.has_value() ? Number(*right != 0) : std::nullopt;
        }
        return left;
    }

    Number compared()
    {
        Number left = sum();
        while (left.has_value()) {
            static constexpr std::string_view kMarks[]{"==", "!=", "<=", ">=", "<", ">"};
            std::size_t which = 0;
            while (which < std::size(kMarks) && !ahead(kMarks[which])) ++which;
            if (which == std::size(kMarks) || ahead("<<") || ahead(">>")) break;
            m_at += kMarks[which].size();
            const Number right = sum();
            if (!right.has_value()) return std::nullopt;
            const bool holds[]{*left == *right, *left != *right, *left <= *right, *left >= *right, *left < *right, *left > *right};
            left = holds[which] ? 1 : 0;
        }
        return left;
    }

    static Number combined(char mark, std::int64_t left, std::int64_t right)
    {
        std::int64_t value = 0;
        if (mark == '+') return __builtin_add_overflow(left, right, &value) ? std::nullopt : Number(value);
        if (mark == '-') return __builtin_sub_overflow(left, right, &value) ? std::nullopt : Number(value);
        if (mark == '*') return __builtin_mul_overflow(left, right, &value) ? std::nullopt : Number(value);
        if (right == 0 || (right == -1 && left == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
        return mark == '/' ? left / right : left % right;
    }

    Number sum()
    {
        Number left = product();
        while (left.has_value()) {
            const char mark = take("+") ? '+' : take("-") ? '-' : '\0';
            if (mark == '\0') break;
            const Number right = product();
            left = right.has_value() ? combined(mark, *left, *right) : std::nullopt;
        }
        return left;
    }

    Number product()
    {
        Number left = power();
        while (left.has_value()) {
            const char mark = take("*") ? '*' : take("/") ? '/' : take("%") ? '%' : '\0';
            if (mark == '\0') break;
            const Number right = power();
            left = right.has_value() ? combined(mark, *left, *right) : std::nullopt;
        }
        return left;
    }

    /// Binds to the right, and weaker than a sign.
    Number power()
    {
        if (++m_depth > kMostDepth) return std::nullopt;
        const Number base = sign();
        Number value = base;
        if (base.has_value() && take("**")) {
            const Number exponent = power();
            value = exponent.has_value() && *exponent >= 0 && *exponent < 64 ? Number(1) : std::nullopt;
            for (std::int64_t i = 0; value.has_value() && i < *exponent; ++i) value = combined('*', *value, *base);
        }
        --m_depth;
        return value;
    }

    Number sign()
    {
        for (const std::string_view step : {"++", "--"}) {
            if (!ahead(step)) continue;
            const std::size_t before = m_at;
            m_at += step.size();
            const std::string variable = name();
            if (variable.empty()) {
                m_at = before;
                break;
            }
            m_at += variable.size();
            const Number value = valueOf(variable);
            return value.has_value() ? set(variable, combined(step[0], *value, 1)) : std::nullopt;
        }
        bool minus = false, negated = false, truth = false;
        for (;;) {
            if (take("-")) minus = !minus;
            else if (!ahead("!=") && take("!")) truth = true, negated = !negated;
            else if (!take("+")) break;
        }
        const Number value = one();
        if (!value.has_value()) return std::nullopt;
        if (truth) return (*value == 0) == negated ? 1 : 0;
        return minus ? combined('-', 0, *value) : value;
    }

    Number one()
    {
        if (take("(")) {
            const Number value = list();
            return take(")") ? value : std::nullopt;
        }
        const std::string variable = name();
        if (variable.empty()) {
            const std::size_t begin = m_at;
            while (m_at < m_text.size() && wordChar(m_text[m_at])) ++m_at;
            return constant(m_text.substr(begin, m_at - begin));
        }
        m_at += variable.size();
        const Number value = valueOf(variable);
        for (const std::string_view step : {"++", "--"}) {
            if (!value.has_value() || !take(step)) continue;
            if (!set(variable, combined(step[0], *value, 1)).has_value()) return std::nullopt;
            break;
        }
        return value;
    }

    [[nodiscard]] Number valueOf(const std::string& variable) const
    {
        const std::optional<std::string> value = m_numbers.valueOf(variable);
        if (!value.has_value()) return std::nullopt;
        const std::size_t from = value->find_first_not_of(" \t\r\n"), to = value->find_last_not_of(" \t\r\n");
        return from == std::string::npos ? std::nullopt : constant(std::string_view(*value).substr(from, to - from + 1));
    }

    static constexpr int kMostDepth = 100;
    std::string_view m_text;
    const ShellNumbers& m_numbers;
    std::size_t m_at = 0;
    int m_depth = 0;
    int m_left = 0;  ///< sides left out around what is being read
};

}  // namespace

std::optional<std::int64_t> shellArithmetic(std::string_view expression, const ShellNumbers& numbers) { return Expression(expression, numbers).read(); }

std::vector<std::string> namesSetBy(std::string_view expression)
{
    std::vector<std::string> names;
    for (std::size_t at = 0; at < expression.size();) {
        if (!wordChar(expression[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < expression.size() && wordChar(expression[end])) ++end;
        const std::size_t after = std::min(expression.find_first_not_of(" \t", end), expression.size());
        const std::string_view rest = expression.substr(after);
        const bool before = at >= 2 && (expression.substr(at - 2, 2) == "++" || expression.substr(at - 2, 2) == "--");
        const bool set = (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with("++") || rest.starts_with("--")
                         || (rest.size() > 1 && rest[1] == '=' && std::string_view("+-*/%&|^").find(rest[0]) != std::string_view::npos) || rest.starts_with("<<=") || rest.starts_with(">>=");
        if (nameStart(expression[at]) && (before || set)) names.emplace_back(expression.substr(at, end - at));
        at = end;
    }
    return names;
}

}  // namespace stagecraft
