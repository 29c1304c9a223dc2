// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace stagecraft {

/// The wheel turns the input only while it has the focus; else it scrolls what the input stands in. The pointer is often over one
/// while somebody scrolls a panel, and each notch would change a value that nobody meant.
void turnByWheelOnlyWithFocus(QWidget* input);

}  // namespace stagecraft
