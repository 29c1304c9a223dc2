// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plain_table.h"

#include <QHeaderView>
#include <QTableView>

namespace stagecraft {

void makePlainTable(QTableView& table, int rowHeight, QAbstractItemView::SelectionMode selection)
{
    table.setFrameShape(QFrame::NoFrame);
    table.setShowGrid(false);
    table.setAlternatingRowColors(true);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setSelectionMode(selection);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.setTabKeyNavigation(false);
    table.setWordWrap(false);
    table.verticalHeader()->hide();
    table.verticalHeader()->setMinimumSectionSize(rowHeight);
    table.verticalHeader()->setDefaultSectionSize(rowHeight);
    table.horizontalHeader()->setFixedHeight(24);
    table.horizontalHeader()->setHighlightSections(false);
    table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

}  // namespace stagecraft
