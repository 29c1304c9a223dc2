// SPDX-License-Identifier: GPL-3.0-or-later
// The window through its own buttons and keys. Runs are started with a small program that behaves like the supervisor as far
// as the window can see: it writes run.json, holds the lock's place with its pid and ends on SIGTERM.
#include "app/actions.h"
#include "app/command_palette.h"
#include "app/config_document_page.h"
#include "app/disk_banner.h"
#include "app/dock_bar.h"
#include "app/output_panels.h"
#include "app/page.h"
#include "app/panel_tour.h"
#include "app/plan_page.h"
#include "app/run_flow.h"
#include "app/session/run_controller.h"
#include "widgets/choice_row.h"
#include "widgets/config_diff.h"
#include "widgets/config_page.h"
#include "widgets/fit_slider.h"
#include "widgets/figure_strip.h"
#include "widgets/inspector.h"
#include "window_fixture.h"

#include <QAction>
#include <QClipboard>
#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScopeGuard>
#include <QTableWidget>
#include <QUndoStack>

using namespace stagecraft;
using namespace stagecraft::app;

class TstMainWindow : public WindowTest {
    Q_OBJECT
private slots:
    void init() override
    {
        freshFolder();
        openWindow();
    }
    void startsOnTheDemoRow();
    void demoOpensOnPlanWithAVerdict();
    void stageChangeIsOneNamedStepAndUndoes();
    void undoKeyIsTheWorkspacesOnceTheFieldIsDone();
    void sliderDragIsOneStep();
    void batchRuleFollowsTheSlider();
    void damagedWorkspaceOpensAndSaysWhere();
    void closingAsksAboutUnsavedWork();
    void killedWindowsWorkIsOffered();
    void pagesNeedAWorkspace();
    void commandOfThePageIsCopied();
    void commandOfLaunchIsOnEveryPage();
    void paletteFindsAndRuns();
    void languageSwitchesLive();
    void aboutShowsLicenceAndNotices();
    void everyActionHasTextAndTip();
    void everyInputHasAName();
    void narrowWindowHasTheInspectorInADrawer();
    void aPanelFillsThePageAndIsPutBack();
    void panelsAreGoneRoundByKey();
    void launchPassesTheWindowsTextAndReportsARefusal();

private:
    QPushButton* dialogButton(const char* box, const char* button);
};

QPushButton* TstMainWindow::dialogButton(const char* box, const char* button)
{
    auto* dialog = m_window->findChild<QMessageBox*>(QString::fromLatin1(box));
    return dialog ? dialog->findChild<QPushButton*>(QString::fromLatin1(button)) : nullptr;
}

void TstMainWindow::startsOnTheDemoRow()
{
    auto* row = m_window->findChild<ChoiceRow*>(QStringLiteral("demoRow"));
    QVERIFY(row);
    QVERIFY(m_window->currentPage() == nullptr);
    QTRY_VERIFY(m_window->findChild<ChoiceRow*>(QStringLiteral("demoRow"))->hasFocus());
}

void TstMainWindow::demoOpensOnPlanWithAVerdict()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    QVERIFY(m_window->document().isOpen());
    QVERIFY(!m_window->document().isModified());
    QCOMPARE(m_window->currentPage()->name(), QStringLiteral("Plan"));
    const PlanSet& plan = *m_window->plans().current();
    QVERIFY(plan.plan && plan.plan->ledger);
    for (const auto& stage : plan.stages)
        QVERIFY(stage.has_value());
    const QStringList figures = m_window->findChild<FigureStrip*>()->shownTexts();
    QVERIFY2(figures.join(QLatin1Char('|')).contains(QStringLiteral("Fits")), qPrintable(figures.join(QLatin1Char('|'))));
    QVERIFY(m_window->inspector().plainText().contains(QStringLiteral("Stage 0 needs")));
}

