// SPDX-License-Identifier: GPL-3.0-or-later
#include "pareto_view.h"

#include "visualizers/list_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace stagecraft {

ParetoView::ParetoView(QWidget* parent) : ChartWidget(parent) { setFocusPolicy(Qt::StrongFocus); }

void ParetoView::setData(ParetoData data)
{
    m_data = std::move(data);
    if (m_chosen >= static_cast<int>(m_data.points.size())) m_chosen = -1;
    markDirty();
}

void ParetoView::setChosen(int point)
{
    m_chosen = point < static_cast<int>(m_data.points.size()) ? point : -1;
    if (m_chosen >= 0) setAccessibleDescription(textOf(m_data.points[static_cast<std::size_t>(m_chosen)]));
    markOverlayDirty();
    frameTick();
}

void ParetoView::refresh() { m_geometry = layoutPareto(m_data, QSizeF(width(), height())); }

QString ParetoView::textOf(const ParetoPoint& point) const
{
    return QStringLiteral("%1\n%2, %3").arg(point.name, secondsText(point.seconds, locale()), bytesText(point.bytes, locale()));
}

void ParetoView::paintChart(QPainter& painter)
{
    const ChartColors& c = colors();
    const ParetoGeometry& g = m_geometry;
    painter.fillRect(rect(), c.base);
    if (g.plot.isEmpty()) return;
    painter.setFont(fontOf(10));
    for (const auto& tick : g.yTicks) {
        painter.fillRect(QRectF(g.plot.left(), tick.at, g.plot.width(), 1), c.grid);
        painter.setPen(c.secondaryText);
        painter.drawText(QRectF(0, tick.at - 8, g.plot.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter, tickText(tick.value, g.yStep, locale()));
    }
    for (const auto& tick : g.xTicks) {
        painter.fillRect(QRectF(tick.at, g.plot.bottom(), 1, 4), c.line);
        painter.setPen(c.secondaryText);
        painter.drawText(QRectF(tick.at - 40, g.plot.bottom() + 4, 80, 14), Qt::AlignCenter, tickText(tick.value, g.xStep, locale()));
    }
    painter.setFont(fontOf(11));
    painter.setPen(c.secondaryText);
    painter.drawText(QRectF(8, 2, g.plot.width(), 16), Qt::AlignLeft | Qt::AlignVCenter, tr("memory per rank, %1").arg(g.byteUnit));
    QString foot = (g.logTime ? tr("step time, %1, log") : tr("step time, %1")).arg(g.timeUnit);
    if (g.hidden > 0) foot += QStringLiteral("  ·  ") + tr("%n slower or larger not shown", nullptr, static_cast<int>(g.hidden));
    const QRectF footLine(8, g.plot.bottom() + 17, g.plot.right() - 8, 16);
    painter.drawText(footLine, Qt::AlignRight | Qt::AlignVCenter, painter.fontMetrics().elidedText(foot, Qt::ElideRight, static_cast<int>(footLine.width())));
    painter.fillRect(QRectF(g.plot.left(), g.plot.bottom(), g.plot.width(), 1), c.line);

    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& spot : g.dots) {
        QColor tone = m_data.dots[spot.index].fits ? c.series[0] : c.disabledText;
        tone.setAlphaF(0.45F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(tone);
        painter.drawEllipse(spot.at, 1.5, 1.5);
    }
    if (g.limitY >= 0) {
        painter.fillRect(QRectF(g.plot.left(), g.limitY - 1, g.plot.width(), 2), c.error);
        painter.setPen(c.error);
        painter.drawText(QRectF(g.plot.left(), g.limitY - 18, g.plot.width() - 2, 16), Qt::AlignRight | Qt::AlignVCenter, m_data.limitLabel);
    } else if (g.limitBeyond) {
        painter.setPen(c.secondaryText);
        painter.drawText(QRectF(g.plot.left(), g.plot.top(), g.plot.width() - 2, 16), Qt::AlignRight | Qt::AlignVCenter, m_data.limitLabel + QStringLiteral(" \u2191"));
    }
    if (!g.front.empty()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(c.ok, 2));
        painter.drawPolyline(QPolygonF(QList<QPointF>(g.front.begin(), g.front.end())));
    }
    // The front over the rest: it is what the eye looks for.
    std::vector<ParetoGeometry::Spot> spots = g.points;
    const auto isOnFront = [this](const ParetoGeometry::Spot& spot) { return std::find(m_data.front.begin(), m_data.front.end(), spot.index) != m_data.front.end(); };
    std::stable_partition(spots.begin(), spots.end(), [&](const ParetoGeometry::Spot& spot) { return !isOnFront(spot); });
    for (const auto& spot : spots) {
        const ParetoPoint& point = m_data.points[spot.index];
        const bool onFront = isOnFront(spot);
        // Filled fits, a ring does not: the colour is not the only sign.
        painter.setPen(QPen(point.fits ? onFront ? c.ok : c.series[0] : c.error, 1.4));
        painter.setBrush(point.fits ? QBrush(onFront ? c.ok : c.series[0]) : QBrush(Qt::NoBrush));
        painter.drawEllipse(spot.at, onFront ? 4.5 : 3.0, onFront ? 4.5 : 3.0);
    }
    if (g.hasNow) {
        painter.setPen(QPen(c.text, 1.6));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolygon(QPolygonF({g.now + QPointF(0, -7), g.now + QPointF(7, 0), g.now + QPointF(0, 7), g.now + QPointF(-7, 0)}));
        // On a ground of its own: there is a crowd behind it.
        const bool left = g.now.x() > g.plot.center().x();
        const double width = painter.fontMetrics().horizontalAdvance(tr("now")) + 8;
        const QRectF word(g.now.x() + (left ? -10 - width : 10), g.now.y() - 8, width, 16);
        painter.fillRect(word, c.base);
        painter.drawText(word, Qt::AlignCenter, tr("now"));
    }
}

