// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that the window did not start: it says that they are there, leads to them, and starts no second one unasked.
#include "app/actions.h"
#include "app/live_banner.h"
#include "app/plan_page.h"
#include "app/run_flow.h"
#include "app/run_notice.h"
#include "app/run_page.h"
#include "app/run_selector.h"
#include "app/run_watch.h"
#include "app/session/run_controller.h"
#include "../checkpoint/checkpoint_fixture.h"
#include "record/known_runs.h"
#include "record/run_folder.h"
#include "widgets/tone_label.h"
#include "run_folder_maker.h"
#include "run_window_fixture.h"

#include <QAction>
#include <QDir>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QToolButton>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

class TstLiveRuns : public RunWindowTest {
    Q_OBJECT
private slots:
    void liveRunIsSaidUntilItIsAttached();
    void closedBannerComesBackForAnotherRun();
    void aSecondRunIsNotStartedUnasked_data();
    void aSecondRunIsNotStartedUnasked();
    void anotherIsLaunchedWhenThatIsMeant();
    void choosingALiveRunAttachesIt();
    void runsOfATerminalAreListed();
    void emptyRunPageLeadsToTheLiveRun();
    void oneFilledLaunchButton();
    void refusedLaunchLeavesNothing();
    void savedWorkspaceIsLaunchedItself();
    void failedRunOfAnotherWorkspaceIsStartedAgainItself();
    void aNoteIsNotOverwrittenAtOnce();

private:
    LiveBanner* banner() { return m_window->findChild<LiveBanner*>(); }
    RunSelector* selector() { return m_window->findChild<RunSelector*>(); }
    QPushButton* answer(const char* name)
    {
        auto* box = m_window->findChild<QMessageBox*>(QStringLiteral("liveQuestion"));
        return box != nullptr ? box->findChild<QPushButton*>(QLatin1String(name)) : nullptr;
    }
};

void TstLiveRuns::liveRunIsSaidUntilItIsAttached()
{
    RunFolderMaker live(runs("demo-20261121-093557"), 2, RunStatus::Running);
    live.addSteps(1, 20);
    RunFolderMaker over(runs("demo-20261120-120000"), 2, RunStatus::Finished);
    openWindow();
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    QTRY_VERIFY(banner()->isVisible());
    QVERIFY2(banner()->sentence().contains(QStringLiteral("demo-20261121-093557 is live")), qPrintable(banner()->sentence()));
    QVERIFY(banner()->button()->text().contains(QStringLiteral("F6")));
    // It is no note that the next thing overwrites.
    m_window->findChild<PlanPage*>()->setStage(3);
    QTRY_VERIFY(!m_window->plans().isBusy());
    QVERIFY(banner()->isVisible());
    QTest::mouseClick(banner()->button(), Qt::LeftButton);
    QCOMPARE(m_window->runController().state(), RunState::Running);
    QCOMPARE(m_window->currentPage(), static_cast<Page*>(page()));
    QVERIFY(page()->folder() == live.folder);
    QVERIFY(!banner()->isVisible());
    QVERIFY(m_window->actions().stop->isEnabled());
    QVERIFY(!m_window->actions().launch->isEnabled());
    m_window->showPage(0);
    QVERIFY(!banner()->isVisible());
}

void TstLiveRuns::closedBannerComesBackForAnotherRun()
{
    RunFolderMaker first(runs("first"), 2, RunStatus::Running);
    openWindow();
    m_window->actions().openDemo->trigger();
    QTRY_VERIFY(banner()->isVisible());
    QTest::mouseClick(banner()->findChild<QToolButton*>(QStringLiteral("liveClose")), Qt::LeftButton);
    QVERIFY(!banner()->isVisible());
    RunFolderMaker second(runs("second"), 2, RunStatus::Running);
    QTRY_VERIFY(banner()->isVisible());
    QVERIFY2(banner()->sentence().contains(QStringLiteral("2 runs are live")), qPrintable(banner()->sentence()));
    // Over is over: nothing is left to attach to.
    first.setStatus(RunStatus::Finished);
    second.setStatus(RunStatus::Finished);
    QTRY_VERIFY(!banner()->isVisible());
}

void TstLiveRuns::aSecondRunIsNotStartedUnasked_data()
{
    QTest::addColumn<bool>("own");
    QTest::addColumn<QString>("opened");
    QTest::addColumn<QString>("said");
    QTest::newRow("a run of this workspace") << true << QString("w.json") << QString("older of this workspace is live.");
    QTest::newRow("a run of this workspace, opened through a linked folder") << true << QString("link/w.json") << QString("older of this workspace is live.");
    QTest::newRow("runs of others: the newest") << false << QString("w.json") << QString("newer is live.");
}

