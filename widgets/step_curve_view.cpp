// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_curve_view.h"

#include "widgets/config_value.h"
#include "widgets/theme.h"

#include <QHelpEvent>
#include <QLocale>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <utility>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kTitle = 18;
constexpr int kLegend = 16;   // one line of it
constexpr int kSwatch = 18;
constexpr int kFoot = 16;

/// Of what a run recorded: where it lies on the plan, both colours are seen.
QPen recordedPen()
{
    QPen pen(theme::color(Token::Series2), 2);
    pen.setCapStyle(Qt::FlatCap);
    pen.setDashPattern({2.5, 2.5});
    return pen;
}

}  // namespace

StepCurveView::StepCurveView(StepCurve curve, std::int64_t runSteps, QWidget* parent) : CursorChart(parent), m_curve(std::move(curve)), m_runSteps(runSteps)
{
    describe();
}

void StepCurveView::describe()
{
    const auto [least, most] = std::minmax_element(m_curve.values.begin(), m_curve.values.end());
    setAccessibleName(m_curve.what == StepCurve::What::LearningRate ? tr("Learning rate over the steps") : tr("Difficulty over the steps"));
    QString words = tr("From %1 to %2, at most %3, over %4 steps").arg(shown(m_curve.values.front()), shown(m_curve.values.back()), shown(*most), QLocale().toString(static_cast<qlonglong>(m_curve.steps.back())));
    if (!m_recorded.empty())
        words = tr("%1; recorded by %2: %3").arg(words, m_recorded.name, recordedWords());
    setAccessibleDescription(words);
    // Two ways of counting, of which both are right: the reader is told, not left to wonder about one step.
    setToolTip(m_recorded.empty() ? QString() : tr("A schedule counts its steps from 0, a run from 1: the first step that %1 records is step 0 here.").arg(m_recorded.name));
}

void StepCurveView::setCurve(StepCurve curve, RecordedCurve recorded)
{
    const std::int64_t at = cursor() < 0 ? -1 : m_curve.steps[static_cast<std::size_t>(cursor())];
    const int height = legendHeight();
    m_curve = std::move(curve);
    m_recorded = std::move(recorded);
    m_run = m_recorded.valuesAt(m_curve.steps);
    if (at >= 0) {
        const auto next = std::lower_bound(m_curve.steps.begin(), m_curve.steps.end(), at);
        setCursorAt(static_cast<int>(std::min<std::ptrdiff_t>(next - m_curve.steps.begin(), pointCount() - 1)));
    }
    describe();
    if (height != legendHeight())
        updateGeometry();
    update();
}

int StepCurveView::legendHeight() const
{
    return m_recorded.empty() ? 0 : 2 * kLegend;
}

QSize StepCurveView::sizeHint() const
{
    return {280, 122 + legendHeight()};
}

QRectF StepCurveView::box() const
{
    const double top = kTitle + legendHeight() + 4.0;
    return {1.0, top, width() - 2.0, height() - top - kFoot - 4.0};
}

QString StepCurveView::shown(double value) const
{
    // Rates as people write them in a ds_config; difficulties are whole numbers.
    return m_curve.what == StepCurve::What::LearningRate ? numberText(value, 3) : QLocale().toString(value, 'f', 0);
}

QString StepCurveView::stepWords() const
{
    return cursor() < 0 ? QString() : tr("step %1").arg(QLocale().toString(static_cast<qlonglong>(m_curve.steps[static_cast<std::size_t>(cursor())])));
}

QString StepCurveView::plannedWords() const
{
    return cursor() < 0 ? tr("at most %1").arg(shown(*std::max_element(m_curve.values.begin(), m_curve.values.end()))) : shown(m_curve.values[static_cast<std::size_t>(cursor())]);
}

QString StepCurveView::recordedWords() const
{
    if (cursor() >= 0)
        return std::isfinite(m_run[static_cast<std::size_t>(cursor())]) ? shown(m_run[static_cast<std::size_t>(cursor())]) : QStringLiteral("–");
    // Without a cursor, where it has come to.
    const auto newest = std::find_if(m_run.rbegin(), m_run.rend(), [](double value) { return std::isfinite(value); });
    if (newest == m_run.rend())
        return QStringLiteral("–");
    return tr("step %1 → %2").arg(QLocale().toString(static_cast<qlonglong>(m_curve.steps[static_cast<std::size_t>(m_run.rend() - newest - 1)])), shown(*newest));
}

QString StepCurveView::readout() const
{
    const QString planned = cursor() < 0 ? plannedWords() : tr("step %1 → %2").arg(QLocale().toString(static_cast<qlonglong>(m_curve.steps[static_cast<std::size_t>(cursor())])), plannedWords());
    return m_recorded.empty() ? planned : tr("%1; %2: %3").arg(planned, m_recorded.name, recordedWords());
}

bool StepCurveView::event(QEvent* event)
{
    // Over the curve the pointer reads values; a tip would lie on them.
    if (event->type() == QEvent::ToolTip && static_cast<QHelpEvent*>(event)->pos().y() >= box().top()) {
        event->ignore();
        return true;
    }
    return CursorChart::event(event);
}

