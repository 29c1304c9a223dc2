// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/list_text.h"

#include <QCoreApplication>

namespace stagecraft {

QString listText(const QStringList& words) { return words.join(QCoreApplication::translate("stagecraft::ListText", ", ", "between words of a list")); }

QString clauseText(const QStringList& clauses) { return clauses.join(QCoreApplication::translate("stagecraft::ListText", ", ", "between statements")); }

QString sentencesText(const QStringList& sentences)
{
    const QString both = QCoreApplication::translate("stagecraft::ListText", "%1 %2", "two sentences, one after the other");
    QString text;
    for (const QString& sentence : sentences)
        if (!sentence.isEmpty()) text = text.isEmpty() ? sentence : both.arg(text, sentence);
    return text;
}

}  // namespace stagecraft
