// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout_memory.h"

#include "widgets/comparing_room.h"

#include <QSplitter>
#include <QVariant>
#include <QWidget>

namespace stagecraft::app {

namespace {

// Class and order of creation name a splitter: both are the same in every language and at every start.
QString nameOf(const QWidget& page, qsizetype index)
{
    return QStringLiteral("%1/%2").arg(QString::fromLatin1(page.metaObject()->className()).section(QStringLiteral("::"), -1)).arg(index);
}

}  // namespace

void LayoutMemory::restore(QSplitter& splitter, const QString& name)
{
    if (m_before.contains(name))
        return;
    // What a settings file says is foreign: a state of another number of panels is not taken.
    const int panels = splitter.count();
    const QByteArray own = splitter.saveState();
    m_before[name] = own;
    const QByteArray state = m_kept.value(name);
    if (state.isEmpty())
        return;
    const bool collapsible = splitter.childrenCollapsible();
    const int handle = splitter.handleWidth();
    const Qt::Orientation orientation = splitter.orientation();
    if (!splitter.restoreState(state) || splitter.sizes().size() != panels || splitter.orientation() != orientation)
        (void)splitter.restoreState(own);
    splitter.setChildrenCollapsible(collapsible);
    splitter.setHandleWidth(handle);
}

void LayoutMemory::remember(const QSplitter& splitter, const QString& name)
{
    if (!m_before.contains(name))
        return;
    const QByteArray usual = splitter.property(ComparingRoom::kUsualState).toByteArray();
    m_kept[name] = usual.isEmpty() ? splitter.saveState() : usual;
}

void LayoutMemory::restore(const QWidget& page)
{
    const auto splitters = page.findChildren<QSplitter*>();
    for (qsizetype i = 0; i < splitters.size(); ++i)
        restore(*splitters[i], nameOf(page, i));
}

void LayoutMemory::remember(const QWidget& page)
{
    const auto splitters = page.findChildren<QSplitter*>();
    for (qsizetype i = 0; i < splitters.size(); ++i)
        remember(*splitters[i], nameOf(page, i));
}

void LayoutMemory::writeInto(QMap<QString, QByteArray>& sizes) const
{
    for (auto kept = m_kept.begin(); kept != m_kept.end(); ++kept)
        if (m_first.value(kept.key()) != kept.value())
            sizes[kept.key()] = kept.value();
    for (auto first = m_first.begin(); first != m_first.end(); ++first)
        if (!m_kept.contains(first.key()))
            sizes.remove(first.key());
}

void LayoutMemory::reset(QSplitter& splitter, const QString& name)
{
    m_kept.remove(name);
    if (!m_before.contains(name))
        return;
    if (splitter.property(ComparingRoom::kUsualState).isValid())
        splitter.setProperty(ComparingRoom::kUsualState, m_before[name]);
    else
        (void)splitter.restoreState(m_before[name]);
}

void LayoutMemory::reset(const QWidget& page)
{
    const auto splitters = page.findChildren<QSplitter*>();
    for (qsizetype i = 0; i < splitters.size(); ++i)
        reset(*splitters[i], nameOf(page, i));
}

}  // namespace stagecraft::app
