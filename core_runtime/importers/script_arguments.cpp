// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/script_arguments.h"

#include "importers/launch_command.h"
#include "importers/readers.h"
#include "importers/word_doubts.h"
#include "importers/yaml_reader.h"

#include <algorithm>
#include <set>
#include <utility>

namespace stagecraft {

namespace {

std::string ofTheScript(const ImportDraft& draft) { return draft.say("The ds_config takes nothing from it.", "ds_config 不取用它。"); }

/// True where an option's value may be: no open words of which all that is known are further options, or nothing.
bool mayBeValue(const ShellWord& word)
{
    if (isOptionWord(word.text)) return false;
    if (!isOpen(word)) return true;
    for (const ShellDoubt& doubt : word.doubts) {
        const bool options = !doubt.values.empty() && std::all_of(doubt.values.begin(), doubt.values.end(), [](const ShellAlternative& value) { return value.text.empty() || value.text.starts_with('-'); });
        if (doubt.name == "@" || options) return false;
    }
    return true;
}

/// Names like max_steps are everybody's; these are TrainingArguments', LLaMA-Factory's or axolotl's.
bool ofATrainer(const ConfigValue& root)
{
    static const char* const kNames[]{"deepspeed", "per_device_train_batch_size", "per_device_eval_batch_size", "output_dir", "finetuning_type", "base_model", "dist_config"};
    return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) { return root.find(name) != nullptr; });
}

}  // namespace

Result<std::string> ScriptArguments::fileText(const std::string& path)
{
    if (const ShellWord* here = m_script.file(path); here != nullptr) {
        ShellWord defaults = *here;
        std::erase_if(defaults.doubts, [](const ShellDoubt& doubt) { return doubt.kind != ShellDoubt::Kind::Default; });
        defaults.text.clear();
        tellDefaults(m_draft, path, defaults);
        if (!here->known) m_draft.note(TransferKind::Warning, path, here->line, {}, "", m_draft.say("The script writes this file with {0} in it, known only when it runs{1}: those places are read as empty.", "脚本写出的这个文件中有 {0}，只有运行时才知道{1}：这些位置按空值读取。", {unknownNames(*here), whyUnknown(m_draft, *here)}));
        return here->text;
    }
    if (!m_draft.options.readFile) return Error{ErrorCode::NotFound, "it is not part of what was given", {}};
    return m_draft.options.readFile(path);
}

/// A JSON or YAML file given to the script in place of arguments (HfArgumentParser, llamafactory-cli, axolotl).
Result<void> ScriptArguments::argumentFile(const ShellWord& word)
{
    auto text = fileText(word.text);
    if (!text.hasValue()) return m_draft.refuse(text.error().code, word.line, "the arguments stand in \"{0}\", which cannot be read: {1}; put the file at that path, or import it by itself", "参数写在“{0}”中，而该文件无法读取：{1}；把该文件放到该路径，或单独导入它", {word.text, m_draft.whyUnreadable(text.error())});
    auto read = readYaml(text.value(), YamlDialect::OmegaConf);
    if (!read.hasValue()) return m_draft.refuse(ErrorCode::InvalidInput, word.line, "its arguments in \"{0}\": {1}", "其参数文件“{0}”：{1}", {word.text, m_draft.whatIsWrong(read.error())});
    if (!read->root.isObject()) return m_draft.refuse(ErrorCode::InvalidInput, word.line, "\"{0}\" holds no arguments; write \"key: value\" lines into it", "“{0}”中没有参数；在其中写 \"key: value\" 行", {word.text});
    if (!ofATrainer(read->root)) {
        m_draft.dropped(word.text, word.line, {}, m_draft.say("A file of the script's own: nothing in it is one of the TrainingArguments.", "脚本自己的文件：其中没有 TrainingArguments 的参数。"));
        return {};
    }
    m_argumentsRead = true;
    m_draft.taken(word.text, word.line, ConfigValue::ofString(word.text), {});
    const NamedFile named(m_draft, word.text);
    return read->root.find("base_model") != nullptr ? readAxolotl(m_draft, read->root) : read->root.find("dist_config") != nullptr ? readLlamaFactoryV1(m_draft, read->root) : readTrainingArguments(m_draft, read->root);
}