void TstMainWindow::stageChangeIsOneNamedStepAndUndoes()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    const std::string before = m_window->document().text();
    m_window->findChild<PlanPage*>()->setStage(3);
    waitForPlan();
    QCOMPARE(m_window->plans().current()->engine->zeroStage, 3);
    QUndoStack& undo = m_window->document().undoStack();
    QCOMPARE(undo.count(), 1);
    QCOMPARE(undo.undoText(), QStringLiteral("ZeRO stage 2 → 3"));
    QVERIFY(m_window->document().isModified());
    m_window->actions().undo->trigger();
    waitForPlan();
    QCOMPARE(m_window->document().text(), before);
    QCOMPARE(m_window->plans().current()->engine->zeroStage, 2);
    QVERIFY(m_window->actions().redo->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_Y)) && m_window->actions().redo->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z)));
    m_window->actions().redo->trigger();
    waitForPlan();
    QCOMPARE(m_window->plans().current()->engine->zeroStage, 3);
}

void TstMainWindow::undoKeyIsTheWorkspacesOnceTheFieldIsDone()
{
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_window->actions().openDemo->trigger();
    waitForPlan();
    FitSlider* stage = nullptr;
    for (FitSlider* slider : m_window->currentPage()->findChildren<FitSlider*>())
        if (slider->findChild<QLineEdit*>()->accessibleName().contains(QStringLiteral("ZeRO")))
            stage = slider;
    QVERIFY(stage);
    auto* field = stage->findChild<QLineEdit*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("3"));
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);   // still typing: the field's own
    QCOMPARE(m_window->document().undoStack().count(), 0);
    field->selectAll();
    QTest::keyClicks(field, QStringLiteral("3"));
    QTest::keyClick(field, Qt::Key_Return);
    waitForPlan();
    QTRY_COMPARE(m_window->plans().current()->engine->zeroStage, 3);
    QVERIFY(field->hasFocus());
    QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
    QTRY_COMPARE(m_window->plans().current()->engine->zeroStage, 2);
    QTRY_COMPARE(field->text(), QStringLiteral("2"));
}

void TstMainWindow::sliderDragIsOneStep()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    auto* page = m_window->findChild<PlanPage*>();
    for (const std::int64_t micro : {8, 16, 32}) {
        page->turnKnob(Knob::MicroBatch, micro, false);
        waitForPlan();
    }
    page->turnKnob(Knob::MicroBatch, 32, true);
    QCOMPARE(m_window->document().undoStack().count(), 1);
    page->turnKnob(Knob::MicroBatch, 16, true);
    QCOMPARE(m_window->document().undoStack().count(), 2);
}

void TstMainWindow::batchRuleFollowsTheSlider()
{
    QByteArray text = QByteArray::fromStdString(FileFlow::demoText());
    text.replace("\"train_micro_batch_size_per_gpu\": 4,", "\"train_batch_size\": 8, \"train_micro_batch_size_per_gpu\": 4,");
    openFile(fileWith(QStringLiteral("w.json"), text));
    QVERIFY(m_window->plans().current()->engine);
    m_window->findChild<PlanPage*>()->turnKnob(Knob::DataParallel, 4, true);
    waitForPlan();
    const PlanSet& plan = *m_window->plans().current();
    QVERIFY2(plan.engine.has_value(), plan.engineProblem ? plan.engineProblem->message.c_str() : "");
    QCOMPARE(plan.engine->trainBatch, std::int64_t{16});
    QCOMPARE(plan.workspace->layout.dp, 4);
    QCOMPARE(m_window->document().undoStack().count(), 1);
}

void TstMainWindow::damagedWorkspaceOpensAndSaysWhere()
{
    openFile(fileWith(QStringLiteral("broken.json"), "{\n  \"stagecraft\": 1,\n  \"model\": {\"family\": }\n}\n"));
    QVERIFY(m_window->document().isOpen());
    QVERIFY(m_window->plans().current()->problem.has_value());
    QVERIFY2(m_window->plans().current()->problem->message.find("3") != std::string::npos, m_window->plans().current()->problem->message.c_str());
    QVERIFY(!m_window->actions().launch->isEnabled());
    QVERIFY(m_window->actions().launch->toolTip().contains(QString::fromStdString(m_window->plans().current()->problem->message)));
}

