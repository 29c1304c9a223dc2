// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/main_window.h"

#include "app/actions.h"
#include "app/calibration_keeper.h"
#include "app/command_palette.h"
#include "app/config_document_page.h"
#include "app/core_errors.h"
#include "app/dialogs.h"
#include "app/disk_banner.h"
#include "app/dock_bar.h"
#include "app/drop_frame.h"
#include "app/export_panel.h"
#include "app/file_flow.h"
#include "app/formats.h"
#include "app/import_panel.h"
#include "app/inspector_drawer.h"
#include "app/launch_judge.h"
#include "app/layout_memory.h"
#include "app/mend_banner.h"
#include "app/output_panels.h"
#include "app/page.h"
#include "app/panel_tour.h"
#include "app/plan_page.h"
#include "app/plan_service.h"
#include "app/plan_strip.h"
#include "app/recorded_rate.h"
#include "app/recovery_banner.h"
#include "app/report_writer.h"
#include "app/run_flow.h"
#include "app/run_page.h"
#include "app/run_watch.h"
#include "app/session/run_controller.h"
#include "app/session/workspace_document.h"
#include "app/start_page.h"
#include "app/subject_flow.h"
#include "app/title_row.h"
#include "app/translations.h"
#include "widgets/config_page.h"
#include "widgets/inspector.h"
#include "widgets/page_rail.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QCoreApplication>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QPointer>
#include <QPushButton>
#include <QStackedWidget>
#include <QThreadPool>
#include <QTimer>
#include <QUrl>

