// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/machine_measure.h"
#include "worker/sampler.h"

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace stagecraft {

struct MeasureOptions {
    double seconds = 50;             ///< the whole measurement takes about this long
    int cores = 1;                   ///< that may be busy at once, >= 1
    std::filesystem::path folder;    ///< whose disk is measured, and where the ranks of the collectives meet
    std::string version;             ///< of this product
};

/// Called on the measuring thread. @param done  share of the work, 0 to 1
using MeasureProgress = std::function<void(double done, const std::string& doing)>;

/// Times what a training step is made of: the engine's products, kernels and collectives, and this machine's memory and disk.
/// @error Io when ranks cannot meet or the disk refuses, Unavailable when there is no memory for it
[[nodiscard]] Result<MachineMeasure> measureMachine(const MeasureOptions& options, const MeasureProgress& progress);

/// Time for so many samples, given out evenly as they are taken.
class Allowance {
public:
    Allowance(double seconds, double samples);
    /// Seconds the next sample may repeat itself.
    [[nodiscard]] double next();
    [[nodiscard]] double share() const { return m_taken / m_samples; }
    /// Twice the time has gone: what is not needed is left out from here on.
    [[nodiscard]] bool overrun() const;

private:
    double m_seconds, m_end;
    double m_samples, m_taken = 0;
};

// The parts of the measurement, in the order they run. Each calls `told` after every sample.
using Told = std::function<void()>;
struct Grid {
    bool coarse = false;                     ///< for a short measurement: fewer sizes
    std::vector<std::int64_t> sizes() const; ///< of matrices
};
/// How many samples measureProducts takes, all told.
[[nodiscard]] std::size_t productSamples(const Grid& grid, int cores);
/// The smallest first; a fine grid ends before the largest ones where the machine is too busy to do them in the time allowed.
[[nodiscard]] std::vector<GemmRate> measureProducts(Sampler& sampler, const Grid& grid, int cores, Allowance& allowance, const Told& told);
[[nodiscard]] std::size_t kernelSamples(const Grid& grid, int cores);
[[nodiscard]] std::vector<KernelRate> measureKernels(Sampler& sampler, const Grid& grid, int cores, Allowance& allowance, const Told& told);
[[nodiscard]] Result<std::vector<CollectiveRate>> measureCollectives(const Grid& grid, const std::filesystem::path& folder, double seconds, const Told& told);
/// Whole steps of small models, ranks as threads: what single operations do not tell. Models that the machine is too busy to do in
/// twice the time are left out, the smallest never.
/// @param drift  set to the middle of what the same steps differ by between two rounds, relative
[[nodiscard]] Result<std::vector<StepRate>> measureSteps(const Grid& grid, int cores, const std::filesystem::path& folder, double seconds, const Told& told, double& drift);
[[nodiscard]] std::size_t stepSamples(const Grid& grid, int cores);
[[nodiscard]] std::vector<MachineRate> measureMemory(Sampler& sampler, int cores);

}  // namespace stagecraft
