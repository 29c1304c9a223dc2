// SPDX-License-Identifier: GPL-3.0-or-later
// The arithmetic that a figure of a forecast prints, worked out again: "1.02 · (0.25 + 0.5) s".
#pragma once

#include "planner/plan.h"

#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace stagecraft::test {

/// Reads numbers, + - · / and brackets; a unit behind a number is passed over. NaN where something else stands.
class Arithmetic {
public:
    static double of(std::string_view text)
    {
        Arithmetic reader{text};
        const double value = reader.sum();
        reader.skip();
        return reader.m_text.empty() ? value : std::numeric_limits<double>::quiet_NaN();
    }

private:
    explicit Arithmetic(std::string_view text) : m_text(text) {}

    void skip()
    {
        while (!m_text.empty() && (m_text.front() == ' ' || m_text.front() == 's')) m_text.remove_prefix(1);
    }
    bool take(std::string_view word)
    {
        skip();
        if (!m_text.starts_with(word)) return false;
        m_text.remove_prefix(word.size());
        return true;
    }
    double sum()
    {
        double value = product();
        while (true) {
            if (take("+")) value += product();
            else if (take("-")) value -= product();
            else return value;
        }
    }
    double product()
    {
        double value = factor();
        while (true) {
            if (take("·")) value *= factor();
            else if (take("/")) value /= factor();
            else return value;
        }
    }
    double factor()
    {
        if (take("(")) {
            const double value = sum();
            return take(")") ? value : std::numeric_limits<double>::quiet_NaN();
        }
        skip();
        const std::string rest(m_text);
        char* end = nullptr;
        const double value = std::strtod(rest.c_str(), &end);
        if (end == rest.c_str()) return std::numeric_limits<double>::quiet_NaN();
        m_text.remove_prefix(static_cast<std::size_t>(end - rest.c_str()));
        return value;
    }

    std::string_view m_text;
};

/// The first part of the forecast that no figure tells, or whose figure says something else than its value; empty when all hold. Numbers
/// are printed with four digits: some of them together are within half a per cent.
inline std::string untoldPart(const StepForecast& forecast)
{
    for (const auto& [part, seconds] : forecast.split) {
        if (!(seconds > 0)) continue;
        bool told = false;
        for (const ForecastFigure& figure : forecast.figures) {
            if (figure.what != part) continue;
            told = true;
            const bool inputs = figure.numbers.find("·") != std::string::npos;
            if (!inputs || !(std::abs(Arithmetic::of(figure.numbers) - seconds) <= 5e-3 * seconds) || !(std::abs(figure.value - seconds) <= 1e-12 * seconds) || figure.source.empty()) return part + " = " + std::to_string(seconds) + ", told " + figure.numbers;
        }
        if (!told) return part + " is not told";
    }
    return {};
}

}  // namespace stagecraft::test
