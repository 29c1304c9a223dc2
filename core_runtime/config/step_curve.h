// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What a section of the ds_config makes of every step of a run: the learning rate, or the difficulty of a curriculum.
struct StepCurve {
    enum class What { LearningRate, Difficulty };
    What what = What::LearningRate;
    std::vector<std::int64_t> steps;   ///< optimizer steps from 0, rising; the last is where the schedule has come to rest, or later
    std::vector<double> values;        ///< one for each
    bool waitsForTrainer = false;      ///< "auto" stands in it, so there are no values before the Trainer fills it in
};

/// The curve that the key at `pointer` has a part in: that of "scheduler" and the optimizer's "lr", of the curriculum_learning
/// section of older releases, and of one metric of data_efficiency's. Rates are learningRateAt() of each step.
///
/// @param runSteps  steps of the run, where they are known: a schedule without an end of its own is drawn so far
/// @param alsoAt  steps that get a value as well, also beyond where the schedule has come to rest: those that a run is compared at
/// @return nothing for other keys, and where the section does not make a schedule (the check says why)
/// Source of the difficulties: deepspeed/runtime/data_pipeline/curriculum_scheduler.py of 0.19.8
[[nodiscard]] std::optional<StepCurve> stepCurveOf(const nlohmann::json& dsConfig, std::string_view pointer, std::int64_t runSteps = 0, const std::vector<std::int64_t>& alsoAt = {});

/// The step of a schedule that step `recorded` of a run (StepMetrics::step, from 1) was made with: the first update, which is recorded
/// as step 1, has the rate of step 0.
[[nodiscard]] constexpr std::int64_t scheduleStepOf(std::int64_t recorded) { return recorded - 1; }
[[nodiscard]] constexpr std::int64_t recordedStepOf(std::int64_t scheduled) { return scheduled + 1; }

}  // namespace stagecraft
