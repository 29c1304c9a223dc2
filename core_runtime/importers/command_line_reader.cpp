// SPDX-License-Identifier: GPL-3.0-or-later
// A command line that starts a training, or the shell script around it. Options of the launchers: DeepSpeed 0.19
// launcher/runner.py, PyTorch 2.11 distributed/run.py, accelerate 1.x commands/launch.py.
#include "importers/readers.h"

#include "importers/launch_command.h"
#include "importers/launch_hosts.h"
#include "importers/script_arguments.h"
#include "importers/word_doubts.h"
#include "importers/yaml_reader.h"

#include <algorithm>
#include <set>

namespace stagecraft {

namespace {

using Words = std::vector<ShellWord>;

bool endsWith(const std::string& text, std::string_view end) { return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0; }

class CommandReader {
public:
    CommandReader(ImportDraft& draft, ShellScript script) : m_draft(draft), m_script(std::move(script)), m_arguments(draft, m_script) {}

    Result<void> read()
    {
        // The first one of a plain start, else the first that an argument or a call from outside may start.
        std::vector<std::size_t> trainings;
        std::size_t at = 0;
        for (std::size_t i = 0; i < m_script.commands.size(); ++i) {
            if (launcherOf(m_script.commands[i].words, at) != Launcher::None) trainings.push_back(i);
        }
        if (trainings.empty()) return m_draft.refuse(ErrorCode::InvalidInput, 0, "no command in it starts deepspeed, accelerate launch, torchrun, llamafactory-cli train or axolotl train, and none hands a Python script --deepspeed; put that line into the file", "其中没有启动 deepspeed、accelerate launch、torchrun、llamafactory-cli train 或 axolotl train 的命令，也没有把 --deepspeed 传给 Python 脚本的命令；把该行写进文件");
        const auto likely = std::find_if(trainings.begin(), trainings.end(), [&](std::size_t i) { return m_script.commands[i].likely; });
        const std::size_t first = likely != trainings.end() ? *likely : trainings.front();
        m_environment = m_script.commands[first].environment;
        const Words words = withDefaultsTold(m_draft, m_script.commands[first].words);
        const Launcher launcher = launcherOf(words, at);
        for (std::size_t i = 0; i < first; ++i) tellSourced(m_script.commands[i].words);
        for (const std::string& file : m_script.sourced) m_draft.note(TransferKind::Taken, file, 0, {}, "", m_draft.say("Read as a part of the script that names it: what it sets holds here.", "作为引用它的脚本的一部分读取：其中的设置在此处有效。"));
        if (auto read = command(launcher, words, at); !read.hasValue()) return read;
        for (const std::size_t other : trainings) {
            if (other == first) continue;
            (void)launcherOf(m_script.commands[other].words, at);
            const ShellWord& named = m_script.commands[other].words[at > 0 ? at - 1 : 0];  // a script that is called itself has nothing before it
            const bool called = named.text == "launch" || named.text == "train";
            m_draft.note(TransferKind::Warning, called && at > 1 ? m_script.commands[other].words[at - 2].text + " " + named.text : named.text, named.line, {}, "",
                         other < first || !m_script.commands[other].likely ? m_draft.say("Another training, which starts only where the script is told so from outside: the one in line {0} is read.", "另一个训练，只有从外部指定时才会启动：读取的是第 {0} 行的训练。", {std::to_string(words.front().line)})
                                                                           : m_draft.say("A second training starts here: only the first one is read.", "此处启动了第二个训练：只读取第一个。"));
        }
        return {};
    }

private:
    /// What a file that the script sources sets is not known; one that makes an environment ready sets no argument.
    void tellSourced(const Words& words)
    {
        static const char* const kReady[]{"activate", "bashrc", "profile", "conda", "/etc/", "venv", "module", "setvars", "set_env"};
        if (words.size() < 2 || (words.front().text != "source" && words.front().text != ".")) return;
        const std::string file = shownValue(words[1]).text;
        if (std::find(m_script.sourced.begin(), m_script.sourced.end(), file) != m_script.sourced.end()) return;
        if (std::any_of(std::begin(kReady), std::end(kReady), [&](const char* part) { return file.find(part) != std::string::npos; })) return;
        m_draft.note(TransferKind::Warning, words.front().text + " " + file, words.front().line, {}, "", m_draft.say("This file is not read: a variable that it sets counts there and not here.", "未读取此文件：其中设置的变量只在运行时有效，此处不计入。"));
    }

