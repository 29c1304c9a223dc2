// SPDX-License-Identifier: GPL-3.0-or-later
// What one observed run teaches: counted work, learned times, the forecast made from them, and what is kept on disk.
#include "parallel/flat_layout.h"
#include "planner/calibration_store.h"
#include "planner/ds_settings.h"
#include "planner/engine_time.h"
#include "planner/forecast_figures.h"
#include "planner/observed_run.h"
#include "planner/plan.h"
#include "schedule/buffer_plan.h"

#include "figure_numbers.h"
#include "made_up_machine.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>

using namespace stagecraft;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int kBlocks = 3;

json workspaceJson(int world, int stage, int micro = 2, int accumulation = 1, const char* recompute = "none", bool bf16 = false)
{
    return {{"stagecraft", 1}, {"name", "probe"},
            {"model", {{"family", "llama"}, {"hidden", 64}, {"layers", kBlocks}, {"heads", 4}, {"kvHeads", 2}, {"ffn", 160}, {"vocab", 512}, {"seq", 32}}},
            {"hardware", {{"devicesPerNode", world}}}, {"layout", {{"dp", world}, {"recompute", recompute}}}, {"training", {{"steps", 20}}},
            {"dsConfig", {{"train_micro_batch_size_per_gpu", micro}, {"gradient_accumulation_steps", accumulation}, {"bf16", {{"enabled", bf16}}},
                          {"zero_optimization", {{"stage", stage}, {"stage3_param_persistence_threshold", 0}}}}}};
}

Workspace workspaceOf(const json& document) { return parseWorkspace(document.dump(), ".").value(); }

EngineJob jobOf(const json& document)
{
    const Workspace w = workspaceOf(document);
    std::vector<PlanFinding> findings;
    return engineJobOf(w, readDsSettings(w, w.model.spec->hidden, findings)).value();
}

MachineHost machine() { return {"Test CPU", 4, 4, std::int64_t{16} << 30, "1.0"}; }

/// A run whose every step took `scale` times the same: 10 ms forward and 20 ms backward a block, 4 and 8 the head, 1 and 2 the
/// embedding, 6 ms the optimizer, 3 ms exposed communication with ranks to talk to, 1 ms a batch.
ObservedRun runOf(const json& document, int steps = 12, double scale = 1)
{
    ObservedRun run;
    run.folder = "/runs/probe";
    run.workspace = workspaceOf(document);
    run.info.id = "0123456789abcdef0123456789abcdef";
    run.info.name = "probe";
    run.info.status = RunStatus::Finished;
    run.info.world = run.workspace.layout.dp;
    run.info.startedNs = 1'795'274'999'000'000'000;
    run.info.machine = machine();
    const EngineJob job = jobOf(document);
    run.program = compileSchedule(job.model, job.config, job.world, job.recompute).value().programs.front();
    const auto units = unitsOf(job.model);
    const double micro = static_cast<double>(job.config.microBatch) / 2;
    const std::array<double, 3> forward{0.001, 0.010, 0.004};
    run.ranks.resize(static_cast<std::size_t>(run.info.world));
    for (int step = 1; step <= steps; ++step) {
        StepMetrics metrics;
        metrics.step = step;
        const auto phase = [&](Phase p) -> double& { return metrics.phaseSeconds[static_cast<std::size_t>(p)]; };
        std::int64_t at = 1'000'000'000LL * step;
        for (std::size_t id = 0; id < run.program.ops.size(); ++id) {
            const Op& op = run.program.ops[id];
            const std::size_t kind = op.unit < 0 ? 0 : static_cast<std::size_t>(units[static_cast<std::size_t>(op.unit)].kind);
            double seconds = 0;
            if (op.kind == OpKind::LoadBatch) phase(Phase::Data) += seconds = 0.001 * micro;
            if (op.kind == OpKind::Forward) (op.recompute ? phase(Phase::Backward) : phase(Phase::Forward)) += seconds = forward[kind] * micro;
            // Half for the input, half for the weights; an embedding has weights only.
            if (op.kind == OpKind::BackwardInput) phase(Phase::Backward) += seconds = forward[kind] * micro;
            if (op.kind == OpKind::BackwardWeight) phase(Phase::Backward) += seconds = (kind == 0 ? 2 : 1) * forward[kind] * micro;
            if (op.kind == OpKind::OptimizerStep) phase(Phase::Optimizer) += seconds = 0.006 / static_cast<double>(units.size());
            if (op.kind == OpKind::Gather || op.kind == OpKind::ReduceScatter || (op.kind == OpKind::AllReduce && op.unit >= 0)) seconds = step % 2 ? 0.0002 : 0.0001;
            const auto ns = std::llround(seconds * scale * 1e9);
            run.spans.push_back({at, at + ns, step, static_cast<std::int32_t>(id), 0, 0});
            at += ns;
        }
        phase(Phase::Wait) = 0.0005;
        if (run.info.world > 1) phase(Phase::Communication) = 0.003;
        for (double& seconds : metrics.phaseSeconds) {
            seconds *= scale;
            metrics.stepSeconds += seconds;
        }
        metrics.peakRssBytes = 200'000'000;
        metrics.peakAllocatedBytes = 80'000'000;
        // Warm-up is slow and must not count.
        if (step <= 2) metrics.stepSeconds *= 5;
        for (auto& rank : run.ranks) rank.push_back(metrics);
    }
    return run;
}

