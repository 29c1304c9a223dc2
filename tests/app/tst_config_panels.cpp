// SPDX-License-Identifier: GPL-3.0-or-later
// The Config page with a panel at its side, as the window shows it: whose file is changed, what stays in sight.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/drop_frame.h"
#include "app/import_panel.h"
#include "widgets/config_editor.h"
#include "widgets/config_form.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QPushButton>
#include <QUndoStack>
#include <QUrl>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

const QByteArray kPlain = "{\n  \"train_batch_size\": 16,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"zero_optimization\": {\"stage\": 2}\n}\n";
const QByteArray kAccelerate = R"(compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  gradient_accumulation_steps: 4
  zero_stage: 3
  offload_optimizer_device: cpu
mixed_precision: bf16
num_machines: 1
num_processes: 2
)";

}  // namespace

class TstConfigPanels : public PlanPageTest {
    Q_OBJECT
private slots:
    void anImportGoesIntoTheFileThatIsOpen_data();
    void anImportGoesIntoTheFileThatIsOpen();

    void narrowWindowKeepsTextAndPanelSideBySide();
    void aFileDroppedOnTheTextIsOpened();
    void elementsOfAListHaveTheHelpOfTheList();

private:
    [[nodiscard]] ConfigDocumentPage& config() const { return *m_window->findChild<ConfigDocumentPage*>(); }
    [[nodiscard]] ConfigPage& view() const { return config().view(); }
    [[nodiscard]] WorkspaceDocument& document() const { return m_window->document(); }
    [[nodiscard]] QByteArray text() const { return QByteArray::fromStdString(document().configText()); }
    [[nodiscard]] static QByteArray contentOf(const QString& path)
    {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    void waitForImport()
    {
        QTRY_VERIFY(config().importPanel().takeButton()->isEnabled());
    }
};

void TstConfigPanels::anImportGoesIntoTheFileThatIsOpen_data()
{
    QTest::addColumn<QByteArray>("opened");
    QTest::newRow("over a config") << kPlain;
    QTest::newRow("over a text that cannot be read") << QByteArray("{\"train_batch_size\": ");
    QTest::newRow("over a file with the lines of Windows") << QByteArray("{\r\n  \"train_batch_size\": 16\r\n}\r\n");
}

void TstConfigPanels::anImportGoesIntoTheFileThatIsOpen()
{
    QFETCH(QByteArray, opened);
    const QString path = fileWith(QStringLiteral("real.json"), opened);
    openFile(path);
    const std::string around = document().text();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    ImportPanel& panel = config().importPanel();
    QVERIFY(panel.newButton()->isVisible() && panel.takeButton()->isVisible());
    QStringList words;
    for (const ToneLabel* label : panel.findChildren<ToneLabel*>())
        words << label->text();
    QVERIFY2(words.join(QLatin1Char(' ')).contains(QStringLiteral("goes into real.json")), qPrintable(words.join(QLatin1Char('\n'))));
    panel.takeButton()->click();
    // It is the same file, with the text as the panel showed it.
    QVERIFY(document().isConfigAlone());
    QCOMPARE(document().title(), QStringLiteral("real.json"));
    QCOMPARE(document().undoStack().count(), 1);
    QCOMPARE(text(), QByteArray::fromStdString(panel.imported()->dsConfigText));
    QVERIFY2(text().startsWith("{\n") && text().endsWith("\n}\n") && text().contains("\n  \""), text().constData());
    QVERIFY2(text().contains("\"stage\": 3"), text().constData());
    // What else it says is set around it: two ranks.
    QVERIFY(document().text() != around);
    waitForPlan();
    QTRY_VERIFY(view().surroundings()->text().contains(QLatin1Char('2')));
    m_window->actions().save->trigger();
    QCOMPARE(contentOf(path), text());
    m_window->actions().undo->trigger();
    QCOMPARE(text(), opened);
    QCOMPARE(document().text(), around);
    m_window->actions().redo->trigger();
    // The other choice leaves the file alone.
    m_window->actions().undo->trigger();
    m_window->actions().save->trigger();
    m_window->files().openPath(fileWith(QStringLiteral("default_config.yaml"), kAccelerate));
    waitForImport();
    panel.newButton()->click();
    QTRY_VERIFY(!document().isConfigAlone() && text().contains("\"stage\": 3"));
    QCOMPARE(contentOf(path), opened);
}

void TstConfigPanels::narrowWindowKeepsTextAndPanelSideBySide()
{
    m_window->resize(1024, 700);
    openText(workspaceOf("llama-3-8b", 1, 8, "deepspeed"));
    m_window->actions().pages().at(1)->trigger();
    QTRY_COMPARE(m_window->width(), 1024);
    QVERIFY(view().form()->isVisible() && view().groups()->isVisible());
    const auto panels = {std::pair<QAction*, int>(m_window->actions().wizard, 300), std::pair<QAction*, int>(m_window->actions().exportConfig, 380)};
    for (const auto& [action, width] : panels) {
        action->trigger();
        QTRY_VERIFY(view().shownPanel() && view().shownPanel()->isVisible());
        QVERIFY(!view().form()->isVisible() && !view().groups()->isVisible());
        QTRY_VERIFY2(view().editor()->isVisible() && view().editor()->width() >= 400, qPrintable(QString::number(view().editor()->width())));
        QVERIFY2(view().shownPanel()->width() >= width, qPrintable(QString::number(view().shownPanel()->width())));
        QVERIFY(view().mapTo(m_window.get(), QPoint(view().width(), 0)).x() <= m_window->width());
    }
    m_window->actions().find->trigger();   // the search field is with the groups
    QVERIFY(view().form()->isVisible() && view().groups()->isVisible() && !view().shownPanel()->isVisible());
    QVERIFY(view().editor()->width() >= 260);
    // A button says what is out of sight, and brings it back.
    auto* turn = view().findChild<QPushButton*>(QStringLiteral("keysOrHelp"));
    QVERIFY(turn && turn->isVisible());
    QCOMPARE(turn->text(), QStringLiteral("Export"));
    turn->click();
    QVERIFY(view().shownPanel()->isVisible() && !view().form()->isVisible());
    QCOMPARE(turn->text(), QStringLiteral("Form"));
    turn->click();
    QVERIFY(view().form()->isVisible() && view().groups()->isVisible());
    view().showSidePanel(nullptr);
    QCOMPARE(turn->text(), QStringLiteral("Key help"));
    turn->click();
    QVERIFY(view().keyHelp()->isVisible() && view().form()->isVisible() && !view().groups()->isVisible());
    QVERIFY(view().mapTo(m_window.get(), QPoint(view().width(), 0)).x() <= m_window->width());
    m_window->resize(1440, 900);
    QTRY_VERIFY(view().keyHelp()->isVisible() && view().form()->isVisible() && view().groups()->isVisible() && !turn->isVisible());
}

void TstConfigPanels::aFileDroppedOnTheTextIsOpened()
{
    openFile(fileWith(QStringLiteral("real.json"), kPlain));
    m_window->showPage(1);
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(fileWith(QStringLiteral("other.json"), "{\"train_batch_size\": 8}\n"))});
    QWidget* viewport = view().editor()->viewport();
    QDragEnterEvent enter(QPoint(40, 40), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &enter);
    QVERIFY(enter.isAccepted());
    QVERIFY2(m_window->findChild<DropFrame*>()->isVisible(), "the window takes it, not the text");
    QDropEvent drop(QPointF(40, 40), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &drop);
    QTRY_COMPARE(document().title(), QStringLiteral("other.json"));
    QVERIFY2(!text().contains("file:"), text().constData());
    // Words are put in as before.
    QMimeData words;
    words.setText(QStringLiteral("  "));
    QDragEnterEvent enterWords(QPoint(40, 40), Qt::CopyAction, &words, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(viewport, &enterWords);
    QVERIFY(enterWords.isAccepted() && !m_window->findChild<DropFrame*>()->isVisible());
}

