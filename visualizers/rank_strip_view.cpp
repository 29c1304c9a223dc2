// SPDX-License-Identifier: GPL-3.0-or-later
#include "rank_strip_view.h"

#include "visualizers/list_text.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace stagecraft {

QString RankStripView::stateText(RankState state)
{
    switch (state) {
    case RankState::Starting: return tr("starting");
    case RankState::Ready: return tr("ready");
    case RankState::Running: return tr("running");
    case RankState::Finished: return tr("finished");
    case RankState::Stopped: return tr("stopped");
    case RankState::Failed: return tr("failed");
    case RankState::Lost: return tr("lost");
    }
    return {};
}

void RankStripView::setInput(RankStripInput input)
{
    m_input = std::move(input);
    markDirty();
}

void RankStripView::setChosen(int rank)
{
    m_chosen = rank;
    markDirty();
}

void RankStripView::refresh()
{
    m_input.width = width();
    m_input.height = height();
    m_geometry = layOutRankStrip(m_input);
}

QStringList RankStripView::cardTexts(const RankCard& card) const
{
    QStringList parts{stateText(card.state)};
    if (card.computeSeconds > 0) {
        parts << tr("%1 compute").arg(secondsText(card.computeSeconds, locale()));
        parts << tr("%1 wait").arg(secondsText(card.waitSeconds, locale()));
    }
    if (card.memoryBytes > 0)
        parts << bytesText(card.memoryBytes, locale());
    if (card.slow)
        parts << tr("the others wait for it");
    return parts;
}

std::vector<ChartPart> RankStripView::parts() const
{
    std::vector<ChartPart> result;
    for (const RankStripGeometry::Cell& cell : m_geometry.cells) {
        const RankCard& card = m_input.cards[static_cast<std::size_t>(cell.index)];
        result.push_back({tr("Rank %1").arg(card.rank), clauseText(cardTexts(card)), cell.rect});
    }
    return result;
}

QString RankStripView::tipAt(const QPointF& position) const
{
    const int index = hitRank(m_geometry, position);
    if (index < 0)
        return {};
    const RankCard& card = m_input.cards[static_cast<std::size_t>(index)];
    return tr("Rank %1").arg(card.rank) + QLatin1Char('\n') + cardTexts(card).join(QLatin1Char('\n'));
}

// Each state has a shape of its own: colour is not the only sign.
void RankStripView::paintStateSign(QPainter& painter, const QPointF& center, const RankCard& card) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    if (card.slow && card.state == RankState::Running) {
        painter.setPen(QPen(colors().warn, 1.4));
        painter.setBrush(Qt::NoBrush);
        painter.drawPolygon(QPolygonF({center + QPointF(0, -5), center + QPointF(5.5, 4.5), center + QPointF(-5.5, 4.5)}));
        painter.drawLine(center + QPointF(0, -1.5), center + QPointF(0, 2));
        return;
    }
    switch (card.state) {
    case RankState::Running:
        painter.setBrush(colors().ok);
        painter.drawEllipse(center, 4, 4);
        break;
    case RankState::Starting: case RankState::Ready:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(card.state == RankState::Ready ? colors().ok : colors().secondaryText, 1.4));
        painter.drawEllipse(center, 3.5, 3.5);
        break;
    case RankState::Finished:
        painter.setPen(QPen(colors().secondaryText, 1.8));
        painter.drawPolyline(QPolygonF({center + QPointF(-4, 0), center + QPointF(-1, 3), center + QPointF(4, -3.5)}));
        break;
    case RankState::Stopped:
        painter.setBrush(colors().secondaryText);
        painter.drawRect(QRectF(center - QPointF(3.5, 3.5), QSizeF(7, 7)));
        break;
    case RankState::Failed:
        painter.setPen(QPen(colors().error, 1.8));
        painter.drawLine(center + QPointF(-3.5, -3.5), center + QPointF(3.5, 3.5));
        painter.drawLine(center + QPointF(-3.5, 3.5), center + QPointF(3.5, -3.5));
        break;
    case RankState::Lost:
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors().warn, 1.4, Qt::DotLine));
        painter.drawEllipse(center, 4, 4);
        break;
    }
}

