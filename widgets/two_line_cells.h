// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config_cells.h"
#include "widgets/theme.h"

#include <functional>
#include <vector>

namespace stagecraft {

/// A table's row in its first column where there is no room for the others: the key, and below it what the other columns say.
class TwoLineDelegate : public InsetDelegate {
public:
    /// Words of the second line, drawn one behind the other.
    struct Piece {
        QString text;
        theme::Role role = theme::Role::FixedSmall;
        theme::Token token = theme::Token::Text2;
        bool value = false;   ///< takes two fifths of the width at most, so that what follows is seen
    };
    using Pieces = std::function<std::vector<Piece>(const QModelIndex&)>;
    static constexpr int kHeight = 42;   ///< px of a row with two lines

    TwoLineDelegate(QObject* parent, Pieces pieces) : InsetDelegate(8, parent, Qt::ElideLeft), m_pieces(std::move(pieces)) {}
    void setTwoLines(bool on) { m_twoLines = on; }
    [[nodiscard]] bool hasTwoLines() const { return m_twoLines; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Pieces m_pieces;
    bool m_twoLines = false;
};

}  // namespace stagecraft
