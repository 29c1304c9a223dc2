// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory_rank_view.h"

#include "visualizers/list_text.h"

#include <QPainter>

#include <cmath>

namespace stagecraft {

void MemoryRankView::setInput(MemoryRankInput input)
{
    m_input = std::move(input);
    markDirty();
}

void MemoryRankView::refresh()
{
    const QString before = m_geometry.unit;
    m_input.width = width();
    m_input.height = height();
    m_geometry = layOutMemoryRank(m_input);
    if (before != m_geometry.unit)
        emit unitChanged();
}

const MemoryRow& MemoryRankView::rowAt(std::size_t index) const
{
    return index < m_geometry.order.size() ? m_input.items[static_cast<std::size_t>(m_geometry.order[index])]
                                           : m_input.sums[index - m_geometry.order.size()];
}

QString MemoryRankView::rowText(const MemoryRow& row) const
{
    QStringList parts;
    if (row.planned)
        parts << tr("planned %1").arg(bytesText(*row.planned, locale()));
    if (row.measured)
        parts << tr("measured %1").arg(bytesText(*row.measured, locale()));
    if (row.planned && row.measured)
        parts << tr("difference %1").arg(bytesText(*row.measured - *row.planned, locale()));
    return clauseText(parts);
}

std::vector<ChartPart> MemoryRankView::parts() const
{
    std::vector<ChartPart> result;
    for (std::size_t i = 0; i < m_geometry.rows.size(); ++i)
        result.push_back({rowAt(i).name, rowText(rowAt(i)), m_geometry.rows[i]});
    return result;
}

QString MemoryRankView::tipAt(const QPointF& position) const
{
    const auto tip = [this](const MemoryRow& row) {
        const QString text = row.name + QLatin1Char('\n') + rowText(row);
        return row.why.isEmpty() ? text : text + QLatin1Char('\n') + row.why;
    };
    for (std::size_t i = 0; i < m_geometry.rows.size(); ++i) {
        if (m_geometry.rows[i].contains(position))
            return tip(rowAt(i));
    }
    for (const auto* bar : {&m_geometry.planned, &m_geometry.measured}) {
        for (const MemoryRankGeometry::Segment& segment : *bar) {
            if (segment.rect.adjusted(0, -1, 1, 1).contains(position))
                return tip(segment.item >= 0 ? m_input.items[static_cast<std::size_t>(segment.item)] : m_input.sums[static_cast<std::size_t>(segment.sum)]);
        }
    }
    if (m_input.limit && position.y() < m_geometry.header.top())
        return tr("usable by this rank: %1").arg(bytesText(*m_input.limit, locale()));
    return {};
}

void MemoryRankView::paintBars(QPainter& painter) const
{
    const auto colorOf = [this](const MemoryRankGeometry::Segment& segment) {
        if (segment.item >= 0)
            return colors().memoryOf(m_input.items[static_cast<std::size_t>(segment.item)].kind);
        return segment.sum == 0 ? colors().strongLine : colors().memoryOf(MemoryKind::Rounding);
    };
    painter.setBrush(Qt::NoBrush);
    for (const MemoryRankGeometry::Segment& segment : m_geometry.planned) {
        painter.setPen(QPen(colorOf(segment), 1));
        painter.drawRect(segment.rect.adjusted(0.5, 0.5, -0.5, -0.5));
    }
    for (const MemoryRankGeometry::Segment& segment : m_geometry.measured)
        painter.fillRect(segment.rect, colorOf(segment));
    painter.setFont(fontOf(10));
    const QFontMetricsF metrics(painter.font());
    const QString caption = tr("planned, thin; measured, thick");
    const QString limit = m_geometry.limitX ? tr("usable %1").arg(bytesText(*m_input.limit, locale())) : QString();
    const MemoryRankWords words = placeMemoryRankWords(width(), m_geometry.limitX, metrics.horizontalAdvance(caption), metrics.horizontalAdvance(limit));
    painter.setPen(colors().secondaryText);
    if (!words.caption.isEmpty())
        painter.drawText(words.caption, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(caption, Qt::ElideRight, words.caption.width() + 1));
    if (m_geometry.limitX) {
        painter.fillRect(QRectF(*m_geometry.limitX - 1, 14, 2, 40), colors().error);
        painter.setPen(colors().error);
        painter.drawText(words.limit, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(limit, Qt::ElideRight, words.limit.width() + 1));
    }
}

void MemoryRankView::paintTable(QPainter& painter) const
{
    const auto number = [this](double bytes) { return locale().toString(bytes / m_geometry.unitBytes, 'f', m_geometry.decimals).replace(QLatin1Char('-'), QChar(u'−')); };
    const auto cell = [&painter](double right, const QRectF& row, const QString& text) {
        painter.drawText(QRectF(right - 90, row.top(), 90, row.height()), Qt::AlignRight | Qt::AlignVCenter, text);
    };
    painter.setFont(fontOf(10));
    painter.setPen(colors().secondaryText);
    cell(m_geometry.plannedRight, m_geometry.header, tr("planned"));
    cell(m_geometry.measuredRight, m_geometry.header, tr("measured"));
    cell(m_geometry.differenceRight, m_geometry.header, tr("diff."));
    const int hidden = static_cast<int>(m_input.items.size()) - m_geometry.shownItems;
    if (hidden > 0) {
        const QFontMetricsF metrics(painter.font());
        const double room = m_geometry.plannedRight - metrics.horizontalAdvance(tr("planned")) - 8 - m_geometry.header.left();
        painter.drawText(m_geometry.header, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(tr("%n smaller items not shown", nullptr, hidden), Qt::ElideRight, room));
    }
    for (std::size_t i = 0; i < m_geometry.rows.size(); ++i) {
        const QRectF& rect = m_geometry.rows[i];
        const MemoryRow& row = rowAt(i);
        const bool sum = i >= m_geometry.order.size();
        if (i == m_geometry.order.size() && i > 0)
            painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1), colors().line);
        const QFont font = fontOf(11, sum);
        painter.setFont(font);
        if (!sum)
            painter.fillRect(QRectF(rect.left(), rect.center().y() - 5, 10, 10), colors().memoryOf(row.kind));
        painter.setPen(colors().text);
        const double left = rect.left() + (sum ? 0 : 16);
        const QString name = QFontMetricsF(font).elidedText(row.name, Qt::ElideRight, m_geometry.plannedRight - 56 - left);
        painter.drawText(QRectF(left, rect.top(), m_geometry.plannedRight - 50 - left, rect.height()), Qt::AlignLeft | Qt::AlignVCenter, name);
        painter.setPen(colors().secondaryText);
        cell(m_geometry.plannedRight, rect, row.planned ? number(*row.planned) : QStringLiteral("–"));
        if (row.planned && row.measured) {
            const double difference = *row.measured - *row.planned;
            if (std::abs(difference) > 0.1 * std::max(*row.planned, m_geometry.unitBytes))
                painter.setPen(colors().warn);
            const bool none = std::abs(difference) < 0.5 * m_geometry.unitBytes * std::pow(10.0, -m_geometry.decimals);
            cell(m_geometry.differenceRight, rect, none ? QStringLiteral("±") + number(0) : (difference > 0 ? QStringLiteral("+") : QString()) + number(difference));
        }
        painter.setPen(colors().text);
        cell(m_geometry.measuredRight, rect, row.measured ? number(*row.measured) : QStringLiteral("–"));
    }
}

void MemoryRankView::paintChart(QPainter& painter)
{
    paintBars(painter);
    paintTable(painter);
}

}  // namespace stagecraft
