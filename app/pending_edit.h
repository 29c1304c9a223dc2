// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace stagecraft::app {

class SubjectPanel;

/// What a number that is refused says below its field in `panel`, on either tab; empty when none is.
QString refusedIn(const SubjectPanel& panel);

/// Takes over what is being typed into a field or the text of `window`, as leaving the field would: what saves, launches or closes asks
/// for it first. The keyboard stays where it is.
/// @returns why something typed is not taken, in words; empty when all is
QString takePendingEdit(QWidget& window);

}  // namespace stagecraft::app