void TstLiveRuns::aSecondRunIsNotStartedUnasked()
{
    QFETCH(bool, own);
    QFETCH(QString, opened);
    QFETCH(QString, said);
    makeRefusingProgram();
    QVERIFY(QFile::link(m_scratch->path(), m_scratch->filePath(QStringLiteral("link"))));
    const QString path = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText()));
    RunFolderMaker older(runs("older"), 2, RunStatus::Running), newer(runs("newer"), 2, RunStatus::Running);
    if (own) {
        older.info.workspaceFile = path.toStdString();
        older.setStatus(RunStatus::Running);
    }
    QFile touched(QString::fromStdString(newer.folder.string() + "/fresh"));
    QVERIFY(touched.open(QIODevice::WriteOnly));   // the newest folder is the one changed last
    openWindow();
    openFile(m_scratch->filePath(opened));
    QTest::keyClick(m_window.get(), Qt::Key_F5);
    auto* box = m_window->findChild<QMessageBox*>(QStringLiteral("liveQuestion"));
    QVERIFY(box != nullptr);
    QCOMPARE(box->text(), said);
    QCOMPARE(m_window->runController().state(), RunState::None);
    QCOMPARE(box->defaultButton(), answer("reattachButton"));
    QTest::mouseClick(answer("reattachButton"), Qt::LeftButton);
    QCOMPARE(m_window->runController().state(), RunState::Running);
    QVERIFY(m_window->runController().runFolder() == (own ? older.folder : newer.folder));
    QVERIFY(given("arguments").isEmpty());
}

void TstLiveRuns::anotherIsLaunchedWhenThatIsMeant()
{
    makeRefusingProgram();
    RunFolderMaker live(runs("live"), 2, RunStatus::Running);
    openWindow();
    m_window->actions().openDemo->trigger();
    QTRY_VERIFY(m_window->plans().current() != nullptr && !m_window->plans().isBusy());
    launchButton()->click();
    launchButton()->click();   // one question, however often
    QVERIFY(answer("launchAnotherButton") != nullptr);
    QTest::mouseClick(answer("launchAnotherButton"), Qt::LeftButton);
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);
    QVERIFY(!given("arguments").isEmpty());
}

void TstLiveRuns::choosingALiveRunAttachesIt()
{
    RunFolderMaker live(runs("live"), 2, RunStatus::Running), over(runs("over"), 2, RunStatus::Finished);
    live.addSteps(1, 20);
    over.addSteps(1, 20);
    openWindow();
    m_window->actions().openDemo->trigger();
    showRunPage();
    QTRY_COMPARE(selector()->count(), 2);
    const auto rowOf = [this](const char* name) { return selector()->findText(QLatin1String(name), Qt::MatchStartsWith); };
    QVERIFY2(selector()->itemText(rowOf("live")).endsWith(QStringLiteral(", live")), qPrintable(selector()->itemText(rowOf("live"))));
    QVERIFY(!selector()->itemText(rowOf("over")).contains(QLatin1Char(',')));
    emit selector()->activated(rowOf("over"));
    QCOMPARE(m_window->runController().state(), RunState::None);
    emit selector()->activated(rowOf("live"));
    QCOMPARE(m_window->runController().state(), RunState::Running);
    QTRY_VERIFY(page()->model().hasRun());
    page()->frameTick();
    auto* stop = m_window->findChild<QPushButton*>(QStringLiteral("runStop"));
    QVERIFY(stop->isVisible() && stop->isEnabled());
    QVERIFY(!m_window->actions().launch->isEnabled());
    // Shown without being held, it says so and offers it.
    m_window->runController().detach();
    page()->frameTick();
    auto* attach = page()->notice()->findChild<QPushButton*>(QStringLiteral("attach"));
    QVERIFY(attach != nullptr && attach->isVisible());
    QTest::mouseClick(attach, Qt::LeftButton);
    QCOMPARE(m_window->runController().state(), RunState::Running);
    page()->frameTick();
    QVERIFY(page()->notice()->content().title.isEmpty());
}

