// SPDX-License-Identifier: GPL-3.0-or-later
// The controller against a stand-in for `stagecraft`, a shell script: what matters here is the process, not the training.
#include "app/session/run_controller.h"

#include "base/atomic_file.h"
#include "record/known_runs.h"
#include "record/run_folder.h"
#include "record/run_lock.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace stagecraft;
using namespace stagecraft::app;
namespace fs = std::filesystem;

namespace {

/// A program that behaves as `body` (shell; $DIR is the run folder).
fs::path program(const QTemporaryDir& dir, const std::string& body)
{
    const fs::path file = fs::path(dir.path().toStdString()) / "stagecraft";
    if (!writeFileAtomically(file, "#!/bin/sh\nDIR=$4\n" + body + "\n").hasValue()) qFatal("cannot write");
    ::chmod(file.c_str(), 0755);
    return file;
}

fs::path runFolder(const QTemporaryDir& dir) { return fs::path(dir.path().toStdString()) / "run"; }

RunInfo info(RunStatus status)
{
    RunInfo run;
    run.id = "test";
    run.name = "demo";
    run.status = status;
    run.world = 1;
    run.supervisorPid = ::getpid();
    return run;
}

}  // namespace

class TstRunController : public QObject {
    Q_OBJECT
private slots:
    void everyStateHasAnAnswerToEveryEvent()
    {
        for (int s = 0; s < kRunStateCount; ++s) {
            for (int e = 0; e < kRunEventCount; ++e) {
                const RunState next = after(static_cast<RunState>(s), static_cast<RunEvent>(e));
                QVERIFY(static_cast<int>(next) < kRunStateCount);
            }
            QCOMPARE(after(static_cast<RunState>(s), RunEvent::Detached), RunState::None);
            // An end that was recorded is believed in every state.
            QCOMPARE(after(static_cast<RunState>(s), RunEvent::SawFinished), RunState::Finished);
            QCOMPARE(after(static_cast<RunState>(s), RunEvent::SawFailed), RunState::Failed);
        }
        // Asking to stop or kill never ends in a state that can launch over a live run.
        for (const RunState live : {RunState::Launching, RunState::Starting, RunState::Running, RunState::Stopping, RunState::Killing}) {
            QVERIFY(isLive(after(live, RunEvent::StopAsked)));
            QVERIFY(isLive(after(live, RunEvent::KillAsked)));
            QCOMPARE(after(live, RunEvent::LaunchAsked), live);
        }
    }

    void aRefusalIsShownInTheSupervisorsWords()
    {
        const QTemporaryDir dir;
        RunController controller(program(dir, "echo 'stagecraft: Cannot launch: 2 ranks need 9 GiB of 4 GiB free; lower the micro-batch.' >&2; exit 1"));
        QVERIFY(controller.start("w.json", runFolder(dir)).hasValue());
        QTRY_COMPARE(controller.state(), RunState::Failed);
        QCOMPARE(controller.failureText(), QString("Cannot launch: 2 ranks need 9 GiB of 4 GiB free; lower the micro-batch."));
    }

    void aContinuedRunIsNotTakenForItsLastEnd()
    {
        const QTemporaryDir dir;
        fs::create_directories(runFolder(dir));
        RunInfo failed = info(RunStatus::Failed);
        failed.attempt = 1;
        failed.failure = RunFailure{0, "signal", "rank 0 died", {}, 0};
        QVERIFY(writeRunInfo(runFolder(dir), failed).hasValue());
        {
            RunController controller(program(dir, "while [ ! -e $DIR/refuse ]; do sleep 0.05; done; echo 'stagecraft: Nothing to do.' >&2; exit 1"));
            QSignalSpy states(&controller, &RunController::stateChanged);
            QVERIFY(controller.start("w.json", runFolder(dir), {"--resume", "auto"}).hasValue());
            QTest::qWait(500);   // several looks at the old run.json
            QCOMPARE(controller.state(), RunState::Launching);
            QVERIFY(writeFileAtomically(runFolder(dir) / "refuse", "").hasValue());
            QTRY_COMPARE(controller.state(), RunState::Failed);
            QCOMPARE(controller.failureText(), QString("Nothing to do."));
            QVERIFY(fs::exists(RunFolder{runFolder(dir)}.runJson()));
        }
        RunController controller(program(dir, "sleep 60"));
        QVERIFY(controller.start("w.json", runFolder(dir), {"--resume", "auto"}).hasValue());
        failed.attempt = 2;
        QVERIFY(writeRunInfo(runFolder(dir), failed).hasValue());
        QTRY_COMPARE(controller.state(), RunState::Failed);
        QCOMPARE(controller.failureText(), QString("rank 0 died"));
    }

