// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/launch_command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {

std::string shellQuoted(const std::string& word)
{
    const auto harmless = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' || c == ',' || c == '+' || c == '@' || c == '%';
    };
    if (!word.empty() && std::all_of(word.begin(), word.end(), harmless)) return word;
    std::string out = "'";
    for (const char c : word) {
        if (c == '\'') out += "'\\''";
        else if (c != '\0') out += c;
    }
    return out + '\'';
}

std::string commandLine(const std::vector<std::string>& words)
{
    std::string line;
    for (const std::string& word : words) line += (line.empty() ? "" : " ") + shellQuoted(word);
    return line;
}

namespace {

/// For a comment: one line, whatever the name holds.
std::string oneLine(std::string text)
{
    std::replace_if(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
    return text;
}

}  // namespace

bool startsTheTrainer(const Workspace& workspace)
{
    const nlohmann::json::json_pointer launcher("/launch/launcher");
    return workspace.document.is_object() && workspace.document.contains(launcher) && workspace.document.at(launcher) == "transformers";
}

std::string launchScript(const Workspace& workspace, const std::string& workspaceFile, const std::vector<std::string>& sets, bool ranksAssumed)
{
    std::vector<std::string> ours{"stagecraft", "run", workspaceFile};
    for (const std::string& set : sets) {
        ours.emplace_back("--set");
        ours.push_back(set);
    }
    const int perNode = workspace.hardware.devicesPerNode;
    const int nodes = workspace.hardware.nodes;
    const bool cpu = workspace.hardware.device == "cpu";
    std::string deepspeed, torchrun;
    if (nodes == 1) {
        deepspeed = fmt::format("deepspeed {} {}", cpu ? "--num_accelerators" : "--num_gpus", perNode);
        torchrun = fmt::format("torchrun --standalone --nnodes 1 --nproc-per-node {}", perNode);
    } else {
        deepspeed = fmt::format("deepspeed --hostfile \"${{HOSTFILE:?set HOSTFILE to a file with lines: HOST slots={}}}\" --num_nodes {} {} {}", perNode, nodes, cpu ? "--num_accelerators" : "--num_gpus", perNode);
        torchrun = fmt::format("torchrun --nnodes {} --nproc-per-node {} --node-rank \"${{NODE_RANK:?set NODE_RANK to 0..{} on each node}}\" --rdzv-backend c10d --rdzv-endpoint \"${{MASTER_ADDR:?set MASTER_ADDR to the first node}}:${{MASTER_PORT:-29500}}\"", nodes, perNode, nodes - 1);
    }
    // A script of the Trainer's reads TrainingArguments, where --deepspeed is the file itself.
    const std::string config = startsTheTrainer(workspace) ? "--deepspeed \"$here/ds_config.json\"" : "--deepspeed --deepspeed_config \"$here/ds_config.json\"";
    const std::string threads = std::to_string(workspace.launch.threadsPerRank);
    std::string script;
    script += "#!/bin/sh\n";
    script += fmt::format("# Starts \"{}\": {} ranks on {} node{}.\n", oneLine(workspace.name), workspace.layout.ranks(), nodes, nodes == 1 ? "" : "s");
    if (ranksAssumed) script += fmt::format("# Nobody chose that number of ranks: {} is assumed. Put yours into the lines below.\n", workspace.layout.ranks());
    const bool own = !workspaceFile.empty();
    if (own)
        script += "#   sh launch.sh                                  trains the workspace with Stagecraft's own engine\n";
    script += "#   sh launch.sh deepspeed train.py [ARGUMENT...]  starts a DeepSpeed script of yours\n"
              "#   sh launch.sh torchrun train.py [ARGUMENT...]   the same through torchrun\n"
              "# The script gets the ds_config.json beside this file";
    script += startsTheTrainer(workspace) ? ", as TrainingArguments take it: --deepspeed FILE.\n" : " by --deepspeed --deepspeed_config FILE.\n";
    script += "set -eu\n"
              "here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd)\n";
    script += fmt::format("export OMP_NUM_THREADS=\"${{OMP_NUM_THREADS:-{}}}\"\n", threads);
    script += own ? fmt::format("case \"${{1-stagecraft}}\" in\nstagecraft)\n    exec {} ;;\n", commandLine(ours)) : "case \"${1-}\" in\n";
    script += "deepspeed)\n"
              "    shift\n";
    script += fmt::format("    exec {} \"$@\" {} ;;\n", deepspeed, config);
    script += "torchrun)\n"
              "    shift\n";
    script += fmt::format("    exec {} \"$@\" {} ;;\n", torchrun, config);
    script += "*)\n";
    script += fmt::format("    echo \"usage: sh launch.sh [{}deepspeed SCRIPT ... | torchrun SCRIPT ...]\" >&2\n", own ? "stagecraft | " : "");
    script += "    exit 2 ;;\n"
              "esac\n";
    return script;
}

}  // namespace stagecraft
