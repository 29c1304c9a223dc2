// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_page.h"

#include "app/actions.h"
#include "app/chart_theme.h"
#include "app/core_errors.h"
#include "app/formats.h"
#include "app/log_panel.h"
#include "app/resume_question.h"
#include "app/run_charts.h"
#include "app/run_header.h"
#include "app/run_inspection.h"
#include "app/run_notices.h"
#include "app/run_selector.h"
#include "app/run_watch.h"
#include "app/session/run_controller.h"
#include "record/run_folder.h"
#include "visualizers/cursor_model.h"
#include "visualizers/log_view.h"
#include "widgets/tone_label.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QMetaMethod>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr int kFrameMs = 33;             // data comes a few times a second; the pointer repaints through the same timer
constexpr int kLeastCharts = 160;        // px: of them the rest is scrolled to
constexpr int kShortPage = 600;          // px: below it the log is its last line

QString pathText(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

}  // namespace

RunPage::RunPage(RunController* controller, Actions* actions, const std::filesystem::path& runsRoot, QWidget* parent)
    : Page(parent), m_controller(controller), m_actions(actions), m_runsRoot(runsRoot), m_model(new RunModel(this)), m_follower(new RunFollower(this)),
      m_cursor(new CursorModel(this)), m_controls(new QWidget(this)), m_runs(new RunWatch(runsRoot, this)), m_runBox(new RunSelector(m_controls)), m_rankBox(new QComboBox(m_controls)),
      m_ranksLabel(new ToneLabel(Role::Body, Token::Text2, m_controls)),
      m_header(new RunHeader(actions != nullptr ? actions->stop : nullptr, actions != nullptr ? actions->kill : nullptr, this)),
      m_stack(new QStackedWidget(this)), m_empty(new RunNotice), m_notice(new RunNotice), m_splitter(new QSplitter(Qt::Vertical)), m_scroll(new QScrollArea),
      m_charts(new RunCharts(m_model, m_cursor)), m_log(new LogPanel(m_model->log())), m_lastLine(new ToneLabel(Role::FixedSmall, Token::Text2, this))
{
    auto* row = new QHBoxLayout(m_controls);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_runBox);
    row->addWidget(m_ranksLabel);
    row->addWidget(m_rankBox);
    m_rankBox->setMinimumWidth(92);
    m_rankBox->setObjectName(QStringLiteral("rankSelector"));
    m_controls->hide();
    m_header->hide();

    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_splitter, 1);
    column->addWidget(m_lastLine);
    m_lastLine->setElided(true);
    m_lastLine->setFixedHeight(26);
    m_lastLine->setContentsMargins(12, 0, 12, 0);
    m_scroll->setWidget(m_charts);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setMinimumHeight(kLeastCharts);
    m_splitter->addWidget(m_scroll);
    m_splitter->addWidget(m_log);
    m_splitter->setStretchFactor(0, 4);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setChildrenCollapsible(false);
    m_splitter->setHandleWidth(1);
    m_splitter->setSizes({560, 160});   // shares: six lines of log at the usual height

    auto* emptyPage = new QWidget;
    emptyPage->setAutoFillBackground(true);
    emptyPage->setBackgroundRole(QPalette::Base);
    auto* emptyColumn = new QVBoxLayout(emptyPage);
    emptyColumn->setContentsMargins(0, 0, 0, 0);
    emptyColumn->addWidget(m_empty);
    emptyColumn->addStretch(1);
    m_stack->addWidget(emptyPage);
    m_stack->addWidget(content);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->addWidget(m_stack);

    connect(m_follower, &RunFollower::arrived, this, &RunPage::arrived);
    connect(m_runBox, &QComboBox::activated, this, &RunPage::chooseRun);
    connect(m_runBox, &RunSelector::opening, this, &RunPage::refreshRuns);
    connect(m_runs, &RunWatch::changed, this, &RunPage::fillRuns);
    connect(m_rankBox, &QComboBox::activated, this, [this](int index) { showRank(m_rankBox->itemData(index).toInt()); });
    connect(m_charts, &RunCharts::rankChosen, this, [this](int rank) {
        showRank(rank);
        if (rank >= 0)
            inspectRank(rank);
        else
            emit inspected(overview());
    });
    connect(m_charts, &RunCharts::stepChosen, this, &RunPage::inspectStep);
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now != nullptr && m_charts->isAncestorOf(now))
            m_scroll->ensureWidgetVisible(now, 0, 28);   // with the panel's header
    });
    connect(m_notice, &RunNotice::clicked, this, &RunPage::noticeClicked);
    connect(m_empty, &RunNotice::clicked, this, &RunPage::noticeClicked);
    connect(m_header, &RunHeader::calibrationRequested, this, [this] { emit calibrationRequested(pathText(m_folder)); });
    connect(m_header, &RunHeader::reportRequested, this, [this] { emit reportRequested(pathText(m_folder)); });
    if (m_controller != nullptr) {
        connect(m_controller, &RunController::stateChanged, this, &RunPage::controllerChanged);
        connect(m_controller, &RunController::infoChanged, this, &RunPage::controllerChanged);
    }
    if (auto* theme = theme::Theme::instance())
        connect(theme, &theme::Theme::changed, this, &RunPage::updateColors);
    m_timer.setInterval(kFrameMs);
    connect(&m_timer, &QTimer::timeout, this, &RunPage::frameTick);

    updateColors();
    retranslate();
    controllerChanged();
    refresh();
    fillRuns();
}

