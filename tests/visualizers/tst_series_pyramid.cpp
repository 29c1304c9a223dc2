// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/series_pyramid.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <random>

using namespace stagecraft;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

// The slow and obvious series: an ordered map.
struct PlainSeries {
    std::map<std::int64_t, double> points;

    void append(std::int64_t x, double value)
    {
        points.erase(points.lower_bound(x), points.end());
        points[x] = value;
    }
    SeriesSummary summarize(std::int64_t begin, std::int64_t end) const
    {
        SeriesSummary result;
        std::int64_t index = 0;
        for (const auto& [x, value] : points) {
            if (index >= begin && index < end)
                result.add(value);
            ++index;
        }
        return result;
    }
    std::int64_t lowerBound(std::int64_t x) const { return std::distance(points.begin(), points.lower_bound(x)); }
    std::int64_t xAt(std::int64_t index) const { return std::next(points.begin(), index)->first; }
};

}  // namespace

class TstSeriesPyramid : public QObject {
    Q_OBJECT
private slots:
    void initTestCase()
    {
        m_seed = stagecraft::testing::testSeed();
    }

    void emptySeriesHasNothing()
    {
        const SeriesPyramid series;
        QVERIFY(series.empty());
        QCOMPARE(series.lowerBound(0), std::int64_t{0});
        QCOMPARE(series.summarize(0, 10).finite, std::int64_t{0});
        QVERIFY(!series.lastValue().has_value());
    }

