// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of a ds_config that is opened, of one that came back, and of a file that is none.
#include "window_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/config_wizard.h"
#include "app/export_panel.h"
#include "app/import_panel.h"
#include "app/log_panel.h"
#include "app/output_panels.h"
#include "app/recovery_banner.h"
#include "app/session/recovery_journal.h"
#include "widgets/config_diff.h"
#include "widgets/config_editor.h"
#include "widgets/config_form.h"
#include "widgets/config_help.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"

#include <QAction>
#include <QDialog>
#include <QListWidget>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>

using namespace stagecraft;
using namespace stagecraft::app;

namespace {

QByteArray longConfig(const char* stage)
{
    QByteArray text = "{\n  \"train_micro_batch_size_per_gpu\": 2,\n  \"optimizer\": {\"type\": \"AdamW\", \"params\": {\"lr\": 1e-4}},\n  \"my_own\": [\n";
    for (int i = 0; i < 90; ++i)
        text += "    " + QByteArray::number(i) + ",\n";
    return text + "    0\n  ],\n  \"zero_optimization\": {\n    \"stage\": " + stage + "\n  }\n}\n";
}

}  // namespace

class TstConfigOpening : public WindowTest {
    Q_OBJECT
private slots:
    void init() override
    {
        freshFolder();
        openWindow();
    }
    void anotherFileBeginsAtItsStart();
    void f1IsTheHelpOfTheKeyAtTheCursor();
    void recoveredConfigIsShownAndSaid_data();
    void recoveredConfigIsShownAndSaid();
    void aFileThatIsTooLargeIsToldItsLimit();
    void bytesThatAreNoTextAreSaidToBeNone();
    void theWizardLeavesWhatIsAuto();
    void whatIsImportedCanBeTakenBackBesideItsNote();
    void theExportOfAFileAloneLosesNothing();
    void theKeyOfAPanelIsNamedAsItIsPressed();
    void theKeyboardGoesToThePage();

private:
    [[nodiscard]] ConfigDocumentPage& config() const { return *m_window->findChild<ConfigDocumentPage*>(); }
    [[nodiscard]] ConfigPage& view() const { return config().view(); }
    [[nodiscard]] long firstLine() const { return view().editor()->SendScintilla(QsciScintillaBase::SCI_GETFIRSTVISIBLELINE); }
};

void TstConfigOpening::anotherFileBeginsAtItsStart()
{
    openFile(fileWith(QStringLiteral("a.json"), longConfig("2")));
    m_window->showPage(1);
    view().showKey(QStringLiteral("/zero_optimization/stage"));
    QTRY_VERIFY(firstLine() > 0);
    openFile(fileWith(QStringLiteral("b.json"), longConfig("1")));
    m_window->showPage(1);
    QTRY_COMPARE(firstLine(), 0L);
    QCOMPARE(view().form()->view()->verticalScrollBar()->value(), 0);
    QVERIFY(view().model().current().isEmpty());
}

void TstConfigOpening::f1IsTheHelpOfTheKeyAtTheCursor()
{
    openFile(fileWith(QStringLiteral("a.json"), longConfig("2")));
    m_window->showPage(1);
    m_window->activateWindow();
    m_window->actions().wizard->trigger();
    ConfigEditor* editor = view().editor();
    editor->setFocus();
    editor->setCursorOffset(static_cast<int>(longConfig("2").indexOf("\"stage\"")) + 2);
    QTest::keyClick(editor, Qt::Key_F1);
    QVERIFY(!view().shownPanel() && view().keyHelp()->isVisible());
    QVERIFY(view().keyHelp()->plainText().contains(QStringLiteral("/zero_optimization/stage")));
    QVERIFY(editor->hasFocus() && !QApplication::activeModalWidget());
    // At no key, and on other pages, it is the help of the window.
    m_window->showPage(0);
    m_window->actions().help->trigger();
    QTRY_VERIFY(QApplication::activeModalWidget() || m_window->findChild<QDialog*>());
    for (QDialog* dialog : m_window->findChildren<QDialog*>())
        dialog->close();
}

