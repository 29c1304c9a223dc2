// SPDX-License-Identifier: GPL-3.0-or-later
#include "hardware/disk_measure.h"

#include "base/atomic_file.h"
#include "base/json_fields.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostFolders = 1000;
constexpr int kTurns = 3;

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::string utc()
{
    const std::time_t t = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&t, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

/// A file without a name, closed with this object.
class NamelessFile {
public:
    explicit NamelessFile(const fs::path& folder)
    {
        m_fd = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
        if (m_fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return;
        // File systems that have no such files lose the name at once.
        std::string name = (folder / ".stagecraft_disk_XXXXXX").string();
        m_fd = ::mkostemp(name.data(), O_CLOEXEC);
        if (m_fd >= 0) ::unlink(name.c_str());
    }
    ~NamelessFile()
    {
        if (m_fd >= 0) ::close(m_fd);
    }
    NamelessFile(const NamelessFile&) = delete;
    NamelessFile& operator=(const NamelessFile&) = delete;
    [[nodiscard]] int fd() const { return m_fd; }

private:
    int m_fd = -1;
};

struct Turn {
    double write = 0, read = 0;   ///< seconds
};

/// @return the word of what failed, empty = nothing did; errno says why
const char* oneTurn(const fs::path& folder, std::vector<char>& block, std::int64_t bytes, Turn& turn)
{
    const NamelessFile file(folder);
    if (file.fd() < 0) return "opening a file in";
    auto start = Clock::now();
    for (std::int64_t done = 0; done < bytes;) {
        const ssize_t put = ::write(file.fd(), block.data(), std::min<std::size_t>(block.size(), static_cast<std::size_t>(bytes - done)));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return "writing to";
        done += put;
    }
    if (::fsync(file.fd()) != 0) return "writing to";
    turn.write = since(start);
    // What was just written lies in memory: reading is measured without that.
    (void)::posix_fadvise(file.fd(), 0, 0, POSIX_FADV_DONTNEED);
    start = Clock::now();
    for (std::int64_t done = 0; done < bytes;) {
        const ssize_t got = ::pread(file.fd(), block.data(), block.size(), done);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return "reading from";
        done += got;
    }
    turn.read = since(start);
    return "";
}

}  // namespace

Result<DiskMeasure> measureDisk(const fs::path& folder, std::int64_t bytes)
{
    std::vector<char> block(std::size_t{1} << 20, 'x');
    std::vector<double> writes, reads;
    for (int i = 0; i < kTurns; ++i) {
        Turn turn;
        if (const char* failed = oneTurn(folder, block, bytes, turn); *failed != '\0')
            return Error{ErrorCode::Io, fmt::format("Cannot measure the disk: {} \"{}\": {}. Name a folder that is there and can be written.", failed, folder.string(), std::strerror(errno)), {{"path", folder.string()}}};
        writes.push_back(std::max(turn.write, 1e-9));
        reads.push_back(std::max(turn.read, 1e-9));
    }
    const double size = static_cast<double>(bytes);
    const auto middle = [](std::vector<double>& seconds) {
        std::sort(seconds.begin(), seconds.end());
        return seconds[seconds.size() / 2];
    };
    DiskMeasure m{fs::absolute(folder).lexically_normal(), size / middle(reads), size / middle(writes), 0, utc()};
    if (!m.folder.has_filename() && m.folder.has_relative_path()) m.folder = m.folder.parent_path();   // "/a/" is "/a"
    // Sorted by now.
    for (const auto* seconds : {&reads, &writes}) m.spread = std::max(m.spread, (seconds->back() - seconds->front()) / 2 / (*seconds)[seconds->size() / 2]);
    return m;
}

fs::path diskMeasureFile(const fs::path& runsRoot) { return runsRoot.parent_path() / "disks.json"; }

ordered_json diskMeasureToJson(const DiskMeasure& m)
{
    return {{"folder", m.folder.string()}, {"readBytesPerSecond", m.readBytes}, {"writeBytesPerSecond", m.writeBytes}, {"spread", m.spread}, {"measuredAt", m.measuredAt}};
}

Result<std::vector<DiskMeasure>> loadDiskMeasures(const fs::path& file)
{
    std::vector<DiskMeasure> measures;
    const auto text = readFile(file, kMostBytes);
    if (!text.hasValue()) return text.error().code == ErrorCode::NotFound ? Result<std::vector<DiskMeasure>>(measures) : text.error();
    const auto document = nlohmann::json::parse(text.value(), nullptr, false);
    std::string problem;
    if (!document.is_object()) problem = "it is no JSON object";
    if (problem.empty()) {
        JsonFields top(document, "", problem);
        top.each("disks", kMostFolders, [&](JsonFields& f) { measures.push_back({f.text("folder", 4096), f.number("readBytesPerSecond", 1, 1e15), f.number("writeBytesPerSecond", 1, 1e15), f.number("spread", 0, 1e6), f.text("measuredAt")}); });
    }
    if (problem.empty()) return measures;
    return Error{ErrorCode::InvalidInput, fmt::format("Cannot use the disks measured in \"{}\": {}; measure again with stagecraft doctor --disk FOLDER.", file.string(), problem), {{"path", file.string()}}};
}

Result<void> keepDiskMeasure(const fs::path& file, const DiskMeasure& measure)
{
    auto known = loadDiskMeasures(file);
    std::vector<DiskMeasure> all = known.hasValue() ? std::move(known).value() : std::vector<DiskMeasure>();
    std::erase_if(all, [&](const DiskMeasure& other) { return other.folder == measure.folder; });
    if (all.size() >= kMostFolders) all.erase(all.begin());   // the oldest
    all.push_back(measure);
    ordered_json disks = ordered_json::array();
    for (const DiskMeasure& m : all) disks.push_back(diskMeasureToJson(m));
    if (auto made = makeFolder(file.parent_path()); !made.hasValue()) return made;
    return writeFileAtomically(file, ordered_json{{"disks", disks}}.dump(1) + "\n");
}

const DiskMeasure* diskMeasureOf(const std::vector<DiskMeasure>& measures, const fs::path& path)
{
    const DiskMeasure* innermost = nullptr;
    for (const DiskMeasure& m : measures) {
        const auto [folder, rest] = std::mismatch(m.folder.begin(), m.folder.end(), path.begin(), path.end());
        const bool inside = folder == m.folder.end();
        if (inside && (!innermost || std::distance(m.folder.begin(), m.folder.end()) > std::distance(innermost->folder.begin(), innermost->folder.end()))) innermost = &m;
    }
    return innermost;
}

}  // namespace stagecraft
