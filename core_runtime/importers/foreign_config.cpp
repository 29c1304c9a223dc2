// SPDX-License-Identifier: GPL-3.0-or-later
#include "importers/foreign_config.h"

#include "base/utf8.h"
#include "config/hjson_reader.h"
#include "config/wrapped_config.h"
#include "importers/readers.h"
#include "importers/yaml_problem.h"
#include "importers/yaml_reader.h"

#include <algorithm>
#include <array>

namespace stagecraft {

namespace {

constexpr std::array<std::pair<ForeignFormat, const char*>, 6> kFormats{{
    {ForeignFormat::DsConfig, "ds_config"},
    {ForeignFormat::Accelerate, "accelerate"},
    {ForeignFormat::TrainerArguments, "trainer"},
    {ForeignFormat::LlamaFactory, "llama-factory"},
    {ForeignFormat::Axolotl, "axolotl"},
    {ForeignFormat::CommandLine, "command"},
}};

/// Says why a file is none that can be imported, in the language asked for.
class Refusals {
public:
    Refusals(const ForeignFile& file, std::string_view language) : m_file(file), m_words(language) {}

    [[nodiscard]] Error operator()(std::string_view english, std::string_view chinese, std::initializer_list<std::string> words = {}) const
    {
        return {ErrorCode::InvalidInput, m_words.say("Cannot import \"{0}\": {1}", "无法导入“{0}”：{1}", {m_file.name, m_words.say(english, chinese, words)}), {{"path", m_file.name}}};
    }

private:
    const ForeignFile& m_file;
    TransferNotes m_words;
};

/// JSON, with or without a comment before it: its first mark is a brace.
bool startsWithBrace(std::string_view text)
{
    std::size_t at = text.rfind("\xEF\xBB\xBF", 0) == 0 ? 3 : 0;
    while (at < text.size()) {
        const char c = text[at];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') ++at;
        else if (c == '#' || text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size());
        else if (text.substr(at, 2) == "/*") at = std::min(text.find("*/", at), text.size() - 2) + 2;
        else return c == '{';
    }
    return false;
}

bool hasAny(const ConfigValue& root, std::initializer_list<const char*> keys)
{
    return std::any_of(keys.begin(), keys.end(), [&](const char* key) { return root.find(key) != nullptr; });
}

bool looksLikeDsConfig(const ConfigValue& root)
{
    return hasAny(root, {"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size", "steps_per_print", "zero_allow_untested_optimizer", "wall_clock_breakdown",
                         "activation_checkpointing", "flops_profiler", "gradient_clipping"});
}

std::optional<ForeignFormat> formatOf(const ConfigValue& root)
{
    if (!root.isObject()) return std::nullopt;
    if (hasAny(root, {"distributed_type", "compute_environment", "deepspeed_config", "fsdp_config"}) && !hasAny(root, {"base_model", "micro_batch_size"})) return ForeignFormat::Accelerate;
    if (hasAny(root, {"base_model"})) return ForeignFormat::Axolotl;
    if (hasAny(root, {"dist_config"}) && hasAny(root, {"model", "train_dataset", "micro_batch_size"})) return ForeignFormat::LlamaFactory;  // of its v1
    const ConfigValue* stage = root.find("stage");
    if (hasAny(root, {"finetuning_type", "template"}) || (stage != nullptr && stage->isString() && hasAny(root, {"model_name_or_path", "dataset"}))) return ForeignFormat::LlamaFactory;
    if (hasAny(root, {"per_device_train_batch_size", "learning_rate", "num_train_epochs", "output_dir", "deepspeed", "max_grad_norm", "lr_scheduler_type"})) return ForeignFormat::TrainerArguments;
    if (hasAny(root, {"micro_batch_size", "num_epochs"}) && hasAny(root, {"datasets", "sequence_len"})) return ForeignFormat::Axolotl;
    if (looksLikeDsConfig(root)) return ForeignFormat::DsConfig;
    return std::nullopt;
}

/// The file as a tree, for the formats that are maps.
Result<ConfigValue> treeOf(const ForeignFile& file, ForeignFormat format, std::string_view language, const Refusals& unreadable, TransferNotes* notes)
{
    if (startsWithBrace(file.text)) {
        ReadText read = readHjson(file.text);  // JSON for all of them; what is looser is told by the tool itself
        if (read.problem.has_value()) {
            const ReadProblem& problem = *read.problem;
            return unreadable("line {0}, column {1}: this is no JSON; put it right there", "第 {0} 行第 {1} 列：不是合法的 JSON；在该处改正", {std::to_string(problem.place.line), std::to_string(problem.place.column)});
        }
        return std::move(read.root);
    }
    auto read = readYaml(file.text, format == ForeignFormat::LlamaFactory ? YamlDialect::OmegaConf : YamlDialect::PyYaml);
    if (!read.hasValue()) {
        Error error = unreadable("{0}", "{0}", {yamlReason(read.error(), language)});
        error.context.insert(read.error().context.begin(), read.error().context.end());
        return error;
    }
    if (!read->root.isObject()) return unreadable("line 1: the file is {0}, not keys with values; write \"key: value\" lines", "第 1 行：文件内容是 {0}，不是键值；写 \"key: value\" 行", {kindName(read->root)});
    if (notes != nullptr) {
        for (const std::string& twice : read->repeatedKeys) notes->add({TransferKind::Warning, twice, 0, "", "", notes->say("The key is written twice; the last one counts.", "该键出现两次；以最后一个为准。")});
    }
    return std::move(read->root);
}

/// A script for a shell, by its first line or its name.
bool looksLikeShell(const ForeignFile& file)
{
    const std::string first = file.text.substr(0, std::min(file.text.find('\n'), std::size_t{200}));
    const std::string_view name(file.name);
    return (first.starts_with("#!") && first.find("sh") != std::string::npos) || name.ends_with(".sh") || name.ends_with(".bash") || name.ends_with(".sbatch") || name.ends_with(".slurm");
}

/// Size, zero bytes and encoding, for every format alike.
std::optional<Error> notText(const ForeignFile& file, const Refusals& unreadable)
{
    if (file.text.size() > kMaxConfigBytes) return unreadable("it is larger than 2 MiB, which no such file is", "文件大于 2 MiB，不可能是这类文件");
    const std::size_t zero = file.text.find('\0');
    const std::optional<std::size_t> bad = zero != std::string::npos ? std::optional(zero) : firstBadByte(file.text);
    if (!bad.has_value()) return std::nullopt;
    const auto line = std::count(file.text.begin(), file.text.begin() + static_cast<std::ptrdiff_t>(*bad), '\n') + 1;
    const std::string at = std::to_string(line);
    Error error = zero != std::string::npos ? unreadable("line {0}: a zero byte, so it is no text", "第 {0} 行：含有零字节，不是文本", {at})
                                            : unreadable("line {0}: this byte is no UTF-8; save the file as UTF-8", "第 {0} 行：这个字节不是 UTF-8；将文件保存为 UTF-8", {at});
    error.context["line"] = std::to_string(line);
    return error;
}

}  // namespace

const char* foreignFormatName(ForeignFormat format)
{
    return std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& entry) { return entry.first == format; })->second;
}

