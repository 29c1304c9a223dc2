// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>

class QComboBox;
class QWidget;

namespace stagecraft {
class ToneLabel;
}

namespace stagecraft::app {

/// A name at the left, a choice at the right, as a NumberRow has them. Both become children of the row.
[[nodiscard]] QWidget* choiceRow(ToneLabel* name, QComboBox* box, QWidget* parent);

/// Gives the items of a choice their names, in order.
void nameItems(QComboBox* box, const QStringList& names);

}  // namespace stagecraft::app
