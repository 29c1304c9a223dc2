// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/run_curves.h"

#include "base/units.h"
#include "exporters/report_words.h"
#include "exporters/svg_chart.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace stagecraft {

using nlohmann::json;

namespace {

template <class Value>
ChartSeries curveOf(const std::vector<StepMetrics>& steps, const std::string& name, const char* style, Value&& value)
{
    ChartSeries series{name, style, {}, false, false};
    for (const StepMetrics& step : steps) series.points.emplace_back(static_cast<double>(step.step), value(step));
    return series;
}

/// Phases by step as the mean over ranks, in at most 60 groups of consecutive steps.
StackChart phasesByStep(const RunRecord& record, const ReportWords& say)
{
    StackChart chart{say("Phases per step, mean of the ranks"), say("s per step"), say("step"), {}, {}, {}, say("nothing recorded")};
    for (int phase = 0; phase < kPhaseCount; ++phase) chart.parts.emplace_back(say(phaseName(static_cast<Phase>(phase))), phaseName(static_cast<Phase>(phase)));
    if (record.ranks.empty() || record.ranks[0].empty()) return chart;
    const std::int64_t first = record.ranks[0].front().step, last = record.ranks[0].back().step;
    const std::int64_t group = std::max<std::int64_t>(1, (last - first + 60) / 60);
    std::vector<std::array<double, kPhaseCount>> sums(static_cast<std::size_t>((last - first) / group + 1));
    std::vector<std::int64_t> counts(sums.size(), 0);
    for (const auto& rank : record.ranks)
        for (const StepMetrics& step : rank) {
            if (step.step < first || step.step > last) continue;
            const auto at = static_cast<std::size_t>((step.step - first) / group);
            for (std::size_t phase = 0; phase < sums[at].size(); ++phase) sums[at][phase] += std::isfinite(step.phaseSeconds[phase]) ? step.phaseSeconds[phase] : 0;
            ++counts[at];
        }
    for (std::size_t i = 0; i < sums.size(); ++i) {
        ChartStack stack{std::to_string(first + static_cast<std::int64_t>(i) * group), {}};
        for (const double sum : sums[i]) stack.parts.push_back(counts[i] > 0 ? sum / static_cast<double>(counts[i]) : 0);
        chart.stacks.push_back(std::move(stack));
    }
    if (group > 1) chart.title = fmt::format(fmt::runtime(say("Phases per step, mean of the ranks, {} steps a bar")), group);
    return chart;
}

StackChart phasesByRank(const RunRecord& record, const ReportWords& say)
{
    StackChart chart = phasesByStep(RunRecord{}, say);
    chart.title = say("Phases per rank, mean of the steps");
    chart.xLabel = say("rank");
    for (std::size_t rank = 0; rank < std::min<std::size_t>(rankCount(record), 64); ++rank) {
        ChartStack stack{std::to_string(rank), std::vector<double>(kPhaseCount, 0.0)};
        const auto steps = stepsOfLastStart(record, rank);
        for (const StepMetrics& step : steps)
            for (std::size_t phase = 0; phase < stack.parts.size(); ++phase) stack.parts[phase] += std::isfinite(step.phaseSeconds[phase]) ? step.phaseSeconds[phase] : 0;
        for (double& part : stack.parts) part /= std::max<double>(1, static_cast<double>(steps.size()));
        chart.stacks.push_back(std::move(stack));
    }
    return chart;
}

StackChart memoryByRank(const RunRecord& record, const PlannedMemory& planned, const ReportWords& say)
{
    double most = std::isfinite(planned.process) ? planned.process : 0;
    for (std::size_t rank = 0; rank < rankCount(record); ++rank)
        for (const StepMetrics& step : stepsOfLastStart(record, rank)) most = std::max(most, static_cast<double>(step.peakRssBytes));
    const bool small = most < 2 * static_cast<double>(kGiB);
    const double unit = static_cast<double>(small ? kMiB : kGiB);
    StackChart chart{say("Peak memory per rank"), small ? "MiB" : "GiB", say("rank"), {{say("tensors (engine's count)"), "forward"}, {say("rest of the process"), "rest"}}, {}, {}, say("nothing recorded")};
    for (std::size_t rank = 0; rank < std::min<std::size_t>(rankCount(record), 64); ++rank) {
        std::int64_t rss = 0, allocated = 0;
        for (const StepMetrics& step : stepsOfLastStart(record, rank)) {
            rss = std::max(rss, step.peakRssBytes);
            allocated = std::max(allocated, step.peakAllocatedBytes);
        }
        chart.stacks.push_back({std::to_string(rank), {static_cast<double>(allocated) / unit, static_cast<double>(std::max<std::int64_t>(0, rss - allocated)) / unit}});
    }
    if (std::isfinite(planned.process)) chart.limits.emplace_back(fmt::format(fmt::runtime(say("planned, process {}")), formatBytes(static_cast<std::int64_t>(planned.process))), planned.process / unit);
    if (std::isfinite(planned.allocated)) chart.limits.emplace_back(fmt::format(fmt::runtime(say("planned, tensors {}")), formatBytes(static_cast<std::int64_t>(planned.allocated))), planned.allocated / unit);
    return chart;
}

}  // namespace

