// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/panel.h"

#include <QObject>
#include <QPointer>

#include <utility>
#include <vector>

class QSplitter;

namespace stagecraft::app {

/// A widget that places its panels itself and shows one alone when asked to.
class PanelHost {
public:
    virtual ~PanelHost() = default;
    /// Shows only `panel`; null shows all again.
    virtual void fillWith(QWidget* panel) = 0;
};

/// The panels of a page by keyboard: Ctrl+Tab goes round them, F11 lets one fill the page and puts it back.
class PanelTour : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    /// The panel with the focus, else the one under the pointer, else the page's first. Null when the page has none.
    [[nodiscard]] static Panel* currentPanel(QWidget& page);
    /// The page's visible panels as the eye reads them: by rows, left to right.
    [[nodiscard]] static std::vector<Panel*> panelsOf(QWidget& page);
    /// Moves the focus to the next panel (-1: the previous one). @return false when there is none
    static bool go(QWidget& page, int direction);

    /// Lets the current panel fill the page, or puts the filling one back. @return whether a panel fills the page now
    bool toggle(QWidget& page);
    /// Puts back what fills a page. @return false when nothing does
    bool putBack();
    [[nodiscard]] bool isFilled() const { return m_panel != nullptr; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QPointer<Panel> m_panel;
    QPointer<QWidget> m_page;
    std::vector<QPointer<QWidget>> m_hidden;
    std::vector<QPointer<QWidget>> m_hosts;
    std::vector<std::pair<QPointer<QSplitter>, QList<int>>> m_sizes;   // shares of the splitters on the way, as they were
};

}  // namespace stagecraft::app
