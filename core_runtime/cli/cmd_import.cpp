// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "importers/workspace_import.h"

#include "base/atomic_file.h"
#include "config/json_document.h"
#include "planner/config_advice.h"
#include "workspace/assumed_sizes.h"
#include "workspace/workspace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

namespace stagecraft::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
    std::string file;
    std::string from;
    std::vector<std::string> arguments;
    std::string into;
    std::string out;
    std::int64_t hidden = 0;
    ImportOptions import;
    bool json = false;
};

nlohmann::ordered_json answer(const std::string& file, const ImportedConfig& imported, const std::vector<std::string>& files)
{
    nlohmann::ordered_json notes = nlohmann::ordered_json::array();
    for (const TransferNote& note : imported.notes) {
        notes.push_back({{"kind", transferKindName(note.kind)}, {"key", note.key}, {"file", note.file.empty() ? file : note.file}, {"line", note.line}, {"value", note.value}, {"target", note.target}, {"reason", note.reason}});
    }
    nlohmann::ordered_json workspace = nlohmann::ordered_json::object();
    for (const WorkspaceValue& value : imported.workspace) workspace[value.pointer] = nlohmann::ordered_json::parse(value.json, nullptr, false);
    nlohmann::ordered_json trainer = nlohmann::ordered_json::object();
    for (const auto& [name, value] : imported.context.trainer) {
        std::visit([&trainer, &key = name](const auto& held) {
            if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) trainer[key] = nullptr;
            else trainer[key] = held;
        }, value);
    }
    nlohmann::ordered_json context{{"device", imported.context.device}, {"trainer", trainer}};
    if (imported.context.hiddenSize.has_value()) context["hidden_size"] = *imported.context.hiddenSize;
    const auto relaxed = JsonDocument::parse(imported.dsConfigText);
    return {{"format", foreignFormatName(imported.format)},
            {"launcher", checkLauncherName(imported.context.launcher)},
            {"world", imported.context.world},
            {"dsConfig", relaxed.hasValue() ? nlohmann::ordered_json(relaxed->toJson(0, true)) : nlohmann::ordered_json()},
            {"dsConfigText", imported.dsConfigText},
            {"dsConfigSource", imported.dsConfigSource},
            {"context", context},
            {"workspace", workspace},
            {"notes", notes},
            {"files", files}};
}

void printForPeople(const std::string& file, const ImportedConfig& imported, const std::vector<std::string>& files, const std::string& language)
{
    for (const TransferNote& note : imported.notes) {
        std::string what = note.key;
        if (!note.value.empty() && note.value != "null") what += (what.empty() ? "" : " = ") + note.value;
        const std::string& from = note.file.empty() ? file : note.file;
        const std::string place = note.line > 0 ? fmt::format("{}:{}", from, note.line) : from;
        fmt::print(stderr, "{}: {}: {}{}{}\n", place, transferKindWord(note.kind, language), what, what.empty() ? "" : ": ", note.reason);
    }
    if (files.empty()) fmt::print("{}", imported.dsConfigText);
    for (const std::string& written : files) fmt::print("{}\n", written);
}

/// Why nothing can be imported into that file; nothing when it is a workspace, or one that is told about further on.
std::optional<Error> whyNoWorkspace(const std::string& file)
{
    constexpr const char* kMake = "write {\"stagecraft\": 1, \"model\": {\"preset\": \"llama-2-7b\"}, \"hardware\": {\"nodes\": 1, \"devicesPerNode\": 8, \"device\": \"h100-80gb\"}} into it with your model and machines, or save one in the window; --out FOLDER writes the ds_config alone";
    std::error_code none;
    if (!fs::exists(file, none)) return Error{ErrorCode::NotFound, fmt::format("Cannot import into \"{}\": there is no such file, and --into changes a workspace that is there; {}", file, kMake), {{"path", file}}};
    const auto text = readFile(file, kMaxForeignBytes);
    const auto document = text.hasValue() ? JsonDocument::parse(text.value(), JsonSyntax::Strict) : Result<JsonDocument>(text.error());
    if (!document.hasValue() || document->find("/stagecraft") >= 0) return std::nullopt;
    return Error{ErrorCode::InvalidInput, fmt::format("Cannot import into \"{}\": it is no workspace, for it has no \"stagecraft\" (the number of its format); {}", file, kMake), {{"path", file}}};
}

