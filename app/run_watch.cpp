// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_watch.h"

#include "record/known_runs.h"
#include "record/run_folder.h"
#include "record/run_lock.h"

#include <QCoreApplication>
#include <QFileSystemWatcher>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <optional>
#include <utility>

namespace stagecraft::app {

namespace fs = std::filesystem;

namespace {

constexpr int kSettleMs = 200;
constexpr int kIntervalMs = 2000;

/// Which runs there are and which are held: what a look costs is a file or two per run. Reading their records, as the index does,
/// writes into the folder that is watched; it must not be what a look consists of.
std::string signatureOf(const fs::path& root)
{
    std::vector<std::string> lines;
    std::error_code ignored;
    const auto add = [&](const fs::path& folder) {
        if (fs::is_regular_file(RunFolder{folder}.runJson(), ignored))
            lines.push_back(folder.string() + (RunLock::isHeld(folder) ? "\n+" : "\n-"));
    };
    for (fs::directory_iterator it(root, ignored), end; it != end; it.increment(ignored))
        add(it->path());
    for (const fs::path& run : notedRuns(root))
        add(run);
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines)
        all += line + '\n';
    return all;
}

std::vector<RunEntry> read(const fs::path& root)
{
    auto index = RunIndex::open(root);
    if (!index.hasValue())
        return {};
    (void)index->refresh();
    auto list = index->list();
    return list.hasValue() ? std::move(list.value()) : std::vector<RunEntry>();
}

/// A run started over is held before its record says that it runs again: then the next look reads it once more.
bool isSettled(const std::vector<RunEntry>& runs)
{
    return std::none_of(runs.begin(), runs.end(), [](const RunEntry& run) { return isOver(run.status) && RunLock::isHeld(run.folder); });
}

struct Look {
    std::string signature;
    std::optional<std::vector<RunEntry>> runs;   ///< nothing: as they were
};

}  // namespace

RunWatch::RunWatch(const fs::path& runsRoot, QObject* parent) : QObject(parent), m_runsRoot(runsRoot), m_watcher(new QFileSystemWatcher(this))
{
    if (m_runsRoot.empty())
        return;
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    connect(&m_settle, &QTimer::timeout, this, [this] { look(false); });
    connect(m_watcher, &QFileSystemWatcher::directoryChanged, &m_settle, qOverload<>(&QTimer::start));
    connect(m_watcher, &QFileSystemWatcher::fileChanged, &m_settle, qOverload<>(&QTimer::start));
    m_interval.setInterval(kIntervalMs);
    connect(&m_interval, &QTimer::timeout, this, [this] { look(false); });
    m_interval.start();
    look(true);
}

std::vector<RunEntry> RunWatch::live() const
{
    std::vector<RunEntry> live;
    std::copy_if(m_runs.begin(), m_runs.end(), std::back_inserter(live), [](const RunEntry& run) { return !isOver(run.status); });
    return live;
}

void RunWatch::refresh()
{
    if (!m_runsRoot.empty())
        look(true);
}

void RunWatch::noteEnd(const fs::path& folder, RunStatus status)
{
    const auto run = std::find_if(m_runs.begin(), m_runs.end(), [&](const RunEntry& each) { return each.folder == folder; });
    m_stale = true;
    if (run != m_runs.end() && !isOver(run->status)) {
        run->status = status;
        emit changed();
    }
    look(true);
}

void RunWatch::look(bool anew)
{
    m_anew = m_anew || anew;
    if (std::exchange(m_busy, true)) {
        m_again = true;
        return;
    }
    m_stale = false;
    // The pool works on values; what comes back for a window that is gone is dropped.
    QThreadPool::globalInstance()->start([self = QPointer<RunWatch>(this), root = m_runsRoot, known = m_signature, all = std::exchange(m_anew, false) || !m_looked] {
        Look look{signatureOf(root), std::nullopt};
        if (all || look.signature != known) {
            look.runs = read(root);
            if (!isSettled(*look.runs))
                look.signature.clear();
        }
        QMetaObject::invokeMethod(QCoreApplication::instance(), [self, look = std::move(look)] {
            if (!self)
                return;
            self->m_busy = false;
            self->watch();
            if (look.runs && !std::exchange(self->m_stale, false)) {
                self->m_signature = look.signature;
                self->m_runs = *look.runs;
                self->m_looked = true;
                emit self->changed();
            }
            if (std::exchange(self->m_again, false))
                self->look(false);
        }, Qt::QueuedConnection);
    });
}

void RunWatch::watch()
{
    // The file of runs recorded elsewhere comes with the first of them, the folder itself with the first run.
    for (const fs::path& path : {m_runsRoot, knownRunsFile(m_runsRoot)}) {
        const QString name = QString::fromStdString(path.string());
        std::error_code ignored;
        if (fs::exists(path, ignored) && !m_watcher->directories().contains(name) && !m_watcher->files().contains(name))
            (void)m_watcher->addPath(name);
    }
}

}  // namespace stagecraft::app
