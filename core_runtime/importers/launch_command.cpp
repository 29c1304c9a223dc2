// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/launch_command.h"

#include <algorithm>
#include <set>

namespace stagecraft {

namespace {

using Words = std::vector<ShellWord>;

std::string baseName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

/// Commands whose words are no command of their own, whatever they are called.
bool takesWords(const std::string& name)
{
    static const std::set<std::string> kCommands{"echo", "printf", "pip", "pip3", "conda", "apt", "apt-get", "cd", "ls", "cat", "head", "tail", "tee", "grep", "mkdir", "rm", "cp", "mv", "source", ".", "which",
                                                 "type", "hash", "git", "wget", "curl", "export", "unset", "set", "alias", "ds_report", "pkill", "killall"};
    return kCommands.count(name) > 0;
}

/// "--deepspeed", "--deepspeed=...", "--deepspeed_config ...", "--deepspeed_config_file=..."
bool handsOverConfig(const ShellWord& word)
{
    return word.text == "--deepspeed" || word.text.starts_with("--deepspeed=") || word.text.starts_with("--deepspeed_config") || word.text.starts_with("--deepspeed-config");
}

std::optional<std::int64_t> wholeNumber(const std::string& text)
{
    if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
    const std::int64_t value = std::stoll(text);
    return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

bool isOptionWord(const std::string& text) { return text.size() > 1 && text[0] == '-' && std::string_view("0123456789.").find(text[1]) == std::string_view::npos; }

Launcher launcherOf(const Words& words, std::size_t& at)
{
    static const std::set<std::string> kOnlyTells{"--version", "--help", "-h"};
    if (words.size() > 1 && kOnlyTells.count(words.back().text) > 0 && std::none_of(words.begin(), words.end(), [](const ShellWord& word) { return word.text.ends_with(".py"); })) return Launcher::None;
    // "key: words" and "- words" are lines of YAML or prose, and what they speak of is no command.
    if (words.empty() || words.front().text.ends_with(':') || words.front().text == "-" || words.front().text.starts_with('#')) return Launcher::None;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string name = baseName(words[i].text);
        const std::string next = i + 1 < words.size() ? words[i + 1].text : std::string();
        at = i + 1;
        if (name == "deepspeed" || name == "ds") return Launcher::DeepSpeed;
        if (name == "torchrun") return Launcher::Torchrun;
        if (name == "accelerate" && next == "launch") return at = i + 2, Launcher::Accelerate;
        if (name == "llamafactory-cli" && next == "train") return at = i + 2, Launcher::LlamaFactory;
        if (name == "axolotl" && next == "train") return at = i + 2, Launcher::Axolotl;
        if (name.rfind("python", 0) == 0) {
            while (at < words.size() && (words[at].text == "-u" || words[at].text == "-O")) ++at;
            const bool module = at + 1 < words.size() && words[at].text == "-m";
            const std::string what = module ? words[at + 1].text : std::string();
            if (what == "torch.distributed.run" || what == "torch.distributed.launch") return at += 2, Launcher::Torchrun;
            if (what == "deepspeed.launcher.runner") return at += 2, Launcher::DeepSpeed;
            if (what == "accelerate.commands.launch") return at += 2, Launcher::Accelerate;
            if (!module && std::any_of(words.begin(), words.end(), handsOverConfig)) return Launcher::Python;
        }
        // srun, mpirun, numactl ... come before the launcher; a word that is a file or an option does not end the search.
        if (takesWords(name)) return Launcher::None;
    }
    // A launcher that is not known still hands the script its ds_config.
    const auto script = std::find_if(words.begin(), words.end(), [](const ShellWord& word) { return word.text.ends_with(".py"); });
    if (script == words.end() || std::none_of(script, words.end(), handsOverConfig)) return Launcher::None;
    at = static_cast<std::size_t>(script - words.begin());
    return Launcher::Other;
}

const std::vector<std::string>& launchVariables()
{
    // The first five: deepspeed's visible_devices_envs() of each accelerator, and ROCm's own name.
    static const std::vector<std::string> kVariables{"CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ASCEND_RT_VISIBLE_DEVICES", "ZE_AFFINITY_MASK", "HABANA_VISIBLE_MODULES", "NPROC_PER_NODE", "NNODES"};
    return kVariables;
}

std::optional<std::int64_t> visibleDevices(const ShellEnvironment& environment, std::string& name)
{
    for (std::size_t i = 0; i < 5; ++i) {
        name = launchVariables()[i];
        const auto found = environment.find(name);
        if (found == environment.end() || !found->second.known) continue;
        const std::string& list = found->second.text;
        std::int64_t devices = 0;
        for (std::size_t begin = 0; begin < list.size();) {
            const std::size_t end = std::min(list.find(',', begin), list.size());
            const std::string device = list.substr(begin, end - begin);
            if (device.find_first_not_of(' ') == std::string::npos || device.starts_with('-')) break;  // CUDA sees none behind an index that is none
            ++devices;
            begin = end + 1;
        }
        if (devices > 0) return devices;
    }
    return std::nullopt;
}

std::optional<std::int64_t> ranksOfStarter(const Words& words, std::size_t until, const std::map<std::string, std::int64_t>& batch, ShellWord& option, std::optional<std::int64_t>& nodes)
{
    static const std::set<std::string> kStarters{"mpirun", "mpiexec", "mpiexec.hydra", "srun"};
    static const std::set<std::string> kCounts{"-n", "-np", "--np", "--ntasks", "--n"};
    const ShellWord* started = nullptr;
    const auto ofBatch = [&](const char* name) { return batch.count(name) > 0 ? std::optional(batch.at(name)) : std::nullopt; };
    std::optional<std::int64_t> perNode = ofBatch("SLURM_NTASKS_PER_NODE");
    bool own = false;  // of srun's options
    nodes = ofBatch("SLURM_NNODES");
    for (std::size_t i = 0; i < std::min(until, words.size()); ++i) {
        if (kStarters.count(baseName(words[i].text)) > 0) started = &words[i];
        if (started == nullptr) continue;
        const std::size_t equals = words[i].text.find('=');
        const std::string name = words[i].text.substr(0, equals);
        const bool asksNodes = name == "-N" || name == "--nodes", asksTasks = name == "--ntasks-per-node";
        if (kCounts.count(name) == 0 && !asksNodes && !asksTasks) continue;
        const ShellWord* value = equals != std::string::npos ? &words[i] : i + 1 < words.size() ? &words[i + 1] : nullptr;
        if (value == nullptr || !value->known) return std::nullopt;
        const auto number = wholeNumber(equals != std::string::npos ? value->text.substr(equals + 1) : value->text);
        if (asksNodes || asksTasks) {
            own = true;
            (asksNodes ? nodes : perNode) = number;
            continue;
        }
        option = {name, words[i].line, true};
        return number;
    }
    if (started == nullptr || baseName(started->text) != "srun") return std::nullopt;
    option = {own ? started->text : "#SBATCH", started->line, true};
    if (!own) return ofBatch("SLURM_NTASKS");
    if (!nodes.has_value() || !perNode.has_value() || *nodes * *perNode > 1'000'000) return std::nullopt;
    return *nodes * *perNode;
}

}  // namespace stagecraft
