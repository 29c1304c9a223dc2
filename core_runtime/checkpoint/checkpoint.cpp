// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint/checkpoint.h"

#include "base/atomic_file.h"
#include "checkpoint/checkpoint_writer.h"
#include "checkpoint/checksum.h"
#include "checkpoint/history.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace stagecraft {

namespace fs = std::filesystem;

struct Checkpoint::State {
    fs::path folder;
    CheckpointManifest manifest;
    std::vector<int> descriptors;  ///< one per file, read with pread

    ~State()
    {
        for (const int fd : descriptors) ::close(fd);
    }
};

namespace {

Error unusable(const fs::path& folder, const std::string& why)
{
    return Error{ErrorCode::InvalidInput, fmt::format("Cannot use the checkpoint \"{}\": {}.", folder.string(), why), {{"path", folder.string()}}};
}

/// Whether the system keeps a file from us that may well be whole: no right to read it, a server that is away, no descriptors left.
bool isKeptBack(int problem)
{
    constexpr int kOfTheSystem[] = {EACCES, EPERM, EIO, ESTALE, ETIMEDOUT, ENOTCONN, EHOSTDOWN, EHOSTUNREACH, EMFILE, ENFILE, ENOMEM};
    return std::find(std::begin(kOfTheSystem), std::end(kOfTheSystem), problem) != std::end(kOfTheSystem);
}

Error keptBack(const fs::path& path, int problem)
{
    return Error{ErrorCode::Io, fmt::format("Cannot read \"{}\": {}; mend that, or go on from another checkpoint with --resume STEP", path.string(), std::strerror(problem)), {{"path", path.string()}}};
}

/// Why a file or folder cannot be opened for reading, 0 when it can.
int openingProblem(const fs::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return errno;
    ::close(fd);
    return 0;
}

Result<void> readAt(int fd, std::uint64_t offset, std::span<std::byte> out, const fs::path& file)
{
    while (!out.empty()) {
        const ssize_t got = ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return Error{ErrorCode::Io, fmt::format("Cannot read \"{}\": {}.", file.string(), got < 0 ? std::strerror(errno) : "it ends too early"), {{"path", file.string()}}};
        out = out.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

/// Reads block `index` of an extent into `block` (sized to fit) and checks it.
Result<void> readBlock(const fs::path& folder, const CheckpointManifest& manifest, int fd, const CheckpointExtent& extent, std::size_t index, std::vector<std::byte>& block)
{
    const std::uint64_t begin = index * kChecksumBlock;
    block.resize(std::min(kChecksumBlock, extent.bytes() - begin));
    const fs::path file = folder / manifest.files[static_cast<std::size_t>(extent.file)].name;
    if (auto done = readAt(fd, extent.offset + begin, block, file); !done.hasValue()) return done;
    if (checksumOf(block) == extent.sums[index]) return {};
    return Error{ErrorCode::InvalidInput,
                 fmt::format("Cannot use the checkpoint \"{}\": {} of \"{}\" is damaged in {} at byte {}.", folder.string(), extent.state, extent.name,
                             file.filename().string(), extent.offset + begin),
                 {{"path", file.string()}, {"name", extent.name}, {"state", extent.state}, {"offset", std::to_string(extent.offset + begin)}}};
}

/// The extents of one state of one parameter, in order of their begin.
std::span<const CheckpointExtent> extentsOf(const CheckpointManifest& manifest, std::string_view state, std::string_view name)
{
    const auto key = std::tie(state, name);
    const auto less = [](const CheckpointExtent& e, const auto& k) { return std::tuple<std::string_view, std::string_view>(e.state, e.name) < k; };
    const auto greater = [](const auto& k, const CheckpointExtent& e) { return k < std::tuple<std::string_view, std::string_view>(e.state, e.name); };
    const auto first = std::lower_bound(manifest.extents.begin(), manifest.extents.end(), key, less);
    return {first, std::upper_bound(first, manifest.extents.end(), key, greater)};
}

CheckpointEntry examined(const fs::path& folder, std::int64_t step, bool deep)
{
    CheckpointEntry entry;
    entry.step = step;
    entry.folder = folder;
    const auto opened = Checkpoint::open(folder);
    Result<void> fine = opened.hasValue() ? Result<void>{} : Result<void>(opened.error());
    if (fine.hasValue() && opened.value().manifest().step != step) fine = unusable(folder, fmt::format("its manifest is of step {}", opened.value().manifest().step));
    if (fine.hasValue() && deep) fine = opened.value().verify();
    entry.valid = fine.hasValue();
    if (entry.valid) entry.bytes = opened.value().bytes();
    else entry.reason = fine.error().message;
    entry.keptBack = !opened.hasValue() && opened.error().code == ErrorCode::Io;
    return entry;
}

}  // namespace

Checkpoint::Checkpoint(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Checkpoint::Checkpoint(Checkpoint&&) noexcept = default;
Checkpoint& Checkpoint::operator=(Checkpoint&&) noexcept = default;
Checkpoint::~Checkpoint() = default;

const CheckpointManifest& Checkpoint::manifest() const { return m_state->manifest; }
const fs::path& Checkpoint::folder() const { return m_state->folder; }

std::uint64_t Checkpoint::bytes() const
{
    std::uint64_t sum = 0;
    for (const CheckpointFile& file : m_state->manifest.files) sum += file.bytes;
    return sum;
}

Result<Checkpoint> Checkpoint::open(const fs::path& folder)
{
    if (const int problem = openingProblem(folder); isKeptBack(problem)) return keptBack(folder, problem);
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) {
        return Error{ErrorCode::NotFound, fmt::format("Cannot open the checkpoint \"{}\": there is no such folder.", folder.string()), {{"path", folder.string()}}};
    }
    for (const char* name : {"complete", "manifest.json"})
        if (const int problem = openingProblem(folder / name); isKeptBack(problem)) return keptBack(folder / name, problem);
    const auto marker = readFile(folder / "complete", 64);
    if (!marker.hasValue()) return unusable(folder, "it was not finished (its file \"complete\" is missing)");
    const auto text = readFile(folder / "manifest.json");
    if (!text.hasValue()) return unusable(folder, "its manifest.json cannot be read");
    if (marker.value() != fmt::format("{:016x}\n", checksumOf(std::as_bytes(std::span(text.value()))))) return unusable(folder, "its manifest.json is damaged");
    auto manifest = manifestFromText(text.value());
    if (!manifest.hasValue()) return unusable(folder, "in its manifest.json " + manifest.error().message);

    auto state = std::make_unique<State>();
    state->folder = folder;
    state->manifest = std::move(manifest).value();
    for (const CheckpointFile& file : state->manifest.files) {
        const fs::path path = folder / file.name;
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0 && isKeptBack(errno)) return keptBack(path, errno);
        if (fd < 0) return unusable(folder, fmt::format("its file {} cannot be opened ({})", file.name, std::strerror(errno)));
        state->descriptors.push_back(fd);
        struct stat info {};
        if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || static_cast<std::uint64_t>(info.st_size) != file.bytes) {
            return unusable(folder, fmt::format("its file {} has {} bytes where {} were written", file.name, static_cast<std::int64_t>(info.st_size), file.bytes));
        }
    }
    return Checkpoint(std::move(state));
}

