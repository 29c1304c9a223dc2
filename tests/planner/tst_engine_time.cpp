// SPDX-License-Identifier: GPL-3.0-or-later
// Step times from a measured machine. The machine here is made up by simple laws, so that what must come out is known.
#include "hardware/cpu_sheet.h"
#include "hardware/read_sheets.h"
#include "planner/engine_time.h"
#include "planner/machine_rates.h"

#include "figure_numbers.h"
#include "made_up_machine.h"

#include <nlohmann/json.hpp>

#include <QtTest>
#include <algorithm>
#include <cmath>

using namespace stagecraft;
using nlohmann::json;
using stagecraft::test::machineOf;

namespace {

json workspaceOf(int world, int stage, const json& changes = json::object())
{
    json w = {{"stagecraft", 1}, {"model", {{"family", "llama"}, {"hidden", 128}, {"layers", 3}, {"heads", 4}, {"kvHeads", 4}, {"ffn", 256}, {"vocab", 512}, {"seq", 64}}},
              {"layout", {{"dp", world}}}, {"hardware", {{"devicesPerNode", world}}}, {"dsConfig", {{"train_micro_batch_size_per_gpu", 2}, {"zero_optimization", {{"stage", stage}}}}}};
    w.merge_patch(changes);
    return w;
}

StepForecast forecastOf(const json& text, const std::optional<MachineMeasure>& machine)
{
    const auto workspace = parseWorkspace(text.dump(), ".");
    if (!workspace.hasValue()) qFatal("%s", workspace.error().message.c_str());
    PlanContext context;
    context.machine = machine;
    const auto plan = makePlan(*workspace, context);
    if (!plan.hasValue() || !plan->forecast) qFatal("no forecast");
    if (plan->forecast->basis == ForecastBasis::Measured)
        if (const std::string untold = test::untoldPart(*plan->forecast); !untold.empty()) qFatal("%s", untold.c_str());
    return *plan->forecast;
}

double partOf(const StepForecast& f, const std::string& name)
{
    for (const auto& [part, seconds] : f.split)
        if (part == name) return seconds;
    return 0;
}

/// The same machine, everything `times` as fast.
MachineMeasure faster(MachineMeasure m, double times)
{
    for (GemmRate& g : m.gemms) g.seconds /= times;
    for (KernelRate& k : m.kernelRates) k.seconds /= times;
    for (CollectiveRate& c : m.collectives) c.seconds /= times, c.cpuSeconds /= times;
    for (StepRate& s : m.steps) s.seconds /= times, s.waited /= times;
    return m;
}

bool near(double a, double b, double relative = 1e-9) { return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)); }

}  // namespace

class TstEngineTime : public QObject {
    Q_OBJECT
private slots:
    void onlyProductsAreTheirFlops()
    {
        // Kernels cost nothing here, and one rank sends nothing: what is left are the products and attention.
        const StepForecast f = forecastOf(workspaceOf(1, 0), machineOf(1e10, 1e18));
        const double tokens = 128, h = 128, ffn = 256, vocab = 512, seq = 64;
        const double matrices = 3 * (4 * h * h + 3 * h * ffn) + vocab * h;
        const double attention = 2.0 * 3 * 4 * 2 * 4 * seq * seq * 32;  // twice (forward, backward), layers, heads, samples
        const double expected = (6 * tokens * matrices + attention) / 1e10;
        QVERIFY2(near(f.stepTime, expected, 1e-6), qPrintable(QString("%1 s, not %2").arg(f.stepTime).arg(expected)));
        QVERIFY(near(f.forward, (2 * tokens * matrices + attention / 2) / 1e10, 1e-6));
        QCOMPARE(f.basis, ForecastBasis::Measured);
        QVERIFY(f.source.find("2026-11-21") != std::string::npos);
    }

