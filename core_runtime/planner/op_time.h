// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "parallel/flat_layout.h"
#include "planner/engine_work.h"
#include "planner/machine_rates.h"
#include "schedule/schedule.h"

#include <string>
#include <vector>

namespace stagecraft {

/// Seconds of the ops of a job's program, from the kernels that engine/ calls for them.
class OpTimes {
public:
    OpTimes(const EngineJob& job, const MachineRates& rates);

    /// An op of the compute thread. The scalar all-reduce counts as its sum of squares alone.
    [[nodiscard]] double compute(const Op& op) const;
    /// An op of the communication thread, or the exchange of the scalar all-reduce.
    [[nodiscard]] CollectiveTime communication(const Op& op) const;

private:
    /// A linear layer's three products; `inOut` for GPT-2's weight order.
    double linearForward(double in, double out, bool inOut) const;
    double linearInput(double in, double out, bool inOut) const;
    double linearWeight(double in, double out, bool inOut) const;
    /// A kernel cut among the rank's threads, or on one of them.
    double shared(const char* name, double rows, double width, double footprint = 0) const;
    double single(const char* name, double rows, double width, double footprint = 0) const;
    double cleared(double floats) const;   ///< zeroing gradients
    double attention(bool backward) const;
    double blockForward(bool again) const;
    double blockInput() const;
    double blockWeight() const;
    double headForward() const;
    double headInput() const;

    const EngineJob& m_job;
    const MachineRates& m_rates;
    std::vector<UnitInfo> m_units;
    std::vector<FlatLayout> m_layouts;
    std::string m_type;
    double m_bytes;          ///< of a compute element
    double m_tokens;         ///< of a micro-batch
    double m_copies;         ///< threads at work on the machine
    double m_threads;        ///< of a rank that find a core
    double m_activations;    ///< bytes kept for the backward pass: how long ago a saved tensor was touched
    double m_state;          ///< bytes of weights, gradients and moments of a rank
    bool m_gpt2, m_leased;
};

}  // namespace stagecraft
