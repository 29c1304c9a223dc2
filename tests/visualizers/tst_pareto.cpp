// SPDX-License-Identifier: GPL-3.0-or-later
#include "visualizers/pareto_view.h"

#include <QSignalSpy>
#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using namespace stagecraft;

namespace {

ParetoData randomData(std::mt19937& random, int points)
{
    ParetoData data;
    std::uniform_real_distribution<double> time(1, 9), memory(1e9, 8e10);
    for (int i = 0; i < points; ++i)
        data.points.push_back({time(random), memory(random), true, QStringLiteral("layout %1").arg(i)});
    for (int i = 0; i < 3 * points; ++i)
        data.dots.push_back({time(random) * 4, memory(random), i % 2 == 0, {}});
    for (std::size_t i = 0; i < data.points.size(); ++i) {
        bool beaten = false;
        for (const ParetoPoint& other : data.points)
            beaten = beaten || (other.seconds < data.points[i].seconds && other.bytes < data.points[i].bytes);
        if (!beaten) data.front.push_back(i);
    }
    std::sort(data.front.begin(), data.front.end(), [&](std::size_t a, std::size_t b) { return data.points[a].seconds < data.points[b].seconds; });
    data.limitBytes = 7e10;
    data.limitLabel = QStringLiteral("usable");
    return data;
}

}  // namespace

class TstPareto : public QObject {
    Q_OBJECT
private slots:
    void placesEveryPointOnItsAxes()
    {
        std::mt19937 random(11);
        for (int round = 0; round < 200; ++round) {
            const ParetoData data = randomData(random, 1 + round % 40);
            const QSizeF size(260 + random() % 900, 160 + random() % 600);
            const ParetoGeometry g = layoutPareto(data, size);
            QVERIFY(QRectF(QPointF(0, 0), size).contains(g.plot));
            QVERIFY(g.xTicks.size() >= 2 && g.yTicks.size() >= 2);
            // Any two ticks give the axis; every point must lie on it.
            const auto scale = [&g](double v) { return g.logTime ? std::log(v) : v; };
            const auto xOf = [&](double v) {
                return g.xTicks[0].at + (scale(v) - scale(g.xTicks[0].value)) * (g.xTicks[1].at - g.xTicks[0].at) / (scale(g.xTicks[1].value) - scale(g.xTicks[0].value));
            };
            const auto yOf = [&](double v) { return g.yTicks[0].at + (v - g.yTicks[0].value) * (g.yTicks[1].at - g.yTicks[0].at) / (g.yTicks[1].value - g.yTicks[0].value); };
            for (const auto& spot : g.points) {
                const ParetoPoint& p = data.points[spot.index];
                QVERIFY(std::abs(spot.at.x() - xOf(p.seconds * g.timeFactor)) < 1e-6);
                QVERIFY(std::abs(spot.at.y() - yOf(p.bytes / g.bytesPerUnit)) < 1e-6);
                QVERIFY(g.plot.adjusted(-1, -1, 1, 1).contains(spot.at));
            }
            QCOMPARE(g.dots.size() + g.hidden, data.dots.size());
            // The whole front is in view, and its staircase only falls to the right.
            for (const std::size_t i : data.front) QVERIFY(std::any_of(g.points.begin(), g.points.end(), [i](const auto& spot) { return spot.index == i; }));
            for (std::size_t i = 1; i < g.front.size(); ++i) QVERIFY(g.front[i].x() >= g.front[i - 1].x() && g.front[i].y() >= g.front[i - 1].y());
            for (const auto& spot : g.points) {
                const int hit = pointAt(data, g, spot.at, 0.01);
                QVERIFY(hit >= 0);
            }
            // No label runs into the next: seven pixels a digit and what parts thousands, in the middle of its tick.
            for (std::size_t i = 1; i < g.xTicks.size(); ++i) QVERIFY(g.xTicks.size() == 2 || g.xTicks[i].at - g.xTicks[i - 1].at >= 7.0 * QLocale().toString(g.xTicks[i - 1].value, 'f', 0).size());
            QVERIFY(std::abs(g.limitY - yOf(data.limitBytes / g.bytesPerUnit)) < 1e-6);
        }
    }

    void bearsImpossibleNumbers_data()
    {
        QTest::addColumn<double>("seconds");
        QTest::addColumn<double>("bytes");
        QTest::newRow("not a number") << std::nan("") << 1.0;
        QTest::newRow("never ends") << std::numeric_limits<double>::infinity() << 1.0;
        QTest::newRow("no time") << 0.0 << 1.0;
        QTest::newRow("negative bytes") << 1.0 << -1.0;
    }
    void bearsImpossibleNumbers()
    {
        QFETCH(double, seconds);
        QFETCH(double, bytes);
        ParetoData data;
        data.points.push_back({seconds, bytes, true, QStringLiteral("x")});
        QVERIFY(layoutPareto(data, {400, 300}).points.empty());
        data.points.push_back({2, 5e9, true, QStringLiteral("good")});
        const ParetoGeometry g = layoutPareto(data, {400, 300});
        QCOMPARE(g.points.size(), std::size_t{1});
        QCOMPARE(g.points.front().index, std::size_t{1});
        QVERIFY(layoutPareto(data, {40, 30}).points.empty());
    }

    void oneSlowLayoutDoesNotSqueezeTheRest()
    {
        ParetoData data;
        data.points = {{1.0, 9e9, true, QStringLiteral("a")}, {1.2, 8e9, true, QStringLiteral("b")}};
        data.front = {0, 1};
        data.dots = {{500.0, 4e9, true, {}}};
        const ParetoGeometry g = layoutPareto(data, {600, 300});
        QCOMPARE(g.hidden, std::size_t{1});
        QVERIFY(g.points[1].at.x() - g.points[0].at.x() > 20);
    }

    void keysWalkTheFrontAndClicksChoose()
    {
        std::mt19937 random(5);
        ParetoView view;
        const ParetoData data = randomData(random, 30);
        view.setData(data);
        view.setState(ChartWidget::State::Ready);
        view.resize(600, 400);
        view.show();
        view.frameTick();
        (void)view.grab();
        QSignalSpy chosen(&view, &ParetoView::pointChosen), activated(&view, &ParetoView::pointActivated);
        for (std::size_t i = 0; i < data.front.size(); ++i) {
            QTest::keyClick(&view, Qt::Key_Right);
            QCOMPARE(view.chosen(), static_cast<int>(data.front[i]));
        }
        QTest::keyClick(&view, Qt::Key_Right);
        QCOMPARE(chosen.size(), static_cast<qsizetype>(data.front.size()));
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(activated.size(), 1);
        QCOMPARE(activated.front().front().toInt(), static_cast<int>(data.front.back()));
        const auto spot = std::find_if(view.geometryForTest().points.begin(), view.geometryForTest().points.end(), [&](const auto& s) { return s.index == data.front.front(); });
        QTest::mouseClick(&view, Qt::LeftButton, {}, spot->at.toPoint());
        QCOMPARE(view.chosen(), static_cast<int>(data.front.front()));
        QVERIFY(view.tipAt(spot->at).contains(data.points[data.front.front()].name));
        QCOMPARE(view.parts().size(), data.front.size());
        QVERIFY(!view.parts().front().rect.isEmpty());
    }
};

QTEST_MAIN(TstPareto)
#include "tst_pareto.moc"
