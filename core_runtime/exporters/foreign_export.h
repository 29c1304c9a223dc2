// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/check.h"
#include "importers/trainer_arguments.h"
#include "importers/transfer_note.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct Workspace;

/// Tools a ds_config is written for.
enum class ForeignTarget {
    Accelerate,      ///< accelerate's YAML with a deepspeed_config of fields: the few values it has fields for
    AccelerateFile,  ///< accelerate's YAML that names a ds_config, which holds everything
    AccelerateFsdp,  ///< accelerate's YAML for PyTorch's FSDP, as near as that comes
    Trainer,         ///< ds_config with "auto" and the TrainingArguments that resolve to the same values
    LlamaFactory,    ///< the same as a LLaMA-Factory YAML
    Axolotl,         ///< the same as an axolotl YAML
};

/// "accelerate", "accelerate-file", "accelerate-fsdp", "trainer", "llama-factory", "axolotl".
[[nodiscard]] std::optional<ForeignTarget> foreignTargetFromName(std::string_view name);

/// What is exported: a ds_config and the little beside it that the other tools say in their own words.
struct ExportSource {
    std::string dsConfigText;
    int ranks = 1;                 ///< of the job
    bool ranksAssumed = false;     ///< nobody gave that number: a refusal that rests on it says so
    int dataParallel = 1;          ///< ranks the batch rule counts
    std::string split;             ///< how the ranks are split otherwise than by keys of the ds_config: "pp 2, tp 2"; no other tool's file says so
    int nodes = 1;
    bool cpu = false;
    std::string modelName;         ///< folder or hub name; empty = not known
    std::optional<std::int64_t> seq;
    std::optional<std::int64_t> steps;  ///< none where nobody wrote a number
    std::optional<double> epochs;
    std::optional<std::int64_t> seed;
    bool recompute = false;
    std::string hostShards;        ///< the argument of FSDP2's own that keeps its shards on the host; empty = none
    bool bf16Shards = false;       ///< FSDP2's own arguments have weights, gradients and states in bf16
    bool trainerRuns = false;      ///< the Trainer makes the optimizer and the schedule that the ds_config lacks
    ArgumentValues arguments;      ///< what fills "auto" and the rest of the TrainingArguments ("launch.trainer")
    std::string precision;         ///< accelerate's mixed_precision there; empty = not said
};

[[nodiscard]] ExportSource exportSourceOf(const Workspace& workspace);
/// The surroundings in which its ds_config is checked before it is written for another tool.
[[nodiscard]] CheckContext checkContextOf(const ExportSource& source, std::string_view language);

struct ExportedFile {
    std::string name;  ///< without a folder
    std::string text;
    bool executable = false;
};

struct ForeignExport {
    std::vector<ExportedFile> files;
    std::vector<TransferNote> notes;  ///< what the other tool takes, takes differently, or has no place for
    ArgumentValues arguments;         ///< the TrainingArguments, of ForeignTarget::Trainer
};

/// Files with which `target` trains as the ds_config says. Importing them again gives the same resolved config, except for
/// what a note says was dropped.
/// @error Refused when DeepSpeed refuses the ds_config itself, with its reason
[[nodiscard]] Result<ForeignExport> exportForeignConfig(const ExportSource& source, ForeignTarget target, std::string_view language = "en");

}  // namespace stagecraft
