// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/run_controller.h"

#include "base/atomic_file.h"
#include "record/known_runs.h"
#include "record/run_folder.h"
#include "record/run_lock.h"

#include <QDir>
#include <QProcess>
#include <QTimer>

#include <cerrno>
#include <signal.h>

namespace stagecraft::app {

namespace fs = std::filesystem;

namespace {

constexpr int kLookEveryMs = 150;

bool processLives(qint64 pid) { return pid > 0 && (::kill(static_cast<pid_t>(pid), 0) == 0 || errno == EPERM); }

QString toQString(const fs::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

RunController::RunController(const fs::path& program, QObject* parent) : QObject(parent), m_program(program), m_timer(new QTimer(this))
{
    m_timer->setInterval(kLookEveryMs);
    connect(m_timer, &QTimer::timeout, this, &RunController::look);
}

Result<void> RunController::start(const fs::path& workspace, const fs::path& runFolder, const QStringList& arguments)
{
    if (isLive(m_state)) return Error{ErrorCode::Refused, "Cannot launch: a run is live in this window; stop it first.", {}};
    if (!fs::exists(m_program)) {
        return Error{ErrorCode::NotFound, "Cannot launch: \"" + m_program.string() + "\" is not there; build or install Stagecraft again.", {{"path", m_program.string()}}};
    }
    if (auto made = makeFolder(runFolder); !made.hasValue()) return made;

    // A run that is continued has its last end in run.json until the supervisor begins.
    const auto earlier = readRunInfo(runFolder);
    QProcess supervisor;
    supervisor.setProgram(toQString(m_program));
    supervisor.setArguments(QStringList{"run", toQString(workspace), "--run-dir", toQString(runFolder)} + arguments);
    supervisor.setStandardInputFile(QProcess::nullDevice());
    supervisor.setStandardOutputFile(toQString(runFolder / "supervisor.out"));
    m_errorFile = runFolder / "supervisor.err";
    supervisor.setStandardErrorFile(toQString(m_errorFile));
    qint64 pid = 0;
    // Detached: its own session, adopted by init, so that it outlives this window whatever happens to it.
    if (!supervisor.startDetached(&pid)) {
        return Error{ErrorCode::Io, "Cannot launch \"" + m_program.string() + "\": " + supervisor.errorString().toStdString() + ".", {}};
    }
    m_runFolder = runFolder;
    m_launchedPid = pid;
    m_earlierStarts = earlier.hasValue() ? earlier->attempt + 1 : 0;
    m_info = {};
    m_refusal.clear();
    m_killSignals = 0;
    handle(RunEvent::LaunchAsked);
    m_timer->start();
    return {};
}

Result<void> RunController::attach(const fs::path& runFolder)
{
    auto info = readRunInfo(runFolder);
    if (!info.hasValue()) return info.error();
    handle(RunEvent::Detached);
    m_runFolder = runFolder;
    m_launchedPid = 0;
    m_earlierStarts = 0;
    m_refusal.clear();
    m_killSignals = 0;
    m_info = std::move(info).value();
    look();
    if (isLive(m_state)) m_timer->start();
    return {};
}

void RunController::detach()
{
    m_timer->stop();
    m_runFolder.clear();
    m_info = {};
    m_launchedPid = 0;
    handle(RunEvent::Detached);
}

void RunController::requestStop()
{
    if (!isLive(m_state)) return;
    const bool first = m_state != RunState::Stopping && m_state != RunState::Killing;
    handle(RunEvent::StopAsked);
    if (first) signalSupervisor(SIGTERM);
}

void RunController::kill()
{
    if (!isLive(m_state)) return;
    // Ends the ranks at once and still lets the supervisor write down how it ended. Not two interrupts: sent in a row, the
    // kernel may deliver them as one.
    signalSupervisor(SIGQUIT);
    handle(RunEvent::KillAsked);
    QTimer::singleShot(5000, this, [this, folder = m_runFolder] {
        if (m_state == RunState::Killing && folder == m_runFolder) signalSupervisor(SIGKILL);
    });
}

int RunController::supervisorPid() const
{
    // A pid from a file may belong to somebody else by now: only the holder of the folder's lock is trusted.
    if (m_info.supervisorPid > 0 && RunLock::isHeld(m_runFolder)) return m_info.supervisorPid;
    return m_info.id.empty() && processLives(m_launchedPid) ? static_cast<int>(m_launchedPid) : 0;
}

void RunController::signalSupervisor(int number)
{
    if (const int pid = supervisorPid(); pid > 0) ::kill(pid, number);
}

void RunController::look()
{
    auto info = readRunInfo(m_runFolder);
    if (!info.hasValue() && info.error().code == ErrorCode::NotFound && !m_info.id.empty() && !RunLock::isHeld(m_runFolder)) {
        // It was there: somebody moved or removed the folder, and its supervisor ends then.
        m_timer->stop();
        handle(RunEvent::SawLost);
        return;
    }
    if (!info.hasValue() || (m_launchedPid > 0 && info->attempt < m_earlierStarts)) {
        // Not written yet. When the supervisor is gone too, it refused, and its stderr says why.
        if (m_launchedPid > 0 && !processLives(m_launchedPid)) {
            m_timer->stop();
            m_refusal = lastWords();
            removeUnusedRunFolder(m_runFolder);
            handle(RunEvent::SupervisorGone);
        }
        return;
    }
    const bool lives = RunLock::isHeld(m_runFolder);
    if (!lives && !isOver(info->status)) {
        // It may have written its end between our two looks.
        auto again = readRunInfo(m_runFolder);
        if (again.hasValue()) info = std::move(again);
        // A supervisor that has just started writes run.json before a reader can see its lock; give it its time.
        if (!isOver(info->status) && m_state == RunState::Launching && processLives(m_launchedPid)) return;
    }
    m_info = std::move(info).value();
    emit infoChanged();
    handle(eventFor(m_info.status, lives));
    if (!isLive(m_state)) m_timer->stop();
}

void RunController::handle(RunEvent event)
{
    const RunState next = after(m_state, event);
    if (next == m_state) return;
    m_state = next;
    emit stateChanged(next);
}

QString RunController::failureText() const
{
    if (m_info.failure) return QString::fromStdString(m_info.failure->message);
    return m_state == RunState::Failed ? m_refusal : QString();
}

QString RunController::lastWords() const
{
    const auto words = readFile(m_errorFile, std::size_t{1} << 20);
    if (!words.hasValue()) return {};
    const QStringList lines = QString::fromStdString(words.value()).split('\n', Qt::SkipEmptyParts);
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        if (line->startsWith("stagecraft: ")) return line->mid(12);
    }
    return lines.isEmpty() ? QString() : lines.last();
}

fs::path launchCopyFolder(const fs::path& runFolder) { return runFolder / "launched"; }

void removeUnusedRunFolder(const fs::path& runFolder)
{
    std::error_code ignored;
    if (fs::exists(RunFolder{runFolder}.runJson(), ignored) || RunLock::isHeld(runFolder)) return;
    fs::remove_all(launchCopyFolder(runFolder), ignored);
    for (const fs::path& file : {runFolder / "supervisor.out", runFolder / "supervisor.err", RunFolder{runFolder}.lock()}) fs::remove(file, ignored);
    fs::remove(runFolder, ignored);  // stays when anything else is in it
}

QList<QString> liveRuns(const fs::path& runsRoot)
{
    QList<QString> live;
    const QDir root(toQString(runsRoot));
    for (const QFileInfo& folder : root.entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Time)) {
        if (RunLock::isHeld(folder.filePath().toStdString())) live << folder.filePath();
    }
    for (const fs::path& folder : notedRuns(runsRoot))
        if (RunLock::isHeld(folder) && !live.contains(toQString(folder))) live << toQString(folder);
    return live;
}

}  // namespace stagecraft::app
