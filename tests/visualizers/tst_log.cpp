// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/log_view.h"

#include "chart_test_support.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>
#include <QtTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

LogLine lineOf(int number)
{
    LogLine line;
    line.timeNs = std::int64_t{1'000'000'000} * number;
    line.rank = number % 4 - 1;
    line.level = number % 50 == 49 ? LogLevel::Error : number % 10 == 9 ? LogLevel::Warning : LogLevel::Info;
    line.text = QStringLiteral("step=%1, loss 2.%1 — 损失").arg(number);
    return line;
}

std::vector<LogLine> linesOf(int first, int count)
{
    std::vector<LogLine> lines;
    for (int i = 0; i < count; ++i)
        lines.push_back(lineOf(first + i));
    return lines;
}

}  // namespace

class TstLog : public QObject {
    Q_OBJECT
private slots:
    void filterMatchesAPlainScan_data()
    {
        QTest::addColumn<int>("level");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("regex");
        const int all = LogFilter::kAllRanks;
        QTest::newRow("all") << 0 << all << QString() << false;
        QTest::newRow("warnings") << 2 << all << QString() << false;
        QTest::newRow("one rank") << 0 << 1 << QString() << false;
        QTest::newRow("the supervisor") << 0 << -1 << QString() << false;
        QTest::newRow("text in any case") << 0 << all << QString("STEP=12") << false;
        QTest::newRow("text that is no pattern") << 0 << all << QString("2.1") << false;
        QTest::newRow("Chinese") << 0 << all << QString("损失") << false;
        QTest::newRow("pattern") << 0 << all << QString("=\\d7,") << true;
        QTest::newRow("all at once") << 1 << 2 << QString("^STEP=\\d+3\\b") << true;
        QTest::newRow("nothing passes") << 3 << 0 << QString("nowhere") << false;
    }
    void filterMatchesAPlainScan()
    {
        QFETCH(int, level);
        QFETCH(int, rank);
        QFETCH(QString, text);
        QFETCH(bool, regex);
        LogModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::mt19937 random(stagecraft::testing::testSeed());
        int fed = 0;
        const auto feed = [&](int count) {
            model.append(linesOf(fed, count));
            fed += count;
        };
        feed(3000);
        const LogFilter filter{static_cast<LogLevel>(level), rank, text, regex};
        QVERIFY(model.setFilter(filter));
        while (fed < 6000) {   // lines arrive while the old ones are still being looked at
            feed(static_cast<int>(random() % 400));
            model.filterSome(static_cast<int>(random() % 300));
        }
        while (model.isFiltering())
            model.filterSome(500);
        const QRegularExpression pattern(text, QRegularExpression::CaseInsensitiveOption);
        int row = 0;
        for (int i = 0; i < fed; ++i) {
            const LogLine line = lineOf(i);
            const bool passes = line.level >= filter.least && (rank == LogFilter::kAllRanks || line.rank == rank)
                && (regex ? pattern.match(line.text).hasMatch() : line.text.contains(text, Qt::CaseInsensitive));
            if (!passes)
                continue;
            QVERIFY(row < model.rowCount());
            QCOMPARE(model.data(model.index(row), LogModel::LineRole).toString(), line.text);
            QCOMPARE(model.line(row).timeNs, line.timeNs);
            ++row;
        }
        QCOMPARE(row, model.rowCount());
        QCOMPARE(model.ranks(), (std::vector<int>{-1, 0, 1, 2}));
    }

    void badPatternChangesNothingAndSaysWhere()
    {
        LogModel model;
        model.append(linesOf(0, 10));
        QVERIFY(!model.setFilter({LogLevel::Debug, LogFilter::kAllRanks, QStringLiteral("step=("), true}));
        QCOMPARE(model.rowCount(), 10);
        QVERIFY2(model.problem().contains("character"), qPrintable(model.problem()));
        QVERIFY(model.setFilter({LogLevel::Debug, LogFilter::kAllRanks, QStringLiteral("step=("), false}));
        QVERIFY(model.problem().isEmpty());
    }

