// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panel_tour.h"

#include "widgets/panel.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QCursor>
#include <QResizeEvent>
#include <QSplitter>
#include <QSplitterHandle>

#include <algorithm>

namespace stagecraft::app {

namespace {

Panel* panelAround(QWidget* widget, const QWidget& page)
{
    for (QWidget* w = widget; w != nullptr && w != &page; w = w->parentWidget())
        if (auto* panel = qobject_cast<Panel*>(w))
            return panel;
    return nullptr;
}

bool takesTab(const QWidget& widget)
{
    return (widget.focusPolicy() & Qt::TabFocus) != 0 && widget.isVisible() && widget.isEnabled();
}

/// What of a panel takes the focus: its content, else the first input in it, else a tool of its header.
QWidget* entryOf(const Panel& panel)
{
    if (panel.content() != nullptr) {
        if (takesTab(*panel.content()))
            return panel.content();
        for (QWidget* child : panel.content()->findChildren<QWidget*>())
            if (takesTab(*child))
                return child;
    }
    for (QWidget* child : panel.header()->findChildren<QWidget*>())
        if (takesTab(*child))
            return child;
    return nullptr;
}

}  // namespace

std::vector<Panel*> PanelTour::panelsOf(QWidget& page)
{
    std::vector<Panel*> panels;
    for (Panel* panel : page.findChildren<Panel*>())
        if (panel->isVisible())
            panels.push_back(panel);
    const auto place = [&page](const Panel* panel) { return panel->mapTo(&page, QPoint(0, 0)); };
    std::stable_sort(panels.begin(), panels.end(), [&](const Panel* left, const Panel* right) {
        const QPoint a = place(left), b = place(right);
        return a.y() != b.y() ? a.y() < b.y() : a.x() < b.x();
    });
    return panels;
}

Panel* PanelTour::currentPanel(QWidget& page)
{
    if (Panel* panel = panelAround(QApplication::focusWidget(), page); panel != nullptr && page.isAncestorOf(panel))
        return panel;
    if (Panel* panel = panelAround(QApplication::widgetAt(QCursor::pos()), page); panel != nullptr && page.isAncestorOf(panel))
        return panel;
    const auto panels = panelsOf(page);
    return panels.empty() ? nullptr : panels.front();
}

bool PanelTour::go(QWidget& page, int direction)
{
    const auto panels = panelsOf(page);
    if (panels.empty())
        return false;
    const auto count = static_cast<int>(panels.size());
    const auto found = std::find(panels.begin(), panels.end(), panelAround(QApplication::focusWidget(), page));
    int at = found == panels.end() ? (direction > 0 ? -1 : count) : static_cast<int>(found - panels.begin());
    for (int tried = 0; tried < count; ++tried) {
        at = (at + direction + count) % count;
        if (QWidget* entry = entryOf(*panels[static_cast<std::size_t>(at)])) {
            entry->setFocus(Qt::TabFocusReason);
            return true;
        }
    }
    return false;
}

bool PanelTour::toggle(QWidget& page)
{
    if (putBack())
        return false;
    Panel* panel = currentPanel(page);
    if (panel == nullptr)
        return false;
    m_panel = panel;
    m_page = &page;
    for (QWidget* w = panel->parentWidget(); w != nullptr && w != &page; w = w->parentWidget())
        if (auto* splitter = qobject_cast<QSplitter*>(w))
            m_sizes.emplace_back(splitter, splitter->sizes());
    for (QWidget* w = panel; w != &page && w->parentWidget() != nullptr; w = w->parentWidget()) {
        QWidget* parent = w->parentWidget();
        if (auto* host = dynamic_cast<PanelHost*>(parent)) {
            host->fillWith(w);
            m_hosts.push_back(parent);
            continue;
        }
        if (qobject_cast<QAbstractScrollArea*>(parent) != nullptr)
            continue;   // its other children are its scroll bars, which it shows and hides itself
        for (QObject* child : parent->children()) {
            auto* sibling = qobject_cast<QWidget*>(child);
            if (sibling == nullptr || sibling == w || sibling->isWindow() || sibling->isHidden() || qobject_cast<QSplitterHandle*>(sibling) != nullptr)
                continue;
            sibling->hide();
            sibling->installEventFilter(this);
            m_hidden.push_back(sibling);
        }
    }
    if (QWidget* entry = entryOf(*panel); entry != nullptr && !panel->isAncestorOf(QApplication::focusWidget()))
        entry->setFocus(Qt::OtherFocusReason);
    return true;
}

bool PanelTour::putBack()
{
    if (m_panel == nullptr && m_hidden.empty() && m_hosts.empty())
        return false;
    for (const auto& host : m_hosts)
        if (host)
            dynamic_cast<PanelHost&>(*host).fillWith(nullptr);
    for (const auto& widget : m_hidden)
        if (widget) {
            widget->removeEventFilter(this);
            widget->show();
        }
    // While one part was alone the window may have become another size: the shares are what is kept. From the outside in.
    for (auto one = m_sizes.rbegin(); one != m_sizes.rend(); ++one)
        if (one->first)
            one->first->setSizes(one->second);
    // What a page shows at its size it decides when it is resized; it may have been while one part was alone.
    for (QWidget* w = m_panel; w != nullptr && m_page; w = w == m_page ? nullptr : w->parentWidget()) {
        QResizeEvent same(w->size(), w->size());
        QCoreApplication::sendEvent(w, &same);
    }
    m_sizes.clear();
    m_hosts.clear();
    m_hidden.clear();
    m_panel = nullptr;
    m_page = nullptr;
    return true;
}

bool PanelTour::eventFilter(QObject* watched, QEvent* event)
{
    // A page that folds with its size shows what has room now; while one panel fills it nothing else has.
    if (event->type() == QEvent::ShowToParent)
        QMetaObject::invokeMethod(this, [this, widget = QPointer<QWidget>(qobject_cast<QWidget*>(watched))] {
            if (widget && std::find(m_hidden.begin(), m_hidden.end(), widget) != m_hidden.end())
                widget->hide();
        }, Qt::QueuedConnection);
    return QObject::eventFilter(watched, event);
}

}  // namespace stagecraft::app
