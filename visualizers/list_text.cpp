// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/list_text.h"

#include <QCoreApplication>

namespace stagecraft {

QString listText(const QStringList& words) { return words.join(QCoreApplication::translate("stagecraft::ListText", ", ", "between words of a list")); }

QString clauseText(const QStringList& clauses) { return clauses.join(QCoreApplication::translate("stagecraft::ListText", ", ", "between statements")); }

}  // namespace stagecraft
