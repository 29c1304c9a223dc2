// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/command.h"
#include "cli/inside_workspace.h"

#include "base/atomic_file.h"
#include "config/check.h"
#include "config/finding_text.h"
#include "config/fitting_ranks.h"
#include "config/hjson_reader.h"
#include "config/json_document.h"
#include "config/safe_fixes.h"
#include "hardware/machine_probe.h"
#include "importers/foreign_config.h"
#include "planner/checklist.h"
#include "planner/config_advice.h"
#include "workspace/workspace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

namespace stagecraft::cli {

namespace {

struct CheckOptions {
    std::string file;
    std::string contextFile;
    std::string workspaceFile;
    std::string launcher;  ///< empty = not given
    std::string optimizer; ///< empty = not given
    CheckContext context;
    bool pipeline = false;
    bool json = false;
    bool worldGiven = false;
    int ranks = 0;       ///< 0 = not given
    std::string device;  ///< empty = not given
    bool checklist = false;
    bool fix = false;
    std::string out;     ///< where the mended text goes; empty = FILE itself, "-" = standard output
    std::vector<std::string> arguments;  ///< of the launcher, NAME=VALUE
};

constexpr std::size_t kMaxContext = std::size_t{64} << 20;

/// The text of what FILE names, "-" being the standard input. Of one above the limit of a ds_config no more is read than shows that it
/// is: blanks of that many bytes stand for it, which the check answers as for any text of that size.
Result<std::string> readConfig(const std::string& file)
{
    if (std::filesystem::is_directory(file)) {
        return Error{ErrorCode::Io, fmt::format("Cannot read \"{}\": it is a folder; name the ds_config in it.", file), {{"path", file}}};
    }
    auto text = readStream(file == "-" ? "/dev/stdin" : file, kMaxConfigBytes);
    if (!text.hasValue() && text.error().code == ErrorCode::InvalidInput) {
        return std::string(kMaxConfigBytes + 1, ' ');
    }
    return text;
}

/// The ranks the batch was divided among: fewer than there are where a sequence is divided too.
double ranksOf(const ResolvedBatch& batch)
{
    return batchNumberValue(batch.trainBatchSize) / (batchNumberValue(batch.micro) * batchNumberValue(batch.gas));  // all three are above 0 once they resolve
}

/// A severity as people read it; programs read it in the JSON, where it is the same in every language.
std::string severityWord(CheckSeverity severity, const std::string& language)
{
    return rules::messageText(language, std::string("severity.") + checkSeverityName(severity), {});
}

/// A sentence that quotes the file, with what a terminal would obey (escapes, and the controls of Latin-1) spelt as JSON spells it.
std::string forTerminal(std::string_view sentence)
{
    std::string shown;
    for (std::size_t at = 0; at < sentence.size(); ++at) {
        const auto byte = static_cast<unsigned char>(sentence[at]);
        const auto next = static_cast<unsigned char>(at + 1 < sentence.size() ? sentence[at + 1] : '\0');
        if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
            shown += fmt::format("\\u{:04x}", next);
            ++at;
        } else if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F) {
            shown += fmt::format("\\u{:04x}", byte);
        } else {
            shown += sentence[at];
        }
    }
    return shown;
}

/// @param word  what it is to the reader: its severity, or that it is mended
void printFinding(std::FILE* to, const std::string& file, const CheckFinding& finding, const std::string& word)
{
    const std::string place = finding.line > 0 ? fmt::format(":{}:{}", finding.line, finding.column) : std::string();
    fmt::print(to, "{}{}: {} [{}, {}]: {}\n", forTerminal(file), place, word, finding.rule, checkLevelName(finding.level), forTerminal(finding.message));
}

/// Whether it tells of a value that the launcher fills in, and that there is nothing to change.
bool isFilled(const CheckFinding& finding)
{
    return finding.rule == "R103" && finding.severity == CheckSeverity::Info && !finding.pointer.empty();
}