namespace stagecraft::app {

MainWindow::MainWindow(const WindowOptions& options, QWidget* parent)
    : QMainWindow(parent), m_settings(options.settingsFile), m_options(options),
      m_translations(new Translations(this)), m_document(new WorkspaceDocument(this)), m_journal(new RecoveryJournal(options.recovery, *m_document, this)),
      m_plans(new PlanService(this)), m_runs(new RunController(options.program, this)), m_actions(new Actions(this)),
      m_files(new FileFlow(*m_document, *m_journal, m_settings, this)), m_runFlow(new RunFlow(*m_document, *m_runs, options.runsRoot, this)),
      m_recentMenu(new QMenu(this)), m_layout(std::make_unique<LayoutMemory>(m_settings.now().panelSizes)), m_tour(new PanelTour(this)),
      m_reports(new ReportWriter(options.program, this)), m_judge(new LaunchJudge(this)), m_calibrations(new CalibrationKeeper(options.runsRoot, this)), m_inspectorWidth(m_settings.now().inspectorWidth)
{
    setObjectName(QStringLiteral("MainWindow"));
    setMinimumSize(1024, 700);
    resize(1440, 900);
    setAcceptDrops(true);
    setWindowIcon(QIcon(QStringLiteral(":/icons/stagecraft.svg")));
    m_translations->apply(m_settings.now().language.value_or(Translations::ofSystem()));
    if (theme::Theme::instance())
        theme::Theme::instance()->setMode(m_settings.now().theme);
    makeToolBar();
    makeCentre();
    makeStatusBar();
    makePages();
    connectActions();
    connectParts();
    retranslate();
    if (!m_settings.now().windowGeometry.isEmpty())
        restoreGeometry(m_settings.now().windowGeometry);
    documentOpened();
    runStateChanged();
}

void MainWindow::fitInto(const QSize& available)
{
    constexpr QSize kFrame(8, 40);   // what a title bar and borders may take; only the window system knows, and only later
    if (!isMaximized() && !isFullScreen())
        resize(size().boundedTo((available - kFrame).expandedTo(minimumSize())));
}

MainWindow::~MainWindow()
{
    // The undo stack and the controller outlive the widgets they would tell of changes.
    disconnect(&m_document->undoStack(), nullptr, this, nullptr);
    disconnect(m_document, nullptr, this, nullptr);
    disconnect(m_runs, nullptr, this, nullptr);
}

int MainWindow::addPage(Page* page, const QString& iconName)
{
    const int index = static_cast<int>(m_pages.size());
    m_pages.push_back(page);
    m_stack->addWidget(page);
    if (QWidget* strip = page->strip())
        m_strips->addWidget(strip);
    QAction* action = m_actions->addPage(iconName);
    connect(action, &QAction::triggered, this, [this, index] { showPage(index); });
    RailButton* entry = m_rail->addPage(action);
    connect(page, &Page::noted, this, &MainWindow::note);
    connect(page, &Page::stepNoted, this, [this](const QString& sentence) {
        m_output->addLogLine(sentence, false);
        keepNote(sentence, true);
    });
    connect(page, &Page::titleChanged, this, &MainWindow::updateNames);
    connect(page, &Page::factsChanged, this, &MainWindow::updateFacts);
    connect(page, &Page::commandChanged, this, [this, page] {
        if (currentPage() == page)
            showCommands();
    });
    connect(page, &Page::inspected, this, [this](const InspectorContent& content) { m_inspector->show(content); });
    if (index == m_runIndex)
        m_runEntry = entry;
    return index;
}

void MainWindow::makePages()
{
    m_start = new StartPage(m_stack);
    m_stack->addWidget(m_start);
    m_planPage = new PlanPage(*m_document, *m_plans, m_stack);
    addPage(m_planPage, QStringLiteral("plan"));
    makeSubject();
    m_configPage = new ConfigDocumentPage(*m_document, m_stack);
    connect(this, &MainWindow::keyRequested, m_configPage, &ConfigDocumentPage::showKey);
    connect(&m_configPage->view(), &ConfigPage::checked, this, &MainWindow::showFindings);
    keepWrapping();
    m_configIndex = addPage(m_configPage, QStringLiteral("config"));
    m_actions->whenTaken(m_actions->checklist, this, [this] {
        showPage(m_configIndex);
        m_configPage->showChecklist();
    });
    m_actions->whenTaken(m_actions->wizard, this, [this] {
        showPage(m_configIndex);
        m_configPage->showWizard();
    });
    m_actions->whenTaken(m_actions->diffSaved, this, [this] {
        showPage(m_configIndex);
        m_configPage->showDiff();
    });
    m_actions->whenTaken(m_actions->diffFile, this, [this] {
        showPage(m_configIndex);
        m_configPage->chooseFileToCompare();
    });
    connect(&m_configPage->view(), &ConfigPage::elsewhereRequested, this, [this] { m_dockBar->open(1); });
    connect(m_configPage, &ConfigDocumentPage::subjectRequested, this, [this] { m_subject->open(SubjectPanel::Part::Hardware); });
    connect(m_configPage, &ConfigDocumentPage::assumedRequested, this, &MainWindow::openAssumed);
    connect(m_configPage, &ConfigDocumentPage::importRequested, m_actions->importConfig, &QAction::trigger);
    connect(m_configPage, &ConfigDocumentPage::copyRequested, this, &MainWindow::copyCommand);
    connect(&m_configPage->exportPanel(), &ExportPanel::saveRequested, m_files, &FileFlow::saveFiles);
    connect(&m_configPage->importPanel(), &ImportPanel::givenUp, m_files, &FileFlow::closeWorkspace);
    connect(&m_configPage->importPanel(), &ImportPanel::newWorkspaceRequested, this, [this](const QString& path) {
        m_files->whenSafe([this, path] {
            m_files->newWorkspaceFor(path);
            showPage(m_configIndex);
            (void)m_configPage->importPanel().takeOver();
        });
    });
    connect(m_mend, &MendBanner::mendRequested, this, [this] {
        showPage(m_configIndex);
        m_configPage->showProblem();
    });
    const auto compare = [this] {
        showPage(m_configIndex);
        m_configPage->compareWithFile();
    };
    connect(m_disk, &DiskBanner::compareRequested, this, compare);
    connect(m_recovery, &RecoveryBanner::compareRequested, this, compare);
    connect(m_files, &FileFlow::recovered, this, [this](const RecoveredSession& session) {
        if (RecoveryBanner::isOfConfig(session))
            showPage(m_configIndex);
        m_recovery->tell(session);
    });
    auto* run = new RunPage(m_runs, m_actions, m_options.runsRoot, m_stack);
    connect(m_runFlow, &RunFlow::launched, run, &RunPage::refreshRuns);
    connect(m_runFlow, &RunFlow::attached, run, [this, run] { run->follow(m_runs->runFolder()); });
    connect(run, &RunPage::reportRequested, m_reports, &ReportWriter::write);
    connect(run, &RunPage::calibrationRequested, m_calibrations, &CalibrationKeeper::keep);
    connect(m_planPage, &PlanPage::forgetRequested, m_calibrations, &CalibrationKeeper::forget);
    connect(m_calibrations, &CalibrationKeeper::changed, m_plans, &PlanService::again);
    connect(m_calibrations, &CalibrationKeeper::changed, m_start, [this] { m_start->setMeasured(machineMeasuredAt()); });
    connect(m_calibrations, &CalibrationKeeper::told, this, &MainWindow::note);
    connect(m_calibrations, &CalibrationKeeper::failed, this, &MainWindow::noteFailure);
    m_calibrations->look();
    connect(run, &RunPage::attachRequested, m_runFlow, &RunFlow::attach);
    connect(run, &RunPage::againRequested, m_runFlow, &RunFlow::launchAgain);
    connect(run, &RunPage::continueRequested, m_runFlow, &RunFlow::continueRun);
    connect(run->runs(), &RunWatch::changed, this, &MainWindow::runsChanged);
    connect(run, &RunPage::filesRequested, this, &MainWindow::exportRun);
    connect(m_reports, &ReportWriter::written, this, [this](const QString& file) { note(tr("Report written: %1").arg(file)); });
    connect(m_reports, &ReportWriter::filesWritten, this, [this](const QString& folder) { note(tr("Run exported to %1").arg(folder)); });
    connect(m_reports, &ReportWriter::failed, this, &MainWindow::noteFailure);
    new RecordedRate(*m_configPage, *run, *m_runFlow, this);
    m_runPage = run;
    m_runIndex = static_cast<int>(m_pages.size());
    addPage(run, QStringLiteral("run"));
    m_rail->addFoot(m_actions->settings);
}

void MainWindow::connectActions()
{
    Actions& a = *m_actions;
    const auto on = [this](QAction* action, auto slot) { connect(action, &QAction::triggered, this, slot); };
    // What is still typed counts, and what a field refuses stops them. Undo takes back what is done, not what is only typed.
    const auto with = [this](QAction* action, const std::function<void()>& next) { m_actions->whenTaken(action, this, next); };
    connect(m_actions, &Actions::editRefused, this, [this](const QString& why) { noteFailure(tr("Not done, a value that was typed is not taken. %1").arg(why)); });
    on(a.newWorkspace, [this] { m_files->newWorkspace(); });
    on(a.open, [this] { m_files->open(); });
    on(a.openDemo, [this] { m_files->openDemo(); });
    with(a.save, [this] { m_files->save(); });
    with(a.saveAs, [this] { m_files->saveAs(); });
    on(a.closeWorkspace, [this] { m_files->closeWorkspace(); });
    on(a.importConfig, [this] { m_files->askForImport(); });
    with(a.exportConfig, [this] { exportWhatIsShown(); });
    on(a.quit, [this] { close(); });
    on(a.undo, [this] { m_document->undoStack().undo(); });
    on(a.redo, [this] { m_document->undoStack().redo(); });
    with(a.copyCommand, [this] { copyCommand(m_dockBar->command()); });
    on(a.settings, [this] { showSettings(*this, m_settings); });
    on(a.inspector, [this](bool shown) {
        if (m_narrow) {
            m_drawer->setOpen(shown);
            return;
        }
        m_settings.change([shown](Settings& settings) { settings.inspectorOpen = shown; });
        fold();
    });
    on(a.fillPanel, [this] { fillPanel(); });
    on(a.nextPanel, [this] { if (currentPage()) (void)PanelTour::go(*currentPage(), 1); });
    on(a.previousPanel, [this] { if (currentPage()) (void)PanelTour::go(*currentPage(), -1); });
    on(a.resetLayout, [this] { resetLayout(); });
    on(a.fullScreen, [this](bool full) { setWindowState(full ? windowState() | Qt::WindowFullScreen : windowState() & ~Qt::WindowFullScreen); });
    on(a.themeSystem, [this] { setThemeMode(theme::Mode::System); });
    on(a.themeLight, [this] { setThemeMode(theme::Mode::Light); });
    on(a.themeDark, [this] { setThemeMode(theme::Mode::Dark); });
    on(a.english, [this] { setLanguage(Language::English); });
    on(a.chinese, [this] { setLanguage(Language::SimplifiedChinese); });
    with(a.launch, [this] { launch(); });
    on(a.stop, [this] { m_runFlow->stop(); });
    on(a.kill, [this] { m_runFlow->kill(); });
    on(a.reattach, [this] { m_runFlow->reattach(); });
    on(a.palette, [this] { CommandPalette::open(*this); });
    on(a.shortcuts, [this] { showShortcuts(*this, *m_actions); });
    on(a.help, [this] {
        if (!currentPage() || !currentPage()->help())
            showHelp(*this);
    });
    on(a.about, [this] { showAbout(*this); });
    on(a.find, [this] {
        if (!currentPage() || !currentPage()->find())
            CommandPalette::open(*this);
    });
}

void MainWindow::connectParts()
{
    connect(m_document, &WorkspaceDocument::opened, this, &MainWindow::documentOpened);
    connect(m_document, &WorkspaceDocument::textChanged, this, &MainWindow::documentEdited);
    connect(m_document, &WorkspaceDocument::modifiedChanged, this, &MainWindow::updateNames);
    connect(m_document, &WorkspaceDocument::pathChanged, this, &MainWindow::showFindings);   // its banner names the workspace
    connect(m_document, &WorkspaceDocument::diskMatched, this, &MainWindow::markSaved);
    QUndoStack& undo = m_document->undoStack();
    connect(&undo, &QUndoStack::indexChanged, this, [this] { keepNote({}); });
    m_noteTime.setSingleShot(true);
    connect(&m_noteTime, &QTimer::timeout, this, [this] { keepNote({}); });
    connect(m_plans, &PlanService::planned, this, &MainWindow::planned);
    connect(m_runs, &RunController::stateChanged, this, &MainWindow::runStateChanged);
    connect(m_files, &FileFlow::noted, this, &MainWindow::note);
    connect(m_files, &FileFlow::failed, this, &MainWindow::noteFailure);
    connect(m_journal, &RecoveryJournal::problemChanged, this, [this] {
        if (const auto problem = m_journal->problem())
            noteFailure(tr("Unsaved edits cannot be kept for recovery: %1").arg(errorText(*problem)));
    });
    connect(m_files, &FileFlow::recentChanged, this, &MainWindow::updateRecent);
    connect(m_files, &FileFlow::importRequested, this, &MainWindow::importFile);
    connect(m_files, &FileFlow::configOpened, this, [this] { showPage(m_configIndex >= 0 ? m_configIndex : 0); });
    connect(m_runFlow, &RunFlow::noted, this, &MainWindow::note);
    connect(m_runFlow, &RunFlow::failed, this, &MainWindow::noteFailure);
    connect(m_runFlow, &RunFlow::otherFrameworkPlanned, this, &MainWindow::askWhoTrains);
    connect(m_judge, &LaunchJudge::judged, this, &MainWindow::judged);
    const auto showRun = [this] {
        if (m_runIndex >= 0)
            showPage(m_runIndex);
    };
    connect(m_runFlow, &RunFlow::launched, this, showRun);
    connect(m_runFlow, &RunFlow::attached, this, showRun);
    connect(m_start, &StartPage::demoRunRequested, m_actions->launch, &QAction::trigger);
    connectReference();
    connect(m_start, &StartPage::newRequested, m_actions->newWorkspace, &QAction::trigger);
    connect(m_start, &StartPage::openRequested, m_actions->open, &QAction::trigger);
    connect(m_start, &StartPage::fileRequested, m_files, &FileFlow::openPath);
    connect(m_start, &StartPage::runRequested, m_runFlow, &RunFlow::attach);
    connect(m_planPage, &PlanPage::previewed, m_planStrip, &PlanStrip::preview);
    connect(m_planStrip, &FigureStrip::clicked, this, [this](const QString& id) {
        if (id == QLatin1String("findings")) {
            // The Config page has a list of its own; the other one tells what is found elsewhere.
            if (currentPage() != m_configPage || !m_configPage->view().showFindings())
                m_dockBar->open(1);
        }
        else if (id == QLatin1String("assumed"))
            openAssumed();
        else if (id == QLatin1String("verdict") && m_planStrip->asksHostMemory())
            m_subject->open(SubjectPanel::Part::HostMemory);
        else if (m_planPage) {
            m_subject->close();
            m_planPage->explain(id);
        }
    });
    connect(m_output, &OutputPanels::findingActivated, this, &MainWindow::goTo);
    connect(m_output, &OutputPanels::copyRequested, this, &MainWindow::copyCommand);
    connect(m_output, &OutputPanels::copyCommandRequested, m_actions->copyCommand, &QAction::trigger);
}

Page* MainWindow::currentPage() const
{
    return qobject_cast<Page*>(m_stack->currentWidget());
}

void MainWindow::showPage(int index)
{
    if (m_tour->putBack())
        m_actions->fillPanel->setChecked(false);
    QWidget* before = m_stack->currentWidget();
    const bool worksThere = before && before->isAncestorOf(focusWidget());
    if (index < 0 || index >= static_cast<int>(m_pages.size())) {
        m_stack->setCurrentWidget(m_start);
    } else {
        m_stack->setCurrentWidget(m_pages[static_cast<std::size_t>(index)]);
        m_actions->pages()[static_cast<std::size_t>(index)]->setChecked(true);
    }
    Page* page = currentPage();
    if (page && page != before && worksThere)
        page->setFocus();   // Qt would leave the keyboard on an entry of the rail
    if (page != m_planPage && m_subject)
        m_subject->close();
    m_titleRow->setVisible(page && !page->framesItself());
    m_titleRow->showPage(page);
    m_strips->setVisible(page != nullptr);
    m_strips->setCurrentWidget(page && page->strip() ? page->strip() : m_planStrip);
    if (page) {
        m_layout->restore(*page);
        m_inspector->show(page->overview());
    }
    fold();
    showFindings();
}

void MainWindow::showKey(const QString& pointer)
{
    if (m_configIndex < 0)
        return;
    showPage(m_configIndex);
    emit keyRequested(pointer);
}

void MainWindow::documentOpened()
{
    m_plans->startOver();
    m_planStrip->forget();
    markSaved();
    if (m_document->isOpen()) {
        m_plans->request(m_document->text(), m_document->folder(), m_document->configFileText());
        showPage(0);
    } else {
        m_plans->clear();
        showPage(isLive(m_runs->state()) && m_runIndex >= 0 ? m_runIndex : -1);
        for (QAction* page : m_actions->pages())
            page->setChecked(false);
        if (m_shown && !currentPage())
            m_start->focusDemo();   // what had the keyboard is hidden
        lookAround();
    }
    updateRecent();
    updateNames();
}

void MainWindow::documentEdited()
{
    if (m_document->isOpen())
        m_plans->request(m_document->text(), m_document->folder(), m_document->configFileText());
    updateNames();
}

void MainWindow::planned()
{
    const auto& plan = m_plans->current();
    m_planStrip->show(plan);
    showFindings();
    if (Page* page = currentPage())
        m_inspector->show(page->overview());
}

void MainWindow::lookAround()
{
    // The start page shows at once; what takes a look at the disk or the drivers comes when it is there.
    const QPointer<MainWindow> self(this);
    QThreadPool::globalInstance()->start([self, options = m_options, demo = FileFlow::demoText()] {
        auto plan = std::make_shared<const PlanSet>(planText(demo, std::filesystem::temp_directory_path()));
        const auto machine = lookAtMachine(options.program, options.runsRoot);
        QMetaObject::invokeMethod(QCoreApplication::instance(), [self, plan, machine] {
            if (!self)
                return;
            self->m_start->setDemoPlan(plan);
            self->m_start->setMachine(machine);
        }, Qt::QueuedConnection);
    });
}

void MainWindow::note(const QString& sentence)
{
    m_output->addLogLine(sentence, false);
    keepNote(sentence);
}

void MainWindow::recordFailure(const QString& sentence)
{
    m_output->addLogLine(sentence, true);
    keepNote(sentence);
}

void MainWindow::noteFailure(const QString& sentence)
{
    recordFailure(sentence);
    m_dockBar->open(0);
}

void MainWindow::changeEvent(QEvent* event)
{
    QMainWindow::changeEvent(event);
    if (!m_launch)
        return;
    if (event->type() == QEvent::LanguageChange) {
        m_note.clear();   // it is in the language before; the log keeps it
        retranslate();
    } else if (event->type() == QEvent::PaletteChange)
        updateNames();
    else if (event->type() == QEvent::ActivationChange && isActiveWindow())
        updateRecent();   // other windows open files too
}

void MainWindow::resizeEvent(QResizeEvent* event)
{
    QMainWindow::resizeEvent(event);
    m_dropFrame->setGeometry(rect());
    fold();
}

void MainWindow::showEvent(QShowEvent* event)
{
    QMainWindow::showEvent(event);
    if (std::exchange(m_shown, true))
        return;
    m_start->focusDemo();
    QTimer::singleShot(0, this, [this] {
        emit usable();
        m_files->offerRecovery();
    });
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    if (urls.isEmpty() || !urls.first().isLocalFile())
        return;
    event->acceptProposedAction();
    static_cast<DropFrame*>(m_dropFrame)->showFor(urls.first().toLocalFile());
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*)
{
    m_dropFrame->hide();
}

void MainWindow::dropEvent(QDropEvent* event)
{
    m_dropFrame->hide();
    const QList<QUrl> urls = event->mimeData()->urls();
    const QString path = urls.value(0).toLocalFile();
    if (path.isEmpty())
        return;
    m_files->openPath(path);
    if (urls.size() > 1)
        note(tr("One file is opened at a time: %1 of %2 were left").arg(urls.size() - 1).arg(urls.size()));
}

}  // namespace stagecraft::app
