// SPDX-License-Identifier: GPL-3.0-or-later
#include "launch/log_follower.h"

#include "launch/blame.h"
#include "record/record_lines.h"
#include "record/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sys/stat.h>

namespace stagecraft {

namespace {

constexpr std::size_t kMaxText = 8192;

TailFile fromItsEnd(const std::filesystem::path& path)
{
    TailFile file(path);
    struct stat info {};
    // A resumed run appends: what earlier starts printed has been told already.
    if (::stat(path.c_str(), &info) == 0) file.startBeforeEnd(0);
    return file;
}

}  // namespace

const char* logLevelOf(std::string_view line, bool standardError)
{
    // Of a rank that only misses another one: that one's end is the error, whatever words the transport has for it ("Read error
    // ...: Connection reset by peer", "Connection closed by peer").
    if (standardError && speaksOfPeer(line)) return "warning";
    static constexpr std::array<std::string_view, 8> kError{"error", "Error", "ERROR", "FATAL", "fatal", "terminate called", "Traceback", "Assertion"};
    const auto contains = [&](std::string_view word) { return line.find(word) != std::string_view::npos; };
    if (std::any_of(kError.begin(), kError.end(), contains)) return "error";
    if (standardError || contains("warning") || contains("WARNING") || contains("Warning")) return "warning";
    return "info";
}

LogFollower::LogFollower(const std::filesystem::path& runFolder, int world, std::size_t linesPerSecond) : m_linesPerSecond(linesPerSecond)
{
    const RunFolder folder{runFolder};
    for (int rank = 0; rank < world; ++rank)
        m_ranks.push_back({fromItsEnd(folder.standardOutput(rank)), fromItsEnd(folder.standardError(rank)), {}, {}, 0, 0, 0});
}

void LogFollower::poll(std::int64_t nowNs, const std::function<void(EventRecord)>& event)
{
    const std::int64_t second = nowNs / 1'000'000'000;
    for (std::size_t rank = 0; rank < m_ranks.size(); ++rank) {
        Rank& r = m_ranks[rank];
        const auto emit = [&](const char* level, const char* stream, std::string_view text) {
            EventRecord record{nowNs, static_cast<int>(rank), "log", {}};
            setField(record, "level", level);
            setField(record, "stream", stream);
            setField(record, "text", text);
            event(std::move(record));
        };
        if (second != r.second) {
            if (r.omitted > 0) emit("warning", "supervisor", fmt::format("{} lines not repeated here: rank {} prints faster than {} lines a second; its files have them all", r.omitted, rank, m_linesPerSecond));
            r.second = second;
            r.lines = r.omitted = 0;
        }
        for (const bool error : {false, true}) {
            std::size_t budget = std::size_t{4} << 20;
            (error ? r.err : r.out).pollLines(budget, [&](std::string_view line) {
                while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
                if (line.empty()) return;
                line = line.substr(0, kMaxText);
                if (error) r.lastErrorLine.assign(line);
                if (error && speaksOfPeer(line)) r.lastPeerLine.assign(line);
                if (r.lines >= m_linesPerSecond) { ++r.omitted; return; }
                ++r.lines;
                emit(logLevelOf(line, error), error ? "stderr" : "stdout", line);
            });
        }
    }
}

}  // namespace stagecraft
