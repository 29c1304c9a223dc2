// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "importers/trainer_arguments.h"
#include "workspace/workspace.h"

#include <string>
#include <vector>

namespace stagecraft {

/// `word` as a POSIX shell reads it back unchanged: bare when it is harmless, else in single quotes.
[[nodiscard]] std::string shellQuoted(const std::string& word);

/// The words as one command line, each quoted as needed.
[[nodiscard]] std::string commandLine(const std::vector<std::string>& words);

/// A shell script with the command lines that start this workspace: through our own supervisor and, for a training script
/// of the user's own, through `deepspeed` and `torchrun`, or `accelerate launch` where that is the launcher, with the ds_config.json that
/// lies beside the script. Nothing of the
/// workspace reaches the shell unquoted. Several nodes: the script asks for the hostfile or the rendezvous by environment.
///
/// @param workspaceFile  absolute path; empty where the workspace stands in no file: our own command line is then left out
/// @param sets           patches to repeat on our own command line
/// @param trainer        what a script of the Hugging Face Trainer's gets beside the ds_config
/// @param ranksAssumed   nobody chose the number of ranks, which a comment then says
[[nodiscard]] std::string launchScript(const Workspace& workspace, const std::string& workspaceFile, const std::vector<std::string>& sets, const ArgumentValues& trainer, bool ranksAssumed = false);

}  // namespace stagecraft