void StepCurveView::paintLegend(QPainter& painter) const
{
    struct Entry {
        QString name, value;
        QPen line;
    };
    int top = kTitle;
    for (const Entry& entry : {Entry{tr("planned"), plannedWords(), QPen(theme::color(Token::Series1), 2)}, Entry{m_recorded.name, recordedWords(), recordedPen()}}) {
        const QRect row(0, top, width(), kLegend);
        painter.setPen(entry.line);
        painter.drawLine(QPointF(0, row.center().y() + 0.5), QPointF(kSwatch, row.center().y() + 0.5));
        const int wide = painter.fontMetrics().horizontalAdvance(entry.value);
        painter.setPen(theme::color(Token::Text));
        painter.drawText(row, Qt::AlignRight | Qt::AlignVCenter, entry.value);
        painter.setPen(theme::color(Token::Text2));
        const QRect room = row.adjusted(kSwatch + 6, 0, -wide - 8, 0);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, painter.fontMetrics().elidedText(entry.name, Qt::ElideMiddle, room.width()));
        top += kLegend;
    }
}

void StepCurveView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme::font(Role::Small));
    painter.setPen(theme::color(Token::Text2));
    painter.drawText(QRect(0, 0, width(), kTitle), Qt::AlignLeft | Qt::AlignVCenter, m_curve.what == StepCurve::What::LearningRate ? tr("learning rate") : tr("difficulty"));
    painter.setPen(theme::color(Token::Text));
    painter.drawText(QRect(0, 0, width(), kTitle), Qt::AlignRight | Qt::AlignVCenter, m_recorded.empty() ? readout() : stepWords());
    if (!m_recorded.empty())
        paintLegend(painter);

    const QRectF area = box();
    double most = std::max(*std::max_element(m_curve.values.begin(), m_curve.values.end()), 1e-300);
    for (const double value : m_run)
        most = value > most ? value : most;   // never by a NaN
    const auto last = static_cast<double>(std::max<std::int64_t>(1, m_curve.steps.back()));
    const auto placeOf = [&](std::size_t i, double value) { return QPointF(area.left() + area.width() * static_cast<double>(m_curve.steps[i]) / last, area.bottom() - area.height() * value / most); };
    const auto pointOf = [&](std::size_t i) { return placeOf(i, m_curve.values[i]); };
    painter.setPen(QPen(theme::color(Token::Grid), 1));
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    if (m_runSteps > 0 && static_cast<double>(m_runSteps) < last) {
        const double x = area.left() + area.width() * static_cast<double>(m_runSteps) / last;
        paintMark(painter, area, x);
        painter.setFont(theme::font(Role::Tick));
        const QString words = tr("run ends");
        const int wide = painter.fontMetrics().horizontalAdvance(words);
        painter.drawText(QPointF(x + 4 + wide < area.right() ? x + 4 : x - 4 - wide, area.bottom() - 4), words);
    }
    QPainterPath path(pointOf(0));
    for (std::size_t i = 1; i < m_curve.steps.size(); ++i) {
        // A level holds until the next begins.
        if (m_curve.what == StepCurve::What::Difficulty)
            path.lineTo(pointOf(i).x(), pointOf(i - 1).y());
        path.lineTo(pointOf(i));
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme::color(Token::Series1), 2));
    painter.drawPath(path);
    QPolygonF recorded;
    for (std::size_t i = 0; i < m_run.size(); ++i)
        if (std::isfinite(m_run[i]))
            recorded << placeOf(i, m_run[i]);
    if (!recorded.isEmpty()) {
        painter.setPen(recordedPen());
        painter.drawPolyline(recorded);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme::color(Token::Series2));
        painter.drawEllipse(recorded.last(), 3, 3);
    }
    if (cursor() >= 0) {
        const auto i = static_cast<std::size_t>(cursor());
        paintMark(painter, area, pointOf(i).x());
        paintPoint(painter, pointOf(i), Token::Series1);
        if (i < m_run.size() && std::isfinite(m_run[i]))
            paintPoint(painter, placeOf(i, m_run[i]), Token::Series2);
    }
    painter.setFont(theme::font(Role::Tick));
    painter.setPen(theme::color(Token::Text2));
    const QRect foot(0, height() - kFoot, width(), kFoot);
    painter.drawText(foot, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("0"));
    painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, tr("step %1").arg(QLocale().toString(static_cast<qlonglong>(m_curve.steps.back()))));
    paintFocus(painter);
}

int StepCurveView::pointAt(double x) const
{
    const double share = std::clamp((x - box().left()) / std::max(1.0, box().width()), 0.0, 1.0);
    const auto wanted = static_cast<std::int64_t>(share * static_cast<double>(m_curve.steps.back()));
    const auto at = std::lower_bound(m_curve.steps.begin(), m_curve.steps.end(), wanted);
    return static_cast<int>(std::min<std::ptrdiff_t>(at - m_curve.steps.begin(), static_cast<std::ptrdiff_t>(m_curve.steps.size()) - 1));
}

}  // namespace stagecraft
