// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cursor_chart.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace stagecraft {

using theme::Token;

CursorChart::CursorChart(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::TabFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CursorChart::paintMark(QPainter& painter, const QRectF& box, double x)
{
    painter.setPen(QPen(theme::color(Token::Text2), 1, Qt::DotLine));
    painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()));
}

void CursorChart::paintPoint(QPainter& painter, const QPointF& at, Token colour)
{
    painter.setPen(QPen(theme::color(colour), 2));
    painter.setBrush(theme::color(Token::Window));
    painter.drawEllipse(at, 3, 3);
}

void CursorChart::paintFocus(QPainter& painter) const
{
    if (!hasFocus())
        return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(theme::color(Token::Accent), 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 3, 3);
}

void CursorChart::setCursorAt(int index)
{
    if (index == m_cursor)
        return;
    m_cursor = index;
    update();
}

void CursorChart::mouseMoveEvent(QMouseEvent* event)
{
    setCursorAt(pointAt(event->position().x()));
}

void CursorChart::leaveEvent(QEvent* event)
{
    QWidget::leaveEvent(event);
    setCursorAt(-1);
}

void CursorChart::focusOutEvent(QFocusEvent* event)
{
    QWidget::focusOutEvent(event);
    setCursorAt(-1);
}

void CursorChart::keyPressEvent(QKeyEvent* event)
{
    const int last = pointCount() - 1, at = m_cursor >= 0 ? m_cursor : startPoint();
    if (event->key() == Qt::Key_Left)
        setCursorAt(std::max(0, at - 1));
    else if (event->key() == Qt::Key_Right)
        setCursorAt(std::min(last, at + 1));
    else if (event->key() == Qt::Key_Home)
        setCursorAt(0);
    else if (event->key() == Qt::Key_End)
        setCursorAt(last);
    else
        QWidget::keyPressEvent(event);
}

}  // namespace stagecraft
