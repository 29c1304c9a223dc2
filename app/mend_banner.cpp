// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mend_banner.h"

#include "app/core_errors.h"
#include "app/session/workspace_document.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

MendBanner::MendBanner(QWidget* parent) : QWidget(parent), m_words(new ToneLabel(Role::Body, Token::Error, this)), m_button(new QPushButton(this))
{
    setObjectName(QStringLiteral("mendBanner"));
    auto* mark = new QLabel(this);
    mark->setPixmap(theme::icon(QStringLiteral("dialog-error"), Token::Error).pixmap(QSize(16, 16), devicePixelRatioF()));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 12, 4);
    row->setSpacing(8);
    row->addWidget(mark);
    row->addWidget(m_words, 1);
    row->addWidget(m_button);
    m_words->setElided(true);
    m_button->setObjectName(QStringLiteral("mendButton"));
    m_button->setProperty("compact", true);
    setFixedHeight(34);
    connect(m_button, &QPushButton::clicked, this, &MendBanner::mendRequested);
    hide();
}

void MendBanner::look(const WorkspaceDocument& document, const QString& why, bool planFails, bool onConfig)
{
    QString reason = why;
    if (reason.isEmpty() && (document.isBroken() || planFails))
        if (const auto problem = document.textProblem())
            reason = errorText(*problem);
    QString words;
    if (document.isBroken()) {
        const QString what = reason.isEmpty() ? tr("%1 is no JSON object, so no workspace.").arg(document.title()) : tr("%1 cannot be read: %2").arg(document.title(), reason);
        words = onConfig ? tr("%1 Text has the whole file until it can be read.").arg(what) : what;
    } else if (document.isOpen() && !onConfig && !reason.isEmpty()) {
        words = tr("The ds_config of %1 cannot be read: %2").arg(document.title(), reason);
    }
    m_words->setText(words);
    m_words->setToolTip(words);
    m_button->setText(tr("Mend in Config"));
    m_button->setToolTip(tr("Shows the text on the Config page, at the place that cannot be read"));
    m_button->setVisible(!onConfig);
    setVisible(!words.isEmpty());
}

QString MendBanner::sentence() const
{
    return m_words->text();
}

void MendBanner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::ErrorTint));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft::app