/// The values that the launcher puts in place of "auto", where one line for all of them is enough: each by its name and what it becomes.
std::vector<std::string> filledValues(const CheckAnswer& answer)
{
    std::vector<std::string> filled;
    for (const CheckFinding& finding : answer.findings) {
        const auto becomes = std::find_if(answer.changed.begin(), answer.changed.end(), [&](const ChangedValue& changed) { return changed.pointer == finding.pointer; });
        if (isFilled(finding) && becomes != answer.changed.end()) {
            std::string name = finding.pointer.substr(1);
            std::replace(name.begin(), name.end(), '/', '.');
            filled.push_back(fmt::format("{} = {}", name, becomes->json));
        }
    }
    return filled;
}

/// @param fit  ranks for which DeepSpeed does not refuse what it refuses for the one that is assumed
void printForPeople(std::FILE* to, const std::string& file, const CheckAnswer& answer, const CheckContext& context, const std::optional<FittingRanks>& fit)
{
    const std::string& language = context.language;
    const std::vector<std::string> filled = filledValues(answer);
    for (const CheckFinding& finding : answer.findings) {
        if (filled.size() < 2 || !isFilled(finding)) printFinding(to, file, finding, severityWord(finding.severity, language));
    }
    if (filled.size() > 1) {
        const std::string sentence = rules::messageText(language, "verdict.filled", {{"who", checkLauncherName(context.launcher)}});
        fmt::print(to, "{}: {} [R103, parse]: {} {}\n", forTerminal(file), severityWord(CheckSeverity::Info, language), sentence, forTerminal(fmt::format("{}", fmt::join(filled, ", "))));
    }
    if (answer.ok) {
        fmt::print(to, "{}\n", rules::messageText(language, "verdict.accepts", {{"release", answer.release}}));
    } else if (whoRefuses(answer, context.launcher) == "Stagecraft") {
        fmt::print(to, "{}\n", rules::messageText(language, "verdict.not_read", {{"release", answer.release}}));
    } else {
        fmt::print(to, "{}\n", rules::messageText(language, "verdict.refuses", {{"who", whoRefuses(answer, context.launcher)}, {"level", checkLevelName(*answer.level)}}));
        if (fit) {
            fmt::print(to, "{}\n", rules::messageText(language, fit->answer.ok ? "verdict.ranks" : "verdict.ranks.more", {{"ranks", fmt::format("{}", fit->ranks)}}));
        } else if (*answer.level < CheckLevel::Engine) {
            const char* how = looksBeyond(answer) ? "verdict.beyond" : *answer.level == CheckLevel::Load ? "verdict.beyond.load" : nullptr;
            if (how != nullptr) fmt::print(to, "{}\n", rules::messageText(language, how, {}));
        }
    }
    const std::optional<ResolvedBatch>& batch = fit ? fit->answer.resolved : answer.resolved;
    if (batch) {
        const bool assumed = ranksAreAssumed(context);
        // DeepSpeed divides the ranks by sequence_parallel_size, whatever is left over; a part of a rank trains nothing.
        const bool part = ranksOf(*batch) < 1.0;
        fmt::print(to, "{}\n", rules::messageText(language, part ? "verdict.batch.part" : assumed ? "verdict.batch.assumed" : "verdict.batch", {{"batch", batchNumberText(batch->trainBatchSize)}, {"micro", batchNumberText(batch->micro)}, {"steps", batchNumberText(batch->gas)},
                                                                        {"ranks", fmt::format("{}", part ? context.world : ranksOf(*batch))}}));
    }
}

/// The workspace with the ds_config that is judged in it; nothing when the text cannot be read.
/// @param own  it is the workspace's own, advised for the framework that trains it; any other is one for DeepSpeed
std::optional<Workspace> withConfig(Workspace workspace, const std::string& text, bool own)
{
    const auto document = JsonDocument::parse(text);
    if (!document.hasValue()) {
        return std::nullopt;
    }
    workspace.dsConfig = document->toJson(0, true);
    workspace.dsConfigText = text;
    if (!own && workspace.framework.name == "stagecraft") {
        workspace.framework.name = "deepspeed";
    }
    return workspace;
}

PlanContext thisMachine()
{
    PlanContext context;
    context.hostMemoryBytes = probeMemory().total;
    return context;
}

