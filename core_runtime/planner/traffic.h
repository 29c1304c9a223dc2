// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/plan.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct DeviceSheet;
struct TrainingCase;

/// One kind of message of a step, as one rank sends it. Of what crosses a ring a rank sends (N - 1) / N.
struct TrafficItem {
    std::string what;             ///< gradients, weights.gather*, weights.update, tensor.forward, experts.forward, context, pipeline, offload.*, files.*
    std::string operation;        ///< all_reduce | all_gather | reduce_scatter | all_to_all | send_receive | device_to_host | host_to_device | file_read | file_write
    std::string group;            ///< dp | expert_dp (ranks that hold the same experts) | tp | ep | cp | pp | host | files
    std::int64_t ranks = 1;       ///< of the group
    std::string link;             ///< "NVLink 4", "network", "PCIe", "files", ...: the slowest that the group crosses
    double perLayer = 0;          ///< operations for one layer and micro-batch; 0 where they do not come by layers
    double perMicroBatch = 0;     ///< bytes this rank sends for one micro-batch; 0 for what comes once a step
    double elements = 0;          ///< of all buffers of a step; an all-reduce counts twice, once to sum and once to spread
    double bytes = 0;             ///< that this rank sends, or moves to or from host and files, in a step
    double seconds = 0;           ///< at the link's rate as the forecast takes it, were nothing hidden under computing
    std::string formula;          ///< bytes in symbols
    std::string numbers;          ///< the same with numbers put in
    std::string why;              ///< one sentence
    double nodeBytes = 0;         ///< what of this leaves a node, all its ranks together
};

struct TrafficLink {
    std::string link;
    double bytes = 0, seconds = 0;
    double bytesPerSecond = 0;    ///< what the forecast takes it to reach, one direction
};

/// How often tensor parallelism sums over its ranks for each layer.
struct TensorPasses {
    double forward = 0, training = 0, withRecompute = 0;
    double bytes = 0;             ///< of a step, as this plan trains
};

/// Bytes and messages of one optimizer step on the rank that moves most of them.
struct Traffic {
    std::string role;             ///< "pp0.tp0"
    std::int64_t ranks = 1;       ///< of the job
    std::int64_t microBatches = 1;
    std::vector<TrafficItem> items;
    std::vector<TrafficLink> links;   ///< sums of the items
    std::optional<TensorPasses> tensor;
    double replicaElements = 0;   ///< exchanged between replicas in a step
    double relativeVolume = 0;    ///< of that to the 2 Φ of plain data parallelism; 0 with one replica
    double clusterBytes = 0;      ///< of all ranks together
    double nodeBytes = 0;         ///< that one node sends to others
    bool statesOnly = false;      ///< only the number of parameters is known: what layers exchange is missing

    [[nodiscard]] double bytesOver(const std::string& link) const;
    /// Items whose `what` begins so.
    [[nodiscard]] double bytesOf(const std::string& what) const;
    [[nodiscard]] double secondsOf(const std::string& what) const;
};

/// Traffic of a step of the case on its device: the very transfers, rings and rates that forecastStep charges.
[[nodiscard]] Traffic trafficOf(const TrainingCase& c, const DeviceSheet& device);

/// Traffic of a workspace's step. Our own engine's on CPUs is counted from its compiled program.
/// @return nothing where the workspace makes no job or its device is not known; makePlan says why
[[nodiscard]] std::optional<Traffic> planTraffic(const Workspace& workspace, const PlanContext& context = {});

/// "traffic" of `stagecraft plan --json`. Items and links have, beside the link's rate ("bytesPerSecond", of one port, one direction),
/// "bytesPerSecondReached": bytes / seconds. It is above the rate where ranks of a node share their ports in one ring, which leaves the
/// node once for all of them, and below it where latency counts.
[[nodiscard]] nlohmann::json trafficToJson(const Traffic& traffic);

}  // namespace stagecraft
