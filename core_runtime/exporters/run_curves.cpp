// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/run_curves.h"

#include "base/units.h"
#include "exporters/svg_chart.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace stagecraft {

using nlohmann::json;

namespace {

template <class Value>
ChartSeries curveOf(const std::vector<StepMetrics>& steps, const char* name, const char* style, Value&& value)
{
    ChartSeries series{name, style, {}, false, false};
    for (const StepMetrics& step : steps) series.points.emplace_back(static_cast<double>(step.step), value(step));
    return series;
}

/// Phases by step as the mean over ranks, in at most 60 groups of consecutive steps.
StackChart phasesByStep(const RunRecord& record)
{
    StackChart chart{"Phases per step, mean of the ranks", "s per step", "step", {}, {}, {}};
    for (int phase = 0; phase < kPhaseCount; ++phase) chart.parts.emplace_back(phaseName(static_cast<Phase>(phase)), phaseName(static_cast<Phase>(phase)));
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
    if (group > 1) chart.title += fmt::format(", {} steps a bar", group);
    return chart;
}

StackChart phasesByRank(const RunRecord& record)
{
    StackChart chart = phasesByStep(RunRecord{});
    chart.title = "Phases per rank, mean of the steps";
    chart.xLabel = "rank";
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

StackChart memoryByRank(const RunRecord& record, const PlannedMemory& planned)
{
    double most = std::isfinite(planned.process) ? planned.process : 0;
    for (std::size_t rank = 0; rank < rankCount(record); ++rank)
        for (const StepMetrics& step : stepsOfLastStart(record, rank)) most = std::max(most, static_cast<double>(step.peakRssBytes));
    const bool small = most < 2 * static_cast<double>(kGiB);
    const double unit = static_cast<double>(small ? kMiB : kGiB);
    StackChart chart{"Peak memory per rank", small ? "MiB" : "GiB", "rank", {{"tensors (engine's count)", "forward"}, {"rest of the process", "rest"}}, {}, {}};
    for (std::size_t rank = 0; rank < std::min<std::size_t>(rankCount(record), 64); ++rank) {
        std::int64_t rss = 0, allocated = 0;
        for (const StepMetrics& step : stepsOfLastStart(record, rank)) {
            rss = std::max(rss, step.peakRssBytes);
            allocated = std::max(allocated, step.peakAllocatedBytes);
        }
        chart.stacks.push_back({std::to_string(rank), {static_cast<double>(allocated) / unit, static_cast<double>(std::max<std::int64_t>(0, rss - allocated)) / unit}});
    }
    if (std::isfinite(planned.process)) chart.limits.emplace_back(fmt::format("planned, process {}", formatBytes(static_cast<std::int64_t>(planned.process))), planned.process / unit);
    if (std::isfinite(planned.allocated)) chart.limits.emplace_back(fmt::format("planned, tensors {}", formatBytes(static_cast<std::int64_t>(planned.allocated))), planned.allocated / unit);
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

std::vector<RunCurve> runCurves(const RunRecord& record, const json& plan)
{
    static const std::vector<StepMetrics> kNone;
    const auto& steps = record.ranks.empty() ? kNone : record.ranks[0];
    const PlannedMemory planned = plannedMemory(plan);
    ChartSeries eval{"validation", "s2", {}, true, true};
    for (const auto& [step, loss] : validationLosses(record)) eval.points.emplace_back(static_cast<double>(step), loss);
    std::vector<RunCurve> curves;
    curves.push_back({"Loss", svgOf(LineChart{"Training and validation loss by step", "loss, nats per token", "step", {curveOf(steps, "training", "s1", [](const StepMetrics& s) { return s.loss; }), eval}, false})});
    curves.push_back({"Throughput", svgOf(LineChart{"Tokens per second by step", "tokens/s", "step", {curveOf(steps, "tokens/s", "s3", [](const StepMetrics& s) { return s.tokensPerSecond; })}, true})});
    curves.push_back({"Learning rate", svgOf(LineChart{"Learning rate by step", "learning rate", "step", {curveOf(steps, "learning rate", "s7", [](const StepMetrics& s) { return s.learningRate; })}, true})});
    curves.push_back({"Gradient norm", svgOf(LineChart{"Gradient norm before clipping by step", "L2 norm before clipping", "step", {curveOf(steps, "gradient norm", "s4", [](const StepMetrics& s) { return s.gradNorm; })}, true})});
    const StackChart byStep = phasesByStep(record);
    curves.push_back({byStep.title, svgOf(byStep)});
    const StackChart byRank = phasesByRank(record);
    curves.push_back({byRank.title, svgOf(byRank)});
    curves.push_back({"Peak memory per rank, planned and measured", svgOf(memoryByRank(record, planned))});
    return curves;
}

}  // namespace stagecraft
