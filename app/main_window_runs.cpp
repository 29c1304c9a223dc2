// SPDX-License-Identifier: GPL-3.0-or-later
// What the window says of runs: its own, and those that train without it.
#include "app/actions.h"
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
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/icons.h"
#include "widgets/page_rail.h"

#include <QAction>
#include <QApplication>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>

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

void MainWindow::updateLaunch()
{
    Actions& a = *m_actions;
    const bool open = m_document->isOpen(), live = isLive(m_runs->state());
    const auto& plan = m_plans->current();
    // A plan of another framework is never launched as it stands: Launch then says what can be done.
    const bool other = open && plan && plan->workspace && plan->workspace->framework.name != "stagecraft";
    const bool refused = open && plan && (plan->problem || m_refusal);
    a.launch->setEnabled(!live && !refused);
    Actions::setTip(a.launch, live ? tr("A run is live: stop it first")
                              : refused ? (plan->problem ? errorText(*plan->problem) : tr("%1\nWhat can be done about it stands in the findings of the Config page.").arg(m_refusal->why))
                              : other   ? tr("Says how this plan can be trained: its own framework starts it")
                              : open    ? tr("Launch this workspace")
                                        : tr("Launch the demo"));
    // One filled button at most: on the start page it is the demo's, on the Run page what its notice offers.
    const bool primary = open && !(currentPage() == m_runPage && m_runPage->hasPrimaryButton());
    if (m_launch->property("primary").toBool() == primary)
        return;
    m_launch->setProperty("primary", primary);
    m_launch->setIcon(primary ? theme::icon(QStringLiteral("media-playback-start"), theme::Token::OnFill) : theme::icon(QStringLiteral("media-playback-start")));
    m_launch->update();
}

void MainWindow::judged(const LaunchSubject& subject, const std::optional<Error>& refusal)
{
    const QString framework = m_runFlow->plannedFramework();
    keepNote({});   // that it was looked for
    if (!m_document->isOpen() || framework == QLatin1String("stagecraft"))
        return;
    if (subject != launchSubject()) {
        askWhoTrains();   // it was edited meanwhile
        return;
    }
    const CheckAnswer& check = m_configPage->view().model().answer();
    LaunchQuestion{framework, m_refusal ? m_refusal->why : QString(), refusal ? engineWords(*refusal, &check) : QString(),
                   [this] {
                       m_planPage->setBehaviour(QStringLiteral("stagecraft"));
                       if (m_runFlow->plannedFramework() == QLatin1String("stagecraft"))
                           m_runFlow->launch();
                   },
                   [this] {
                       showPage(m_configIndex);
                       m_configPage->showExport(QStringLiteral("command"));
                   },
                   m_configPage->view().model().context().launcher}
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
