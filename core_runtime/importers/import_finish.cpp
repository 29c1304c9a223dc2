// SPDX-License-Identifier: GPL-3.0-or-later
// The common end of every import: "auto" becomes what the launcher would fill in, and the training's size reaches the workspace.
#include "importers/import_draft.h"

#include "config/hjson_reader.h"
#include "config/json_edit.h"
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

bool ImportDraft::replace(const std::string& pointer, const std::string& json)
{
    auto document = JsonDocument::parse(result.dsConfigText);
    if (!document.hasValue()) return false;
    const auto edit = setEdit(document.value(), pointer, json);
    if (!edit.hasValue()) return false;
    result.dsConfigText = applyEdits(result.dsConfigText, {edit.value()});
    return true;
}

void ImportDraft::giveRanks()
{
    if (options.ranks > 0) ranks = options.ranks;
    CheckContext& context = result.context;
    context.world = std::max(ranks, 1);
    if (ranks < 1 && options.workspaceRanks > 0) {  // the layout stays the workspace's
        context.world = options.workspaceRanks;
        if (trainer || accelerate) note(TransferKind::Changed, "", 0, {}, "/layout/dp", say("The file does not say on how many ranks it runs: the workspace's {0} data-parallel ranks are used.", "文件没有说明使用多少个 rank：采用工作区的数据并行 rank 数 {0}。", {std::to_string(options.workspaceRanks)}));
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
    const ConfigValue* tensor = valueAt(m_config, "/tensor_parallel/autotp_size");
    const std::int64_t tp = tensor != nullptr && tensor->kind == ConfigValue::Kind::Int && tensor->integer > 1 && ranks % tensor->integer == 0 ? tensor->integer : 1;
    if (tp > 1) setWorkspace("/layout/tp", ConfigValue::ofInt(tp));
    std::int64_t others = tp;
    for (const WorkspaceValue& set : result.workspace) {
        if (set.pointer == "/layout/pp" || set.pointer == "/layout/cp" || (set.pointer == "/layout/tp" && tp == 1)) others *= std::max<std::int64_t>(1, std::atoll(set.json.c_str()));
    }
    for (const char* split : {"tensor_model_parallel_size", "pipeline_model_parallel_size", "context_parallel_size"}) {
        if (knownLater.count(split) > 0) return;
    }
    if (ranks % others == 0) setWorkspace("/layout/dp", ConfigValue::ofInt(ranks / others));
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
    const bool asked = fillsAuto(launcher) && (!autoPointers(config).empty() || made);
    if (asked) keepArguments(keep);
    if (!kept.empty()) setWorkspace("/launch/launcher", ConfigValue::ofString(checkLauncherName(launcher)));
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

std::optional<Error> ImportDraft::fillByLaunch()
{
    for (const auto& [pointer, given] : launchValues) {
        const std::string& option = given.items.front().text;
        ConfigValue value = given;
        value.items.clear();
        const ConfigValue* there = valueAt(m_config, pointer);
        if (there != nullptr && there->isString("auto") && replace(pointer, toJson(value))) {
            setAt(m_config, pointer, value);
            note(TransferKind::Changed, option, given.place.line, value, "/dsConfig" + pointer, say("accelerate puts it in the place of \"auto\".", "accelerate 用它替换 \"auto\"。"));
        } else {
            dropped(option, given.place.line, value, say("accelerate fills only an \"auto\" from it, and the ds_config has none there.", "accelerate 只用它替换 \"auto\"，而 ds_config 该处没有 \"auto\"。"));
        }
    }
    if (launchPrecision.isNull()) return std::nullopt;
    const int line = launchPrecision.place.line;
    if (trainer && (trainerFlag(arguments, "bf16") || trainerFlag(arguments, "fp16"))) {  // TrainingArguments sets ACCELERATE_MIXED_PRECISION anew
        dropped("mixed_precision", line, launchPrecision, say("The TrainingArguments name a precision, which replaces this one.", "TrainingArguments 指定了精度，会取代这里的值。"));
        return std::nullopt;
    }
    // DeepSpeedPlugin.set_mixed_precision
    const bool half = launchPrecision.text == "fp16";
    const bool off = launchPrecision.text == "no";
    const std::string on = half ? "fp16" : "bf16", other = half ? "bf16" : "fp16";
    const ConfigValue* against = valueAt(m_config, "/" + other + "/enabled");
    if (!off && against != nullptr && (against->isString("true") || against->isString("True") || (against->isBool() && against->boolean))) {
        return refuse(ErrorCode::Refused, line, "--mixed_precision is {0} and the ds_config enables {1}, which accelerate refuses (ValueError); take one of the two out", "--mixed_precision 为 {0}，而 ds_config 启用了 {1}，accelerate 会拒绝（ValueError）；去掉其中一个", {launchPrecision.text, other});
    }
    std::string target;
    const auto fill = [&](const std::string& pointer, const ConfigValue& value) {
        if (!replace(pointer, prettyJson(value))) return;
        setAt(m_config, pointer, value);
        if (target.empty() || pointer.find(on) != std::string::npos) target = "/dsConfig" + pointer;
    };
    if (!off && m_config.find(on) == nullptr) {
        ConfigValue section = object({{"enabled", ConfigValue::ofBool(true)}});
        if (half) section.set("auto_cast", ConfigValue::ofBool(true));
        fill("/" + on, section);
    }
    for (const std::string& name : {on, other}) {
        const ConfigValue* enabled = valueAt(m_config, "/" + name + "/enabled");
        if (enabled != nullptr && enabled->isString("auto")) fill("/" + name + "/enabled", ConfigValue::ofBool(!off && name == on));
    }
    if (!target.empty()) note(TransferKind::Changed, "mixed_precision", line, launchPrecision, target, say("accelerate writes it where the ds_config says \"auto\" or nothing.", "ds_config 写 \"auto\" 或未写时，accelerate 填入该值。"));
    else dropped("mixed_precision", line, launchPrecision, say("The ds_config says it itself; accelerate fills only \"auto\" and a missing section.", "ds_config 已有取值；accelerate 只填 \"auto\" 和缺少的段。"));
    return std::nullopt;
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

/// The arguments behind a value that nobody gave: TrainingArguments' own defaults count.
std::string ImportDraft::notGiven(const std::string& argument) const
{
    std::string missing;
    if (argument == "warmup_steps, warmup_ratio") return arguments.count("warmup_steps") + arguments.count("warmup_ratio") == 0 ? argument : std::string();  // either is enough
    for (const char* name : {"per_device_train_batch_size", "gradient_accumulation_steps", "max_grad_norm", "learning_rate", "adam_beta1", "adam_beta2", "adam_epsilon", "weight_decay", "fp16", "bf16"}) {
        if (argument.find(name) != std::string::npos && arguments.count(name) == 0) missing += (missing.empty() ? "" : ", ") + std::string(name);
    }
    return missing;
}

/// The argument behind an "auto" that is given with a value that only the running script knows; empty when there is none.
std::string ImportDraft::openBehind(const std::string& pointer) const
{
    if (const auto option = openPointers.find(pointer); option != openPointers.end()) return option->second;
    std::string behind = argumentBehind(pointer);
    if (pointer == "/scheduler/params/warmup_num_steps" || pointer == "/scheduler/params/total_num_steps") behind += ", max_steps, num_train_epochs";
    for (const std::string& name : knownLater) {
        for (std::size_t at = behind.find(name); at != std::string::npos; at = behind.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at == 0 || behind[at - 1] == ' ') && (end == behind.size() || behind[end] == ',' || behind[end] == ' ')) return name;
        }
    }
    return {};
}

/// Says of an "auto" that it stays, where nobody knows its argument yet.
bool ImportDraft::tellOpen(const std::string& pointer)
{
    const std::string later = openBehind(pointer);
    if (later.empty()) return false;
    note(TransferKind::Warning, pointer, 0, ConfigValue::ofString("auto"), "/dsConfig" + pointer, say("Stays \"auto\": {1} fills it from {0}, which is known only when the script runs.", "保持 \"auto\"：{1} 由 {0} 填入，而它只有脚本运行时才知道。", {later, trainer ? say("the Trainer", "Trainer") : "accelerate"}));
    return true;
}

void ImportDraft::fillByTrainer()
{
    std::vector<std::string> autos = autoPointers(m_config);
    if (autos.size() > 500) autos.resize(500);  // as many as there are notes; a real file has twenty
    CheckContext context = result.context;
    context.language = "en";
    const auto answer = checkConfig(prettyJson(m_config), context);  // strict: the source may have comments
    if (!answer.hasValue()) return;
    for (const std::string& pointer : autos) {
        const auto changed = std::find_if(answer->changed.begin(), answer->changed.end(), [&](const ChangedValue& change) { return change.pointer == pointer; });
        const bool filled = std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R103" && finding.pointer == pointer; });
        // DeepSpeed's scheduler makes two of one step, which `changed` then tells; what the Trainer writes is the one.
        const bool one = std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R59" && finding.effect == CheckEffect::Changed && finding.pointer == pointer; });
        // And ZenFlow puts its update interval in the place of the accumulation that the Trainer writes.
        const bool zenflow = pointer == "/gradient_accumulation_steps" && std::any_of(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) { return finding.rule == "R39" && finding.effect == CheckEffect::Changed && finding.pointer == pointer; });
        const std::string becomes = one ? "1" : zenflow ? toJson(ConfigValue::ofInt(static_cast<std::int64_t>(trainerNumber(arguments, "gradient_accumulation_steps")))) : changed != answer->changed.end() ? changed->json : std::string();
        const std::string argument = argumentBehind(pointer);
        const ConfigValue word = ConfigValue::ofString("auto");
        const std::string missing = notGiven(argument);
        if (tellOpen(pointer)) continue;
        if (filled && !becomes.empty() && replace(pointer, becomes)) {
            note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer,
                 missing.find(',') != std::string::npos ? say("Becomes {0}, from {1}: {2} are not given, so that the defaults of TrainingArguments count.", "变为 {0}，来自 {1}：未给出 {2}，因此采用 TrainingArguments 的默认值。", {becomes, argument, missing})
                 : !missing.empty() ? say("Becomes {0}, from {1}: {2} is not given, so that the default of TrainingArguments counts.", "变为 {0}，来自 {1}：未给出 {2}，因此采用 TrainingArguments 的默认值。", {becomes, argument, missing})
                 : argument.empty() ? say("Becomes {0}, which the Trainer or accelerate fills in.", "变为 {0}，由 Trainer 或 accelerate 填入。", {becomes})
                                  : say("Becomes {0}, from {1}.", "变为 {0}，来自 {1}。", {becomes, argument}));
        } else if (argument == "hidden_size") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": the Trainer takes it from the model's hidden size, which is not known here.", "保持 \"auto\"：Trainer 由模型的 hidden_size 计算，此处未知。"));
        } else if (argument == "max_steps" || argument == "warmup_steps, warmup_ratio") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": the Trainer takes it from the number of steps, which max_steps would fix.", "保持 \"auto\"：Trainer 由总步数计算，给出 max_steps 后即可确定。"));
        } else {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": nobody fills this key, so that DeepSpeed sees the word itself.", "保持 \"auto\"：没有人会填写这个键，DeepSpeed 会直接看到这个词。"));
        }
    }
    for (const CheckFinding& finding : answer->findings) {
        if (finding.severity != CheckSeverity::Error || (finding.rule != "R105" && finding.rule != "R107")) continue;
        CheckContext own = result.context;
        const auto inLanguage = checkConfig(prettyJson(m_config), own);
        for (const CheckFinding& said : inLanguage->findings) {
            if (said.rule == finding.rule && said.pointer == finding.pointer) notes.add({TransferKind::Warning, said.pointer, 0, "", "/dsConfig" + said.pointer, said.message});
        }
    }
}

