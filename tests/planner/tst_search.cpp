// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/batch_sweep.h"
#include "planner/fit.h"
#include "planner/search.h"

#include "../model/sample_models.h"
#include "hardware/device_sheet.h"
#include "planner/framework_ledger.h"
#include "planner/pipeline_places.h"
#include "planner/step_time.h"

#include <QElapsedTimer>
#include <QtTest>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <thread>

using namespace stagecraft;

namespace {

TrainingCase caseOf(Framework framework, std::int64_t nodes)
{
    TrainingCase c;
    c.framework = framework;
    c.model = shapeOf(testing::llama3Of8B());
    c.device = "H100-SXM-80GB";
    c.sheet = findDevice(c.device);
    c.nodes = nodes;
    c.devicesPerNode = 8;
    c.dp = nodes * 8;
    c.microBatch = 1;
    c.microBatches = 4;
    return c;
}

}  // namespace

class TstSearch : public QObject {
    Q_OBJECT
private slots:
    // Scoring takes two stages and no words; it must be the very sum of the full ledger, and the split the very step.
    void scoringEqualsTheFullPlan()
    {
        std::mt19937 random(3);
        const auto pick = [&](std::initializer_list<std::int64_t> values) { return *(values.begin() + static_cast<std::ptrdiff_t>(random() % values.size())); };
        for (int i = 0; i < 3000; ++i) {
            TrainingCase c = caseOf(static_cast<Framework>(random() % 3), 8);
            ScoredLayout p;
            p.tp = pick({1, 2, 4, 8});
            p.pp = pick({1, 2, 4, 8, 3, 5});
            p.dp = pick({1, 2, 8, 16});
            p.stage = static_cast<int>(random() % 4);
            p.policy = static_cast<ActivationPolicy>(random() % 5);
            p.microBatch = pick({1, 2, 4});
            p.accumulation = pick({1, 2, 8, 64});
            if (p.stage > 0 && random() % 2) p.offloadOptimizer = OffloadDevice::Cpu;
            c.chunks = pick({1, 2});
            scoreLayout(c, p);
            std::int64_t most = 0;
            for (const LedgerRole& role : frameworkLedger(c)) {
                most = std::max(most, role.peak.process);
                std::int64_t device = 0;
                for (const LedgerItem& item : role.items) device += item.where == Place::Device && isAlive(item.phase, role.peak.phase) ? item.bytes : 0;
                QCOMPARE(role.peak.allocated, device);
            }
            QCOMPARE(p.memory, most);
            const StepForecast f = forecastStep(c, *c.sheet);
            double sum = 0;
            for (const auto& [name, seconds] : f.split) {
                QVERIFY2(seconds >= 0 && std::isfinite(seconds), name.c_str());
                sum += seconds;
            }
            QVERIFY(f.forward > 0 && f.backward > f.forward);
            QVERIFY(std::abs(f.forward + f.backward - f.split.front().second) <= 1e-12 * f.stepTime);
            QVERIFY(std::abs(sum - f.stepTime) <= 1e-12 * f.stepTime);
            QVERIFY(f.mfu > 0 && f.mfu < 1 && f.interval90[0] < f.stepTime && f.stepTime < f.interval90[1]);
        }
    }

    // One device divides nothing: stages that come to the same are one row, the lowest.
    void oneDeviceHasEachStageOnce()
    {
        TrainingCase base = caseOf(Framework::DeepSpeed, 1);
        base.model = shapeOf(testing::llamaOf5M());
        base.devicesPerNode = base.dp = 1;
        SearchLimits limits;
        limits.globalBatch = 4;
        const SearchResult result = searchLayouts(base, limits);
        QVERIFY(result.best.size() > 4);
        for (const ScoredLayout& a : result.best)
            for (const ScoredLayout& b : result.best) {
                ScoredLayout other = b;
                other.stage = a.stage;
                QVERIFY2(a.stage == b.stage || !(a == other), qPrintable(QStringLiteral("stages %1 and %2").arg(a.stage).arg(b.stage)));
            }
        for (const std::size_t on : result.pareto) QVERIFY(on < result.best.size());
        QCOMPARE(result.best.front().stage, 0);
    }

