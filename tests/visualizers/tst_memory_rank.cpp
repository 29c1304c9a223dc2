// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/memory_rank_view.h"

#include "chart_test_support.h"

#include <QtTest>

#include <numeric>
#include <random>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

constexpr double kGi = 1024.0 * 1024.0 * 1024.0;

MemoryRankInput example(bool split)
{
    MemoryRankInput input;
    const auto item = [&](const char* name, MemoryKind kind, double planned) {
        input.items.push_back({QString::fromLatin1(name), kind, planned * kGi, split ? std::optional(planned * kGi * 1.02) : std::nullopt, QStringLiteral("because")});
    };
    item("Weights", MemoryKind::Weights, 15);
    item("Gradients", MemoryKind::Gradients, 1.9);
    item("Optimizer states", MemoryKind::Optimizer, 11.2);
    item("Buckets", MemoryKind::Buckets, 0.9);
    item("Activations", MemoryKind::Activations, 7.2);
    item("Logits and loss", MemoryKind::Logits, 19.6);
    input.sums.push_back({QStringLiteral("Tensors, peak"), MemoryKind::Context, 55.8 * kGi, 57.0 * kGi, {}});
    input.sums.push_back({QStringLiteral("Process, peak"), MemoryKind::Context, 58.4 * kGi, 66.0 * kGi, {}});
    input.limit = 79.6 * kGi;
    input.width = 340;
    input.height = 230;
    return input;
}

}  // namespace

