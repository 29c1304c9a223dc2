// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/name_row.h"

#include "app/number_row.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QVBoxLayout>

namespace stagecraft::app {

using theme::Role;
using theme::Token;

NameRow::NameRow(QWidget* parent)
    : QWidget(parent), m_name(new ToneLabel(Role::Body, Token::Text, this)), m_field(new QLineEdit(this)), m_complaint(new ToneLabel(Role::Small, Token::Error, this))
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(12, 2, 12, 2);
    column->setSpacing(2);
    auto* row = new QHBoxLayout;
    row->setSpacing(8);
    row->addWidget(m_name, 1);
    row->addWidget(m_field, 100);
    column->addLayout(row);
    m_field->setFixedHeight(24);
    m_field->setMinimumWidth(rowFieldWidth(0));
    m_name->setBuddy(m_field);
    m_complaint->setWordWrap(true);
    m_complaint->hide();
    column->addWidget(m_complaint);
    connect(m_field, &QLineEdit::textEdited, this, [this] { setComplaint({}); });
    connect(m_field, &QLineEdit::editingFinished, this, &NameRow::enter);
}

void NameRow::setName(const QString& name, const QString& hint, const QString& tip)
{
    m_name->setText(name);
    m_field->setPlaceholderText(hint);
    m_field->setAccessibleName(name);
    m_field->setToolTip(tip);
    m_name->setToolTip(tip);
}

void NameRow::setShown(const QStringList& words)
{
    m_shown = words.join(QStringLiteral(", "));
    if (m_field->isModified())
        return;   // somebody types, or has to mend what is refused
    m_field->setText(m_shown);
    m_field->setCursorPosition(0);
    setComplaint({});
}

void NameRow::setComplaint(const QString& sentence)
{
    m_complaint->setText(sentence);
    m_complaint->setVisible(!sentence.isEmpty());
    m_field->setAccessibleDescription(sentence);
    m_field->setProperty("invalid", !sentence.isEmpty());
    m_field->update();
}

QString NameRow::complaint() const
{
    return m_complaint->text();
}

void NameRow::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    m_field->setMaximumWidth(rowFieldWidth(width()));
}

void NameRow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_field->isModified()) {
        m_field->setModified(false);
        m_field->setText(m_shown);
        setComplaint({});
        return;
    }
    QWidget::keyPressEvent(event);
}

void NameRow::enter()
{
    if (!m_field->isModified())
        return;
    m_field->setModified(false);
    QStringList words;
    // Both kinds of comma, and names as they are copied from a list in Python or JSON.
    for (QString word : m_field->text().replace(QChar(0xFF0C), QLatin1Char(',')).split(QLatin1Char(','), Qt::SkipEmptyParts)) {
        word = word.remove(QLatin1Char('[')).remove(QLatin1Char(']')).remove(QLatin1Char('"')).remove(QLatin1Char('\'')).trimmed();
        if (!word.isEmpty() && !words.contains(word))
            words << word;
    }
    if (words.join(QStringLiteral(", ")) == m_shown) {
        setShown(words);
        return;
    }
    emit entered(words);
    if (!complaint().isEmpty())
        m_field->setModified(true);   // refused: it stays to be mended
}

}  // namespace stagecraft::app