    /// The launcher's name of one of its options that choose hosts; null for another one.
    static const char* hostOption(const std::string& name)
    {
        static const std::map<std::string, const char*> kNames{{"include", "include"}, {"i", "include"}, {"exclude", "exclude"}, {"e", "exclude"}, {"hostfile", "hostfile"}, {"H", "hostfile"}};
        const auto found = kNames.find(name);
        return found == kNames.end() ? nullptr : found->second;
    }

    [[nodiscard]] std::string startsProcesses() const { return m_draft.say("Says where and how the processes start, not how the training is sharded.", "说明进程在哪里、如何启动，与分片方式无关。"); }
    [[nodiscard]] std::string ofTheScript() const { return m_draft.say("An argument of the script's own.", "脚本自己的参数。"); }
    std::optional<std::int64_t> count(const std::string& option, const ShellWord& value)
    {
        const auto read = value.known ? trainerValue({"", ArgumentType::Int, ""}, ConfigValue::ofString(value.text)) : std::nullopt;
        if (!read.has_value() || std::get<std::int64_t>(*read) < 1 || std::get<std::int64_t>(*read) > 1'000'000) {
            m_draft.note(TransferKind::Warning, option, value.line, shownValue(value), "", m_draft.say("Known only when the script runs{0}: give the number of ranks.", "只有脚本运行时才知道{0}：给出 rank 数。", {whyUnknown(m_draft, value)}));
            return std::nullopt;
        }
        m_draft.taken(option, value.line, ConfigValue::ofInt(std::get<std::int64_t>(*read)), (option.find("node") != std::string::npos && option.find("per") == std::string::npos) || option == "NNODES" ? "/hardware/nodes" : "/hardware/devicesPerNode");
        return std::get<std::int64_t>(*read);
    }