bool Checkpoint::has(std::string_view state, std::string_view name) const
{
    return !extentsOf(m_state->manifest, state, name).empty();
}

Result<void> Checkpoint::read(std::string_view state, std::string_view name, std::int64_t begin, std::int64_t end, ElementType type, std::span<std::byte> out) const
{
    const auto extents = extentsOf(m_state->manifest, state, name);
    if (begin >= 0 && begin == end) return {};
    if (extents.empty() || begin < 0 || begin > end || end > extents.back().end) {
        return Error{ErrorCode::NotFound, fmt::format("Cannot read elements [{}, {}) of {} of \"{}\": the checkpoint \"{}\" does not have them.", begin, end, state, name,
                                                      m_state->folder.string()),
                     {{"path", m_state->folder.string()}, {"name", std::string(name)}}};
    }
    if (extents.front().type != type || out.size() != static_cast<std::uint64_t>(end - begin) * elementBytes(type)) {
        return unusable(m_state->folder, fmt::format("{} of \"{}\" is of type {}, not {}", state, name, elementTypeName(extents.front().type), elementTypeName(type)));
    }
    const std::uint64_t width = elementBytes(type);
    std::vector<std::byte> block;
    auto extent = std::upper_bound(extents.begin(), extents.end(), begin, [](std::int64_t at, const CheckpointExtent& e) { return at < e.end; });
    for (; extent != extents.end() && extent->begin < end; ++extent) {
        const std::int64_t from = std::max(begin, extent->begin);
        const std::int64_t to = std::min(end, extent->end);
        // Bytes [first, last) of the extent go to `out` at `target`.
        std::uint64_t first = static_cast<std::uint64_t>(from - extent->begin) * width;
        const std::uint64_t last = static_cast<std::uint64_t>(to - extent->begin) * width;
        std::uint64_t target = static_cast<std::uint64_t>(from - begin) * width;
        while (first < last) {
            const std::size_t index = first / kChecksumBlock;
            if (auto done = readBlock(m_state->folder, m_state->manifest, m_state->descriptors[static_cast<std::size_t>(extent->file)], *extent, index, block); !done.hasValue()) return done;
            const std::uint64_t inBlock = first - index * kChecksumBlock;
            const std::uint64_t length = std::min<std::uint64_t>(block.size() - inBlock, last - first);
            std::memcpy(out.data() + target, block.data() + inBlock, length);
            first += length;
            target += length;
        }
    }
    return {};
}