/// Adds what speaks against the config for the workspace's model and hardware. A config that is refused has worse to mend first.
void advise(const Workspace& workspace, const CheckOptions& options, CheckAnswer& answer)
{
    if (!answer.ok) {
        return;
    }
    for (CheckFinding& finding : adviseOrPlan(workspace, thisMachine(), options.context.language)) {
        answer.findings.push_back(std::move(finding));
    }
    std::stable_sort(answer.findings.begin(), answer.findings.end(), [](const CheckFinding& a, const CheckFinding& b) {
        return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
}

/// A file of another tool has no verdict of DeepSpeed's worth having: what holds its ds_config is named.
void tellImport(const std::string& file, const std::string& text)
{
    const auto format = detectForeignFormat({file, text});
    if (!format.hasValue() || *format == ForeignFormat::DsConfig) {
        return;
    }
    static const std::map<ForeignFormat, const char*> kNames{{ForeignFormat::Accelerate, "a configuration of accelerate"}, {ForeignFormat::TrainerArguments, "TrainingArguments"}, {ForeignFormat::LlamaFactory, "a file of LLaMA-Factory"},
                                                             {ForeignFormat::Axolotl, "a file of axolotl"}, {ForeignFormat::CommandLine, "a launch script"}};
    fmt::print(stderr, "stagecraft: {}: this reads like {}, not like a ds_config; \"stagecraft import\" gives the ds_config in it, and what is around it\n", file, kNames.at(*format));
}

/// Makes every safe fix in `text` and writes it where it was asked for; FILE itself only where that changes it.
Result<MendedConfig> mend(const CheckOptions& options, const std::string& text, const CheckContext& context)
{
    if (text.size() > kMaxConfigBytes) {
        return MendedConfig{text, {}};  // blanks that stand for it, not what it says
    }
    auto mended = withEverySafeFix(text, context);
    if (!mended.hasValue()) {
        return mended.error();
    }
    const std::string out = options.out.empty() ? options.file : options.out;
    if (out == "-") {
        std::fwrite(mended->text.data(), 1, mended->text.size(), stdout);
    } else if (!options.out.empty() || mended->text != text) {
        const auto written = writeFileAtomically(out, mended->text);
        if (!written.hasValue()) {
            return written.error();
        }
    }
    return mended;
}

/// What was mended, and where the text that the verdict below is about stands.
void printMended(std::FILE* to, const CheckOptions& options, const MendedConfig& mended, const std::string& language)
{
    for (const CheckFinding& finding : mended.mended) printFinding(to, options.file, finding, rules::messageText(language, "verdict.mended", {}));
    const std::string out = options.out.empty() ? options.file : options.out;
    if (mended.mended.empty()) {
        fmt::print(to, "{}\n", rules::messageText(language, "verdict.mended.none", {}));
    } else {
        fmt::print(to, "{}\n", rules::messageText(language, out == "-" ? "verdict.mended.printed" : "verdict.mended.written", {{"count", fmt::format("{}", mended.mended.size())}, {"file", forTerminal(out)}}));
    }
}

/// Where the answer for people goes: beside a text that goes to standard output, to standard error.
std::FILE* answerStream(const CheckOptions& options)
{
    return options.fix && (options.out == "-" || (options.out.empty() && options.file == "-")) ? stderr : stdout;
}

int run(const CheckOptions& given)
{
    CheckOptions options = given;
    CheckContext context = options.context;
    bool deviceTold = false;
    if (!options.contextFile.empty()) {
        const bool inHere = options.contextFile.front() == '{';
        const auto text = inHere ? Result<std::string>(options.contextFile) : readStream(options.contextFile, kMaxContext);
        if (inHere) {
            options.contextFile = "--context";
        }
        if (!text.hasValue()) {
            return reportError(text.error(), options.json);
        }
        std::vector<std::string> warnings;
        auto read = readCheckContext(text.value(), warnings);
        if (!read.hasValue()) {
            return reportError(read.error(), options.json) == kDone ? kDone : kUsage;
        }
        for (const std::string& warning : warnings) {
            fmt::print(stderr, "stagecraft: {}: {}\n", options.contextFile, warning);
        }
        context = std::move(read.value());
        deviceTold = nlohmann::json::parse(text.value()).contains("device");
        context.release = options.context.release;
        context.world = options.context.world;
        context.language = options.context.language;
    }
    context.pipelineModel = context.pipelineModel || options.pipeline;
    if (options.worldGiven && !context.pipelineModel && !context.ranks) {
        context.ranks = context.world;   // one rank that was told is not one that is assumed
    }
    const CheckContext told = context;
    std::optional<Workspace> workspace;
    // Read once: what comes through a pipe is gone then.
    auto source = readConfig(options.file);
    std::error_code apart;
    const bool same = options.workspaceFile.empty() || options.workspaceFile == options.file || std::filesystem::equivalent(options.workspaceFile, options.file, apart);
    const bool inside = same && source.hasValue() && isWorkspaceText(source.value());   // the ds_config in it is meant
    if (inside || !options.workspaceFile.empty()) {
        const std::string file = inside ? options.file : options.workspaceFile;
        auto read = inside && !std::filesystem::is_regular_file(file) ? parseWorkspace(source.value(), ".") : loadWorkspace(file);
        if (!read.hasValue() && inside) {   // which may be what is wrong, and is what is asked about
            const std::filesystem::path folder = std::filesystem::path(file).has_parent_path() ? std::filesystem::path(file).parent_path() : std::filesystem::path(".");
            if (auto around = withoutConfig(source.value(), folder); around.hasValue()) {
                read = std::move(around);
            }
        }
        if (!read.hasValue()) {
            return reportError(read.error(), options.json);
        }
        workspace = std::move(read).value();
        // The workspace tells what the command line does not.
        surroundWith(*workspace, context);
        if (options.worldGiven) {
            context.world = told.world;
            context.ranks = told.ranks;
        }
        context.ranks = told.ranks ? told.ranks : context.ranks;
        context.hiddenSize = told.hiddenSize ? told.hiddenSize : context.hiddenSize;
        context.device = deviceTold ? told.device : context.device;
        context.optimizer = told.optimizer.empty() ? context.optimizer : told.optimizer;
        context.pipelineModel = context.pipelineModel || told.pipelineModel;
        context.pipeStages = told.pipeStages ? told.pipeStages : context.pipeStages;
    }
    if (context.pipeStages.value_or(1) > 1 && !context.pipelineModel) {
        fmt::print(stderr, "stagecraft: {}: The context key \"pipe_stages\" is not used: only a pipeline model has stages. If yours is one, add \"pipeline_model\": true or --pipeline.\n", options.contextFile);
    }
    if (options.checklist && !workspace) {
        (void)reportError(Error{ErrorCode::InvalidArgument, "--checklist needs a workspace: name one with --workspace, or as FILE.", {}}, options.json);
        return kUsage;
    }
    if (options.ranks > 0) {
        context.ranks = options.ranks;
        if (options.ranks < context.world) {
            return reportError(Error{ErrorCode::InvalidArgument, fmt::format("--ranks is {}, fewer than the {} ranks of the batch rule ({}), which are some of them or all: write the ranks of the whole job, or leave --ranks out", options.ranks, context.world, options.worldGiven ? "--world" : "the workspace's"), {}}, options.json);
        }
    }
    if (!options.device.empty()) {
        context.device = options.device;
    }
    if (!options.optimizer.empty()) {
        context.optimizer = options.optimizer;
    }
    if (!options.launcher.empty()) {
        context.launcher = checkLauncherFromName(options.launcher).value_or(CheckLauncher::DeepSpeed);
    }
    // What the command line says of the launcher's arguments stands above what a file says.
    for (const auto& [name, value] : told.trainer) {
        context.trainer.insert_or_assign(name, value);
    }
    for (const std::string& word : options.arguments) {
        auto argument = launcherArgumentFromWord(word, context.launcher, options.context.language);
        if (!argument.hasValue()) {
            return reportError(argument.error(), options.json);
        }
        context.trainer.insert_or_assign(argument->first, argument->second);
    }
    if (!fillsAuto(context.launcher) && !(told.trainer.empty() && options.arguments.empty())) {
        const std::string where = options.arguments.empty() ? options.contextFile + ": \"trainer\"" : std::string("--argument");
        fmt::print(stderr, "stagecraft: {} is not used: only transformers and accelerate fill \"auto\" from their arguments; add --launcher transformers or --launcher accelerate\n", where);
    }
    const bool named = inside && !workspace->dsConfigFile.empty();
    if (options.fix && !named && (inside || (source.hasValue() && looksLikeWorkspace(source.value())))) {
        const char* const how = inside ? "the one in the workspace \"{}\" is mended in the window (Fix all safe)" : "\"{}\" is a workspace that cannot be read: mend it by hand where check points, without --fix";
        (void)reportError(Error{ErrorCode::InvalidArgument, "--fix mends a ds_config in a file of its own; " + fmt::format(fmt::runtime(how), options.file), {}}, options.json);
        return kUsage;
    }
    if (named) {
        options.file = workspace->dsConfigFile.string();
    }
    auto text = inside && !named ? embeddedConfig(options.file, source.value()) : named ? readConfig(options.file) : std::move(source);
    if (!text.hasValue()) {
        return reportError(text.error(), options.json);
    }
    if (!inside) {
        tellImport(options.file, text.value());
    }
    std::FILE* to = answerStream(options);
    std::optional<MendedConfig> mended;
    if (options.fix) {
        auto done = mend(options, text.value(), context);
        if (!done.hasValue()) {
            return reportError(done.error(), options.json) == kDone ? kDone : kUsage;
        }
        mended = std::move(done).value();
        text = mended->text;
        if (!options.json) printMended(to, options, *mended, context.language);
    }
    auto answer = checkConfig(text.value(), context);
    if (!answer.hasValue()) {
        return reportError(answer.error(), options.json);
    }
    if (workspace) {
        workspace = withConfig(std::move(*workspace), text.value(), inside);
    }
    if (workspace) {
        advise(*workspace, options, *answer);
    }
    std::vector<ChecklistItem> practices;
    if (options.checklist && workspace) {
        practices = checkPractices(*workspace, thisMachine(), options.context.language, {.check = &*answer});
    }
    const auto fit = fittingRanks(text.value(), context, *answer);
    if (options.json && !options.checklist && !mended) {
        const std::string json = checkAnswerJson(answer.value(), fit, text.value()) + '\n';
        std::fwrite(json.data(), 1, json.size(), stdout);  // tens of megabytes for a hostile file, which a formatter would hold once more
    } else if (options.json) {
        auto document = nlohmann::ordered_json::parse(checkAnswerJson(answer.value(), fit, text.value()));
        if (mended) {
            document["mended"] = nlohmann::ordered_json::array();
            for (const CheckFinding& finding : mended->mended) {
                document["mended"].push_back({{"rule", finding.rule}, {"path", finding.pointer}, {"line", finding.line}, {"column", finding.column}, {"message", finding.message}});
            }
        }
        if (options.checklist) document["checklist"] = nlohmann::ordered_json::array();
        for (const ChecklistItem& item : practices) {
            document["checklist"].push_back({{"practice", item.id}, {"verdict", checklistVerdictName(item.verdict)}, {"path", item.pointer}, {"title", item.title}, {"message", item.reason},
                                             {"fix", item.fix.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json::parse(item.fix)}});
        }
        printJson(document);
    } else {
        printForPeople(to, mended && !options.out.empty() && options.out != "-" ? options.out : options.file, answer.value(), context, fit);
        for (const ChecklistItem& item : practices) {
            const char* mark = item.verdict == ChecklistItem::Verdict::Followed ? "yes" : item.verdict == ChecklistItem::Verdict::NotFollowed ? "NO" : item.verdict == ChecklistItem::Verdict::NotNeeded ? "-" : "?";
            fmt::print(to, "{:<4}{}: {}\n", mark, item.title, item.reason);
        }
    }
    return answer.value().ok ? kDone : kAnswerIsNo;
}

}  // namespace

void addCheckCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<CheckOptions>();
    CLI::App* command = app.add_subcommand("check", "The verdict DeepSpeed would give on a ds_config");
    command->add_option("FILE", options->file, "The ds_config, or a workspace: the ds_config in it, with its ranks and advice as by --workspace")->required();
    command->add_option("--world", options->context.world, "Ranks the batch rule starts from; for a pipeline model its data-parallel size")
        ->check(CLI::Range(1, 1 << 30));
    command->add_option("--ranks", options->ranks, "All ranks of the job, where more than the batch rule's; default the workspace's")->check(CLI::Range(1, 1 << 30));
    command->add_option("--device", options->device, "What the ranks run on: cuda or cpu; default the workspace's, else cuda")->check(CLI::IsMember({"cuda", "cpu"}));
    command->add_option("--launcher", options->launcher, "Who reads the file: deepspeed, transformers (the Hugging Face Trainer) or accelerate; default the workspace's \"launch.launcher\", else deepspeed")
        ->check(CLI::IsMember({"deepspeed", "transformers", "accelerate"}));
    command->add_option("--optimizer", options->optimizer, "Class that the training script passes to deepspeed.initialize, where the file names none: AdamW; default the workspace's \"launch.optimizer\", else none");
    command->add_flag("--pipeline", options->pipeline, "The model is a PipelineModule");
    command->add_option("--context", options->contextFile, "A file with one JSON object of what only the script knows (device, optimizer, trainer, ...), or the object itself: '{\"optimizer\": \"AdamW\"}'");
    command->add_option("--argument", options->arguments, "What fills \"auto\", NAME=VALUE, may be repeated, and stands above the context's. Under --launcher transformers a TrainingArgument: learning_rate=2e-5. Under --launcher accelerate an option of accelerate launch (mixed_precision=bf16, zero_stage=3), per_device_train_batch_size for the DataLoader's, gradient_accumulation_steps for the Accelerator's, learning_rate, weight_decay, warmup_steps and max_steps for DummyOptim's and DummyScheduler's")->allow_extra_args(false)->option_text("NAME=VALUE");
    command->add_option("--workspace", options->workspaceFile, "A workspace: adds advice with numbers for its model, hardware and layout");
    command->add_flag("--checklist", options->checklist, "Good practices held against the workspace, each with the numbers that decide; with --workspace, or where FILE is one");
    CLI::Option* fix = command->add_flag("--fix", options->fix, "Make every safe fix in FILE, keeping all else as it is written, and judge what comes out; of \"-\" the mended text is printed");
    command->add_option("--out", options->out, "With --fix: the file to write instead of FILE; - prints the text, and the answer goes to standard error")->needs(fix);
    command->add_option("--deepspeed", options->context.release, "Release or series to judge by, e.g. 0.19.8 or 0.18; default the newest known");
    command->add_option("--language", options->context.language, "Of the messages: en or zh")->check(CLI::IsMember({"en", "zh"}));
    command->add_flag("--json", options->json, "Print one JSON document");
    command->footer("Each \"fix\" in the JSON answer is a JSON Patch (RFC 6902) for the file as it was checked: apply one, then check again for the next.\n"
                    "A \"textFix\" mends a finding of the text itself, which no patch can: [{\"from\", \"to\", \"with\"}], the bytes [from, to) of the file give way to \"with\" (of a workspace, of the ds_config in it).\n"
                    "A fix that another of the same listing would undo, or be undone by, begins with \"test\" operations and is refused once that other is applied.\n"
                    "\"safe\": true marks those that change nothing a run does.");
    command->callback([options, command, &exitCode] {
        if (options->json && answerStream(*options) == stderr) {
            (void)reportError(Error{ErrorCode::InvalidArgument, "--json and the mended text cannot both go to standard output: name a file with --out", {}}, false);
            exitCode = kUsage;
            return;
        }
        options->worldGiven = command->count("--world") > 0;
        exitCode = run(*options);
    });
}

}  // namespace stagecraft::cli
