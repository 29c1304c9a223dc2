// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/engine_row.h"

#include <QPushButton>

namespace stagecraft {

EngineRow::EngineRow(QWidget* parent) : NoticeRow(QStringLiteral("dialog-warning"), theme::Token::Warn, parent), m_deepSpeed(addButton(QStringLiteral("planWithDeepSpeed")))
{
    connect(m_deepSpeed, &QPushButton::clicked, this, &EngineRow::deepSpeedRequested);
    hide();
    refresh();
}

void EngineRow::setRefusal(const QString& sentence, bool byDeepSpeed)
{
    setWords(sentence);
    m_deepSpeed->setVisible(byDeepSpeed);
    setVisible(!sentence.isEmpty());
}

void EngineRow::refresh()
{
    m_deepSpeed->setText(tr("Plan with DeepSpeed"));
    m_deepSpeed->setToolTip(tr("Forecasts and launches follow DeepSpeed instead of our engine; one undo step"));
}

}  // namespace stagecraft
