// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/side_panel.h"

#include <QKeyEvent>

namespace stagecraft {

void SidePanel::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else
        QWidget::keyPressEvent(event);
}

}  // namespace stagecraft
