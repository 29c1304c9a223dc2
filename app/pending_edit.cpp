// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pending_edit.h"

#include "widgets/config_editor.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>

namespace stagecraft::app {

void takePendingEdit(QWidget& window)
{
    const QPointer<QWidget> field = window.focusWidget();
    if (!field)
        return;
    if (auto* editor = qobject_cast<ConfigEditor*>(field)) {
        editor->flush();
        return;
    }
    const auto* line = qobject_cast<QLineEdit*>(field);
    const auto* choice = qobject_cast<QComboBox*>(field);
    if (!(line && line->isModified()) && !qobject_cast<QAbstractSpinBox*>(field) && !(choice && choice->isEditable()))
        return;
    // Fields and the editors of tables alike hand over what they hold when they lose the keyboard.
    field->clearFocus();
    if (field && field->isVisibleTo(&window))
        field->setFocus(Qt::OtherFocusReason);
}

}  // namespace stagecraft::app