void TstConfigPanels::elementsOfAListHaveTheHelpOfTheList()
{
    openFile(fileWith(QStringLiteral("real.json"), R"({"train_batch_size": 8, "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "betas": [0.9, 0.95]}}, "mine": [[1, 2], {"a": 3}]})"));
    m_window->showPage(1);
    ConfigEditor* editor = view().editor();
    m_window->activateWindow();
    editor->setFocus();
    QTRY_VERIFY(editor->hasFocus());
    const auto helpAt = [&](const char* word) {
        editor->setCursorOffset(static_cast<int>(text().indexOf(word)) + 1);
        return view().keyHelp()->plainText();
    };
    const QString whole = helpAt("\"betas");
    QVERIFY(whole.contains(QStringLiteral("/optimizer/params/betas")));
    QCOMPARE(helpAt("0.95"), whole);
    QCOMPARE(view().model().current(), QStringLiteral("/optimizer/params/betas"));
    QVERIFY2(helpAt("2]").contains(QStringLiteral("/mine\n")), qPrintable(helpAt("2]")));
    QVERIFY2(helpAt("3}").contains(QStringLiteral("/mine\n")), qPrintable(helpAt("3}")));
    // A finding at an element is shown with it.
    view().showKey(QStringLiteral("/optimizer/params/betas/1"));
    QCOMPARE(view().keyHelp()->plainText(), whole);
}

QTEST_MAIN(TstConfigPanels)
#include "tst_config_panels.moc"
