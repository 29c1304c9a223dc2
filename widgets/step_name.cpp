// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/step_name.h"

#include <QHash>
#include <QUndoStack>

namespace stagecraft {

namespace {

/// How each name was made, by its text. Two steps of one name were made alike.
QHash<QString, std::function<QString()>>& makers()
{
    static QHash<QString, std::function<QString()>> all;
    return all;
}

constexpr qsizetype kMostNames = 10'000;   // a drag makes one for each position; a forgotten one just keeps its language

}  // namespace

QString stepName(const std::function<QString()>& words)
{
    const QString name = words();
    if (makers().size() >= kMostNames)
        makers().clear();
    makers().insert(name, words);
    return name;
}

void renameSteps(QUndoStack& stack)
{
    for (int i = 0; i < stack.count(); ++i) {
        // The stack shows its commands for reading; a name is the one thing about them that no other command depends on.
        auto* step = const_cast<QUndoCommand*>(stack.command(i));
        if (const auto maker = makers().constFind(step->text()); maker != makers().constEnd()) {
            const std::function<QString()> words = *maker;
            step->setText(stepName(words));
        }
    }
}

}  // namespace stagecraft
