// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>

class QTableView;

namespace stagecraft {

/// The look all tables share: no frame and no grid, every other row shaded, one line a row, no row numbers, headings on the left,
/// nothing edited in place, Tab leaves the table.
/// @param rowHeight pixels
void makePlainTable(QTableView& table, int rowHeight, QAbstractItemView::SelectionMode selection);

}  // namespace stagecraft
