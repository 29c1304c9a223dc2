// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "planner/training_case.h"

#include <string>
#include <string_view>

namespace stagecraft {

/// Transformers' word for an optimizer (TrainingArguments.optim) as optimizers are called here: "adamw_torch_fused" is "adamw". Words that
/// are none of its own stay as they are.
[[nodiscard]] std::string ofTrainersWord(const std::string& word);

/// Whether its states depend on the shapes of the tensors: Muon, Adafactor, those of 8 bits.
[[nodiscard]] bool dependsOnShapes(std::string_view optimizer);

/// Whether it is one of bitsandbytes: in 8 bits, or paged.
[[nodiscard]] bool ofBitsAndBytes(std::string_view optimizer);

/// Bytes of optimizer state of one parameter beside its master copy, the mean of all that one rank holds.
///
/// Muon keeps one moment of the layers' matrices, and Adam's two of embeddings, output, norms and biases. Adafactor keeps a row and a column
/// of each matrix and all of a vector; ZeRO and 16-bit engines of DeepSpeed hand it flat vectors, FSDP2 leaves rows and columns whole on
/// each rank. bitsandbytes keeps a byte a moment and an fp32 constant for each block of 256 elements, and fp32 of tensors below 4096
/// elements; Transformers' Trainer keeps its embeddings' in fp32.
/// Source: emerging_optimizers in megatron/core/optimizer; torch/optim/_adafactor.py; bitsandbytes/optim/optimizer.py, init_state;
/// transformers/trainer.py, create_optimizer
[[nodiscard]] double meanStateBytes(const TrainingCase& c);

}  // namespace stagecraft
