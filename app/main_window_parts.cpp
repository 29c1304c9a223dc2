// SPDX-License-Identifier: GPL-3.0-or-later
// The frame of the window and the words on it; what happens is in main_window.cpp.
#include "app/main_window.h"

#include "app/actions.h"
#include "app/command_palette.h"
#include "app/config_alone.h"
#include "app/config_document_page.h"
#include "app/config_refusal.h"
#include "app/core_errors.h"
#include "app/disk_banner.h"
#include "app/dock_bar.h"
#include "app/drop_frame.h"
#include "app/file_flow.h"
#include "app/formats.h"
#include "app/inspector_drawer.h"
#include "app/layout_memory.h"
#include "app/live_banner.h"
#include "app/mend_banner.h"
#include "app/output_panels.h"
#include "app/page.h"
#include "app/panel_tour.h"
#include "app/plan_page.h"
#include "app/plan_service.h"
#include "app/plan_strip.h"
#include "app/recovery_banner.h"
#include "app/run_flow.h"
#include "app/run_page.h"
#include "app/session/run_controller.h"
#include "app/session/workspace_document.h"
#include "app/subject_flow.h"
#include "app/subject_words.h"
#include "app/title_row.h"
#include "app/translations.h"
#include "app/what_if_panel.h"
#include "widgets/bar_buttons.h"
#include "widgets/config_model.h"
#include "widgets/config_page.h"
#include "widgets/icons.h"
#include "widgets/inspector.h"
#include "widgets/page_rail.h"
#include "widgets/step_name.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDockWidget>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenuBar>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

/// The name of a step in words: the document itself names two, in English.
QString stepText(const QString& name)
{
    for (const char* own : {QT_TRANSLATE_NOOP("stagecraft::app::MainWindow", "Saved in another place"), QT_TRANSLATE_NOOP("stagecraft::app::MainWindow", "Take the file's content")})
        if (name == QLatin1String(own))
            return MainWindow::tr(own);
    return name;
}

}  // namespace

