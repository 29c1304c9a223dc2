// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/rank_strip_view.h"

#include "chart_test_support.h"

#include <QSignalSpy>
#include <QtTest>

#include <random>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

RankStripInput cards(int count, double width = 1040, double height = 62)
{
    RankStripInput input;
    for (int rank = 0; rank < count; ++rank) {
        RankCard card;
        card.rank = rank;
        card.state = RankState::Running;
        card.computeSeconds = 9.8 + 0.01 * (rank % 5) + (rank == 5 ? 0.6 : 0);
        card.waitSeconds = 10.45 - card.computeSeconds;
        card.memoryBytes = 58.9e9;
        card.slow = rank == 5;
        input.cards.push_back(card);
    }
    input.width = width;
    input.height = height;
    return input;
}

}  // namespace

class TstRankStrip : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_font = useGoldenFont(); }

    void everyRankHasAPlace_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("mode");
        QTest::newRow("none") << 0 << 0;
        QTest::newRow("one") << 1 << 0;
        QTest::newRow("two") << 2 << 0;
        QTest::newRow("eight") << 8 << 0;
        QTest::newRow("sixteen in small cells") << 16 << 1;
        QTest::newRow("the most cards") << 64 << 1;
        QTest::newRow("one more is huge") << 65 << 2;
        QTest::newRow("sixteen thousand") << 16'384 << 2;
    }
    void everyRankHasAPlace()
    {
        QFETCH(int, ranks);
        QFETCH(int, mode);
        const RankStripInput input = cards(ranks, 1040, rankStripHeight(ranks, 1040, false));
        const RankStripGeometry geometry = layOutRankStrip(input);
        QCOMPARE(static_cast<int>(geometry.mode), mode);
        const QRectF area(0, 0, input.width + 1e-6, input.height + 1e-6);
        for (const RankStripGeometry::Cell& cell : geometry.cells) {
            QVERIFY(area.contains(cell.rect));
            QVERIFY(cell.wait.right() <= cell.rect.right());
            QCOMPARE(hitRank(geometry, cell.rect.center()), cell.index);
        }
        if (mode == 2) {
            QCOMPARE(geometry.map.size(), input.cards.size());
            QVERIFY(geometry.mapArea.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(geometry.map.back()));
            QCOMPARE(input.cards[static_cast<std::size_t>(geometry.cells.front().index)].rank, 5);   // the slowest leads
            QCOMPARE(hitRank(geometry, geometry.map[static_cast<std::size_t>(ranks - 1)].center()), ranks - 1);
        } else {
            QCOMPARE(static_cast<int>(geometry.cells.size()), ranks);
        }
    }

    void quartilesMatchASortedList()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        for (int round = 0; round < 200; ++round) {
            std::vector<double> values;
            const unsigned count = 4 * (random() % 50) + 1;   // 4 k + 1 values: the quartiles are values themselves
            for (unsigned i = 0; i < count; ++i)
                values.push_back(1 + static_cast<double>(random() % 1000));
            const std::vector<double> q = quartilesOf(values);
            std::sort(values.begin(), values.end());
            for (std::size_t i = 0; i < 5; ++i)
                QCOMPARE(q[i], values[i * (values.size() - 1) / 4]);
        }
        QVERIFY(quartilesOf({}).empty());
        QVERIFY(quartilesOf({0.0, std::nan("")}).empty());
        QCOMPARE(quartilesOf({1.0, 2.0})[2], 1.5);
    }

    void clickAndKeysChooseARank()
    {
        RankStripView view;
        view.setColors(chartColors(true));
        view.setState(ChartWidget::State::Ready);
        view.setInput(cards(8));
        (void)render(view, {1040, 62}, 1);
        QSignalSpy chosen(&view, &RankStripView::rankChosen);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.geometry().cells[5].rect.center().toPoint());
        QCOMPARE(chosen.takeFirst().first().toInt(), 5);
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(chosen.takeFirst().first().toInt(), 6);
        QTest::keyClick(&view, Qt::Key_End);
        QCOMPARE(chosen.takeFirst().first().toInt(), 7);
        QTest::keyClick(&view, Qt::Key_Escape);
        QCOMPARE(chosen.takeFirst().first().toInt(), -1);
        // With nothing left to clear, the key is for what lies around the view.
        QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
        QCoreApplication::sendEvent(&view, &escape);
        QVERIFY(!escape.isAccepted());
        QVERIFY(view.parts()[5].value.contains("the others wait for it"));
        QVERIFY(view.tipAt(view.geometry().cells[5].rect.center()).startsWith("Rank 5"));
    }

    void picture_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("ranks");
        for (const bool dark : {true, false}) {
            for (const double scale : {1.0, 2.0}) {
                for (const int ranks : {8, 32, 512})
                    QTest::newRow(qPrintable(QStringLiteral("rank_strip_%1_%2_%3").arg(dark ? "dark" : "light").arg(scale).arg(ranks))) << dark << scale << ranks;
            }
        }
    }
    void picture()
    {
        if (!m_font)
            QSKIP("the font of the pictures (DejaVu Sans) is not installed");
        QFETCH(bool, dark);
        QFETCH(double, scale);
        QFETCH(int, ranks);
        RankStripView view;
        view.setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
        view.setColors(chartColors(dark));
        view.setState(ChartWidget::State::Ready);
        RankStripInput input = cards(ranks);
        input.cards[1].state = RankState::Failed;
        input.cards[2].state = RankState::Lost;
        input.cards[3].state = RankState::Stopped;
        input.cards[4].state = RankState::Starting;
        input.cards[6].state = RankState::Finished;
        view.setInput(input);
        view.setChosen(7);
        const QSize size(960, static_cast<int>(rankStripHeight(ranks, 960, false)));
        const QString problem = compareWithGolden(render(view, size, scale), QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

private:
    bool m_font = false;
};

QTEST_MAIN(TstRankStrip)
#include "tst_rank_strip.moc"
