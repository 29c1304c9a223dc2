// SPDX-License-Identifier: GPL-3.0-or-later
// What the Run page says of a run that failed and was continued.
#include "app/log_panel.h"
#include "app/run_notice.h"
#include "app/translations.h"
#include "run_folder_maker.h"
#include "run_page_frame.h"
#include "visualizers/log_view.h"

#include <QPushButton>
#include <QRegularExpression>

using namespace stagecraft;
using namespace stagecraft::app;
using stagecraft::testing::RunFolderMaker;

class TstRunFailures : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { theme::Theme::install(*qApp)->setMode(theme::Mode::Dark); }

    void marksSpeakTheWindowsLanguage()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 10);
        run.addEvent(-1, "run_started", R"({"attempt": 1, "resumedFrom": 8, "world": 2})");
        run.addSteps(9, 12);
        run.fail(1, "signal", "rank 1 was killed by SIGKILL (by a person, or by the kernel when memory ran out) during Forward block.1", "Forward block.1");
        Frame frame;
        frame.page->follow(run.folder);
        QTRY_COMPARE(frame.page->model().events().size(), std::size_t{2});
        frame.settle(12);
        QCOMPARE(frame.page->model().events()[1].label, QStringLiteral("rank 1 failed"));
        Translations translations;
        translations.apply(Language::SimplifiedChinese);
        QCoreApplication::processEvents();
        frame.settle(12);
        QStringList said{frame.page->model().events()[0].label, frame.page->model().events()[1].label, frame.figures().join(QLatin1Char(' '))};
        for (const NoticeContent::Line& line : frame.page->notice()->content().lines)
            said << line.text;
        translations.apply(Language::English);
        QVERIFY2(!said.join(QLatin1Char('|')).contains(QRegularExpression(QStringLiteral("failed|resumed|killed|signal\\b|during"))), qPrintable(said.join(QLatin1Char('|'))));
    }

    /// A loss that is not finite is the same on every rank: none of them is named, and none is said to be well.
    void whatAllRanksFailedOfBlamesNone_data()
    {
        QTest::addColumn<int>("rank");          // that the record names
        QTest::addColumn<QString>("failed");    // of the ranks, beside it
        QTest::addColumn<QString>("title");
        QTest::addColumn<QString>("told");
        QTest::newRow("every rank alike") << -1 << QString("01") << QString("The run failed after step 12.") << QString("All ranks gave this reason");
        QTest::newRow("as earlier releases recorded it") << 1 << QString("01") << QString("Rank 1 failed after step 12.") << QString("1 other rank failed too");
        QTest::newRow("one rank alone") << 1 << QString("1") << QString("Rank 1 failed after step 12.") << QString("The other ranks did not fail");
    }
    void whatAllRanksFailedOfBlamesNone()
    {
        QFETCH(const int, rank);
        QFETCH(const QString, failed);
        QFETCH(const QString, title);
        QFETCH(const QString, told);
        Translations translations;
        translations.apply(Language::English);   // whose plurals are looked at
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        run.addSteps(1, 12);
        const std::string why = "Loss or gradient norm is not finite (loss nan, norm inf); weights were not updated. Try a lower learning rate, gradient_clipping, or look at the data.";
        run.fail(rank, "error", (rank < 0 ? "every rank failed: " : "rank 1 failed: ") + why, "");
        for (int r = 0; r < 2; ++r)
            run.info.ranks[static_cast<std::size_t>(r)].state = failed.contains(QString::number(r)) ? "failed" : "stopped";
        QVERIFY(writeRunInfo(run.folder, run.info).hasValue());
        Frame frame;
        frame.page->follow(run.folder);
        frame.settle(12);
        const NoticeContent& notice = frame.page->notice()->content();
        QCOMPARE(notice.title, title);
        QStringList lines;
        for (const NoticeContent::Line& line : notice.lines)
            lines << line.text;
        const QString all = lines.join(QLatin1Char('\n'));
        QVERIFY2(all.contains(told), qPrintable(all));
        QCOMPARE(all.contains(QStringLiteral("did not fail")), told.contains(QStringLiteral("did not fail")));
        const QString figures = frame.figures().join(QLatin1Char(' '));
        QVERIFY2(figures.contains(rank < 0 ? QStringLiteral("all of 2") : QStringLiteral("1 of 2")), qPrintable(figures));
        QVERIFY2(!figures.contains(QStringLiteral("supervisor")), qPrintable(figures));
        translations.apply(Language::SimplifiedChinese);
        QCoreApplication::processEvents();
        frame.settle(12);
        QString chinese = frame.page->notice()->content().title;
        for (const NoticeContent::Line& line : frame.page->notice()->content().lines)
            chinese += line.text;
        translations.apply(Language::English);
        QVERIFY2(!chinese.contains(QRegularExpression(QStringLiteral("failed|finite|weights"))), qPrintable(chinese));
    }

    void failuresOfAllStartsStandWhereTheyHappened()
    {
        QTemporaryDir dir;
        RunFolderMaker run(pathOf(dir, "demo"), 2, RunStatus::Running);
        Frame live;
        live.page->follow(run.folder);
        const auto marks = [](const Frame& frame) {
            QStringList said;
            for (const ChartEvent& event : frame.page->model().events())
                said << QStringLiteral("%1 at %2").arg(event.label).arg(event.x);
            return said;
        };
        const auto killed = [&run](const char* lost) {
            run.addEvent(0, "log", lost);   // as earlier releases recorded it: before the failure, and as an error
            run.fail(1, "signal", "rank 1 was killed by SIGKILL (by a person, or by the kernel when memory ran out)", "Gather head");
        };
        const auto goOn = [&run](std::int64_t from, std::int64_t to) {
            run.info.failure.reset();
            run.info.resumedFrom = from;
            ++run.info.attempt;
            run.addEvent(-1, "run_started", "{\"attempt\": 1, \"world\": 2, \"resumedFrom\": " + std::to_string(from) + "}");
            run.setStatus(RunStatus::Running);
            run.addSteps(from + 1, to);
        };
        run.addSteps(1, 308);
        killed(R"({"level": "error", "stream": "stderr", "text": "lost a peer in start 1"})");
        live.settle(308);
        goOn(300, 573);
        killed(R"({"level": "error", "stream": "stderr", "text": "lost a peer in start 2"})");
        live.settle(573);
        goOn(300, 300);   // fails before its first step
        killed(R"({"level": "error", "stream": "stderr", "text": "lost a peer in start 3"})");
        QTRY_COMPARE(live.page->model().events().size(), std::size_t{5});
        goOn(300, 550);
        killed(R"({"level": "error", "stream": "stderr", "text": "lost a peer in start 4"})");
        const QStringList expected{"rank 1 failed at 308", "resumed from 300 at 300", "rank 1 failed at 573", "resumed from 300 at 300", "rank 1 failed at 300", "resumed from 300 at 300", "rank 1 failed at 550"};
        QTRY_COMPARE(marks(live), expected);
        // The same for a window that comes later and reads the record at once.
        Frame later;
        later.page->follow(run.folder);
        later.settle(550);
        QTRY_COMPARE(marks(later), expected);
        // Its first error is that of the newest start, and of the rank that failed.
        auto* show = later.page->findChild<QPushButton*>(QStringLiteral("showError"));
        QVERIFY(show != nullptr);
        show->click();
        const LogModel* log = later.page->model().log();
        const LogLine selected = log->line(later.page->log()->view()->currentRow());
        QCOMPARE(selected.rank, 1);
        QVERIFY2(selected.text.contains("bad_alloc"), qPrintable(selected.text));
        QCOMPARE(selected.timeNs, log->line(log->rowOf(log->firstError(1))).timeNs);
        int laterLines = 0;
        for (int row = later.page->log()->view()->currentRow() + 1; row < log->rowCount(); ++row)
            laterLines += log->line(row).text.contains("bad_alloc") || log->line(row).text.contains("lost a peer") ? 1 : 0;
        QCOMPARE(laterLines, 0);   // nothing of that kind follows: it is the last start's
    }
};

QTEST_MAIN(TstRunFailures)
#include "tst_run_failures.moc"
