// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fact_table.h"

#include "widgets/plain_table.h"
#include "widgets/theme.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <utility>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr int kPad = 10;   ///< before and after a cell's words, as the header has it

/// Cells that stand under their header's words.
class FactDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->fillRect(option.rect, theme::color(option.state.testFlag(QStyle::State_Selected) ? Token::Selection : index.row() % 2 ? Token::Alternate : Token::Base));
        painter->setFont(index.data(Qt::FontRole).value<QFont>());
        painter->setPen(index.data(Qt::ForegroundRole).value<QColor>());
        const QRect text = option.rect.adjusted(kPad, 0, -kPad, 0);
        painter->drawText(text, index.data(Qt::TextAlignmentRole).toInt(), painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    }
};

}  // namespace

void FactModel::setHeaders(const QStringList& headers, int numbers)
{
    if (headers.size() != m_headers.size()) {
        beginResetModel();
        m_headers = headers;
        m_numbers = numbers;
        endResetModel();
        return;
    }
    m_headers = headers;
    m_numbers = numbers;
    emit headerDataChanged(Qt::Horizontal, 0, static_cast<int>(headers.size()) - 1);
}

void FactModel::setRows(std::vector<FactRow> rows)
{
    // The same number of rows is mostly the same facts with other figures: then the selection stays.
    if (rows.size() == m_rows.size()) {
        m_rows = std::move(rows);
        if (!m_rows.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
        return;
    }
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int FactModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int FactModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_headers.size());
}

QVariant FactModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid())
        return {};
    const FactRow& row = m_rows[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return row.cells.value(index.column());
    case Qt::ToolTipRole: return row.tip.isEmpty() ? QVariant() : QVariant(row.tip);
    case Qt::TextAlignmentRole: return index.column() >= m_numbers ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::FontRole: return theme::font(row.bold ? Role::BodyBold : Role::Body);
    case Qt::ForegroundRole: return theme::color(index.column() == 0 || index.column() >= m_numbers ? Token::Text : Token::Text2);
    default: return {};
    }
}

QVariant FactModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return section >= m_numbers ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(m_headers.value(section)) : QVariant();
}

FactTable::FactTable(QWidget* parent) : QTableView(parent), m_facts(new FactModel(this))
{
    setModel(m_facts);
    setItemDelegate(new FactDelegate(this));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setTabKeyNavigation(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(22);
    verticalHeader()->setMinimumSectionSize(22);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(48);
    horizontalHeader()->setStretchLastSection(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(m_facts, &QAbstractItemModel::modelReset, this, &FactTable::fitColumns);
    connect(m_facts, &QAbstractItemModel::dataChanged, this, &FactTable::fitColumns);
    connect(m_facts, &QAbstractItemModel::headerDataChanged, this, &FactTable::fitColumns);
    connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid())
            emit rowChosen(now.row());
    });
}

int FactTable::sizeHintForColumn(int column) const
{
    int widest = QFontMetrics(horizontalHeader()->font()).horizontalAdvance(m_facts->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (const FactRow& row : m_facts->rows())
        widest = std::max(widest, QFontMetrics(theme::font(row.bold ? Role::BodyBold : Role::Body)).horizontalAdvance(row.cells.value(column)));
    return widest + 2 * kPad + 2;
}

void FactTable::setDispensable(const std::vector<int>& columns)
{
    m_dispensable = columns;
    fitColumns();
}

void FactTable::fitColumns()
{
    const int columns = m_facts->columnCount();
    if (columns == 0)
        return;
    int wanted = 0;
    for (int c = 0; c < columns; ++c)
        wanted += sizeHintForColumn(c);
    for (const int column : m_dispensable) {
        const bool gone = wanted > viewport()->width();
        if (gone)
            wanted -= sizeHintForColumn(column);
        setColumnHidden(column, gone);
    }
    int rest = 0;
    for (int c = 1; c < columns; ++c) {
        if (isColumnHidden(c))
            continue;
        setColumnWidth(c, sizeHintForColumn(c));
        rest += columnWidth(c);
    }
    setColumnWidth(0, std::max(90, viewport()->width() - rest));
}

void FactTable::resizeEvent(QResizeEvent* event)
{
    QTableView::resizeEvent(event);
    fitColumns();
}

void FactTable::copyAsTable() const
{
    QGuiApplication::clipboard()->setText(tableAsText(*m_facts));
}

void FactTable::keyPressEvent(QKeyEvent* event)
{
    if (event->matches(QKeySequence::Copy))
        copyAsTable();
    else
        QTableView::keyPressEvent(event);
}

}  // namespace stagecraft::app
