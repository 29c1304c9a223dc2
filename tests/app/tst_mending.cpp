// SPDX-License-Identifier: GPL-3.0-or-later
// The way from the words about a text that cannot be read to its place in the editor, and what is typed there.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/file_flow.h"
#include "app/mend_banner.h"
#include "app/output_panels.h"
#include "config/check.h"
#include "widgets/config_editor.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"

#include <QAction>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QTreeWidget>
#include <QUndoStack>

#include <cstdlib>

using namespace stagecraft;
using namespace stagecraft::app;

class TstMending : public PlanPageTest {
    Q_OBJECT
private slots:
    void brokenWorkspaceIsMendedFromWhereItIsSaid();
    void whatMendsAWorkspaceIsTypedInPlace();
    void brokenConfigIsMendedFromPlan();
    void brokenFileOfAWorkspaceThatNamedAConfigIsMended();
    void configOpenedAloneIsNamedFromItsWorkspace();

private:
    ConfigDocumentPage& config() { return *m_window->findChild<ConfigDocumentPage*>(); }
};

void TstMending::brokenWorkspaceIsMendedFromWhereItIsSaid()
{
    QByteArray text = QByteArray::fromStdString(FileFlow::demoText());
    const qsizetype comma = text.indexOf(",", text.indexOf("\"layers\""));
    text.remove(comma, 1);
    openFile(fileWith(QStringLiteral("broken.json"), text));
    auto* banner = m_window->findChild<MendBanner*>();
    QVERIFY(banner->isVisible());
    QVERIFY2(banner->sentence().contains(QStringLiteral("broken.json")) && banner->sentence().contains(QStringLiteral("line")), qPrintable(banner->sentence()));
    QTest::mouseClick(banner->button(), Qt::LeftButton);
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(&config()));
    ConfigEditor* editor = config().view().editor();
    QCOMPARE(config().view().views()->currentWidget(), static_cast<QWidget*>(editor));
    QCOMPARE(editor->text().toUtf8(), text);
    QVERIFY(banner->isVisible() && !banner->button()->isVisible());
    QVERIFY2(banner->sentence().endsWith(QStringLiteral(". Text has the whole file until it can be read.")) && !banner->sentence().contains(QStringLiteral("..")), qPrintable(banner->sentence()));
    // All of the workspace is shown: nothing judges or changes it as if it were the ds_config.
    ConfigModel& model = config().view().model();
    QVERIFY(model.answer().findings.empty() && model.safeFixCount() == 0);
    model.fixAllSafe();
    model.setValue(QStringLiteral("/zero_optimization/stage"), "2", QStringLiteral("x"));
    model.replaceText("{}", QStringLiteral("x"));
    QCOMPARE(m_window->document().text(), text.toStdString());
    int line = 0, column = 0;
    editor->getCursorPosition(&line, &column);
    QVERIFY2(std::abs(line - static_cast<int>(text.left(comma).count('\n'))) <= 1, qPrintable(QString::number(line)));
    editor->SendScintilla(QsciScintilla::SCI_GOTOPOS, static_cast<unsigned long>(comma));
    QTest::keyClicks(editor, QStringLiteral(","));
    editor->flush();
    waitForPlan();
    QTRY_VERIFY(!banner->isVisible());
    QVERIFY(plan().plan.has_value());
    QVERIFY(!m_window->document().isBroken());
    QVERIFY(editor->text().startsWith(QLatin1Char('{')) && editor->text().size() < text.size());   // the ds_config alone again
}

