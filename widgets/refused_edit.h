// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace stagecraft {

/// Told by a field that does not take what was typed into it: what was to follow (a save, a launch) asks with `takeRefusal`.
void refuseEdit(const QWidget& field, const QString& why);

/// The last refusal told in `window` since it was asked; empty when there was none.
[[nodiscard]] QString takeRefusal(QWidget& window);

}  // namespace stagecraft
