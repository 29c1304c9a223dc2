// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/engine_time.h"

#include "planner/forecast_figures.h"
#include "planner/machine_rates.h"
#include "planner/op_time.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace stagecraft {

namespace {

bool onLane(const Op& op) { return op.kind == OpKind::Gather || op.kind == OpKind::ReduceScatter || (op.kind == OpKind::AllReduce && op.unit >= 0); }

/// A rank's two threads on its share of the cores.
class Lanes {
public:
    /// @param cores  this rank's share of the machine; @param threads  that computing keeps busy
    Lanes(std::size_t ops, double cores, double threads) : m_cores(cores), m_threads(threads), m_ended(ops, -1.0) {}

    [[nodiscard]] double now() const { return m_now; }

    void post(std::size_t id, const CollectiveTime& time) { m_queue.push_back({id, std::max(time.wall, 1e-12), time.cpu / std::max(time.wall, 1e-12)}); }

    /// Computes for `work` seconds of an undisturbed machine.
    void compute(double work)
    {
        while (work > 0) {
            const bool communicates = !m_queue.empty();
            const double wanted = m_threads + (communicates ? m_queue.front().cores : 0.0);
            const double speed = std::min(1.0, m_cores / wanted);
            if (!communicates || work < m_queue.front().left) {
                m_now += work / speed;
                if (communicates) m_queue.front().left -= work;
                return;
            }
            const double part = m_queue.front().left;
            m_now += part / speed;
            work -= part;
            endFirst();
        }
    }

    /// Waits until a posted op has ended. Communication alone has the time it was measured with.
    double wait(std::size_t id)
    {
        const double from = m_now;
        while (m_ended[id] < 0 && !m_queue.empty()) {
            m_now += m_queue.front().left;
            endFirst();
        }
        return m_now - from;
    }

private:
    struct Transfer {
        std::size_t id;
        double left, cores;
    };
    void endFirst()
    {
        m_ended[m_queue.front().id] = m_now;
        m_queue.pop_front();
    }

    double m_cores, m_threads, m_now = 0;
    std::deque<Transfer> m_queue;
    std::vector<double> m_ended;
};

/// @param share  cores of one rank
EngineTime play(const Program& program, const OpTimes& times, const EngineJob& job, double share)
{
    EngineTime result;
    Lanes lanes(program.ops.size(), share, job.threads);
    for (std::size_t id = 0; id < program.ops.size(); ++id) {
        const Op& op = program.ops[id];
        if (onLane(op)) {
            lanes.post(id, times.communication(op));
            continue;
        }
        std::optional<std::size_t> last;
        for (const std::int32_t before : op.after) {
            const auto b = static_cast<std::size_t>(before);
            if (onLane(program.ops[b]) && (!last || b > *last)) last = b;
        }
        if (last) (program.ops[*last].kind == OpKind::Gather ? result.weights : result.gradients) += lanes.wait(*last);
        const double from = lanes.now();
        lanes.compute(times.compute(op));
        const double took = lanes.now() - from;
        if (op.kind == OpKind::OptimizerStep) result.optimizer += took;
        else if (op.kind == OpKind::Forward && !op.recompute) result.forward += took;
        else result.backward += took;
        if (op.kind == OpKind::AllReduce && job.world > 1) {
            lanes.post(id, times.communication(op));
            result.gradients += lanes.wait(id);
        }
    }
    return result;
}

double elementsOf(const ModelSpec& model) { return static_cast<double>(parameterCount(model)); }

using Reference = MeasuredMachine::Reference;

/// Weighted by nearness in size and ranks: a reference of the same size and ranks decides alone, as far as it is the only one.
Reference mixedFor(const std::vector<Reference>& references, double size, double world)
{
    Reference mixed{size, world, 0, 0, 0};
    double weights = 0;
    for (const Reference& r : references) {
        // A doubling of the ranks counts as much as eight times the size: it changes who shares the cores.
        const double far = std::pow((r.size - size) / std::log(8.0), 2) + std::pow(r.world - world, 2);
        const double weight = 1 / (0.02 + far * far);
        mixed.ratio += weight * r.ratio;
        mixed.waiting += weight * r.waiting;
        weights += weight;
    }
    if (weights > 0) mixed.ratio /= weights, mixed.waiting /= weights;
    return mixed;
}

/// The job's step as its first three micro-steps make it, compiled for whichever rates it is played with.
class CompiledStep {
public:
    explicit CompiledStep(const EngineJob& job) : m_job(job), m_all(std::max<std::int64_t>(job.config.accumulation, 1))
    {
        if (job.config.precision == Precision::Fp16 || job.world < 1 || job.threads < 1) return;
        m_whole = compiled(std::min<std::int64_t>(m_all, 3));
        if (m_all > 3) m_less = compiled(2);
    }

