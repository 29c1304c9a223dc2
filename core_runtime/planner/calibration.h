// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/machine_measure.h"
#include "planner/engine_work.h"
#include "record/records.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct ObservedRun;
struct StepForecast;
class MeasuredMachine;

/// The 10th, 50th and 90th percentile of what was measured, seconds.
struct Spread {
    double low = 0, median = 0, high = 0;
    /// Half the distance of the ends, relative to the middle; 0 where nothing was measured.
    [[nodiscard]] double relative() const { return median > 0 ? (high - low) / 2 / median : 0; }
};

/// How the calibrating run was laid out.
struct CalibratedLayout {
    int world = 1, stage = 0, threads = 1;
    std::int64_t microBatch = 1, accumulation = 1;
    std::string precision = "fp32";    ///< fp32 | bf16
    std::string recompute = "none";    ///< none | full
    bool overlaps = true;              ///< communication runs beside computing
    bool operator==(const CalibratedLayout&) const = default;
};

/// One part of the step: what was measured, and what the plan without this calibration says of the same layout.
struct CalibratedPart {
    std::string name;                  ///< compute | communication | optimizer | rest
    double measured = 0, forecast = 0; ///< seconds of a step
    /// measured / forecast; 0 where the forecast has nothing of it.
    [[nodiscard]] double factor() const { return forecast > 0 ? measured / forecast : 0; }
};

/// What one run of our engine taught about a model on a machine, with its evidence.
struct Calibration {
    std::string id;                    ///< of the run; a run is kept once
    std::string name, folder;          ///< of the run
    std::int64_t startedNs = 0;        ///< of the run, wall clock
    MachineHost machine;
    std::string model;                 ///< modelKey()
    CalibratedLayout layout;
    EngineWork work;                   ///< of that layout

    std::int64_t steps = 0;            ///< that count: warm-up left out
    Spread step;
    std::array<Spread, kPhaseCount> phases;
    std::array<double, kUnitKinds> forward{}, backward{};  ///< seconds of one visit, by unit kind; medians
    double load = 0;                   ///< seconds to read one micro-batch, median
    double fastestLane = 0;            ///< seconds of a step's communication if each op took its shortest time seen: longer ones waited for a peer
    std::int64_t allocatedBytes = 0;   ///< the engine's buffers on the fullest rank
    std::int64_t processBytes = 0;     ///< peak resident set of the fullest rank
    std::vector<CalibratedPart> parts;
};

/// Which of the sizes of a model its time depends on, as one line of JSON: equal for equal models.
[[nodiscard]] std::string modelKey(const ModelSpec& model);

/// Learns from a run.
///
/// @param forecast  what the plan without calibrations says of the run's workspace; null leaves the parts without forecasts
/// @error Refused with the reason: the run is not over or failed, says not on which machine it ran, shared cores between its
///        ranks, has too few steps or steps that vary too much, recorded no spans; InvalidInput when its record is broken
[[nodiscard]] Result<Calibration> calibrate(const ObservedRun& run, const StepForecast* forecast);

/// The calibration that says most about a job: same model, precision and threads; then the least far layout; then the newest.
/// @return nullptr when none applies
[[nodiscard]] const Calibration* bestCalibration(const std::vector<Calibration>& calibrations, const EngineJob& job);

/// The layout of a job, in the words of a calibration.
[[nodiscard]] CalibratedLayout calibratedLayoutOf(const EngineJob& job);

/// Half the width of the 90 % interval of forecastCalibrated, relative to it: the evidence's own spread, and one term for each
/// way in which the layout differs from the evidence's, added in squares.
[[nodiscard]] double calibratedSpread(const Calibration& calibration, const EngineJob& job);

/// The step time of a job from a calibration of its model. The same layout has the measured time; of another one, visits of units,
/// updated elements and sent bytes are counted anew and take the times measured for one of each: computing slows down where ranks
/// outnumber cores, and where every core computes, communication under computing takes its time from it. Where the machine's
/// rates were measured, both layouts are played with them instead, and the measured parts change as the played ones do.
/// @param plain    the same job's forecast without calibration: its communication is used where the evidence has none
/// @param machine  nullptr where nothing was measured
[[nodiscard]] StepForecast forecastCalibrated(const Calibration& calibration, const EngineJob& job, const EngineWork& work, const StepForecast& plain,
                                              const MeasuredMachine* machine = nullptr);

/// Bytes a process of the calibrating run held beside its buffers.
[[nodiscard]] std::int64_t calibratedProcessBase(const Calibration& calibration);

/// "run demo of 2026-11-21, 38 steps at 2 ranks, stage 2".
[[nodiscard]] std::string describeCalibration(const Calibration& calibration);

[[nodiscard]] nlohmann::ordered_json calibrationToJson(const Calibration& calibration);
/// Reads what calibrationToJson wrote; every number is bounded. @error InvalidInput naming the field
[[nodiscard]] Result<Calibration> calibrationFromJson(std::string_view text);

}  // namespace stagecraft