void MainWindow::makeToolBar()
{
    qApp->installEventFilter(this);
    auto* bar = new QToolBar(this);
    bar->setObjectName(QStringLiteral("toolBar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setFixedHeight(40);
    bar->setIconSize({16, 16});
    bar->setContextMenuPolicy(Qt::PreventContextMenu);
    bar->addActions({m_actions->newWorkspace, m_actions->open, m_actions->save});
    bar->addSeparator();
    bar->addActions({m_actions->undo, m_actions->redo});
    bar->addSeparator();
    for (QWidget* button : bar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        if (button->inherits("QToolButton"))
            button->setFixedSize(28, 28);
    m_workspaceName = new ToneLabel(Role::Body, Token::Text2, bar);
    m_workspaceName->setContentsMargins(8, 0, 0, 0);
    m_workspaceName->setTextFormat(Qt::PlainText);
    m_workspaceName->setElided(true);   // a name of any length leaves the buttons where they are
    m_modifiedMark = new ToneLabel(Role::Body, Token::Text2, bar);
    m_modifiedMark->setContentsMargins(4, 0, 8, 0);
    bar->addWidget(m_workspaceName);
    bar->addWidget(m_modifiedMark);
    auto* space = new QWidget(bar);
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    m_search = new SearchButton(m_actions->palette, bar);
    bar->addWidget(m_search);
    bar->addSeparator();
    m_export = new QPushButton(bar);
    m_export->setIcon(theme::icon(QStringLiteral("document-export")));
    m_launch = new QPushButton(bar);
    m_launch->setObjectName(QStringLiteral("launchButton"));
    m_launch->setProperty("primary", true);
    m_launch->setIcon(theme::icon(QStringLiteral("media-playback-start"), Token::OnFill));
    const auto follow = [](QPushButton* button, QAction* action) {
        connect(button, &QPushButton::clicked, action, &QAction::trigger);
        connect(action, &QAction::changed, button, [button, action] {
            button->setEnabled(action->isEnabled());
            button->setToolTip(action->toolTip());
        });
        button->setEnabled(action->isEnabled());
    };
    follow(m_export, m_actions->exportConfig);
    follow(m_launch, m_actions->launch);
    auto* buttons = new QWidget(bar);
    auto* row = new QHBoxLayout(buttons);
    row->setContentsMargins(0, 0, 4, 0);
    row->setSpacing(8);
    row->addWidget(m_export);
    row->addWidget(m_launch);
    bar->addWidget(buttons);
    addToolBar(Qt::TopToolBarArea, bar);
}

void MainWindow::makeCentre()
{
    auto* centre = new QWidget(this);
    auto* row = new QHBoxLayout(centre);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    m_rail = new PageRail(centre);
    row->addWidget(m_rail);
    auto* column = new QVBoxLayout;
    column->setSpacing(0);
    row->addLayout(column, 1);

    m_strips = new QStackedWidget(centre);
    m_strips->setFixedHeight(56);
    m_planStrip = new PlanStrip(m_strips);
    m_strips->addWidget(m_planStrip);
    column->addWidget(m_strips);

    m_inner = new QMainWindow(centre);
    m_inner->setWindowFlags(Qt::Widget);  // the constructor always makes a window of it
    m_inner->setObjectName(QStringLiteral("inner"));
    m_inner->setContextMenuPolicy(Qt::PreventContextMenu);
    auto* work = new QWidget(m_inner);
    auto* workColumn = new QVBoxLayout(work);
    workColumn->setContentsMargins(0, 0, 0, 0);
    workColumn->setSpacing(0);
    m_titleRow = new TitleRow(work);
    workColumn->addWidget(m_titleRow);
    m_mend = new MendBanner(work);
    workColumn->addWidget(m_mend);
    m_disk = new DiskBanner(*m_document, work);
    workColumn->addWidget(m_disk);
    connect(m_disk, &DiskBanner::failed, this, &MainWindow::note);
    m_recovery = new RecoveryBanner(*m_document, work);
    workColumn->addWidget(m_recovery);
    m_live = new LiveBanner(work);
    workColumn->addWidget(m_live);
    connect(m_live, &LiveBanner::reattachRequested, m_actions->reattach, &QAction::trigger);
    m_outputSplit = new QSplitter(Qt::Vertical, work);
    m_outputSplit->setChildrenCollapsible(false);
    m_stack = new QStackedWidget(m_outputSplit);
    m_output = new OutputPanels(m_outputSplit);
    m_outputSplit->setStretchFactor(0, 1);
    m_outputSplit->setSizes({600, 200});
    m_layout->restore(*m_outputSplit, QStringLiteral("output"));
    workColumn->addWidget(m_outputSplit, 1);
    m_inner->setCentralWidget(work);
    m_drawer = new InspectorDrawer(m_outputSplit, work);
    QPushButton* opener = m_titleRow->inspectorButton();
    connect(opener, &QPushButton::clicked, m_drawer, &InspectorDrawer::setOpen);
    connect(m_drawer, &InspectorDrawer::openChanged, opener, &QPushButton::setChecked);
    connect(m_drawer, &InspectorDrawer::openChanged, m_actions->inspector, &QAction::setChecked);

    m_inspectorDock = new QDockWidget(m_inner);
    m_inspectorDock->setObjectName(QStringLiteral("inspectorDock"));
    m_inspectorDock->setFeatures(QDockWidget::NoDockWidgetFeatures);
    m_inspectorDock->setTitleBarWidget(new QWidget(m_inspectorDock));
    m_inspectorPlace = new QStackedWidget(m_inspectorDock);
    m_inspectorPlace->setMinimumWidth(240);
    m_inspector = new Inspector(m_inspectorPlace);
    m_inspectorPlace->addWidget(m_inspector);
    m_inspectorDock->setWidget(m_inspectorPlace);
    m_inner->addDockWidget(Qt::RightDockWidgetArea, m_inspectorDock);
    m_inner->resizeDocks({m_inspectorDock}, {m_inspectorWidth}, Qt::Horizontal);
    column->addWidget(m_inner, 1);

    m_dockBar = new DockBar(m_output, centre);
    m_dockBar->addTab(QStringLiteral("text-x-log"), m_output->log());
    m_dockBar->addTab(QStringLiteral("dialog-warning"), m_output->findings());
    m_dockBar->addTab(QStringLiteral("utilities-terminal"), m_output->command());
    column->addWidget(m_dockBar);
    setCentralWidget(centre);
    m_dropFrame = new DropFrame(this);
}

void MainWindow::makeSubject()
{
    m_subject = new SubjectFlow(*m_document, *m_plans, *m_planPage, m_inspectorPlace, m_actions->inspector, this);
    connect(m_subject, &SubjectFlow::refused, this, [this](const QString& why) { noteFailure(tr("Model and hardware keeps a value that is not taken. %1").arg(why)); });
    connect(m_subject, &SubjectFlow::pageWanted, this, [this] { showPage(0); });
    connect(m_files, &FileFlow::planBegun, m_subject, &SubjectFlow::begin);
    connect(m_actions->subject, &QAction::triggered, m_subject, [this] { m_subject->open(); });
}

void MainWindow::openAssumed()
{
    m_subject->open(assumedOf(*m_document).model ? SubjectPanel::Part::Model : SubjectPanel::Part::Hardware);
}

void MainWindow::makeStatusBar()
{
    QStatusBar* bar = statusBar();
    bar->setSizeGripEnabled(false);
    bar->setFixedHeight(24);
    bar->setContentsMargins(4, 1, 4, 0);
    m_status = new ToneLabel(Role::Small, Token::Text2, bar);
    m_undoLink = new LinkButton(bar);
    m_facts = new ToneLabel(Role::Small, Token::Text2, bar);
    bar->addWidget(m_status);
    bar->addWidget(m_undoLink);
    bar->addPermanentWidget(m_facts);
    m_undoLink->hide();
    connect(m_undoLink, &QPushButton::clicked, m_actions->undo, &QAction::trigger);
}

void MainWindow::updateNames()
{
    const bool open = m_document->isOpen();
    const bool modified = m_document->isModified();
    const QString title = m_document->title();
    const QString run = QString::fromStdString(m_runs->runFolder().filename().string());
    m_workspaceName->setText(open ? title : run.isEmpty() ? tr("No workspace open") : tr("Run %1").arg(run));
    m_workspaceName->setToken(open ? Token::Text : Token::Text2);
    m_workspaceName->setToolTip(open ? QString::fromStdString(m_document->mainFile().string()) : QString());
    m_modifiedMark->setText(open && modified ? QStringLiteral("(%1)").arg(tr("modified")) : QString());
    setWindowModified(modified);
    setWindowTitle(open ? title + QStringLiteral("[*] – Stagecraft") : QStringLiteral("Stagecraft"));

    Actions& a = *m_actions;
    QUndoStack& undo = m_document->undoStack();
    const bool live = isLive(m_runs->state());
    a.nameSaveAs(m_document->isConfigAlone());
    a.save->setEnabled(open);   // what is still being typed is not yet a change of the document
    a.saveAs->setEnabled(open);
    a.closeWorkspace->setEnabled(open);
    a.exportConfig->setEnabled(open || currentPage() != nullptr);
    a.wizard->setEnabled(open);
    a.checklist->setEnabled(open);
    a.diffSaved->setEnabled(open);
    a.diffFile->setEnabled(open);
    a.subject->setEnabled(open);
    a.undo->setEnabled(undo.canUndo());
    a.redo->setEnabled(undo.canRedo());
    Actions::setTip(a.undo, undo.canUndo() ? tr("Undo: %1").arg(stepText(undo.undoText())) : tr("Undo"));
    Actions::setTip(a.redo, undo.canRedo() ? tr("Redo: %1").arg(stepText(undo.redoText())) : tr("Redo"));
    a.stop->setEnabled(live && m_runs->state() != RunState::Killing);
    Actions::setTip(a.stop, m_runs->state() == RunState::Stopping ? tr("Stopping after the running step; a second stop asks whether to kill") : tr("Stop after the running step"));
    a.kill->setEnabled(live && m_runs->state() != RunState::Killing);
    updateLaunch();
    for (std::size_t i = 0; i < m_pages.size(); ++i) {
        QAction* page = a.pages()[i];
        page->setText(m_pages[i]->name());
        page->setIconText(m_pages[i]->name());
        Actions::setTip(page, m_pages[i]->name());
        page->setEnabled(open || static_cast<int>(i) == m_runIndex);
    }

    m_status->setText(!m_note.isEmpty() ? m_note : undo.canUndo() ? stepText(undo.undoText()) : open ? tr("Opened %1").arg(title) : tr("Ready"));
    m_undoLink->setVisible((m_note.isEmpty() || m_noteOfStep) && undo.canUndo());
    updateFacts();
    updateLive();
    m_dockBar->setTab(0, tr("Log"), tr("What this window did"));
    m_dockBar->setTab(1, m_output->findingCount() > 0 ? tr("Findings %1").arg(m_output->findingCount()) : tr("Findings"), tr("Findings of the plan and the ds_config"));
    m_dockBar->setTab(2, tr("Command"), tr("The command line that does the same"));
    m_dockBar->setTabVisible(1, open);
    showCommands();
    m_output->setSaved(!open || !(modified || m_document->path().empty()));
}

void MainWindow::keepNote(const QString& sentence, bool ofStep)
{
    m_note = sentence;
    m_noteOfStep = ofStep;
    if (sentence.isEmpty())
        m_noteTime.stop();
    else
        m_noteTime.start(6000);
    updateNames();
}

void MainWindow::updateFacts()
{
    const auto& plan = m_plans->current();
    QStringList facts = currentPage() && m_document->isOpen() ? currentPage()->facts() : QStringList();
    if (!facts.isEmpty()) {
        m_facts->setText(facts.join(QStringLiteral("     ")));
        return;
    }
    if (plan && plan->plan && m_document->isOpen()) {
        if (plan->plan->params)
            facts << QStringLiteral("Φ = %1").arg(count(*plan->plan->params));
        facts << tr("1 GiB = 2³⁰ B") << tr("Plan updated in %1").arg(seconds(plan->milliseconds / 1e3).text());
    } else {
        facts << tr("Ctrl+/ all shortcuts") << tr("F1 help") << (m_translations->language() == Language::English ? QStringLiteral("English") : QStringLiteral("简体中文"));
    }
    m_facts->setText(facts.join(QStringLiteral("     ")));
}

void MainWindow::showFindings()
{
    const auto& plan = m_plans->current();
    ConfigModel& config = m_configPage->view().model();
    // While all of a broken workspace stands in the place of its ds_config, what is found there is no finding about a ds_config.
    // Nor is it one of a framework that reads none that it says nothing.
    const bool unread = plan && plan->workspace && !readsDsConfig(*plan) && plan->workspace->dsConfig.empty();
    const bool named = !m_document->configPath().empty() || !m_document->configText().empty();   // a file may be empty
    const bool checked = m_document->isOpen() && !m_document->isBroken() && named && !unread;
    std::vector<FindingRow> rows = m_document->isOpen() ? findingRows(plan.get(), checked ? &config.answer() : nullptr) : std::vector<FindingRow>();
    // The plan's words against a config that stands alone are about a machine and a model that are only assumed, in a workspace that nobody
    // opened; only what stops the plan is told.
    const Assumed assumed = checked ? assumedOf(*m_document) : Assumed();
    if (assumed.any())
        std::erase_if(rows, [](const FindingRow& row) { return row.rule.startsWith(QLatin1String("plan.")) && (row.pointer.startsWith(QLatin1String("/dsConfig")) || row.severity != QLatin1String("error")); });
    m_output->setFindings(rows);
    const auto elsewhere = std::count_if(rows.begin(), rows.end(), [](const FindingRow& row) { return !row.pointer.startsWith(QLatin1String("/dsConfig")); });
    config.setAdvice(checked && !assumed.any() ? planFindingsOfConfig(plan.get(), config.answer()) : std::vector<CheckFinding>(), static_cast<int>(elsewhere));
    m_planStrip->setFindings(countOf(rows));
    const Workspace* job = assumed.any() && plan && plan->plan && plan->workspace ? &*plan->workspace : nullptr;
    if (job || !assumed.any())   // figures of the last text that could be read stay with what they are of
        m_planStrip->setAssumed(!job ? QString() : assumed.model ? subjectWords(*job, *plan->plan) : devicesWords(job->layout.ranks(), job->hardware.device));
    m_refusal = plan ? refusalOf(*plan, checked ? &config.answer() : nullptr, config.ranksInDoubt().value_or(0)) : std::nullopt;
    m_planStrip->setRefusal(m_refusal);
    const EngineLine byEngine = checked && plan ? engineLineOf(*plan, config.answer()) : EngineLine();
    m_configPage->setEngineRefusal(byEngine.words, byEngine.byDeepSpeed);
    m_planPage->whatIf().setNote(m_refusal ? m_refusal->why : QString());
    m_planPage->judgeBy(config.givenContext());
    m_mend->look(*m_document, config.syntaxMessage(), plan && plan->problem, currentPage() == m_configPage);
    updateNames();
}

void MainWindow::goTo(const QString& pointer)
{
    static const QString kConfig = QStringLiteral("/dsConfig");
    if (m_document->isBroken() || (pointer == kConfig && m_configPage->view().model().syntaxError()))
        emit m_mend->mendRequested();
    else if (pointer.startsWith(kConfig))
        showKey(pointer.mid(kConfig.size()));
    else if (pointer.startsWith(QLatin1String("/hardware")))
        m_subject->open(pointer.endsWith(QLatin1String("hostMemoryGiB")) ? SubjectPanel::Part::HostMemory : SubjectPanel::Part::Hardware);
    else
        showPage(0);
}

void MainWindow::markSaved()
{
    const auto text = selfContained(m_document->text(), m_document->configFileText());
    // What has no file was never saved: there is nothing to count from. Of a ds_config alone its file counts; what is around it is in none.
    const bool kept = m_document->isConfigAlone() ? !m_document->isConfigUnsaved() : !m_document->path().empty() && !m_document->isModified();
    const bool saved = m_document->isOpen() && kept;
    m_planStrip->markSaved(saved && text.hasValue() ? *text : std::string());
}

void MainWindow::fold()
{
    const bool narrow = width() < 1200;
    const bool wanted = currentPage() && !currentPage()->framesItself();
    m_rail->setNarrow(narrow);
    m_search->setMinimumWidth(narrow ? 180 : 280);
    if (narrow != m_narrow) {
        m_narrow = narrow;
        m_drawer->setOpen(false);
        if (narrow)
            m_drawer->take(m_inspectorPlace);
        else
            m_inspectorDock->setWidget(m_inspectorPlace);
        m_actions->inspector->setChecked(!narrow && m_settings.now().inspectorOpen);
    }
    if (!wanted)
        m_drawer->setOpen(false);
    m_titleRow->inspectorButton()->setVisible(wanted && narrow);
    const bool docked = wanted && m_settings.now().inspectorOpen && !narrow;
    const bool comes = docked && m_inspectorDock->isHidden();
    m_inspectorDock->setVisible(docked);
    if (comes)   // a dock that was away comes back as narrow as it may be
        m_inner->resizeDocks({m_inspectorDock}, {m_inspectorWidth}, Qt::Horizontal);
}

void MainWindow::fillPanel()
{
    m_actions->fillPanel->setChecked(currentPage() && m_tour->toggle(*currentPage()));
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    // Pulled by hand: the width that the inspector comes back with after the window was too narrow for it.
    if (event->type() == QEvent::Resize && watched == m_inspectorDock && !m_narrow && (QGuiApplication::mouseButtons() & Qt::LeftButton) != 0)
        m_inspectorWidth = m_inspectorDock->width();
    // A field claims Undo and Redo for its own typing even when there is none to undo: then the key is the workspace's.
    if (event->type() == QEvent::ShortcutOverride)
        if (const auto* field = qobject_cast<QLineEdit*>(watched); field != nullptr && isAncestorOf(field)) {
            const auto* key = static_cast<QKeyEvent*>(event);
            if (!field->isModified() && (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)))
                return true;
        }
    return QMainWindow::eventFilter(watched, event);
}

void MainWindow::exportWhatIsShown()
{
    if ((currentPage() && currentPage()->exportFiles()) || !m_document->isOpen())
        return;
    showPage(m_configIndex);
    m_configPage->showExport();
}

void MainWindow::importFile(const QString& path)
{
    const bool opens = !m_document->isOpen();
    if (opens)
        m_files->newWorkspaceFor(path);
    showPage(m_configIndex);
    m_configPage->showImport(path, opens);
}

void MainWindow::showCommands()
{
    const QString launch = m_runFlow->command(), own = currentPage() ? currentPage()->command() : QString();
    const QString& shown = own.isEmpty() ? launch : own;   // a Run page without a run waits for one
    const bool readsIt = !m_document->path().empty() && shown.contains(QString::fromStdString(m_document->path().string()));
    m_dockBar->setCommand(shown, !readsIt || !m_document->isModified());
    m_dockBar->setTabVisible(2, !shown.isEmpty());
    m_output->setCommands(own, launch);
}

void MainWindow::copyCommand(const QString& command)
{
    if (command.isEmpty())
        return;
    QGuiApplication::clipboard()->setText(command);
    note(tr("Copied: %1").arg(command));
}

void MainWindow::retranslate()
{
    renameSteps(m_document->undoStack());
    m_files->retranslate();
    if (auto* palette = findChild<CommandPalette*>())
        palette->close();   // made of the other language's words
    runsChanged();
    m_actions->retranslate();
    m_actions->fillMenus(menuBar(), m_recentMenu);
    m_search->setText(tr("Search or run a command"));
    m_export->setText(tr("Export"));
    m_launch->setText(tr("Launch") + QStringLiteral("  F5"));
    m_undoLink->setText(tr("Undo"));
    m_titleRow->inspectorButton()->setText(tr("Inspector"));
    m_titleRow->inspectorButton()->setToolTip(m_actions->inspector->toolTip());
    m_actions->english->setChecked(m_translations->language() == Language::English);
    m_actions->chinese->setChecked(m_translations->language() == Language::SimplifiedChinese);
    m_actions->themeSystem->setChecked(m_settings.now().theme == theme::Mode::System);
    m_actions->themeLight->setChecked(m_settings.now().theme == theme::Mode::Light);
    m_actions->themeDark->setChecked(m_settings.now().theme == theme::Mode::Dark);
    m_rail->setAccessibleName(tr("Pages"));
    m_plans->again();  // what it says is in the language it was made in
    // Pages say their words anew after the window; then the inspector shows them.
    QTimer::singleShot(0, this, [this] {
        if (currentPage())
            m_inspector->show(currentPage()->overview());
    });
    updateNames();
}

}  // namespace stagecraft::app