    Result<void> command(Launcher launcher, const Words& words, std::size_t at)
    {
        static const std::set<std::string> kDeepSpeedFlags{"module", "no_python", "no_local_rank", "no_ssh", "force_multi", "save_pid", "enable_each_rank_log_off", "elastic_training", "bind_cores_to_rank", "no_ssh_check", "enable_elastic"};
        static const std::set<std::string> kTorchFlags{"standalone", "no_python", "use_env", "run_path", "module", "m"};
        static const std::set<std::string> kAccelerateFlags{"use_deepspeed", "multi_gpu", "cpu", "use_fsdp", "use_megatron_lm", "module", "m", "no_python", "quiet", "debug", "tpu", "same_network", "enable_cpu_affinity", "use_xpu", "ipex", "mps"};
        const std::set<std::string>& flags = launcher == Launcher::DeepSpeed ? kDeepSpeedFlags : launcher == Launcher::Torchrun ? kTorchFlags : kAccelerateFlags;
        std::optional<std::int64_t> perNode, nodes, processes;
        bool nodesSaid = false, processesSaid = false;  // an option says so, perhaps by a variable that only the shell knows
        ConfigValue accelerate = ConfigValue::ofObject();
        ConfigValue plugin = ConfigValue::ofObject();
        std::string configFile;
        int configLine = 0;
        const bool options = launcher == Launcher::DeepSpeed || launcher == Launcher::Torchrun || launcher == Launcher::Accelerate;
        std::map<std::string, ShellWord> hosts;
        bool chosen = false, everyDevice = false;  // deepspeed's own choice of devices; torchrun's "gpu"
        for (; at < words.size() && options; ++at) {
            if (isOpen(words[at]) && std::any_of(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), [](const ShellWord& word) { return endsWith(word.text, ".py"); })) {
                tellOpenWords(m_draft, words[at]);
                continue;
            }
            if (!isOptionWord(words[at].text)) break;
            const std::string option = words[at].text.substr(0, words[at].text.find('='));
            const std::string name = optionName(option);
            const int line = words[at].line;
            const bool flag = flags.count(name) > 0;
            const ShellWord value = flag ? ShellWord{"true", line, true} : optionValue(words, at);
            chosen = chosen || name == "include" || name == "i" || name == "exclude" || name == "e" || name == "num_gpus" || name == "num_accelerators" || name == "num_nodes" || name == "hostfile" || name == "H";
            if (launcher == Launcher::Torchrun && name == "nproc_per_node" && (value.text == "gpu" || value.text == "auto")) everyDevice = true;
            else if (name == "num_gpus" || name == "num_accelerators" || name == "nproc_per_node") perNode = count(option, value);
            else if (name == "num_nodes" || name == "nnodes" || name == "num_machines") nodesSaid = true, nodes = count(option, value);
            else if (name == "num_processes") processesSaid = true, processes = count(option, value);
            else if (launcher == Launcher::DeepSpeed && hostOption(name) != nullptr) hosts[hostOption(name)] = value;
            else if (launcher == Launcher::Accelerate && !value.known && m_script.file(value.text) == nullptr && (name == "config_file" || name == "deepspeed_config_file"))
                return m_draft.refuse(ErrorCode::InvalidInput, line, "{0} names a file that is known only when the script runs{1}; write its path there", "{0} 指定的文件只有脚本运行时才知道{1}；在该处写出路径", {option, whyUnknown(m_draft, value)});
            else if (name == "config_file" && launcher == Launcher::Accelerate) { configFile = value.text; configLine = line; }
            else if (launcher == Launcher::Accelerate && accelerateOption(name, value, accelerate, plugin)) {}
            else if (!(name == "module" || name == "m")) m_draft.dropped(option, line, ConfigValue::ofString(value.text), startsProcesses());
        }
        if (launcher == Launcher::Accelerate) {
            if (auto read = byAccelerate(configFile, configLine, accelerate, plugin, processes, nodes, processesSaid, nodesSaid); !read.hasValue()) return read;
        }
        if (!hosts.empty()) chooseHosts(hosts, perNode, nodes, processes);
        if (launcher == Launcher::Python || launcher == Launcher::Other) {
            ShellWord option;
            std::optional<std::int64_t> onNodes;
            if (const auto started = ranksOfStarter(words, at, m_script.batch, option, onNodes); started.has_value()) {
                if (onNodes.has_value() && *started % *onNodes == 0) nodes = onNodes;
                processes = started;
                m_draft.taken(option.text, option.line, ConfigValue::ofInt(*started), "/layout/dp");
            }
        }
        if (launcher == Launcher::Other) m_draft.note(TransferKind::Warning, words.front().text, words.front().line, {}, "", m_draft.say("This launcher is not known here (deepspeed, accelerate launch, torchrun, llamafactory-cli and axolotl are): only what it hands to {0} is read.", "未知的启动器（已知：deepspeed、accelerate launch、torchrun、llamafactory-cli、axolotl）：只读取它传给 {0} 的参数。", {words[at].text}));
        if (launcher == Launcher::LlamaFactory) {
            perNode = fromEnvironment("NPROC_PER_NODE");
            nodes = fromEnvironment("NNODES");
            nodesSaid = m_environment.count("NNODES") > 0;
            processesSaid = m_environment.count("NPROC_PER_NODE") > 0;
        }
        // As axolotl was started before it had a command of its own.
        const bool axolotlModule = at < words.size() && options && words[at].text == "axolotl.cli.train";
        if (axolotlModule) ++at;
        if (launcher == Launcher::Axolotl || axolotlModule) {
            if (auto read = axolotl(words, at, perNode, nodes, processes, nodesSaid, processesSaid); !read.hasValue()) return read;
        }
        const bool takesEveryDevice = everyDevice || (launcher == Launcher::DeepSpeed && !chosen) || (launcher == Launcher::Accelerate && !nodes.has_value()) || launcher == Launcher::LlamaFactory || launcher == Launcher::Axolotl;
        if (!perNode.has_value() && !processes.has_value() && !processesSaid && takesEveryDevice) perNode = everyVisibleDevice();
        if (nodes.has_value()) m_draft.nodes = static_cast<int>(*nodes);
        if (processes.has_value()) m_draft.ranks = static_cast<int>(*processes);
        else if (perNode.has_value() && (nodes.has_value() || !nodesSaid)) m_draft.ranks = static_cast<int>(std::min<std::int64_t>(*perNode * nodes.value_or(1), 1'000'000));
        if (launcher == Launcher::Axolotl || axolotlModule) return {};
        const bool ownLoop = at < words.size() && endsWith(words[at].text, "_no_trainer.py");
        if (at < words.size() && (options || launcher == Launcher::Python || launcher == Launcher::Other)) ++at;  // the script itself
        if (auto read = m_arguments.read(words, at); !read.hasValue()) return read;
        // Names that only TrainingArguments have. DeepSpeed's own switch and --deepspeed_config are of scripts that call DeepSpeed themselves.
        if (m_arguments.trainerNames && !ownLoop && !m_arguments.ownConfig) m_draft.trainer = true;
        return {};
    }

