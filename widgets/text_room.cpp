// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text_room.h"

#include <QSplitter>

#include <algorithm>

namespace stagecraft {

TextRoom::TextRoom(QSplitter& columns, QSplitter& above, QObject* parent) : QObject(parent), m_columns(columns), m_above(above)
{
    for (QSplitter* splitter : {&columns, &above})
        connect(splitter, &QSplitter::splitterMoved, this, [this] { m_pulled = true; });
}

void TextRoom::give(bool help)
{
    if (m_pulled)
        return;
    if (help)
        giveColumns();
    const QList<int> above = m_above.sizes();
    if (above.size() != 2 || above[0] == 0 || above[1] == 0)
        return;
    const int all = above[0] + above[1], text = std::max(above[1], std::min(kTextWidth, all - kFormWidth));
    if (text != above[1])
        m_above.setSizes({all - text, text});
}

void TextRoom::giveColumns()
{
    QList<int> columns = m_columns.sizes();
    if (columns.size() != 3)
        return;
    // A width from an earlier start may be one that was taken for the text then.
    if (m_keysWidth == 0)
        m_keysWidth = std::max(columns[0], kKeysWidth);
    if (m_helpWidth == 0)
        m_helpWidth = std::max(columns[2], kHelpWidth);
    const bool keys = !m_columns.widget(0)->isHidden(), help = !m_columns.widget(2)->isHidden();
    const int all = columns[0] + columns[1] + columns[2];
    int keysWidth = keys ? m_keysWidth : 0, helpWidth = help ? m_helpWidth : 0;
    int missing = keysWidth + helpWidth + kFormWidth + m_above.handleWidth() + kTextWidth - all;
    const auto take = [&missing](int& width, int least) {
        const int taken = std::clamp(missing, 0, std::max(0, width - least));
        width -= taken;
        missing -= taken;
    };
    if (help)
        take(helpWidth, kLeastHelpWidth);
    if (keys)
        take(keysWidth, kLeastKeysWidth);
    const QList<int> wanted{keysWidth, all - keysWidth - helpWidth, helpWidth};
    if (wanted != columns)
        m_columns.setSizes(wanted);
}

}  // namespace stagecraft
