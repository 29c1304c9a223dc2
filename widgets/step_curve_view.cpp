// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_curve_view.h"

#include "widgets/theme.h"

#include <QLocale>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <utility>

namespace stagecraft {

using theme::Role;
using theme::Token;

namespace {

constexpr int kTitle = 18;
constexpr int kFoot = 16;

}  // namespace

StepCurveView::StepCurveView(StepCurve curve, std::int64_t runSteps, QWidget* parent) : CursorChart(parent), m_curve(std::move(curve)), m_runSteps(runSteps)
{
    const auto [least, most] = std::minmax_element(m_curve.values.begin(), m_curve.values.end());
    setAccessibleName(m_curve.what == StepCurve::What::LearningRate ? tr("Learning rate over the steps") : tr("Difficulty over the steps"));
    setAccessibleDescription(tr("From %1 to %2, at most %3, over %4 steps").arg(shown(m_curve.values.front()), shown(m_curve.values.back()), shown(*most), QLocale().toString(static_cast<qlonglong>(m_curve.steps.back()))));
}

QRectF StepCurveView::box() const
{
    return {1.0, kTitle + 4.0, width() - 2.0, height() - kTitle - kFoot - 8.0};
}

QString StepCurveView::shown(double value) const
{
    // Rates as people write them in a ds_config; difficulties are whole numbers.
    return m_curve.what == StepCurve::What::LearningRate ? QString::number(value, 'g', 3) : QLocale().toString(value, 'f', 0);
}

QString StepCurveView::readout() const
{
    if (cursor() < 0)
        return tr("at most %1").arg(shown(*std::max_element(m_curve.values.begin(), m_curve.values.end())));
    return tr("step %1 → %2").arg(QLocale().toString(static_cast<qlonglong>(m_curve.steps[static_cast<std::size_t>(cursor())])), shown(m_curve.values[static_cast<std::size_t>(cursor())]));
}

void StepCurveView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(theme::font(Role::Small));
    painter.setPen(theme::color(Token::Text2));
    painter.drawText(QRect(0, 0, width(), kTitle), Qt::AlignLeft | Qt::AlignVCenter, m_curve.what == StepCurve::What::LearningRate ? tr("learning rate") : tr("difficulty"));
    painter.setPen(theme::color(Token::Text));
    painter.drawText(QRect(0, 0, width(), kTitle), Qt::AlignRight | Qt::AlignVCenter, readout());

    const QRectF area = box();
    const double most = std::max(*std::max_element(m_curve.values.begin(), m_curve.values.end()), 1e-300);
    const auto last = static_cast<double>(std::max<std::int64_t>(1, m_curve.steps.back()));
    const auto pointOf = [&](std::size_t i) { return QPointF(area.left() + area.width() * static_cast<double>(m_curve.steps[i]) / last, area.bottom() - area.height() * m_curve.values[i] / most); };
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
    if (cursor() >= 0) {
        const QPointF at = pointOf(static_cast<std::size_t>(cursor()));
        paintMark(painter, area, at.x());
        paintPoint(painter, at, Token::Series1);
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
