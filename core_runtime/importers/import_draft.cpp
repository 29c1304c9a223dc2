// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/import_draft.h"

#include "config/hjson_reader.h"
#include "config/json_document.h"
#include "config/rules/judge.h"
#include "config/wrapped_config.h"
#include "importers/config_text.h"
#include "importers/yaml_problem.h"

#include <algorithm>
#include <cstdlib>

namespace stagecraft {

ImportDraft::ImportDraft(const ForeignFile& foreign, const ImportOptions& wanted, ForeignFormat format)
    : file(foreign), options(wanted), notes(wanted.language), arguments(result.context.trainer)
{
    result.format = format;
    result.context.release = options.release;
    result.context.language = options.language;
    result.context.hiddenSize = options.hiddenSize;
}

void ImportDraft::note(TransferKind kind, const std::string& key, int line, const ConfigValue& value, const std::string& target, std::string reason)
{
    if (line < 0) notes.add({kind, "--" + key.substr(key.find('.') + 1), -line, toJson(value), target, std::move(reason)});
    else notes.add({kind, key, line, toJson(value), target, std::move(reason), line > 0 ? noteFile : std::string()});
}

void ImportDraft::taken(const std::string& key, int line, const ConfigValue& value, const std::string& target)
{
    note(TransferKind::Taken, key, line, value, target, say("Taken over as it is.", "原样采用。"));
}

void ImportDraft::dropped(const std::string& key, int line, const ConfigValue& value, std::string reason)
{
    note(TransferKind::Dropped, key, line, value, {}, std::move(reason));
}

void ImportDraft::warnOf(const std::string& argument, const ConfigValue& value, const std::string& target, const std::string& reason)
{
    if (!notes.warned("trainer." + argument, target, reason)) note(TransferKind::Warning, argument, 0, value, target, reason);
}

void ImportDraft::replaced(const std::string& key, int line, const ConfigValue& value, const std::string& by)
{
    dropped(key, line, value, say("Replaced by {0}.", "由 {0} 取代。", {by}));
}

void ImportDraft::setWorkspace(const std::string& pointer, const ConfigValue& value)
{
    const auto same = std::find_if(result.workspace.begin(), result.workspace.end(), [&](const WorkspaceValue& set) { return set.pointer == pointer; });
    if (same != result.workspace.end()) same->json = toJson(value);
    else result.workspace.push_back({pointer, toJson(value)});
}

void ImportDraft::leaveOpen(const std::string& name, const std::string& by)
{
    static const std::map<std::string, const char*> kPointers{
        {"cutoff_len", "/model/seq"}, {"sequence_len", "/model/seq"}, {"max_seq_length", "/model/seq"}, {"model_max_length", "/model/seq"}, {"max_length", "/model/seq"}, {"seq_length", "/model/seq"},
        {"tensor_model_parallel_size", "/layout/tp"}, {"pipeline_model_parallel_size", "/layout/pp"}, {"context_parallel_size", "/layout/cp"}, {"train_iters", "/training/steps"}};
    const std::string reason = say("{0} says otherwise, with a value that is known only when the script runs.", "{0} 另有取值，而它只有脚本运行时才知道。", {by});
    knownLater.insert(name);
    arguments.erase(name);
    notes.dropped("trainer." + name, reason);
    if (name == "model_name_or_path" || name == "base_model") modelName.clear();
    const auto pointer = kPointers.find(name);
    if (pointer == kPointers.end()) return;
    std::erase_if(result.workspace, [&](const WorkspaceValue& set) { return set.pointer == pointer->second; });
    notes.dropped(pointer->second, reason);
}

Error ImportDraft::refuse(ErrorCode code, int line, std::string_view english, std::string_view chinese, std::initializer_list<std::string> words) const
{
    const bool named = line > 0 && !noteFile.empty();
    const std::string at = std::to_string(std::abs(line));
    const std::string in = named ? say("\"{0}\", ", "“{0}”，", {noteFile}) : std::string();
    const std::string place = line != 0 ? say("line {0}: ", "第 {0} 行：", {at}) : std::string();
    Error error{code, say("Cannot import \"{0}\": {1}{2}{3}", "无法导入“{0}”：{1}{2}{3}", {file.name, in, place, say(english, chinese, words)}), {{"path", named ? noteFile : file.name}}};
    if (line != 0) error.context["line"] = at;
    return error;
}

std::string ImportDraft::whyUnreadable(const Error& error) const
{
    if (error.code == ErrorCode::NotFound) return say("{0}", "找不到这个文件（已在当前文件夹、该文件旁边及各上级文件夹中查找）", {error.message});
    return error.code == ErrorCode::InvalidInput ? say("{0}", "文件过大或不是普通文件", {error.message}) : say("{0}", "文件无法打开或读取；检查权限", {error.message});
}

std::string ImportDraft::whatIsWrong(const Error& yaml) const { return yamlReason(yaml, options.language); }

Result<void> ImportDraft::takeDsConfigText(const std::string& name, std::string text)
{
    const bool own = name == file.name;
    const std::string where = own ? std::string() : say("its ds_config \"{0}\": ", "其中的 ds_config“{0}”：", {name});
    const auto lineOf = [&](int line) { return own ? std::string() : say("line {0}: ", "第 {0} 行：", {std::to_string(line)}); };
    ReadText read = readHjson(text);
    if (read.problem.has_value()) {
        const ReadProblem& problem = *read.problem;
        Error error = refuse(ErrorCode::InvalidInput, own ? problem.place.line : 0, "{0}", "{0}",
                             {where + lineOf(problem.place.line) + rules::messageText(options.language, problem.id, problem.details)});
        error.context["line"] = std::to_string(problem.place.line);
        error.context["column"] = std::to_string(problem.place.column);
        return error;
    }
    if (!read.root.isObject()) return refuse(ErrorCode::InvalidInput, own ? 1 : 0, "{0}a ds_config is an object, and this is {1}; write { ... }", "{0}ds_config 应为对象，而这里是 {1}；写成 { ... }", {where, kindName(read.root)});
    const NamedFile notesOf(*this, own ? noteFile : name);
    for (const DuplicateKey& twice : read.duplicates) {
        if (!trainer && !accelerate) {
            return refuse(ErrorCode::InvalidInput, own ? twice.place.line : 0, "{0}the key \"{1}\" is written twice, which DeepSpeed refuses (ValueError); keep one of the two", "{0}键“{1}”出现两次，DeepSpeed 会拒绝（ValueError）；只保留一个", {where + lineOf(twice.place.line), twice.key});
        }
        note(TransferKind::Warning, twice.pointer, twice.place.line, {}, twice.pointer, say("The key is written twice: the last one counts for Hugging Face, DeepSpeed itself refuses the file.", "该键出现两次：Hugging Face 取最后一个，DeepSpeed 自己读取时会拒绝该文件。"));
    }
    if (const ReadText strict = readStrictJson(text); strict.problem.has_value() && (trainer || accelerate)) {
        note(TransferKind::Warning, name, strict.problem->place.line, {}, "/dsConfig", say("The ds_config is no strict JSON here (a comment, a trailing comma or the like): DeepSpeed reads it, transformers and accelerate refuse it.", "此处不是严格 JSON（注释、多余逗号等）：DeepSpeed 能读取，transformers 与 accelerate 会拒绝。"));
    }
    if (const auto wrapped = own && result.format == ForeignFormat::DsConfig ? wrappedConfig(read.root) : std::nullopt) {
        takeWrapped(text, read.root, *wrapped);
        return {};
    }
    m_config = std::move(read.root);
    // A member that stands twice is kept once, so that later edits reach the one that counts.
    result.dsConfigSource = read.duplicates.empty() ? std::move(text) : prettyJson(m_config) + "\n";
    hasDsConfig = true;
    return {};
}

namespace {

/// The bytes of the value at `pointer` as a file of their own: its lines begin as far to the left as the one that closes it. Empty where it cannot be found.
std::string ownText(const std::string& text, const std::string& pointer)
{
    const auto document = JsonDocument::parse(text);
    const auto place = document.hasValue() ? document->locate(pointer) : std::nullopt;
    if (!place) return {};
    std::string value = text.substr(place->value.begin, place->value.size());
    const std::size_t last = value.rfind('\n');
    const std::size_t indent = last == std::string::npos ? 0 : value.find_first_not_of(" \t", last + 1) - last - 1;
    for (std::size_t at = value.find('\n'); at != std::string::npos && indent > 0; at = value.find('\n', at + 1)) {
        value.erase(at + 1, std::min(indent, std::min(value.find_first_not_of(" \t", at + 1), value.size()) - at - 1));
    }
    return value + "\n";
}

}  // namespace

void ImportDraft::takeWrapped(const std::string& text, const ConfigValue& root, const WrappedConfig& wrapped)
{
    const std::string shown = wrapped.pointer.substr(1);
    note(TransferKind::Changed, shown, rules::placeOf(root, wrapped.pointer, rules::Judge::At::Key).line, {}, "/dsConfig", say("The ds_config is what stands in \"{0}\", and that is taken. DeepSpeed finds none in the file as it is: it reads keys at the top level alone.", "采用 \"{0}\" 中的 ds_config。文件照原样 DeepSpeed 读不到它：它只读取顶层的键。", {shown}));
    for (const ConfigMember& member : root.members) {
        if (wrapped.pointer != "/" + pointerToken(member.key) && !wrapped.pointer.starts_with("/" + pointerToken(member.key) + "/"))
            dropped(member.key, member.keyPlace.line, member.value, say("Stands beside the ds_config, and is none of it.", "写在 ds_config 旁边，不属于它。"));
    }
    m_config = *wrapped.config;
    result.dsConfigSource = ownText(text, wrapped.pointer);
    if (result.dsConfigSource.empty()) result.dsConfigSource = prettyJson(m_config) + "\n";
    hasDsConfig = true;
}

void ImportDraft::takeDsConfig(const ConfigValue& config)
{
    m_config = config;
    result.dsConfigSource = prettyJson(config) + "\n";
    hasDsConfig = true;
}

Result<void> ImportDraft::takeDeepSpeed(const std::string& key, int line, const ConfigValue& value)
{
    if (hasDsConfig) notes.replaced("/dsConfig", key);
    if (value.isObject()) {
        takeDsConfig(value);
        taken(key, line, value, "/dsConfig");
        return {};
    }
    if (!value.isString() || value.text.empty()) return refuse(ErrorCode::InvalidInput, line, "\"{0}\" is {1}; write the path of a ds_config or the config itself", "“{0}”的值为 {1}；写 ds_config 的路径或配置本身", {key, toJson(value)});
    if (value.text.front() == '{') {  // a JSON text in a word, as TrainingArguments takes it
        taken(key, line, value, "/dsConfig");
        return takeDsConfigText(file.name, value.text);
    }
    if (!options.readFile) return refuse(ErrorCode::NotFound, line, "\"{0}\" names the ds_config \"{1}\", which cannot be read from here; give that file too, or import it by itself", "“{0}”指定的 ds_config“{1}”在此处无法读取；同时提供该文件，或单独导入它", {key, value.text});
    auto text = options.readFile(value.text);
    if (!text.hasValue()) return refuse(text.error().code, line, "\"{0}\" names the ds_config \"{1}\", which cannot be read: {2}; put the ds_config at that path, or import it by itself", "“{0}”指定的 ds_config“{1}”无法读取：{2}；把 ds_config 放到该路径，或单独导入它", {key, value.text, whyUnreadable(text.error())});
    if (auto read = takeDsConfigText(value.text, std::move(text.value())); !read.hasValue()) return read;
    taken(key, line, value, "/dsConfig");
    return {};
}

Result<bool> ImportDraft::takeArgument(const std::string& name, const std::string& shownKey, int line, const ConfigValue& value)
{
    if (name == "deepspeed" || name == "deepspeed_config") {
        if (value.isNull() || value.isBool()) {
            dropped(shownKey, line, value, say("No ds_config is named here.", "此处没有指定 ds_config。"));
            return true;
        }
        if (auto took = takeDeepSpeed(shownKey, line, value); !took.hasValue()) return took.error();
        return true;
    }
    if (name == "model_name_or_path" || name == "base_model") {
        if (value.isString()) modelName = value.text;
        return value.isString();
    }
    if (name == "use_cpu" || name == "no_cuda") {  // the second in transformers 4
        const auto flag = trainerValue({"", ArgumentType::Bool, ""}, value);
        if (!flag.has_value() || !std::get<bool>(*flag)) return false;
        setWorkspace("/hardware/device", ConfigValue::ofString("cpu"));
        result.context.device = "cpu";
        taken(shownKey, line, value, "/hardware/device");
        return true;
    }
    if (name == "cutoff_len" || name == "sequence_len" || name == "max_seq_length" || name == "model_max_length" || name == "max_length") {
        const auto length = trainerValue({"", ArgumentType::Int, ""}, value);
        if (!length.has_value() || std::get<std::int64_t>(*length) < 1) return false;
        setWorkspace("/model/seq", configValue(*length));
        taken(shownKey, line, value, "/model/seq");
        return true;
    }
    const TrainerArgument* argument = findTrainerArgument(name);
    if (argument == nullptr || value.isNull()) return false;
    const auto read = trainerValue(*argument, value);
    if (!read.has_value()) return refuse(ErrorCode::InvalidInput, line, "\"{0}\" is {1}; write {2} or the like", "“{0}”的值为 {1}；写成类似 {2} 的值", {shownKey, toJson(value), argument->defaultJson});
    arguments[name] = *read;
    knownLater.erase(name);
    notes.replaced("trainer." + name, shownKey);
    if (pyYamlText && argument->type == ArgumentType::Float && value.isString()) {
        note(TransferKind::Changed, shownKey, line, value, "trainer." + name, say("Read as the number {0}. Python's YAML takes this spelling for text, and the Trainer hands text on to DeepSpeed, which fails in the optimizer: write it with a point and a signed exponent, 1.0e-5.", "按数字 {0} 读取。Python 的 YAML 会把这种写法当作文本，Trainer 原样交给 DeepSpeed，优化器会报错：写成带小数点和指数符号的形式，如 1.0e-5。", {toJson(configValue(*read))}));
    } else {
        taken(shownKey, line, value, "trainer." + name);
    }
    return true;
}

}  // namespace stagecraft
