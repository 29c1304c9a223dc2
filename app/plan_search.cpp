// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_search.h"

#include "app/chart_theme.h"
#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/formats.h"
#include "app/layout_edits.h"
#include "app/model_states.h"
#include "app/plan_explain.h"
#include "app/search_model.h"
#include "app/session/workspace_document.h"
#include "hardware/device_sheet.h"
#include "planner/fit.h"
#include "visualizers/pareto_view.h"
#include "widgets/fit_slider.h"
#include "widgets/panel.h"
#include "widgets/step_name.h"
#include "widgets/tone_label.h"

#include <QCheckBox>
#include <QCoreApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QLocale>
#include <QPointer>
#include <QProgressBar>
#include <QPushButton>
#include <QShortcut>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

constexpr std::int64_t kLargestBatch = 1'000'000'000;
constexpr std::array kWidths{44, 36, 36, 36, 36, 54, 122, 80, 54, 64, 62, 68, 70, 62};   // of the columns, pixels

}  // namespace

PlanSearch::PlanSearch(WorkspaceDocument& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_service(new SearchService(this)), m_split(new QSplitter(Qt::Horizontal, this)), m_tablePanel(new Panel({}, m_split)),
      m_table(new QTableView), m_model(new SearchModel(this)), m_sorted(new QSortFilterProxyModel(this)), m_chartPanel(new Panel({}, m_split)), m_chart(new ParetoView)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* bar = new QWidget(this);
    makeControls(bar);
    column->addWidget(bar);
    m_note = new ToneLabel(Role::Small, Token::Text2, this);
    m_note->setObjectName(QStringLiteral("searchNote"));
    m_note->setWordWrap(true);
    m_note->setContentsMargins(12, 0, 12, 6);
    m_note->hide();
    column->addWidget(m_note);
    column->addWidget(m_split, 1);
    m_split->setChildrenCollapsible(false);

    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(SearchModel::SortRole);
    m_table->setModel(m_sorted);
    m_table->setFrameShape(QFrame::NoFrame);
    m_table->setShowGrid(false);
    m_table->setAlternatingRowColors(true);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setTabKeyNavigation(false);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(22);
    m_table->verticalHeader()->setMinimumSectionSize(22);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->horizontalHeader()->setSectionsMovable(true);
    m_table->horizontalHeader()->setMinimumSectionSize(28);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setWordWrap(false);
    for (int c = 0; c < SearchModel::ColumnCount; ++c)
        m_table->setColumnWidth(c, kWidths.at(static_cast<std::size_t>(c)));
    // Cost first: it is what the rows are ranked by. Then the sizes, then the words.
    int place = 0;
    for (const int c : {SearchModel::StepTime, SearchModel::Memory, SearchModel::Mfu, SearchModel::Dp, SearchModel::Tp, SearchModel::Pp, SearchModel::Cp, SearchModel::Ep, SearchModel::Stage,
                        SearchModel::Micro, SearchModel::Accumulation, SearchModel::Recompute, SearchModel::Offload})
        m_table->horizontalHeader()->moveSection(m_table->horizontalHeader()->visualIndex(c), place++);
    m_tablePanel->setContent(m_table);
    m_chartPanel->setContent(m_chart);
    m_apply = new QPushButton(m_tablePanel->header());
    m_apply->setFixedHeight(22);
    m_apply->setEnabled(false);
    m_tablePanel->header()->addWidget(m_apply);

    const auto applyRow = [this](int row) {
        if (const ScoredLayout* layout = m_model->layout(row))
            apply(*layout);
    };
    connect(m_apply, &QPushButton::clicked, this, [this, applyRow] { applyRow(m_sorted->mapToSource(m_table->currentIndex()).row()); });
    connect(m_table, &QTableView::activated, this, [this, applyRow](const QModelIndex& index) { applyRow(m_sorted->mapToSource(index).row()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& current) { choose(m_sorted->mapToSource(current).row()); });
    connect(m_chart, &ParetoView::pointChosen, this, [this](int row) { m_table->setCurrentIndex(m_sorted->mapFromSource(m_model->index(row, 0))); });
    connect(m_chart, &ParetoView::pointActivated, this, applyRow);
    m_escape = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    m_escape->setContext(Qt::WidgetWithChildrenShortcut);
    m_escape->setEnabled(false);
    connect(m_escape, &QShortcut::activated, m_service, &SearchService::cancel);
    connect(m_escape, &QShortcut::activatedAmbiguously, m_service, &SearchService::cancel);   // the preview of a lever ends with Esc too
    connect(m_service, &SearchService::progressed, this, &PlanSearch::refresh);
    connect(m_service, &SearchService::finished, this, &PlanSearch::refresh);
    retranslate();
    recolour();
    resetLayout();
}

void PlanSearch::makeControls(QWidget* bar)
{
    bar->setFixedHeight(40);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(12, 0, 12, 0);
    row->setSpacing(8);
    m_shareName = new ToneLabel(Role::Body, Token::Text2, bar);
    m_share = new QSpinBox(bar);
    m_share->setRange(10, 100);
    // As plan and advice have it: that a forecast errs is in the probability, not in a part of the memory held back.
    m_share->setValue(100);
    m_share->setSuffix(QStringLiteral(" %"));
    m_share->setKeyboardTracking(false);
    m_share->setFixedWidth(70);
    m_batchName = new ToneLabel(Role::Body, Token::Text2, bar);
    m_batch = new QLineEdit(bar);
    m_inNode = new QCheckBox(bar);
    m_inNode->setChecked(true);
    m_offload = new QCheckBox(bar);
    m_offload->setChecked(true);
    m_go = new QPushButton(bar);
    m_go->setFixedHeight(24);
    m_progress = new QProgressBar(bar);
    m_progress->setTextVisible(false);
    m_progress->setFixedSize(110, 6);
    m_count = new ToneLabel(Role::Small, Token::Text2, bar);
    m_count->setElided(true);
    row->addWidget(m_shareName);
    row->addWidget(m_share);
    row->addSpacing(8);
    row->addWidget(m_batchName);
    row->addWidget(m_batch);
    row->addSpacing(8);
    row->addWidget(m_inNode);
    row->addWidget(m_offload);
    row->addSpacing(8);
    row->addWidget(m_go);
    row->addWidget(m_progress);
    row->addWidget(m_count, 1);
    connect(m_share, &QSpinBox::valueChanged, this, &PlanSearch::start);
    // As wide as its number, which may be in the billions.
    const auto widen = [this] {
        const QFontMetrics metrics(m_batch->font());
        m_batch->setFixedWidth(std::clamp(std::max(metrics.horizontalAdvance(m_batch->text()), metrics.horizontalAdvance(m_batch->placeholderText())) + 22, 72, 150));
    };
    widen();
    connect(m_batch, &QLineEdit::textChanged, this, widen);
    connect(m_service, &SearchService::progressed, this, widen);
    connect(m_batch, &QLineEdit::editingFinished, this, [this] {
        if (m_batch->isModified()) {
            m_batch->setModified(false);
            start();
        }
    });
    connect(m_inNode, &QCheckBox::toggled, this, &PlanSearch::start);
    connect(m_offload, &QCheckBox::toggled, this, &PlanSearch::start);
    connect(m_go, &QPushButton::clicked, this, [this] {
        if (m_service->isRunning())
            m_service->cancel();
        else
            start();
    });
}

void PlanSearch::setPlan(const std::shared_ptr<const PlanSet>& plan)
{
    m_plan = plan;
    if (!m_active)
        return;
    if (!plan || searchKey(*plan) != m_key)
        start();
    else
        refresh();
}

void PlanSearch::activate()
{
    m_active = true;
    setPlan(m_plan);
}

std::int64_t PlanSearch::usable() const
{
    return m_limits.usableBytes;
}

void PlanSearch::start()
{
    emit constrained();
    if (!m_plan)
        return;
    SearchLimits limits;
    limits.memoryShare = m_share->value() / 100.0;
    limits.tensorInsideNode = m_inNode->isChecked();
    limits.offload = m_offload->isChecked();
    const auto batch = parseCount(m_batch->text());
    const bool wrong = !m_batch->text().trimmed().isEmpty() && (!batch || *batch < 1 || *batch > kLargestBatch);
    m_batch->setProperty("invalid", wrong);
    m_batch->update();
    if (batch && !wrong)
        limits.globalBatch = *batch;
    m_key = searchKey(*m_plan);
    auto job = wrong ? Result<SearchJob>(Error{ErrorCode::InvalidInput, tr("The global batch must be a whole number from 1 to %1.").arg(count(kLargestBatch)).toStdString(), {}}) : searchJobOf(*m_plan, limits);
    m_problem.reset();
    if (!job.hasValue()) {
        m_problem = job.error();
        m_service->cancel();
        refresh();
        return;
    }
    SearchJob made = std::move(job).value();
    m_limits = made.limits;
    const TrainingCase& base = made.base;
    // As the search takes it. The workspace's own layout may have no plan to ask.
    if (m_limits.usableBytes <= 0 && base.sheet)
        m_limits.usableBytes = base.sheet->usableBytes;
    m_batch->setPlaceholderText(QLocale().toString(static_cast<qlonglong>(base.microBatch * base.microBatches * base.dp)));
    m_service->start(std::move(made));
}

void PlanSearch::showNote()
{
    // What keeps layouts out is no constraint of this bar, and no row tells it.
    QString words;
    if (m_plan && m_plan->advice)
        for (const PlanFinding& finding : m_plan->advice->findings)
            if (finding.rule.starts_with("advise.autotp"))
                words = findingText(finding);
    m_note->setText(words);
    m_note->setVisible(!words.isEmpty());
}

void PlanSearch::refresh()
{
    showNote();
    const auto& result = m_service->result();
    if (m_problem || !result) {
        m_model->setRows({}, {}, 0);
        m_chart->setData({});
        const QString why = m_problem ? errorText(*m_problem) : QString();
        m_chart->setState(ChartWidget::State::Empty, m_problem ? why : tr("Search lists every legal layout of these ranks."));
        m_chart->frameTick();
        m_count->setText(why);
        m_count->setToolTip(why);
        m_tablePanel->header()->setSubtitle({});
        m_chartPanel->header()->setSubtitle({});
        m_escape->setEnabled(false);
        m_progress->hide();
        m_go->setText(tr("Search"));
        return;
    }
    const auto limit = static_cast<std::int64_t>(static_cast<double>(usable()) * m_limits.memoryShare);
    m_model->setRows(result->best, result->pareto, limit);
    // Columns that say the same in every row only take room. Rows that go and come give a hidden one the width it is remembered with,
    // without showing it: that width is none.
    const auto hide = [this](int column, bool hidden) {
        if (m_table->isColumnHidden(column) == hidden)
            return;
        if (hidden)
            m_table->setColumnWidth(column, 0);
        m_table->setColumnHidden(column, hidden);
        if (!hidden)
            m_table->setColumnWidth(column, kWidths.at(static_cast<std::size_t>(column)));
    };
    for (const int c : {SearchModel::Tp, SearchModel::Pp, SearchModel::Cp, SearchModel::Ep})
        hide(c, std::all_of(result->best.begin(), result->best.end(), [c](const ScoredLayout& l) {
            return (c == SearchModel::Tp ? l.tp : c == SearchModel::Pp ? l.pp : c == SearchModel::Cp ? l.cp : l.ep) == 1;
        }));
    hide(SearchModel::Offload, std::all_of(result->best.begin(), result->best.end(), [](const ScoredLayout& l) { return l.offloadOptimizer == OffloadDevice::None; }));

    // Its words are read whole, if need be by scrolling; without them the last column takes what room is left.
    const bool offloads = !m_table->isColumnHidden(SearchModel::Offload);
    m_table->horizontalHeader()->setStretchLastSection(!offloads);
    if (offloads)
        m_table->resizeColumnToContents(SearchModel::Offload);

    ParetoData picture;
    for (const ScoredLayout& l : result->best)
        picture.points.push_back({l.stepTime, static_cast<double>(l.memory), l.fits, layoutName(l)});
    picture.front.assign(result->pareto.rbegin(), result->pareto.rend());
    for (const LayoutDot& dot : result->dots)
        picture.dots.push_back({dot.stepTime, static_cast<double>(dot.memory), dot.fits, {}});
    picture.limitBytes = static_cast<double>(limit);
    picture.limitLabel = tr("%1 of %2").arg(percent(m_limits.memoryShare, 0), bytes(usable()).text());
    if (m_plan && m_plan->plan && m_plan->plan->forecast && m_plan->plan->fit)
        if (const LedgerRole* role = fullestRole(*m_plan->plan))
            picture.now = {m_plan->plan->forecast->stepTime, static_cast<double>(role->peak.process), true, tr("The workspace now")};
    const int chosen = m_sorted->mapToSource(m_table->currentIndex()).row();
    m_chart->setState(picture.points.empty() ? m_service->isRunning() ? ChartWidget::State::Loading : ChartWidget::State::Empty : ChartWidget::State::Ready,
                      m_service->isRunning() ? tr("Searching") : tr("No layout of these ranks divides the global batch."));
    m_chart->setData(std::move(picture));
    m_chart->setChosen(chosen);
    m_chart->frameTick();
    m_chartPanel->header()->setSubtitle(tr("line: nothing is both faster and smaller"));
    showCount();
}

void PlanSearch::showCount()
{
    const SearchResult& result = *m_service->result();
    const bool running = m_service->isRunning();
    m_escape->setEnabled(running);
    m_progress->setVisible(running);
    m_progress->setRange(0, 1000);
    m_progress->setValue(result.total > 0 ? static_cast<int>(1000.0 * static_cast<double>(result.scored) / static_cast<double>(result.total)) : 0);
    m_go->setText(running ? tr("Cancel") : tr("Search"));
    m_go->setToolTip(running ? tr("Stop the search and keep what is found (Esc)") : QString());
    m_count->setText(running && result.total == 0 ? tr("Counting the layouts")
                     : running          ? tr("%1 of %2 layouts, %3 fit").arg(count(result.scored), count(result.total), count(result.fitting))
                     : result.cancelled ? tr("Cancelled after %1 of %2 layouts, %3 fit").arg(count(result.scored), count(result.total), count(result.fitting))
                     : result.mayFit > 0 ? tr("%1 layouts in %2, %3 fit, %4 may").arg(count(result.scored), seconds(m_service->secondsTaken()).text(), count(result.fitting), count(result.mayFit))
                                        : tr("%1 layouts in %2, %3 fit").arg(count(result.scored), seconds(m_service->secondsTaken()).text(), count(result.fitting)));
    m_count->setToolTip(m_count->text());
    m_tablePanel->header()->setSubtitle(m_model->rowCount() == 0 ? QString() : result.fitting == 0 && !running && result.scored > 0 ? tr("nothing fits; the smallest first") : tr("fastest first, %n shown", nullptr, m_model->rowCount()));
}

void PlanSearch::choose(int row)
{
    const ScoredLayout* layout = m_model->layout(row);
    m_apply->setEnabled(layout != nullptr);
    m_chart->setChosen(row);
    ++m_explained;
    if (!layout || !m_plan || !m_plan->workspace)
        return;
    emit inspected(explain(*layout, nullptr));
    // The row was scored in sums; the whole plan with its words is made beside the event loop.
    const QPointer<PlanSearch> self(this);
    QThreadPool::globalInstance()->start([self, asked = m_explained, plan = m_plan, chosen = *layout] {
        auto made = std::make_shared<const PlanSet>(planText(withEdits(plan->text, layoutEdits(*plan->workspace, chosen)), plan->folder, PlanDepth::One));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, asked, chosen, made] {
                if (self && asked == self->m_explained)
                    emit self->inspected(self->explain(chosen, made));
            },
            Qt::QueuedConnection);
    });
}

