// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_flow.h"

#include "app/core_errors.h"
#include "app/formats.h"
#include "app/resume_question.h"
#include "app/session/run_controller.h"
#include "app/session/workspace_document.h"
#include "app/settings.h"
#include "config/json_document.h"
#include "record/run_folder.h"
#include "record/run_info.h"
#include "workspace/workspace.h"

#include <QCursor>
#include <QDateTime>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QThreadPool>
#include <QWidget>

#include <algorithm>

namespace stagecraft::app {

RunFlow::RunFlow(WorkspaceDocument& document, RunController& controller, const std::filesystem::path& runsRoot, QWidget* window)
    : QObject(window), m_document(document), m_controller(controller), m_runsRoot(runsRoot), m_window(window), m_resume(new ResumeQuestion(window))
{
    connect(m_resume, &ResumeQuestion::looking, this, [this](const QString& folder) { emit noted(tr("Reading the checkpoints of %1").arg(QFileInfo(folder).fileName())); });
    connect(m_resume, &ResumeQuestion::answered, this, [this](const QString& runFolder, const QString& resume) {
        const std::filesystem::path folder = runFolder.toStdString();
        const auto started = m_controller.start(RunFolder{folder}.workspaceJson(), folder, {QStringLiteral("--resume"), resume});
        if (started.hasValue())
            emit launched();
        else
            emit failed(errorText(started.error()));
    });
}

void RunFlow::launch()
{
    if (!m_document.isOpen())
        return;
    if (const QString framework = plannedFramework(); framework != QLatin1String("stagecraft")) {
        emit otherFrameworkPlanned(framework);
        return;
    }
    whenAlone([this] {
        if (m_document.isOpen())
            launchNow(m_document.title().section(QLatin1Char('.'), 0, 0), [this](const std::filesystem::path& folder) { return launchFile(folder); });
    });
}

void RunFlow::launchAgain(const QString& runFolder)
{
    const std::filesystem::path shown = runFolder.toStdString();
    const auto info = readRunInfo(shown);
    if (isOfThisWorkspace(shown))
        launch();
    else if (!info.hasValue())
        emit failed(errorText(info.error()));
    else
        whenAlone([this, name = QString::fromStdString(info->name), recorded = RunFolder{shown}.workspaceJson()] {
            launchNow(name, [recorded](const std::filesystem::path&) { return Result<std::filesystem::path>(recorded); });
        });
}

void RunFlow::continueRun(const QString& runFolder, qint64 step)
{
    // Never makes the folder of a run anew that somebody deleted.
    if (const auto info = readRunInfo(runFolder.toStdString()); !info.hasValue())
        emit failed(errorText(info.error()));
    else
        whenAlone([this, runFolder, step] { m_resume->ask(runFolder, step); });
}

void RunFlow::whenAlone(const std::function<void()>& then)
{
    if (isLive(m_controller.state()))
        return;
    if (const QStringList folders = live(); !folders.isEmpty())
        askAboutLive(folders, then);
    else
        then();
}

void RunFlow::askAboutLive(const QStringList& folders, const std::function<void()>& then)
{
    if (m_window->findChild<QMessageBox*>(QStringLiteral("liveQuestion")))
        return;
    // Of several the one that is most likely meant: this workspace's, else the newest.
    const auto own = std::find_if(folders.begin(), folders.end(), [this](const QString& folder) { return isOfThisWorkspace(folder.toStdString()); });
    const QString folder = own != folders.end() ? *own : folders.first();
    const QString name = QFileInfo(folder).fileName();
    auto* box = new QMessageBox(QMessageBox::Question, tr("A run is live"), own != folders.end() ? tr("%1 of this workspace is live.").arg(name) : tr("%1 is live.").arg(name),
                                QMessageBox::NoButton, m_window);
    box->setInformativeText(tr("A second run shares the processors, memory and devices of this machine with it: both are slower, and either may run out of memory."));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    box->setObjectName(QStringLiteral("liveQuestion"));
    QPushButton* again = box->addButton(tr("Re-attach"), QMessageBox::AcceptRole);
    again->setObjectName(QStringLiteral("reattachButton"));
    QPushButton* second = box->addButton(tr("Launch another"), QMessageBox::DestructiveRole);
    second->setObjectName(QStringLiteral("launchAnotherButton"));
    box->addButton(tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(again);
    connect(again, &QPushButton::clicked, this, [this, folder] { attach(folder); });
    connect(second, &QPushButton::clicked, this, then);
    box->open();
}

namespace {

/// Whether both name the same place, by whatever links: run.json has paths with links resolved, a document the one it was opened by.
bool isSamePlace(const std::filesystem::path& a, const std::filesystem::path& b)
{
    if (a.empty() || b.empty())
        return false;
    std::error_code ignored;
    return a == b || std::filesystem::weakly_canonical(a, ignored) == std::filesystem::weakly_canonical(b, ignored);
}

}  // namespace

bool RunFlow::isOfThisWorkspace(const std::filesystem::path& runFolder) const
{
    const auto info = readRunInfo(runFolder);
    return info.hasValue() && isOfThisWorkspace(runFolder, *info);
}

bool RunFlow::isOfThisWorkspace(const std::filesystem::path& runFolder, const RunInfo& info) const
{
    if (!m_document.isOpen())
        return false;
    if (isSamePlace(info.workspaceFile, m_document.path()))
        return true;
    // What was launched unsaved was launched as a copy: it goes by the workspace's name.
    const auto parsed = JsonDocument::parse(m_document.text());
    const int node = parsed.hasValue() ? parsed->find("/name") : -1;
    const bool copied = isSamePlace(std::filesystem::path(info.workspaceFile).parent_path(), launchCopyFolder(runFolder));
    return copied && node >= 0 && parsed->node(node).kind == JsonKind::String && parsed->stringValue(node) == info.name;
}

Result<std::filesystem::path> RunFlow::launchFile(const std::filesystem::path& runFolder) const
{
    // The file itself where it is what the window shows: its runs are then known by it.
    if (m_document.isAsOnDisk())
        return m_document.path();
    return m_document.writeLaunchCopy(launchCopyFolder(runFolder));
}

void RunFlow::launchNow(const QString& name, const Workspace& workspace)
{
    if (isLive(m_controller.state()))
        return;
    const auto folder = makeRunFolder(m_runsRoot, name.toStdString(), QDateTime::currentMSecsSinceEpoch() * 1'000'000);
    if (!folder.hasValue()) {
        emit failed(errorText(folder.error()));
        return;
    }
    // Where earlier releases kept the copies they launched, for ever.
    QThreadPool::globalInstance()->start([old = std::filesystem::path(stateFolder().toStdString()) / "launch"] {
        std::error_code ignored;
        std::filesystem::remove_all(old, ignored);
    });
    const auto file = workspace(*folder);
    // A copy is recorded as the user's file, by which its runs are found.
    QStringList arguments;
    if (file.hasValue() && !m_document.path().empty() && file->parent_path() == launchCopyFolder(*folder))
        arguments << QStringLiteral("--recorded-as") << QString::fromStdString(m_document.path().string());
    const auto started = file.hasValue() ? m_controller.start(*file, *folder, arguments) : Result<void>(file.error());
    if (!started.hasValue()) {
        removeUnusedRunFolder(*folder);
        emit failed(errorText(started.error()));
        return;
    }
    emit launched();
}

void RunFlow::stop()
{
    // A second stop is from somebody for whom the running step takes too long.
    if (m_controller.state() == RunState::Stopping) {
        kill();
        return;
    }
    m_controller.requestStop();
    emit noted(tr("Stopping after the running step"));
}

void RunFlow::kill()
{
    if (!isLive(m_controller.state()) || m_window->findChild<QMessageBox*>(QStringLiteral("killQuestion")))
        return;
    const QString name = QString::fromStdString(m_controller.runFolder().filename().string());
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Kill the run"), tr("Kill %1 now?").arg(name), QMessageBox::NoButton, m_window);
    box->setInformativeText(tr("The running step is lost. What is recorded and the last checkpoint stay."));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setWindowModality(Qt::WindowModal);
    box->setObjectName(QStringLiteral("killQuestion"));
    QPushButton* kill = box->addButton(tr("Kill %1").arg(name), QMessageBox::DestructiveRole);
    kill->setProperty("danger", true);
    kill->setObjectName(QStringLiteral("killButton"));
    QPushButton* cancel = box->addButton(tr("Cancel"), QMessageBox::RejectRole);
    box->setDefaultButton(cancel);
    connect(kill, &QPushButton::clicked, this, [this] { m_controller.kill(); });
    box->open();
}

QStringList RunFlow::live() const
{
    return liveRuns(m_runsRoot);
}

void RunFlow::attach(const QString& runFolder)
{
    if (const auto result = m_controller.attach(runFolder.toStdString()); result.hasValue())
        emit attached();
    else
        emit failed(errorText(result.error()));
}

void RunFlow::reattach()
{
    const QStringList folders = live();
    if (folders.isEmpty()) {
        emit noted(tr("No run is live under %1").arg(QString::fromStdString(m_runsRoot.string())));
        return;
    }
    if (folders.size() == 1) {
        attach(folders.first());
        return;
    }
    auto* menu = new QMenu(m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    for (const QString& folder : folders)
        menu->addAction(QFileInfo(folder).fileName(), this, [this, folder] { attach(folder); });
    menu->popup(m_window->mapToGlobal(m_window->rect().center()));
}

QString RunFlow::plannedFramework() const
{
    const auto parsed = JsonDocument::parse(m_document.text());
    const int node = parsed.hasValue() ? parsed->find("/framework/name") : -1;
    return node >= 0 && parsed->node(node).kind == JsonKind::String ? QString::fromStdString(parsed->stringValue(node)) : QStringLiteral("stagecraft");
}

QString RunFlow::command() const
{
    if (!m_document.isOpen() || m_document.path().empty())
        return {};   // the command line reads a file
    return QStringLiteral("stagecraft run ") + shellQuoted(QString::fromStdString(m_document.path().string()));
}

QString RunFlow::stateText(RunState state)
{
    switch (state) {
    case RunState::None: return tr("No run");
    case RunState::Launching: return tr("Launching");
    case RunState::Starting: return tr("Starting");
    case RunState::Running: return tr("Running");
    case RunState::Stopping: return tr("Stopping");
    case RunState::Killing: return tr("Ending");
    case RunState::Finished: return tr("Finished");
    case RunState::Failed: return tr("Failed");
    case RunState::Stopped: return tr("Stopped");
    case RunState::Lost: return tr("Lost contact");
    }
    return {};
}

theme::Token RunFlow::stateToken(RunState state)
{
    switch (state) {
    case RunState::Launching:
    case RunState::Starting:
    case RunState::Running: return theme::Token::Ok;
    case RunState::Failed: return theme::Token::Error;
    case RunState::Lost:
    case RunState::Killing: return theme::Token::Warn;
    case RunState::None:
    case RunState::Stopping:
    case RunState::Finished:   // nothing goes on: green is for what runs
    case RunState::Stopped: break;
    }
    return theme::Token::Text2;
}

}  // namespace stagecraft::app
