// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hardware/device_sheet.h"
#include "planner/efficiency.h"
#include "planner/optimizer_work.h"
#include "planner/training_case.h"
#include "planner/transfers.h"

#include <string>

namespace stagecraft {

/// FLOPs that the model itself needs for one step over all ranks, by the one definition of model/flops.h: of the experts those a
/// token uses, layers and outputs of multi-token prediction included, neither norms nor biases nor recomputation.
[[nodiscard]] double modelFlopsPerStep(const TrainingCase& c);
/// Of these, what a causal attention kernel skips: half of the square that the definition counts.
[[nodiscard]] double skippedFlopsPerStep(const TrainingCase& c);

/// What a forecast was put together from, for telling it: seconds, bytes and rates of the slowest pipeline stage.
struct StepTerms {
    double micro = 1, layers = 0;                         ///< micro-batches of a step; layers of the stage
    double layerForward = 0, layerBackward = 0, layerAgain = 0, head = 0;  ///< seconds of one micro-batch
    double tensor = 0, experts = 0, context = 0, weights = 0, handed = 0;  ///< seconds shown per micro-batch: collectives, all-to-alls, exchange of a divided sequence, gathers, transfers
    double others = 0;                                    ///< seconds of one micro-batch on all other stages together
    double reduce = 0, reduceHidden = 0;                  ///< seconds of gradients and new weights on their way, and of those what computing hides
    double updated = 0;                                   ///< parameters that one rank updates
    bool onHost = false;                                  ///< by the host's memory
    double offload = 0;                                   ///< seconds of transfers to host and files
    double peak = 0, matrixShare = 0, memory = 0, link = 0, network = 0, pcie = 0, hostMemory = 0;  ///< FLOP/s; bytes/s as used
    std::string peakType;
    double matrixPeak = 0;                                ///< FLOP/s that large products reach
    OptimizerWork optimizer;                              ///< of one parameter, where it is updated
    double launch = 0;                                    ///< seconds for each kernel, where launching them and Python around them set the layers' pace; else 0
    double files = 0;                                     ///< seconds of the offload that files take
    FileRates disks;                                      ///< one device's share
    bool disksMeasured = false;
    double hostShare = 1, hostRanks = 1, restOnDevice = 0;  ///< onHost: the share that is updated there, ranks that share the memory, seconds of the rest
    double tensorCopies = 0, tensorLink = 0;              ///< of `tensor` the seconds of copies on the device; bytes/s between the ranks of one group
    double activations = 0, activationsHidden = 0;        ///< seconds of activations on their way to the host and back, and of those what computing hides
    double shards = 0, sums = 0, shardsHidden = 0;        ///< seconds of FSDP2's shards on their way from the host and back, of gradients that it adds up, and of both what computing hides
    double mfuMost = 0;                                   ///< MFU with all devices at their peak, which what the definition counts beside what is computed lifts above 1
};

/// Rates of the ways that bytes go, as the forecast takes them: what is reached of the data sheets' figures. Bytes/s, one direction.
struct LinkRates {
    double link = 0;          ///< between devices of a node
    double bus = 0;           ///< between those that the link does not join
    std::int64_t reach = 1;   ///< devices that the link joins
    double network = 0;       ///< one device's share of its node's network
    double host = 0;          ///< between a device and its host
    double filesRead = 0, filesWritten = 0;  ///< one device's share of its node's disks
    std::int64_t domain = 1;  ///< devices that reach each other without the network
};
[[nodiscard]] LinkRates linkRatesOf(const TrainingCase& c, const DeviceSheet& device);

/// Seconds of one ring collective in which each of `size` ranks sends (size - 1) / size of `bytes`; 0 for a rank alone.
/// @param stride  distance of neighbours in the group, in ranks
[[nodiscard]] double ringSeconds(const TrainingCase& c, const DeviceSheet& device, double bytes, std::int64_t size, std::int64_t stride);

/// Seconds of one all-to-all in which a rank has `bytes`, its own part included.
[[nodiscard]] double allToAllSeconds(const TrainingCase& c, const DeviceSheet& device, double bytes, std::int64_t size, std::int64_t stride);

/// Seconds of one optimizer step from the data sheet alone. The split's parts add up to stepTime.
/// @param threads CPU threads per rank, when the device is a CPU
/// @param terms   filled where the forecast is to be explained
[[nodiscard]] StepForecast forecastStep(const TrainingCase& c, const DeviceSheet& device, int threads = 1, StepTerms* terms = nullptr);

/// Part of that step that collectives and transfers take because a message is passed on from rank to rank, however little is sent: what
/// is missing in the same step whose hops take no time.
/// Source of the hops: gathering and scattering go round a ring in NCCL wherever several ranks of a node take part (its trees are for
/// all-reduce, PAT for one device a node; NVLS and CollNet need switches that reduce).
[[nodiscard]] double latencyShare(const TrainingCase& c, const DeviceSheet& device, int threads = 1);

}  // namespace stagecraft