void TstMainWindow::closingAsksAboutUnsavedWork()
{
    const QString path = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText()));
    openFile(path);
    m_window->findChild<PlanPage*>()->setStage(1);
    QVERIFY(!m_window->close());
    QPushButton* save = dialogButton("unsavedQuestion", "saveButton");
    QVERIFY(save);
    save->click();
    QTRY_VERIFY(!m_window->isVisible());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll().contains("\"stage\": 1"));
}

void TstMainWindow::killedWindowsWorkIsOffered()
{
    // The journal of a window that was killed: written by a real window, then left behind with nobody holding its lock.
    const QByteArray home = qgetenv("HOME");
    const auto putBack = qScopeGuard([&home] { qputenv("HOME", home); });
    qputenv("HOME", QFileInfo(m_scratch->path()).path().toUtf8());
    const QString path = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText()));
    openFile(path);
    m_window->findChild<PlanPage*>()->setStage(0);
    const QDir recovery(m_scratch->filePath(QStringLiteral("recovery")));
    QTRY_VERIFY(!recovery.entryList({QStringLiteral("*.json")}, QDir::Files).isEmpty());
    const QString entry = recovery.entryList({QStringLiteral("*.json")}, QDir::Files).first();
    const QString left = m_scratch->filePath(QStringLiteral("left.json"));
    QVERIFY(QFile::copy(recovery.filePath(entry), left));
    m_window.reset();
    (void)QFile::remove(recovery.filePath(entry));
    QVERIFY(QFile::copy(left, recovery.filePath(entry)));
    const QByteArray theirs = QByteArray::fromStdString(FileFlow::demoText()).replace("\"stage\": 2", "\"stage\": 1");
    fileWith(QStringLiteral("w.json"), theirs);   // another program, while no window is there

    m_window = std::make_unique<MainWindow>(m_options);
    m_window->show();
    QTRY_VERIFY(dialogButton("recoveryQuestion", "recoverButton"));
    const auto* question = m_window->findChild<QMessageBox*>(QStringLiteral("recoveryQuestion"));
    QVERIFY(question->informativeText().contains(QStringLiteral("another program has changed w.json")));
    // Files of one name are told apart by their folder.
    QVERIFY2(question->text().contains(QStringLiteral("w.json in ~/")), qPrintable(question->text()));
    dialogButton("recoveryQuestion", "recoverButton")->click();
    QTRY_VERIFY(m_window->document().isOpen());
    QVERIFY(m_window->document().isModified());
    QVERIFY(m_window->document().text().find("\"stage\": 0") != std::string::npos);
    // What is on disk is asked about at once, and is not lost by a save before the answer.
    auto* banner = m_window->findChild<DiskBanner*>();
    QTRY_VERIFY(banner->asks() && banner->isVisible());
    m_window->actions().save->trigger();
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), theirs);
    banner->findChild<QPushButton*>(QStringLiteral("keepButton"))->click();
    QVERIFY(!banner->isVisible());
    m_window->actions().save->trigger();
    QVERIFY(!m_window->document().isModified());
}

void TstMainWindow::pagesNeedAWorkspace()
{
    QVERIFY(!m_window->actions().pages().front()->isEnabled());
    QVERIFY(!m_window->actions().save->isEnabled());
    m_window->actions().openDemo->trigger();
    QVERIFY(m_window->actions().pages().front()->isEnabled());
    m_window->actions().closeWorkspace->trigger();
    QVERIFY(m_window->currentPage() == nullptr);
}

void TstMainWindow::commandOfThePageIsCopied()
{
    const QString path = fileWith(QStringLiteral("it's here.json"), QByteArray::fromStdString(FileFlow::demoText()));
    openFile(path);
    m_window->actions().copyCommand->trigger();
    QVERIFY(QGuiApplication::clipboard()->text().startsWith(QStringLiteral("stagecraft plan '")));
    QVERIFY(QGuiApplication::clipboard()->text().contains(QStringLiteral("it'\\''s here.json'")));
}

