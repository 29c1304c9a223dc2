// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/import_draft.h"

#include "config/hjson_reader.h"
#include "config/json_document.h"
#include "config/rules/judge.h"
#include "importers/config_text.h"

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

Error ImportDraft::refuse(ErrorCode code, int line, const std::string& what) const
{
    const bool named = line > 0 && !noteFile.empty();
    const std::string place = std::to_string(std::abs(line));
    Error error{code, "Cannot import \"" + file.name + "\": " + (named ? "\"" + noteFile + "\", " : "") + (line != 0 ? "line " + place + ": " : "") + what, {{"path", named ? noteFile : file.name}}};
    if (line != 0) error.context["line"] = place;
    return error;
}

Result<void> ImportDraft::takeDsConfigText(const std::string& name, std::string text)
{
    const bool own = name == file.name;
    const std::string where = own ? std::string() : "its ds_config \"" + name + "\": ";
    ReadText read = readHjson(text);
    if (read.problem.has_value()) {
        const ReadProblem& problem = *read.problem;
        Error error = refuse(ErrorCode::InvalidInput, own ? problem.place.line : 0,
                             where + (own ? "" : "line " + std::to_string(problem.place.line) + ": ") + rules::messageText("en", problem.id, problem.details));
        error.context["line"] = std::to_string(problem.place.line);
        error.context["column"] = std::to_string(problem.place.column);
        return error;
    }
    if (!read.root.isObject()) return refuse(ErrorCode::InvalidInput, own ? 1 : 0, where + "a ds_config is an object, and this is " + kindName(read.root) + "; write { ... }");
    const NamedFile notesOf(*this, own ? noteFile : name);
    for (const DuplicateKey& twice : read.duplicates) {
        if (!trainer && !accelerate) {
            return refuse(ErrorCode::InvalidInput, own ? twice.place.line : 0, where + (own ? "" : "line " + std::to_string(twice.place.line) + ": ") + "the key \"" + twice.key + "\" is written twice, which DeepSpeed refuses (ValueError); keep one of the two");
        }
        note(TransferKind::Warning, twice.pointer, twice.place.line, {}, twice.pointer, say("The key is written twice: the last one counts for Hugging Face, DeepSpeed itself refuses the file.", "该键出现两次：Hugging Face 取最后一个，DeepSpeed 自己读取时会拒绝该文件。"));
    }
    if (const ReadText strict = readStrictJson(text); strict.problem.has_value() && (trainer || accelerate)) {
        note(TransferKind::Warning, name, strict.problem->place.line, {}, "/dsConfig", say("The ds_config is no strict JSON here (a comment, a trailing comma or the like): DeepSpeed reads it, transformers and accelerate refuse it.", "此处不是严格 JSON（注释、多余逗号等）：DeepSpeed 能读取，transformers 与 accelerate 会拒绝。"));
    }
    m_config = std::move(read.root);
    // A member that stands twice is kept once, so that later edits reach the one that counts.
    result.dsConfigSource = read.duplicates.empty() ? std::move(text) : prettyJson(m_config) + "\n";
    hasDsConfig = true;
    return {};
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
    if (!value.isString() || value.text.empty()) return refuse(ErrorCode::InvalidInput, line, "\"" + key + "\" is " + toJson(value) + "; write the path of a ds_config or the config itself");
    if (value.text.front() == '{') {  // a JSON text in a word, as TrainingArguments takes it
        taken(key, line, value, "/dsConfig");
        return takeDsConfigText(file.name, value.text);
    }
    if (!options.readFile) return refuse(ErrorCode::NotFound, line, "\"" + key + "\" names the ds_config \"" + value.text + "\", which cannot be read from here; give that file too");
    auto text = options.readFile(value.text);
    if (!text.hasValue()) return refuse(text.error().code, line, "\"" + key + "\" names the ds_config \"" + value.text + "\", which cannot be read: " + text.error().message);
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
    if (name == "cutoff_len" || name == "sequence_len" || name == "max_seq_length" || name == "model_max_length" || name == "max_length") {
        if (value.kind != ConfigValue::Kind::Int || value.wide || value.integer < 1) return false;
        setWorkspace("/model/seq", value);
        taken(shownKey, line, value, "/model/seq");
        return true;
    }
    const TrainerArgument* argument = findTrainerArgument(name);
    if (argument == nullptr || value.isNull()) return false;
    const auto read = trainerValue(*argument, value);
    if (!read.has_value()) return refuse(ErrorCode::InvalidInput, line, "\"" + shownKey + "\" is " + toJson(value) + "; write " + std::string(argument->defaultJson) + " or the like");
    arguments[name] = *read;
    notes.replaced("trainer." + name, shownKey);
    if (pyYamlText && argument->type == ArgumentType::Float && value.isString()) {
        note(TransferKind::Changed, shownKey, line, value, "trainer." + name, say("Read as the number {0}. Python's YAML takes this spelling for text, and the Trainer hands text on to DeepSpeed, which fails in the optimizer: write it with a point and a signed exponent, 1.0e-5.", "按数字 {0} 读取。Python 的 YAML 会把这种写法当作文本，Trainer 原样交给 DeepSpeed，优化器会报错：请写成带小数点和指数符号的形式，如 1.0e-5。", {toJson(configValue(*read))}));
    } else {
        taken(shownKey, line, value, "trainer." + name);
    }
    return true;
}

}  // namespace stagecraft
