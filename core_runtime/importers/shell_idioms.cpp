// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_idioms.h"

#include <algorithm>
#include <set>

namespace stagecraft {

namespace {

using Names = std::set<std::string, std::less<>>;

const Names kShells{"sh", "bash", "dash", "zsh", "ksh"};
const Names kStarters{"srun", "mpirun", "mpiexec", "mpiexec.hydra"};
const Names kSubmitters{"sbatch", "qsub", "bsub"};

std::string_view baseName(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

/// The shell among the words, and the words in front of it that start its processes.
std::optional<CommandWithin> shellAmong(const std::vector<ShellWord>& words)
{
    bool started = false;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view name = baseName(words[i].text);
        if (kShells.count(name) > 0) return CommandWithin{started ? i : 0, i, i + 1};
        started = started || kStarters.count(name) > 0;
        if (i == 0 && !started && name != "ssh" && name != "timeout" && name != "numactl" && name != "docker" && name != "singularity" && name != "apptainer") return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> scriptFolder(std::string_view command)
{
    static const std::set<std::string, std::less<>> kAsks{"cd", "pwd", "-P", "-L", "--", "realpath", "readlink", "-f", "-e", "-m", "-s", "CDPATH=", "2", "1", "/dev/null", "exit"};
    std::size_t folders = 0;
    bool script = false, here = false;
    std::string path = ".";
    for (std::size_t at = 0; at < command.size();) {
        const std::size_t end = std::min(command.find_first_of(" \t\r\n\"'`$(){}[]&;><|", at), command.size());
        const std::string_view token = command.substr(at, end - at);
        at = end + 1;
        if (token.empty() || token == "@") continue;
        if (token == "dirname") ++folders;
        else if (token == "0" || token == "BASH_SOURCE") script = true;
        else if (token.find_first_not_of("./") == std::string_view::npos && (token[0] == '/' || token == "..")) path += token[0] == '/' ? std::string(token) : "/" + std::string(token);
        else if (kAsks.find(token) == kAsks.end()) return std::nullopt;
        here = here || token == "pwd";
    }
    if (script && folders == 0 && path == "." && (command.find("realpath") != std::string_view::npos || command.find("readlink") != std::string_view::npos)) return "./script.sh";  // whatever it is called
    if (script != (folders > 0) || (!script && !here)) return std::nullopt;
    for (; folders > 1; --folders) path += "/..";
    return path;
}

std::optional<std::string> printedText(std::string_view command, const std::string& argument)
{
    if (command == "echo" && !argument.starts_with('-')) return argument;
    if (argument.empty() || argument.find_first_of(" -*?") < 1 || argument.find(' ') != std::string::npos) return std::nullopt;
    const std::size_t slash = argument.find_last_of('/');
    if (command == "realpath") return argument;
    if (command == "basename") return argument.substr(slash + 1);
    if (command == "dirname") return slash == std::string::npos ? "." : slash == 0 ? "/" : argument.substr(0, slash);
    return std::nullopt;
}

std::optional<CommandWithin> commandWithin(const std::vector<ShellWord>& words)
{
    static const Names kRemote{"ssh", "pdsh", "clush", "su", "tmux", "screen"};
    static const Names kLaunchers{"deepspeed", "ds", "torchrun", "accelerate", "llamafactory-cli", "axolotl"};
    static const Names kTexts{"echo", "printf", "cat", "tee", "grep", "sed", "awk", "alias", "trap", "git"};
    if (words.empty() || kTexts.count(baseName(words.front().text)) > 0) return std::nullopt;
    const auto several = [](const ShellWord& word) { return word.text.find_first_of(" \t\n") != std::string::npos; };
    if (words.front().text == "eval") return CommandWithin{0, 1, words.size()};
    const bool remote = kRemote.count(baseName(words.front().text)) > 0;
    bool shell = false, started = false;
    std::size_t starters = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& text = words[i].text;
        const std::string_view name = baseName(text);
        if (shell && words[i - 1].text.starts_with('-') && words[i - 1].text.ends_with('c')) return CommandWithin{started ? starters : 0, i, i + 1};
        if (remote && several(words[i])) return CommandWithin{0, i, words.size()};
        if (kLaunchers.count(name) > 0 || name.starts_with("python") || name.ends_with(".py")) return std::nullopt;
        shell = kShells.count(name) > 0 || (shell && text.starts_with('-'));  // bash FILE -c ... is the file's option
        if (kShells.count(name) > 0) starters = i;
        started = started || kStarters.count(name) > 0;
    }
    return std::nullopt;
}

std::optional<std::size_t> shellInput(const std::vector<ShellWord>& words)
{
    if (words.empty()) return std::nullopt;
    if (kSubmitters.count(baseName(words.front().text)) > 0) return 0;
    const auto shell = shellAmong(words);
    if (!shell.has_value()) return baseName(words.front().text) == "ssh" ? std::optional<std::size_t>(0) : std::nullopt;
    for (std::size_t i = shell->end; i < words.size(); ++i) {
        if (words[i].text == "-s") break;
        if (!words[i].text.starts_with('-') || words[i].text == "-c") return std::nullopt;
    }
    return shell->starters;
}

std::optional<CommandWithin> scriptOf(const std::vector<ShellWord>& words)
{
    if (words.empty()) return std::nullopt;
    const std::string& first = words.front().text;
    const bool hands = first == "source" || first == "." || kSubmitters.count(baseName(first)) > 0;
    const auto shell = shellAmong(words);
    if (!hands && !shell.has_value()) return CommandWithin{0, 0, 1};
    for (std::size_t i = hands ? 1 : shell->end; i < words.size(); ++i) {
        if (!words[i].text.starts_with('-')) return CommandWithin{hands ? 0 : shell->starters, i, i + 1};
    }
    return std::nullopt;
}

}  // namespace stagecraft