    void findsTheFastestThatFits()
    {
        const TrainingCase base = caseOf(Framework::DeepSpeed, 2);
        SearchLimits limits;
        limits.globalBatch = 64;
        const SearchResult result = searchLayouts(base, limits);
        QVERIFY(result.scored > 300 && !result.cancelled);
        QVERIFY(result.best.front().fits);
        for (std::size_t i = 1; i < result.best.size(); ++i) {
            const ScoredLayout &a = result.best[i - 1], &b = result.best[i];
            QVERIFY(a.fits || !b.fits);
            if (a.fits && b.fits) QVERIFY(a.stepTime <= b.stepTime);
        }
        for (const ScoredLayout& layout : result.best) {
            QCOMPARE(layout.dp * layout.tp * layout.pp * layout.cp, std::int64_t{16});
            QVERIFY(layout.cp == 1 || layout.pp == 1);
            QCOMPARE(layout.microBatch * layout.accumulation * layout.dp, std::int64_t{64});
            QVERIFY(layout.pp == 1 || layout.stage <= 1);
            QVERIFY(layout.tp <= 8 && 32 % layout.tp == 0);
            // What the allocator keeps may reach the device's end; what it cannot give back stays well below.
            QVERIFY(!layout.fits || (layout.memory <= base.sheet->usableBytes && layout.probability >= kSurely));
        }
        // No layout is both faster and smaller than one on the front.
        for (const std::size_t on : result.pareto) {
            for (const ScoredLayout& other : result.best) {
                QVERIFY(!other.fits || other.stepTime >= result.best[on].stepTime || other.memory >= result.best[on].memory);
            }
        }
    }

    // One that fits more likely than not ranks below those that fit surely: where it is faster than all of them, it is told apart.
    void tellsWhatMayFitAndIsFaster()
    {
        const TrainingCase base = caseOf(Framework::DeepSpeed, 2);
        int told = 0;
        for (const std::int64_t gib : {24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 72}) {
            SearchLimits limits;
            limits.globalBatch = 64;
            limits.usableBytes = gib << 30;
            limits.keep = 100'000;
            const SearchResult all = searchLayouts(base, limits);
            QCOMPARE(static_cast<std::int64_t>(all.best.size()), all.scored);
            const ScoredLayout* fastest = nullptr;
            for (const ScoredLayout& l : all.best)
                if (l.mayFit && !l.fits && l.probability >= kEvenOdds && (!fastest || l.stepTime < fastest->stepTime)) fastest = &l;
            const bool worth = fastest && (!all.best.front().fits || fastest->stepTime < all.best.front().stepTime);
            QCOMPARE(all.likely.has_value(), worth);
            if (worth) QCOMPARE(all.likely->stepTime, fastest->stepTime);
            told += worth;
            limits.keep = 5;   // however few are kept
            QCOMPARE(searchLayouts(base, limits).likely.has_value(), worth);
        }
        QVERIFY(told > 0);
    }

