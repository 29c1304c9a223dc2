// SPDX-License-Identifier: GPL-3.0-or-later
// What stands over the Plan page, and which of its views is shown: the decision tree with its ledger, the search, the traffic.
#include "app/plan_page.h"

#include "app/formats.h"
#include "app/plan_search.h"
#include "app/run_flow.h"
#include "app/session/workspace_document.h"
#include "app/traffic_view.h"
#include "visualizers/stage_tree_view.h"
#include "widgets/tone_label.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

void PlanPage::makeControls()
{
    auto* row = new QHBoxLayout(m_controls);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_choose = new QPushButton(m_controls);
    m_choose->setObjectName(QStringLiteral("chooseSubject"));
    m_choose->setFixedHeight(24);
    connect(m_choose, &QPushButton::clicked, this, &PlanPage::activateSubject);
    m_behaviourName = new ToneLabel(Role::Body, Token::Text2, m_controls);
    m_behaviour = new QComboBox(m_controls);
    m_behaviour->setObjectName(QStringLiteral("behaviour"));
    m_behaviour->setFixedHeight(24);
    m_behaviour->setMinimumWidth(140);
    for (const char* framework : {"stagecraft", "deepspeed", "fsdp2", "megatron"})
        m_behaviour->addItem(QString(), QString::fromLatin1(framework));
    m_behaviourName->setBuddy(m_behaviour);
    m_treeTab = new QPushButton(m_controls);
    m_searchTab = new QPushButton(m_controls);
    m_trafficTab = new QPushButton(m_controls);
    auto* tabs = new QButtonGroup(this);
    auto* pair = new QHBoxLayout;
    pair->setSpacing(0);
    for (QPushButton* tab : {m_treeTab, m_searchTab, m_trafficTab}) {
        tab->setCheckable(true);
        tab->setFixedHeight(24);
        tabs->addButton(tab);
        pair->addWidget(tab);
    }
    m_treeTab->setChecked(true);
    row->addWidget(m_choose);
    row->addSpacing(4);
    row->addWidget(m_behaviourName);
    row->addWidget(m_behaviour);
    row->addSpacing(4);
    row->addLayout(pair);
    m_controls->hide();
    QScrollBar* bar = m_treeScroll->verticalScrollBar();
    connect(bar, &QScrollBar::actionTriggered, this, [this] { m_seeksAnswer = false; });
    connect(bar, &QScrollBar::rangeChanged, this, &PlanPage::bringAnswerIntoSight);
    connect(m_behaviour, &QComboBox::activated, this, [this](int index) { setBehaviour(m_behaviour->itemData(index).toString()); });
    connect(m_treeTab, &QPushButton::clicked, this, [this] { showSearch(false); });
    connect(m_searchTab, &QPushButton::clicked, this, [this] { showSearch(true); });
    connect(m_trafficTab, &QPushButton::clicked, this, &PlanPage::showTraffic);
}

void PlanPage::showSearch(bool search)
{
    (search ? m_searchTab : m_treeTab)->setChecked(true);
    m_tabs->setCurrentWidget(search ? static_cast<QWidget*>(m_search) : m_rows);
    if (search)
        m_search->activate();
    emit commandChanged();
}

void PlanPage::showTraffic()
{
    m_trafficTab->setChecked(true);
    m_tabs->setCurrentWidget(m_traffic);
    emit commandChanged();
}

QString PlanPage::command() const
{
    if (!m_document.isOpen() || m_document.path().empty())
        return {};   // the command line reads a file
    const QString file = QString::fromStdString(m_document.path().string());
    if (m_searchTab->isChecked())
        return QStringLiteral("stagecraft advise %1 %2 --json").arg(shellQuoted(file), m_search->commandOptions());
    return QStringLiteral("stagecraft plan %1%2 --json").arg(shellQuoted(file), m_trafficTab->isChecked() ? m_traffic->commandOptions() : QString());
}

void PlanPage::seekAnswer()
{
    const auto found = std::find_if(m_decision.steps.begin(), m_decision.steps.end(), [](const TreeStep& step) { return step.isAnswer; });
    const int answer = found == m_decision.steps.end() ? -1 : static_cast<int>(found - m_decision.steps.begin());
    if (answer == m_answer)
        return;
    m_answer = answer;
    m_seeksAnswer = answer >= 0;
    bringAnswerIntoSight();
}

void PlanPage::bringAnswerIntoSight()
{
    const auto& steps = m_tree->geometryForTest().steps;
    if (!m_seeksAnswer || m_answer >= static_cast<int>(steps.size()))
        return;
    const QRectF band = steps[static_cast<std::size_t>(m_answer)].band;
    m_treeScroll->ensureVisible(0, static_cast<int>(band.center().y()), 0, static_cast<int>(band.height() / 2));
}

}  // namespace stagecraft::app
