// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/traffic_view.h"

#include "app/core_errors.h"
#include "app/fact_table.h"
#include "app/formats.h"
#include "app/plan_service.h"
#include "app/traffic_words.h"
#include "visualizers/list_text.h"
#include "widgets/panel.h"
#include "widgets/tone_label.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QLineEdit>
#include <QPointer>
#include <QSignalBlocker>
#include <QSplitter>
#include <QThreadPool>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

TrafficFacts trafficFacts(const PlanSet& plan)
{
    if (!plan.workspace || plan.problem)
        return {};
    return {planTraffic(*plan.workspace, machineContext()), redundancyOf(*plan.workspace), gradientExchange(*plan.workspace)};
}

namespace {

QWidget* columnOf(std::initializer_list<QWidget*> parts)
{
    auto* made = new QWidget;
    auto* column = new QVBoxLayout(made);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    for (QWidget* part : parts)
        column->addWidget(part, part->property("grows").toBool() ? 1 : 0);
    return made;
}

ToneLabel* noteLabel()
{
    auto* note = new ToneLabel(Role::Small, Token::Text2);
    note->setWordWrap(true);
    note->setContentsMargins(12, 5, 12, 6);
    note->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return note;
}

FactTable* growingTable(const char* name)
{
    auto* table = new FactTable;
    table->setObjectName(QString::fromLatin1(name));
    table->setProperty("grows", true);
    return table;
}

}  // namespace

TrafficView::TrafficView(QWidget* parent)
    : QWidget(parent), m_split(new QSplitter(Qt::Horizontal, this)), m_right(new QSplitter(Qt::Vertical, m_split)), m_itemsPanel(new Panel({}, m_split)), m_linksPanel(new Panel({}, m_right)),
      m_copiesPanel(new Panel({}, m_right)), m_exchangePanel(new Panel({}, m_right)), m_items(growingTable("trafficItems")), m_links(growingTable("trafficLinks")), m_copies(growingTable("stateCopies")),
      m_exchange(growingTable("gradientExchange")), m_sums(noteLabel()), m_empty(noteLabel()), m_exchangeNote(noteLabel()), m_choice(new QComboBox)
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_split);
    m_split->insertWidget(0, m_itemsPanel);
    for (QSplitter* splitter : {m_split, m_right})
        splitter->setChildrenCollapsible(false);
    m_itemsPanel->setContent(columnOf({m_empty, m_items, m_sums}));
    m_itemsPanel->setMinimumWidth(360);
    // Their words are in the inspector and the tip too: kind, link, bytes and time stay.
    m_items->setDispensable({4, 2, 1});
    m_linksPanel->setContent(m_links);
    m_copiesPanel->setContent(m_copies);
    m_exchangePanel->setContent(columnOf({m_exchange, m_exchangeNote}));
    m_right->setMinimumWidth(320);
    m_choice->setObjectName(QStringLiteral("exchangeLink"));
    m_choice->setEditable(true);
    m_choice->setInsertPolicy(QComboBox::NoInsert);
    m_choice->setFixedHeight(22);
    m_choice->setMinimumWidth(150);
    m_exchangePanel->header()->addWidget(m_choice);
    connect(m_choice, &QComboBox::activated, this, [this](int index) { setLink(m_choice->itemData(index).toString()); });
    connect(m_choice->lineEdit(), &QLineEdit::returnPressed, this, [this] {
        const int known = m_choice->findText(m_choice->currentText());
        setLink(known >= 0 ? m_choice->itemData(known).toString() : m_choice->currentText().trimmed());
    });
    connect(m_items, &FactTable::rowChosen, this, [this](int row) {
        if (m_facts && m_facts->traffic && row < static_cast<int>(m_facts->traffic->items.size()))
            emit inspected(explainTraffic(m_facts->traffic->items[static_cast<std::size_t>(row)]));
    });
    retranslate();
    resetLayout();
}

void TrafficView::setPlan(const std::shared_ptr<const PlanSet>& plan)
{
    m_plan = plan;
    m_fresh = false;
    if (!plan || plan->problem) {
        // Nothing of a plan that is no more stays, seen or not.
        ++m_asked;
        m_fresh = true;
        m_facts.reset();
        show();
        return;
    }
    if (isVisible())
        count();
}

void TrafficView::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    count();
}

void TrafficView::count()
{
    if (std::exchange(m_fresh, true))
        return;
    if (!m_plan)
        return;
    ++m_asked;
    const QPointer<TrafficView> self(this);
    QThreadPool::globalInstance()->start([self, asked = m_asked, plan = m_plan] {
        auto facts = std::make_shared<TrafficFacts>(trafficFacts(*plan));
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [self, asked, facts] {
                if (!self || asked != self->m_asked)
                    return;
                self->m_facts = std::move(*facts);
                self->show();
            },
            Qt::QueuedConnection);
    });
}

