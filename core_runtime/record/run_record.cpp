// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_record.h"

#include "record/record_lines.h"
#include "record/run_reader.h"
#include "record/run_starts.h"
#include "record/step_lines.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace stagecraft {

using nlohmann::ordered_json;

namespace {

/// run.json of a lost run is from before the loss; the steps are from later.
void tellTheLoss(RunRecord& record)
{
    for (RankProcess& rank : record.info.ranks)
        if (rank.state == "starting" || rank.state == "ready" || rank.state == "running") rank.state = runStatusName(RunStatus::Lost);
    if (const auto steps = stepsOfLastStart(record, 0); !steps.empty()) record.info.doneSteps = std::max(record.info.doneSteps, steps.back().step);
}

RunStarts startsOf(const RunRecord& record)
{
    RunStarts starts;
    for (const EventRecord& event : record.events) (void)starts.add(event);
    starts.add(record.info);
    return starts;
}

}  // namespace

Result<RunRecord> loadRunRecord(const std::filesystem::path& runFolder)
{
    RunReaderOptions options;
    options.spans = false;
    auto opened = RunReader::open(runFolder, options);
    if (!opened.hasValue()) return opened.error();
    RunReader& reader = opened.value();
    RunRecord record;
    record.folder = runFolder;
    for (;;) {
        RunUpdate update = reader.poll();
        for (const StepMetrics& step : update.steps) {
            const auto rank = static_cast<std::size_t>(step.rank);
            if (rank >= record.ranks.size()) record.ranks.resize(rank + 1);
            record.ranks[rank].push_back(step);
        }
        std::move(update.events.begin(), update.events.end(), std::back_inserter(record.events));
        if (!update.more) break;
    }
    record.info = reader.info();
    if (record.info.world > 0) record.ranks.resize(std::max(record.ranks.size(), static_cast<std::size_t>(std::min(record.info.world, 1 << 20))));
    const RunStarts starts = startsOf(record);
    // What was given up goes first: steps of a start that nothing continues must not replace those of one that was gone back to.
    for (auto& steps : record.ranks) {
        std::vector<StepMetrics> line;
        for (const StepMetrics& step : steps)
            if (!starts.tookBack(step)) appendStep(line, step);
        steps = std::move(line);
    }
    if (record.info.status == RunStatus::Lost) tellTheLoss(record);
    record.badRecords = reader.badRecords();
    return record;
}

std::vector<std::pair<std::int64_t, double>> validationLosses(const RunRecord& record)
{
    const RunStarts starts = startsOf(record);
    std::vector<std::pair<std::int64_t, double>> losses;
    for (const EventRecord& event : record.events) {
        if (event.kind != "eval") continue;
        const auto at = fieldNumber(event, "step"), loss = fieldNumber(event, "loss");
        if (!at || !loss || !(std::abs(*at) < 9e15)) continue;
        const auto step = static_cast<std::int64_t>(*at);
        if (!starts.tookBack(event, step)) losses.emplace_back(step, *loss);
    }
    std::stable_sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return losses;
}

std::vector<FailedSave> failedSaves(const RunRecord& record)
{
    constexpr std::size_t kMost = 100;
    std::vector<FailedSave> saves;
    for (const EventRecord& event : record.events) {
        if (event.kind != "checkpoint_failed" || !isOfLastStart(record.info, event.attempt, event.timeNs)) continue;
        const double step = fieldNumber(event, "step").value_or(0);
        FailedSave save{std::abs(step) < 9e15 ? static_cast<std::int64_t>(step) : 0, event.rank, fieldText(event, "message")};
        if (!saves.empty() && saves.back().step == save.step) continue;  // another rank of the same save
        saves.push_back(std::move(save));
        if (saves.size() > kMost) saves.erase(saves.begin());
    }
    return saves;
}

std::size_t rankCount(const RunRecord& record) { return record.info.world > 0 ? std::min(record.ranks.size(), static_cast<std::size_t>(record.info.world)) : record.ranks.size(); }

std::vector<StepMetrics> stepsOfLastStart(const RunRecord& record, std::size_t rank)
{
    std::vector<StepMetrics> steps;
    if (rank < record.ranks.size())
        std::copy_if(record.ranks[rank].begin(), record.ranks[rank].end(), std::back_inserter(steps),
                     [&](const StepMetrics& step) { return step.step > record.info.resumedFrom && isOfLastStart(record.info, step.attempt, step.timeNs); });
    return steps;
}

double medianOf(std::vector<double> values)
{
    std::erase_if(values, [](double value) { return !std::isfinite(value); });
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

namespace {

ordered_json finite(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

}  // namespace

double medianStepSeconds(const std::vector<StepMetrics>& steps)
{
    std::vector<double> values;
    for (const StepMetrics& step : steps) values.push_back(step.stepSeconds);
    return medianOf(std::move(values));
}

double medianTokensPerSecond(const std::vector<StepMetrics>& steps)
{
    std::vector<double> values;
    for (const StepMetrics& step : steps) values.push_back(step.tokensPerSecond);
    return medianOf(std::move(values));
}

ordered_json failureToJson(const std::optional<RunFailure>& failure)
{
    if (!failure) return nullptr;
    return {{"rank", failure->rank}, {"kind", failure->kind}, {"message", failure->message}, {"lastOp", failure->lastOp}};
}

ordered_json runAnswer(const RunRecord& record)
{
    const std::vector<StepMetrics> steps = stepsOfLastStart(record, 0);
    ordered_json losses = ordered_json::array(), norms = ordered_json::array(), peaks = ordered_json::array();
    for (const StepMetrics& step : steps) {
        losses.push_back(finite(step.loss));
        norms.push_back(finite(step.gradNorm));
    }
    for (std::size_t rank = 0; rank < rankCount(record); ++rank) {
        std::int64_t peak = 0;
        for (const StepMetrics& step : stepsOfLastStart(record, rank)) peak = std::max(peak, step.peakRssBytes);
        peaks.push_back(peak);
    }
    ordered_json unsaved = ordered_json::array();
    for (const FailedSave& save : failedSaves(record)) unsaved.push_back({{"step", save.step}, {"rank", save.rank}, {"message", save.message}});
    const double tokens = medianTokensPerSecond(steps);
    const StepScale scale = scaleOf(record.info);
    return {{"run", record.folder.string()},
            {"status", runStatusName(record.info.status)},
            {"steps", steps.empty() ? record.info.resumedFrom : steps.back().step},
            {"losses", losses},
            {"gradNorms", norms},
            {"medianStepTime", finite(medianStepSeconds(steps))},
            {"tokensPerSecond", finite(tokens)},
            {"samplesPerSecond", finite(samplesPerSecond(tokens, scale))},
            {"tflopsPerRank", finite(flopsPerRank(tokens, scale) * 1e-12)},
            {"peakRssBytes", peaks},
            {"params", record.info.params},
            {"failure", failureToJson(record.info.failure)},
            {"failedSaves", unsaved}};
}

}  // namespace stagecraft
