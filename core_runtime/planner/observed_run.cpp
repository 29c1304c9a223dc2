// SPDX-License-Identifier: GPL-3.0-or-later
#include "planner/observed_run.h"

#include "record/run_record.h"
#include "record/schedule_join.h"

#include <fmt/format.h>

namespace stagecraft {

namespace {

constexpr std::int64_t kSpanTailBytes = std::int64_t{16} << 20;

}  // namespace

Result<ObservedRun> observeRun(const std::filesystem::path& runFolder)
{
    auto record = loadRunRecord(runFolder);
    if (!record.hasValue()) return record.error();
    auto schedule = readRecordedSchedule(runFolder);
    if (!schedule.hasValue()) return schedule.error();
    auto workspace = parseWorkspace(record->info.workspace.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), runFolder);
    if (!workspace.hasValue()) {
        Error error = workspace.error();
        error.message = fmt::format("Cannot read the workspace that \"{}\" was run with: {}", runFolder.string(), error.message);
        return error;
    }
    if (schedule->schedule.programs.empty())
        return Error{ErrorCode::InvalidInput, fmt::format("Cannot learn from \"{}\": its plan.json has no program", runFolder.string()), {{"path", runFolder.string()}}};

    ObservedRun run;
    run.folder = runFolder;
    run.info = record->info;
    run.workspace = std::move(*workspace);
    run.program = std::move(schedule->schedule.programs.front());
    for (std::size_t rank = 0; rank < record->ranks.size(); ++rank) run.ranks.push_back(stepsOfLastStart(*record, rank));

    RunReaderOptions options;
    options.steps = options.events = false;
    options.spanTailBytes = kSpanTailBytes;
    auto reader = RunReader::open(runFolder, options);
    if (!reader.hasValue()) return reader.error();
    for (bool more = true; more;) {
        RunUpdate update = reader->poll();
        more = update.more;
        for (const RankSpans& part : update.spans) {
            if (part.rank != 0) continue;
            for (const Span& span : part.spans) {
                // A start that resumed from before makes steps again: what was before it is another start's.
                if (!run.spans.empty() && span.step < run.spans.back().step) run.spans.clear();
                if (span.step > run.info.resumedFrom) run.spans.push_back(span);
            }
        }
    }
    return run;
}

}  // namespace stagecraft