void TrafficView::show()
{
    const Traffic* traffic = m_facts && m_facts->traffic ? &*m_facts->traffic : nullptr;
    const bool problem = m_plan && m_plan->problem;
    m_items->facts().setRows(traffic ? trafficRows(*traffic) : std::vector<FactRow>());
    m_links->facts().setRows(traffic ? linkRows(*traffic) : std::vector<FactRow>());
    m_itemsPanel->header()->setSubtitle(traffic ? trafficSubtitle(*traffic) : QString());
    m_linksPanel->header()->setSubtitle(traffic && !traffic->links.empty() ? tr("sums of one rank") : QString());
    const QStringList sums = traffic ? trafficSums(*traffic) : QStringList();
    m_sums->setText(sentencesText(sums));
    m_sums->setVisible(!sums.isEmpty());
    QString empty;
    if (problem)
        empty = tr("No plan while the workspace has errors.");
    else if (m_facts && !traffic)
        empty = tr("Traffic cannot be counted for this model; the findings say why.");
    else if (traffic && traffic->items.empty())
        empty = traffic->ranks <= 1 ? tr("One rank, nothing offloaded: a step moves nothing between ranks, host or files.") : tr("A step moves nothing between ranks, host or files.");
    m_empty->setText(empty);
    m_empty->setVisible(!empty.isEmpty());
    m_copies->facts().setRows(m_facts && m_facts->redundancy ? copyRows(*m_facts->redundancy) : std::vector<FactRow>());
    m_copiesPanel->header()->setSubtitle(m_facts && !m_facts->redundancy && !problem ? tr("not counted for Megatron-LM, FSDP2 and adapters, or without a parameter count") : QString());
    showExchange();
}

void TrafficView::showExchange()
{
    std::vector<GradientExchange::Row> rows;
    QString note;
    if (m_facts && m_facts->exchange) {
        const GradientExchange& e = *m_facts->exchange;
        rows = e.links;
        note = exchangeSubtitle(e);
        if (!m_link.isEmpty()) {
            rows.clear();
            if (const auto link = findLink(m_link.toStdString()); link.hasValue())
                rows.push_back(e.over(*link));
            else
                note = errorText(link.error());
        }
    }
    m_exchange->facts().setRows(exchangeRows(rows));
    m_exchangeNote->setText(note);
    m_exchangeNote->setVisible(!note.isEmpty());
}

void TrafficView::setLink(const QString& word)
{
    m_link = word;
    const QSignalBlocker quiet(m_choice);
    const int known = m_choice->findData(word);
    if (known >= 0)
        m_choice->setCurrentIndex(known);
    else
        m_choice->setEditText(word);
    showExchange();
    emit constrained();
}

QString TrafficView::commandOptions() const
{
    return m_link.isEmpty() || !findLink(m_link.toStdString()).hasValue() ? QString() : QStringLiteral(" --link ") + shellQuoted(m_link);
}

void TrafficView::resetLayout()
{
    m_split->setSizes({620, 400});
    m_right->setSizes({130, 150, 320});
}

void TrafficView::retranslate()
{
    m_itemsPanel->header()->setTitle(tr("Traffic of one step"));
    m_linksPanel->header()->setTitle(tr("Links"));
    m_copiesPanel->header()->setTitle(tr("Copies"));
    m_exchangePanel->header()->setTitle(tr("One exchange of gradients"));
    m_items->setAccessibleName(tr("Traffic of one step"));
    m_links->setAccessibleName(tr("Traffic by link"));
    m_copies->setAccessibleName(tr("Copies of the model states"));
    m_exchange->setAccessibleName(tr("One exchange of gradients, by link"));
    m_items->facts().setHeaders(trafficHeaders(), 4);
    m_links->facts().setHeaders(linkHeaders(), 1);
    m_copies->facts().setHeaders(copyHeaders(), 1);
    m_exchange->facts().setHeaders(exchangeHeaders(), 1);
    {
        const QSignalBlocker quiet(m_choice);
        m_choice->clear();
        m_choice->addItem(tr("All known links"), QString());
        for (const LinkSheet& link : linkSheets())
            m_choice->addItem(QString::fromStdString(link.name), QString::fromStdString(link.id));
    }
    m_choice->setAccessibleName(tr("Link that the gradients go over"));
    m_choice->setToolTip(tr("A known link, or a rate of one direction: 400Gbps, 8x200Gbps, 50GB/s"));
    setLink(QString(m_link));
    show();
}

}  // namespace stagecraft::app
