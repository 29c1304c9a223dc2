// SPDX-License-Identifier: GPL-3.0-or-later
// How a run came out: its last checkpoint, its record, its last run.json.
#include "launch/supervisor_state.h"

#include "record/record_lines.h"
#include "record/reserve.h"

#include <fmt/format.h>

#include <algorithm>
#include <unistd.h>

namespace stagecraft {

void Supervisor::State::followFolder()
{
    if (info.failure || lock->isAt(folder.root)) return;
    const std::filesystem::path place = lock->place();
    // A file system that does not answer, or a lock file that somebody tidied away, is no reason to end a training.
    std::error_code unsure;
    if (place.empty() && (std::filesystem::exists(folder.runJson(), unsure) || unsure)) return;
    // The ranks know the old path only: their next checkpoint would make a second folder of that name.
    const std::string was = folder.root.string();
    if (!place.empty()) folder.root = place;
    fail(Blame{-1, "record", place.empty() ? fmt::format("The run folder \"{}\" was removed while the run trained; start it anew", was)
                                           : fmt::format("The run folder \"{}\" was moved to \"{}\" while the run trained; go on there with --resume auto", was, place.string()), {}});
}

void Supervisor::State::noteCheckpoint(const EventRecord& event)
{
    const double told = fieldNumber(event, "step").value_or(0);
    const std::int64_t step = told > 0 && told < 9e15 ? static_cast<std::int64_t>(told) : 0;
    if (event.kind == "checkpoint_saved") savedStep = step;
    if (event.kind == "checkpoint_failed" && fieldText(event, "last") == "true" && !unsaved) unsaved.emplace(step, fieldText(event, "message"));
}

void Supervisor::State::judgeCheckpoint()
{
    if (info.failure || !unsaved || unsaved->first <= savedStep) return;
    std::string why = unsaved->second;
    if (why.ends_with('.')) why.pop_back();
    const std::string message = fmt::format("The last checkpoint, of step {}, was not written: {}; {}", unsaved->first, why,
                                            savedStep > 0 ? fmt::format("mend that and go on from step {} with --resume auto", savedStep) : "there is no other: mend that and train again");
    info.failure = RunFailure{-1, "checkpoint", message, {}, wallClockNs()};
    EventRecord event{info.failure->timeNs, -1, "failure", {}};
    setField(event, "failureKind", info.failure->kind);
    setField(event, "message", message);
    setField(event, "lastOp", "");
    emit(std::move(event));
}

void Supervisor::State::finish()
{
    judge();
    // Moved in the last instant: the record is there, and the run is not worse for it.
    if (!lock->isAt(folder.root))
        if (auto place = lock->place(); !place.empty()) folder.root = std::move(place);
    pollLogs();
    info.endedNs = wallClockNs();
    const auto allAre = [&](const char* state) { return std::all_of(views.begin(), views.end(), [&](const RankView& view) { return view.state == state; }); };
    // Their last heartbeat was of before: who ended in good order ended where rank 0 did.
    for (RankView& view : views) {
        if (const Rank& rank = ranks[static_cast<std::size_t>(view.rank)]; !rank.bye || !rank.evidence.endedWell) continue;
        view.step = std::max(view.step, info.doneSteps);
        view.op.clear();
    }
    judgeCheckpoint();
    info.status = info.failure ? RunStatus::Failed : allAre("finished") ? RunStatus::Finished : RunStatus::Stopped;
    std::error_code ignored;
    std::filesystem::remove_all(folder.attempt(info.attempt), ignored);
    EventRecord end{info.endedNs, -1, "run_ended", {}};
    setField(end, "status", runStatusName(info.status));
    emit(std::move(end));
    // A full disk may be cleared in these seconds.
    for (int attempt = 0; attempt < 20; ++attempt) {
        events.retry();
        writeInfo();
        if (!infoDirty && events.waiting() == 0) break;
        ::usleep(100'000);
    }
    // What was trained is not what can be read: that is no success.
    if (recordProblem && !info.failure) {
        info.failure = RunFailure{-1, "record", recordProblem->message, {}, wallClockNs()};
        info.status = RunStatus::Failed;
    }
    std::filesystem::remove(folder.reserve(), ignored);
    // A run.json that still says "running" would read as lost; what was kept free has room for it.
    if (recordProblem) writeInfo();
    events.retry();
    lock.reset();
}

}  // namespace stagecraft
