// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/calibration.h"

#include "planner/ds_settings.h"
#include "planner/observed_run.h"
#include "planner/plan.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <set>

namespace stagecraft {

namespace {

constexpr std::int64_t kWarmUpSteps = 2;   ///< first touch of every page, first products of a thread
constexpr std::int64_t kFewestSteps = 5;   ///< that count
constexpr double kMostUneven = 0.20;       ///< distance of the quartiles of the step time, relative to its median
constexpr double kMostDrift = 0.15;        ///< second half of the steps against the first

double quantile(std::vector<double>& sorted, double q)
{
    const double at = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(at);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double medianOf(std::vector<double> values)
{
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return quantile(values, 0.5);
}

Spread spreadOf(std::vector<double> values)
{
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    return {quantile(values, 0.1), quantile(values, 0.5), quantile(values, 0.9)};
}

bool isUsable(const StepMetrics& step)
{
    return std::isfinite(step.stepSeconds) && step.stepSeconds > 0 && step.stepSeconds < 1e5
           && std::all_of(step.phaseSeconds.begin(), step.phaseSeconds.end(), [](double seconds) { return std::isfinite(seconds) && seconds >= 0 && seconds < 1e5; });
}

const char* precisionName(Precision precision) { return precision == Precision::Fp32 ? "fp32" : precision == Precision::Bf16 ? "bf16" : "fp16"; }

class Learner {
public:
    explicit Learner(const ObservedRun& run) : m_run(run) {}

    Result<Calibration> learn(const StepForecast* forecast)
    {
        if (auto fit = identify(); !fit.hasValue()) return fit.error();
        if (auto steady = steps(); !steady.hasValue()) return steady.error();
        if (auto timed = visits(); !timed.hasValue()) return timed.error();
        memory();
        parts(forecast);
        return std::move(m_out);
    }

private:
    [[nodiscard]] Error refused(std::string why) const
    {
        return {ErrorCode::Refused, fmt::format("Cannot calibrate from run \"{}\": {}", m_run.folder.filename().string(), why), {{"path", m_run.folder.string()}}};
    }

    Result<void> identify()
    {
        const RunInfo& info = m_run.info;
        if (!isOver(info.status)) return refused("it is still going on; wait until it is over");
        if (info.status != RunStatus::Finished && info.status != RunStatus::Stopped) return refused(fmt::format("it {}; use a run that finished", info.status == RunStatus::Lost ? "was killed" : "failed"));
        const bool named = !info.id.empty() && info.id.size() <= 64 && std::all_of(info.id.begin(), info.id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
        if (!named) return refused("its run.json has no id");
        if (!info.machine || info.machine->cpu.empty() || !(info.machine->usableCores > 0)) return refused("its record does not say on which machine it ran; run it again with this release");
        std::vector<PlanFinding> unused;
        const Workspace& w = m_run.workspace;
        const auto job = engineJobOf(w, readDsSettings(w, w.model.spec ? w.model.spec->hidden : 0, unused));
        if (!job || job->world != info.world) return refused("it is no run of our engine on processors");
        auto work = engineWorkOf(*job);
        if (!work.hasValue()) return work.error();
        if (job->world * job->threads > static_cast<int>(std::floor(info.machine->usableCores + 0.01)))
            return refused(fmt::format("its {} ranks of {} threads shared {:g} cores, so that their times say nothing of other layouts; use a run with at most as many ranks", job->world, job->threads, info.machine->usableCores));
        m_out.id = info.id;
        m_out.name = info.name;
        m_out.folder = m_run.folder.string();
        m_out.startedNs = info.startedNs;
        m_out.machine = *info.machine;
        m_out.model = modelKey(job->model);
        m_out.layout = calibratedLayoutOf(*job);
        m_out.work = *work;
        m_units = unitsOf(job->model);
        return {};
    }

    Result<void> steps()
    {
        if (m_run.ranks.empty()) return refused("it recorded no steps");
        std::vector<double> seconds;
        std::array<std::vector<double>, kPhaseCount> phases;
        const std::vector<StepMetrics>& all = m_run.ranks.front();
        for (std::size_t i = static_cast<std::size_t>(kWarmUpSteps); i < all.size(); ++i) {
            if (!isUsable(all[i])) continue;
            seconds.push_back(all[i].stepSeconds);
            m_counted.insert(all[i].step);
            for (std::size_t p = 0; p < kPhaseCount; ++p) phases[p].push_back(all[i].phaseSeconds[p]);
        }
        m_out.steps = static_cast<std::int64_t>(seconds.size());
        if (m_out.steps < kFewestSteps) return refused(fmt::format("it has {} steps after {} of warm-up; use a run of {} or more", m_out.steps, kWarmUpSteps, kFewestSteps + kWarmUpSteps));
        const std::size_t half = seconds.size() / 2;
        const double first = medianOf({seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(half)});
        const double second = medianOf({seconds.begin() + static_cast<std::ptrdiff_t>(half), seconds.end()});
        if (std::abs(second / first - 1) > kMostDrift) return refused(fmt::format("its later steps are {:.0f} % {} than its first ones; run again on a machine with nothing else to do", 100 * std::abs(second / first - 1), second > first ? "slower" : "faster"));
        std::vector<double> sorted = seconds;
        std::sort(sorted.begin(), sorted.end());
        const double uneven = (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / quantile(sorted, 0.5);
        if (uneven > kMostUneven) return refused(fmt::format("the middle half of its step times spreads over {:.0f} %; run again on a machine with nothing else to do", 100 * uneven));
        m_out.step = spreadOf(std::move(seconds));
        for (std::size_t p = 0; p < kPhaseCount; ++p) m_out.phases[p] = spreadOf(std::move(phases[p]));
        return {};
    }

    /// Times of single ops: what a visit of each kind of unit takes.
    Result<void> visits()
    {
        const std::vector<Op>& ops = m_run.program.ops;
        std::vector<std::vector<double>> times(ops.size());
        for (const Span& span : m_run.spans) {
            if (span.op < 0 || static_cast<std::size_t>(span.op) >= ops.size() || !m_counted.contains(span.step) || span.endNs < span.startNs) continue;
            times[static_cast<std::size_t>(span.op)].push_back(static_cast<double>(span.endNs - span.startNs) * 1e-9);
        }
        std::array<double, kUnitKinds> forward{}, backward{}, forwards{}, backwards{};
        double loads = 0;
        for (std::size_t id = 0; id < ops.size(); ++id) {
            const Op& op = ops[id];
            const bool lane = op.kind == OpKind::Gather || op.kind == OpKind::ReduceScatter || op.kind == OpKind::AllReduce;
            if (op.unit >= static_cast<std::int32_t>(m_units.size())) return refused("its plan.json has units that its model has not");
            if (op.kind == OpKind::Release) continue;
            if (times[id].empty()) return refused("it recorded no spans of some of its ops; run it with STAGECRAFT_TELEMETRY on");
            const double median = medianOf(times[id]);
            const auto kind = op.unit >= 0 ? static_cast<std::size_t>(m_units[static_cast<std::size_t>(op.unit)].kind) : 0;
            if (lane && op.unit >= 0) m_out.fastestLane += *std::min_element(times[id].begin(), times[id].end());
            if (op.kind == OpKind::LoadBatch) {
                m_out.load += median;
                loads += 1;
            } else if (op.kind == OpKind::Forward) {
                forward[kind] += median;
                forwards[kind] += 1;
            } else if (op.kind == OpKind::BackwardInput || op.kind == OpKind::BackwardWeight) {
                backward[kind] += median;
                backwards[kind] += op.kind == OpKind::BackwardWeight ? 1 : 0;
            }
        }
        for (std::size_t kind = 0; kind < kUnitKinds; ++kind) {
            if (forwards[kind] == 0 || backwards[kind] == 0) return refused("its plan.json has no visit of some kind of unit");
            m_out.forward[kind] = forward[kind] / forwards[kind];
            m_out.backward[kind] = backward[kind] / backwards[kind];
        }
        m_out.load /= std::max(loads, 1.0);
        return {};
    }

    void memory()
    {
        for (const auto& steps : m_run.ranks) {
            for (const StepMetrics& step : steps) {
                m_out.allocatedBytes = std::max(m_out.allocatedBytes, step.peakAllocatedBytes);
                m_out.processBytes = std::max(m_out.processBytes, step.peakRssBytes);
            }
        }
    }

    void parts(const StepForecast* forecast)
    {
        const auto phase = [&](Phase p) { return m_out.phases[static_cast<std::size_t>(p)].median; };
        std::map<std::string, double> said;
        if (forecast) for (const auto& [name, seconds] : forecast->split) said[name.starts_with("communication") ? "communication" : name == "compute" || name == "optimizer" ? name : "rest"] += seconds;
        m_out.parts = {{"compute", phase(Phase::Forward) + phase(Phase::Backward), said["compute"]},
                       {"communication", phase(Phase::Communication), said["communication"]},
                       {"optimizer", phase(Phase::Optimizer), said["optimizer"]},
                       {"rest", phase(Phase::Data) + phase(Phase::Wait), said["rest"]}};
    }

    const ObservedRun& m_run;
    Calibration m_out;
    std::vector<UnitInfo> m_units;
    std::set<std::int64_t> m_counted;  ///< steps after warm-up
};

}  // namespace

std::string modelKey(const ModelSpec& m)
{
    return nlohmann::json{{"family", familyName(m.family)}, {"hidden", m.hidden}, {"layers", m.layers}, {"heads", m.heads}, {"kvHeads", m.kvHeads}, {"headSize", m.headSize},
                          {"ffn", m.ffn}, {"vocab", m.vocab}, {"seq", m.seq}, {"tieEmbeddings", m.tieEmbeddings}, {"attentionBias", m.attentionBias}, {"mlpBias", m.mlpBias},
                                  {"dropout", m.embeddingDropout > 0 || m.attentionDropout > 0 || m.residualDropout > 0}}
        .dump();
}

CalibratedLayout calibratedLayoutOf(const EngineJob& job)
{
    return {job.world, job.config.zeroStage, job.threads, job.config.microBatch, std::max<std::int64_t>(job.config.accumulation, 1), precisionName(job.config.precision),
            job.recompute == Recompute::Full ? "full" : "none", !job.config.overlapForbidden};
}

Result<Calibration> calibrate(const ObservedRun& run, const StepForecast* forecast) { return Learner(run).learn(forecast); }

std::int64_t calibratedProcessBase(const Calibration& calibration) { return std::max<std::int64_t>(0, calibration.processBytes - calibration.allocatedBytes); }

std::string describeCalibration(const Calibration& c)
{
    const std::time_t seconds = static_cast<std::time_t>(c.startedNs / 1'000'000'000);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    char date[32] = {};
    std::strftime(date, sizeof date, "%Y-%m-%d", &utc);
    return fmt::format("run {} of {}, {} steps at {} {}, stage {}", c.name, date, c.steps, c.layout.world, c.layout.world == 1 ? "rank" : "ranks", c.layout.stage);
}

}  // namespace stagecraft