InspectorContent PlanSearch::explain(const ScoredLayout& l, const std::shared_ptr<const PlanSet>& planned)
{
    InspectorContent content;
    content.title = tr("Layout");
    const auto limit = static_cast<std::int64_t>(static_cast<double>(usable()) * m_limits.memoryShare);
    const SearchResult& result = *m_service->result();
    InspectorSection card;
    card.heading = layoutName(l);
    card.edge = l.fits ? Token::Ok : l.mayFit ? Token::Warn : Token::Error;
    card.text = l.fits ? tr("Needs %1 and leaves %2 of the %3 it may use.").arg(bytes(l.memory).text(), bytes(limit - l.memory).text(), bytes(limit).text())
                : l.mayFit ? (l.probability < kEvenOdds ? tr("Probably does not fit, p = %1: takes %2 of the %3 it may use.") : tr("May fit, p = %1: takes %2 of the %3 it may use.")).arg(fixed(shownProbability(l.probability), 2), bytes(l.memory).text(), bytes(limit).text())
                : l.memory <= limit && l.hostBytesPerNode > 0 ? tr("Rejected: what it offloads needs %1 of host memory per node.").arg(bytes(l.hostBytesPerNode).text())
                       : tr("Rejected: needs %1 of %2, short by %3.").arg(bytes(l.memory).text(), bytes(limit).text(), bytes(l.memory - limit).text());
    card.buttons.push_back({tr("Apply"), [this, l] { apply(l); }});
    content.sections.push_back(card);
    InspectorSection cost;
    cost.heading = tr("Cost");
    cost.value = tr("%1 a step").arg(seconds(l.stepTime).text());
    cost.pairs = {{tr("Throughput"), shortCount(l.tokensPerSecond) + QStringLiteral(" tokens/s")}, {QStringLiteral("MFU"), percent(l.mfu)}};
    if (m_plan && m_plan->plan && m_plan->plan->forecast)
        if (const LedgerRole* role = fullestRole(*m_plan->plan)) {
            cost.pairs.push_back({tr("Against the workspace now"), secondsDelta(l.stepTime - m_plan->plan->forecast->stepTime)});
            cost.pairs.push_back({{}, bytesDelta(l.memory - role->peak.process)});
        }
    if (!result.best.empty() && result.best.front().fits && result.best.front().stepTime > 0)
        cost.pairs.push_back({tr("Against the fastest"), QStringLiteral("+") + percent(l.stepTime / result.best.front().stepTime - 1)});
    content.sections.push_back(cost);
    if (std::find(result.front.begin(), result.front.end(), l) != result.front.end()) {
        content.sections.push_back({});
        content.sections.back().reasons.push_back({QStringLiteral("emblem-ok"), Token::Ok, tr("No other layout is both faster and smaller.")});
    }
    if (planned)
        for (InspectorSection& section : explainPlan(*planned))
            content.sections.push_back(std::move(section));
    return content;
}

