// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/shell_words.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// What a substitution prints that only asks where the script lies, $(cd "$(dirname "$0")/.." && pwd) and its like, as a path
/// from the script's folder: ".", "./..". The folder a script is started in, $(pwd), counts as the script's own.
[[nodiscard]] std::optional<std::string> scriptFolder(std::string_view command);

/// What dirname, basename, realpath or echo prints. Nothing for another command.
[[nodiscard]] std::optional<std::string> printedText(std::string_view command, const std::string& argument);

/// Where a command holds another one in a word.
struct CommandWithin {
    std::size_t starters = 0;  ///< words in front of the shell that start it: srun -n 8 bash -c "..."
    std::size_t begin = 0, end = 0;  ///< the words of it
};

/// The words of bash -c WORD, eval "WORD", ssh HOST "WORD" and their like. Nothing where a word is only printed.
[[nodiscard]] std::optional<CommandWithin> commandWithin(const std::vector<ShellWord>& words);

/// Of a command that runs what it is given to read (bash, ssh HOST bash -s, srun bash, sbatch): the number of words in front
/// of the shell that start it. Nothing where it reads no commands.
[[nodiscard]] std::optional<std::size_t> shellInput(const std::vector<ShellWord>& words);

/// The script that a command runs or hands on: bash FILE, srun bash FILE, sbatch FILE, source FILE, ./FILE. Only `starters` and `begin` count.
[[nodiscard]] std::optional<CommandWithin> scriptOf(const std::vector<ShellWord>& words);

}  // namespace stagecraft
