// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/plan_page.h"

#include "app/behaviour_words.h"
#include "app/chart_theme.h"
#include "app/core_errors.h"
#include "app/core_words.h"
#include "app/formats.h"
#include "app/layout_edits.h"
#include "app/ledger_panel.h"
#include "app/model_states.h"
#include "app/plan_explain.h"
#include "app/plan_levers.h"
#include "app/plan_search.h"
#include "app/plan_service.h"
#include "app/plan_strip.h"
#include "app/preview_keys.h"
#include "app/session/workspace_document.h"
#include "app/traffic_view.h"
#include "app/what_if_panel.h"
#include "planner/fit.h"
#include "visualizers/list_text.h"
#include "visualizers/memory_bars_view.h"
#include "visualizers/stage_tree_view.h"
#include "widgets/panel.h"
#include "widgets/step_name.h"
#include "widgets/tone_label.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QEvent>
#include <QHideEvent>
#include <QKeyEvent>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedWidget>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include <iterator>
#include <utility>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

namespace {

// Why there is nothing to draw: the first error the plan found, else what the workspace lacks.
QString whyNoLedger(const PlanSet& plan)
{
    if (plan.plan && !plan.plan->ledger)
        for (const PlanFinding& finding : plan.plan->findings)
            if (finding.severity == "error")
                return findingText(finding);
    if (plan.workspace && !plan.workspace->model.noSpecReason.empty())
        return errorText(plan.workspace->model.noSpecReason);
    return PlanPage::tr("Memory cannot be planned for this model; the findings say why.");
}

}  // namespace