    void twiceAsFastTakesHalf_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("stage");
        QTest::addColumn<QByteArray>("changes");
        for (int stage = 0; stage <= 3; ++stage) QTest::addRow("two ranks, stage %d", stage) << 2 << stage << QByteArray("{}");
        QTest::newRow("more ranks than cores") << 4 << 2 << QByteArray("{}");
        QTest::newRow("bf16, recomputed, accumulated") << 2 << 3 << QByteArray(R"({"layout": {"recompute": "full"}, "dsConfig": {"bf16": {"enabled": true}, "gradient_accumulation_steps": 7}})");
        QTest::newRow("GPT-2 with dropout") << 1 << 0 << QByteArray(R"({"model": {"family": "gpt2", "kvHeads": 4, "ffn": 512, "attentionDropout": 0.1, "residualDropout": 0.1}})");
        QTest::newRow("LLaMA with dropout") << 2 << 3 << QByteArray(R"({"model": {"attentionDropout": 0.1}})");
        QTest::newRow("two threads") << 1 << 0 << QByteArray(R"({"launch": {"threadsPerRank": 2}})");
    }
    void twiceAsFastTakesHalf()
    {
        QFETCH(int, world);
        QFETCH(int, stage);
        QFETCH(QByteArray, changes);
        const json w = workspaceOf(world, stage, json::parse(changes.toStdString()));
        MachineMeasure m = machineOf(1e10, 1e9);
        m.steps = {{"fp32", 1, 0, 64, 2, 4, 128, 256, 64, 2, 0.01, 0, 0.05}, {"bf16", 2, 2, 64, 2, 4, 128, 256, 64, 2, 0.02, 0.004, 0.05}};
        const StepForecast slow = forecastOf(w, m), fast = forecastOf(w, faster(m, 2));
        QVERIFY(near(slow.stepTime, 2 * fast.stepTime));
        QVERIFY(near(slow.interval90[1], 2 * fast.interval90[1]));
        QVERIFY(near(slow.mfu * 2, fast.mfu));
        double sum = 0;
        for (const auto& [name, seconds] : slow.split) sum += seconds;
        QVERIFY(near(sum, slow.stepTime));
        QVERIFY(slow.interval90[0] < slow.stepTime && slow.stepTime < slow.interval90[1]);
    }

    /// Forward and backward draw the masks of the scores anew, and the time of that is in the step of both families.
    void droppedWeightsTakeTime()
    {
        const MachineMeasure m = machineOf(1e10, 1e9);
        for (const char* family : {"llama", "gpt2"}) {
            const json plain{{"family", family}, {"kvHeads", 4}};
            json dropping = plain;
            dropping["attentionDropout"] = 0.1;
            const StepForecast without = forecastOf(workspaceOf(1, 0, {{"model", plain}}), m), with = forecastOf(workspaceOf(1, 0, {{"model", dropping}}), m);
            QVERIFY2(with.forward > without.forward && with.backward > without.backward, family);
        }
    }

    void referenceStepsSetItRight()
    {
        // Where real steps take half as long again as their operations, so does the forecast.
        MachineMeasure m = machineOf(1e10, 1e9);
        const double plain = forecastOf(workspaceOf(1, 0), m).stepTime;
        StepRate reference{"fp32", 1, 0, 64, 2, 4, 128, 256, 64, 2, 1, 0, 0};
        for (const std::int64_t hidden : {64, 128, 256}) {
            reference.hidden = hidden;
            reference.seconds = 1.5 * engineTimeOf(*jobOfReference(reference), MachineRates(m))->total();
            m.steps.push_back(reference);
        }
        const StepForecast f = forecastOf(workspaceOf(1, 0), m);
        QVERIFY(near(f.stepTime, 1.5 * plain));
        // They agree with each other: the interval is narrow. It widens when they do not.
        const double narrow = f.interval90[1] / f.stepTime;
        QVERIFY(narrow < 1.05);
        m.steps[1].seconds *= 1.4;
        QVERIFY(forecastOf(workspaceOf(1, 0), m).interval90[1] / forecastOf(workspaceOf(1, 0), m).stepTime > narrow + 0.05);
        // Steps of the other precision say nothing here.
        for (StepRate& step : m.steps) step.type = "bf16";
        QVERIFY(near(forecastOf(workspaceOf(1, 0), m).stepTime, plain));
    }

    void whatRanksWaitForEachOtherIsAdded()
    {
        // A reference that waits a tenth of its computing beyond what is played: so do other steps, once however many micro-batches,
        // and at stage 3 with each.
        MachineMeasure m = machineOf(1e10, 1e9);
        StepRate reference{"fp32", 2, 2, 64, 2, 4, 128, 256, 64, 2, 1, 0, 0};
        const EngineTime played = engineTimeOf(*jobOfReference(reference), MachineRates(m)).value();
        reference.waited = played.waiting() + 0.1 * played.computing();
        reference.seconds = played.computing() + reference.waited;
        const auto waiting = [&](int stage, int accumulation) {
            const StepForecast f = forecastOf(workspaceOf(2, stage, {{"dsConfig", {{"gradient_accumulation_steps", accumulation}}}}), m);
            return partOf(f, "communication_exposed.weights") + partOf(f, "communication_exposed.gradients");
        };
        for (const int stage : {1, 2, 3}) {
            const StepForecast plain = forecastOf(workspaceOf(2, stage), m);
            const double before = waiting(stage, 1), beforeMany = waiting(stage, 4);
            m.steps = {reference};
            const double computing = partOf(plain, "compute") + partOf(plain, "optimizer"), more = waiting(stage, 4) - beforeMany;
            QVERIFY(near(waiting(stage, 1) - before, 0.1 * computing, 1e-6));
            QVERIFY(stage == 3 ? more > 0.35 * computing : more < 0.11 * computing);
            m.steps.clear();
        }
    }

    void ranksShareTheCores()
    {
        const MachineMeasure m = machineOf(1e10, 1e9);
        const auto compute = [&](int world, int stage) { return partOf(forecastOf(workspaceOf(world, stage), m), "compute"); };
        QVERIFY(near(compute(2, 0), compute(1, 0), 0.05));       // a core each; communication takes a little of it
        QVERIFY(compute(4, 0) > 1.95 * compute(1, 0));           // two to a core
        QVERIFY(compute(4, 0) < 2.2 * compute(1, 0));
    }

    // Of two sizes one was measured while the machine was at something else: longer sequences still take no more than their square.
    void noiseDoesNotRunAway()
    {
        MachineMeasure m = machineOf(1e10, 1e9);
        for (KernelRate& rate : m.kernelRates)
            if (rate.name == "attention_backward" && rate.rows == 256) rate.seconds *= 40;
        const auto step = [&](int seq) { return forecastOf(workspaceOf(1, 0, {{"model", {{"seq", seq}}}}), m).stepTime; };
        for (const int seq : {256, 512, 2048, 8192}) QVERIFY2(step(2 * seq) < 4.1 * step(seq), qPrintable(QString("%1: %2 and %3 s").arg(seq).arg(step(seq)).arg(step(2 * seq))));
        // Nor do they get faster the longer they are.
        for (KernelRate& rate : m.kernelRates)
            if (rate.name == "attention_backward" && rate.rows == 256) rate.seconds /= 40 * 40;
        for (const int seq : {256, 512, 2048, 8192}) QVERIFY(step(2 * seq) > 2 * step(seq));
    }

    void updatesAreShared()
    {
        const MachineMeasure m = machineOf(1e10, 1e8);
        const double whole = partOf(forecastOf(workspaceOf(2, 0), m), "optimizer"), half = partOf(forecastOf(workspaceOf(2, 1), m), "optimizer");
        QVERIFY(near(whole, 2 * half, 0.01));
    }

    void recomputingAddsAForward()
    {
        const MachineMeasure m = machineOf(1e10, 1e18);
        const StepForecast without = forecastOf(workspaceOf(1, 0), m), with = forecastOf(workspaceOf(1, 0, {{"layout", {{"recompute", "full"}}}}), m);
        const double tokens = 128, h = 128, ffn = 256;
        // Without the last product of the MLP, whose result is still there.
        const double again = (2 * tokens * 3 * (4 * h * h + 2 * h * ffn) + 3 * 4 * 2 * 4 * 64.0 * 64 * 32) / 1e10;
        QVERIFY(near(with.stepTime - without.stepTime, again, 1e-6));
    }

    void slowTransportShows()
    {
        MachineMeasure m = machineOf(1e12, 1e18);
        for (CollectiveRate& c : m.collectives) c.seconds *= 100;
        const StepForecast f = forecastOf(workspaceOf(2, 3, {{"dsConfig", {{"zero_optimization", {{"stage3_param_persistence_threshold", 0}}}}}}), m);
        QVERIFY(partOf(f, "communication_exposed.weights") > 0.2 * f.stepTime);
        // Sums wait in line before the next gather: what shows as theirs is the last ones alone.
        QVERIFY(partOf(f, "communication_exposed.gradients") > 0.05 * f.stepTime);
    }

    void manyMicroStepsAreALine()
    {
        const MachineMeasure m = machineOf(1e10, 1e9);
        const auto time = [&](int accumulation) { return forecastOf(workspaceOf(2, 2, {{"dsConfig", {{"gradient_accumulation_steps", accumulation}}}}), m).stepTime; };
        QVERIFY(near(time(8) - time(7), time(4) - time(3), 1e-6));
        QVERIFY(time(1000) < 1001 * time(1));
    }

    void sharedSumsAreReadAgainForEachMicroStep()
    {
        // Where gradients are kept sliced each micro-step adds to what the earlier ones left.
        const MachineMeasure m = machineOf(1e10, 1e9);
        MachineMeasure slow = m;
        for (KernelRate& k : slow.kernelRates)
            if (k.name == "squared_sum") k.seconds *= 1000;
        const auto more = [&](int stage, int accumulation) {
            const json w = workspaceOf(2, stage, {{"dsConfig", {{"gradient_accumulation_steps", accumulation}}}});
            return forecastOf(w, slow).stepTime - forecastOf(w, m).stepTime;
        };
        QVERIFY(near(more(1, 3), more(1, 1), 1e-6));
        for (const int stage : {2, 3}) QVERIFY2(more(stage, 3) > 2 * more(stage, 1), qPrintable(QString("stage %1: %2 and %3 s").arg(stage).arg(more(stage, 1)).arg(more(stage, 3))));
    }

    void slicedWeightsAreReadForEachGather()
    {
        const MachineMeasure m = machineOf(1e10, 1e9);
        MachineMeasure slow = m;
        for (KernelRate& k : slow.kernelRates)
            if (k.name == "squared_sum") k.seconds *= 1000;
        const auto more = [&](int stage) { return forecastOf(workspaceOf(2, stage), slow).stepTime - forecastOf(workspaceOf(2, stage), m).stepTime; };
        QVERIFY(near(more(2), more(1), 1e-6));  // the gradients' own sum
        QVERIFY2(more(3) > 2 * more(2), qPrintable(QString("%1 and %2 s").arg(more(3)).arg(more(2))));
    }

    void betweenTheSizesMeasured()
    {
        MachineMeasure m = machineOf(1e10, 1e9);
        for (GemmRate& g : m.gemms)
            if (g.k == 32) g.seconds *= 4;
        const MachineRates rates(m);
        const auto rate = [&](double k) { return 2 * 256.0 * 256 * k / rates.product("fp32", ProductKind::Nt, 256, 256, k, 1, 1); };
        QVERIFY(near(rate(32), 0.25e10, 1e-9));
        QVERIFY(near(rate(256), 1e10, 1e-9));
        QVERIFY(near(rate(std::sqrt(32.0 * 256)), 0.5e10, 1e-9));  // halfway in the logarithm: the geometric mean
        QVERIFY(near(rate(8), 0.25e10, 1e-9));                     // beyond: the last rate holds
        QVERIFY(near(rate(1e6), 1e10, 1e-9));
        // 2048 cubed was not measured: the next smaller one stands for it.
        QVERIFY(near(2 * 2048.0 * 2048 * 2048 / rates.product("fp32", ProductKind::Nt, 2048, 2048, 2048, 1, 1), 1e10, 1e-9));
    }

    // Other programs make readings longer, never shorter. The work of attention bounds what a length can take.
    void attentionGrowsWithItsWork()
    {
        const MachineMeasure quiet = machineOf(1e10, 1e9);
        MachineMeasure busy = quiet;
        for (KernelRate& k : busy.kernelRates)
            if (k.name == "attention_backward" && k.rows == 256) k.seconds *= 10;
        const auto time = [](const MachineMeasure& m, double seq, double size = 64) { return MachineRates(m).attention(true, "fp32", seq, size, 1); };
        for (const double seq : {16.0, 64.0, 100.0, 256.0, 1024.0, 8192.0}) QVERIFY(near(time(quiet, seq), 4 * seq * seq * 64 / 1e10));
        QVERIFY(near(time(quiet, 64, 128), 4 * 64.0 * 64 * 128 / 1e10));
        QVERIFY(near(time(busy, 256), 1.5 * time(quiet, 256)));
        for (double seq = 256; seq < 10'000; seq *= 2) QVERIFY(time(busy, 2 * seq) <= 4.0001 * time(busy, seq));
        // What is within a cache's difference stands.
        for (KernelRate& k : busy.kernelRates)
            if (k.name == "attention_backward" && k.rows == 256) k.seconds *= 0.12;
        QVERIFY(near(time(busy, 256), 1.2 * time(quiet, 256)));
        // A shorter one takes no longer than the next.
        busy = quiet;
        for (KernelRate& k : busy.kernelRates)
            if (k.name == "attention_backward" && k.rows == 64) k.seconds *= 100;
        QVERIFY(near(time(busy, 64), time(quiet, 256)));
        // The slow readings are as they were measured.
        QVERIFY(near(MachineRates(busy, MachineRates::Readings::Slow).attention(true, "fp32", 64, 64, 1), 100 * time(quiet, 64)));
    }

    void collectivesGrowWithTheirBytes()
    {
        MachineMeasure m = machineOf(1e10, 1e9);
        const auto time = [&](double bytes) { return MachineRates(m).collective("all_gather", 2, bytes).wall; };
        QVERIFY(near(time(1e8), 20e-6 + 1e8 / 1e9));
        for (CollectiveRate& c : m.collectives)
            if (c.shardBytes == 1000) c.seconds = 0.5;
        // The small one was disturbed: the large one is no free ride for still larger ones.
        QVERIFY(near(time(1e8), time(1e6)));
        for (CollectiveRate& c : m.collectives) c.seconds = c.shardBytes == 1000 ? 1e-9 : 0.5;
        QVERIFY(time(1e8) <= 100 * time(1e6) * 1.0001);
    }

    // How far readings lie apart is how sure a forecast is, and from a measure on a plan says so.
    void busyMachinesMakeWideIntervals()
    {
        const MachineMeasure quiet = machineOf(1e10, 1e9);
        const auto width = [](const MachineMeasure& m) {
            const StepForecast f = forecastOf(workspaceOf(1, 0), m);
            return std::log(f.interval90[1] / f.stepTime);
        };
        const auto told = [](const MachineMeasure& m) {
            PlanContext context;
            context.machine = m;
            const auto plan = makePlan(*parseWorkspace(workspaceOf(1, 0).dump(), "."), context);
            return std::any_of(plan->findings.begin(), plan->findings.end(), [](const PlanFinding& f) { return f.id == "plan.measured_busy"; });
        };
        QVERIFY(near(width(quiet), 1.645 * 0.25));
        QVERIFY(!told(quiet));
        MachineMeasure apart = quiet;
        for (GemmRate& g : apart.gemms) g.spread = 0.4;
        for (KernelRate& k : apart.kernelRates) k.spread = 0.4;
        QVERIFY(near(forecastOf(workspaceOf(1, 0), apart).stepTime, forecastOf(workspaceOf(1, 0), quiet).stepTime));
        QVERIFY(near(width(apart), 1.645 * std::hypot(0.25, std::log(1.4))));
        QVERIFY(told(apart));
        MachineMeasure drifted = quiet;
        drifted.noise = 0.255;
        QVERIFY(near(width(drifted), 1.645 * std::hypot(0.25, std::log(1.255) / std::sqrt(2.0))));
        QVERIFY(told(drifted));
        drifted.noise = 0.02;
        QVERIFY(!told(drifted));
    }

    void whatIsMissingIsTheDataSheet()
    {
        const StepForecast sheet = forecastOf(workspaceOf(2, 2), std::nullopt);
        QCOMPARE(sheet.basis, ForecastBasis::DataSheet);
        MachineMeasure m = machineOf(1e10, 1e9);
        std::erase_if(m.kernelRates, [](const KernelRate& k) { return k.name == "adam"; });
        QCOMPARE(forecastOf(workspaceOf(2, 2), m).stepTime, sheet.stepTime);
        QCOMPARE(forecastOf(workspaceOf(2, 2), MachineMeasure{}).stepTime, sheet.stepTime);
        // What does not run on this machine's processors is not forecast from them.
        const json gpu = workspaceOf(2, 2, {{"hardware", {{"device", "A100-SXM-80GB"}}}});
        QCOMPARE(forecastOf(gpu, machineOf(1e10, 1e9)).stepTime, forecastOf(gpu, std::nullopt).stepTime);
    }

    // A worker in bf16 keeps what its widest product takes in fp32, twice (in PyTorch and in its matrix library): 8 bytes for each of 128 tokens
    // and 512 words of the vocabulary. Held against real runs by `bench planned`.
    void halfProductsTakeWholeResults()
    {
        const auto ledgerOf = [](const json& text) {
            const auto workspace = parseWorkspace(text.dump(), ".");
            const auto plan = makePlan(*workspace, PlanContext());
            return plan->ledger->front();
        };
        const auto products = [](const LedgerRole& role) {
            std::int64_t bytes = 0;
            for (const LedgerItem& item : role.items) bytes += item.what == "context.products" ? item.bytes : 0;
            return bytes;
        };
        const json half{{"dsConfig", {{"bf16", {{"enabled", true}}}}}};
        const LedgerRole fp32 = ledgerOf(workspaceOf(2, 2)), bf16 = ledgerOf(workspaceOf(2, 2, half));
        QCOMPARE(products(fp32), std::int64_t{0});
        QCOMPARE(products(bf16), std::int64_t{8 * 128 * 512 + (5 << 20)});
        QCOMPARE((bf16.peak.process - bf16.peak.reserved) - (fp32.peak.process - fp32.peak.reserved), products(bf16));
        // Cores that multiply bf16 by AVX-512 BF16 copy nothing more: 4 bytes, as workers on an EPYC were seen to hold.
        const DeviceSheet generic = *findDevice("cpu");
        addDeviceSheets({cpuSheetOf({.simd = {"avx2", "avx512f", "avx512_bf16"}, .supported = true}, generic)});
        QCOMPARE(products(ledgerOf(workspaceOf(2, 2, half))), std::int64_t{4 * 128 * 512 + (5 << 20)});
        addDeviceSheets({cpuSheetOf({.simd = {"avx2", "avx512f", "avx512_bf16", "amx_bf16"}, .supported = true}, generic)});
        QCOMPARE(products(ledgerOf(workspaceOf(2, 2, half))), std::int64_t{8 * 128 * 512 + (5 << 20)});
        addDeviceSheets({generic});
        json gpu = half;
        gpu["hardware"]["device"] = "A100-SXM-80GB";
        QCOMPARE(products(ledgerOf(workspaceOf(2, 2, gpu))), std::int64_t{0});
    }

    void oddMeasurementsGiveNumbers()
    {
        // Points that make no grid, extreme times, references of impossible models: a number or the data sheet, never a crash.
        MachineMeasure odd = machineOf(1e-3, 1e-3);
        odd.gemms.push_back({"fp32", "nn", 7, 11, 13, 1, 1, 1e5, 0});
        odd.steps = {{"fp32", 1, 0, 7, 1, 3, 1, 1, 1, 1, 1e5, 0, 100}, {"fp32", 1024, 3, 64, 2, 4, 128, 256, 64, 2, 1e-12, 1e-12, 100}, {"fp32", 2, 3, 64, 2, 4, 128, 256, 64, 2, 1e5, 99999, 100}};
        for (std::int64_t i = 1; i < 700; ++i) odd.gemms.push_back({"bf16", "tn", i, 2 * i, 3 * i, 1, 1, 1e-12, 0});
        for (const bool bf16 : {false, true}) {
            const StepForecast f = forecastOf(workspaceOf(2, 3, {{"dsConfig", {{"bf16", {{"enabled", bf16}}}}}}), odd);
            QVERIFY(std::isfinite(f.stepTime) && f.stepTime > 0);
            QVERIFY(std::isfinite(f.interval90[1]));
        }
    }
};

QTEST_APPLESS_MAIN(TstEngineTime)
#include "tst_engine_time.moc"
