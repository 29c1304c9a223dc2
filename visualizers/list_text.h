// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

namespace stagecraft {

/// Words of one kind, one after another, with the comma that the language of the window puts between them.
[[nodiscard]] QString listText(const QStringList& words);
/// The same of statements: "stopped, 8 of 10 steps".
[[nodiscard]] QString clauseText(const QStringList& clauses);

/// Whole sentences, one after another: with a space between them where the language of the window has one.
[[nodiscard]] QString sentencesText(const QStringList& sentences);

}  // namespace stagecraft
