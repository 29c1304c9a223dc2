// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>
#include <QStringList>

namespace stagecraft {

/// A text in lines of at most `width` px: broken between words, or inside one that is wider than a line. What more than `mostLines`
/// would take is elided at the end of the last.
[[nodiscard]] QStringList wordLines(const QString& text, const QFont& font, int width, int mostLines);

}  // namespace stagecraft
