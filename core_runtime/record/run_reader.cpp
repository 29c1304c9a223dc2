// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_reader.h"

#include "record/rank_writer.h"
#include "record/record_lines.h"
#include "record/reserve.h"
#include "record/run_folder.h"
#include "record/run_lock.h"
#include "record/tail_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <sys/stat.h>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

struct RankFiles {
    TailFile metrics;
    TailFile spans;
};

/// The rank a folder of ranks/ is of, -1 for anything else.
int rankOf(const std::string& name)
{
    int rank = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), rank);
    return error == std::errc{} && end == name.data() + name.size() && rank >= 0 ? rank : -1;
}

}  // namespace

struct RunReader::State {
    RunFolder folder;
    RunReaderOptions options;
    RunInfo info;
    RunStatus written = RunStatus::Starting;  // as in the file; info.status is what holds
    struct stat infoStat {};
    std::string recordProblem;
    TailFile events{fs::path{}};
    std::map<int, RankFiles> ranks;
    std::int64_t bad = 0;
    bool atEnd = false;

    bool refreshInfo();
    void findRanks();
};

bool RunReader::State::refreshInfo()
{
    bool changed = false;
    struct stat now {};
    // The lock is looked at before the file: a run that ends between the two is then seen as ended, not as lost.
    const bool held = RunLock::isHeld(folder.root);
    if (::stat(folder.runJson().c_str(), &now) == 0
        && (now.st_ino != infoStat.st_ino || now.st_mtim.tv_sec != infoStat.st_mtim.tv_sec || now.st_mtim.tv_nsec != infoStat.st_mtim.tv_nsec || now.st_size != infoStat.st_size)) {
        if (auto read = readRunInfo(folder.root); read.hasValue()) {
            infoStat = now;
            info = std::move(read.value());
            written = info.status;
            changed = true;
        }
    }
    const RunStatus effective = !isOver(written) && !held ? RunStatus::Lost : written;
    changed = changed || effective != info.status;
    info.status = effective;
    if (std::string problem = isOver(effective) ? std::string() : reserveNote(folder.reserve()); problem != recordProblem) {
        recordProblem = std::move(problem);
        changed = true;
    }
    return changed;
}

void RunReader::State::findRanks()
{
    if (static_cast<int>(ranks.size()) >= std::max(info.world, 1)) return;
    std::error_code ignored;
    for (fs::directory_iterator it(folder.ranks(), ignored), end; it != end; it.increment(ignored)) {
        const int rank = rankOf(it->path().filename().string());
        if (rank < 0 || ranks.contains(rank)) continue;
        RankFiles files{TailFile(it->path() / "metrics.ndjson"), TailFile(it->path() / "spans.bin")};
        files.spans.startBeforeEnd(options.spanTailBytes);
        ranks.emplace(rank, std::move(files));
    }
}

RunReader::RunReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
RunReader::RunReader(RunReader&&) noexcept = default;
RunReader& RunReader::operator=(RunReader&&) noexcept = default;
RunReader::~RunReader() = default;

Result<RunReader> RunReader::open(const fs::path& runFolder, RunReaderOptions options)
{
    if (auto info = readRunInfo(runFolder); !info.hasValue()) return info.error();
    auto state = std::make_unique<State>();
    state->folder.root = runFolder;
    state->options = options;
    state->events = TailFile(state->folder.events());
    state->refreshInfo();
    return RunReader(std::move(state));
}

RunUpdate RunReader::poll(std::size_t budgetBytes)
{
    State& s = *m_state;
    RunUpdate update;
    update.infoChanged = s.refreshInfo();
    s.findRanks();
    std::size_t budget = budgetBytes;
    if (s.options.events) {
        const auto state = s.events.pollLines(budget, [&](std::string_view line) {
            if (auto event = eventFromLine(line)) update.events.push_back(std::move(*event));
            else if (!line.empty()) ++s.bad;
        });
        update.more = update.more || state == TailFile::State::More;
    }
    // Every rank gets its part of the budget, or the first ones would hide the others while a long record opens.
    std::size_t left = s.ranks.size();
    for (auto& [rank, files] : s.ranks) {
        std::size_t share = budget / left--;
        const std::size_t before = share;
        if (s.options.steps) {
            const auto state = files.metrics.pollLines(share, [&, number = rank](std::string_view line) {
                if (auto step = stepMetricsFromLine(line)) {
                    step->rank = number;
                    update.steps.push_back(*step);
                } else if (!line.empty()) {
                    ++s.bad;
                }
            });
            update.more = update.more || state == TailFile::State::More;
        }
        if (s.options.spans) {
            RankSpans spans{rank, {}};
            const auto state = files.spans.pollRecords(
                share, kSpanHeaderBytes, sizeof(Span),
                [&](std::string_view header) {
                    const auto expected = spanHeader();
                    const bool good = header == std::string_view(expected.data(), expected.size());
                    if (!good) ++s.bad;
                    return good;
                },
                [&](std::string_view records) {
                    const std::size_t count = records.size() / sizeof(Span);
                    const std::size_t at = spans.spans.size();
                    spans.spans.resize(at + count);
                    std::memcpy(spans.spans.data() + at, records.data(), records.size());
                });
            // Bytes from a disk can be anything; a span that ends before it starts would break every chart.
            s.bad += static_cast<std::int64_t>(std::erase_if(spans.spans, [](const Span& span) { return span.endNs < span.startNs || span.startNs < 0 || span.op < 0; }));
            if (!spans.spans.empty()) update.spans.push_back(std::move(spans));
            update.more = update.more || state == TailFile::State::More;
        }
        budget -= before - share;
    }
    s.atEnd = isOver(s.info.status) && update.empty();
    return update;
}

const RunInfo& RunReader::info() const { return m_state->info; }
bool RunReader::atEnd() const { return m_state->atEnd; }
const std::string& RunReader::recordProblem() const { return m_state->recordProblem; }
const fs::path& RunReader::folder() const { return m_state->folder.root; }

std::int64_t RunReader::badRecords() const
{
    std::int64_t bad = m_state->bad + m_state->events.droppedLines();
    for (const auto& [rank, files] : m_state->ranks) bad += files.metrics.droppedLines();
    return bad;
}

void appendStep(std::vector<StepMetrics>& steps, const StepMetrics& step)
{
    while (!steps.empty() && steps.back().step >= step.step) steps.pop_back();
    steps.push_back(step);
}

}  // namespace stagecraft
