// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/engine_config.h"
#include "planner/plan.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace stagecraft {

/// What memory and time depend on in a ds_config. Unlike the engine's own resolution this never refuses: what cannot be
/// used is replaced by DeepSpeed's default and reported, so that a config with mistakes still has a forecast.
struct DsSettings {
    std::int64_t trainBatch = 1, microBatch = 1, accumulation = 1;
    int stage = 0;
    Precision precision = Precision::Fp32;
    Precision autocast = Precision::Fp32;  ///< torch_autocast over fp32 weights: the type that products are taken in; Fp32 = it is off
    bool autocastSends = true;         ///< weights of linear modules are gathered and their gradients reduced in that type (lower_precision_safe_modules)
    bool fp32Gradients = false;        ///< data_types.grad_accum_dtype is fp32
    std::string optimizer = "adamw";   ///< lower case
    double stateBytes = 8.0;           ///< of state per parameter beside the master copy; half with bf16_optimizer_states
    double masterBytes = 4.0;          ///< of the master copy and its gradients; 2 with bf16_master_weights_and_grads
    double clipping = 0.0;
    OffloadDevice offloadOptimizer = OffloadDevice::None;
    OffloadDevice offloadParam = OffloadDevice::None;
    double offloadRatio = 1.0;
    bool pinMemory = false;
    std::int64_t reduceBucket = 500'000'000, allgatherBucket = 500'000'000, prefetchBucket = 50'000'000;
    std::int64_t persistence = 100'000, maxLive = 1'000'000'000, maxReuse = 1'000'000'000, subGroup = 1'000'000'000;
    std::int64_t paramBufferCount = 5, paramBufferSize = 100'000'000, maxInCpu = 1'000'000'000, optimizerBufferCount = 4;
    std::int64_t leastFile = 1 << 20;  ///< bytes: what is smaller on a rank is swapped to no file (MIN_AIO_BYTES, or aio.block_size where that is larger)
    double sentBytes = 0;              ///< of a gradient's element while it is reduced (communication_data_type); 0 = as it is
    std::int64_t modelPersistence = std::int64_t{1} << 62;  ///< stage3_model_persistence_threshold
    bool contiguousGradients = true, reduceScatter = true;
    bool overlapComm = false;
    bool overlapForbidden = false;   ///< written as false
    bool gatherOnSave = false;         ///< stage3_gather_16bit_weights_on_model_save
    double diskRead = 0, diskWrite = 0;  ///< bytes/s of a node's disks for what is swapped to files, where they were measured; 0 = not
    std::int64_t hpzPartition = 1;
    std::int64_t micsShard = 0;        ///< mics_shard_size: ranks that share one copy of everything (releases before 0.19.8); 0 = all of them
    bool partitionActivations = false, cpuCheckpointing = false;  ///< activation_checkpointing
    bool quantizedWeights = false, quantizedGradients = false;
};

/// Reads `dsConfig` for `dataParallel` ranks.
///
/// @param hidden   width for the "auto" rules of Hugging Face's integration (bucket h^2, prefetch 0.9 h^2, persistence 10 h); 0 = unknown, or nobody fills it in
/// @param findings gets a warning for every value that could not be used, and for a precision that is "auto", which counts as false
[[nodiscard]] DsSettings readDsSettings(const nlohmann::json& dsConfig, std::int64_t dataParallel, std::int64_t hidden, std::vector<PlanFinding>& findings);
/// The same for a workspace, where a launcher that fills "auto" in does so first, and `hidden` counts under such a one alone.
[[nodiscard]] DsSettings readDsSettings(const Workspace& workspace, std::int64_t hidden, std::vector<PlanFinding>& findings);

/// The number that all of a text is; NAN for anything else, "8k" and "8,192" too: no part of it is guessed.
[[nodiscard]] double numberOfText(const std::string& text);

/// The engine's view of the same settings, for its buffer plan.
[[nodiscard]] EngineConfig engineConfigOf(const DsSettings& settings);

/// Bytes of optimizer state per parameter beside the fp32 master, without momentum where that is an option; Adam's 8 for one not known.
/// Source: the state tensors of torch.optim, DeepSpeed's ops and its 1-bit optimizers.
[[nodiscard]] double optimizerStateBytes(const std::string& optimizer);
[[nodiscard]] bool knownOptimizer(const std::string& optimizer);

}  // namespace stagecraft