std::optional<ForeignFormat> foreignFormatFromName(std::string_view name)
{
    const auto found = std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& entry) { return name == entry.second; });
    return found == kFormats.end() ? std::nullopt : std::optional(found->first);
}

Result<ForeignFormat> detectForeignFormat(const ForeignFile& file, std::string_view language)
{
    const Refusals unreadable(file, language);
    if (auto bad = notText(file, unreadable)) return *bad;
    if (startsWithBrace(file.text)) {
        const ReadText read = readHjson(file.text);
        return read.problem.has_value() ? ForeignFormat::DsConfig : formatOf(read.root).value_or(ForeignFormat::DsConfig);
    }
    // Keys of a known file first: its values may name a launcher (run_name: deepspeed zero3), and no script is such a tree.
    const auto tree = treeOf(file, ForeignFormat::Accelerate, language, unreadable, nullptr);
    const auto format = tree.hasValue() ? formatOf(tree.value()) : std::nullopt;
    if (format.has_value()) return *format;
    if (hasPythonArguments(file.text)) return ForeignFormat::TrainerArguments;
    if (hasLauncherCommand(file.text)) return ForeignFormat::CommandLine;
    if (looksLikeShell(file)) return ForeignFormat::CommandLine;  // says which launchers are known
    if (!tree.hasValue()) {
        const ReadText read = readHjson(file.text);  // DeepSpeed also reads a file without the outer braces
        if (!read.problem.has_value() && (looksLikeDsConfig(read.root) || wrappedConfig(read.root))) return ForeignFormat::DsConfig;
        return tree.error();
    }
    if (wrappedConfig(tree.value())) return ForeignFormat::DsConfig;
    return unreadable("its keys belong to no file known here; it must be a ds_config (zero_optimization), an accelerate config (distributed_type), TrainingArguments (per_device_train_batch_size), "
                      "a LLaMA-Factory (finetuning_type) or axolotl file (base_model), or a script that starts deepspeed, accelerate or torchrun. Name the format if it is one of them",
                      "其中的键不属于任何已知的文件；应为 ds_config（zero_optimization）、accelerate 配置（distributed_type）、TrainingArguments（per_device_train_batch_size）、"
                      "LLaMA-Factory（finetuning_type）或 axolotl 文件（base_model），或启动 deepspeed、accelerate、torchrun 的脚本。若确属其中之一，指定格式");
}

Result<ImportedConfig> importForeignConfig(const ForeignFile& file, const ImportOptions& options)
{
    ForeignFormat format = options.format.value_or(ForeignFormat::DsConfig);
    const Refusals unreadable(file, options.language);
    if (auto bad = notText(file, unreadable)) return *bad;
    if (!options.format.has_value()) {
        const auto found = detectForeignFormat(file, options.language);
        if (!found.hasValue()) return found.error();
        format = found.value();
    }
    ImportDraft draft(file, options, format);
    draft.trainer = !options.arguments.empty() && format != ForeignFormat::CommandLine && format != ForeignFormat::Accelerate;  // there finish() tells who runs it
    Result<void> read;
    if (format == ForeignFormat::DsConfig) {
        read = draft.takeDsConfigText(file.name, file.text);
    } else if (format == ForeignFormat::CommandLine) {
        read = readCommandLine(draft);
    } else if (format == ForeignFormat::TrainerArguments && !startsWithBrace(file.text) && hasPythonArguments(file.text)) {
        read = readPythonArguments(draft);
    } else {
        const auto tree = treeOf(file, format, options.language, unreadable, &draft.notes);
        if (!tree.hasValue()) return tree.error();
        draft.pyYamlText = format == ForeignFormat::TrainerArguments && !startsWithBrace(file.text);
        read = format == ForeignFormat::Accelerate ? readAccelerate(draft, tree.value()) : format == ForeignFormat::Axolotl ? readAxolotl(draft, tree.value()) : format == ForeignFormat::LlamaFactory && tree->find("dist_config") != nullptr ? readLlamaFactoryV1(draft, tree.value()) : readTrainingArguments(draft, tree.value());
    }
    if (!read.hasValue()) return read.error();
    return draft.finish();
}

}  // namespace stagecraft