PlanPage::PlanPage(WorkspaceDocument& document, PlanService& plans, QWidget* parent)
    : Page(parent), m_document(document), m_plans(plans), m_whatIf(new WhatIfService(this)), m_controls(new QWidget(this)), m_tabs(new QStackedWidget(this)),
      m_search(new PlanSearch(document, m_tabs)), m_traffic(new TrafficView(m_tabs)), m_rows(new QSplitter(Qt::Vertical, m_tabs)), m_top(new QSplitter(Qt::Horizontal, m_rows)),
      m_bottom(new QSplitter(Qt::Horizontal, m_rows)), m_treePanel(new Panel({}, m_top)), m_tree(new StageTreeView), m_treeScroll(verticalScroll(m_tree)),
      m_barsPanel(new Panel({}, m_top)), m_bars(new MemoryBarsView), m_barsScroll(verticalScroll(m_bars)), m_ledgerPanel(new Panel({}, m_bottom)), m_ledger(new LedgerPanel), m_whatIfPanel(new WhatIfPanel(m_bottom)),
      m_previewKeys(new PreviewKeys(this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_tabs);
    m_tabs->addWidget(m_rows);
    m_tabs->addWidget(m_search);
    m_tabs->addWidget(m_traffic);
    for (QSplitter* splitter : {m_rows, m_top, m_bottom})
        splitter->setChildrenCollapsible(false);
    makeControls();
    auto* tree = new QWidget;
    auto* treeColumn = new QVBoxLayout(tree);
    treeColumn->setContentsMargins(0, 0, 0, 0);
    treeColumn->setSpacing(0);
    treeColumn->addWidget(m_treeScroll, 1);
    m_rule = new ToneLabel(Role::Small, Token::Text2, tree);
    m_rule->setWordWrap(true);
    m_rule->setContentsMargins(12, 5, 12, 6);
    treeColumn->addWidget(m_rule);
    m_treePanel->setContent(tree);
    m_treePanel->setMinimumWidth(300);
    auto* bars = new QWidget;
    auto* barsColumn = new QVBoxLayout(bars);
    barsColumn->setContentsMargins(0, 4, 0, 4);
    barsColumn->setSpacing(0);
    m_barsScroll->setMinimumHeight(m_bars->minimumSizeHint().height());
    barsColumn->addWidget(m_barsScroll, 1);
    m_legend = new MemoryLegend({}, bars);
    barsColumn->addWidget(m_legend);
    m_barsPanel->setContent(bars);
    m_ledgerPanel->setContent(m_ledger);
    m_copyLedger = m_ledgerPanel->header()->addTool(QStringLiteral("edit-copy"), QString());
    connect(m_copyLedger, &QToolButton::clicked, m_ledger, &LedgerPanel::copyAsTable);
    connect(m_previewKeys, &PreviewKeys::ended, this, &PlanPage::endPreview);
    connect(m_previewKeys, &PreviewKeys::enterAppliesChanged, this, &PlanPage::tellPreview);
    connect(m_previewKeys, &PreviewKeys::applied, this, [this] {
        if (m_preview)
            applyLever(Lever(*m_preview));
    });
    // At once, not with the edit's plan: until that comes, Enter would apply what was tried on another text.
    connect(&document, &WorkspaceDocument::textChanged, this, &PlanPage::endPreview);
    connect(&document, &WorkspaceDocument::opened, this, &PlanPage::markSaved);
    connect(&document, &WorkspaceDocument::saved, this, &PlanPage::markSaved);
    connect(m_whatIfPanel, &WhatIfPanel::turned, this, &PlanPage::turnKnob);
    connect(m_whatIfPanel, &WhatIfPanel::lossChunksChosen, this, &PlanPage::setLossChunks);
    connect(m_whatIfPanel, &WhatIfPanel::resetRequested, this, &PlanPage::resetKnobs);

    connect(&plans, &PlanService::planned, this, &PlanPage::planned);
    connect(m_whatIf, &WhatIfService::tracked, this, [this](const KnobTracks& tracks) {
        if (m_plan && !m_plan->problem)   // one that comes late is of a text that could be planned
            m_whatIfPanel->showTracks(tracks);
    });
    connect(m_tree, &StageTreeView::stepChosen, this, &PlanPage::chooseBranch);
    connect(m_tree, &StageTreeView::stepFocused, this, [this](int step) {
        const auto at = static_cast<std::size_t>(step);
        m_treeScroll->ensureVisible(0, static_cast<int>(m_tree->geometryForTest().steps[at].box.center().y()), 0, 40);
        if (m_plan && at < m_decision.choices.size())
            emit inspected(explainStep(*m_plan, m_decision, at));
    });
    const auto branchOf = [this](int row) {
        const int variant = m_bars->data().rows[static_cast<std::size_t>(row)].id;
        for (std::size_t i = 0; i < m_decision.choices.size(); ++i)
            if (variant >= 0 && m_decision.choices[i].variant == variant)
                return static_cast<int>(i);
        return -1;
    };
    connect(m_bars, &MemoryBarsView::lookedAt, m_barsScroll, [this](const QRectF& row) { m_barsScroll->ensureVisible(0, static_cast<int>(row.center().y()), 0, static_cast<int>(row.height())); });
    connect(m_bars, &MemoryBarsView::rowActivated, this, [this, branchOf](int row) { chooseBranch(branchOf(row)); });
    connect(m_bars, &MemoryBarsView::segmentActivated, this, [this](int row, int segment) {
        const MemoryBarRow& bar = m_bars->data().rows[static_cast<std::size_t>(row)];
        const QString id = bar.segments[static_cast<std::size_t>(segment)].id;
        if (!m_plan)
            return;
        const std::optional<Plan>& plan = bar.id < 0 ? m_plan->plan : m_plan->variants[static_cast<std::size_t>(bar.id)].plan;
        const LedgerRole* role = plan ? fullestRole(*plan) : nullptr;
        if (!role)
            return;
        for (const LedgerItem& item : role->items)
            if (QString::fromStdString(item.what) == id)
                return showItem(*role, item, bar.label);
        emit inspected(explainOverhead(*role, role->peak, id, bar.label, onGpus(*m_plan->workspace), m_plan->plan->fit ? m_plan->plan->fit->usable : 0));
    });
    const auto chosenName = [this] {
        const int chosen = m_plan ? chosenVariant(*m_plan) : -1;
        return chosen < 0 ? QString() : variantName(m_plan->variants[static_cast<std::size_t>(chosen)].id);
    };
    connect(m_ledger, &LedgerPanel::itemChosen, this, [this, chosenName](const LedgerRole& role, const LedgerItem& item) { showItem(role, item, chosenName()); });
    connect(m_ledger, &LedgerPanel::overheadChosen, this, [this, chosenName](const LedgerRole& role, const LedgerPeak& totals, const QString& id) {
        if (m_plan && m_plan->workspace)
            emit inspected(explainOverhead(role, totals, id, chosenName(), onGpus(*m_plan->workspace), m_plan->plan && m_plan->plan->fit ? m_plan->plan->fit->usable : 0));
    });
    connect(m_search, &PlanSearch::constrained, this, &Page::commandChanged);
    connect(m_search, &PlanSearch::inspected, this, &PlanPage::inspected);
    connect(m_traffic, &TrafficView::constrained, this, &Page::commandChanged);
    connect(m_traffic, &TrafficView::inspected, this, &PlanPage::inspected);
    if (theme::Theme::instance())
        connect(theme::Theme::instance(), &theme::Theme::changed, this, &PlanPage::recolour);
    recolour();
    retranslate();
    resetLayout();
}

