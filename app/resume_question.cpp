// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/resume_question.h"

#include "app/core_errors.h"
#include "checkpoint/checkpoint_writer.h"

#include <QCoreApplication>
#include <QDir>
#include <QLocale>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QThreadPool>

#include <algorithm>

namespace stagecraft::app {

ResumeQuestion::ResumeQuestion(QWidget* window) : QObject(window), m_window(window) {}

bool ResumeQuestion::isThere(const RunFolder& run, std::int64_t step)
{
    std::error_code ignored;
    return std::filesystem::is_directory(run.checkpoints() / checkpointName(step), ignored);
}

void ResumeQuestion::ask(const QString& runFolder, std::int64_t step)
{
    if (m_window->findChild<QMessageBox*>(QStringLiteral("resumeQuestion")) != nullptr)
        return;
    emit looking(runFolder);
    QThreadPool::globalInstance()->start([self = QPointer<ResumeQuestion>(this), job = ++m_job, runFolder, step] {
        const auto found = findResumePoint(RunFolder{runFolder.toStdString()}.checkpoints(), "auto");
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, job, runFolder, step, point = found.hasValue() ? *found : ResumePoint{}] {
                if (self && self->m_job == job)
                    self->decide(runFolder, step, point);
            },
            Qt::QueuedConnection);
    });
}

void ResumeQuestion::decide(const QString& runFolder, std::int64_t step, const ResumePoint& point)
{
    const bool some = !point.folder.empty();
    const QString resume = some ? QString::number(point.step) : QStringLiteral("no");
    if (some && point.step == step) {
        emit answered(runFolder, resume);
        return;
    }
    const auto text = [](std::int64_t number) { return QLocale().toString(static_cast<qlonglong>(number)); };
    const QString folder = QDir::toNativeSeparators(QString::fromStdString(RunFolder{runFolder.toStdString()}.checkpoints().string()));
    QStringList detail;
    if (!isThere(RunFolder{runFolder.toStdString()}, step))
        detail << tr("The checkpoint of step %1 is not there any more.").arg(text(step));
    // There may be hundreds of them, and the buttons stand below: the newest tell what is wrong.
    constexpr std::size_t kMostTold = 3;
    for (std::size_t i = 0; i < std::min(point.skipped.size(), kMostTold); ++i)
        detail << errorText(point.skipped[i].reason);
    if (point.skipped.size() > kMostTold)
        detail << tr("%n older checkpoints cannot be used either.", nullptr, static_cast<int>(point.skipped.size() - kMostTold));
    detail << (some ? tr("The steps after %1 are trained again.").arg(text(point.step))
                    : tr("The run can only start over: it trains from step 0 in its folder, and what is recorded there of the earlier start is shown no more. Launch again keeps it, and trains in a new folder."));
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Continue the run"),
                                some ? tr("The newest checkpoint that can be used is of step %1.").arg(text(point.step))
                                     : point.skipped.empty() ? tr("No checkpoint is left in %1.").arg(folder) : tr("No checkpoint in %1 can be used.").arg(folder),
                                QMessageBox::NoButton, m_window);
    box->setInformativeText(detail.join(QStringLiteral("\n\n")));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    box->setObjectName(QStringLiteral("resumeQuestion"));
    QPushButton* go = box->addButton(some ? tr("Continue from step %1").arg(text(point.step)) : tr("Start over at step 0"), some ? QMessageBox::AcceptRole : QMessageBox::DestructiveRole);
    go->setObjectName(QStringLiteral("resumeButton"));
    go->setProperty("danger", !some);
    QPushButton* cancel = box->addButton(tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(some ? go : cancel);
    connect(go, &QPushButton::clicked, this, [this, runFolder, resume] { emit answered(runFolder, resume); });
    box->open();
}

}  // namespace stagecraft::app
