// SPDX-License-Identifier: GPL-3.0-or-later
#include "phases_view.h"

#include "cursor_model.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace stagecraft {

PhasesView::PhasesView(CursorModel* cursor, std::shared_ptr<const PhaseHistory> history, QWidget* parent)
    : ChartWidget(parent), m_cursor(cursor), m_history(std::move(history))
{
    connect(cursor, &CursorModel::cursorChanged, this, [this] { markOverlayDirty(); });
    connect(cursor, &CursorModel::rangeChanged, this, [this] { markDirty(); });
}

QString PhasesView::phaseText(Phase phase)
{
    switch (phase) {
    case Phase::Data: return tr("data");
    case Phase::Forward: return tr("forward");
    case Phase::Backward: return tr("backward");
    case Phase::Communication: return tr("communication");
    case Phase::Optimizer: return tr("optimizer");
    case Phase::Wait: return tr("wait");
    }
    return {};
}

void PhasesView::setRank(int rank, int ranks)
{
    m_rank = rank;
    m_ranks = ranks;
    markDirty();
}

void PhasesView::setPlanned(std::optional<double> seconds, std::optional<PhaseSeconds> phases)
{
    m_input.plannedSeconds = seconds;
    m_input.plannedPhases = phases;
    markDirty();
}

void PhasesView::setPhaseVisible(Phase phase, bool visible)
{
    m_input.visible[static_cast<std::size_t>(phase)] = visible;
    markDirty();
}

void PhasesView::refresh()
{
    const int most = phaseBarsFor(width());
    QString coverage;
    if (!m_cursor || m_cursor->isFitted()) {
        m_input.bars = m_history->newest(m_rank, most);
        coverage = tr("last %n steps", nullptr, static_cast<int>(m_input.bars.size()));
    } else {
        m_input.bars = m_history->bars(m_rank, m_cursor->range().begin, m_cursor->range().end, most);
        if (!m_input.bars.empty()) {
            const auto count = [this](std::int64_t n) { return locale().toString(static_cast<qlonglong>(n)); };
            const std::int64_t each = m_input.bars.front().end - m_input.bars.front().begin;
            coverage = each == 1 ? tr("steps %1 to %2").arg(count(m_input.bars.front().begin), count(m_input.bars.back().end - 1))
                                 : tr("steps %1 to %2, a bar is the mean of %3").arg(count(m_input.bars.front().begin), count(m_input.bars.back().end - 1), count(each));
        }
    }
    m_input.width = width();
    m_input.height = height();
    m_input.locale = locale();
    m_geometry = layOutPhases(m_input, widthIn(fontOf(10)));
    if (coverage != m_coverage) {
        m_coverage = coverage;
        emit coverageChanged();
    }
}

QString PhasesView::barText(const PhaseBar& bar) const
{
    const double all = std::accumulate(bar.seconds.begin(), bar.seconds.end(), 0.0);
    QString text = bar.end - bar.begin == 1 ? tr("step %1: %2").arg(locale().toString(static_cast<qlonglong>(bar.begin)), secondsText(all, locale()))
                                            : tr("steps %1 to %2, mean: %3").arg(locale().toString(static_cast<qlonglong>(bar.begin)),
                                                  locale().toString(static_cast<qlonglong>(bar.end - 1)), secondsText(all, locale()));
    for (int p = kPhaseCount - 1; p >= 0; --p) {   // in the order they are seen, top first
        const double own = bar.seconds[static_cast<std::size_t>(p)];
        const QString share = all > 0 ? locale().toString(own / all * 100, 'f', 1) : QStringLiteral("0");
        text += QLatin1Char('\n') + tr("%1: %2, %3 %").arg(phaseText(static_cast<Phase>(p)), secondsText(own, locale()), share);
    }
    return text;
}

std::vector<ChartPart> PhasesView::parts() const
{
    std::vector<ChartPart> result;
    for (std::size_t i = 0; i < m_geometry.bars.size() && i < m_input.bars.size(); ++i) {
        QRectF all;
        for (const QRectF& rect : m_geometry.bars[i])
            all |= rect;
        const QStringList lines = barText(m_input.bars[i]).split(QLatin1Char('\n'));
        result.push_back({lines.first(), lines.mid(1).join(QStringLiteral("; ")), all});
    }
    return result;
}

QString PhasesView::tipAt(const QPointF& position) const
{
    const int bar = hitBar(m_geometry, position.x());
    if (bar < 0 || position.y() < m_geometry.plot.top() || position.y() > m_geometry.plot.bottom())
        return {};
    QString text = barText(m_input.bars[static_cast<std::size_t>(bar)]);
    if (m_input.plannedSeconds)
        text += QLatin1Char('\n') + tr("planned: %1").arg(secondsText(*m_input.plannedSeconds, locale()));
    return text;
}

