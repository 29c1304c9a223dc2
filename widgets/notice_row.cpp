// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/notice_row.h"

#include "widgets/icons.h"
#include "widgets/tone_label.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

namespace stagecraft {

NoticeRow::NoticeRow(const QString& icon, theme::Token tone, QWidget* parent)
    : QWidget(parent), m_icon(icon), m_tone(tone), m_row(new QHBoxLayout(this)), m_mark(new QLabel(this)), m_words(new ToneLabel(theme::Role::Body, theme::Token::Text, this))
{
    m_row->setContentsMargins(12, 4, 8, 4);
    m_row->setSpacing(8);
    m_row->addWidget(m_mark);
    m_words->setWordWrap(true);
    m_words->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_row->addWidget(m_words, 1);
    showMark();
}

void NoticeRow::setWords(const QString& words)
{
    m_words->setText(words);
}

QPushButton* NoticeRow::addButton(const QString& objectName)
{
    auto* button = new QPushButton(this);
    button->setProperty("compact", true);
    button->setObjectName(objectName);
    m_row->addWidget(button);
    return button;
}

void NoticeRow::showMark()
{
    m_mark->setPixmap(theme::iconPixmap(m_icon, theme::color(m_tone), 14, devicePixelRatioF()));
}

void NoticeRow::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showMark();
    if (event->type() == QEvent::LanguageChange)
        refresh();
}

}  // namespace stagecraft