// The keystroke that makes a workspace readable shows its ds_config in place of all of it: what follows is typed where it belongs.
void TstMending::whatMendsAWorkspaceIsTypedInPlace()
{
    const QByteArray text = QByteArray(R"({"stagecraft": 1, "model": {"params": 1e9},
 "dsConfig": {
  "train_batch_size": ,
  "gradient_clipping": 1.0
 }})");
    openFile(fileWith(QStringLiteral("half.json"), text));
    m_window->actions().pages().at(1)->trigger();
    ConfigEditor* editor = config().view().editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(text.indexOf("train_batch_size\": ") + 19));
    for (const char digit : {'1', '2', '8'}) {
        QTest::keyClick(editor, digit);
        QTest::qWait(30);
    }
    QTRY_VERIFY2(m_window->document().text() == QByteArray(text).replace("\"train_batch_size\": ,", "\"train_batch_size\": 128,").toStdString(), m_window->document().text().c_str());
    QVERIFY(!m_window->document().isBroken());
    while (m_window->document().undoStack().canUndo())
        m_window->document().undoStack().undo();
    QCOMPARE(m_window->document().text(), text.toStdString());
    // Taken back, all of it is shown again, and the caret stands where it has to be mended.
    QTest::keyClick(editor, '6');
    QTest::qWait(30);
    QTRY_VERIFY2(QByteArray::fromStdString(m_window->document().text()).simplified().contains("\"train_batch_size\": 6"), m_window->document().text().c_str());
    while (m_window->document().undoStack().canUndo())
        m_window->document().undoStack().undo();
    // What was typed around the ds_config has no place in its text: nothing is typed there.
    QByteArray around = QByteArray(text).replace("\"train_batch_size\": ,", "\"train_batch_size\": 8,").replace("\"params\": 1e9", "\"params\": ");
    openFile(fileWith(QStringLiteral("around.json"), around));
    m_window->actions().pages().at(1)->trigger();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(around.indexOf("\"params\": ") + 10));
    for (const char digit : {'1', '2'}) {
        QTest::keyClick(QApplication::focusWidget(), digit);
        QTest::qWait(30);
    }
    QTRY_VERIFY(!m_window->document().isBroken());
    QCOMPARE(m_window->document().text(), QByteArray(around).replace("\"params\": ", "\"params\": 1").toStdString());
    QVERIFY(!editor->hasFocus());
    while (m_window->document().undoStack().canUndo())
        m_window->document().undoStack().undo();
}

void TstMending::brokenConfigIsMendedFromPlan()
{
    const QString file = fileWith(QStringLiteral("ds.json"), "{\n  \"bf16\": {\"enabled\": true\n}\n");
    openFile(fileWith(QStringLiteral("w.json"), "{\"stagecraft\": 1, \"model\": {\"preset\": \"llama-3-8b\", \"seq\": 4096}, \"dsConfig\": \"ds.json\"}\n"));
    auto* banner = m_window->findChild<MendBanner*>();
    QVERIFY(banner->isVisible());
    const auto* list = m_window->output().findings()->findChild<QTreeWidget*>();
    int errors = 0;
    for (int i = 0; i < list->topLevelItemCount(); ++i)
        errors += list->topLevelItem(i)->data(0, Qt::AccessibleTextRole).toString() == QLatin1String("error") ? 1 : 0;
    QCOMPARE(errors, 1);   // one message, though plan and check both stumble over it
    banner->button()->click();
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(&config()));
    QVERIFY(!banner->isVisible());   // the form says it there
    QVERIFY(config().view().editor()->text().contains(QStringLiteral("bf16")));
}

void TstMending::brokenFileOfAWorkspaceThatNamedAConfigIsMended()
{
    const QByteArray config = "{\"train_micro_batch_size_per_gpu\": 1}\n";
    fileWith(QStringLiteral("ds.json"), config);
    const QByteArray good = "{\"stagecraft\": 1, \"model\": {\"preset\": \"llama-3-8b\", \"seq\": 4096}, \"dsConfig\": \"ds.json\"}\n";
    openFile(fileWith(QStringLiteral("w.json"), good));
    fileWith(QStringLiteral("w.json"), good.chopped(2));
    QTRY_VERIFY(m_window->document().isBroken());   // nothing was unsaved: the file is taken
    waitForPlan();
    QVERIFY(m_window->document().isBroken());
    QCOMPARE(QByteArray::fromStdString(m_window->document().configText()), good.chopped(2));
    QVERIFY(m_window->findChild<MendBanner*>()->isVisible());
    m_window->actions().undo->trigger();
    QVERIFY(!m_window->document().isBroken());
    QCOMPARE(QByteArray::fromStdString(m_window->document().configText()), config);
}

void TstMending::configOpenedAloneIsNamedFromItsWorkspace()
{
    openWindow();
    openFile(fileWith(QStringLiteral("ds.json"), "{\"train_batch_size\": 16,}}\n"));
    const auto banner = [this] { return m_window->findChild<MendBanner*>()->findChild<QLabel*>()->text(); };
    m_window->actions().pages().at(0)->trigger();
    QTRY_VERIFY2(banner().startsWith(QStringLiteral("ds.json cannot be read")), qPrintable(banner()));
    QVERIFY(m_window->document().saveAs(m_scratch->filePath(QStringLiteral("ws.json")).toStdString()).hasValue());
    QVERIFY2(m_window->document().text().find("\"dsConfig\": \"ds.json\"") != std::string::npos, m_window->document().text().c_str());
    QTRY_VERIFY2(banner().contains(QStringLiteral("ds_config of ws.json")), qPrintable(banner()));
}

QTEST_MAIN(TstMending)
#include "tst_mending.moc"
