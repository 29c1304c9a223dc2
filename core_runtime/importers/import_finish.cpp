// SPDX-License-Identifier: GPL-3.0-or-later
// The common end of every import: "auto" becomes what the launcher would fill in, and the training's size reaches the workspace.
#include "importers/import_draft.h"

#include "config/hjson_reader.h"
#include "importers/config_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagecraft {

namespace {

ConfigValue object(std::initializer_list<std::pair<const char*, ConfigValue>> members)
{
    ConfigValue value = ConfigValue::ofObject();
    for (const auto& [key, member] : members) value.set(key, member);
    return value;
}

}  // namespace

void ImportDraft::giveRanks()
{
    if (options.ranks > 0) ranks = options.ranks;
    CheckContext& context = result.context;
    context.world = std::max(ranks, 1);
    if (ranks < 1) {  // half of what makes the number of ranks is not taken either
        (void)notes.warned("/hardware/nodes", "", say("Not taken over: how many processes each of the nodes starts is not known, and so the number of ranks is not. Give the number of ranks.", "未采用：每个节点启动多少个进程未知，因此 rank 数未知。给出 rank 数。"));
        (void)notes.warned("/hardware/devicesPerNode", "", say("Not taken over: on how many nodes is not known, and so the number of ranks is not. Give the number of ranks.", "未采用：节点数未知，因此 rank 数未知。给出 rank 数。"));
    }
    if (ranks < 1 && options.workspaceRanks > 0) {  // the layout stays the workspace's
        context.world = keepTheWorkspacesRanks();
        return;
    }
    if (ranks < 1) {
        if (result.format != ForeignFormat::DsConfig || trainer) note(TransferKind::Warning, "", 0, {}, "/layout/dp", say("The file does not say on how many ranks it runs: 1 is assumed. Give the number of ranks.", "文件没有说明使用多少个 rank：按 1 处理。给出 rank 数。"));
        return;
    }
    if (nodes < 1) nodes = 1;
    if (ranks % nodes != 0) {
        note(TransferKind::Warning, "", 0, ConfigValue::ofInt(ranks), "", say("{0} ranks do not divide among {1} nodes; hardware is left as it is.", "{0} 个 rank 无法平均分到 {1} 个节点；硬件设置保持不变。", {std::to_string(ranks), std::to_string(nodes)}));
        return;
    }
    setWorkspace("/hardware/nodes", ConfigValue::ofInt(nodes));
    setWorkspace("/hardware/devicesPerNode", ConfigValue::ofInt(ranks / nodes));
    const std::int64_t others = splitOfTheRanks();
    for (const char* split : {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"}) {
        if (knownLater.count(split) > 0) return;
    }
    setWorkspace("/layout/dp", ConfigValue::ofInt(ranks / others));
    replaceTheWorkspacesLayout(ranks / others);
}

/// The ranks stay the workspace's where the file says nothing of them; a split of the file's own divides them anew. @return the data-parallel ones
int ImportDraft::keepTheWorkspacesRanks()
{
    const int before = options.workspaceRanks;
    std::int64_t all = before, share = 1;
    std::string split;
    for (const char* part : {"tp", "pp", "cp"}) {
        const auto said = std::find_if(result.workspace.begin(), result.workspace.end(), [&](const WorkspaceValue& set) { return set.pointer == "/layout/" + std::string(part); });
        const auto had = options.workspaceSplit.find(part);
        const std::int64_t old = had == options.workspaceSplit.end() ? 1 : had->second, now = said == result.workspace.end() ? old : std::max<std::int64_t>(1, std::atoll(said->json.c_str()));
        all *= old;
        share *= now;
        if (now != old) split += (split.empty() ? "" : ", ") + std::string(part) + " " + std::to_string(now);
    }
    if (split.empty()) {
        if (trainer || accelerate) note(TransferKind::Changed, "", 0, {}, "/layout/dp", say("The file does not say on how many ranks it runs: the workspace's {0} data-parallel ranks are used.", "文件没有说明使用多少个 rank：采用工作区的数据并行 rank 数 {0}。", {std::to_string(before)}));
        return before;
    }
    if (all % share != 0) {
        note(TransferKind::Warning, "", 0, {}, "/layout/dp", say("The file does not say on how many ranks it runs, and its split ({0}) does not divide the workspace's {1}: with {2} data-parallel ranks as before they would be {3}. Give the number of ranks.", "文件没有说明使用多少个 rank，其划分（{0}）又不能整除工作区的 {1} 个：若数据并行 rank 数仍为 {2}，总数将为 {3}。给出 rank 数。", {split, std::to_string(all), std::to_string(before), std::to_string(before * share)}));
        return before;
    }
    const std::int64_t dp = all / share;
    setWorkspace("/layout/dp", ConfigValue::ofInt(dp));
    note(TransferKind::Changed, "", 0, {}, "/layout/dp", say("The file does not say on how many ranks it runs: the workspace's {0} are kept, and with its split ({1}) {2} of them are data-parallel.", "文件没有说明使用多少个 rank：保留工作区的 {0} 个，按文件的划分（{1}），数据并行为 {2}。", {std::to_string(all), split, std::to_string(dp)}));
    return static_cast<int>(dp);
}

/// Ranks that share one data-parallel place: what the ds_config's AutoTP and Megatron's arguments make of them. A split that does not divide the
/// ranks goes, which is told: no workspace can have it.
std::int64_t ImportDraft::splitOfTheRanks()
{
    const char* const autoTp = "/tensor_parallel/autotp_size";
    const ConfigValue* tensor = valueAt(m_config, autoTp);
    std::int64_t tp = tensor != nullptr && tensor->kind == ConfigValue::Kind::Int && tensor->integer > 1 && ranks % tensor->integer == 0 ? tensor->integer : 1;
    if (tp > 1 && !options.workspaceAutoTp) {
        note(TransferKind::Warning, autoTp, 0, *tensor, "", say("Only DeepSpeed divides the layers by this key, and the workspace's framework is another: its layout keeps all {0} ranks data-parallel, of which the batch is made. Choose DeepSpeed as its framework, or take the key out and set layout.tp.", "只有 DeepSpeed 按这个键切分层，而工作区的框架不是它：布局中全部 {0} 个 rank 保持数据并行，batch 也按此计算。将框架改为 DeepSpeed，或去掉这个键并设置 layout.tp。", {std::to_string(ranks)}));
        tp = 1;
    }
    if (tp > 1) setWorkspace("/layout/tp", ConfigValue::ofInt(tp));
    std::int64_t others = tp;
    std::string split;
    const auto ofSplit = [tp](const WorkspaceValue& set) { return set.pointer == "/layout/pp" || set.pointer == "/layout/cp" || (set.pointer == "/layout/tp" && tp == 1); };
    for (const WorkspaceValue& set : result.workspace) {
        if (!ofSplit(set)) continue;
        others *= std::max<std::int64_t>(1, std::atoll(set.json.c_str()));
        if (set.json != "1") split += (split.empty() ? "" : ", ") + set.pointer.substr(8) + " " + set.json;
    }
    if (ranks % others == 0) return others;
    const std::string reason = say("Not taken over: {0} ranks do not divide by {1} ({2}), and the program refuses that too. All of them are data-parallel here; mend the number of ranks or the split.", "未采用：{0} 个 rank 不能被 {1} 整除（{2}），程序本身也会拒绝。此处全部为数据并行；改正 rank 数或划分。", {std::to_string(ranks), std::to_string(others), split});
    for (const WorkspaceValue& set : result.workspace) {
        if (ofSplit(set) && set.json != "1") (void)notes.warned(set.pointer, "", reason);
    }
    std::erase_if(result.workspace, ofSplit);
    return tp;
}

/// Says that the workspace has other ranks, and takes out a split of its ranks of which the file says nothing.
void ImportDraft::replaceTheWorkspacesLayout(std::int64_t dp)
{
    if (options.workspaceRanks < 1) return;
    std::string split;
    for (const auto& [part, parts] : options.workspaceSplit) {
        const std::string pointer = "/layout/" + part;
        const bool said = std::any_of(result.workspace.begin(), result.workspace.end(), [&](const WorkspaceValue& value) { return value.pointer == pointer; });
        if (parts < 2 || said || (part == "ep" && dp % parts == 0)) continue;
        setWorkspace(pointer, {});
        split += (split.empty() ? "" : ", ") + part + " " + std::to_string(parts);
    }
    const std::string before = std::to_string(options.workspaceRanks), now = std::to_string(dp);
    if (dp != options.workspaceRanks)
        note(TransferKind::Warning, "", 0, {}, "/layout/dp", options.ranks > 0 ? say("The workspace has {0} data-parallel ranks and gets {1}, as asked; its hardware follows.", "工作区有 {0} 个数据并行 rank，按要求改为 {1} 个；硬件随之改变。", {before, now})
                                                                               : say("The workspace has {0} data-parallel ranks and gets {1}, as the file says; its hardware follows.", "工作区有 {0} 个数据并行 rank，按文件改为 {1} 个；硬件随之改变。", {before, now}));
    if (!split.empty())
        note(TransferKind::Warning, "", 0, {}, "/layout", say("The workspace splits its ranks further ({0}), of which the file says nothing: that is taken out, and all {1} ranks are data-parallel.", "工作区还进一步划分 rank（{0}），文件没有这种划分：予以删除，全部 {1} 个 rank 为数据并行。", {split, now}));
}

void ImportDraft::giveModel()
{
    if (modelName.empty()) {
        if (!result.context.hiddenSize.has_value()) result.context.hiddenSize = options.workspaceHidden;
        return;
    }
    const ConfigValue name = ConfigValue::ofString(modelName);
    const auto config = options.readFile ? options.readFile(modelName + "/config.json") : Result<std::string>(Error{ErrorCode::NotFound, "", {}});
    if (!config.hasValue()) {
        note(TransferKind::Warning, "model", 0, name, "/launch/trainer/model_name_or_path", say("A name of the hub, or a folder that is not here: it is kept for what is exported, and memory and time are not planned of it. Choose the model, or put its folder into the workspace (\"hf\").", "hub 上的名字，或不在本机的文件夹：导出时仍写这个名字，内存和时间不会按该模型规划。请选择模型，或在工作区里填写它的文件夹（\"hf\"）。"));
        m_keptName = modelName;
        return;
    }
    setWorkspace("/model/hf", name);
    taken("model", 0, name, "/model/hf");
    const ReadText read = readStrictJson(config.value());
    const ConfigValue* hidden = nullptr;
    for (const char* pointer : {"/hidden_size", "/n_embd", "/d_model", "/text_config/hidden_size"}) {  // names transformers reads as hidden_size
        if (hidden == nullptr && !read.problem.has_value()) hidden = valueAt(read.root, pointer);
    }
    if (hidden != nullptr && hidden->kind == ConfigValue::Kind::Int && !result.context.hiddenSize.has_value()) result.context.hiddenSize = hidden->integer;
}

void ImportDraft::keepTheLauncher()
{
    // accelerate hands over the script's optimizer, which the file then lacks: who starts it counts, whatever is still "auto".
    const CheckLauncher launcher = result.context.launcher;
    if (launcher == CheckLauncher::Accelerate) setWorkspace("/launch/launcher", ConfigValue::ofString(checkLauncherName(launcher)));
    // What stays "auto" is filled at the start: whoever judges the file needs to know from what. And what the Trainer makes itself, as no section
    // of the ds_config says it, is made of them again by whoever exports it.
    const ConfigValue config = readHjson(result.dsConfigText).root;
    static const std::set<std::string> kOfIts{"optim", "lr_scheduler_type", "warmup_steps", "warmup_ratio"};
    const bool told = result.format != ForeignFormat::DsConfig || std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) { return kOfIts.contains(argument.first); });
    const bool made = trainer && told && (config.find("optimizer") == nullptr || (config.find("scheduler") == nullptr && trainerWord(arguments, "lr_scheduler_type") != "constant"));
    std::string kept;
    const auto keep = [&kept](const std::string& name, const ConfigValue& value) { kept += (kept.empty() ? "" : ", ") + toJson(ConfigValue::ofString(name)) + ": " + toJson(value); };
    const bool starts = trainer && result.format != ForeignFormat::DsConfig;  // the file says so, whatever is left for it to fill
    const bool asked = fillsAuto(launcher) && (!autoPointers(config).empty() || made || starts);
    if (asked) keepArguments(keep);
    if (starts || !kept.empty()) setWorkspace("/launch/launcher", ConfigValue::ofString(checkLauncherName(launcher)));
    if (!m_keptName.empty()) keep("model_name_or_path", ConfigValue::ofString(m_keptName));
    if (!kept.empty()) result.workspace.push_back({"/launch/trainer", "{" + kept + "}"});
}

