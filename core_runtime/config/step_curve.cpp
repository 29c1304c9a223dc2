// SPDX-License-Identifier: GPL-3.0-or-later
#include "config/step_curve.h"

#include "config/engine_config.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace stagecraft {

namespace {

using nlohmann::json;

constexpr int kSamples = 200;
constexpr std::int64_t kMostSteps = 1'000'000'000'000;

const json* valueAt(const json& config, const std::string& pointer)
{
    const json::json_pointer at(pointer);
    return config.contains(at) ? &config.at(at) : nullptr;
}

bool hasAuto(const json& value)
{
    if (value.is_structured()) return std::any_of(value.begin(), value.end(), hasAuto);
    return value == "auto";
}

/// Evenly spread, with the first steps one by one: a logarithmic warm-up does most of its way there.
std::vector<std::int64_t> stepsUpTo(std::int64_t last, const std::vector<std::int64_t>& corners)
{
    std::vector<std::int64_t> steps = corners;
    for (std::int64_t step = 0; step <= std::min<std::int64_t>(last, 20); ++step) steps.push_back(step);
    for (int i = 0; i <= kSamples; ++i) steps.push_back(std::llround(static_cast<double>(last) * i / kSamples));
    std::sort(steps.begin(), steps.end());
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    std::erase_if(steps, [last](std::int64_t step) { return step < 0 || step > last; });
    return steps;
}

double parameterOf(const SchedulerSettings& scheduler, const char* name)
{
    for (const auto& [key, value] : scheduler.parameters)
        if (key == name) return value;
    return 0;
}

/// Where the schedule has come to rest; 0 when it never does.
double endOf(const SchedulerSettings& scheduler)
{
    switch (scheduler.kind) {
    case SchedulerKind::WarmupDecayLR:
    case SchedulerKind::WarmupCosineLR: return static_cast<double>(scheduler.totalSteps);
    case SchedulerKind::OneCycle: {
        const double first = parameterOf(scheduler, "cycle_first_step_size");
        const double second = parameterOf(scheduler, "cycle_second_step_size");
        return first + (second > 0 ? second : first) + 2 * parameterOf(scheduler, "decay_step_size");
    }
    case SchedulerKind::Constant:
    case SchedulerKind::WarmupLR:
    case SchedulerKind::LRRangeTest: break;
    }
    return 0;
}

std::optional<StepCurve> rateCurve(const json& config, std::int64_t runSteps, const std::vector<std::int64_t>& alsoAt)
{
    StepCurve curve;
    json job = {{"train_micro_batch_size_per_gpu", 1}};
    const json* rate = valueAt(config, "/optimizer/params/lr");
    const json* scheduler = valueAt(config, "/scheduler");
    if ((rate && hasAuto(*rate)) || (scheduler && hasAuto(*scheduler))) {
        curve.waitsForTrainer = true;
        return curve;
    }
    // The rate alone, under an optimizer our reader takes: which one it is makes no difference to the schedule.
    if (rate) job["optimizer"] = {{"type", "AdamW"}, {"params", {{"lr", *rate}}}};
    if (scheduler) job["scheduler"] = *scheduler;
    const auto read = resolveForEngine(job, 1);
    if (!read.hasValue() || read->scheduler.kind == SchedulerKind::Constant) return std::nullopt;
    const SchedulerSettings& s = read->scheduler;
    double end = endOf(s);
    if (end <= 0) {
        const double least = s.kind == SchedulerKind::LRRangeTest ? 10 * parameterOf(s, "lr_range_test_step_size") : 2 * static_cast<double>(s.warmupSteps);
        end = std::max(least, static_cast<double>(runSteps));
    }
    auto last = static_cast<std::int64_t>(std::clamp(end, 2.0, static_cast<double>(kMostSteps)));
    std::vector<std::int64_t> corners = alsoAt;
    if (!alsoAt.empty()) last = std::clamp(*std::max_element(alsoAt.begin(), alsoAt.end()), last, kMostSteps);
    corners.insert(corners.end(), {s.warmupSteps, s.warmupSteps + 1, static_cast<std::int64_t>(parameterOf(s, "cycle_first_step_size"))});
    curve.steps = stepsUpTo(last, corners);
    for (const std::int64_t step : curve.steps) curve.values.push_back(learningRateAt(read->optimizer, s, step));
    return curve;
}

std::optional<double> number(const json& section, const char* key)
{
    const auto it = section.find(key);
    return it != section.end() && it->is_number() ? std::optional(it->get<double>()) : std::nullopt;
}

std::optional<StepCurve> difficultyCurve(const json& section)
{
    StepCurve curve;
    curve.what = StepCurve::What::Difficulty;
    if (!section.is_object() || !section.contains("schedule_config") || !section["schedule_config"].is_object()) return std::nullopt;
    const json& schedule = section["schedule_config"];
    const std::string type = section.value("schedule_type", json()).is_string() ? section["schedule_type"].get<std::string>() : std::string();
    if (type == "fixed_discrete") {
        const json levels = schedule.value("difficulty", json::array()), until = schedule.value("max_step", json::array());
        const auto numbers = [](const json& list) { return list.is_array() && !list.empty() && std::all_of(list.begin(), list.end(), [](const json& v) { return v.is_number_integer(); }); };
        if (!numbers(levels) || !numbers(until) || levels.size() != until.size() + 1 || until.back() < 1 || until.back() > kMostSteps) return std::nullopt;
        const auto ends = until.get<std::vector<std::int64_t>>();
        std::vector<std::int64_t> corners;
        for (const std::int64_t end : ends) corners.insert(corners.end(), {end, end + 1});
        curve.steps = stepsUpTo(ends.back() + std::max<std::int64_t>(1, ends.back() / 10), corners);
        for (const std::int64_t step : curve.steps) {
            std::size_t level = 0;
            while (level < ends.size() && step > ends[level]) ++level;
            curve.values.push_back(levels[level].get<double>());
        }
        return curve;
    }
    if (type != "fixed_linear" && type != "fixed_root") return std::nullopt;
    const auto least = number(section, "min_difficulty"), most = number(section, "max_difficulty");
    const auto total = number(schedule, "total_curriculum_step"), grain = number(schedule, "difficulty_step");
    const auto degree = type == "fixed_root" ? number(schedule, "root_degree") : std::optional(1.0);
    const auto positive = [](const std::optional<double>& value) { return value && *value >= 1 && *value <= static_cast<double>(kMostSteps); };
    if (!positive(least) || !positive(most) || !positive(total) || !positive(grain) || !positive(degree)) return std::nullopt;
    const auto at = [&](std::int64_t step) {
        const double way = std::pow(static_cast<double>(step) / *total, 1 / *degree);
        double difficulty = std::floor(way * (*most - *least) + *least);
        difficulty -= std::fmod(difficulty, *grain);
        return std::min(difficulty, *most);
    };
    curve.steps = stepsUpTo(static_cast<std::int64_t>(*total * 1.1) + 1, {static_cast<std::int64_t>(*total)});
    for (const std::int64_t step : curve.steps) curve.values.push_back(at(step));
    return curve;
}

}  // namespace

std::optional<StepCurve> stepCurveOf(const json& dsConfig, std::string_view pointer, std::int64_t runSteps, const std::vector<std::int64_t>& alsoAt)
{
    if (!dsConfig.is_object()) return std::nullopt;
    const auto within = [pointer](std::string_view section) { return pointer == section || (pointer.starts_with(section) && pointer[section.size()] == '/'); };
    if (within("/scheduler") || pointer == "/optimizer/params/lr") return rateCurve(dsConfig, runSteps, alsoAt);
    const auto curriculum = [&](const std::string& section) -> std::optional<StepCurve> {
        const json* found = valueAt(dsConfig, section);
        return found ? difficultyCurve(*found) : std::nullopt;
    };
    if (within("/curriculum_learning")) return curriculum("/curriculum_learning");
    static constexpr std::string_view kMetrics = "/data_efficiency/data_sampling/curriculum_learning/curriculum_metrics/";
    if (pointer.starts_with(kMetrics)) return curriculum(std::string(pointer.substr(0, pointer.find('/', kMetrics.size()))));
    return std::nullopt;
}

}  // namespace stagecraft
