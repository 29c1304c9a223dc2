// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <string_view>

namespace stagecraft {

struct Workspace;
struct TrainingCase;

/// What DeepSpeed's AutoTP does with a Transformers model that the ds_config gives no partition_config or preset_model of its own for.
enum class AutoTpAnswer {
    Divides,       ///< by the model's own plan, or by the names of its layers
    RefusesPlan,   ///< the model's own plan has ways of dividing that DeepSpeed does not know, and it takes none of it
    RefusesModel,  ///< it has no way for this family at all
};

/// @param modelType  as config.json's model_type; Divides for one that nobody has tried
/// Source: deepspeed 0.19.8, module_inject/tp_plan_converter.py, convert; module_inject/auto_tp.py, supported and tp_parser; asked about the
/// models of Transformers 5.23 (tests/oracle/autotp_plans.py).
[[nodiscard]] AutoTpAnswer autoTpAnswer(std::string_view modelType);

/// The workspace's model as Transformers names its type: config.json's, "gpt2" for a model of that family given by its fields; empty where
/// none is known.
[[nodiscard]] std::string transformersType(const Workspace& workspace);

/// The same of the workspace's model. With words of the ds_config's own (tensor_parallel.partition_config, preset_model) DeepSpeed does as
/// they say.
[[nodiscard]] AutoTpAnswer autoTpAnswer(const Workspace& workspace);

/// Puts into `c` what AutoTP does with the tables of a Transformers model, whatever the number of ranks. The model's own plan divides the output
/// matrix and gathers its logits, and leaves the token table whole; where the two are one, it is divided, with a loss that works on parts of the
/// vocabulary, unless the embedding is more than a look-up (Gemma's is scaled). Families without a plan, those with layer norms and tied
/// tables, keep it whole. Source: deepspeed/runtime/engine.py, _apply_autotp_partitioning; module_inject/auto_tp.py,
/// _configure_gathered_column_tie_fallbacks; layers.py, VocabParallelEmbedding.validate_embedding.
void settleAutoTpTables(const Workspace& workspace, TrainingCase& c);

}  // namespace stagecraft