PlannedMemory plannedMemory(const json& plan)
{
    PlannedMemory planned;
    if (!plan.is_object() || !plan.contains("ledger") || !plan["ledger"].is_object()) return planned;
    const json& ledger = plan["ledger"];
    if (!ledger.contains("roles") || !ledger["roles"].is_array()) return planned;
    for (const json& role : ledger["roles"]) {
        if (!role.is_object() || !role.contains("peak") || !role["peak"].is_object()) continue;
        const auto largest = [&](const char* key, double& out) {
            const auto it = role["peak"].find(key);
            if (it != role["peak"].end() && it->is_number() && !(out >= it->get<double>())) out = it->get<double>();
        };
        largest("allocated", planned.allocated);
        largest("process", planned.process);
    }
    return planned;
}

std::vector<RunCurve> runCurves(const RunRecord& record, const json& plan, const std::string& language)
{
    const ReportWords say(language);
    static const std::vector<StepMetrics> kNone;
    const auto& steps = record.ranks.empty() ? kNone : record.ranks[0];
    const PlannedMemory planned = plannedMemory(plan);
    ChartSeries eval{say("validation"), "s2", {}, true, true};
    for (const auto& [step, loss] : validationLosses(record)) eval.points.emplace_back(static_cast<double>(step), loss);
    const auto line = [&](LineChart chart) {
        chart.nothing = say("nothing recorded");
        return svgOf(chart);
    };
    std::vector<RunCurve> curves;
    curves.push_back({say("Loss"), line({say("Training and validation loss by step"), say("loss, nats per token"), say("step"), {curveOf(steps, say("training"), "s1", [](const StepMetrics& s) { return s.loss; }), eval}, false})});
    curves.push_back({say("Throughput"), line({say("Tokens per second by step"), "tokens/s", say("step"), {curveOf(steps, "tokens/s", "s3", [](const StepMetrics& s) { return s.tokensPerSecond; })}, true})});
    curves.push_back({say("Learning rate"), line({say("Learning rate by step"), say("learning rate"), say("step"), {curveOf(steps, say("learning rate"), "s7", [](const StepMetrics& s) { return s.learningRate; })}, true})});
    curves.push_back({say("Gradient norm"), line({say("Gradient norm before clipping by step"), say("L2 norm before clipping"), say("step"), {curveOf(steps, say("gradient norm"), "s4", [](const StepMetrics& s) { return s.gradNorm; })}, true})});
    const StackChart byStep = phasesByStep(record, say);
    curves.push_back({byStep.title, svgOf(byStep)});
    const StackChart byRank = phasesByRank(record, say);
    curves.push_back({byRank.title, svgOf(byRank)});
    curves.push_back({say("Peak memory per rank, planned and measured"), svgOf(memoryByRank(record, planned, say))});
    return curves;
}

}  // namespace stagecraft