    // Megatron-LM counts the loss, and the embedding too, as a layer: pipelines that do not divide the layers are searched with what makes them.
    void countsTheEmbeddingAndTheLoss_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<QString>("found");   // stages, each with the letters of what counts
        QTest::newRow("126, as Llama 3.1 405B") << 126 << QString("1 2 4el 8el 16el 32el 64el");
        QTest::newRow("127") << 127 << QString("1 2l 4l 8l 16l 32l 64l");
        QTest::newRow("128") << 128 << QString("1 2 4 8 16 32 64");
        QTest::newRow("61, as DeepSeek V3") << 61 << QString("1 2l");
        QTest::newRow("62") << 62 << QString("1 2 4el 8el 16el 32el");
    }
    void countsTheEmbeddingAndTheLoss()
    {
        QFETCH(int, layers);
        QFETCH(QString, found);
        const auto pipelinesOf = [](const TrainingCase& base) {
            SearchLimits limits;
            limits.globalBatch = 512;
            limits.keep = 100'000;
            std::map<std::int64_t, QString> seen;
            for (const ScoredLayout& l : searchLayouts(base, limits).best) seen[l.pp] = QString::number(l.pp) + (l.embeddingPlace ? "e" : "") + (l.lossPlace ? "l" : "");
            QStringList all;
            for (const auto& [stages, name] : seen) all << name;
            return all.join(' ');
        };
        TrainingCase base = caseOf(Framework::Megatron, 8);
        base.model.layers = layers;
        QCOMPARE(pipelinesOf(base), found);
        // Who gives stages a size of their own has settled it; other frameworks count nothing.
        base.firstAsked = 1;
        QVERIFY(!pipelinesOf(base).contains('l'));
        base.firstAsked = 0;
        base.customSplit = true;
        QVERIFY(!pipelinesOf(base).contains('l'));
        base.customSplit = false;
        for (const Framework other : {Framework::DeepSpeed, Framework::Fsdp2}) {
            base.framework = other;
            QVERIFY(!pipelinesOf(base).contains('l'));
        }
    }

    // What the arguments count stays where it divides, and is no reason to leave out other pipelines.
    void whatTheArgumentsCountStays()
    {
        TrainingCase c = caseOf(Framework::Megatron, 8);
        c.model.layers = 126;
        c.embeddingPlace = c.lossPlace = true;
        QVERIFY((placesFor(c, 2) == PipelinePlaces{true, true}) && (placesFor(c, 8) == PipelinePlaces{true, true}));
        QVERIFY(placesFor(c, 1) == PipelinePlaces{} && placesFor(c, 3) == PipelinePlaces{});
        // Two chunks of 63 layers a stage are none, of 64 places they are.
        c.embeddingPlace = c.lossPlace = false;
        QVERIFY(placesFor(c, 2) == PipelinePlaces{});
        c.chunksAsked = 2;
        QVERIFY((placesFor(c, 2) == PipelinePlaces{true, true}));
    }

    void staysLegalWithAwkwardNumbers()
    {
        TrainingCase base = caseOf(Framework::Megatron, 3);
        base.devicesPerNode = 5;
        SearchLimits limits;
        limits.globalBatch = 30;
        for (const ScoredLayout& layout : searchLayouts(base, limits).best) QVERIFY(layout.dp * layout.tp * layout.pp * layout.cp == 15 && layout.tp == 1 && layout.cp == 1 && layout.pp <= 32);
        // Seven samples leave fifteen ranks no layout but a pipeline of 3, 5 or 15 stages: DeepSpeed runs uneven ones, Megatron-LM does not.
        limits.globalBatch = 7;
        QCOMPARE(searchLayouts(base, limits).scored, std::int64_t{0});
        base.framework = Framework::DeepSpeed;
        QVERIFY(searchLayouts(base, limits).scored > 0);
        base.sheet = nullptr;
        QCOMPARE(searchLayouts(base, limits).scored, std::int64_t{0});
    }

    // Against all points, collected by a scorer of our own: the front is theirs, the best are theirs, nothing is left out.
    void frontIsOfAllLayouts()
    {
        TrainingCase base = caseOf(Framework::Megatron, 2);
        base.model.experts = 8;
        std::vector<ScoredLayout> all;
        std::int64_t told = 0;
        SearchLimits limits;
        limits.globalBatch = 64;
        limits.keep = 5;
        limits.score = [&all](TrainingCase& scratch, ScoredLayout& point) {
            if (point.microBatch == 2) return false;
            scoreLayout(scratch, point);
            point.probability = probabilityWithin(point.memory, scratch.sheet->usableBytes, peakSigma(scratch.framework));
            all.push_back(point);
            all.back().fits = all.back().mayFit = false;   // of the point before it
            return true;
        };
        limits.progress = [&told](const SearchResult& soFar) {
            QVERIFY(soFar.scored >= told && soFar.scored <= soFar.total);
            told = soFar.scored;
        };
        const SearchResult result = searchLayouts(base, limits);
        // Where nothing is divided the distributed optimizer is the other one once more.
        const std::vector<ScoredLayout> each = all;
        std::erase_if(all, [&each](const ScoredLayout& point) {
            ScoredLayout lower = point;
            lower.stage = 0;
            return point.dp * point.cp == 1 && point.stage == 1 && std::find(each.begin(), each.end(), lower) != each.end();
        });
        QVERIFY(all.size() < each.size());
        QCOMPARE(result.scored, static_cast<std::int64_t>(all.size()));
        QVERIFY(told > 0 && result.total > result.scored);
        QVERIFY(std::any_of(all.begin(), all.end(), [](const ScoredLayout& l) { return l.cp > 1; }));
        QVERIFY(std::any_of(all.begin(), all.end(), [](const ScoredLayout& l) { return l.ep > 1; }));
        std::int64_t fitting = 0;
        for (ScoredLayout& point : all) fitting += point.fits = point.probability >= kSurely;
        QCOMPARE(result.fitting, fitting);
        QVERIFY(fitting > 5);
        for (const std::size_t on : result.pareto) {
            for (const ScoredLayout& other : all) QVERIFY(!other.fits || other.stepTime >= result.best[on].stepTime || other.memory >= result.best[on].memory);
        }
        const auto smallest = std::min_element(all.begin(), all.end(), [](const ScoredLayout& a, const ScoredLayout& b) { return a.memory < b.memory; });
        QCOMPARE(result.best[result.pareto.front()].memory, smallest->memory);
        QVERIFY(result.best[result.pareto.back()].stepTime == result.best.front().stepTime);
        for (std::size_t i = 1; i < result.pareto.size(); ++i) QVERIFY(result.best[result.pareto[i - 1]].memory < result.best[result.pareto[i]].memory);
        QVERIFY(result.dots.size() <= kMostDots && !result.dots.empty());
    }

    void ourEngineDividesDataOnly()
    {
        SearchLimits limits;
        limits.globalBatch = 64;
        limits.dataParallelOnly = true;
        limits.offload = false;
        const SearchResult result = searchLayouts(caseOf(Framework::DeepSpeed, 2), limits);
        QVERIFY(result.scored > 0);
        for (const ScoredLayout& layout : result.best) QVERIFY(layout.dp == 16 && layout.offloadOptimizer == OffloadDevice::None);
    }

    void stopsWhenAsked()
    {
        TrainingCase base = caseOf(Framework::DeepSpeed, 4096);
        SearchLimits limits;
        limits.globalBatch = 1 << 20;
        std::stop_source stop;
        stop.request_stop();
        const SearchResult result = searchLayouts(base, limits, stop.get_token());
        QVERIFY(result.cancelled && result.scored < 300);
    }

    // Every batch that the ranks divide, and the time of a sample decides: a larger batch is no slower layout.
    void batchesAreSweptTogether()
    {
        constexpr std::int64_t kLeast = 60, kMost = 96;
        const TrainingCase base = caseOf(Framework::DeepSpeed, 2);
        SearchLimits limits;
        limits.globalBatch = kLeast;
        limits.keep = 1'000'000;
        const SearchResult swept = searchBatches(base, limits, kMost);
        std::int64_t scored = 0, fitting = 0;
        double fastest = 1e300;
        std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
        const auto timeOf = [](const ScoredLayout& l) { return l.stepTime / static_cast<double>(l.dp * l.microBatch * l.accumulation); };
        for (limits.globalBatch = kLeast; limits.globalBatch <= kMost; ++limits.globalBatch) {
            const SearchResult one = searchLayouts(base, limits);
            scored += one.scored;
            fitting += one.fitting;
            for (const ScoredLayout& layout : one.best)
                if (layout.fits) {
                    fastest = std::min(fastest, timeOf(layout));
                    smallest = std::min(smallest, layout.memory);
                }
        }
        QCOMPARE(swept.scored, scored);
        QCOMPARE(swept.fitting, fitting);
        QVERIFY(fitting > 100);
        QCOMPARE(timeOf(swept.best.front()), fastest);
        QCOMPARE(swept.best[swept.pareto.front()].memory, smallest);
        QCOMPARE(timeOf(swept.best[swept.pareto.back()]), fastest);
        for (std::size_t i = 1; i < swept.best.size() && swept.best[i].fits; ++i) QVERIFY(timeOf(swept.best[i - 1]) <= timeOf(swept.best[i]));
        for (const ScoredLayout& layout : swept.best) {
            const std::int64_t batch = layout.dp * layout.microBatch * layout.accumulation;
            QVERIFY(batch >= kLeast && batch <= kMost);
        }
        limits.globalBatch = 64;
        QVERIFY(searchBatches(base, limits, 64).best == searchLayouts(base, limits).best);
        QVERIFY(searchBatches(base, limits, 1).best == searchLayouts(base, limits).best);
    }

    // What a search of a million holds is what it keeps, and it stops while a person is still looking at the button.
    void aMillionLayoutsCanBeStopped()
    {
        const TrainingCase base = caseOf(Framework::Fsdp2, 1440);
        SearchLimits limits;
        limits.globalBatch = 11520 * 720;
        limits.keep = 50;
        std::int64_t total = 0, soonest = std::numeric_limits<std::int64_t>::max();
        std::size_t held = 0;
        for (int attempt = 0; attempt < 5 && soonest > 100; ++attempt) {
            std::stop_source stop;
            std::atomic<bool> begun = false;
            SearchLimits told = limits;
            told.progress = [&](const SearchResult& soFar) {
                total = soFar.total;
                held = std::max({held, soFar.best.size(), soFar.dots.size()});
                if (soFar.scored > 5000) begun = true;
            };
            SearchResult result;
            std::thread worker([&] {
                result = searchBatches(base, told, limits.globalBatch + 2880, stop.get_token());
                begun = true;
            });
            while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            QElapsedTimer clock;
            clock.start();
            stop.request_stop();
            worker.join();
            soonest = std::min<std::int64_t>(soonest, clock.elapsed());
            QVERIFY(result.cancelled);
        }
        qInfo("%lld layouts, stopped after %lld ms", static_cast<long long>(total), static_cast<long long>(soonest));
        QVERIFY2(total > 1'000'000, qPrintable(QString::number(total)));
        QVERIFY2(soonest <= 100, qPrintable(QString::number(soonest)));
        QVERIFY(held <= kMostDots);
    }

    void speed()
    {
        const TrainingCase base = caseOf(Framework::DeepSpeed, 512);
        SearchLimits limits;
        limits.globalBatch = 1 << 16;
        QElapsedTimer clock;
        clock.start();
        const SearchResult result = searchLayouts(base, limits);
        qInfo("%lld layouts, %.0f a second (target 100,000 in an optimised build)", static_cast<long long>(result.scored), static_cast<double>(result.scored) * 1e9 / static_cast<double>(clock.nsecsElapsed()));
        QVERIFY(result.scored > 1000);
    }
};

QTEST_APPLESS_MAIN(TstSearch)
#include "tst_search.moc"
