// SPDX-License-Identifier: GPL-3.0-or-later
// Modules that have adapters and parts that are frozen, named in the panel of model and hardware.
#include "app/name_row.h"
#include "app/number_row.h"
#include "app/trained_choice.h"
#include "subject_fixture.h"

#include <QComboBox>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

class TstTrainedChoice : public SubjectTest {
    Q_OBJECT
private slots:
    void modulesAreNamed();
    void partsAreFrozen();

private:
    void typeNames(NameRow* row, const QString& text)
    {
        row->field()->setText(text);
        row->field()->setModified(true);
        emit row->field()->editingFinished();
        waitForPlan();
    }
};

void TstTrainedChoice::modulesAreNamed()
{
    begin();
    QComboBox* adapter = panel().model().adapter();
    TrainedChoice* trained = panel().model().trained();
    QVERIFY(!trained->modules()->isVisible() && trained->frozen()->isVisible());
    adapter->setCurrentIndex(1);
    emit adapter->activated(1);
    waitForPlan();
    QVERIFY(trained->modules()->isVisible() && trained->copies()->isVisible() && !trained->frozen()->isVisible());
    const std::int64_t all = *plan().plan->trainable;
    typeNames(trained->modules(), QStringLiteral("[\"q_proj\", 'v_proj']"));
    QCOMPARE(workspace().model.adapter->modules, (std::vector<std::string>{"q_proj", "v_proj"}));
    QCOMPARE(trained->modules()->field()->text(), QStringLiteral("q_proj, v_proj"));
    QVERIFY(*plan().plan->trainable < all / 2);
    QCOMPARE(panel().model().targets()->currentIndex(), -1);
    // What cannot be a name is told at the field, and stays there to be mended.
    trained->modules()->field()->setText(QStringLiteral("q proj"));
    trained->modules()->field()->setModified(true);
    emit trained->modules()->field()->editingFinished();
    QVERIFY(!trained->modules()->complaint().isEmpty());
    QCOMPARE(workspace().model.adapter->modules.size(), std::size_t{2});
    typeNames(trained->modules(), QStringLiteral("q_proj"));
    QVERIFY(trained->modules()->complaint().isEmpty());
    typeNames(trained->copies(), QStringLiteral("lm_head"));
    QCOMPARE(workspace().model.adapter->modulesToSave, std::vector<std::string>{"lm_head"});
    m_window->document().undoStack().undo();
    waitForPlan();
    QVERIFY(workspace().model.adapter->modulesToSave.empty());
    type(trained->dropout(), "0.05");
    QCOMPARE(workspace().model.adapter->dropout, 0.05);
    QCOMPARE(trained->dropout()->field()->text(), QStringLiteral("0.05"));
    type(trained->dropout(), "1.5");
    QVERIFY(!trained->dropout()->complaint().isEmpty());
    type(trained->dropout(), "0");
    typeNames(trained->modules(), QString());
    QVERIFY(workspace().model.adapter->modules.empty());
    QCOMPARE(*plan().plan->trainable, all);
    panel().model().targets()->setCurrentIndex(3);
    emit panel().model().targets()->activated(3);
    waitForPlan();
    QVERIFY(workspace().model.adapter->usual);
    QCOMPARE(panel().model().targets()->currentIndex(), 3);
}

void TstTrainedChoice::partsAreFrozen()
{
    begin();
    TrainedChoice* trained = panel().model().trained();
    const std::int64_t all = *plan().plan->params;
    type(trained->frozenLayers(), "4");
    QCOMPARE(workspace().model.freeze->firstLayers, std::int64_t{4});
    QVERIFY(*plan().plan->trainable < all && *plan().plan->params == all);
    typeNames(trained->frozen(), QStringLiteral("embeddings, lm_head"));
    QVERIFY(workspace().model.freeze->embeddings && workspace().model.freeze->firstLayers == 4);
    QCOMPARE(workspace().model.freeze->modules, std::vector<std::string>{"lm_head"});
    const auto& items = plan().plan->ledger->front().items;   // the stage follows what fits: another peak says nothing
    QVERIFY(std::any_of(items.begin(), items.end(), [](const LedgerItem& item) { return item.what == "frozen_weights"; }));
    QCOMPARE(trained->frozen()->field()->text(), QStringLiteral("embeddings, lm_head"));
    // An adapter takes their place; undo brings them back.
    QComboBox* adapter = panel().model().adapter();
    adapter->setCurrentIndex(1);
    emit adapter->activated(1);
    waitForPlan();
    QVERIFY(workspace().model.adapter && !workspace().model.freeze);
    m_window->document().undoStack().undo();
    waitForPlan();
    QVERIFY(!workspace().model.adapter && workspace().model.freeze);
    type(trained->frozenLayers(), "0");
    typeNames(trained->frozen(), QString());
    QVERIFY(!workspace().model.freeze);
    QCOMPARE(*plan().plan->trainable, all);
}

QTEST_MAIN(TstTrainedChoice)
#include "tst_trained_choice.moc"
