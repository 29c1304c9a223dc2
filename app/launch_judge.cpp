// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/launch_judge.h"

#include "app/layout_edits.h"
#include "launch/prepare.h"
#include "planner/behaviour.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

#include <utility>

namespace stagecraft::app {

std::optional<Error> refusalOfOwnEngine(const LaunchSubject& subject)
{
    const auto now = parseWorkspace(subject.text, subject.folder);
    if (!now.hasValue())
        return now.error();
    auto then = parseWorkspace(withEdits(subject.text, changeBehaviour(*now, "stagecraft").edits), subject.folder);
    if (!then.hasValue())
        return then.error();
    RunRequest request;
    request.recordedAs = subject.folder / "workspace.json";   // not read: no file need hold what is asked about
    request.runsRoot = subject.runsRoot;
    request.worker = subject.program.parent_path() / "stagecraft-worker";
    request.version = subject.version;
    const auto prepared = prepareRun(std::move(then).value(), request);
    return prepared.hasValue() ? std::nullopt : std::optional(prepared.error());
}

void LaunchJudge::ask(const LaunchSubject& subject)
{
    if (std::exchange(m_busy, true))
        return;
    QThreadPool::globalInstance()->start([self = QPointer<LaunchJudge>(this), subject] {
        // The queued call goes to the application, which outlives every window; `self` is looked at on its thread.
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, subject, refusal = refusalOfOwnEngine(subject)] {
                if (!self)
                    return;
                self->m_busy = false;
                emit self->judged(subject, refusal);
            },
            Qt::QueuedConnection);
    });
}

}  // namespace stagecraft::app
