// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart_axis.h"

#include "visualizers/list_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stagecraft {

namespace {

constexpr std::array kSteps{1.0, 2.0, 2.5, 5.0};

int decimalsOf(double step)
{
    // The fewest decimals in which `step` is a whole number; 2.5e-3 needs four.
    int decimals = 0;
    for (double scaled = std::abs(step); decimals < 12 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled; scaled *= 10)
        ++decimals;
    return decimals;
}

}  // namespace

NiceAxis niceAxis(double low, double high)
{
    if (!std::isfinite(low) || !std::isfinite(high))
        return {0, 1, 0.5, {0, 0.5, 1}};
    if (low > high)
        std::swap(low, high);
    const double size = std::max(std::abs(low), std::abs(high));
    // Below 1e-9 of the size the ticks could not be told apart in a double, nor by eye.
    if (high - low <= size * 1e-9 || high - low < 1e-300) {
        const double half = size > 1e-290 ? size * 0.1 : 0.5;
        low -= half;
        high += half;
    }
    NiceAxis best;
    double bestLength = std::numeric_limits<double>::infinity();
    const int top = static_cast<int>(std::ceil(std::log10(high - low)));
    for (int power = top - 2; power <= top + 1; ++power) {
        for (const double digit : kSteps) {
            const double step = digit * std::pow(10.0, power);
            const double first = std::floor(low / step + 1e-9);
            const double last = std::ceil(high / step - 1e-9);
            const double intervals = last - first;
            if (intervals < 2 || intervals > 4)
                continue;
            const double length = intervals * step;
            if (length < bestLength * (1 - 1e-9)) {
                bestLength = length;
                best = {first * step, last * step, step, {}};
                for (double n = first; n <= last; ++n)
                    best.ticks.push_back(n * step);
            }
        }
    }
    return best;
}

std::vector<double> niceTicksWithin(double begin, double end, int most, bool integers)
{
    std::vector<double> best;
    if (!(end > begin) || !std::isfinite(begin) || !std::isfinite(end) || most < 1)
        return best;
    const int top = static_cast<int>(std::ceil(std::log10(end - begin)));
    for (int power = top - 2; power <= top + 1; ++power) {
        for (const double digit : kSteps) {
            const double step = digit * std::pow(10.0, power);
            if (integers && (step < 1 || std::abs(step - std::round(step)) > 1e-9))
                continue;
            const double first = std::ceil(begin / step - 1e-9);
            const double last = std::floor(end / step + 1e-9);
            const double count = last - first + 1;
            if (count < 1 || count > most || count <= static_cast<double>(best.size()))
                continue;
            best.clear();
            for (double n = first; n <= last; ++n)
                best.push_back(n * step);
        }
    }
    return best;
}

double axisFactor(double largest)
{
    largest = std::abs(largest);
    if (!std::isfinite(largest) || largest == 0 || (largest >= 0.01 && largest < 1e4))
        return 1;
    return std::pow(1000.0, std::floor(std::log10(largest) / 3 + 1e-12));
}

QString scaledUnit(const QString& unit, double factor, bool prefixes)
{
    if (factor == 1)
        return unit;
    const int power = static_cast<int>(std::lround(std::log10(factor)));
    if (prefixes && power >= -6 && power <= 12) {
        static const std::array<QString, 7> words{QStringLiteral("µ"), QStringLiteral("m"), QString(), QStringLiteral("k"),
                                                  QStringLiteral("M"), QStringLiteral("G"), QStringLiteral("T")};
        return words[static_cast<std::size_t>(power / 3 + 2)] + QLatin1Char(' ') + unit;
    }
    static const QString digits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString exponent;
    for (const QChar c : QString::number(power))
        exponent += c == QLatin1Char('-') ? QChar(u'⁻') : digits.at(c.digitValue());
    return clauseText({unit, QStringLiteral("×10") + exponent});
}

QString tickText(double value, double step, const QLocale& locale)
{
    if (std::abs(value) < std::abs(step) * 1e-6)
        value = 0;   // no "-0"
    QString text = locale.toString(value, 'f', decimalsOf(step));
    if (value < 0)
        text.replace(QLatin1Char('-'), QChar(u'−'));
    return text;
}

QString figureText(double value, const QLocale& locale)
{
    if (std::isnan(value))
        return QStringLiteral("NaN");
    if (std::isinf(value))
        return value > 0 ? QStringLiteral("inf") : QStringLiteral("−inf");
    const double size = std::abs(value);
    QString text;
    if (size != 0 && size < 1e-3) {
        text = locale.toString(value, 'e', 2).toLower();
    } else {
        const int digits = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
        text = locale.toString(value, 'f', std::clamp(4 - digits, 0, 4));
    }
    if (value < 0)
        text.replace(0, 1, QChar(u'−'));
    return text;
}

namespace {

// Three significant digits are enough beside a bar, and keep columns narrow.
QString threeDigits(double value, const QLocale& locale)
{
    const double size = std::abs(value);
    QString text = locale.toString(value, 'f', size >= 100 ? 0 : size >= 10 ? 1 : 2);
    if (value < 0)
        text.replace(0, 1, QChar(u'−'));
    return text;
}

}  // namespace

QString secondsText(double seconds, const QLocale& locale)
{
    const double size = std::abs(seconds);
    if (!std::isfinite(seconds))
        return figureText(seconds, locale);
    if (size >= 1 || size == 0)
        return QStringLiteral("%1 s").arg(locale.toString(seconds, 'f', size >= 100 ? 0 : 2));
    if (size >= 1e-3)
        return QStringLiteral("%1 ms").arg(threeDigits(seconds * 1e3, locale));
    return QStringLiteral("%1 µs").arg(threeDigits(seconds * 1e6, locale));
}

QString bytesText(double bytes, const QLocale& locale)
{
    static const std::array<QString, 5> units{QStringLiteral("B"), QStringLiteral("KiB"), QStringLiteral("MiB"),
                                              QStringLiteral("GiB"), QStringLiteral("TiB")};
    std::size_t unit = 0;
    while (std::abs(bytes) >= 1024 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    QString text = locale.toString(bytes, 'f', unit == 0 || std::abs(bytes) >= 1000 ? 0 : 1);
    if (bytes < 0)
        text.replace(0, 1, QChar(u'−'));
    return QStringLiteral("%1 %2").arg(text, units[unit]);
}

}  // namespace stagecraft
