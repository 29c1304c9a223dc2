// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

namespace stagecraft {

/// DeepSpeed divides the layers of a Transformers model itself (`tensor_parallel.autotp_size`).
[[nodiscard]] inline bool isAutoTp(const TrainingCase& c) { return c.framework == Framework::DeepSpeed && !c.megatronCode && c.tp > 1; }
/// And refuses to: the plan then says what it would be like, and no search leads there. Pipelines have modules of their own.
[[nodiscard]] inline bool isRefusedByAutoTp(const TrainingCase& c) { return c.autoTpRefused && c.pp == 1 && isAutoTp(c); }

/// What tensor parallelism leaves of a layer on rank 0 of its group, which no rank has more of: the whole divided by these.
///
/// AutoTP divides attention by key-value heads, of which rank 0 has ceil(k / t), and the MLP's width to within one; it copies no heads:
/// where there are more ranks than key-value heads the last ones have no attention at all. Elsewhere both are the number of ranks.
/// Source: deepspeed/module_inject/tp_shard.py, get_shard_size; engine.py, _apply_autotp_partitioning.
struct TensorShares {
    double attention = 1, mlp = 1;
};
[[nodiscard]] TensorShares tensorShares(const TrainingCase& c);

/// Key-value heads that rank 0 computes with: its share of them, or where a framework copies them at least one.
[[nodiscard]] double keyHeadsOnRank(const TrainingCase& c);

/// Every tensor-parallel rank has a whole copy of the output matrix, tied to a table that is not divided.
[[nodiscard]] bool outputIsCopied(const TrainingCase& c);

/// Every tensor-parallel rank gathers the others' logits.
[[nodiscard]] bool gathersLogits(const TrainingCase& c);

}  // namespace stagecraft
