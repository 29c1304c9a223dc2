// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "record/records.h"
#include "record/run_info.h"
#include "record/run_lock.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

struct SupervisorOptions {
    std::filesystem::path runFolder;          ///< there, with workspace.json in it
    std::shared_ptr<RunLock> lock;            ///< the folder's, when the caller has taken it to write there; else start() does
    RunInfo info;                             ///< identity, workspace, plannedSteps, world, attempt; the rest is filled in
    std::vector<std::string> worker;          ///< program and leading arguments; ours are added
    std::vector<std::string> environment;     ///< "NAME=value" for every rank
    std::vector<std::string> warnings;        ///< of the preflight: told in the record, so that who watches reads them too
    std::optional<std::int64_t> resumeStep;   ///< checkpoint to start from
    std::chrono::milliseconds hangTimeout{300'000};   ///< without a heartbeat, or without progress in step and op
    std::chrono::milliseconds startTimeout{120'000};  ///< until a rank says hello
    std::chrono::milliseconds killGrace{1'500};       ///< between SIGTERM and SIGKILL
};

/// One rank as the supervisor sees it now.
struct RankView {
    int rank = 0;
    std::string state;                        ///< starting | ready | running | finished | failed | stopped
    std::int64_t step = 0;
    std::string op;
    int pid = 0;
    std::int64_t rssBytes = 0;                ///< refreshed about twice a second
};

/// Starts the ranks of one run, listens to them, writes run.json and events.ndjson, and sees to it that all end together.
/// One thread; the one that calls start() must be the one that calls run().
class Supervisor {
public:
    /// Called for every event as it is written.
    using EventSink = std::function<void(const EventRecord&)>;
    /// Called about ten times a second and after every step of rank 0.
    using Tick = std::function<void(const Supervisor&)>;

    /// Takes the folder's lock, writes run.json, opens events.ndjson and spawns every rank. When anything fails, what was
    /// started is ended again and run.json, when there is one, says so.
    /// @error Refused (folder in use), NotFound (no worker), Io
    [[nodiscard]] static Result<std::unique_ptr<Supervisor>> start(SupervisorOptions options, EventSink sink = {}, Tick tick = {});
    ~Supervisor();

    /// Until every rank has ended. @return run.json's last content; a failed run is an answer, not an error
    [[nodiscard]] RunInfo run();

    // Async-signal-safe: for signal handlers and other threads.
    void requestStop() noexcept { m_stopRequests.fetch_add(1); wake(); }  ///< once: after the current step; twice: now
    void requestKill() noexcept { m_stopRequests.fetch_add(2); wake(); }  ///< now
    void requestSave() noexcept { m_saveRequests.fetch_add(1); wake(); }

    [[nodiscard]] const RunInfo& info() const;
    [[nodiscard]] const std::vector<RankView>& ranks() const;
    /// Where the record is: the folder it was started in, unless somebody moved that.
    [[nodiscard]] const std::filesystem::path& folder() const;
    [[nodiscard]] const std::optional<StepMetrics>& lastStep() const;   ///< of rank 0
    /// Why the record cannot be written, while that is so.
    [[nodiscard]] std::optional<Error> recordProblem() const;

private:
    struct State;
    explicit Supervisor(std::unique_ptr<State> state);
    void wake() noexcept;

    std::atomic<int> m_stopRequests{0};
    std::atomic<int> m_saveRequests{0};
    std::unique_ptr<State> m_state;
    int m_wakeFd = -1;
};

}  // namespace stagecraft