void TstLiveRuns::runsOfATerminalAreListed()
{
    openWindow();
    m_window->actions().openDemo->trigger();
    showRunPage();
    QTRY_VERIFY(page()->runs()->hasLooked());
    QCOMPARE(selector()->count(), 0);
    RunFolderMaker first(runs("first"), 2, RunStatus::Running);
    QTRY_COMPARE(selector()->count(), 1);
    // One recorded elsewhere is noted in the folder of runs.
    RunFolderMaker elsewhere(std::filesystem::path(m_scratch->path().toStdString()) / "elsewhere", 2, RunStatus::Finished);
    QVERIFY(noteRun(m_options.runsRoot, elsewhere.folder).hasValue());
    QTRY_COMPARE(selector()->count(), 2);
    // An open list keeps what somebody points at.
    emit selector()->activated(selector()->findText(QStringLiteral("elsewhere")));
    RunFolderMaker third(runs("third"), 2, RunStatus::Running);
    QTRY_COMPARE(selector()->count(), 3);
    QCOMPARE(selector()->currentText(), QStringLiteral("elsewhere"));
    first.setStatus(RunStatus::Finished);
    QTRY_VERIFY(selector()->findText(QStringLiteral("first")) >= 0);   // no longer "first, live"
    QSignalSpy looked(page()->runs(), &RunWatch::changed);
    selector()->showPopup();
    QTRY_VERIFY(looked.count() >= 1);
    selector()->hidePopup();
}

void TstLiveRuns::emptyRunPageLeadsToTheLiveRun()
{
    RunFolderMaker live(runs("nightly"), 2, RunStatus::Running);
    openWindow();
    m_window->actions().openDemo->trigger();
    showRunPage();
    const auto button = [this] {
        page()->frameTick();
        return page()->findChild<QPushButton*>(QStringLiteral("reattach"));
    };
    QTRY_VERIFY(button() != nullptr);
    QVERIFY(button()->isVisible());
    QVERIFY(!banner()->isVisible());   // one place says it
    QTest::mouseClick(button(), Qt::LeftButton);
    QCOMPARE(m_window->runController().state(), RunState::Running);
    QVERIFY(page()->folder() == live.folder);
}

void TstLiveRuns::oneFilledLaunchButton()
{
    openWindow();
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    QVERIFY(launchButton()->property("primary").toBool());
    showRunPage();
    auto* launch = page()->findChild<QPushButton*>(QStringLiteral("launch"));
    QVERIFY(launch != nullptr && launch->isVisible() && launch->property("primary").toBool());
    QVERIFY(!launchButton()->property("primary").toBool());
    m_window->showPage(0);
    QVERIFY(launchButton()->property("primary").toBool());
}

void TstLiveRuns::refusedLaunchLeavesNothing()
{
    makeRefusingProgram();
    const QString old = m_scratch->filePath(QStringLiteral("state/stagecraft/launch/demo-20260101-000000"));
    QVERIFY(QDir().mkpath(old));
    openWindow();
    m_window->actions().openDemo->trigger();
    QTRY_VERIFY(m_window->plans().current() != nullptr && !m_window->plans().isBusy());
    m_window->findChild<PlanPage*>()->setStage(3);
    QTRY_VERIFY(!m_window->plans().isBusy());
    launchButton()->click();
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);
    QVERIFY(given("given.json").contains("\"stage\": 3"));
    QCOMPARE(QDir(QString::fromStdString(m_options.runsRoot.string())).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList());
    QTRY_VERIFY(!QDir(m_scratch->filePath(QStringLiteral("state/stagecraft/launch"))).exists());
    // What it said is kept, on the page too.
    QVERIFY(m_window->runController().failureText().contains(QStringLiteral("nothing to train here")));
    page()->frameTick();
    QStringList said;
    for (const auto* label : page()->findChildren<ToneLabel*>())
        said << label->text();
    QVERIFY2(said.join(QLatin1Char('|')).contains(QStringLiteral("nothing to train here")), qPrintable(said.join(QLatin1Char('|'))));
    // A folder that holds a run is never taken for one.
    RunFolderMaker over(runs("over"), 2, RunStatus::Finished);
    removeUnusedRunFolder(over.folder);
    QVERIFY(QDir(QString::fromStdString(over.folder.string())).exists(QStringLiteral("run.json")));
}

void TstLiveRuns::savedWorkspaceIsLaunchedItself()
{
    makeRefusingProgram();
    const QString path = fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText()));
    openWindow();
    openFile(path);
    launchButton()->click();
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);
    QCOMPARE(QString::fromUtf8(given("arguments")).split(QLatin1Char('\n')).value(1), path);
    // With an edit that is not saved it is a copy, and the file stays as it was.
    m_window->findChild<PlanPage*>()->setStage(3);
    QTRY_VERIFY(!m_window->plans().isBusy());
    launchButton()->click();
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);
    QVERIFY(given("given.json").contains("\"stage\": 3"));
    QVERIFY(QString::fromUtf8(given("arguments")).split(QLatin1Char('\n')).value(1) != path);
    QVERIFY(given("arguments").contains("--recorded-as\n" + path.toUtf8()));   // and the run is the file's all the same
    QVERIFY(!given("w.json").contains("\"stage\": 3"));
}