    void oldestLinesGoWhenMemoryIsFull()
    {
        LogModel model(300'000);
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(model.setFilter({LogLevel::Warning, LogFilter::kAllRanks, {}, false}));
        for (int i = 0; i < 20; ++i)
            model.append(linesOf(i * 1000, 1000));
        QVERIFY(model.memoryBytes() <= 300'000 + 200'000);   // never splits the block being filled
        QVERIFY(model.droppedLines() > 0);
        QCOMPARE(model.droppedLines() + model.lineCount(), std::int64_t{20'000});
        QCOMPARE(model.line(model.rowCount() - 1).text, lineOf(19'999).text);
        QVERIFY(model.line(0).timeNs >= model.droppedLines() * 1'000'000'000);
        QCOMPARE(model.line(model.rowOf(model.firstError())).level, LogLevel::Error);
    }

    void firstErrorIsThatOfTheNewestStart()
    {
        LogModel model;
        QCOMPARE(model.firstError(), std::int64_t{-1});
        QCOMPARE(model.rowOf(model.firstError()), -1);
        const auto say = [&](int rank, LogLevel level) { model.append({{1, rank, level, QStringLiteral("x")}}); };
        say(0, LogLevel::Error);
        say(1, LogLevel::Error);
        QCOMPARE(model.firstError(), std::int64_t{0});
        QCOMPARE(model.firstError(1), std::int64_t{1});
        model.beginPart();
        say(1, LogLevel::Info);
        QCOMPARE(model.firstError(), std::int64_t{0});      // the newest start that has one
        QCOMPARE(model.firstError(1), std::int64_t{1});
        model.beginPart();
        say(0, LogLevel::Error);
        say(0, LogLevel::Error);
        say(1, LogLevel::Error);
        QCOMPARE(model.firstError(), std::int64_t{3});
        QCOMPARE(model.firstError(1), std::int64_t{5});
        QCOMPARE(model.firstError(7), std::int64_t{3});      // that rank has said nothing
        QVERIFY(model.setFilter({LogLevel::Debug, 0, {}, false}));
        QCOMPARE(model.rowOf(3), 1);
        QCOMPARE(model.rowOf(5), -1);                        // hidden
    }

    void viewFollowsUntilScrolledAndCountsWhatIsNew()
    {
        LogModel model;
        LogView view(&model);
        view.setColors(chartColors(true));
        view.resize(600, 150);
        view.show();
        model.append(linesOf(0, 500));
        view.frameTick();
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        view.verticalScrollBar()->setValue(100);   // the user
        QVERIFY(!view.isFollowing());
        model.append(linesOf(500, 40));
        view.frameTick();
        QCOMPARE(view.firstVisibleRow(), 100);
        QCOMPARE(view.newLines(), 40);
        view.setFollowing(true);
        view.frameTick();
        QCOMPARE(view.verticalScrollBar()->value(), view.verticalScrollBar()->maximum());
        QCOMPARE(view.newLines(), 0);
        QTest::keyClick(&view, Qt::Key_PageUp);
        QVERIFY(!view.isFollowing());
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(view.isFollowing());
    }

    void firstErrorIsShownAndCopied()
    {
        LogModel model;
        LogView view(&model);
        view.setColors(chartColors(false));
        view.resize(600, 150);
        view.show();
        model.append(linesOf(0, 500));
        view.frameTick();
        view.showRow(model.rowOf(model.firstError()));
        QCOMPARE(view.currentRow(), 49);
        QVERIFY(view.firstVisibleRow() <= 49 && view.firstVisibleRow() > 40);
        QVERIFY(view.selectedText().contains("ERROR  step=49"));
        QTest::keyClick(&view, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(view.selectedText().count('\n'), 2);
        QTest::keySequence(&view, QKeySequence::Copy);
        QCOMPARE(QGuiApplication::clipboard()->text(), view.selectedText());
    }

    void placeIsKeptWhenOldLinesGo()
    {
        LogModel model(250'000);
        LogView view(&model);
        view.setColors(chartColors(false));
        view.resize(600, 150);
        view.show();
        model.append(linesOf(0, 4000));
        view.frameTick();
        view.showRow(3500);
        const QString shown = view.selectedText();
        for (int i = 4; i < 6; ++i) {
            model.append(linesOf(i * 1000, 1000));
            view.frameTick();
        }
        QVERIFY(model.droppedLines() > 0);
        QCOMPARE(view.selectedText(), shown);
    }

    void emptyLogSaysWhatItWaitsFor()
    {
        LogModel model;
        LogView view(&model);
        view.setColors(chartColors(true));
        const QImage bare = render(view, {400, 100}, 1);
        view.setEmptyText(QStringLiteral("No line passes the filter."));
        QVERIFY(render(view, {400, 100}, 1) != bare);
    }
};

QTEST_MAIN(TstLog)
#include "tst_log.moc"
