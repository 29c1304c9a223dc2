// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <cstdint>

namespace stagecraft {

/// What Megatron-LM counts as a layer of a pipeline besides the layers themselves: its first and its last stage have one layer less then.
/// Source: megatron/core/transformer/transformer_block.py, get_num_layers_to_build: account_for_embedding_in_pipeline_split and
/// account_for_loss_in_pipeline_split, each asked for itself.
struct PipelinePlaces {
    bool embedding = false, loss = false;
    bool operator==(const PipelinePlaces&) const = default;
};

/// The places with which Megatron-LM can divide the case's layers over `stages` stages, and those of a stage over its chunks: the case's own
/// where these do, else the fewest: none, the loss, the embedding and the loss.
///
/// The number of stages almost settles it: from three stages on no two of them divide.
/// @return the case's own where none does; where its arguments give stages sizes of their own; and for other frameworks
/// @pre stages >= 1
[[nodiscard]] PipelinePlaces placesFor(const TrainingCase& c, std::int64_t stages);

/// "embedding and loss count as layers"; empty where neither does.
[[nodiscard]] const char* placesPhrase(PipelinePlaces counted);

}  // namespace stagecraft
