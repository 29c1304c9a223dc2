// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/output_panels.h"

#include "widgets/config_fix.h"
#include "widgets/icons.h"
#include "widgets/panel.h"
#include "widgets/theme.h"

#include <QAction>
#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTime>
#include <QToolButton>
#include <QTreeWidget>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

OutputPanels::OutputPanels(QWidget* parent)
    : QStackedWidget(parent), m_logPanel(new stagecraft::Panel(QString(), this)), m_log(new QPlainTextEdit), m_findingsPanel(new stagecraft::Panel(QString(), this)),
      m_findings(new QTreeWidget), m_commandPanel(new stagecraft::Panel(QString(), this)), m_pageLabel(new QLabel), m_launchLabel(new QLabel), m_command(new QLineEdit), m_launch(new QLineEdit)
{
    m_log->setReadOnly(true);
    m_log->setFont(theme::font(Role::FixedSmall));
    m_log->setMaximumBlockCount(2000);
    m_log->setFrameShape(QFrame::NoFrame);
    m_logPanel->setContent(m_log);

    m_findings->setColumnCount(4);
    m_findings->setRootIsDecorated(false);
    m_findings->setUniformRowHeights(true);
    m_findings->setAlternatingRowColors(true);
    m_findings->setFrameShape(QFrame::NoFrame);
    m_findings->header()->setStretchLastSection(true);
    m_findingsPanel->setContent(m_findings);
    connect(m_findings, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { emit findingActivated(item->data(0, Qt::UserRole).toString()); });

    auto* holder = new QWidget;
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(12, 8, 12, 8);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(6);
    const auto addRow = [grid](int row, QLabel* label, QLineEdit* line) {
        line->setReadOnly(true);
        line->setFont(theme::font(Role::Fixed));
        label->setBuddy(line);
        grid->addWidget(label, row, 0);
        grid->addWidget(line, row, 1);
    };
    addRow(0, m_pageLabel, m_command);
    addRow(1, m_launchLabel, m_launch);
    grid->setRowStretch(2, 1);
    m_copyLaunch = m_launch->addAction(theme::icon(QStringLiteral("edit-copy")), QLineEdit::TrailingPosition);
    connect(m_copyLaunch, &QAction::triggered, this, [this] { emit copyRequested(m_launch->text()); });
    m_commandPanel->setContent(holder);
    m_copy = m_commandPanel->header()->addTool(QStringLiteral("edit-copy"), QString());
    connect(m_copy, &QToolButton::clicked, this, &OutputPanels::copyCommandRequested);
    setMinimumHeight(112);
    retranslate();
}

QWidget* OutputPanels::log() const { return m_logPanel; }
QWidget* OutputPanels::findings() const { return m_findingsPanel; }
QWidget* OutputPanels::command() const { return m_commandPanel; }

void OutputPanels::addLogLine(const QString& sentence, bool isError)
{
    m_log->appendPlainText(QStringLiteral("%1  %2  %3").arg(QTime::currentTime().toString(QStringLiteral("HH:mm:ss")), isError ? QStringLiteral("ERROR") : QStringLiteral("INFO "), sentence));
}

void OutputPanels::setFindings(const std::vector<FindingRow>& rows)
{
    if (rows == m_rows)
        return;
    m_rows = rows;
    m_findings->clear();
    for (const FindingRow& row : rows) {
        auto* item = new QTreeWidgetItem(m_findings, {QString(), ruleWords(row.rule), row.pointer, row.message});
        const bool error = row.severity == QLatin1String("error");
        const bool warning = row.severity == QLatin1String("warning");
        item->setIcon(0, theme::icon(error ? QStringLiteral("dialog-error") : warning ? QStringLiteral("dialog-warning") : QStringLiteral("dialog-information"),
                                     error ? Token::Error : warning ? Token::Warn : Token::Info));
        item->setData(0, Qt::UserRole, row.pointer);
        item->setData(0, Qt::AccessibleTextRole, row.severity);
        item->setFont(1, theme::font(Role::FixedSmall));
        item->setFont(2, theme::font(Role::FixedSmall));
        item->setToolTip(3, row.message);
        item->setSizeHint(0, QSize(28, 24));
    }
    for (int column = 0; column < 3; ++column)
        m_findings->resizeColumnToContents(column);
}

int OutputPanels::findingCount() const
{
    return m_findings->topLevelItemCount();
}

void OutputPanels::setSaved(bool saved)
{
    if (std::exchange(m_saved, saved) != saved)
        retranslate();
}

void OutputPanels::setCommands(const QString& ofPage, const QString& launch)
{
    const auto set = [](QLabel* label, QLineEdit* line, const QString& command) {
        label->setVisible(!command.isEmpty());
        line->setVisible(!command.isEmpty());
        if (line->text() == command)
            return;   // what is selected in it stays so
        line->setText(command);
        line->setCursorPosition(0);
    };
    set(m_pageLabel, m_command, ofPage);
    set(m_launchLabel, m_launch, launch);
}

void OutputPanels::retranslate()
{
    m_logPanel->header()->setTitle(tr("Log"));
    m_logPanel->header()->setSubtitle(tr("what this window did"));
    m_log->setAccessibleName(tr("Log of the window"));
    m_findingsPanel->header()->setTitle(tr("Findings"));
    m_findingsPanel->header()->setSubtitle(tr("of the plan and the ds_config; Enter goes to the place"));
    m_findings->setHeaderLabels({QString(), tr("Rule"), tr("Place"), tr("Finding")});
    m_findings->setAccessibleName(tr("Findings of the plan and the ds_config"));
    m_commandPanel->header()->setTitle(tr("Command"));
    m_commandPanel->header()->setSubtitle(m_saved ? tr("does the same in a terminal") : tr("does the same in a terminal, once the workspace is saved"));
    m_pageLabel->setText(tr("This page"));
    m_launchLabel->setText(tr("Launch"));
    m_command->setAccessibleName(tr("Command line of this page"));
    m_launch->setAccessibleName(tr("Command line of Launch"));
    m_copyLaunch->setText(tr("Copy the command line of Launch"));
    m_copyLaunch->setToolTip(m_copyLaunch->text());
    m_copy->setToolTip(tr("Copy the command line (Ctrl+Shift+C)"));
    m_copy->setAccessibleName(m_copy->toolTip());
}

void OutputPanels::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        retranslate();
    QStackedWidget::changeEvent(event);
}

}  // namespace stagecraft::app
