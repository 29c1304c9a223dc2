// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/comparing_room.h"

#include <QSplitter>
#include <QVariant>

#include <algorithm>
#include <utility>

namespace stagecraft {

ComparingRoom::ComparingRoom(QSplitter& rows, QSplitter& above, QObject* parent) : QObject(parent), m_rows(rows), m_above(above)
{
    connect(&rows, &QSplitter::splitterMoved, this, [this] {
        if (m_on)
            m_lowerHeight = m_rows.sizes().at(1);
    });
    connect(&above, &QSplitter::splitterMoved, this, [this] {
        if (m_on)
            m_besideWidth = m_above.sizes().at(0);
    });
}

void ComparingRoom::set(bool comparing)
{
    if (std::exchange(m_on, comparing) == comparing)
        return;
    // Width that comes and goes with the column at the right is the comparison's.
    m_above.setStretchFactor(0, comparing ? 0 : 1);
    for (QSplitter* splitter : {&m_rows, &m_above}) {
        if (comparing)
            splitter->setProperty(kUsualState, splitter->saveState());
        else
            (void)splitter->restoreState(splitter->property(kUsualState).toByteArray());
    }
    if (comparing) {
        const QList<int> rows = m_rows.sizes(), above = m_above.sizes();
        m_rows.setSizes({std::max(rows[0] + rows[1] - m_lowerHeight, 1), m_lowerHeight});
        const int beside = m_besideWidth > 0 ? m_besideWidth : above[0];
        m_above.setSizes({beside, std::max(above[0] + above[1] - beside, 1)});
    } else {
        m_rows.setProperty(kUsualState, QVariant());
        m_above.setProperty(kUsualState, QVariant());
    }
}

}  // namespace stagecraft
