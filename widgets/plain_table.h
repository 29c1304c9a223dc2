// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractItemView>
#include <QString>

class QTableView;

namespace stagecraft {

/// The look all tables share: no frame and no grid, every other row shaded, one line a row, no row numbers, headings on the left,
/// nothing edited in place, Tab leaves the table.
/// @param rowHeight pixels
void makePlainTable(QTableView& table, int rowHeight, QAbstractItemView::SelectionMode selection);

/// The whole table with its header as tab-separated lines, hidden columns included; tabs and line ends inside a cell become blanks.
[[nodiscard]] QString tableAsText(const QAbstractItemModel& model);

/// Ctrl+C in `table` puts tableAsText() on the clipboard.
void copyWithKeyboard(QTableView& table);

}  // namespace stagecraft
