// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "checkpoint/manifest.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stagecraft {

/// A complete checkpoint, open for reading. Any range of any state of any parameter can be asked for, whatever layout
/// wrote it: the extents that meet the range are found by intersection. Every block that is touched is verified.
/// Reading is const and safe from several threads.
class Checkpoint {
public:
    Checkpoint(Checkpoint&&) noexcept;
    Checkpoint& operator=(Checkpoint&&) noexcept;
    ~Checkpoint();

    /// @param folder  a "step_..." folder
    /// @error NotFound, Io, or InvalidInput: no marker, a damaged manifest, a file that is missing or too short
    [[nodiscard]] static Result<Checkpoint> open(const std::filesystem::path& folder);

    [[nodiscard]] const CheckpointManifest& manifest() const;
    [[nodiscard]] const std::filesystem::path& folder() const;
    /// Sum of its files.
    [[nodiscard]] std::uint64_t bytes() const;
    [[nodiscard]] bool has(std::string_view state, std::string_view name) const;

    /// Elements `[begin, end)` as they lie there. @pre out has (end - begin) elements of `type`
    /// @error NotFound for another name, state or range, InvalidInput for another type or damaged bytes (context "path",
    ///        "name", "state", "offset"), Io
    [[nodiscard]] Result<void> read(std::string_view state, std::string_view name, std::int64_t begin, std::int64_t end, ElementType type,
                                    std::span<std::byte> out) const;
    /// The same for fp32, the type of every state our engine keeps.
    [[nodiscard]] Result<void> read(std::string_view state, std::string_view name, std::int64_t begin, std::span<float> out) const;

    /// Reads everything. `progress` (bytes done) may return false to stop.
    /// @error InvalidInput that names file and tensor of the first damaged block; Cancelled
    [[nodiscard]] Result<void> verify(const std::function<bool(std::uint64_t)>& progress = {}) const;

private:
    struct State;
    explicit Checkpoint(std::unique_ptr<State> state);
    std::unique_ptr<State> m_state;
};

/// Whether a checkpoint is of one model: the same parameters of the same shapes, none more and none less.
/// @param shapes  name -> shape of every parameter of the model
/// @error InvalidInput that names the first difference and says what to do
[[nodiscard]] Result<void> checkSameModel(const Checkpoint& checkpoint, const std::map<std::string, std::vector<std::int64_t>>& shapes);

/// One entry of a "checkpoints" folder.
struct CheckpointEntry {
    std::int64_t step = 0;
    std::filesystem::path folder;
    bool valid = false;
    std::string reason;          ///< why it is not valid, one sentence
    std::uint64_t bytes = 0;     ///< of a valid one
    bool latest = false;         ///< what `latest` names
    bool keptBack = false;       ///< not valid because the system would not let us look (rights, a server that is away)
};

/// All checkpoints of a folder, newest first. @param deep  verify every byte; otherwise manifest and file sizes
[[nodiscard]] std::vector<CheckpointEntry> listCheckpoints(const std::filesystem::path& folder, bool deep = false);

/// What to resume from, and what was passed over on the way.
struct ResumePoint {
    std::filesystem::path folder;             ///< empty: nothing to resume from, start anew
    std::int64_t step = 0;
    std::vector<CheckpointEntry> skipped;     ///< tried before it and damaged
};

/// @param which  "auto": the one `latest` names or a newer one of the same history, else the next valid one; none is fine; "no": none; a step number: that one
/// @error InvalidArgument for another word, NotFound or InvalidInput when the asked-for step is missing or damaged, Io when the
///        folder or the checkpoint to go on from is there and cannot be read
[[nodiscard]] Result<ResumePoint> findResumePoint(const std::filesystem::path& folder, const std::string& which, bool deep = true);

}  // namespace stagecraft
