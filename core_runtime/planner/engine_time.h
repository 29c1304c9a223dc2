// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/machine_measure.h"
#include "planner/engine_work.h"
#include "planner/machine_rates.h"
#include "planner/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// Seconds of one step by its parts, as the compute thread of one rank meets them.
struct EngineTime {
    double forward = 0, backward = 0, optimizer = 0;
    double weights = 0, gradients = 0;   ///< waiting for gathered weights, for reduced gradients and the step's scalars
    [[nodiscard]] double total() const { return forward + backward + optimizer + weights + gradients; }
};

/// Plays the job's compiled program on a machine of these rates: the compute thread in order, communication in order beside it.
///
/// Every op has the time of the kernels it calls with their own shapes. All ranks do the same at the same time and share the
/// cores: where computing and communication of all ranks need more cores than there are, both slow down by as much.
/// @return nothing where the rates lack something the job needs, or the program does not compile
[[nodiscard]] std::optional<EngineTime> engineTimeOf(const EngineJob& job, const MachineRates& rates);

/// The job of a measurement's reference step. @return nothing when its sizes make no model
[[nodiscard]] std::optional<EngineJob> jobOfReference(const StepRate& step);

/// A measurement made ready for many forecasts: its rates, and what its reference steps say of them.
///
/// Rates say what operations cost one by one; the reference steps say by how much a real step on this machine takes longer (caches
/// filled by other operations, ranks that wait for each other). The ratio of measured to played step, interpolated between the
/// references' sizes and numbers of ranks, multiplies every part; how much the ratios differ among themselves makes the
/// interval, and so does how far the readings behind the rates lie apart.
class MeasuredMachine {
public:
    explicit MeasuredMachine(const MachineMeasure& measure);

    /// A step of our engine on this machine; tokensPerSecond and mfu are left to the caller, who knows the device.
    /// @param disturbance  set to how far other programs disturbed the readings that the step is made of: the deviation of the forecast's
    ///                     logarithm that comes of their quartiles, and of what the same products differed by between the
    ///                     measurement's beginning and its end. From kDisturbed on it should be made again.
    /// @return nothing where the measurement does not suffice
    [[nodiscard]] std::optional<StepForecast> forecast(const EngineJob& job, double* disturbance = nullptr) const;
    static constexpr double kDisturbed = 0.15;

    /// What computing and the optimizer's update take in a step of the job when no communication disturbs them: parts forward,
    /// backward and optimizer, as the reference steps set them right.
    /// @return nothing where the measurement does not suffice
    [[nodiscard]] std::optional<EngineTime> computing(const EngineJob& job) const;

    /// log(measured / played) of a reference step, and what it was.
    struct Reference {
        double size = 0, world = 0;   ///< logarithms of parameters (e) and ranks (2)
        double ratio = 0;
        double spread = 0;
    };

private:
    [[nodiscard]] double disturbanceOf(const EngineTime& usual, const std::optional<EngineTime>& slow) const;
    /// Measured / played for steps of this job, interpolated.
    [[nodiscard]] double factorFor(const EngineJob& job) const;

    MachineRates m_rates, m_slow;
    double m_noise = 0;
    std::vector<Reference> m_references[2];  ///< fp32, bf16
    std::string m_source;
};

}  // namespace stagecraft
