// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/recovery_banner.h"

#include "app/session/recovery_journal.h"
#include "app/session/workspace_document.h"
#include "config/json_document.h"
#include "widgets/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <QToolButton>

namespace stagecraft::app {

using theme::Token;

namespace {

/// The ds_config inside a workspace as it is spelled; all of a text that cannot be read, which is mended where the ds_config is shown.
std::string configIn(const std::string& text)
{
    const auto document = JsonDocument::parse(text);
    const int at = document.hasValue() ? document->find("/dsConfig") : -1;
    return !document.hasValue() ? text : at < 0 ? std::string() : std::string(document->spelling(at));
}

}  // namespace

RecoveryBanner::RecoveryBanner(WorkspaceDocument& document, QWidget* parent)
    : Banner({QStringLiteral("dialog-information"), Token::Info, Token::Info, Token::InfoTint}, parent), m_document(document), m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("recoveryBanner"));
    button()->setObjectName(QStringLiteral("compareRecovered"));
    m_close->setIcon(theme::icon(QStringLiteral("window-close")));
    m_close->setAutoRaise(true);
    m_close->setFixedSize(22, 22);
    row()->addWidget(m_close);
    connect(button(), &QPushButton::clicked, this, &RecoveryBanner::compareRequested);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(&document, &WorkspaceDocument::opened, this, &QWidget::hide);
    connect(&document, &WorkspaceDocument::diskMatched, this, &QWidget::hide);
    hide();
}

bool RecoveryBanner::isOfConfig(const RecoveredSession& session)
{
    return session.configFileText ? *session.configFileText != session.knownConfigText : configIn(session.text) != configIn(session.knownText);
}

void RecoveryBanner::tell(const RecoveredSession& session)
{
    m_name = m_document.title();
    m_inFile = !m_document.mainFile().empty();
    m_written = session.written;
    retranslate();
    show();
}

void RecoveryBanner::retranslate()
{
    const QString when = QLocale().toString(m_written.toLocalTime(), QLocale::ShortFormat);
    const QString words = m_inFile ? tr("Recovered: unsaved changes of %1, last edited %2. The file does not have them yet.").arg(m_name, when)
                                   : tr("Recovered: %1, last edited %2. It is in no file yet.").arg(m_name, when);
    say(words, words);
    button()->setText(tr("Compare with the file"));
    button()->setToolTip(tr("Shows on the Config page how the ds_config differs from what its file holds"));
    button()->setVisible(m_inFile);
    m_close->setToolTip(tr("Close this line"));
    m_close->setAccessibleName(m_close->toolTip());
}

void RecoveryBanner::changeEvent(QEvent* event)
{
    Banner::changeEvent(event);
    if (event->type() == QEvent::LanguageChange && !isHidden())
        retranslate();
}

}  // namespace stagecraft::app