    /// axolotl train FILE with an option for each key of the file, which wins, and the launcher's own options.
    Result<void> axolotl(const Words& words, std::size_t at, std::optional<std::int64_t>& perNode, std::optional<std::int64_t>& nodes, std::optional<std::int64_t>& processes, bool& nodesSaid, bool& processesSaid)
    {
        static const std::set<std::string> kOthers{"launcher", "accelerate", "no_accelerate", "sweep", "main_process_port", "cloud"};
        std::string file;
        int fileLine = 0;
        ConfigValue options = ConfigValue::ofObject();
        std::vector<std::pair<std::string, ShellWord>> open;  // what only the running script knows
        for (; at < words.size(); ++at) {
            const ShellWord& word = words[at];
            if (isOpen(word)) {
                tellOpenWords(m_draft, word);
                continue;
            }
            if (!isOptionWord(word.text)) {
                if (file.empty() && word.known) file = word.text, fileLine = word.line;
                else m_draft.dropped(word.text, word.line, {}, ofTheScript());
                continue;
            }
            if (word.text == "--") continue;  // the launcher's own options follow
            const std::string option = word.text.substr(0, word.text.find('='));
            std::string name = optionName(option);
            const bool follows = word.text.find('=') != std::string::npos || (at + 1 < words.size() && !isOptionWord(words[at + 1].text) && !endsWith(words[at + 1].text, ".yaml") && !endsWith(words[at + 1].text, ".yml"));
            const bool negated = !follows && name.starts_with("no_");
            const ShellWord value = follows ? optionValue(words, at) : ShellWord{negated ? "false" : "true", word.line, word.known};
            if (name == "num_processes") processesSaid = true, processes = count(option, value);
            else if (name == "nproc_per_node") processesSaid = true, perNode = count(option, value);
            else if (name == "nnodes" || name == "num_machines") nodesSaid = true, nodes = count(option, value);
            else if (kOthers.count(name) > 0) m_draft.dropped(option, word.line, ConfigValue::ofString(value.text), startsProcesses());
            else if (!value.known) {
                open.emplace_back(name, value);
                std::erase_if(options.members, [&](const ConfigMember& other) { return other.key == name; });
            } else {
                if (negated) name = name.substr(3);
                const TextPlace place{-value.line, 1};  // of the command, not of the file
                ConfigValue given = yamlScalar(value.text, YamlDialect::PyYaml);
                given.place = place;
                std::erase_if(options.members, [&](const ConfigMember& other) { return other.key == name; });
                options.members.push_back({name, place, std::move(given)});
            }
        }
        if (file.empty()) return m_draft.refuse(ErrorCode::InvalidInput, words.front().line, "axolotl train names no file that could be read here; write axolotl train FILE.yaml", "axolotl train 没有指定此处可读取的文件；写 axolotl train FILE.yaml");
        auto text = m_arguments.fileText(file);
        if (!text.hasValue()) return m_draft.refuse(text.error().code, fileLine, "the arguments stand in \"{0}\", which cannot be read: {1}; put the file at that path, or import it by itself", "参数写在“{0}”中，而该文件无法读取：{1}；把该文件放到该路径，或单独导入它", {file, m_draft.whyUnreadable(text.error())});
        auto read = readYaml(text.value(), YamlDialect::PyYaml);
        if (!read.hasValue()) return m_draft.refuse(ErrorCode::InvalidInput, fileLine, "its arguments in \"{0}\": {1}", "其参数文件“{0}”：{1}", {file, m_draft.whatIsWrong(read.error())});
        if (!read->root.isObject()) return m_draft.refuse(ErrorCode::InvalidInput, fileLine, "\"{0}\" holds no arguments; write \"key: value\" lines into it", "“{0}”中没有参数；在其中写 \"key: value\" 行", {file});
        m_draft.taken(file, fileLine, ConfigValue::ofString(file), {});
        {
            const NamedFile named(m_draft, file);
            if (auto taken = readAxolotl(m_draft, overlaid(std::move(read->root), options)); !taken.hasValue()) return taken;
        }
        for (const auto& [name, value] : open) leaveOpen(m_draft, axolotlArgument(name), "--" + name, value);
        return {};
    }

