// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint/history.h"

#include "base/atomic_file.h"
#include "checkpoint/checkpoint_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace stagecraft {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr const char* kLatest = "latest";
/// What we ourselves wrote into `latest`: where the two differ, somebody set that one by hand.
constexpr const char* kLatestNamed = "latest_named";

std::optional<std::int64_t> stepIn(const fs::path& file)
{
    const auto text = readFile(file, 64);
    if (!text.hasValue() || !text.value().ends_with('\n')) return std::nullopt;
    return stepOfName(std::string_view(text.value()).substr(0, text.value().size() - 1));
}

Result<void> writeLatest(const fs::path& folder, std::int64_t step)
{
    if (auto written = writeFileAtomically(folder / kLatest, checkpointName(step) + "\n"); !written.hasValue()) return written;
    return writeFileAtomically(folder / kLatestNamed, checkpointName(step) + "\n");
}

Result<void> markGivenUp(const fs::path& folder, std::int64_t step)
{
    return isGivenUp(folder, step) ? Result<void>() : writeFileAtomically(folder / checkpointName(step) / kGivenUp, "");
}

void unmark(const fs::path& folder, std::int64_t step)
{
    std::error_code ignored;
    fs::remove(folder / checkpointName(step) / kGivenUp, ignored);
}

}  // namespace

bool TrainingHistory::passes(std::int64_t step, const TrainingHistory& other) const
{
    const auto after = std::find_if(starts.begin(), starts.end(), [&](const Start& start) { return start.from >= step; });
    // Before the first start that is known, or with none at all, both are of a release that kept no histories.
    if (after == starts.begin()) return !other.known();
    return other.known() && other.starts.back().id == std::prev(after)->id;
}

TrainingHistory TrainingHistory::continuedBy(Start start) const
{
    TrainingHistory next = *this;
    next.starts.push_back(std::move(start));
    return next;
}

json historyToJson(const TrainingHistory& history)
{
    json list = json::array();
    for (const TrainingHistory::Start& start : history.starts) list.push_back({{"id", start.id}, {"attempt", start.attempt}, {"from", start.from}});
    return list;
}

TrainingHistory historyOf(const CheckpointManifest& manifest)
{
    TrainingHistory history;
    const auto list = manifest.scalars.find("history");
    if (list == manifest.scalars.end() || !list->is_array()) return history;
    std::int64_t from = -1;
    for (const json& entry : *list) {
        const auto has = [&](const char* key, auto test) { return entry.is_object() && entry.contains(key) && test(entry[key]); };
        const auto integer = [](const json& value) { return value.is_number_integer(); };
        if (!has("id", [](const json& value) { return value.is_string(); }) || !has("attempt", integer) || !has("from", integer)) return {};
        TrainingHistory::Start start{entry["id"].get<std::string>(), entry["attempt"].get<int>(), entry["from"].get<std::int64_t>()};
        if (start.from <= from) return {};
        from = start.from;
        history.starts.push_back(std::move(start));
    }
    return history;
}

std::optional<TrainingHistory> historyOf(const fs::path& folder, std::int64_t step)
{
    const auto text = readFile(folder / checkpointName(step) / "manifest.json");
    if (!text.hasValue()) return std::nullopt;
    const auto manifest = manifestFromText(text.value());
    if (!manifest.hasValue()) return std::nullopt;
    return historyOf(manifest.value());
}

Result<std::vector<std::int64_t>> checkpointSteps(const fs::path& folder)
{
    std::vector<std::int64_t> steps;
    std::error_code code;
    fs::directory_iterator it(folder, code);
    for (; !code && it != fs::directory_iterator(); it.increment(code)) {
        if (const auto step = stepOfName(it->path().filename().string())) steps.push_back(*step);
    }
    if (code && code != std::errc::no_such_file_or_directory)
        return Error{ErrorCode::Io, fmt::format("Cannot read the checkpoints in \"{}\": {}; make the folder readable, or begin anew in another with --run-dir", folder.string(), code.message()), {{"path", folder.string()}}};
    std::sort(steps.rbegin(), steps.rend());
    return steps;
}