void ImportDraft::keepArguments(const std::function<void(const std::string&, const ConfigValue&)>& keep) const
{
    const CheckLauncher launcher = result.context.launcher;
    for (const auto& [name, value] : arguments) {
        const bool text = std::holds_alternative<std::string>(value);  // names, paths, tokens: of no matter to a ds_config
        if (std::holds_alternative<std::monostate>(value) || (text && name != "optim" && name != "lr_scheduler_type")) continue;
        if (launcher != CheckLauncher::Accelerate || !launcherArgumentWord(name, value, launcher).empty()) keep(name, configValue(value));
    }
    if (launcher == CheckLauncher::Accelerate) {
        for (const auto& [pointer, given] : launchValues) {
            const std::string& option = given.items.front().text;
            ConfigValue value = given;
            value.items.clear();
            if (arguments.count(option) == 0 && !value.isString("auto")) keep(option, value);
        }
        if (!launchPrecision.isNull()) keep("mixed_precision", launchPrecision);
    }
}

void ImportDraft::giveSteps()
{
    const auto has = [&](const char* name) { return arguments.count(name) > 0; };
    if (trainerNumber(arguments, "max_steps") > 0) {
        setWorkspace("/training/epochs", {});
        setWorkspace("/training/steps", ConfigValue::ofInt(static_cast<std::int64_t>(trainerNumber(arguments, "max_steps"))));
    } else if (knownLater.count("max_steps") > 0) {
        notes.dropped("trainer.num_train_epochs", say("max_steps counts in its place, and is known only when the script runs.", "以 max_steps 为准，而它只有脚本运行时才知道。"));
    } else if (has("num_train_epochs")) {
        setWorkspace("/training/steps", {});
        setWorkspace("/training/epochs", configValue(arguments.at("num_train_epochs")));
    }
    if (has("seed") && trainerNumber(arguments, "seed") >= 0) setWorkspace("/training/seed", configValue(arguments.at("seed")));
    if (trainerFlag(arguments, "gradient_checkpointing") || trainerFlag(arguments, "activation_checkpointing")) setWorkspace("/layout/recompute", ConfigValue::ofString("full"));
}