    /// @return `root` with the options in the place of its own keys
    ConfigValue overlaid(ConfigValue root, const ConfigValue& options)
    {
        for (const ConfigMember& member : options.members) {
            const auto same = [&](const ConfigMember& other) { return other.key == member.key; };
            for (const ConfigMember& old : root.members) {
                if (same(old) && !old.value.isNull()) m_draft.replaced(old.key, old.keyPlace.line, old.value, "--" + old.key);
            }
            std::erase_if(root.members, same);
            root.members.push_back(member);
        }
        return root;
    }

    /// What the environment of the command leaves to a launcher that takes every device it sees.
    std::optional<std::int64_t> everyVisibleDevice()
    {
        std::string name;
        const auto devices = visibleDevices(m_environment, name);
        if (!devices.has_value()) return std::nullopt;
        const ShellWord& list = m_environment.at(name);
        tellDefaults(m_draft, name, list);
        m_draft.note(TransferKind::Taken, name, list.line, ConfigValue::ofString(list.text), "/hardware/devicesPerNode", m_draft.say("The launcher starts one rank on each of these {0} devices.", "启动器在这 {0} 个设备上各启动一个 rank。", {std::to_string(*devices)}));
        return devices;
    }

    std::optional<std::int64_t> fromEnvironment(const char* name)
    {
        const auto found = m_environment.find(name);
        if (found == m_environment.end()) return std::nullopt;
        tellDefaults(m_draft, name, found->second);
        return count(name, found->second);
    }