/// "key=value" behind a file of arguments wins over the file (LLaMA-Factory hparams/parser.py: OmegaConf.merge(file, from_cli)).
Result<void> ScriptArguments::overriding(const ShellWord& word, std::size_t equals)
{
    const std::string name = word.text.substr(0, equals);
    if (!word.known) {
        const ShellWord value{word.text.substr(equals + 1), word.line, false, word.doubts, word.shown.substr(word.shown.find('=') + 1)};
        if (name == "deepspeed") unknownConfig(name, value);
        leaveOpen(m_draft, name, name, value);
        return {};
    }
    if (name == "deepspeed") {
        if (auto took = option(name, name, {word.text.substr(equals + 1), word.line}, true); !took.hasValue()) return took;
        return {};
    }
    const auto took = m_draft.takeArgument(name, word.text, word.line, yamlScalar(word.text.substr(equals + 1), YamlDialect::OmegaConf));
    if (!took.hasValue()) return took.error();
    if (!took.value()) m_draft.dropped(word.text, word.line, {}, ofTheScript(m_draft));
    return {};
}

/// --config FILE of TRL's parser: the arguments that the command does not give itself. A script of another kind may mean something else by it.
Result<void> ScriptArguments::configFile(const std::vector<ShellWord>& words, std::size_t at)
{
    for (; at < words.size(); ++at) {
        std::size_t value = at;
        if (words[at].text.substr(0, words[at].text.find('=')) != "--config") continue;
        const ShellWord file = optionValue(words, value);
        if (!file.known || (!file.text.ends_with(".yaml") && !file.text.ends_with(".yml"))) return {};
        auto text = fileText(file.text);
        if (!text.hasValue()) {
            m_draft.note(TransferKind::Warning, "--config", file.line, shownValue(file), "", m_draft.say("This file cannot be read here: {0}. The TrainingArguments in it, if there are any, count there and not here.", "此处无法读取这个文件：{0}。其中若有 TrainingArguments，只在运行时有效，此处不计入。", {m_draft.whyUnreadable(text.error())}));
            return {};
        }
        auto read = readYaml(text.value(), YamlDialect::PyYaml);
        const bool trainers = read.hasValue() && read->root.isObject() && (read->root.find("per_device_train_batch_size") != nullptr || read->root.find("deepspeed") != nullptr);
        if (!trainers) return {};
        m_draft.taken("--config", file.line, ConfigValue::ofString(file.text), {});
        const NamedFile named(m_draft, file.text);
        trainerNames = true;
        const bool before = std::exchange(m_draft.pyYamlText, true);
        auto taken = readTrainingArguments(m_draft, read->root);
        m_draft.pyYamlText = before;
        return taken;
    }
    return {};
}

Result<void> ScriptArguments::read(const std::vector<ShellWord>& words, std::size_t at)
{
    if (auto config = configFile(words, at); !config.hasValue()) return config;
    for (; at < words.size(); ++at) {
        const ShellWord& word = words[at];
        if (!isOptionWord(word.text)) {
            if ((word.known || m_script.file(word.text) != nullptr) && (word.text.ends_with(".yaml") || word.text.ends_with(".yml") || (word.text.ends_with(".json") && !m_draft.hasDsConfig))) {
                if (auto read = argumentFile(word); !read.hasValue()) return read;
            } else if (const std::size_t equals = word.text.find('='); m_argumentsRead && equals != std::string::npos && equals > 0) {
                if (auto read = overriding(word, equals); !read.hasValue()) return read;
            } else if (isOpen(word)) {
                tellOpenWords(m_draft, word);
            } else {
                m_draft.dropped(word.text, word.line, {}, ofTheScript(m_draft));
            }
            continue;
        }
        const std::string option = word.text.substr(0, word.text.find('='));
        const std::string name = optionName(option);
        ShellWord value{"true", word.line, word.known};
        bool given = word.text.find('=') != std::string::npos;
        if (given || (at + 1 < words.size() && mayBeValue(words[at + 1]))) {
            value = optionValue(words, at);
            while (!given && at + 1 < words.size() && mayBeValue(words[at + 1]) && !isOpen(words[at + 1])) {
                value.text += " " + words[++at].text;
                value.known = value.known && words[at].known;
                value.doubts.insert(value.doubts.end(), words[at].doubts.begin(), words[at].doubts.end());
            }
            given = true;
        }
        if (auto took = this->option(name, option, value, given); !took.hasValue()) return took;
    }
    return {};
}

/// The ds_config that is named cannot be known, whatever was named before.
void ScriptArguments::unknownConfig(const std::string& option, const ShellWord& value)
{
    const std::string part = m_draft.say(" (\"{0}\")", "（“{0}”）", {shownValue(value).text});
    m_draft.unknownConfig = m_draft.say("{0} names a ds_config by a variable that is only set when the script runs{1}; write its path there, or import the ds_config itself", "{0} 用只有脚本运行时才知道的变量指定 ds_config{1}；在该处写出路径，或直接导入 ds_config",
                                        {option, part + whyUnknown(m_draft, value)});
    m_draft.unknownConfigLine = value.line;
    m_draft.hasDsConfig = false;
}

