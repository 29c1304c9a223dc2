// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/resolved_row.h"

#include "widgets/config_resolved.h"
#include "widgets/theme.h"

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

void ResolvedRowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const
{
    if (!m_twoLines) {
        InsetDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    ground.text.clear();
    ground.state &= ~QStyle::State_HasFocus;
    const QStyle* style = option.widget ? option.widget->style() : nullptr;
    if (!style)
        return;
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
    painter->save();
    const QRect inside = option.rect.adjusted(8, 0, -4, 0);
    int x = inside.left();
    const bool usable = option.state & QStyle::State_Enabled;
    /// Draws what there is room for, and says how far it came.
    const auto draw = [&](int top, const QString& text, Role role, Token token, int most, Qt::TextElideMode elide) {
        painter->setFont(theme::font(role));
        painter->setPen(theme::color(usable ? token : Token::Disabled));
        const QString shown = painter->fontMetrics().elidedText(text, elide, std::min(most, inside.right() - x));
        painter->drawText(QRect(x, top, inside.right() - x, 18), Qt::AlignVCenter | Qt::TextSingleLine, shown);
        x += painter->fontMetrics().horizontalAdvance(shown);
    };
    const auto words = [&index](int column) { return index.siblingAtColumn(column).data().toString(); };
    const auto* rows = qobject_cast<const ResolvedModel*>(index.model());
    const ResolvedRow at = rows ? rows->row(index.row()) : ResolvedRow{};
    draw(option.rect.top() + 3, words(ResolvedModel::Key), Role::Fixed, Token::Text, inside.width(), Qt::ElideLeft);
    x = inside.left();
    const int second = option.rect.top() + 21, half = inside.width() * 2 / 5;
    draw(second, words(ResolvedModel::InFile), at.inFile.isEmpty() ? Role::Small : Role::FixedSmall, Token::Text2, half, Qt::ElideRight);
    if (!at.used.isEmpty() && at.used != at.inFile) {
        draw(second, QStringLiteral(" → "), Role::FixedSmall, Token::Text2, inside.width(), Qt::ElideRight);
        draw(second, at.used, Role::FixedSmall, at.why.isEmpty() ? Token::Text2 : Token::Warn, half, Qt::ElideRight);
    }
    if (!at.why.isEmpty()) {
        x += 8;
        draw(second, at.why, Role::Small, at.used.isEmpty() ? Token::Warn : Token::Text2, inside.width(), Qt::ElideRight);
    }
    painter->restore();
}

}  // namespace stagecraft
