// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config_curve.h"

#include "base/units.h"
#include "widgets/theme.h"

#include <QLocale>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kChart = 78;     // height of one chart with its title
constexpr int kTitle = 18;
constexpr int kFoot = 16;      // values below the last chart
constexpr int kSide = 16;
constexpr int kTitleGap = 8;   // px, between the name of a chart and its reading

/// A change below a thousandth is rounding, not an effect.
bool changes(const std::vector<double>& values)
{
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return least != values.end() && *most - *least > 1e-3 * *most;
}

}  // namespace

bool KeyCurve::changesMemory() const { return changes(memory); }

bool KeyCurve::changesTime() const { return changes(time); }

ConfigCurve::ConfigCurve(const KeyCurve& curve, QWidget* parent) : CursorChart(parent), m_curve(curve)
{
    QStringList words;
    for (int i = 0; i < m_curve.values.size(); ++i) {
        QStringList parts{m_curve.values[i]};
        for (const Series& each : series())
            parts << shown((*each.values)[static_cast<std::size_t>(i)], each.isMemory);
        words << parts.join(QStringLiteral(": "));
    }
    setAccessibleName(tr("In this plan"));
    setAccessibleDescription(words.join(QStringLiteral("; ")));
}

std::vector<ConfigCurve::Series> ConfigCurve::series() const
{
    std::vector<Series> all;
    if (m_curve.changesMemory())
        all.push_back({tr("peak memory"), &m_curve.memory, true});
    if (m_curve.changesTime())
        all.push_back({tr("step time"), &m_curve.time, false});
    return all;
}

QSize ConfigCurve::sizeHint() const
{
    return {280, static_cast<int>(series().size()) * kChart + kFoot};
}

double ConfigCurve::xOf(int index) const
{
    const auto last = std::max<double>(1, static_cast<double>(m_curve.values.size() - 1));
    return kSide + (width() - 2.0 * kSide) * index / last;
}

QString ConfigCurve::shown(double value, bool isMemory) const
{
    if (value <= 0)
        return QStringLiteral("–");
    const QLocale locale;
    if (!isMemory)
        return value >= 1 ? locale.toString(value, 'g', 4) + QStringLiteral(" s") : locale.toString(value * 1e3, 'g', 4) + QStringLiteral(" ms");
    const bool giga = value >= 0.1 * static_cast<double>(kGiB);
    return locale.toString(value / static_cast<double>(giga ? kGiB : kMiB), 'f', giga ? 2 : 1) + (giga ? QStringLiteral(" GiB") : QStringLiteral(" MiB"));
}

/// At the value that is pointed at or in force; where none is, at both ends: a line without a number says nothing.
QString ConfigCurve::reading(const Series& each) const
{
    const int read = cursor() >= 0 ? cursor() : m_curve.now;
    if (read < 0)
        return QStringLiteral("%1 – %2").arg(shown(each.values->front(), each.isMemory), shown(each.values->back(), each.isMemory));
    return QStringLiteral("%1 → %2").arg(m_curve.values[read], shown((*each.values)[static_cast<std::size_t>(read)], each.isMemory));
}

QStringList ConfigCurve::readings() const
{
    QStringList all;
    for (const Series& each : series())
        all << reading(each);
    return all;
}

void ConfigCurve::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    int top = 0;
    for (const Series& each : series()) {
        const std::vector<double>& values = *each.values;
        const double most = *std::max_element(values.begin(), values.end());
        painter.setFont(theme::font(Role::Small));
        // The name has what the reading leaves it.
        const QString read = reading(each);
        const int room = width() - painter.fontMetrics().horizontalAdvance(read) - kTitleGap;
        painter.setPen(theme::color(Token::Text2));
        painter.drawText(QRect(0, top, room, kTitle), Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(each.title, Qt::ElideRight, room));
        painter.setPen(theme::color(Token::Text));
        painter.drawText(QRect(0, top, width(), kTitle), Qt::AlignRight | Qt::AlignVCenter, read);
        const QRectF box(0, top + kTitle + 4, width(), kChart - kTitle - 10);
        painter.setPen(QPen(theme::color(Token::Grid), 1));
        painter.drawLine(box.bottomLeft(), box.bottomRight());
        const auto pointOf = [&](int i) { return QPointF(xOf(i), box.bottom() - box.height() * values[static_cast<std::size_t>(i)] / most); };
        // From zero, so that a small change looks small.
        QPainterPath path;
        bool open = false;
        for (int i = 0; i < static_cast<int>(values.size()); ++i) {
            if (values[static_cast<std::size_t>(i)] <= 0) {
                open = false;
                continue;
            }
            open ? path.lineTo(pointOf(i)) : path.moveTo(pointOf(i));
            open = true;
        }
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme::color(each.isMemory ? Token::Series1 : Token::Series2), 2, each.isMemory ? Qt::SolidLine : Qt::DashLine));
        painter.drawPath(path);
        for (const int mark : {m_curve.now, cursor()}) {
            if (mark < 0)
                continue;
            paintMark(painter, box, xOf(mark));
            if (values[static_cast<std::size_t>(mark)] > 0)
                paintPoint(painter, pointOf(mark), each.isMemory ? Token::Series1 : Token::Series2);
        }
        top += kChart;
    }
    painter.setFont(theme::font(Role::Tick));
    painter.setPen(theme::color(Token::Text2));
    const QRect foot(0, top - 4, width(), kFoot);
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, m_curve.values.front());
    painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, m_curve.values.back());
    paintFocus(painter);
}

int ConfigCurve::pointAt(double x) const
{
    int nearest = 0;
    for (int i = 1; i < pointCount(); ++i)
        if (std::abs(xOf(i) - x) < std::abs(xOf(nearest) - x))
            nearest = i;
    return nearest;
}

}  // namespace stagecraft
