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

QWidget* firstInput(const QWidget& part)
{
    for (QWidget* child : part.findChildren<QWidget*>())
        if (takesTab(*child))
            return child;
    return nullptr;
}

/// What of a panel takes the focus: its content, else the first input in it, else a tool of its header.
QWidget* entryOf(const Panel& panel)
{
    if (panel.content() != nullptr) {
        if (takesTab(*panel.content()))
            return panel.content();
        if (QWidget* input = firstInput(*panel.content()))
            return input;
    }
    return firstInput(*panel.header());
}

/// As the eye reads them: by rows, left to right.
template <class Part>
void sortByPlace(std::vector<Part*>& parts, const QWidget& page)
{
    const auto place = [&page](const Part* part) { return part->mapTo(&page, QPoint(0, 0)); };
    std::stable_sort(parts.begin(), parts.end(), [&](const Part* left, const Part* right) {
        const QPoint a = place(left), b = place(right);
        return a.y() != b.y() ? a.y() < b.y() : a.x() < b.x();
    });
}

/// The stops of Ctrl+Tab: panels, and what else calls itself a region of the page, with what takes the focus in each.
std::vector<std::pair<QWidget*, QWidget*>> stopsOf(QWidget& page)
{
    std::vector<QWidget*> parts;
    for (QWidget* part : page.findChildren<QWidget*>())
        if (part->isVisible() && (qobject_cast<Panel*>(part) != nullptr || part->property("region").toBool()))
            parts.push_back(part);
    sortByPlace(parts, page);
    std::vector<std::pair<QWidget*, QWidget*>> stops;
    for (QWidget* part : parts) {
        const auto* panel = qobject_cast<Panel*>(part);
        if (QWidget* entry = panel != nullptr ? entryOf(*panel) : firstInput(*part))
            stops.emplace_back(part, entry);
    }
    return stops;
}

}  // namespace

std::vector<Panel*> PanelTour::panelsOf(QWidget& page)
{
    std::vector<Panel*> panels;
    for (Panel* panel : page.findChildren<Panel*>())
        if (panel->isVisible())
            panels.push_back(panel);
    sortByPlace(panels, page);
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
    const auto stops = stopsOf(page);
    if (stops.empty())
        return false;
    const QWidget* focus = QApplication::focusWidget();
    const auto count = static_cast<int>(stops.size());
    int at = direction > 0 ? -1 : count;
    for (int i = 0; i < count; ++i)   // the innermost wins: it comes behind what it is in
        if (stops[static_cast<std::size_t>(i)].first == focus || stops[static_cast<std::size_t>(i)].first->isAncestorOf(focus))
            at = i;
    at = (at + direction + count) % count;
    stops[static_cast<std::size_t>(at)].second->setFocus(Qt::TabFocusReason);
    return true;
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
