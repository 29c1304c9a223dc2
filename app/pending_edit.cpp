// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pending_edit.h"

#include "app/hardware_choice.h"
#include "app/model_choice.h"
#include "app/number_row.h"
#include "app/subject_panel.h"
#include "widgets/config_editor.h"
#include "widgets/refused_edit.h"

#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>

namespace stagecraft::app {

namespace {

/// Of the panel that is open, if one is.
QString openRefusal(QWidget& window)
{
    for (const SubjectPanel* panel : window.findChildren<SubjectPanel*>())
        if (panel->isVisibleTo(&window))
            return refusedIn(*panel);
    return {};
}

QAbstractItemView* tableAround(const QWidget& field)
{
    for (QWidget* parent = field.parentWidget(); parent && !parent->isWindow(); parent = parent->parentWidget())
        if (auto* table = qobject_cast<QAbstractItemView*>(parent))
            return table;
    return nullptr;
}

}  // namespace

QString refusedIn(const SubjectPanel& panel)
{
    // What waits behind the other tab is no less refused.
    for (const QWidget* tab : {static_cast<const QWidget*>(&panel.model()), static_cast<const QWidget*>(&panel.hardware())})
        for (const NumberRow* row : tab->findChildren<NumberRow*>())
            if (row->isVisibleTo(tab) && !row->complaint().isEmpty())
                return QStringLiteral("%1: %2").arg(row->name(), row->complaint());
    return {};
}

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
    const QPointer<QAbstractItemView> table = tableAround(*field);
    field->clearFocus();
    // The editor of a table goes when it hands over its value, and the table takes the keyboard only from one that still has it.
    if (QWidget* next = field && field->isVisibleTo(&window) ? field.data() : table.data(); next && next->isVisibleTo(&window))
        next->setFocus(Qt::OtherFocusReason);
    const QString why = takeRefusal(window);
    return why.isEmpty() ? openRefusal(window) : why;
}

}  // namespace stagecraft::app
