// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of runs: its own, and those that train without it.
#include "app/config_document_page.h"
#include "app/core_errors.h"
#include "app/desktop_notice.h"
#include "app/failure_words.h"
#include "app/file_flow.h"
#include "app/launch_judge.h"
#include "app/launch_question.h"
#include "app/live_banner.h"
#include "app/main_window.h"
#include "app/plan_page.h"
#include "app/plan_service.h"
#include "app/report_writer.h"
#include "app/run_flow.h"
#include "app/run_list.h"
#include "app/run_notices.h"
#include "app/run_page.h"
#include "app/run_watch.h"
#include "app/session/run_controller.h"
#include "app/session/workspace_document.h"
#include "widgets/page_rail.h"

#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>

namespace stagecraft::app {

void MainWindow::launch()
{
    if (!m_document->isOpen())
        m_files->openDemo();
    m_runFlow->launch();
}

LaunchSubject MainWindow::launchSubject() const
{
    return {m_plans->text(), m_plans->folder(), m_options.runsRoot, m_options.program, QCoreApplication::applicationVersion().toStdString()};
}

void MainWindow::askWhoTrains()
{
    if (m_judge->isBusy())
        return;
    note(tr("Looking whether our engine can train this here"));
    m_judge->ask(launchSubject());
}

void MainWindow::judged(const LaunchSubject& subject, const QString& refusal)
{
    const QString framework = m_runFlow->plannedFramework();
    if (!m_document->isOpen() || framework == QLatin1String("stagecraft"))
        return;
    if (subject != launchSubject()) {
        askWhoTrains();   // it was edited meanwhile
        return;
    }
    LaunchQuestion{framework, refusal,
                   [this] {
                       m_planPage->setBehaviour(QStringLiteral("stagecraft"));
                       if (m_runFlow->plannedFramework() == QLatin1String("stagecraft"))
                           m_runFlow->launch();
                   },
                   [this] {
                       showPage(m_configIndex);
                       m_configPage->showExport(QStringLiteral("command"));
                   }}
        .ask(this);
}

void MainWindow::runsChanged()
{
    m_recorded = recordedRuns(m_runPage->runs()->runs());
    m_start->setRuns(m_recorded);
    updateNames();
}

void MainWindow::updateLive()
{
    QStringList names;
    const RunState state = m_runs->state();
    if (!isLive(state))
        for (const RunEntry& run : m_runPage->runs()->live())
            names << QString::fromStdString(run.folder.filename().string());
    m_live->look(names, currentPage() == m_runPage && (m_runPage->folder().empty() || isLive(m_runPage->shownState())));
    if (!names.isEmpty())
        m_runEntry->setDot(theme::Token::Ok, RunNotices::liveSentence(names));
    else
        m_runEntry->setDot(state == RunState::None ? std::nullopt : std::optional(RunFlow::stateToken(state)), RunFlow::stateText(state));
}

void MainWindow::exportRun(const QString& runFolder)
{
    // A folder dialog takes only what is there already: the files get a folder of their own in the one that is chosen.
    const QString name = QFileInfo(runFolder).fileName() + QStringLiteral("-metrics");
    auto* dialog = new QFileDialog(this, tr("Export into a folder: %1").arg(name), m_settings.now().lastFolder);
    dialog->setObjectName(QStringLiteral("exportRunDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setLabelText(QFileDialog::Accept, tr("Export here"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, runFolder, name](const QString& folder) {
        // Chosen itself, it is written anew.
        m_reports->writeFiles(runFolder, QDir(folder).dirName() == name ? folder : QDir(folder).filePath(name));
    });
    dialog->open();
}

QString MainWindow::runFailure() const
{
    return m_runs->info().failure ? failureText(*m_runs->info().failure) : errorText(m_runs->failureText().toStdString());
}

void MainWindow::tellDesktop(RunState state)
{
    if (isActiveWindow() || (state != RunState::Finished && state != RunState::Failed && state != RunState::Lost))
        return;
    const QString run = QString::fromStdString(m_runs->runFolder().filename().string());
    notifyDesktop(tr("%1: %2").arg(run, RunFlow::stateText(state)), state == RunState::Failed ? runFailure() : QString());
    QApplication::alert(this);
}

void MainWindow::runStateChanged()
{
    const RunState state = m_runs->state();
    if (state == RunState::Failed) {
        const QString why = runFailure().isEmpty() ? tr("The run failed") : runFailure();
        if (qobject_cast<RunPage*>(currentPage()))
            recordFailure(why);   // the page says it, and needs the room
        else
            noteFailure(why);
    } else if (state != RunState::None) {
        note(tr("Run: %1").arg(RunFlow::stateText(state)));
    }
    tellDesktop(state);
    if (state != RunState::None && !isLive(state))
        m_runPage->runs()->noteEnd(m_runs->runFolder(), m_runs->info().status);
    updateNames();
}

}  // namespace stagecraft::app
