// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint/checkpoint_writer.h"

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "checkpoint/checksum.h"
#include "checkpoint/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

fs::path partialFolder(const fs::path& folder, std::int64_t step)
{
    return folder / ("." + checkpointName(step) + ".partial");
}

fs::path extentList(const fs::path& folder, int rank)
{
    return folder / fmt::format("rank_{:05}.json", rank);
}

/// The parts of one rank, as it handed them over.
Result<void> collectRank(const fs::path& folder, int rank, CheckpointManifest& manifest)
{
    const auto text = readFile(extentList(folder, rank));
    if (!text.hasValue()) return text.error();
    const auto list = parseJson(text.value(), {std::size_t{1} << 30, 16});
    const auto damaged = [&] {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot complete the checkpoint: the part of rank {} is damaged.", rank), {{"rank", std::to_string(rank)}}};
    };
    if (!list.hasValue() || !list.value().is_array()) return damaged();
    std::error_code code;
    const auto bytes = fs::file_size(folder / rankFileName(rank), code);
    if (code) return damaged();
    manifest.files.push_back({rankFileName(rank), bytes});
    for (const json& entry : list.value()) {
        auto extent = extentFromJson(entry);
        if (!extent.hasValue() || extent.value().file != rank) return damaged();
        manifest.extents.push_back(std::move(extent).value());
    }
    return {};
}

/// Removes what an earlier attempt with more ranks, or the hand-over itself, left in the folder.
void removeForeign(const fs::path& folder, const CheckpointManifest& manifest)
{
    std::error_code ignored;
    std::vector<fs::path> foreign;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        const bool ours = std::any_of(manifest.files.begin(), manifest.files.end(), [&](const CheckpointFile& file) { return file.name == name; });
        if (!ours) foreign.push_back(entry.path());
    }
    for (const fs::path& path : foreign) fs::remove_all(path, ignored);
}

/// Puts `partial` at `place` in one step, also where a checkpoint of that name is already.
Result<void> moveIntoPlace(const fs::path& partial, const fs::path& place)
{
    std::error_code ignored;
    if (fs::exists(place, ignored)) {
        if (::renameat2(AT_FDCWD, partial.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0) {
            fs::remove_all(partial, ignored);  // the old one, now under the hidden name
            return syncFolder(place.parent_path());
        }
        // A file system without exchange: the old one steps aside, so that at every instant one of the two is on the disk.
        const fs::path aside = partial.string() + ".old";
        fs::remove_all(aside, ignored);
        if (auto moved = renameDurably(place, aside); !moved.hasValue()) return moved;
        auto moved = renameDurably(partial, place);
        if (moved.hasValue()) fs::remove_all(aside, ignored);
        else (void)renameDurably(aside, place);
        return moved;
    }
    return renameDurably(partial, place);
}

}  // namespace

std::string checkpointName(std::int64_t step)
{
    return fmt::format("step_{:07}", step);
}

std::optional<std::int64_t> stepOfName(std::string_view name)
{
    constexpr std::string_view kPrefix = "step_";
    std::int64_t step = 0;
    if (!name.starts_with(kPrefix)) return std::nullopt;
    const auto [end, code] = std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), step);
    if (code != std::errc{} || end != name.data() + name.size() || step < 0 || checkpointName(step) != name) return std::nullopt;
    return step;
}

bool isCutOffSave(std::string_view name)
{
    for (const std::string_view end : {".partial", ".partial.old"})
        if (name.starts_with('.') && name.ends_with(end) && stepOfName(name.substr(1, name.size() - 1 - end.size()))) return true;
    return false;
}

CheckpointWriter::~CheckpointWriter()
{
    if (!m_file) return;
    m_file.reset();
    if (m_folder.empty()) return;
    std::error_code ignored;
    fs::remove(m_folder / rankFileName(m_rank), ignored);
    fs::remove(m_folder, ignored);  // only when it is empty
}

