// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/run_index.h"

#include "record/known_runs.h"
#include "record/record_lines.h"
#include "record/run_folder.h"
#include "record/run_lock.h"
#include "record/run_record.h"
#include "record/tail_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sys/stat.h>
#include <utility>

namespace stagecraft {

namespace fs = std::filesystem;

namespace {

constexpr int kVersion = 2;  // of the table; another one is thrown away and rebuilt

constexpr const char* kSchema =
    "CREATE TABLE IF NOT EXISTS runs (folder TEXT PRIMARY KEY, stamp TEXT, id TEXT, name TEXT, status TEXT, started_ns INTEGER,"
    " ended_ns INTEGER, world INTEGER, zero_stage INTEGER, params INTEGER, planned_steps INTEGER, done_steps INTEGER, loss REAL,"
    " tokens_per_second REAL, failure TEXT)";

class Statement {
public:
    Statement(sqlite3* database, const char* sql) { m_good = sqlite3_prepare_v2(database, sql, -1, &m_statement, nullptr) == SQLITE_OK; }
    ~Statement() { sqlite3_finalize(m_statement); }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;

    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] int step() { return sqlite3_step(m_statement); }
    void bind(int i, const std::string& text) { sqlite3_bind_text(m_statement, i, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT); }
    void bind(int i, std::int64_t number) { sqlite3_bind_int64(m_statement, i, number); }
    void bind(int i, const std::optional<double>& number)
    {
        if (number) sqlite3_bind_double(m_statement, i, *number);
        else sqlite3_bind_null(m_statement, i);
    }
    [[nodiscard]] std::string text(int column) const
    {
        const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(m_statement, column));
        return bytes != nullptr ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(m_statement, column))) : std::string();
    }
    [[nodiscard]] std::int64_t integer(int column) const { return sqlite3_column_int64(m_statement, column); }
    [[nodiscard]] std::optional<double> real(int column) const
    {
        if (sqlite3_column_type(m_statement, column) == SQLITE_NULL) return std::nullopt;
        return sqlite3_column_double(m_statement, column);
    }

private:
    sqlite3_stmt* m_statement = nullptr;
    bool m_good = false;
};

bool execute(sqlite3* database, const char* sql) { return sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK; }

/// A database with our table in it, or null. Closes what does not work.
sqlite3* openDatabase(const std::string& path)
{
    sqlite3* database = nullptr;
    if (sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr) == SQLITE_OK) {
        sqlite3_busy_timeout(database, 3000);
        int version = -1;
        {
            Statement ask(database, "PRAGMA user_version");
            if (ask.good() && ask.step() == SQLITE_ROW) version = static_cast<int>(ask.integer(0));
        }
        const std::string set = fmt::format("PRAGMA user_version={}", kVersion);
        if ((version == 0 || version == kVersion) && execute(database, kSchema) && execute(database, set.c_str())
            && Statement(database, "SELECT folder, stamp, failure FROM runs LIMIT 1").step() != SQLITE_CORRUPT)
            return database;
    }
    sqlite3_close(database);
    return nullptr;
}

/// Changes whenever a run's line in the list could: also when whoever held it is gone.
std::string stampOf(const RunFolder& folder)
{
    std::string stamp;
    for (const fs::path& path : {folder.runJson(), folder.metrics(0)}) {
        struct stat info {};
        if (::stat(path.c_str(), &info) == 0)
            stamp += fmt::format("{}.{}.{};", static_cast<std::int64_t>(info.st_mtim.tv_sec), static_cast<std::int64_t>(info.st_mtim.tv_nsec), static_cast<std::int64_t>(info.st_size));
    }
    return stamp + (RunLock::isHeld(folder.root) ? "held" : "");
}

/// What rank 0 recorded at the end of a run.
struct LastSteps {
    std::optional<StepMetrics> last;
    std::vector<double> seconds, tokensPerSecond;   ///< of the last start, those that were read; as they come
};

