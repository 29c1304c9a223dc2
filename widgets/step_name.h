// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <functional>

class QUndoStack;

namespace stagecraft {

/// The name of an undo step in the language of the window, which it follows: renameSteps() says it anew.
///
/// A name is plain text wherever it goes; how it was made is kept beside it, and only on the GUI thread.
/// @param words  makes the name; called again after a change of language, so it captures by value
[[nodiscard]] QString stepName(const std::function<QString()>& words);

/// Gives the steps of a stack their names in the language of now. Names that stepName() did not make stay as they are.
void renameSteps(QUndoStack& stack);

}  // namespace stagecraft
