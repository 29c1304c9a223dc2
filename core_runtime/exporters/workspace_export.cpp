// SPDX-License-Identifier: GPL-3.0-or-later
#include "exporters/workspace_export.h"

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "config/finding_text.h"
#include "config/hjson_reader.h"
#include "config/json_document.h"
#include "config/key_schema.h"
#include "config/present_form.h"
#include "exporters/launch_arguments.h"
#include "exporters/launch_command.h"
#include "exporters/python_export.h"
#include "importers/config_text.h"
#include "workspace/workspace.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sys/stat.h>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

std::string refusal(const CheckFinding& error, std::string_view language)
{
    return TransferNotes(language).say("{0} refuses the ds_config: {1} ({2})", "{0} 会拒绝该 ds_config：{1}（{2}）",
                                       {error.rule == "R107" ? "accelerate" : error.rule == "R105" ? "The Trainer" : "DeepSpeed", (error.pointer.empty() ? "" : error.pointer + ": ") + error.message, error.rule});
}

/// Of a ds_config that DeepSpeed itself is to read: whether it does, and what it makes of an "auto". The files are written all
/// the same, as the user may have another launcher for them.
/// @param source   of the ranks
/// @param trainer  what the launcher is given
void warnAsDeepSpeed(const std::string& dsConfigText, const Workspace& workspace, const ExportSource& source, const ArgumentValues& trainer, std::string_view language, std::vector<std::string>& warnings)
{
    const TransferNotes words(language);
    const ReadText given = readHjson(dsConfigText);
    CheckContext context = checkContextOf(source, language);
    context.launcher = workspace.launch.launcher;
    context.trainer = trainer;
    const bool open = !given.problem.has_value() && !fillsAuto(context.launcher);
    const std::vector<std::string> autos = open ? autoPointers(given.root) : std::vector<std::string>();
    const auto answer = checkConfig(dsConfigText, context);
    if (!answer.hasValue()) return;
    // An engine may be refused for what the script has to bring (an optimizer), or for a number of ranks that nobody gave: only what the file says counts.
    const std::string assumed = rules::messageText(language, "ranks.assumed", {});
    const auto refused = std::find_if(answer->findings.begin(), answer->findings.end(), [&](const CheckFinding& finding) {
        const bool word = std::find(autos.begin(), autos.end(), finding.pointer) != autos.end();
        const bool ofEngine = !finding.pointer.empty() && !finding.message.ends_with(assumed);
        return finding.severity == CheckSeverity::Error && (word || finding.level == CheckLevel::Load || finding.level == CheckLevel::Parse || ofEngine);
    });
    const bool takes = refused == answer->findings.end();
    if (takes && autos.empty()) return;
    const std::string why = takes ? std::string() : (refused->pointer.empty() ? "" : refused->pointer + ": ") + refused->message;
    if (autos.empty()) return warnings.push_back(refusal(*refused, language));
    const std::string which = autos.size() == 1 ? autos.front() : words.say("{0} and {1} more", "{0} 等 {1} 处", {autos.front(), std::to_string(language == "zh" ? autos.size() : autos.size() - 1)});
    warnings.push_back(takes ? words.say("{0}: only the Hugging Face Trainer and accelerate fill \"auto\"; DeepSpeed itself takes its own default there", "{0}：只有 Hugging Face Trainer 和 accelerate 会填写 \"auto\"；DeepSpeed 自己在该处采用默认值", {which})
                                  : words.say("{0}: only the Hugging Face Trainer and accelerate fill \"auto\"; DeepSpeed itself refuses the file: {1}", "{0}：只有 Hugging Face Trainer 和 accelerate 会填写 \"auto\"；DeepSpeed 自己会拒绝该文件：{1}", {which, why}));
}

/// What the launch script gives to a script of the Trainer's: the arguments with which the Trainer takes the ds_config as it stands. Those of
/// the workspace's that it cannot give are told.
ArgumentValues argumentsOfScript(const Workspace& workspace, const ExportSource& source, std::string_view language, std::vector<TransferNote>& notes)
{
    if (workspace.launch.launcher != CheckLauncher::Transformers) return launchArguments(workspace);
    auto made = exportForeignConfig(source, ForeignTarget::Trainer, language);
    if (!made.hasValue()) return trainingArgumentsOf(workspace);  // the ds_config is refused, which is told anyway
    for (TransferNote& note : made->notes) {
        if ((note.kind == TransferKind::Dropped || note.kind == TransferKind::Warning) && (note.key == "layout" || note.key.starts_with("launch.trainer."))) notes.push_back(std::move(note));
    }
    return std::move(made->arguments);
}

/// Of a ds_config that is written for whoever starts it: the error that comes first.
/// @param notes  of one that is written anew for another tool; what was left out of it is nobody's error any more, and what it lacked is put in. Null = as it is
void warnOfErrors(const Workspace& workspace, const ExportSource& source, std::string_view language, const std::vector<TransferNote>* notes, std::vector<std::string>& warnings)
{
    CheckContext context = checkContextOf(source, language);
    context.launcher = workspace.launch.launcher;
    context.trainer = launchArguments(workspace);
    const std::vector<CheckFinding> errors = errorsOfFile(workspace.dsConfigText, context);
    const auto first = std::find_if(errors.begin(), errors.end(), [&](const CheckFinding& error) {
        if (notes == nullptr) return true;
        return !error.pointer.empty() && std::none_of(notes->begin(), notes->end(), [&](const TransferNote& note) { return note.kind == TransferKind::Dropped && (error.pointer + "/").starts_with(note.key + "/"); });
    });
    if (first != errors.end()) warnings.push_back(refusal(*first, language));
}

}  // namespace