QString RunPage::name() const { return tr("Run"); }

QString RunPage::subject() const
{
    if (!m_model->hasRun())
        return {};
    const RunInfo& info = m_model->info();
    QStringList parts{tr("%n ranks", nullptr, info.world), tr("ZeRO %1").arg(info.zeroStage)};
    if (info.startedNs > 0)
        parts << tr("started %1").arg(QDateTime::fromMSecsSinceEpoch(info.startedNs / 1'000'000).toString(QStringLiteral("HH:mm")));
    if (info.resumedFrom > 0)
        parts << tr("resumed from step %1").arg(locale().toString(static_cast<qlonglong>(info.resumedFrom)));
    return parts.join(QStringLiteral("  ·  "));
}

QWidget* RunPage::titleControls() { return m_controls; }
QWidget* RunPage::strip() { return m_header; }
QString RunPage::command() const
{
    return m_folder.empty() ? QString() : QStringLiteral("stagecraft watch ") + shellQuoted(pathText(m_folder));
}

void RunPage::follow(const std::filesystem::path& runFolder)
{
    if (runFolder == m_folder)
        return;
    m_folder = runFolder;
    m_problem.clear();
    m_model->clear();
    m_cursor->clearData();
    m_inspectorEmpty = true;
    m_log->view()->setFollowing(true);
    showRank(-1);
    m_follower->follow(runFolder);
    m_dirty = true;
    fillRuns();
    refreshRuns();
    emit commandChanged();
    emit titleChanged();
}

void RunPage::controllerChanged()
{
    // A run that is launched or attached comes to the front once; after that the selector chooses.
    if (m_controller != nullptr && m_controller->state() != RunState::None && std::exchange(m_controlled, m_controller->runFolder()) != m_controller->runFolder() && !m_controlled.empty())
        follow(m_controlled);
    m_dirty = true;
}

bool RunPage::isControlled() const
{
    return m_controller != nullptr && m_controller->state() != RunState::None && m_controller->runFolder() == m_folder;
}

RunState RunPage::shownState() const
{
    if (isControlled())
        return m_controller->state();
    return m_model->hasRun() ? runStateOf(m_model->info().status) : RunState::None;
}

void RunPage::arrived(const std::shared_ptr<const RunBatch>& batch)
{
    m_problem = batch->problem ? QString::fromStdString(batch->problem->message) : QString();
    m_model->apply(*batch);
    m_dirty = true;
}