void PhasesView::paintChart(QPainter& painter)
{
    const QRectF& plot = m_geometry.plot;
    painter.setFont(fontOf(11));
    painter.setPen(colors().secondaryText);
    const QString unit = m_geometry.secondsPerUnit == 1 ? tr("s per step") : m_geometry.secondsPerUnit == 1e-3 ? tr("ms per step") : tr("µs per step");
    const QString what = m_rank >= 0 ? tr("%1, rank %2").arg(unit).arg(m_rank) : m_ranks > 1 ? tr("%1, mean of %n ranks", nullptr, m_ranks).arg(unit) : unit;
    painter.drawText(QRectF(plot.left(), 1, plot.width(), 15), Qt::AlignLeft | Qt::AlignVCenter, what);
    painter.setFont(fontOf(10));
    for (const auto& [position, text] : m_geometry.yTicks) {
        const double y = std::floor(position) + 0.5;
        painter.setPen(QPen(colors().grid, 1));
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(colors().secondaryText);
        painter.drawText(QRectF(0, y - 7, plot.left() - 6, 14), Qt::AlignRight | Qt::AlignVCenter, text);
    }
    for (const auto& [rect, text] : m_geometry.xTicks)
        painter.drawText(rect, Qt::AlignCenter | Qt::TextDontClip, text);

    painter.setPen(Qt::NoPen);
    for (const auto& bar : m_geometry.bars) {
        for (std::size_t p = 0; p < bar.size(); ++p) {
            if (bar[p].isEmpty())
                continue;
            // Half a pixel of ground between phases, as long as something is left of the block.
            const QRectF block = bar[p].height() > 2 ? bar[p].adjusted(0, 0.5, 0, 0) : bar[p];
            if (static_cast<Phase>(p) == Phase::Wait)
                paintHatch(painter, block, colors().phases[p]);
            else
                painter.fillRect(block, colors().phases[p]);
        }
    }
    for (std::size_t p = 0; p < m_geometry.planned.size(); ++p) {
        if (m_geometry.planned[p].isEmpty())
            continue;
        painter.setPen(QPen(colors().phases[p], 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(m_geometry.planned[p].adjusted(0.5, 0.5, -0.5, -0.5));
    }
    if (m_geometry.plannedY) {
        QPen pen(colors().text, 1);
        pen.setDashPattern({5, 3});
        painter.setPen(pen);
        painter.drawLine(QPointF(plot.left(), *m_geometry.plannedY), QPointF(plot.right(), *m_geometry.plannedY));
        const QString label = tr("planned %1").arg(secondsText(*m_input.plannedSeconds, locale()));
        painter.setFont(fontOf(11));
        const double above = *m_geometry.plannedY - 18;
        const QRectF box(plot.left() + 4, above >= plot.top() - 4 ? above : *m_geometry.plannedY + 3, widthIn(painter.font())(label) + 6, 15);
        QColor ground = colors().base;
        ground.setAlphaF(0.78F);
        painter.fillRect(box, ground);
        painter.drawText(box, Qt::AlignCenter, label);
    }
}

int PhasesView::barAtCursor() const
{
    if (!m_cursor || !m_cursor->cursor())
        return -1;
    const auto step = static_cast<std::int64_t>(*m_cursor->cursor());
    for (std::size_t i = 0; i < m_input.bars.size(); ++i) {
        if (step >= m_input.bars[i].begin && step < m_input.bars[i].end)
            return static_cast<int>(i);
    }
    return -1;
}

void PhasesView::paintOverlay(QPainter& painter)
{
    const int bar = barAtCursor();
    if (bar < 0 || bar >= static_cast<int>(m_geometry.bars.size()))
        return;
    QRectF all;
    for (const QRectF& rect : m_geometry.bars[static_cast<std::size_t>(bar)])
        all |= rect;
    painter.setPen(QPen(colors().text, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(all.left() - 0.5, m_geometry.plot.top() + 0.5, all.width() + 1, m_geometry.plot.height() - 1));
}

void PhasesView::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_cursor || state() != State::Ready)
        return;
    const int bar = hitBar(m_geometry, event->position().x());
    m_cursor->setCursor(bar < 0 ? std::nullopt : std::optional(static_cast<double>(m_input.bars[static_cast<std::size_t>(bar)].begin)));
}

void PhasesView::mousePressEvent(QMouseEvent* event)
{
    const int bar = hitBar(m_geometry, event->position().x());
    if (event->button() == Qt::LeftButton && state() == State::Ready && bar >= 0)
        emit stepChosen(m_input.bars[static_cast<std::size_t>(bar)].begin);
}

void PhasesView::mouseDoubleClickEvent(QMouseEvent*)
{
    if (m_cursor)
        m_cursor->fit();
}

void PhasesView::wheelEvent(QWheelEvent* event)
{
    const double notches = event->angleDelta().y() / 120.0;
    const int bar = hitBar(m_geometry, event->position().x());
    if (!m_cursor || notches == 0 || bar < 0)
        return;
    m_cursor->zoom(std::pow(0.8, notches), static_cast<double>(m_input.bars[static_cast<std::size_t>(bar)].begin));
    event->accept();
}

void PhasesView::leaveEvent(QEvent* event)
{
    if (m_cursor)
        m_cursor->setCursor(std::nullopt);
    ChartWidget::leaveEvent(event);
}

void PhasesView::keyPressEvent(QKeyEvent* event)
{
    if (!m_cursor || m_input.bars.empty()) {
        ChartWidget::keyPressEvent(event);
        return;
    }
    const int last = static_cast<int>(m_input.bars.size()) - 1;
    const int at = barAtCursor();
    const auto moveTo = [&](int bar) { m_cursor->setCursor(static_cast<double>(m_input.bars[static_cast<std::size_t>(std::clamp(bar, 0, last))].begin)); };
    switch (event->key()) {
    case Qt::Key_Left: moveTo(at < 0 ? last : at - 1); break;
    case Qt::Key_Right: moveTo(at < 0 ? last : at + 1); break;
    case Qt::Key_Home: moveTo(0); break;
    case Qt::Key_End: moveTo(last); break;
    case Qt::Key_Escape:
        if (m_cursor->cursor())
            m_cursor->setCursor(std::nullopt);
        else
            event->ignore();   // nothing to clear here: what lies around it closes
        break;
    case Qt::Key_Return: case Qt::Key_Enter:
        if (at >= 0)
            emit stepChosen(m_input.bars[static_cast<std::size_t>(at)].begin);
        break;
    default: ChartWidget::keyPressEvent(event);
    }
}

}  // namespace stagecraft