QString PlanPage::name() const
{
    return tr("Plan");
}

InspectorContent PlanPage::overview() const
{
    if (!m_plan)
        return {};
    InspectorContent content = explainStage(*m_plan);
    auto* self = const_cast<PlanPage*>(this);   // buttons act later
    std::vector<InspectorSection> cards = leverCards(*m_plan, [self](const Lever& lever) { self->previewLever(lever); }, [self](const Lever& lever) { self->applyLever(lever); });
    // What would make it fit comes before why it does not.
    const bool fits = m_plan->plan && (!m_plan->plan->fit || m_plan->plan->fit->verdict == Fit::Verdict::Yes);
    content.sections.insert(content.sections.begin() + (content.sections.empty() || !fits ? 0 : 1), std::make_move_iterator(cards.begin()), std::make_move_iterator(cards.end()));
    return content;
}

void PlanPage::explain(const QString& figure)
{
    if (m_plan)
        emit inspected(explainFigure(*m_plan, figure, [this](const QString& id) { emit forgetRequested(id); }));
}

void PlanPage::showItem(const LedgerRole& role, const LedgerItem& item, const QString& where)
{
    emit inspected(explainItem(role, item, where));
}

void PlanPage::resetLayout()
{
    m_rows->setSizes({320, 340});
    m_top->setSizes({580, 460});   // the tree has whole sentences
    m_bottom->setSizes({620, 400});
    m_search->resetLayout();
    m_traffic->resetLayout();
}