void RunPage::frameTick()
{
    const qint64 second = QDateTime::currentSecsSinceEpoch();
    const bool newSecond = std::exchange(m_lastSecond, second) != second;
    if (std::exchange(m_dirty, false))
        refresh();
    else if (newSecond && m_model->hasRun() && !isLive(shownState()))
        updateNotice();   // it tells an age, and what is left on the disk
    m_charts->frameTick();
    m_log->frameTick();
}

void RunPage::refresh()
{
    const RunState state = shownState();
    const bool some = m_model->hasRun();
    m_stack->setCurrentIndex(some ? 1 : 0);
    m_charts->modelChanged();
    m_charts->setStale(state == RunState::Lost);
    fillRanks();
    updateNotice();
    m_header->refresh(*m_model, state, isSignalConnected(QMetaMethod::fromSignal(&RunPage::reportRequested)));
    if (const int rows = m_model->log()->rowCount(); rows > 0) {
        const LogLine line = m_model->log()->line(rows - 1);
        const QString who = line.rank < 0 ? tr("supervisor") : tr("rank %1").arg(line.rank);
        m_lastLine->setText(QDateTime::fromMSecsSinceEpoch(line.timeNs / 1'000'000).toString(QStringLiteral("HH:mm:ss")) + QStringLiteral("  ") + who + QStringLiteral("  ") + line.text);
    } else {
        m_lastLine->setText(tr("Log: no line yet"));
    }
    emit titleChanged();
    // The overview follows the run until somebody asks about a step or a rank.
    if (m_inspectorEmpty && some && isVisible()) {
        m_inspectorEmpty = m_model->newest().has_value() ? false : true;
        emit inspected(overview());
    }
}

void RunPage::updateNotice()
{
    RunNotices::Situation now;
    now.state = shownState();
    now.hasFolder = !m_folder.empty();
    now.problem = m_problem;
    now.refusal = m_controller != nullptr ? errorText(m_controller->failureText().toStdString()) : QString();
    now.canLaunch = m_actions != nullptr && m_actions->launch->isEnabled() && (m_folder.empty() || m_folder == m_controlled);
    now.canReattach = m_actions != nullptr;
    now.canContinue = m_controller != nullptr && m_model->hasRun() && !isLive(m_controller->state());
    std::error_code ignored;
    now.folderGone = m_model->hasRun() && !std::filesystem::exists(RunFolder{m_folder}.runJson(), ignored);
    now.checkpointGone = m_model->checkpoint() && !isLive(now.state) && !ResumeQuestion::isThere(RunFolder{m_folder}, m_model->checkpoint()->step);
    now.refusedAgain = isControlled() && m_controller->state() == RunState::Failed && m_controller->info().id.empty() && m_model->hasRun();
    // Only a window with a controller can hold a run; elsewhere a live one is just shown.
    now.unattached = m_controller != nullptr && !isControlled();
    if (m_controller == nullptr || !isLive(m_controller->state()))
        for (const RunEntry& run : m_runs->live())
            now.live << pathText(run.folder.filename());
    m_log->setFailedRank(m_model->info().failure ? m_model->info().failure->rank : -1);
    const NoticeContent content = RunNotices::contentFor(*m_model, now);
    const bool some = m_model->hasRun();
    m_empty->setContent(some ? NoticeContent{} : content);
    m_notice->setContent(some ? content : NoticeContent{});
}

void RunPage::noticeClicked(const QString& id)
{
    if (id == QLatin1String("showError")) {
        m_logAsked = true;
        fold();
        m_log->showFirstError();
    } else if (id == QLatin1String("continue") && m_model->checkpoint())
        emit continueRequested(pathText(m_folder), m_model->checkpoint()->step);
    else if (id == QLatin1String("launch") && m_model->hasRun())
        emit againRequested(pathText(m_folder));
    else if (id == QLatin1String("launch") && m_actions != nullptr)
        m_actions->launch->trigger();
    else if (id == QLatin1String("reattach") && m_actions != nullptr)
        m_actions->reattach->trigger();
    else if (id == QLatin1String("attach"))
        emit attachRequested(pathText(m_folder));
}