void TstMainWindow::commandOfLaunchIsOnEveryPage()
{
    const auto line = [this](const char* name) {
        const auto all = m_window->output().findChildren<QLineEdit*>();
        const auto found = std::find_if(all.begin(), all.end(), [name](const QLineEdit* edit) { return edit->accessibleName() == QLatin1String(name); });
        return found == all.end() || (*found)->isHidden() ? QString() : (*found)->text();
    };
    // Nothing is open: no command that would fail where it is typed.
    QCOMPARE(m_window->findChild<DockBar*>()->command(), QString());
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    const QString run = QStringLiteral("stagecraft run ") + m_scratch->filePath(QStringLiteral("w.json"));
    for (int page = 0; page < static_cast<int>(m_window->pages().size()); ++page) {
        m_window->showPage(page);
        QCOMPARE(line("Command line of Launch"), run);
        QCOMPARE(line("Command line of this page"), m_window->currentPage()->command());
        QVERIFY(!m_window->findChild<DockBar*>()->command().isEmpty());   // a Run page without a run has that of Launch
    }
    emit m_window->output().copyRequested(run);
    QCOMPARE(QGuiApplication::clipboard()->text(), run);
}

void TstMainWindow::paletteFindsAndRuns()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    m_window->actions().palette->trigger();
    auto* palette = m_window->findChild<CommandPalette*>();
    QVERIFY(palette);
    QTest::keyClicks(palette->field(), QStringLiteral("zero stage to 1"));
    QVERIFY(palette->shownTexts().contains(QStringLiteral("Set ZeRO stage to 1")));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    waitForPlan();
    QTRY_COMPARE(m_window->plans().current()->engine->zeroStage, 1);
    // A key is listed once, with the optimizers it belongs to.
    palette = CommandPalette::open(*m_window);
    QTest::keyClicks(palette->field(), QStringLiteral("params.differentiable"));
    QCOMPARE(palette->shownTexts().filter(QStringLiteral("optimizer.params.differentiable")).size(), 1);
    QCOMPARE(palette->shownEffects().value(palette->shownTexts().indexOf(QStringLiteral("optimizer.params.differentiable"))), QStringLiteral("with Adam, AdamW"));
    palette->field()->setText(QStringLiteral("params.eps"));
    const qsizetype at = palette->shownTexts().indexOf(QStringLiteral("optimizer.params.eps_inside_sqrt"));
    QCOMPARE(palette->shownEffects().value(at), QStringLiteral("with Lamb, OneBitAdam, OneBitLamb, ZeroOneAdam"));
    palette->close();
    // What a page shows behind a tab has a name here, too.
    palette = CommandPalette::open(*m_window);
    QTest::keyClicks(palette->field(), QStringLiteral("diff saved"));
    QVERIFY2(palette->shownTexts().contains(QStringLiteral("Config diff: compare with the saved file")), qPrintable(palette->shownTexts().join(QLatin1Char('|'))));
    QTest::keyClick(palette->field(), Qt::Key_Return);
    const ConfigPage& config = m_window->findChild<ConfigDocumentPage*>()->view();
    QTRY_VERIFY(config.diff()->isVisible());
    QVERIFY(config.diff()->table()->rowCount() > 0);
    QVERIFY(m_window->actions().diffFile->isEnabled());
    m_window->actions().diffFile->trigger();
    auto* dialog = config.diff()->findChild<QFileDialog*>();
    QVERIFY(dialog);
    dialog->reject();
}

void TstMainWindow::languageSwitchesLive()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    m_window->setLanguage(Language::SimplifiedChinese);
    QCOMPARE(m_window->currentPage()->name(), QStringLiteral("规划"));
    QTRY_COMPARE(m_window->findChild<QPushButton*>(QStringLiteral("launchButton"))->text(), QStringLiteral("启动  F5"));
    CommandPalette* palette = CommandPalette::open(*m_window);
    QTest::keyClicks(palette->field(), QStringLiteral("dark"));
    QVERIFY2(palette->shownTexts().value(1).contains(QStringLiteral("深色")), qPrintable(palette->shownTexts().join(QLatin1Char('|'))));
    palette->close();
    m_window->setLanguage(Language::English);
    QCOMPARE(m_window->currentPage()->name(), QStringLiteral("Plan"));
    QCOMPARE(loadSettings(m_options.settingsFile).language, std::optional(Language::English));
}

