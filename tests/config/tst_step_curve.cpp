// SPDX-License-Identifier: GPL-3.0-or-later
// The curves drawn beside scheduler and curriculum keys, against values of DeepSpeed's own classes.
#include "config/step_curve.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

using namespace stagecraft;
using nlohmann::json;

namespace {

/// The value that the curve has at `step`: that of the last point not behind it.
double at(const StepCurve& curve, std::int64_t step)
{
    const auto next = std::upper_bound(curve.steps.begin(), curve.steps.end(), step);
    return curve.values.at(static_cast<std::size_t>(next - curve.steps.begin() - 1));
}

const char* const kMetric = "/data_efficiency/data_sampling/curriculum_learning/curriculum_metrics/seqlen";

json dataEfficiency(const json& metric)
{
    json config;
    config[json::json_pointer(kMetric)] = metric;
    return config;
}

json seqlen(const char* type, const json& schedule)
{
    return {{"min_difficulty", 128}, {"max_difficulty", 2048}, {"schedule_type", type}, {"schedule_config", schedule}};
}

}  // namespace

class TstStepCurve : public QObject {
    Q_OBJECT
private slots:
    void warmupAsDeepSpeed()
    {
        // By iteration of DeepSpeed's scheduler, which is one behind the step that uses it.
        const json config = {{"optimizer", {{"type", "OneBitAdam"}, {"params", {{"lr", 3e-5}}}}}, {"fp16", {{"enabled", true}}},
                             {"scheduler", {{"type", "WarmupLR"}, {"params", {{"warmup_min_lr", 0}, {"warmup_max_lr", 3e-5}, {"warmup_num_steps", 500}}}}}};
        const auto curve = stepCurveOf(config, "/scheduler/params/warmup_num_steps");
        QVERIFY(curve && !curve->waitsForTrainer && curve->what == StepCurve::What::LearningRate);
        QCOMPARE(curve->steps.front(), std::int64_t{0});
        QCOMPARE(curve->steps.back(), std::int64_t{1000});
        QVERIFY(std::is_sorted(curve->steps.begin(), curve->steps.end()) && curve->steps.size() == curve->values.size());
        const std::map<std::int64_t, double> rates{{0, 0.0}, {9, 1.1115e-5}, {99, 2.2231e-5}, {249, 2.6654e-5}, {499, 3e-5}, {500, 3e-5}};
        for (const auto& [iteration, rate] : rates) QVERIFY2(std::abs(at(*curve, iteration + 1) - rate) < 1e-9, qPrintable(QString("%1: %2").arg(iteration).arg(at(*curve, iteration + 1))));
        // A run that is longer is drawn to its end.
        QCOMPARE(stepCurveOf(config, "/optimizer/params/lr", 5000)->steps.back(), std::int64_t{5000});
    }

    void warmupAndDecayAsDeepSpeed()
    {
        const json config = {{"scheduler", {{"type", "WarmupDecayLR"}, {"params", {{"warmup_min_lr", 0}, {"warmup_max_lr", 1e-5}, {"warmup_num_steps", 1000}, {"total_num_steps", 50000}}}}}};
        const auto curve = stepCurveOf(config, "/scheduler", 100);
        QVERIFY(curve);
        QCOMPARE(curve->steps.back(), std::int64_t{50000});
        QVERIFY(std::abs(at(*curve, 1000) - 1e-5) < 1e-9);
        QVERIFY(std::abs(at(*curve, 25500) - 5e-6) < 2e-9);
        QVERIFY(at(*curve, 50000) < 1e-9);
    }

