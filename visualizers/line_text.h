// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>
#include <Qt>

class QPainter;

namespace stagecraft {

/// Draws one line of plain text with the painter's font and pen, elided at the right where it is wider than `where`; what is wider
/// or higher still is not clipped. Laying out words costs fifty times what drawing them does, and a chart that follows a slider draws
/// nearly the same ones in each frame: the last few thousand lines are kept as they were laid out. GUI thread only.
/// @param alignment  within `where`; its middle where it says nothing of the vertical
void drawLineOfText(QPainter& painter, const QRectF& where, Qt::Alignment alignment, const QString& text);

}  // namespace stagecraft
