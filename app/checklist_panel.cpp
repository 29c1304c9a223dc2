// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checklist_panel.h"

#include "app/config_alone.h"
#include "app/core_errors.h"
#include "app/formats.h"
#include "app/plan_service.h"
#include "app/session/workspace_document.h"
#include "config/check.h"
#include "widgets/config_fix.h"
#include "widgets/config_model.h"
#include "widgets/inspector_section.h"
#include "widgets/panel.h"
#include "widgets/theme.h"
#include "workspace/workspace.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace stagecraft::app {

using theme::Token;

namespace {

constexpr int kButton = 270;   ///< widest words on a button: the panel is never wider than it asks for

InspectorReason reasonOf(const ChecklistItem& item)
{
    const QString text = QString::fromStdString(item.reason);
    switch (item.verdict) {
    case ChecklistItem::Verdict::Followed: return {QStringLiteral("emblem-ok"), Token::Ok, text};
    case ChecklistItem::Verdict::NotFollowed: return {QStringLiteral("dialog-warning"), Token::Warn, text};
    case ChecklistItem::Verdict::NotNeeded: return {QStringLiteral("emblem-ok"), Token::Text2, text};
    case ChecklistItem::Verdict::Unknown: break;
    }
    return {QStringLiteral("dialog-information"), Token::Text2, text};
}

QString fixWords(const ChecklistItem& item)
{
    CheckFinding finding;
    finding.pointer = item.pointer;
    finding.fix = item.fix;
    return QFontMetrics(theme::font(theme::Role::Small)).elidedText(fixLabel(finding), Qt::ElideMiddle, kButton);
}

}  // namespace