void ImportDraft::fillByAccelerate()
{
    // accelerator.prepare() of accelerate 1.x: what it fills without being asked. The numbers of Accelerator(...) and of the DataLoader
    // are the script's, and its arguments only suggest them.
    const std::pair<const char*, const char*> kFilled[]{
        {"/gradient_clipping", "1.0"}, {"/zero_optimization/stage", "2"},
        {"/zero_optimization/stage3_gather_16bit_weights_on_model_save", "false"}, {"/bf16/enabled", "false"}, {"/fp16/enabled", "false"},
        {"/zero_optimization/offload_optimizer/device", "\"none\""}, {"/zero_optimization/offload_param/device", "\"none\""},
        {"/zero_optimization/offload_optimizer/nvme_path", "\"none\""}, {"/zero_optimization/offload_param/nvme_path", "\"none\""}};
    const char* const kOfTheScript[]{"/optimizer/params/lr", "/optimizer/params/weight_decay", "/scheduler/params/warmup_min_lr", "/scheduler/params/warmup_max_lr", "/scheduler/params/warmup_num_steps", "/scheduler/params/total_num_steps"};
    const ConfigValue word = ConfigValue::ofString("auto");
    const std::vector<std::string> autos = autoPointers(m_config);
    const auto isAuto = [&](const char* pointer) { return std::find(autos.begin(), autos.end(), pointer) != autos.end(); };
    const auto given = [&](const char* name) { return arguments.count(name) > 0 ? static_cast<std::int64_t>(trainerNumber(arguments, name)) : std::int64_t{0}; };
    const std::int64_t micro = given("per_device_train_batch_size"), accumulation = given("gradient_accumulation_steps");
    // Accelerator._prepare_deepspeed: sizes in elements
    const auto bucketOf = [&](const std::string& pointer) {
        const std::int64_t hidden = result.context.hiddenSize.value_or(0);
        if (hidden < 1 || hidden > 1'000'000) return std::string();
        if (pointer == "/zero_optimization/reduce_bucket_size") return std::to_string(hidden * hidden);
        if (pointer == "/zero_optimization/stage3_prefetch_bucket_size") return std::to_string(static_cast<std::int64_t>(0.9 * static_cast<double>(hidden) * static_cast<double>(hidden)));
        return pointer == "/zero_optimization/stage3_param_persistence_threshold" ? std::to_string(10 * hidden) : std::string();
    };
    const auto suggested = [&](const std::string& pointer, const char* argument, std::int64_t value) {
        if (value < 1 || !replace(pointer, std::to_string(value))) return false;
        setAt(m_config, pointer, ConfigValue::ofInt(value));
        if (certainBatch) note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, which accelerate fills in.", "变为 {0}，由 accelerate 填入。", {std::to_string(value)}));
        else note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, from {1}: so it is where the script hands that argument on, as the examples of accelerate do; only the script says.", "变为 {0}，来自 {1}：前提是脚本把该参数传给 accelerate（官方示例如此）；只有脚本能确定。", {std::to_string(value), argument}));
        return true;
    };
    for (const std::string& pointer : autos) {
        if (tellOpen(pointer)) continue;
        const auto filled = std::find_if(std::begin(kFilled), std::end(kFilled), [&](const auto& entry) { return pointer == entry.first; });
        if (filled != std::end(kFilled) && replace(pointer, filled->second)) {
            note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, which accelerate fills in.", "变为 {0}，由 accelerate 填入。", {filled->second}));
        } else if (const std::string bucket = bucketOf(pointer); !bucket.empty() && replace(pointer, bucket)) {
            note(TransferKind::Changed, pointer, 0, word, "/dsConfig" + pointer, say("Becomes {0}, from the model's hidden size {1}.", "变为 {0}，由模型的 hidden_size {1} 得出。", {bucket, std::to_string(*result.context.hiddenSize)}));
        } else if (argumentBehind(pointer) == "hidden_size") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate takes it from the model's hidden size, which is not known here.", "保持 \"auto\"：accelerate 由模型的 hidden_size 计算，此处未知。"));
        } else if (pointer == "/gradient_accumulation_steps") {
            if (suggested(pointer, "gradient_accumulation_steps", accumulation)) continue;
            (void)replace(pointer, "1");
            setAt(m_config, pointer, ConfigValue::ofInt(1));
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Becomes 1, the default of Accelerator(): a script that gives it gradient_accumulation_steps runs with that number.", "变为 1，即 Accelerator() 的默认值：若脚本传入 gradient_accumulation_steps，则以脚本为准。"));
        } else if (pointer == "/train_micro_batch_size_per_gpu" && suggested(pointer, "per_device_train_batch_size", micro)) {
        } else if (pointer == "/train_batch_size" && micro > 0) {
            continue;  // below, from the two others
        } else if (pointer == "/train_batch_size" || pointer == "/train_micro_batch_size_per_gpu") {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate takes it from the script's DataLoader. Give per_device_train_batch_size, or write the number.", "保持 \"auto\"：accelerate 取自脚本的 DataLoader。给出 per_device_train_batch_size，或直接写数字。"));
        } else if (std::find(std::begin(kOfTheScript), std::end(kOfTheScript), pointer) != std::end(kOfTheScript)) {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate fills it from what the script passes to prepare().", "保持 \"auto\"：由脚本传给 prepare() 的对象决定。"));
        } else {
            note(TransferKind::Warning, pointer, 0, word, "/dsConfig" + pointer, say("Stays \"auto\": accelerate has no value for it, and refuses it (ValueError). Write a value, or leave the key out.", "保持 \"auto\"：accelerate 没有它的值，会拒绝（ValueError）。写出取值，或删除这个键。"));
        }
    }
    if (micro > 0 && isAuto("/train_batch_size") && openBehind("/train_batch_size").empty()) {
        const auto number = [&](const char* pointer, std::int64_t otherwise) {
            const ConfigValue* value = valueAt(m_config, pointer);
            return value != nullptr && value->kind == ConfigValue::Kind::Int && !value->wide && value->integer > 0 ? value->integer : otherwise;
        };
        std::int64_t whole = 0;
        if (!__builtin_mul_overflow(number("/train_micro_batch_size_per_gpu", micro), number("/gradient_accumulation_steps", 1), &whole) && !__builtin_mul_overflow(whole, std::int64_t{result.context.world}, &whole))
            (void)suggested("/train_batch_size", "per_device_train_batch_size", whole);
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

/// Arguments that nobody gives, beside sizes that the ds_config fixes: the Trainer refuses others, so that they are the same.
void ImportDraft::assumeAsInTheFile()
{
    if (options.arguments.empty() || (result.format != ForeignFormat::DsConfig && result.format != ForeignFormat::Accelerate)) return;
    for (const auto& [key, argument] : {std::pair{"gradient_accumulation_steps", "gradient_accumulation_steps"}, std::pair{"train_micro_batch_size_per_gpu", "per_device_train_batch_size"}}) {
        const ConfigValue* value = m_config.find(key);
        if (value == nullptr || value->kind != ConfigValue::Kind::Int || value->wide || value->integer < 1 || arguments.count(argument) + knownLater.count(argument) > 0) continue;
        arguments[argument] = TrainerValue(value->integer);
        note(TransferKind::Changed, std::string("trainer.") + argument, 0, *value, "", say("Taken as {0}, as the ds_config has it: the Trainer refuses another value.", "取 {0}，与 ds_config 一致：Trainer 拒绝其他值。", {std::to_string(value->integer)}));
    }
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
    if (trainer) assumeAsInTheFile();
    if (!hasDsConfig && !unknownConfig.empty()) return refuse(ErrorCode::InvalidInput, unknownConfigLine, "{0}", "{0}", {unknownConfig});
    if (!hasDsConfig && result.format == ForeignFormat::CommandLine) return refuse(ErrorCode::InvalidInput, 0, "no ds_config is in it and none is named; add --deepspeed_config PATH to its command, or import the ds_config itself", "其中没有 ds_config，也没有指定 ds_config 文件；在命令中加上 --deepspeed_config PATH，或直接导入 ds_config");
    if (!hasDsConfig) return refuse(ErrorCode::InvalidInput, 0, "no ds_config is in it and none is named; add \"deepspeed: PATH\", or import the ds_config itself", "其中没有 ds_config，也没有指定 ds_config 文件；加上 \"deepspeed: PATH\"，或直接导入 ds_config");
    result.dsConfigText = result.dsConfigSource;
    result.context.launcher = trainer ? CheckLauncher::Transformers : accelerate ? CheckLauncher::Accelerate : CheckLauncher::DeepSpeed;
    if (!trainer && result.format == ForeignFormat::CommandLine) leaveToTheScript();
    giveModel();
    giveRanks();
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