/// A script without the Trainer may have arguments of the same names: only what they nearly always mean is used.
void ImportDraft::leaveToTheScript()
{
    std::vector<const char*> used{"max_steps", "num_train_epochs", "seed", "gradient_checkpointing", "activation_checkpointing"};
    if (accelerate) used.insert(used.end(), {"per_device_train_batch_size", "gradient_accumulation_steps"});
    for (auto argument = arguments.begin(); argument != arguments.end();) {
        const bool kept = std::any_of(used.begin(), used.end(), [&](const char* name) { return argument->first == name; });
        if (!kept) notes.dropped("trainer." + argument->first, say("An argument of the script's own: what it does with it only the script says.", "脚本自己的参数：只有脚本知道如何使用它。"));
        argument = kept ? std::next(argument) : arguments.erase(argument);
    }
}

void ImportDraft::addWhatTheTrainerMakes()
{
    for (const char* precision : {"bf16", "fp16"}) {  // DeepSpeedPlugin.set_mixed_precision
        if (m_config.find(precision) != nullptr) continue;
        if (knownLater.count(precision) > 0) note(TransferKind::Warning, precision, 0, {}, "/dsConfig/" + std::string(precision), say("Whether the Trainer adds a \"{0}\" section is known only when the script runs: none is added here.", "Trainer 是否补上 \"{0}\" 段，只有脚本运行时才知道：此处不添加。", {precision}));
        if (!trainerFlag(arguments, precision)) continue;
        ConfigValue section = object({{"enabled", ConfigValue::ofBool(true)}});
        if (precision == std::string("fp16")) section.set("auto_cast", ConfigValue::ofBool(true));
        if (replace("/" + std::string(precision), prettyJson(section)))
            note(TransferKind::Changed, precision, 0, section, "/dsConfig/" + std::string(precision), say("Added: accelerate adds the section that {0} of the TrainingArguments asks for.", "新增：accelerate 会按 TrainingArguments 的 {0} 补上这一段。", {precision}));
    }
    const auto open = [&](const char* name) { return knownLater.count(name) > 0; };
    const auto number = [&](const char* name) { return open(name) ? ConfigValue::ofString("auto") : ConfigValue::ofFloat(trainerNumber(arguments, name)); };
    const std::string optim = trainerWord(arguments, "optim");
    if (m_config.find("optimizer") == nullptr) {
        if (open("optim")) {
            note(TransferKind::Warning, "optim", 0, {}, "/dsConfig/optimizer", say("Which optimizer the Trainer makes is known only when the script runs: no \"optimizer\" section is added.", "Trainer 创建哪个优化器，只有脚本运行时才知道：不添加 \"optimizer\" 段。"));
        } else if (optim.rfind("adamw", 0) != 0) {
            warnOf("optim", ConfigValue::ofString(optim), "/dsConfig/optimizer", say("The Trainer makes this optimizer itself: no \"optimizer\" section is added.", "该优化器由 Trainer 自己创建：不添加 \"optimizer\" 段。"));
        } else {
            ConfigValue betas;
            betas.kind = ConfigValue::Kind::List;
            betas.items = {number("adam_beta1"), number("adam_beta2")};
            if (open("adam_beta1") || open("adam_beta2")) betas = ConfigValue::ofString("auto");
            const ConfigValue section = object({{"type", ConfigValue::ofString("AdamW")},
                                                {"params", object({{"lr", number("learning_rate")},
                                                                   {"betas", betas},
                                                                   {"eps", number("adam_epsilon")},
                                                                   {"weight_decay", number("weight_decay")}})}});
            if (replace("/optimizer", prettyJson(section))) {
                for (const char* pointer : {"/optimizer/params/lr", "/optimizer/params/betas", "/optimizer/params/eps", "/optimizer/params/weight_decay"}) (void)tellOpen(pointer);
                note(TransferKind::Changed, "optim", 0, section, "/dsConfig/optimizer", say("Added: without an \"optimizer\" section the Trainer makes this AdamW itself.", "新增：配置没有 \"optimizer\" 段时，Trainer 会自己创建这个 AdamW。"));
                if (optim.find("8bit") != std::string::npos || optim.find("4bit") != std::string::npos || optim.find("paged") != std::string::npos)
                    note(TransferKind::Warning, "optim", 0, ConfigValue::ofString(optim), "/dsConfig/optimizer", say("{0} keeps its states in fewer bits; AdamW here keeps them in 32.", "{0} 用更少的位数保存状态；这里的 AdamW 使用 32 位。", {optim}));
            }
        }
    }
    if (m_config.find("scheduler") != nullptr) return;
    if (open("lr_scheduler_type") || open("max_steps") || open("warmup_steps") || open("warmup_ratio")) {
        warnOf("lr_scheduler_type", {}, "/dsConfig/scheduler", say("The Trainer's schedule is known only when the script runs: no \"scheduler\" section is added.", "Trainer 的学习率调度只有脚本运行时才知道：不添加 \"scheduler\" 段。"));
        return;
    }
    const std::string type = trainerWord(arguments, "lr_scheduler_type");
    const double total = trainerNumber(arguments, "max_steps");
    const double asked = trainerNumber(arguments, "warmup_steps");
    const double share = asked > 0 && asked < 1 ? asked : trainerNumber(arguments, "warmup_ratio");
    const bool byShare = asked < 1 && share > 0;
    if (type == "constant") return;
    const char* name = type == "linear" ? "WarmupDecayLR" : type == "cosine" ? "WarmupCosineLR" : type == "constant_with_warmup" ? "WarmupLR" : nullptr;
    if (name == nullptr || ((type != "constant_with_warmup" || byShare) && total <= 0)) {
        warnOf("lr_scheduler_type", ConfigValue::ofString(type), "/dsConfig/scheduler",
             name == nullptr ? say("The Trainer makes this schedule itself and DeepSpeed has none like it: the learning rate stays constant here.", "该调度器由 Trainer 自己创建，DeepSpeed 没有对应的：这里学习率保持不变。")
                             : say("The Trainer makes this schedule from the number of steps, which only max_steps would fix: the learning rate stays constant here.", "Trainer 由总步数生成该调度器，需要 max_steps：这里学习率保持不变。"));
        return;
    }
    const auto warmup = static_cast<std::int64_t>(std::max(1.0, byShare ? std::ceil(total * share) : std::floor(asked)));  // DeepSpeed refuses 0
    const ConfigValue rate = number("learning_rate");
    ConfigValue params = type == "cosine" ? object({{"warmup_min_ratio", ConfigValue::ofFloat(0.0)}, {"cos_min_ratio", ConfigValue::ofFloat(0.0)}, {"warmup_num_steps", ConfigValue::ofInt(warmup)}})
                                          : object({{"warmup_min_lr", ConfigValue::ofInt(0)}, {"warmup_max_lr", rate}, {"warmup_num_steps", ConfigValue::ofInt(warmup)}, {"warmup_type", ConfigValue::ofString("linear")}});
    if (type != "constant_with_warmup") params.set("total_num_steps", ConfigValue::ofInt(static_cast<std::int64_t>(total)));
    const ConfigValue section = object({{"type", ConfigValue::ofString(name)}, {"params", params}});
    if (replace("/scheduler", prettyJson(section)))
        note(TransferKind::Changed, "lr_scheduler_type", 0, section, "/dsConfig/scheduler", say("Added: without a \"scheduler\" section the Trainer makes its own \"{0}\" schedule; this is DeepSpeed's nearest.", "新增：配置没有 \"scheduler\" 段时，Trainer 使用自己的 \"{0}\" 调度；这是 DeepSpeed 中最接近的。", {type}));
}

