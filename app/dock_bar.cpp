// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/dock_bar.h"

#include "widgets/icons.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QStackedWidget>
#include <QToolButton>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

DockBar::DockBar(QStackedWidget* panels, QWidget* parent)
    : QWidget(parent), m_panels(panels), m_row(new QHBoxLayout(this)), m_command(new ToneLabel(Role::FixedSmall, Token::Text2, this))
{
    setFixedHeight(26);
    m_row->setContentsMargins(8, 1, 12, 0);
    m_row->setSpacing(4);
    m_row->addStretch(1);
    m_row->addWidget(m_command, 1000);
    m_command->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_command->setElided(true);
    m_panels->hide();
}

int DockBar::addTab(const QString& iconName, QWidget* panel)
{
    const int index = m_panels->addWidget(panel);
    auto* tab = new QToolButton(this);
    tab->setIcon(theme::icon(iconName, Token::Text2));
    tab->setIconSize({14, 14});
    tab->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    tab->setCheckable(true);
    tab->setAutoRaise(true);
    tab->setFocusPolicy(Qt::TabFocus);
    tab->setFixedHeight(22);
    connect(tab, &QToolButton::clicked, this, [this, index] { toggle(index); });
    m_row->insertWidget(index, tab);
    m_tabs.push_back(tab);
    return index;
}

void DockBar::setTab(int index, const QString& text, const QString& tip)
{
    QToolButton* tab = m_tabs.at(static_cast<std::size_t>(index));
    tab->setText(text);
    tab->setToolTip(tip);
    tab->setAccessibleName(text);
}

void DockBar::setTabVisible(int index, bool visible)
{
    m_tabs.at(static_cast<std::size_t>(index))->setVisible(visible);
    if (!visible && current() == index)
        close();
}

void DockBar::toggle(int index)
{
    if (current() == index)
        close();
    else
        open(index);
}

void DockBar::open(int index)
{
    m_panels->setCurrentIndex(index);
    m_panels->show();
    for (std::size_t i = 0; i < m_tabs.size(); ++i)
        m_tabs[i]->setChecked(static_cast<int>(i) == index);
}

void DockBar::close()
{
    m_panels->hide();
    for (QToolButton* tab : m_tabs)
        tab->setChecked(false);
}

int DockBar::current() const
{
    return m_panels->isHidden() ? -1 : m_panels->currentIndex();
}

void DockBar::setCommand(const QString& command, bool saved)
{
    m_commandText = command;
    const QString shown = command.isEmpty() || saved ? command : tr("without the unsaved changes: %1").arg(command);
    m_command->setText(shown);
    m_command->setToolTip(shown);
}

void DockBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme::color(Token::Window));
    painter.fillRect(QRect(0, 0, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft::app
