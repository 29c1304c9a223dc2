// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/subject_panel.h"

#include <QObject>

class QAction;
class QStackedWidget;

namespace stagecraft::app {

class PlanPage;

/// Puts "Model and hardware" into the inspector's place on the Plan page, and the inspector back when the panel is closed, another
/// page is shown, or something on the page is to be explained.
class SubjectFlow : public QObject {
    Q_OBJECT
public:
    /// @param place      what stands in the inspector's place; the inspector is its first widget
    /// @param inspector  the action that shows and hides that place
    SubjectFlow(WorkspaceDocument& document, PlanService& plans, PlanPage& page, QStackedWidget* place, QAction* inspector, QObject* parent);

    [[nodiscard]] SubjectPanel& panel() const { return *m_panel; }
    [[nodiscard]] bool isOpen() const;
    void open(SubjectPanel::Part part = SubjectPanel::Part::Model);
    /// The same for a plan that has just begun: its stage follows the choices.
    void begin();
    void close();

signals:
    /// The panel closes with a number that it refuses in one of its fields: `why` in words.
    void refused(const QString& why);
    /// The Plan page is to be in front.
    void pageWanted();

private:
    PlanPage& m_page;
    QStackedWidget* m_place;
    QAction* m_inspector;
    SubjectPanel* m_panel;
    bool m_shownForPanel = false;   ///< the place was hidden before
};

}  // namespace stagecraft::app
