// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pending_edit.h"

#include "app/number_row.h"
#include "widgets/config_editor.h"
#include "widgets/refused_edit.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>

namespace stagecraft::app {

namespace {

/// What a number that is refused says below its field, where it waits to be mended.
QString openRefusal(QWidget& window)
{
    for (const NumberRow* row : window.findChildren<NumberRow*>())
        if (row->isVisibleTo(&window) && !row->complaint().isEmpty())
            return QStringLiteral("%1: %2").arg(row->name(), row->complaint());
    return {};
}

}  // namespace

QString takePendingEdit(QWidget& window)
{
    const QPointer<QWidget> field = window.focusWidget();
    if (!field)
        return openRefusal(window);
    if (auto* editor = qobject_cast<ConfigEditor*>(field)) {
        editor->flush();
        return openRefusal(window);
    }
    const auto* line = qobject_cast<QLineEdit*>(field);
    const auto* choice = qobject_cast<QComboBox*>(field);
    if (!(line && line->isModified()) && !qobject_cast<QAbstractSpinBox*>(field) && !(choice && choice->isEditable()))
        return openRefusal(window);
    (void)takeRefusal(window);
    // Fields and the editors of tables alike hand over what they hold when they lose the keyboard.
    field->clearFocus();
    if (field && field->isVisibleTo(&window))
        field->setFocus(Qt::OtherFocusReason);
    const QString why = takeRefusal(window);
    return why.isEmpty() ? openRefusal(window) : why;
}

}  // namespace stagecraft::app
