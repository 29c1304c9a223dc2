// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace stagecraft {

/// Where everything of one run lies (CONTRACT, "Run folder"). Paths only: nothing here touches the disk.
struct RunFolder {
    std::filesystem::path root;

    [[nodiscard]] std::filesystem::path runJson() const { return root / "run.json"; }
    [[nodiscard]] std::filesystem::path planJson() const { return root / "plan.json"; }
    [[nodiscard]] std::filesystem::path workspaceJson() const { return root / "workspace.json"; }
    [[nodiscard]] std::filesystem::path events() const { return root / "events.ndjson"; }
    /// Room kept for the last words of a run whose disk fills up; gone when it ends.
    [[nodiscard]] std::filesystem::path reserve() const { return root / ".reserve"; }
    [[nodiscard]] std::filesystem::path lock() const { return root / "lock"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return root / "checkpoints"; }
    /// The checkpoints of an earlier start, after the run was started over.
    [[nodiscard]] std::filesystem::path setAside(int attempt) const { return root / ("checkpoints_of_start_" + std::to_string(attempt)); }
    [[nodiscard]] std::filesystem::path report() const { return root / "report.html"; }
    /// Rendezvous files of one start; fresh for each, so that a dead attempt cannot confuse the next.
    [[nodiscard]] std::filesystem::path attempt(int attempt) const { return root / ("attempt_" + std::to_string(attempt)); }
    [[nodiscard]] std::filesystem::path ranks() const { return root / "ranks"; }
    /// "ranks/00003"
    [[nodiscard]] std::filesystem::path rank(int rank) const;
    [[nodiscard]] std::filesystem::path metrics(int rank) const { return this->rank(rank) / "metrics.ndjson"; }
    [[nodiscard]] std::filesystem::path spans(int rank) const { return this->rank(rank) / "spans.bin"; }
    [[nodiscard]] std::filesystem::path standardOutput(int rank) const { return this->rank(rank) / "stdout.log"; }
    [[nodiscard]] std::filesystem::path standardError(int rank) const { return this->rank(rank) / "stderr.log"; }
};

/// $XDG_DATA_HOME/stagecraft/runs, else ~/.local/share/stagecraft/runs.
[[nodiscard]] std::filesystem::path defaultRunsRoot();

/// Makes a fresh folder "NAME-20261121-093557" (with "-2", "-3", ... when taken) under `runsRoot`.
///
/// @param name  any text; what does not suit a file name becomes '-'
/// @param wallNs  ns since the epoch, for the local time in the name
/// @error Io with the system's reason
[[nodiscard]] Result<std::filesystem::path> makeRunFolder(const std::filesystem::path& runsRoot, std::string_view name, std::int64_t wallNs);

/// The run a user means by `text`: a path to a run folder, else the name of a folder under `runsRoot`, else "latest" for the
/// newest of those that a list of runs has.
/// @error NotFound
[[nodiscard]] Result<std::filesystem::path> findRunFolder(std::string_view text, const std::filesystem::path& runsRoot);

/// Wall clock, ns since the epoch.
[[nodiscard]] std::int64_t wallClockNs();

}  // namespace stagecraft
