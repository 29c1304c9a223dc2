// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/calibration_keeper.h"

#include "app/plan_service.h"
#include "planner/calibration_store.h"
#include "planner/machine_context.h"
#include "planner/observed_run.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <utility>

namespace stagecraft::app {

namespace {

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

CalibrationKeeper::CalibrationKeeper(const std::filesystem::path& runsRoot, QObject* parent)
    : QObject(parent), m_runsRoot(runsRoot), m_version(QCoreApplication::applicationVersion().toStdString())
{
}

void CalibrationKeeper::start(std::function<Outcome()> work)
{
    const QPointer<CalibrationKeeper> self(this);
    QThreadPool::globalInstance()->start([self, work = std::move(work)] {
        const Outcome outcome = work();
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, outcome] {
                if (!self)
                    return;
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
        return Outcome{{}, QString::fromStdString(problem), other};
    });
}

void CalibrationKeeper::keep(const QString& runFolder)
{
    start([root = m_runsRoot, version = m_version, folder = std::filesystem::path(runFolder.toStdString())] {
        const auto learned = learn(folder, root, version);
        if (!learned.hasValue())
            return Outcome{{}, QString::fromStdString(learned.error().message), false};
        const QString name = QString::fromStdString(learned->name);
        if (const std::string why = hostMismatch(learned->machine, thisHost(version)); !why.empty())
            return Outcome{tr("Run %1 is kept and not used on this machine: %2").arg(name, QString::fromStdString(why)), {}, false};
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
            return Outcome{{}, QString::fromStdString(removed.error().message), true};
        return Outcome{tr("The calibration is forgotten: plans are as before the run"), {}, true};
    });
}

}  // namespace stagecraft::app