class TstMemoryRank : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_font = useGoldenFont(); }

    void bothBarsShareOneAxis_data()
    {
        QTest::addColumn<bool>("split");
        QTest::newRow("items measured") << true;
        QTest::newRow("only the sum measured") << false;
    }
    void bothBarsShareOneAxis()
    {
        QFETCH(bool, split);
        const MemoryRankInput input = example(split);
        const MemoryRankGeometry geometry = layOutMemoryRank(input);
        const double perByte = (*geometry.limitX - 12) / *input.limit;
        const auto end = [](const std::vector<MemoryRankGeometry::Segment>& bar) { return bar.back().rect.right() + 1; };
        QVERIFY(std::abs(end(geometry.planned) - 12 - 58.4 * kGi * perByte) < 0.01);
        QVERIFY(std::abs(end(geometry.measured) - 12 - 66.0 * kGi * perByte) < 0.01);
        QCOMPARE(geometry.measured.size(), split ? std::size_t{7} : std::size_t{2});
        for (const auto* bar : {&geometry.planned, &geometry.measured}) {
            for (std::size_t i = 1; i < bar->size(); ++i)
                QVERIFY((*bar)[i].rect.left() >= (*bar)[i - 1].rect.right());
        }
        QCOMPARE(geometry.unit, QString("GiB"));
    }

    void smallestItemsGoFirstWhenThereIsNoRoom()
    {
        MemoryRankInput input = example(true);
        input.height = 74 + 17 * 5 + 4;   // three items and two sums
        const MemoryRankGeometry geometry = layOutMemoryRank(input);
        QCOMPARE(geometry.shownItems, 3);
        QCOMPARE(geometry.order, (std::vector<int>{0, 2, 5}));
        QCOMPARE(geometry.rows.size(), std::size_t{5});
        QVERIFY(geometry.rows.back().bottom() <= input.height);
    }

    void randomInputKeepsToItsArea()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        for (int round = 0; round < 500; ++round) {
            MemoryRankInput input;
            input.width = random() % 600;
            input.height = random() % 400;
            const auto bytes = [&]() -> std::optional<double> {
                if (random() % 4 == 0)
                    return std::nullopt;
                return random() % 9 == 0 ? -5.0 : static_cast<double>(random()) * (random() % 3 == 0 ? 1e6 : 10);
            };
            for (unsigned i = 0; i < random() % 12; ++i)
                input.items.push_back({QStringLiteral("item"), MemoryKind::Weights, bytes(), bytes(), {}});
            for (unsigned i = 0; i < random() % 3; ++i)
                input.sums.push_back({QStringLiteral("sum"), MemoryKind::Context, bytes(), bytes(), {}});
            input.limit = bytes();
            const MemoryRankGeometry geometry = layOutMemoryRank(input);
            for (const auto* bar : {&geometry.planned, &geometry.measured}) {
                for (const MemoryRankGeometry::Segment& segment : *bar)
                    QVERIFY(segment.rect.left() >= 11.9 && segment.rect.left() <= std::max(input.width, 24.0));
            }
            for (const QRectF& row : geometry.rows)
                QVERIFY(row.bottom() <= input.height + 1e-9);
            QVERIFY(geometry.rows.size() <= input.items.size() + input.sums.size());
        }
    }

    void wordsAboveTheBarsNeverMeet()
    {
        // Whatever the width and wherever the limit is: the caption gives way, the limit is always said, on the axis.
        for (int width = 60; width <= 700; width += 20) {
            for (int limit = 12; limit <= width - 12; limit += 7) {
                const MemoryRankWords words = placeMemoryRankWords(width, limit, 150, 90);
                QVERIFY2(!words.caption.intersects(words.limit), qPrintable(QStringLiteral("width %1, limit at %2").arg(width).arg(limit)));
                QVERIFY(!words.limit.isEmpty() && words.limit.left() >= 11.9 && words.limit.right() <= std::max(24, width - 12) + 0.1);
                if (width >= 150 + 90 + 10 + 24 + 94 * 2)
                    QVERIFY(!words.caption.isEmpty() || limit < 12 + 150 + 10 + 94);
            }
        }
        // Beside its line where there is room, on the left as long as there is.
        QCOMPARE(placeMemoryRankWords(480, 400, 150, 90).limit.right(), 396.0);
        QCOMPARE(placeMemoryRankWords(480, 230, 150, 90).limit.left(), 234.0);
        QVERIFY(placeMemoryRankWords(300, 160, 150, 90).caption.isEmpty());
        QVERIFY(!placeMemoryRankWords(300, std::nullopt, 150, 0).caption.isEmpty());
    }

    void smallModelsAreShownInMiB()
    {
        MemoryRankInput input = example(true);
        for (MemoryRow& row : input.items)
            row.planned = *row.planned / 1024;
        input.items.resize(3);
        input.sums.clear();
        input.limit.reset();
        for (MemoryRow& row : input.items)
            row.measured = row.planned;
        QCOMPARE(layOutMemoryRank(input).unit, QString("MiB"));
    }

    void tipAndPartsNameTheNumbers()
    {
        MemoryRankView view;
        view.setColors(chartColors(true));
        view.setState(ChartWidget::State::Ready);
        view.setInput(example(true));
        (void)render(view, {340, 230}, 1);
        QCOMPARE(view.parts().size(), std::size_t{8});
        QCOMPARE(view.parts()[0].name, QString("Weights"));
        QVERIFY(view.parts()[0].value.contains("planned 15.0 GiB, measured 15.3 GiB"));
        QVERIFY(view.tipAt(view.geometry().measured[2].rect.center()).contains("Optimizer states"));
        QVERIFY(view.tipAt(view.geometry().rows[7].center()).contains("Process"));
    }

    void picture_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<double>("scale");
        QTest::addColumn<bool>("split");
        for (const bool dark : {true, false}) {
            for (const double scale : {1.0, 2.0}) {
                for (const bool split : {true, false})
                    QTest::newRow(qPrintable(QStringLiteral("memory_rank_%1_%2_%3").arg(dark ? "dark" : "light").arg(scale).arg(split ? "items" : "sums"))) << dark << scale << split;
            }
        }
    }
    void picture()
    {
        if (!m_font)
            QSKIP("the font of the pictures (DejaVu Sans) is not installed");
        QFETCH(bool, dark);
        QFETCH(double, scale);
        QFETCH(bool, split);
        MemoryRankView view;
        view.setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
        view.setColors(chartColors(dark));
        view.setState(ChartWidget::State::Ready);
        view.setInput(example(split));
        const QString problem = compareWithGolden(render(view, {340, 220}, scale), QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

private:
    bool m_font = false;
};

QTEST_MAIN(TstMemoryRank)
#include "tst_memory_rank.moc"
