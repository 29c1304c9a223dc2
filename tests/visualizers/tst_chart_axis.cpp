// SPDX-License-Identifier: GPL-3.0-or-later
#include "../base/test_seed.h"
#include "visualizers/chart_axis.h"

#include <QtTest>

#include <cmath>
#include <random>

using namespace stagecraft;

class TstChartAxis : public QObject {
    Q_OBJECT
private slots:
    void anyRangeHasThreeToFiveRoundTicks()
    {
        std::mt19937 random(stagecraft::testing::testSeed());
        std::uniform_real_distribution<double> exponent(-12, 12), digit(-1, 1);
        for (int i = 0; i < 20'000; ++i) {
            const double low = digit(random) * std::pow(10, exponent(random));
            const double high = low + std::abs(digit(random)) * std::pow(10, exponent(random));
            const NiceAxis axis = niceAxis(low, high);
            const QByteArray what = QStringLiteral("%1 .. %2").arg(low, 0, 'g', 17).arg(high, 0, 'g', 17).toUtf8();
            QVERIFY2(axis.ticks.size() >= 3 && axis.ticks.size() <= 5, what);
            const double slack = axis.step * 1e-6;
            QVERIFY2(axis.begin <= low + slack && axis.end >= high - slack, what);
            const double digits = axis.step / std::pow(10, std::floor(std::log10(axis.step) + 1e-9));
            QVERIFY2(std::abs(digits - 1) < 1e-6 || std::abs(digits - 2) < 1e-6 || std::abs(digits - 2.5) < 1e-6 || std::abs(digits - 5) < 1e-6, what);
        }
    }

    void strangeRangesStillGiveAnAxis_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("all the same") << 2.5 << 2.5;
        QTest::newRow("all zero") << 0.0 << 0.0;
        QTest::newRow("swapped") << 3.0 << 1.0;
        QTest::newRow("no numbers") << std::nan("") << 1.0;
        QTest::newRow("infinite") << 0.0 << std::numeric_limits<double>::infinity();
        QTest::newRow("one bit apart") << 1.0 << std::nextafter(1.0, 2.0);
        QTest::newRow("smallest doubles") << 0.0 << 5e-324;
        QTest::newRow("negative") << -3e-4 << -1e-4;
    }
    void strangeRangesStillGiveAnAxis()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        const NiceAxis axis = niceAxis(low, high);
        QVERIFY(axis.ticks.size() >= 3 && axis.ticks.size() <= 5);
        QVERIFY(axis.end > axis.begin);
    }

    void textsAreShortAndRight_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const QLocale en(QLocale::English, QLocale::UnitedStates);
        const QLocale de(QLocale::German, QLocale::Germany);
        QTest::newRow("tick of step 0.5") << tickText(2, 0.5, en) << QString("2.0");
        QTest::newRow("tick of step 0.25") << tickText(0.75, 0.25, en) << QString("0.75");
        QTest::newRow("tick in thousands") << tickText(1240, 310, en) << QString("1,240");
        QTest::newRow("tick in another locale") << tickText(1240.5, 0.5, de) << QString("1.240,5");
        QTest::newRow("negative tick has a minus") << tickText(-1, 1, en) << QString(QChar(u'−')) + "1";
        QTest::newRow("zero is not negative") << tickText(-1e-18, 0.1, en) << QString("0.0");
        QTest::newRow("loss") << figureText(2.35312, en) << QString("2.353");
        QTest::newRow("rate") << figureText(49213, en) << QString("49,213");
        QTest::newRow("learning rate") << figureText(2.84e-4, en) << QString("2.84e-04");
        QTest::newRow("not a number") << figureText(std::nan(""), en) << QString("NaN");
        QTest::newRow("seconds") << secondsText(10.661, en) << QString("10.66 s");
        QTest::newRow("milliseconds") << secondsText(0.1557, en) << QString("156 ms");
        QTest::newRow("microseconds") << secondsText(42e-6, en) << QString("42.0 µs");
        QTest::newRow("GiB") << bytesText(58.9 * 1073741824.0, en) << QString("58.9 GiB");
        QTest::newRow("bytes") << bytesText(1000, en) << QString("1,000 B");
        QTest::newRow("prefix") << scaledUnit("tokens/s", axisFactor(52200), true) << QString("k tokens/s");
        QTest::newRow("power") << scaledUnit("learning rate", axisFactor(2.84e-4), false) << QString("learning rate, ×10⁻⁶");
        QTest::newRow("no factor needed") << scaledUnit("loss", axisFactor(2.4), false) << QString("loss");
    }
    void textsAreShortAndRight()
    {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(text, expected);
    }

    void ticksInsideAFixedRange_data()
    {
        QTest::addColumn<double>("begin");
        QTest::addColumn<double>("end");
        QTest::addColumn<QString>("ticks");
        QTest::newRow("a thousand steps") << 0.0 << 1240.25 << QString("0 250 500 750 1000");
        QTest::newRow("three steps") << 0.0 << 3.25 << QString("0 1 2 3");
        QTest::newRow("zoomed in") << 911.3 << 918.2 << QString("912 914 916 918");
        QTest::newRow("nothing") << 5.0 << 5.0 << QString();
    }
    void ticksInsideAFixedRange()
    {
        QFETCH(double, begin);
        QFETCH(double, end);
        QFETCH(QString, ticks);
        QStringList texts;
        for (const double value : niceTicksWithin(begin, end, 5, true))
            texts << QString::number(value);
        QCOMPARE(texts.join(' '), ticks);
    }
};

QTEST_APPLESS_MAIN(TstChartAxis)
#include "tst_chart_axis.moc"