    [[nodiscard]] std::optional<EngineTime> time(const MachineRates& rates, double share) const
    {
        if (!m_whole || (m_all > 3 && !m_less) || !rates.complete(m_job.config.precision == Precision::Bf16 ? "bf16" : "fp32")) return std::nullopt;
        const OpTimes times(m_job, rates);
        EngineTime time = play(m_whole->programs.front(), times, m_job, share);
        if (m_all <= 3) return time;
        // From the third micro-step on (first, middle, last) each adds the same: no need to play thousands.
        const EngineTime less = play(m_less->programs.front(), times, m_job, share);
        for (double EngineTime::*part : {&EngineTime::forward, &EngineTime::backward, &EngineTime::optimizer, &EngineTime::weights, &EngineTime::gradients})
            time.*part += static_cast<double>(m_all - 3) * (time.*part - less.*part);
        return time;
    }

private:
    [[nodiscard]] std::optional<Schedule> compiled(std::int64_t accumulation) const
    {
        EngineConfig part = m_job.config;
        part.accumulation = accumulation;
        Result<Schedule> schedule = compileSchedule(m_job.model, part, m_job.world, m_job.recompute);
        return schedule.hasValue() ? std::optional(std::move(schedule).value()) : std::nullopt;
    }

    const EngineJob& m_job;
    std::int64_t m_all;
    std::optional<Schedule> m_whole, m_less;
};

double shareOf(const EngineJob& job, const MachineRates& rates) { return rates.cores() / std::max(job.world, 1); }

}  // namespace

std::optional<EngineJob> jobOfReference(const StepRate& step)
{
    EngineJob job;
    ModelSpec& m = job.model;
    m.family = Family::Llama;
    m.hidden = step.hidden;
    m.layers = step.layers;
    m.heads = m.kvHeads = step.heads;
    m.headSize = step.heads > 0 ? step.hidden / step.heads : 0;
    m.ffn = step.ffn;
    m.vocab = step.vocab;
    m.seq = step.seq;
    if (!checkModelSpec(m).hasValue()) return std::nullopt;
    job.config.microBatch = step.microBatch;
    job.config.accumulation = 1;
    job.config.trainBatch = step.microBatch * step.world;
    job.config.zeroStage = step.stage;
    job.config.precision = step.type == "bf16" ? Precision::Bf16 : Precision::Fp32;
    job.world = step.world;
    return job;
}

double waitingMeasure(const EngineJob& job, const EngineTime& time)
{
    return time.computing() / (job.config.zeroStage >= 3 ? 1.0 : static_cast<double>(std::max<std::int64_t>(job.config.accumulation, 1)));
}

std::optional<EngineTime> engineTimeOf(const EngineJob& job, const MachineRates& rates)
{
    return CompiledStep(job).time(rates, shareOf(job, rates));
}

MeasuredMachine::MeasuredMachine(const MachineMeasure& measure)
    : m_rates(measure), m_slow(measure, MachineRates::Readings::Slow), m_noise(measure.noise), m_source(fmt::format("this machine's rates, measured on {}", measure.measuredAt.substr(0, 10)))
{
    for (const StepRate& step : measure.steps) {
        const auto job = jobOfReference(step);
        const auto played = job ? engineTimeOf(*job, m_rates) : std::nullopt;
        // A rank without peers waits for nobody: what it calls so is its own work.
        const double computed = step.world > 1 ? step.seconds - step.waited : step.seconds;
        if (!played || !(played->computing() > 0) || !(computed > 0)) continue;
        const double waiting = step.world > 1 ? (step.waited - played->waiting()) / computed : 0.0;
        m_references[step.type == "bf16" ? 1 : 0].push_back({std::log(elementsOf(job->model)), std::log2(static_cast<double>(step.world)), std::log(computed / played->computing()), waiting, step.spread});
    }
}

Reference MeasuredMachine::referenceFor(const EngineJob& job) const
{
    return mixedFor(m_references[job.config.precision == Precision::Bf16 ? 1 : 0], std::log(elementsOf(job.model)), std::log2(static_cast<double>(job.world)));
}