bool RunPage::hasPrimaryButton() const
{
    const auto& shown = (m_model->hasRun() ? m_notice : m_empty)->content().buttons;
    return std::any_of(shown.begin(), shown.end(), [](const NoticeContent::Button& button) { return button.primary; });
}

void RunPage::fillRanks()
{
    const auto ranks = static_cast<int>(m_model->ranks().size());
    if (m_rankBox->count() == ranks + 1)
        return;
    const QSignalBlocker block(m_rankBox);
    m_rankBox->clear();
    m_rankBox->addItem(tr("mean"), -1);
    for (int rank = 0; rank < ranks; ++rank)
        m_rankBox->addItem(tr("rank %1").arg(rank), rank);
    m_rankBox->setCurrentIndex(std::max(0, m_rankBox->findData(m_charts->shownRank())));
}

void RunPage::showRank(int rank)
{
    m_charts->showRank(rank);
    const QSignalBlocker block(m_rankBox);
    m_rankBox->setCurrentIndex(std::max(0, m_rankBox->findData(rank)));
}

void RunPage::refreshRuns() { m_runs->refresh(); }

void RunPage::fillRuns()
{
    // A launch that was refused leaves no folder: nothing to choose, though the page says why.
    std::error_code ignored;
    m_runBox->setRuns(m_runs->runs(), isLive(shownState()) || std::filesystem::exists(m_folder, ignored) ? m_folder : std::filesystem::path());
    m_dirty = true;   // the page without a run tells of those that are live
}

void RunPage::chooseRun(int row)
{
    const QString folder = m_runBox->folderAt(row);
    if (folder.isEmpty())
        return;
    follow(std::filesystem::path(folder.toStdString()));
    // What trains can be stopped from here, so it is watched as if it had been started here.
    if (m_runBox->isLiveAt(row) && !isControlled())
        emit attachRequested(folder);
}

InspectorContent RunPage::overview() const { return RunInspection::ofRun(*m_model, pathText(m_folder.filename())); }

bool RunPage::find()
{
    if (m_stack->currentIndex() == 0)
        return false;
    m_logAsked = true;
    fold();
    m_log->focusFilter();
    return true;
}

bool RunPage::exportFiles()
{
    if (!m_model->hasRun())
        return false;
    emit filesRequested(pathText(m_folder));
    return true;
}

void RunPage::inspectStep(std::int64_t step)
{
    m_inspectorEmpty = false;
    emit inspected(RunInspection::ofStep(*m_model, m_charts->shownRank(), step));
}

void RunPage::inspectRank(int rank)
{
    if (rank < 0 || rank >= static_cast<int>(m_model->ranks().size()))
        return;
    m_inspectorEmpty = false;
    emit inspected(RunInspection::ofRank(*m_model, rank));
}

void RunPage::updateColors()
{
    const ChartColors colors = chartColors();
    m_charts->setColors(colors);
    m_log->setColors(colors);
}

void RunPage::retranslate()
{
    m_ranksLabel->setText(tr("Ranks"));
    m_rankBox->setAccessibleName(tr("Rank shown"));
    m_rankBox->setToolTip(tr("Phases and memory of one rank, or of all"));
    m_rankBox->clear();
    fillRanks();
    m_dirty = true;
    emit titleChanged();
}

void RunPage::fold()
{
    const bool shortPage = height() < kShortPage && !m_logAsked;
    m_log->setVisible(!shortPage);
    m_lastLine->setVisible(shortPage);
}

void RunPage::resizeEvent(QResizeEvent*) { fold(); }

void RunPage::showEvent(QShowEvent*)
{
    m_timer.start();
    m_dirty = true;
    fold();
}

void RunPage::hideEvent(QHideEvent*)
{
    m_timer.stop();
    m_logAsked = false;
}

void RunPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    Page::changeEvent(event);
}

}  // namespace stagecraft::app
