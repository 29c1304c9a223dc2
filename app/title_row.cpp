// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/title_row.h"

#include "app/page.h"
#include "widgets/icons.h"
#include "widgets/theme.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

TitleRow::TitleRow(QWidget* parent)
    : QWidget(parent), m_row(new QHBoxLayout(this)), m_name(new ToneLabel(Role::Title, Token::Text, this)), m_subject(new ToneLabel(Role::Body, Token::Text2, this)),
      m_inspector(new QPushButton(this))
{
    setFixedHeight(36);
    m_row->setContentsMargins(12, 0, 12, 1);
    m_row->setSpacing(8);
    m_row->addWidget(m_name);
    m_row->addWidget(m_subject, 1);
    m_subject->setElided(true);
    m_subject->setObjectName(QStringLiteral("subject"));
    m_subject->installEventFilter(this);
    m_row->addWidget(m_inspector);
    m_inspector->setObjectName(QStringLiteral("inspectorButton"));
    m_inspector->setIcon(theme::icon(QStringLiteral("dialog-information")));
    m_inspector->setCheckable(true);
    m_inspector->hide();
}

void TitleRow::showPage(Page* page)
{
    if (m_page)
        disconnect(m_page, &Page::titleChanged, this, nullptr);
    if (m_controls) {
        m_row->removeWidget(m_controls);
        m_controls->hide();
        m_controls->setParent(m_page);
    }
    m_page = page;
    m_controls = page ? page->titleControls() : nullptr;
    if (m_controls) {
        m_row->insertWidget(m_row->indexOf(m_inspector), m_controls);
        m_controls->show();
    }
    if (page)
        connect(page, &Page::titleChanged, this, &TitleRow::refresh);
    refresh();
}

void TitleRow::refresh()
{
    m_name->setText(m_page ? m_page->name() : QString());
    m_subject->setText(m_page ? m_page->subject() : QString());
    const QString tip = m_page ? m_page->subjectTip() : QString();
    m_subject->setToolTip(tip.isEmpty() || m_subject->text().isEmpty() ? m_subject->text() : QStringLiteral("%1\n%2").arg(m_subject->text(), tip));
    m_subject->setCursor(tip.isEmpty() ? Qt::ArrowCursor : Qt::PointingHandCursor);
}

bool TitleRow::eventFilter(QObject* watched, QEvent* event)
{
    // The words alone are the target, not the empty row behind them.
    if (watched == m_subject && event->type() == QEvent::MouseButtonRelease && m_page && !m_page->subjectTip().isEmpty()) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        if (mouse->button() == Qt::LeftButton && m_subject->rect().contains(mouse->pos()) && mouse->pos().x() <= m_subject->fontMetrics().horizontalAdvance(m_subject->text())) {
            m_page->activateSubject();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void TitleRow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(QRect(0, height() - 1, width(), 1), theme::color(Token::Line));
}

}  // namespace stagecraft::app
