// SPDX-License-Identifier: GPL-3.0-or-later
// Every figure of a forecast has its 90 % interval: parts of a step that err apart from each other make the step's own.
#include "figure_numbers.h"
#include "plan_documents.h"
#include "planner/forecast_figures.h"

#include <QtTest>

#include <algorithm>
#include <cmath>

using namespace stagecraft;
using namespace stagecraft::test;

class TstFigureIntervals : public QObject {
    Q_OBJECT
private slots:
    void partsMakeTheStep_data()
    {
        QTest::addColumn<QString>("framework");
        for (const char* framework : {"stagecraft", "deepspeed", "fsdp2", "megatron"}) QTest::newRow(framework) << QString(framework);
    }
    void partsMakeTheStep()
    {
        QFETCH(QString, framework);
        const Plan plan = planOf(document("llama-2-7b", framework.toLatin1().constData(), 1, 2, 8, 4));
        QVERIFY(plan.forecast && plan.budget);
        const json told = planToJson(plan), &forecast = told["forecast"];
        const double step = forecast["stepTime"], least = forecast["interval90"][0], most = forecast["interval90"][1];
        double below = 0, above = 0;
        for (const json& figure : forecast["figures"]) {
            const double value = figure["value"], low = figure["interval90"][0], high = figure["interval90"][1];
            QVERIFY2(low <= value && value <= high && low >= 0, figure.dump().c_str());
            if (figure["what"] == json("mfu")) {
                QVERIFY(near(low, value * step / most, 1e-9) && near(high, value * step / least, 1e-9));
                continue;
            }
            below += (value - low) * (value - low);
            above += (high - value) * (high - value);
            // Alike: the same share of each part.
            QVERIFY(near((high - value) / value, (most - step) / std::sqrt(squares(*plan.forecast)), 1e-9));
        }
        QVERIFY(near(std::sqrt(above), most - step, 1e-9) && near(std::sqrt(below), step - least, 1e-9));
        QVERIFY(near(forecast["tokensPerSecondInterval90"][1].get<double>(), forecast["tokensPerSecond"].get<double>() * step / least, 1e-9));
    }

    // Time and energy to a budget say how they are made, and err as the step does.
    void budgetsAreExplained()
    {
        const Plan plan = planOf(document("llama-2-7b", "deepspeed", 1, 2, 8, 4));
        const json told = planToJson(plan), &budget = told["budget"], &forecast = told["forecast"];
        QCOMPARE(budget["figures"].size(), std::size_t{2});
        for (const json& figure : budget["figures"]) {
            for (const char* key : {"formula", "numbers", "source"}) QVERIFY(!figure[key].get<std::string>().empty());
            QCOMPARE(figure["value"], budget[figure["what"].get<std::string>()]);
            QVERIFY(near(figure["interval90"][0].get<double>() / figure["value"].get<double>(), forecast["interval90"][0].get<double>() / forecast["stepTime"].get<double>(), 1e-9));
        }
        QVERIFY(near(budget["joules"].get<double>(), budget["devices"].get<double>() * budget["wattsPerDevice"].get<double>() * budget["seconds"].get<double>(), 1e-9));
    }

    // The slowest of 64 devices: every factor of its formula is among the numbers.
    void waitingShowsItsFactors()
    {
        const Plan plan = planOf(document("llama-2-7b", "fsdp2", 3, 8, 8, 1));
        const auto waiting = std::find_if(plan.forecast->figures.begin(), plan.forecast->figures.end(), [](const ForecastFigure& each) { return each.what == "waiting"; });
        QVERIFY(waiting != plan.forecast->figures.end());
        QVERIFY2(waiting->numbers.starts_with("0.02 · (2.884 - 2.039) · "), waiting->numbers.c_str());
        QVERIFY2(near(Arithmetic::of(waiting->numbers), waiting->value, 5e-3), waiting->numbers.c_str());
    }

private:
    static double squares(const StepForecast& forecast)
    {
        double sum = 0;
        for (const auto& [part, seconds] : forecast.split) sum += seconds * seconds;
        return sum;
    }
};

QTEST_APPLESS_MAIN(TstFigureIntervals)
#include "tst_figure_intervals.moc"