    void stepsOfARunAreAmongIts()
    {
        const json config = {{"scheduler", {{"type", "WarmupDecayLR"}, {"params", {{"warmup_max_lr", 1e-5}, {"warmup_num_steps", 100}, {"total_num_steps", 1000}}}}}};
        // Within the schedule they change nothing but that there is a value; beyond it the curve goes on as the schedule does.
        const auto value = [](const StepCurve& curve, std::int64_t step) {
            const auto found = std::find(curve.steps.begin(), curve.steps.end(), step);
            return found == curve.steps.end() ? -1.0 : curve.values.at(static_cast<std::size_t>(found - curve.steps.begin()));
        };
        QVERIFY(value(*stepCurveOf(config, "/scheduler"), 433) < 0);
        const auto within = stepCurveOf(config, "/scheduler", 0, {433});
        QVERIFY(std::abs(value(*within, 433) - 1e-5 * (1000 - 432) / 900) < 1e-12);
        QCOMPARE(within->steps.back(), std::int64_t{1000});
        const auto beyond = stepCurveOf(config, "/scheduler", 0, {1207, -1});
        QVERIFY(beyond->steps.front() == 0 && beyond->steps.back() == 1207);
        QCOMPARE(value(*beyond, 1207), 0.0);
        // A record with a step that no run has made costs no more than another.
        const auto absurd = stepCurveOf(config, "/scheduler", 0, {std::int64_t{1} << 62});
        QVERIFY(absurd->steps.size() < 1000 && absurd->steps.back() <= 1'000'000'000'000);
    }

    void liesOnWhatRealRunsRecorded()
    {
        // tests/data/make_recorded_rates.py: our engine's own records, beyond the end of the schedule and over a resume. A rate is
        // recorded with the digits that read back as the same number: there is no tolerance.
        std::ifstream file(qEnvironmentVariable("STAGECRAFT_SOURCE_DIR").toStdString() + "/tests/data/recorded_rates.json");
        const json runs = json::parse(file)["runs"];
        QVERIFY(runs.size() >= 6);
        for (const json& run : runs) {
            const auto rates = run["learningRates"].get<std::vector<double>>();
            std::vector<std::int64_t> steps;
            for (std::size_t i = 0; i < rates.size(); ++i) steps.push_back(scheduleStepOf(static_cast<std::int64_t>(i) + 1));
            const auto curve = stepCurveOf(run["dsConfig"], "/scheduler", 0, steps);
            QVERIFY(curve);
            for (std::size_t i = 0; i < rates.size(); ++i) {
                const auto found = std::find(curve->steps.begin(), curve->steps.end(), steps[i]);
                QVERIFY(found != curve->steps.end());
                QVERIFY2(curve->values[static_cast<std::size_t>(found - curve->steps.begin())] == rates[i], qPrintable(QString("%1, step %2").arg(QString::fromStdString(run["dsConfig"]["scheduler"]["type"])).arg(i + 1)));
            }
        }
    }

    void everyKindHasACurve_data()
    {
        QTest::addColumn<QByteArray>("scheduler");
        QTest::newRow("cosine") << QByteArray(R"({"type": "WarmupCosineLR", "params": {"total_num_steps": 400, "warmup_num_steps": 20}})");
        QTest::newRow("one cycle") << QByteArray(R"({"type": "OneCycle", "params": {"cycle_min_lr": 1e-5, "cycle_max_lr": 1e-3, "cycle_first_step_size": 100, "decay_step_size": 50, "decay_lr_rate": 0.1}})");
        QTest::newRow("range test") << QByteArray(R"({"type": "LRRangeTest", "params": {"lr_range_test_min_lr": 1e-5, "lr_range_test_step_size": 50}})");
        QTest::newRow("a warm-up of one step") << QByteArray(R"({"type": "WarmupLR", "params": {"warmup_num_steps": 1}})");
    }

    void everyKindHasACurve()
    {
        QFETCH(QByteArray, scheduler);
        const auto curve = stepCurveOf({{"optimizer", {{"type", "Adam"}, {"params", {{"lr", 1e-3}}}}}, {"scheduler", json::parse(scheduler.toStdString())}}, "/scheduler/type");
        QVERIFY(curve && curve->steps.size() >= 3);
        for (const double value : curve->values) QVERIFY(std::isfinite(value) && value >= 0);
        QVERIFY(*std::max_element(curve->values.begin(), curve->values.end()) > 0);
    }

