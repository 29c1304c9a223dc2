// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_page.h"

#include "app/actions.h"
#include "app/log_panel.h"
#include "app/run_charts.h"
#include "app/run_header.h"
#include "app/run_notice.h"
#include "app/session/run_controller.h"
#include "app/title_row.h"
#include "app/translations.h"
#include "record/reserve.h"
#include "record/run_folder.h"
#include "run_folder_maker.h"
#include "run_page_frame.h"
#include "visualizers/chart_widget.h"
#include "visualizers/log_view.h"
#include "visualizers/rank_strip_view.h"
#include "visualizers/time_series_view.h"
#include "widgets/figure_strip.h"

#include <QComboBox>
#include <QMainWindow>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QVBoxLayout>
#include <QtTest>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

class TstRunPage : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp)->setMode(theme::Mode::Dark); }

    void findGoesToTheLogHoweverShortThePage()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "run"), 2, RunStatus::Running);
        run.addSteps(1, 30);
        Frame frame({}, {1048, 620});
        QVERIFY(!frame.page->find());   // nothing to search yet
        frame.page->follow(run.folder);
        frame.settle(30);
        QVERIFY(!frame.page->log()->isVisible());
        QVERIFY(frame.page->find());
        QVERIFY(frame.page->log()->isVisible());
        QTRY_COMPARE(QApplication::focusWidget() != nullptr ? QApplication::focusWidget()->objectName() : QString(), QStringLiteral("logFilter"));
    }

    void everyOwnerOfMemoryIsMeasured()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "run"), 2, RunStatus::Running);
        run.addEvent(1, "memory", R"({"weights": 429496729, "optimizer_states": 429496000, "surprise": 77, "broken": "many", "negative": -4})");
        run.addSteps(1, 3);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(3);
        const RunModel& model = frame.page->model();
        QVERIFY(model.ranks()[0].allocatedByKind.empty());
        const std::map<std::string, std::int64_t> expected{{"weights", 429496729}, {"optimizer_states", 429496000}, {"surprise", 77}};
        QVERIFY(model.ranks()[1].allocatedByKind == expected);
    }

    void withoutARunItSaysWhatBelongsHere()
    {
        Frame frame;
        frame.actions.launch->setEnabled(true);
        frame.page->refreshRuns();
        frame.page->hide();
        frame.page->show();
        frame.page->frameTick();
        auto* launch = frame.page->findChild<QPushButton*>(QStringLiteral("launch"));
        QVERIFY(launch != nullptr && launch->isVisible());
        QSignalSpy launched(frame.actions.launch, &QAction::triggered);
        launch->click();
        QCOMPARE(launched.count(), 1);
        QCOMPARE(frame.page->shownState(), RunState::None);
    }

    void liveRunGrowsAsItsRecordDoes()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 40);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(40);
        QCOMPARE(frame.page->shownState(), RunState::Running);
        QCOMPARE(frame.page->model().loss->size(), std::int64_t{40});
        QVERIFY2(frame.figures().join(' ').contains("step 40"), qPrintable(frame.figures().join(' ')));
        run.addSteps(41, 60);
        frame.settle(60);
        QCOMPARE(frame.page->model().loss->size(), std::int64_t{60});
        QCOMPARE(frame.page->model().phases->lastStep(1), std::int64_t{60});
        for (const ChartWidget* view : frame.page->charts()->views())
            QVERIFY(view->state() == ChartWidget::State::Ready);
    }

    void runThatIsNotRecordedSaysSo()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 40);
        const auto reserve = RunFolder{run.folder}.reserve();
        keepReserve(reserve);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(40);
        QVERIFY2(frame.page->notice()->content().title.isEmpty(), qPrintable(frame.page->notice()->content().title));
        QVERIFY(noteInReserve(reserve, "Cannot write \"events.ndjson\": No space left on device"));
        QTRY_VERIFY2(frame.page->notice()->content().title.contains("not being recorded"), qPrintable(frame.page->notice()->content().title));
        QVERIFY(frame.page->notice()->content().lines.front().text.contains("No space left on device"));
        QVERIFY(noteInReserve(reserve, {}));
        QTRY_VERIFY(frame.page->notice()->content().title.isEmpty());
    }

    /// A live run comes to the front when it is attached; it does not take the page back from another that is chosen.
    void anotherRunCanBeLookedAtWhileOneIsLive()
    {
        QTemporaryDir dir;
        RunFolderMaker live(pathOf(dir, "live"), 2, RunStatus::Running), old(pathOf(dir, "old"), 2, RunStatus::Finished);
        live.addSteps(1, 30);
        old.addSteps(1, 20);
        RunController controller("/no/such/program");
        Frame frame(dir.path().toStdString(), {1048, 790}, &controller);
        QVERIFY(controller.attach(live.folder).hasValue());
        frame.settle(30);
        QVERIFY(frame.page->folder() == live.folder);
        auto* selector = frame.window.findChild<QComboBox*>(QStringLiteral("runSelector"));
        frame.page->refreshRuns();
        QTRY_VERIFY(selector->findText(QStringLiteral("old")) >= 0);
        emit selector->activated(selector->findText(QStringLiteral("old")));
        QSignalSpy looked(&controller, &RunController::infoChanged);
        live.setStatus(RunStatus::Running);
        QTRY_VERIFY(looked.count() >= 2);
        QVERIFY(frame.page->folder() == old.folder);
        frame.settle(20);
        QCOMPARE(frame.page->shownState(), RunState::Finished);
        QCOMPARE(controller.state(), RunState::Running);
    }

    void resumedRunReplacesRepeatedSteps()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 60);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(60);
        run.addEvent(-1, "run_started", R"({"attempt": 1, "resumedFrom": 50, "world": 2})");
        run.addSteps(51, 70);
        frame.settle(70);
        QCOMPARE(frame.page->model().loss->size(), std::int64_t{70});
        QCOMPARE(frame.page->model().events().size(), std::size_t{1});
    }

    /// A run that is started over, or resumed to fewer steps, shows its last start; whether it was read while it went on or after.
    void startsOfOneFolderAreNotMixed_data()
    {
        QTest::addColumn<int>("from");
        QTest::addColumn<int>("to");
        QTest::addColumn<bool>("live");
        for (const bool live : {false, true}) {
            QTest::addRow("over again, %s", live ? "live" : "afterwards") << 0 << 4 << live;
            QTest::addRow("from step 5, %s", live ? "live" : "afterwards") << 5 << 8 << live;
        }
    }
    void startsOfOneFolderAreNotMixed()
    {
        QFETCH(int, from);
        QFETCH(int, to);
        QFETCH(bool, live);
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 10);
        run.addEvent(0, "eval", R"({"step": 10, "loss": 2.0})");
        Frame frame;
        if (live) {
            frame.page->follow(run.folder);
            frame.settle(10);
            QCOMPARE(frame.page->model().evalLoss->size(), std::int64_t{1});
        }
        run.addEvent(-1, "run_started", QStringLiteral("{\"attempt\": 1, \"resumedFrom\": %1, \"world\": 2}").arg(from).toStdString());
        run.info.plannedSteps = to;
        run.addSteps(from + 1, to);
        run.setStatus(RunStatus::Finished);
        if (!live)
            frame.page->follow(run.folder);
        const RunModel& model = frame.page->model();
        QTRY_VERIFY_WITH_TIMEOUT(model.newest() && model.newest()->step == to && model.loss->size() == to, 20'000);
        QCOMPARE(model.gradNorm->size(), std::int64_t{to});
        QCOMPARE(model.phases->lastStep(1), std::int64_t{to});
        QCOMPARE(model.evalLoss->size(), std::int64_t{0});
        frame.settle(to);
        QVERIFY2(frame.figures().join(' ').contains(QStringLiteral("step %1").arg(to)), qPrintable(frame.figures().join(' ')));
    }

    /// Back to a training that was given up: its steps are on the curve again, also in a window that had let them go.
    void goingBackToAGivenUpTraining_data()
    {
        QTest::addColumn<bool>("live");
        QTest::newRow("live") << true;
        QTest::newRow("afterwards") << false;
    }
    void goingBackToAGivenUpTraining()
    {
        QFETCH(bool, live);
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        const auto rate = run.rate;
        run.attempt = 0;
        run.addSteps(1, 12);
        run.attempt = 1;
        run.addEvent(-1, "run_started", R"({"resumedFrom": 4, "resumedAttempt": 0, "world": 2})");
        run.rate = [](std::int64_t) { return 7.0; };
        run.addSteps(5, 10);
        Frame frame;
        const RunModel& model = frame.page->model();
        if (live) {
            frame.page->follow(run.folder);
            QTRY_VERIFY_WITH_TIMEOUT(model.newest() && model.newest()->step == 10 && model.loss->size() == 10, 20'000);
        }
        run.attempt = 2;
        run.addEvent(-1, "run_started", R"({"resumedFrom": 12, "resumedAttempt": 0, "world": 2})");
        run.rate = rate;
        run.addSteps(13, 14);
        if (!live)
            frame.page->follow(run.folder);
        QTRY_VERIFY_WITH_TIMEOUT(model.newest() && model.newest()->step == 14 && model.loss->size() == 14, 20'000);
        QVERIFY(model.learningRate->summarize(0, model.learningRate->size()).mean() < 1);
        QCOMPARE(model.events().size(), std::size_t{1});
        QCOMPARE(model.events().front().x, std::int64_t{12});
    }

    /// What is told of ranks beside this start's plan is of this start: an earlier one had more ranks, and each held other parts.
    void ranksAreThoseOfTheLastStart_data()
    {
        QTest::addColumn<bool>("live");
        QTest::newRow("live") << true;
        QTest::newRow("afterwards") << false;
    }
    void ranksAreThoseOfTheLastStart()
    {
        QFETCH(bool, live);
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 4, RunStatus::Running);
        run.addSteps(1, 10);
        run.addEvent(0, "checkpoint_saved", R"({"step": 10, "path": "x"})");
        Frame frame;
        if (live) {
            frame.page->follow(run.folder);
            frame.settle(10);
            QCOMPARE(frame.page->model().ranks().size(), std::size_t{4});
        }
        run.world = run.info.world = 2;
        run.info.ranks.resize(2);
        run.setStatus(RunStatus::Running);
        run.addEvent(-1, "run_started", R"({"attempt": 1, "resumedFrom": 8, "world": 2})");
        if (!live)
            frame.page->follow(run.folder);
        const RunModel& model = frame.page->model();
        QTRY_VERIFY(model.ranks().size() == 2 && model.events().size() == 1);
        QVERIFY(std::all_of(model.ranks().begin(), model.ranks().end(), [](const RunModel::Rank& rank) { return rank.peakRss == 0 && rank.peakAllocated == 0 && !rank.last; }));
        QVERIFY(model.loss->size() == 8 && model.phases->lastStep(-1) == 8);   // beyond 8 all is given up, also before the first new step
        run.addSteps(9, 12);
        QTRY_VERIFY(model.newest() && model.newest()->step == 12);
        QVERIFY(model.ranks()[1].peakRss > 0);
        QCOMPARE(model.checkpoint()->step, std::int64_t{8});   // the one of step 10 was given up
    }

    void failedRunNamesTheRankAndWhatWasKept()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 4, RunStatus::Running);
        run.addSteps(1, 520);
        run.fail(1, "signal", "Rank 1 was ended by signal 9 (SIGKILL).", "Backward of block 3");
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(520);
        QCOMPARE(frame.page->shownState(), RunState::Failed);
        const NoticeContent& notice = frame.page->notice()->content();
        QVERIFY2(notice.title.contains("Rank 1 failed after step 520"), qPrintable(notice.title));
        QStringList lines;
        for (const NoticeContent::Line& line : notice.lines)
            lines << line.text;
        QVERIFY2(lines.join('|').contains("SIGKILL") && lines.join('|').contains("Backward of block 3") && lines.join('|').contains("checkpoint of step 500"), qPrintable(lines.join('|')));
        auto* show = frame.page->findChild<QPushButton*>(QStringLiteral("showError"));
        QVERIFY(show != nullptr);
        frame.window.resize(1048, 560);   // too short for the log, which is asked for all the same
        QTRY_VERIFY(!frame.page->log()->isVisible());
        show->click();
        QVERIFY(frame.page->log()->isVisible());
        QVERIFY2(frame.page->log()->view()->selectedText().contains("ERROR"), qPrintable(frame.page->log()->view()->selectedText()));
        QVERIFY(frame.figures().join(' ').contains("signal"));
    }

    void killedSupervisorIsLostContact()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 30);
        run.setStatus(RunStatus::Lost);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(30);
        QTRY_COMPARE(frame.page->shownState(), RunState::Lost);
        frame.settle(30);
        QVERIFY(frame.page->notice()->content().lines.front().text.contains("old"));
        QVERIFY(frame.page->findChild<QPushButton*>(QStringLiteral("reattach")) != nullptr);
    }

    void startingRunListsItsRanks()
    {
        QTemporaryDir dir;
        const RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Starting);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(0);
        QCOMPARE(frame.page->notice()->content().lines.size(), std::size_t{2});
        QVERIFY(frame.page->notice()->content().title.contains("1 of 2"));
    }

    void folderThatIsNoRunSaysSo()
    {
        QTemporaryDir dir;
        Frame frame;
        frame.page->follow(pathOf(dir, "nothing"));
        QTRY_VERIFY(frame.page->findChildren<RunNotice*>().first()->content().title.contains("cannot be read")
                    || frame.page->findChildren<RunNotice*>().last()->content().title.contains("cannot be read"));
    }

    void chosenRankIsShownByAllPanels()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 8, RunStatus::Running);
        run.addSteps(1, 50);
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(50);
        auto* strip = frame.page->findChild<RankStripView*>();
        QVERIFY(strip->parts()[5].value.contains("the others wait for it"));
        QSignalSpy inspected(frame.page, &Page::inspected);
        QTest::mouseClick(strip, Qt::LeftButton, {}, strip->geometry().cells[5].rect.center().toPoint());
        QCOMPARE(frame.page->charts()->shownRank(), 5);
        QCOMPARE(frame.window.findChild<QComboBox*>(QStringLiteral("rankSelector"))->currentData().toInt(), 5);
        QCOMPARE(inspected.count(), 1);
        QVERIFY(!frame.page->model().phases->newest(5, 10).empty());
    }

    void otherRunReplacesTheFirst()
    {
        QTemporaryDir dir;
        RunFolderMaker first(pathOf(dir, "first"), 2, RunStatus::Finished), second(pathOf(dir, "second"), 2, RunStatus::Finished);
        first.addSteps(1, 100);
        second.addSteps(1, 20);
        first.setStatus(RunStatus::Finished);
        second.setStatus(RunStatus::Finished);
        Frame frame(dir.path().toStdString());
        frame.page->follow(first.folder);
        frame.page->follow(second.folder);   // what the first job still sends is not heard
        frame.settle(20);
        QTest::qWait(50);
        QCOMPARE(frame.page->model().loss->size(), std::int64_t{20});
        auto* runs = frame.window.findChild<QComboBox*>(QStringLiteral("runSelector"));
        QTRY_COMPARE(runs->count(), 2);
        QCOMPARE(runs->currentText(), QString("second"));
        QVERIFY(frame.page->command().remove(QLatin1Char('\'')).startsWith("stagecraft watch /"));
    }

    void foldsWithTheWidth_data()
    {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("columns");
        QTest::newRow("wide") << 1360 << 4;
        QTest::newRow("beside the inspector") << 1048 << 3;
        QTest::newRow("narrow") << 900 << 2;
    }
    void foldsWithTheWidth()
    {
        QFETCH(int, width);
        QFETCH(int, columns);
        QCOMPARE(RunCharts::columnsFor(width), columns);
    }

    void everyChartOfAFailedRunIsReached_data()
    {
        QTest::addColumn<QSize>("size");
        QTest::newRow("window of 1440 x 900") << QSize(1048, 790);
        QTest::newRow("window of 1280 x 800") << QSize(888, 690);
        QTest::newRow("the smallest window") << QSize(976, 590);
    }
    void everyChartOfAFailedRunIsReached()
    {
        QFETCH(QSize, size);
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "failed"), 4, RunStatus::Running);
        run.addSteps(1, 40);
        run.fail(1, "exit", "Rank 1 ended with exit code 1: bad_alloc: cannot allocate 8,388,608 bytes for the logits.", "Forward of the head, micro-batch 2");
        Frame frame({}, size);
        frame.page->follow(run.folder);
        frame.settle(40);
        auto* scroll = frame.page->findChild<QScrollArea*>();
        const bool tabs = RunCharts::columnsFor(scroll->viewport()->width()) == 2;
        for (ChartWidget* view : frame.page->charts()->views()) {
            if (tabs && !view->isVisible())
                continue;   // with two columns three of them share a place
            QVERIFY2(view->isVisible(), qPrintable(view->accessibleName()));
            scroll->ensureWidgetVisible(view, 0, 0);
            QVERIFY2(view->visibleRegion().boundingRect().height() >= std::min(view->height(), scroll->viewport()->height()) - 1, qPrintable(view->accessibleName()));
            QVERIFY2(view->height() >= 60 || view->objectName() == QLatin1String("rankStrip"), qPrintable(QStringLiteral("%1: %2").arg(view->accessibleName()).arg(view->height())));
        }
    }

    // With STAGECRAFT_SCREENSHOTS=DIR: every state in both themes and languages, at the sizes the window gives the page.
    void screenshots()
    {
        const QString out = qEnvironmentVariable("STAGECRAFT_SCREENSHOTS");
        if (out.isEmpty())
            QSKIP("STAGECRAFT_SCREENSHOTS names no folder");
        if (const QString real = qEnvironmentVariable("STAGECRAFT_SCREENSHOT_RUN"); !real.isEmpty()) {   // a run that was really made
            Frame frame;
            frame.page->follow(real.toStdString());
            frame.settle(1);
            QTest::qWait(300);
            frame.page->frameTick();
            frame.window.grab().save(out + QStringLiteral("/real.png"));
            return;
        }
        QTemporaryDir dir;
        RunFolderMaker live(pathOf(dir, "demo-20261121-093557"), 8, RunStatus::Running), small(pathOf(dir, "small"), 2, RunStatus::Running), failed(pathOf(dir, "failed"), 4, RunStatus::Running),
            lost(pathOf(dir, "lost"), 2, RunStatus::Running), starting(pathOf(dir, "starting"), 4, RunStatus::Starting), finished(pathOf(dir, "finished"), 2, RunStatus::Running), huge(pathOf(dir, "huge"), 128, RunStatus::Running);
        live.addSteps(1, 1240);
        small.addSteps(1, 3);
        failed.addSteps(1, 520);
        failed.fail(1, "exit", "Rank 1 ended with exit code 1: bad_alloc: cannot allocate 8,388,608 bytes for the logits.", "Forward of the head, micro-batch 2");
        lost.addSteps(1, 90);
        lost.setStatus(RunStatus::Lost);
        finished.addSteps(1, 2000);
        finished.setStatus(RunStatus::Finished);
        huge.addSteps(1, 30);
        Translations translations;
        struct Shot { const RunFolderMaker* run; const char* name; std::int64_t step; };
        for (const bool chinese : {false, true}) {
            translations.apply(chinese ? Language::SimplifiedChinese : Language::English);
            for (const bool dark : {true, false}) {
                theme::Theme::instance()->setMode(dark ? theme::Mode::Dark : theme::Mode::Light);
                for (const QSize& size : {QSize(1048, 790), QSize(1360, 790), QSize(888, 690), QSize(976, 590)}) {
                    for (const Shot& shot : {Shot{&live, "live", 1240}, Shot{&small, "small", 3}, Shot{&failed, "failed", 520}, Shot{&lost, "lost", 90}, Shot{&starting, "starting", 0}, Shot{&finished, "finished", 2000}, Shot{&huge, "huge", 30}, Shot{nullptr, "none", 0}}) {
                        Frame frame(dir.path().toStdString(), size);
                        connect(frame.page, &RunPage::reportRequested, frame.page, [] {});
                        if (shot.run != nullptr) {
                            frame.page->follow(shot.run->folder);
                            frame.settle(shot.step);
                        }
                        QTest::qWait(120);
                        frame.page->frameTick();
                        frame.window.grab().save(QStringLiteral("%1/%2_%3_%4_%5.png").arg(out, QString::fromLatin1(shot.name), chinese ? "zh" : "en", dark ? "dark" : "light").arg(size.width()));
                    }
                }
            }
        }
    }
};

QTEST_MAIN(TstRunPage)
#include "tst_run_page.moc"
