// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/arithmetic.h"

#include "config/bare_text.h"
#include "config/config_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace stagecraft {

namespace {

constexpr std::size_t kLongest = 200;
constexpr int kDeepest = 16;

struct Number {
    std::int64_t whole = 0;
    double real = 0.0;
    bool isWhole = false;
};

Number ofWhole(std::int64_t value) { return {value, static_cast<double>(value), true}; }
Number ofReal(double value) { return {0, value, false}; }

/// Nothing where the result is no number that a config can hold.
std::optional<Number> combined(char what, const Number& a, const Number& b)
{
    std::int64_t whole = 0;
    if (a.isWhole && b.isWhole) {
        const bool over = what == '+' ? __builtin_add_overflow(a.whole, b.whole, &whole) : what == '-' ? __builtin_sub_overflow(a.whole, b.whole, &whole) : what == '*' ? __builtin_mul_overflow(a.whole, b.whole, &whole) : true;
        if (!over) {
            return ofWhole(whole);
        }
        const bool least = a.whole == std::numeric_limits<std::int64_t>::min();
        if (what == '/' && b.whole != 0 && !least && a.whole % b.whole == 0) {
            return ofWhole(a.whole / b.whole);
        }
        if (what != '/' && what != '^') {
            return std::nullopt;
        }
    }
    const double real = what == '+' ? a.real + b.real : what == '-' ? a.real - b.real : what == '*' ? a.real * b.real : what == '/' ? a.real / b.real : std::pow(a.real, b.real);
    constexpr double kExact = 9007199254740992.0;   // 2^53: up to it a power of whole numbers keeps all of its digits
    if (what == '^' && a.isWhole && b.isWhole && b.whole >= 0 && std::abs(real) < kExact) {
        return ofWhole(static_cast<std::int64_t>(real));
    }
    return std::isfinite(real) && (what != '/' || b.real != 0.0) ? std::optional(ofReal(real)) : std::nullopt;
}

class Reader {
public:
    explicit Reader(std::string_view text) : m_text(text.substr(0, kLongest)) {}

    WorkedOut read()
    {
        const auto value = sum();
        return value && m_operators > 0 ? WorkedOut{m_at, value->isWhole ? std::to_string(value->whole) : toJson(ConfigValue::ofFloat(value->real))} : WorkedOut{};
    }

private:
    /// The operator of `among` that comes next, '^' being a power; what stands before it and itself are passed.
    char take(std::string_view among)
    {
        const std::size_t next = std::min(m_text.find_first_not_of(" \t", m_at), m_text.size());
        const std::string_view rest = m_text.substr(next);
        const char found = rest.empty() ? '\0' : rest.starts_with("**") ? '^' : rest.front() == '^' ? '\0' : rest.front();   // Python's ^ is no power
        const bool apart = next > m_at || (found != '-' && found != '/');
        if (found == '\0' || among.find(found) == std::string_view::npos || !apart || rest.starts_with("//") || rest.starts_with("/*")) {
            return '\0';
        }
        m_at = next + (found == '^' ? 2 : 1);
        ++m_operators;
        return found;
    }

    std::optional<Number> chain(std::string_view operators, std::optional<Number> (Reader::*part)())
    {
        auto value = (this->*part)();
        for (char what = value ? take(operators) : '\0'; what != '\0' && value; what = value ? take(operators) : '\0') {
            const auto other = (this->*part)();
            value = other ? combined(what, *value, *other) : std::nullopt;
        }
        return value;
    }

    std::optional<Number> sum() { return chain("+-", &Reader::product); }
    std::optional<Number> product() { return chain("*/", &Reader::power); }

    std::optional<Number> power()
    {
        const auto base = atom();
        if (!base || take("^") == '\0') {
            return base;
        }
        const auto exponent = ++m_depth < kDeepest ? power() : std::nullopt;
        --m_depth;
        return exponent ? combined('^', *base, *exponent) : std::nullopt;
    }

    std::optional<Number> atom()
    {
        m_at = std::min(m_text.find_first_not_of(" \t", m_at), m_text.size());
        if (m_text.substr(m_at).starts_with("(")) {
            ++m_at;
            const auto inside = ++m_depth < kDeepest ? sum() : std::nullopt;
            --m_depth;
            m_at = std::min(m_text.find_first_not_of(" \t", m_at), m_text.size());
            if (!inside || !m_text.substr(m_at).starts_with(")")) {
                return std::nullopt;
            }
            ++m_at;
            return inside;
        }
        std::size_t end = m_at + (m_text.substr(m_at).starts_with("-") ? 1 : 0);
        while (end < m_text.size() && (std::string_view("0123456789._eE").find(m_text[end]) != std::string_view::npos || ((m_text[end] == '-' || m_text[end] == '+') && (m_text[end - 1] == 'e' || m_text[end - 1] == 'E')))) {
            ++end;
        }
        const std::string json = jsonNumber(m_text.substr(m_at, end - m_at));
        Number number = ofReal(0.0);
        const auto read = std::from_chars(json.data(), json.data() + json.size(), number.real);
        if (json.empty() || read.ec != std::errc()) {
            return std::nullopt;
        }
        const auto whole = std::from_chars(json.data(), json.data() + json.size(), number.whole);
        number.isWhole = whole.ec == std::errc() && whole.ptr == json.data() + json.size();
        m_at = end;
        return number;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_operators = 0;
    int m_depth = 0;
};

}  // namespace

WorkedOut workedOut(std::string_view text)
{
    const bool begins = !text.empty() && std::string_view("0123456789.-(").find(text.front()) != std::string_view::npos;
    return begins ? Reader(text).read() : WorkedOut{};
}

}  // namespace stagecraft
