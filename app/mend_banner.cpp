// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/mend_banner.h"

#include "app/core_errors.h"
#include "app/session/workspace_document.h"

#include <QPushButton>

namespace stagecraft::app {

using theme::Token;

MendBanner::MendBanner(QWidget* parent) : Banner({QStringLiteral("dialog-error"), Token::Error, Token::Error, Token::ErrorTint}, parent)
{
    setObjectName(QStringLiteral("mendBanner"));
    button()->setObjectName(QStringLiteral("mendButton"));
    connect(button(), &QPushButton::clicked, this, &MendBanner::mendRequested);
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
        const bool stopped = what.endsWith(u'.') || what.endsWith(u'。');
        words = onConfig ? tr("%1. Text has the whole file until it can be read.").arg(stopped ? what.chopped(1) : what) : what;
    } else if (document.isOpen() && !onConfig && !reason.isEmpty()) {
        words = (document.isConfigAlone() ? tr("%1 cannot be read: %2") : tr("The ds_config of %1 cannot be read: %2")).arg(document.title(), reason);
    }
    say(words, words);
    button()->setText(tr("Mend in Config"));
    button()->setToolTip(tr("Shows the text on the Config page, at the place that cannot be read"));
    button()->setVisible(!onConfig);
    setVisible(!words.isEmpty());
}

}  // namespace stagecraft::app
