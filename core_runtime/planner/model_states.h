// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/ds_settings.h"
#include "planner/ledger.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace stagecraft {

/// What model states depend on.
struct StateInput {
    double params = 0;      ///< Φ of this rank: after tensor and pipeline parallelism
    double ranks = 1;       ///< N, ranks the states are divided among
    double ranksPerNode = 1;
    double frozen = 0;      ///< parameters beside `params` that have no gradient and no optimizer state
    double frozenBytes = 0; ///< of all of them on one rank, before ZeRO divides them
    double experts = 0;     ///< part of `params` in experts: divided among `expertRanks`
    double expertRanks = 1; ///< ranks that hold the same experts, N / ep
    double frozenExpertBytes = 0; ///< part of `frozenBytes` in experts
    bool released = false;  ///< gradients go with the step, and all but this rank's part before it, as DeepSpeed's stages 0 to 2 have them
    double filed = 1, frozenFiled = 1; ///< of the weights, trained and frozen, the part in tensors that offload_param may put into files

    /// Of the parameters, this rank's share.
    [[nodiscard]] double divided() const { return (params - experts) / ranks + experts / expertRanks; }
    [[nodiscard]] double frozenDivided() const { return (frozenBytes - frozenExpertBytes) / ranks + frozenExpertBytes / expertRanks; }
};

/// "4 · 8,030,261,248 / 8": bytes a parameter, parameters, and what they are divided by; experts among the ranks that hold the same ones.
[[nodiscard]] std::string dividedNumbers(double bytes, double params, double ranks, double experts = 0, double expertRanks = 1);

/// Whether a ledger's item is model state: weights, trained or frozen, their gradients, master copy and optimizer states, wherever they
/// lie. Buffers, gathered and converted copies are none.
[[nodiscard]] bool isModelState(std::string_view what);

/// Adds weights, gradients, master weights and optimizer states as the ZeRO papers count them: 16-bit weights and gradients and
/// 4 + optimizer states in fp32, or 4 + 4 + optimizer states in pure fp32; each divided by N from its stage on; offloaded parts on
/// the host or on NVMe. No buckets, gathered layers or rounding, and no buffers between host and files: model states alone. Of optimizers
/// that send compressed gradients, the errors they keep are states too.
/// Source: Rajbhandari et al. 2020 (arXiv 1910.02054) section 5; Ren et al. 2021 and Rajbhandari et al. 2021 for offload.
void addModelStates(LedgerBuilder& ledger, const DsSettings& settings, const StateInput& input);

/// Adds the pinned buffers that states in files pass through, and the one for weights that stay beside the files as far as none of them
/// fits into it. They hold copies, no states.
void addSwapBuffers(LedgerBuilder& ledger, const DsSettings& settings, const StateInput& input);

/// Part of the optimizer's states that lies on the host where it is offloaded, by "ratio". Stage 3 alone knows it, and puts whole
/// sub-groups of sub_group_size elements here or there: int((1 - ratio) n) of n stay on the device, none where there is but one.
/// All of it lies in files where it is offloaded to them.
/// @param share  elements of one rank
/// Source: deepspeed/runtime/zero/stage3.py, _create_fp32_partitions; zero/config.py, offload_ratio_check.
[[nodiscard]] double offloadedPart(const DsSettings& settings, double share);

/// Part of the optimizer's states offloaded to files that does lie in them: sub-groups of at least DsSettings::leastFile bytes of fp32. Smaller ones stay in
/// host memory.
/// @param share  elements of one rank
/// Source: deepspeed/runtime/swap_tensor/optimizer_utils.py, is_swappable_tensor; utils.py, MIN_AIO_BYTES.
[[nodiscard]] double statesInFiles(const DsSettings& settings, double share);

/// Trained weights offloaded to files that lie in host memory instead, in elements: sub-groups as long as they fit into the buffer of
/// max_in_cpu elements. A sub-group ends with the tensor that reaches sub_group_size, so that it is longer than that. Frozen weights
/// are in no sub-group.
/// @param share  trained elements of one rank
/// Source: deepspeed/runtime/zero/stage3.py, _create_fp16_sub_groups, _create_fp16_partitions_with_defragmentation, _move_to_flat_buffer.
[[nodiscard]] double weightsKeptOnHost(const DsSettings& settings, double share);

}  // namespace stagecraft
