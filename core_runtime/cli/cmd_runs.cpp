// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/run_calibrations.h"
#include "record/run_compare.h"
#include "record/run_contents.h"
#include "record/run_folder.h"
#include "record/run_index.h"
#include "record/run_lock.h"
#include "record/run_record.h"
#include "record/schedule_join.h"
#include "record/step_lines.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>

namespace stagecraft::cli {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

struct Options {
    std::string root;
    std::vector<std::string> runs;
    std::string out;
    std::vector<std::string> removed;
    bool json = false;
    [[nodiscard]] fs::path runsRoot() const { return root.empty() ? defaultRunsRoot() : fs::path(root); }
};

template <class T>
ordered_json orNull(const std::optional<T>& value) { return value ? ordered_json(*value) : ordered_json(); }

ordered_json entryToJson(const RunEntry& entry)
{
    return {{"run", entry.folder.string()}, {"id", entry.id}, {"name", entry.name}, {"status", runStatusName(entry.status)}, {"started_ns", entry.startedNs}, {"ended_ns", entry.endedNs},
            {"world", entry.world}, {"zeroStage", entry.zeroStage}, {"params", entry.params}, {"plannedSteps", entry.plannedSteps}, {"doneSteps", entry.doneSteps},
            {"loss", orNull(entry.loss)}, {"tokensPerSecond", orNull(entry.tokensPerSecond)}, {"failure", entry.failure.empty() ? ordered_json() : ordered_json(entry.failure)}};
}

std::string localTime(std::int64_t ns)
{
    const std::time_t seconds = static_cast<std::time_t>(ns / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char text[32] = {};
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &local);
    return text;
}

/// Tutorials print either unit under the name of the other; here are both.
std::string bothUnits(std::int64_t bytes)
{
    const auto value = static_cast<double>(bytes);
    return fmt::format("{:.3f} GiB ({:.3f} GB)", value / static_cast<double>(kGiB), value / 1e9);
}

int list(const Options& options)
{
    auto index = RunIndex::open(options.runsRoot());
    if (!index.hasValue()) {
        if (index.error().code != ErrorCode::NotFound || !options.root.empty()) return reportError(index.error(), options.json);
        // Nothing was ever run: an empty list, not an error.
        if (options.json) printJson(ordered_json{{"runs", ordered_json::array()}});
        else fmt::print("no runs yet; start one with `stagecraft run WORKSPACE`\n");
        return kDone;
    }
    if (auto fresh = index.value().refresh(); !fresh.hasValue()) return reportError(fresh.error(), options.json);
    auto entries = index.value().list();
    if (!entries.hasValue()) return reportError(entries.error(), options.json);
    if (options.json) {
        ordered_json all = ordered_json::array();
        for (const RunEntry& entry : entries.value()) all.push_back(entryToJson(entry));
        printJson(ordered_json{{"runs", all}});
        return kDone;
    }
    if (entries.value().empty()) fmt::print("no runs under {}\n", options.runsRoot().string());
    for (const RunEntry& entry : entries.value())
        fmt::print("{:<9} {}  {:>7}/{:<7} {:>9}  {} ranks, stage {}  {}\n", runStatusName(entry.status), localTime(entry.startedNs), entry.doneSteps, entry.plannedSteps,
                   entry.loss ? fmt::format("{:.4f}", *entry.loss) : "-", entry.world, entry.zeroStage, entry.folder.parent_path() == options.runsRoot() ? entry.folder.filename().string() : entry.folder.string());
    return kDone;
}

Result<RunRecord> load(const Options& options, const std::string& run)
{
    auto folder = findRunFolder(run, options.runsRoot());
    if (!folder.hasValue()) return folder.error();
    return loadRunRecord(folder.value());
}

int show(const Options& options)
{
    auto loaded = load(options, options.runs.front());
    if (!loaded.hasValue()) return reportError(loaded.error(), options.json);
    const RunRecord& record = loaded.value();
    if (options.json) {
        ordered_json answer = runAnswer(record);
        answer["info"] = runInfoToJson(record.info);
        answer["badRecords"] = record.badRecords;
        printJson(answer);
        return kDone;
    }
    const RunInfo& info = record.info;
    fmt::print("{}\n  status   {}\n  folder   {}\n  started  {}\n", info.name, runStatusName(info.status), record.folder.string(), localTime(info.startedNs));
    if (info.endedNs > info.startedNs) fmt::print("  took     {}\n", formatDuration(info.endedNs - info.startedNs));
    fmt::print("  layout   {} ranks, ZeRO stage {}, {} parameters\n  steps    {} of {}\n", info.world, info.zeroStage, formatCount(info.params), info.doneSteps, info.plannedSteps);
    const auto steps = stepsOfLastStart(record, 0);
    if (!steps.empty())
        fmt::print("  loss     {:.4f} at first, {:.4f} {}\n  step     {} (median), {} tokens/s, {:.4g} samples/s, {} per rank\n", steps.front().loss, steps.back().loss,
                   steps.back().step == info.doneSteps ? "at last" : fmt::format("at step {}, the last recorded", steps.back().step),
                   formatDuration(static_cast<std::int64_t>(medianStepSeconds(steps) * 1e9)), formatCount(std::llround(medianTokensPerSecond(steps))), samplesPerSecond(medianTokensPerSecond(steps), scaleOf(info)), formatFlops(flopsPerRank(medianTokensPerSecond(steps), scaleOf(info))));
    for (std::size_t rank = 0; rank < record.ranks.size() && rank < info.ranks.size(); ++rank) {
        const auto& all = record.ranks[rank];
        const RankProcess& process = info.ranks[rank];
        fmt::print("  rank {:<3} {:<9} local_rank {}, node_rank {}, world_size {}, master {}, pid {}\n", rank, process.state, process.localRank, process.nodeRank, info.world, info.master, process.pid);
        if (!all.empty()) fmt::print("           peak memory {}, tensors {}\n", bothUnits(all.back().peakRssBytes), bothUnits(all.back().peakAllocatedBytes));
    }
    if (info.failure) fmt::print("  failure  {}\n", info.failure->message);
    return kDone;
}

int compare(const Options& options)
{
    std::vector<RunRecord> records;
    for (const std::string& run : options.runs) {
        auto loaded = load(options, run);
        if (!loaded.hasValue()) return reportError(loaded.error(), options.json);
        records.push_back(std::move(loaded.value()));
    }
    const RunComparison comparison = compareRuns(records);
    if (options.json) {
        printJson(comparisonToJson(comparison, records));
        return kDone;
    }
    for (std::size_t i = 0; i < records.size(); ++i)
        if (!std::isfinite(comparison.runs[i].medianStepSeconds)) fmt::print("{}: {} ({}), no step recorded\n", static_cast<char>('A' + i % 26), records[i].folder.filename().string(), runStatusName(records[i].info.status));
        else fmt::print("{}: {} ({}), {} a step, {} tokens/s, last loss {:.4f}\n", static_cast<char>('A' + i % 26), records[i].folder.filename().string(), runStatusName(records[i].info.status),
                   formatDuration(static_cast<std::int64_t>(comparison.runs[i].medianStepSeconds * 1e9)), std::isfinite(comparison.runs[i].tokensPerSecond) ? formatCount(std::llround(comparison.runs[i].tokensPerSecond)) : "?",
                   comparison.runs[i].lastLoss);
    if (!comparison.verdict.empty()) fmt::print("{}\n", comparison.verdict);
    for (const PhaseDifference& phase : comparison.phases)
        if (std::abs(phase.seconds) > 0) fmt::print("  {:<14} {:+.4f} s a step\n", phaseName(phase.phase), phase.seconds);
    for (const ConfigDifference& difference : comparison.config) {
        fmt::print("  {}", difference.pointer);
        for (const std::string& value : difference.values) fmt::print("  {}", value.empty() ? "(not given)" : value);
        fmt::print("\n");
    }
    return kDone;
}

int remove(const Options& options)
{
    struct Doomed {
        fs::path named, real;
        RunLock lock;
    };
    std::vector<Doomed> doomed;
    std::vector<std::string> kept;
    std::error_code ignored;
    // All are looked up and claimed before the first goes: one that cannot be deleted leaves the others as they are.
    for (const std::string& run : options.runs) {
        auto folder = findRunFolder(run, options.runsRoot());
        if (!folder.hasValue()) return reportError(folder.error(), options.json);
        // A link means the run it names; once that is gone the link names nothing.
        const fs::path named = folder.value().has_filename() ? folder.value() : folder.value().parent_path();
        fs::path real = fs::canonical(named, ignored);
        if (real.empty()) real = named;
        if (std::any_of(doomed.begin(), doomed.end(), [&](const Doomed& other) { return other.real == real; })) continue;  // named twice
        // The lock is taken, not looked at: a run that is just starting there keeps its folder.
        auto lock = RunLock::acquire(real);
        if (!lock.hasValue() && lock.error().code != ErrorCode::Refused) {
            std::string why = lock.error().message;
            if (const auto advice = why.find("; choose a folder"); advice != std::string::npos) why.resize(advice);
            return reportError({lock.error().code, fmt::format("Cannot delete \"{}\": {}", real.string(), why), lock.error().context}, options.json);
        }
        if (!lock.hasValue()) return reportError({ErrorCode::Refused, fmt::format("Cannot delete \"{}\": the run is going on; stop it first", real.string()), {{"path", real.string()}}}, options.json);
        doomed.push_back({named, real, std::move(lock.value())});
    }
    for (const auto& [named, real, lock] : doomed) {
        const auto left = removeRun(real);
        if (!left.hasValue()) return reportError(left.error(), options.json);
        if (fs::is_symlink(named, ignored) && !fs::exists(real, ignored)) fs::remove(named, ignored);
        for (const std::string& name : left.value()) kept.push_back((real / name).string());
        if (options.json) continue;
        fmt::print("deleted {}\n", real.string());
        for (const std::string& name : left.value()) fmt::print("kept {}: not of the run\n", (real / name).string());
    }
    if (options.json) printJson(ordered_json{{"deleted", options.runs}, {"kept", kept}});
    return kDone;
}

int trace(const Options& options)
{
    auto folder = findRunFolder(options.runs.front(), options.runsRoot());
    if (!folder.hasValue()) return reportError(folder.error(), options.json);
    auto written = exportChromeTrace(folder.value(), options.out);
    if (!written.hasValue()) return reportError(written.error(), options.json);
    if (options.json) printJson(ordered_json{{"file", options.out}, {"spans", written.value()}});
    else fmt::print("{} spans written to {}; open it in https://ui.perfetto.dev or chrome://tracing\n", formatCount(written.value()), options.out);
    return kDone;
}

int calibrateFrom(const Options& options)
{
    auto folder = findRunFolder(options.runs.front(), options.runsRoot());
    if (!folder.hasValue()) return reportError(folder.error(), options.json);
    // Plans look beside the user's own runs, wherever this run lies.
    return calibrateFromRun(folder.value(), defaultRunsRoot(), options.json);
}

}  // namespace

void addRunsCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("runs", "The recorded runs: list, show, compare, delete, trace; what plans learned from them: calibrate, calibrations");
    command->add_option("--root", options->root, "The folder that holds the runs; default " + defaultRunsRoot().string());
    command->add_flag("--json", options->json, "Print one JSON document");
    command->fallthrough();
    command->require_subcommand(0, 1);
    command->add_subcommand("list", "All runs, newest first; a run whose supervisor is gone is shown as lost");
    const char* which = "A run folder, the name of one under the root, or \"latest\"";
    command->add_subcommand("show", "One run: status, layout, numbers, failure")->add_option("run", options->runs, which)->required()->expected(1);
    command->add_subcommand("compare", "Two or more runs: what differs in the workspace, and which is faster")->add_option("runs", options->runs, which)->required()->expected(2, 100);
    command->add_subcommand("delete", "Delete runs with all they recorded, checkpoints too, and nothing else that lies in their folders; a run that is going on is refused")->add_option("runs", options->runs, which)->required();
    auto* tracing = command->add_subcommand("trace", "Write a run's spans as a Chrome trace");
    tracing->add_option("run", options->runs, which)->required()->expected(1);
    tracing->add_option("--out", options->out, "The file to write")->required();
    auto* calibrating = command->add_subcommand("calibrate", "Learn from a finished run: plans of the same model on this machine take their step time and memory from it");
    calibrating->add_option("run", options->runs, which)->required()->expected(1);
    calibrating->footer("Refused, with the reason: runs that failed, had too few or too uneven steps, or more ranks than cores.");
    auto* calibrations = command->add_subcommand("calibrations", "What plans learned from runs, with the evidence");
    calibrations->add_option("--remove", options->removed, "Forget one: its id, the beginning of it, or the run");
    command->callback([command, options, &exitCode] {
        if (command->got_subcommand("show")) exitCode = show(*options);
        else if (command->got_subcommand("compare")) exitCode = compare(*options);
        else if (command->got_subcommand("delete")) exitCode = remove(*options);
        else if (command->got_subcommand("calibrate")) exitCode = calibrateFrom(*options);
        else if (command->got_subcommand("calibrations")) exitCode = showCalibrations(defaultRunsRoot(), options->removed, options->json);
        else if (command->got_subcommand("trace")) exitCode = trace(*options);
        else exitCode = list(*options);
    });
}

}  // namespace stagecraft::cli
