// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of speed in the header of the Run page: one with another, and with what the command line says of the run.
#include "record/run_record.h"
#include "run_folder_maker.h"
#include "run_page_frame.h"
#include "visualizers/chart_axis.h"

#include <nlohmann/json.hpp>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

class TstRunSpeed : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp)->setMode(theme::Mode::Dark); }

    /// Steps of very different length: a mean of their rates is far from what they did in their time.
    void aLiveRunsFiguresAreOfTheSameSteps()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.delay = [](std::int64_t step) { return step % 4 == 0 ? 5.0 : 0.0; };
        run.addSteps(1, 60);
        Frame frame({}, {1500, 800});
        frame.page->follow(run.folder);
        frame.settle(60);
        const auto speed = frame.page->model().recentSpeed();
        QVERIFY(speed && speed->mfu);
        QVERIFY(speed->stepSeconds > 1.8 && speed->stepSeconds < 2.4);   // 5 of 20 steps take 5 s longer
        QVERIFY2(std::abs(speed->tokensPerSecond * speed->stepSeconds - 4096) < 1e-6, qPrintable(QString::number(speed->tokensPerSecond * speed->stepSeconds)));
        const RunPlan& plan = frame.page->model().plan();
        QVERIFY(std::abs(*speed->mfu / *plan.mfu - speed->tokensPerSecond / *plan.tokensPerSecond) < 1e-12);
        shows(frame, *speed);
    }

    void theLastStepsAreThoseOfTheNewestStart()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.delay = [](std::int64_t) { return 50.0; };
        run.addSteps(1, 40);
        run.addEvent(-1, "run_started", R"({"attempt": 1, "resumedFrom": 38, "world": 2})");
        run.info.resumedFrom = 38;
        run.info.attempt = 1;
        run.setStatus(RunStatus::Running);
        run.delay = [](std::int64_t) { return 0.0; };
        run.addSteps(39, 45);
        Frame frame({}, {1500, 800});
        frame.page->follow(run.folder);
        frame.settle(45);
        QVERIFY(frame.page->model().recentSpeed()->stepSeconds < 2);
    }

    void aRunThatIsOverIsToldAsItsReportDoes_data()
    {
        QTest::addColumn<int>("status");
        QTest::newRow("finished") << static_cast<int>(RunStatus::Finished);
        QTest::newRow("stopped") << static_cast<int>(RunStatus::Stopped);
        QTest::newRow("lost") << static_cast<int>(RunStatus::Lost);
    }
    void aRunThatIsOverIsToldAsItsReportDoes()
    {
        QFETCH(const int, status);
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.delay = [](std::int64_t step) { return step > 55 ? 7.0 : step % 4 == 0 ? 5.0 : 0.0; };   // its end is not as it was
        run.addSteps(1, 60);
        run.setStatus(static_cast<RunStatus>(status));
        Frame frame({}, {1500, 800});
        frame.page->follow(run.folder);
        frame.settle(60);
        const auto record = loadRunRecord(run.folder);
        QVERIFY(record.hasValue());
        const auto answer = runAnswer(*record);
        const auto speed = frame.page->model().wholeSpeed();
        QVERIFY(speed);
        QCOMPARE(speed->stepSeconds, answer["medianStepTime"].get<double>());
        QCOMPARE(speed->tokensPerSecond, answer["tokensPerSecond"].get<double>());
        shows(frame, *speed);
    }

private:
    static void shows(const Frame& frame, const RunModel::Speed& speed)
    {
        const QString figures = frame.figures().join(QLatin1Char(' '));
        const QLocale locale;
        const double factor = axisFactor(speed.tokensPerSecond);
        for (const QString& text : {secondsText(speed.stepSeconds, locale), figureText(speed.tokensPerSecond / factor, locale), locale.toString(100 * *speed.mfu, 'f', 1)})
            QVERIFY2(figures.contains(text), qPrintable(figures + QStringLiteral(" lacks ") + text));
    }
};

QTEST_MAIN(TstRunSpeed)
#include "tst_run_speed.moc"