void TstConfigOpening::recoveredConfigIsShownAndSaid_data()
{
    QTest::addColumn<bool>("ofConfig");
    QTest::newRow("an edit of the ds_config") << true;
    QTest::newRow("an edit of what is around it") << false;
}

void TstConfigOpening::recoveredConfigIsShownAndSaid()
{
    QFETCH(bool, ofConfig);
    closeWindow();
    const QString file = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText()));
    {
        // A window that died: its entry stays, its lock is let go.
        WorkspaceDocument document;
        QVERIFY(document.open(file.toStdString()).hasValue());
        QVERIFY(document.setValue(ofConfig ? "/dsConfig/gradient_clipping" : "/training/steps", "77", QStringLiteral("edit")).hasValue());
        RecoveryJournal journal(m_options.recovery, document);
        journal.flush();
        const QDir folder(m_scratch->filePath(QStringLiteral("recovery")));
        QVERIFY(QFile::copy(folder.filePath(folder.entryList({QStringLiteral("*.json")}).value(0)), folder.filePath(QStringLiteral("dead.json"))));
    }
    openWindow();
    const auto recover = [this] { return m_window->findChild<QPushButton*>(QStringLiteral("recoverButton")); };
    QTRY_VERIFY(recover() != nullptr);
    recover()->click();
    QCOMPARE(m_window->currentPage() == &config(), ofConfig);
    auto* banner = m_window->findChild<RecoveryBanner*>();
    QVERIFY(banner->isVisible());
    QVERIFY2(banner->sentence().contains(QStringLiteral("w.json")) && banner->sentence().contains(QLocale().toString(QDate::currentDate(), QLocale::ShortFormat)), qPrintable(banner->sentence()));
    // It stays in the language of the window, and shows what it speaks of.
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_VERIFY2(banner->sentence().contains(QStringLiteral("恢复")), qPrintable(banner->sentence()));
    m_window->setLanguage(Language::English);
    banner->button()->click();
    QVERIFY(m_window->currentPage() == &config());
    QCOMPARE(view().views()->currentWidget(), static_cast<QWidget*>(view().diff()));
    QVERIFY(banner->isVisible());
    m_window->actions().save->trigger();
    QTRY_VERIFY(!banner->isVisible());
}

void TstConfigOpening::aFileThatIsTooLargeIsToldItsLimit()
{
    QSignalSpy failed(&m_window->files(), &FileFlow::failed);
    m_window->files().openPath(fileWith(QStringLiteral("large.json"), QByteArray(3 << 20, ' ') + "{}"));
    QCOMPARE(failed.count(), 1);
    const QString words = failed.front().front().toString();
    QVERIFY2(words.contains(QStringLiteral("large.json")) && words.contains(QStringLiteral("3.0")) && words.contains(QStringLiteral("2.0")) && words.contains(QStringLiteral("MiB")), qPrintable(words));
    QVERIFY2(words.endsWith(QStringLiteral("Is this the right file?")), qPrintable(words));
}

void TstConfigOpening::bytesThatAreNoTextAreSaidToBeNone()
{
    QByteArray bytes;
    for (int i = 0; i < 4000; ++i)
        bytes += static_cast<char>((i * 167 + i / 256 * 31) % 256);
    openFile(fileWith(QStringLiteral("weights.json"), bytes));
    m_window->showPage(1);
    const auto& findings = view().model().answer().findings;
    QVERIFY(!findings.empty());
    QCOMPARE(findings.front().rule, std::string("text.binary"));
    QVERIFY2(findings.front().message.find("no text file") != std::string::npos && findings.front().message.find("UTF-8") == std::string::npos, findings.front().message.c_str());
    QVERIFY(view().model().fixWords(findings.front()).isEmpty() && view().model().encodings().isEmpty());
}

