// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_contents.h"

#include "record/run_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

/// Left by a start before its run.json, whoever asked for it.
constexpr std::array kMarks{"lock", "supervisor.err"};
constexpr std::array kFiles{"run.json", "plan.json", "workspace.json", "events.ndjson", "report.html", ".reserve", "lock", "supervisor.out", "supervisor.err",
                            "ranks", "checkpoints", "launched"};
constexpr std::array kNumbered{"checkpoints_of_start_", "attempt_"};
constexpr std::size_t kTemporaryEnding = 7;  // ".Ab12Cd" of writeFileAtomically

bool allOf(std::string_view text, int (*is)(int)) { return !text.empty() && std::all_of(text.begin(), text.end(), [is](unsigned char c) { return is(c) != 0; }); }

std::vector<std::string> namesIn(const fs::path& folder)
{
    std::vector<std::string> names;
    std::error_code ignored;
    for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) names.push_back(it->path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string listed(const std::vector<std::string>& names)
{
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kMost); ++i) text += fmt::format("{}\"{}\"", i == 0 ? "" : ", ", names[i]);
    return names.size() > kMost ? fmt::format("{} and {} more", text, names.size() - kMost) : text;
}

}  // namespace

bool isMadeByRun(std::string_view name)
{
    if (std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end()) return true;
    for (const std::string_view beginning : kNumbered)
        if (name.starts_with(beginning) && allOf(name.substr(beginning.size()), std::isdigit)) return true;
    // A temporary of a writer that was killed.
    if (name.size() <= kTemporaryEnding || name[name.size() - kTemporaryEnding] != '.') return false;
    const std::string_view whole = name.substr(0, name.size() - kTemporaryEnding);
    return allOf(name.substr(whole.size() + 1), std::isalnum) && std::find(kFiles.begin(), kFiles.end(), whole) != kFiles.end();
}

std::vector<std::string> foreignEntries(const fs::path& runFolder)
{
    std::vector<std::string> names = namesIn(runFolder);
    std::erase_if(names, isMadeByRun);
    return names;
}

Result<void> checkFreeForRun(const fs::path& folder)
{
    const std::vector<std::string> names = namesIn(folder);
    const bool marked = std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) { return std::binary_search(names.begin(), names.end(), mark); });
    std::vector<std::string> theirs;
    std::copy_if(names.begin(), names.end(), std::back_inserter(theirs), [&](const std::string& name) { return !marked || !isMadeByRun(name); });
    if (theirs.empty()) return {};
    return Error{ErrorCode::Refused, fmt::format("Cannot run in \"{}\": the folder is no run's and holds {}; name a new or an empty folder with --run-dir", folder.string(), listed(theirs)), {{"path", folder.string()}}};
}

Result<std::vector<std::string>> removeRun(const fs::path& runFolder)
{
    const RunFolder folder{runFolder};
    const auto failed = [&](const fs::path& what, const std::error_code& why) {
        return Error{ErrorCode::Io, fmt::format("Cannot delete \"{}\": {}", what.string(), why.message()), {{"path", what.string()}}};
    };
    std::error_code problem;
    std::vector<std::string> left;
    for (const std::string& name : namesIn(runFolder)) {
        if (!isMadeByRun(name)) left.push_back(name);
        // As long as run.json is there it is a run, and what is left of it can be deleted by another try.
        else if (name != folder.runJson().filename() && name != folder.lock().filename()) fs::remove_all(runFolder / name, problem);
        if (problem) return failed(runFolder / name, problem);
    }
    for (const fs::path& last : {folder.runJson(), folder.lock()})
        if (fs::remove(last, problem); problem) return failed(last, problem);
    if (left.empty() && (fs::remove(runFolder, problem), problem)) return failed(runFolder, problem);
    return left;
}

}  // namespace stagecraft
