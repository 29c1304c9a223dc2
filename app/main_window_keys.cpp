// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that nothing in the window has taken.
#include "app/main_window.h"

#include "app/actions.h"
#include "app/inspector_drawer.h"
#include "app/panel_tour.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QPushButton>
#include <QToolButton>

namespace stagecraft::app {

void MainWindow::keyPressEvent(QKeyEvent* event)
{
    // Escape closes the topmost thing of the window; Enter presses the button that has the keyboard, as it does in a dialog.
    auto* focus = QApplication::focusWidget();
    const bool enter = (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && !event->isAutoRepeat() && (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (event->key() == Qt::Key_Escape && m_drawer->isOpen())
        m_drawer->setOpen(false);
    else if (event->key() == Qt::Key_Escape && m_tour->putBack())
        m_actions->fillPanel->setChecked(false);
    else if (enter && isAncestorOf(focus) && (qobject_cast<QPushButton*>(focus) || qobject_cast<QToolButton*>(focus)))
        qobject_cast<QAbstractButton*>(focus)->click();
    else
        QMainWindow::keyPressEvent(event);
}

}  // namespace stagecraft::app
