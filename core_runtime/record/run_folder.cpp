// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_folder.h"

#include "base/atomic_file.h"
#include "base/utf8.h"
#include "record/known_runs.h"

#include <algorithm>
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

/// `name` as the name of a folder, at most 60 bytes: letters, digits, "_", "." and whatever is not ASCII, "-" for the rest.
/// Whole characters only: half of one would be a path that no JSON and no window can hold.
std::string fileNameOf(std::string_view name)
{
    constexpr std::size_t kMostBytes = 60;
    std::string out;
    for (std::size_t i = 0; i < name.size();) {
        const char c = name[i];
        const std::size_t bytes = characterBytes(name, i);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || bytes > 1;
        if (out.size() + std::max<std::size_t>(bytes, 1) > kMostBytes) break;
        if (plain && !(out.empty() && c == '.')) out += name.substr(i, bytes);
        else if (!out.empty() && out.back() != '-') out += '-';
        i += std::max<std::size_t>(bytes, 1);
    }
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
