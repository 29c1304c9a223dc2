// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QStyledItemDelegate>

namespace stagecraft {

/// Paints the rows of FindingsModel: the key in its own colour before a sentence of several lines, the fix as a button.
class FindingDelegate : public QStyledItemDelegate {
public:
    static constexpr int kRowHeight = 24, kLineHeight = 18;   ///< px, of a row with one line of words, and of each further line
    static constexpr int kMostLines = 4;                      ///< of one finding that was not selected yet; one that was has all of its lines

    using QStyledItemDelegate::QStyledItemDelegate;

    /// The sentence as it is broken into the lines of a cell, the first of them beside the key. Of what is too long the last line has all the rest.
    /// @param whole  no line is left out, and no name shortened
    [[nodiscard]] static QStringList linesOf(const QModelIndex& index, int cellWidth, bool whole);
    [[nodiscard]] static int rowHeight(const QModelIndex& index, int cellWidth, bool whole);
    [[nodiscard]] static QRect buttonRect(const QRect& cell, const QString& label);
    /// What the button of a fix says in its cell: of what is too long its key loses the end.
    [[nodiscard]] static QString buttonWords(const QRect& cell, const QString& label);

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
};

}  // namespace stagecraft