bool isGivenUp(const fs::path& folder, std::int64_t step)
{
    std::error_code ignored;
    return fs::exists(folder / checkpointName(step) / kGivenUp, ignored);
}

Result<std::vector<std::int64_t>> stepsBesideTheLine(const fs::path& folder, std::int64_t step)
{
    auto steps = checkpointSteps(folder);
    if (!steps.hasValue()) return steps;
    const TrainingHistory line = historyOf(folder, step).value_or(TrainingHistory{});
    std::erase_if(steps.value(), [&](std::int64_t other) {
        if (other >= step) return other == step;
        const auto history = historyOf(folder, other);
        return !history || line.passes(other, *history);
    });
    return steps;
}

Result<void> nameLatest(const fs::path& folder, std::int64_t step)
{
    const auto steps = checkpointSteps(folder);
    const auto beside = stepsBesideTheLine(folder, step);
    if (!steps.hasValue() || !beside.hasValue()) return steps.hasValue() ? beside.error() : steps.error();
    // The marks first: one that is there without its `latest` only sends "auto" back to where the training goes on anyhow.
    for (const std::int64_t other : steps.value()) {
        if (std::binary_search(beside.value().rbegin(), beside.value().rend(), other)) {
            if (auto marked = markGivenUp(folder, other); !marked.hasValue()) return marked;
        } else if (other == step || historyOf(folder, other).value_or(TrainingHistory{}).known()) {
            unmark(folder, other);  // without a history the mark is all there is to go by
        }
    }
    return writeLatest(folder, step);
}

Result<void> nameSaved(const fs::path& folder, std::int64_t step)
{
    const auto steps = checkpointSteps(folder);
    if (!steps.hasValue()) return steps.error();
    for (const std::int64_t later : steps.value()) {
        if (later <= step) break;
        if (auto marked = markGivenUp(folder, later); !marked.hasValue()) return marked;
    }
    unmark(folder, step);
    return writeLatest(folder, step);
}

std::optional<std::int64_t> latestStep(const fs::path& folder) { return stepIn(folder / kLatest); }

/// `latest` names the end of the history that was trained last: what lies beside its line, by its mark or by its own history,
/// comes after everything else, and so does a higher step. Only a save that was cut off between its last rename and `latest` has a
/// higher number and goes on from there; where somebody set `latest` back by hand, such ones are what that person turned from.
/// Checkpoints without a history leave the times of the files to tell these two apart.
Result<std::vector<std::int64_t>> stepsToResumeFrom(const fs::path& folder)
{
    auto steps = checkpointSteps(folder);
    if (!steps.hasValue()) return steps;
    const std::int64_t latest = latestStep(folder).value_or(std::numeric_limits<std::int64_t>::max());
    const std::optional<std::int64_t> named = stepIn(folder / kLatestNamed);
    const auto line = historyOf(folder, latest);
    std::error_code code;
    const auto written = fs::last_write_time(folder / kLatest, code);
    const auto rankOf = [&](std::int64_t step) {
        if (isGivenUp(folder, step)) return 2;
        if (step == latest) return 1;
        const auto history = historyOf(folder, step);
        if (step < latest) return line && history && !line->passes(step, *history) ? 2 : 1;
        if (named && history && history->known()) return *named == latest && (!line || history->passes(latest, *line)) ? 0 : 2;
        std::error_code unread;
        const auto finished = fs::last_write_time(folder / checkpointName(step) / "complete", unread);
        return !code && !unread && finished > written ? 0 : 2;
    };
    std::vector<std::pair<int, std::int64_t>> ranked;
    for (const std::int64_t step : steps.value()) ranked.emplace_back(rankOf(step), step);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(ranked.begin(), ranked.end(), steps.value().begin(), [](const auto& one) { return one.second; });
    return steps;
}

}  // namespace stagecraft
