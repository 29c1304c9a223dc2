// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/subject_flow.h"

#include "app/pending_edit.h"
#include "app/plan_page.h"

#include <QAction>
#include <QApplication>
#include <QPushButton>
#include <QStackedWidget>

#include <utility>

namespace stagecraft::app {

SubjectFlow::SubjectFlow(WorkspaceDocument& document, PlanService& plans, PlanPage& page, QStackedWidget* place, QAction* inspector, QObject* parent)
    : QObject(parent), m_page(page), m_place(place), m_inspector(inspector), m_panel(new SubjectPanel(document, plans, place))
{
    m_place->addWidget(m_panel);
    connect(m_panel, &SubjectPanel::closed, this, [this] {
        close();
        if (auto* button = m_page.titleControls()->findChild<QPushButton*>(QStringLiteral("chooseSubject")))
            button->setFocus(Qt::OtherFocusReason);
    });
    connect(&page, &PlanPage::subjectRequested, this, [this] { open(); });
    // What a person points at is explained; what the panel itself sets off is not in its way.
    connect(&page, &Page::inspected, this, [this] {
        if (!m_panel->isAncestorOf(QApplication::focusWidget()))
            close();
    });
    connect(inspector, &QAction::toggled, this, [this](bool shown) {
        if (shown)
            return;
        m_place->setCurrentIndex(0);
        m_shownForPanel = false;
    });
}

bool SubjectFlow::isOpen() const
{
    return m_place->currentWidget() == m_panel;
}

void SubjectFlow::open(SubjectPanel::Part part)
{
    emit pageWanted();
    m_place->setCurrentWidget(m_panel);
    if (!m_inspector->isChecked()) {
        m_inspector->trigger();
        m_shownForPanel = true;
    }
    m_panel->start(part);
}

void SubjectFlow::begin()
{
    m_panel->setStageFollows(true);
    open();
}

void SubjectFlow::close()
{
    if (!isOpen())
        return;
    if (const QString why = refusedIn(*m_panel); !why.isEmpty())
        emit refused(why);
    m_place->setCurrentIndex(0);
    if (std::exchange(m_shownForPanel, false) && m_inspector->isChecked())
        m_inspector->trigger();
}

}  // namespace stagecraft::app