void TstMainWindow::aboutShowsLicenceAndNotices()
{
    m_window->actions().about->trigger();
    auto* about = m_window->findChild<QDialog*>(QStringLiteral("aboutDialog"));
    QVERIFY(about);
    QStringList texts;
    for (const QPlainTextEdit* page : about->findChildren<QPlainTextEdit*>())
        texts << page->toPlainText();
    QVERIFY(texts.join(QLatin1Char(' ')).contains(QStringLiteral("GNU GENERAL PUBLIC LICENSE")));
    QVERIFY(texts.join(QLatin1Char(' ')).contains(QStringLiteral("PyTorch")));
}

void TstMainWindow::everyActionHasTextAndTip()
{
    for (const QAction* action : m_window->actions().all()) {
        QVERIFY(!action->text().isEmpty());
        QVERIFY2(!action->toolTip().isEmpty(), qPrintable(action->text()));
        if (!action->shortcut().isEmpty() && action->toolTip() != action->text())
            QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)), qPrintable(action->toolTip()));
    }
    QStringList keys;
    for (const QAction* action : m_window->actions().all())
        if (!action->shortcut().isEmpty()) {
            const QString key = action->shortcut().toString();
            QVERIFY2(!keys.contains(key), qPrintable(QStringLiteral("two actions have ") + key));
            keys << key;
        }
}

void TstMainWindow::everyInputHasAName()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    QStringList nameless;
    for (QWidget* widget : m_window->currentPage()->findChildren<QWidget*>())
        if (widget->focusPolicy() & Qt::TabFocus && widget->isVisible() && widget->accessibleName().isEmpty())
            nameless << QString::fromLatin1(widget->metaObject()->className());
    QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(QLatin1Char(' '))));
}

void TstMainWindow::narrowWindowHasTheInspectorInADrawer()
{
    m_window->actions().openDemo->trigger();
    waitForPlan();
    auto* button = m_window->findChild<QPushButton*>(QStringLiteral("inspectorButton"));
    auto* drawer = m_window->findChild<QWidget*>(QStringLiteral("inspectorDrawer"));
    QVERIFY(button && drawer);
    QVERIFY(!button->isVisible() && !drawer->isVisible() && m_window->inspector().isVisible());
    m_window->resize(1100, 760);
    QTRY_VERIFY(button->isVisible());
    QVERIFY(!m_window->inspector().isVisible());
    QCoreApplication::processEvents();
    const QRect page = m_window->currentPage()->geometry();
    QTest::mouseClick(button, Qt::LeftButton);
    QVERIFY(drawer->isVisible() && m_window->inspector().isVisible());
    QVERIFY(drawer->isAncestorOf(&m_window->inspector()));
    QVERIFY(m_window->inspector().plainText().contains(QStringLiteral("Stage")));
    QCOMPARE(m_window->currentPage()->geometry(), page);   // it covers and moves nothing
    QVERIFY(m_window->rect().contains(QRect(drawer->mapTo(m_window.get(), QPoint(0, 0)), drawer->size())));
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QVERIFY(!drawer->isVisible() && !button->isChecked());
    m_window->actions().inspector->trigger();
    QVERIFY(drawer->isVisible());
    m_window->resize(1440, 900);
    QTRY_VERIFY(!button->isVisible());
    QVERIFY(!drawer->isVisible() && m_window->inspector().isVisible() && !drawer->isAncestorOf(&m_window->inspector()));
    QVERIFY(m_window->actions().inspector->isChecked());
}

