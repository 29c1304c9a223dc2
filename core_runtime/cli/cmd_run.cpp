// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "cli/run_progress.h"
#include "launch/prepare.h"
#include "record/run_folder.h"
#include "record/run_record.h"

#include "base/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <atomic>
#include <cmath>
#include <csignal>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>

namespace stagecraft::cli {

namespace {

struct Options {
    std::string workspace;
    std::vector<std::string> sets;
    std::string runDir;
    std::string recordedAs;
    std::string resume;
    std::optional<double> hangTimeout;
    bool json = false;
};

// A signal handler can reach only what is global.
std::atomic<Supervisor*> g_supervisor{nullptr};
std::atomic<int> g_earlyStops{0};  // asked for while the ranks were being started
std::atomic<std::int64_t> g_stopAskedAt{0};  // ms of the monotonic clock, 0 = not yet
constexpr std::int64_t kSameStop = 50;       // ms: `timeout` and a closing terminal send several at once
/// Two Ctrl-C kill; whoever else asks to end, and however often, wants the training kept.
extern "C" void onStopSignal(int number)
{
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    const std::int64_t now = time.tv_sec * 1000 + time.tv_nsec / 1'000'000 + 1;
    std::int64_t before = 0;
    if (!g_stopAskedAt.compare_exchange_strong(before, now) && (number != SIGINT || now - before < kSameStop)) return;
    if (Supervisor* running = g_supervisor.load()) running->requestStop();
    else g_earlyStops.fetch_add(1);
}
extern "C" void onKillSignal(int)
{
    if (Supervisor* running = g_supervisor.load()) running->requestKill();
    else g_earlyStops.fetch_add(2);
}
extern "C" void onSaveSignal(int) { if (Supervisor* running = g_supervisor.load()) running->requestSave(); }

void catchSignals()
{
    struct sigaction action {};
    action.sa_flags = SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    action.sa_handler = onStopSignal;
    for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
        // nohup, and a shell that starts us in the background, ask for these to be ignored.
        struct sigaction inherited {};
        if (::sigaction(number, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) continue;
        ::sigaction(number, &action, nullptr);
    }
    // One signal that kills: two interrupts in a row may arrive as one.
    action.sa_handler = onKillSignal;
    ::sigaction(SIGQUIT, &action, nullptr);
    action.sa_handler = onSaveSignal;
    ::sigaction(SIGUSR1, &action, nullptr);
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is an error of write(), as a full disk is
}

std::vector<std::string> ourArguments()
{
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
    return words;
}

void printSummary(const nlohmann::ordered_json& answer, const RunInfo& info, const std::string& folder)
{
    const auto steps = answer["losses"].size();
    fmt::print("{} after {} steps", answer["status"].get<std::string>(), steps);
    if (steps > 0 && answer["losses"].back().is_number()) fmt::print(", loss {:.4f}", answer["losses"].back().get<double>());
    if (answer["medianStepTime"].is_number()) fmt::print(", {} a step (median)", formatDuration(static_cast<std::int64_t>(answer["medianStepTime"].get<double>() * 1e9)));
    if (answer["tokensPerSecond"].is_number()) fmt::print(", {} tokens/s", formatCount(std::llround(answer["tokensPerSecond"].get<double>())));
    if (answer["samplesPerSecond"].is_number()) fmt::print(", {:.4g} samples/s", answer["samplesPerSecond"].get<double>());
    if (answer["tflopsPerRank"].is_number()) fmt::print(", {} per rank", formatFlops(answer["tflopsPerRank"].get<double>() * 1e12));
    fmt::print("\nrecord: {}\n", folder);
    if (info.failure) fmt::print("failure: {}\n", info.failure->message);
    for (const auto& save : answer["failedSaves"])
        if (!info.failure || info.failure->kind != "checkpoint" || save != answer["failedSaves"].back())
            fmt::print("warning: the checkpoint of step {} was not written: {}\n", save["step"].get<std::int64_t>(), save["message"].get<std::string>());
}

int runIt(const Options& options)
{
    RunRequest request;
    request.workspaceFile = options.workspace;
    request.sets = options.sets;
    request.recordedAs = options.recordedAs;
    if (!options.runDir.empty()) request.runFolder = options.runDir;
    if (!options.resume.empty()) request.resume = options.resume;
    request.runsRoot = defaultRunsRoot();
    request.command = ourArguments();
    request.version = STAGECRAFT_VERSION;
    auto prepared = prepareRun(request);
    if (!prepared.hasValue()) return reportError(prepared.error(), options.json);
    for (const PreflightFinding& warning : prepared.value().warnings) tell("stagecraft: warning: {}\n", warning.error.message);
    if (auto written = writeRunFolder(prepared.value()); !written.hasValue()) return reportError(written.error(), options.json);

    SupervisorOptions& settings = prepared.value().supervisor;
    if (options.hangTimeout) settings.hangTimeout = std::chrono::milliseconds(std::llround(*options.hangTimeout * 1000));
    const std::string folder = settings.runFolder.string();
    const StepScale scale = scaleOf(settings.info);
    const nlohmann::json& config = prepared.value().workspace.dsConfig;
    const bool ranksPrint = config.contains("steps_per_print") && config["steps_per_print"].is_number() && config["steps_per_print"].get<double>() >= 1;
    tell("{} ranks, ZeRO stage {}, {} parameters; record in {}\n", settings.info.world, settings.info.zeroStage, formatCount(settings.info.params), folder);

    catchSignals();
    RunProgress progress(canRedraw(2), scale, ranksPrint);
    bool problemSaid = false;
    auto started = Supervisor::start(
        std::move(settings), [&](const EventRecord& event) { progress.event(event); },
        [&](const Supervisor& running) {
            if (const auto problem = running.recordProblem(); problem && !problemSaid) progress.say("stagecraft: " + problem->message);
            problemSaid = running.recordProblem().has_value();
            progress.tick(running);
        });
    if (!started.hasValue()) return reportError(started.error(), options.json);
    Supervisor& supervisor = *started.value();
    g_supervisor = &supervisor;
    for (int stops = g_earlyStops.exchange(0); stops > 0; --stops) supervisor.requestStop();
    const RunInfo info = supervisor.run();
    g_supervisor = nullptr;
    progress.end(supervisor);

    const std::string place = supervisor.folder().string();
    auto record = loadRunRecord(place);
    if (!record.hasValue() && info.failure) return reportError(Error{ErrorCode::Io, info.failure->message, {{"path", place}}}, options.json);
    if (!record.hasValue()) return reportError(record.error(), options.json);
    if (const auto problem = supervisor.recordProblem()) tell("stagecraft: {}; the record of this run is not whole\n", problem->message);
    record.value().info = info;  // also when the last run.json could not be written
    const auto answer = runAnswer(record.value());
    if (options.json) printJson(answer);
    else printSummary(answer, info, place);
    switch (info.status) {
    case RunStatus::Finished: return kDone;
    case RunStatus::Stopped: return kInterrupted;
    default: return kAnswerIsNo;
    }
}

}  // namespace

void addRunCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("run", "Train a workspace and record it; stays in the foreground as the supervisor of the ranks");
    command->add_option("workspace", options->workspace, "The workspace file")->required();
    command->add_option("--set", options->sets, "Change one field first: /training/steps=200 (JSON, else a string); may be repeated")->allow_extra_args(false)->option_text("/PATH=VALUE");
    command->add_option("--run-dir", options->runDir, "Record here instead of in a fresh folder under " + defaultRunsRoot().string());
    command->add_option("--resume", options->resume, "With --run-dir: auto = from the newest checkpoint there, a step = from that one (later ones are then given up), no = from the beginning");
    command->add_option("--recorded-as", options->recordedAs, "The file that the workspace is a copy of: the run is recorded, and found again, as that file's");
    command->add_option("--hang-timeout", options->hangTimeout, "Seconds without progress after which a rank counts as hanging; else the workspace's /launch/hangTimeout (300)")->check(between(0.1, 1e6));
    command->add_flag("--json", options->json, "Print the final answer as one JSON document");
    command->footer("Ctrl-C once: the ranks finish their step and the run ends; twice (or SIGQUIT): it is killed. SIGUSR1: save a checkpoint now.\n"
                    "STAGECRAFT_TELEMETRY=off in the environment: the ranks record no spans, and metrics only as the answer needs them.\n"
                    "Exit: 0 finished, 1 failed or refused, 2 wrong usage or a file that cannot be opened, 130 stopped.");
    command->callback([options, &exitCode] { exitCode = runIt(*options); });
}

}  // namespace stagecraft::cli