void PlanPage::planned()
{
    endPreview();
    m_plan = m_plans.current();
    m_search->setPlan(m_plan);
    m_traffic->setPlan(m_plan);
    emit titleChanged();
    emit commandChanged();
    if (!m_plan) {
        m_ground.reset();
        m_ledger->show(nullptr);
        return;
    }
    for (QWidget* control : {static_cast<QWidget*>(m_behaviour), static_cast<QWidget*>(m_treeTab), static_cast<QWidget*>(m_searchTab), static_cast<QWidget*>(m_trafficTab)})
        control->setEnabled(m_plan->workspace.has_value());
    m_behaviour->setCurrentIndex(m_plan->workspace ? m_behaviour->findData(QString::fromStdString(m_plan->workspace->framework.name)) : -1);
    showTree();
    showKnobs();
    if (m_plan->problem) {
        // Nothing of the last plan stays: what it said was of another text.
        m_bars->setState(ChartWidget::State::Failed, tr("No plan while the workspace has errors."));
        m_bars->setData({});
        m_bars->markDirty();
        m_bars->frameTick();
        m_barsPanel->header()->setSubtitle({});
        m_ledger->show(nullptr);
        m_ledgerPanel->header()->setSubtitle({});
        m_legend->setEntries({});
        m_whatIfPanel->showTracks({});
        return;
    }
    const MemoryBarsData bars = peakBars(*m_plan);
    m_bars->setState(bars.rows.empty() ? ChartWidget::State::Empty : ChartWidget::State::Ready, bars.rows.empty() ? whyNoLedger(*m_plan) : QString());
    m_bars->setData(bars);
    const bool gpus = m_plan->workspace && onGpus(*m_plan->workspace);
    const bool states = m_plan->plan && statesAlone(*m_plan->plan);
    m_barsPanel->header()->setTitle(states ? (gpus ? tr("Model states per GPU") : tr("Model states per rank")) : gpus ? tr("Memory per GPU at the peak") : tr("Memory per rank at the peak"));
    m_barsPanel->header()->setSubtitle(bars.unit);
    m_legend->setEntries(legendOf(bars));
    const LedgerRole* role = m_plan->plan ? fullestRole(*m_plan->plan) : nullptr;
    m_ledger->show(role, gpus, role ? QString() : whyNoLedger(*m_plan));
    const int chosen = chosenVariant(*m_plan);
    if (role) {
        QStringList about;
        if (chosen >= 0)
            about << variantName(m_plan->variants[static_cast<std::size_t>(chosen)].id);
        if (m_plan->plan->ledger->size() > 1)
            about << tr("fullest of %n pipeline stages: %1", nullptr, static_cast<int>(m_plan->plan->ledger->size())).arg(QString::fromStdString(role->role));
        about << tr("ranks alike: %1").arg(count(role->ranks));
        m_ledgerPanel->header()->setSubtitle(clauseText(about));
    } else {
        m_ledgerPanel->header()->setSubtitle({});
    }
    if (!role)
        m_whatIfPanel->showTracks({});   // those of the plan before are of another model
    m_whatIf->request(m_plans.text(), m_plans.folder(), m_plan);
}

void PlanPage::showKnobs()
{
    // A value that cannot be planned must not take away the slider that leads back from it.
    const bool turnedWrong = m_plan->problem && m_ground && !m_turnedText.empty() && m_turnedText == m_plans.text();
    if (!turnedWrong)
        m_ground = m_plan;
    // A plan that is late knows less than the sliders do: it must not take back what the next key starts from.
    if (!turnedWrong && !m_plans.isBusy()) {
        m_turnedTo = {};
        m_turnedText.clear();
        m_whatIfPanel->show(*m_plan);
    }
    tellReset();
}

void PlanPage::showTree()
{
    m_decision = m_plan->problem ? DecisionTree() : decisionTree(*m_plan);
    if (m_plan->problem)
        m_tree->setState(ChartWidget::State::Failed, errorText(*m_plan->problem));
    else if (m_decision.steps.empty())
        m_tree->setState(ChartWidget::State::Empty, m_plan->plan && m_plan->plan->ledger && !m_plan->plan->fit ? tr("How much memory the device has is not known: which stage fits cannot be told.") : whyNoLedger(*m_plan));
    else
        m_tree->setState(ChartWidget::State::Ready);
    m_tree->setSteps(m_decision.steps);
    m_tree->setMinimumHeight(m_decision.steps.empty() ? 0 : 20 + 56 * static_cast<int>(m_decision.steps.size()));
    m_tree->frameTick();
    seekAnswer();
    QStringList rules;
    for (const RuleSentence& rule : rulesOfThumb(*m_plan))
        rules << sentencesText({rule.rule, rule.here});
    m_rule->setText(rules.join(QLatin1Char('\n')));
    m_rule->setVisible(!rules.isEmpty());
    const bool zero = !m_plan->workspace || (m_plan->workspace->framework.name != "megatron" && m_plan->workspace->framework.name != "fsdp2");
    m_treePanel->header()->setTitle(zero ? tr("ZeRO stage") : tr("Sharding"));
    m_treePanel->header()->setSubtitle(m_decision.steps.empty() ? QString() : tr("walked with this model and hardware"));
}