LastSteps lastStepsOf(const RunFolder& folder, const RunInfo& info, bool all)
{
    TailFile tail(folder.metrics(0));
    if (!all) tail.startBeforeEnd(16 << 10);
    LastSteps steps;
    std::size_t budget = all ? std::numeric_limits<std::size_t>::max() : 64 << 10;
    tail.pollLines(budget, [&](std::string_view line) {
        const auto step = stepMetricsFromLine(line);
        if (!step) return;
        steps.last = step;
        if (step->step <= info.resumedFrom || !isOfLastStart(info, step->attempt, step->timeNs)) return;
        steps.seconds.push_back(step->stepSeconds);
        steps.tokensPerSecond.push_back(step->tokensPerSecond);
    });
    return steps;
}

/// Tokens of the whole job per second, as RunEntry has it; NaN without a step.
double speedOf(const LastSteps& steps, bool all)
{
    if (all) return medianOf(steps.tokensPerSecond);
    constexpr std::size_t kRecent = 20;
    const std::size_t count = steps.seconds.size();
    double tokens = 0, seconds = 0;
    for (std::size_t i = count - std::min(count, kRecent); i < count; ++i) {
        if (!std::isfinite(steps.tokensPerSecond[i]) || !std::isfinite(steps.seconds[i])) continue;
        tokens += steps.tokensPerSecond[i] * steps.seconds[i];
        seconds += steps.seconds[i];
    }
    return seconds > 0 ? tokens / seconds : std::nan("");
}

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

}  // namespace

RunIndex::RunIndex(RunIndex&& other) noexcept : m_root(std::move(other.m_root)), m_database(std::exchange(other.m_database, nullptr)) {}
RunIndex& RunIndex::operator=(RunIndex&& other) noexcept
{
    std::swap(m_root, other.m_root);
    std::swap(m_database, other.m_database);
    return *this;
}
RunIndex::~RunIndex() { sqlite3_close(m_database); }

Error RunIndex::failure(const char* what) const
{
    return Error{ErrorCode::Io, fmt::format("Cannot {} the run index of \"{}\": {}", what, m_root.string(), sqlite3_errmsg(m_database)), {{"path", m_root.string()}}};
}

Result<RunIndex> RunIndex::open(const fs::path& runsRoot)
{
    std::error_code ignored;
    if (!fs::is_directory(runsRoot, ignored))
        return Error{ErrorCode::NotFound, fmt::format("Cannot list runs: there is no folder \"{}\"; start one with `stagecraft run WORKSPACE`", runsRoot.string()), {{"path", runsRoot.string()}}};
    const std::string file = (runsRoot / "index.sqlite").string();
    sqlite3* database = openDatabase(file);
    if (database == nullptr) {
        // Broken or of another version: nothing in it is worth keeping.
        for (const char* suffix : {"", "-journal", "-wal", "-shm"}) fs::remove(file + suffix, ignored);
        database = openDatabase(file);
    }
    if (database == nullptr) database = openDatabase(":memory:");
    if (database == nullptr)
        return Error{ErrorCode::Io, fmt::format("Cannot open a run index for \"{}\", not even in memory", runsRoot.string()), {}};
    return RunIndex(runsRoot, database);
}

