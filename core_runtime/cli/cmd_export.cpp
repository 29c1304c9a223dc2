// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/render_png.h"
#include "config/key_schema.h"
#include "exporters/report_html.h"
#include "exporters/run_files.h"
#include "exporters/workspace_export.h"
#include "record/known_runs.h"
#include "record/run_folder.h"
#include "workspace/assumed_sizes.h"
#include "workspace/workspace.h"

#include "base/atomic_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace stagecraft::cli {

namespace fs = std::filesystem;

namespace {

struct Options {
    std::string workspace;
    std::vector<std::string> sets;
    std::string to;
    std::string out;
    std::string language = "en";
    std::string release;  ///< of DeepSpeed, that the schema describes; empty = the newest known
    bool json = false;
};

int answer(const std::vector<fs::path>& files, const std::vector<std::string>& warnings, bool json)
{
    for (const std::string& warning : warnings) fmt::print(stderr, "stagecraft: warning: {}\n", warning);
    if (json) {
        nlohmann::ordered_json names = nlohmann::ordered_json::array();
        for (const fs::path& file : files) names.push_back(file.string());
        printJson(nlohmann::ordered_json{{"files", names}, {"warnings", warnings}});
    } else {
        for (const fs::path& file : files) fmt::print("{}\n", file.string());
    }
    return kDone;
}

/// The newest run that was started from a workspace file. @error NotFound
Result<fs::path> newestRunOf(const fs::path& workspaceFile)
{
    const auto full = [](const fs::path& path) {
        std::error_code ignored;
        const fs::path real = fs::weakly_canonical(path, ignored);
        return real.empty() ? fs::absolute(path, ignored).lexically_normal() : real;
    };
    const fs::path wanted = full(workspaceFile);
    std::vector<fs::path> folders = notedRuns(defaultRunsRoot());
    std::error_code ended;
    for (fs::directory_iterator at(defaultRunsRoot(), ended), end; !ended && at != end; at.increment(ended)) folders.push_back(at->path());
    std::optional<fs::path> newest;
    std::int64_t started = 0;
    for (const fs::path& folder : folders) {
        const auto info = readRunInfo(folder);
        if (info.hasValue() && full(info->workspaceFile) == wanted && (!newest || info->startedNs > started)) {
            newest = folder;
            started = info->startedNs;
        }
    }
    if (!newest)
        return Error{ErrorCode::NotFound, fmt::format("No run of \"{}\" is recorded under \"{}\", nor one elsewhere that is known there; name a run folder, or \"latest\".", workspaceFile.string(), defaultRunsRoot().string()), {{"path", workspaceFile.string()}}};
    return *newest;
}

/// The series and curves of a run, under the names that tutorials use.
int exportRun(const Options& options)
{
    std::error_code failed;
    auto folder = fs::is_regular_file(options.workspace, failed) ? newestRunOf(options.workspace) : findRunFolder(options.workspace, defaultRunsRoot());
    if (!folder.hasValue()) return reportError(folder.error(), options.json);
    auto record = loadRunRecord(folder.value());
    if (!record.hasValue()) return reportError(record.error(), options.json);
    if (auto made = makeFolder(options.out); !made.hasValue()) return reportError(made.error(), options.json);
    const fs::path out = fs::absolute(options.out);
    const nlohmann::json plan = readPlanJson(folder.value());
    const std::pair<const char*, std::string> contents[] = {{"training_metrics.csv", metricsCsv(record.value())},
                                                            {"training_curves.svg", curveSheet(record.value(), plan)},
                                                            {"summary.json", runSummary(record.value()).dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n"},
                                                            {"deepspeed_config_auto.json", resolvedDsConfig(record.value(), plan).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"}};
    std::vector<fs::path> files;
    std::vector<std::string> warnings;
    for (const auto& [name, text] : contents) {
        if (auto written = writeFileAtomically(out / name, text); !written.hasValue()) return reportError(written.error(), options.json);
        files.push_back(out / name);
    }
    if (auto drawn = renderPng(out / "training_curves.svg", out / "training_curves.png"); drawn.hasValue()) files.push_back(out / "training_curves.png");
    else warnings.push_back(drawn.error().message);
    if (record->badRecords > 0) warnings.push_back(fmt::format("{} damaged records were left out", record->badRecords));
    return answer(files, warnings, options.json);
}

int exportIt(const Options& options)
{
    if (options.to == "metrics") return exportRun(options);
    auto loaded = loadWorkspace(options.workspace, options.sets);
    if (!loaded.hasValue()) return reportError(loaded.error(), options.json);
    if (options.to == "schema") {
        const auto schema = dsConfigSchemaOf(options.release, KeyCatalog::standard(), options.language);
        if (!schema.hasValue()) return reportError(schema.error(), options.json);
        auto written = writeExport({{"ds_config.schema.json", schema->dump(2) + "\n"}}, options.out);
        if (!written.hasValue()) return reportError(written.error(), options.json);
        return answer({written->begin(), written->end()}, {}, options.json);
    }
    const std::string file = fs::absolute(options.workspace).lexically_normal().string();
    auto made = exportWorkspace(loaded.value(), options.to, file, options.sets, options.language, assumedSizes(loaded->document).ranks);
    if (!made.hasValue()) return reportError(made.error(), options.json);
    auto written = writeExport(made->files, options.out);
    if (!written.hasValue()) return reportError(written.error(), options.json);
    if (!foreignTargetFromName(options.to)) return answer({written->begin(), written->end()}, made->warnings, options.json);
    // Each value's fate on stderr or under "notes"; what is lost or has to be looked at stands among the warnings as well.
    nlohmann::ordered_json notes = nlohmann::ordered_json::array(), warnings = made->warnings;
    if (!options.json) {
        for (const std::string& path : written.value()) fmt::print("{}\n", path);
        for (const std::string& warning : made->warnings) fmt::print(stderr, "stagecraft: warning: {}\n", warning);
    }
    for (const TransferNote& note : made->notes) {
        notes.push_back({{"kind", transferKindName(note.kind)}, {"key", note.key}, {"value", note.value}, {"target", note.target}, {"reason", note.reason}});
        if (note.kind == TransferKind::Dropped || note.kind == TransferKind::Warning) warnings.push_back(fmt::format("{}: {}", note.key, note.reason));
        if (!options.json) fmt::print(stderr, "{}: {}{}: {}\n", transferKindWord(note.kind, options.language), note.key, note.value.empty() || note.value == "null" ? "" : " = " + note.value, note.reason);
    }
    if (options.json) printJson(nlohmann::ordered_json{{"files", written.value()}, {"warnings", warnings}, {"notes", notes}});
    return kDone;
}

}  // namespace

void addExportCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("export", "Write a workspace as files for other tools");
    command->add_option("workspace", options->workspace, "The workspace file; with --to metrics a run: its folder, the name of one under " + defaultRunsRoot().string() + ", \"latest\", or the workspace file for its newest run")->required();
    command->add_option("--set", options->sets, "Change one field first: /training/steps=200 (JSON, else a string); may be repeated")->allow_extra_args(false)->option_text("/PATH=VALUE");
    command->add_option("--to", options->to, "ds_config: ds_config.json, byte for byte as you wrote it; command: launch.sh with the command lines that start it, and the ds_config.json they name; schema: ds_config.schema.json, which editors check and complete a ds_config with; accelerate, accelerate-file: default_config.yaml, by fields or naming a ds_config.json; accelerate-fsdp: the same for PyTorch's FSDP, with what is lost; trainer, llama-factory, axolotl: a ds_config.json with \"auto\" and the arguments that fill it with the same values; python: ds_config.py, functions that return it and its evaluation config; evaluation: ds_config_eval.json, the shorter config of an engine that only evaluates; metrics: a run's training_metrics.csv, training_curves.png and .svg, summary.json and deepspeed_config_auto.json")
        ->required()
        ->check(CLI::IsMember({"ds_config", "command", "schema", "accelerate", "accelerate-file", "accelerate-fsdp", "trainer", "llama-factory", "axolotl", "python", "evaluation", "metrics"}));
    command->add_option("--out", options->out, "The folder to write into; made when it is not there")->required();
    command->add_option("--language", options->language, "Of the notes: en or zh")->check(CLI::IsMember({"en", "zh"}));
    command->add_option("--deepspeed", options->release, "With --to schema: the release or series that is described, e.g. 0.16.9 or 0.18; default the newest known");
    command->add_flag("--json", options->json, "Print the names of the files as one JSON document");
    command->callback([options, &exitCode] { exitCode = exportIt(*options); });
}

}  // namespace stagecraft::cli