void RankStripView::paintCell(QPainter& painter, const RankStripGeometry::Cell& cell) const
{
    const RankCard& card = m_input.cards[static_cast<std::size_t>(cell.index)];
    const QRectF& rect = cell.rect;
    const bool failed = card.state == RankState::Failed;
    if (failed)
        painter.fillRect(rect, colors().errorTint);
    else if (card.slow)
        painter.fillRect(rect, colors().warnTint);
    if (rect.left() > 0.5)
        painter.fillRect(QRectF(rect.left(), rect.top(), 1, rect.height()), colors().line);
    if (rect.top() > 0.5)
        painter.fillRect(QRectF(rect.left(), rect.top(), rect.width(), 1), colors().line);

    const double middle = rect.top() + 12;
    paintStateSign(painter, {rect.left() + 12, middle}, card);
    painter.setFont(fontOf(12));
    painter.setPen(colors().text);
    const QString name = m_geometry.mode == RankStripGeometry::Mode::Cards ? tr("Rank %1").arg(card.rank) : QString::number(card.rank);
    const double nameWidth = widthIn(painter.font())(name);
    painter.drawText(QRectF(rect.left() + 21, middle - 9, nameWidth + 2, 18), Qt::AlignLeft | Qt::AlignVCenter, name);
    const bool busy = card.computeSeconds > 0 && (card.state == RankState::Running || card.state == RankState::Finished || card.state == RankState::Stopped);
    const QString right = busy ? secondsText(card.computeSeconds, locale()) : stateText(card.state);
    painter.setFont(fontOf(11));
    painter.setPen(failed ? colors().error : card.slow || card.state == RankState::Lost ? colors().warn : colors().secondaryText);
    if (widthIn(painter.font())(right) + nameWidth + 34 <= rect.width())
        painter.drawText(QRectF(rect.left(), middle - 9, rect.width() - 8, 18), Qt::AlignRight | Qt::AlignVCenter, right);

    if (!cell.compute.isEmpty())
        painter.fillRect(cell.compute, card.slow ? colors().warnFill : colors().series[0]);
    paintHatch(painter, cell.wait, colors().phase(Phase::Wait));
    if (!cell.memoryTrack.isEmpty() && card.memoryBytes > 0) {
        painter.fillRect(cell.memoryTrack, colors().window);
        painter.fillRect(cell.memory, colors().strongLine);
        painter.setPen(colors().secondaryText);
        painter.drawText(QRectF(cell.memoryTrack.right() + 4, cell.memoryTrack.center().y() - 8, rect.right() - cell.memoryTrack.right() - 8, 16),
                         Qt::AlignLeft | Qt::AlignVCenter, bytesText(card.memoryBytes, locale()));
    }
    if (card.rank == m_chosen) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(colors().accent, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect.adjusted(1, 1, -1, -1));
    }
}

void RankStripView::paintMap(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing, false);
    const bool spread = m_geometry.quartiles.size() == 5 && m_geometry.quartiles[4] > m_geometry.quartiles[0];
    const double low = spread ? m_geometry.quartiles[0] : 0, high = spread ? m_geometry.quartiles[4] : 1;
    for (std::size_t i = 0; i < m_geometry.map.size(); ++i) {
        const RankCard& card = m_input.cards[i];
        QColor tile = colors().grid;
        if (card.state == RankState::Failed) {
            tile = colors().error;
        } else if (card.state == RankState::Lost) {
            tile = colors().warn;
        } else if (card.computeSeconds > 0) {
            // From the ground towards the series colour: the slower, the stronger.
            const float share = spread ? static_cast<float>((card.computeSeconds - low) / (high - low)) : 0.5F;
            const QColor a = colors().line, b = card.slow ? colors().warnFill : colors().series[0];
            tile = QColor::fromRgbF(a.redF() + (b.redF() - a.redF()) * share, a.greenF() + (b.greenF() - a.greenF()) * share, a.blueF() + (b.blueF() - a.blueF()) * share);
        }
        painter.fillRect(m_geometry.map[i], tile);
        if (card.rank == m_chosen) {
            painter.setPen(QPen(colors().accent, 2));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(m_geometry.map[i].adjusted(-1, -1, 1, 1));
        }
    }
}

void RankStripView::paintChart(QPainter& painter)
{
    for (const RankStripGeometry::Cell& cell : m_geometry.cells)
        paintCell(painter, cell);
    if (m_geometry.mode != RankStripGeometry::Mode::Huge)
        return;
    paintMap(painter);
    painter.setFont(fontOf(11));
    painter.setPen(colors().secondaryText);
    QString text = tr("Above: the slowest and the fastest of %n ranks.", nullptr, static_cast<int>(m_input.cards.size()));
    if (m_geometry.quartiles.size() == 5) {
        text += QLatin1Char(' ') + tr("Compute %1 to %2; half of them %3 to %4, median %5.")
            .arg(secondsText(m_geometry.quartiles[0], locale()), secondsText(m_geometry.quartiles[4], locale()), secondsText(m_geometry.quartiles[1], locale()),
                 secondsText(m_geometry.quartiles[3], locale()), secondsText(m_geometry.quartiles[2], locale()));
    }
    painter.drawText(m_geometry.summary, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextWordWrap, text);
}

void RankStripView::choose(int rank)
{
    setChosen(rank == m_chosen ? -1 : rank);
    emit rankChosen(m_chosen);
}

void RankStripView::mousePressEvent(QMouseEvent* event)
{
    const int index = hitRank(m_geometry, event->position());
    if (event->button() == Qt::LeftButton && state() == State::Ready && index >= 0)
        choose(m_input.cards[static_cast<std::size_t>(index)].rank);
}

void RankStripView::keyPressEvent(QKeyEvent* event)
{
    const auto count = static_cast<int>(m_input.cards.size());
    int at = -1;
    for (int i = 0; i < count; ++i) {
        if (m_input.cards[static_cast<std::size_t>(i)].rank == m_chosen)
            at = i;
    }
    const auto go = [&](int index) {
        if (count == 0)
            return;
        const int rank = m_input.cards[static_cast<std::size_t>(std::clamp(index, 0, count - 1))].rank;
        if (rank != m_chosen)
            choose(rank);
    };
    switch (event->key()) {
    case Qt::Key_Left: case Qt::Key_Up: go(at < 0 ? count - 1 : at - 1); break;
    case Qt::Key_Right: case Qt::Key_Down: go(at + 1); break;
    case Qt::Key_Home: go(0); break;
    case Qt::Key_End: go(count - 1); break;
    case Qt::Key_Escape:
        if (m_chosen >= 0)
            choose(m_chosen);
        else
            event->ignore();   // nothing to clear here: what lies around it closes
        break;
    default: ChartWidget::keyPressEvent(event);
    }
}

}  // namespace stagecraft