int run(Options options)
{
    auto text = readStream(options.file, kMaxForeignBytes);
    if (!text.hasValue()) {
        Error error = text.error();
        if (error.code == ErrorCode::InvalidInput) error.code = ErrorCode::Io;
        return reportError(error, options.json);
    }
    ImportOptions& import = options.import;
    for (const std::string& word : options.arguments) {
        auto argument = trainerArgumentFromWord(word, import.language);
        if (!argument.hasValue()) return reportError(argument.error(), options.json);
        import.arguments.insert_or_assign(argument->first, argument->second);
    }
    if (!options.from.empty()) import.format = foreignFormatFromName(options.from);
    if (options.hidden > 0) import.hiddenSize = options.hidden;
    import.readFile = readerBeside(options.file);
    if (!options.into.empty()) {
        if (auto refused = whyNoWorkspace(options.into)) return reportError(*refused, options.json);
        // A workspace that cannot be read as one is told about where it is changed. The state of its ds_config, which is replaced, is no matter.
        const auto before = readFile(options.into, kMaxForeignBytes);
        const fs::path folder = fs::path(options.into).has_parent_path() ? fs::path(options.into).parent_path() : fs::path(".");
        if (const auto target = before.hasValue() ? readAroundConfig(before.value(), folder) : Result<Workspace>(before.error()); target.hasValue()) {
            CheckContext around;
            surroundWith(target.value(), around);
            const AssumedSizes assumed = assumedSizes(target->document);   // no "auto" is filled from what nobody chose
            import.workspaceRanks = around.ranks && !assumed.ranks ? around.world : 0;
            import.workspaceSplit = {{"tp", target->layout.tp}, {"pp", target->layout.pp}, {"cp", target->layout.cp}, {"ep", target->layout.ep}};
            import.workspaceAutoTp = target->framework.name == "deepspeed";
            import.workspaceHidden = assumed.model ? std::nullopt : around.hiddenSize;
        }
    }
    const auto imported = importForeignConfig({options.file, std::move(text.value())}, import);
    if (!imported.hasValue()) {
        Error error = imported.error();  // a file it names that is missing is a usage error like the file itself
        return reportError(error, options.json);
    }
    std::vector<std::string> files;
    if (!options.out.empty()) {
        if (auto made = makeFolder(options.out); !made.hasValue()) return reportError(made.error(), options.json);
        const fs::path file = fs::absolute(options.out) / "ds_config.json";
        if (auto written = writeFileAtomically(file, imported->dsConfigText); !written.hasValue()) return reportError(written.error(), options.json);
        files.push_back(file.string());
    }
    if (!options.into.empty()) {
        auto workspace = readStream(options.into, kMaxForeignBytes);
        if (!workspace.hasValue()) return reportError(workspace.error(), options.json);
        auto changed = importIntoWorkspace(std::move(workspace.value()), imported.value(), options.into);
        if (!changed.hasValue()) return reportError(changed.error(), options.json);
        if (auto written = writeFileAtomically(options.into, changed.value()); !written.hasValue()) return reportError(written.error(), options.json);
        files.push_back(fs::absolute(options.into).string());
    }
    if (options.json) printJson(answer(options.file, imported.value(), files));
    else printForPeople(options.file, imported.value(), files, import.language);
    return kDone;
}

}  // namespace

void addImportCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("import", "Take over the sharding of another tool's file: accelerate, Hugging Face Trainer, LLaMA-Factory, axolotl, a launch script or a ds_config");
    command->add_option("FILE", options->file, "The file")->required();
    command->add_option("--from", options->from, "What it is; found out from its content by default")
        ->check(CLI::IsMember({"ds_config", "accelerate", "trainer", "llama-factory", "axolotl", "command"}));
    command->add_option("--argument", options->arguments, "A TrainingArgument the file does not hold, NAME=VALUE: learning_rate=2e-5; may be repeated")->allow_extra_args(false)->option_text("NAME=VALUE");
    command->add_option("--world", options->import.ranks, "Ranks of the job, where the file does not say")->check(CLI::Range(1, 1'000'000));
    command->add_option("--hidden-size", options->hidden, "The model's hidden size, which some \"auto\" values are made of")->check(CLI::Range(1, 1 << 24));
    command->add_flag("--keep-auto", options->import.keepAuto, "Leave \"auto\" where it stands");
    command->add_option("--into", options->into, "A workspace file to change; everything else in it stays as it is");
    command->add_option("--out", options->out, "A folder to write ds_config.json into");
    command->add_option("--deepspeed", options->import.release, "Release or series to resolve for; default the newest known");
    command->add_option("--language", options->import.language, "Of the notes: en or zh")->check(CLI::IsMember({"en", "zh"}));
    command->add_flag("--json", options->json, "Print one JSON document: format, dsConfig, notes, workspace, ...");
    command->callback([options, &exitCode] { exitCode = run(*options); });
}

}  // namespace stagecraft::cli
