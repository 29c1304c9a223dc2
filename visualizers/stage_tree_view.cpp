// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_tree_view.h"

#include "line_text.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace stagecraft {

namespace {

void drawMark(QPainter& painter, const TreeStep& step, const QPointF& centre, double radius, const QColor& color, const QColor& ground, int number)
{
    const TreeStep::Mark mark = step.mark;
    painter.setPen(QPen(color, mark == TreeStep::Mark::Open || mark == TreeStep::Mark::Unknown ? 1.2 : 2));
    painter.setBrush(ground);
    painter.drawEllipse(centre, radius, radius);
    const double r = radius * 0.38;
    // What is chosen and does not fit has no tick: shape tells it as well as colour.
    const bool ends = mark == TreeStep::Mark::Chosen || step.isAnswer;
    if (ends && step.tone == TreeStep::Tone::Doubtful) {
        painter.drawText(QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius), Qt::AlignCenter, QStringLiteral("?"));
        return;
    }
    const bool cross = mark == TreeStep::Mark::Rejected || (mark == TreeStep::Mark::Chosen && step.tone == TreeStep::Tone::Bad);
    switch (cross ? TreeStep::Mark::Rejected : ends ? TreeStep::Mark::Chosen : mark) {
    case TreeStep::Mark::Rejected:
        painter.drawLine(centre + QPointF(-r, -r), centre + QPointF(r, r));
        painter.drawLine(centre + QPointF(-r, r), centre + QPointF(r, -r));
        break;
    case TreeStep::Mark::Chosen:
        painter.drawPolyline(QPolygonF({centre + QPointF(-r * 1.2, 0), centre + QPointF(-r * 0.2, r), centre + QPointF(r * 1.3, -r)}));
        break;
    case TreeStep::Mark::Open:
    case TreeStep::Mark::Unknown:
        painter.drawText(QRectF(centre.x() - radius, centre.y() - radius, 2 * radius, 2 * radius), Qt::AlignCenter, QString::number(number));
        break;
    }
}

}  // namespace

StageTreeView::StageTreeView(QWidget* parent) : ChartWidget(parent) { setFocusPolicy(Qt::StrongFocus); }

void StageTreeView::setSteps(std::vector<TreeStep> steps)
{
    m_steps = std::move(steps);
    m_current = std::min(m_current, static_cast<int>(m_steps.size()) - 1);
    setState(m_steps.empty() ? State::Empty : State::Ready, stateSentence());
    markDirty();
    frameTick();   // steps come with an edit, not with every record: there is no timer to wait for
}

void StageTreeView::refresh() { m_geometry = layoutStageTree(m_steps, QSizeF(width(), height()), widthIn(fontOf(12)), widthIn(fontOf(12, true)), widthIn(fontOf(11))); }

