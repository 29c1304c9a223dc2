// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/run_info.h"
#include "record/run_lock.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace stagecraft::testing {

/// A run folder as the supervisor and its ranks write it, with made-up but plausible figures.
struct RunFolderMaker {
    std::filesystem::path folder;
    int world = 2;
    RunInfo info;
    std::int64_t written = 0;      ///< steps, repeated ones too: the record's clock
    std::function<double(std::int64_t step)> rate = [](std::int64_t step) { return 3e-4 * std::min(1.0, static_cast<double>(step) / 100); };   ///< learning rate
    std::function<double(std::int64_t step)> delay = [](std::int64_t) { return 0.0; };   ///< s that a step takes longer
    std::int64_t events = 0;       ///< written
    int attempt = -1;              ///< start that steps and events say they are of; -1 = as earlier releases, which said nothing
    std::optional<RunLock> lock;   ///< held while the run is to look alive

    /// Writes run.json and plan.json. @param status  as it will be read; Lost is written as running without a lock
    RunFolderMaker(const std::filesystem::path& folder, int world, RunStatus status);

    void setStatus(RunStatus status);
    /// Appends steps [from, to] of all ranks, evaluation and a log line now and then.
    void addSteps(std::int64_t from, std::int64_t to);
    void addEvent(int rank, const std::string& kind, const std::string& fieldsJson);
    /// The failure of one rank, or of all (-1): event, log lines, run.json.
    void fail(int rank, const std::string& kind, const std::string& message, const std::string& lastOp);
};

}  // namespace stagecraft::testing