/// A ds_config that the script writes itself.
Result<void> ScriptArguments::writtenConfig(const std::string& option, const ShellWord& value, const ShellWord& text)
{
    tellDefaults(m_draft, value.text, text);
    if (!text.known) {
        return m_draft.refuse(ErrorCode::InvalidInput, text.line, "the script writes the ds_config \"{0}\" with {1} in it, which is known only when it runs{2}; write the value there, or import the file that it wrote", "脚本写出的 ds_config“{0}”中有 {1}，只有运行时才知道{2}；在该处写出数值，或导入它写出的文件", {shownValue(value).text, unknownNames(text), whyUnknown(m_draft, text)});
    }
    if (auto took = m_draft.takeDsConfigText(value.text, text.text); !took.hasValue()) return took;
    m_draft.taken(option, value.line, shownValue(value), "/dsConfig");
    return {};
}

Result<void> ScriptArguments::option(const std::string& name, const std::string& word, const ShellWord& value, bool given)
{
    static const std::set<std::string> kOnlyTheTrainers{"per_device_train_batch_size", "per_device_eval_batch_size", "auto_find_batch_size", "fp16_full_eval", "bf16_full_eval", "save_on_each_node"};
    trainerNames = trainerNames || kOnlyTheTrainers.count(name) > 0;
    const bool config = name == "deepspeed" || name == "deepspeed_config" || name == "deepspeed_config_file" || name == "ds_config";
    const ShellWord* written = config && given && !value.text.empty() ? m_script.file(value.text) : nullptr;
    if (!value.known && written == nullptr) {
        if (name == "deepspeed" && isOpen(value) && m_draft.hasDsConfig) {  // the switch, and words behind it
            tellOpenWords(m_draft, value);
            return {};
        }
        if (config && given) unknownConfig(word, value);
        leaveOpen(m_draft, name, word, value);
        return {};
    }
    ownConfig = ownConfig || (config && (name != "deepspeed" || !given));
    // Megatron's own words for what the workspace calls otherwise.
    static const std::pair<const char*, const char*> kMegatron[]{
        {"tensor_model_parallel_size", "/layout/tp"}, {"pipeline_model_parallel_size", "/layout/pp"}, {"context_parallel_size", "/layout/cp"}, {"train_iters", "/training/steps"}, {"seq_length", "/model/seq"}};
    for (const auto& [megatron, pointer] : kMegatron) {
        const auto number = trainerValue({"", ArgumentType::Int, ""}, ConfigValue::ofString(value.text));
        if (name != megatron || !number.has_value() || std::get<std::int64_t>(*number) < 1) continue;
        m_draft.setWorkspace(pointer, configValue(*number));
        m_draft.taken(word, value.line, configValue(*number), pointer);
        return {};
    }
    static const std::set<std::string> kSizes{"num_layers", "hidden_size", "num_attention_heads", "ffn_hidden_size", "num_query_groups"};
    if (given && kSizes.count(name) > 0) {  // of a model that the script builds
        m_draft.note(TransferKind::Warning, word, value.line, ConfigValue::ofString(value.text), "/model", m_draft.say("A size of the script's own model, which the workspace's may not be: choose a model with it, or memory and time are another's.", "脚本自己的模型的尺寸，工作区的模型未必如此：请选择这种尺寸的模型，否则内存和时间是另一个模型的。"));
        return {};
    }
    if (name == "config" && trainerNames && value.text.find(".y") != std::string::npos) return {};  // read before
    if (name == "deepspeed" && !given) return {};  // DeepSpeed's own switch; the config comes with --deepspeed_config
    if (written != nullptr) {
        m_draft.trainer = m_draft.trainer || name == "deepspeed";
        return writtenConfig(word, value, *written);
    }
    if (name == "deepspeed") m_draft.trainer = true;  // with a value it is TrainingArguments'
    auto took = m_draft.takeArgument(config && name != "deepspeed" ? "deepspeed_config" : name, word, value.line, given || findTrainerArgument(name) != nullptr ? ConfigValue::ofString(value.text) : ConfigValue::ofBool(true));
    if (!took.hasValue()) return took.error();
    if (!took.value()) m_draft.dropped(word, value.line, ConfigValue::ofString(given ? value.text : "true"), ofTheScript(m_draft));
    return {};
}

}  // namespace stagecraft
