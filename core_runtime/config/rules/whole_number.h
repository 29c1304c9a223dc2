// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stagecraft::rules {

/// A whole number of 0 or more without an upper end, as Python has it. Made for batch sizes of a few digits, exact for those of
/// thousands: each operation costs the product of its operands' lengths.
class WholeNumber {
public:
    WholeNumber() = default;
    explicit WholeNumber(std::uint64_t value);
    /// @param digits  decimal digits alone, at least one
    [[nodiscard]] static WholeNumber ofDigits(std::string_view digits);
    /// The exact value of a finite whole float of 0 or more.
    [[nodiscard]] static WholeNumber ofFloat(double value);

    [[nodiscard]] bool isZero() const { return m_limbs.empty(); }
    [[nodiscard]] std::string digits() const;
    /// The nearest float; infinity beyond the largest.
    [[nodiscard]] double asDouble() const;

    [[nodiscard]] WholeNumber times(const WholeNumber& other) const;
    /// Quotient, rounded down, and remainder. `by` must not be 0.
    [[nodiscard]] std::pair<WholeNumber, WholeNumber> dividedBy(const WholeNumber& by) const;

    [[nodiscard]] std::strong_ordering operator<=>(const WholeNumber& other) const;
    [[nodiscard]] bool operator==(const WholeNumber& other) const = default;

private:
    void trim();

    std::vector<std::uint32_t> m_limbs;  ///< nine decimal digits each, the lowest first; none for 0
};

}  // namespace stagecraft::rules
