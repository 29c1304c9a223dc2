// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "config/config_value.h"
#include "importers/trainer_arguments.h"
#include "importers/transfer_note.h"

#include <string>

namespace stagecraft {

struct Workspace;

/// The arguments of the launcher that the workspace has ("launch.trainer"), under their own names.
[[nodiscard]] ArgumentValues launchArguments(const Workspace& workspace);

/// The same for a tool that runs the Trainer: accelerate's own words become those of TrainingArguments (mixed_precision=bf16 is bf16), and what
/// a section of the workspace says itself (seed, steps, recomputation) is left to it.
[[nodiscard]] ArgumentValues trainingArgumentsOf(const Workspace& workspace);

/// The folder of the workspace's model, else the name that an imported file had for it ("launch.trainer.model_name_or_path"); empty = none.
[[nodiscard]] std::string exportedModelName(const Workspace& workspace);

/// How a tool takes a warm-up that is a share of steps whose number is not known.
enum class WarmUpShare {
    AsSteps,  ///< as "warmup_steps" below 1: transformers 5, which has no "warmup_ratio"
    AsRatio,  ///< as "warmup_ratio": axolotl, whose "warmup_steps" are whole and stand alone
};

/// TrainingArguments that say their warm-up once: as "warmup_steps", which every release of transformers has, where the number of steps is known,
/// else as `share` says.
/// @param steps  of the training; 0 or less = not known
[[nodiscard]] ArgumentValues withOneWarmUp(ArgumentValues arguments, double steps, WarmUpShare share);

/// Whether one of the names of a list such as "warmup_steps, warmup_ratio" is an argument.
[[nodiscard]] bool anyOf(const std::string& names, const ConfigValue& arguments);

/// Puts each of them where neither the ds_config nor `arguments` says it: into an "auto" of `config` that no TrainingArgument fills, else into
/// `arguments`. What the ds_config says itself counts, and a note tells so.
void addLaunchArguments(ConfigValue& config, ConfigValue& arguments, const ArgumentValues& launch, TransferNotes& notes);

/// Puts into each "auto" of `config` what accelerate would from its own options, and tells what its file has no place for.
/// @param launch  as trainingArgumentsOf() has them
/// @param precision  accelerate's mixed_precision; empty = not said
/// Source: accelerate 1.15, DeepSpeedPlugin.__post_init__ and set_mixed_precision.
void fillAsAccelerate(ConfigValue& config, const ArgumentValues& launch, const std::string& precision, TransferNotes& notes);

}  // namespace stagecraft
