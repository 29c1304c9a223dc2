// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/launch_command.h"

#include "exporters/foreign_export.h"
#include "exporters/launch_arguments.h"
#include "importers/foreign_config.h"
#include "importers/trainer_arguments.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

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

/// A line of the script for a training script of the user's own. @param before, after  of the words the user gives
struct Starter {
    std::string name;
    std::string before;
    std::string after;
};

/// The options of `accelerate launch` that the workspace has ("launch.trainer"), as words of a shell.
std::string accelerateOptions(const Workspace& workspace)
{
    static constexpr std::array kOptions{"gradient_accumulation_steps", "gradient_clipping", "mixed_precision", "offload_optimizer_device", "offload_param_device", "zero3_save_16bit_model", "zero_stage"};
    const ArgumentValues said = launchArguments(workspace);
    std::string words;
    for (const char* name : kOptions) {
        if (!said.contains(name)) continue;
        const std::string word = launcherArgumentWord(name, said.at(name), CheckLauncher::Accelerate);
        if (!word.empty()) words += fmt::format(" --{} {}", name, shellQuoted(word.substr(word.find('=') + 1)));
    }
    return words;
}

/// The TrainingArguments as words of a shell: without them the Trainer would take its defaults, with which it refuses a ds_config that says otherwise.
std::string trainerOptions(const ArgumentValues& arguments, bool cpu)
{
    std::string words = cpu ? " --use_cpu true" : "";
    for (const auto& [name, value] : arguments) {
        const std::string word = launcherArgumentWord(name, value, CheckLauncher::Transformers);
        if (!word.empty()) words += fmt::format(" --{} {}", name, shellQuoted(word.substr(word.find('=') + 1)));
    }
    return words;
}

/// Comment lines: what a script of the Trainer's is given, and what it is not. @param model  empty = not known
std::string trainerScriptNeeds(const std::string& model)
{
    return "# The script has to read TrainingArguments (HfArgumentParser). It gets the ds_config.json beside this file (--deepspeed FILE) and the arguments\n"
           "# with which the Trainer takes it. Give what is the script's own as ARGUMENTs: the model" + (model.empty() ? std::string() : " (here " + oneLine(model) + ")") + ", the data, --output_dir.\n";
}

std::vector<Starter> startersOf(const Workspace& workspace, const ArgumentValues& trainer)
{
    const int perNode = workspace.hardware.devicesPerNode;
    const int nodes = workspace.hardware.nodes;
    const std::string rank = fmt::format("\"${{NODE_RANK:?set NODE_RANK to 0..{} on each node}}\"", nodes - 1);
    const std::string address = "${MASTER_ADDR:?set MASTER_ADDR to the first node}", port = "${MASTER_PORT:-29500}";
    if (workspace.launch.launcher == CheckLauncher::Accelerate) {
        std::string command = fmt::format("accelerate launch --num_machines {} --num_processes {}", nodes, nodes * perNode);
        if (nodes > 1) command += fmt::format(" --machine_rank {} --main_process_ip \"{}\" --main_process_port \"{}\" --deepspeed_multinode_launcher standard", rank, address, port);
        return {{"accelerate", command + " --use_deepspeed --deepspeed_config_file \"$here/ds_config.json\"" + accelerateOptions(workspace), {}}};
    }
    // A script of the Trainer's reads TrainingArguments, where --deepspeed is the file itself.
    const std::string config = workspace.launch.launcher == CheckLauncher::Transformers ? "--deepspeed \"$here/ds_config.json\"" + trainerOptions(trainer, workspace.hardware.device == "cpu") : "--deepspeed --deepspeed_config \"$here/ds_config.json\"";
    const char* count = workspace.hardware.device == "cpu" ? "--num_accelerators" : "--num_gpus";
    if (nodes == 1)
        return {{"deepspeed", fmt::format("deepspeed {} {}", count, perNode), config}, {"torchrun", fmt::format("torchrun --standalone --nnodes 1 --nproc-per-node {}", perNode), config}};
    return {{"deepspeed", fmt::format("deepspeed --hostfile \"${{HOSTFILE:?set HOSTFILE to a file with lines: HOST slots={}}}\" --num_nodes {} {} {}", perNode, nodes, count, perNode), config},
            {"torchrun", fmt::format("torchrun --nnodes {} --nproc-per-node {} --node-rank {} --rdzv-backend c10d --rdzv-endpoint \"{}:{}\"", nodes, perNode, rank, address, port), config}};
}

}  // namespace

std::string launchScript(const Workspace& workspace, const std::string& workspaceFile, const std::vector<std::string>& sets, const ArgumentValues& trainer, bool ranksAssumed)
{
    std::vector<std::string> ours{"stagecraft", "run", workspaceFile};
    for (const std::string& set : sets) {
        ours.emplace_back("--set");
        ours.push_back(set);
    }
    const int nodes = workspace.hardware.nodes;
    const CheckLauncher launcher = workspace.launch.launcher;
    const std::vector<Starter> starters = startersOf(workspace, trainer);
    const std::string threads = std::to_string(workspace.launch.threadsPerRank);
    std::string script;
    script += "#!/bin/sh\n";
    script += fmt::format("# Starts \"{}\": {} ranks on {} node{}.\n", oneLine(workspace.name), workspace.layout.ranks(), nodes, nodes == 1 ? "" : "s");
    if (ranksAssumed) script += fmt::format("# Nobody chose that number of ranks: {} is assumed. Put yours into the lines below.\n", workspace.layout.ranks());
    const bool own = !workspaceFile.empty();
    if (own)
        script += "#   sh launch.sh                                  trains the workspace with Stagecraft's own engine\n";
    for (std::size_t i = 0; i < starters.size(); ++i)
        script += fmt::format("#   {:<46} {}\n", "sh launch.sh " + starters[i].name + " train.py [ARGUMENT...]", i > 0 ? "the same through " + starters[i].name : launcher == CheckLauncher::Accelerate ? "starts a script of yours that uses accelerate" : "starts a DeepSpeed script of yours");
    script += launcher == CheckLauncher::Accelerate ? std::string("# accelerate reads the ds_config.json beside this file: --deepspeed_config_file FILE.\n")
              : launcher == CheckLauncher::Transformers ? trainerScriptNeeds(exportedModelName(workspace))
                                                        : "# The script gets the ds_config.json beside this file by --deepspeed --deepspeed_config FILE.\n";
    script += "set -eu\n"
              "here=$(CDPATH='' cd -- \"$(dirname -- \"$0\")\" && pwd)\n";
    script += fmt::format("export OMP_NUM_THREADS=\"${{OMP_NUM_THREADS:-{}}}\"\n", threads);
    script += own ? fmt::format("case \"${{1-stagecraft}}\" in\nstagecraft)\n    exec {} ;;\n", commandLine(ours)) : "case \"${1-}\" in\n";
    std::string usage = own ? "stagecraft" : "";
    for (const Starter& starter : starters) {
        script += fmt::format("{})\n    shift\n    exec {} \"$@\"{} ;;\n", starter.name, starter.before, starter.after.empty() ? "" : " " + starter.after);
        usage += (usage.empty() ? "" : " | ") + starter.name + " SCRIPT ...";
    }
    script += "*)\n";
    script += fmt::format("    echo \"usage: sh launch.sh [{}]\" >&2\n", usage);
    script += "    exit 2 ;;\n"
              "esac\n";
    return script;
}

}  // namespace stagecraft