QString PlanSearch::commandOptions() const
{
    QStringList options{QStringLiteral("--runnable")};
    if (m_share->value() < 100)
        options << QStringLiteral("--memory-share %1").arg(QString::number(m_share->value() / 100.0));
    options << QStringLiteral("--keep %1").arg(SearchLimits().keep);
    if (const auto batch = parseCount(m_batch->text()); batch && *batch >= 1 && *batch <= kLargestBatch)
        options << QStringLiteral("--global-batch %1").arg(*batch);
    if (!m_inNode->isChecked())
        options << QStringLiteral("--across-nodes");
    if (!m_offload->isChecked())
        options << QStringLiteral("--no-offload");
    return options.join(QLatin1Char(' '));
}

void PlanSearch::setShare(int percent)
{
    m_share->setValue(percent);
}

void PlanSearch::apply(const ScoredLayout& layout)
{
    if (m_plan && m_plan->workspace)
        applyAsOneStep(m_document, layoutEdits(*m_plan->workspace, layout), stepName([layout] { return tr("Layout: %1").arg(layoutName(layout)); }));
}

void PlanSearch::resetLayout()
{
    m_split->setSizes({700, 360});
}

void PlanSearch::recolour()
{
    m_chart->setColors(chartColors());
    m_chart->markDirty();
    m_chart->frameTick();
    m_table->viewport()->update();
}

