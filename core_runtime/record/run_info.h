// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "hardware/machine_measure.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

enum class RunStatus {
    Starting,
    Running,
    Finished,
    Failed,
    Stopped,
    Lost,      ///< never written: run.json says starting or running, and nobody holds the folder's lock any more
};

/// "starting", "running", "finished", "failed", "stopped", "lost".
[[nodiscard]] const char* runStatusName(RunStatus status);
[[nodiscard]] std::optional<RunStatus> runStatusFromName(std::string_view name);
/// Whether nothing more will be written by this start of the run.
[[nodiscard]] constexpr bool isOver(RunStatus status) { return status != RunStatus::Starting && status != RunStatus::Running; }

/// What ended a run that failed.
struct RunFailure {
    int rank = -1;            ///< the first that failed, -1 = the supervisor, or every rank alike where `kind` is "error"
    std::string kind;         ///< signal | exit | error | hang | start | record, checkpoint (could not be written)
    std::string message;      ///< one sentence, with the signal's name or the exit code
    std::string lastOp;       ///< the last op the rank spoke of, may be empty
    std::int64_t timeNs = 0;
};

/// One rank as the supervisor knows it.
struct RankProcess {
    int pid = 0;
    std::optional<int> exitCode;   ///< when it exited
    std::optional<int> signal;     ///< when a signal ended it
    std::string state;             ///< starting | ready | running | finished | failed | stopped | lost
    int localRank = 0;             ///< number of the process on its machine
    int nodeRank = 0;              ///< number of its machine
};

/// The content of run.json.
struct RunInfo {
    std::string id;                ///< random, kept when the folder is moved or renamed
    std::string name;              ///< the workspace's
    RunStatus status = RunStatus::Starting;
    int attempt = 0;               ///< starts of this run before this one
    std::int64_t startedNs = 0;    ///< of this attempt, wall clock
    std::int64_t endedNs = 0;      ///< 0 while it is not over
    int world = 0;
    int zeroStage = 0;
    std::int64_t params = 0;
    std::int64_t tokensPerSample = 0;  ///< 0 = not recorded
    double flopsPerToken = 0;      ///< of the model in training (model/flops.h), 0 = not recorded
    std::string master = "127.0.0.1";  ///< address of rank 0's machine, as the other ranks reach it
    std::int64_t plannedSteps = 0;
    std::int64_t doneSteps = 0;    ///< global step of the last step_finished at the last write
    std::int64_t resumedFrom = 0;  ///< step of the checkpoint this attempt started from, 0 = from the beginning
    std::optional<int> resumedAttempt;  ///< the attempt that trained that checkpoint, where it says so
    std::string host;
    std::optional<MachineHost> machine;  ///< rank 0's: what the times of this run belong to; absent in records of earlier releases
    int supervisorPid = 0;
    std::string workspaceFile;     ///< absolute path of the workspace the user named
    std::vector<std::string> command;  ///< the supervisor's arguments
    std::vector<RankProcess> ranks;
    std::optional<RunFailure> failure;
    std::map<std::string, std::string> versions;   ///< "stagecraft", "torch", "kernel", ...
    nlohmann::json workspace;      ///< snapshot, paths absolute
};

/// Whether a record is of the start that run.json tells of: by its number, and by the wall clock where an earlier release wrote none.
[[nodiscard]] inline bool isOfLastStart(const RunInfo& info, int attempt, std::int64_t timeNs) { return attempt >= 0 ? attempt == info.attempt : timeNs >= info.startedNs; }

/// Replaces run.json atomically. @error Io
[[nodiscard]] Result<void> writeRunInfo(const std::filesystem::path& runFolder, const RunInfo& info);

/// @error NotFound, Io, InvalidInput (broken or not a run.json)
[[nodiscard]] Result<RunInfo> readRunInfo(const std::filesystem::path& runFolder);

[[nodiscard]] nlohmann::ordered_json runInfoToJson(const RunInfo& info);
[[nodiscard]] Result<RunInfo> runInfoFromJson(const nlohmann::json& document);

}  // namespace stagecraft
