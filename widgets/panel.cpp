// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/panel.h"

#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QScrollArea>
#include <QToolButton>

namespace stagecraft {

using theme::Role;
using theme::Token;

PanelHeader::PanelHeader(const QString& title, QWidget* parent)
    : QWidget(parent), m_title(new ToneLabel(Role::BodyBold, Token::Text, this)), m_subtitle(new ToneLabel(Role::Small, Token::Text2, this)),
      m_row(new QHBoxLayout(this))
{
    setFixedHeight(28);
    m_row->setContentsMargins(12, 0, 4, 1);
    m_row->setSpacing(8);
    m_row->addWidget(m_title);
    m_row->addWidget(m_subtitle);
    m_row->addStretch(1);
    m_subtitle->setElided(true);
    m_title->setElided(true);

    setTitle(title);
}

void PanelHeader::setTitle(const QString& title)
{
    m_title->setText(title);
    setAccessibleName(title);
}

void PanelHeader::setSubtitle(const QString& subtitle)
{
    m_subtitle->setText(subtitle);
    m_title->setElided(subtitle.isEmpty());   // beside a subtitle that one gives way
    m_subtitle->setToolTip(subtitle);
}

void PanelHeader::addWidget(QWidget* widget)
{
    m_row->addWidget(widget);
}

QToolButton* PanelHeader::addTool(const QString& iconName, const QString& tip)
{
    auto* button = new QToolButton(this);
    button->setIcon(theme::icon(iconName, Token::Text2));
    button->setIconSize({14, 14});
    button->setFixedSize(22, 22);
    button->setAutoRaise(true);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setFocusPolicy(Qt::TabFocus);
    m_row->addWidget(button);
    return button;
}

void PanelHeader::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::Head));
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

Panel::Panel(const QString& title, QWidget* parent) : QWidget(parent), m_header(new PanelHeader(title, this)), m_column(new QVBoxLayout(this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(0);
    m_column->addWidget(m_header);
}

void Panel::setContent(QWidget* content)
{
    delete m_content;
    m_content = content;
    m_column->addWidget(content, 1);
}

QScrollArea* verticalScroll(QWidget* content)
{
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    return scroll;
}

}  // namespace stagecraft