Result<CheckpointWriter> CheckpointWriter::begin(const fs::path& folder, std::int64_t step, int rank)
{
    if (step < 0 || rank < 0) return Error{ErrorCode::InvalidArgument, fmt::format("Cannot write a checkpoint of step {} as rank {}.", step, rank), {}};
    const fs::path partial = partialFolder(folder, step);
    if (auto made = makeFolder(partial); !made.hasValue()) return made.error();
    // What an attempt that died left under this rank's name must not be taken for this one's.
    std::error_code ignored;
    fs::remove(extentList(partial, rank), ignored);
    auto file = OutputFile::create(partial / rankFileName(rank));
    if (!file.hasValue()) return file.error();
    return CheckpointWriter(partial, rank, std::move(file).value());
}

Result<void> CheckpointWriter::add(const std::string& state, const std::string& name, std::int64_t begin, std::int64_t end, ElementType type,
                                   std::span<const std::byte> bytes)
{
    if (!m_file || begin < 0 || begin > end || bytes.size() != static_cast<std::uint64_t>(end - begin) * elementBytes(type)) {
        return Error{ErrorCode::InvalidArgument, fmt::format("Cannot add elements [{}, {}) of \"{}\" from {} bytes to a checkpoint.", begin, end, name, bytes.size()), {}};
    }
    if (begin == end) return {};
    if (auto padded = m_file->padTo(kExtentAlign); !padded.hasValue()) return padded;
    CheckpointExtent extent{state, name, begin, end, type, m_rank, m_file->size(), {}};
    for (std::size_t at = 0; at < bytes.size(); at += kChecksumBlock) extent.sums.push_back(checksumOf(bytes.subspan(at, std::min<std::size_t>(kChecksumBlock, bytes.size() - at))));
    if (auto written = m_file->write(bytes); !written.hasValue()) return written;
    m_extents.push_back(std::move(extent));
    return {};
}

Result<void> CheckpointWriter::finish()
{
    if (!m_file) return Error{ErrorCode::InvalidArgument, "Cannot finish a part of a checkpoint twice.", {}};
    if (auto closed = m_file->close(); !closed.hasValue()) return closed;
    json list = json::array();
    for (const CheckpointExtent& extent : m_extents) list.push_back(extentToJson(extent));
    if (auto written = writeFileAtomically(extentList(m_folder, m_rank), list.dump()); !written.hasValue()) return written;
    m_written = m_file->size();
    m_file.reset();
    return {};
}

Result<fs::path> completeCheckpoint(const fs::path& folder, std::int64_t step, int world, const std::map<std::string, std::vector<std::int64_t>>& parameters,
                                    const json& scalars)
{
    const fs::path partial = partialFolder(folder, step);
    const fs::path place = folder / checkpointName(step);
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.world = world;
    manifest.parameters = parameters;
    manifest.scalars = scalars;
    Result<void> done;
    for (int rank = 0; rank < world && done.hasValue(); ++rank) done = collectRank(partial, rank, manifest);
    if (done.hasValue()) {
        done = checkCoverage(manifest);
        if (!done.hasValue()) done = Error{ErrorCode::InvalidInput, fmt::format("Cannot complete the checkpoint of step {}: {}.", step, done.error().message), {}};
    }
    if (done.hasValue()) {
        removeForeign(partial, manifest);
        const std::string text = manifestToJson(manifest).dump();
        done = writeFileAtomically(partial / "manifest.json", text);
        // The marker comes last and vouches for the manifest, which vouches for every block of data.
        if (done.hasValue()) done = writeFileAtomically(partial / "complete", fmt::format("{:016x}\n", checksumOf(std::as_bytes(std::span(text)))));
    }
    if (done.hasValue()) done = syncFolder(partial);
    if (done.hasValue()) done = moveIntoPlace(partial, place);
    if (!done.hasValue()) {
        std::error_code ignored;
        fs::remove_all(partial, ignored);
        return done.error();
    }
    if (auto latest = nameSaved(folder, step); !latest.hasValue()) return latest.error();
    return place;
}

}  // namespace stagecraft