Calibration learned(const json& document, double scale = 1) { return calibrate(runOf(document, 12, scale), nullptr).value(); }

/// Seconds of the made-up step by its definition, nothing counted by the code under test.
double stepSeconds(int micro, int accumulation, bool recompute, bool alone)
{
    const double visits = (1 + 2) * (0.001 + kBlocks * 0.010 + 0.004) + (recompute ? kBlocks * 0.010 : 0) + 0.001;
    return visits * micro / 2 * accumulation + 0.006 + 0.0005 + (alone ? 0 : 0.003);
}

bool near(double a, double b, double relative = 1e-6) { return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b)); }

StepForecast forecastOf(const Calibration& c, const json& document, const MeasuredMachine* machine = nullptr)
{
    const EngineJob job = jobOf(document);
    StepForecast plain;
    plain.stepTime = 1;
    plain.tokensPerSecond = 100;
    plain.mfu = 0.1;
    plain.split = {{"compute", 0.9}, {"communication_exposed.weights", 0.02}, {"communication_exposed.gradients", 0.08}};
    for (const auto& [name, seconds] : plain.split) plain.figures.push_back(forecastFigure(name, seconds, {"m · each"}, {"1 · {} s", {figureNumber(seconds)}}, {"a data sheet"}));
    StepForecast f = forecastCalibrated(c, job, engineWorkOf(job).value(), plain, machine);
    if (const std::string untold = test::untoldPart(f); !untold.empty()) qFatal("%s", untold.c_str());
    return f;
}

double part(const StepForecast& f, const std::string& name)
{
    for (const auto& [key, seconds] : f.split) if (key == name) return seconds;
    return -1;
}

}  // namespace