void StageTreeView::paintChart(QPainter& painter)
{
    const ChartColors& c = colors();
    painter.fillRect(rect(), c.base);
    painter.setRenderHint(QPainter::Antialiasing);
    const auto colorOf = [&c](TreeStep::Mark mark) {
        switch (mark) {
        case TreeStep::Mark::Rejected: return c.error;
        default: return c.secondaryText;
        }
    };
    const auto chosenColor = [&c](TreeStep::Tone tone) { return tone == TreeStep::Tone::Good ? c.ok : tone == TreeStep::Tone::Doubtful ? c.warn : c.error; };
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPixelSize(11);
    for (std::size_t i = 0; i < m_geometry.steps.size(); ++i) {
        const auto& at = m_geometry.steps[i];
        const TreeStep& step = m_steps[i];
        const bool chosen = step.mark == TreeStep::Mark::Chosen;
        // The walk is lit down to its answer; what the file has is filled, wherever it stands.
        const bool lit = chosen || step.isAnswer;
        const QColor tone = chosen ? chosenColor(step.tone) : step.isAnswer ? c.accent : colorOf(step.mark);
        const bool decided = step.mark == TreeStep::Mark::Rejected || lit;
        if (i + 1 < m_geometry.steps.size()) {
            painter.setPen(QPen(step.passed ? c.accent : c.secondaryText, step.passed ? 2 : 1, step.passed ? Qt::SolidLine : Qt::DotLine));
            painter.drawLine(at.node + QPointF(0, m_geometry.radius), m_geometry.steps[i + 1].node - QPointF(0, m_geometry.radius));
        }
        painter.setPen(QPen(lit ? tone : c.line, lit ? 2 : 1, decided ? Qt::SolidLine : Qt::DashLine));
        painter.drawLine(at.branchFrom, at.branchTo);
        painter.setFont(fontOf(10));
        drawMark(painter, step, at.node, m_geometry.radius, tone, c.base, static_cast<int>(i) + 1);

        painter.setFont(fontOf(12));
        painter.setPen(decided ? c.text : c.secondaryText);
        drawLineOfText(painter, at.question, Qt::AlignLeft, step.question);
        painter.setFont(fixed);
        painter.setPen(c.secondaryText);
        drawLineOfText(painter, at.numbers, Qt::AlignLeft, step.numbers);
        painter.setFont(fontOf(11));
        painter.setPen(tone);
        drawLineOfText(painter, at.answer, Qt::AlignLeft, step.answer);

        painter.setBrush(chosen ? c.selection : c.alternateBase);
        painter.setPen(QPen(lit ? tone : c.line, lit ? 2 : 1));
        painter.drawRoundedRect(at.box, 3, 3);
        painter.setFont(fontOf(12, chosen));
        painter.setPen(lit ? c.text : c.secondaryText);
        drawLineOfText(painter, at.title, Qt::AlignLeft, step.title);
        painter.setFont(fontOf(11));
        painter.setPen(tone);
        drawLineOfText(painter, at.state, Qt::AlignRight, step.state);
        painter.setPen(chosen ? c.text : c.secondaryText);
        drawLineOfText(painter, at.detail, Qt::AlignLeft, step.detail);
    }
}

void StageTreeView::paintOverlay(QPainter& painter)
{
    if (!hasFocus() || m_current < 0 || m_current >= static_cast<int>(m_geometry.steps.size())) return;
    painter.setPen(QPen(colors().accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(m_geometry.steps[static_cast<std::size_t>(m_current)].box.adjusted(-3, -3, 3, 3), 4, 4);
}

void StageTreeView::mouseReleaseEvent(QMouseEvent* event)
{
    if (state() != State::Ready) return;   // the boxes laid out last are of other steps
    ensureLaidOut(devicePixelRatioF());
    const int step = stepAt(m_geometry, event->position());
    if (step < 0) return;
    m_current = step;
    markOverlayDirty();
    emit stepFocused(step);
    if (m_geometry.steps[static_cast<std::size_t>(step)].box.contains(event->position())) emit stepChosen(step);
}

void StageTreeView::keyPressEvent(QKeyEvent* event)
{
    const int last = static_cast<int>(m_steps.size()) - 1;
    if (state() != State::Ready || last < 0) return ChartWidget::keyPressEvent(event);
    switch (event->key()) {
    case Qt::Key_Down: m_current = std::min(m_current + 1, last); break;
    case Qt::Key_Up: m_current = std::max(m_current - 1, 0); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_current >= 0) emit stepChosen(m_current);
        return;
    default: return ChartWidget::keyPressEvent(event);
    }
    markOverlayDirty();
    if (m_current >= 0) emit stepFocused(m_current);
}

std::vector<ChartPart> StageTreeView::parts() const
{
    std::vector<ChartPart> parts;
    for (std::size_t i = 0; i < m_steps.size(); ++i) {
        const TreeStep& step = m_steps[i];
        parts.push_back({step.title + QStringLiteral(", ") + step.state, step.question + QLatin1Char(' ') + step.numbers + QLatin1Char(' ') + step.answer + QLatin1Char(' ') + step.detail,
                         i < m_geometry.steps.size() ? m_geometry.steps[i].box : QRectF()});
    }
    return parts;
}

QString StageTreeView::tipAt(const QPointF& position) const
{
    const int step = stepAt(m_geometry, position);
    if (step < 0) return {};
    const TreeStep& at = m_steps[static_cast<std::size_t>(step)];
    QStringList lines{at.title, at.numbers, at.answer, at.detail};
    lines.removeAll(QString());
    return lines.join(QLatin1Char('\n'));
}

}  // namespace stagecraft