Result<void> RunIndex::refresh()
{
    std::map<std::string, std::string> known;
    {
        Statement all(m_database, "SELECT folder, stamp FROM runs");
        if (!all.good()) return failure("read");
        while (all.step() == SQLITE_ROW) known[all.text(0)] = all.text(1);
    }
    std::set<std::string> there;
    std::vector<std::pair<std::string, std::string>> changed;
    std::error_code ignored;
    // A run under the root goes by its name, so that the root can be moved; one elsewhere by its whole path.
    const auto look = [&](const std::string& name) {
        const RunFolder folder{m_root / name};
        if (!fs::is_regular_file(folder.runJson(), ignored)) return;
        std::string stamp = stampOf(folder);
        there.insert(name);
        if (const auto old = known.find(name); old == known.end() || old->second != stamp) changed.emplace_back(name, std::move(stamp));
    };
    for (fs::directory_iterator it(m_root, ignored), end; it != end; it.increment(ignored)) look(it->path().filename().string());
    for (const fs::path& run : notedRuns(m_root)) look(run.string());
    bool gone = false;
    for (const auto& [name, stamp] : known) gone = gone || !there.contains(name);
    if (changed.empty() && !gone) return {};

    if (!execute(m_database, "BEGIN IMMEDIATE")) return failure("write");
    bool good = true;
    for (const auto& [name, stamp] : known) {
        if (there.contains(name)) continue;
        Statement forget(m_database, "DELETE FROM runs WHERE folder = ?");
        forget.bind(1, name);
        good = good && forget.step() == SQLITE_DONE;
    }
    for (const auto& [name, stamp] : changed) {
        const fs::path path = m_root / name;
        const auto read = readRunInfo(path);
        if (!read.hasValue()) {  // half copied, damaged since, or not a run: it is not listed
            Statement forget(m_database, "DELETE FROM runs WHERE folder = ?");
            forget.bind(1, name);
            good = good && forget.step() == SQLITE_DONE;
            continue;
        }
        const RunInfo& info = read.value();
        // Of a run that is over all of its record, once: the index keeps the answer.
        const bool all = isOver(info.status) || !RunLock::isHeld(path);
        const LastSteps steps = lastStepsOf(RunFolder{path}, info, all);
        auto last = steps.last;
        // What was trained before this start and given up with it is not how far the run is.
        if (last && !isOfLastStart(info, last->attempt, last->timeNs)) {
            const bool goesOnFromIt = last->attempt < 0 || !info.resumedAttempt || last->attempt == *info.resumedAttempt;
            if (last->step > info.resumedFrom || !goesOnFromIt) last.reset();
        }
        Statement put(m_database, "INSERT OR REPLACE INTO runs VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
        if (!put.good()) { good = false; break; }
        put.bind(1, name);
        put.bind(2, stamp);
        put.bind(3, info.id);
        put.bind(4, info.name);
        put.bind(5, std::string(runStatusName(info.status)));
        put.bind(6, info.startedNs);
        put.bind(7, info.endedNs);
        put.bind(8, std::int64_t{info.world});
        put.bind(9, std::int64_t{info.zeroStage});
        put.bind(10, info.params);
        put.bind(11, info.plannedSteps);
        put.bind(12, last ? last->step : info.doneSteps);
        put.bind(13, last ? finite(last->loss) : std::nullopt);
        put.bind(14, last ? finite(speedOf(steps, all)) : std::nullopt);
        put.bind(15, info.failure ? info.failure->message : std::string());
        good = good && put.step() == SQLITE_DONE;
    }
    if (!good || !execute(m_database, "COMMIT")) {
        const Error error = failure("write");
        execute(m_database, "ROLLBACK");
        return error;
    }
    return {};
}

Result<std::vector<RunEntry>> RunIndex::list() const
{
    std::vector<RunEntry> entries;
    Statement all(m_database,
                  "SELECT folder, id, name, status, started_ns, ended_ns, world, zero_stage, params, planned_steps, done_steps, loss,"
                  " tokens_per_second, failure FROM runs ORDER BY started_ns DESC, folder");
    if (!all.good()) return failure("read");
    int result = SQLITE_DONE;
    while ((result = all.step()) == SQLITE_ROW) {
        RunEntry entry;
        entry.folder = m_root / all.text(0);
        entry.id = all.text(1);
        entry.name = all.text(2);
        entry.status = runStatusFromName(all.text(3)).value_or(RunStatus::Lost);
        if (!isOver(entry.status) && !RunLock::isHeld(entry.folder)) entry.status = RunStatus::Lost;
        entry.startedNs = all.integer(4);
        entry.endedNs = all.integer(5);
        entry.world = static_cast<int>(all.integer(6));
        entry.zeroStage = static_cast<int>(all.integer(7));
        entry.params = all.integer(8);
        entry.plannedSteps = all.integer(9);
        entry.doneSteps = all.integer(10);
        entry.loss = all.real(11);
        entry.tokensPerSecond = all.real(12);
        entry.failure = all.text(13);
        entries.push_back(std::move(entry));
    }
    if (result != SQLITE_DONE) return failure("read");
    return entries;
}

}  // namespace stagecraft
