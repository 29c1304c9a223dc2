// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plain_table.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QShortcut>
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

QString tableAsText(const QAbstractItemModel& model)
{
    QStringList lines;
    for (int row = -1; row < model.rowCount(); ++row) {
        QStringList cells;
        for (int column = 0; column < model.columnCount(); ++column)
            cells << (row < 0 ? model.headerData(column, Qt::Horizontal) : model.index(row, column).data()).toString().simplified();
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n'));
}

void copyWithKeyboard(QTableView& table)
{
    auto* copy = new QShortcut(QKeySequence::Copy, &table, nullptr, nullptr, Qt::WidgetShortcut);
    QObject::connect(copy, &QShortcut::activated, &table, [&table] { QGuiApplication::clipboard()->setText(tableAsText(*table.model())); });
}

}  // namespace stagecraft
