// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/banner.h"

#include "widgets/icons.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

Banner::Banner(const Look& look, QWidget* parent)
    : QWidget(parent), m_ground(look.ground), m_words(new ToneLabel(Role::Body, look.words, this)), m_button(new QPushButton(this)), m_row(new QHBoxLayout(this))
{
    auto* sign = new QLabel(this);
    sign->setPixmap(theme::icon(look.icon, look.sign).pixmap(QSize(16, 16), devicePixelRatioF()));
    m_row->setContentsMargins(12, 4, 12, 4);
    m_row->setSpacing(8);
    m_row->addWidget(sign);
    m_row->addWidget(m_words, 1);
    m_row->addWidget(m_button);
    m_words->setElided(true);
    m_button->setProperty("compact", true);
    setFixedHeight(34);
}

void Banner::say(const QString& sentence, const QString& toolTip)
{
    m_words->setText(sentence);
    m_words->setToolTip(toolTip);
}

QString Banner::sentence() const
{
    return m_words->text();
}

void Banner::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(m_ground));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft::app
