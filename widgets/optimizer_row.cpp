// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/optimizer_row.h"

#include "widgets/config_model.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace stagecraft {

using theme::Role;
using theme::Token;

OptimizerRow::OptimizerRow(ConfigModel& config, QWidget* parent)
    : QWidget(parent), m_config(config), m_mark(new QLabel(this)), m_words(new ToneLabel(Role::Body, Token::Text, this)), m_choose(new QPushButton(this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_mark);
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(m_words, 1);
    m_choose->setProperty("compact", true);
    m_choose->setObjectName(QStringLiteral("scriptsOptimizer"));
    row->addWidget(m_choose);
    connect(m_choose, &QPushButton::clicked, this, [this] { emit optimizerRequested(m_config.context().optimizer.empty()); });
    connect(&config, &ConfigModel::changed, this, &OptimizerRow::refresh);
    showMark();
    refresh();
}

void OptimizerRow::refresh()
{
    const bool given = !m_config.context().optimizer.empty();
    const auto& findings = m_config.answer().findings;
    const bool lacking = std::any_of(findings.begin(), findings.end(), [](const CheckFinding& finding) { return finding.rule == "R31" && finding.severity == CheckSeverity::Error; });
    const bool shown = !m_config.syntaxError() && (given || lacking);
    setVisible(shown);
    m_words->setText(given ? tr("Judged with an optimizer of your script: %1.").arg(QString::fromStdString(m_config.context().optimizer))
                           : tr("The file names no optimizer. A training script can give its own to deepspeed.initialize, which the file does not show."));
    m_choose->setText(given ? tr("The script gives none") : tr("The script gives one"));
    m_choose->setToolTip(given ? tr("Judges the file by itself again; one undo step")
                               : tr("Judges the file with AdamW of your script. Kept in the workspace as launch.optimizer, where another class can be named; one undo step"));
}

void OptimizerRow::showMark()
{
    m_mark->setPixmap(theme::iconPixmap(QStringLiteral("dialog-information"), theme::color(Token::Info), 14, devicePixelRatioF()));
}

void OptimizerRow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showMark();
    if (event->type() == QEvent::LanguageChange)
        refresh();
}

}  // namespace stagecraft
