// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/commands.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/run_reader.h"
#include "record/run_record.h"
#include "record/step_lines.h"

#include "base/units.h"
#include "exporters/launch_command.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <unistd.h>

namespace stagecraft::cli {

namespace {

struct Options {
    std::string run;
    bool json = false;
    bool once = false;
};

/// What an event has to say to a person; empty for most.
std::string eventText(const EventRecord& event)
{
    if (event.kind == "eval") return fmt::format("step {}: validation loss {:.4f}", fieldText(event, "step"), fieldNumber(event, "loss").value_or(NAN));
    if (event.kind == "checkpoint_saved") return fmt::format("step {}: checkpoint saved {}", fieldText(event, "step"), fieldText(event, "path"));
    if (event.kind == "run_started" && fieldNumber(event, "attempt").value_or(0) > 0) {
        const std::string from = fieldText(event, "resumedFrom");
        const auto trained = fieldNumber(event, "resumedAttempt"), attempt = fieldNumber(event, "attempt");
        if (trained && *trained + 1 < *attempt && from != "0") return fmt::format("goes on from step {} as start {} trained it: what other starts above did since is given up", from, *trained);
        return from == "0" || from.empty() ? "started over: the steps above are given up" : fmt::format("goes on from step {}: later steps above are given up", from);
    }
    if (event.kind == "failure") return fmt::format("failure: {}", fieldText(event, "message"));
    if (event.kind == "rank_state" && fieldText(event, "state") != "running") return fmt::format("rank {}: {}", event.rank, fieldText(event, "state"));
    // Every step has its line here already; DeepSpeed's breakdown does not.
    if (event.kind == "log" && fieldText(event, "stream") == kStepLineStream && fieldText(event, "text").starts_with("[Rank")) return fieldText(event, "text");
    if (event.kind == "log" && fieldText(event, "level") == "error") return fmt::format("rank {}: {}", event.rank, fieldText(event, "text"));
    return {};
}

/// When a line of a record came, for the order of two files: the start it is of, and the wall clock as far as it went forward, so
/// that a clock that was set back does not put a line before one that was written earlier.
class LineClock {
public:
    using Time = std::pair<int, std::int64_t>;
    Time at(int attempt, std::int64_t timeNs)
    {
        if (attempt < 0) return {-1, timeNs};
        m_last = attempt == m_last.first ? Time{attempt, std::max(m_last.second, timeNs)} : Time{attempt, timeNs};
        return m_last;
    }

private:
    Time m_last{-1, 0};
};

/// Steps and events of one poll by their time: each file is in order, the two together are not.
void printInOrder(const RunUpdate& update, const StepScale& scale, bool json)
{
    std::vector<std::pair<LineClock::Time, std::string>> lines;
    LineClock events;
    std::map<int, LineClock> ranks;
    for (const EventRecord& event : update.events) {
        const LineClock::Time time = events.at(event.attempt, event.timeNs);
        if (std::string text = json ? fmt::format("{{\"type\":\"event\",{}", std::string_view(toLine(event)).substr(1)) : eventText(event); !text.empty())
            lines.emplace_back(time, std::move(text));
    }
    for (const StepMetrics& step : update.steps) {
        const LineClock::Time time = ranks[step.rank].at(step.attempt, step.timeNs);
        if (json) lines.emplace_back(time, fmt::format("{{\"type\":\"step\",{}", std::string_view(toLine(step)).substr(1)));
        else if (step.rank == 0) lines.emplace_back(time, stepLine(step, scale));
    }
    std::stable_sort(lines.begin(), lines.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [time, text] : lines) fmt::print("{}\n", text);
}

/// The line of the end, so that a script sees in one place how the run came out.
///
/// @param newest  what rank 0 recorded last, of any start: run.json is from before it, for ever when the supervisor was killed
std::string statusLine(const RunInfo& info, const std::optional<StepMetrics>& newest)
{
    const bool ofThisStart = newest && newest->step > info.resumedFrom && isOfLastStart(info, newest->attempt, newest->timeNs);
    const std::int64_t done = ofThisStart ? std::max(info.doneSteps, newest->step) : info.doneSteps;
    nlohmann::ordered_json line{{"type", "status"}, {"status", runStatusName(info.status)}, {"doneSteps", done}, {"plannedSteps", info.plannedSteps}, {"failure", failureToJson(info.failure)}};
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

/// Why nothing new can be read of a run that goes on; null when it can again.
std::string problemLine(const std::string& problem)
{
    nlohmann::ordered_json line{{"type", "record"}, {"problem", problem.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(problem)}};
    return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

int watch(const Options& options)
{
    auto folder = findRunFolder(options.run, defaultRunsRoot());
    if (!folder.hasValue()) return reportError(folder.error(), options.json);
    RunReaderOptions wanted;
    wanted.spans = false;
    auto opened = RunReader::open(folder.value(), wanted);
    if (!opened.hasValue()) return reportError(opened.error(), options.json);
    RunReader& reader = opened.value();
    if (!options.json) fmt::print("{}: {}, {} ranks, ZeRO stage {}, {}\n", reader.info().name, runStatusName(reader.status()), reader.info().world, reader.info().zeroStage, folder.value().string());

    RunStatus shown = reader.status();
    std::string problem;
    std::optional<StepMetrics> newest;
    for (;;) {
        const RunUpdate update = reader.poll(std::size_t{4} << 20);
        for (const StepMetrics& step : update.steps)
            if (step.rank == 0) newest = step;
        printInOrder(update, scaleOf(reader.info()), options.json);
        if (reader.recordProblem() != problem) {
            problem = reader.recordProblem();
            if (options.json) fmt::print("{}\n", problemLine(problem));
            else if (!problem.empty()) fmt::print("not recorded now: {}\n", problem);
            else if (!isOver(reader.status())) fmt::print("recorded again\n");
        }
        if (reader.status() != shown && options.json) fmt::print("{}\n", statusLine(reader.info(), newest));
        const bool changed = reader.status() != shown;
        shown = reader.status();
        // A reader that went away (head, a closed pager) ends the watching, not the run.
        if (std::fflush(stdout) != 0) return kDone;
        if (reader.atEnd() || (options.once && !update.more && update.empty())) {
            if (options.json && !changed) fmt::print("{}\n", statusLine(reader.info(), newest));
            break;
        }
        if (!update.more) ::usleep(200'000);
    }
    if (!options.json) {
        fmt::print("{}", runStatusName(reader.status()));
        if (reader.status() == RunStatus::Lost) fmt::print(": its supervisor is gone without a word (killed, or the machine went down); continue it with `stagecraft run WORKSPACE --run-dir {} --resume auto`", shellQuoted(folder.value().string()));
        else if (reader.info().failure) fmt::print(": {}", reader.info().failure->message);
        fmt::print("\n");
    }
    if (reader.badRecords() > 0) fmt::print(stderr, "stagecraft: {} damaged records were left out\n", reader.badRecords());
    const bool bad = reader.status() == RunStatus::Failed || reader.status() == RunStatus::Lost;
    return bad ? kAnswerIsNo : kDone;
}

}  // namespace

void addWatchCommand(CLI::App& app, int& exitCode)
{
    auto options = std::make_shared<Options>();
    auto* command = app.add_subcommand("watch", "Follow a run, live or finished, from its record");
    command->add_option("run", options->run, "A run folder, the name of one under " + defaultRunsRoot().string() + ", or \"latest\"")->required();
    command->add_flag("--once", options->once, "Print what is recorded now and end");
    command->add_flag("--json", options->json, "One JSON object a line: steps of every rank, events, changes of status");
    command->footer("Ends when the run ends. Any number of watchers may look at one run; stopping one does not touch the run.\n"
                    "Exit: 0 the run finished, was stopped or goes on (--once); 1 it failed or was lost; 2 there is no such run.");
    command->callback([options, &exitCode] { exitCode = watch(*options); });
}

}  // namespace stagecraft::cli
