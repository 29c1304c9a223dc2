// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/calibration.h"
#include "planner/engine_time.h"
#include "planner/plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace stagecraft {

namespace {

constexpr auto kBlock = static_cast<std::size_t>(UnitKind::Block);

/// What a step of some work takes by one calibration, before anything about cores. Seconds.
struct Pieces {
    double forward = 0, backward = 0;
    double optimizer = 0;
    double exposed = 0;   ///< communication and waiting that computing did not hide
    double lane = 0;      ///< communication at its fastest, hidden or not
    double load = 0;
    double idle = 0;      ///< of a rank without peers: the engine's own bookkeeping
    [[nodiscard]] double compute() const { return forward + backward; }
    [[nodiscard]] double total() const { return compute() + optimizer + exposed + load + idle; }
    /// On full cores the communication that computing hides is paid for by computing.
    [[nodiscard]] double hidden() const { return std::clamp(lane - exposed, 0.0, 0.5 * compute()); }
};

double exposedOf(const Calibration& c)
{
    return c.phases[static_cast<std::size_t>(Phase::Communication)].median + c.phases[static_cast<std::size_t>(Phase::Wait)].median;
}

Pieces piecesOf(const Calibration& c, const EngineWork& work)
{
    Pieces p;
    const double size = work.samples / c.work.samples;
    for (std::size_t kind = 0; kind < kUnitKinds; ++kind) {
        p.forward += size * c.forward[kind] * work.forward[kind];
        p.backward += size * c.backward[kind] * work.backward[kind];
    }
    p.backward += size * c.forward[kBlock] * work.recomputed;
    p.load = size * c.load * work.loads;
    if (c.work.updated > 0) p.optimizer = c.phases[static_cast<std::size_t>(Phase::Optimizer)].median * work.updated / c.work.updated;
    if (c.work.sentBytes() > 0) {
        const double share = work.sentBytes() / c.work.sentBytes();
        p.exposed = share * exposedOf(c);
        p.lane = share * c.fastestLane;
    } else {
        p.idle = exposedOf(c);
    }
    return p;
}

double busyCores(int world, int threads, double cores) { return std::min(static_cast<double>(world) * threads, cores); }
/// Ranks have to take turns.
double crowdOf(int world, int threads, double cores) { return std::max(1.0, static_cast<double>(world) * threads / cores); }
/// No core is left for the threads that communicate.
bool isFull(int world, int threads, double cores) { return static_cast<double>(world) * threads > cores - 0.5; }

/// The job that was observed.
EngineJob observedJob(const CalibratedLayout& from, EngineJob job)
{
    job.world = from.world;
    job.threads = from.threads;
    job.recompute = from.recompute == "full" ? Recompute::Full : Recompute::None;
    job.config.zeroStage = from.stage;
    job.config.microBatch = from.microBatch;
    job.config.accumulation = from.accumulation;
    job.config.trainBatch = from.microBatch * from.accumulation * from.world;
    return job;
}

/// A machine whose rates were measured knows more of computing than how often each unit is visited: what products and kernels lose
/// while other ranks compute beside them, what a first micro-step clears, what is still in the caches when it is recomputed.
void scaleByRates(const EngineJob& job, const Calibration& c, const MeasuredMachine& machine, const Pieces& own, Pieces& p)
{
    const auto here = machine.computing(job), there = machine.computing(observedJob(c.layout, job));
    if (!here || !there || !(there->forward > 0) || !(there->backward > 0) || !(there->optimizer > 0)) return;
    p.forward = own.forward * here->forward / there->forward;
    p.backward = own.backward * here->backward / there->backward;
    p.optimizer = own.optimizer * here->optimizer / there->optimizer;
}

bool applies(const Calibration& c, const CalibratedLayout& layout, const std::string& model)
{
    return c.model == model && c.layout.precision == layout.precision && c.layout.threads == layout.threads;
}

}  // namespace