    /// deepspeed's --hostfile, --include and --exclude: the ranks and nodes that they start.
    void chooseHosts(const std::map<std::string, ShellWord>& given, std::optional<std::int64_t>& perNode, std::optional<std::int64_t>& nodes, std::optional<std::int64_t>& processes)
    {
        static const char* const kChoices[]{"include", "exclude", "hostfile"};
        HostChoice choice{std::nullopt, {}, {}, nodes.value_or(0), perNode.value_or(0)};
        const ShellWord* told = nullptr;
        std::string option;
        bool known = true;
        for (const char* name : kChoices) {
            const auto word = given.find(name);
            if (word == given.end()) continue;
            if (told == nullptr) told = &word->second, option = std::string("--") + name;
            known = known && word->second.known;
            if (!word->second.known) continue;
            if (name == std::string("include")) choice.include = word->second.text;
            else if (name == std::string("exclude")) choice.exclude = word->second.text;
            else if (auto text = m_arguments.fileText(word->second.text); text.hasValue()) choice.hostFile = std::move(*text);
        }
        if (told == nullptr || (option == "--hostfile" && nodes.has_value() && perNode.has_value())) return;
        const auto ranks = known ? ranksOfHosts(choice) : std::nullopt;
        if (!ranks.has_value()) {
            if (!choice.include.empty() || !choice.exclude.empty()) perNode.reset();  // deepspeed takes no number beside a choice
            if (perNode.has_value() && nodes.has_value()) return;
            m_draft.note(TransferKind::Warning, option, told->line, shownValue(*told), "", m_draft.say("The number of ranks cannot be read from this{0}: give it.", "无法由此得到 rank 数{0}：给出。", {whyUnknown(m_draft, *told)}));
            return;
        }
        std::int64_t slots = 0;
        for (const std::int64_t one : *ranks) slots += one;
        nodes = static_cast<std::int64_t>(ranks->size());
        processes = std::min<std::int64_t>(slots, 1'000'000);
        m_draft.note(TransferKind::Taken, option, told->line, shownValue(*told), "/hardware/devicesPerNode", m_draft.say("{0} devices on {1} hosts.", "{1} 台主机共 {0} 个设备。", {std::to_string(slots), std::to_string(ranks->size())}));
    }

    bool accelerateOption(const std::string& name, const ShellWord& value, ConfigValue& accelerate, ConfigValue& plugin)
    {
        static const std::set<std::string> kPlugin{"deepspeed_config_file", "zero_stage", "offload_optimizer_device", "offload_param_device", "offload_optimizer_nvme_path", "offload_param_nvme_path",
                                                   "gradient_accumulation_steps", "gradient_clipping", "zero3_init_flag", "zero3_save_16bit_model", "deepspeed_hostfile", "deepspeed_multinode_launcher",
                                                   "deepspeed_exclusion_filter", "deepspeed_inclusion_filter", "deepspeed_moe_layer_cls_names"};
        if (!value.known && (name == "mixed_precision" || kPlugin.count(name) > 0)) {
            leaveOpen(m_draft, name, "--" + name, value);
            m_draft.openOptions.insert(name);
        }
        ConfigValue entry = ConfigValue::ofString(value.known ? value.text : "auto");
        const TextPlace place{-value.line, 1};  // of the command, not of the config it names
        entry.place = place;
        if (name == "mixed_precision") accelerate.members.push_back({name, place, entry});
        else if (name == "use_deepspeed") accelerate.members.push_back({"distributed_type", place, ConfigValue::ofString("DEEPSPEED")});
        else if (kPlugin.count(name) > 0) plugin.members.push_back({name, place, entry});
        else return false;
        return true;
    }