void TstMainWindow::aPanelFillsThePageAndIsPutBack()
{
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_window->actions().openDemo->trigger();
    waitForPlan();
    const auto shown = [this] { return PanelTour::panelsOf(*m_window->currentPage()); };
    const auto all = shown();
    QVERIFY(all.size() >= 4);
    QTest::keyClick(m_window.get(), Qt::Key_Tab, Qt::ControlModifier);
    Panel* chosen = PanelTour::currentPanel(*m_window->currentPage());
    const QRect before = chosen->geometry();
    QTest::keyClick(m_window.get(), Qt::Key_F11);
    QCOMPARE(shown(), std::vector<Panel*>{chosen});
    QVERIFY(m_window->actions().fillPanel->isChecked());
    QTRY_VERIFY2(chosen->width() >= m_window->currentPage()->width() - 8 && chosen->height() >= m_window->currentPage()->height() - 8, qPrintable(QStringLiteral("%1 x %2").arg(chosen->width()).arg(chosen->height())));
    QTest::keyClick(m_window.get(), Qt::Key_F11);
    QTRY_COMPARE(shown(), all);
    QTRY_COMPARE(chosen->geometry(), before);
    QTest::keyClick(m_window.get(), Qt::Key_F11);
    QTest::keyClick(m_window.get(), Qt::Key_Escape);
    QTRY_COMPARE(shown(), all);
    QVERIFY(!m_window->actions().fillPanel->isChecked());
    // Another page is never left with a hole.
    QTest::keyClick(m_window.get(), Qt::Key_F11);
    m_window->showPage(1);
    m_window->showPage(0);
    QTRY_COMPARE(shown(), all);
}

void TstMainWindow::panelsAreGoneRoundByKey()
{
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_window->actions().openDemo->trigger();
    waitForPlan();
    auto panels = PanelTour::panelsOf(*m_window->currentPage());
    std::vector<Panel*> seen;
    for (std::size_t i = 0; i < panels.size(); ++i) {
        QTest::keyClick(m_window.get(), Qt::Key_Tab, Qt::ControlModifier);
        QVERIFY(QApplication::focusWidget() != nullptr);
        seen.push_back(PanelTour::currentPanel(*m_window->currentPage()));
    }
    // Wherever the focus was: all, in the order of reading.
    std::rotate(panels.begin(), std::find(panels.begin(), panels.end(), seen.front()), panels.end());
    QCOMPARE(seen, panels);
    m_window->actions().previousPanel->trigger();
    QCOMPARE(PanelTour::currentPanel(*m_window->currentPage()), panels[panels.size() - 2]);
}

void TstMainWindow::launchPassesTheWindowsTextAndReportsARefusal()
{
    // A supervisor that keeps what it was given and refuses in the words of the command line.
    const QString program = fileWith(QStringLiteral("stagecraft"), "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$(dirname \"$0\")/arguments\"\ncp \"$2\" \"$(dirname \"$0\")/given.json\"\n"
                                                                   "echo 'stagecraft: Cannot run: nothing to train here; choose another.' >&2\nexit 1\n");
    QVERIFY(QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    m_window->actions().openDemo->trigger();
    waitForPlan();
    m_window->findChild<PlanPage*>()->setStage(3);
    waitForPlan();
    m_window->findChild<QPushButton*>(QStringLiteral("launchButton"))->click();
    QTRY_COMPARE_WITH_TIMEOUT(m_window->runController().state(), RunState::Failed, 10'000);
    QVERIFY(m_window->runController().failureText().contains(QStringLiteral("nothing to train here")));
    QFile given(m_scratch->filePath(QStringLiteral("given.json")));
    QVERIFY(given.open(QIODevice::ReadOnly));
    QVERIFY(given.readAll().contains("\"stage\": 3"));
    QFile arguments(m_scratch->filePath(QStringLiteral("arguments")));
    QVERIFY(arguments.open(QIODevice::ReadOnly));
    const QByteArray words = arguments.readAll();
    QVERIFY(words.startsWith("run\n"));
    QVERIFY(words.contains("--run-dir\n"));
    QVERIFY(m_window->actions().launch->isEnabled());
}

QTEST_MAIN(TstMainWindow)
#include "tst_main_window.moc"
