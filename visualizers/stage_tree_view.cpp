// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_tree_view.h"

#include "line_text.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <tuple>

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

bool sameButForBox(const TreeStep& a, const TreeStep& b)
{
    const auto beside = [](const TreeStep& s) { return std::tie(s.question, s.numbers, s.shortNumbers, s.answer, s.mark, s.tone, s.passed, s.isAnswer); };
    return beside(a) == beside(b);
}

bool sameInBox(const TreeStep& a, const TreeStep& b)
{
    return std::tie(a.title, a.state, a.detail) == std::tie(b.title, b.state, b.detail);
}

/// Inside the box what a step has to say moves what stands there; the box itself stands where it did.
bool sameOutside(const StageTreeGeometry::Step& a, const StageTreeGeometry::Step& b)
{
    const auto all = [](const StageTreeGeometry::Step& s) { return std::tie(s.band, s.node, s.question, s.numbers, s.answer, s.box, s.branchFrom, s.branchTo); };
    return all(a) == all(b);
}

bool sameInside(const StageTreeGeometry::Step& a, const StageTreeGeometry::Step& b)
{
    return std::tie(a.title, a.state, a.detail) == std::tie(b.title, b.state, b.detail);
}

constexpr double kOver = 3;   ///< px that a row's circle and pens reach over its band

// Rows that changed beside their box are painted whole, neighbours at once; of the others the box alone.
std::vector<QRectF> changedAreas(const std::vector<TreeStep>& steps, const StageTreeGeometry& now, const std::vector<TreeStep>& before, const StageTreeGeometry& then)
{
    std::vector<QRectF> areas;
    std::size_t wholeTo = 0;   // rows [.., wholeTo) end the last area
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const StageTreeGeometry::Step &at = now.steps[i], &was = then.steps[i];
        if (!sameButForBox(steps[i], before[i]) || !sameOutside(at, was)) {
            const QRectF row = at.band.united(was.band).adjusted(0, -kOver, 0, kOver);
            if (i > 0 && wholeTo == i)
                areas.back() = areas.back().united(row);
            else
                areas.push_back(row);
            wholeTo = i + 1;
        } else if (!sameInBox(steps[i], before[i]) || !sameInside(at, was)) {
            areas.push_back(at.box.adjusted(-kOver, -kOver, kOver, kOver));
        }
    }
    return areas;
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
    const qreal scale = painter.device()->devicePixelRatioF();
    const QSize pixels(painter.device()->width(), painter.device()->height());
    Painted& p = m_painted;
    const bool kept = p.picture.size() == pixels && p.picture.devicePixelRatioF() == scale && p.colors == colors() && p.font == font() && p.steps.size() == m_steps.size();
    if (p.picture.size() != pixels)
        p.picture = QPixmap(pixels);
    p.picture.setDevicePixelRatio(scale);
    QPainter onto(&p.picture);
    onto.setFont(painter.font());
    if (!kept) {
        paintSteps(onto, rect());
    } else {
        for (const QRectF& area : changedAreas(m_steps, m_geometry, p.steps, p.geometry))
            paintSteps(onto, area);
    }
    onto.end();
    p.steps = m_steps;
    p.geometry = m_geometry;
    p.colors = colors();
    p.font = font();
    painter.drawPixmap(0, 0, p.picture);
}

void StageTreeView::paintSteps(QPainter& painter, const QRectF& clip) const
{
    const ChartColors& c = colors();
    const QRect area = clip.toAlignedRect();
    const auto touches = [&area](const QRectF& part) { return part.adjusted(-kOver, -kOver, kOver, kOver).intersects(area); };
    painter.setClipRect(area);
    painter.fillRect(area, c.base);
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
        if (!at.band.adjusted(0, -kOver, 0, kOver).intersects(area))
            continue;
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
        if (touches(QRectF(at.node, at.node).adjusted(-m_geometry.radius, -m_geometry.radius, m_geometry.radius, m_geometry.radius))) {
            painter.setFont(fontOf(10));
            drawMark(painter, step, at.node, m_geometry.radius, tone, c.base, static_cast<int>(i) + 1);
        }
        if (touches(at.question.united(at.answer))) {
            painter.setFont(fontOf(12));
            painter.setPen(decided ? c.text : c.secondaryText);
            drawLineOfText(painter, at.question, Qt::AlignLeft, step.question);
            painter.setFont(fixed);
            painter.setPen(c.secondaryText);
            const bool whole = step.shortNumbers.isEmpty() || widthIn(fixed)(step.numbers) <= at.numbers.width();
            drawLineOfText(painter, at.numbers, Qt::AlignLeft, whole ? step.numbers : step.shortNumbers);
            painter.setFont(fontOf(11));
            painter.setPen(tone);
            drawLineOfText(painter, at.answer, Qt::AlignLeft, step.answer);
        }
        if (!touches(at.box))
            continue;
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