void ParetoView::paintOverlay(QPainter& painter)
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    for (const auto& spot : m_geometry.points)
        if (static_cast<int>(spot.index) == m_chosen) {
            painter.setPen(QPen(colors().accent, 2));
            painter.drawEllipse(spot.at, 8, 8);
        }
    if (hasFocus() && m_chosen < 0) {
        painter.setPen(QPen(colors().accent, 2));
        painter.drawRect(QRectF(rect()).adjusted(1, 1, -1, -1));
    }
}

void ParetoView::choose(int point)
{
    if (point < 0) return;
    setChosen(point);
    emit pointChosen(point);
}

void ParetoView::mousePressEvent(QMouseEvent* event)
{
    ensureLaidOut(devicePixelRatioF());
    if (event->button() == Qt::LeftButton) choose(pointAt(m_data, m_geometry, event->position()));
}

void ParetoView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const int point = pointAt(m_data, m_geometry, event->position());
    if (point >= 0) emit pointActivated(point);
}

void ParetoView::keyPressEvent(QKeyEvent* event)
{
    const auto& front = m_data.front;
    const auto at = std::find(front.begin(), front.end(), static_cast<std::size_t>(std::max(m_chosen, 0)));
    const bool walks = m_chosen >= 0 && at != front.end();
    switch (event->key()) {
    case Qt::Key_Right:
    case Qt::Key_Left:
        if (front.empty()) return;
        if (!walks) choose(static_cast<int>(front.front()));
        else if (event->key() == Qt::Key_Right && at + 1 != front.end()) choose(static_cast<int>(*(at + 1)));
        else if (event->key() == Qt::Key_Left && at != front.begin()) choose(static_cast<int>(*(at - 1)));
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_chosen >= 0) emit pointActivated(m_chosen);
        return;
    default: ChartWidget::keyPressEvent(event);
    }
}

std::vector<ChartPart> ParetoView::parts() const
{
    std::vector<ChartPart> parts;
    for (const std::size_t i : m_data.front) {
        const ParetoPoint& point = m_data.points[i];
        QRectF where;
        for (const auto& spot : m_geometry.points)
            if (spot.index == i) where = QRectF(spot.at - QPointF(5, 5), QSizeF(10, 10));
        parts.push_back({point.name, clauseText({secondsText(point.seconds, locale()), bytesText(point.bytes, locale())}), where});
    }
    return parts;
}

QString ParetoView::tipAt(const QPointF& position) const
{
    const int point = pointAt(m_data, m_geometry, position);
    if (point >= 0) return textOf(m_data.points[static_cast<std::size_t>(point)]);
    if (m_geometry.hasNow && (m_geometry.now - position).manhattanLength() < 9) return textOf(m_data.now);
    return {};
}

}  // namespace stagecraft
