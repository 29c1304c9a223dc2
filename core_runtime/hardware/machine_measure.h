// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What a measurement belongs to: rates of another processor, quota or release of our kernels say nothing here.
struct MachineHost {
    std::string cpu;               ///< as the kernel names it
    int logicalCores = 0;
    double usableCores = 0;        ///< by affinity and container quota
    std::int64_t memoryBytes = 0;
    std::string version;           ///< of this product
    bool operator==(const MachineHost&) const = default;
};

/// One of the engine's matrix products: C[m, n] = A[m, k] B[k, n], in the layouts its linear layers have.
struct GemmRate {
    std::string type;              ///< fp32 | bf16
    std::string kind;              ///< nn | nt | tn: which operand lies transposed; tn adds into fp32 (weight gradients)
    std::int64_t m = 0, n = 0, k = 0;
    int threads = 1;               ///< of one product
    int copies = 1;                ///< products at work at the same time, each on its own threads
    double seconds = 0;            ///< of one product: lower quartile, which other programs disturb least
    double spread = 0;             ///< half the distance of the quartiles, relative to `seconds`
    [[nodiscard]] double flopsPerSecond() const { return seconds > 0 ? 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / seconds : 0.0; }
};

/// One of the engine's other kernels over `rows` rows of `width` elements.
struct KernelRate {
    std::string name;              ///< rms_norm, swiglu_backward, cross_entropy, attention, adam, copy, ...
    std::string type;              ///< fp32 | bf16
    std::int64_t rows = 0, width = 0;  ///< attention: tokens of one sequence and size of one head
    std::int64_t footprint = 0;    ///< bytes gone through before the same bytes come again: which cache they lie in
    int copies = 1;
    double seconds = 0;            ///< of one call
    double spread = 0;
};

/// One of the engine's collectives over its own transport between ranks on this machine.
struct CollectiveRate {
    std::string kind;              ///< all_gather | reduce_scatter | all_reduce_scalars
    int world = 0;
    std::int64_t shardBytes = 0;   ///< one rank's slice
    double seconds = 0;            ///< of one call, nothing else at work
    double cpuSeconds = 0;         ///< processor time of one call on one rank, its transport threads included
    double spread = 0;
};

/// Whole steps of the engine on a LLaMA model of these sizes, ranks of one thread each, as a run makes them.
struct StepRate {
    std::string type;              ///< fp32 | bf16
    int world = 1, stage = 0;
    std::int64_t hidden = 0, layers = 0, heads = 0, ffn = 0, vocab = 0, seq = 0, microBatch = 0;
    double seconds = 0;            ///< of one step
    double waited = 0;             ///< seconds of them that rank 0 waited for others and for what they sent
    double spread = 0;
};

/// A single figure: memory, disk, host and device.
struct MachineRate {
    std::string id;                ///< memory.copy.1, memory.triad.all, disk.write, disk.read, gpu.0.host_to_device, ...
    double value = 0;
    std::string unit;              ///< "B/s", "s"
    double spread = 0;             ///< relative, as above
    std::string how;               ///< one sentence
};

/// What `stagecraft doctor --measure` found out about this machine; the planner forecasts from it.
struct MachineMeasure {
    MachineHost host;
    std::string kernels;           ///< instruction set of the kernels measured: avx512, avx2, scalar
    std::string torch;             ///< LibTorch's version
    std::string measuredAt;        ///< UTC, "2026-11-21T15:40:00Z"
    double seconds = 0;            ///< the measurement took
    double noise = 0;              ///< by how much the same things differ, relative, when they are measured again: products at the beginning
                                   ///< and at the end, or whole steps in two rounds, whichever is more
    std::vector<GemmRate> gemms;
    std::vector<KernelRate> kernelRates;
    std::vector<CollectiveRate> collectives;
    std::vector<StepRate> steps;
    std::vector<MachineRate> rates;

    [[nodiscard]] const MachineRate* rate(std::string_view id) const;  ///< nullptr when it was not measured
};

/// Facts of this machine as a measurement notes them. @param version  of this product
[[nodiscard]] MachineHost thisHost(const std::string& version);

/// Why a measurement of `measured` does not hold on `now`, one clause; empty when it does. Memory may differ by 2 %:
/// kernels keep varying amounts to themselves.
[[nodiscard]] std::string hostMismatch(const MachineHost& measured, const MachineHost& now);

[[nodiscard]] nlohmann::ordered_json machineMeasureToJson(const MachineMeasure& measure);
/// Reads what machineMeasureToJson wrote; numbers are bounded, lists too.
/// @error InvalidInput naming the field
[[nodiscard]] Result<MachineMeasure> machineMeasureFromJson(std::string_view text);

/// machine.json beside the folder that holds the runs.
[[nodiscard]] std::filesystem::path machineMeasureFile(const std::filesystem::path& runsRoot);
/// @error NotFound when nothing was measured yet, Io, InvalidInput naming file and field
[[nodiscard]] Result<MachineMeasure> loadMachineMeasure(const std::filesystem::path& file);
/// Replaces the file atomically and makes its folder. @error Io
[[nodiscard]] Result<void> saveMachineMeasure(const std::filesystem::path& file, const MachineMeasure& measure);

/// The measurement in `file` where it holds on this machine. What a plan is made with.
/// @param problem  set to one sentence when there is a file that cannot be used; then there is no value
[[nodiscard]] std::optional<MachineMeasure> usableMachineMeasure(const std::filesystem::path& file, const MachineHost& now, std::string* problem = nullptr);

}  // namespace stagecraft