class TstCalibration : public QObject {
    Q_OBJECT

private slots:
    void workIsCountedByItsDefinition_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("stage");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<bool>("bf16");
        for (const int world : {1, 2, 4})
            for (int stage = 0; stage <= 3; ++stage)
                for (const int accumulation : {1, 2, 3, 50})
                    QTest::addRow("%d ranks, stage %d, %d micro-steps", world, stage, accumulation) << world << stage << accumulation << (accumulation == 2);
    }
    void workIsCountedByItsDefinition()
    {
        QFETCH(int, world);
        QFETCH(int, stage);
        QFETCH(int, accumulation);
        QFETCH(bool, bf16);
        const EngineJob job = jobOf(workspaceJson(world, stage, 2, accumulation, "full", bf16));
        const EngineWork work = engineWorkOf(job).value();
        double all = 0, blocks = 0;
        for (const UnitInfo& unit : unitsOf(job.model)) {
            const double padded = static_cast<double>(flatLayoutOf(unit, world).padded);
            all += padded;
            if (unit.kind == UnitKind::Block) blocks += padded;
        }
        const double a = accumulation, n = world, hop = (n - 1) / n;
        QCOMPARE(work.forward, (std::array<double, 3>{a, kBlocks * a, a}));
        QCOMPARE(work.backward, work.forward);
        QCOMPARE(work.recomputed, kBlocks * a);
        QCOMPARE(work.loads, a);
        QCOMPARE(work.samples, 2.0);
        QVERIFY(near(work.updated, stage == 0 ? all : all / n));
        // Gradients in fp32: to all ranks once, to their owner once, or to their owner every micro-step.
        QVERIFY(near(work.gradientBytes, hop * 4 * all * (stage == 0 ? 2 : stage == 1 ? 1 : a)));
        // Weights: gathered once a step after the update; at stage 3 for each forward pass, and blocks again for the backward one.
        const double gathered = stage == 0 ? 0 : stage < 3 ? all : a * (all + blocks);
        QVERIFY(near(work.weightBytes, hop * (bf16 ? 2 : 4) * gathered));
    }

    void learnsTheMiddleOfEveryPart()
    {
        StepForecast plain;
        plain.split = {{"compute", 0.05}, {"communication_exposed.weights", 0.001}, {"communication_exposed.gradients", 0.005}, {"optimizer", 0.002}, {"host", 0.002}};
        const auto c = calibrate(runOf(workspaceJson(2, 2), 14), &plain);
        QVERIFY2(c.hasValue(), c.hasValue() ? "" : c.error().message.c_str());
        QCOMPARE(c->steps, std::int64_t{12});
        QVERIFY(near(c->step.median, stepSeconds(2, 1, false, false)));
        QVERIFY(near(c->forward[0], 0.001) && near(c->forward[1], 0.010) && near(c->forward[2], 0.004));
        QVERIFY(near(c->backward[0], 0.002) && near(c->backward[1], 0.020) && near(c->backward[2], 0.008));
        QVERIFY(near(c->load, 0.001));
        // Five units, gathered and reduced, each at its fastest 0.1 ms.
        QVERIFY(near(c->fastestLane, 10 * 0.0001));
        QCOMPARE(c->processBytes, std::int64_t{200'000'000});
        QCOMPARE(calibratedProcessBase(*c), std::int64_t{120'000'000});
        QCOMPARE(c->parts.size(), std::size_t{4});
        QVERIFY(near(c->parts[0].factor(), 3 * (0.001 + kBlocks * 0.010 + 0.004) / 0.05));
        QVERIFY(near(c->parts[1].factor(), 0.003 / 0.006));
        QVERIFY(near(c->parts[2].factor(), 0.006 / 0.002));
        QVERIFY(near(c->parts[3].factor(), 0.0015 / 0.002));
    }

    void refusesWhatTeachesNothing_data()
    {
        QTest::addColumn<QString>("flaw");
        QTest::addColumn<QString>("reason");
        for (const auto& [flaw, reason] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"running", "still going on"}, {"failed", "failed"}, {"lost", "killed"}, {"no machine", "on which machine"}, {"crowded", "shared 1 cores"}, {"short", "4 steps after 2"},
                 {"no steps", "no steps"}, {"uneven", "spreads over"}, {"drifting", "slower"}, {"no spans", "no spans"}, {"nan", "0 steps"}, {"no id", "no id"}, {"foreign", "no run of our engine"}, {"path in the id", "no id"}})
            QTest::newRow(flaw) << QString(flaw) << QString(reason);
    }
    void refusesWhatTeachesNothing()
    {
        QFETCH(QString, flaw);
        QFETCH(QString, reason);
        ObservedRun run = runOf(workspaceJson(2, 1), flaw == "short" ? 6 : 12);
        if (flaw == "running") run.info.status = RunStatus::Running;
        if (flaw == "failed") run.info.status = RunStatus::Failed;
        if (flaw == "lost") run.info.status = RunStatus::Lost;
        if (flaw == "no machine") run.info.machine.reset();
        if (flaw == "crowded") run.info.machine->usableCores = 1;
        if (flaw == "no steps") run.ranks.clear();
        if (flaw == "no spans") run.spans.clear();
        if (flaw == "no id") run.info.id.clear();
        if (flaw == "path in the id") run.info.id = "../../etc/passwd";
        if (flaw == "foreign") run.workspace.framework.name = "deepspeed";
        if (!run.ranks.empty()) {
            for (StepMetrics& step : run.ranks.front()) {
                if (flaw == "uneven") step.stepSeconds *= step.step % 3 ? 1 : 1.5;
                if (flaw == "drifting") step.stepSeconds *= step.step > 7 ? 1.2 : 1;
                if (flaw == "nan") step.stepSeconds = std::nan("");
            }
        }
        const auto c = calibrate(run, nullptr);
        QVERIFY(!c.hasValue());
        QCOMPARE(c.error().code, ErrorCode::Refused);
        QVERIFY2(QString::fromStdString(c.error().message).contains(reason), c.error().message.c_str());
    }

    void theSameLayoutHasTheMeasuredTime_data()
    {
        QTest::addColumn<int>("world");
        QTest::addColumn<int>("stage");
        for (const int world : {1, 2, 4}) for (int stage = 0; stage <= 3; ++stage) QTest::addRow("%d ranks, stage %d", world, stage) << world << stage;
    }
    void theSameLayoutHasTheMeasuredTime()
    {
        QFETCH(int, world);
        QFETCH(int, stage);
        const json document = workspaceJson(world, stage, 2, 3);
        const Calibration c = learned(document);
        const StepForecast f = forecastOf(c, document);
        QVERIFY(near(f.stepTime, stepSeconds(2, 3, false, world == 1), 1e-9));
        double sum = 0;
        for (const auto& [name, seconds] : f.split) sum += seconds;
        QVERIFY(near(sum, f.stepTime));
        QVERIFY(near(f.forward + f.backward, part(f, "compute")));
        QVERIFY(near(f.tokensPerSecond, 100 / f.stepTime) && near(f.mfu, 0.1 / f.stepTime));
        QVERIFY(f.interval90[0] < f.stepTime && f.stepTime < f.interval90[1]);
        QCOMPARE(f.basis, ForecastBasis::Calibrated);
        QCOMPARE(f.calibration, c.id);
    }

    void otherLayoutsAreCountedAnew()
    {
        // Four cores, two ranks: computing and communication have cores of their own.
        const Calibration c = learned(workspaceJson(2, 1));
        // Three micro-steps of twice the samples: six times the visits, the same update, the same sum of gradients.
        QVERIFY(near(forecastOf(c, workspaceJson(2, 1, 4, 3)).stepTime, stepSeconds(4, 3, false, false), 1e-9));
        // Blocks run forward once more.
        const StepForecast again = forecastOf(c, workspaceJson(2, 1, 2, 1, "full"));
        QVERIFY(near(again.stepTime, stepSeconds(2, 1, true, false), 1e-9));
        QVERIFY(near(again.backward, 2 * (0.001 + kBlocks * 0.010 + 0.004) + kBlocks * 0.010, 1e-9));
        // Stage 0 updates twice the elements and sends the same bytes.
        const StepForecast whole = forecastOf(c, workspaceJson(2, 0));
        QVERIFY(near(part(whole, "optimizer"), 0.012) && near(part(whole, "communication_exposed.gradients"), 0.0035) && part(whole, "communication_exposed.weights") == 0);
        // Stage 2 with three micro-steps sums gradients three times and gathers weights once: twice the bytes.
        const StepForecast often = forecastOf(c, workspaceJson(2, 2, 2, 3));
        QVERIFY(near(part(often, "communication_exposed.gradients"), 3 * 0.0035 / 2) && near(part(often, "communication_exposed.weights"), 0.0035 / 2));
        // One rank talks to nobody and updates everything.
        const StepForecast alone = forecastOf(c, workspaceJson(1, 0));
        QVERIFY(near(alone.stepTime, stepSeconds(2, 1, false, false) - 0.0035 + 0.006, 1e-9));
        // Sixteen ranks on four cores take turns.
        const StepForecast crowd = forecastOf(c, workspaceJson(16, 1));
        QVERIFY(crowd.forward > 3.99 * 0.035 && crowd.stepTime > 4 * stepSeconds(2, 1, false, true) - 0.03);
    }

    void communicationUnderComputingIsPaidOnFullCores()
    {
        json document = workspaceJson(4, 1);
        ObservedRun run = runOf(document);
        // Every op of the lane took at least 5 ms: 50 ms in all, of which 3.5 showed.
        for (Span& span : run.spans) {
            const OpKind kind = run.program.ops[static_cast<std::size_t>(span.op)].kind;
            if (kind == OpKind::Gather || kind == OpKind::ReduceScatter) span.endNs = span.startNs + 5'000'000;
        }
        const Calibration c = calibrate(run, nullptr).value();
        QVERIFY(near(c.fastestLane, 0.050));
        const double compute = 3 * (0.001 + kBlocks * 0.010 + 0.004), hidden = 0.050 - 0.0035;
        QVERIFY(near(part(forecastOf(c, document), "compute"), compute));
        // Alone on its core a rank computes without it.
        QVERIFY(near(part(forecastOf(c, workspaceJson(1, 0)), "compute"), compute - hidden));
        // On machines with cores to spare nothing is paid.
        run.info.machine->usableCores = 8;
        QVERIFY(near(part(forecastOf(calibrate(run, nullptr).value(), workspaceJson(1, 0)), "compute"), compute));
    }

    void measuredSharingSlowsComputing()
    {
        // Products alone cost something here: other kernels depend on how gradients are sharded too. Communication on full cores takes
        // a few per cent of them.
        const MeasuredMachine sharing(test::machineOf(1e10, 1e18, 4, 1.25));
        const Calibration c = learned(workspaceJson(1, 0));
        const double together = part(forecastOf(c, workspaceJson(4, 0), &sharing), "compute") / (3 * 0.035);
        QVERIFY2(together > 1.25 && together < 1.30, qPrintable(QString::number(together)));
        const double alone = part(forecastOf(learned(workspaceJson(4, 0)), workspaceJson(1, 0), &sharing), "compute") / (3 * 0.035);
        QVERIFY2(near(alone * together, 1, 0.01), qPrintable(QString::number(alone)));
        // Evidence without peers says nothing of communication: the plain forecast's stands.
        QVERIFY(near(part(forecastOf(c, workspaceJson(4, 1)), "communication_exposed.gradients"), 0.08) && near(part(forecastOf(c, workspaceJson(4, 1)), "communication_exposed.weights"), 0.02));
    }

    /// Between two layouts computing changes as the machine's operations do; the layout that was seen keeps its measured time.
    void measuredRatesCarryItToOtherLayouts()
    {
        const MeasuredMachine made(test::machineOf(1e10, 1e9, 4));
        const json seen = workspaceJson(2, 2);
        const Calibration c = learned(seen);
        QVERIFY(near(forecastOf(c, seen, &made).stepTime, stepSeconds(2, 1, false, false), 1e-9));
        const EngineTime there = made.played(jobOf(seen)).value();
        for (const json& other : {workspaceJson(2, 2, 4), workspaceJson(2, 2, 2, 3), workspaceJson(2, 2, 2, 1, "full"), workspaceJson(2, 0), workspaceJson(1, 3, 2, 2, "full")}) {
            const EngineTime here = made.played(jobOf(other)).value();
            const StepForecast f = forecastOf(c, other, &made);
            QVERIFY(near(f.forward, 0.035 * here.forward / there.forward));
            QVERIFY(near(f.backward, 0.070 * here.backward / there.backward));
            QVERIFY(near(part(f, "optimizer"), 0.006 * here.optimizer / there.optimizer));
        }
        // A machine on which the same work differs from minute to minute makes the interval wider.
        MachineMeasure shaky = test::machineOf(1e10, 1e9, 4);
        shaky.noise = 0.1;
        const MeasuredMachine wavering(shaky);
        const StepForecast steady = forecastOf(c, seen, &made), loose = forecastOf(c, seen, &wavering);
        QCOMPARE(loose.stepTime, steady.stepTime);
        QVERIFY(near(loose.interval90[1] / loose.stepTime - 1, std::hypot(steady.interval90[1] / steady.stepTime - 1, 0.23)));
        // Rates that lack what the job needs leave the counting as it is.
        const MeasuredMachine nothing{MachineMeasure()};
        QVERIFY(near(forecastOf(c, workspaceJson(2, 2, 4, 3), &nothing).stepTime, forecastOf(c, workspaceJson(2, 2, 4, 3)).stepTime));
    }

    void theNearestEvidenceIsTaken()
    {
        std::vector<Calibration> all{learned(workspaceJson(1, 0)), learned(workspaceJson(2, 2)), learned(workspaceJson(2, 2), 1.1), learned(workspaceJson(4, 3, 2, 3))};
        for (std::size_t i = 0; i < all.size(); ++i) {
            all[i].id = std::string(1, static_cast<char>('a' + i));
            all[i].startedNs = static_cast<std::int64_t>(i);
        }
        const auto best = [&](const json& document) {
            const Calibration* c = bestCalibration(all, jobOf(document));
            return c ? c->id : std::string("none");
        };
        QCOMPARE(best(workspaceJson(1, 0)), std::string("a"));
        QCOMPARE(best(workspaceJson(2, 2)), std::string("c"));           // the newer of the same
        QCOMPARE(best(workspaceJson(2, 2, 2, 4)), std::string("c"));
        QCOMPARE(best(workspaceJson(4, 3, 2, 3)), std::string("d"));
        QCOMPARE(best(workspaceJson(1, 3)), std::string("a"));
        QCOMPARE(best(workspaceJson(2, 2, 2, 1, "none", true)), std::string("none"));  // another precision
        json other = workspaceJson(2, 2);
        other["model"]["seq"] = 64;
        QCOMPARE(best(other), std::string("none"));
        other = workspaceJson(2, 2);
        other["launch"] = {{"threadsPerRank", 2}};
        QCOMPARE(best(other), std::string("none"));
        // A steadier run weighs in the interval, and so does every difference.
        const EngineJob same = jobOf(workspaceJson(2, 2)), far = jobOf(workspaceJson(4, 3, 8, 3, "full"));
        QVERIFY(near(calibratedSpread(all[1], same), 0.02));
        QVERIFY(calibratedSpread(all[1], far) > 2 * calibratedSpread(all[1], same));
        all[1].step = {0.09, 0.1, 0.12};
        QVERIFY(near(calibratedSpread(all[1], same), 0.15));
    }

    void plansUseItAndSaySo()
    {
        const Workspace w = workspaceOf(workspaceJson(2, 2));
        PlanContext context;
        const Plan plain = makePlan(w, context).value();
        context.calibrations = {learned(workspaceJson(2, 1))};
        const Plan plan = makePlan(w, context).value();
        QCOMPARE(plain.forecast->basis, ForecastBasis::DataSheet);
        QCOMPARE(plan.forecast->basis, ForecastBasis::Calibrated);
        QCOMPARE(plan.forecast->calibration, context.calibrations.front().id);
        QCOMPARE(QString::fromStdString(plan.forecast->source), QString("run probe of 2026-11-21, 10 steps at 2 ranks, stage 1"));
        QVERIFY(near(plan.forecast->stepTime * plan.forecast->tokensPerSecond, plain.forecast->stepTime * plain.forecast->tokensPerSecond));
        QVERIFY(std::any_of(plan.findings.begin(), plan.findings.end(), [](const PlanFinding& f) { return f.rule == "plan.calibrated" && f.severity == "info"; }));
        // The buffers are the plan's own to the byte; what a process holds beside them was measured.
        QCOMPARE(plan.ledger->front().peak.allocated, plain.ledger->front().peak.allocated);
        QCOMPARE(plan.ledger->front().peak.process, plan.ledger->front().peak.reserved + 120'000'000);
        const json answer = planToJson(plan);
        QCOMPARE(answer["forecast"]["basis"], "calibrated");
        QCOMPARE(answer["forecast"]["calibration"], context.calibrations.front().id);
        QVERIFY(planToJson(plain)["forecast"]["calibration"].is_null());
        // Rates from a busy machine carry the evidence to other layouts: that is told, and the interval is as wide; the layout that ran needs none.
        PlanContext busy = context;
        busy.machine = test::machineOf(1e10, 1e9, 4);
        const double width = makePlan(w, busy)->forecast->interval90[1];
        for (GemmRate& g : busy.machine->gemms) g.spread = 0.6;
        for (KernelRate& k : busy.machine->kernelRates) k.spread = 0.6;
        const auto told = [](const Plan& p) { return std::any_of(p.findings.begin(), p.findings.end(), [](const PlanFinding& f) { return f.id == "plan.measured_busy"; }); };
        const Plan carried = makePlan(w, busy).value(), ran = makePlan(workspaceOf(workspaceJson(2, 1)), busy).value();
        QVERIFY(told(carried) && !told(ran));
        QVERIFY(carried.forecast->interval90[1] > 1.5 * width);
        QVERIFY(ran.forecast->interval90[1] < 1.1 * ran.forecast->stepTime);
        // A kept file whose times are all nothing gives numbers all the same.
        PlanContext empty = busy;
        Calibration& nothing = empty.calibrations.front();
        nothing.phases = {};
        nothing.forward = nothing.backward = {};
        nothing.load = 0;
        const Plan blank = makePlan(w, empty).value();
        QVERIFY(std::isfinite(blank.forecast->interval90[0]) && std::isfinite(blank.forecast->interval90[1]));
        // Another framework's step is none of our engine's.
        Workspace foreign = w;
        foreign.framework.name = "deepspeed";
        QCOMPARE(makePlan(foreign, context).value().forecast->basis, ForecastBasis::DataSheet);
    }

    void whatIsKeptComesBack()
    {
        QTemporaryDir dir;
        const fs::path folder = calibrationsFolder(fs::path(dir.path().toStdString()) / "runs");
        QVERIFY(loadCalibrations(folder).calibrations.empty() && loadCalibrations(folder).problem.empty());
        Calibration first = learned(workspaceJson(2, 2)), second = learned(workspaceJson(4, 1));
        first.name = "a \"quoted\"\nname \xff";
        second.id = "feed";
        second.startedNs += 1;
        QVERIFY(keepCalibration(folder, first).hasValue() && keepCalibration(folder, second).hasValue() && keepCalibration(folder, second).hasValue());
        KeptCalibrations kept = loadCalibrations(folder);
        QCOMPARE(kept.calibrations.size(), std::size_t{2});
        QVERIFY2(kept.problem.empty(), kept.problem.c_str());
        QCOMPARE(kept.calibrations[0].id, second.id);  // the newer first
        first.name = kept.calibrations[1].name;        // bytes that are no text are replaced
        QCOMPARE(calibrationToJson(kept.calibrations[1]).dump(), calibrationToJson(first).dump());
        QVERIFY(forecastOf(kept.calibrations[1], workspaceJson(2, 3)).stepTime == forecastOf(first, workspaceJson(2, 3)).stepTime);
        QCOMPARE(bestCalibration(kept.calibrations, jobOf(workspaceJson(2, 2)))->id, first.id);
        MachineHost other = machine();
        QCOMPARE(calibrationsOf(kept, other).size(), std::size_t{2});
        other.usableCores = 2;
        QVERIFY(calibrationsOf(kept, other).empty());

        QCOMPARE(findCalibration(kept, "0123").value(), first.id);
        QCOMPARE(findCalibration(kept, "/runs/probe").error().code, ErrorCode::InvalidArgument);  // both came from there
        QCOMPARE(findCalibration(kept, "01").error().code, ErrorCode::NotFound);
        QVERIFY(removeCalibration(folder, first.id).hasValue());
        QCOMPARE(removeCalibration(folder, first.id).error().code, ErrorCode::NotFound);
        kept = loadCalibrations(folder);
        QCOMPARE(kept.calibrations.size(), std::size_t{1});
        QCOMPARE(findCalibration(kept, "probe").value(), second.id);
    }

    void hostileFilesArePassedOver()
    {
        QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        const Calibration good = learned(workspaceJson(2, 2));
        QVERIFY(keepCalibration(folder, good).hasValue());
        const std::string text = calibrationToJson(good).dump();
        int count = 0;
        const auto put = [&](const std::string& content) { std::ofstream(folder / ("bad" + std::to_string(++count) + ".json")) << content; };
        put("");
        put("[1, 2");
        put(std::string(5000, '['));
        put(std::string(2'000'000, ' '));
        put("null");
        put("{}");
        put(text);  // under another's name
        fs::create_directory(folder / "folder.json");
        QCOMPARE(::mkfifo((folder / "pipe.json").c_str(), 0600), 0);
        count += 2;
        // Every number of a good file made impossible, in turn.
        const json whole = json::parse(text);
        std::vector<std::string> pointers;
        const std::function<void(const json&, const std::string&)> walk = [&](const json& at, const std::string& pointer) {
            if (at.is_structured()) for (const auto& [key, value] : at.items()) walk(value, pointer + "/" + key);
            else if (at.is_number() && !pointer.starts_with("/model") && !pointer.ends_with("/factor")) pointers.push_back(pointer);
        };
        walk(whole, "");
        QVERIFY(pointers.size() > 50);
        for (const std::string& pointer : pointers) {
            for (const json& value : {json(-1), json(1e300), json(UINT64_MAX), json("1"), json(nullptr)}) {
                json broken = whole;
                broken[json::json_pointer(pointer)] = value;
                QVERIFY2(!calibrationFromJson(broken.dump()).hasValue(), pointer.c_str());
            }
        }
        // No prefix of a file is a file, and no byte of it crashes.
        for (std::size_t i = 0; i < text.size(); i += 7) {
            QVERIFY(!calibrationFromJson(text.substr(0, i)).hasValue());
            std::string flipped = text;
            flipped[i] = static_cast<char>(flipped[i] ^ 0x15);
            (void)calibrationFromJson(flipped);
        }
        const KeptCalibrations kept = loadCalibrations(folder);
        QCOMPARE(kept.calibrations.size(), std::size_t{1});
        QVERIFY2(kept.problem.find(std::to_string(count) + " calibrations") == 0, kept.problem.c_str());
        QCOMPARE(std::count(kept.problem.begin(), kept.problem.end(), '\n'), 0);
    }
};

QTEST_GUILESS_MAIN(TstCalibration)
#include "tst_calibration.moc"