ChecklistPanel::ChecklistPanel(WorkspaceDocument& document, QWidget* parent)
    : SidePanel(parent), m_document(document), m_header(new PanelHeader(QString(), this)), m_scroll(new QScrollArea(this)), m_close(new QPushButton(this))
{
    setObjectName(QStringLiteral("checklistPanel"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_header);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(m_scroll, 1);
    auto* buttons = new QHBoxLayout;
    buttons->setContentsMargins(12, 8, 12, 8);
    buttons->addWidget(m_close);
    buttons->addStretch(1);
    column->addLayout(buttons);
    connect(m_close, &QPushButton::clicked, this, &ChecklistPanel::dismiss);
    connect(&document, &WorkspaceDocument::textChanged, this, [this] {
        if (isVisible())
            refresh();
    });
    connect(&document, &WorkspaceDocument::opened, this, [this] {
        if (isVisible())
            refresh();
    });
}

void ChecklistPanel::start()
{
    refresh();
    m_scroll->setFocus();
}

void ChecklistPanel::setAnswer(const CheckAnswer& answer)
{
    m_answer = answer;
    if (isVisible())
        refresh();
}

QString ChecklistPanel::command() const
{
    if (!m_document.isOpen() || m_document.path().empty())
        return {};   // the command line reads a file
    return QStringLiteral("stagecraft check %1 --checklist").arg(shellQuoted(QString::fromStdString(m_document.path().string())));
}

QPushButton* ChecklistPanel::fixButton(const QString& id) const
{
    const auto* card = m_scroll->widget() ? m_scroll->widget()->findChild<QWidget*>(id) : nullptr;
    return card ? card->findChild<QPushButton*>() : nullptr;
}

void ChecklistPanel::refresh()
{
    m_header->setTitle(tr("Checklist"));
    m_close->setText(tr("Close"));
    setAccessibleName(tr("Checklist"));
    m_items.clear();
    const bool assumed = assumedOf(m_document).any();
    QString problem;
    if (m_document.isOpen()) {
        const auto text = selfContained(m_document.text(), m_document.configFileText());
        auto workspace = text.hasValue() ? parseWorkspace(*text, m_document.folder()) : Result<Workspace>(text.error());
        if (workspace.hasValue())
            m_items = checkPractices(*workspace, machineContext(), contentLanguage().toStdString(), {assumed, m_answer ? &*m_answer : nullptr});
        else
            problem = errorText(workspace.error());
    }
    // What is missed comes first: that is what a checklist is read for.
    std::stable_partition(m_items.begin(), m_items.end(), [](const ChecklistItem& item) { return item.verdict == ChecklistItem::Verdict::NotFollowed; });
    const auto count = [this](ChecklistItem::Verdict verdict) { return std::count_if(m_items.begin(), m_items.end(), [verdict](const ChecklistItem& item) { return item.verdict == verdict; }); };
    const auto open = count(ChecklistItem::Verdict::NotFollowed);
    m_header->setSubtitle(m_items.empty() ? QString() : open == 0 && count(ChecklistItem::Verdict::Unknown) > 0 ? tr("%1 practices, %2 not judged").arg(m_items.size()).arg(count(ChecklistItem::Verdict::Unknown)) : open == 0 ? tr("%1 practices, none missed").arg(m_items.size()) : tr("%1 practices, %2 missed").arg(m_items.size()).arg(open));

    auto* body = new QWidget;
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    if (!problem.isEmpty()) {
        InspectorSection section;
        section.reasons.push_back({QStringLiteral("dialog-error"), Token::Error, problem});
        column->addWidget(new InspectorSectionView(section, body));
    }
    const bool all = !m_items.empty() && std::all_of(m_items.begin(), m_items.end(), [this](const ChecklistItem& item) { return item.reason == m_items.front().reason; });
    if (assumed && !m_items.empty() && !all) {
        InspectorSection section;
        section.reasons.push_back({QStringLiteral("dialog-information"), Token::Warn, tr("Model and hardware are assumed. What depends on them is judged once they are chosen.")});
        section.buttons.push_back({tr("Choose model and hardware"), [this] { QMetaObject::invokeMethod(this, &ChecklistPanel::subjectRequested, Qt::QueuedConnection); }});
        column->addWidget(new InspectorSectionView(section, body));
    }
    if (all) {   // what is said of all of them is said once
        InspectorSection section;
        section.reasons.push_back(reasonOf(m_items.front()));
        column->addWidget(new InspectorSectionView(section, body));
    }
    for (const ChecklistItem& item : all ? std::vector<ChecklistItem>() : m_items) {
        InspectorSection section;
        section.heading = QString::fromStdString(item.title);
        section.reasons.push_back(reasonOf(item));
        section.edge = Token::Warn;
        if (item.verdict == ChecklistItem::Verdict::NotFollowed && !item.fix.empty())
            section.buttons.push_back({fixWords(item), [this, item] {
                // Afterwards this button is another: the list is made anew from what the edit left.
                QMetaObject::invokeMethod(this, [this, item] {
                    emit fixRequested(QByteArray::fromStdString(item.fix), QString::fromStdString(item.title));
                    emit keyRequested(QString::fromStdString(item.pointer));
                }, Qt::QueuedConnection);
            }});
        else if (item.verdict == ChecklistItem::Verdict::NotFollowed && item.pointer.starts_with('/'))
            section.buttons.push_back({tr("Show the key"), [this, item] { emit keyRequested(QString::fromStdString(item.pointer)); }});
        auto* view = new InspectorSectionView(section, body);
        view->setObjectName(QString::fromStdString(item.id));
        column->addWidget(view);
    }
    column->addStretch(1);
    const int at = m_scroll->verticalScrollBar()->value();
    m_scroll->setWidget(body);
    body->setBackgroundRole(QPalette::Window);
    m_scroll->verticalScrollBar()->setValue(at);
}

void ChecklistPanel::changeEvent(QEvent* event)
{
    SidePanel::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && isVisible())
        refresh();
}

void ChecklistPanel::showEvent(QShowEvent* event)
{
    SidePanel::showEvent(event);
    refresh();
}

}  // namespace stagecraft::app
