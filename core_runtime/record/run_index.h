// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "record/run_info.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

struct sqlite3;

namespace stagecraft {

/// One run as the list shows it.
struct RunEntry {
    std::filesystem::path folder;
    std::string id, name;
    RunStatus status = RunStatus::Lost;     ///< as it is now: a run nobody holds any more is Lost
    std::int64_t startedNs = 0, endedNs = 0;
    int world = 0, zeroStage = 0;
    std::int64_t params = 0, plannedSteps = 0, doneSteps = 0;
    std::optional<double> loss;             ///< of the last recorded step
    /// Of a run that is over the median of its last start, as every other answer gives it; of a live one over its last 20 steps.
    std::optional<double> tokensPerSecond;
    std::string failure;                    ///< one sentence, empty when it did not fail
};

/// The runs under one folder, and those noted there that lie elsewhere (known_runs.h). The SQLite file there (`index.sqlite`) only saves reading every run.json again: it is
/// rebuilt from the folders when it is missing, broken or of another version, and done without when it cannot be written.
class RunIndex {
public:
    RunIndex(RunIndex&& other) noexcept;
    RunIndex& operator=(RunIndex&& other) noexcept;
    ~RunIndex();

    /// @error NotFound when `runsRoot` is not there; Io when SQLite cannot even work in memory
    [[nodiscard]] static Result<RunIndex> open(const std::filesystem::path& runsRoot);

    /// Reads what changed in the folders since the last time and forgets runs that are gone.
    [[nodiscard]] Result<void> refresh();
    /// All runs, newest first.
    [[nodiscard]] Result<std::vector<RunEntry>> list() const;

private:
    RunIndex(std::filesystem::path root, sqlite3* database) : m_root(std::move(root)), m_database(database) {}
    [[nodiscard]] Error failure(const char* what) const;

    std::filesystem::path m_root;
    sqlite3* m_database = nullptr;
};

}  // namespace stagecraft