    Result<void> byAccelerate(const std::string& file, int line, const ConfigValue& options, const ConfigValue& plugin, std::optional<std::int64_t>& processes, std::optional<std::int64_t>& nodes, bool processesSaid, bool nodesSaid)
    {
        ConfigValue root = ConfigValue::ofObject();
        if (!file.empty()) {
            auto text = m_arguments.fileText(file);
            if (!text.hasValue()) return m_draft.refuse(text.error().code, line, "--config_file names \"{0}\", which cannot be read: {1}; put the accelerate config at that path, or import it by itself", "--config_file 指定的“{0}”无法读取：{1}；把 accelerate 配置放到该路径，或单独导入它", {file, m_draft.whyUnreadable(text.error())});
            auto read = readYaml(text.value(), YamlDialect::PyYaml);
            if (!read.hasValue()) return m_draft.refuse(ErrorCode::InvalidInput, line, "its accelerate config \"{0}\": {1}", "其 accelerate 配置“{0}”：{1}", {file, m_draft.whatIsWrong(read.error())});
            if (!read->root.isObject()) return m_draft.refuse(ErrorCode::InvalidInput, line, "its accelerate config \"{0}\" holds no keys; write distributed_type: DEEPSPEED and the rest into it", "其 accelerate 配置“{0}”中没有键；写入 distributed_type: DEEPSPEED 等内容", {file});
            root = std::move(read->root);
        } else if (options.find("distributed_type") == nullptr) {
            return {};  // plain accelerate: the script's own arguments decide
        }
        const NamedFile named(m_draft, file);
        const auto over = [&](const std::string& key) {
            const auto old = std::find_if(root.members.begin(), root.members.end(), [&](const ConfigMember& member) { return member.key == key; });
            if (old == root.members.end()) return;
            if (!old->value.isNull()) m_draft.replaced(key, old->keyPlace.line, old->value, "--" + (key == "distributed_type" ? std::string("use_deepspeed") : key));
            root.members.erase(std::remove_if(root.members.begin(), root.members.end(), [&](const ConfigMember& member) { return member.key == key; }), root.members.end());
        };
        if (processesSaid) over("num_processes");
        if (nodesSaid) over("num_machines");
        for (const ConfigMember& member : options.members) {
            if (member.key == "distributed_type" && root.find(member.key) != nullptr && root.find(member.key)->isString("DEEPSPEED")) continue;
            over(member.key);
            root.members.push_back(member);
        }
        const ConfigMember* own = root.findMember("deepspeed_config");
        const ConfigValue ownFields = own != nullptr && own->value.isObject() ? own->value : ConfigValue::ofObject();
        if (!plugin.members.empty()) {
            ConfigValue fields = ownFields;
            for (const ConfigMember& member : plugin.members) {
                if (const ConfigMember* old = ownFields.findMember(member.key); old != nullptr) {
                    m_draft.replaced("deepspeed_config." + member.key, old->keyPlace.line, old->value, "--" + member.key);
                    fields.members.erase(std::remove_if(fields.members.begin(), fields.members.end(), [&](const ConfigMember& other) { return other.key == member.key; }), fields.members.end());
                }
                fields.members.push_back(member);
            }
            root.set("deepspeed_config", fields);
        }
        if (auto read = readAccelerate(m_draft, root, &ownFields); !read.hasValue()) return read;
        if (!processes.has_value() && m_draft.ranks > 0) processes = m_draft.ranks;
        if (!nodes.has_value() && m_draft.nodes > 0) nodes = m_draft.nodes;
        return {};
    }

    ImportDraft& m_draft;
    ShellScript m_script;
    ShellEnvironment m_environment;  ///< of the command being read
    ScriptArguments m_arguments;
};

}  // namespace

bool hasLauncherCommand(std::string_view text)
{
    // Words are dear, a hundred bytes for each: a text of megabytes is no script, and not taken apart.
    constexpr std::size_t kMostScript = std::size_t{256} << 10;
    if (text.size() > kMostScript) return false;
    const auto script = readShellScript(text);
    if (!script.hasValue()) return false;
    return std::any_of(script->commands.begin(), script->commands.end(), [](const ShellCommand& command) {
        std::size_t at = 0;
        return launcherOf(command.words, at) != Launcher::None;
    });
}

Result<void> readCommandLine(ImportDraft& draft)
{
    auto script = readShellScript(draft.file.text, launchVariables(), draft.options.readFile);
    if (!script.hasValue()) return draft.refuse(ErrorCode::InvalidInput, 0, "{0}", "第 {1} 行：脚本过大或嵌套过深，无法读取（变量与函数展开后至多 1 MiB，命令至多嵌套 60 层）", {script.error().message, script.error().context.count("line") > 0 ? script.error().context.at("line") : std::string("1")});
    return CommandReader(draft, std::move(script.value())).read();
}

}  // namespace stagecraft
