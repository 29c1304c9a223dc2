// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/known_runs.h"

#include "base/atomic_file.h"
#include "record/append_file.h"
#include "record/run_folder.h"

#include <algorithm>
#include <sstream>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 20;

fs::path fullPath(const fs::path& path)
{
    std::error_code ignored;
    const fs::path full = fs::weakly_canonical(fs::absolute(path, ignored), ignored);
    return full.empty() ? path : full.has_filename() ? full : full.parent_path();
}

}  // namespace

fs::path knownRunsFile(const fs::path& runsRoot) { return runsRoot / "known_runs"; }

std::vector<fs::path> notedRuns(const fs::path& runsRoot)
{
    std::vector<fs::path> runs;
    auto text = readFile(knownRunsFile(runsRoot), kMostBytes);
    if (!text.hasValue()) return runs;
    std::istringstream lines(text.value());
    std::error_code ignored;
    for (std::string line; std::getline(lines, line);) {
        const fs::path folder(line);
        if (line.find('\0') != std::string::npos || !folder.is_absolute() || !fs::is_regular_file(RunFolder{folder}.runJson(), ignored)) continue;
        if (std::find(runs.begin(), runs.end(), folder) == runs.end()) runs.push_back(folder);
    }
    return runs;
}

Result<void> noteRun(const fs::path& runsRoot, const fs::path& runFolder)
{
    const fs::path folder = fullPath(runFolder);
    // A line feed in a path would be two paths.
    if (folder.parent_path() == fullPath(runsRoot) || folder.string().find('\n') != std::string::npos) return {};
    const auto noted = readFile(knownRunsFile(runsRoot), kMostBytes);
    const std::string line = folder.string() + '\n';
    if (noted.hasValue() && (noted.value().starts_with(line) || noted.value().find('\n' + line) != std::string::npos)) return {};
    if (auto made = makeFolder(runsRoot); !made.hasValue()) return made;
    // Added, never rewritten: runs that start at once do not drop each other, nor one whose disk is not there just now.
    auto file = AppendFile::openLines(knownRunsFile(runsRoot));
    if (!file.hasValue()) return file.error();
    if (!file.value().append(line)) return Error{ErrorCode::Io, "Cannot write \"" + knownRunsFile(runsRoot).string() + "\".", {}};
    return {};
}

}  // namespace stagecraft
