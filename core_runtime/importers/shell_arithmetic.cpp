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
    Expression(std::string_view text, const std::function<std::optional<std::string>(const std::string&)>& valueOf) : m_text(text), m_valueOf(valueOf) {}

    Number read()
    {
        const Number value = sum();
        blank();
        return m_at == m_text.size() ? value : std::nullopt;
    }

private:
    void blank()
    {
        while (m_at < m_text.size() && space(m_text[m_at])) ++m_at;
    }

    bool take(std::string_view mark)
    {
        blank();
        if (m_text.substr(m_at, mark.size()) != mark) return false;
        m_at += mark.size();
        return true;
    }

    Number sum()
    {
        Number left = product();
        while (left.has_value()) {
            const bool plus = take("+");
            if (!plus && !take("-")) break;
            const Number right = product();
            std::int64_t value = 0;
            if (!right.has_value() || (plus ? __builtin_add_overflow(*left, *right, &value) : __builtin_sub_overflow(*left, *right, &value))) return std::nullopt;
            left = value;
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
            std::int64_t value = 0;
            if (!right.has_value() || (mark == '*' && __builtin_mul_overflow(*left, *right, &value))) return std::nullopt;
            if (mark != '*') {
                if (*right == 0 || (*right == -1 && *left == std::numeric_limits<std::int64_t>::min())) return std::nullopt;
                value = mark == '/' ? *left / *right : *left % *right;
            }
            left = value;
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
            for (std::int64_t i = 0; value.has_value() && i < *exponent; ++i) {
                if (__builtin_mul_overflow(*value, *base, &*value)) value.reset();
            }
        }
        --m_depth;
        return value;
    }

    Number sign()
    {
        bool minus = false;
        for (;;) {
            if (take("-")) minus = !minus;
            else if (!take("+")) break;
        }
        Number value = one();
        if (minus && value.has_value()) value = *value == std::numeric_limits<std::int64_t>::min() ? std::nullopt : Number(-*value);
        return value;
    }

    Number one()
    {
        if (take("(")) {
            const Number value = sum();
            return take(")") ? value : std::nullopt;
        }
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && wordChar(m_text[m_at])) ++m_at;
        const std::string word(m_text.substr(begin, m_at - begin));
        if (word.empty() || !nameStart(word[0])) return constant(word);
        const std::optional<std::string> value = m_valueOf(word);
        if (!value.has_value()) return std::nullopt;
        const std::size_t from = value->find_first_not_of(" \t\r\n"), to = value->find_last_not_of(" \t\r\n");
        return from == std::string::npos ? std::nullopt : constant(std::string_view(*value).substr(from, to - from + 1));
    }

    static constexpr int kMostDepth = 100;
    std::string_view m_text;
    const std::function<std::optional<std::string>(const std::string&)>& m_valueOf;
    std::size_t m_at = 0;
    int m_depth = 0;
};

}  // namespace

std::optional<std::int64_t> shellArithmetic(std::string_view expression, const std::function<std::optional<std::string>(const std::string&)>& valueOf)
{
    return Expression(expression, valueOf).read();
}

}  // namespace stagecraft
