// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/rules/whole_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace stagecraft::rules {

namespace {

constexpr std::uint64_t kBase = 1'000'000'000;
constexpr std::size_t kDigits = 9;

}  // namespace

WholeNumber::WholeNumber(std::uint64_t value)
{
    for (; value > 0; value /= kBase) {
        m_limbs.push_back(static_cast<std::uint32_t>(value % kBase));
    }
}

WholeNumber WholeNumber::ofDigits(std::string_view digits)
{
    WholeNumber made;
    for (std::size_t end = digits.size(); end > 0;) {
        const std::size_t from = end - std::min(end, kDigits);
        std::uint32_t limb = 0;
        std::from_chars(digits.data() + from, digits.data() + end, limb);
        made.m_limbs.push_back(limb);
        end = from;
    }
    made.trim();
    return made;
}

WholeNumber WholeNumber::ofFloat(double value)
{
    char text[std::numeric_limits<double>::max_exponent10 + 2];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 0).ptr;
    return ofDigits({text, static_cast<std::size_t>(end - text)});
}

std::string WholeNumber::digits() const
{
    if (isZero()) {
        return "0";
    }
    std::string text = std::to_string(m_limbs.back());
    for (std::size_t i = m_limbs.size() - 1; i-- > 0;) {
        const std::string limb = std::to_string(m_limbs[i]);
        text += std::string(kDigits - limb.size(), '0') + limb;
    }
    return text;
}

double WholeNumber::asDouble() const
{
    const std::string text = digits();
    double value = 0.0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc::result_out_of_range ? std::numeric_limits<double>::infinity() : value;
}

WholeNumber WholeNumber::times(const WholeNumber& other) const
{
    WholeNumber product;
    product.m_limbs.resize(m_limbs.size() + other.m_limbs.size());
    for (std::size_t i = 0; i < m_limbs.size(); ++i) {
        std::uint64_t carry = 0;
        for (std::size_t j = 0; j < other.m_limbs.size() || carry > 0; ++j) {
            const std::uint64_t factor = j < other.m_limbs.size() ? other.m_limbs[j] : 0;
            const std::uint64_t sum = product.m_limbs[i + j] + m_limbs[i] * factor + carry;
            product.m_limbs[i + j] = static_cast<std::uint32_t>(sum % kBase);
            carry = sum / kBase;
        }
    }
    product.trim();
    return product;
}

std::pair<WholeNumber, WholeNumber> WholeNumber::dividedBy(const WholeNumber& by) const
{
    WholeNumber quotient, rest;
    quotient.m_limbs.resize(m_limbs.size());
    for (std::size_t i = m_limbs.size(); i-- > 0;) {
        rest.m_limbs.insert(rest.m_limbs.begin(), m_limbs[i]);
        rest.trim();
        // The largest limb whose product does not exceed the rest, by halves.
        std::uint64_t low = 0, high = kBase - 1;
        while (low < high) {
            const std::uint64_t middle = (low + high + 1) / 2;
            if (by.times(WholeNumber(middle)) <= rest) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        quotient.m_limbs[i] = static_cast<std::uint32_t>(low);
        const WholeNumber taken = by.times(WholeNumber(low));
        std::int64_t borrow = 0;
        for (std::size_t j = 0; j < rest.m_limbs.size(); ++j) {
            std::int64_t limb = std::int64_t{rest.m_limbs[j]} - (j < taken.m_limbs.size() ? std::int64_t{taken.m_limbs[j]} : 0) - borrow;
            borrow = limb < 0 ? 1 : 0;
            limb += borrow * static_cast<std::int64_t>(kBase);
            rest.m_limbs[j] = static_cast<std::uint32_t>(limb);
        }
        rest.trim();
    }
    quotient.trim();
    return {std::move(quotient), std::move(rest)};
}

std::strong_ordering WholeNumber::operator<=>(const WholeNumber& other) const
{
    if (m_limbs.size() != other.m_limbs.size()) {
        return m_limbs.size() <=> other.m_limbs.size();
    }
    return std::lexicographical_compare_three_way(m_limbs.rbegin(), m_limbs.rend(), other.m_limbs.rbegin(), other.m_limbs.rend());
}

void WholeNumber::trim()
{
    while (!m_limbs.empty() && m_limbs.back() == 0) {
        m_limbs.pop_back();
    }
}

}  // namespace stagecraft::rules
