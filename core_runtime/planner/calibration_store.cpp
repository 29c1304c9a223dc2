// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/calibration_store.h"

#include "base/atomic_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostFiles = 4096;

fs::path fileOf(const fs::path& folder, const std::string& id) { return folder / (id + ".json"); }

}  // namespace

fs::path calibrationsFolder(const fs::path& runsRoot) { return runsRoot.parent_path() / "calibrations"; }

KeptCalibrations loadCalibrations(const fs::path& folder)
{
    KeptCalibrations kept;
    std::vector<fs::path> files;
    std::error_code ignored;
    for (fs::directory_iterator it(folder, ignored), end; it != end && files.size() < kMostFiles; it.increment(ignored))
        if (it->path().extension() == ".json") files.push_back(it->path());
    std::sort(files.begin(), files.end());
    std::size_t broken = 0;
    std::string first;
    for (const fs::path& file : files) {
        // A pipe or a device would keep the reader waiting.
        auto text = fs::is_regular_file(file, ignored) ? readFile(file, kMostBytes) : Result<std::string>(Error{ErrorCode::InvalidInput, "it is no file", {}});
        auto read = text.hasValue() ? calibrationFromJson(*text) : Result<Calibration>(text.error());
        if (read.hasValue() && file.stem() == read->id) {
            kept.calibrations.push_back(std::move(*read));
        } else if (++broken == 1) {
            first = fmt::format("\"{}\": {}", file.filename().string(), read.hasValue() ? "it has another's id" : read.error().message);
        }
    }
    if (broken > 0) kept.problem = fmt::format("{} in \"{}\" cannot be used ({}); remove {}", broken == 1 ? "A calibration" : fmt::format("{} calibrations", broken), folder.string(), first, broken == 1 ? "it" : "them");
    std::sort(kept.calibrations.begin(), kept.calibrations.end(), [](const Calibration& a, const Calibration& b) { return a.startedNs != b.startedNs ? a.startedNs > b.startedNs : a.id < b.id; });
    return kept;
}

std::vector<Calibration> calibrationsOf(const KeptCalibrations& kept, const MachineHost& now)
{
    std::vector<Calibration> here;
    std::copy_if(kept.calibrations.begin(), kept.calibrations.end(), std::back_inserter(here), [&](const Calibration& c) { return hostMismatch(c.machine, now).empty(); });
    return here;
}

Result<void> keepCalibration(const fs::path& folder, const Calibration& calibration)
{
    if (auto made = makeFolder(folder); !made.hasValue()) return made;
    return writeFileAtomically(fileOf(folder, calibration.id), calibrationToJson(calibration).dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

Result<std::string> findCalibration(const KeptCalibrations& kept, std::string_view text)
{
    std::error_code ignored;
    const fs::path path = fs::weakly_canonical(fs::path(text), ignored);
    std::vector<std::string> found;
    for (const Calibration& c : kept.calibrations) {
        if (c.id == text) return c.id;
        const fs::path folder = c.folder;
        if ((text.size() >= 4 && c.id.starts_with(text)) || folder == path || folder.filename() == fs::path(text)) found.push_back(c.id);
    }
    if (found.size() == 1) return found.front();
    if (found.empty()) return Error{ErrorCode::NotFound, fmt::format("There is no calibration \"{}\"; `stagecraft runs calibrations` lists them", text), {}};
    return Error{ErrorCode::InvalidArgument, fmt::format("{} calibrations are meant by \"{}\"; name one by its id", found.size(), text), {}};
}

Result<void> removeCalibration(const fs::path& folder, const std::string& id)
{
    std::error_code failed;
    if (fs::remove(fileOf(folder, id), failed)) return {};
    if (!failed) return Error{ErrorCode::NotFound, fmt::format("There is no calibration \"{}\" in \"{}\"", id, folder.string()), {}};
    return Error{ErrorCode::Io, fmt::format("Cannot remove \"{}\": {}", fileOf(folder, id).string(), failed.message()), {}};
}

}  // namespace stagecraft
