// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QStringList>

namespace stagecraft {

/// A text in lines of at most `width` px: broken between words (in Chinese at a mark or before an "and" that is near), or inside
/// one that is wider than a line. What more than `mostLines`
/// would take is elided at the end of the last.
[[nodiscard]] QStringList wordLines(const QString& text, const QFont& font, int width, int mostLines);

/// The height of such lines in px; characters of another script may make a line higher than the font is.
[[nodiscard]] int linesHeight(const QStringList& lines, const QFont& font);

}  // namespace stagecraft
