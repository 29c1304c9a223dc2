// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live_banner.h"

#include "app/run_notices.h"
#include "widgets/icons.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::app {

using theme::Token;

LiveBanner::LiveBanner(QWidget* parent)
    : Banner({QStringLiteral("run"), Token::Ok, Token::Text, Token::InfoTint}, parent), m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("liveBanner"));
    row()->setContentsMargins(12, 4, 8, 4);
    row()->addWidget(m_close);
    button()->setObjectName(QStringLiteral("liveReattach"));
    m_close->setObjectName(QStringLiteral("liveClose"));
    m_close->setIcon(theme::icon(QStringLiteral("window-close")));
    m_close->setAutoRaise(true);
    connect(button(), &QPushButton::clicked, this, &LiveBanner::reattachRequested);
    connect(m_close, &QToolButton::clicked, this, [this] {
        m_closed = m_names;
        refresh();
    });
    refresh();
}

void LiveBanner::look(const QStringList& names, bool elsewhere)
{
    m_names = names;
    m_elsewhere = elsewhere;
    refresh();
}

void LiveBanner::refresh()
{
    const bool closed = std::all_of(m_names.begin(), m_names.end(), [this](const QString& name) { return m_closed.contains(name); });
    say(m_names.isEmpty() ? QString() : RunNotices::liveSentence(m_names), m_names.join(QLatin1Char('\n')));
    button()->setText(tr("Re-attach") + QStringLiteral("  F6"));
    button()->setToolTip(tr("Shows the run on the Run page, where it can be stopped and killed"));
    m_close->setToolTip(tr("Hide until another run is live"));
    m_close->setAccessibleName(m_close->toolTip());
    setVisible(!m_names.isEmpty() && !m_elsewhere && !closed);
}

void LiveBanner::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        refresh();
    QWidget::changeEvent(event);
}

}  // namespace stagecraft::app
