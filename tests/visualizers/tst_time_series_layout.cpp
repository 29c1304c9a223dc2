// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/time_series_layout.h"

#include <QtTest>

#include <cmath>
#include <map>
#include <random>

using namespace stagecraft;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const TextWidth kSixPerLetter = [](const QString& text) { return 6.0 * static_cast<double>(text.size()); };

TimeSeriesInput inputOf(const SeriesPyramid& data, double begin, double end, double width = 640, double height = 200)
{
    TimeSeriesInput input;
    input.series.push_back({&data, QStringLiteral("train"), false, true});
    input.xBegin = begin;
    input.xEnd = end;
    input.width = width;
    input.height = height;
    return input;
}

}  // namespace

class TstTimeSeriesLayout : public QObject {
    Q_OBJECT
private slots:
    // Each column against a scan of all points: smallest and largest to the bit, and nothing drawn twice or left out.
    void columnsHoldEveryPoint_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<double>("width");
        QTest::addColumn<double>("scale");
        QTest::newRow("fewer points than columns") << 500 << 640.0 << 1.0;
        QTest::newRow("a little more points than columns") << 1700 << 700.0 << 1.0;
        QTest::newRow("at scale 2") << 5000 << 700.0 << 2.0;
        QTest::newRow("few columns") << 20'000 << 60.0 << 1.0;
        QTest::newRow("a hundred thousand points") << 100'000 << 1600.0 << 1.0;
    }
    void columnsHoldEveryPoint()
    {
        QFETCH(int, points);
        QFETCH(double, width);
        QFETCH(double, scale);
        std::mt19937 random(stagecraft::testing::testSeed());
        std::normal_distribution<double> noise;
        SeriesPyramid data;
        std::vector<std::pair<std::int64_t, double>> plain;
        for (int i = 1; i <= points; ++i) {
            const double value = random() % 500 == 0 ? kNaN : random() % 300 == 0 ? 50 * noise(random) : noise(random);
            data.append(i, value);
            plain.emplace_back(i, value);
        }
        TimeSeriesInput input = inputOf(data, points * 0.1, points * 0.9, width);
        input.scale = scale;
        const TimeSeriesGeometry geometry = layOutTimeSeries(input, kSixPerLetter);
        const SeriesGeometry& series = geometry.series[0];
        const auto columns = static_cast<std::int64_t>(std::lround(geometry.plot.width() * scale));
        if (points * 0.8 * 2 <= geometry.plot.width() * scale) {
            QVERIFY(series.envelope.empty());
            return;
        }
        std::map<std::int64_t, SeriesSummary> truth;
        for (const auto& [x, value] : plain) {
            const double fx = static_cast<double>(x);
            if (fx < geometry.xBegin || fx >= geometry.xEnd)
                continue;
            // The column whose half-open range holds x, found by looking at all borders.
            std::int64_t column = static_cast<std::int64_t>((fx - geometry.xBegin) / (geometry.xEnd - geometry.xBegin) * static_cast<double>(columns));
            const auto border = [&](std::int64_t c) { return geometry.xBegin + static_cast<double>(c) / static_cast<double>(columns) * (geometry.xEnd - geometry.xBegin); };
            while (column > 0 && border(column) > fx)
                --column;
            while (column + 1 < columns && border(column + 1) <= fx)
                ++column;
            truth[column].add(value);
        }
        std::size_t drawn = 0;
        double lastTop = 0, lastBottom = 0;
        bool joined = false;
        std::size_t gaps = 0;
        for (const auto& [column, values] : truth) {
            gaps += values.nonFinite > 0 ? 1 : 0;
            if (values.finite == 0) {
                joined = false;
                continue;
            }
            QVERIFY(drawn < series.envelope.size());
            const EnvelopeColumn& got = series.envelope[drawn++];
            QCOMPARE(static_cast<double>(got.x), static_cast<double>(static_cast<float>(geometry.plot.left() + static_cast<double>(column) / scale)));
            const double top = geometry.toY(values.max), bottom = geometry.toY(values.min);
            const double wantTop = joined ? std::min(top, lastBottom) : top;
            const double wantBottom = std::max(joined ? std::max(bottom, lastTop) : bottom, wantTop + 1 / scale);
            QVERIFY(std::abs(static_cast<double>(got.top) - wantTop) < 1e-3);
            QVERIFY(std::abs(static_cast<double>(got.bottom) - wantBottom) < 1e-3);
            lastTop = top;
            lastBottom = bottom;
            joined = true;
        }
        QCOMPARE(drawn, series.envelope.size());
        QCOMPARE(series.nonFinite.size(), gaps);
    }

    void spikeOfOneStepInAMillionIsDrawn()
    {
        SeriesPyramid data;
        for (std::int64_t i = 1; i <= 1'000'000; ++i)
            data.append(i, i == 654'321 ? 100.0 : 1.0);
        const TimeSeriesGeometry geometry = layOutTimeSeries(inputOf(data, 0, 1'000'000.25), kSixPerLetter);
        double highest = geometry.plot.bottom();
        for (const EnvelopeColumn& column : geometry.series[0].envelope)
            highest = std::min(highest, static_cast<double>(column.top));
        QVERIFY(std::abs(highest - geometry.toY(100.0)) < 0.01);
        QVERIFY(geometry.series[0].envelope.size() <= 640);
    }

    void lineBreaksWhereValuesAreMissing()
    {
        SeriesPyramid data;
        for (std::int64_t i = 1; i <= 30; ++i)
            data.append(i, i == 10 || i == 11 || i == 20 ? kNaN : 1.0);
        const TimeSeriesGeometry geometry = layOutTimeSeries(inputOf(data, 0, 30.25), kSixPerLetter);
        QCOMPARE(geometry.series[0].lines.size(), std::size_t{3});
        QCOMPARE(geometry.series[0].nonFinite.size(), std::size_t{3});
        QCOMPARE(geometry.series[0].meanWindow, std::int64_t{1});
    }

    void onlyBadValuesStillHaveAnAxis()
    {
        SeriesPyramid data;
        data.append(1, kNaN);
        const TimeSeriesGeometry geometry = layOutTimeSeries(inputOf(data, 0, 1.25), kSixPerLetter);
        QVERIFY(geometry.yTicks.size() >= 3);
        QCOMPARE(geometry.series[0].nonFinite.size(), std::size_t{1});
        QVERIFY(std::isnan(geometry.series[0].last.value()));
        QCOMPARE(geometry.lastLabel.text, QString("NaN"));
    }

    void windowIsAboutASixtiethOfTheView_data()
    {
        QTest::addColumn<std::int64_t>("visible");
        QTest::addColumn<std::int64_t>("window");
        QTest::newRow("short run is not smoothed") << std::int64_t{100} << std::int64_t{1};
        QTest::newRow("a thousand steps") << std::int64_t{1240} << std::int64_t{20};
        QTest::newRow("five hundred") << std::int64_t{500} << std::int64_t{5};
        QTest::newRow("a million") << std::int64_t{1'000'000} << std::int64_t{10'000};
        QTest::newRow("none") << std::int64_t{0} << std::int64_t{1};
    }
    void windowIsAboutASixtiethOfTheView()
    {
        QFETCH(std::int64_t, visible);
        QFETCH(std::int64_t, window);
        QCOMPARE(meanWindowFor(visible), window);
    }

    void labelsNeverOverlap()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        for (int round = 0; round < 300; ++round) {
            SeriesPyramid data;
            for (std::int64_t i = 1; i <= 200; ++i)
                data.append(i, static_cast<double>(random() % 100));
            TimeSeriesInput input = inputOf(data, 0, 200.25, 100 + random() % 600, 80 + random() % 200);
            for (unsigned i = 0; i < random() % 4; ++i)
                input.planned.push_back({static_cast<double>(random() % 120), QStringLiteral("planned %1").arg(i)});
            for (unsigned i = 0; i < random() % 12; ++i)
                input.events.push_back({static_cast<std::int64_t>(random() % 220), QStringLiteral("rank %1 slows").arg(i), ChartEvent::Level::Warning});
            const TimeSeriesGeometry geometry = layOutTimeSeries(input, kSixPerLetter);
            std::vector<QRectF> rects{geometry.lastLabel.rect};
            for (const PlacedLabel& label : geometry.plannedLabels)
                rects.push_back(label.rect);
            for (const PlacedLabel& label : geometry.eventLabels)
                rects.push_back(label.rect);
            for (std::size_t a = 0; a < rects.size(); ++a) {
                for (std::size_t b = a + 1; b < rects.size(); ++b)
                    QVERIFY(!rects[a].intersects(rects[b]));
            }
            QRectF before;
            for (const AxisTick& tick : geometry.xTicks) {
                if (tick.textRect.isEmpty())
                    continue;
                QVERIFY(!before.intersects(tick.textRect));
                QVERIFY(tick.textRect.right() <= input.width);
                before = tick.textRect;
            }
            QCOMPARE(geometry.plannedY.size(), input.planned.size());
            QCOMPARE(geometry.eventX.size(), input.events.size());
        }
    }

    void hitFindsTheNearestPointOrTheWholeColumn()
    {
        SeriesPyramid sparse, dense;
        for (std::int64_t i = 0; i <= 10; ++i)
            sparse.append(i * 10, static_cast<double>(i));
        TimeSeriesInput input = inputOf(sparse, 0, 100.25);
        TimeSeriesGeometry geometry = layOutTimeSeries(input, kSixPerLetter);
        for (std::int64_t wanted = 0; wanted <= 10; ++wanted) {
            const auto hits = hitTimeSeries(input, geometry, geometry.toX(static_cast<double>(wanted) * 10 + (wanted == 10 ? -4 : 4)));
            QCOMPARE(hits.size(), std::size_t{1});
            QCOMPARE(hits[0].x, wanted * 10);
            QCOMPARE(hits[0].points, std::int64_t{1});
        }
        for (std::int64_t i = 0; i < 100'000; ++i)
            dense.append(i, i == 50'000 ? 9.0 : 1.0);
        input = inputOf(dense, 0, 100'000);
        geometry = layOutTimeSeries(input, kSixPerLetter);
        const auto hits = hitTimeSeries(input, geometry, geometry.toX(50'000));
        QCOMPARE(hits.size(), std::size_t{1});
        QVERIFY(hits[0].points > 100);
        QCOMPARE(hits[0].values.max, 9.0);
    }

    void theCursorsNumberStandsOnNoOther()
    {
        const QRectF plot(40, 10, 400, 120);
        const QSizeF box(44, 14);
        for (double x = plot.left(); x <= plot.right(); x += 1.5)
            for (double y = plot.top(); y <= plot.bottom(); y += 3) {
                // The newest value stands at the right end, as high as the curve ends; another series' number was placed before.
                const QRectF newest(plot.right() - 40, 60, 40, 14);
                const QRectF other = placeCursorText({x, 70}, box, plot, {newest});
                const QRectF place = placeCursorText({x, y}, box, plot, {newest, other});
                const QByteArray at = QStringLiteral("cursor at %1, %2").arg(x).arg(y).toUtf8();
                QVERIFY2(!other.intersects(newest) && !place.intersects(newest) && !place.intersects(other), at.constData());
                QVERIFY2(plot.contains(place), at.constData());
                QVERIFY2(place.left() >= x || place.right() <= x, at.constData());   // the line and the point stay in view
            }
        // With room it stands where it always did.
        QCOMPARE(placeCursorText({100, 60}, box, plot, {}), QRectF(108, 42, 44, 14));
        // However little room there is, it is somewhere.
        QVERIFY(!placeCursorText({5, 5}, box, QRectF(0, 0, 10, 10), {QRectF(0, 0, 10, 10)}).isEmpty());
    }

    void hiddenSeriesAndOddSizesAreHarmless_data()
    {
        QTest::addColumn<double>("width");
        QTest::addColumn<double>("height");
        QTest::addColumn<double>("begin");
        QTest::addColumn<double>("end");
        QTest::newRow("no size") << 0.0 << 0.0 << 0.0 << 10.0;
        QTest::newRow("one pixel") << 1.0 << 1.0 << 0.0 << 10.0;
        QTest::newRow("empty range") << 300.0 << 100.0 << 5.0 << 5.0;
        QTest::newRow("range before the data") << 300.0 << 100.0 << -100.0 << -50.0;
        QTest::newRow("range far beyond the data") << 300.0 << 100.0 << 1e17 << 1e18;
        QTest::newRow("huge range") << 300.0 << 100.0 << -1e19 << 1e19;
    }
    void hiddenSeriesAndOddSizesAreHarmless()
    {
        QFETCH(double, width);
        QFETCH(double, height);
        QFETCH(double, begin);
        QFETCH(double, end);
        SeriesPyramid data;
        for (std::int64_t i = 1; i <= 100; ++i)
            data.append(i, static_cast<double>(i));
        TimeSeriesInput input = inputOf(data, begin, end, width, height);
        input.series.push_back({&data, QStringLiteral("hidden"), false, false});
        input.series.push_back({nullptr, QStringLiteral("none"), true, true});
        const TimeSeriesGeometry geometry = layOutTimeSeries(input, kSixPerLetter);
        QCOMPARE(geometry.series.size(), std::size_t{3});
        QVERIFY(geometry.series[1].envelope.empty() && geometry.series[1].lines.empty());
        (void)hitTimeSeries(input, geometry, width / 2);
    }

    void bigValuesGetAPrefix()
    {
        SeriesPyramid data;
        for (std::int64_t i = 1; i <= 10; ++i)
            data.append(i, 49'000.0 + static_cast<double>(i) * 100);
        TimeSeriesInput input = inputOf(data, 0, 10.25);
        input.unit = QStringLiteral("tokens/s");
        input.unitTakesPrefix = true;
        input.planned.push_back({52'200, QStringLiteral("planned 52.2 k")});
        const TimeSeriesGeometry geometry = layOutTimeSeries(input, kSixPerLetter);
        QCOMPARE(geometry.unitText, QString("k tokens/s"));
        QVERIFY(geometry.yBegin > 40'000);
        QCOMPARE(geometry.lastLabel.text, QString("50.00"));
        QVERIFY(!std::isnan(geometry.plannedY[0]));
        QVERIFY(!geometry.plannedLabels[0].rect.isEmpty());
    }
};

QTEST_APPLESS_MAIN(TstTimeSeriesLayout)
#include "tst_time_series_layout.moc"
