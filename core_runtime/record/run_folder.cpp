// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_folder.h"

#include "base/atomic_file.h"
#include "record/known_runs.h"

#include <fmt/format.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/stat.h>

namespace stagecraft {

namespace fs = std::filesystem;

fs::path RunFolder::rank(int rank) const { return ranks() / fmt::format("{:05}", rank); }

fs::path defaultRunsRoot()
{
    // The XDG specification says a relative value is to be ignored.
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && data[0] == '/')
        return fs::path(data) / "stagecraft" / "runs";
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr && home[0] == '/' ? home : "/tmp") / ".local" / "share" / "stagecraft" / "runs";
}

std::int64_t wallClockNs()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

namespace {

std::string fileNameOf(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.'
            || static_cast<unsigned char>(c) >= 0x80;
        if (plain && !(out.empty() && c == '.')) out += c;
        else if (!out.empty() && out.back() != '-') out += '-';
        if (out.size() >= 60) break;
    }
    // A cut inside a multi-byte character would not be a valid name on every file system.
    while (!out.empty() && out.size() >= 60 && static_cast<unsigned char>(out.back()) >= 0x80) out.pop_back();
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out.empty() ? "run" : out;
}

}  // namespace

Result<fs::path> makeRunFolder(const fs::path& runsRoot, std::string_view name, std::int64_t wallNs)
{
    if (auto made = makeFolder(runsRoot); !made.hasValue()) return made.error();
    const std::time_t seconds = static_cast<std::time_t>(wallNs / 1'000'000'000);
    std::tm local{};
    ::localtime_r(&seconds, &local);
    char stamp[32] = {};
    std::strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &local);
    const std::string base = fileNameOf(name) + "-" + stamp;
    for (int i = 1; i < 10'000; ++i) {
        const fs::path folder = runsRoot / (i == 1 ? base : fmt::format("{}-{}", base, i));
        if (::mkdir(folder.c_str(), 0777) == 0) return folder;
        if (errno != EEXIST)
            return Error{ErrorCode::Io, fmt::format("Cannot make the run folder \"{}\": {}; choose another with --run-dir", folder.string(), std::strerror(errno)), {{"path", folder.string()}}};
    }
    return Error{ErrorCode::Io, fmt::format("Cannot make a run folder under \"{}\": 10,000 of this name are there; delete some", runsRoot.string()), {{"path", runsRoot.string()}}};
}

Result<fs::path> findRunFolder(std::string_view text, const fs::path& runsRoot)
{
    std::error_code ignored;
    const fs::path asPath{text};
    if (fs::is_regular_file(asPath / "run.json", ignored)) return fs::absolute(asPath);
    if (text.find('/') == std::string_view::npos && !text.empty()) {
        if (text == "latest") {
            fs::path newest;
            fs::file_time_type newestTime = fs::file_time_type::min();
            const auto look = [&](const fs::path& folder) {
                std::error_code missing;
                const auto time = fs::last_write_time(folder / "run.json", missing);
                if (!missing && time > newestTime) { newestTime = time; newest = folder; }
            };
            for (fs::directory_iterator it(runsRoot, ignored), end; it != end; it.increment(ignored)) look(it->path());
            for (const fs::path& folder : notedRuns(runsRoot)) look(folder);
            if (!newest.empty()) return newest;
        } else if (fs::is_regular_file(runsRoot / asPath / "run.json", ignored)) {
            return runsRoot / asPath;
        }
    }
    return Error{ErrorCode::NotFound, fmt::format("Cannot find run \"{}\": no run.json there or under \"{}\"; see `stagecraft runs list`", text, runsRoot.string()),
                 {{"path", std::string(text)}}};
}

}  // namespace stagecraft