    void curriculumAsDeepSpeed()
    {
        const json schedule = {{"total_curriculum_step", 10000}, {"difficulty_step", 128}};
        for (const bool legacy : {false, true}) {
            const json config = legacy ? json{{"curriculum_learning", seqlen("fixed_linear", schedule)}} : dataEfficiency(seqlen("fixed_linear", schedule));
            const auto curve = stepCurveOf(config, legacy ? std::string("/curriculum_learning/max_difficulty") : std::string(kMetric) + "/schedule_config/difficulty_step");
            QVERIFY(curve && curve->what == StepCurve::What::Difficulty);
            for (const auto& [step, difficulty] : std::map<std::int64_t, double>{{0, 128}, {500, 128}, {2500, 512}, {5000, 1024}, {7500, 1536}, {10000, 2048}, {11000, 2048}})
                QVERIFY2(at(*curve, step) == difficulty, qPrintable(QString("%1: %2").arg(step).arg(at(*curve, step))));
        }
        const auto root = stepCurveOf(dataEfficiency(seqlen("fixed_root", {{"total_curriculum_step", 10000}, {"difficulty_step", 128}, {"root_degree", 2}})), kMetric);
        QVERIFY(root);
        QCOMPARE(at(*root, 2500), 1024.0);   // half of the way at a quarter of the steps, in whole levels
        const auto levels = stepCurveOf(dataEfficiency(seqlen("fixed_discrete", {{"difficulty", {128, 512, 2048}}, {"max_step", {10, 20}}})), kMetric);
        QVERIFY(levels);
        QVERIFY(at(*levels, 10) == 128 && at(*levels, 11) == 512 && at(*levels, 20) == 512 && at(*levels, 21) == 2048);
    }

    void noCurveWhereThereIsNone_data()
    {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("pointer");
        QTest::newRow("another key") << QByteArray(R"({"scheduler": {"type": "WarmupLR", "params": {}}})") << "/train_batch_size";
        QTest::newRow("a name that only begins so") << QByteArray(R"({"scheduler": {"type": "WarmupLR", "params": {}}})") << "/schedulers";
        QTest::newRow("no scheduler") << QByteArray(R"({"optimizer": {"type": "AdamW", "params": {"lr": 1}}})") << "/optimizer/params/lr";
        QTest::newRow("an unknown one") << QByteArray(R"({"scheduler": {"type": "Sawtooth", "params": {}}})") << "/scheduler";
        QTest::newRow("no object") << QByteArray(R"({"scheduler": 7})") << "/scheduler";
        QTest::newRow("a list") << QByteArray("[]") << "/scheduler";
        QTest::newRow("the tutorial's name of the schedule") << QByteArray(R"({"curriculum_learning": {"min_difficulty": 128, "max_difficulty": 2048, "schedule_type": "linear", "schedule_config": {"total_steps": 10000, "difficulty_step": 128}}})") << "/curriculum_learning";
        QTest::newRow("difficulties of no size") << QByteArray(R"({"curriculum_learning": {"min_difficulty": 0, "max_difficulty": -1, "schedule_type": "fixed_linear", "schedule_config": {"total_curriculum_step": 0, "difficulty_step": 0}}})") << "/curriculum_learning";
        QTest::newRow("words for numbers") << QByteArray(R"({"curriculum_learning": {"schedule_type": "fixed_discrete", "schedule_config": {"difficulty": "x", "max_step": {}}}})") << "/curriculum_learning";
        QTest::newRow("no metric") << QByteArray("{}") << kMetric;
    }

    void noCurveWhereThereIsNone()
    {
        QFETCH(QByteArray, config);
        QFETCH(QString, pointer);
        QVERIFY(!stepCurveOf(json::parse(config.toStdString()), pointer.toStdString()));
    }

    void autoWaitsForTheTrainer()
    {
        const auto curve = stepCurveOf(json::parse(R"({"scheduler": {"type": "WarmupLR", "params": {"warmup_max_lr": "auto"}}})"), "/scheduler/params/warmup_max_lr");
        QVERIFY(curve && curve->waitsForTrainer && curve->steps.empty());
    }
};

QTEST_GUILESS_MAIN(TstStepCurve)
#include "tst_step_curve.moc"