void PlanPage::setStage(int stage)
{
    turnKnob(Knob::Stage, stage, true);
}

void PlanPage::chooseBranch(int step)
{
    if (!m_plan || step < 0 || step >= static_cast<int>(m_decision.choices.size()))
        return;
    const DecisionTree::Choice choice = m_decision.choices[static_cast<std::size_t>(step)];
    if (!choice.edits.empty())
        applyAsOneStep(m_document, choice.edits, choice.name);
}

void PlanPage::setBehaviour(const QString& framework)
{
    if (!m_plan || !m_plan->workspace || m_plan->workspace->framework.name == framework.toStdString())
        return;
    const BehaviourChange change = changeBehaviour(*m_plan->workspace, framework.toStdString());
    applyAsOneStep(m_document, change.edits, stepName([from = QString::fromStdString(m_plan->workspace->framework.name), framework] {
        return tr("Behaviour of %1 → %2").arg(behaviourName(from), behaviourName(framework));
    }));
    if (!change.lost.empty())
        emit stepNoted(notCarriedText(framework, change.lost));
}

void PlanPage::turnKnob(Knob knob, std::int64_t value, bool settled)
{
    if (!m_ground || m_ground->problem)
        return;
    if (m_turnedText != m_plans.text())
        m_turnedTo = {};   // something else was changed meanwhile
    auto& turned = m_turnedTo.at(static_cast<std::size_t>(knob));
    const auto now = turned ? turned : knobValue(*m_ground, knob);
    auto& from = m_turnedFrom.at(static_cast<std::size_t>(knob));
    if (!from)
        from = now;
    const QString name = stepName([knob, begin = *from, value] { return WhatIfPanel::turnName(knob, begin, value); });
    const auto edits = knobEdits(m_plans.text(), *m_ground, knob, value, m_turnedTo);
    // One drag is one step: all its edits share a merge id, the next drag has another.
    const int mergeId = 1000 + (static_cast<int>(knob) + kKnobCount * m_drag) % 1'000'000;
    if (settled) {
        ++m_drag;
        from.reset();
    }
    // While a plan is on its way the one shown may be older than the text: then the text decides whether there is anything to change.
    if (now == value && !m_plans.isBusy())
        return;
    if (!applyAsOneStep(m_document, edits, name, mergeId))
        return;
    turned = value;
    m_turnedText = m_plans.text();
}

void PlanPage::setLossChunks(int chunks)
{
    const int now = m_plan && m_plan->workspace ? m_plan->workspace->layout.lossChunks : 1;
    applyAsOneStep(m_document, {{"/layout/lossChunks", chunks > 1 ? std::to_string(chunks) : std::string()}}, stepName([now, chunks] { return tr("Chunks of the loss %1 → %2").arg(now).arg(chunks); }));
}

void PlanPage::applyLever(const Lever& lever)
{
    endPreview();
    applyAsOneStep(m_document, leverEdits(lever), stepName([lever] { return leverName(lever); }));
}

void PlanPage::previewLever(const Lever& lever)
{
    if (!m_plan || !m_plan->workspace)
        return;
    endPreview();
    m_preview = lever;
    m_previewKeys->start();
    const QPointer<PlanPage> self(this);
    QThreadPool::globalInstance()->start([self, asked = ++m_previews, text = withEdits(m_plan->text, leverEdits(lever)), folder = m_plan->folder, name = leverName(lever)] {
        auto made = std::make_shared<const PlanSet>(planText(text, folder, PlanDepth::One));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, asked, made, name] {
                if (!self || asked != self->m_previews || !made->plan)
                    return;
                self->m_bars->setPreview(peakBar(*made->plan, name));
                self->m_previewed = made;
                self->tellPreview();
            },
            Qt::QueuedConnection);
    });
}

