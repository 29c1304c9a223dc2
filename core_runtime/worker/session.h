// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "checkpoint/history.h"
#include "record/records.h"
#include "worker/arguments.h"
#include "worker/control_link.h"
#include "worker/progress.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

class Dataset;
class Engine;
class RankWriter;
struct EngineConfig;
struct StepReport;
struct Workspace;

/// One rank's run from its workspace to its last step: builds data and engine, trains, evaluates, saves and records.
class Session {
public:
    enum class End { Finished, Stopped };

    explicit Session(WorkerArguments arguments);
    ~Session();

    /// Reads the workspace and makes data, engine and record. Progress and warnings go to `link` as log events.
    /// @error of whatever it cannot read, make or meet, in words for the user
    [[nodiscard]] Result<void> open(ControlLink& link);

    /// Trains until the workspace's last step or until a stop is asked for.
    /// @error with "lastOp" in the context
    [[nodiscard]] Result<End> train(ControlLink& link);

    /// Hands what was recorded to the system; also what was kept back while telemetry is off.
    void flushRecord(ControlLink& link);

    /// After train(): sees to it that every step is on record. @error Io when the disk refuses; also when it refused the last
    /// checkpoint and no supervisor is there to say so
    [[nodiscard]] Result<void> close();

    /// What the rank is at, in words. From any thread.
    [[nodiscard]] std::string lastOp() const;

private:
    Result<void> readWorkspace();
    Result<void> openData();
    Result<void> openEngine();
    Result<void> checkSameData();
    Result<void> restore(ControlLink& link);
    /// @returns false when it was given up because a stop was asked for
    Result<bool> evaluate(ControlLink& link, std::int64_t step);
    /// @param last  nothing is trained after it: what it does not keep is lost
    Result<void> save(ControlLink& link, std::int64_t step, bool last);
    void record(ControlLink& link, std::int64_t step, const StepReport& report);
    void writeKept(ControlLink& link);
    void print(ControlLink& link, const StepMetrics& metrics) const;
    void log(ControlLink& link, const std::string& level, const std::string& text, const char* stream = "worker") const;

    WorkerArguments m_arguments;
    std::unique_ptr<Workspace> m_workspace;
    std::unique_ptr<EngineConfig> m_config;
    std::unique_ptr<Dataset> m_data;
    std::unique_ptr<Engine> m_engine;
    std::unique_ptr<RankWriter> m_writer;
    std::atomic<const Engine*> m_running{nullptr};     ///< set once the engine may be asked for its op
    Progress m_phase{"Read the workspace"};            ///< before that, and between steps
    std::vector<StepMetrics> m_kept;                   ///< with telemetry off: steps that are not written yet
    TrainingHistory m_history;       // of what this start trains; rank 0's
    std::int64_t m_firstStep = 0;                      ///< global step to start from
    std::int64_t m_savedStep = -1;                     ///< of the last checkpoint
    std::optional<Error> m_unsaved;                    ///< why the last checkpoint was not written
    bool m_recordProblemTold = false;
};

}  // namespace stagecraft
