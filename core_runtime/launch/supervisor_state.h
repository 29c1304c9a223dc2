// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "launch/blame.h"
#include "launch/log_follower.h"
#include "launch/rank_process.h"
#include "launch/supervisor.h"
#include "record/append_file.h"
#include "record/control_message.h"
#include "record/run_folder.h"
#include "record/run_lock.h"

namespace stagecraft {

using Clock = std::chrono::steady_clock;

/// Inside of Supervisor, apart from its poll loop.
struct Supervisor::State {
    struct Rank {
        RankProcessHandle process;
        LineBuffer incoming;
        RankEvidence evidence;
        Clock::time_point heard;       ///< any byte
        Clock::time_point progress;    ///< step or op changed
        bool hello = false;
        bool bye = false;
        std::string byeStatus;
        bool endedByUs = false;
        bool endHandled = false;
    };

    SupervisorOptions options;
    EventSink sink;
    Tick tick;
    RunFolder folder;
    RunInfo info;
    std::shared_ptr<RunLock> lock;
    AppendFile events;
    std::optional<LogFollower> logs;
    std::vector<Rank> ranks;
    std::vector<RankView> views;
    std::optional<StepMetrics> lastStep;
    std::optional<Error> recordProblem;
    int failedToStart = -1;     ///< the rank that begin() could not spawn
    std::string problemNoted;   ///< of it, what watchers were told
    std::optional<std::pair<std::int64_t, std::string>> unsaved;   ///< step of the last checkpoint of the run, and why it was not written
    std::int64_t savedStep = 0;                                    ///< of the newest checkpoint that is there, 0 = none

    bool infoDirty = false;
    bool infoUrgent = false;
    Clock::time_point infoWritten;
    Clock::time_point logsPolled;
    Clock::time_point memoryRead;
    Clock::time_point firstSign{};     ///< when a failure was first seen; zero before
    Clock::time_point termSent{};      ///< when the others were told to end; zero before
    bool killSent = false;
    int stopsAsked = 0;

    Result<void> begin();
    Result<void> beginHeld();   // the part of it that is written into run.json when it fails
    Result<void> spawn(int rank);
    [[nodiscard]] bool anyRunning() const;
    void listen();                     ///< reads sockets, collects exits
    void housekeeping();               ///< logs, memory, run.json
    void judge();                      ///< failures, hangs, grace periods
    void stopAsked();
    void sendToAll(const ControlMessage& message);
    void finish();

private:
    void drain(std::size_t rank);
    void heard(std::size_t rank, ControlMessage message);
    void ended(std::size_t rank);
    void setRankState(std::size_t rank, const char* state);
    void progressed(std::size_t rank, std::int64_t step, const std::string& op);
    void emit(EventRecord event);
    void writeInfo();
    void pollLogs();
    void followFolder();               ///< ends a run whose folder was taken from under it
    void noteCheckpoint(const EventRecord& event);
    void judgeCheckpoint();            ///< no success when what was trained last is not kept
    void fail(const Blame& blame);
    void endOthers();
    void checkHangs();
};

}  // namespace stagecraft