void TstLiveRuns::failedRunOfAnotherWorkspaceIsStartedAgainItself()
{
    makeRefusingProgram();
    RunFolderMaker other(runs("other"), 2, RunStatus::Running);
    other.addSteps(1, 20);
    other.addEvent(0, "checkpoint_saved", R"({"step": 10, "path": "x"})");
    fileWith(QStringLiteral("runs/other/workspace.json"), "{\"other\": 1}");
    other.fail(1, "signal", "rank 1 was killed by SIGKILL", "Forward");
    other.lock.reset();
    openWindow();
    openFile(fileWith(QStringLiteral("w.json"), QByteArray::fromStdString(FileFlow::demoText())));
    m_window->findChild<RunFlow*>()->attach(QString::fromStdString(other.folder.string()));
    showRunPage();
    const auto button = [this](const char* name) {
        page()->frameTick();
        return page()->findChild<QPushButton*>(QLatin1String(name));
    };
    QVERIFY(writeFixture(RunFolder{other.folder}.checkpoints(), 10, 1).hasValue());
    QTRY_VERIFY(button("continue") != nullptr);
    QVERIFY(button("continue")->property("primary").toBool() && !button("launch")->property("primary").toBool());
    QVERIFY2(button("continue")->text().contains(QStringLiteral("10")), qPrintable(button("continue")->text()));
    const QString recorded = QString::fromStdString((other.folder / "workspace.json").string());
    button("launch")->click();
    QTRY_COMPARE(m_window->runController().state(), RunState::Failed);
    QStringList words = QString::fromUtf8(given("arguments")).split(QLatin1Char('\n'));
    QCOMPARE(words.value(1), recorded);
    QVERIFY(words.value(3) != QString::fromStdString(other.folder.string()));
    QVERIFY(!words.contains(QStringLiteral("--resume")));

    m_window->findChild<RunFlow*>()->attach(QString::fromStdString(other.folder.string()));
    QTRY_VERIFY(button("continue") != nullptr);
    (void)QFile::remove(m_scratch->filePath(QStringLiteral("arguments")));
    button("continue")->click();
    QTRY_VERIFY(!given("arguments").isEmpty() && m_window->runController().state() == RunState::Failed);
    words = QString::fromUtf8(given("arguments")).split(QLatin1Char('\n'));
    QCOMPARE(words.mid(0, 6), (QStringList{QStringLiteral("run"), recorded, QStringLiteral("--run-dir"), QString::fromStdString(other.folder.string()), QStringLiteral("--resume"), QStringLiteral("10")}));
    // It refused: that is told instead of the old failure, and nothing of the run is gone.
    QTRY_VERIFY((page()->frameTick(), page()->notice()->content().title.contains(QStringLiteral("not continued"))));
    QVERIFY(std::filesystem::exists(other.folder / "run.json"));

    // What is shown without an attachment can be continued too; the window's own workspace is launched as the window shows it.
    other.info.workspaceFile = m_scratch->filePath(QStringLiteral("w.json")).toStdString();
    other.setStatus(RunStatus::Failed);
    other.lock.reset();
    m_window->findChild<RunFlow*>()->attach(QString::fromStdString(other.folder.string()));
    QTRY_VERIFY(button("launch") != nullptr);
    button("launch")->click();
    QTRY_COMPARE(QString::fromUtf8(given("arguments")).split(QLatin1Char('\n')).value(1), m_scratch->filePath(QStringLiteral("w.json")));
}

void TstLiveRuns::aNoteIsNotOverwrittenAtOnce()
{
    openWindow();
    m_window->actions().openDemo->trigger();
    QTRY_VERIFY(m_window->plans().current() != nullptr && !m_window->plans().isBusy());
    m_window->note(QStringLiteral("Report written"));
    showRunPage();
    emit page()->titleChanged();
    const auto labels = m_window->statusBar()->findChildren<ToneLabel*>();
    QVERIFY(std::any_of(labels.begin(), labels.end(), [](const ToneLabel* label) { return label->isVisible() && label->text() == QLatin1String("Report written"); }));
    m_window->findChild<PlanPage*>()->setStage(3);   // what is done next is said next
    QVERIFY(std::none_of(labels.begin(), labels.end(), [](const ToneLabel* label) { return label->text() == QLatin1String("Report written"); }));
}

QTEST_MAIN(TstLiveRuns)
#include "tst_live_runs.moc"