void PlanPage::endPreview()
{
    ++m_previews;
    if (!std::exchange(m_preview, std::nullopt))
        return;
    m_previewKeys->stop();
    m_previewed.reset();
    m_bars->setPreview(std::nullopt);
    emit previewed(nullptr, false);
}

void PlanPage::tellPreview()
{
    if (m_previewed)
        emit previewed(m_previewed, m_previewKeys->enterApplies());
}

void PlanPage::markSaved()
{
    const auto whole = selfContained(m_document.text(), m_document.configFileText());
    m_savedText = whole.hasValue() ? *whole : std::string();
    tellReset();
}

void PlanPage::tellReset() { m_whatIfPanel->tellReset(selfContained(m_document.text(), m_document.configFileText()), m_savedText); }

void PlanPage::resetKnobs()
{
    if (const auto edits = resetEdits(m_plans.text(), m_savedText); !edits.empty())
        applyAsOneStep(m_document, edits, stepName([] { return tr("What-if sliders reset"); }));
}

void PlanPage::recolour()
{
    m_bars->setColors(chartColors());
    m_tree->setColors(chartColors());
    m_bars->markDirty();
    m_bars->frameTick();
    m_tree->markDirty();
    m_tree->frameTick();
    m_legend->update();
    m_search->recolour();
}

void PlanPage::retranslate()
{
    m_choose->setText(tr("Model and hardware…"));
    m_choose->setToolTip(tr("Choose model and hardware"));
    m_behaviourName->setText(tr("Behaviour of"));
    m_behaviour->setAccessibleName(tr("Framework whose behaviour is forecast"));
    m_behaviour->setToolTip(m_behaviour->accessibleName());
    for (int i = 0; i < m_behaviour->count(); ++i)
        m_behaviour->setItemText(i, behaviourName(m_behaviour->itemData(i).toString()));
    m_treeTab->setText(tr("Tree"));
    m_treeTab->setToolTip(tr("The decision, step by step"));
    m_searchTab->setText(tr("Search"));
    m_searchTab->setToolTip(tr("Every legal layout, ranked by time"));
    m_trafficTab->setText(tr("Traffic"));
    m_trafficTab->setToolTip(tr("What a step moves, by kind, group and link"));
    m_treePanel->header()->setTitle(tr("ZeRO stage"));
    m_tree->setAccessibleName(tr("ZeRO stage decision"));
    m_barsPanel->header()->setTitle(tr("Memory per rank at the peak"));
    m_bars->setAccessibleName(tr("Memory per rank at the peak"));
    m_ledgerPanel->header()->setTitle(tr("Ledger"));
    m_copyLedger->setToolTip(tr("Copy the ledger as a table (Ctrl+C)"));
    m_copyLedger->setAccessibleName(m_copyLedger->toolTip());
    m_whatIfPanel->retranslate();
    m_ledger->retranslate();
    m_search->retranslate();
    m_traffic->retranslate();
    if (m_plan)
        planned();
    emit titleChanged();
}

void PlanPage::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    Page::changeEvent(event);
}

void PlanPage::hideEvent(QHideEvent* event)
{
    // Its keys and its bar are of this page alone: what another page shows is the workspace as it is.
    if (!event->spontaneous())
        endPreview();
    Page::hideEvent(event);
}

void PlanPage::keyPressEvent(QKeyEvent* event)
{
    // What a field had no use for.
    if (event->key() == Qt::Key_Escape && m_preview)
        endPreview();
    else
        Page::keyPressEvent(event);
}

}  // namespace stagecraft::app
