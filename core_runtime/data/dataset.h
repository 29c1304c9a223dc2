// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/mapped_file.h"
#include "base/result.h"
#include "data/sampler.h"
#include "data/token_array.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace stagecraft {

struct Workspace;

/// What decides the samples of a run, and nothing else.
struct DataRequest {
    std::filesystem::path folder;        ///< relative sources start here
    std::string source = "builtin:demo";
    std::string tokenizer = "bytes";     ///< for text
    std::int64_t seq = 0;                ///< tokens per sample
    std::int64_t vocab = 0;              ///< of the model: no token may reach it
    bool sequential = false;
    std::uint64_t seed = 1;
    double validationFraction = 0.0;
};

/// @pre the workspace's model has a spec
[[nodiscard]] DataRequest dataRequestOf(const Workspace& workspace);

/// The tokens of a run, cut into windows of `seq` inputs whose labels are shifted by one.
///
/// Files are mapped, not read: every rank can open the same data at no cost in memory. The last windows are the
/// validation split (validationFraction of all, rounded down, at least one when the fraction is above 0).
class Dataset {
public:
    /// @param checkTokens  look at every token once (a few GB/s); one rank, or the launcher, is enough
    /// @error NotFound for a missing file, InvalidInput for one that is empty, no text, cut off or shorter than one
    ///        sequence, or whose tokens do not fit the vocabulary; Refused for a tokenizer or format that is not here
    [[nodiscard]] static Result<Dataset> open(const DataRequest& request, bool checkTokens = true);

    [[nodiscard]] std::int64_t tokens() const { return m_tokens; }
    [[nodiscard]] std::int64_t trainingWindows() const { return m_sampler.windows; }
    [[nodiscard]] std::int64_t validationWindows() const { return m_validation; }
    [[nodiscard]] const Sampler& sampler() const { return m_sampler; }
    /// What of a folder was left out.
    struct Skipped {
        std::string path;
        std::string why;  ///< a clause: "it holds no text"
    };
    [[nodiscard]] const std::vector<Skipped>& skipped() const { return m_skipped; }

    /// @error InvalidInput when there are more ranks than training samples
    [[nodiscard]] Result<void> checkRanks(int world) const;

    /// One rank's items of one micro-step: inputs and labels, each [micro, seq], row by row.
    /// @param step, microStep  from 0; `step` counts optimizer steps since the start of the run, not of this process
    void fillBatch(std::int64_t step, std::int64_t microStep, int rank, const BatchShape& shape, std::int64_t* inputs, std::int64_t* labels) const;

    /// Micro-batches each rank needs to see the whole validation split once.
    [[nodiscard]] std::int64_t validationBatches(int world, std::int64_t micro) const;

    /// One rank's items of validation batch `batch`, in the order of the file. Items past the end repeat the last window.
    /// @return how many of the `micro` items count, 0 to micro
    [[nodiscard]] std::int64_t fillValidation(std::int64_t batch, int rank, int world, std::int64_t micro, std::int64_t* inputs, std::int64_t* labels) const;

private:
    struct Segment {
        std::int64_t begin = 0;  ///< first token of it in the whole
        TokenArray tokens;
        std::string name;        ///< for messages
    };

    Dataset() = default;
    Result<void> openBuiltin(const std::string& name);
    Result<void> openTextFolder(const std::filesystem::path& folder);
    Result<void> openFile(const std::filesystem::path& file);
    void append(TokenArray tokens, std::string name);
    void copyTokens(std::int64_t begin, std::int64_t count, std::int64_t* out) const;
    void fillWindow(std::int64_t window, std::int64_t* inputs, std::int64_t* labels) const;

    std::vector<MappedFile> m_files;
    std::vector<Segment> m_segments;
    std::vector<Skipped> m_skipped;
    std::int64_t m_tokens = 0;
    std::int64_t m_seq = 0;
    std::int64_t m_validation = 0;
    Sampler m_sampler;
};

}  // namespace stagecraft
