// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/shell_idioms.h"

#include <algorithm>
#include <set>

namespace stagecraft {

namespace {

std::string_view baseName(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

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
    if (script != (folders > 0) || (!script && !here)) return std::nullopt;
    for (; folders > 1; --folders) path += "/..";
    return path;
}

std::optional<CommandWithin> commandWithin(const std::vector<ShellWord>& words)
{
    using Names = std::set<std::string, std::less<>>;
    static const Names kShells{"sh", "bash", "dash", "zsh", "ksh"};
    static const Names kRemote{"ssh", "pdsh", "clush", "su", "tmux", "screen"};
    static const Names kStarters{"srun", "mpirun", "mpiexec", "mpiexec.hydra"};
    static const Names kLaunchers{"deepspeed", "ds", "torchrun", "accelerate", "llamafactory-cli", "axolotl"};
    static const Names kTexts{"echo", "printf", "cat", "tee", "grep", "sed", "awk", "alias", "trap", "git"};
    if (words.empty() || kTexts.count(baseName(words.front().text)) > 0) return std::nullopt;
    const auto several = [](const ShellWord& word) { return word.text.find_first_of(" \t\n") != std::string::npos; };
    if (words.front().text == "eval") return std::any_of(words.begin(), words.end(), several) ? std::optional(CommandWithin{0, 1, words.size()}) : std::nullopt;
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

}  // namespace stagecraft
