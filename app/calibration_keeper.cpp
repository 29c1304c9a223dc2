// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/calibration_keeper.h"

#include "app/core_errors.h"
#include "app/plan_service.h"
#include "hardware/machine_measure.h"
#include "planner/calibration_store.h"
#include "planner/machine_context.h"
#include "planner/observed_run.h"

#include <QCoreApplication>
#include <QFileSystemWatcher>
#include <QPointer>
#include <QThreadPool>

#include <algorithm>
#include <utility>
#include <vector>

namespace stagecraft::app {

namespace {

constexpr int kSettleMs = 200;

/// Changes whenever what is kept could be other: names, times and sizes.
std::string signatureOf(const std::filesystem::path& runsRoot)
{
    std::vector<std::string> lines;
    std::error_code ignored;
    const auto add = [&](const std::filesystem::path& file) {
        const auto time = std::filesystem::last_write_time(file, ignored);
        if (!ignored)
            lines.push_back(file.filename().string() + ' ' + std::to_string(time.time_since_epoch().count()) + ' ' + std::to_string(std::filesystem::file_size(file, ignored)));
    };
    add(machineMeasureFile(runsRoot));
    for (std::filesystem::directory_iterator it(calibrationsFolder(runsRoot), ignored), end; it != end; it.increment(ignored))
        add(it->path());
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines)
        all += line + '\n';
    return all;
}

/// The plan without calibrations says by what factor each part differs.
Result<Calibration> learn(const std::filesystem::path& runFolder, const std::filesystem::path& runsRoot, const std::string& version)
{
    const auto run = observeRun(runFolder);
    if (!run.hasValue())
        return run.error();
    PlanContext context = contextOfThisMachine(runsRoot, version);
    context.calibrations.clear();
    const auto plain = makePlan(run->workspace, context);
    auto learned = calibrate(*run, plain.hasValue() && plain->forecast ? &*plain->forecast : nullptr);
    if (!learned.hasValue())
        return learned;
    if (auto kept = keepCalibration(calibrationsFolder(runsRoot), *learned); !kept.hasValue())
        return kept.error();
    return learned;
}

}  // namespace

QDateTime machineMeasuredAt()
{
    const auto& machine = machineContext().machine;
    return machine ? QDateTime::fromString(QString::fromStdString(machine->measuredAt), Qt::ISODate).toLocalTime() : QDateTime();
}

CalibrationKeeper::CalibrationKeeper(const std::filesystem::path& runsRoot, QObject* parent)
    : QObject(parent), m_runsRoot(runsRoot), m_version(QCoreApplication::applicationVersion().toStdString()), m_watcher(new QFileSystemWatcher(this))
{
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettleMs);
    connect(&m_settle, &QTimer::timeout, this, &CalibrationKeeper::lookAgain);
    connect(m_watcher, &QFileSystemWatcher::directoryChanged, &m_settle, qOverload<>(&QTimer::start));
    connect(m_watcher, &QFileSystemWatcher::fileChanged, &m_settle, qOverload<>(&QTimer::start));
}

void CalibrationKeeper::watch()
{
    // A folder that is not there yet comes in the nearest one that is. Files are replaced by rename: their folder tells.
    std::error_code ignored;
    std::filesystem::path home = std::filesystem::absolute(m_runsRoot, ignored).parent_path();
    while (!std::filesystem::is_directory(home, ignored) && home.has_relative_path())
        home = home.parent_path();
    for (const std::filesystem::path& path : {home, calibrationsFolder(m_runsRoot), machineMeasureFile(m_runsRoot)}) {
        const QString name = QString::fromStdString(path.string());
        if (std::filesystem::exists(path, ignored) && !m_watcher->directories().contains(name) && !m_watcher->files().contains(name))
            (void)m_watcher->addPath(name);
    }
}

void CalibrationKeeper::lookAgain()
{
    start([root = m_runsRoot, version = m_version, known = m_signature] {
        if (signatureOf(root) == known)
            return Outcome{};
        std::string problem;
        setMachineContext(contextOfThisMachine(root, version, &problem));
        return Outcome{{}, errorText(problem), true};
    });
}

void CalibrationKeeper::start(std::function<Outcome()> work)
{
    const QPointer<CalibrationKeeper> self(this);
    QThreadPool::globalInstance()->start([self, root = m_runsRoot, work = std::move(work)] {
        Outcome outcome = work();
        outcome.signature = signatureOf(root);
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, outcome] {
                if (!self)
                    return;
                self->m_signature = outcome.signature;
                self->watch();
                if (!outcome.failed.isEmpty())
                    emit self->failed(outcome.failed);
                if (!outcome.told.isEmpty())
                    emit self->told(outcome.told);
                if (outcome.other)
                    emit self->changed();
            },
            Qt::QueuedConnection);
    });
}

void CalibrationKeeper::look()
{
    start([root = m_runsRoot, version = m_version] {
        std::string problem;
        PlanContext context = contextOfThisMachine(root, version, &problem);
        const bool other = !context.calibrations.empty() || context.machine || !machineContext().calibrations.empty() || machineContext().machine;
        if (other)
            setMachineContext(std::move(context));
        return Outcome{{}, errorText(problem), other};
    });
}

void CalibrationKeeper::keep(const QString& runFolder)
{
    start([root = m_runsRoot, version = m_version, folder = std::filesystem::path(runFolder.toStdString())] {
        const auto learned = learn(folder, root, version);
        if (!learned.hasValue())
            return Outcome{{}, errorText(learned.error()), false};
        const QString name = QString::fromStdString(learned->name);
        if (const std::string why = hostMismatch(learned->machine, thisHost(version)); !why.empty())
            return Outcome{tr("Run %1 is kept and not used on this machine: %2").arg(name, errorText(why)), {}, false};
        setMachineContext(contextOfThisMachine(root, version));
        return Outcome{tr("Plans of this model are calibrated from run %1").arg(name), {}, true};
    });
}

void CalibrationKeeper::forget(const QString& id)
{
    start([root = m_runsRoot, version = m_version, id = id.toStdString()] {
        const auto removed = removeCalibration(calibrationsFolder(root), id);
        setMachineContext(contextOfThisMachine(root, version));
        // Gone already is gone.
        if (!removed.hasValue() && removed.error().code != ErrorCode::NotFound)
            return Outcome{{}, errorText(removed.error()), true};
        return Outcome{tr("The calibration is forgotten: plans are as before the run"), {}, true};
    });
}

}  // namespace stagecraft::app
