// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "checkpoint/manifest.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace stagecraft {

/// The starts that trained a checkpoint, oldest first: which of a folder's checkpoints are of one training is known from the
/// checkpoints themselves, whatever becomes of the times of files and of the run's record. Empty: of a release that kept none.
struct TrainingHistory {
    struct Start {
        std::string id;            ///< random, of this start alone
        int attempt = 0;           ///< RunInfo::attempt
        std::int64_t from = 0;     ///< went on after this global step; of the first entry > 0: what was before is not known
    };
    std::vector<Start> starts;

    [[nodiscard]] bool known() const { return !starts.empty(); }
    /// Whether the checkpoint of `step` that has `other` as its history lies on the way of this training, which is beyond it.
    [[nodiscard]] bool passes(std::int64_t step, const TrainingHistory& other) const;
    /// The history of what a new start trains that goes on from here.
    [[nodiscard]] TrainingHistory continuedBy(Start start) const;
};

/// For CheckpointManifest::scalars["history"], and back; what is damaged there is no history.
[[nodiscard]] nlohmann::json historyToJson(const TrainingHistory& history);
[[nodiscard]] TrainingHistory historyOf(const CheckpointManifest& manifest);

/// The same of a checkpoint of a "checkpoints" folder; nothing when its manifest cannot be read.
[[nodiscard]] std::optional<TrainingHistory> historyOf(const std::filesystem::path& folder, std::int64_t step);

/// The other checkpoints of the folder that are not of the training which passes through `step`: later ones, and those of
/// trainings that branched off before it. Newest first. @error Io when the folder cannot be read
[[nodiscard]] Result<std::vector<std::int64_t>> stepsBesideTheLine(const std::filesystem::path& folder, std::int64_t step);

/// Says which checkpoint the training goes on from: what lies beside its line is then of a history that was given up. Each of
/// those gets an empty file "given_up", and "auto" continues one only where there is nothing else; copies of the folder say the
/// same, whatever becomes of the times of files. @error Io
[[nodiscard]] Result<void> nameLatest(const std::filesystem::path& folder, std::int64_t step);

/// As nameLatest for a checkpoint that was just saved: only later ones can lie beside its line. @error Io
[[nodiscard]] Result<void> nameSaved(const std::filesystem::path& folder, std::int64_t step);

/// What `latest` names, if it names something.
[[nodiscard]] std::optional<std::int64_t> latestStep(const std::filesystem::path& folder);

/// Steps in the order in which to try to go on from them. @error Io when the folder is there and cannot be read
[[nodiscard]] Result<std::vector<std::int64_t>> stepsToResumeFrom(const std::filesystem::path& folder);

/// Steps that have a folder, newest first; none where there is no folder. @error Io when it cannot be read
[[nodiscard]] Result<std::vector<std::int64_t>> checkpointSteps(const std::filesystem::path& folder);

/// Whether the checkpoint is marked as one of a history that was given up.
[[nodiscard]] bool isGivenUp(const std::filesystem::path& folder, std::int64_t step);

}  // namespace stagecraft
