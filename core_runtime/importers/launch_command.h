// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/shell_words.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// Who starts the ranks of a command.
enum class Launcher {
    None,
    DeepSpeed,
    Torchrun,
    Accelerate,
    LlamaFactory,  ///< llamafactory-cli train: starts torchrun itself
    Axolotl,       ///< axolotl train: starts accelerate itself
    Python,        ///< the script started as it is
    Other,         ///< something not known here (torchx, mpirun of an executable script, ...) that hands the script a ds_config
};

/// True for an option word, "-x" or "--x"; a negative number is none.
[[nodiscard]] bool isOptionWord(const std::string& text);

/// Which word of a command starts a training, and how. `at` then is the word behind the launcher's own; for Other the script.
[[nodiscard]] Launcher launcherOf(const std::vector<ShellWord>& words, std::size_t& at);

/// Variables that say on how many devices a launcher starts, to be handed to readShellScript.
[[nodiscard]] const std::vector<std::string>& launchVariables();

/// Devices that CUDA_VISIBLE_DEVICES or its like leaves to a command; `name` becomes the variable's. None = not said.
[[nodiscard]] std::optional<std::int64_t> visibleDevices(const ShellEnvironment& environment, std::string& name);

/// Ranks that mpirun, mpiexec or srun in front of the script starts: "-n 16", "-np 16", "--ntasks=16", "-N 2 --ntasks-per-node=8",
/// or what `batch` (ShellScript::batch) leaves to srun. `option` becomes the word that says so, `nodes` what is said of them.
[[nodiscard]] std::optional<std::int64_t> ranksOfStarter(const std::vector<ShellWord>& words, std::size_t until, const std::map<std::string, std::int64_t>& batch, ShellWord& option, std::optional<std::int64_t>& nodes);

}  // namespace stagecraft
