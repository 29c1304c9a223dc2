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
    [[nodiscard]] double computing() const { return forward + backward + optimizer; }
    [[nodiscard]] double waiting() const { return weights + gradients; }
    [[nodiscard]] double total() const { return computing() + waiting(); }
};

/// Plays the job's compiled program on a machine of these rates: the compute thread in order, communication in order beside it.
///
/// Every op has the time of the kernels it calls with their own shapes. All ranks do the same at the same time and share the
/// cores: where computing and communication of all ranks need more cores than there are, both slow down by as much.
/// @return nothing where the rates lack something the job needs, or the program does not compile
[[nodiscard]] std::optional<EngineTime> engineTimeOf(const EngineJob& job, const MachineRates& rates);

/// What the waiting of ranks for each other, none of which is equally fast, is proportional to: the computing of one micro-step, and
/// at stage 3, where every micro-step waits for weights, of all. Seconds.
[[nodiscard]] double waitingMeasure(const EngineJob& job, const EngineTime& time);

/// The job of a measurement's reference step. @return nothing when its sizes make no model
[[nodiscard]] std::optional<EngineJob> jobOfReference(const StepRate& step);

/// A measurement made ready for many forecasts: its rates, and what its reference steps say of them.
///
/// Rates say what operations cost one by one; the reference steps say by how much a real step on this machine takes longer (caches
/// filled by other operations, ranks that wait for each other). The ratio of measured to played computing, interpolated between
/// the references' sizes and numbers of ranks, multiplies its parts; ranks that wait for each other add to the waiting that was
/// played (see waitingMeasure). How much the references differ among themselves makes the interval, and so does how far the
/// readings behind the rates lie apart.
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

    /// By how much the same thing, measured again a minute later, differs on this machine, relative.
    [[nodiscard]] double noise() const { return m_noise; }

    /// The step's parts as its program plays them, set right by nothing: for comparing layouts of one model with each other.
    /// @return nothing where the measurement does not suffice
    [[nodiscard]] std::optional<EngineTime> played(const EngineJob& job) const;

    /// What a reference step says of others.
    struct Reference {
        double size = 0, world = 0;   ///< logarithms of parameters (e) and ranks (2)
        double ratio = 0;             ///< log(measured / played) of computing
        double waiting = 0;           ///< waiting beyond what was played, as a share of waitingMeasure
        double spread = 0;
    };

private:
    [[nodiscard]] double disturbanceOf(const EngineTime& usual, const std::optional<EngineTime>& slow) const;
    /// What the references say of steps of this job, interpolated.
    [[nodiscard]] Reference referenceFor(const EngineJob& job) const;

    MachineRates m_rates, m_slow;
    double m_noise = 0;
    std::vector<Reference> m_references[2];  ///< fp32, bf16
    std::string m_source;
};

}  // namespace stagecraft