const std::vector<std::string>& workspaceExportTargets()
{
    static const std::vector<std::string> targets{"ds_config", "accelerate", "accelerate-file", "accelerate-fsdp", "trainer", "llama-factory", "axolotl", "command", "python", "evaluation", "schema"};
    return targets;
}

Result<WorkspaceExport> exportWorkspace(const Workspace& workspace, std::string_view target, const std::string& workspaceFile, const std::vector<std::string>& sets, std::string_view language, bool ranksAssumed)
{
    WorkspaceExport out;
    if (target == "schema") {
        out.files.push_back({"ds_config.schema.json", dsConfigSchema(KeyCatalog::standard()).dump(2) + "\n"});
        return out;
    }
    ExportSource source = exportSourceOf(workspace);
    source.ranksAssumed = ranksAssumed;
    const auto foreign = foreignTargetFromName(target);
    if (ranksAssumed && !foreign) {  // the others say it of the refusals and values that rest on it
        out.warnings.push_back(TransferNotes(language).say("Nobody chose the number of ranks: {0} is assumed, which any batch size here is judged for. Choose the number of GPUs to have it judged for yours",
                                                           "没有选择 rank 数：此处假定为 {0}，批次大小也按它判断。选择 GPU 数，以便按实际情况判断", {std::to_string(source.ranks)}));
    }
    const ArgumentValues trainer = target == "command" ? argumentsOfScript(workspace, source, language, out.notes) : launchArguments(workspace);
    if (target == "python" || target == "command") warnAsDeepSpeed(workspace.dsConfigText, workspace, source, trainer, language, out.warnings);
    if (target == "ds_config") warnOfErrors(workspace, source, language, nullptr, out.warnings);
    if (target == "python" || target == "evaluation") {
        const auto config = JsonDocument::parse(workspace.dsConfigText);
        if (!config.hasValue()) return config.error();
        auto ordered = nlohmann::ordered_json::parse(workspace.dsConfigText, nullptr, false, true);  // as written, where it can be had
        if (ordered.is_discarded()) ordered = nlohmann::ordered_json::parse(config->toJson(0, true).dump());
        const CheckContext context = checkContextOf(source, language);
        const auto form = presentForm(readHjson(workspace.dsConfigText).root, context);
        if (!form.hasValue()) return form.error();
        const auto answer = checkConfig(workspace.dsConfigText, context);
        std::optional<std::int64_t> micro;
        if (answer.hasValue() && answer->resolved.has_value() && std::holds_alternative<std::int64_t>(answer->resolved->micro) && std::get<std::int64_t>(answer->resolved->micro) > 0)
            micro = std::get<std::int64_t>(answer->resolved->micro);
        const auto evaluation = evaluationConfig(nlohmann::ordered_json::parse(toJson(form->config)), micro);
        if (target == "python") out.files.push_back({"ds_config.py", dsConfigPython(ordered, evaluation, workspace.name)});
        else out.files.push_back({"ds_config_eval.json", evaluation.dump(2) + "\n"});
        if (target == "evaluation") warnAsDeepSpeed(out.files.front().text, workspace, source, trainer, language, out.warnings);
        return out;
    }
    if (foreign) {
        auto made = exportForeignConfig(source, *foreign, language);
        if (!made.hasValue()) return made.error();
        out.files = std::move(made->files);
        out.notes = std::move(made->notes);
        if (*foreign != ForeignTarget::AccelerateFsdp) warnOfErrors(workspace, source, language, &out.notes, out.warnings);
        return out;
    }
    if (target != "ds_config" && target != "command")
        return Error{ErrorCode::InvalidArgument, "There is no export to \"" + std::string(target) + "\"", {}};
    // Both carry the ds_config: the command lines name it.
    if (const auto strict = JsonDocument::parse(workspace.dsConfigText, JsonSyntax::Strict); !strict.hasValue())
        out.warnings.push_back(TransferNotes(language).say("\"{0}\" is written as it is, and is not strict JSON ({1}): DeepSpeed reads it, other tools may not",
                                                           "\"{0}\" 原样写出，且不是严格的 JSON（{1}）：DeepSpeed 能读取，其他工具未必能", {"ds_config.json", strict.error().message}));
    out.files.push_back({"ds_config.json", workspace.dsConfigText});
    if (target == "command") out.files.push_back({"launch.sh", launchScript(workspace, workspaceFile, sets, trainer, ranksAssumed), true});
    return out;
}

Result<std::vector<std::string>> writeExport(const std::vector<ExportedFile>& files, const std::string& folder)
{
    if (auto made = makeFolder(folder); !made.hasValue()) return made.error();
    std::vector<std::string> paths;
    for (const ExportedFile& file : files) {
        const fs::path path = fs::absolute(folder) / file.name;
        if (auto written = writeFileAtomically(path, file.text); !written.hasValue()) return written.error();
        if (file.executable) ::chmod(path.c_str(), 0755);
        paths.push_back(path.string());
    }
    return paths;
}

}  // namespace stagecraft
