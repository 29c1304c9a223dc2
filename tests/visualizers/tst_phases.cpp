// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/phases_view.h"

#include "chart_test_support.h"
#include "visualizers/cursor_model.h"

#include <QSignalSpy>
#include <QtTest>

#include <cmath>
#include <random>

using namespace stagecraft;
using namespace stagecraft::testing;

namespace {

const TextWidth kSixPerLetter = [](const QString& text) { return 6.0 * static_cast<double>(text.size()); };

PhaseSeconds secondsOf(std::int64_t step)
{
    const double k = 1 + 0.05 * static_cast<double>(step % 7);
    return {0.02, 0.3 * k, 0.6 * k, 0.1, 0.05, step % 5 == 0 ? 0.2 : 0.05};
}

std::shared_ptr<PhaseHistory> history(std::int64_t steps, int ranks)
{
    auto result = std::make_shared<PhaseHistory>();
    for (std::int64_t step = 1; step <= steps; ++step) {
        result->appendMean(step, secondsOf(step));
        for (int rank = 0; rank < ranks; ++rank) {
            PhaseSeconds own = secondsOf(step);
            own[1] += rank;
            result->appendRank(rank, step, own);
        }
    }
    return result;
}

}  // namespace

class TstPhases : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { m_font = useGoldenFont(); }

    void barsAreMeansOfTheirSteps_data()
    {
        QTest::addColumn<int>("rank");
        QTest::addColumn<double>("begin");
        QTest::addColumn<double>("end");
        QTest::addColumn<int>("most");
        QTest::newRow("one step a bar") << -1 << 10.0 << 50.0 << 60;
        QTest::newRow("several steps a bar") << -1 << 1.0 << 300.25 << 40;
        QTest::newRow("one bar") << -1 << 0.0 << 300.25 << 1;
        QTest::newRow("of one rank") << 1 << 100.0 << 300.25 << 30;
        QTest::newRow("beyond the end") << -1 << 290.0 << 1000.0 << 30;
    }
    void barsAreMeansOfTheirSteps()
    {
        QFETCH(int, rank);
        QFETCH(double, begin);
        QFETCH(double, end);
        QFETCH(int, most);
        const auto data = history(300, 2);
        const std::vector<PhaseBar> bars = data->bars(rank, begin, end, most);
        QVERIFY(!bars.empty() && static_cast<int>(bars.size()) <= most);
        std::int64_t at = std::max<std::int64_t>(static_cast<std::int64_t>(std::ceil(begin)), 0);
        for (const PhaseBar& bar : bars) {
            QCOMPARE(bar.begin, at);
            at = bar.end;
            for (std::size_t p = 0; p < kPhaseCount; ++p) {
                double sum = 0;
                int count = 0;
                for (std::int64_t step = std::max<std::int64_t>(bar.begin, 1); step < bar.end && step <= 300; ++step, ++count)
                    sum += secondsOf(step)[p] + (rank > 0 && p == 1 ? rank : 0);
                QVERIFY(std::abs(bar.seconds[p] - sum / count) < 1e-12);
            }
        }
        QCOMPARE(at, std::min<std::int64_t>(301, static_cast<std::int64_t>(std::ceil(end))));
    }

    void resumeReplacesRepeatedSteps()
    {
        auto data = history(100, 1);
        data->appendMean(51, {1, 0, 0, 0, 0, 0});
        data->appendRank(0, 51, {1, 0, 0, 0, 0, 0});
        QCOMPARE(data->lastStep(-1), std::int64_t{51});
        QCOMPARE(data->lastStep(0), std::int64_t{51});
        QCOMPARE(data->at(0, 51).value()[0], 1.0);
        QVERIFY(!data->at(-1, 52).has_value());
    }

    void stacksAddUpAndStayInside()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        std::uniform_real_distribution<double> any(-0.2, 1);
        for (int round = 0; round < 200; ++round) {
            PhasesInput input;
            input.width = 60 + random() % 900;
            input.height = 60 + random() % 300;
            const double scale = std::pow(10.0, static_cast<double>(random() % 8) - 5);
            for (std::int64_t i = 0; i < 1 + random() % 130; ++i) {
                PhaseBar bar{i, i + 1, {}};
                for (double& s : bar.seconds)
                    s = random() % 40 == 0 ? std::nan("") : any(random) * scale;
                input.bars.push_back(bar);
            }
            input.visible[random() % kPhaseCount] = false;
            const PhasesGeometry geometry = layOutPhases(input, kSixPerLetter);
            QVERIFY(geometry.yTicks.size() >= 3 && geometry.yTicks.size() <= 5);
            for (std::size_t i = 0; i < input.bars.size(); ++i) {
                double sum = 0, height = 0;
                double floor = geometry.plot.bottom();
                for (std::size_t p = 0; p < kPhaseCount; ++p) {
                    const double s = input.bars[i].seconds[p];
                    const bool shown = input.visible[p] && std::isfinite(s) && s > 0;
                    QCOMPARE(!geometry.bars[i][p].isNull() && geometry.bars[i][p].height() > 0, shown);
                    if (!shown)
                        continue;
                    sum += s;
                    height += geometry.bars[i][p].height();
                    QVERIFY(std::abs(geometry.bars[i][p].bottom() - floor) < 1e-6);
                    floor = geometry.bars[i][p].top();
                    QVERIFY(geometry.bars[i][p].left() >= geometry.plot.left() && geometry.bars[i][p].right() <= geometry.plot.right() + 1e-6);
                }
                QVERIFY(std::abs(height - sum / geometry.yEnd * geometry.plot.height()) < 1e-6);
                QVERIFY(floor >= geometry.plot.top() - 1e-6);
            }
        }
    }

    void hitFindsBarAndPhase()
    {
        PhasesInput input;
        input.width = 400;
        input.height = 200;
        for (std::int64_t i = 1; i <= 20; ++i)
            input.bars.push_back({i, i + 1, secondsOf(i)});
        const PhasesGeometry geometry = layOutPhases(input, kSixPerLetter);
        for (int bar = 0; bar < 20; ++bar) {
            for (int p = 0; p < kPhaseCount; ++p) {
                const QPointF center = geometry.bars[static_cast<std::size_t>(bar)][static_cast<std::size_t>(p)].center();
                QCOMPARE(hitBar(geometry, center.x()), bar);
                QCOMPARE(static_cast<int>(hitPhase(geometry, bar, center.y()).value()), p);
            }
        }
        QCOMPARE(hitBar(geometry, 2), -1);
        QVERIFY(!hitPhase(geometry, 3, geometry.plot.top() - 5).has_value());
    }

    void viewSaysWhatItCoversAndFollowsTheCursor()
    {
        CursorModel cursor;
        PhasesView view(&cursor, history(300, 2));
        view.setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
        view.setColors(chartColors(true));
        view.setState(ChartWidget::State::Ready);
        view.setRank(-1, 2);
        cursor.setData(1, 300);
        (void)render(view, {700, 190}, 1);
        QVERIFY2(view.coverage().startsWith("last "), qPrintable(view.coverage()));
        cursor.setRange({100, 200});
        (void)render(view, {700, 190}, 1);
        QVERIFY2(view.coverage().startsWith("steps 100 to "), qPrintable(view.coverage()));
        const QRectF bar = view.geometry().bars[3][1];
        QSignalSpy chosen(&view, &PhasesView::stepChosen);
        QTest::mouseClick(&view, Qt::LeftButton, {}, bar.center().toPoint());
        QCOMPARE(chosen.count(), 1);
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_End);
        QVERIFY(cursor.cursor().value() >= 190);
        const QString tip = view.tipAt(bar.center());
        QVERIFY2(tip.contains("forward: ") && tip.contains("wait: "), qPrintable(tip));
        QCOMPARE(view.parts().size(), view.geometry().bars.size());
    }

    void picture_data()
    {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<double>("scale");
        for (const bool dark : {true, false}) {
            for (const double scale : {1.0, 2.0})
                QTest::newRow(qPrintable(QStringLiteral("phases_%1_%2").arg(dark ? "dark" : "light").arg(scale))) << dark << scale;
        }
    }
    void picture()
    {
        if (!m_font)
            QSKIP("the font of the pictures (DejaVu Sans) is not installed");
        QFETCH(bool, dark);
        QFETCH(double, scale);
        CursorModel cursor;
        PhasesView view(&cursor, history(300, 2));
        view.setLocale(QLocale(QLocale::English, QLocale::UnitedStates));
        view.setColors(chartColors(dark));
        view.setState(ChartWidget::State::Ready);
        view.setRank(-1, 2);
        view.setPlanned(1.05, PhaseSeconds{0.02, 0.31, 0.61, 0.06, 0.05, 0});
        cursor.setData(1, 300);
        const QString problem = compareWithGolden(render(view, {520, 190}, scale), QString::fromLatin1(QTest::currentDataTag()));
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }

private:
    bool m_font = false;
};

QTEST_MAIN(TstPhases)
#include "tst_phases.moc"
