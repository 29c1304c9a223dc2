// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QFontMetrics;

namespace stagecraft {

/// How a dotted key is written in a row: what it is a part of across the row, and below that its own lines beside the control.
struct KeyLines {
    QStringList section;   ///< across the row, with the dot at its end; none where the key's lines say all
    QStringList key;
    bool small = false;    ///< the key's own lines are in the smaller font
    [[nodiscard]] qsizetype size() const { return section.size() + key.size(); }
    [[nodiscard]] QString joined() const { return section.join(QString()) + key.join(QString()); }
};

/// A dotted key in one line of `width` pixels where it fits in `whole`, else in two of `half` that part behind a dot or, where no dot
/// serves, behind an underscore. What needs more gets its section across the row and up to four lines for its last name. Words break
/// only where one alone is wider than its line, and only of what is longer still the middle is left out.
/// @param across  pixels of the whole row
/// @param whole   of the font that one line is shown in
/// @param half    of the smaller one of several lines and of the section
[[nodiscard]] KeyLines keyLines(const QString& name, int width, int across, const QFontMetrics& whole, const QFontMetrics& half);

}  // namespace stagecraft