    void agreesWithAPlainMap_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("pattern");   // 0 dense, 1 strides that change, 2 random gaps, 3 with repeats
        QTest::newRow("one point") << 1 << 0;
        QTest::newRow("fewer than one summary") << 15 << 0;
        QTest::newRow("exactly one summary") << 16 << 0;
        QTest::newRow("one more than a summary") << 17 << 0;
        QTest::newRow("two levels and a bit") << 300 << 0;
        QTest::newRow("three levels") << 4097 << 0;
        QTest::newRow("strides change") << 1000 << 1;
        QTest::newRow("random gaps") << 1000 << 2;
        QTest::newRow("steps repeated after a resume") << 2000 << 3;
    }
    void agreesWithAPlainMap()
    {
        QFETCH(int, count);
        QFETCH(int, pattern);
        std::mt19937 random(m_seed);
        std::normal_distribution<double> noise;
        SeriesPyramid series;
        PlainSeries plain;
        std::int64_t x = static_cast<std::int64_t>(random() % 100) - 50;
        for (int i = 0; i < count; ++i) {
            const unsigned kind = random() % 40;
            const double value = kind == 0 ? kNaN : kind == 1 ? kInf : kind == 2 ? 1e6 : noise(random);
            series.append(x, value);
            plain.append(x, value);
            if (pattern == 0)
                ++x;
            else if (pattern == 1)
                x += 1 + i / 100;
            else if (pattern == 2)
                x += 1 + static_cast<std::int64_t>(random() % 9);
            else
                x = random() % 97 == 0 ? std::max<std::int64_t>(x - static_cast<std::int64_t>(random() % 400), -50) : x + 1;
        }
        QCOMPARE(series.size(), static_cast<std::int64_t>(plain.points.size()));
        QCOMPARE(series.firstX(), plain.points.begin()->first);
        QCOMPARE(series.lastX(), plain.points.rbegin()->first);
        for (int query = 0; query < 300; ++query) {
            const auto size = static_cast<unsigned>(series.size());
            std::int64_t begin = static_cast<std::int64_t>(random() % (size + 1)), end = static_cast<std::int64_t>(random() % (size + 1));
            if (begin > end)
                std::swap(begin, end);
            const SeriesSummary ours = series.summarize(begin, end), truth = plain.summarize(begin, end);
            QCOMPARE(ours.finite, truth.finite);
            QCOMPARE(ours.nonFinite, truth.nonFinite);
            QCOMPARE(ours.min, truth.min);   // exactly: a spike is kept to the bit
            QCOMPARE(ours.max, truth.max);
            // Sums of up to 4097 values of size 1e6 at 1e-16 each, added in another order.
            QVERIFY2(std::abs(ours.sum - truth.sum) <= 1e-6, qPrintable(QString("%1 %2").arg(ours.sum).arg(truth.sum)));
            const std::int64_t wanted = series.firstX() - 3 + static_cast<std::int64_t>(random() % static_cast<unsigned>(series.lastX() - series.firstX() + 7));
            QCOMPARE(series.lowerBound(wanted), plain.lowerBound(wanted));
            const auto index = static_cast<std::int64_t>(random() % size);
            QCOMPARE(series.xAt(index), plain.xAt(index));
        }
    }

    void cutAtAnyPlaceLeavesWhatWasBefore()
    {
        std::mt19937 random(m_seed);
        for (int round = 0; round < 60; ++round) {
            SeriesPyramid cut, whole;
            const auto count = static_cast<std::int64_t>(1 + random() % 1200), at = static_cast<std::int64_t>(random() % 1300);
            for (std::int64_t i = 0; i < count; ++i) {
                const double value = static_cast<double>(random() % 1000);
                cut.append(i, value);
                if (i < at)
                    whole.append(i, value);
            }
            cut.truncateFrom(at);
            QCOMPARE(cut.size(), whole.size());
            for (std::int64_t i = 0; i < 50; ++i) {   // and it goes on as if nothing had been there
                cut.append(at + i, static_cast<double>(i));
                whole.append(at + i, static_cast<double>(i));
            }
            const SeriesSummary a = cut.summarize(0, cut.size()), b = whole.summarize(0, whole.size());
            QCOMPARE(a.finite, b.finite);
            QCOMPARE(a.min, b.min);
            QCOMPARE(a.max, b.max);
            QCOMPARE(a.sum, b.sum);   // whole numbers: exact in any order
        }
    }

    void endlessSeriesKeepsItsSpikesInBoundedMemory()
    {
        SeriesPyramid series(1024);
        std::size_t most = 0;
        constexpr std::int64_t kCount = 400'000;
        for (std::int64_t i = 0; i < kCount; ++i) {
            series.append(i, i == 777 ? 1e9 : i == 778 ? kNaN : 1.0);
            if (i == 20'000)
                most = series.memoryBytes();
        }
        QVERIFY2(series.memoryBytes() < 4 * most, qPrintable(QString("%1 bytes at 20k, %2 at 400k").arg(most).arg(series.memoryBytes())));
        QVERIFY(!series.valueAt(777).has_value());
        QCOMPARE(series.summarize(700, 800).max, 1e9);
        QCOMPARE(series.summarize(0, kCount).nonFinite, std::int64_t{1});
        QCOMPARE(series.summarize(0, kCount).finite, kCount - 1);
        QCOMPARE(series.valueAt(kCount - 1).value(), 1.0);
        series.truncateFrom(50'003);   // inside what only summaries know
        QVERIFY(series.size() <= 50'003);
        QVERIFY(series.size() > 49'000);
        const std::int64_t left = series.size();
        QCOMPARE(series.summarize(0, left).finite, left - 1);
        series.append(60'000, 5.0);
        QCOMPARE(series.lastValue().value(), 5.0);
        QCOMPARE(series.summarize(0, left + 1).finite, left);
    }

    void resumeReplacesTheRepeatedSteps()
    {
        SeriesPyramid series;
        for (std::int64_t step = 1; step <= 100; ++step)
            series.append(step, 1.0);
        for (std::int64_t step = 51; step <= 60; ++step)
            series.append(step, 2.0);
        QCOMPARE(series.size(), std::int64_t{60});
        QCOMPARE(series.lastX(), std::int64_t{60});
        QCOMPARE(series.summarize(0, 60).sum, 50.0 + 20.0);
    }

private:
    unsigned m_seed = 0;
};

QTEST_APPLESS_MAIN(TstSeriesPyramid)
#include "tst_series_pyramid.moc"