void ImportDraft::tellErrors()
{
    const std::vector<CheckFinding> errors = errorsOfFile(result.dsConfigText, result.context);
    if (errors.empty()) return;
    const CheckFinding& first = errors.front();
    const int line = result.dsConfigText == file.text ? std::max(first.line, 0) : 0;
    CheckAnswer answer;
    answer.findings = errors;
    answer.level = first.level;
    const std::string whole = whoRefuses(answer, result.context.launcher), who = whole.substr(0, whole.find(' '));   // its release is the newest
    note(TransferKind::Warning, first.pointer, line, {}, "/dsConfig" + first.pointer,
         errors.size() == 1 ? say("{0} refuses the file: {1}", "{0} 会拒绝该文件：{1}", {who, first.message})
                            : say("{0} refuses the file, for {1} errors; the first: {2}", "{0} 会拒绝该文件，共有 {1} 处错误；第一处：{2}", {who, std::to_string(errors.size()), first.message}));
}

Result<ImportedConfig> ImportDraft::finish()
{
    for (const auto& [name, value] : options.arguments) {
        arguments[name] = value;
        knownLater.erase(name);
        notes.replaced("trainer." + name, name + "=" + toJson(configValue(value)));
        // What a script under accelerate runs on does not make a Trainer of it.
        static const std::set<std::string> kOfAnyLoop{"per_device_train_batch_size", "gradient_accumulation_steps", "max_steps", "num_train_epochs", "seed"};
        trainer = trainer || !accelerate || kOfAnyLoop.count(name) == 0;
    }
    if (!hasDsConfig && !unknownConfig.empty()) return refuse(ErrorCode::InvalidInput, unknownConfigLine, "{0}", "{0}", {unknownConfig});
    if (!hasDsConfig && result.format == ForeignFormat::CommandLine) return refuse(ErrorCode::InvalidInput, 0, "no ds_config is in it and none is named; add --deepspeed_config PATH to its command, or import the ds_config itself", "其中没有 ds_config，也没有指定 ds_config 文件；在命令中加上 --deepspeed_config PATH，或直接导入 ds_config");
    if (!hasDsConfig) return refuse(ErrorCode::InvalidInput, 0, "no ds_config is in it and none is named; add \"deepspeed: PATH\", or import the ds_config itself", "其中没有 ds_config，也没有指定 ds_config 文件；加上 \"deepspeed: PATH\"，或直接导入 ds_config");
    result.dsConfigText = result.dsConfigSource;
    result.context.launcher = trainer ? CheckLauncher::Transformers : accelerate ? CheckLauncher::Accelerate : CheckLauncher::DeepSpeed;
    if (!trainer && result.format == ForeignFormat::CommandLine) leaveToTheScript();
    giveModel();
    giveRanks();
    if (trainer) assumeAsInTheFile();
    giveSteps();
    if (trainer) tellOverruled();
    if (!options.keepAuto) {
        if (auto bad = fillByLaunch()) return *bad;
    }
    if (options.keepAuto) {
        const std::size_t autos = autoPointers(m_config).size();
        if (autos == 1) note(TransferKind::Warning, "", 0, {}, "/dsConfig", say("One value stays \"auto\", as asked.", "按要求保留 1 处 \"auto\"。"));
        if (autos > 1) note(TransferKind::Warning, "", 0, {}, "/dsConfig", say("{0} values stay \"auto\", as asked.", "按要求保留 {0} 处 \"auto\"。", {std::to_string(autos)}));
    } else if (trainer) {
        fillByTrainer();
        addWhatTheTrainerMakes();
    } else if (accelerate) {
        fillByAccelerate();
    } else {
        const std::size_t autos = autoPointers(m_config).size();
        if (autos == 1) note(TransferKind::Warning, "", 0, {}, "/dsConfig", say("One value is \"auto\", which only the Hugging Face Trainer or accelerate fill: give the TrainingArguments to resolve it.", "有 1 处为 \"auto\"，只有 Hugging Face Trainer 或 accelerate 会填写：给出 TrainingArguments。"));
        if (autos > 1) note(TransferKind::Warning, "", 0, {}, "/dsConfig", say("{0} values are \"auto\", which only the Hugging Face Trainer or accelerate fill: give the TrainingArguments to resolve them.", "{0} 处为 \"auto\"，只有 Hugging Face Trainer 或 accelerate 会填写：给出 TrainingArguments。", {std::to_string(autos)}));
    }
    keepTheLauncher();
    if (result.format == ForeignFormat::DsConfig) tellErrors();
    result.notes = notes.take();
    return std::move(result);
}

}  // namespace stagecraft
