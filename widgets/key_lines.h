// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QFontMetrics;

namespace stagecraft {

/// A dotted key in at most two lines of `width` pixels: one where it fits in `whole`, else two in `half`, parted behind a dot,
/// or behind an underscore where no dot serves, or wherever both parts fit. Of what does not even fit so the end is kept, in the second line, and the
/// first is elided where it begins.
/// @param whole  of the font that one line is shown in
/// @param half   of the smaller one that two lines are shown in
[[nodiscard]] QStringList keyLines(const QString& name, int width, const QFontMetrics& whole, const QFontMetrics& half);

}  // namespace stagecraft
