// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

struct ShellWord {
    std::string text;
    int line = 0;
    bool known = true;  ///< false where a part is only known when the shell runs: $(...), $1, an unset variable
};

/// Variables and their values, by name.
using ShellEnvironment = std::map<std::string, ShellWord>;

struct ShellScript {
    std::vector<std::vector<ShellWord>> commands;  ///< the words of each, assignments in front left out
    std::vector<ShellEnvironment> environments;     ///< of each command: the watched variables that were exported or stand in front of it
    std::map<std::string, std::string> files;      ///< here-documents that are written to a file, by its normal path

    /// The text of such a file, else null.
    [[nodiscard]] const std::string* file(const std::string& path) const;
};

/// Splits a shell script into commands as sh would, without running anything: quotes, continued lines, comments, variables
/// and arrays set earlier in the script, ${NAME:-default}, here-documents. The folder of the script ($(dirname "$0") and its
/// like) and the one it is started in ($PWD) read as ".". if/for/case are not followed: their words are
/// commands like any other.
/// @param watched  names of variables whose values the commands see; the others leave no trace in `environments`
/// @error InvalidInput when expansions grow beyond 1 MiB
[[nodiscard]] Result<ShellScript> readShellScript(std::string_view text, const std::vector<std::string>& watched = {});

}  // namespace stagecraft
