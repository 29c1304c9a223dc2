// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live_banner.h"

#include "app/run_notices.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

#include <algorithm>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

LiveBanner::LiveBanner(QWidget* parent)
    : QWidget(parent), m_words(new ToneLabel(Role::Body, Token::Text, this)), m_button(new QPushButton(this)), m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("liveBanner"));
    auto* mark = new QLabel(this);
    mark->setPixmap(theme::icon(QStringLiteral("run"), Token::Ok).pixmap(QSize(16, 16), devicePixelRatioF()));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(mark);
    row->addWidget(m_words, 1);
    row->addWidget(m_button);
    row->addWidget(m_close);
    m_words->setElided(true);
    m_button->setObjectName(QStringLiteral("liveReattach"));
    m_button->setProperty("compact", true);
    m_close->setObjectName(QStringLiteral("liveClose"));
    m_close->setIcon(theme::icon(QStringLiteral("window-close")));
    m_close->setAutoRaise(true);
    setFixedHeight(34);
    connect(m_button, &QPushButton::clicked, this, &LiveBanner::reattachRequested);
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
    m_words->setText(m_names.isEmpty() ? QString() : RunNotices::liveSentence(m_names));
    m_words->setToolTip(m_names.join(QLatin1Char('\n')));
    m_button->setText(tr("Re-attach") + QStringLiteral("  F6"));
    m_button->setToolTip(tr("Shows the run on the Run page, where it can be stopped and killed"));
    m_close->setToolTip(tr("Hide until another run is live"));
    m_close->setAccessibleName(m_close->toolTip());
    setVisible(!m_names.isEmpty() && !m_elsewhere && !closed);
}

QString LiveBanner::sentence() const
{
    return m_words->text();
}

void LiveBanner::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::LanguageChange)
        refresh();
    QWidget::changeEvent(event);
}

void LiveBanner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::InfoTint));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft::app