std::optional<EngineTime> MeasuredMachine::played(const EngineJob& job) const
{
    const std::optional<EngineTime> time = engineTimeOf(job, m_rates);
    if (!time || !std::isfinite(time->total())) return std::nullopt;
    return time;
}

double MeasuredMachine::disturbanceOf(const EngineTime& usual, const std::optional<EngineTime>& slow) const
{
    const double apart = slow && std::isfinite(slow->total()) ? std::log(std::max(1.0, slow->total() / usual.total())) : 0.0;
    // Of two readings that differ by so much each is off by the square root of two's part.
    return std::hypot(apart, std::log1p(std::max(0.0, m_noise)) / std::sqrt(2.0));
}

std::optional<StepForecast> MeasuredMachine::forecast(const EngineJob& job, double* disturbance) const
{
    const CompiledStep step(job);
    const std::optional<EngineTime> time = step.time(m_rates, shareOf(job, m_rates));
    if (!time || !(time->total() > 0) || !std::isfinite(time->total())) return std::nullopt;
    const std::vector<Reference>& references = m_references[job.config.precision == Precision::Bf16 ? 1 : 0];
    const Reference known = referenceFor(job);
    const double factor = std::exp(known.ratio);
    const double measure = factor * waitingMeasure(job, *time);
    const double waiting = time->waiting() > 0 ? std::max(time->waiting() + known.waiting * measure, 0.0) / time->waiting() : 0.0;

    StepForecast f;
    f.split = {{"compute", factor * (time->forward + time->backward)}, {"communication_exposed.weights", waiting * time->weights}, {"communication_exposed.gradients", waiting * time->gradients}, {"optimizer", factor * time->optimizer}};
    for (const auto& [name, seconds] : f.split) f.stepTime += seconds;
    f.forward = factor * time->forward;
    f.backward = factor * time->backward;
    const auto tell = [&](const char* part, double seconds, Phrase formula, Phrase numbers) {
        if (seconds > 0) f.figures.push_back(forecastFigure(part, seconds, std::move(formula), std::move(numbers), {m_source}));
    };
    const auto n = figureNumber;
    const auto waits = [&](double part) { return Phrase{"{} · ({} + {} · {}) / {} s", {n(part), n(time->waiting()), n(known.waiting), n(measure), n(time->waiting())}}; };
    tell("compute", f.forward + f.backward, {"r · (forward + backward), played with the rates"}, {"{} · ({} + {}) s", {n(factor), n(time->forward), n(time->backward)}});
    tell("communication_exposed.weights", waiting * time->weights, {"T_weights · (T_waits + w · T_computing) / T_waits, played with the rates"}, waits(time->weights));
    tell("communication_exposed.gradients", waiting * time->gradients, {"T_gradients · (T_waits + w · T_computing) / T_waits, played with the rates"}, waits(time->gradients));
    tell("optimizer", factor * time->optimizer, {"r · update, played with the rates"}, {"{} · {} s", {n(factor), n(time->optimizer)}});
    // How far each reference lies from what the others say of it: the error this forecast would have made there.
    double squares = 0;
    for (std::size_t i = 0; i < references.size(); ++i) {
        std::vector<Reference> others = references;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const Reference said = mixedFor(others, references[i].size, references[i].world);
        const double off = references[i].ratio - said.ratio + references[i].waiting - said.waiting;
        squares += off * off + references[i].spread * references[i].spread;
    }
    // Without references nothing says how far the rates alone are off; on machines measured so far it was up to a half.
    const double disturbed = disturbanceOf(*time, step.time(m_slow, shareOf(job, m_slow)));
    if (disturbance) *disturbance = disturbed;
    const double sigma = std::hypot(references.size() < 2 ? 0.25 : std::sqrt(squares / static_cast<double>(references.size())), disturbed);
    // Ranks that take turns on a core wait for each other in ways that differ from run to run.
    const double crowd = std::max(1.0, static_cast<double>(job.world) * job.threads / m_rates.cores());
    const double half = 1.645 * std::clamp(sigma, 0.02, 1.0) * std::sqrt(crowd);
    f.interval90 = {f.stepTime * std::exp(-half), f.stepTime * std::exp(half)};
    f.basis = ForecastBasis::Measured;
    f.source = m_source;
    return f;
}

}  // namespace stagecraft
