// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// One of the values that a variable may have.
struct ShellAlternative {
    std::string text;   ///< what is not known in it as the script spells it: $NAME
    int line = 0;       ///< where it is set; 0 = nowhere in the script
    bool known = true;
};

/// Why a part of a word is not certain.
struct ShellDoubt {
    enum class Kind {
        Outside,  ///< a variable or argument that the script does not set
        Printed,  ///< what a command prints
        Branch,   ///< set differently by branches, and which one is taken only the running script knows
        Loop,     ///< another value in each round of a loop
        Default,  ///< the script's own value, which holds where nothing from outside says otherwise: the word is known
    };
    Kind kind = Kind::Printed;
    std::string name;  ///< of the variable; of a Default what would have to come from outside
    std::vector<ShellAlternative> values;  ///< of a Branch or Loop all of them, of a Default the other ones; at most eight
    std::string holds = {};                ///< of a Default: the text that `values` stand in the place of
    std::string unsetUnless = {};          ///< of a Branch: what has to come from outside for the variable to be set at all; empty = nobody knows
    std::vector<ShellAlternative> before = {};  ///< of a Loop: the variable as a round finds it; these are its values before the first one
};

struct ShellWord {
    std::string text;
    int line = 0;
    bool known = true;  ///< false where a part is only known when the shell runs: $(...), $1, an unset variable
    std::vector<ShellDoubt> doubts = {};  ///< why it is not, or holds by the script's defaults only
    std::string shown = {};               ///< where it is not known: with $NAME in the place of what is not
};

/// Variables and their values, by name.
using ShellEnvironment = std::map<std::string, ShellWord>;

struct ShellCommand {
    std::vector<ShellWord> words;  ///< assignments in front left out
    ShellEnvironment environment = {};  ///< the watched variables that were exported or stand in front of it
    bool likely = true;            ///< false in a branch or function that a plain start of the script does not enter
};

struct ShellScript {
    std::vector<ShellCommand> commands;
    std::map<std::string, std::int64_t> batch = {};  ///< what the #SBATCH lines at its head give to Slurm's variables
    std::vector<std::string> sourced = {};  ///< files that it sources and that were read, as it names them
    std::map<std::string, ShellWord> files;  ///< here-documents and texts that are written to a file, by its normal path

    /// Such a file, else null.
    [[nodiscard]] const ShellWord* file(const std::string& path) const;
};

/// Reads a shell script as sh would run it, without running anything: quotes, variables and arrays, here-documents, functions,
/// subshells and what shells within it are given.
///
/// if, case, && and || are followed where the script itself decides them. A test for something that only its surroundings
/// could give ([ -z "$X" ], ${X:-4}, $#) is decided as if they gave nothing, and what follows from that is a Default. After
/// any other branch a variable is known where all branches agree; loops are read once, with what changes in them unknown.
/// The folder of the script ($(dirname "$0") and its like) and the one it is started in ($PWD) read as ".".
/// @param watched  names of variables whose values the commands see; the others leave no trace in the environments
/// @param source   reads a file that the script sources or hands to a shell, by its path as written; asked only for relative
///                 paths below the script's folder, for at most 20 files, four deep. Their words have the line of the command that names them
/// @error InvalidInput when expansions grow beyond 1 MiB or commands are nested too deep; "line" in the context
[[nodiscard]] Result<ShellScript> readShellScript(std::string_view text, const std::vector<std::string>& watched = {}, const std::function<Result<std::string>(const std::string& path)>& source = {});

}  // namespace stagecraft