void PlanSearch::retranslate()
{
    m_shareName->setText(tr("Memory"));
    m_share->setAccessibleName(tr("Share of the usable memory a layout may take"));
    m_share->setToolTip(m_share->accessibleName());
    m_batchName->setText(tr("Global batch"));
    m_batch->setAccessibleName(tr("Samples of a step; empty takes the workspace's"));
    m_batch->setToolTip(m_batch->accessibleName());
    m_inNode->setText(tr("tp inside a node"));
    m_inNode->setToolTip(tr("Tensor-parallel groups do not leave a node"));
    m_offload->setText(tr("Offload"));
    m_offload->setToolTip(tr("Layouts that move model states to the host or to files"));
    m_tablePanel->header()->setTitle(tr("Layouts"));
    m_table->setAccessibleName(tr("Layouts"));
    m_apply->setText(tr("Apply"));
    m_apply->setToolTip(tr("Put the chosen layout into the workspace (Enter)"));
    m_chartPanel->header()->setTitle(tr("Time and memory"));
    m_chart->setAccessibleName(tr("Layouts by time and memory"));
    m_progress->setAccessibleName(tr("Layouts searched"));
    m_model->retranslate();
    // A refusal is told anew in the other language.
    if (m_problem)
        start();
    refresh();
}

}  // namespace stagecraft::app
