// SPDX-License-Identifier: GPL-3.0-or-later
// The frame round the pages: a panel that fills its page, the command line of a page, the names of steps.
#include "plan_page_fixture.h"

#include "app/actions.h"
#include "app/config_document_page.h"
#include "app/dock_bar.h"
#include "app/file_flow.h"
#include "app/output_panels.h"
#include "app/page.h"
#include "app/panel_tour.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/panel.h"
#include "widgets/step_name.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QComboBox>
#include <QFile>
#include <QUndoStack>

using namespace stagecraft;
using namespace stagecraft::app;

class TstWindowFrame : public PlanPageTest {
    Q_OBJECT
private slots:
    void aPanelThatFillsThePageOutlivesAnotherSize();
    void commandOfConfigRuns();
    void theCommandSaysThatItReadsTheSavedFile();
    void stepsAreNamedInTheLanguageOfTheWindow();

private:
    ConfigDocumentPage& config() { return *m_window->findChild<ConfigDocumentPage*>(); }
};

void TstWindowFrame::aPanelThatFillsThePageOutlivesAnotherSize()
{
    m_window->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    m_window->actions().openDemo->trigger();
    waitForPlan();
    for (const int index : {0, 1, 2}) {
        m_window->showPage(index);
        const auto shown = [this] { return PanelTour::panelsOf(*m_window->currentPage()); };
        const auto places = [this] {
            QStringList all;
            for (const Panel* panel : PanelTour::panelsOf(*m_window->currentPage())) {
                const QRect at(panel->mapTo(m_window.get(), QPoint(0, 0)), panel->size());
                all << QStringLiteral("%1,%2 %3x%4").arg(at.x()).arg(at.y()).arg(at.width()).arg(at.height());
            }
            return all.join(QLatin1Char('|'));
        };
        m_window->resize(1440, 900);
        QTRY_COMPARE(m_window->size(), QSize(1440, 900));
        QCoreApplication::processEvents();
        const auto all = shown();
        const QString before = places();
        if (all.empty())
            continue;   // a Run page without a run
        m_window->actions().fillPanel->trigger();
        QTRY_COMPARE(shown().size(), std::size_t{1});
        // Smaller, larger, smaller: one panel all the while.
        for (const QSize& size : {QSize(1024, 700), QSize(1600, 1000), QSize(1024, 700), QSize(1440, 900)}) {
            m_window->resize(size);
            QTRY_COMPARE(m_window->size(), size);
            QTRY_COMPARE(shown().size(), std::size_t{1});
        }
        m_window->actions().fillPanel->trigger();
        QTRY_COMPARE(shown(), all);
        QTRY_COMPARE(places(), before);
        // Put back at another size it is what that size has without all this.
        m_window->actions().fillPanel->trigger();
        m_window->resize(1024, 700);
        QTRY_COMPARE(m_window->size(), QSize(1024, 700));
        m_window->actions().fillPanel->trigger();
        QCoreApplication::processEvents();
        const auto folded = shown();
        m_window->resize(1440, 900);
        QTRY_COMPARE(shown(), all);
        m_window->resize(1024, 700);
        QTRY_COMPARE(shown(), folded);
    }
}

void TstWindowFrame::commandOfConfigRuns()
{
    const QString path = fileWith(QStringLiteral("it is.json"), QByteArray::fromStdString(FileFlow::demoText()));
    m_window->files().openPath(path);
    waitForPlan();
    m_window->showPage(1);
    // A ds_config inside the workspace has no file of its own: what is named is there.
    QCOMPARE(m_window->currentPage()->command(), QStringLiteral("stagecraft check '%1' --json").arg(path));
    // The release chosen there is the release the command judges by.
    for (auto* box : m_window->currentPage()->findChildren<QComboBox*>())
        if (box->findText(QStringLiteral("0.16.9")) >= 0) {
            box->setCurrentText(QStringLiteral("0.16.9"));
            QCOMPARE(m_window->currentPage()->command(), QStringLiteral("stagecraft check '%1' --deepspeed 0.16.9 --json").arg(path));
            box->setCurrentIndex(0);
        }
    const auto words = [this] {
        QStringList all;
        for (const auto* label : m_window->output().command()->findChildren<ToneLabel*>())
            all << label->text();
        return all.join(QLatin1Char('|'));
    };
    QVERIFY2(!words().contains(QStringLiteral("once the workspace is saved")), qPrintable(words()));
    m_window->actions().newWorkspace->trigger();
    waitForPlan();
    QVERIFY2(words().contains(QStringLiteral("once the workspace is saved")), qPrintable(words()));
}

void TstWindowFrame::theCommandSaysThatItReadsTheSavedFile()
{
    m_window->resize(1440, 900);
    openFile(fileWith(QStringLiteral("w.json"), R"({"stagecraft": 1, "model": {"preset": "llama-2-7b"}, "hardware": {"devicesPerNode": 4, "device": "h100-80gb"}})"));
    m_window->showPage(0);
    const auto* bar = m_window->findChild<DockBar*>();
    QVERIFY(bar->command().startsWith(QStringLiteral("stagecraft plan ")));
    QCOMPARE(bar->commandLabel().toolTip(), bar->command());
    QVERIFY(m_window->document().setValue("/hardware/devicesPerNode", "8", QStringLiteral("eight")).hasValue());
    QVERIFY(m_window->document().isModified());
    QTRY_COMPARE(bar->commandLabel().toolTip(), QStringLiteral("without the unsaved changes: ") + bar->command());
    m_window->document().undoStack().undo();
    QTRY_COMPARE(bar->commandLabel().toolTip(), bar->command());
}

void TstWindowFrame::stepsAreNamedInTheLanguageOfTheWindow()
{
    m_window->files().openDemo();
    waitForPlan();
    QUndoStack& undo = m_window->document().undoStack();
    page().setStage(3);
    waitForPlan();
    m_window->setLanguage(Language::SimplifiedChinese);
    QTRY_COMPARE(undo.undoText(), QStringLiteral("ZeRO 阶段 2 → 3"));
    QTRY_VERIFY(m_window->actions().undo->toolTip().contains(QStringLiteral("ZeRO 阶段 2 → 3")));
    config().view().model().setValue(QStringLiteral("/gradient_clipping"), "0.5", QStringLiteral("gradient_clipping"));
    m_window->showPage(1);
    emit config().view().model().editRequested(TextEdit{0, 0, " "}, stepName([] { return ConfigModel::tr("Typing"); }), true);
    const QString typing = undo.undoText();
    m_window->setLanguage(Language::English);
    QVERIFY(typing != QStringLiteral("Typing"));
    QTRY_COMPARE(undo.undoText(), QStringLiteral("Typing"));
    QStringList names;
    for (int i = 0; i < undo.count(); ++i)
        names << undo.text(i);
    QVERIFY2(names.contains(QStringLiteral("ZeRO stage 2 → 3")), qPrintable(names.join(QLatin1Char('|'))));
    undo.undo();
    QCOMPARE(undo.redoText(), QStringLiteral("Typing"));
}

QTEST_MAIN(TstWindowFrame)
#include "tst_window_frame.moc"
