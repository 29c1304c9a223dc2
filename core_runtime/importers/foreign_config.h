// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "config/check.h"
#include "importers/transfer_note.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// Files of other tools that say how a training is sharded.
enum class ForeignFormat {
    DsConfig,          ///< a ds_config, plain or in Hugging Face style with "auto"
    Accelerate,        ///< accelerate's default_config.yaml (or .json), DeepSpeed or FSDP
    TrainerArguments,  ///< TrainingArguments as JSON, YAML or Python source
    LlamaFactory,      ///< a LLaMA-Factory training YAML
    Axolotl,           ///< an axolotl YAML
    CommandLine,       ///< a command line or shell script that starts deepspeed, accelerate, torchrun or llamafactory-cli
};

/// "ds_config", "accelerate", "trainer", "llama-factory", "axolotl", "command".
[[nodiscard]] const char* foreignFormatName(ForeignFormat format);
[[nodiscard]] std::optional<ForeignFormat> foreignFormatFromName(std::string_view name);

struct ForeignFile {
    std::string name;  ///< for messages
    std::string text;
};

/// Reads a file that the imported file names (its ds_config, a model's config.json). Called with the path as written.
using ForeignReader = std::function<Result<std::string>(const std::string& path)>;

struct ImportOptions {
    std::optional<ForeignFormat> format;            ///< none = found out from the content
    std::map<std::string, TrainerValue> arguments;  ///< TrainingArguments that the file does not hold; they win over the file's
    int ranks = 0;                                  ///< ranks of the job; 0 = as the file says, else 1
    std::optional<std::int64_t> hiddenSize;         ///< of the model, for the bucket sizes that "auto" leaves to it
    int workspaceRanks = 0;                         ///< data-parallel ranks of the workspace it goes into; 0 = none. Used where neither `ranks` nor the file says
    std::map<std::string, int> workspaceSplit;      ///< "tp", "pp", "cp" and "ep" of that workspace: where the file says how many ranks there are, and nothing of these, they go
    bool workspaceAutoTp = true;                    ///< that workspace's framework is DeepSpeed, which divides layers by tensor_parallel.autotp_size
    std::optional<std::int64_t> workspaceHidden;    ///< hidden size of that workspace's model, used where the file names no model of its own
    bool keepAuto = false;                          ///< leave "auto" where it stands
    std::string release;                            ///< DeepSpeed to resolve for; empty = the newest known
    std::string language = "en";                    ///< of the notes: as CheckContext::language, ".window" included
    ForeignReader readFile;                         ///< none = a file that is named is an error
};

/// One field to set in a workspace.
struct WorkspaceValue {
    std::string pointer;  ///< JSON Pointer, e.g. "/hardware/nodes"
    std::string json;     ///< JSON text; "null" takes the field out
};

/// A foreign file, understood.
struct ImportedConfig {
    ForeignFormat format = ForeignFormat::DsConfig;
    std::string dsConfigSource;  ///< the ds_config as the other tool has it, before "auto" is filled
    std::string dsConfigText;    ///< the ds_config that stands alone; the source's bytes wherever nothing had to change
    CheckContext context;        ///< judge `dsConfigSource` with this: who launches, ranks, TrainingArguments
    std::vector<WorkspaceValue> workspace;  ///< what the file says beside the ds_config
    std::vector<TransferNote> notes;        ///< every value taken over, changed or dropped
};

/// Reads a foreign file and says what of it a workspace can hold. Pure but for `readFile`.
///
/// "auto" becomes what transformers (with TrainingArguments) or accelerate would fill in; what nobody can know here stays
/// "auto" with a note. Size, depth and number of values are bounded before anything is built (2 MiB, 64 levels of YAML).
/// @error InvalidInput for text that cannot be read or is no such file ("line", "column" in the context), Refused for one
///        that its own tool refuses, NotFound or Io for a file it names
[[nodiscard]] Result<ImportedConfig> importForeignConfig(const ForeignFile& file, const ImportOptions& options);

/// The format that the content speaks for. @error InvalidInput when it speaks for none, naming what was looked for
[[nodiscard]] Result<ForeignFormat> detectForeignFormat(const ForeignFile& file, std::string_view language = "en");

/// The value of a "NAME=VALUE" word as TrainingArguments would hold it. @error InvalidArgument, in that language ("en" or "zh")
[[nodiscard]] Result<std::pair<std::string, TrainerValue>> trainerArgumentFromWord(std::string_view word, std::string_view language = "en");
/// The same for what fills "auto" under `launcher`: with accelerate also its own options ("mixed_precision=bf16"), and of the TrainingArguments those
/// that a loop of its has too.
[[nodiscard]] Result<std::pair<std::string, TrainerValue>> launcherArgumentFromWord(std::string_view word, CheckLauncher launcher, std::string_view language = "en");
/// The "NAME=VALUE" word that launcherArgumentFromWord() reads back. Empty for None, which no word says, and for names it does not take.
[[nodiscard]] std::string launcherArgumentWord(const std::string& name, const TrainerValue& value, CheckLauncher launcher);

}  // namespace stagecraft