Result<void> Checkpoint::read(std::string_view state, std::string_view name, std::int64_t begin, std::span<float> out) const
{
    return read(state, name, begin, begin + static_cast<std::int64_t>(out.size()), ElementType::F32, std::as_writable_bytes(out));
}

Result<void> Checkpoint::verify(const std::function<bool(std::uint64_t)>& progress) const
{
    std::vector<std::byte> block;
    std::uint64_t done = 0;
    for (const CheckpointExtent& extent : m_state->manifest.extents) {
        for (std::size_t index = 0; index < extent.sums.size(); ++index) {
            if (auto read = readBlock(m_state->folder, m_state->manifest, m_state->descriptors[static_cast<std::size_t>(extent.file)], extent, index, block); !read.hasValue()) return read;
            done += block.size();
            if (progress && !progress(done)) return Error{ErrorCode::Cancelled, "Stopped verifying the checkpoint.", {}};
        }
    }
    return {};
}

std::vector<CheckpointEntry> listCheckpoints(const fs::path& folder, bool deep)
{
    const auto latest = latestStep(folder);
    std::vector<CheckpointEntry> entries;
    const auto steps = checkpointSteps(folder);
    for (const std::int64_t step : steps.hasValue() ? steps.value() : std::vector<std::int64_t>{}) {
        entries.push_back(examined(folder / checkpointName(step), step, deep));
        entries.back().latest = latest == step;
    }
    return entries;
}

Result<void> checkSameModel(const Checkpoint& checkpoint, const std::map<std::string, std::vector<std::int64_t>>& shapes)
{
    const auto& there = checkpoint.manifest().parameters;
    const auto other = [&](const std::string& name, const std::string& difference) {
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot continue from \"{}\": it is of another model, {} {}; give the workspace the model of that run, or begin anew with --resume no", checkpoint.folder().string(), name, difference),
                     {{"path", checkpoint.folder().string()}, {"name", name}}};
    };
    for (const auto& [name, shape] : shapes) {
        const auto found = there.find(name);
        if (found == there.end()) return other(name, "is missing there");
        if (found->second != shape) return other(name, fmt::format("is [{}] there and [{}] here", fmt::join(found->second, ", "), fmt::join(shape, ", ")));
    }
    for (const auto& [name, shape] : there)
        if (!shapes.contains(name)) return other(name, "is there and not here");
    return {};
}

Result<ResumePoint> findResumePoint(const fs::path& folder, const std::string& which, bool deep)
{
    ResumePoint point;
    if (which == "no") return point;
    if (which == "auto") {
        const auto steps = stepsToResumeFrom(folder);
        if (!steps.hasValue()) return steps.error();
        for (const std::int64_t step : steps.value()) {
            CheckpointEntry entry = examined(folder / checkpointName(step), step, deep);
            if (entry.valid) {
                point.folder = entry.folder;
                point.step = step;
                return point;
            }
            // What nobody could look at is not damaged: passed over, it would be given up without need.
            if (entry.keptBack) return Error{ErrorCode::Io, entry.reason, {{"path", entry.folder.string()}}};
            point.skipped.push_back(std::move(entry));
        }
        return point;
    }
    std::int64_t step = -1;
    const auto [end, code] = std::from_chars(which.data(), which.data() + which.size(), step);
    if (code != std::errc{} || end != which.data() + which.size() || step < 0) {
        return Error{ErrorCode::InvalidArgument, fmt::format("Cannot resume from \"{}\": use auto, no or the number of a step.", which), {}};
    }
    const CheckpointEntry entry = examined(folder / checkpointName(step), step, deep);
    if (!entry.valid) {
        std::error_code ignored;
        const bool there = fs::exists(entry.folder, ignored);
        return Error{entry.keptBack ? ErrorCode::Io : there ? ErrorCode::InvalidInput : ErrorCode::NotFound, entry.reason, {{"path", entry.folder.string()}}};
    }
    point.folder = entry.folder;
    point.step = step;
    return point;
}

}  // namespace stagecraft
