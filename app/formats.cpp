// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/formats.h"

#include "exporters/launch_command.h"

#include <QLocale>

#include <array>
#include <cmath>

namespace stagecraft::app {

namespace {

const QChar kMinus(0x2212);

/// Three significant digits, at most `most` decimals.
int decimalsFor(double value, int most = 2)
{
    const double size = std::abs(value);
    return std::min(most, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

QString withSign(double value, const QString& shown)
{
    if (shown.isEmpty())
        return shown;
    return (value < 0 ? QString(kMinus) : QStringLiteral("+")) + shown;
}

}  // namespace

ByteUnit byteUnitFor(std::int64_t largest)
{
    int unit = 0;
    for (double size = static_cast<double>(std::abs(largest)); size >= 1024 && unit < 4; size /= 1024)
        ++unit;
    return static_cast<ByteUnit>(unit);
}

QString byteUnitName(ByteUnit unit)
{
    constexpr std::array kNames{"B", "KiB", "MiB", "GiB", "TiB"};
    return QLatin1String(kNames.at(static_cast<std::size_t>(unit)));
}

double inUnit(std::int64_t count, ByteUnit unit)
{
    return static_cast<double>(count) / std::pow(1024.0, static_cast<double>(unit));
}

QString bytesValue(std::int64_t count, ByteUnit unit, int decimals)
{
    const double value = inUnit(count, unit);
    return QLocale().toString(value, 'f', decimals >= 0 ? decimals : unit == ByteUnit::Byte ? 0 : decimalsFor(value, 1));
}

Quantity bytes(std::int64_t count)
{
    const ByteUnit unit = byteUnitFor(count);
    return {bytesValue(count, unit), byteUnitName(unit)};
}

QString bytesDelta(std::int64_t count)
{
    if (count == 0)
        return QStringLiteral("±0 GiB");
    return withSign(static_cast<double>(count), bytes(std::abs(count)).text());
}

Quantity seconds(double value)
{
    const QLocale locale;
    const double size = std::abs(value);
    if (size < 1e-3)
        return {locale.toString(value * 1e6, 'f', decimalsFor(value * 1e6, 1)), QStringLiteral("µs")};
    if (size < 1)
        return {locale.toString(value * 1e3, 'f', decimalsFor(value * 1e3, 1)), QStringLiteral("ms")};
    if (size < 600)
        return {locale.toString(value, 'f', decimalsFor(value)), QStringLiteral("s")};
    if (size < 36000)
        return {locale.toString(value / 60, 'f', 1), QStringLiteral("min")};
    return {locale.toString(value / 3600, 'f', 1), QStringLiteral("h")};
}

QString secondsDelta(double value)
{
    if (std::abs(value) < 5e-7)
        return QStringLiteral("±0 s");
    return withSign(value, seconds(std::abs(value)).text());
}

QString shortCount(double value)
{
    constexpr std::array kSteps{"", " k", " M", " G", " T"};
    std::size_t step = 0;
    while (std::abs(value) >= 999.5 && step + 1 < kSteps.size()) {
        value /= 1000;
        ++step;
    }
    return QLocale().toString(value, 'f', step == 0 && value == std::floor(value) ? 0 : decimalsFor(value)) + QLatin1String(kSteps.at(step));
}

QString count(std::int64_t value)
{
    return QLocale().toString(static_cast<qlonglong>(value));
}

QString fixed(double value, int decimals)
{
    return QLocale().toString(value, 'f', decimals);
}

QString percent(double share, int decimals)
{
    return fixed(share * 100, decimals) + QStringLiteral("\u2009%");
}

QString shellQuoted(const QString& argument)
{
    return QString::fromStdString(stagecraft::shellQuoted(argument.toStdString()));
}

}  // namespace stagecraft::app
