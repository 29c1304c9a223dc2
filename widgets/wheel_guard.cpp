// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/wheel_guard.h"

#include <QEvent>
#include <QWidget>

namespace stagecraft {

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
            return false;
        event->ignore();   // it goes on to the parents
        return true;
    }
};

}  // namespace

void turnByWheelOnlyWithFocus(QWidget* input)
{
    // A wheel that also gave the focus would make the second notch turn it.
    if (input->focusPolicy() == Qt::WheelFocus)
        input->setFocusPolicy(Qt::StrongFocus);
    input->installEventFilter(new WheelGuard(input));
}

}  // namespace stagecraft
