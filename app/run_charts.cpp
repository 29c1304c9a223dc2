// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/run_charts.h"

#include "app/legend_button.h"
#include "app/model_states.h"
#include "app/run_model.h"
#include "visualizers/cursor_model.h"
#include "visualizers/memory_rank_view.h"
#include "visualizers/rank_strip_view.h"
#include "visualizers/time_series_view.h"
#include "widgets/panel.h"
#include "widgets/theme.h"

#include <QEvent>
#include <QGridLayout>
#include <QPainter>
#include <QTabBar>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::app {

namespace {
constexpr int kFourColumns = 1240, kThreeColumns = 1000;
constexpr int kLeastPanels = 400;   // px for both rows: lower, there would be axes and no curves
constexpr int kHeader = 28;
constexpr int kStripMargin = 1;
}  // namespace

RunCharts::RunCharts(RunModel* model, CursorModel* cursor, QWidget* parent)
    : QWidget(parent), m_model(model), m_cursor(cursor), m_grid(new QGridLayout(this)), m_tabs(new QTabBar(this)), m_loss(new TimeSeriesView(cursor, this)),
      m_throughput(new TimeSeriesView(cursor, this)), m_learningRate(new TimeSeriesView(cursor, this)), m_gradNorm(new TimeSeriesView(cursor, this)),
      m_phases(new PhasesView(cursor, model->phases, this)), m_memory(new MemoryRankView(this)), m_ranks(new RankStripView(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(1);   // the ground shows through as the line between panels
    m_views = {m_loss, m_throughput, m_memory, m_phases, m_learningRate, m_gradNorm, m_ranks};
    addPanel(Loss, m_loss);
    addPanel(Throughput, m_throughput);
    addPanel(Memory, m_memory);
    addPanel(Phases, m_phases);
    addPanel(LearningRate, m_learningRate);
    addPanel(GradNorm, m_gradNorm);
    addPanel(Ranks, m_ranks);
    m_loss->setObjectName(QStringLiteral("lossChart"));
    m_throughput->setObjectName(QStringLiteral("throughputChart"));
    m_phases->setObjectName(QStringLiteral("phasesChart"));
    m_memory->setObjectName(QStringLiteral("memoryOfRank"));
    m_ranks->setObjectName(QStringLiteral("rankStrip"));

    m_train = addLegend(Loss, static_cast<int>(LegendButton::Swatch::Block));
    m_eval = addLegend(Loss, static_cast<int>(LegendButton::Swatch::Diamond));
    connect(m_train, &LegendButton::toggled, this, [this](bool on) { m_loss->setSeriesVisible(0, on); });
    connect(m_eval, &LegendButton::toggled, this, [this](bool on) { m_loss->setSeriesVisible(1, on); });
    for (int p = 0; p < kPhaseCount; ++p) {
        const auto phase = static_cast<Phase>(p);
        auto* entry = addLegend(Phases, static_cast<int>(phase == Phase::Wait ? LegendButton::Swatch::Hatch : LegendButton::Swatch::Block));
        connect(entry, &LegendButton::toggled, this, [this, phase](bool on) { m_phases->setPhaseVisible(phase, on); });
        m_phaseLegend[static_cast<std::size_t>(p)] = entry;
    }
    for (const Part part : {Loss, Throughput, Memory, Phases, LearningRate, GradNorm}) {
        m_full[part] = m_panels[part]->header()->addTool(QStringLiteral("view-fullscreen"), QString());
        connect(m_full[part], &QToolButton::clicked, this, [this, part] { maximize(part); });
    }
    for (TimeSeriesView* view : {m_loss, m_throughput, m_learningRate, m_gradNorm}) {
        connect(view, &TimeSeriesView::stepChosen, this, &RunCharts::stepChosen);
        connect(view, &TimeSeriesView::meanWindowChanged, this, &RunCharts::updateSubtitles, Qt::QueuedConnection);
    }
    connect(m_phases, &PhasesView::stepChosen, this, &RunCharts::stepChosen);
    connect(m_phases, &PhasesView::coverageChanged, this, &RunCharts::updateSubtitles, Qt::QueuedConnection);
    connect(m_memory, &MemoryRankView::unitChanged, this, &RunCharts::updateSubtitles, Qt::QueuedConnection);
    connect(m_ranks, &RankStripView::rankChosen, this, &RunCharts::rankChosen);

    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setFixedHeight(kHeader);
    for (int i = 0; i < 3; ++i)
        m_tabs->addTab(QString());
    m_tabs->hide();
    connect(m_tabs, &QTabBar::currentChanged, this, [this] { m_columns = 0; arrange(); });

    retranslate();
    modelChanged();
}

Panel* RunCharts::addPanel(Part part, QWidget* content)
{
    auto* panel = new Panel(QString(), this);
    panel->setContent(content);
    m_panels[part] = panel;
    return panel;
}

LegendButton* RunCharts::addLegend(Part part, int swatch)
{
    auto* entry = new LegendButton(static_cast<LegendButton::Swatch>(swatch), m_panels[part]);
    m_panels[part]->header()->addWidget(entry);
    return entry;
}

void RunCharts::retranslate()
{
    const auto title = [this](Part part, const QString& text) {
        m_panels[part]->header()->setTitle(text);
        m_panels[part]->content()->setAccessibleName(text);
    };
    title(Loss, tr("Loss"));
    title(Throughput, tr("Throughput"));
    title(Memory, tr("Memory"));
    title(Phases, tr("Phases per step"));
    title(LearningRate, tr("Learning rate"));
    title(GradNorm, tr("Gradient norm"));
    title(Ranks, tr("Ranks"));
    m_panels[Ranks]->header()->setSubtitle(tr("compute per step; hatched: communication and wait"));
    m_tabs->setTabText(0, tr("Memory"));
    m_tabs->setTabText(1, tr("Learning rate"));
    m_tabs->setTabText(2, tr("Gradient norm"));
    m_train->setText(tr("train"));
    m_eval->setText(tr("eval"));
    nameLegend();
    for (QToolButton* tool : m_full) {
        if (tool == nullptr)
            continue;
        tool->setToolTip(tr("Let this panel fill the page, or put it back"));
        tool->setAccessibleName(tool->toolTip());
    }
    m_loss->setUnit(tr("loss, nats per token"), false);
    m_throughput->setUnit(tr("tokens/s"), true);
    m_learningRate->setUnit(tr("learning rate"), false);
    m_gradNorm->setUnit(tr("gradient norm before clipping"), false);
    for (TimeSeriesView* view : {m_loss, m_throughput, m_learningRate, m_gradNorm})
        view->setPositionText(tr("step %1"));
    m_loss->setSeries({{tr("train"), m_model->loss, false, 0, m_train->isChecked()}, {tr("eval"), m_model->evalLoss, true, 1, m_eval->isChecked()}});
    m_throughput->setSeries({{tr("tokens/s"), m_model->tokensPerSecond, false, 0, true}});
    m_learningRate->setSeries({{tr("learning rate"), m_model->learningRate, false, 0, true}});
    m_gradNorm->setSeries({{tr("gradient norm"), m_model->gradNorm, false, 0, true}});
    updateSubtitles();
}

int RunCharts::memoryRank() const
{
    if (m_rank >= 0)
        return m_rank;
    // The fullest rank decides whether it fits.
    int fullest = 0;
    std::int64_t most = -1;
    for (std::size_t r = 0; r < m_model->ranks().size(); ++r) {
        if (m_model->ranks()[r].peakRss > most) {
            most = m_model->ranks()[r].peakRss;
            fullest = static_cast<int>(r);
        }
    }
    return fullest;
}

void RunCharts::updateMemory()
{
    const auto rank = static_cast<std::size_t>(memoryRank());
    const RunPlan& plan = m_model->plan();
    MemoryRankInput input;
    std::map<std::string, std::int64_t> counted;
    if (rank < m_model->ranks().size())
        counted = m_model->ranks()[rank].allocatedByKind;
    const bool byKind = !counted.empty();
    for (const RunPlan::Item& item : plan.items) {
        std::optional<double> bytes;
        if (const auto found = counted.find(item.what); found != counted.end()) {
            bytes = static_cast<double>(found->second);
            counted.erase(found);
        } else if (byKind) {
            bytes = 0;
        }
        input.items.push_back({itemName(QString::fromStdString(item.what)), memoryKind(item.what), static_cast<double>(item.bytes), bytes, QString::fromStdString(item.why)});
    }
    for (const auto& [what, bytes] : counted)   // allocated and not planned
        input.items.push_back({itemName(QString::fromStdString(what)), memoryKind(what), std::nullopt, static_cast<double>(bytes), {}});
    const auto of = [](const std::optional<std::int64_t>& bytes) { return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt; };
    const bool measured = rank < m_model->ranks().size() && m_model->ranks()[rank].last.has_value();
    const auto value = [measured](std::int64_t bytes) { return measured && bytes > 0 ? std::optional(static_cast<double>(bytes)) : std::nullopt; };
    input.sums.push_back({tr("Tensors, peak"), MemoryKind::Context, of(plan.allocated), measured ? value(m_model->ranks()[rank].peakAllocated) : std::nullopt, tr("What the engine counts as alive at its peak.")});
    input.sums.push_back({tr("Process, peak"), MemoryKind::Context, of(plan.process), measured ? value(m_model->ranks()[rank].peakRss) : std::nullopt, tr("Resident memory as the system counts it, libraries included.")});
    input.limit = of(plan.usable);
    m_memory->setInput(std::move(input));
    const bool any = measured || plan.allocated.has_value();
    m_memory->setState(any ? ChartWidget::State::Ready : ChartWidget::State::Loading, any ? QString() : tr("Memory is known with the first step."));
}

void RunCharts::modelChanged()
{
    const bool steps = !m_model->loss->empty();
    const auto state = steps ? ChartWidget::State::Ready : m_model->hasRun() && !isOver(m_model->info().status) ? ChartWidget::State::Loading : ChartWidget::State::Empty;
    const QString sentence = steps ? QString() : state == ChartWidget::State::Loading ? tr("The first step has not ended.") : tr("No step was recorded.");
    for (ChartWidget* view : {static_cast<ChartWidget*>(m_loss), static_cast<ChartWidget*>(m_throughput), static_cast<ChartWidget*>(m_learningRate),
                              static_cast<ChartWidget*>(m_gradNorm), static_cast<ChartWidget*>(m_phases)}) {
        view->setState(state, sentence);
        view->markDirty();
    }
    if (steps)
        m_cursor->setData(m_model->loss->firstX(), m_model->loss->lastX());
    else
        m_cursor->clearData();

    const RunPlan& plan = m_model->plan();
    std::vector<PlannedLine> planned;
    if (plan.tokensPerSecond) {
        const double factor = axisFactor(*plan.tokensPerSecond);
        const QString unit = scaledUnit(QString(), factor, true).trimmed();
        planned.push_back({*plan.tokensPerSecond, tr("planned %1").arg(figureText(*plan.tokensPerSecond / factor, locale()) + (unit.isEmpty() ? QString() : QLatin1Char(' ') + unit))});
    }
    m_throughput->setPlanned(planned);
    m_phases->setPlanned(plan.stepSeconds, plan.phases);
    m_phases->setRank(m_rank, m_model->info().world);
    m_loss->setEvents(m_model->events());
    m_throughput->setEvents(m_model->events());

    RankStripInput strip;
    strip.cards = rankCards(*m_model);
    strip.memoryLimit = plan.usable ? static_cast<double>(*plan.usable) : 0;
    strip.compact = m_columns == 2;
    m_ranks->setState(strip.cards.empty() ? ChartWidget::State::Empty : ChartWidget::State::Ready, strip.cards.empty() ? tr("The run has no ranks yet.") : QString());
    m_ranks->setInput(std::move(strip));
    updateMemory();
    updateSubtitles();
    arrange();
}

void RunCharts::updateSubtitles()
{
    const auto smoothing = [](const TimeSeriesView* view) {
        return view->meanWindow() > 1 ? tr("line: mean of %n steps", nullptr, static_cast<int>(view->meanWindow())) : QString();
    };
    m_panels[Loss]->header()->setSubtitle(smoothing(m_loss));
    m_panels[Throughput]->header()->setSubtitle(smoothing(m_throughput));
    m_panels[LearningRate]->header()->setSubtitle(smoothing(m_learningRate));
    m_panels[GradNorm]->header()->setSubtitle(smoothing(m_gradNorm));
    m_panels[Phases]->header()->setSubtitle(m_phases->coverage());
    const QString unit = m_memory->unit();
    m_panels[Memory]->header()->setSubtitle(unit.isEmpty() ? tr("rank %1").arg(memoryRank())
                                            : m_rank >= 0 ? tr("rank %1, peak, %2").arg(memoryRank()).arg(unit) : tr("fullest rank: %1, peak, %2").arg(memoryRank()).arg(unit));
}

void RunCharts::setColors(const ChartColors& colors)
{
    for (ChartWidget* view : m_views)
        view->setColors(colors);
    m_train->setColor(colors.series[0]);
    m_eval->setColor(colors.series[1]);
    for (std::size_t p = 0; p < m_phaseLegend.size(); ++p)
        m_phaseLegend[p]->setColor(colors.phases[p]);
}

void RunCharts::showRank(int rank)
{
    m_rank = rank;
    m_ranks->setChosen(rank);
    m_phases->setRank(rank, m_model->info().world);
    updateMemory();
    updateSubtitles();
}

void RunCharts::setStale(bool stale)
{
    for (ChartWidget* view : m_views)
        view->setStale(stale);
}

void RunCharts::frameTick()
{
    for (ChartWidget* view : m_views)
        view->frameTick();
}

int RunCharts::columnsFor(int width) { return width >= kFourColumns ? 4 : width >= kThreeColumns ? 3 : 2; }

void RunCharts::maximize(Part part)
{
    m_maximized = m_maximized == part ? -1 : part;
    m_columns = 0;
    arrange();
}

void RunCharts::fillWith(QWidget* panel)
{
    const auto found = std::find(m_panels.begin(), m_panels.end(), panel);
    m_maximized = found == m_panels.end() || panel == nullptr ? -1 : static_cast<int>(found - m_panels.begin());
    m_columns = 0;
    arrange();
}

void RunCharts::arrange()
{
    const int columns = columnsFor(width());
    const int strip = static_cast<int>(rankStripHeight(static_cast<int>(m_model->ranks().size()), width(), columns == 2)) + kHeader + kStripMargin;
    if (columns == m_columns && strip == m_stripHeight)
        return;
    // What has no room is scrolled to, never left out. A panel that fills the page needs none.
    setMinimumHeight(m_maximized >= 0 ? 0 : strip + kLeastPanels);
    m_columns = columns;
    m_stripHeight = strip;
    while (QLayoutItem* item = m_grid->takeAt(0))
        delete item;
    for (int i = 0; i < 8; ++i) {
        m_grid->setRowStretch(i, 0);
        m_grid->setColumnStretch(i, 0);
    }
    std::array<bool, kParts> shown{};
    const auto put = [&](Part part, int row, int column, int rows, int spanned) {
        m_grid->addWidget(m_panels[part], row, column, rows, spanned);
        shown[static_cast<std::size_t>(part)] = true;
    };
    bool tabs = false;
    if (m_maximized >= 0) {
        put(static_cast<Part>(m_maximized), 0, 0, 1, 1);
        if (m_maximized == Ranks)
            m_panels[Ranks]->setFixedHeight(QWIDGETSIZE_MAX), m_panels[Ranks]->setMinimumHeight(0);
        m_grid->setRowStretch(0, 1);
        m_grid->setColumnStretch(0, 1);
    } else if (columns == 4) {
        put(Loss, 0, 0, 2, 1);
        put(Throughput, 0, 1, 2, 1);
        put(LearningRate, 0, 2, 2, 1);
        put(GradNorm, 0, 3, 2, 1);
        put(Phases, 2, 0, 2, 3);
        put(Memory, 2, 3, 2, 1);
    } else if (columns == 3) {
        put(Loss, 0, 0, 2, 1);
        put(Throughput, 0, 1, 2, 1);
        put(Memory, 0, 2, 2, 1);
        put(Phases, 2, 0, 2, 2);
        put(LearningRate, 2, 2, 1, 1);
        put(GradNorm, 3, 2, 1, 1);
    } else {
        put(Loss, 0, 0, 2, 1);
        put(Throughput, 0, 1, 2, 1);
        put(Phases, 2, 0, 2, 1);
        const Part chosen = m_tabs->currentIndex() == 1 ? LearningRate : m_tabs->currentIndex() == 2 ? GradNorm : Memory;
        m_grid->addWidget(m_tabs, 2, 1, 1, 1);
        put(chosen, 3, 1, 1, 1);
        tabs = true;
    }
    if (m_maximized < 0) {
        for (int row = 0; row < 4; ++row)
            m_grid->setRowStretch(row, tabs && row == 2 ? 0 : tabs && row == 3 ? 2 : 1);
        for (int column = 0; column < columns; ++column)
            m_grid->setColumnStretch(column, 1);
        put(Ranks, 4, 0, 1, columns);
        m_panels[Ranks]->setFixedHeight(strip);
    }
    // Below the tabs the panel's own header would say the same again.
    for (const Part part : {Memory, LearningRate, GradNorm})
        m_panels[part]->header()->setVisible(!tabs);
    m_tabs->setVisible(tabs);
    for (int part = 0; part < kParts; ++part)
        m_panels[static_cast<std::size_t>(part)]->setVisible(shown[static_cast<std::size_t>(part)]);
    nameLegend();
}

void RunCharts::nameLegend()
{
    // All six have a place in half a page only with their short names.
    const bool brief = m_columns == 2 && m_maximized < 0;
    const std::array<QString, kPhaseCount> shortNames{tr("data", "short"), tr("fwd"), tr("bwd"), tr("comm"), tr("opt"), tr("wait", "short")};
    for (std::size_t p = 0; p < m_phaseLegend.size(); ++p) {
        m_phaseLegend[p]->setText(brief ? shortNames[p] : PhasesView::phaseText(static_cast<Phase>(p)));
        m_phaseLegend[p]->setToolTip(PhasesView::phaseText(static_cast<Phase>(p)));
    }
}

void RunCharts::resizeEvent(QResizeEvent*) { arrange(); }

void RunCharts::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange) {
        retranslate();
        modelChanged();
    }
    QWidget::changeEvent(event);
}

void RunCharts::paintEvent(QPaintEvent*)
{
    QPainter(this).fillRect(rect(), theme::color(theme::Token::Line));
}

}  // namespace stagecraft::app
