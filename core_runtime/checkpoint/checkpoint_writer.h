// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "checkpoint/manifest.h"
#include "checkpoint/output_file.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// One rank's part of a checkpoint that is being written.
///
/// The protocol for N ranks: every rank makes a writer for the same folder and step, adds what it owns, and finishes;
/// the caller waits for all (its own barrier); rank 0 calls completeCheckpoint. Until then everything lies in a hidden
/// folder ".step_0000010.partial" that no reader looks at, so that a death at any byte leaves the last checkpoint valid.
/// A writer that is destroyed unfinished removes its own files.
class CheckpointWriter {
public:
    CheckpointWriter(CheckpointWriter&&) = default;
    CheckpointWriter& operator=(CheckpointWriter&&) = delete;
    ~CheckpointWriter();

    /// @param folder  the run's "checkpoints" folder; made when missing
    /// @error Io with the system's reason
    [[nodiscard]] static Result<CheckpointWriter> begin(const std::filesystem::path& folder, std::int64_t step, int rank);

    /// Elements `[begin, end)` of one state of a parameter. Together the ranks must give each element of a state once.
    /// @param bytes  (end - begin) elements of `type`, written before the call returns
    /// @error Io (disk full, ...), InvalidArgument when range and bytes disagree
    [[nodiscard]] Result<void> add(const std::string& state, const std::string& name, std::int64_t begin, std::int64_t end, ElementType type,
                                   std::span<const std::byte> bytes);

    /// Calls `told` with the bytes of every piece that went to the disk, from inside add(), which may take minutes on a slow one.
    void tellBytes(std::function<void(std::uint64_t)> told) { m_file->tellBytes(std::move(told)); }

    /// Makes this rank's part durable. Nothing can be added afterwards.
    [[nodiscard]] Result<void> finish();

    [[nodiscard]] std::uint64_t bytesWritten() const { return m_file ? m_file->size() : m_written; }

private:
    CheckpointWriter(std::filesystem::path folder, int rank, OutputFile file) : m_folder(std::move(folder)), m_rank(rank), m_file(std::move(file)) {}

    std::filesystem::path m_folder;
    int m_rank;
    std::optional<OutputFile> m_file;
    std::uint64_t m_written = 0;
    std::vector<CheckpointExtent> m_extents;
};

/// Puts the finished parts of all ranks together: checks that nothing is missing or there twice, writes the manifest and
/// its marker, renames the folder into place and moves `latest`. An existing checkpoint of the same step is replaced.
///
/// @param parameters  name -> shape of every parameter
/// @param scalars     an object: what a resume needs besides tensors
/// @return the folder of the checkpoint
/// @error InvalidInput when the parts do not make a whole, Io; the partial folder is removed then
[[nodiscard]] Result<std::filesystem::path> completeCheckpoint(const std::filesystem::path& folder, std::int64_t step, int world,
                                                               const std::map<std::string, std::vector<std::int64_t>>& parameters,
                                                               const nlohmann::json& scalars);

/// "step_0000010".
[[nodiscard]] std::string checkpointName(std::int64_t step);
/// The step of such a name; nothing for another one.
[[nodiscard]] std::optional<std::int64_t> stepOfName(std::string_view name);
/// Whether an entry of the folder is what a save left that was cut off.
[[nodiscard]] bool isCutOffSave(std::string_view name);
/// The mark in a checkpoint of a history that was given up.
inline constexpr const char* kGivenUp = "given_up";

}  // namespace stagecraft