    void aMissingProgramIsSaidAtOnce()
    {
        const QTemporaryDir dir;
        RunController controller("/no/such/stagecraft");
        const auto started = controller.start("w.json", runFolder(dir));
        QVERIFY(!started.hasValue());
        QCOMPARE(started.error().code, ErrorCode::NotFound);
        QCOMPARE(controller.state(), RunState::None);
    }

    void startsStopsAndReportsTheEnd()
    {
        // This process holds the lock and writes run.json as the supervisor would; the script passes the interrupt on.
        const QTemporaryDir dir;
        RunController controller(program(dir, "echo $$ > $DIR/pid.part; mv $DIR/pid.part $DIR/pid; trap 'touch $DIR/interrupted; exit 0' TERM; while :; do sleep 0.05; done"));
        QVERIFY(controller.start("w.json", runFolder(dir)).hasValue());
        QCOMPARE(controller.state(), RunState::Launching);
        QVERIFY(!controller.start("w.json", runFolder(dir)).hasValue());

        QTRY_VERIFY(fs::exists(runFolder(dir) / "pid"));
        auto lock = std::make_unique<Result<RunLock>>(RunLock::acquire(runFolder(dir)));
        QVERIFY(lock->hasValue());
        RunInfo run = info(RunStatus::Running);
        run.supervisorPid = std::stoi(readFile(runFolder(dir) / "pid").value());
        QVERIFY(writeRunInfo(runFolder(dir), run).hasValue());
        QTRY_COMPARE(controller.state(), RunState::Running);

        run.status = RunStatus::Stopped;
        controller.requestStop();
        QCOMPARE(controller.state(), RunState::Stopping);
        QTRY_VERIFY(fs::exists(runFolder(dir) / "interrupted"));
        QVERIFY(writeRunInfo(runFolder(dir), run).hasValue());
        lock.reset();
        QTRY_COMPARE(controller.state(), RunState::Stopped);
        controller.detach();
        QCOMPARE(controller.state(), RunState::None);
    }

    void reattachesToALiveRunAndSeesItDie()
    {
        const QTemporaryDir dir;
        QVERIFY(makeFolder(runFolder(dir)).hasValue());
        auto lock = std::make_unique<Result<RunLock>>(RunLock::acquire(runFolder(dir)));
        QVERIFY(writeRunInfo(runFolder(dir), info(RunStatus::Running)).hasValue());
        RunController controller("/unused");
        QVERIFY(controller.attach(runFolder(dir)).hasValue());
        QCOMPARE(controller.state(), RunState::Running);
        QCOMPARE(liveRuns(dir.path().toStdString()), QList<QString>{QString::fromStdString(runFolder(dir).string())});
        // Recorded elsewhere, and noted in this folder of runs.
        const QTemporaryDir other;
        QVERIFY(noteRun(other.path().toStdString(), runFolder(dir)).hasValue());
        QCOMPARE(liveRuns(other.path().toStdString()), QList<QString>{QString::fromStdString(runFolder(dir).string())});
        lock.reset();
        QTRY_COMPARE(controller.state(), RunState::Lost);
        QVERIFY(liveRuns(dir.path().toStdString()).isEmpty());
    }

    void aFolderThatIsTakenAwayIsLost()
    {
        const QTemporaryDir dir;
        QVERIFY(makeFolder(runFolder(dir)).hasValue());
        const auto lock = RunLock::acquire(runFolder(dir));
        RunInfo running = info(RunStatus::Running);
        running.id = "0123456789abcdef";
        QVERIFY(writeRunInfo(runFolder(dir), running).hasValue());
        RunController controller("/unused");
        QVERIFY(controller.attach(runFolder(dir)).hasValue());
        QCOMPARE(controller.state(), RunState::Running);
        std::filesystem::rename(runFolder(dir), runFolder(dir).string() + "-moved");
        QTRY_COMPARE(controller.state(), RunState::Lost);
    }

    void attachingToNothingIsAnError()
    {
        RunController controller("/unused");
        const auto attached = controller.attach("/no/such/run");
        QVERIFY(!attached.hasValue());
        QCOMPARE(controller.state(), RunState::None);
    }
};

QTEST_GUILESS_MAIN(TstRunController)
#include "tst_run_controller.moc"
