// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/refused_edit.h"

#include <QVariant>
#include <QWidget>

namespace stagecraft {

namespace {
constexpr const char* kRefusal = "refusedEdit";
}

void refuseEdit(const QWidget& field, const QString& why) { field.window()->setProperty(kRefusal, why); }

QString takeRefusal(QWidget& window)
{
    const QString why = window.property(kRefusal).toString();
    window.setProperty(kRefusal, QVariant());
    return why;
}

}  // namespace stagecraft
