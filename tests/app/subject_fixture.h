// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/actions.h"
#include "app/choice_list.h"
#include "app/number_row.h"
#include "app/subject_flow.h"
#include "plan_page_fixture.h"

#include <QAction>
#include <QLineEdit>
#include <QListWidget>
#include <QTabWidget>

/// The panel for model and hardware, used as a person does.
namespace stagecraft::app {

class SubjectTest : public PlanPageTest {
protected:
    [[nodiscard]] SubjectFlow& flow() const { return m_window->subject(); }
    [[nodiscard]] SubjectPanel& panel() const { return flow().panel(); }
    [[nodiscard]] const Workspace& workspace() const { return *plan().workspace; }
    void begin()
    {
        m_window->actions().newWorkspace->trigger();
        waitForPlan();
        QVERIFY(panel().isVisible());
    }
    void click(const ChoiceList* list, const QString& id)
    {
        QListWidgetItem* item = list->item(id);
        QVERIFY2(item, qPrintable(id));
        list->list()->scrollToItem(item);
        QTest::mouseClick(list->list()->viewport(), Qt::LeftButton, {}, list->list()->visualItemRect(item).center());
        waitForPlan();
    }
    void type(const NumberRow* row, const char* text)
    {
        row->field()->setFocus();
        row->field()->selectAll();
        QTest::keyClicks(row->field(), QString::fromUtf8(text));
        QTest::keyClick(row->field(), Qt::Key_Return);
        waitForPlan();
    }
    /// Dozens of plans, on a machine that may be busy.
    void waitForRows() { QTRY_VERIFY_WITH_TIMEOUT(!panel().effects().isBusy(), 60000); }
    /// The same workspace, planned without the window.
    [[nodiscard]] Plan planned() const
    {
        const auto read = parseWorkspace(m_window->document().text(), m_window->document().folder());
        return read.hasValue() ? makePlan(*read, machineContext()).value() : Plan();
    }
    [[nodiscard]] int stage() const { return plan().settings ? plan().settings->stage : -1; }
};

}  // namespace stagecraft::app
