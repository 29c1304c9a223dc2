// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/optimizer_row.h"

#include "widgets/config_model.h"

#include <QPushButton>

#include <algorithm>

namespace stagecraft {

OptimizerRow::OptimizerRow(ConfigModel& config, QWidget* parent)
    : NoticeRow(QStringLiteral("dialog-information"), theme::Token::Info, parent), m_config(config), m_choose(addButton(QStringLiteral("scriptsOptimizer")))
{
    connect(m_choose, &QPushButton::clicked, this, [this] { emit optimizerRequested(m_config.context().optimizer.empty()); });
    connect(&config, &ConfigModel::changed, this, &OptimizerRow::refresh);
    refresh();
}

void OptimizerRow::refresh()
{
    const bool given = !m_config.context().optimizer.empty();
    const auto& findings = m_config.answer().findings;
    const bool lacking = std::any_of(findings.begin(), findings.end(), [](const CheckFinding& finding) { return finding.rule == "R31" && finding.severity == CheckSeverity::Error; });
    setVisible(!m_config.syntaxError() && (given || lacking));
    setWords(given ? tr("Judged with an optimizer of your script: %1.").arg(QString::fromStdString(m_config.context().optimizer))
                   : tr("The file names no optimizer. A training script can give its own to deepspeed.initialize, which the file does not show."));
    m_choose->setText(given ? tr("The script gives none") : tr("The script gives one"));
    m_choose->setToolTip(given ? tr("Judges the file by itself again; one undo step")
                               : tr("Judges the file with AdamW of your script. Kept in the workspace as launch.optimizer, where another class can be named; one undo step"));
}

}  // namespace stagecraft