double calibratedSpread(const Calibration& c, const EngineJob& job)
{
    const CalibratedLayout to = calibratedLayoutOf(job);
    const CalibratedLayout& from = c.layout;
    const double cores = c.machine.usableCores;
    // The same run made twice differs by about as much as its steps among themselves, and never less than a fiftieth.
    std::vector<double> terms{std::max(0.02, c.step.relative())};
    const auto differs = [&](bool differ, double by) { if (differ) terms.push_back(by); };
    // Between layouts: estimates of how far one change carries a measured time; `bench planned` shows what they are worth.
    differs(to.stage != from.stage || to.overlaps != from.overlaps, 0.03);
    differs(to.accumulation != from.accumulation, 0.02);
    differs(to.recompute != from.recompute, 0.03);
    differs(to.microBatch != from.microBatch, 0.03 * std::abs(std::log2(static_cast<double>(to.microBatch) / static_cast<double>(from.microBatch))));
    differs(to.world != from.world, 0.04);
    differs(to.world != from.world && std::abs(busyCores(to.world, to.threads, cores) - busyCores(from.world, from.threads, cores)) > 0.5, 0.08);
    differs(to.world > 1 && from.world == 1, 0.08);
    differs(crowdOf(to.world, to.threads, cores) > 1, 0.25);
    double squares = 0;
    for (const double term : terms) squares += term * term;
    return std::sqrt(squares);
}

const Calibration* bestCalibration(const std::vector<Calibration>& calibrations, const EngineJob& job)
{
    if (calibrations.empty()) return nullptr;
    const std::string model = modelKey(job.model);
    const CalibratedLayout layout = calibratedLayoutOf(job);
    const Calibration* best = nullptr;
    std::tuple<bool, double, std::int64_t> rank;
    for (const Calibration& c : calibrations) {
        if (!applies(c, layout, model)) continue;
        // What was measured itself is better than anything counted, however steady.
        const std::tuple<bool, double, std::int64_t> now{c.layout != layout, c.layout == layout ? 0.0 : calibratedSpread(c, job), -c.startedNs};
        if (best && now >= rank) continue;
        best = &c;
        rank = now;
    }
    return best;
}

StepForecast forecastCalibrated(const Calibration& c, const EngineJob& job, const EngineWork& work, const StepForecast& plain, const MeasuredMachine* machine)
{
    const CalibratedLayout& from = c.layout;
    const double cores = c.machine.usableCores;
    const Pieces own = piecesOf(c, c.work);
    // The middles of the ops need not add up to the middle of the steps.
    const double whole = own.total() > 0 ? c.step.median / own.total() : 1;
    const double paid = from.world > 1 && isFull(from.world, from.threads, cores) ? own.hidden() : 0.0;
    const double pure = own.compute() > 0 ? 1 - paid / own.compute() : 1;

    Pieces p = piecesOf(c, work);
    if (machine) scaleByRates(job, c, *machine, own, p);
    const double slow = crowdOf(job.world, job.threads, cores) / crowdOf(from.world, from.threads, cores);
    const double extra = job.world > 1 && isFull(job.world, job.threads, cores) ? p.hidden() : 0.0;
    const double forwardShare = p.compute() > 0 ? p.forward / p.compute() : 0;
    double compute = p.compute() * pure * slow + extra;
    double optimizer = p.optimizer * slow;
    double weights = 0, gradients = 0;
    if (job.world > 1 && c.work.sentBytes() > 0) {
        const double exposed = p.exposed * std::max(1.0, slow);
        weights = exposed * work.weightBytes / std::max(work.sentBytes(), 1.0);
        gradients = exposed - weights;
    } else if (job.world > 1) {
        for (const auto& [name, seconds] : plain.split) {
            if (name == "communication_exposed.weights") weights += seconds;
            else if (name.starts_with("communication")) gradients += seconds;
        }
    }
    double host = p.load * slow + p.idle;
    for (double* part : {&compute, &optimizer, &weights, &gradients, &host}) *part *= whole;

    StepForecast f;
    f.split = {{"compute", compute}, {"communication_exposed.weights", weights}, {"communication_exposed.gradients", gradients}, {"optimizer", optimizer}, {"host", host}};
    for (const auto& [name, seconds] : f.split) f.stepTime += seconds;
    f.forward = compute * forwardShare;
    f.backward = compute - f.forward;
    if (plain.stepTime > 0 && f.stepTime > 0) {
        f.tokensPerSecond = plain.tokensPerSecond * plain.stepTime / f.stepTime;
        f.mfu = plain.mfu * plain.stepTime / f.stepTime;
    }
    const double spread = 1 + calibratedSpread(c, job);
    f.interval90 = {f.stepTime / spread, f.stepTime * spread};
    f.basis = ForecastBasis::Calibrated;
    f.source = describeCalibration(c);
    f.calibration = c.id;
    return f;
}

}  // namespace stagecraft
