// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QStyledItemDelegate>

namespace stagecraft {

/// Cells whose text keeps `inset` px from their edges, as the panel's own text does; no focus frame round single cells. Keys in
/// the first column are elided with ElideLeft: paths begin alike, and their end tells them apart.
class InsetDelegate : public QStyledItemDelegate {
public:
    InsetDelegate(int inset, QObject* parent, Qt::TextElideMode first = Qt::ElideMiddle) : QStyledItemDelegate(parent), m_inset(inset), m_first(first) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        QStyleOptionViewItem ground = option;
        initStyleOption(&ground, index);
        const QString text = ground.text;
        ground.text.clear();
        ground.state &= ~QStyle::State_HasFocus;
        const QStyle* style = option.widget ? option.widget->style() : nullptr;
        if (!style)
            return;
        style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
        painter->save();
        painter->setFont(ground.font);
        painter->setPen(ground.palette.color(option.state & QStyle::State_Enabled ? QPalette::Active : QPalette::Disabled, QPalette::Text));
        const QRect inside = option.rect.adjusted(m_inset, 0, -4, 0);
        painter->drawText(inside, Qt::AlignVCenter | Qt::AlignLeft | Qt::TextSingleLine, ground.fontMetrics.elidedText(text, index.column() == 0 ? m_first : Qt::ElideMiddle, inside.width()));
        painter->restore();
    }

private:
    int m_inset;
    Qt::TextElideMode m_first;
};

}  // namespace stagecraft
