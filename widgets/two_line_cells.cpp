// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/two_line_cells.h"

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

void TwoLineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (!m_twoLines) {
        InsetDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    const QString key = ground.text;
    ground.text.clear();
    ground.state &= ~QStyle::State_HasFocus;
    const QStyle* style = option.widget ? option.widget->style() : nullptr;
    if (!style)
        return;
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
    painter->save();
    const QRect inside = option.rect.adjusted(8, 0, -4, 0);
    int x = inside.left();
    const bool usable = option.state.testFlag(QStyle::State_Enabled);
    const auto draw = [&](int top, const QString& text, Role role, Token token, int most, Qt::TextElideMode elide) {
        painter->setFont(theme::font(role));
        painter->setPen(theme::color(usable ? token : Token::Disabled));
        const QString shown = painter->fontMetrics().elidedText(text, elide, std::min(most, inside.right() - x));
        painter->drawText(QRect(x, top, inside.right() - x, 18), Qt::AlignVCenter | Qt::TextSingleLine, shown);
        x += painter->fontMetrics().horizontalAdvance(shown);
    };
    const bool fits = QFontMetrics(theme::font(Role::Fixed)).horizontalAdvance(key) <= inside.width();
    draw(inside.top() + 3, key, fits ? Role::Fixed : Role::FixedSmall, Token::Text, inside.width(), Qt::ElideLeft);
    x = inside.left();
    for (const Piece& piece : m_pieces(index))
        draw(inside.top() + 21, piece.text, piece.role, piece.token, piece.value ? inside.width() * 2 / 5 : inside.width(), Qt::ElideRight);
    painter->restore();
}

}  // namespace stagecraft
