// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/preview_keys.h"

#include "widgets/side_panel.h"

#include <QAbstractButton>
#include <QApplication>
#include <QScrollArea>
#include <QShortcut>

namespace stagecraft::app {

namespace {

bool isTypedIn(const QWidget& widget)
{
    return widget.testAttribute(Qt::WA_InputMethodEnabled);
}

bool isInSidePanel(const QWidget* widget)
{
    for (; widget != nullptr; widget = widget->parentWidget())
        if (qobject_cast<const SidePanel*>(widget) != nullptr)
            return true;
    return false;
}

}  // namespace

PreviewKeys::PreviewKeys(QWidget* page) : QObject(page), m_page(page), m_ends(new QShortcut(page)), m_applies(new QShortcut(page))
{
    m_ends->setKey(Qt::Key_Escape);
    m_applies->setKeys({Qt::Key_Return, Qt::Key_Enter});
    for (QShortcut* shortcut : {m_ends, m_applies}) {
        shortcut->setContext(Qt::WindowShortcut);
        shortcut->setEnabled(false);
    }
    connect(m_ends, &QShortcut::activated, this, &PreviewKeys::ended);
    // A search that runs beside the preview is cancelled with Esc too: one key each.
    connect(m_ends, &QShortcut::activatedAmbiguously, this, &PreviewKeys::ended);
    connect(m_applies, &QShortcut::activated, this, &PreviewKeys::applied);
    connect(qApp, &QApplication::focusChanged, this, &PreviewKeys::follow);
}

void PreviewKeys::start()
{
    m_on = true;
    m_asked = qobject_cast<QAbstractButton*>(m_page->window()->focusWidget());
    follow();
}

void PreviewKeys::stop()
{
    m_on = false;
    m_ends->setEnabled(false);
    m_applies->setEnabled(false);
}

bool PreviewKeys::enterApplies() const
{
    return m_applies->isEnabled();
}

void PreviewKeys::follow()
{
    if (!m_on)
        return;
    // Of the window, which keeps it while another window is the active one.
    const QWidget* at = m_page->window()->focusWidget();
    const bool enter = at == nullptr || at == m_page->window() || at == m_asked || (qobject_cast<const QScrollArea*>(at) != nullptr && !isInSidePanel(at));
    m_ends->setEnabled(at == nullptr || (!isTypedIn(*at) && !isInSidePanel(at)));
    if (enter == m_applies->isEnabled())
        return;
    m_applies->setEnabled(enter);
    emit enterAppliesChanged();
}

}  // namespace stagecraft::app
