// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/focus_ring.h"

#include "widgets/theme.h"

#include <QAbstractScrollArea>
#include <QEvent>
#include <QPainter>

namespace stagecraft {

FocusRing::FocusRing(QAbstractScrollArea& around) : QWidget(&around), m_around(around)
{
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
    around.installEventFilter(this);
    around.viewport()->installEventFilter(this);   // which gives way to scroll bars
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
    const bool focus = watched == &m_around && (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut);
    if (focus || event->type() == QEvent::Resize || event->type() == QEvent::Move) {
        setGeometry(m_around.viewport()->geometry());
        setVisible(focus ? event->type() == QEvent::FocusIn : m_around.hasFocus());
        raise();
    }
    return QWidget::eventFilter(watched, event);
}

void FocusRing::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(QPen(theme::color(theme::Token::Accent), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace stagecraft
