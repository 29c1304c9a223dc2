// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/case_arguments.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

namespace {

/// A number or a list of numbers: what Python makes of an expression of these, "+" and "*".
struct Value {
    bool isList = false;
    std::int64_t number = 0;
    std::vector<std::int64_t> list;
};

constexpr std::size_t kLongest = 100'000;   // layers; no model has as many
constexpr int kDeepest = 50;                // brackets in brackets

/// Reads what Megatron-LM evaluates: sums of products of whole numbers, lists and brackets.
class Expression {
public:
    explicit Expression(std::string_view text) : m_text(text) {}

    std::optional<Value> whole()
    {
        auto value = sum(0);
        skip();
        return m_at == m_text.size() ? value : std::nullopt;
    }

private:
    void skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at]))) ++m_at;
    }
    bool take(char wanted)
    {
        skip();
        if (m_at >= m_text.size() || m_text[m_at] != wanted) return false;
        ++m_at;
        return true;
    }

    std::optional<Value> sum(int depth)
    {
        auto left = product(depth);
        while (left && take('+')) {
            const auto right = product(depth);
            if (!right || right->isList != left->isList) return std::nullopt;
            left->number = std::min<std::int64_t>(left->number + right->number, kLongest);
            left->list.insert(left->list.end(), right->list.begin(), right->list.end());
            if (left->list.size() > kLongest) return std::nullopt;
        }
        return left;
    }

    std::optional<Value> product(int depth)
    {
        auto left = atom(depth);
        while (left && take('*')) {
            const auto right = atom(depth);
            if (!right || (left->isList && right->isList)) return std::nullopt;
            left = times(*left, *right);
        }
        return left;
    }

    static std::optional<Value> times(const Value& a, const Value& b)
    {
        if (!a.isList && !b.isList) return Value{false, std::min<std::int64_t>(a.number * b.number, kLongest), {}};
        const Value& repeated = a.isList ? a : b;
        const std::int64_t count = a.isList ? b.number : a.number;
        if (static_cast<std::size_t>(count) * repeated.list.size() > kLongest) return std::nullopt;
        Value out{true, 0, {}};
        if (repeated.list.empty()) return out;
        for (std::int64_t i = 0; i < count; ++i) out.list.insert(out.list.end(), repeated.list.begin(), repeated.list.end());
        return out;
    }

    std::optional<Value> atom(int depth)
    {
        if (depth > kDeepest) return std::nullopt;
        if (take('(')) {
            auto inside = sum(depth + 1);
            return take(')') ? inside : std::nullopt;
        }
        if (take('[')) {
            Value out{true, 0, {}};
            if (take(']')) return out;
            do {
                const auto item = sum(depth + 1);
                if (!item || item->isList || out.list.size() >= kLongest) return std::nullopt;
                out.list.push_back(item->number);
            } while (take(','));
            return take(']') ? std::optional(std::move(out)) : std::nullopt;
        }
        skip();
        std::int64_t number = 0;
        const auto [end, failed] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), number);
        if (failed != std::errc() || number < 0) return std::nullopt;
        m_at = static_cast<std::size_t>(end - m_text.data());
        return Value{false, std::min<std::int64_t>(number, kLongest), {}};
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

}  // namespace

std::optional<std::int64_t> denseLayersOf(const nlohmann::json& frequency, std::int64_t layers)
{
    const std::string text = frequency.is_string() ? frequency.get<std::string>() : frequency.dump();
    const auto value = Expression(text).whole();
    if (!value) return std::nullopt;
    if (!value->isList) {
        if (value->number < 1) return std::nullopt;
        return layers - (layers + value->number - 1) / value->number;
    }
    const std::vector<std::int64_t>& list = value->list;
    const bool told = std::all_of(list.begin(), list.end(), [](std::int64_t one) { return one == 0 || one == 1; });
    if (!told || static_cast<std::int64_t>(list.size()) != layers) return std::nullopt;
    return std::count(list.begin(), list.end(), 0);
}

}  // namespace stagecraft
