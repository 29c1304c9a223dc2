// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/calibration.h"
#include "planner/engine_time.h"
#include "planner/forecast_figures.h"
#include "planner/plan.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

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

/// A step of the job. Seconds.
struct Parts {
    double forward = 0, backward = 0, optimizer = 0;
    double weights = 0, gradients = 0;   ///< waited for
    double host = 0;
    std::vector<ForecastFigure> figures;   ///< how each came about, but for those that the plain forecast says
    void scale(double by)
    {
        for (double* part : {&forward, &backward, &optimizer, &weights, &gradients, &host}) *part *= by;
    }
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

double median(const Calibration& c, Phase phase) { return c.phases[static_cast<std::size_t>(phase)].median; }

/// Evidence without peers says nothing of communication: the plain forecast's stands.
void waitAsIn(const StepForecast& plain, Parts& parts)
{
    for (const auto& [name, seconds] : plain.split) {
        if (name == "communication_exposed.weights") parts.weights += seconds;
        else if (name.starts_with("communication")) parts.gradients += seconds;
    }
}

/// How a part came about, where there is one.
void tell(Parts& parts, const char* part, double seconds, Phrase formula, Phrase numbers)
{
    if (seconds > 0) parts.figures.push_back(forecastFigure(part, seconds, std::move(formula), std::move(numbers), {}));
}

/// Visits of units, updated elements and sent bytes, each counted anew at the evidence's time for one.
Parts counted(const Calibration& c, const EngineJob& job, const EngineWork& work, const StepForecast& plain)
{
    const CalibratedLayout& from = c.layout;
    const double cores = c.machine.usableCores;
    const Pieces own = piecesOf(c, c.work);
    const double paid = from.world > 1 && isFull(from.world, from.threads, cores) ? own.hidden() : 0.0;
    const double pure = own.compute() > 0 ? 1 - paid / own.compute() : 1;

    const Pieces p = piecesOf(c, work);
    const double slow = crowdOf(job.world, job.threads, cores) / crowdOf(from.world, from.threads, cores);
    const double extra = job.world > 1 && isFull(job.world, job.threads, cores) ? p.hidden() : 0.0;
    const double more = p.compute() > 0 ? pure * slow + extra / p.compute() : 1;
    Parts parts;
    parts.forward = p.forward * more;
    parts.backward = p.backward * more;
    parts.optimizer = p.optimizer * slow;
    if (job.world > 1 && c.work.sentBytes() > 0) {
        const double exposed = p.exposed * std::max(1.0, slow);
        parts.weights = exposed * work.weightBytes / std::max(work.sentBytes(), 1.0);
        parts.gradients = exposed - parts.weights;
    }
    parts.host = p.load * slow + p.idle;
    // The middles of the ops need not add up to the middle of the steps.
    const double k = own.total() > 0 ? c.step.median / own.total() : 1.0;
    parts.scale(k);
    if (job.world > 1 && !(c.work.sentBytes() > 0)) waitAsIn(plain, parts);
    const auto n = figureNumber;
    tell(parts, "compute", parts.forward + parts.backward, {"k · slower · Σ visits of a unit · its time in the run"}, {"{} · {} · ({} + {}) s", {n(k), n(more), n(p.forward), n(p.backward)}});
    tell(parts, "optimizer", parts.optimizer, {"k · slower · update in the run · elements here / elements there"}, {"{} · {} · {} · {} / {} s", {n(k), n(slow), n(median(c, Phase::Optimizer)), n(work.updated), n(c.work.updated)}});
    if (job.world > 1 && c.work.sentBytes() > 0) {
        const auto waited = [&](double bytes) { return Phrase{"{} · {} · {} · {} / {} s", {n(k), n(std::max(1.0, slow)), n(exposedOf(c)), n(bytes), n(c.work.sentBytes())}}; };
        const Phrase formula{"k · slower · waited in the run · bytes here / bytes there"};
        tell(parts, "communication_exposed.weights", parts.weights, formula, waited(work.weightBytes));
        tell(parts, "communication_exposed.gradients", parts.gradients, formula, waited(work.sentBytes() - work.weightBytes));
    }
    tell(parts, "host", parts.host, {"k · (slower · batches loaded + bookkeeping)"}, {"{} · ({} · {} + {}) s", {n(k), n(slow), n(p.load), n(p.idle)}});
    return parts;
}

/// The measured parts of the evidence's layout, carried to the job's as the machine's rates say that they change: each part of
/// computing by its ratio, what ranks waited for each other beyond what was played by waitingMeasure.
/// @return nothing where the rates do not suffice
std::optional<Parts> carried(const Calibration& c, const EngineJob& job, const StepForecast& plain, const MeasuredMachine& machine)
{
    const EngineJob observed = observedJob(c.layout, job);
    const auto here = machine.played(job), there = machine.played(observed);
    const EngineTime seen{median(c, Phase::Forward), median(c, Phase::Backward), median(c, Phase::Optimizer), 0, 0};
    const double all = seen.computing() + median(c, Phase::Data) + exposedOf(c);
    if (!here || !there || !(there->forward > 0) || !(there->backward > 0) || !(there->optimizer > 0) || !(here->total() > 0) || !(seen.computing() > 0)) return std::nullopt;
    const EngineTime computing{seen.forward * here->forward / there->forward, seen.backward * here->backward / there->backward, seen.optimizer * here->optimizer / there->optimizer, 0, 0};
    Parts p{computing.forward, computing.backward, computing.optimizer, 0, 0, median(c, Phase::Data), {}};
    const double k = c.step.median / all, measure = waitingMeasure(job, computing);
    const double more = (exposedOf(c) - there->waiting()) / waitingMeasure(observed, seen);
    const bool waits = c.layout.world > 1 && job.world > 1;
    if (c.layout.world <= 1) {
        p.host += exposedOf(c);
    } else if (job.world > 1) {
        const double waiting = std::max(here->waiting() + more * measure, 0.0);
        p.weights = here->waiting() > 0 ? waiting * here->weights / here->waiting() : 0.0;
        p.gradients = waiting - p.weights;
    }
    // The middles of the parts need not add up to the middle of the steps.
    p.scale(k);
    const auto n = figureNumber;
    tell(p, "compute", p.forward + p.backward, {"k · Σ pass in the run · played here / played for the run"}, {"{} · ({} · {} / {} + {} · {} / {}) s", {n(k), n(seen.forward), n(here->forward), n(there->forward), n(seen.backward), n(here->backward), n(there->backward)}});
    tell(p, "optimizer", p.optimizer, {"k · update in the run · played here / played for the run"}, {"{} · {} · {} / {} s", {n(k), n(seen.optimizer), n(here->optimizer), n(there->optimizer)}});
    const auto waited = [&](double part) { return Phrase{"{} · ({} + {} · {}) · {} / {} s", {n(k), n(here->waiting()), n(more), n(measure), n(part), n(here->waiting())}}; };
    const Phrase formula{"k · (T_waits + w · T_computing) · its share, as played"};
    if (waits && here->waiting() > 0) {
        tell(p, "communication_exposed.weights", p.weights, formula, waited(here->weights));
        tell(p, "communication_exposed.gradients", p.gradients, formula, waited(here->gradients));
    }
    tell(p, "host", p.host, {"k · what the run did between its passes"}, {"{} · {} s", {n(k), n(p.host / k)}});
    if (c.layout.world <= 1 && job.world > 1) waitAsIn(plain, p);
    return p;
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
    const std::optional<Parts> known = machine ? carried(c, job, plain, *machine) : std::nullopt;
    const Parts parts = known ? *known : counted(c, job, work, plain);

    StepForecast f;
    f.split = {{"compute", parts.forward + parts.backward}, {"communication_exposed.weights", parts.weights}, {"communication_exposed.gradients", parts.gradients}, {"optimizer", parts.optimizer}, {"host", parts.host}};
    for (const auto& [name, seconds] : f.split) f.stepTime += seconds;
    f.forward = parts.forward;
    f.backward = parts.backward;
    if (plain.stepTime > 0 && f.stepTime > 0) {
        f.tokensPerSecond = plain.tokensPerSecond * plain.stepTime / f.stepTime;
        f.mfu = plain.mfu * plain.stepTime / f.stepTime;
    }
    // Two readings whose middle difference is the noise lie within 2.3 times as much of each other in nine of ten cases.
    const double spread = 1 + std::hypot(calibratedSpread(c, job), machine ? 2.3 * std::max(0.0, machine->noise()) : 0.0);
    f.interval90 = {f.stepTime / spread, f.stepTime * spread};
    f.basis = ForecastBasis::Calibrated;
    f.source = describeCalibration(c);
    f.figures = parts.figures;
    for (ForecastFigure& figure : f.figures) {
        figure.source = f.source;
        figure.sourcePhrase = {f.source};
    }
    // What the evidence says nothing of is the plain forecast's, with its own words.
    for (const ForecastFigure& figure : plain.figures) {
        const auto part = std::find_if(f.split.begin(), f.split.end(), [&](const auto& each) { return each.first == figure.what && each.second > 0; });
        const bool said = std::any_of(f.figures.begin(), f.figures.end(), [&](const ForecastFigure& each) { return each.what == figure.what; });
        if (part != f.split.end() && !said) f.figures.push_back(figure);
    }
    f.calibration = c.id;
    return f;
}

}  // namespace stagecraft