void TstConfigOpening::theWizardLeavesWhatIsAuto()
{
    openText(QByteArray::fromStdString(FileFlow::demoText()));
    WorkspaceDocument& document = m_window->document();
    QVERIFY(document.setValue("/launch/launcher", "\"transformers\"", QStringLiteral("launcher")).hasValue());
    QVERIFY(document.setValue("/dsConfig/bf16", "{\"enabled\": \"auto\"}", QStringLiteral("auto")).hasValue());
    const std::string before = document.text();
    m_window->showPage(1);
    m_window->actions().wizard->trigger();
    ConfigWizard& wizard = config().wizard();
    while (wizard.questionId() != QStringLiteral("precision") && !wizard.questionId().isEmpty())
        wizard.next();
    const auto button = [&](const char* json) { return wizard.findChild<QRadioButton*>(QString::fromUtf8(json)); };
    QVERIFY(button("\"auto\"") && button("\"auto\"")->isChecked());
    QCOMPARE(button("\"auto\"")->text(), QStringLiteral("auto: the Trainer decides"));
    // Tried and taken back it is as it was.
    button("\"bf16\"")->click();
    button("\"auto\"")->click();
    while (!wizard.questionId().isEmpty())
        wizard.next();
    wizard.apply();
    QCOMPARE(document.text(), before);
}

void TstConfigOpening::whatIsImportedCanBeTakenBackBesideItsNote()
{
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    const std::string before = m_window->document().text();
    m_window->files().openPath(fileWith(QStringLiteral("acc.yaml"), "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n  zero_stage: 2\n  gradient_accumulation_steps: 1\nmixed_precision: 'no'\nnum_processes: 2\n"));
    ImportPanel& panel = config().importPanel();
    QTRY_VERIFY2(panel.imported() || !panel.problem().isEmpty(), qPrintable(panel.problem()));
    QTest::mouseClick(panel.takeButton(), Qt::LeftButton);
    const auto links = m_window->findChildren<QPushButton*>();
    const auto undo = std::find_if(links.begin(), links.end(), [](const QPushButton* button) { return button->isVisible() && button->text() == QLatin1String("Undo"); });
    QVERIFY(undo != links.end());
    QVERIFY(m_window->document().text() != before);
    QTest::mouseClick(*undo, Qt::LeftButton);
    QCOMPARE(m_window->document().text(), before);
}

/// Ranks that are assumed take nothing away from a file that is written byte for byte.
void TstConfigOpening::theExportOfAFileAloneLosesNothing()
{
    openFile(fileWith(QStringLiteral("ds.json"), longConfig("2")));
    m_window->resize(1280, 800);
    m_window->actions().exportConfig->trigger();
    ExportPanel& panel = config().exportPanel();
    panel.start(QStringLiteral("ds_config"));
    QVERIFY(panel.made() && !panel.made()->warnings.empty());
    const auto* tabs = panel.findChild<QTabWidget*>();
    QCOMPARE(tabs->tabText(tabs->count() - 1), QStringLiteral("Warnings (%1)").arg(panel.made()->warnings.size()));
    panel.start(QStringLiteral("accelerate"));
    QVERIFY(tabs->tabText(tabs->count() - 1).startsWith(QStringLiteral("What is lost (")));
    QVERIFY(panel.list()->height() >= 24 * 8);
}

void TstConfigOpening::theKeyOfAPanelIsNamedAsItIsPressed()
{
    QCOMPARE(m_window->actions().previousPanel->shortcut().toString(), QStringLiteral("Ctrl+Shift+Tab"));
    openFile(fileWith(QStringLiteral("ds.json"), longConfig("2")));
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    // What a keyboard sends for it is Backtab.
    QSignalSpy gone(m_window->actions().previousPanel, &QAction::triggered);
    QTest::keyClick(m_window.get(), Qt::Key_Backtab, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(gone.count(), 1);
}

void TstConfigOpening::theKeyboardGoesToThePage()
{
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    for (const int page : {1, 0, 1}) {
        m_window->actions().pages().at(page)->trigger();
        QWidget* at = QApplication::focusWidget();
        QVERIFY2(at && (at == m_window->currentPage() || m_window->currentPage()->isAncestorOf(at)), at ? qPrintable(QString::fromLatin1(at->metaObject()->className()) + at->accessibleName()) : "none");
    }
}

QTEST_MAIN(TstConfigOpening)
#include "tst_config_opening.moc"
